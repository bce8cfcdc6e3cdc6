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

ordered_json Gate::JsonOf(Value v) const {
  std::optional<ordered_json> json = JsonOfValue(engine_.pool, v, JsonNumbers::kNearest);
  return json ? WithoutColons(*json) : ordered_json(Text(engine_.pool, v));
}

// The rows of a relation that agree with the bound arguments of `key`; before phase 8, those that
// are stored.
Gate::Rows Gate::RowsOf(std::string_view label, std::vector<Value> key) {
  Rows out;
  const RelationId id =
      engine_.store.Find(Space::kRelation, label, static_cast<std::uint32_t>(key.size()));
  if (id == kNoId) return out;
  const auto add = [&](std::span<const Value> row) {
    for (std::size_t i = 0; i < key.size(); ++i)
      if (!key[i].is_none() && key[i] != row[i]) return;
    std::vector<Value> cells(row.begin(), row.end());
    if (std::find(out.begin(), out.end(), cells) == out.end()) out.push_back(std::move(cells));
  };
  if (derives_) {
    engine_.solver.ForEachRow(id, key, add);
    return out;
  }
  const Relation& stored = engine_.store.at(id);
  for (RowId row = 0; row < stored.size(); ++row) add(stored.Cells(row));
  return out;
}

// The name and the tags of a tool in policies.
Gate::Named Gate::NamesOf(const std::string& of) {
  Named names;
  const GuardTool* declared = setup_ != nullptr ? setup_->config.FindTool(of) : nullptr;
  names.tool = declared != nullptr ? declared->name : of;
  const Value label = engine_.pool.String(of);
  if (const Rows rows = RowsOf("tool-name", {label, kNone}); rows.size() == 1)
    names.tool = PlainText(engine_.pool, rows.front()[1]);
  for (const Value known : {label, engine_.pool.String(names.tool)})
    for (const std::vector<Value>& row : RowsOf("tool-tag", {known, kNone}))
      if (std::string tag = PlainText(engine_.pool, row[1]);
          std::find(names.tags.begin(), names.tags.end(), tag) == names.tags.end())
        names.tags.push_back(std::move(tag));
  if (names.tags.empty() && declared != nullptr) names.tags = declared->tags;
  return names;
}

GuardCall Gate::Seen(const GateCall& call) {
  GuardCall seen;
  const GuardTool* declared = setup_ != nullptr ? setup_->config.FindTool(call.label) : nullptr;
  Named names = NamesOf(call.label);
  seen.tool = std::move(names.tool);
  seen.tags = std::move(names.tags);
  std::vector<std::string> params;
  if (const auto* of_heading = engine_.program.ParametersOf(call.call->relation))
    params = *of_heading;
  if (declared != nullptr && !declared->params.empty()) params = declared->params;
  ordered_json args = ordered_json::array();
  for (const Value arg : call.call->args) args.push_back(JsonOf(arg));
  seen.args = NamedArguments(std::move(args), params);
  seen.user = User();
  return seen;
}

std::optional<EndUser> Gate::User() {
  std::optional<EndUser> user;
  if (setup_ != nullptr) user = setup_->config.user;
  const Rows ids = RowsOf("end-user", {kNone});
  const Rows tags = RowsOf("end-user-tag", {kNone, kNone});
  if (ids.empty() && tags.empty()) return user;
  if (!user) user.emplace();
  if (ids.size() == 1) user->id = PlainText(engine_.pool, ids.front()[0]);
  if (ids.size() > 1) user->id.reset();
  std::set<std::string> told;
  for (const std::vector<Value>& row : tags) {
    const std::string tag = PlainText(engine_.pool, row[0]);
    const bool again = !told.insert(tag).second;
    if (again) user->disputed.insert(tag);
    user->tags[tag] = JsonOf(row[1]);
  }
  return user;
}

// Takes the metrics that rules give for calls made.
void Gate::TakeMetrics() {
  for (const std::vector<Value>& row : RowsOf("metric", {kNone, kNone, kNone})) {
    const std::string of = PlainText(engine_.pool, row[0]);
    const std::string key = PlainText(engine_.pool, row[1]);
    const ordered_json value = JsonOf(row[2]);
    const auto past = past_.find(of);
    if (past == past_.end() || !value.is_number() || IsInbuiltMetric(key) ||
        !taken_metrics_.emplace(of, key).second)
      continue;
    PastCall more = past->second;
    more.metrics = {{key, value.get<double>()}};
    history_.AddMetrics(more);
    if (setup_ == nullptr || !setup_->store.keeps() || !live()) continue;
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
    for (const std::vector<Value>& row :
         RowsOf("signal",
                {engine_.pool.String(key), ValueOfJson(args, engine_.pool, keywords), kNone})) {
      ordered_json value = JsonOf(row[2]);
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
  return SourcedOf(OncePerDecision({{"signal", key}, {"args", args}}, [&] {
    if (!setup_->run) return JsonOfSourced({std::nullopt, "no commands are run here"});
    return JsonOfSourced(setup_->run(*command, args));
  }));
}

std::vector<Subject> Gate::SubjectsOfProgram(const GuardCall& call) {
  std::vector<Subject> out;
  const auto optional = [&](Value v) -> std::optional<std::string> {
    return v == kNil ? std::nullopt : std::optional(PlainText(engine_.pool, v));
  };
  for (const std::vector<Value>& row :
       RowsOf("subject", {engine_.pool.String(call.tool), kNone, kNone, kNone, kNone}))
    out.push_back({PlainText(engine_.pool, row[1]), PlainText(engine_.pool, row[3]),
                   optional(row[2]), optional(row[4])});
  return out;
}

Sourced<std::vector<Subject>> Gate::Subjects(const GuardCall& call) {
  std::vector<Subject> out = subjects_of_program_ ? *subjects_of_program_ : SubjectsOfProgram(call);
  if (!out.empty() || setup_ == nullptr) return {out, ""};
  const GuardCommand* command = setup_->config.FindSubjects(call.tool);
  if (command == nullptr) return {out, ""};
  const Sourced<ordered_json> got = SourcedOf(OncePerDecision({{"subjects", call.tool}}, [&] {
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
  return ReviewOf(Outside({{"review", ReviewId(request)}}, [&] {
    return JsonOfReview(setup_->store.Find(request, Attempt(deciding_), now_));
  }));
}

Sourced<Review> Gate::AskForReview(const ReviewRequest& request) {
  return ReviewOf(Outside({{"askForReview", ReviewId(request)}},
                          [&] { return JsonOfReview(setup_->store.Ask(request, Run(), now_)); }));
}

Sourced<bool> Gate::SpendReview(const Review& review) {
  const ordered_json spent = Outside({{"spendReview", review.id}}, [&]() -> ordered_json {
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
  for (const std::vector<Value>& cells : RowsOf("severity", {kNone, kNone})) {
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
  subjects_of_program_ = SubjectsOfProgram(seen);
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
