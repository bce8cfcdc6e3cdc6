// SPDX-License-Identifier: Apache-2.0
//
// The public engine as an adapter of a session: inputs become RPL, outputs are copied into plain
// structs. In this file `rpl::Outcome` and similar names are the engine's own, and names without
// the prefix those of the public header.
//
// A turn with open calls ends. A reply is therefore stored by Replies below until the next turn
// makes the call again.
#include "rpl/rpl.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "checks/guard/policy.h"
#include "embed/large_stack.h"
#include "embed/public_finding.h"
#include "embed/public_outcome.h"
#include "interp/program/operators.h"
#include "interp/store/json_value.h"
#include "runtime/explained.h"
#include "runtime/model/model_agent.h"
#include "runtime/model/settings_model.h"
#include "runtime/nobody.h"
#include "runtime/postgres/database_url.h"
#include "runtime/postgres/open_session.h"
#include "runtime/relaying_agent.h"
#include "runtime/replies.h"
#include "runtime/run/run.h"
#include "runtime/step/gate.h"
#include "runtime/tools/permission.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kAbsenceDepth = 2;

// --- Replies -----------------------------------------------------------------------------

struct Read {
  rpl::Answer answer;
  std::string error;  // the reason why the reply does not fit the request, or ""
};

Value OptionOfJson(Pool& pool, const ordered_json& json, const Request& request) {
  // A number of JSON is another text of the same value: 1e30.
  const std::optional<ordered_json> wanted = JsonOfValue(pool, ValueOfJson(json, pool, false));
  for (const Value option : request.choices())
    if (wanted && JsonOfValue(pool, option) == wanted) return option;
  return kNone;
}

Read ReadJson(const Engine::Reply& reply, const Request& request, Pool& pool) {
  const JsonText parsed = ParseExactJson(reply.value);
  if (!parsed.error.empty()) return {{}, "expected JSON: " + parsed.error};
  const ordered_json& json = parsed.json;
  if (reply.kind == Engine::Reply::Kind::kMetadata) {
    if (!json.is_object()) return {{}, "expected a JSON object as metadata"};
    return {{rpl::Answer::Kind::kMeta, ValueOfJson(json, pool, true)}, ""};
  }
  const bool choice = request.kind == Request::Kind::kChoose && request.row.empty();
  return {{rpl::Answer::Kind::kValue,
           choice ? OptionOfJson(pool, json, request) : ValueOfJson(json, pool, false)},
          ""};
}

Read ReadGiven(const Engine::Reply& reply, const Request& request, Pool& pool) {
  using Kind = Engine::Reply::Kind;
  const bool tool = request.call() != nullptr;
  const bool choice = request.kind == Request::Kind::kChoose && request.row.empty();
  Read read;
  switch (reply.kind) {
    case Kind::kLater: return {{}, "expected a reply"};
    case Kind::kDecline: return {{rpl::Answer::Kind::kDecline, kNone}, ""};
    case Kind::kError:
      if (!tool) return {{}, "only a tool can fail: decline the question"};
      read.answer = FailedCall(pool, CleanUtf8(reply.code), CleanUtf8(reply.value));
      break;
    case Kind::kMetadata:
      if (!tool) return {{}, "only the result of a tool has metadata"};
      read = ReadJson(reply, request, pool);
      break;
    case Kind::kJson: read = ReadJson(reply, request, pool); break;
    case Kind::kText:
      if (CleanUtf8(reply.value) != reply.value) return {{}, "expected UTF-8"};
      read.answer = {rpl::Answer::Kind::kValue,
                     choice ? TypedOption(pool, reply.value, request.choices())
                            : TypedReply(pool, reply.value, request)};
      break;
  }
  if (!read.error.empty()) return read;
  if (!read.answer.value.is_none()) {
    if (read.answer.kind == rpl::Answer::Kind::kValue)
      read.error = TakeReply(request, read.answer.value, pool).refused;
    return read;
  }
  read.error = choice ? "expected one of the options, got `" + reply.value + "`"
                      : "the reply is too large: " + pool.overflow();
  pool.ClearOverflow();
  return read;
}

constexpr const char* kGone = "a callback destroyed the engine";
constexpr const char* kMovedFrom = "the engine was moved from";
constexpr const char* kCalledBack = "a callback must not call its own engine";

