// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/output_format.h"

#include <string_view>

#include "shell/terminal/report.h"

namespace rpl {

void WriteJson(std::ostream& out, const nlohmann::ordered_json& object) {
  out << Dump(object) << '\n';
}

const OutputFormat* DataFormatOf(int argc, const char* const* argv) {
  constexpr std::string_view kOption = "--format";
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == "--") return nullptr;
    if (!word.starts_with(kOption)) continue;
    word.remove_prefix(kOption.size());
    if (word.starts_with('=')) word.remove_prefix(1);
    else if (word.empty() && i + 1 < argc) word = argv[i + 1];
    else continue;
    for (const OutputFormat& format : kOutputFormats)
      if (!format.IsText() && word == format.name) return &format;
  }
  return nullptr;
}

}  // namespace rpl
