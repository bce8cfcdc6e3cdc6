// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/gate.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <chrono>
#include <stdexcept>

#include "checks/guard/audit_log.h"
#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/program/metadata.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/ports.h"
#include "runtime/record/journal.h"

namespace rpl {

using nlohmann::ordered_json;

namespace {

std::string RandomId() {
  [[maybe_unused]] const int ready = sodium_init();
  std::array<unsigned char, 16> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  std::string hex;
  for (const unsigned char byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

ordered_json PastCallJson(const PastCall& past) {
  ordered_json metrics = ordered_json::object();
  for (const auto& [key, value] : past.metrics) metrics[key] = value;
  return {{"tool", past.tool},
          {"tags", past.tags},
          {"failed", past.failed},
          {"tookMs", past.took_ms},
          {"at", past.at},
          {"user", past.user ? ordered_json(*past.user) : ordered_json()},
          {"metrics", std::move(metrics)}};
}

// Numbers of a map of metrics for which `takes(key)` holds go to `to`.
void AddMetrics(const ordered_json& metrics, std::map<std::string, double>& to,
                const std::function<bool(const std::string& key)>& takes) {
  if (!metrics.is_object()) return;
  for (const auto& [key, value] : metrics.items())
    if (value.is_number() && takes(key)) to[key] = value.get<double>();
}

// The same for metrics that a tool reports.
void AddReported(const ordered_json& metrics, std::map<std::string, double>& to) {
  AddMetrics(metrics, to, [](const std::string& key) { return !IsInbuiltMetric(key); });
}

// The inverse of PastCallJson, for recorded JSON; missing and malformed members are empty.
PastCall PastCallOf(const ordered_json& json) {
  PastCall past;
  past.tool = TextAt(json, "tool");
  if (const ordered_json& tags = FieldAt(json, "tags"); tags.is_array())
    for (const ordered_json& tag : tags)
      if (tag.is_string()) past.tags.push_back(tag);
  past.failed = FlagAt(json, "failed");
  if (const ordered_json& took = FieldAt(json, "tookMs"); took.is_number()) past.took_ms = took;
  if (const ordered_json& at = FieldAt(json, "at"); at.is_number_integer()) past.at = at;
  if (const ordered_json& user = FieldAt(json, "user"); user.is_string()) past.user = user;
  AddMetrics(FieldAt(json, "metrics"), past.metrics, [](const std::string&) { return true; });
  return past;
}

// Whether the recorded result is that of a call that was made.
bool Ran(const ordered_json& result) { return !result.is_object() || !result.contains("ran"); }

}  // namespace

Gate::Gate(GateSetup* setup, Journal* journal, interp::Engine& engine)
    : setup_(setup),
      journal_(journal),
      engine_(engine),
      recorded_(journal),
      inputs_(setup, engine),
      no_policy_({}, setup != nullptr ? setup->agent : GuardAgent{}) {
  if (setup_ == nullptr) return;
  if (HasPolicy() && journal_ != nullptr)
    for (const auto& [call, past] : journal_->results())
      if (Ran(past)) history_.Add(PastCallOf(past), true);
  // A replay has no store itself, but the recorded run had one.
  if (setup_->store.keeps() || !TextAt(setup_->record, "store").empty())
    history_.ReadMetrics([this](const MetricWindowLeaf& of, const std::optional<std::string>& user,
                                Moment now) { return Totals(of, user, now); });
}

bool Gate::on() const { return HasPolicy() || !engine_.program.guards().empty(); }

// --- a run and its events -----------------------------------------------------------------

const std::string& Gate::Run() {
  if (run_.empty()) {
    const ordered_json id =
        recorded_.Outside({{"run", true}}, [] { return ordered_json(RandomId()); });
    run_ = id.is_string() ? id.get<std::string>() : "?";
  }
  return run_;
}

// What may use an approval again: the same attempt of the same call, which a session decides anew
// when it was cut off, or waits. Neither a copy of the session nor a call after one that ended.
std::string Gate::Attempt(const std::string& call) {
  return fmt::format("{} {} {}", Run(), attempts_[call], ContentHash(setup_->session));
}

void Gate::Audit(const ordered_json& event) {
  if (setup_ == nullptr || setup_->audit.empty() || !recorded_.live() || !broken_.empty()) return;
  const std::string error = AppendEvents(setup_->audit, {event});
  if (error.empty()) return;
  const std::string why = fmt::format("the audit log `{}` cannot be written: {}",
                                      Shortened(setup_->audit, kToldBytes), error);
  if (setup_->audit_required) broken_ = why;
  else if (!std::exchange(warned_, true) && setup_->warn) setup_->warn(why);
}

void Gate::BeginRun(Moment now) {
  if (setup_ == nullptr) return;
  const std::optional<EndUser> user = inputs_.User();
  audit_.emplace(Run(), user ? user->id : std::nullopt);
  Audit(audit_->Started(TheGuard().agent(), setup_->policy_name, now));
}

void Gate::EndRun(std::string_view status, Moment now) {
  if (audit_) Audit(audit_->Ended(status, steps_, now));
}

// Recorded: a replay must not see later calls.
MetricTotals Gate::Totals(const MetricWindowLeaf& of, const std::optional<std::string>& user,
                          Moment now) {
  ordered_json question = {{"metric", of.key}, {"windowSeconds", of.window_seconds}};
  if (of.of_user) question["user"] = *user;
  if (!of.tool_names.empty()) question["toolNames"] = of.tool_names;
  if (!of.tool_tags.empty()) question["toolTags"] = of.tool_tags;
  const ordered_json& answer = recorded_.OncePerDecision(question, [&]() -> ordered_json {
    const Sourced<MetricTotals> read = setup_->store.Totals(of, user, now);
    if (!read.value) return {{"error", read.why}};
    const MetricTotals& totals = *read.value;
    if (totals.count == 0) return {{"count", 0}};
    return {{"count", totals.count},
            {"sum", totals.sum},
            {"most", totals.most},
            {"least", totals.least}};
  });
  if (const std::string why = TextAt(answer, "error"); !why.empty())
    throw std::runtime_error("the metrics cannot be read: " + why);
  const int count = NumberAt(answer, "count");
  if (count <= 0) return {};
  const auto number = [&](const char* field) {
    const ordered_json& value = FieldAt(answer, field);
    return value.is_number() ? value.get<double>() : 0;
  };
  return {static_cast<std::size_t>(count), number("sum"), number("most"), number("least")};
}

// Adds an ended call to the store, among those of this session: a copy has the same run. A run that
// was killed may have recorded calls that it did not live to store; they are added once the replay
// of its session is over, unless the session of which it is a copy made them.
void Gate::Store(std::size_t step, const PastCall& past) {
  if (setup_ == nullptr || !setup_->store.keeps()) return;
  if (!recorded_.live()) return replayed_.emplace_back(step, past), void();
  GuardStore& store = setup_->store;
  const std::string run = fmt::format("{} {}", Run(), ContentHash(setup_->session));
  const std::string why = store.Transact([&] {
    for (const auto& [at, call] : replayed_) {
      const Sourced<bool> known = store.HasEnded(Run(), at, call.at);
      if (!known.value) return known.why;
      if (*known.value) continue;
      if (std::string error = store.Ended(run, at, call); !error.empty()) return error;
    }
    return store.Ended(run, step, past);
  });
  replayed_.clear();
  if (!why.empty()) broken_ = "the guard's store cannot be written: " + why;
}

// --- decisions ----------------------------------------------------------------------------

void Gate::TakeEarlier(RelationId tool, std::span<const Value> args) {
  if (on()) {
    OpenCall& call = told_.emplace_back();
    call.relation = tool;
    call.args.assign(args.begin(), args.end());
  }
  if (engine_.program.guards().empty()) return;
  const CallRelations calls = engine_.program.CallsOf(tool);
  engine_.store.Insert(calls.called, args, true);
  engine_.store.Insert(calls.made, args, true);
}

bool Gate::PassesHeld(const GateCall& call) {
  const ordered_json question = {{"held", call.text}};
  if (!recorded_.live() && !journal_->Answers(question)) return false;
  recorded_.Outside(question, [] { return ordered_json(true); });
  return true;
}

bool Gate::StartsAgain(const GateCall& call) const {
  if (journal_ == nullptr) return false;
  const auto known = begun_.find(engine_.solver.IdOf(*call.call));
  const std::size_t decided =
      known != begun_.end() && known->second.open ? known->second.starts : 0;
  if (journal_->Starts(call.text) <= decided) return false;
  return recorded_.live() ? !journal_->InDoubt(call.text)
                          : journal_->Answers({{"again", call.text}});
}

// Counts the calls that were cut off before the program changed, once for each start. Recorded, as
// sessions of earlier versions did not count them.
void Gate::TakeCutOff() {
  if (cut_off_) return;
  cut_off_.emplace();
  if (journal_ == nullptr || journal_->cut_off().empty()) return;
  const ordered_json question = {{"cutOff", true}};
  if (!recorded_.live() && !journal_->Answers(question)) return;
  recorded_.Outside(question, [] { return ordered_json(true); });
  for (const auto& [text, call] : journal_->cut_off()) {
    const CallInputs::Named& names =
        cut_off_->emplace(text, inputs_.NamesOf(call.tool)).first->second;
    for (std::size_t i = 0; i < call.starts; ++i) history_.Begin(names.tool, names.tags);
  }
}

// Counts the calls that ended before the program changed: with what was recorded of them for a
// guard, or, where none decided, by the trace alone. Recorded, as sessions of earlier versions
// counted only what was recorded, and that only for a policy.
void Gate::TakeEnded() {
  if (std::exchange(took_ended_, true)) return;
  std::vector<PastCall> ended;
  std::set<std::string> known;
  if (journal_ != nullptr)
    for (const auto& [call, past] : journal_->results()) {
      known.insert(call);
      if (!HasPolicy() && Ran(past)) ended.push_back(PastCallOf(past));
    }
  for (const OpenCall& call : std::exchange(told_, {})) {
    if (known.contains(engine_.solver.CallText(call))) continue;
    CallInputs::Named names =
        inputs_.NamesOf(std::string(engine_.pool.TextOf(engine_.store.at(call.relation).label())));
    PastCall past;
    past.tool = std::move(names.tool);
    past.tags = std::move(names.tags);
    ended.push_back(std::move(past));
  }
  if (ended.empty()) return;
  const ordered_json question = {{"ended", true}};
  if (!recorded_.live() && !journal_->Answers(question)) return;
  recorded_.Outside(question, [] { return ordered_json(true); });
  for (const PastCall& past : ended) history_.Add(past, true);
}

std::optional<Decision> Gate::Before(const GateCall& call, Moment now,
                                     std::vector<OpenCall>& questions) {
  const auto started = std::chrono::steady_clock::now();
  inputs_.Derive(true);
  now_ = now;
  recorded_.BeginDecision();
  const bool again = StartsAgain(call);
  if (again) recorded_.Outside({{"again", call.text}}, [] { return ordered_json(true); });
  TakeCutOff();
  TakeEnded();
  TakeMetrics();
  const GuardCall seen = inputs_.Seen(call);
  deciding_ = call.text;
  spent_.clear();
  const Guard& guard = TheGuard();
  // A call that went out in an earlier turn, and waits, does not count against itself.
  const CallId id = engine_.solver.IdOf(*call.call);
  const auto known = begun_.find(id);
  const bool open = known != begun_.end() && known->second.open;
  std::optional<CallInputs::Named> waits;
  if (open) waits = {known->second.call.tool, known->second.call.tags};
  else if (const auto cut = cut_off_->find(call.text);
           known == begun_.end() && cut != cut_off_->end())
    waits = cut->second;
  if (again) waits.reset();
  if (waits) history_.GiveUp(waits->tool, waits->tags);
  const std::vector<NativeFinding> forbidden = Forbidden(call, seen, questions);
  if (!questions.empty() && std::ranges::none_of(forbidden, &NativeFinding::blocks)) {
    if (waits) history_.Begin(waits->tool, waits->tags);
    return std::nullopt;
  }
  questions.clear();
  const std::size_t step = steps_++;
  Decision decision = guard.Decide(seen, history_, *this, now, forbidden);
  if (waits && decision.Stops()) history_.Begin(waits->tool, waits->tags);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started;
  if (!decision.Stops()) {
    history_.Begin(seen.tool, seen.tags);
    engine_.store.Insert(engine_.program.CallsOf(call.call->relation).called, call.call->args,
                         true);
    const std::size_t starts = again  ? journal_->Starts(call.text)
                               : open ? known->second.starts
                                      : 0;
    begun_.insert_or_assign(id, Begun{step, seen, spent_, true, starts});
  }
  Decided(step, decision, seen, took.count(), now);
  return decision;
}

Decision Gate::After(const GateCall& call, const Answer& answer, Moment now, bool again) {
  const auto started = std::chrono::steady_clock::now();
  inputs_.Derive(false);
  now_ = now;
  recorded_.BeginDecision();
  deciding_ = call.text;
  const auto known = begun_.find(engine_.solver.IdOf(*call.call));
  // The reply may be older than the guard, which a later message stated.
  Begun begun = known != begun_.end() ? known->second : Begun{steps_++, inputs_.Seen(call), {}};
  GuardCall seen = begun.call;
  seen.phase = CallPhase::kAfter;
  seen.took_ms = answer.took_ms;
  PastCall past;
  bool ran = true;
  if (again) {
    past = past_[call.text];
  } else {
    const ordered_json result = recorded_.Outside({{"result", call.text}}, [&] {
      ordered_json ended = PastCallJson(Ended(begun, answer, now));
      if (answer.kind == Answer::Kind::kNotRun) ended["ran"] = false;
      return ended;
    });
    past = PastCallOf(result);
    ran = Ran(result);
  }
  seen.took_ms = past.took_ms;
  if (!again && ran) {
    history_.Add(past, true);
    Store(begun.step, past);
    ++attempts_[call.text];
  }
  const Guard& guard = TheGuard();
  const bool any = std::any_of(guard.policy().rules.begin(), guard.policy().rules.end(),
                               [&](const GuardRule& rule) {
                                 return rule.phase == CallPhase::kAfter && rule.tool &&
                                        Selects(*rule.tool, seen.tool, seen.tags);
                               });
  Decision decision;
  if (any) decision = guard.Decide(seen, history_, *this, now);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started;
  if (!again) {
    const CallRelations calls = engine_.program.CallsOf(call.call->relation);
    if (known != begun_.end()) known->second.open = false;
    if (ran) {
      engine_.store.Insert(calls.called, call.call->args, true);
      engine_.store.Insert(calls.made, call.call->args, true);
      past_[call.text] = past_[call.label] = past;
    } else if (known != begun_.end()) {
      Unmake(call, begun);
    }
    std::optional<std::string> error;
    if (past.failed) {
      const Value message = answer.kind == Answer::Kind::kMeta
                                ? engine_.pool.Lookup(answer.value, engine_.pool.Keyword("message"))
                                : kNone;
      error =
          message.is_none() || message == kAbsent ? "declined" : PlainText(engine_.pool, message);
    }
    if (audit_) Audit(audit_->Result(begun.step, past, error, now));
  }
  if (any) Decided(begun.step, decision, seen, took.count(), now);
  return decision;
}

// A call that was let pass, but was not permitted or could not be started, counts nowhere.
void Gate::Unmake(const GateCall& call, const Begun& begun) {
  history_.GiveUp(begun.call.tool, begun.call.tags);
  engine_.store.Retract(engine_.program.CallsOf(call.call->relation).called, call.call->args);
  if (!recorded_.live() || setup_ == nullptr) return;
  for (const std::string& review : begun.spent)
    if (const std::string why = setup_->store.GiveBack(review, Attempt(call.text)); !why.empty())
      broken_ = "the guard's store cannot be written: " + why;
}

void Gate::Decided(std::size_t step, const Decision& decision, const GuardCall& seen,
                   double latency_ms, Moment now) {
  if (journal_ != nullptr) {
    ordered_json event = DecisionJson(decision, seen);
    event.erase("schema");
    journal_->Decision(event);
  }
  if (!audit_) return;
  Audit(audit_->Decided(step, decision, seen, latency_ms, now));
  for (const std::string& problem : decision.problems)
    if (problem.find("time zone") == std::string::npos || told_zones_.insert(problem).second)
      Audit(audit_->Failed(problem, now));
}

PastCall Gate::Ended(const Begun& begun, const Answer& answer, Moment now) {
  const bool meta = answer.kind == Answer::Kind::kMeta;
  const bool failed =
      answer.kind == Answer::Kind::kDecline || (meta && SaysFailed(engine_.pool, answer.value));
  std::optional<ordered_json> result;
  if (!failed) {
    const Value value =
        meta ? engine_.pool.Lookup(answer.value, engine_.pool.Keyword("result")) : answer.value;
    if (!value.is_none() && value != kAbsent) result = inputs_.JsonOf(value);
  }
  GuardCall call = begun.call;
  call.took_ms = answer.took_ms;
  PastCall past = EndedCall(call, result ? &*result : nullptr, now);
  past.failed = failed;
  if (result) AddReported(FieldAt(*result, "metrics"), past.metrics);
  if (meta)
    if (const Value metrics = engine_.pool.Lookup(answer.value, engine_.pool.Keyword("metrics"));
        !metrics.is_none() && metrics != kAbsent)
      AddReported(inputs_.JsonOf(metrics), past.metrics);
  return past;
}

}  // namespace rpl