// The replies of the session: those that are stored, and those of the callback for tools.
class Replies {
 public:
  /// Borrows both; `gone` becomes true if a callback destroys the engine.
  Replies(const Engine::Options& options, const bool& gone) : options_(options), gone_(gone) {}

  /// For an agent that relays. A call always has an answer, if only that it stays open.
  std::optional<rpl::Answer> AnswerTo(const Request& request, Pool& pool,
                                      std::string_view refused) {
    if (!refused.empty()) kept_.erase(request.id);
    rpl::Answer answer = Kept(request, pool);
    const bool open = answer.kind == rpl::Answer::Kind::kNobody;
    const ToolCall* const call = request.call();
    if (call == nullptr) return open ? std::nullopt : std::optional(std::move(answer));
    if (open && options_.tool && !call->in_doubt && !called_.contains(call->id))
      answer = CallTool(*call, pool);
    if (gone_) throw std::runtime_error(kGone);
    return answer;
  }

  void Keep(const std::string& id, Engine::Reply reply) { kept_[id] = std::move(reply); }
  bool IsKept(const std::string& id) const { return kept_.contains(id); }
  /// True for a tool that was called and replied Later.
  bool IsCalled(const std::string& id) const { return called_.contains(id); }
  bool Forget(const std::string& id) { return called_.erase(id) > 0; }

 private:
  // A decline is not used up, because another turn may reach the same question again.
  rpl::Answer Kept(const Request& request, Pool& pool) {
    const auto at = kept_.find(request.id);
    if (at == kept_.end()) return {};
    Read read = ReadGiven(at->second, request, pool);
    if (read.answer.kind == rpl::Answer::Kind::kDecline) return read.answer;
    called_.erase(at->first);
    kept_.erase(at);
    if (read.error.empty()) return read.answer;
    return {};  // the options have changed meanwhile
  }

  rpl::Answer CallTool(const ToolCall& call, Pool& pool) {
    const std::optional<std::string> args = ArgsOf(pool, call.args);
    if (!args) return FailedCall(pool, "bad-request", "two keys of a map are the same text");
    if (call.starting && !call.starting()) return {};
    Engine::Reply reply;
    try {
      reply = options_.tool(call.tool, *args);
    } catch (const std::exception& e) {
      reply = Engine::Reply::Error("exception", e.what());
    } catch (...) {
      reply = Engine::Reply::Error("exception", "an exception of an unknown kind");
    }
    if (reply.kind == Engine::Reply::Kind::kLater) {
      called_.insert(call.id);
      return {};
    }
    Read read = ReadGiven(reply, call, pool);
    if (!read.error.empty()) read.answer = FailedCall(pool, "bad-reply", read.error);
    read.answer.by = By::kTool;
    return read.answer;
  }

  const Engine::Options& options_;
  const bool& gone_;
  std::map<std::string, Engine::Reply> kept_;  // by id
  std::set<std::string> called_;
};

// --- Output ------------------------------------------------------------------------------

bool HasErrors(const std::vector<Engine::Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Engine::Finding& f) {
    return f.severity == Engine::Severity::kError;
  });
}

// True if the last line with text starts with `%`, which in a message makes it a query.
bool EndsInQuery(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return false;
  const std::size_t line = text.find_last_of("\r\n", last);
  const std::size_t first = text.find_first_not_of(" \t", line + 1);
  return text[first] == '%';
}

// Takes the model of the options, if they name one.
void TakeModel(const Engine::Options& options, ModelLog log, ModelAgent& to,
               std::vector<Engine::Finding>& findings) {
  if (options.settings.empty()) return;
  Sources sources;
  Diagnostics found;
  SettingsModel model = ModelOfSettings(
      sources, sources.Add(options.settings_name, options.settings), std::move(log), found);
  for (Engine::Finding& finding : FindingsOf(found.all(), sources))
    findings.push_back(std::move(finding));
  if (model.provider != nullptr)
    to.Use(model.config, Permit::kAllow, true, std::move(model.provider));
}

