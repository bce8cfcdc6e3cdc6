// SPDX-License-Identifier: Apache-2.0
//
// Sources of a decision's inputs: relations of the program, then settings and commands.
#include <fmt/format.h>

#include <algorithm>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/spelling.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/store/json_value.h"
#include "interp/store/store.h"
#include "runtime/call_description.h"
#include "runtime/ports.h"
#include "runtime/record/journal.h"
#include "runtime/step/gate.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

std::string ReviewStateName(Review::State state) {
  static constexpr const char* kNames[] = {"none", "pending", "approved", "denied"};
  return kNames[static_cast<std::size_t>(state)];
}

ordered_json JsonOfReview(const Sourced<Review>& review) {
  if (!review.value) return {{"error", review.why}};
  return {{"state", ReviewStateName(review.value->state)},
          {"id", review.value->id},
          {"reason", review.value->reason}};
}

// The recorded reason for a missing input.
std::string WhyNot(const ordered_json& json, const char* key) {
  const ordered_json& why = FieldAt(json, key);
  return why.is_string() ? why.get<std::string>() : "nothing was recorded";
}

Sourced<Review> ReviewOf(const ordered_json& json) {
  if (!FieldAt(json, "state").is_string()) return {std::nullopt, WhyNot(json, "error")};
  Review review{Review::State::kUnasked, TextAt(json, "id"), TextAt(json, "reason")};
  const std::string state = TextAt(json, "state");
  for (const auto each :
       {Review::State::kPending, Review::State::kApproved, Review::State::kDenied})
    if (ReviewStateName(each) == state) review.state = each;
  return {review, ""};
}

ordered_json JsonOfSourced(const Sourced<ordered_json>& got) {
  if (got.value) return {{"value", *got.value}};
  return {{"why", got.why}};
}

Sourced<ordered_json> SourcedOf(const ordered_json& json) {
  if (json.is_object() && json.contains("value")) return {json["value"], ""};
  return {std::nullopt, WhyNot(json, "why")};
}

}  // namespace

// Takes the metrics that rules give for calls made.
void Gate::TakeMetrics() {
  for (const std::vector<Value>& row : inputs_.RowsOf("metric", {kNone, kNone, kNone})) {
    const std::string of = PlainText(engine_.pool, row[0]);
    const std::string key = PlainText(engine_.pool, row[1]);
    const ordered_json value = inputs_.JsonOf(row[2]);
    const auto past = past_.find(of);
    if (past == past_.end() || !value.is_number() || IsInbuiltMetric(key) ||
        !taken_metrics_.emplace(of, key).second)
      continue;
    PastCall more = past->second;
    more.metrics = {{key, value.get<double>()}};
    history_.AddMetrics(more);
    if (setup_ == nullptr || !setup_->store.keeps() || !recorded_.live()) continue;
    if (const std::string why = setup_->store.AddMetrics(more); !why.empty())
      broken_ = "the guard's store cannot be written: " + why;
  }
}

Sourced<ordered_json> Gate::Signal(const std::string& key, const ordered_json& args) {
  if (subjects_of_program_) {
    if (engine_.store.Find(Space::kRelation, "signal", 3) != kNoId)
      return {std::nullopt, "the program has a relation `signal`"};
    return SignalOfCommand(key, args);
  }
  std::vector<ordered_json> values;
  for (const bool keywords : {true, false})
    for (const std::vector<Value>& row : inputs_.RowsOf(
             "signal",
             {engine_.pool.String(key), ValueOfJson(args, engine_.pool, keywords), kNone})) {
      ordered_json value = inputs_.JsonOf(row[2]);
      const bool known = std::any_of(values.begin(), values.end(),
                                     [&](const ordered_json& v) { return SameContent(v, value); });
      if (!known) values.push_back(std::move(value));
    }
  if (values.size() > 1) return {std::nullopt, "the relation `signal` has two values for it"};
  if (values.size() == 1) return {values.front(), ""};
  return SignalOfCommand(key, args);
}

