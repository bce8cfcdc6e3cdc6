// SPDX-License-Identifier: Apache-2.0
//
// How one sentence stands on the page: its tokens as the author wrote them, with other
// blanks and line breaks between them. Used by grammar/formatter.cc.
//
//   p( ?x )<-q(?x),r( ?x )        p(?x) <- q(?x), r(?x)
//
// A sentence on one line that fits in kLayoutWidth columns stays there. Any other is laid
// out: heads on the first line, each clause of the tail on a line of its own, two columns
// in, with its `,` or `|` at the end (a `|` that begins a line opens a count, decision 5),
// and `;` and `->` at the beginning of theirs. A group that is broken or does not fit is
// laid out in the same way between its parentheses. In other brackets line breaks stay
// where the author put them.
//
// No token is changed, added or dropped, and none changes place, except that a comma, a
// bar or a `<-` at the beginning of a line goes to the end of the one before, in front of
// a comment there. Nothing is parsed: on a text that is no sentence the result is
// unspecified text, so callers check that the tree is the same.
#ifndef RPL_GRAMMAR_LAYOUT_H_
#define RPL_GRAMMAR_LAYOUT_H_

#include <string>
#include <string_view>

namespace rpl {

/// Columns of a line, in code points.
inline constexpr int kLayoutWidth = 100;

/// `sentence`, laid out. Its first token stands behind `indent`, the blanks at the begin of
/// its line, which later lines repeat; they are not part of the result. Lines end with
/// `newline`.
std::string LayOut(std::string_view sentence, std::string_view indent, std::string_view newline);

/// `raw` with one or no blank between the tokens of a line; what stands around its line
/// breaks and comments is kept. `masked` is `raw` with blanks for what is not RPL.
/// REQUIRES: raw.size() == masked.size()
std::string SpaceOut(std::string_view masked, std::string_view raw);

}  // namespace rpl

#endif  // RPL_GRAMMAR_LAYOUT_H_
