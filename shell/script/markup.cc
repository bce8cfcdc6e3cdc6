// SPDX-License-Identifier: Apache-2.0
#include "shell/script/markup.h"

#include <algorithm>

#include "formats/utf8.h"

namespace rpl {

std::string MarkupText(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string out;
  while (!text.empty()) {
    const std::size_t good = std::min(FindBadByte(text), text.size());
    for (std::size_t i = 0; i < good; ++i) {
      const char c = text[i];
      const std::string_view three = text.substr(i, 3);
      if (c == '&') out += "&amp;";
      else if (c == '<') out += "&lt;";
      else if (c == '>') out += "&gt;";
      else if (c == '"') out += "&quot;";
      else if (c == '\'') out += "&#39;";
      else if (c == '\r') out += "&#13;";
      else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') out += kReplacement;
      else if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") out += kReplacement, i += 2;
      else out += c;
    }
    if (good == text.size()) break;
    out += kReplacement;
    text.remove_prefix(good + 1);
  }
  return out;
}

}  // namespace rpl
