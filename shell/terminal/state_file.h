// SPDX-License-Identifier: Apache-2.0
//
// The files that persist between runs, below $XDG_STATE_HOME/rpl or, if that is no absolute path,
// below ~/.local/state/rpl.
#ifndef RPL_SHELL_TERMINAL_STATE_FILE_H_
#define RPL_SHELL_TERMINAL_STATE_FILE_H_

#include <string>

namespace rpl {

/// The path of such a file, which need not exist; "" without a home folder.
std::string StateFile(const std::string& name);

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_STATE_FILE_H_
