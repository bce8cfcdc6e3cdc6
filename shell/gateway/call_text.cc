// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/call_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "formats/data/json_text.h"
#include "formats/terminal_text.h"

namespace rpl {
namespace {

constexpr std::size_t kMostRepeated = 20;  // of one character in a text

// JSON on one line, with long runs of a character within its texts told by their length.
std::string WithoutRuns(std::string_view json) {
  std::string out;
  bool in_text = false;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (in_text && c == '\\') {
      out += json.substr(at, 2);
      at += 2;
      continue;
    }
    if (c == '"') in_text = !in_text;
    const std::size_t end = std::min(json.find_first_not_of(c, at), json.size());
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    if (in_text && c != '"' && ascii && end - at > kMostRepeated) {
      out += fmt::format("\" + {} × \"{}\" + \"", end - at, c);
      at = end;
    } else {
      out += c;
      ++at;
    }
  }
  return out;
}

std::string Shown(const nlohmann::ordered_json& json) {
  return PrintableLine(WithoutRuns(DumpJson(json)));
}

}  // namespace

std::optional<std::string> CallText(const std::string& tool, const nlohmann::ordered_json& args) {
  std::string out = "Tool: " + SetApart(tool);
  out += args.empty() ? "\nNo arguments" : "\nArguments:";
  for (const auto& [key, value] : args.items()) {
    out += "\n  " + SetApart(key) + ": " + Shown(value);
    if (out.size() > kMostFormBytes) return std::nullopt;
  }
  return out;
}

}  // namespace rpl
