// SPDX-License-Identifier: Apache-2.0
//
// Escaping of untrusted text for terminals.
//
// Text of programs, tools and users may contain controls that move the cursor or recolour the
// screen, bidirectional marks that reorder the text around them, and invisible characters. Each of
// these is shown as the escape that RPL strings have for it (`\u001b`), so that text in quotes
// keeps its meaning in RPL and JSON; a byte that is not UTF-8 is shown as `\xff`. A joiner of
// letters or emoji (U+200C, U+200D) or a variation selector after a character outside ASCII is
// ordinary text.
#ifndef RPL_FORMATS_TERMINAL_TEXT_H_
#define RPL_FORMATS_TERMINAL_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rpl {

/// Escapes text of several lines: line feeds and tabs stay.
std::string Printable(std::string_view text);

/// Escapes text for one line: a line end is shown as `\n` or `\r`, a tab as one blank.
std::string PrintableLine(std::string_view text);

/// A value as it stands in a sentence of somebody else: as PrintableLine shows it, in double quotes
/// unless it reads as one name or number. None of it passes for words of the sentence.
std::string SetApart(std::string_view value);

/// The output of PrintableLine, character by character, for callers that count columns. Holds the
/// previous character, on which the reading of a joiner depends.
class PrintableCells {
 public:
  /// One character of the input as shown.
  struct Cell {
    std::string shown;
    std::size_t bytes;    // of the input that it stands for
    std::size_t columns;  // 1, or the length of the escape; wide characters count as one
  };

  /// The cell of the first character of `text`. REQUIRES: `text` is not empty and continues right
  /// after the character of the previous call.
  Cell Next(std::string_view text);

 private:
  std::uint32_t before_ = 0;  // the previous code point; 0 if there is none
};

}  // namespace rpl

#endif  // RPL_FORMATS_TERMINAL_TEXT_H_