// The gate for the policy of the options; null if there is no policy or it has errors.
std::unique_ptr<GateSetup> GateSetupOf(const Engine::Options& options,
                                       std::vector<Engine::Finding>& findings) {
  if (options.policy.empty() && options.audit_file.empty()) return nullptr;
  auto setup = std::make_unique<GateSetup>();
  setup->audit = options.audit_file;
  setup->audit_required = true;
  if (options.policy.empty()) {  // the decisions of the program alone
    setup->agent.slug = options.agent;
    setup->record = {
        {"agent", options.agent}, {"audit", options.audit_file}, {"auditRequired", true}};
    return setup;
  }
  Sources sources;
  Diagnostics found;
  std::optional<Policy> policy =
      ReadPolicy(sources, sources.Add(options.policy_name, options.policy), found);
  findings = FindingsOf(found.all(), sources);
  if (!policy) return nullptr;
  setup->config.agent.slug = options.agent;
  setup->guard = std::make_shared<Guard>(std::move(*policy), setup->config.agent);
  setup->policy_name = options.policy_name;
  setup->store = GuardStore(options.guard_store, options.agent);
  setup->store.RecordAnswersIn(options.audit_file);
  setup->record = {{"policy", {{"name", options.policy_name}, {"text", options.policy}}},
                   {"config", nullptr},
                   {"agent", options.agent},
                   {"organisationTimezone", ""},
                   {"store", options.guard_store},
                   {"audit", options.audit_file},
                   {"auditRequired", true}};
  return setup;
}

SessionOptions SessionOptionsOf(const Engine::Options& options, GateSetup* gate, const bool& gone) {
  SessionOptions out;
  out.of_library = true;
  out.gate = gate;
  out.now = options.now;
  if (options.answers_by_person) out.answers_by = By::kPerson;
  if (options.log)
    out.log = [&gone, log = options.log](const LogLine& line) {
      if (!gone) log(LogText(line));
    };
  const Engine::Limits& limits = options.limits;
  out.limits = {limits.max_rows,       limits.max_rounds,    limits.max_depth,
                limits.max_iterations, limits.max_timesteps, limits.max_seconds,
                limits.max_megabytes};
  out.threads = std::clamp<std::size_t>(options.threads, 1, 64);
  out.interrupted = [&gone, interrupted = options.interrupted] {
    const bool stop = interrupted && interrupted();
    if (gone) throw std::runtime_error(kGone);
    return stop;
  };
  return out;
}

}  // namespace

// --- The engine --------------------------------------------------------------------------

struct Engine::State {
  explicit State(Options with)
      : options(std::move(with)),
        model(
            nobody, nobody, vouched, [this](const std::string& line) { Note(line); },
            SessionOptionsOf(options, nullptr, gone).interrupted),
        replies(options, gone),
        agent(model, model, replies),
        gate(GateSetupOf(options, option_findings)),
        run(Unrecorded()) {
    TakeModel(
        options,
        [this](const std::string& of, const std::string& line) { Note("[" + of + "] " + line); },
        model, option_findings);
    rejected = HasErrors(option_findings);
    if (!options.now.empty() && !ParseInstant(options.now))
      broken = "Options::now: expected a time like 2026-01-02T00:00:00Z, got `" + options.now + "`";
  }

  static const char* Refusal(const State* state);
  static Outcome Refused(const State* state);
  Session& session() { return run->session(); }
  // What the model did, as a line of the log.
  void Note(const std::string& line) {
    if (options.log && !gone) options.log("note: " + line);
  }
  rpl::Ports Ports() {
    return {agent, agent, nobody, [this](const std::string& line) {
              if (options.chat) options.chat(line);
              if (gone) throw std::runtime_error(kGone);
            }};
  }
  std::unique_ptr<rpl::Run> Unrecorded();
  void Guarded(const std::function<void()>& work);
  Outcome Turn(const std::function<std::optional<rpl::Outcome>()>& turn);
  bool Begin(Outcome& out);
  std::string Open(Outcome& out);
  Outcome Finish(const rpl::Outcome& from);
  Outcome TakeRun(const std::function<std::optional<rpl::Outcome>()>& turn);
  void Waiting(const std::vector<OpenRequest>& for_these);
  void AskAgain(const std::string& id);
  void ForgetOpen();
  const OpenRequest* Find(const std::string& id) const;

