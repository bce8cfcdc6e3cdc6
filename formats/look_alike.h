// SPDX-License-Identifier: Apache-2.0
//
// Characters that look like one of ASCII, or like nothing: hyphens and dashes, blanks of any width,
// full-width signs, letters of other alphabets. In RPL they are mistakes of a keyboard, an editor
// or a page that was copied from, and a message about them names what nobody can see.
#ifndef RPL_FORMATS_LOOK_ALIKE_H_
#define RPL_FORMATS_LOOK_ALIKE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

struct LookAlike {
  std::uint32_t code_point;
  std::size_t size;       // in bytes
  std::string_view name;  // "non-breaking hyphen"
  char write;             // the character it looks like; '\0' if it looks like nothing

  bool is_letter() const;
  /// "U+2011 (non-breaking hyphen)".
  std::string Shown() const;
  /// "write `-`", "write a blank", "remove it".
  std::string Hint() const;
  /// What to write in its place.
  std::string Replacement() const;
};

/// The look-alike at `at` of `text`, which is UTF-8; nullopt for any other character.
std::optional<LookAlike> LookAlikeAt(std::string_view text, std::size_t at);

/// The text with each look-alike outside of its strings replaced by what it looks like, and where
/// they were, in order. A string that is not closed is none.
struct Respelt {
  std::string text;
  std::vector<std::size_t> places;
};
Respelt WithoutLookAlikes(std::string_view text);

}  // namespace rpl

#endif  // RPL_FORMATS_LOOK_ALIKE_H_
