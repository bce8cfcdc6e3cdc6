// SPDX-License-Identifier: Apache-2.0
#include "checks/calls/shell_views.h"

#include <algorithm>
#include <utility>

#include "checks/calls/command_views.h"
#include "checks/calls/programs.h"
#include "checks/calls/row_writer.h"
#include "checks/calls/shell_line.h"

namespace rpl {
namespace {

// Texts in one call, each of which starts the parser.
constexpr int kMaxTexts = 24;

bool IsName(const Statement& statement, std::string_view name) {
  return !statement.words.empty() && statement.words[0].known() && statement.words[0].text == name;
}

// Whether a command may change the folder of the shell that runs it.
bool MayChangeFolder(const Statement& statement) {
  if (statement.words.empty()) return false;
  const ShellWord& first = statement.words[0];
  if (!first.complete) return true;
  if (!IsBuiltin(first.text)) return false;
  const ProgramRule* const rule = FindProgram(first.text);
  if (rule == nullptr) return false;
  switch (rule->operands) {
    case Operands::kChangesFolder:
    case Operands::kLosesFolder:
    case Operands::kEval:
    case Operands::kTrap: return true;
    case Operands::kRuns:  // `command cd`
      return statement.words.size() > 1 && first.text != "exec" && first.text != "time";
    default: return false;
  }
}

template <typename Test>
bool AnyCommand(const Statement& statement, const Test& test) {
  if (test(statement)) return true;
  for (const Statement& part : statement.parts)
    if (AnyCommand(part, test)) return true;
  return false;
}

template <typename Visit>
void ForEachStatement(const Statement& statement, const Visit& visit) {
  visit(statement);
  for (const Statement& part : statement.parts) ForEachStatement(part, visit);
  for (const Statement& inner : statement.substitutions) ForEachStatement(inner, visit);
}

class ShellViews {
 public:
  ShellViews(const CallPlace& place, ShellReader& reader, CallViews& views)
      : paths_(place),
        reader_(reader),
        views_(views),
        rows_(paths_, views, &variables_),
        commands_(rows_, names_, [this](const std::string& text, const CommandScope& scope) {
          ReadInner(text, scope);
        }) {}

  void ReadText(std::string_view text) {
    ShellLine line;
    if (!Parse(text, line)) return;
    CommandScope scope{.folders = paths_.folder()};
    Walk(line.root, scope);
    if (why_.empty() && !names_.any_alias && !line.evaluates_values) AddEvidence(line.root);
  }

  void ReadWords(const std::vector<std::string>& words) {
    std::vector<ShellWord> list;
    for (const std::string& word : words) list.push_back(KnownWord(word));
    if (list.empty()) return;
    commands_.Run(list, {.folders = paths_.folder()});
    Statement statement{.words = std::move(list)};
    if (why_.empty() && paths_.IsProject(paths_.folder()) && IsPlainRun(statement))
      AddSucceeded(statement);
  }

  /// Why the call is undecided; "" if it is not.
  const std::string& why() const { return why_; }

 private:
  void GiveUp(const std::string& why) {
    if (why_.empty()) why_ = why;
  }

  // False if the text is undecided.
  bool Parse(std::string_view text, ShellLine& line) {
    std::string why = WhyUnreadable(text);
    if (why.empty() && ++texts_ > kMaxTexts) why = "the command holds too many texts for shells";
    if (why.empty()) {
      const ShellTree tree = reader_.Read(text);
      why = tree.why;
      if (why.empty()) line = ReadShellLine(text, tree.json);
      if (why.empty()) why = line.why;
    }
    if (!why.empty()) {
      GiveUp(why);
      return false;
    }
    CollectNames(line.root);
    if (line.evaluates_values) rows_.OpenAll();
    return true;
  }

  void ReadInner(const std::string& text, const CommandScope& scope) {
    ShellLine line;
    if (Parse(text, line)) Walk(line.root, scope);
  }