  LargeStack stack;
  bool busy = false;  // a turn or another evaluation runs
  bool gone = false;  // and its engine was destroyed meanwhile
  Options options;
  Nobody nobody;
  VouchedPermission vouched;  // the program that embeds the engine vouches for the model
  ModelAgent model;
  Replies replies;
  RelayingAgent agent;                   // replies, then the model
  std::vector<Finding> option_findings;  // of the policy and the settings
  std::unique_ptr<GateSetup> gate;       // null without a policy
  std::vector<ProgramFile> files;
  bool fresh = false;     // a document was loaded since the last turn
  bool rejected = false;  // a document or the policy has errors
  std::string broken;     // the reason for Status::kBroken, or ""
  /// Until a session file is opened, what its documents are loaded into. Never null.
  std::unique_ptr<rpl::Run> run;
  bool in_file = false;                // the run is that of the file
  bool cut_off = false;                // the last turn was; the next one reopens the file
  std::optional<rpl::Outcome> opened;  // the run that opening the file replayed
  std::vector<OpenRequest> open;       // the calls behind `pending`
  std::map<std::string, OpenRequest> declined;
  std::set<std::string> retried;  // calls in doubt that may be made again
  std::vector<Question> pending;
};

// A run of the documents so far that no file records.
std::unique_ptr<rpl::Run> Engine::State::Unrecorded() {
  return rpl::Run::Open(Ports(), {.files = files,
                                  .reader = options.file,
                                  .options = SessionOptionsOf(options, gate.get(), gone)})
      .run;
}

// Runs `work` on the large stack. An exception breaks the engine.
void Engine::State::Guarded(const std::function<void()>& work) {
  if (!broken.empty()) return;
  busy = true;
  stack.Run([&] {
    try {
      work();
    } catch (const std::bad_alloc&) {
      broken = "out of memory";
    } catch (const std::exception& e) {
      broken = std::string("an exception: ") + e.what();
    } catch (...) {
      broken = "an exception of an unknown kind";
    }
  });
  busy = false;
  if (gone) broken = kGone;
}

// The reason why the engine cannot be called now, or null.
const char* Engine::State::Refusal(const State* state) {
  return state == nullptr ? kMovedFrom : state->busy ? kCalledBack : nullptr;
}

Engine::Outcome Engine::State::Refused(const State* state) {
  Outcome out;
  out.status = state == nullptr ? Status::kBroken : Status::kBusy;
  out.reason = Refusal(state);
  return out;
}

Engine::Outcome Engine::State::Turn(const std::function<std::optional<rpl::Outcome>()>& turn) {
  Outcome out;
  Guarded([&] {
    if (!Begin(out)) return;
    fresh = false;
    const std::optional<rpl::Outcome> outcome = turn();
    if (outcome) out = Finish(*outcome);
    else out.status = Status::kRunning;
    if (const std::string why = run->broken(); in_file && !why.empty())
      broken = WithoutPassword(options.session_file) + ": " + why;
  });
  if (broken.empty()) return out;
  out.status = Status::kBroken;
  out.reason = broken;
  return out;
}

// True if the turn may run; otherwise `out` has the reason.
bool Engine::State::Begin(Outcome& out) {
  if (cut_off) {
    run = Unrecorded();  // closes the file
    in_file = false;
    ForgetOpen();
    cut_off = false;
  }
  if (!rejected && !options.session_file.empty() && !in_file) {
    out.reason = Open(out);
    if (!out.reason.empty()) {
      out.status = Status::kBroken;
      return false;
    }
    if (run->last() != nullptr && !run->last()->repeatable) {  // cut off once more
      out = Finish(rpl::Outcome(*run->last()));
      return false;
    }
  }
  if (!rejected) return true;
  out.status = Status::kRejected;
  const bool of_options = HasErrors(option_findings);
  const auto error = std::ranges::find(option_findings, Severity::kError, &Finding::severity);
  out.reason = !of_options                            ? "a document has errors"
               : error->file == options.settings_name ? "the settings have errors"
                                                      : "the policy has errors";
  if (of_options) out.findings = option_findings;
  return false;
}

// Opens or creates the session file and replays it. Returns the reason for a failure, or "".
std::string Engine::State::Open(Outcome& out) {
  const std::string& path = options.session_file;
  const std::string shown = WithoutPassword(path);
  SessionStore::Opened got = OpenSession(path, SessionStore::Mode::kContinue,
                                         SessionOptionsOf(options, gate.get(), gone).interrupted);
  if (got.store == nullptr)
    return shown + ": " + got.error + (got.hint.empty() ? "" : "; " + got.hint);
  if (!got.store->damage().empty())
    return shown + ": the session is damaged: " + got.store->damage();
  std::vector<Event> events = got.store->events();
  rpl::Run::Opened begun =
      rpl::Run::Open(Ports(), {.files = files,
                               .reader = options.file,
                               .options = SessionOptionsOf(options, gate.get(), gone),
                               .record = Recording{std::move(events), std::move(got.store)},
                               .retry = [this](const std::string& call, const std::string&) {
                                 return retried.contains(call);
                               }});
  run = std::move(begun.run);
  out.findings = FindingsOf(begun.findings, session().sources());
  rejected = begun.why == Unopened::kRejected;
  if (begun.why == Unopened::kBroken) {
    const std::string why = std::exchange(run, Unrecorded())->broken();
    return shown + ": " + why;
  }
  in_file = true;
  if (run->IsOver()) opened = *run->last();
  return "";
}

