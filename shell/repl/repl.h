// SPDX-License-Identifier: Apache-2.0
//
// The interactive shell: entries (shell/repl/entry.h), answered one after another, and commands
// that begin with a dot. docs/shell.md describes it.
//
// Standard output carries answers and the results of commands; findings, notes, the log, progress
// and questions go to standard error, prompts to the terminal. An entry that is invalid, cancelled
// or beyond a limit leaves the session as it was, and stays in the history for editing. Without a
// person, entries are the lines of standard input.
#ifndef RPL_SHELL_REPL_REPL_H_
#define RPL_SHELL_REPL_REPL_H_

#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "shell/program/options.h"
#include "shell/repl/answer_form.h"
#include "shell/repl/history.h"
#include "shell/repl/line_reader.h"
#include "shell/repl/session.h"
#include "shell/terminal/colours.h"
#include "shell/terminal/report.h"

namespace rpl {

class ScriptedAgent;
class ToolSetup;

/// The shell. Questions of its session are asked at the prompt.
class Repl : private People, private ChatSink {
 public:
  /// Borrows the options.
  explicit Repl(const ReplOptions& options);
  ~Repl() override;

  /// Loads the documents and answers entries to the end of the input. Returns the exit code, which
  /// is kExitInvalid if an entry was invalid and no person is present.
  int Run();

 private:
  /// A command of the shell; `takes` is its parameter, "" for none, "[…]" if optional.
  struct Command {
    const char* name;  // ".facts"
    const char* takes;
    const char* help;
    const char* more;  // lines for `.help NAME`: details, examples; "" for none
    void (Repl::*run)(const std::string& argument);
  };
  static const std::vector<Command>& Commands();

  // The person at the prompt.
  rpl::Answer Ask(const Question& question, Pool& pool, std::string_view refused) override;
  void Chat(const std::string& line) override;

  // The session's store; null without --session.
  ExitCode OpenStore(std::unique_ptr<SessionStore>& to);
  // Sets up tools and guard by the configuration beside the documents: those of the options, or
  // else those of the session. One that began under a policy continues under one.
  ExitCode SetUpTools(const std::optional<ProgramEvent>& last);
  // Reads the options and starts the session; after a message, an exit code other than kExitOk.
  ExitCode Begin();
  void Greet(const std::string& document) const;
  // One entry or command: Enter dispatches it, Say evaluates it, Finish prints the outcome of a
  // goal.
  void Enter(const std::string& text);
  void RunCommand(const std::string& text);
  void Say(Entry entry);
  void Pursue();
  void Finish(const Outcome& outcome);
  void PrintAnswers(const Outcome& outcome) const;
  void PrintColumns(const Outcome& outcome) const;
  void PrintTaken(const Entry& entry) const;
  // Each prints one kind of result. PrintChange returns true if the change was taken; PrintRest
  // gives the number of lines that were not shown.
  bool PrintChange(const ReplSession::Change& change, const std::string& what);
  void PrintExplained(const std::string& fact, bool absent);
  void PrintRest(std::size_t left, const char* what) const;
  void Log(const LogLine& line);
  void Error(const std::string& text);  // of what was entered
  void Alarm(const std::string& text) const;
  void Note(const std::string& text) const;
  void Coloured(const std::string& findings);
  CompletionNames Names() const;
  CompletionNames::Argument ArgumentOf(const std::string& takes) const;

  // The commands. `argument` is trimmed, and empty only if the command allows it.
  void Help(const std::string& argument);
  void Tables(const std::string& argument);
  void Schema(const std::string& argument);
  void Import(const std::string& argument);
  void SetOutput(const std::string& argument);
  void SetMaxRows(const std::string& argument);
  void Load(const std::string& argument);
  void Reload(const std::string& argument);
  void Undo(const std::string& argument);
  void Facts(const std::string& argument);
  void Rules(const std::string& argument);
  void Goals(const std::string& argument);
  void Go(const std::string& argument);
  void Step(const std::string& argument);
  void Pending(const std::string& argument);
  void AnswerWith(const std::string& argument);
  void Why(const std::string& argument);
  void WhyNot(const std::string& argument);
  void Trace(const std::string& argument);
  void Phases(const std::string& argument);
  void Limits(const std::string& argument);
  void PrintProfile(const std::string& argument);
  void Timer(const std::string& argument);
  void SetMode(const std::string& argument);
  void Save(const std::string& argument);
  void Quit(const std::string& argument);
  void HelpOn(const std::string& topic);
  void TakeFacts(const std::string& name);
  std::size_t RowsOf(const std::string& relation) const;
  // Ends `.output`; standard output is the terminal again.
  void CloseOutput();
  bool WritesFile() const { return output_.is_open(); }
  // Sets `to` from "on" or "off"; any other argument is an error.
  void Switch(const char* command, const std::string& argument, bool& to);

  /// A table formats only the answers that it shows.
  static AnswerForms FormsOf(AnswerForm mode) {
    return {mode == AnswerForm::kText, mode == AnswerForm::kJson};
  }

  // Order matters: the agents borrow each other, and the session borrows the outermost.
  const ReplOptions& options_;
  Colours colours_;
  bool interactive_;
  By by_;  // who writes the lines
  const std::unique_ptr<ToolSetup> tools_;
  const std::unique_ptr<ScriptedAgent> scripted_;
  std::unique_ptr<GateSetup> gate_;
  SessionLimits limits_;
  ReplSession session_;
  ReplHistory history_;
  std::unique_ptr<LineReader> reader_;
  AnswerForm mode_ = AnswerForm::kTable;
  std::size_t most_rows_ = 40;  // answers, or facts of a relation, that are shown; 0: all
  std::ofstream output_;        // of `.output`
  std::string output_name_;
  std::streambuf* terminal_ = nullptr;  // the buffer of std::cout before `.output`
  bool phases_ = false;
  bool timer_ = false;
  bool over_ = false;
  bool failed_ = false;  // an entry was invalid
  // kPauses: `.step` waits between phases; kRunsThrough: it prints the remaining ones without a
  // pause.
  enum class Stepping { kNo, kPauses, kRunsThrough };
  Stepping stepping_ = Stepping::kNo;
  std::optional<std::pair<int, int>> phase_;  // timestep and phase that were logged last
  std::optional<Entry> pursued_;              // the query asked last; none: the program's goals
  std::optional<Outcome> outcome_;            // of what was pursued last
};

}  // namespace rpl

#endif  // RPL_SHELL_REPL_REPL_H_