  // Names that the text gives a meaning; where it does so makes no difference.
  void CollectNames(const Statement& root) {
    ForEachStatement(root, [&](const Statement& statement) {
      if (statement.form == StatementForm::kFunction) {
        names_.functions.insert(statement.name);
        if (AnyCommand(statement, MayChangeFolder)) names_.functions_change_folder = true;
      }
      if (MayChangeFolder(statement)) changes_folder_ = true;
      if (!statement.words.empty()) CollectAliases(statement);
      // An assignment in front of a program is for that program alone; builtins keep some.
      const bool stays = statement.words.empty() || !statement.words[0].known() ||
                         IsBuiltin(statement.words[0].text);
      for (const ShellWord& item : statement.items) AddValue(statement.name, item);
      for (const Assignment& one : statement.assignments) {
        AddValue(one.name, one.value);
        if (one.name == "HOME" || one.name == "PWD") changes_home_ = true;
        if (!stays) continue;
        if (ChangesPrograms(one.name)) names_.changes_programs = true;
        if (ChangesGit(one.name, one.value.known() ? one.value.text : "?"))
          names_.changes_git = true;
      }
      if (IsName(statement, "source") || IsName(statement, ".")) names_.changes_programs = true;
      for (const char* builtin : {"read", "printf", "getopts", "mapfile", "readarray"})
        if (IsName(statement, builtin))
          for (const ShellWord& word : statement.words) variables_[word.text].is_computed = true;
      // Builtins that assign to the variables that they are given.
      for (const char* builtin : {"read", "printf", "unset", "export", "getopts", "typeset"}) {
        if (!IsName(statement, builtin)) continue;
        for (const ShellWord& word : statement.words) {
          const std::string name = word.text.substr(0, word.text.find_first_of("=["));
          if (ChangesPrograms(name)) names_.changes_programs = true;
          if (RunsByItself(name)) names_.any_alias = true;
          if (name == "HOME" || name == "PWD") changes_home_ = true;
        }
      }
    });
  }

  void AddValue(const std::string& variable, const ShellWord& value) {
    VariableValues& all = variables_[variable];
    const bool is_temporary = !value.complete && !value.is_computed && !value.text.empty();
    const bool is_other = value.is_computed && !value.variable.empty();
    if (value.complete || value.is_pattern || is_temporary || is_other) all.values.push_back(value);
    else all.is_computed = true;
  }

  void CollectAliases(const Statement& statement) {
    std::size_t at = 0;
    while (at + 1 < statement.words.size() &&
           (statement.words[at].text == "command" || statement.words[at].text == "builtin"))
      ++at;
    if (statement.words[at].text != "alias") return;
    for (++at; at < statement.words.size(); ++at) {
      const ShellWord& word = statement.words[at];
      const std::size_t equals = word.text.find('=');
      if (word.text.starts_with('-') && word.text != "-p") names_.any_alias = true;
      if (equals != word.text.npos) names_.aliases.insert(word.text.substr(0, equals));
      else if (!word.known()) names_.any_alias = true;
    }
  }

  FoldersAfter Walk(const Statement& statement, const CommandScope& outer) {
    CommandScope scope = outer;
    scope.repeats = scope.repeats || statement.is_background;
    for (const Statement& inner : statement.substitutions) {
      CommandScope aside = scope;
      aside.repeats = true;
      Walk(inner, aside);
    }
    for (const Redirection& one : statement.redirections) Redirect(one, scope);
    FoldersAfter after = WalkParts(statement, scope);
    if (statement.is_negated) after.success = after.any;
    if (statement.is_background || statement.form == StatementForm::kSubshell)
      return {scope.folders, scope.folders};
    return after;
  }

