// SPDX-License-Identifier: Apache-2.0
//
// What may stand where in a tree that the grammar has read (decisions 1-20, §3, §4, §11,
// §14.2, §15.7). grammar/rules.h reads any operand as an argument, any expression as a
// head, and a bare name as a symbol; here such a tree is checked and settled into what
// ast.h promises. Settling is for grammar/parser.cc alone.
#ifndef RPL_GRAMMAR_SHAPE_H_
#define RPL_GRAMMAR_SHAPE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"

namespace rpl {

/// Checks `sentence` and settles it: bare names in clause position become nullary calls,
/// `now` beside a temporal operator becomes Now. Returns its first error, if any; lints
/// are added to `lints` also then. `text` is the file that the spans point into.
std::optional<Diagnostic> SettleSentence(std::string_view text, Sentence& sentence,
                                         std::vector<Diagnostic>& lints);

/// The same for a term by itself, read as an argument; goal and tool calls are allowed.
std::optional<Diagnostic> SettleTerm(std::string_view text, Node& term,
                                     std::vector<Diagnostic>& lints);

/// The body of a Regex as RE2 reads it: `(?<name>…)` becomes `(?P<name>…)` (decision 12).
std::string Re2Pattern(std::string_view body);

}  // namespace rpl

#endif  // RPL_GRAMMAR_SHAPE_H_
