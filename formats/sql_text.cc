// SPDX-License-Identifier: Apache-2.0
#include "formats/sql_text.h"

namespace rpl {
namespace {

std::string WithDoubled(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

}  // namespace

std::string SqlName(std::string_view name) { return WithDoubled(name, '"'); }

std::string SqlQuoted(std::string_view text) { return WithDoubled(text, '\''); }

}  // namespace rpl
