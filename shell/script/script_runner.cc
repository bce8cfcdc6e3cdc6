// SPDX-License-Identifier: Apache-2.0
#include "shell/script/script_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "grammar/document.h"
#include "grammar/printer.h"
#include "runtime/model/model_agent.h"
#include "runtime/nobody.h"
#include "runtime/relaying_agent.h"
#include "runtime/run/run.h"
#include "runtime/tools/file_tools.h"
#include "runtime/wire/request_key.h"
#include "shell/script/guard_notation.h"
#include "shell/script/script_coverage.h"
#include "shell/script/script_folder.h"
#include "shell/script/script_host.h"
#include "shell/script/verify_table.h"
#include "shell/terminal/answer_script.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

using Lines = std::vector<std::string>;

// The name by which a reply matches its call.
std::string KeyOf(const Node& call) {
  if (const auto* avar = call.As<Avar>()) return avar->name;
  if (const auto* symbol = call.As<Symbol>()) return symbol->name;
  return call.As<Call>()->label;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

SessionOptions OptionsFor(const Script& script, bool strict_facts, Lines& log, Profile* profile,
                          HostDescription& host) {
  SessionOptions options;
  options.profile = profile;
  options.strict_facts = strict_facts;
  for (const ScriptStep& step : script.steps) {
    if (step.kind == TestStepKind::kNow) options.now = step.argument;
    if (step.kind == TestStepKind::kCall || step.kind == TestStepKind::kEnds) options.host = &host;
  }
  options.log = [&log](const LogLine& line) { log.push_back(LogText(line)); };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kScriptSeconds);
  options.interrupted = [end] { return std::chrono::steady_clock::now() > end; };
  return options;
}

// The results of a turn that expectations refer to.
struct Turn {
  Lines visible;                     // chat, then the reply; of a run, only its answers
  Lines reply;                       // the answers, or what came in their place
  std::vector<OpenRequest> pending;  // calls without an answer
  std::optional<Status> status;      // absent for a document that is only loaded
  std::vector<Diagnostic> diagnostics;
  std::string name;  // of the text; both are for TREE
  std::string text;
};

class Runner {
 public:
  // `profile` may be null.
  Runner(const Script& script, CommandLine run, const ScriptFacts& facts,
         const ScriptWishes& wishes, Profile* profile)
      : run_(run),
        wishes_(wishes),
        model_(
            nobody_, nobody_, permission_,
            [this](const std::string& line) { model_notes_ += "note: " + line + "\n"; }, nullptr),
        run_of_(rpl::Run::Open(
                    {agent_, agent_, nobody_,
                     [this](const std::string& line) { chat_.push_back(line); }},
                    {.files = facts.files,
                     .reader = [this](const std::string& name) { return FileNamed(name); },
                     .options = OptionsFor(script, facts.strict, log_, profile, host_.calls())})
                    .run),
        session_(run_of_->session()) {}

  // Executes a step; a description of the difference if it is an expectation that does not hold.
  std::optional<std::string> Do(const ScriptStep& step);

  // The replies that no call took although one was probably meant, each in a line: the name is
  // misspelt, or a call of that name is open. A reply may be unused because nothing is asked.
  std::string UnusedReplies(const Script& script) const;

  // What the step, which does not hold, would have to expect; nullopt if it gets no new text.
  std::optional<NewExpectation> NewExpectationOf(const ScriptStep& step) const;

  // The errors of documents, unless REJECT expected some. Such a program does not run elsewhere.
  std::optional<std::string> Rejected();

  const Program& program() const { return session_.program(); }
  const std::set<std::string>& loaded() const { return loaded_; }
  const std::string& model_notes() const { return model_notes_; }

 private:
  using Failure = std::optional<std::string>;

