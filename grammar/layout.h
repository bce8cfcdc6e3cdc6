// SPDX-License-Identifier: Apache-2.0
//
// The layout of one sentence: its tokens as the author wrote them, with other blanks and line
// breaks between them. Used by grammar/formatter.cc.
//
//   p( ?x )<-q(?x),r( ?x )        p(?x) <- q(?x), r(?x)
//
// A sentence on one line that fits in kLayoutWidth columns stays on it. Any other has its heads on
// the first line, each clause of the tail on a line of its own, indented by two columns and with
// its `,` or `|` at the end (a `|` at the beginning of a line opens a count, decision 5), and `;`
// and `->` at the beginning of their lines. A group that contains a line break or does not fit is
// laid out in the same way between its parentheses. Other brackets keep the author's line breaks.
//
// No token is changed, added or dropped, and none changes place, except that a comma, a bar or a
// `<-` at the beginning of a line moves to the end of the previous one, before any comment there.
// Nothing is parsed: for text that is no sentence the result is unspecified, so callers verify that
// the tree is unchanged.
#ifndef RPL_GRAMMAR_LAYOUT_H_
#define RPL_GRAMMAR_LAYOUT_H_

#include <string>
#include <string_view>

namespace rpl {

/// The width of a line in columns, which are code points.
inline constexpr int kLayoutWidth = 100;

/// The sentence, laid out. Its first token stands behind `indent`, the blanks at the beginning of
/// its line, which further lines repeat and the result does not include. Lines end with `newline`.
std::string LayOut(std::string_view sentence, std::string_view indent, std::string_view newline);

/// `raw` with one blank or none between the tokens of a line; the surroundings of line breaks and
/// comments stay. `masked` is `raw` with blanks in place of everything that is not RPL. REQUIRES:
/// raw.size() == masked.size().
std::string SpaceOut(std::string_view masked, std::string_view raw);

}  // namespace rpl

#endif  // RPL_GRAMMAR_LAYOUT_H_
