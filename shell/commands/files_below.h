// SPDX-License-Identifier: Apache-2.0
//
// The files of a path that is a file or a folder, as `rpl test` and `rpl check` take them.
#ifndef RPL_SHELL_COMMANDS_FILES_BELOW_H_
#define RPL_SHELL_COMMANDS_FILES_BELOW_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// The path itself; for a folder, the files in it and in its folders whose names end in one of
/// `extensions`, in the order of their paths; without what is below `node_modules` and what
/// `.gitignore` files leave out. A link that leads nowhere is left out, with a note on
/// standard error. nullopt, after a message there, if a folder cannot be read.
std::optional<std::vector<std::string>> FilesBelow(
    const std::string& path, std::initializer_list<std::string_view> extensions);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_FILES_BELOW_H_
