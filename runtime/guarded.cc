// SPDX-License-Identifier: Apache-2.0
//
// The gate in the timestep: admission of calls in phase 8 and of results in phase 1, and the
// effect of refusals.
//
// A call is decided once per turn; if its result is held, only that is decided again. A refused
// call stays open and is not made: clauses that need it have no answer from the next timestep on,
// so that the program can choose another plan. If a call is held, nothing else goes out and the run
// ends; results of earlier calls still come in. Both are recorded as a %fail entry of the trace,
// and each decision is a fact `guard-decision(tool, args, effect, rule)` of the next timestep.
#include <fmt/format.h>

#include "interp/eval/constraint_watch.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/program/operators.h"
#include "runtime/gate.h"
#include "runtime/timestep.h"

namespace rpl {

Moment Runtime::MomentNow() const {
  const std::string text(engine_.pool.TextOf(now_));
  for (const std::string& each : {text, text + "Z", text + ":00Z"})
    if (const auto moment = ParseInstant(each)) return *moment;
  return 0;
}

GateCall Runtime::Gated(const OpenCall& call) const {
  return {&call, std::string(engine_.pool.TextOf(engine_.store.at(call.relation).label())),
          engine_.solver.CallText(call)};
}

bool Runtime::Admits(const OpenCall& call) {
  if (!gate_->on()) return true;
  if (!calls_.held.empty() || !gate_->broken().empty()) return false;
  const GateCall gated = Gated(call);
  const CallId id = engine_.solver.IdOf(call);
  if (calls_.admitted.contains(id)) return true;
  if (calls_.refusals.contains(id)) return false;
  const auto held = calls_.held_replies.find(id);
  const bool went_out = held != calls_.held_replies.end();
  if (!went_out || !gate_->PassesHeld(gated)) {
    const std::optional<Decision> made = gate_->Before(gated, MomentNow(), calls_.awaited);
    if (!made || !gate_->broken().empty()) return false;
    const Decision& decision = *made;
    Assertion fact;
    fact.relation = engine_.store.Declare(Space::kRelation, "guard-decision", 4);
    fact.row = {engine_.pool.String(gated.label), engine_.pool.List(call.args),
                engine_.pool.Keyword(EffectName(decision.effect)),
                decision.rule.empty() ? kNil : engine_.pool.String(decision.rule)};
    fact.trace = true;
    fact.text = RowText(fact.relation, fact.row) + " -> true";
    recorder_.Log(Verb::kDecided, gated.text + " " + std::string(EffectName(decision.effect)) +
                                      (decision.rule.empty() ? "" : " by " + decision.rule));
    novelty_.push_back({{}, From::kDecision, By::kHost});
    novelty_.back().what.assertions.push_back(std::move(fact));
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

// Decides about the calls that were cut off in this turn and are to be started again. True if one
// goes out, so that its start may be recorded.
bool Runtime::AdmitAgain(const std::vector<const OpenCall*>& calls,
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

bool Runtime::AdmitsJson(Value shown) {
  if (!gate_->on()) return true;
  OpenCall call;
  call.relation = engine_.store.Declare(Space::kTool, "json", 1);
  call.args = {shown};
  if (!Admits(call)) return false;
  gate_->After(Gated(call), {Answer::Kind::kMeta, engine_.pool.Map({})}, MomentNow(), false);
  return true;
}

bool Runtime::TakesIn(const CallBook::Reply& reply) {
  if (!gate_->on() || reply.call.space != Space::kTool) return true;
  const GateCall gated = Gated(reply.call);
  const Decision decision = gate_->After(gated, reply.answer, MomentNow(), reply.held);
  if (!decision.Stops()) return true;
  if (decision.Holds())
    calls_.held_replies.insert_or_assign(engine_.solver.IdOf(reply.call),
                                         CallBook::Reply{reply.call, reply.answer, true});
  Refuse(gated, decision);
  // In phase 1 the refusal takes effect at once.
  if (!decision.Holds()) calls_.refused.merge(std::exchange(calls_.refusals, {}));
  return false;
}

void Runtime::Refuse(const GateCall& call, const Decision& decision) {
  std::string why = fmt::format("{} is {} by ", call.text, decision.Holds() ? "held" : "blocked");
  why += decision.rule.empty() ? "the guard" : "the rule `" + decision.rule + "`";
  if (!decision.review.empty()) why += ", review " + decision.review;
  for (std::size_t i = 0; i < decision.premises.size(); ++i)
    why += (i == 0 ? ": " : "; ") + decision.premises[i];
  const std::string report = FailText(decision.message, why);
  const CallId id = engine_.solver.IdOf(*call.call);
  calls_.reports[id] = report;
  calls_.refusals.emplace(id, OneLine(decision.message));
  if (decision.Holds()) calls_.held = report;
}

void Runtime::EndRun(Status status) {
  if (!pursue_) return;
  gate_->EndRun(
      status == Status::kReview || status == Status::kInterrupted || status == Status::kWaiting
          ? "interrupted"
      : status == Status::kSatisfied || status == Status::kUnsatisfied ||
              status == Status::kFailed || status == Status::kNothing
          ? "success"
          : "error",
      MomentNow());
}

}  // namespace rpl
