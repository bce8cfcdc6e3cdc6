// SPDX-License-Identifier: Apache-2.0
#include "checks/calls/row_writer.h"

#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "checks/calls/programs.h"
#include "formats/shorten.h"

namespace rpl {
namespace {

constexpr std::size_t kMostNamed = 4096;  // bytes of a word that names a file

template <typename Row>
void AddOnce(Row row, std::set<Row>& seen, std::vector<Row>& to) {
  if (seen.insert(row).second) to.push_back(std::move(row));
}

// Whether a path is a file with more than one hard link.
bool HasOtherName(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         std::filesystem::hard_link_count(path, error) > 1 && !error;
}

// The words before the first that is not known.
std::vector<std::string> KnownWords(std::span<const ShellWord> words) {
  std::vector<std::string> out;
  for (const ShellWord& word : words) {
    if (!word.known()) break;
    out.push_back(word.text);
  }
  return out;
}

}  // namespace

CallViews UndecidedViews(std::string why) {
  CallViews views;
  views.open_runs = views.open_options = {OpenRun{}};
  views.open_edits = views.open_reads = views.open_fetches = {""};
  views.open_serves = {OpenServe{}};
  views.why = std::move(why);
  return views;
}

// Says of a relation, unless something is said of it already, why it has an open row: a word of
// which not all is known, or else the command.
void RowWriter::Blame(const char* relation, const ShellWord* word) {
  constexpr std::size_t kMost = 80;
  std::string& why = views_.unread[relation];
  if (!why.empty()) return;
  if (word != nullptr && !word->source.empty()) {
    why = "what `" + Shortened(word->source, kMost) + "` stands for";
    return;
  }
  for (const ShellWord& one : command_)
    if (!one.known() && !one.is_pattern && !one.source.empty()) return Blame(relation, &one);
  std::string text;
  for (const ShellWord& one : command_)
    text += (text.empty() ? "" : " ") + (one.source.empty() ? one.text : one.source);
  if (!text.empty()) why = "what `" + Shortened(text, kMost) + "` does";
}

std::string AddressHost(std::string_view address) {
  if (const std::size_t scheme = address.find("://"); scheme != address.npos)
    address.remove_prefix(scheme + 3);
  address = address.substr(0, address.find_first_of("/?#\\"));
  if (const std::size_t user = address.rfind('@'); user != address.npos)
    address.remove_prefix(user + 1);
  std::string host;
  if (address.starts_with('[')) host = address.substr(0, address.find(']') + 1);
  else host = address.substr(0, address.find(':'));
  for (char& c : host)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  while (host.ends_with('.')) host.pop_back();
  return host;
}

static void AddFetch(const std::string& address, CallViews& to) {
  to.fetches.push_back({AddressHost(address), address});
  // Some programs take a backslash for a slash, others for a character of what precedes the host.
  std::string other = address;
  std::erase(other, '\\');
  if (other.size() == address.size()) return;
  if (std::string host = AddressHost(other); host != to.fetches.back().host)
    to.fetches.push_back({std::move(host), address});
}

void RowWriter::Run(const std::string& program, std::span<const ShellWord> words) {
  std::vector<std::string> known = KnownWords(words);
  if (known.size() == words.size())
    AddOnce(ProgramCall{program, std::move(known)}, runs_, views_.runs);
  else {
    Blame("runs", &words[known.size()]);
    OpenRun({program, std::move(known)});
  }
}

void RowWriter::OpenRun(rpl::OpenRun run) {
  Blame("runs");
  AddOnce(std::move(run), open_runs_, views_.open_runs);
}

void RowWriter::Options(const std::string& program, std::span<const ShellWord> words) {
  if (words.empty()) return;
  std::vector<std::string> known = KnownWords(words);
  if (known.size() == words.size())
    AddOnce(ProgramCall{program, std::move(known)}, options_, views_.options);
  else {
    Blame("options", &words[known.size()]);
    OpenOptions({program, std::move(known)});
  }
}

void RowWriter::OpenOptions(rpl::OpenRun options) {
  Blame("options");
  AddOnce(std::move(options), open_options_, views_.open_options);
}

void RowWriter::AddPath(const ShellWord& path, const Folders& folders,
                        std::vector<std::string>& closed, std::vector<std::string>& open,
                        Seen& seen) {
  if (path.complete && path.start == WordStart::kText) {
    if (path.text.empty() || IsStreamDevice(path.text)) return;
  }
  const std::vector<std::string> found = paths_.PathsOf(path, folders);
  const char* const relation = &seen == &edits_ ? "edits" : "reads";
  if (found.empty()) {
    Blame(relation, &path);
    AddOnce(std::string(), seen.open, open);
    // In a folder that is not known, a file is known by its name.
    const std::string name =
        std::filesystem::path(path.text).lexically_normal().filename().string();
    if (&seen == &edits_ && path.known() && path.text.size() <= kMostNamed)
      AddComputed({"", false, name.empty() || name == "." || name == ".." ? "" : "/" + name});
  }
  for (const std::string& one : found) {
    if (path.complete) {
      std::string name = paths_.NameOf(one);
      const bool has_other = &seen == &edits_ && !name.empty() && HasOtherName(one);
      if (name.empty() || has_other) {
        Blame(relation);
        AddOnce(std::string(), seen.open, open);
      }
      if (!name.empty()) {
        if (&seen == &edits_ && IsGitSetup(name)) OpenRun({});
        AddOnce(std::move(name), seen.closed, closed);
      }
    } else {
      if (&seen == &edits_ && IsGitSetup(paths_.NameOf(one))) OpenRun({});
      Blame(relation, &path);
      AddOnce(path.is_pattern ? paths_.PatternStart(one) : std::string(), seen.open, open);
    }
  }
  if (&seen == &edits_) AddComputed(path, folders);
}

void RowWriter::AddComputed(ComputedEdit edit) {
  AddOnce(std::move(edit), computed_, views_.computed_edits);
}

void RowWriter::AddComputed(const ShellWord& path, const Folders& folders, int depth) {
  constexpr int kMostDepth = 4;
  constexpr std::size_t kMostComputed = 2000;
  if (!path.names.empty()) {
    for (const std::string& start : paths_.PathsOf(path, folders))
      for (const std::string& name : path.names) AddComputed({start, false, "", name});
    return;
  }
  if (path.is_pattern) return AddMatches(path, folders);
  if (!path.pattern.empty()) {
    for (const std::string& start : paths_.PathsOf(path, folders))
      AddMatchesBelow(start, path.pattern);
    return;
  }
  if (!path.is_computed) return;
  if (depth > kMostDepth || computed_.size() > kMostComputed) return AddComputed({"", false, ""});
  // One that the text does not assign is of the environment.
  bool is_assigned = path.variable.empty(), has_others = is_assigned;
  if (variables_ != nullptr && !is_assigned) {
    const auto found = variables_->find(path.variable);
    is_assigned = found != variables_->end();
    has_others = !is_assigned || found->second.is_computed;
    if (is_assigned)
      for (const ShellWord& value : found->second.values) AddAssigned(path, value, folders, depth);
  }
  if (!has_others) return;
  if (path.text.empty() || (path.text == "/" && path.start != WordStart::kText)) {
    const bool ends_with_file = path.ends_behind && path.behind.starts_with('/');
    if (is_assigned && names_targets_) AddComputed({"", false, ends_with_file ? path.behind : ""});
    return;
  }
  if (!is_assigned && path.text.ends_with('/')) return;
  for (const std::string& start : paths_.PathsOf(path, folders)) AddComputed({start, false, ""});
}

void RowWriter::AddAssigned(const ShellWord& path, const ShellWord& value, const Folders& folders,
                            int depth) {
  ShellWord one = path;
  const bool is_first = path.text.empty() && path.start == WordStart::kText;
  if (is_first) one.start = value.start;
  else if (value.start != WordStart::kText) return;
  one.text += value.text;
  if (value.is_pattern) {
    if (path.behind.find('/') != path.behind.npos || !path.ends_behind) return;
    one.pattern = value.pattern + path.behind;
    return AddMatches(one, folders);
  }
  if (value.is_computed) {
    one.variable = value.variable;
    one.behind = value.behind + (value.ends_behind ? path.behind : "");
    one.ends_behind = value.ends_behind && path.ends_behind;
    return AddComputed(one, folders, depth + 1);
  }
  if (!value.complete) return;  // a temporary file
  one.text += path.behind;
  for (std::string& found : paths_.PathsOf(one, folders))
    AddComputed({std::move(found), path.ends_behind, ""});
}

// The files that a pattern with folders in it matches.
void RowWriter::AddMatchesBelow(const std::string& start, const std::string& pattern) {
  constexpr std::ptrdiff_t kMostFolders = 4;
  if (std::ranges::count(pattern, '/') > kMostFolders) return AddComputed({start, false, ""});
  std::string whole;
  for (const char c : start) whole += (c == '/' ? "" : "\\") + std::string(1, c);
  whole += pattern;
  glob_t found = {};
  if (glob(whole.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    std::set<std::string> matches(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    for (const std::string& one : matches) AddComputed({one, true, ""});
  }
  globfree(&found);
}

void RowWriter::AddMatches(const ShellWord& pattern, const Folders& folders) {
  constexpr int kMostEntries = 10'000;
  constexpr std::size_t kMostMatches = 500;
  for (const std::string& start : paths_.PathsOf(pattern, folders)) {
    const std::size_t slash = start.rfind('/');
    if (slash == start.npos) continue;
    std::string whole;
    for (const char c : start.substr(slash + 1)) whole += std::string("\\") + c;
    whole += pattern.pattern;
    std::error_code error;
    int entries = 0;
    std::set<std::string> matches;  // in an order that the file system does not make
    for (std::filesystem::directory_iterator at(start.substr(0, slash + 1), error), end;
         !error && at != end; at.increment(error)) {
      const std::string name = at->path().filename();
      if (++entries > kMostEntries || matches.size() > kMostMatches) {
        matches.clear();
        AddComputed({start, false, ""});
        break;
      }
      if (fnmatch(whole.c_str(), name.c_str(), FNM_PERIOD) == 0) matches.insert(at->path());
    }
    for (const std::string& one : matches) AddComputed({one, true, ""});
  }
}

void RowWriter::Edit(const ShellWord& path, const Folders& folders) {
  AddPath(path, folders, views_.edits, views_.open_edits, edits_);
}
void RowWriter::Read(const ShellWord& path, const Folders& folders) {
  AddPath(path, folders, views_.reads, views_.open_reads, reads_);
}
void RowWriter::Edit(const std::string& path) { Edit(KnownWord(path), paths_.folder()); }
void RowWriter::Read(const std::string& path) { Read(KnownWord(path), paths_.folder()); }
void RowWriter::OpenEdit(std::string start) {
  Blame("edits");
  AddOnce(std::move(start), edits_.open, views_.open_edits);
}
void RowWriter::OpenRead(std::string start) {
  Blame("reads");
  AddOnce(std::move(start), reads_.open, views_.open_reads);
}

void RowWriter::AddWithin(const ShellWord& path, const Folders& folders,
                          std::vector<std::string>& open, Seen& seen) {
  if (path.known() && IsStreamDevice(path.text)) return;
  const std::vector<std::string> found = paths_.PathsOf(path, folders);
  const char* const relation = &seen == &edits_ ? "edits" : "reads";
  if (found.empty()) {
    Blame(relation, &path);
    return AddOnce(std::string(), seen.open, open);
  }
  for (const std::string& one : found) {
    if (!path.complete) {
      Blame(relation, &path);
      AddOnce(path.is_pattern ? paths_.PatternStart(one) : std::string(), seen.open, open);
      continue;
    }
    std::error_code error;
    if (std::filesystem::is_regular_file(one, error)) continue;
    const std::string name = paths_.NameOf(one);
    const bool is_any = name.empty() || name == ".";
    if (&seen == &edits_ && IsGitSetup(name)) OpenRun({});
    Blame(relation);
    AddOnce(is_any ? std::string() : name == "/" ? name : name + "/", seen.open, open);
  }
}

void RowWriter::EditWithin(const ShellWord& path, const Folders& folders) {
  AddWithin(path, folders, views_.open_edits, edits_);
}
void RowWriter::ReadWithin(const ShellWord& path, const Folders& folders) {
  AddWithin(path, folders, views_.open_reads, reads_);
}

void RowWriter::EditTree(const ShellWord& path, const Folders& folders) {
  constexpr std::size_t kMostEntries = 256;
  const std::vector<std::string> found = paths_.PathsOf(path, folders);
  std::vector<std::string> inside;
  bool is_small = IsFolder(path, folders);
  for (const std::string& one : found) {
    std::error_code error;
    std::filesystem::recursive_directory_iterator at(one, error), end;
    for (; is_small && !error && at != end; at.increment(error)) {
      inside.push_back(at->path().string());
      is_small = inside.size() <= kMostEntries && !at->is_symlink(error);
    }
    is_small = is_small && !error && !std::filesystem::is_symlink(one, error);
  }
  if (!is_small) return EditWithin(path, folders);
  for (const std::string& one : inside) Edit(KnownWord(one), folders);
}

bool RowWriter::MayHaveEdited(const ShellWord& path, const Folders& folders) const {
  for (const std::string& one : paths_.PathsOf(path, folders)) {
    const std::string name = paths_.NameOf(one);
    if (name.empty()) return true;
    for (std::size_t end = 0; end != name.npos;) {  // each folder above it, too
      end = name.find('/', end + 1);
      if (edits_.closed.contains(name.substr(0, end))) return true;
    }
    for (const std::string& start : edits_.open)
      if (name.starts_with(start) || start == name + "/") return true;
  }
  return false;
}

bool RowWriter::IsFile(const ShellWord& path, const Folders& folders) const {
  const std::vector<std::string> found = paths_.PathsOf(path, folders);
  if (!path.complete || found.empty() || MayHaveEdited(path, folders)) return false;
  for (const std::string& one : found) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(one, error)))
      return false;
  }
  return true;
}

