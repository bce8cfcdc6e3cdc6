// SPDX-License-Identifier: Apache-2.0
#include "formats/shorten.h"

namespace rpl {

std::string Shortened(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  text.resize(bytes);
  return text + "…";
}

}  // namespace rpl
