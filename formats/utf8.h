// SPDX-License-Identifier: Apache-2.0
//
// Validation of text: well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF)
// without NUL. One pass, eight bytes at a time where these are ASCII.
#ifndef RPL_FORMATS_UTF8_H_
#define RPL_FORMATS_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/diagnostic.h"

namespace rpl {

/// The offset of the first byte that is not part of valid text; npos if all of `s` is valid.
std::size_t FindBadByte(std::string_view s);

/// True for the bytes of a character behind its first.
inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The number of code points of valid text.
std::size_t CountCodePoints(std::string_view text);

/// The size of the byte order mark that begins `text`; 0 if none does.
inline std::size_t MarkSize(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

/// True if `text`, the contents of `file`, is valid; if not, adds one error (kNulByte or kNotUtf8)
/// at the first bad byte.
bool IsText(std::string_view text, std::uint32_t file, Diagnostics& out);

}  // namespace rpl

#endif  // RPL_FORMATS_UTF8_H_
