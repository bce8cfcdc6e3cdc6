// SPDX-License-Identifier: Apache-2.0
//
// The forms in which the shell prints answers (`.mode`).
//
//   table     columns, cut to the width of a terminal
//   line      `?to = "Lucca"`, a line for each value, an empty line between answers
//   csv       RFC 4180 with a header; `--facts` reads the same values again, but for what CSV has
//   no
//             fields for
//   markdown  a table of Markdown
//   text      as `rpl reply`
//   json      as `rpl reply --format json`
#ifndef RPL_SHELL_REPL_ANSWER_FORM_H_
#define RPL_SHELL_REPL_ANSWER_FORM_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interp/store/value.h"

namespace rpl {

enum class AnswerForm { kTable, kText, kJson, kCsv, kMarkdown, kLine };

/// The names, in the order of the values, separated by `|`.
inline constexpr const char* kAnswerFormNames = "table|text|json|csv|markdown|line";

/// The form of this name.
std::optional<AnswerForm> AnswerFormOf(std::string_view name);

/// The layout of a table.
struct AnswerLayout {
  std::size_t most = 0;   // answers that are shown; 0: all
  std::size_t width = 0;  // of a line of a table
  bool bold = false;      // marks the header of a table
};

/// The answers in `form`, which is not kText or kJson, with line ends. `cells` are columns.size()
/// for each answer. Printable, but for CSV, which is text for a program. CSV has all answers.
/// REQUIRES: there are columns.
std::string AnswersAs(AnswerForm form, const Pool& pool, const std::vector<std::string>& columns,
                      const std::vector<Value>& cells, const AnswerLayout& layout);

}  // namespace rpl

#endif  // RPL_SHELL_REPL_ANSWER_FORM_H_
