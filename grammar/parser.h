// SPDX-License-Identifier: Apache-2.0
//
// From RPL text to sentences (Appendix, decisions 1-20).
//
// A stretch of RPL text is cut into sentences (decision 5), each is parsed alone, so an
// error in one does not touch the next: one cause, one error. Comments (`--` at a token
// boundary) are blanks. What the grammar cannot say is checked here too: what may be an
// argument, an element, a head, a metadata key; `$json` and `%fail` arities; adjacent
// unbound holes are not (that needs bindings). Nothing throws, nothing recurses deeper
// than kMaxNesting.
#ifndef RPL_GRAMMAR_PARSER_H_
#define RPL_GRAMMAR_PARSER_H_

#include <optional>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"
#include "grammar/facts.h"

namespace rpl {

/// The sentences of `span`, in order; those with an error are left out and reported. Plain
/// facts go to `facts` instead, if it is not null.
std::vector<Sentence> ParseSentences(const Sources& sources, Span span, Diagnostics& out,
                                     PlainFacts* facts = nullptr);

/// `span` as exactly one sentence; nullopt with exactly one error added to `out`.
std::optional<Sentence> ParseSentence(const Sources& sources, Span span, Diagnostics& out);

/// `span` as the signature of a heading (§17.1): a sentence, or a head alone, which
/// gives a Rule with one head and no tail. nullopt with one error added to `out`.
std::optional<Sentence> ParseSignature(const Sources& sources, Span span, Diagnostics& out);

/// `span` as one ground or partly ground term: literal, variable, collection or call.
/// For answers, scripted replies and configuration. nullopt with one error added.
std::optional<Node> ParseTerm(const Sources& sources, Span span, Diagnostics& out);

/// The end of the sentence that starts at `begin` (decision 5: a newline ends it unless a
/// bracket is open or a connective ends the line or starts the next; a blank line ends it
/// unless a bracket is open), at most `limit`. For readers that must find a sentence in
/// other text (bare lines of a Markdown body, decision 73).
std::uint32_t SentenceEnd(std::string_view text, std::uint32_t begin, std::uint32_t limit);

}  // namespace rpl

#endif  // RPL_GRAMMAR_PARSER_H_
