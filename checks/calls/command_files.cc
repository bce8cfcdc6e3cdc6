// SPDX-License-Identifier: Apache-2.0
//
// The part of CommandViews that reads operands as files, addresses and scripts.
#include <algorithm>
#include <utility>

#include "checks/calls/command_views.h"
#include "checks/calls/quiet_commands.h"
#include "checks/calls/scripts.h"

namespace rpl {
namespace {

ShellWord Below(const ShellWord& folder, const ShellWord& file) {
  if (!folder.complete || !file.complete) return UnknownWord();
  const std::string name = NameOfProgram(file.text);
  if (name.empty() || name == "." || name == "..") return UnknownWord();
  ShellWord out = folder;
  out.text += "/" + name;
  return out;
}

// The last name of an address; "" if it has none, or a server or curl itself gives another.
std::string FileOfAddress(const ShellWord& address) {
  if (!address.known() || address.text.find_first_of("{}[]\\%") != std::string::npos) return "";
  std::string_view text = address.text;
  if (const std::size_t scheme = text.find("://"); scheme != text.npos)
    text.remove_prefix(scheme + 3);
  text = text.substr(0, text.find_first_of("?#"));
  const std::size_t slash = text.rfind('/');
  const std::string_view name = slash == text.npos ? "" : text.substr(slash + 1);
  return name == "." || name == ".." ? "" : std::string(name);
}

}  // namespace

void CommandViews::RunDd(CommandWords words, const CommandScope& scope) {
  for (const ShellWord& word : words.subspan(1)) {
    ShellWord path = word;
    if (!word.complete && word.text.find('=') == word.text.npos) {
      rows_.OpenEdit("");
      rows_.OpenRead("");
    } else if (word.text.starts_with("of=") || word.text.starts_with("if=")) {
      path.text.erase(0, 3);
      if (word.text[0] == 'o') rows_.Edit(path, scope.folders);
      else rows_.Read(path, scope.folders);
    }
  }
}

void CommandViews::RunMake(CommandWords words, const CommandScope& scope) {
  const auto read_rules = [&](ShellWord file) {
    const bool is_made = !file.known() || file.text == "-" || file.text.starts_with("/dev/") ||
                         file.text.starts_with("/proc/") ||
                         rows_.MayHaveEdited(file, scope.folders);
    if (is_made || scope.repeats) rows_.OpenAll();
    rows_.Read(file, scope.folders);
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    // Of an option: its value behind `=`, behind its letter, or in the next word.
    const auto value = [&](std::size_t from) {
      if (from == text.npos || from >= text.size())
        return words[i].complete && i + 1 < words.size() ? words[++i] : UnknownWord();
      ShellWord rest = words[i];
      rest.text = text.substr(from);
      return rest;
    };
    if (text.starts_with("--ev")) return rows_.OpenAll();
    if (name.size() >= 3 && (std::string_view("--file").starts_with(name) ||
                             std::string_view("--makefile").starts_with(name))) {
      read_rules(value(equals == text.npos ? equals : equals + 1));
    } else if (text.size() > 1 && text[0] == '-' && text[1] != '-') {
      // Letters in front of one that has a value.
      const std::size_t letter = text.find_first_of("fECIjloW", 1);
      if (letter == text.npos) continue;
      if (text[letter] == 'E') return rows_.OpenAll();
      if (text[letter] == 'f') read_rules(value(letter + 1));
    } else if (equals != text.npos && text[0] != '-' &&
               (ChangesPrograms(name) || name == "MAKEFLAGS" || name == "MAKEFILES" ||
                name == "GNUMAKEFLAGS")) {
      rows_.OpenAll();
    }
  }
}

void CommandViews::RunSed(const ProgramRule& rule, CommandWords words, CommandScope scope) {
  bool edits = false;
  std::vector<ShellWord> scripts;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text == "--") break;
    if (text.starts_with("--in-place")) edits = true;
    if (text.starts_with("--expression")) {
      if (text.find('=') == text.npos)
        scripts.push_back(i + 1 < words.size() ? words[++i] : KnownWord(""));
      else
        scripts.push_back({.text = text.substr(text.find('=') + 1), .complete = words[i].complete});
    }
    if (text.size() < 2 || text[0] != '-' || text[1] == '-') continue;
    const std::size_t letter = text.find_first_of("eifI");
    if (letter == text.npos) continue;
    if (text[letter] == 'i' || text[letter] == 'I') edits = true;
    if (text[letter] != 'e') continue;
    if (letter + 1 < text.size())
      scripts.push_back({.text = text.substr(letter + 1), .complete = words[i].complete});
    else if (i + 1 < words.size()) scripts.push_back(words[++i]);
  }
  ParsedWords parsed = Parse(rule, words, scope, false);
  std::size_t from = 0;
  if (!parsed.has_script && !parsed.operands.empty()) {
    scripts.push_back(parsed.operands[0]);
    from = 1;
    // `-i ''` has a suffix as its value in some versions.
    if (edits && scripts[0].known() && scripts[0].text.empty() && parsed.operands.size() > 1)
      scripts.push_back(parsed.operands[1]);
  }
  for (const ShellWord& script : scripts)
    if (!script.known() || !IsPlainSed(script.text)) rows_.OpenAll();
  if (parsed.is_risky) rows_.OpenAll();
  if (parsed.has_unknown) rows_.OpenEdit("");
  for (const ShellWord& path : CommandWords(parsed.operands).subspan(from)) {
    rows_.Read(path, scope.folders);
    if (edits) rows_.Edit(path, scope.folders);
  }
}

