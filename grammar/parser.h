// SPDX-License-Identifier: Apache-2.0
//
// The parser, from RPL text to sentences (Appendix, decisions 1-20).
//
// A stretch of text is cut into sentences (decision 5) and each is parsed alone, so that an error
// in one does not affect the next, and one cause gives one error. Comments (`--` at a token
// boundary) are blanks. The parser also checks what the grammar cannot express: which forms may be
// an argument, an element, a head or a metadata key, and the arities of `$json` and `%fail`. It
// does not check whether the holes between two texts of a template can be told apart, because that
// depends on bindings.
//
// The text is untrusted. Nothing throws, nothing recurses deeper than kMaxNesting, and the time is
// linear in the size of the text. Other threads may read the sources meanwhile; a long text is read
// by two.
#ifndef RPL_GRAMMAR_PARSER_H_
#define RPL_GRAMMAR_PARSER_H_

#include <optional>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"
#include "grammar/facts.h"

namespace rpl {

/// The sentences of `span`, in order; each with an error is left out, with one error added to
/// `out`. If `facts` is not null, plain facts are added to it instead.
std::vector<Sentence> ParseSentences(const Sources& sources, Span span, Diagnostics& out,
                                     PlainFacts* facts = nullptr);

/// `span` as exactly one sentence; nullopt with one error added to `out`.
std::optional<Sentence> ParseSentence(const Sources& sources, Span span, Diagnostics& out);

/// `span` as the signature of a heading (§17.1): a sentence, or a head alone, which becomes a Rule
/// with one head and no tail. nullopt with one error added to `out`.
std::optional<Sentence> ParseSignature(const Sources& sources, Span span, Diagnostics& out);

/// `span` as one term, ground or not: literal, variable, collection or call. For recorded values,
/// answers, scripted replies and configuration. nullopt with one error added to `out`.
std::optional<Node> ParseTerm(const Sources& sources, Span span, Diagnostics& out);

/// The end of the sentence that starts at `begin`, at most `limit`; `limit` if there is none. By
/// decision 5 a newline ends it unless a bracket is open or a connective ends the line or starts
/// the next, and a blank line ends it unless a bracket is open. For readers that look for sentences
/// in other text (bare lines of a Markdown body, decision 73).
std::uint32_t SentenceEnd(std::string_view text, std::uint32_t begin, std::uint32_t limit);

}  // namespace rpl

#endif  // RPL_GRAMMAR_PARSER_H_