  std::optional<std::string> FileNamed(const std::string& name) const {
    const auto found = files_.find(name);
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }
  // A file of the script as the source that a call of `$index` names.
  rpl::Answer Source(const ToolCall& call, Pool& pool) const {
    if (call.tool != "index" || call.args.empty() || call.args[0].kind() != Kind::kString)
      return {};
    const std::string path =
        std::filesystem::path(pool.TextOf(call.args[0])).lexically_normal().string();
    const std::optional<std::string> text = FileNamed(path);
    return text ? IndexAnswer(pool, {path, *text}) : rpl::Answer();
  }
  void Load(const std::string& name, std::string text);
  void UseModel(const std::string& cassette);
  void Command(const ScriptStep& step);
  void Say(const std::string& text);
  void Run();
  void RunIfOnlyLoaded();
  void End(const Outcome& outcome, const Lines& reply);

  Failure CheckTurn(const ScriptStep& step);
  Failure CheckReply(const ScriptStep& step, std::string_view what, bool holds);
  std::string StatusText() const;
  std::string Got() const;
  Failure CheckFindings(const ScriptStep& step);
  Failure CheckLog(const ScriptStep& step);
  Failure CheckRules(const ScriptStep& step);
  Failure CheckTree(const ScriptStep& step);
  Lines Tree() const;
  bool HasReason(TestStepKind kind) const;
  static Failure CheckGuard(const ScriptStep& step);
  Failure HostStep(const ScriptStep& step);

  Lines chat_;
  Lines log_;
  std::ostringstream notes_;
  std::map<std::string, std::string> files_;
  std::set<std::string> unwritten_;  // of files_
  std::set<std::string> loaded_;     // the documents of LOAD
  const CommandLine run_;
  std::optional<ScriptFolder> folder_;  // created by the first command
  const ScriptWishes& wishes_;
  Nobody nobody_{[this](const ToolCall& call, Pool& pool) { return Source(call, pool); }};
  VouchedPermission permission_;  // a script is started by who wrote it
  std::string model_notes_;
  ModelAgent model_;
  ScriptHost host_;
  bool replied_ = false;  // a reply was added since the last turn
  AnswerScript script_{notes_};
  RelayingAgent agent_{model_, model_, script_};
  const std::unique_ptr<rpl::Run> run_of_;
  Session& session_;
  Turn turn_;
  int messages_ = 0;
  std::string rejected_;  // see Rejected
  By by_ = By::kHost;     // who gives the next replies and messages
};

void Runner::Load(const std::string& name, std::string text) {
  turn_ = {};
  turn_.name = name;
  turn_.text = std::move(text);
  turn_.diagnostics = session_.Load(turn_.name, turn_.text);
  if (!HasErrors(turn_.diagnostics)) return;
  std::ostringstream rendered;
  PrintDiagnostics(turn_.diagnostics, session_.sources(), rendered);
  rejected_ += rendered.str();
}

std::optional<std::string> Runner::Rejected() {
  if (rejected_.empty()) return std::nullopt;
  return "the program has errors:\n" + std::exchange(rejected_, {});
}

// The recorded model of a cassette, or the one that is wished for in its place. It answers what no
// REPLY does.
void Runner::UseModel(const std::string& cassette) {
  ModelConfig config;
  config.provider = ModelConfig::Provider::kCassette;
  config.file = cassette;
  config.bounds.answers_all = true;
  model_.Use(config, Permit::kAllow, true,
             wishes_.model ? wishes_.model(cassette) : MakeCassetteProvider(config));
}

void Runner::Command(const ScriptStep& step) {
  if (!folder_) folder_.emplace(run_);
  for (const std::string& name : unwritten_) folder_->Write(name, files_[name]);
  unwritten_.clear();
  folder_->Run(step.words, Joined(step.body), kScriptSeconds);
}

