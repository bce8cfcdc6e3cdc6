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

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/program/options.h"
#include "shell/repl/console.h"
#include "shell/repl/session.h"
#include "shell/terminal/exit_code.h"

namespace rpl {

class AnswerPrinter;
class AnswerScript;
class LineReader;
class RelayingAgent;
class ReplHistory;
class SessionStore;
class SessionViews;
class StepLog;
class TerminalAgent;
class ToolSetup;
struct ReplCommand;

/// The shell. Questions of its session are asked at the prompt.
class Repl : private People {
 public:
  /// Borrows the options.
  explicit Repl(const ReplOptions& options);
  ~Repl() override;

  /// Loads the documents and answers entries to the end of the input. Returns the exit code, which
  /// is kExitInvalid if an entry was invalid and no person is present.
  int Run();

 private:
  static const std::vector<ReplCommand>& Commands();
  // What a row of the table runs.
  template <auto kRun>
  static void Do(Repl& shell, const std::string& argument) {
    (shell.*kRun)(argument);
  }
  template <auto kShow>
  static void Show(Repl& shell, const std::string& argument);

  // The person at the prompt.
  rpl::Answer Ask(const Question& question, Pool& pool, std::string_view refused) override;
  void Open(OpenQuestions open) override;
  // Takes the answer back that the person wants to give again; false if there is none.
  bool TakeAnswerBack();

  // The session's store; null without --session.
  ExitCode OpenStore(std::unique_ptr<SessionStore>& to);
  // Sets up tools and guard by the configuration beside the documents: those of the options, or
  // else those of the session. One that began under a policy continues under one.
  ExitCode SetUpTools(const std::optional<ProgramEvent>& last);
  // Reads the options and starts the session; after a message, an exit code other than kExitOk.
  ExitCode Begin();
  void Greet(const std::string& document) const;
  // One entry or command: Enter dispatches it, Say evaluates it.
  void Enter(const std::string& text);
  void RunCommand(const std::string& text);
  void Say(Entry entry);
  void Pursue();
  // Prints an outcome, unless what was pursued goes on with an answer that is taken back.
  void Finish(const Outcome& outcome) const;
  void PrintTaken(const Entry& entry) const;
  // Prints what a change led to; true if it was taken.
  bool PrintChange(const ReplSession::Change& change, const std::string& what);

  // The commands. `argument` is trimmed, and empty only if the command allows it.
  void Help(const std::string& argument);
  void Import(const std::string& argument);
  void SetOutput(const std::string& argument);
  void SetMaxRows(const std::string& argument);
  void Load(const std::string& argument);
  void Reload(const std::string& argument);
  void Undo(const std::string& argument);
  void Go(const std::string& argument);
  void Step(const std::string& argument);
  void Pending(const std::string& argument);
  void AnswerWith(const std::string& argument);
  void Phases(const std::string& argument);
  void Limits(const std::string& argument);
  void Timer(const std::string& argument);
  void SetMode(const std::string& argument);
  void Save(const std::string& argument);
  void Quit(const std::string& argument);
  void TakeFacts(const std::string& name);
  // Sets `to` from "on" or "off"; any other argument is an error.
  void Switch(const char* command, const std::string& argument, bool& to);

  // Order matters: the agents borrow each other, and the session borrows the outermost.
  const ReplOptions& options_;
  ReplConsole console_;
  const std::unique_ptr<AnswerPrinter> answers_;
  const std::unique_ptr<StepLog> step_log_;
  const By by_;  // who writes the lines
  const std::unique_ptr<TerminalAgent> person_;
  const std::unique_ptr<ToolSetup> tools_;
  const std::unique_ptr<AnswerScript> script_;
  const std::unique_ptr<RelayingAgent> agent_;
  std::unique_ptr<GateSetup> gate_;
  SessionLimits limits_;
  ReplSession session_;
  const std::unique_ptr<SessionViews> views_;
  const std::unique_ptr<ReplHistory> history_;
  std::unique_ptr<LineReader> reader_;
  bool phases_ = false;
  bool timer_ = false;
  bool over_ = false;
  std::optional<Entry> pursued_;    // the query asked last; none: the program's goals
  std::optional<Outcome> outcome_;  // of what was pursued last
};

}  // namespace rpl

#endif  // RPL_SHELL_REPL_REPL_H_
