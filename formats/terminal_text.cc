// SPDX-License-Identifier: Apache-2.0
#include "formats/terminal_text.h"

#include <algorithm>
#include <cstdio>

namespace rpl {
namespace {

struct CodePoint {
  std::uint32_t value;  // the byte, when invalid
  std::size_t size;     // bytes; 1 when invalid
  bool valid;
};

// The code point at the start of `text`, which is not empty.
CodePoint Decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {lead, 1, false};
  std::uint32_t value = lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {lead, 1, false};
    value = (value << 6) | (byte & 0x3Fu);
  }
  const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {lead, 1, false};
  return {value, size, true};
}

// Joiners, and what chooses the look of the character before it.
bool IsJoiner(std::uint32_t c) {
  return c == 0x200C || c == 0x200D || (c >= 0xFE00 && c <= 0xFE0F);
}

// True for characters that move the cursor, reorder the text around them, or are invisible.
bool IsTreacherous(std::uint32_t c) {
  struct Range {
    std::uint32_t first, last;
  };
  static constexpr Range kRanges[] = {
      {0x00, 0x1F},       {0x7F, 0x9F},     {0xAD, 0xAD},        // controls, the soft hyphen
      {0x034F, 0x034F},   {0x061C, 0x061C}, {0x115F, 0x1160},    // fillers of scripts
      {0x17B4, 0x17B5},   {0x180B, 0x180F}, {0x200B, 0x200F},    // spaces without width, marks
      {0x2028, 0x202E},   {0x2060, 0x206F}, {0x2800, 0x2800},    // separators, directions
      {0x3164, 0x3164},   {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF},    // selectors, the byte order mark
      {0xFFA0, 0xFFA0},   {0xFFF9, 0xFFFB}, {0x1D173, 0x1D17A},  // annotations, of music
      {0xE0000, 0xE0FFF},                                        // tags, more selectors
  };
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [c](const Range& range) { return range.first <= c && c <= range.last; });
}

std::string Escape(const CodePoint& c) {
  if (c.valid && c.value == '\n') return "\\n";
  if (c.valid && c.value == '\r') return "\\r";
  char buffer[16];
  if (c.valid && c.value > 0xFFFF)  // two units of UTF-16, as in JSON
    std::snprintf(buffer, sizeof buffer, "\\u%04x\\u%04x", 0xD7C0 + (c.value >> 10),
                  0xDC00 + (c.value & 0x3FF));
  else std::snprintf(buffer, sizeof buffer, c.valid ? "\\u%04x" : "\\x%02x", c.value);
  return buffer;
}

// The length of the prefix of printable ASCII.
std::size_t PlainBytes(std::string_view text) {
  const auto odd = std::find_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte >= 0x7F;
  });
  return static_cast<std::size_t>(odd - text.begin());
}

}  // namespace

PrintableCells::Cell PrintableCells::Next(std::string_view text) {
  const CodePoint c = Decode(text);
  const bool joins = IsJoiner(c.value) && before_ >= 0x80;
  before_ = c.valid ? c.value : 0;
  if (c.valid && c.value == '\t') return {" ", 1, 1};
  if (c.valid && (joins || !IsTreacherous(c.value)))
    return {std::string(text.substr(0, c.size)), c.size, 1};
  std::string escape = Escape(c);
  const std::size_t columns = escape.size();
  return {std::move(escape), c.size, columns};
}

std::string PrintableLine(std::string_view text) {
  PrintableCells cells;
  std::string out;
  while (!text.empty()) {
    if (const std::size_t plain = PlainBytes(text); plain > 0) {
      out += text.substr(0, plain);
      text.remove_prefix(plain);
      cells = PrintableCells();
      continue;
    }
    const PrintableCells::Cell cell = cells.Next(text);
    out += cell.shown;
    text.remove_prefix(cell.bytes);
  }
  return out;
}

std::string Printable(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find_first_of("\n\t");
    out += PrintableLine(text.substr(0, end));
    if (end == text.npos) return out;
    out += text[end];
    text.remove_prefix(end + 1);
  }
}

namespace {

// Whether a value reads as one name or number: nothing in it passes for the words around it.
bool IsPlainName(std::string_view text) {
  constexpr std::size_t kMostName = 40;
  if (text.empty() || text.size() > kMostName || text.front() == ' ' || text.back() == ' ')
    return false;
  constexpr std::string_view kMarks = ".,;:!?";  // of a sentence, where a blank follows
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\\') return false;
    if (text[i] == ' ' && (text[i - 1] == ' ' || kMarks.find(text[i - 1]) != kMarks.npos))
      return false;
  }
  return true;
}

}  // namespace

std::string SetApart(std::string_view value) {
  if (std::string shown = PrintableLine(value); shown == value && IsPlainName(value)) return shown;
  std::string quoted;
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return '"' + PrintableLine(quoted) + '"';
}

}  // namespace rpl
