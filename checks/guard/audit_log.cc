// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/audit_log.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string_view>

#include "checks/guard/guard_store.h"
#include "formats/data/json_lines.h"

namespace rpl {
namespace {

constexpr std::string_view kHashKey = ",\"hash\":\"";
constexpr std::size_t kHashDigits = 64;

// A line with a hash: `…,"hash":"…"}`.
struct HashedLine {
  std::string_view event;  // without its hash and the last brace
  std::string_view hash;   // "" if it has none
};

HashedLine Split(std::string_view line) {
  const std::size_t tail = kHashKey.size() + kHashDigits + 2;
  if (line.size() < tail || !line.ends_with("\"}")) return {line, ""};
  const std::size_t begin = line.size() - tail;
  if (line.substr(begin, kHashKey.size()) != kHashKey) return {line, ""};
  return {line.substr(0, begin), line.substr(begin + kHashKey.size(), kHashDigits)};
}

// Whether the line is a truncated event, which no reader takes for JSON: its braces stay open.
bool IsCutOff(std::string_view line) {
  if (!line.starts_with('{')) return false;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return false;
  }
  return true;
}

std::string HashAfter(std::string_view previous, std::string_view event) {
  return ContentHash(std::string(previous) + std::string(event));
}

}  // namespace

std::string AppendEvents(const std::string& path,
                         const std::vector<nlohmann::ordered_json>& events) {
  FileLock lock;
  if (std::string error = lock.Take(path, std::chrono::seconds(5)); !error.empty()) return error;
  std::string error;
  const std::string last = LastLine(path, error);
  if (!error.empty()) return error;
  std::string previous(Split(last).hash);
  if (previous.empty() && !last.empty()) previous = CheckAuditLog(path).hash;
  std::string lines;
  for (const nlohmann::ordered_json& event : events) {
    std::string text = event.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    text.pop_back();  // the brace
    previous = HashAfter(previous, text);
    lines += text + std::string(kHashKey) + previous + "\"}\n";
  }
  return AppendLines(path, lines);
}

AuditChain CheckAuditLog(const std::string& path) {
  AuditChain out;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    out.error = std::strerror(errno);
    return out;
  }
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const HashedLine parts = Split(line);
    if (parts.hash.empty()) {
      if (!IsCutOff(line)) {
        out.broken = number;
        return out;
      }
      ++out.cut_off;
      continue;
    }
    if (HashAfter(out.hash, parts.event) != parts.hash) {
      out.broken = number;
      return out;
    }
    ++out.events;
    out.hash = parts.hash;
  }
  if (file.bad()) out.error = std::strerror(errno);
  return out;
}

}  // namespace rpl
