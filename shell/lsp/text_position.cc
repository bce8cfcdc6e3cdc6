// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/text_position.h"

#include <algorithm>
#include <limits>

#include "formats/data/json_fields.h"

namespace rpl::lsp {
namespace {

// The bytes that are read at most from a place that is known to the one that is asked for.
constexpr std::uint32_t kStride = 128;

std::uint32_t UnitsOf(std::uint32_t bytes, PositionEncoding encoding) {
  if (encoding == PositionEncoding::kUtf8) return bytes;
  return bytes == 4 ? 2 : 1;
}

// A number of a message, from 0 to the largest place. Clients send the largest of 31 bits for "to
// the end".
bool ReadNumber(const Json& json, std::uint32_t& to) {
  if (!json.is_number_integer()) return false;
  if (json.is_number_unsigned()) {
    to = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(json.get<std::uint64_t>(), std::numeric_limits<int>::max()));
    return true;
  }
  const auto value = json.get<std::int64_t>();
  if (value < 0) return false;
  to = static_cast<std::uint32_t>(std::min<std::int64_t>(value, std::numeric_limits<int>::max()));
  return true;
}

}  // namespace

std::uint32_t CharacterSize(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto goes_on = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (first >= 0xC2 && first <= 0xDF && goes_on(1)) return 2;
  if (first >= 0xE0 && first <= 0xEF && goes_on(1) && goes_on(2)) {
    const unsigned second = byte(1);
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second >= 0xA0;
    return overlong || surrogate ? 1 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4 && goes_on(1) && goes_on(2) && goes_on(3)) {
    const unsigned second = byte(1);
    const bool outside = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
    return outside ? 1 : 4;
  }
  return 1;
}

TextLines::TextLines(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t at = 0, newline = 0; at < text.size();) {
    if (newline <= at) newline = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::size_t cr = text.substr(at, newline - at).find('\r');
    if (cr != text.npos) {
      at += cr + 1;
      if (at + 1 == newline && text[at] == '\n') ++at;
    } else if (text[newline - 1] == '\n') {
      at = newline;
    } else {
      break;
    }
    starts_.push_back(static_cast<std::uint32_t>(at));
  }
  for (std::uint32_t line = 0; line < size(); ++line) AddStops(line);
}

void TextLines::AddStops(std::uint32_t line) {
  const std::uint32_t end = End(line);
  Stop at{Begin(line), 0};
  for (std::uint32_t last = at.offset; at.offset < end && end - last > kStride;) {
    const std::uint32_t bytes = CharacterSize(text_, at.offset);
    at.offset += bytes;
    at.character += UnitsOf(bytes, PositionEncoding::kUtf16);
    if (at.offset - last < kStride) continue;
    stops_.push_back(at);
    last = at.offset;
  }
}

std::uint32_t TextLines::LineOf(std::uint32_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return static_cast<std::uint32_t>(after - starts_.begin()) - 1;
}

std::uint32_t TextLines::End(std::uint32_t line) const {
  if (line + 1 == starts_.size()) return static_cast<std::uint32_t>(text_.size());
  std::uint32_t end = starts_[line + 1] - 1;
  if (text_[end] == '\n' && end > starts_[line] && text_[end - 1] == '\r') --end;
  return end;
}

TextPosition TextLines::PositionOf(std::uint32_t offset, PositionEncoding encoding) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  TextPosition out{LineOf(offset), 0};
  const std::uint32_t end = std::min(offset, End(out.line));
  std::uint32_t at = Begin(out.line);
  const auto after = std::ranges::upper_bound(stops_, end, {}, &Stop::offset);
  if (after != stops_.begin() && std::prev(after)->offset > at) {
    const Stop& stop = *std::prev(after);
    out.character = encoding == PositionEncoding::kUtf8 ? stop.offset - at : stop.character;
    at = stop.offset;
  }
  while (at < end) {
    const std::uint32_t bytes = CharacterSize(text_, at);
    if (at + bytes > end) break;
    out.character += UnitsOf(bytes, encoding);
    at += bytes;
  }
  return out;
}

std::uint32_t TextLines::OffsetOf(TextPosition position, PositionEncoding encoding) const {
  if (position.line >= size()) return static_cast<std::uint32_t>(text_.size());
  const std::uint32_t end = End(position.line);
  const std::uint32_t begin = Begin(position.line);
  const auto character_at = [&](const Stop& stop) {
    return encoding == PositionEncoding::kUtf8 ? stop.offset - begin : stop.character;
  };
  // The last stop of the line that is not beyond the position.
  const auto first = std::ranges::upper_bound(stops_, begin, {}, &Stop::offset);
  const auto after = std::partition_point(first, stops_.end(), [&](const Stop& stop) {
    return stop.offset <= end && character_at(stop) <= position.character;
  });
  std::uint32_t at = begin;
  std::uint32_t left = position.character;
  if (after != first) {
    at = std::prev(after)->offset;
    left -= character_at(*std::prev(after));
  }
  while (at < end) {
    const std::uint32_t bytes = CharacterSize(text_, at);
    const std::uint32_t units = UnitsOf(bytes, encoding);
    if (units > left) break;
    left -= units;
    at += bytes;
  }
  return at;
}

Json PositionJson(TextPosition position) {
  return {{"line", position.line}, {"character", position.character}};
}

bool ReadPosition(const Json& json, TextPosition& to) {
  return ReadNumber(FieldAt(json, "line"), to.line) &&
         ReadNumber(FieldAt(json, "character"), to.character);
}

}  // namespace rpl::lsp
