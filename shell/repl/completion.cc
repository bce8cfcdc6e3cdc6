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

namespace {

void Sort(Completion& of) {
  std::sort(of.candidates.begin(), of.candidates.end());
  of.candidates.erase(std::unique(of.candidates.begin(), of.candidates.end()), of.candidates.end());
}

// Completes in the text of a command that begins at `start`; false if RPL stands at the cursor.
bool CompleteCommand(std::string_view before, std::size_t start, const CompletionNames& names,
                     Completion& out) {
  const std::size_t blank = before.find_first_of(" \t", start);
  if (blank == before.npos) {
    out.begin = start;
    for (const CompletionNames::Command& command : names.commands)
      Offer(out, before.substr(start), {command.name});
    return true;
  }
  const std::string_view name = before.substr(start, blank - start);
  const auto command = std::find_if(names.commands.begin(), names.commands.end(),
                                    [&](const auto& of) { return of.name == name; });
  if (command == names.commands.end()) return false;
  std::size_t word = 0;  // the one at the cursor
  for (std::size_t i = blank + 1; i < before.size(); ++i)
    word +=
        (before[i] == ' ' || before[i] == '\t') && before[i - 1] != ' ' && before[i - 1] != '\t';
  out.begin = before.find_last_of(" \t") + 1;
  if (word >= command->arguments.size())
    return command->arguments.empty() ||
           command->arguments.back().kind != CompletionNames::Argument::Kind::kEntry;
  const CompletionNames::Argument& argument = command->arguments[word];
  if (argument.kind == CompletionNames::Argument::Kind::kEntry) return false;
  if (argument.kind == CompletionNames::Argument::Kind::kFile)
    OfferFiles(out, before.substr(out.begin));
  else Offer(out, before.substr(out.begin), argument.words);
  return true;
}

}  // namespace

Completion Complete(std::string_view entry, std::size_t cursor, const CompletionNames& names) {
  Completion out;
  const std::string_view before = entry.substr(0, cursor);
  const std::size_t start = std::min(before.find_first_not_of(" \t"), cursor);
  if (start < cursor && before[start] == '.' && CompleteCommand(before, start, names, out)) {
    Sort(out);
    return out;
  }
  out.begin = NameBegin(before, cursor);
  const std::string_view word = before.substr(out.begin);
  if (word.empty()) return out;
  Offer(out, word, word.front() == '?' ? Variables(entry, cursor) : names.words);
  if (entry.substr(cursor).starts_with('('))  // which is there already
    for (std::string& candidate : out.candidates)
      if (candidate.ends_with('(')) candidate.pop_back();
  Sort(out);
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
