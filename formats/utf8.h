// SPDX-License-Identifier: Apache-2.0
//
// Which bytes are text: well-formed UTF-8 (no overlong forms, no surrogates, nothing above
// U+10FFFF) without NUL. One pass, eight bytes at a time where they are ASCII.
#ifndef RPL_FORMATS_UTF8_H_
#define RPL_FORMATS_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/diagnostic.h"

namespace rpl {

/// Where the first byte stands that is no part of text; npos when all of it is text.
std::size_t FindBadByte(std::string_view s);

/// Whether the text of `file` is text; if not, one error.
bool IsText(std::string_view text, std::uint32_t file, Diagnostics& out);

}  // namespace rpl

#endif  // RPL_FORMATS_UTF8_H_
