// SPDX-License-Identifier: Apache-2.0
#include "shell/serving/protocol_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "formats/data/diagnostic_json.h"
#include "interp/lint/checker.h"
#include "interp/program/builtins.h"
#include "runtime/gate_setup.h"
#include "runtime/host/host_calls.h"
#include "runtime/nobody.h"
#include "runtime/ports.h"
#include "runtime/postgres/open_session.h"
#include "runtime/record/question_history.h"
#include "runtime/relaying_agent.h"
#include "runtime/run/run.h"
#include "runtime/run/saved_session.h"
#include "runtime/wire/standing_replies.h"
#include "shell/guard/bound_place.h"
#include "shell/program/engine_setup.h"
#include "shell/program/findings.h"
#include "shell/program/guard_setup.h"
#include "shell/program/program_files.h"
#include "shell/program/program_run.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// Whether a call, as RPL text, is answered under the key: `$ask("Q")` under "ask", `place(?where)`
// under "place" and "where", `stay(?from, ?to) for ?to` under "stay" and "to".
bool HasKey(const std::string& call, std::string_view key) {
  if (key == call) return true;
  if (key.starts_with('?') || key.starts_with('$')) key.remove_prefix(1);
  const std::size_t begin = call.starts_with('$') ? 1 : 0;
  if (call.substr(begin, call.find('(') - begin) == key) return true;
  const std::size_t only = call.rfind(" for ?");
  bool quoted = false;
  for (std::size_t i = only == call.npos ? 0 : only; i < call.size(); ++i) {
    if (call[i] == '\\') ++i;
    else if (call[i] == '"') quoted = !quoted;
    else if (!quoted && (call[i] == '?' || call[i] == '$') && i > 0 &&
             std::string_view(call).substr(i + 1).starts_with(key) &&
             std::string_view(",) ").find((call + " ")[i + 1 + key.size()]) !=
                 std::string_view::npos)
      return true;
  }
  return false;
}

ordered_json FindingsJson(const std::vector<Diagnostic>& findings, const Sources& sources) {
  ordered_json out = ordered_json::array();
  for (const Diagnostic& d : findings) out.push_back(ShortFindingJson(d, sources));
  return out;
}

}  // namespace

ordered_json CheckedText(const std::string& name, const std::string& text, const std::string& path,
                         const std::set<std::string>& tools, std::size_t* errors) {
  Sources sources;
  CheckOptions with;
  if (!path.empty()) with.reader = ReaderBeside({path});
  with.tools = tools;
  ordered_json out = ordered_json::array();
  for (const Finding& finding : CheckFiles(sources, {sources.Add(name, text)}, with)) {
    const Diagnostic& d = finding.diagnostic;
    out.push_back(ShortFindingJson(d, sources));
    if (errors != nullptr && d.severity == Severity::kError &&
        d.code != Code::kRecursionThroughNegation && d.code != Code::kCircularGoals)
      ++*errors;
  }
  return out;
}

ProtocolRun::ProtocolRun(Place place, EngineOptions engine, RunHooks hooks)
    : place_(std::move(place)), engine_(std::move(engine)), hooks_(std::move(hooks)) {
  place_.goal = GoalNamed(place_.goal);
}

ProtocolRun::~ProtocolRun() = default;

Session& ProtocolRun::session() { return run_->session(); }

std::size_t ProtocolRun::seq() { return session().Entries().size(); }

ProtocolRun::Opened ProtocolRun::Open(const Place& place, const EngineOptions& engine,
                                      RunHooks hooks) {
  Input input = ReadFile(place.protocol);
  if (!input.error.empty())
    return {nullptr, {place.name + ": " + input.error, "rpl_protocols lists the protocols", {}}};
  std::unique_ptr<ProtocolRun> run(new ProtocolRun(place, engine, std::move(hooks)));
  std::vector<ProgramFile> files = {
      {NameInSession(place.session, place.protocol), std::move(input.text)}};
  Refusal refusal = run->Begin(std::move(files));
  if (!refusal.reason.empty()) run.reset();
  return {std::move(run), std::move(refusal)};
}