void CommandViews::RunAwk(const ProgramRule& rule, CommandWords words, CommandScope scope) {
  const ParsedWords parsed = Parse(rule, words, scope, false);
  bool is_plain = !parsed.is_risky && !parsed.has_unknown;
  bool has_program = false;
  for (const ShellWord& word : words.subspan(1))
    if (word.text.starts_with("-e")) is_plain = false;
  for (const ShellWord& path : parsed.operands) {
    if (!has_program) {
      has_program = true;
      is_plain = is_plain && path.known() && IsPlainAwk(path.text);
    } else if (!IsAssignment(path)) {
      rows_.Read(path, scope.folders);
    }
  }
  if (!is_plain) rows_.OpenAll();
}

void CommandViews::RunFormatter(const std::string& program, CommandWords words,
                                const CommandScope& scope) {
  const Formatting formatting = FormattingOf(program, words);
  std::vector<ShellWord> files;
  bool are_files = formatting == Formatting::kWrites;
  for (std::size_t i = program == "ruff" ? 2 : 1; are_files && i < words.size(); ++i) {
    const std::string& text = words[i].text;
    // A number is the value of an option.
    if (text.starts_with('-') || text.find_first_not_of("0123456789") == text.npos) continue;
    files.push_back(words[i]);
    are_files = rows_.IsFile(words[i], scope.folders);
  }
  if (formatting == Formatting::kReads) return;
  if (!are_files || files.empty()) return rows_.OpenEdit("");
  for (const ShellWord& file : files) rows_.Edit(file, scope.folders);
}

void CommandViews::Operate(Operands operands, const ParsedWords& parsed,
                           const CommandScope& scope) {
  const CommandWords words(parsed.operands);
  const auto skips = [&](const ShellWord& word) { return word.known() && word.text == "-"; };
  switch (operands) {
    case Operands::kReads:
    case Operands::kReadsAfterFirst: {
      std::size_t from = operands == Operands::kReadsAfterFirst && !parsed.has_script ? 1 : 0;
      from = std::min(from, words.size());
      for (const ShellWord& word : words.subspan(from)) {
        if (skips(word)) continue;
        rows_.Read(word, scope.folders);
        if (operands == Operands::kReadsAfterFirst) rows_.ReadWithin(word, scope.folders);
        if (parsed.edits_operands) rows_.Edit(word, scope.folders);
      }
      if (parsed.recurses && from == words.size()) rows_.ReadWithin(KnownWord("."), scope.folders);
      return;
    }
    case Operands::kFilters:
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (i == 0 && !skips(words[i])) rows_.Read(words[i], scope.folders);
        // What is not known may be several words, and the second one in it.
        if (i > 0 || !words[i].complete) rows_.Edit(words[i], scope.folders);
      }
      return;
    case Operands::kEdits:
    case Operands::kEditsAfterFirst: {
      std::size_t from = operands == Operands::kEditsAfterFirst && words.size() > 1 ? 1 : 0;
      for (const ShellWord& word : words.subspan(from)) {
        if (skips(word)) continue;
        // Before the row of the folder, which says that it may have another content.
        if (parsed.recurses) rows_.EditTree(word, scope.folders);
        rows_.Edit(word, scope.folders);
      }
      return;
    }
    case Operands::kCopies: return Transfer(parsed, false, scope);
    case Operands::kMoves: return Transfer(parsed, true, scope);
    case Operands::kLinks:
      Transfer(parsed, false, scope);
      rows_.OpenEdit("");
      return rows_.OpenRead("");
    case Operands::kEditsUnknown: return rows_.OpenEdit("");
    case Operands::kClones:
      if (words.size() != 2 || parsed.has_unknown) return rows_.OpenEdit("");
      rows_.Edit(words[1], scope.folders);
      return rows_.EditWithin(words[1], scope.folders);
    case Operands::kFetches:
    case Operands::kDownloads:
      for (const ShellWord& word : words) rows_.Fetch(word);
      if (parsed.is_risky) {
        rows_.OpenEdit("");
        rows_.OpenRead("");
        rows_.OpenFetch("");
      }
      // `-O` of curl: a file of the last name in the address.
      for (const ShellWord& word : parsed.writes_named ? words : CommandWords()) {
        const std::string file = FileOfAddress(word);
        const bool is_named = !file.empty() && !parsed.has_output && !parsed.recurses;
        if (is_named) rows_.Edit(KnownWord(file), scope.folders);
        else rows_.EditWithin(KnownWord("."), scope.folders);
      }
      if (operands == Operands::kDownloads && !parsed.has_output)
        rows_.EditWithin(KnownWord("."), scope.folders);
      return;
    case Operands::kPrints:
      if (words.empty()) rows_.Edit(KnownWord("typescript"), scope.folders);
      for (const ShellWord& word : words) rows_.Edit(word, scope.folders);
      return;
    default: return;
  }
}

