// SPDX-License-Identifier: Apache-2.0
//
// The built-in tools whose calls are questions.
#ifndef RPL_INTERP_PROGRAM_QUESTION_TOOLS_H_
#define RPL_INTERP_PROGRAM_QUESTION_TOOLS_H_

#include <algorithm>
#include <string_view>

namespace rpl {

inline constexpr std::string_view kQuestionTools[] = {"ask", "choose", "generate"};

/// Of a label without `$`.
inline bool IsQuestionTool(std::string_view label) {
  return std::ranges::find(kQuestionTools, label) != std::end(kQuestionTools);
}

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_QUESTION_TOOLS_H_
