// SPDX-License-Identifier: Apache-2.0
#include "formats/look_alike.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "formats/character.h"

namespace rpl {
namespace {

struct Entry {
  std::uint32_t code_point;
  char write;
  std::string_view name;
};

constexpr std::array kEntries = {
    Entry{0x00A0, ' ', "no-break space"},
    Entry{0x00AD, '\0', "soft hyphen"},
    Entry{0x0131, 'i', "dotless i"},
    Entry{0x0251, 'a', "Latin small letter alpha"},
    Entry{0x0261, 'g', "Latin small letter script g"},
    Entry{0x03B1, 'a', "Greek small letter alpha"},
    Entry{0x03B9, 'i', "Greek small letter iota"},
    Entry{0x03BA, 'k', "Greek small letter kappa"},
    Entry{0x03BD, 'v', "Greek small letter nu"},
    Entry{0x03BF, 'o', "Greek small letter omicron"},
    Entry{0x03C1, 'p', "Greek small letter rho"},
    Entry{0x03C5, 'u', "Greek small letter upsilon"},
    Entry{0x03F2, 'c', "Greek lunate sigma symbol"},
    Entry{0x0430, 'a', "Cyrillic small letter a"},
    Entry{0x0435, 'e', "Cyrillic small letter ie"},
    Entry{0x043A, 'k', "Cyrillic small letter ka"},
    Entry{0x043E, 'o', "Cyrillic small letter o"},
    Entry{0x0440, 'p', "Cyrillic small letter er"},
    Entry{0x0441, 'c', "Cyrillic small letter es"},
    Entry{0x0443, 'y', "Cyrillic small letter u"},
    Entry{0x0445, 'x', "Cyrillic small letter ha"},
    Entry{0x0455, 's', "Cyrillic small letter dze"},
    Entry{0x0456, 'i', "Cyrillic small letter Byelorussian-Ukrainian i"},
    Entry{0x0458, 'j', "Cyrillic small letter je"},
    Entry{0x04BB, 'h', "Cyrillic small letter shha"},
    Entry{0x0501, 'd', "Cyrillic small letter komi de"},
    Entry{0x051B, 'q', "Cyrillic small letter qa"},
    Entry{0x051D, 'w', "Cyrillic small letter we"},
    Entry{0x2000, ' ', "en quad"},
    Entry{0x2001, ' ', "em quad"},
    Entry{0x2002, ' ', "en space"},
    Entry{0x2003, ' ', "em space"},
    Entry{0x2004, ' ', "three-per-em space"},
    Entry{0x2005, ' ', "four-per-em space"},
    Entry{0x2006, ' ', "six-per-em space"},
    Entry{0x2007, ' ', "figure space"},
    Entry{0x2008, ' ', "punctuation space"},
    Entry{0x2009, ' ', "thin space"},
    Entry{0x200A, ' ', "hair space"},
    Entry{0x200B, '\0', "zero-width space"},
    Entry{0x200C, '\0', "zero-width non-joiner"},
    Entry{0x200D, '\0', "zero-width joiner"},
    Entry{0x200E, '\0', "left-to-right mark"},
    Entry{0x200F, '\0', "right-to-left mark"},
    Entry{0x2010, '-', "hyphen"},
    Entry{0x2011, '-', "non-breaking hyphen"},
    Entry{0x2012, '-', "figure dash"},
    Entry{0x2013, '-', "en dash"},
    Entry{0x2014, '-', "em dash"},
    Entry{0x2015, '-', "horizontal bar"},
    Entry{0x202F, ' ', "narrow no-break space"},
    Entry{0x2043, '-', "hyphen bullet"},
    Entry{0x205F, ' ', "medium mathematical space"},
    Entry{0x2060, '\0', "word joiner"},
    Entry{0x2212, '-', "minus sign"},
    Entry{0x2223, '|', "divides"},
    Entry{0x223C, '~', "tilde operator"},
    Entry{0x3000, ' ', "ideographic space"},
    Entry{0x3001, ',', "ideographic comma"},
    Entry{0xFE63, '-', "small hyphen-minus"},
    Entry{0xFEFF, '\0', "byte order mark"},
};
static_assert(std::ranges::is_sorted(kEntries, {}, &Entry::code_point));

// Full-width forms of the printable characters of ASCII, in its order.
constexpr std::uint32_t kFullWidth = 0xFF01;
constexpr std::uint32_t kFullWidthEnd = 0xFF5F;

}  // namespace

bool LookAlike::is_letter() const { return IsLetter(write); }

std::string LookAlike::Shown() const { return fmt::format("U+{:04X} ({})", code_point, name); }

std::string LookAlike::Hint() const {
  if (write == '\0') return "remove it";
  if (write == ' ') return "write a blank";
  return fmt::format("write `{}`", write);
}

std::string LookAlike::Replacement() const {
  return write == '\0' ? std::string() : std::string(1, write);
}

std::optional<LookAlike> LookAlikeAt(std::string_view text, std::size_t at) {
  if (at >= text.size() || static_cast<unsigned char>(text[at]) < 0xC2) return std::nullopt;
  utf8proc_int32_t read = 0;
  const utf8proc_ssize_t bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                       static_cast<utf8proc_ssize_t>(text.size() - at), &read);
  if (bytes < 0) return std::nullopt;
  const auto code_point = static_cast<std::uint32_t>(read);
  const auto size = static_cast<std::size_t>(bytes);
  if (kFullWidth <= code_point && code_point < kFullWidthEnd) {
    const auto plain = static_cast<char>(code_point - kFullWidth + '!');
    return LookAlike{code_point, size, IsLetter(plain) ? "full-width letter" : "full-width sign",
                     plain};
  }
  const auto found = std::ranges::lower_bound(kEntries, code_point, {}, &Entry::code_point);
  if (found == kEntries.end() || found->code_point != code_point) return std::nullopt;
  return LookAlike{code_point, size, found->name, found->write};
}

Respelt WithoutLookAlikes(std::string_view text) {
  Respelt plain;
  bool quotes = true;  // until one is not closed
  for (std::size_t at = 0; at < text.size();) {
    if (const std::optional<LookAlike> found = LookAlikeAt(text, at)) {
      plain.places.push_back(at);
      plain.text += found->Replacement();
      at += found->size;
      continue;
    }
    std::size_t end = at + 1;
    if ((text[at] == '"' || text[at] == '\'') && quotes) {
      std::size_t close = end;
      while (close < text.size() && text[close] != text[at]) close += text[close] == '\\' ? 2 : 1;
      quotes = close < text.size();
      if (quotes) end = close + 1;
    }
    plain.text += text.substr(at, end - at);
    at = end;
  }
  return plain;
}

}  // namespace rpl