  FoldersAfter WalkParts(const Statement& statement, CommandScope scope) {
    const Folders before = scope.folders;
    switch (statement.form) {
      case StatementForm::kCommand: return Command(statement, std::move(scope));
      case StatementForm::kSequence:
      case StatementForm::kSubshell: {
        FoldersAfter after{before, before};
        for (const Statement& part : statement.parts) {
          scope.folders = after.any;
          after = Walk(part, scope);
        }
        return after;
      }
      case StatementForm::kAnd: {
        FoldersAfter after{before, before};
        for (const Statement& part : statement.parts) {
          scope.folders = after.success;
          const FoldersAfter one = Walk(part, scope);
          after = {one.success, UnionOf(after.any, one.any)};
        }
        return after;
      }
      case StatementForm::kOr: {
        FoldersAfter after = Walk(statement.parts.front(), scope);
        for (std::size_t i = 1; i < statement.parts.size(); ++i) {
          scope.folders = after.any;
          const FoldersAfter one = Walk(statement.parts[i], scope);
          after = {UnionOf(after.success, one.success), UnionOf(after.any, one.any)};
        }
        return after;
      }
      case StatementForm::kPipe: {
        FoldersAfter after{before, before};
        scope.repeats = true;
        for (const Statement& part : statement.parts) {
          after = Walk(part, scope);
          scope.has_input = true;
          if (!part.words.empty() && part.words[0].complete)
            if (const ProgramRule* rule = FindProgram(NameOfProgram(part.words[0].text));
                rule != nullptr && rule->operands == Operands::kFind)
              scope.found = commands_.FoundBy(part.words, scope.folders);
        }
        // In some shells the last part runs in the shell itself.
        const Folders either = UnionOf(before, after.any);
        return {either, either};
      }
      case StatementForm::kEither: {
        Folders any = before;
        for (const Statement& part : statement.parts) {
          scope.folders = any;
          any = UnionOf(any, Walk(part, scope).any);
        }
        return {any, any};
      }
      case StatementForm::kLoop: {
        if (AnyCommand(statement, MayChangeFolder)) scope.folders = kAnyFolder;
        scope.repeats = true;
        for (const ShellWord& item : statement.items) rows_.Name(item, scope.folders);
        for (const Statement& part : statement.parts) Walk(part, scope);
        return {scope.folders, scope.folders};
      }
      case StatementForm::kFunction: {
        if (changes_folder_) scope.folders = kAnyFolder;
        scope.repeats = true;
        for (const Statement& part : statement.parts) Walk(part, scope);
        return {before, before};
      }
    }
    return {before, before};
  }

  FoldersAfter Command(const Statement& statement, CommandScope scope) {
    for (const Assignment& one : statement.assignments) {
      const std::string value = one.value.known() ? one.value.text : "?";
      rows_.Name(one.value, scope.folders);
      if (RunsByItself(one.name)) rows_.OpenAll();
      if (ChangesPrograms(one.name)) scope.changes_programs = true;
      if (ChangesGit(one.name, value)) scope.changes_git = true;
    }
    if (statement.words.empty()) return {scope.folders, scope.folders};
    if (!changes_home_) return commands_.Run(statement.words, std::move(scope));
    std::vector<ShellWord> words = statement.words;
    for (ShellWord& word : words) LoseStart(word);
    return commands_.Run(words, std::move(scope));
  }

  // `$HOME` is not known where the text assigns to it.
  static void LoseStart(ShellWord& word) {
    if (word.start == WordStart::kText) return;
    word = UnknownWord();
  }

  void Redirect(const Redirection& redirection, CommandScope& scope) {
    if (redirection.is_input) scope.has_input = true;
    if (redirection.kind == RedirectionKind::kText) return;
    ShellWord path = redirection.path;
    if (changes_home_) LoseStart(path);
    for (const std::string_view socket : {"/dev/tcp/", "/dev/udp/"}) {
      if (!path.text.starts_with(socket)) continue;
      ShellWord address = path;
      address.text.replace(0, socket.size(), std::string(socket.substr(5, 3)) + "://");
      const std::size_t port = address.text.find('/', 6);
      if (port != address.text.npos) address.text[port] = ':';
      return rows_.Fetch(address);
    }
    rows_.SetNamesTargets(true);
    if (redirection.kind != RedirectionKind::kReads) rows_.Edit(path, scope.folders);
    if (redirection.kind != RedirectionKind::kWrites) rows_.Read(path, scope.folders);
  }