Refusal ProtocolRun::Begin(std::vector<ProgramFile> files) {
  recorded_name_ = files.front().name;
  const std::vector<std::string> paths = {place_.protocol};
  // A name of --allow-tool is that of a tool of some protocol.
  ToolConfig config;
  if (ReadTools(ConfigPath(engine_.config, paths), config) != kExitOk)
    return {"the rpl.yaml beside " + place_.name + " has errors", "see the log of the server", {}};
  std::erase_if(engine_.allow_tools,
                [&](const std::string& tool) { return !MayBeAllowed(config, tool); });
  for (const ToolCommand& tool : config.tools) commands_.insert(tool.name);
  nobody_ = std::make_unique<Nobody>();
  tools_ = std::make_unique<ToolSetup>(engine_, false, *nobody_, hooks_.interrupted);
  if (tools_->Prepare(paths) != kExitOk)
    return {"the tools of " + place_.name + " cannot be used", "see the log of the server", {}};
  ExitCode guarded = kExitOk;
  gate_ = MakeGateSetup(engine_.guard, *tools_, guarded);
  if (guarded != kExitOk) return {"the policy cannot be used", "see the log of the server", {}};
  agent_ = std::make_unique<RelayingAgent>(tools_->people(), tools_->tools(), given_);

  if (place_.binds) MakeFolderOf(place_.session);
  SessionStore::Opened opened =
      OpenSession(place_.session, SessionStore::Mode::kContinue, hooks_.interrupted);
  if (opened.store == nullptr)
    return {"the session cannot be opened: " + opened.error, opened.hint, {}, true};
  if (!opened.store->damage().empty())
    return {"the session is damaged: " + opened.store->damage(), "start again with rpl_run", {}};
  // A run that binds an agent goes on with the text that it began with, until a person accepts
  // another.
  if (const auto last = place_.binds ? LastProgram(opened.store->events()) : std::nullopt)
    recorded_name_ = (files = last->files).front().name;
  if (place_.binds) opened.store->host(true);
  if (opened.store->events().empty() && AreDocumentsChecked(files)) {
    std::size_t errors = 0;
    ordered_json findings =
        CheckedText(place_.name, files.front().text, place_.protocol, commands_, &errors);
    if (errors > 0) return {place_.name + " has errors", "correct them first", std::move(findings)};
  }
  std::vector<Event> events = opened.store->events();
  for (const QuestionHistory& question : QuestionsOf(events))
    if (question.events.back().state == QuestionState::kAnswered)
      recorded_[question.call] = question.events.back().value;
  was_run_ = std::ranges::any_of(
      events, [](const Event& event) { return event.kind == Event::Kind::kTurn; });
  SessionOptions options = SessionOptionsFor(engine_, gate_.get());
  options.interrupted = hooks_.interrupted;
  options.progress = nullptr;
  options.event = hooks_.event;
  options.tell_derived = false;
  options.answer_forms = {false, true};
  // The files beside it are the program's to name, not a client's.
  Run::Opened begun = Run::Open({*agent_, *agent_, tools_->access(), given_.chat()},
                                {.files = std::move(files),
                                 .reader = ReaderBeside(paths),
                                 .messages_read = false,
                                 .options = std::move(options),
                                 .record = Recording{std::move(events), std::move(opened.store)},
                                 .retry = hooks_.retry,
                                 .goal = place_.goal});
  run_ = std::move(begun.run);
  switch (begun.why) {
    case Unopened::kNot: break;
    case Unopened::kRejected:
      return {place_.name + " has errors", "correct them; the session is as it was",
              FindingsJson(begun.findings, session().sources())};
    case Unopened::kBroken:
      return {"the session cannot be continued: " + run_->broken(), "start again with rpl_run", {}};
    case Unopened::kNoGoals:
      return {place_.name + " has no goal to run", "rpl_query answers questions about it", {}};
    case Unopened::kNoSuchGoal:
      return {"no goal of " + place_.name + " is named %" + place_.goal, "", {}};
  }
  if (const Outcome* standing = run_->Standing()) outcome_ = *standing;
  return {};
}

std::string WithName(std::string text, const std::string& file, const std::string& name) {
  if (file.empty() || file == name) return text;
  for (std::size_t at = text.find(file); at != text.npos; at = text.find(file, at + name.size()))
    text.replace(at, file.size(), name);
  return text;
}

std::string RecordedName(const std::vector<Event>& events) {
  const std::optional<ProgramEvent> program = LastProgram(events);
  return program && !program->files.empty() ? program->files.front().name : "";
}

std::string ProtocolRun::Shown(std::string text) const {
  return WithName(std::move(text), recorded_name_, place_.name);
}

std::string ProtocolRun::store_option() const { return StoreOptionAnywhere(engine_.guard); }

// What was declined and has an answer now is asked again.
void ProtocolRun::TakeBackDeclined(const std::vector<GivenAnswer>& answers) {
  std::string message;
  for (const GivenAnswer& given : answers)
    if (given.kind != GivenAnswer::Kind::kDecline && IsDeclined(given.key))
      message += TakesBack(session().Entries(), given.key) + "\n";
  if (!message.empty()) Say(message, answers.front().by);
}

bool ProtocolRun::IsDeclined(const std::string& key) {
  const TraceEntry* reply = LastReply(session().Entries(), key);
  return reply != nullptr && reply->answered->declined;
}

std::vector<std::pair<std::string, std::string>> ProtocolRun::Recorded(const std::string& key) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [call, value] : recorded_)
    if (HasKey(call, key)) out.emplace_back(call, value);
  return out;
}

