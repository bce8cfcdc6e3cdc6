// SPDX-License-Identifier: Apache-2.0
//
// Scripts of sed and awk: whether they only read their input and print.
#ifndef RPL_CHECKS_CALLS_SCRIPTS_H_
#define RPL_CHECKS_CALLS_SCRIPTS_H_

#include <string_view>

namespace rpl {

/// Whether a script of sed has no command that runs a program, and none that names a file. False
/// for a script that is not understood.
bool IsPlainSed(std::string_view script);

/// Whether a program of awk runs no program and names no file. False if in doubt.
bool IsPlainAwk(std::string_view program);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_SCRIPTS_H_