void Runner::Say(const std::string& text) {
  turn_ = {};
  turn_.name = fmt::format("<message {}>", ++messages_);
  turn_.text = text;
  chat_.clear();
  // Messages are written where rules may be written, too: they are the program's (decision 92).
  const Outcome outcome = run_of_->Say(turn_.name, text, by_ == By::kHost ? By::kProgram : by_);
  turn_.diagnostics = outcome.diagnostics;
  End(outcome, Session::Reply(outcome));
}

void Runner::Run() {
  turn_.diagnostics.clear();
  chat_.clear();
  const Outcome& outcome = run_of_->Turn();
  End(outcome, outcome.answers);
}

void Runner::RunIfOnlyLoaded() {
  if (turn_.status) return;
  const Turn document = turn_;
  Say("");
  turn_.name = document.name;
  turn_.text = document.text;
  turn_.diagnostics = document.diagnostics;
}

void Runner::End(const Outcome& outcome, const Lines& reply) {
  turn_.status = outcome.status;
  turn_.visible = chat_;
  turn_.visible.insert(turn_.visible.end(), reply.begin(), reply.end());
  turn_.reply = Session::Reply(outcome);
  turn_.pending = outcome.pending;
}

std::string Runner::UnusedReplies(const Script& script) const {
  std::string lines;
  const Lines unused = script_.Unused();
  auto next = unused.begin();
  for (const ScriptStep& step : script.steps) {
    if (step.kind != TestStepKind::kReply || next == unused.end() || step.argument != *next)
      continue;
    ++next;
    const std::string key = KeyOf(*step.call);
    const std::string like = script_.NameLike(key);
    const auto open =
        std::find_if(turn_.pending.begin(), turn_.pending.end(),
                     [&](const OpenRequest& request) { return KeyFits(*request, key); });
    const bool is_open = open != turn_.pending.end();
    if (like.empty() && !is_open && !host_.denied()) continue;
    lines += fmt::format("line {}, REPLY: no call took the reply for `{}`, ", step.line, key);
    lines += !like.empty() ? fmt::format("did you mean `{}`?", like)
             : is_open     ? fmt::format("`{}` is open", (*open)->id)
                           : "the goal does not ask for it yet";
    lines += "\n";
  }
  return lines;
}

std::optional<std::string> Runner::Do(const ScriptStep& step) {
  switch (step.kind) {
    case TestStepKind::kNow: return std::nullopt;  // handled by OptionsFor
    case TestStepKind::kCall:
    case TestStepKind::kEnds:
    case TestStepKind::kResult:
    case TestStepKind::kDeny:
    case TestStepKind::kPass: return HostStep(step);
    case TestStepKind::kReply:
      replied_ = true;
      script_.Add(AnswerFromTerms(step.argument, *step.call, step.reply,
                                  step.value ? *step.value : Node{Nil{}, {}}, by_));
      return std::nullopt;
    case TestStepKind::kModel: UseModel(step.argument); return std::nullopt;
    case TestStepKind::kBy: by_ = *ByOf(step.argument); return std::nullopt;
    case TestStepKind::kFile:
      files_[step.argument] = Joined(step.body);
      unwritten_.insert(step.argument);
      return std::nullopt;
    case TestStepKind::kCommand: Command(step); return std::nullopt;
    case TestStepKind::kVerifyTable: return CheckVerifyTable(step.body);
    case TestStepKind::kGuard: return CheckGuard(step);
    case TestStepKind::kExit:
    case TestStepKind::kStdout:
    case TestStepKind::kNoStdout:
    case TestStepKind::kPrints:
    case TestStepKind::kStderr:
    case TestStepKind::kNoStderr:
    case TestStepKind::kWrites:
    case TestStepKind::kNoFile:
    case TestStepKind::kFolder:
    case TestStepKind::kSame:
      if (!folder_) return "no command was run before\n";
      return folder_->Check(step);
    case TestStepKind::kDocument: Load(step.argument, Joined(step.body)); return std::nullopt;
    case TestStepKind::kLoad: {
      Input input = ReadFile(step.argument);
      if (!input.error.empty()) return fmt::format("{}: {}\n", step.argument, input.error);
      Load(step.argument, std::move(input.text));
      loaded_.insert(step.argument);
      return std::nullopt;
    }
    case TestStepKind::kUser:
      if (Failure failure = Rejected()) return failure;
      Say(Joined(step.body));
      return std::nullopt;
    case TestStepKind::kRun:
      if (Failure failure = Rejected()) return failure;
      Run();
      return std::nullopt;
    case TestStepKind::kReject:
    case TestStepKind::kAccept:
    case TestStepKind::kLint:
    case TestStepKind::kClean: return CheckFindings(step);
    case TestStepKind::kRules: return CheckRules(step);
    case TestStepKind::kTree: return CheckTree(step);
    case TestStepKind::kDefines: {
      const Lines got = session_.Definitions();
      if (got == step.body) return std::nullopt;
      return Mismatch("the definitions", step.body, got);
    }
    default: break;
  }
  if (Failure failure = Rejected()) return failure;
  RunIfOnlyLoaded();
  if (turn_.status == Status::kInterrupted) return fmt::format("not done in {} s", kScriptSeconds);
  if (step.kind == TestStepKind::kLog || step.kind == TestStepKind::kNoLog) return CheckLog(step);
  return CheckTurn(step);
}

