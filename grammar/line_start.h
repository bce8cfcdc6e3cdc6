// SPDX-License-Identifier: Apache-2.0
//
// The beginnings of RPL in other text: the first characters of a line, or of a heading's tail,
// decide whether it could be RPL at all (decisions 73, 74). Positions are byte offsets.
#ifndef RPL_GRAMMAR_LINE_START_H_
#define RPL_GRAMMAR_LINE_START_H_

#include <cstddef>
#include <string_view>

namespace rpl {

enum class Start {
  kProse,     // not RPL
  kMaybe,     // a bare name with an arrow, or a parenthesis: RPL if it parses
  kCall,      // a call, goal or tool: RPL, or a mistake to report
  kVariable,  // `?x(` and `Name(?x`: always a mistake
  kFenced,    // RPL only inside a fence: `not a() -> …`, `?x in … -> …`, `|p(_)| > 1 -> …`
};

/// How the text at `at`, which is not a blank, begins (decision 73). kFenced requires an arrow in
/// `line`, the rest of the line.
Start StartOf(std::string_view s, std::size_t at, std::string_view line);

/// True if `text` has a mark of RPL outside of its strings: an arrow, `?name`, `%name`, `%(` or
/// `$name(`. Without one, what reads like RPL may as well be text (decision 102).
bool HasMark(std::string_view text);
/// The same without arrows, which other languages have as well, as in `x <- 1` and
/// `close() -> bool`, but for that of `% <-` at the beginning.
bool HasNameMark(std::string_view text);

/// True if a paragraph with this beginning continues the heading above it (decision 74).
bool IsConnectiveAt(std::string_view s, std::size_t at);

bool StartsWithAt(std::string_view s, std::size_t at, std::string_view with);

/// True if `arrow` follows at `at`, after blanks.
bool ArrowAt(std::string_view s, std::size_t at, std::string_view arrow);

/// The arrow of RPL that the sign at `at` (`←`, `⇐`, `→`, `⇒`) stands for; "" if there is none.
std::string_view ArrowForSign(std::string_view s, std::size_t at);

/// The bytes of such a sign.
inline constexpr std::size_t kArrowSign = 3;

/// The first position from `at` on that is no blank and no line end.
std::size_t SkipSpace(std::string_view s, std::size_t at);

/// The end of [begin, end) of `s` without trailing blanks and line ends.
std::size_t TrimmedEnd(std::string_view s, std::size_t begin, std::size_t end);

/// The position of the next line end, or the end of `s`.
std::size_t LineEnd(std::string_view s, std::size_t at);

}  // namespace rpl

#endif  // RPL_GRAMMAR_LINE_START_H_