  // A program with words that are all known, alone in its statement.
  bool IsPlainRun(const Statement& one) const {
    if (one.form != StatementForm::kCommand || one.is_group || one.is_negated ||
        one.is_background || one.words.empty() || !one.assignments.empty() ||
        !one.substitutions.empty())
      return false;
    for (const ShellWord& word : one.words)
      if (!word.known() || names_.aliases.contains(word.text)) return false;
    for (const Redirection& redirection : one.redirections)
      if (!redirection.path.complete && redirection.kind != RedirectionKind::kText) return false;
    return !one.words[0].text.empty() && !names_.functions.contains(one.words[0].text);
  }

  // Whether a program of this name ran if the shell says that it did, and no other.
  static bool IsProgramAlone(const std::string& program) {
    if (IsBuiltin(program)) return false;
    const ProgramRule* const rule = FindProgram(program);
    if (rule == nullptr) return true;
    switch (rule->operands) {
      case Operands::kRuns:
      case Operands::kAssignedRuns:
      case Operands::kShell:
      case Operands::kXargs:
      case Operands::kPrints:
      case Operands::kFind: return false;
      default: return true;
    }
  }

  void AddSucceeded(const Statement& one) {
    if (!IsProgramAlone(NameOfProgram(one.words[0].text))) return;
    ProgramCall run{one.words[0].text, {}};
    for (std::size_t i = 1; i < one.words.size(); ++i) run.arguments.push_back(one.words[i].text);
    if (std::find(views_.succeeded.begin(), views_.succeeded.end(), run) == views_.succeeded.end())
      views_.succeeded.push_back(std::move(run));
  }

  // The whole text is one command or one chain of `&&`. A member that may leave the shell, or
  // change what later names mean or where they run, ends the evidence.
  void AddEvidence(const Statement& root) {
    if (root.parts.size() != 1 || names_.changes_programs || !names_.functions.empty()) return;
    const Statement& line = root.parts[0];
    if (line.is_negated || line.is_background || !line.redirections.empty()) {
      if (line.form != StatementForm::kCommand || line.is_negated || line.is_background) return;
    }
    const bool is_chain = line.form == StatementForm::kAnd;
    if (!is_chain && line.form != StatementForm::kCommand) return;
    Folders folders = paths_.folder();
    const std::size_t count = is_chain ? line.parts.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const Statement& one = is_chain ? line.parts[i] : line;
      if (!IsPlainRun(one)) return;
      const std::string& program = one.words[0].text;
      if (program == "cd" && one.words.size() == 2 && one.redirections.empty() &&
          !one.words[1].text.starts_with('-')) {
        folders = paths_.FoldersAt(paths_.PathsOf(one.words[1], folders));
        continue;
      }
      if (!paths_.IsProject(folders)) return;
      if (IsBuiltin(program)) {
        if (!IsHarmlessBuiltin(program)) return;
        continue;
      }
      AddSucceeded(one);
    }
  }

  CallPaths paths_;
  ShellReader& reader_;
  CallViews& views_;
  Variables variables_;
  RowWriter rows_;
  ShellNames names_;
  CommandViews commands_;
  bool changes_folder_ = false;
  bool changes_home_ = false;
  int texts_ = 0;
  std::string why_;
};

}  // namespace

CallViews ViewsOfShell(std::string_view text, const CallPlace& place, ShellReader& reader) {
  CallViews views;
  ShellViews walk(place, reader, views);
  walk.ReadText(text);
  return walk.why().empty() ? views : UndecidedViews(walk.why());
}

CallViews ViewsOfWords(const std::vector<std::string>& words, const CallPlace& place,
                       ShellReader& reader) {
  if (words.size() == 3 && (words[1] == "-c" || words[1] == "-lc")) {
    const std::string shell = NameOfProgram(words[0]);
    if (shell == "bash" || shell == "sh" || shell == "zsh")
      return ViewsOfShell(words[2], place, reader);
  }
  CallViews views;
  ShellViews walk(place, reader, views);
  walk.ReadWords(words);
  return walk.why().empty() ? views : UndecidedViews(walk.why());
}

}  // namespace rpl
