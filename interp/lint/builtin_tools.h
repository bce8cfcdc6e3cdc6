// SPDX-License-Identifier: Apache-2.0
//
// The tools that are built in, with the numbers of their arguments: those of §14.2, and `$index`
// and `$write` (docs/tools.md).
#ifndef RPL_INTERP_LINT_BUILTIN_TOOLS_H_
#define RPL_INTERP_LINT_BUILTIN_TOOLS_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace rpl {

struct BuiltinTool {
  std::string_view label;  // without `$`
  std::size_t least, most;
  std::string_view form;  // a call, for hints
};

inline constexpr BuiltinTool kBuiltinTools[] = {
    {"ask", 1, 1, "$ask(?prompt)"},           {"choose", 2, 2, "$choose(?prompt, ?options)"},
    {"generate", 1, 1, "$generate(?prompt)"}, {"json", 1, 1, "$json(?x)"},
    {"index", 1, 2, "$index(?location)"},     {"write", 2, 3, "$write(?content, ?location)"},
};

/// Null if no such tool is built in.
inline const BuiltinTool* FindBuiltinTool(std::string_view label) {
  const auto at = std::ranges::find(kBuiltinTools, label, &BuiltinTool::label);
  return at == std::end(kBuiltinTools) ? nullptr : at;
}

}  // namespace rpl

#endif  // RPL_INTERP_LINT_BUILTIN_TOOLS_H_