void CommandViews::Transfer(const ParsedWords& parsed, bool moves, const CommandScope& scope) {
  CommandWords sources(parsed.operands);
  ShellWord target = parsed.target;
  const bool has_target = !target.complete || !target.text.empty();
  if (parsed.edits_operands) {
    for (const ShellWord& word : sources) rows_.Edit(word, scope.folders);
    return;
  }
  const auto is_file = [&](const ShellWord& word) {
    return !scope.repeats && rows_.IsFile(word, scope.folders);
  };
  // Looked at before the rows of this command are written.
  std::vector<bool> are_files;
  bool is_path = false;
  if (!has_target) {
    if (sources.empty()) return;
    target = sources.size() == 1 ? KnownWord(".") : sources.back();
    if (sources.size() > 1) sources = sources.first(sources.size() - 1);
    is_path = sources.size() == 1 && !scope.repeats && rows_.IsNoFolder(target, scope.folders);
  }
  bool recurses_any = false;
  for (const ShellWord& source : sources) {
    are_files.push_back(is_file(source));
    recurses_any = recurses_any || ((moves || parsed.recurses) && !are_files.back());
  }
  // What is in a folder changes, but not the folder.
  const bool is_folder = !recurses_any && !scope.repeats && rows_.IsFolder(target, scope.folders);
  if (!has_target && !is_folder) rows_.Edit(target, scope.folders);
  if (recurses_any) rows_.EditWithin(target, scope.folders);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ShellWord& source = sources[i];
    const ShellWord placed = Below(target, source);
    // The new path of a file where there is no folder is the target itself.
    if (!is_path || !are_files[i]) {
      if (placed.complete) rows_.Edit(placed, scope.folders);
      else rows_.EditWithin(target, scope.folders);
    }
    if (moves) {
      rows_.Edit(source, scope.folders);
      if (!are_files[i]) rows_.EditWithin(source, scope.folders);
    }
    rows_.Read(source, scope.folders);
    if ((moves || parsed.recurses) && !are_files[i]) rows_.ReadWithin(source, scope.folders);
  }
}

void CommandViews::NameFiles(const ProgramRule* rule, CommandWords words,
                             const CommandScope& scope) {
  CommandWords named = words.subspan(1);
  switch (rule == nullptr ? Operands::kEdits : rule->operands) {
    case Operands::kCopies: {
      // Links to what it copies.
      const bool links = std::any_of(named.begin(), named.end(), [](const ShellWord& word) {
        return word.text.starts_with("--li") || word.text.starts_with("--sy") ||
               (word.text.size() > 1 && word.text[0] == '-' && word.text[1] != '-' &&
                word.text.find_first_of("ls") != word.text.npos);
      });
      if (!links) return;
      break;
    }
    // Behind the text or the script there are arguments for it.
    case Operands::kShell: {
      const auto first = std::find_if(named.begin(), named.end(), [](const ShellWord& word) {
        return !word.text.starts_with('-') && !word.text.starts_with('+');
      });
      named = named.subspan(std::min(
          named.size(), static_cast<std::size_t>(std::distance(named.begin(), first) + 1)));
      break;
    }
    // What they write has rows, and programs that they run are commands of their own.
    case Operands::kNone:
    case Operands::kReads:
    case Operands::kReadsAfterFirst:
    case Operands::kFilters:
    case Operands::kFetches:
    case Operands::kRuns:
    case Operands::kAssignedRuns:
    case Operands::kRunsListed:
    case Operands::kXargs:
    case Operands::kFind:
    case Operands::kSed:
    case Operands::kAwk:
    case Operands::kSubcommand:
    case Operands::kAlias:
    case Operands::kTrap:
    case Operands::kChangesFolder:
    case Operands::kLosesFolder: return;
    default: break;
  }
  for (const ShellWord& word : named) rows_.Name(word, scope.folders);
}

FoldersAfter CommandViews::ChangeFolder(CommandWords words, const CommandScope& scope) {
  if (scope.changes_programs) return {kAnyFolder, kAnyFolder};
  std::size_t at = 1;
  while (at < words.size() && words[at].known() && words[at].text.size() > 1 &&
         words[at].text[0] == '-' && words[at].text.find_first_not_of("-PLe@") == std::string::npos)
    ++at;
  const CommandWords operands = words.subspan(at);
  if (operands.size() > 1) return {kAnyFolder, kAnyFolder};
  const ShellWord path = operands.empty() ? ShellWord{.start = WordStart::kHome} : operands.front();
  if (!path.complete || path.text == "-" || path.text.starts_with('+'))
    return {kAnyFolder, kAnyFolder};
  const Folders there = rows_.paths().FoldersAt(rows_.paths().PathsOf(path, scope.folders));
  return {there, UnionOf(there, scope.folders)};
}

}  // namespace rpl
