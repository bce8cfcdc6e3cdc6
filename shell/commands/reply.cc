// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "runtime/gate_setup.h"
#include "runtime/nobody.h"
#include "runtime/ports.h"
#include "runtime/relaying_agent.h"
#include "runtime/run/run.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/program/engine_setup.h"
#include "shell/program/guard_setup.h"
#include "shell/program/known_names.h"
#include "shell/program/program_run.h"
#include "shell/program/tool_setup.h"
#include "shell/repl/entry.h"
#include "shell/terminal/answer_script.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl reply [FILE]: answers one user message by §15.9.
struct ReplyOptions {
  std::string file;  // "" for standard input
  EngineOptions engine;
};

constexpr const char* kReplyFooter =
    R"(If the last line of the message starts with `%`, it is the query.

Examples
  printf "user('foo')\n%% <- user(?u), \$json(?u)\n" | rpl reply
  rpl reply message.md
  rpl reply message.md --answer focus=clarity
  rpl reply message.md --format json)";

// Exit codes: that of the outcome; kExitInvalid after errors in the message.
int CommandReply(const ReplyOptions& options) {
  const bool from_file = !options.file.empty() && options.file != "-";
  const Input input = from_file ? ReadFile(options.file) : ReadStandardInput();
  if (Interrupted()) return kExitInterrupted;
  if (!input.error.empty()) {
    Complain(
        from_file ? options.file : "standard input", input.error,
        from_file ? "the message is read from this file; without one, from standard input" : "");
    return kExitFile;
  }
  Nobody nobody;  // standard input was the message
  ToolSetup tools(options.engine, false, nobody);
  if (const ExitCode code = tools.Prepare({}); code != kExitOk) return code;
  ExitCode guarded = kExitOk;
  const std::unique_ptr<GateSetup> gate = MakeGateSetup(options.engine.guard, tools, guarded);
  if (guarded != kExitOk) return guarded;
  AnswerScript script(std::cerr);
  RelayingAgent agent(tools.people(), tools.tools(), script);
  if (const ExitCode code = AddAnswers(options.engine, script); code != kExitOk) return code;

  const std::unique_ptr<Run> run =
      Run::Open({agent, agent, tools.access(), options.engine.events ? nullptr : PrintChat},
                {.reader = ReaderBeside({from_file ? options.file : "message"}),
                 .options = SessionOptionsFor(options.engine, gate.get())})
          .run;
  Session& session = run->session();
  const std::string name = from_file ? options.file : "<message 1>";
  const Outcome outcome = run->Say(name, input.text);
  PrintDiagnostics(outcome.diagnostics, session.sources(), std::cerr);
  if (options.engine.events) PrintDone(outcome, session.pool());
  else PrintReply(outcome, session.pool(), *options.engine.format);
  if (outcome.status == Status::kUnsatisfied)
    for (const std::string& unknown : UnknownCalls(session, CallsOf(name, input.text)))
      std::cerr << "note: " << Printable(unknown) << '\n';
  if (outcome.status == Status::kNothing) {
    std::cerr << "note: no query: the last line of the message does not start with `%`\n";
  }
  if (const ExitCode code = ReportAnswers(script); code != kExitOk) return code;
  if (Interrupted()) return kExitInterrupted;
  return HasErrors(outcome.diagnostics) ? kExitInvalid : ExitCodeOf(outcome.status);
}

}  // namespace

Command DescribeReply(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<ReplyOptions>();
  ReplyOptions& to = *options;
  command.Add("FILE", to.file, "The message (default: standard input)").Check(CheckNamed);
  AddEngineOptions(command, to.engine);
  AddGuardOptions(command, to.engine.guard);
  AddToolOptions(command, to.engine, "default: none");
  command.Footer(kReplyFooter);
  return {.run = [options] { return CommandReply(*options); },
          .limits = &to.engine.limits,
          .threads = &to.engine.threads};
}

}  // namespace rpl
