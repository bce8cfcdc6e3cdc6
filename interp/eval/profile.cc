// SPDX-License-Identifier: Apache-2.0
//
// A plan is walked once, when it first runs: each step that reads rows gets a Read, with its
// position relative to other clauses. After that, steps are found by address.
#include "interp/eval/profile.h"

#include <algorithm>
#include <utility>

#include "interp/eval/join.h"
#include "interp/program/program.h"

namespace rpl {
namespace {

using ReadCounts = Profile::Read;
using Link = Profile::Link;

// Clauses after one that are searched for a link with those before it. A constant bound keeps the
// walk linear in the length of the plan.
constexpr int kMaxAhead = 64;

/// Visits the steps of a plan that read rows, in order, and finds the Link of each.
class PlanWalk {
 public:
  PlanWalk(const std::vector<std::string>& names, const std::vector<bool>& bound)
      : names_(names), called_(std::find(bound.begin(), bound.end(), true) != bound.end()) {
    known_ = bound;
    known_.resize(names.size());
  }

  void Chain(const Step* step) {
    for (; step != nullptr; step = step->next) {
      if (step->kind == Step::Kind::kAtom) Atom(*step);
      if (step->kind == Step::Kind::kMember && step->operands.size() == 1)
        before_.push_back(step->clause);
      for (const Step* body : {step->body, step->body2, step->body3}) Inner(body);
      for (const Step* branch : step->branches) Inner(branch);
      for (const SlotId slot : step->writes) known_[static_cast<std::size_t>(slot)] = true;
    }
  }

  std::vector<std::pair<const Step*, ReadCounts>> reads;

 private:
  void Inner(const Step* first) {
    if (first == nullptr) return;
    const std::vector<bool> known = known_;
    const std::size_t before = before_.size();
    Chain(first);
    known_ = known;
    before_.resize(before);
  }

  void Atom(const Step& step) {
    if (step.access == Access::kTruth || step.access == Access::kExternal) return;
    ReadCounts& read = reads.emplace_back(&step, ReadCounts{}).second;
    read.clause = step.clause->text;
    read.place = step.clause->span;
    read.relation = step.relation;
    read.columns = step.probe;
    if (step.probe == 0 && (!before_.empty() || called_)) LinkOf(step, read);
    before_.push_back(step.clause);
  }

  bool Knows(SlotId slot) const { return known_[static_cast<std::size_t>(slot)]; }
  std::string NameOf(SlotId slot) const { return "?" + names_[static_cast<std::size_t>(slot)]; }

  void LinkOf(const Step& step, ReadCounts& read) {
    const std::size_t named = std::min(before_.size(), Profile::kNamed);
    for (std::size_t i = 0; i < named; ++i) read.before.push_back(before_[i]->text);
    read.more_before = before_.size() - named;
    read.link = Link::kNothing;
    std::vector<bool> met(known_.size());  // slots of the clause and of those after it
    ForEachSlot(*step.clause, [&](SlotId slot) {
      met[static_cast<std::size_t>(slot)] = true;
      if (!Knows(slot) || read.link == Link::kPattern) return;
      read.link = Link::kPattern;
      read.lvar = NameOf(slot);
    });
    if (read.link == Link::kPattern) return;
    int ahead = 0;
    for (const Step* later = step.next; later != nullptr && ahead < kMaxAhead;
         later = later->next) {
      if (later->clause == nullptr) continue;
      ++ahead;
      SlotId shared = -1;
      bool joins = false;
      ForEachSlot(*later->clause, [&](SlotId slot) {
        if (met[static_cast<std::size_t>(slot)] && shared < 0) shared = slot;
        joins |= Knows(slot);
      });
      if (shared < 0) continue;
      const bool binds = later->kind == Step::Kind::kAtom && later->access == Access::kRows;
      if (!joins) {
        ForEachSlot(*later->clause,
                    [&](SlotId slot) { met[static_cast<std::size_t>(slot)] = true; });
      } else if (binds || read.by.empty()) {
        read.by = later->clause->text;
        read.lvar = NameOf(shared);
      }
      if (!joins || !binds) continue;
      read.link = Link::kLater;
      return;
    }
  }