bool RowWriter::IsOfOthers(const ShellWord& path, const Folders& folders) const {
  if (!paths_.has_history() || folders.size() != 1 || !IsFile(path, folders)) return false;
  for (const std::string& one : paths_.PathsOf(path, folders)) {
    const std::string name = paths_.NameOf(one);
    if (name.empty() || name.starts_with('/') || paths_.MayBeWritten(name)) return false;
  }
  return true;
}

bool RowWriter::IsFolder(const ShellWord& path, const Folders& folders) const {
  const std::vector<std::string> found = paths_.PathsOf(path, folders);
  if (!path.complete || found.empty() || MayHaveEdited(path, folders)) return false;
  return std::ranges::all_of(found, [](const std::string& one) {
    std::error_code error;
    return std::filesystem::is_directory(one, error);
  });
}

bool RowWriter::IsNoFolder(const ShellWord& path, const Folders& folders) const {
  const std::vector<std::string> found = paths_.PathsOf(path, folders);
  if (!path.complete || path.text.ends_with('/') || found.empty()) return false;
  if (MayHaveEdited(path, folders)) return false;
  for (const std::string& one : found) {
    std::error_code error;
    if (std::filesystem::is_directory(one, error) || error.value() == EACCES) return false;
  }
  return true;
}

void RowWriter::Fetch(const ShellWord& address) {
  if (!address.known()) {
    Blame("fetches", &address);
    return OpenFetch(address.start == WordStart::kText ? address.text : "");
  }
  // curl expands braces and ranges by itself.
  if (const std::size_t brace = address.text.find_first_of("{}"); brace != std::string::npos)
    return OpenFetch(address.text.substr(0, brace));
  if (!fetches_.closed.insert(address.text).second) return;
  AddFetch(address.text, views_);
}

