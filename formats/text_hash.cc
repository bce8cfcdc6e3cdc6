// SPDX-License-Identifier: Apache-2.0
#include "formats/text_hash.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>

namespace rpl {

std::string HashOfText(std::string_view text) {
  [[maybe_unused]] const int done = sodium_init();
  std::array<unsigned char, 16> bytes;
  crypto_generichash(bytes.data(), bytes.size(),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(), nullptr, 0);
  std::string hex;
  for (const unsigned char byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace rpl
