// SPDX-License-Identifier: Apache-2.0
//
// Places in a text as the Language Server Protocol counts them: lines from 0, and characters from 0
// in code units of UTF-16 or, where the client agreed to it, in bytes.
//
// `\n`, `\r\n` and a single `\r` end a line. Text need not be valid: a byte that is not part of
// well-formed UTF-8 is one character of one unit. A place beyond the end of a line is the end of
// the line, one below the last line the end of the text, and one inside a character its beginning.
#ifndef RPL_SHELL_LSP_TEXT_POSITION_H_
#define RPL_SHELL_LSP_TEXT_POSITION_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "shell/lsp/frames.h"

namespace rpl::lsp {

enum class PositionEncoding { kUtf16, kUtf8 };

struct TextPosition {
  std::uint32_t line = 0;
  std::uint32_t character = 0;

  friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

/// The lines of a text, which it borrows.
class TextLines {
 public:
  explicit TextLines(std::string_view text);

  /// An offset beyond the end counts as the end. O(log size), however long the line is.
  TextPosition PositionOf(std::uint32_t offset, PositionEncoding encoding) const;
  std::uint32_t OffsetOf(TextPosition position, PositionEncoding encoding) const;

  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size()); }
  /// The offset of the first byte of a line, and of the end of its text. REQUIRES: line < size().
  std::uint32_t Begin(std::uint32_t line) const { return starts_[line]; }
  std::uint32_t End(std::uint32_t line) const;
  std::uint32_t LineOf(std::uint32_t offset) const;

 private:
  // A place within a long line, at the beginning of a character.
  struct Stop {
    std::uint32_t offset;
    std::uint32_t character;  // in units of UTF-16
  };

  void AddStops(std::uint32_t line);

  std::string_view text_;
  std::vector<std::uint32_t> starts_;
  std::vector<Stop> stops_;  // in order, at most about kStride bytes apart on a line
};

/// The size in bytes of the character at `at`: 1 for a byte that begins none. REQUIRES: at <
/// text.size().
std::uint32_t CharacterSize(std::string_view text, std::size_t at);

Json PositionJson(TextPosition position);
/// A place of a message; false if it is none.
bool ReadPosition(const Json& json, TextPosition& to);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_TEXT_POSITION_H_
