// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/session.h"

#include <algorithm>
#include <set>

#include "grammar/document.h"
#include "grammar/namespaces.h"
#include "grammar/parser.h"
#include "grammar/printer.h"
#include "interp/eval/engine.h"
#include "interp/program/program.h"
#include "interp/sql/sql_push.h"
#include "interp/store/store.h"
#include "runtime/explained.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/door.h"
#include "runtime/facts/facts_file.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/said.h"
#include "runtime/facts/source_feed.h"
#include "runtime/outcome.h"
#include "runtime/record/journal.h"
#include "runtime/step/goal_pursuit.h"
#include "runtime/step/host_check.h"
#include "runtime/step/inbox.h"
#include "runtime/step/run_parts.h"
#include "runtime/step/step_state.h"
#include "runtime/step/timestep.h"

namespace rpl {
std::string_view StatusName(Status status) {
  switch (status) {
    case Status::kNothing: return "nothing";
    case Status::kSatisfied: return "satisfied";
    case Status::kUnsatisfied: return "unsatisfied";
    case Status::kWaiting: return "waiting";
    case Status::kFailed: return "failed";
    case Status::kLimit: return "limit";
    case Status::kRejected: return "rejected";
    case Status::kToolFailed: return "tool-failed";
    case Status::kInterrupted: return "interrupted";
    case Status::kReview: return "review";
  }
  return "";
}

namespace {

Outcome Rejected(const Refused& refused) {
  Outcome out;
  Diagnostics found;
  found.Add({Code::kRefusedFact, Severity::kError, refused.at, refused.reason, refused.hint});
  out.diagnostics = found.all();
  out.status = Status::kRejected;
  out.reason = refused.reason;
  out.hint = refused.hint;
  return out;
}

}  // namespace

struct Session::State {
  State(Ports ports, SessionOptions options)
      : journal(options.journal),
        strict_facts(options.strict_facts),
        door(options.door),
        person(options.person),
        runtime(ports, std::move(options)),
        parts(runtime.parts()),
        reader(parts.sources, [this](const Document& document, bool named, Diagnostics& out) {
          parts.inbox.Put(document, named ? From::kDocument : from, named ? By::kProgram : by, out);
        }) {
    if (journal != nullptr)
      reader.SetRecord(
          [this](const std::string& name, const auto& read) { return journal->File(name, read); });
  }

  void TakeIn(Document document, From says, By who, Diagnostics& out) {
    from = says;
    by = who;
    reader.Read(std::move(document), out);
  }
  std::vector<Diagnostic> Load(const std::string& name, std::string text, From says, By who);
  bool Goes();
  bool HasWork() const;
  Outcome Report();
  Outcome Pursue(const Definition& query);
  std::optional<Outcome> StepGoals();
  Outcome Said(const std::string& name, std::string text, By who);