const Outcome& ProtocolRun::Turn(std::vector<GivenAnswer> answers, bool again) {
  unused_.clear();
  chat_.clear();
  if (outcome_ && answers.empty() && !again && outcome_->status != Status::kToolFailed &&
      !outcome_->not_run && outcome_->status != Status::kReview)
    return *outcome_;
  TakeBackDeclined(answers);
  if (!broken_.empty()) return *outcome_;
  for (GivenAnswer& answer : answers) given_.Give(std::move(answer));
  outcome_ = run_->Turn();
  was_run_ = true;
  unused_ = given_.TakeUnused();
  chat_ = given_.TakeChat();
  for (auto& [call, value] : given_.TakeUsed()) recorded_[call] = std::move(value);
  if (!outcome_->repeatable) broken_ = "it was cut off";
  if (std::string why = run_->broken(); !why.empty()) broken_ = std::move(why);
  return *outcome_;
}

bool ProtocolRun::EndsByDeclining(const std::vector<GivenAnswer>& declines) {
  ScratchRun copy = CopyOf(place_.session, engine_, hooks_.interrupted);
  if (!copy.refusal.reason.empty()) return true;
  for (const GivenAnswer& decline : declines) copy.given->Give(decline);
  copy.of().SetGoal(place_.goal);
  const Outcome& outcome = copy.run->Turn();
  return outcome.status == Status::kFailed && !outcome.declined.empty();
}

Outcome ProtocolRun::Say(const std::string& sentences, By by) {
  Outcome said = run_->Say("<message>.rpl", sentences, by);
  if (said.status == Status::kRejected && !said.hint.empty()) return said;  // nothing was taken in
  if (!said.repeatable) broken_ = "it was cut off";
  if (std::string why = run_->broken(); !why.empty()) broken_ = std::move(why);
  outcome_.reset();  // the next turn pursues the goal anew
  if (!broken_.empty()) outcome_ = said;
  return said;
}

// --- What is not kept ----------------------------------------------------------------------

namespace {

SessionOptions ScratchOptions(const EngineOptions& engine, std::function<bool()> interrupted) {
  SessionOptions options = SessionOptionsFor(engine);
  options.interrupted = std::move(interrupted);
  options.progress = nullptr;
  options.answer_forms = {false, true};
  return options;
}

}  // namespace

ScratchRun::ScratchRun() = default;
ScratchRun::ScratchRun(ScratchRun&&) noexcept = default;
ScratchRun::~ScratchRun() = default;

Session& ScratchRun::of() { return run->session(); }

ScratchRun ScratchOf(const std::string& path, const std::string& name, const EngineOptions& engine,
                     std::function<bool()> interrupted) {
  ScratchRun out;
  out.file = name;
  Input input = ReadFile(path);
  if (!input.error.empty()) {
    out.refusal = {name + ": " + input.error, "rpl_protocols lists the protocols", {}};
    return out;
  }
  out.nobody = std::make_unique<Nobody>();
  out.tools = std::make_unique<ToolSetup>(engine, false, *out.nobody);
  out.tools->OnlyRead();
  if (out.tools->Prepare({path}) != kExitOk) {
    out.refusal = {"the rpl.yaml beside " + name + " has errors", "see the log of the server", {}};
    return out;
  }
  // The files beside it are the program's to name, not a client's.
  Run::Opened begun = Run::Open({*out.nobody, out.tools->tools(), out.tools->access()},
                                {.files = {{name, std::move(input.text)}},
                                 .reader = ReaderBeside({path}),
                                 .messages_read = false,
                                 .options = ScratchOptions(engine, std::move(interrupted))});
  out.run = std::move(begun.run);
  if (!begun)
    out.refusal = {name + " has errors", "correct them first",
                   FindingsJson(begun.findings, out.of().sources())};
  return out;
}

ScratchRun CopyOf(const std::string& session, const EngineOptions& engine,
                  std::function<bool()> interrupted) {
  ScratchRun out;
  SessionStore::Opened opened = OpenSession(session, SessionStore::Mode::kRead);
  if (opened.store == nullptr) {
    out.refusal = {"the session cannot be read: " + opened.error, opened.hint, {}};
    return out;
  }
  const std::optional<ProgramEvent> program = LastProgram(opened.store->events());
  if (!program) {
    out.refusal = {"nothing was recorded yet", "call rpl_status", {}};
    return out;
  }
  out.file = RecordedName(opened.store->events());
  out.nobody = std::make_unique<Nobody>();
  out.given = std::make_unique<GivenAnswers>();
  out.agent = std::make_unique<RelayingAgent>(*out.nobody, *out.nobody, *out.given);
  out.gate = GateSetupFrom(program->guard);
  SessionOptions options = ScratchOptions(engine, std::move(interrupted));
  options.gate = out.gate.get();
  options.host = opened.store->host();
  out.run = Run::Read({*out.agent, *out.agent, *out.nobody}, opened.store->events(),
                      {.options = std::move(options)})
                .run;
  out.store = std::move(opened.store);
  if (const std::string why = out.run->broken(); !why.empty())
    out.refusal = {"the session cannot be read: " + why, "", {}};
  return out;
}

}  // namespace rpl