// All lines that do not hold, each with its line number.
std::optional<std::string> Runner::CheckGuard(const ScriptStep& step) {
  std::string failures;
  std::uint32_t line = step.line;
  for (const std::string& decision : step.body) {
    ++line;
    if (decision.empty()) continue;
    if (const auto failure = CheckGuardLine(decision))
      failures += fmt::format("line {}: {}\n", line, *failure);
  }
  if (failures.empty()) return std::nullopt;
  return failures;
}

// A call of the host, its end, or what is expected of the decision. Replies are taken in before.
std::optional<std::string> Runner::HostStep(const ScriptStep& step) {
  const auto wrong = [](const std::string& why) {
    return why.empty() ? std::nullopt : std::optional(why + "\n");
  };
  if (step.kind == TestStepKind::kDeny || step.kind == TestStepKind::kPass) {
    const std::optional<std::string>& denied = host_.denied();
    if (!denied) return "no call was made before\n";
    if (step.kind == TestStepKind::kPass)
      return denied->empty()
                 ? std::nullopt
                 : std::optional("expected that it passes, got the denial\n" + *denied + "\n");
    bool holds = !denied->empty() && Contains(*denied, step.argument);
    for (const std::string& part : step.body) holds = holds && Contains(*denied, part);
    return holds ? std::nullopt
                 : std::optional(denied->empty() ? std::string("expected a denial, but it passes\n")
                                                 : "got the denial\n" + *denied + "\n");
  }
  if (Failure failure = Rejected()) return failure;
  if (!turn_.status || std::exchange(replied_, false)) Run();
  if (step.kind == TestStepKind::kResult) return wrong(host_.Result(step.argument));
  if (step.kind == TestStepKind::kCall) return wrong(host_.Call(step.argument, session_));
  host_.End(session_);
  return std::nullopt;
}

// Whether the reply is of the kind that UNSAT, FAIL or WAITING expects.
bool Runner::HasReason(TestStepKind kind) const {
  const std::string first = turn_.reply.empty() ? "" : turn_.reply.front();
  const bool fails = first.starts_with("%fail");
  const bool reason = !first.empty() && first != "true" && !fails;
  if (kind == TestStepKind::kFail) return first.starts_with("%fail(\"") && first.ends_with("\")");
  // A goal that waits is undecided, and an answer may be one line, although they look the same
  // (decision 66).
  if (kind == TestStepKind::kWaiting) return reason && turn_.status == Status::kWaiting;
  return reason && turn_.status != Status::kWaiting && turn_.status != Status::kSatisfied;
}

