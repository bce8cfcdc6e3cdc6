// SPDX-License-Identifier: Apache-2.0
//
// The replacement of a file by a new text.
#ifndef RPL_SHELL_TERMINAL_REPLACE_FILE_H_
#define RPL_SHELL_TERMINAL_REPLACE_FILE_H_

#include <string>
#include <string_view>

namespace rpl {

/// Replaces the file atomically, or creates it: readers see the old text or the new one, and after
/// a failure the old one is there. Its permissions and owner stay. A symbolic link stays, and its
/// target is replaced. A file that has other hard links, whose owner another file cannot get, or in
/// a folder that takes no new file, is overwritten instead. Returns the reason for a failure, as
/// for a file that is not a regular one; or "".
std::string ReplaceFile(const std::string& path, std::string_view text);

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_REPLACE_FILE_H_