Engine::Outcome Engine::State::Finish(const rpl::Outcome& from) {
  Outcome out;
  opened.reset();
  out.status = StatusOf(from.status);
  out.goal = from.goal;
  out.answers = from.json_answers;
  out.reason = from.reason;
  out.cut_off = from.cut_off;
  for (const ToDo& to_do : from.now) out.now.push_back({to_do.heading, to_do.text});
  out.findings = FindingsOf(from.diagnostics, session().sources());
  cut_off = in_file && !from.repeatable;
  Waiting(from.pending);
  return out;
}

// A turn that pursues the program's goals.
Engine::Outcome Engine::State::TakeRun(const std::function<std::optional<rpl::Outcome>()>& turn) {
  return Turn([&] {
    open.clear();
    pending.clear();
    return opened ? std::exchange(opened, std::nullopt) : turn();
  });
}

void Engine::State::Waiting(const std::vector<OpenRequest>& for_these) {
  for (const OpenRequest& request : for_these) {
    const std::string id = request->id;
    if (replies.IsKept(id) || Find(id) != nullptr) continue;
    open.push_back(request);
    pending.push_back(QuestionOf(*request, session().pool()));
    pending.back().in_doubt = run->InDoubt(id) && !replies.IsCalled(id);
  }
}

// Takes back that the question was declined.
void Engine::State::AskAgain(const std::string& id) {
  const rpl::Trace& trace = session().Entries();
  const auto entry = std::find_if(trace.rbegin(), trace.rend(), [&](const rpl::TraceEntry& e) {
    return e.answered && e.answered->declined &&
           (id == e.answered->call || id.starts_with(e.answered->call + " for "));
  });
  if (entry != trace.rend()) run->Say("<take back>", RetractionOf(*entry));
}

// The values of these requests belong to a session that no longer exists.
void Engine::State::ForgetOpen() {
  open.clear();
  pending.clear();
  declined.clear();
}

const OpenRequest* Engine::State::Find(const std::string& id) const {
  for (const OpenRequest& request : open)
    if (request->id == id) return &request;
  const auto at = declined.find(id);
  return at == declined.end() ? nullptr : &at->second;
}

Engine::Engine() : Engine(Options{}) {}
Engine::Engine(Options options) : state_(std::make_shared<State>(std::move(options))) {}
Engine::~Engine() {
  if (state_) state_->gone = true;
}
Engine::Engine(Engine&& other) noexcept = default;
Engine& Engine::operator=(Engine&& other) noexcept {
  if (this == &other) return *this;
  if (state_) state_->gone = true;
  state_ = std::move(other.state_);
  return *this;
}

std::vector<Engine::Finding> Engine::Load(const std::string& name, const std::string& text) {
  const std::shared_ptr<State> state = state_;  // which a callback may take from the engine
  if (const char* why = State::Refusal(state.get())) return {ErrorIn(name, why)};
  State& s = *state;
  if (s.in_file)
    return {ErrorIn(name, "expected all documents before the first turn of a session in a file")};
  std::vector<Finding> out;
  s.Guarded([&] {
    out = FindingsOf(s.session().Load(name, text), s.session().sources());
    s.rejected = s.rejected || HasErrors(out);
    s.files.push_back({name, text});
    s.fresh = true;
  });
  if (!s.broken.empty()) out.push_back(ErrorIn(name, s.broken));
  return out;
}

Engine::Outcome Engine::Assert(const std::string& text) {
  const std::shared_ptr<State> state = state_;
  if (State::Refusal(state.get()) != nullptr) return State::Refused(state.get());
  // A goal as last sentence belongs to the program; with a comment after it, it is no query.
  const std::string whole = EndsInQuery(text) ? text + "\n-- \n" : text;
  return state->Turn([&] { return state->run->Say("<assert>.rpl", whole); });
}

