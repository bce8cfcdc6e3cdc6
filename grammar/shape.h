// SPDX-License-Identifier: Apache-2.0
//
// The check of the shape of a tree that the grammar has read: which form may stand where (decisions
// 1-20, §3, §4, §11, §14.2, §15.7). grammar/rules.h reads any operand as an argument, any
// expression as a head, and a bare name as a symbol; the functions here reject the wrong ones and
// settle the others into the form that ast.h guarantees. Only grammar/parser.cc settles trees.
#ifndef RPL_GRAMMAR_SHAPE_H_
#define RPL_GRAMMAR_SHAPE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"

namespace rpl {

/// Checks and settles `sentence`: bare names in clause position become nullary calls, `now` beside
/// a temporal operator becomes Now. Returns the first error, if any; lints are added to `lints` in
/// either case. `text` is the file of the spans. After an error the tree is partly settled.
std::optional<Diagnostic> SettleSentence(std::string_view text, Sentence& sentence,
                                         std::vector<Diagnostic>& lints);

/// Likewise for a single term, read as an argument; goal and tool calls are allowed, and so is what
/// values print and no sentence writes: calls within collections.
std::optional<Diagnostic> SettleTerm(std::string_view text, Node& term,
                                     std::vector<Diagnostic>& lints);

/// The body of a Regex in the syntax of RE2: `(?<name>…)` becomes `(?P<name>…)` (decision 12).
std::string Re2Pattern(std::string_view body);

}  // namespace rpl

#endif  // RPL_GRAMMAR_SHAPE_H_
