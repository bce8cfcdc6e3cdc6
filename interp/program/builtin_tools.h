// SPDX-License-Identifier: Apache-2.0
//
// The tools that are built in; builtin_tools_test.cc compares them with docs/tools.md. The linter,
// the editor, the guard, the settings and the servers read this table.
#ifndef RPL_INTERP_PROGRAM_BUILTIN_TOOLS_H_
#define RPL_INTERP_PROGRAM_BUILTIN_TOOLS_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace rpl {

struct BuiltinTool {
  enum class Replies {
    kPeople,  // the call is a question
    kOutput,  // nobody: it is no call, but a clause that writes
    kFiles,   // files and databases, or a command of this name in the settings; it wants permission
  };

  std::string_view label;   // without `$`
  std::size_t least, most;  // arguments
  std::string_view form;    // a call, for hints
  Replies replies;
};

inline constexpr BuiltinTool kBuiltinTools[] = {
    {"ask", 1, 1, "$ask(?prompt)", BuiltinTool::Replies::kPeople},
    {"choose", 2, 2, "$choose(?prompt, ?options)", BuiltinTool::Replies::kPeople},
    {"generate", 1, 1, "$generate(?prompt)", BuiltinTool::Replies::kPeople},
    {"json", 1, 1, "$json(?x)", BuiltinTool::Replies::kOutput},
    {"index", 1, 2, "$index(?location)", BuiltinTool::Replies::kFiles},
    {"write", 2, 3, "$write(?content, ?location)", BuiltinTool::Replies::kFiles},
};

/// Null if no such tool is built in.
inline const BuiltinTool* FindBuiltinTool(std::string_view label) {
  const auto at = std::ranges::find(kBuiltinTools, label, &BuiltinTool::label);
  return at == std::end(kBuiltinTools) ? nullptr : at;
}

/// Whether the calls of the tool are questions.
inline bool IsQuestionTool(std::string_view label) {
  const BuiltinTool* const tool = FindBuiltinTool(label);
  return tool != nullptr && tool->replies == BuiltinTool::Replies::kPeople;
}

/// Whether the calls of the tool reach files and databases, and want permission for it.
inline bool IsFileTool(std::string_view label) {
  const BuiltinTool* const tool = FindBuiltinTool(label);
  return tool != nullptr && tool->replies == BuiltinTool::Replies::kFiles;
}

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_BUILTIN_TOOLS_H_