Sourced<ordered_json> Gate::SignalOfCommand(const std::string& key, const ordered_json& args) {
  const GuardCommand* command = setup_ != nullptr ? setup_->config.FindSignal(key) : nullptr;
  if (command == nullptr) return {std::nullopt, "nothing provides it"};
  return SourcedOf(recorded_.OncePerDecision({{"signal", key}, {"args", args}}, [&] {
    if (!setup_->run) return JsonOfSourced({std::nullopt, "no commands are run here"});
    return JsonOfSourced(setup_->run(*command, args));
  }));
}

Sourced<std::vector<Subject>> Gate::Subjects(const GuardCall& call) {
  std::vector<Subject> out =
      subjects_of_program_ ? *subjects_of_program_ : inputs_.SubjectsOfProgram(call);
  if (!out.empty() || setup_ == nullptr) return {out, ""};
  const GuardCommand* command = setup_->config.FindSubjects(call.tool);
  if (command == nullptr) return {out, ""};
  const Sourced<ordered_json> got =
      SourcedOf(recorded_.OncePerDecision({{"subjects", call.tool}}, [&] {
        if (!setup_->run) return JsonOfSourced({std::nullopt, "no commands are run here"});
        const ordered_json input = {{"tool", {{"name", call.tool}, {"tags", call.tags}}},
                                    {"toolName", call.tool},
                                    {"toolArgs", call.args},
                                    {"runContext", {{"runId", Run()}}}};
        return JsonOfSourced(setup_->run(*command, input));
      }));
  if (!got.value) return {std::nullopt, got.why};
  return ReadSubjects(*got.value);
}

Sourced<Review> Gate::FindReview(const ReviewRequest& request) {
  return ReviewOf(recorded_.Outside({{"review", ReviewId(request)}}, [&] {
    return JsonOfReview(setup_->store.Find(request, Attempt(deciding_), now_));
  }));
}

Sourced<Review> Gate::AskForReview(const ReviewRequest& request) {
  return ReviewOf(recorded_.Outside({{"askForReview", ReviewId(request)}}, [&] {
    return JsonOfReview(setup_->store.Ask(request, Run(), now_));
  }));
}

Sourced<bool> Gate::SpendReview(const Review& review) {
  const ordered_json spent = recorded_.Outside({{"spendReview", review.id}}, [&]() -> ordered_json {
    const Sourced<bool> done = setup_->store.Spend(review.id, Attempt(deciding_), now_);
    if (!done.value) return {{"error", done.why}};
    return {{"spent", *done.value}};
  });
  if (!FieldAt(spent, "spent").is_boolean()) return {std::nullopt, WhyNot(spent, "error")};
  if (FlagAt(spent, "spent")) spent_.push_back(review.id);
  return {FlagAt(spent, "spent"), ""};
}

// --- what the program forbids itself -------------------------------------------------------

std::string Gate::NameOf(const Constraint& c) const {
  if (std::string name = KebabTitle(c.heading); !name.empty()) return name;
  std::string where = engine_.program.sources().Where(c.span);
  return where.substr(0, where.rfind(':'));
}

bool Gate::Blocks(const Constraint& c) {
  for (const std::vector<Value>& cells : inputs_.RowsOf("severity", {kNone, kNone})) {
    if (PlainText(engine_.pool, cells[0]) != NameOf(c)) continue;
    const std::string word = PlainText(engine_.pool, cells[1]);
    if (word == ":warning" || word == "warning" || word == ":info" || word == "info") return false;
  }
  return true;
}

namespace {

// Whether headings alone, which are not answered yet, leave it undecided.
bool Waits(const Evaluation& evaluated) {
  return !evaluated.calls.empty() && evaluated.undefined.empty() && !evaluated.declined &&
         !evaluated.refused && !evaluated.failed &&
         std::ranges::all_of(evaluated.calls,
                             [](const OpenCall& call) { return call.space == Space::kRelation; });
}

}  // namespace