std::optional<std::string> Runner::CheckTurn(const ScriptStep& step) {
  switch (step.kind) {
    case TestStepKind::kAgent:
      if (turn_.visible == step.body) return std::nullopt;
      return Mismatch("these lines", step.body, turn_.visible) + "with the status " + StatusText() +
             "\n";
    case TestStepKind::kUnsat: return CheckReply(step, "a reason", HasReason(step.kind));
    case TestStepKind::kFail:
      return CheckReply(step, "one line `%fail(\"…\", \"…\")`", HasReason(step.kind));
    case TestStepKind::kWaiting:
      return CheckReply(step, "one line that names what is awaited", HasReason(step.kind));
    default: break;
  }
  if (StatusText() == step.argument) return std::nullopt;
  return fmt::format("expected the status {}, got {}", step.argument, Got());
}

std::optional<NewExpectation> Runner::NewExpectationOf(const ScriptStep& step) const {
  const auto body = [&](Lines lines) { return NewExpectation{step.line, false, std::move(lines)}; };
  const bool sound = turn_.status && !HasErrors(turn_.diagnostics) &&
                     (*turn_.status == Status::kSatisfied || *turn_.status == Status::kNothing ||
                      *turn_.status == Status::kUnsatisfied);
  switch (step.kind) {
    case TestStepKind::kAgent:
      if (!sound) return std::nullopt;
      return body(turn_.visible);
    case TestStepKind::kStatus:
      if (!sound) return std::nullopt;
      return NewExpectation{step.line, true, {StatusText()}};
    case TestStepKind::kUnsat:
    case TestStepKind::kFail:
    case TestStepKind::kWaiting:
      if (turn_.reply.size() != 1 || !HasReason(step.kind)) return std::nullopt;
      return body(turn_.reply);
    case TestStepKind::kDefines: return body(session_.Definitions());
    case TestStepKind::kTree:
      if (HasErrors(turn_.diagnostics)) return std::nullopt;
      return body(Tree());
    default: break;
  }
  if (!folder_) return std::nullopt;
  std::optional<Lines> lines = folder_->Actual(step);
  if (!lines) return std::nullopt;
  return body(std::move(*lines));
}

// As STATUS names it.
std::string Runner::StatusText() const {
  return std::string(StatusName(*turn_.status == Status::kLimit ? Status::kFailed : *turn_.status));
}

// The status and the reply.
std::string Runner::Got() const { return StatusText() + "\n" + Listing(turn_.reply); }

// Requires exactly one line of reply that contains all body lines, and `holds`.
std::optional<std::string> Runner::CheckReply(const ScriptStep& step, std::string_view what,
                                              bool holds) {
  holds = holds && turn_.reply.size() == 1 &&
          std::all_of(step.body.begin(), step.body.end(),
                      [&](const std::string& part) { return Contains(turn_.reply.front(), part); });
  if (holds) return std::nullopt;
  std::string expected = fmt::format("expected {}", what);
  if (!step.body.empty()) expected += ", with\n" + Listing(step.body);
  else expected += "\n";
  return expected + "got the status " + Got();
}

std::optional<std::string> Runner::CheckFindings(const ScriptStep& step) {
  std::ostringstream rendered;
  PrintDiagnostics(turn_.diagnostics, session_.sources(), rendered);
  const bool errors = HasErrors(turn_.diagnostics);
  const bool warnings =
      std::any_of(turn_.diagnostics.begin(), turn_.diagnostics.end(),
                  [](const Diagnostic& d) { return d.severity == Severity::kWarning; });
  bool holds = true;
  std::string_view wanted;
  switch (step.kind) {
    case TestStepKind::kReject:
      wanted = "an error with", holds = errors;
      rejected_.clear();
      break;
    case TestStepKind::kAccept: wanted = "no error", holds = !errors; break;
    case TestStepKind::kLint:
      wanted = "no error, and a warning with", holds = !errors && warnings;
      break;
    default: wanted = "no finding", holds = turn_.diagnostics.empty(); break;
  }
  for (const std::string& part : step.body) holds = holds && Contains(rendered.str(), part);
  if (holds) return std::nullopt;
  return fmt::format("expected {}\n{}got\n{}", wanted, Listing(step.body),
                     turn_.diagnostics.empty() ? "  (no finding)\n" : rendered.str());
}

