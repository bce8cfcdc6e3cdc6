// SPDX-License-Identifier: Apache-2.0
//
// The rows of a text for the shell.
//
// Statements are followed in the order in which they run, with the folders in which each may run.
// A loop or function that changes its folder runs in any. Texts that a command gives to another
// shell are read the same way, up to a number of them.
#ifndef RPL_CHECKS_CALLS_SHELL_VIEWS_H_
#define RPL_CHECKS_CALLS_SHELL_VIEWS_H_

#include <string>
#include <string_view>
#include <vector>

#include "checks/calls/call_paths.h"
#include "checks/calls/call_rows.h"
#include "checks/calls/shell_reader.h"

namespace rpl {

/// What a text does that a shell runs in a place. `reader` is called once for the text and for
/// each text within it.
CallViews ViewsOfShell(std::string_view text, const CallPlace& place, ShellReader& reader);

/// What a list of words does, the first of which is a program. A list such as
/// ["bash", "-lc", text], in which hosts wrap a text, is the text.
CallViews ViewsOfWords(const std::vector<std::string>& words, const CallPlace& place,
                       ShellReader& reader);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_SHELL_VIEWS_H_