// A guard asks nothing itself: a call that it leaves open waits for the headings that it reads
// (decision 92).
std::vector<NativeFinding> Gate::ForbiddenBy(const CallGuard& guard, const OpenCall& call,
                                             std::vector<OpenCall>& questions) {
  std::vector<NativeFinding> out;
  const Constraint& c = engine_.program.constraints()[static_cast<std::size_t>(guard.constraint)];
  for (const CallGuard::Reading& reading : guard.readings) {
    if (reading.tool != call.relation) continue;
    const auto found = [&](std::string message, std::vector<std::string> premises) {
      out.push_back({NameOf(c), Blocks(c), std::move(message), std::move(premises)});
    };
    bool open = false;  // a right side is undecided
    const Undecided more = engine_.solver.CheckConstraint(
        reading.form, [&](const std::vector<Value>& slots, Solver::Judgement judgement) {
          if (judgement != Solver::Judgement::kViolated) {
            open = open || judgement != Solver::Judgement::kHolds;
            return;
          }
          if (engine_.limits.profile != nullptr) engine_.limits.profile->CountViolated(c);
          if (!out.empty()) return;
          std::vector<std::string> premises;
          for (std::size_t i = 0; i < slots.size(); ++i)
            if (!c.slots[i].empty() && !slots[i].is_none() && slots[i] != kUnknown)
              premises.push_back("?" + c.slots[i] + " is " + Text(engine_.pool, slots[i]));
          found("forbidden: " + c.text, std::move(premises));
        });
    const Evaluation evaluated = engine_.solver.Take();
    if (evaluated.stop != Stop::kGoesOn) {  // undecided: the call does not go out
      engine_.pool.ClearOverflow();
      out.push_back({NameOf(c), true, "the guard failed: a limit was reached in " + c.text, {}});
    } else if ((open || more) && out.empty() && Waits(evaluated)) {
      questions.insert(questions.end(), evaluated.calls.begin(), evaluated.calls.end());
    } else if ((open || more) && out.empty()) {
      found("not known yet whether it is forbidden: " + c.text,
            evaluated.undefined.empty() ? std::vector<std::string>()
                                        : std::vector{evaluated.undefined});
    }
    if (!out.empty()) break;
  }
  return out;
}

std::vector<NativeFinding> Gate::Forbidden(const GateCall& call, const GuardCall& seen,
                                           std::vector<OpenCall>& questions) {
  std::vector<NativeFinding> out;
  // The policy would read another number, and an approval would hold for all that are near.
  if (HasPolicy() && std::ranges::any_of(call.call->args, [this](Value v) {
        const auto json = JsonOfValue(engine_.pool, v, JsonNumbers::kExact);
        return json && HasExactInteger(*json);
      }))
    out.push_back({"arguments", true, "an integer has more than 64 bits", {}});
  if (engine_.program.guards().empty()) return out;
  const CallRelations calls = engine_.program.CallsOf(call.call->relation);
  const bool called = engine_.store.at(calls.called).Find(call.call->args) != kNoId;
  engine_.store.Insert(calls.pending, call.call->args, true);
  if (!called) engine_.store.Insert(calls.called, call.call->args, true);
  const std::string& zone = TheGuard().agent().organisation_zone;
  subjects_of_program_ = inputs_.SubjectsOfProgram(seen);
  const CallDescription description(seen, history_, zone, now_, *this);
  engine_.solver.Decide(&description);
  for (const CallGuard& guard : engine_.program.guards())
    for (NativeFinding& finding : ForbiddenBy(guard, *call.call, questions))
      out.push_back(std::move(finding));
  engine_.solver.Decide(nullptr);
  subjects_of_program_.reset();
  engine_.store.Retract(calls.pending, call.call->args);
  if (!called) engine_.store.Retract(calls.called, call.call->args);
  return out;
}

}  // namespace rpl
