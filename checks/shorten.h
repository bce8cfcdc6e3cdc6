// SPDX-License-Identifier: Apache-2.0
//
// Texts of other people in a message.
#ifndef RPL_CHECKS_SHORTEN_H_
#define RPL_CHECKS_SHORTEN_H_

#include <cstddef>
#include <string>

namespace rpl {

/// The text, or its first `bytes` bytes, without a part of a character, and an ellipsis.
std::string Shortened(std::string text, std::size_t bytes);

}  // namespace rpl

#endif  // RPL_CHECKS_SHORTEN_H_