std::optional<std::string> Runner::CheckLog(const ScriptStep& step) {
  if (step.kind == TestStepKind::kNoLog) {
    for (const std::string& part : step.body) {
      for (const std::string& line : log_) {
        if (!part.empty() && Contains(line, part)) {
          return Mismatch("no line of the log with", {part}, {line});
        }
      }
    }
    return std::nullopt;
  }
  auto at = log_.begin();
  for (const std::string& part : step.body) {
    at =
        std::find_if(at, log_.end(), [&](const std::string& line) { return Contains(line, part); });
    if (at == log_.end()) return Mismatch("next in the log, a line with", {part}, log_);
    ++at;
  }
  return std::nullopt;
}

std::optional<std::string> Runner::CheckRules(const ScriptStep& step) {
  const Lines rules = session_.Rules();
  for (const std::string& part : step.body) {
    const bool found = std::any_of(rules.begin(), rules.end(),
                                   [&](const std::string& rule) { return Contains(rule, part); });
    if (!found) return Mismatch("a rule with", {part}, rules);
  }
  return std::nullopt;
}

Lines Runner::Tree() const {
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t file = sources.Add(turn_.name, turn_.text);
  Message message;
  if (turn_.name.starts_with("<message")) message = ReadMessage(sources, file, ignored);
  else message.document = ReadDocument(sources, file, ignored);
  if (message.query) return {PrintTree(*message.query)};
  if (message.document.sentences.empty()) return {};
  return {PrintTree(message.document.sentences.back().sentence)};
}

std::optional<std::string> Runner::CheckTree(const ScriptStep& step) {
  const Lines got = Tree();
  if (got == step.body) return std::nullopt;
  return Mismatch("the tree", step.body, got);
}

}  // namespace

ScriptRun RunScriptFor(const Script& script, CommandLine run, const ScriptFacts& facts,
                       const ScriptWishes& wishes) {
  ScriptRun out;
  std::uint32_t line = script.line;
  std::string name = "the start";
  auto failed = [&](std::string_view why) {
    out.failure = fmt::format("line {}, {}: {}", line, name, why);
  };
  try {
    Profile profile;
    Runner runner(script, run, facts, wishes, wishes.coverage ? &profile : nullptr);
    for (const ScriptStep& step : script.steps) {
      line = step.line;
      name = step.name;
      const std::optional<std::string> failure = runner.Do(step);
      if (!failure) continue;
      std::optional<NewExpectation> expected;
      if (wishes.update) expected = runner.NewExpectationOf(step);
      if (expected) {
        out.expected.push_back(std::move(*expected));
        continue;
      }
      failed(*failure);
      break;
    }
    if (out.failure.empty())
      if (const std::optional<std::string> rejected = runner.Rejected()) failed(*rejected);
    out.failure += runner.UnusedReplies(script);
    if (!out.failure.empty()) out.failure += runner.model_notes();
    if (wishes.coverage) out.coverage = CoverageJson(runner.program(), profile, runner.loaded());
  } catch (const std::exception& e) {
    failed(fmt::format("internal error: {}", e.what()));
  } catch (...) {
    failed("internal error: an unknown exception");
  }
  return out;
}

std::optional<std::string> RunScript(const Script& script, CommandLine run,
                                     const ScriptFacts& facts) {
  std::string failure = RunScriptFor(script, run, facts, {}).failure;
  if (failure.empty()) return std::nullopt;
  return failure;
}

}  // namespace rpl