  const std::vector<std::string>& names_;
  const bool called_;
  std::vector<bool> known_;
  std::vector<const Clause*> before_;
};

std::string LabelOf(const Plan& plan, const std::vector<bool>& bound,
                    const std::vector<std::string>& names, Profile::Kind kind, int part) {
  if (kind == Profile::Kind::kConstraint) return part == 0 ? "left" : "right";
  if (part == 1) return "activation";
  for (const Step& step : plan.steps)
    if (step.range == Range::kDelta) return "new " + step.clause->text;
  std::string given;
  for (std::size_t i = 0; i < bound.size(); ++i)
    if (bound[i] && !names[i].empty()) given += (given.empty() ? "given ?" : ", ?") + names[i];
  return given;
}

bool SamePlan(const Profile::PlanCounts& a, const Profile::PlanCounts& b) {
  return a.from == b.from &&
         std::equal(a.reads.begin(), a.reads.end(), b.reads.begin(), b.reads.end(),
                    [](const ReadCounts& x, const ReadCounts& y) {
                      return x.place == y.place && x.clause == y.clause && x.columns == y.columns &&
                             x.relation == y.relation;
                    });
}

}  // namespace

std::uint64_t Profile::ProbesOf(RelationId relation, Columns columns) const {
  const auto at = probes_.find({relation, columns});
  return at == probes_.end() ? 0 : at->second;
}

Profile::PlaceKey Profile::KeyOf(Span place, std::size_t branch) {
  return {place.file, place.begin, place.end, branch};
}

std::uint64_t Profile::At(const std::map<PlaceKey, std::uint64_t>& counts, const PlaceKey& key) {
  const auto at = counts.find(key);
  return at == counts.end() ? 0 : at->second;
}

std::uint64_t Profile::AnswersOf(const Clause& disjunction, std::size_t branch) const {
  return At(branches_, KeyOf(disjunction.span, branch));
}
std::uint64_t Profile::ActivationsOf(const Definition& def) const {
  return At(activated_, KeyOf(def.span));
}
std::uint64_t Profile::ViolationsOf(const Constraint& c) const {
  return At(violated_, KeyOf(c.span));
}
std::uint64_t Profile::AskedOf(RelationId relation) const {
  const auto at = asked_.find(relation);
  return at == asked_.end() ? 0 : at->second;
}

void Profile::CountBranch(const Clause& disjunction, std::size_t branch) {
  ++branches_[KeyOf(disjunction.span, branch)];
}
void Profile::CountActivated(const Definition& def) { ++activated_[KeyOf(def.span)]; }
void Profile::CountViolated(const Constraint& c) { ++violated_[KeyOf(c.span)]; }

void Profile::Enter(Part part) {
  const Clock::time_point now = Clock::now();
  parts_[static_cast<std::size_t>(part_)] += now - entered_;
  part_ = part;
  entered_ = now;
}

void Profile::Forget() {
  plan_of_.clear();
  read_of_.clear();
  expected_of_.clear();
}

void Profile::Expect(const Plan& plan, const std::vector<ExpectedReads>& steps, std::size_t outer) {
  std::vector<ExpectedReads>& of = expected_of_[&plan];
  of = steps;
  for (ExpectedReads& step : of) {
    step.times *= static_cast<double>(outer);
    step.rows *= static_cast<double>(outer);
  }
  if (!of.empty()) of.front() = {1, static_cast<double>(outer)};
}

Profile::Rule& Profile::RuleAt(const void* owner, Kind kind, const std::string& text, Span place) {
  Rule*& rule = rule_of_[{owner, kind}];
  if (rule != nullptr && rule->text == text && rule->place == place) return *rule;
  rule = &rules_.emplace_back();
  rule->kind = kind;
  rule->text = text;
  rule->place = place;
  return *rule;
}

Profile::PlanCounts& Profile::PlanAt(const Plan& plan, const std::vector<bool>& bound, int part) {
  PlanCounts*& known = plan_of_[&plan];
  if (known != nullptr) return *known;
  Rule& rule = *current_->rule_;
  PlanWalk walk(*current_->names_, bound);
  walk.Chain(plan.first);
  PlanCounts counts;
  counts.from = LabelOf(plan, bound, *current_->names_, rule.kind, part);
  for (auto& [step, read] : walk.reads) counts.reads.push_back(read);
  const auto same = std::find_if(rule.plans.begin(), rule.plans.end(),
                                 [&](const PlanCounts& other) { return SamePlan(other, counts); });
  known = same != rule.plans.end() ? &*same : &rule.plans.emplace_back(std::move(counts));
  for (std::size_t i = 0; i < walk.reads.size(); ++i)
    read_of_[walk.reads[i].first] = &known->reads[i];
  return *known;
}

void Profile::Take(const Plan& plan, const std::vector<bool>& bound, int part) {
  if (current_ == nullptr) return;
  PlanCounts& counts = PlanAt(plan, bound, part);
  ++counts.runs;
  if (current_->plan_ == nullptr) current_->plan_ = &counts;
}

void Profile::Count(const Step& step, std::uint64_t rows) {
  if (current_ == nullptr) return;
  const auto at = read_of_.find(&step);
  if (at == read_of_.end()) return;
  ++at->second->times;
  at->second->rows += rows;
  if (step.probe != 0 && !step.all_bound) CountProbes(step.relation, step.probe);
}

// The steps of a join come from those of its plan; the step of a `not` stands for its body.
void Profile::Count(const Plan& plan, const JoinCounts& counts) {
  std::vector<const Step*> steps;
  for (const Step* step = plan.first; step != nullptr; step = step->next) steps.push_back(step);
  const auto expected = expected_of_.find(&plan);
  for (std::size_t i = 0; i < counts.steps.size(); ++i) {
    const JoinCounts::Step& of = counts.steps[i];
    const Step* const step = steps[static_cast<std::size_t>(plan.join->steps[i].place)];
    const auto at = read_of_.find(step->body != nullptr ? step->body : step);
    if (at == read_of_.end()) continue;
    at->second->times += of.times;
    at->second->rows += of.rows;
    if (expected != expected_of_.end() && i < expected->second.size()) {
      if (!at->second->expected) at->second->expected.emplace();
      at->second->expected->times += expected->second[i].times;
      at->second->expected->rows += expected->second[i].rows;
    }
    const JoinStep& join = plan.join->steps[i];
    if (join.probe != 0 && !join.all_bound) CountProbes(join.relation, join.probe, of.times);
    if (of.intersected > 0)
      CountProbes(plan.join->steps[i + 1].relation, join.intersection->probe, of.intersected);
  }
}

void Profile::Evaluation::Begin(Rule& rule, const std::vector<std::string>& names) {
  rule_ = &rule;
  names_ = &names;
  ++rule.runs;
  if (rule.kind == Kind::kDerived &&
      std::exchange(rule.last_round_, profile_->round_) != profile_->round_)
    ++rule.rounds;
  const Clock::time_point now = Clock::now();
  outer_ = std::exchange(profile_->current_, this);
  if (outer_ != nullptr) outer_->time_ += now - profile_->lap_;
  profile_->lap_ = now;
}

Profile::Evaluation::Evaluation(Profile* profile, const Definition& def, Kind kind)
    : profile_(profile) {
  if (profile_ != nullptr) Begin(profile_->RuleAt(&def, kind, def.text, def.span), def.slots);
}

Profile::Evaluation::Evaluation(Profile* profile, const Constraint& constraint)
    : profile_(profile) {
  if (profile_ == nullptr) return;
  Begin(profile_->RuleAt(&constraint, Kind::kConstraint, constraint.text, constraint.span),
        constraint.slots);
}

Profile::Evaluation::~Evaluation() {
  if (profile_ == nullptr) return;
  const Clock::time_point now = Clock::now();
  time_ += now - profile_->lap_;
  profile_->lap_ = now;
  profile_->current_ = outer_;
  rule_->time += time_;
  if (plan_ != nullptr) plan_->time += time_;
}

void Profile::Evaluation::Gave(std::uint64_t rows, std::uint64_t duplicates) {
  if (profile_ == nullptr) return;
  rule_->rows += rows;
  rule_->duplicates += duplicates;
  if (plan_ == nullptr) return;
  plan_->rows += rows;
  plan_->duplicates += duplicates;
}

}  // namespace rpl
