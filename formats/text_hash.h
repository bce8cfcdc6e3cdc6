// SPDX-License-Identifier: Apache-2.0
//
// A hash of texts (BLAKE2b) for places where somebody may try to make two texts with the same hash.
#ifndef RPL_FORMATS_TEXT_HASH_H_
#define RPL_FORMATS_TEXT_HASH_H_

#include <string>
#include <string_view>

namespace rpl {

/// The hash of a text: 32 hexadecimal digits.
std::string HashOfText(std::string_view text);

}  // namespace rpl

#endif  // RPL_FORMATS_TEXT_HASH_H_
