// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/history.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "shell/terminal/input.h"
#include "shell/terminal/state_file.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

std::string Escaped(const std::string& entry) {
  std::string out;
  for (const char c : entry) {
    if (c == '\\') out += "\\\\";
    else if (c == '\n') out += "\\n";
    else out += c;
  }
  return out + '\n';
}

std::string Unescaped(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\\' && i + 1 < line.size();
    if (!escape) out += line[i];
    else out += line[++i] == 'n' ? '\n' : line[i];
  }
  return out;
}

// Writes in one call, so that lines of several shells do not interleave.
void Write(const std::string& path, const std::string& text, int flags) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, text.data(), text.size());
  close(file);
}

}  // namespace

std::vector<std::string> ReplHistory::Load() const {
  std::vector<std::string> out;
  const std::string text = path_.empty() ? "" : ReadFile(path_).text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(Unescaped(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  const bool full = out.size() >= 2 * kMost;
  if (out.size() > kMost) out.erase(out.begin(), out.end() - kMost);
  if (full) {
    std::string kept;
    for (const std::string& entry : out) kept += Escaped(entry);
    Write(path_, kept, O_TRUNC);
  }
  return out;
}

void ReplHistory::Append(const std::string& entry) const {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::create_directories(fs::path(path_).parent_path(), ignored);
  Write(path_, Escaped(entry), O_APPEND);
}

std::string HistoryPath() { return StateFile("history"); }

}  // namespace rpl
