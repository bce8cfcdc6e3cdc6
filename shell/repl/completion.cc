// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/completion.h"

#include <algorithm>
#include <filesystem>

#include "formats/character.h"
#include "formats/terminal_text.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostListed = 100;

bool IsMark(char c) { return c == '?' || c == '$' || c == '%'; }

// The beginning of the name before the cursor, including its mark.
std::size_t NameBegin(std::string_view text, std::size_t cursor) {
  std::size_t begin = cursor;
  while (begin > 0 && IsNameChar(text[begin - 1])) --begin;
  if (begin > 0 && IsMark(text[begin - 1])) --begin;
  return begin;
}

void Offer(Completion& to, std::string_view word, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (name.starts_with(word)) to.candidates.push_back(name);
}

// The variables of the entry, except the one at the cursor.
std::vector<std::string> Variables(std::string_view text, std::size_t cursor) {
  std::vector<std::string> out;
  for (std::size_t at = text.find('?'); at != text.npos; at = text.find('?', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && IsNameChar(text[end])) ++end;
    if (end > at + 1 && !(at < cursor && cursor <= end))
      out.emplace_back(text.substr(at, end - at));
  }
  return out;
}

void OfferFiles(Completion& to, std::string_view word) {
  const std::size_t slash = word.rfind('/');
  const std::string folder(word.substr(0, slash == word.npos ? 0 : slash + 1));
  const std::string_view start = word.substr(folder.size());
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename();
    if (!name.starts_with(start) || (start.empty() && name.starts_with('.'))) continue;
    std::error_code ignored;
    to.candidates.push_back(folder + name + (it->is_directory(ignored) ? "/" : ""));
  }
}

}  // namespace

std::string Completion::Common() const {
  if (candidates.empty()) return "";
  std::string common = candidates.front();
  for (const std::string& candidate : candidates) {
    const auto [differs, ignored] =
        std::mismatch(common.begin(), common.end(), candidate.begin(), candidate.end());
    common.erase(differs, common.end());
  }
  // Drops a partial code point at the end.
  while (!common.empty() && candidates.size() > 1 && (common.back() & 0x80) != 0 &&
         std::any_of(candidates.begin(), candidates.end(), [&](const std::string& c) {
           return c.size() > common.size() && (c[common.size()] & 0xC0) == 0x80;
         }))
    common.pop_back();
  return common;
}

Completion Complete(std::string_view entry, std::size_t cursor, const CompletionNames& names) {
  Completion out;
  const std::string_view before = entry.substr(0, cursor);
  const std::size_t start = std::min(before.find_first_not_of(" \t"), cursor);
  if (start < cursor && before[start] == '.') {
    const std::size_t blank = before.find_first_of(" \t", start);
    if (blank == before.npos) {
      out.begin = start;
      Offer(out, before.substr(start), names.commands);
      std::sort(out.candidates.begin(), out.candidates.end());
      return out;
    }
    const std::string_view command = before.substr(start, blank - start);
    if (std::find(names.of_files.begin(), names.of_files.end(), command) != names.of_files.end()) {
      out.begin = before.find_last_of(" \t") + 1;
      OfferFiles(out, before.substr(out.begin));
      std::sort(out.candidates.begin(), out.candidates.end());
      return out;
    }
  }
  out.begin = NameBegin(before, cursor);
  const std::string_view word = before.substr(out.begin);
  if (word.empty()) return out;
  Offer(out, word, word.front() == '?' ? Variables(entry, cursor) : names.words);
  std::sort(out.candidates.begin(), out.candidates.end());
  out.candidates.erase(std::unique(out.candidates.begin(), out.candidates.end()),
                       out.candidates.end());
  return out;
}

std::string CandidateList(const std::vector<std::string>& candidates, std::size_t width) {
  std::size_t widest = 0;
  const std::size_t shown = std::min(candidates.size(), kMostListed);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shown; ++i) {
    names.push_back(PrintableLine(candidates[i]));
    widest = std::max(widest, names[i].size());
  }
  const std::size_t columns = std::max<std::size_t>(1, width / (widest + 2));
  const std::size_t rows = (shown + columns - 1) / columns;
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line;
    for (std::size_t i = row; i < shown; i += rows) {
      if (!line.empty()) line.append(widest + 2 - (line.size() % (widest + 2)), ' ');
      line += names[i];
    }
    out += line + '\n';
  }
  if (shown < candidates.size())
    out += "… and " + std::to_string(candidates.size() - shown) + " more\n";
  return out;
}

}  // namespace rpl
