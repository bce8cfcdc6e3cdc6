// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/call_permission.h"

#include <fmt/format.h>

#include <utility>

#include "interp/eval/engine.h"
#include "interp/eval/solver.h"
#include "interp/program/operators.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/recorder.h"
#include "runtime/outcome.h"
#include "runtime/step/gate.h"

namespace rpl {

CallPermission::CallPermission(interp::Engine& engine, const SessionOptions& options,
                               CallBook& calls, Recorder& recorder, const Derivations& derivations,
                               Effects effects)
    : engine_(engine),
      calls_(calls),
      recorder_(recorder),
      derivations_(derivations),
      effects_(std::move(effects)),
      gate_(std::make_unique<Gate>(options.gate, options.journal, engine)) {}

CallPermission::~CallPermission() = default;

void CallPermission::SetTime(std::string_view now) {
  const std::string text(now);
  now_ = 0;
  for (const std::string& each : {text, text + "Z", text + ":00Z"})
    if (const auto moment = ParseInstant(each)) {
      now_ = *moment;
      return;
    }
}

void CallPermission::BeginRun() { gate_->BeginRun(now_); }

void CallPermission::CountEarlier(RelationId tool, std::span<const Value> args) {
  gate_->TakeEarlier(tool, args);
}

const std::string& CallPermission::broken() const { return gate_->broken(); }

GateCall CallPermission::Gated(const OpenCall& call) const {
  return {&call, std::string(engine_.pool.TextOf(engine_.store.at(call.relation).label())),
          engine_.solver.CallText(call)};
}

bool CallPermission::Admits(const OpenCall& call) {
  if (!gate_->on()) return true;
  if (!calls_.held.empty() || !gate_->broken().empty()) return false;
  const GateCall gated = Gated(call);
  const CallId id = engine_.solver.IdOf(call);
  if (calls_.admitted.contains(id)) return true;
  if (calls_.refusals.contains(id)) return false;
  const auto held = calls_.held_replies.find(id);
  const bool went_out = held != calls_.held_replies.end();
  if (!went_out || !gate_->PassesHeld(gated)) {
    const std::optional<Decision> made = gate_->Before(gated, now_, calls_.awaited);
    if (!made || !gate_->broken().empty()) return false;
    const Decision& decision = *made;
    Assertion fact;
    fact.relation = engine_.store.Declare(Space::kRelation, "guard-decision", 4);
    fact.row = {engine_.pool.String(gated.label), engine_.pool.List(call.args),
                engine_.pool.Keyword(EffectName(decision.effect)),
                decision.rule.empty() ? kNil : engine_.pool.String(decision.rule)};
    fact.trace = true;
    fact.text = derivations_.RowText(fact.relation, fact.row) + " -> true";
    recorder_.Log(LogLine::Verb::kDecided,
                  gated.text + " " + std::string(EffectName(decision.effect)) +
                      (decision.rule.empty() ? "" : " by " + decision.rule));
    effects_.state(std::move(fact));
    if (decision.Stops()) {
      Refuse(gated, decision);
      return false;
    }
  }
  calls_.admitted.insert(id);
  if (!went_out) return true;
  calls_.replies.push_back({held->second.call, held->second.answer, true});
  calls_.held_replies.erase(held);
  return false;
}

bool CallPermission::AdmitsAgain(const std::vector<const OpenCall*>& calls,
                                 const std::vector<Answer>& replies, std::vector<bool>& stopped) {
  bool any = false;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!gate_->on() || replies[i].kind != Answer::Kind::kNobody || stopped[i]) continue;
    if (!gate_->StartsAgain(Gated(*calls[i]))) continue;
    calls_.admitted.erase(engine_.solver.IdOf(*calls[i]));
    stopped[i] = !Admits(*calls[i]);
    any = any || !stopped[i];
  }
  return any;
}

bool CallPermission::AdmitsShown(Value shown) {
  if (!gate_->on()) return true;
  OpenCall call;
  call.relation = engine_.store.Declare(Space::kTool, "json", 1);
  call.args = {shown};
  if (!Admits(call)) return false;
  gate_->After(Gated(call), {Answer::Kind::kMeta, engine_.pool.Map({})}, now_, false);
  return true;
}

bool CallPermission::TakesIn(const CallReply& reply) {
  if (!gate_->on() || reply.call.space != Space::kTool) return true;
  const GateCall gated = Gated(reply.call);
  const Decision decision = gate_->After(gated, reply.answer, now_, reply.held);
  if (!decision.Stops()) return true;
  if (decision.Holds())
    calls_.held_replies.insert_or_assign(engine_.solver.IdOf(reply.call),
                                         CallReply{reply.call, reply.answer, true});
  Refuse(gated, decision);
  // In phase 1 the refusal takes effect at once.
  if (!decision.Holds()) calls_.refused.merge(std::exchange(calls_.refusals, {}));
  return false;
}

void CallPermission::Refuse(const GateCall& call, const Decision& decision) {
  std::string why = fmt::format("{} is {} by ", call.text, decision.Holds() ? "held" : "blocked");
  why += decision.rule.empty() ? "the guard" : "the rule `" + decision.rule + "`";
  if (!decision.review.empty()) why += ", review " + decision.review;
  for (std::size_t i = 0; i < decision.premises.size(); ++i)
    why += (i == 0 ? ": " : "; ") + decision.premises[i];
  const std::string report = effects_.fail(decision.message, why);
  const CallId id = engine_.solver.IdOf(*call.call);
  calls_.reports[id] = report;
  calls_.refusals.emplace(id, OneLine(decision.message));
  if (decision.Holds()) calls_.held = report;
}

void CallPermission::EndRun(Status status) {
  gate_->EndRun(
      status == Status::kReview || status == Status::kInterrupted || status == Status::kWaiting
          ? "interrupted"
      : status == Status::kSatisfied || status == Status::kUnsatisfied ||
              status == Status::kFailed || status == Status::kNothing
          ? "success"
          : "error",
      now_);
}

}  // namespace rpl
