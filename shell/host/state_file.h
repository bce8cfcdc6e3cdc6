// SPDX-License-Identifier: Apache-2.0
//
// What is remembered from one run to the next: files below $XDG_STATE_HOME/rpl, or below
// ~/.local/state/rpl when that names no absolute path.
#ifndef RPL_SHELL_HOST_STATE_FILE_H_
#define RPL_SHELL_HOST_STATE_FILE_H_

#include <string>

namespace rpl {

/// The path of the file of that name, which may not be there; "" without a home.
std::string StateFile(const std::string& name);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_STATE_FILE_H_
