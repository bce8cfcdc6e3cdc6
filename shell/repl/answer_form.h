// SPDX-License-Identifier: Apache-2.0
//
// The forms of answers that have columns, and the modes in which the shell prints outcomes.
//
//   table     columns, cut to the width of a terminal
//   line      `?to = "Lucca"`, a line for each value, an empty line between answers
//   csv       RFC 4180 with a header; `--facts` reads the same values again, but for what CSV has
//             no fields for
//   markdown  a table of Markdown
#ifndef RPL_SHELL_REPL_ANSWER_FORM_H_
#define RPL_SHELL_REPL_ANSWER_FORM_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "interp/store/value.h"
#include "shell/terminal/output_format.h"

namespace rpl {

enum class AnswerForm { kTable, kCsv, kMarkdown, kLine };

/// How an outcome is printed: as `rpl reply` does, but for answers that have columns, if there is a
/// form for these.
struct AnswerMode {
  const OutputFormat* format = kOutputFormats;
  std::optional<AnswerForm> columns = {};  // only of text
};

/// A mode of the shell (`.mode`).
struct NamedMode {
  std::string name;
  std::string help;
  AnswerMode mode;
};

/// All modes: each format has one, and so has each form.
const std::vector<NamedMode>& AnswerModes();

/// The layout of a table.
struct AnswerLayout {
  std::size_t most = 0;   // answers that are shown; 0: all
  std::size_t width = 0;  // of a line of a table
  bool bold = false;      // marks the header of a table
};

/// The answers in `form`, with line ends. `cells` are columns.size() for each answer. Printable,
/// but for CSV, which is text for a program. CSV has all answers.
/// REQUIRES: there are columns.
std::string AnswersAs(AnswerForm form, const Pool& pool, const std::vector<std::string>& columns,
                      const std::vector<Value>& cells, const AnswerLayout& layout);

}  // namespace rpl

#endif  // RPL_SHELL_REPL_ANSWER_FORM_H_
