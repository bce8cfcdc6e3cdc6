// SPDX-License-Identifier: Apache-2.0
//
// Text of programs, tools and users as a terminal may show it.
//
// Such text is hostile: controls move the cursor or recolour the screen, bidirectional marks
// reorder the text around them, and some characters are not seen at all. Each of these is
// shown as the escape that a string of RPL has for it (`\u001b`), so that text in quotes
// remains what it was, for RPL and for JSON alike; a byte that is not UTF-8 is shown as
// `\xff`. A joiner of letters or of emoji (U+200C, U+200D) behind a character that is not
// ASCII is ordinary text.
#ifndef RPL_FORMATS_TERMINAL_TEXT_H_
#define RPL_FORMATS_TERMINAL_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rpl {

/// Text of several lines: line ends and tabs stay.
std::string Printable(std::string_view text);

/// Text for one line: a line end is shown as `\n`, a tab as one blank.
std::string PrintableLine(std::string_view text);

/// What PrintableLine shows, character by character.
class PrintableCells {
 public:
  struct Cell {
    std::string shown;
    std::size_t bytes;    // of the text that it stands for
    std::size_t columns;  // that it takes
  };

  /// The character at the start of `text`, which is not empty and goes on behind the last
  /// one that was asked for.
  Cell Next(std::string_view text);

 private:
  std::uint32_t before_ = 0;  // the code point before, 0 for none
};

}  // namespace rpl

#endif  // RPL_FORMATS_TERMINAL_TEXT_H_
