// SPDX-License-Identifier: Apache-2.0
//
// Percent encoding, as URLs have it.
#ifndef RPL_FORMATS_PERCENT_TEXT_H_
#define RPL_FORMATS_PERCENT_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

namespace rpl {

/// The text with `%41` and the like replaced by bytes; nullopt if a `%` is not followed by two
/// hexadecimal digits, or a byte is zero.
std::optional<std::string> PercentDecoded(std::string_view text);

}  // namespace rpl

#endif  // RPL_FORMATS_PERCENT_TEXT_H_