  Journal* journal;
  bool strict_facts;
  bool door;
  std::string person;
  Runtime runtime;
  RunParts& parts;  // its
  NamespaceReader reader;
  From from = From::kDocument;  // of the text that is read
  By by = By::kProgram;         // who states it
  std::size_t steps = 0;        // of the goal that is pursued
  StepState step;               // of the last timestep
  std::string goal;             // the named goal of runs, "" for none
  bool running = false;         // the program's goals are, and the turn is not over
};

std::vector<Diagnostic> Session::State::Load(const std::string& name, std::string text, From says,
                                             By who) {
  Diagnostics out;
  if (const std::optional<FactsName> facts = FactsNameOf(name)) {
    Sources& sources = parts.sources;
    const std::uint32_t file = sources.Add(facts->path, std::move(text));
    // A page of a recorded session shows the texts of its program.
    Store& store = parts.engine.store;
    parts.inbox.Put(journal == nullptr
                        ? ReadFactsOnce(sources, file, *facts, strict_facts, store, out)
                        : ReadFacts(sources, file, *facts, strict_facts, store, out));
    return out.all();
  }
  const std::uint32_t file = parts.sources.Add(name, std::move(text));
  Document document = ReadDocument(parts.sources, file, out, FactForm::kPlain);
  TakeIn(std::move(document), says, who, out);
  out.Sort();
  return out.all();
}

// Runs one timestep; true if another has work to do.
bool Session::State::Goes() {
  step = runtime.Step(std::move(step));
  ++steps;
  return HasWork() && steps < parts.budget.max_timesteps();
}

bool Session::State::HasWork() const { return runtime.has_replies(); }

Outcome Session::State::Report() {
  Outcome outcome = runtime.Report(step, HasWork());
  runtime.EndRun(outcome.status);
  return outcome;
}

Outcome Session::State::Pursue(const Definition& query) {
  runtime.SetGoal(&query, true);
  steps = 0;
  while (Goes()) {
  }
  return Report();
}

Session::Session(Ports ports, SessionOptions options)
    : state_(std::make_unique<State>(ports, std::move(options))) {}

Session::~Session() = default;

void Session::SetFileReader(FileReader reader) { state_->reader.SetFiles(std::move(reader)); }

std::vector<Diagnostic> Session::Load(const std::string& name, std::string text, By by) {
  return state_->Load(name, std::move(text), From::kDocument, by);
}

std::vector<Diagnostic> Session::LoadTrace(const std::string& name, CarriedTrace trace) {
  state_->parts.inbox.SetTraceBy(std::move(trace.by));
  return state_->Load(name, std::move(trace.text), From::kTrace, By::kHost);
}

// What comes from outside names no files, and is not recorded if it is refused.
Outcome Session::State::Said(const std::string& name, std::string text, By who) {
  Diagnostics out;
  const bool live = journal == nullptr || journal->live();
  const bool outside = who != By::kProgram && (door || live);
  const std::uint32_t file = parts.sources.Add(name, text);
  Message message = ReadMessage(parts.sources, file, out, FactForm::kPlain);
  Outcome outcome;
  if (outside) {
    const std::optional<Refused> refused = parts.inbox.PutSaid(message.document, who, live, out);
    if (refused) return Rejected(*refused);
  }
  if (journal != nullptr) journal->Turn({name, std::move(text), who, "", person});
  if (!outside) {
    if (parts.inbox.FiltersGuardData()) parts.door.FilterGuardData(message.document, out);
    TakeIn(std::move(message.document), From::kMessage, who, out);
  }
  std::optional<Definition> query;
  if (message.query) {
    reader.ReadFiles(FilesNamed(*message.query), out);
    query = parts.engine.program.LowerQuery(*message.query, out);
  }
  out.Sort();
  if (out.has_errors() && message.query_line) {
    outcome.status = Status::kRejected;
    for (const Diagnostic& d : out.all())
      if (d.severity == Severity::kError) {
        outcome.reason = d.message + (d.hint.empty() ? "" : "; " + d.hint);
        break;
      }
    runtime.SetGoal(nullptr, false);
    step = runtime.Step(std::move(step));
  } else if (query) {
    outcome = Pursue(*query);
    runtime.SetGoal(nullptr, false);
  } else {
    runtime.SetGoal(nullptr, false);
    step = runtime.Step(std::move(step));
    outcome = runtime.Report(step);
    if (outcome.status == Status::kNothing && out.has_errors()) outcome.status = Status::kRejected;
  }
  runtime.TakeFindings(out);
  outcome.diagnostics = out.all();
  if (journal != nullptr) journal->Finish(outcome);
  return outcome;
}

std::optional<Outcome> Session::State::StepGoals() {
  if (!running) {
    if (journal != nullptr) journal->Turn({.goal = goal, .person = person});
    runtime.SetGoal(nullptr, true);
    steps = 0;
  }
  running = Goes();
  if (running) return std::nullopt;
  Outcome outcome = Report();
  if (outcome.status == Status::kSatisfied && (journal == nullptr || journal->live()))
    parts.recorder.Log(LogLine::Verb::kOffered, outcome.goal);  // (§15.6)
  Diagnostics out;
  runtime.TakeFindings(out);
  outcome.diagnostics = out.all();
  if (journal != nullptr) journal->Finish(outcome);
  return outcome;
}

Outcome Session::Say(const std::string& name, std::string text, By by) {
  if (state_->running) Run();
  return state_->Said(name, std::move(text), by);
}

bool Session::SetGoal(const std::string& name) {
  const Goal* goal = state_->parts.engine.program.FindGoal(name);
  if (!name.empty() && (goal == nullptr || goal->rules.empty())) return false;
  state_->goal = name;
  state_->parts.pursuit.SetNamedGoal(name);
  return true;
}

std::optional<Outcome> Session::Step() { return state_->StepGoals(); }

Outcome Session::Run() {
  for (;;)
    if (std::optional<Outcome> outcome = Step()) return std::move(*outcome);
}

std::optional<Outcome> Session::Replay() {
  std::optional<Outcome> last;
  while (const std::optional<RecordedTurn> turn = state_->journal->NextTurn()) last = Replay(*turn);
  return last;
}

// A goal that the program does not have is reported by the journal as a turn that differs.
Outcome Session::Replay(const RecordedTurn& turn) {
  if (turn.text) return Say(turn.name, *turn.text, turn.by);
  SetGoal(turn.goal);
  return Run();
}

std::vector<std::string> Session::Reply(const Outcome& outcome) {
  switch (outcome.status) {
    case Status::kNothing: return {};
    case Status::kSatisfied:
      if (!outcome.answers.empty()) return outcome.answers;
      if (outcome.chat) return {};
      return {"true"};
    case Status::kUnsatisfied:
    case Status::kWaiting:
    case Status::kFailed:
    case Status::kLimit:
    case Status::kRejected:
    case Status::kToolFailed:
    case Status::kInterrupted:
    case Status::kReview: break;
  }
  std::string line = outcome.reason;
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (line.empty()) return {};
  return {line};
}

std::vector<SqlPushed> Session::Pushed() const {
  std::vector<SqlPushed> out;
  for (const auto& [call, pushed] : state_->parts.source_feed.pushed()) out.push_back(pushed);
  return out;
}

std::vector<std::string> Session::NotRead() const { return state_->parts.source_feed.NotRead(); }

Explained Session::Explain(const std::string& form, const ExplainLimits& limits,
                           std::size_t absence_depth) {
  Explained out;
  Diagnostics findings;
  RunParts& parts = state_->parts;
  Store& store = parts.engine.store;
  const std::uint32_t file = parts.sources.Add("<form>", form);
  const Span whole{file, 0, static_cast<std::uint32_t>(form.size())};
  std::optional<Sentence> sentence = ParseSentence(parts.sources, whole, findings);
  const Call* call = nullptr;
  if (sentence) {
    const Rule& rule = sentence->rule;
    if (rule.heads.empty() && rule.tail.size() == 1 && rule.abductives.empty() &&
        rule.constraints.empty())
      call = Ungroup(rule.tail.front()).As<Call>();
    if (call == nullptr)
      findings.Add(Code::kSyntaxError, sentence->span,
                   "expected one call to explain, got `" + Print(*sentence) + "`",
                   "name a fact or a pattern, as in `reachable(1, ?x)` or `%done`");
    else if (call->args.size() > kMaxArity)
      findings.Add(Code::kTooLong, sentence->span, "expected at most 64 arguments");
  }
  out.rejected = true;
  if (!findings.has_errors()) {
    // Relations that it declares remain; values do not, unless a relation holds one.
    const bool goal = call->ns == Namespace::kGoal;
    store.Declare(Space::kGoal, "", 1);
    store.Declare(goal                           ? Space::kGoal
                  : call->ns == Namespace::kTool ? Space::kTool
                                                 : Space::kRelation,
                  call->label, goal ? 1 : static_cast<std::uint32_t>(call->args.size()));
    const std::size_t relations = store.size();
    const std::size_t values = parts.engine.pool.size();
    sentence->rule.heads.push_back({Call{Namespace::kGoal, "", {}, false}, sentence->span});
    // A journal would have to say that the library was read.
    for (const FileUse& use : FilesNamed(*sentence))
      if (use.file == kLibrary && state_->journal == nullptr)
        state_->reader.ReadFiles({use}, findings);
    const auto query = parts.engine.program.LowerQuery(*sentence, findings);
    out.rejected = !query;
    if (query) state_->runtime.Explain(*query, limits, absence_depth, out);
    if (store.size() == relations) parts.engine.pool.ForgetFrom(values);
  }
  out.diagnostics = findings.all();
  return out;
}

HostFindings Session::CheckHost() {
  state_->parts.budget.Begin();
  return state_->runtime.OnHost().Check();
}

bool Session::BindsHost() { return state_->runtime.OnHost().Binds(); }

void Session::SetLog(LogSink log) { state_->runtime.SetLog(std::move(log)); }

void Session::SetLimits(const SessionLimits& limits) { state_->runtime.SetLimits(limits); }

void Session::SetAnswerForms(AnswerForms forms) { state_->parts.options.answer_forms = forms; }

const Sources& Session::sources() const { return state_->parts.sources; }

const Program& Session::program() const { return state_->parts.engine.program; }

Pool& Session::pool() { return state_->parts.engine.pool; }

const Store& Session::store() const { return state_->parts.engine.store; }

bool Session::HasGoals() const {
  const auto& goals = state_->parts.engine.program.goals();
  return std::any_of(goals.begin(), goals.end(),
                     [](const Goal& g) { return g.IsPursued() && !g.rules.empty(); });
}

std::vector<std::string> Session::Definitions() const {
  std::vector<std::string> out;
  for (const Declared& d : state_->parts.engine.program.declared()) out.push_back(d.name);
  return out;
}

std::vector<std::string> Session::MayState(By by) const {
  const Store& relations = store();
  const Authority& authority = state_->parts.door.authority();
  std::vector<std::string> out;
  for (RelationId r = 0; r < relations.size(); ++r) {
    const Relation& of = relations.at(r);
    if (of.space() != Space::kRelation || relations.IsWhole(r)) continue;
    const Authority::Entry entry = authority.Of(r);
    const bool open = entry.kind == Authority::Kind::kOpen ||
                      entry.kind == Authority::Kind::kHeading ||
                      entry.kind == Authority::Kind::kFacts;
    if (open && (entry.state & PartyBit(by)) != 0)
      out.push_back(of.name() + "/" + std::to_string(of.arity()));
  }
  return out;
}

std::vector<std::string> Session::Rules() const {
  std::vector<std::string> out;
  for (const Definition& d : state_->parts.engine.program.definitions()) out.push_back(d.text);
  return out;
}

const std::vector<TraceEntry>& Session::Entries() const { return state_->parts.recorder.trace(); }

std::vector<std::string> Session::Trace() const {
  std::vector<std::string> out;
  for (const TraceEntry& e : Entries())
    if (!e.again) out.push_back(e.text);
  return out;
}

Trace Session::HalfAnswers() const { return state_->parts.inbox.HalfAnswers(); }

std::string Session::Export() const {
  rpl::Trace trace = Entries();
  for (TraceEntry& entry : state_->parts.inbox.EntriesToCome()) trace.push_back(std::move(entry));
  for (TraceEntry& entry : HalfAnswers()) trace.push_back(std::move(entry));
  return TraceProgram(trace);
}

}  // namespace rpl
