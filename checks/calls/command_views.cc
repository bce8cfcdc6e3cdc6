// SPDX-License-Identifier: Apache-2.0
//
// Words are parsed as getopt does, by the options that the table lists; an option that is not
// listed has no value. A word that is not known may be an option: then all that the listed options
// could do is open.
#include "checks/calls/command_views.h"

#include <algorithm>
#include <utility>

#include "checks/calls/quiet_commands.h"
#include "formats/character.h"

namespace rpl {
namespace {

// Programs that run programs, within one command.
constexpr int kMaxRunDepth = 16;

// Whether a word of `find` or `fd` is an action that runs what is behind it.
bool RunsFound(std::string_view word) {
  constexpr std::string_view kActions[] = {"-exec",  "-execdir",     "-ok", "-okdir",
                                           "--exec", "--exec-batch", "-x",  "-X"};
  return std::ranges::find(kActions, word) != std::end(kActions);
}

std::string WithSmallLetters(std::string text) {
  for (char& c : text)
    if (IsUpper(c)) c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

std::string NameOfProgram(std::string_view word) {
  while (word.size() > 1 && word.ends_with('/')) word.remove_suffix(1);
  const std::size_t slash = word.rfind('/');
  return std::string(slash == word.npos ? word : word.substr(slash + 1));
}

void CommandViews::RunText(const ShellWord& text, const CommandScope& scope) {
  if (!text.known() || scope.depth >= kMaxRunDepth) return rows_.OpenAll();
  CommandScope inner = scope;
  ++inner.depth;
  text_reader_(text.text, inner);
}

void CommandViews::ApplyOption(char meaning, const ShellWord& value, CommandScope& scope,
                               ParsedWords& parsed) {
  if (value.splits) parsed.has_unknown = true;
  switch (meaning) {
    case '>': parsed.has_output = true; return rows_.Edit(value, scope.folders);
    case '<': return rows_.Read(value, scope.folders);
    case '@': return rows_.Fetch(value);
    case '$': parsed.has_text = true; return RunText(value, scope);
    case '+': {
      const std::string& text = value.text;
      const std::size_t at = text.find('@');
      if (!value.complete) {
        if (text.empty() || text[0] == '@' || text.find('=') != text.npos) rows_.OpenRead("");
        return;
      }
      if (at == text.npos || (at > 0 && text[at - 1] != '=')) return;
      return rows_.Read(KnownWord(text.substr(at + 1, text.find(';', at) - at - 1)), scope.folders);
    }
    case '/':
      scope.folders =
          rows_.paths().FoldersAt(value.complete ? rows_.paths().PathsOf(value, scope.folders)
                                                 : std::vector<std::string>());
      return;
    case '?':
    case '!': parsed.is_risky = true; return;
    case '%': parsed.recurses = true; return;
    case '^': parsed.edits_operands = true; return;
    case '#': parsed.runs_nothing = true; return;
    case '*': parsed.writes_named = true; return;
    case '~': parsed.runs_shell = true; return;
    default: return;
  }
}

ParsedWords CommandViews::Parse(const ProgramRule& rule, CommandWords words, CommandScope& scope,
                                bool stops_at_operand) {
  ParsedWords parsed;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const ShellWord& word = words[i];
    const std::string& text = word.text;
    const bool is_option =
        text.size() > 1 && word.start == WordStart::kText &&
        (text[0] == '-' || (text[0] == '+' && MeaningOf(rule, text.substr(0, 2)) != '\0'));
    if (!word.known() && !(is_option && text.find('=') != text.npos)) {
      if (MayBeOption(word)) parsed.has_unknown = true;
      parsed.operands.push_back(word);
      if (!stops_at_operand) continue;
      parsed.operands.insert(parsed.operands.end(),
                             words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    const bool ends_options = text == "--";
    if (ends_options || (!is_option && stops_at_operand)) {
      const std::size_t from = i + (ends_options ? 1 : 0);
      parsed.operands.insert(parsed.operands.end(),
                             words.begin() + static_cast<std::ptrdiff_t>(from), words.end());
      break;
    }
    if (!is_option) {
      parsed.operands.push_back(word);
      continue;
    }
    // The value of an option: behind it in the word, or the next word.
    const auto value_at = [&](std::size_t from) {
      if (from < text.size() || !word.complete) {
        ShellWord value = word;
        value.text = text.substr(std::min(from, text.size()));
        return value;
      }
      return ++i < words.size() ? words[i] : KnownWord("");
    };
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const char whole = MeaningOf(rule, name);
    if (text.starts_with("--") || (whole != '\0' && name.size() > 2)) {
      if (name == "--regexp" || name == "--file" || name == "--from-file" || name == "--expression")
        parsed.has_script = true;
      if (whole == '\0' && rule.operands == Operands::kRunsListed) parsed.is_risky = true;
      if (!HasValue(whole)) {
        ApplyOption(whole, {}, scope, parsed);
        continue;
      }
      const ShellWord value = equals == text.npos ? value_at(text.size()) : value_at(equals + 1);
      if (name.starts_with("--target") && whole == '>') parsed.target = value;
      ApplyOption(whole, value, scope, parsed);
      continue;
    }
    for (std::size_t at = 1; at < text.size(); ++at) {
      const char meaning = MeaningOf(rule, std::string{text[0], text[at]});
      if (text[at] == 'e' || text[at] == 'f')
        parsed.has_script = parsed.has_script || HasValue(meaning);
      if (meaning == '\0' && rule.operands == Operands::kRunsListed) parsed.is_risky = true;
      if (!HasValue(meaning)) {
        ApplyOption(meaning, {}, scope, parsed);
        continue;
      }
      const ShellWord value = value_at(at + 1);
      if (text[at] == 't' && meaning == '>') parsed.target = value;
      ApplyOption(meaning, value, scope, parsed);
      break;
    }
  }
  if (parsed.has_unknown) {
    for (const char sign : rule.options) {
      if (sign == '>' || sign == '^' || sign == '*') rows_.OpenEdit("");
      if (sign == '<' || sign == '+') rows_.OpenRead("");
      if (sign == '@') rows_.OpenFetch("");
      if (sign == '$') rows_.OpenAll();
      if (sign == '%') parsed.recurses = true;
    }
  }
  return parsed;
}

FoldersAfter CommandViews::Run(CommandWords words, CommandScope scope) {
  struct Restore {
    RowWriter& rows;
    CommandWords before;
    ~Restore() { rows.SetCommand(before); }
  } const restore{rows_, rows_.SetCommand(words)};
  const ShellWord& first = words.front();
  const FoldersAfter stays{scope.folders, scope.folders};
  if (!first.complete || ++scope.depth > kMaxRunDepth) {
    rows_.OpenAll();
    NameFiles(nullptr, words, scope);
    return {kAnyFolder, kAnyFolder};
  }
  const bool is_name = first.start == WordStart::kText && first.text.find('/') == first.text.npos;
  const std::string program = NameOfProgram(first.text);
  for (const ShellWord& word : words)
    if (names_.any_alias || names_.aliases.contains(word.text)) rows_.OpenAll();
  FoldersAfter after = stays;
  if (is_name && names_.functions.contains(first.text)) {
    scope.changes_programs = true;
    if (names_.functions_change_folder) after = {kAnyFolder, kAnyFolder};
  }
  scope.changes_programs = scope.changes_programs || names_.changes_programs;
  scope.changes_git = scope.changes_git || names_.changes_git;
  const ProgramRule* const rule = FindProgram(program);
  const bool is_quiet =
      is_name && first.text == "rpl" && !scope.changes_programs && IsQuietRpl(words.subspan(1));
  if (!is_quiet) NameFiles(rule, words, scope);
  // `git-push` is what `git push` runs.
  constexpr std::string_view kGitStart = "git-";
  if (program.starts_with(kGitStart) && IsGitCommand(program.substr(kGitStart.size()))) {
    std::vector<ShellWord> again = {KnownWord("git"), KnownWord(program.substr(kGitStart.size()))};
    again.insert(again.end(), words.begin() + 1, words.end());
    Run(again, scope);
  }
  // `time` is a word of bash and a program elsewhere: this may be an option of it.
  if (rule == nullptr && program.starts_with('-')) rows_.OpenAll();
  // Some file systems do not tell capitals from small letters.
  if (const std::string small = WithSmallLetters(program);
      rule == nullptr && small != program && FindProgram(small) != nullptr) {
    std::vector<ShellWord> again(words.begin(), words.end());
    again[0] = KnownWord(small);
    Run(again, scope);
  }
  if (rule == nullptr) {
    if (scope.changes_programs) rows_.OpenRun({program, {}});
    else rows_.Run(program, words.subspan(1));
    return after;
  }
  constexpr std::string_view kNameTargets[] = {"rm",       "unlink", "mv", "cp",     "tee",  "dd",
                                               "truncate", "shred",  "ln", "sponge", "touch"};
  rows_.SetNamesTargets(std::ranges::find(kNameTargets, program) != std::end(kNameTargets));
  RunRule(*rule, program, words, scope);
  if (rule->operands == Operands::kChangesFolder && is_name) return ChangeFolder(words, scope);
  const bool loses = rule->operands == Operands::kLosesFolder ||
                     rule->operands == Operands::kEval || rule->operands == Operands::kTrap;
  if (loses && IsBuiltin(program)) return {kAnyFolder, kAnyFolder};
  if ((program == "command" || program == "builtin") && words.size() > 1) {
    std::size_t at = 1;
    while (at < words.size() && words[at].known() && words[at].text.starts_with('-')) ++at;
    if (at == words.size()) return after;
    if (!words[at].complete) return {kAnyFolder, kAnyFolder};
    const ProgramRule* const inner = FindProgram(words[at].text);
    if (inner == nullptr) return after;
    if (inner->operands == Operands::kChangesFolder) return ChangeFolder(words.subspan(at), scope);
    if (IsBuiltin(words[at].text) && inner->operands != Operands::kReads)
      return {kAnyFolder, kAnyFolder};
  }
  return after;
}

void CommandViews::RunRule(const ProgramRule& rule, const std::string& program, CommandWords words,
                           CommandScope scope) {
  if (rule.operands == Operands::kSubcommand) return RunSubcommand(rule, program, words, scope);
  const bool is_open = scope.changes_programs;
  const auto add_row = [&](bool is_risky) {
    if (is_open || is_risky) rows_.OpenRun({program, {}});
    else rows_.Run(program, words.subspan(1));
  };
  switch (rule.operands) {
    case Operands::kShell: add_row(false); return RunShell(rule, words, scope);
    case Operands::kXargs: add_row(false); return RunXargs(rule, words, scope);
    case Operands::kFind: add_row(false); return RunFind(words, scope);
    case Operands::kDd: add_row(false); return RunDd(words, scope);
    case Operands::kSed: add_row(false); return RunSed(rule, words, scope);
    case Operands::kMake: add_row(false); return RunMake(words, scope);
    case Operands::kAwk: add_row(false); return RunAwk(rule, words, scope);
    case Operands::kChangesFolder:
    case Operands::kLosesFolder:
    case Operands::kAlias: return add_row(false);
    case Operands::kEval:
      add_row(false);
      // A file of the project that was there before the run is a script like others.
      if ((program == "source" || program == ".") && words.size() > 1 && !scope.repeats &&
          rows_.IsOfOthers(words[1], scope.folders))
        return rows_.Read(words[1], scope.folders);
      return rows_.OpenAll();
    case Operands::kTrap: {
      add_row(false);
      std::size_t at = 1;
      while (at < words.size() && words[at].known() && words[at].text.size() > 1 &&
             words[at].text[0] == '-')
        ++at;
      scope.repeats = true;
      if (at + 1 < words.size() && words[at].text != "-") RunText(words[at], scope);
      else if (at < words.size() && !words[at].known()) rows_.OpenAll();
      return;
    }
    case Operands::kFormats: add_row(false); return RunFormatter(program, words, scope);
    case Operands::kTar:
      add_row(false);
      if (const TarForm form = TarFormOf(program, words); form.is_known) {
        if (!form.creates) return rows_.Read(form.archive, scope.folders);
        rows_.OpenRead("");
        if (form.archive.text != "-") rows_.Edit(form.archive, scope.folders);
        return;
      }
      // Archives are read and written by options of every letter, and some run programs.
      rows_.OpenEdit("");
      rows_.OpenRead("");
      for (const ShellWord& word : words.subspan(1)) {
        const bool may_run =
            !word.known() ||
            (word.text.starts_with('-') && word.text.find_first_of("IF") != word.text.npos) ||
            word.text.starts_with("--use") || word.text.starts_with("--to-") ||
            word.text.starts_with("--checkpoint-") || word.text.starts_with("--rsh") ||
            word.text.starts_with("--new-") || word.text.starts_with("--info-");
        if (may_run && !word.is_pattern) rows_.OpenAll();
      }
      return;
    default: break;
  }
  if (rule.operands == Operands::kRunsListed) {
    const ParsedWords parsed = Parse(rule, words, scope, true);
    add_row(parsed.is_risky);
    Reach(program, words);
    return RunPackaged(program, parsed, scope);
  }
  const bool runs = rule.operands == Operands::kRuns || rule.operands == Operands::kAssignedRuns;
  const ParsedWords parsed = Parse(rule, words, scope, runs);
  add_row(parsed.is_risky);
  if (rule.operands == Operands::kPrints && !parsed.has_text) {
    // `script FILE PROGRAM …`, or a shell that reads its input.
    if (parsed.operands.size() < 2) return rows_.OpenAll();
    rows_.Edit(parsed.operands[0], scope.folders);
    return RunBehind(CommandWords(parsed.operands).subspan(1), scope);
  }
  if (program == "scp" || program == "rsync")
    for (const ShellWord& word : parsed.operands) ReachRemote(word);
  if (!runs) return Operate(rule.operands, parsed, scope);
  if (parsed.is_risky || parsed.has_unknown) rows_.OpenAll();
  if (parsed.runs_nothing) return;
  std::size_t from = 0;
  for (int i = 0; i < rule.skip; ++i, ++from) {
    if (from >= parsed.operands.size()) return;
    if (!parsed.operands[from].complete) return rows_.OpenAll();
  }
  const CommandWords rest = CommandWords(parsed.operands).subspan(from);
  if (rule.operands == Operands::kAssignedRuns) return RunAssigned(rest, scope, parsed.runs_shell);
  // `flock file -c text`
  if (rule.skip > 0 && rest.size() > 1 && rest[0].text.starts_with('-'))
    return RunText(rest[1], scope);
  RunBehind(rest, scope);
}

void CommandViews::RunPackaged(const std::string& program, const ParsedWords& parsed,
                               CommandScope scope) {
  if (parsed.is_risky || parsed.has_unknown) rows_.OpenAll();
  if (parsed.runs_nothing || parsed.operands.empty()) return;
  std::vector<ShellWord> words = parsed.operands;
  // hatch gives its words to a shell.
  constexpr std::string_view kSigns = " \t\n;&|$`()<>{}*?[]'\"\\";
  const auto may_be_text = [&](const ShellWord& word) {
    return word.text.find_first_of(kSigns) != word.text.npos;
  };
  if (program == "hatch" ? std::any_of(words.begin(), words.end(), may_be_text)
                         : may_be_text(words[0]))
    rows_.OpenAll();
  if (words[0].known()) {
    // `NAME@VERSION` of a package, `ENVIRONMENT:NAME` of hatch.
    std::string name = NameOfProgram(words[0].text);
    if (const std::size_t at = name.find('@', 1); at != name.npos) name.resize(at);
    if (const std::size_t at = name.find(':'); program == "hatch" && at != name.npos)
      name.erase(0, at + 1);
    if (name != NameOfProgram(words[0].text)) words[0] = KnownWord(std::move(name));
    if (words[0].text.empty()) return rows_.OpenAll();
  }
  RunBehind(words, std::move(scope));
}

void CommandViews::RunBehind(CommandWords words, CommandScope scope) {
  if (words.empty()) return;
  // It may be run again, or later.
  scope.repeats = true;
  Run(words, std::move(scope));
}

void CommandViews::RunAssigned(CommandWords words, CommandScope scope, bool is_shell) {
  std::size_t at = 0;
  for (; at < words.size() && IsAssignment(words[at]); ++at) {
    const std::size_t equals = words[at].text.find('=');
    const std::string name = words[at].text.substr(0, equals);
    const std::string value = words[at].complete ? words[at].text.substr(equals + 1) : "?";
    if (RunsByItself(name)) rows_.OpenAll();
    if (ChangesPrograms(name)) scope.changes_programs = true;
    if (ChangesGit(name, value)) scope.changes_git = true;
  }
  if (at == words.size() && is_shell) return rows_.OpenAll();
  RunBehind(words.subspan(at), std::move(scope));
}

void CommandViews::RunShell(const ProgramRule& rule, CommandWords words,
                            const CommandScope& scope) {
  bool has_text = false, reads_input = false;
  std::size_t at = 1;
  for (; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    if (!words[at].complete && (text.empty() || text[0] == '-' || text[0] == '+'))
      return rows_.OpenAll();
    if (text == "--version" || text == "--help") return;
    if (text == "--" || text == "-") {
      ++at;
      break;
    }
    if (text.size() < 2 || (text[0] != '-' && text[0] != '+')) break;
    if (text.starts_with("--")) {
      const char meaning = MeaningOf(rule, text.substr(0, text.find('=')));
      if (meaning != ' ') rows_.OpenAll();
      if (HasValue(meaning) && text.find('=') == text.npos) ++at;
      if (text == "--command") has_text = true;
      continue;
    }
    if (text[0] == '-' && text.find('c') != text.npos) has_text = true;
    if (text.find('s') != text.npos) reads_input = true;
    // Files of an interactive shell may hold aliases.
    if (text.find('i') != text.npos) rows_.OpenAll();
    if (text.find_first_of("oO") != text.npos) ++at;
  }
  const CommandWords operands = words.subspan(std::min(at, words.size()));
  if (has_text) {
    if (operands.empty()) return;
    return RunText(operands[0], scope);
  }
  if (operands.empty() || reads_input) return rows_.OpenAll();
  // A script is a program like others, but for a file that the call itself makes up.
  const std::string& script = operands[0].text;
  if (!operands[0].complete || script.starts_with("/dev/") || script.starts_with("/proc/"))
    rows_.OpenAll();
  rows_.Read(operands[0], scope.folders);
}

void CommandViews::RunSubcommand(const ProgramRule& rule, const std::string& program,
                                 CommandWords words, CommandScope scope) {
  bool is_open = scope.changes_programs || (program == "git" && scope.changes_git);
  ParsedWords parsed;
  std::size_t at = 1;
  for (; at < words.size(); ++at) {
    const ShellWord& word = words[at];
    const std::string& text = word.text;
    const bool is_option = text.size() > 1 && text[0] == '-' && word.start == WordStart::kText;
    const std::size_t equals = text.find('=');
    if (!word.complete && !(is_option && equals != text.npos)) {
      if (word.start == WordStart::kText) is_open = true;
      break;
    }
    if (!is_option) break;
    const std::string name = text.substr(0, equals);
    char meaning = MeaningOf(rule, name);
    // A value may follow its letter: `-C.`.
    const bool is_joined = meaning == '\0' && !text.starts_with("--") && text.size() > 2 &&
                           HasValue(MeaningOf(rule, text.substr(0, 2)));
    if (is_joined) meaning = MeaningOf(rule, text.substr(0, 2));
    if (meaning == '\0') {
      // It may have a value or not.
      is_open = is_open || equals == text.npos;
      continue;
    }
    if (!HasValue(meaning)) {
      ApplyOption(meaning, {}, scope, parsed);
      continue;
    }
    ShellWord value = word;
    if (is_joined) value.text = text.substr(2);
    else if (equals != text.npos) value.text = text.substr(equals + 1);
    else if (name == "--exec-path" || ++at >= words.size()) continue;
    else value = words[at];
    if (meaning == '?' && name == "-c" && program == "git" && value.known() &&
        IsHarmlessGitSetting(value.text))
      continue;
    is_open = is_open || value.splits;
    ApplyOption(meaning, value, scope, parsed);
  }
  is_open = is_open || parsed.is_risky;
  const CommandWords rest = words.subspan(std::min(at, words.size()));
  const bool is_known = !rest.empty() && rest[0].known();
  // Any other name may be an alias.
  if (program == "git" && is_known && !IsGitCommand(rest[0].text)) is_open = true;
  if (is_open) {
    rows_.OpenRun({program, {}});
    rows_.OpenOptions({program, {}});
    rows_.OpenEdit("");
  } else {
    rows_.Run(program, rest);
    rows_.Options(program, words.subspan(1, words.size() - rest.size() - 1));
  }
  if (program == "git" && (is_open || !is_known) && !rest.empty()) rows_.OpenEdit("");
  Reach(program, rest);
  const ProgramRule* const behind = is_known ? FindSubcommand(program, rest[0].text) : nullptr;
  const bool is_wrapper = behind != nullptr && behind->operands == Operands::kRunsListed;
  const bool reads = program == "git" && is_known && IsReadingGitCommand(rest[0].text);
  if (is_open || (!reads && !is_wrapper))
    for (const ShellWord& word : rest) rows_.Name(word, scope.folders);
  if (!is_known) return;
  if (program == "git" && rest[0].text == "config" && SetsGitPrograms(rest.subspan(1)))
    rows_.OpenRun({});
  if (behind == nullptr) return;
  if (program == "git" && !is_open && IsQuietGit(rest)) return;
  if (behind->operands == Operands::kEval) return rows_.OpenAll();
  if (behind->operands == Operands::kRunsListed)
    return RunPackaged(program, Parse(*behind, rest, scope, true), scope);
  const bool is_named =
      program == "git" && (rest[0].text == "checkout" || rest[0].text == "restore");
  const auto dashes = std::find_if(rest.begin(), rest.end(), [](const ShellWord& one) {
    return one.known() && one.text == "--";
  });
  ParsedWords inner = Parse(*behind, rest, scope, false);
  if (inner.is_risky) {
    rows_.OpenRun({program, {}});
    rows_.OpenAll();
  }
  if (is_named && dashes != rest.end()) {
    for (auto path = dashes + 1; path != rest.end(); ++path) {
      const ShellWord named = path->text.starts_with(':') ? UnknownWord() : *path;
      rows_.Edit(named, scope.folders);
      rows_.EditWithin(named, scope.folders);
    }
    return;
  }
  if (program == "git" && rest[0].text == "clean" && inner.operands.empty())
    inner.operands.push_back(KnownWord("."));
  // `:/x` and `:(top)x` are no paths of the folder.
  for (ShellWord& path : inner.operands)
    if (program == "git" && path.text.starts_with(':')) path = UnknownWord();
  Operate(behind->operands, inner, scope);
  if (behind->operands == Operands::kEdits)
    for (const ShellWord& path : inner.operands) rows_.EditWithin(path, scope.folders);
}

void CommandViews::RunXargs(const ProgramRule& rule, CommandWords words, CommandScope scope) {
  std::string replaced;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text == "-I" || text == "-J") replaced = i + 1 < words.size() ? words[i + 1].text : "";
    else if (text.starts_with("-I")) replaced = text.substr(2);
    else if (text.starts_with("-i") || text.starts_with("--replace"))
      replaced = text.find('=') == text.npos ? "{}" : text.substr(text.find('=') + 1);
    else if (text.empty() || text[0] != '-') continue;
    if (!replaced.empty()) break;
  }
  const ParsedWords parsed = Parse(rule, words, scope, true);
  std::vector<ShellWord> inner = parsed.operands;
  if (inner.empty()) return;
  if (!replaced.empty()) {
    for (ShellWord& word : inner) {
      const std::size_t at = word.text.find(replaced);
      if (at == std::string::npos) continue;
      word.text.resize(at);
      word.complete = word.is_pattern = false;
    }
  }
  inner.push_back(UnknownWord());
  scope.has_input = true;
  const std::vector<ShellWord> found = std::exchange(scope.found, {});
  RunBehind(inner, scope);
  // What a `find` in front of it gives.
  for (const ShellWord& word : found) {
    for (ShellWord& one : inner)
      if (!one.complete && one.text.empty()) one = word;
    RunBehind(inner, scope);
  }
}

bool CommandViews::IsAllOfProject(const ShellWord& path, const Folders& folders) const {
  const std::vector<std::string> found = rows_.paths().PathsOf(path, folders);
  return std::ranges::any_of(
      found, [&](const std::string& one) { return rows_.paths().NameOf(one) == "."; });
}

std::vector<ShellWord> CommandViews::FoundBy(CommandWords words, const Folders& folders) const {
  const std::string program = NameOfProgram(words.front().text);
  std::vector<ShellWord> roots;
  std::vector<std::string> names;
  // Of the tests between two `-o`: whether one is of the name. A part that prunes finds nothing.
  bool has_name = false, prunes = false;
  const bool is_fd = program == "fd" || program == "fdfind";  // whose first word is a pattern
  bool is_any = is_fd;
  bool is_root = true;
  for (std::size_t i = 1; i < words.size() && !RunsFound(words[i].text); ++i) {
    const std::string& text = words[i].text;
    const auto follows = [&](std::string_view what) {
      return i + 1 < words.size() && words[i + 1].text == what;
    };
    const bool is_word = words[i].start != WordStart::kText ||
                         (!text.empty() && text[0] != '-' && text[0] != '(' && text[0] != '!');
    if (is_root && is_word) roots.push_back(words[i]);
    if (is_any || text == "-H" || text == "-L" || text == "-P") continue;
    is_root = is_root && is_word;
    if (text == "-o" || text == "-or") {
      is_any = !has_name && !prunes;
      has_name = prunes = false;
    } else if (text == "!" || text == "-not") {
      is_any = follows("(");
      if (follows("-name") || follows("-iname")) i += 2;
    } else if (text == "-name" || text == "-iname") {
      if (++i < words.size() && words[i].known()) {
        names.push_back(words[i].text);
        has_name = true;
      }
    } else if (text == ",") {
      is_any = true;
    } else if (text == "-prune") {
      prunes = true;
    }
  }
  if (is_any || (!has_name && !prunes)) names = {"*"};
  if (roots.empty() || is_fd) roots.push_back(KnownWord("."));
  for (ShellWord& root : roots) {
    if (!root.complete || !IsAllOfProject(root, folders)) continue;
    root.complete = false;
    root.names = names;
  }
  return roots;
}

void CommandViews::RunFind(CommandWords words, const CommandScope& scope) {
  bool may_run = false;
  const std::vector<ShellWord> found = FoundBy(words, scope.folders);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const ShellWord& word = words[i];
    const std::string& text = word.text;
    if (MayBeOption(word) || word.splits) {
      if (word.splits) rows_.OpenAll();
      rows_.OpenEdit("");
      may_run = true;
    }
    if (may_run && (text == ";" || text == "+")) rows_.OpenAll();
    if (RunsFound(text)) {
      std::vector<ShellWord> inner;
      for (++i; i < words.size() && words[i].text != ";"; ++i) {
        if (words[i].text == "+" && !inner.empty() && !inner.back().complete) break;
        inner.push_back(words[i]);
        const std::size_t brace = inner.back().text.find('{');
        if (brace == std::string::npos) continue;
        inner.back().text.resize(brace);
        inner.back().complete = false;
      }
      // `fd` puts what it finds behind the words.
      const bool is_fd = text[1] == 'x' || text[1] == 'X' || text[1] == '-';
      if (is_fd && std::ranges::all_of(inner, &ShellWord::complete)) inner.push_back(UnknownWord());
      CommandScope there = scope;
      if (text != "-exec" && text != "-ok") there.folders = kAnyFolder;
      RunBehind(inner, there);
      // The first of what it finds is the root itself.
      for (const ShellWord& root : found) {
        if (!root.complete && root.names.empty()) continue;
        std::vector<ShellWord> at_root = inner;
        for (ShellWord& one : at_root)
          if (!one.complete && one.text.empty()) one = root;
        RunBehind(at_root, root.names.empty() ? there : scope);
      }
    } else if (text == "-delete") {
      for (const ShellWord& root : found) {
        rows_.Edit(root, scope.folders);
        rows_.EditWithin(root, scope.folders);
      }
    } else if (text == "-fprint" || text == "-fprintf" || text == "-fls" || text == "-fprint0") {
      if (++i < words.size()) rows_.Edit(words[i], scope.folders);
    } else if (text.starts_with("-files0")) {
      rows_.OpenEdit("");
    }
  }
}

}  // namespace rpl
