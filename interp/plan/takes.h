// SPDX-License-Identifier: Apache-2.0
//
// The kinds of values that an argument of a heading takes (decision 81).
#ifndef RPL_INTERP_PLAN_TAKES_H_
#define RPL_INTERP_PLAN_TAKES_H_

namespace rpl {

/// By what the program compares the argument or computes with it.
enum class Takes { kAny, kNumber, kTime };

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_TAKES_H_