Engine::Outcome Engine::Run() {
  const std::shared_ptr<State> state = state_;
  if (State::Refusal(state.get()) != nullptr) return State::Refused(state.get());
  return state->TakeRun([&] { return state->run->Turn(); });
}

Engine::Outcome Engine::Step() {
  const std::shared_ptr<State> state = state_;
  if (State::Refusal(state.get()) != nullptr) return State::Refused(state.get());
  return state->TakeRun([&] { return state->run->Step(); });
}

Engine::Outcome Engine::Query(const std::string& text) {
  const std::shared_ptr<State> state = state_;
  if (State::Refusal(state.get()) != nullptr) return State::Refused(state.get());
  return state->Turn([&] {
    if (EndsInQuery(text)) return state->run->Say("<query>.rpl", text);
    rpl::Outcome none;
    none.status = rpl::Status::kRejected;
    none.reason = "expected a goal form as query: `% <- ...`, `%name <- ...` or `%name(?x) <- ...`";
    return none;
  });
}

const std::vector<Engine::Question>& Engine::Pending() const {
  static const std::vector<Question> none;
  return State::Refusal(state_.get()) == nullptr ? state_->pending : none;
}

std::string Engine::Answer(const std::string& id, Reply reply) {
  const std::shared_ptr<State> state = state_;
  if (const char* why = State::Refusal(state.get())) return why;
  State& s = *state;
  const OpenRequest* request = s.Find(id);
  if (request == nullptr) return "nothing waits for `" + id + "`";
  std::string error;
  s.Guarded([&] {
    error = ReadGiven(reply, **request, s.session().pool()).error;
    if (!error.empty()) return;
    if (reply.kind == Reply::Kind::kDecline) s.declined.emplace(id, *request);
    else if (s.declined.erase(id) > 0) s.AskAgain(id);
    s.replies.Keep(id, std::move(reply));
    std::erase_if(s.open, [&](const OpenRequest& r) { return r->id == id; });
    std::erase_if(s.pending, [&](const Question& q) { return q.id == id; });
  });
  return s.broken.empty() ? error : s.broken;
}

bool Engine::Retry(const std::string& id) {
  if (State::Refusal(state_.get()) != nullptr) return false;
  State& s = *state_;
  const bool called = s.replies.Forget(id);
  if (!s.run->InDoubt(id)) return called;
  s.retried.insert(id);
  for (Question& q : s.pending)
    if (q.id == id) q.in_doubt = false;
  return true;
}

std::vector<Engine::TraceEntry> Engine::Trace() const {
  std::vector<TraceEntry> out;
  if (State::Refusal(state_.get()) != nullptr) return out;
  for (const rpl::TraceEntry& entry : state_->session().Entries())
    if (!entry.again)
      out.push_back({std::string(EntryName(entry.kind)), entry.timestep, entry.phase, entry.text});
  return out;
}

std::string Engine::Export() const {
  return State::Refusal(state_.get()) == nullptr ? state_->session().Export() : "";
}

Engine::Explanation Engine::Explain(const std::string& form, std::size_t max_facts,
                                    std::size_t depth) {
  const std::shared_ptr<State> state = state_;
  Explanation out;
  if (const char* why = State::Refusal(state.get())) {
    out.findings.push_back(ErrorIn("", why));
    return out;
  }
  State& s = *state;
  if (s.fresh) {
    const Outcome taken = Assert("");
    if (taken.status == Status::kRejected || taken.status == Status::kBroken) {
      out.findings.push_back(ErrorIn("", taken.reason));
      return out;
    }
  }
  s.Guarded([&] {
    Session& session = s.session();
    const Explained explained =
        session.Explain(form, {max_facts, depth}, std::min(depth, kAbsenceDepth));
    out.findings = FindingsOf(explained.diagnostics, session.sources());
    if (explained.rejected) return;
    out.holds = !explained.why.proofs.empty();
    out.more = explained.why.more;
    for (const rpl::Explanation& proof : explained.why.proofs)
      out.proofs.push_back(ProofOf(proof, session.sources()));
    if (explained.why_not) out.proofs.push_back(ProofOf(*explained.why_not, session.sources()));
  });
  if (!s.broken.empty()) out.findings.push_back(ErrorIn("", s.broken));
  return out;
}

}  // namespace rpl