void RowWriter::Fetch(std::string host, std::string url) {
  if (fetches_.closed.insert(url).second)
    views_.fetches.push_back({std::move(host), std::move(url)});
}

void RowWriter::OpenFetch(std::string start) {
  Blame("fetches");
  AddOnce(std::move(start), fetches_.open, views_.open_fetches);
}

void RowWriter::Name(const ShellWord& word, const Folders& folders) {
  constexpr std::size_t kMostParts = 8;
  // Of a pattern what is before it: in `file:x?mode=rw` the shell finds no match.
  if ((!word.complete && !word.is_pattern) || word.text.size() > kMostNamed) return;
  if (word.start == WordStart::kText && !named_words_.insert({word.text, folders}).second) return;
  NamePart(word, folders);
  if (word.start != WordStart::kText) return;
  const std::string& text = word.text;
  std::size_t parts = 0;
  for (std::size_t at = text.find_first_of("=:@,"); at != text.npos && ++parts <= kMostParts;
       at = text.find_first_of("=:@,", at + 1)) {
    std::string part = text.substr(at + 1);
    if (part.starts_with("//")) part.erase(0, 2);
    if (const std::size_t query = part.find('?'); query != part.npos)
      NamePart(KnownWord(part.substr(0, query)), folders);
    NamePart(KnownWord(std::move(part)), folders);
  }
  // A value behind the letter of its option.
  if (text.size() > 2 && text[0] == '-' && text[1] != '-')
    NamePart(KnownWord(text.substr(2)), folders);
}

void RowWriter::NamePart(const ShellWord& part, const Folders& folders) {
  if (part.text.empty() && part.start == WordStart::kText) return;
  ShellWord path = part;
  if (path.start == WordStart::kText && (path.text == "~" || path.text.starts_with("~/")))
    path = {.text = path.text.substr(1), .start = WordStart::kHome};
  const bool is_path = path.text.find_first_of("/.") != path.text.npos;
  for (const std::string& one : paths_.PathsOf(path, folders)) {
    std::error_code error;
    if (!is_path && !std::filesystem::exists(one, error)) continue;
    if (std::string name = paths_.NameOf(one); !name.empty())
      AddOnce(std::move(name), named_, views_.named);
  }
}

void RowWriter::OpenAll() {
  OpenRun({});
  OpenOptions({});
  OpenEdit("");
  OpenRead("");
  OpenFetch("");
}

}  // namespace rpl
