// SPDX-License-Identifier: Apache-2.0
//
// Text as HTML, and the frame of a self-contained page.
//
// Text of programs, people and tools is untrusted. These functions escape it for terminals
// (formats/terminal_text.h) and for HTML, so that it can stand in an element or in a quoted
// attribute. The frame has a content security policy that forbids all loads, and all scripts and
// styles but the two that it is given, by their hash.
#ifndef RPL_SHELL_PAGES_HTML_H_
#define RPL_SHELL_PAGES_HTML_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rpl {

/// One line of text.
std::string Shown(std::string_view text);
/// Text of several lines.
std::string ShownLines(std::string_view text);

/// RPL, with a span for each token that has a colour, in a `code` element. Also for a part of a
/// sentence and for text that is none: the tokens are a matter of display.
std::string InCode(std::string_view text);
/// The same without the element.
std::string ColouredRpl(std::string_view text);
/// RPL without colours, for long listings: variables alone are marked, so that they do not break.
std::string PlainCode(std::string_view text);

/// Ranges [begin, end) of a text, in order and disjoint.
using TextRanges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Prose as a paragraph shows it: code spans, `**strong**` and the texts of links. `marked` are
/// ranges that get the class `mark`: "value", filled in by a run, or "hole", a variable.
std::string ShownProse(std::string_view text, const TextRanges& marked = {},
                       std::string_view mark = "value");

/// Prose whose lines flow: a line end becomes a blank, except before and after a blank line and
/// before an item of a list. The text keeps its length.
std::string Flowing(std::string text);

/// "1 file", "3 files".
std::string Many(std::size_t count, std::string_view one, std::string_view many);
/// "340 ms", "3.2 s", "2 min 5 s", "1 h 4 min".
std::string Duration(std::int64_t ms);

/// The page up to its body. `title` is plain text.
std::string PageBegin(std::string_view title, std::string_view style, std::string_view script);
/// The end of the page, with the script.
std::string PageEnd(std::string_view script);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_HTML_H_
