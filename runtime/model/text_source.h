// SPDX-License-Identifier: Apache-2.0
//
// A text that a model reads as a source of facts: `$index("mail.txt", "order")`.
//
// Its rows are those of the heading that the call names, each with a citation: the part of the text
// that says so. They become RPL, a fact a line, whose metadata are `:citation`, `:generated true`,
// `:model`, and the `:file` and `:line` of the citation. Pure functions.
#ifndef RPL_RUNTIME_MODEL_TEXT_SOURCE_H_
#define RPL_RUNTIME_MODEL_TEXT_SOURCE_H_

#include <string>
#include <string_view>

#include "runtime/ports.h"

namespace rpl {

/// The question for the rows. REQUIRES: `call` has the arguments of a heading as its `row`.
Question QuestionOfText(const ToolCall& call, const SourceText& source);

/// Why one of the rows that a model gave is not taken, as its citation does not stand in the text;
/// else "".
std::string UncitedIn(std::string_view text, Value rows, const Pool& pool);

/// The rows as RPL. REQUIRES: each citation stands in the text.
std::string FactsOfRows(Pool& pool, const ToolCall& call, Value rows, const SourceText& source,
                        const std::string& model);

}  // namespace rpl

#endif  // RPL_RUNTIME_MODEL_TEXT_SOURCE_H_
