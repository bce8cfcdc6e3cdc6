// SPDX-License-Identifier: Apache-2.0
//
// The graph of the relations that rules mention: which rest on each other, and which properties
// spread to those that rest on one.
#include "interp/plan/analysis.h"

#include <algorithm>
#include <span>
#include <utility>

#include "interp/plan/components.h"
#include "interp/plan/worklist.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

// Whether what holds may cease to hold when rows are added, or with time.
bool RestsOnMore(const Clauses& clauses) {
  return AnyOf(clauses, [](const Clause& clause) {
    return Visit(
        clause,
        [](const Among<Negation, GoalIsFalse, CountOf, Aggregate, First, Temporal, Expand> auto&) {
          return true;
        },
        [](const Compare& c) { return ReadsClock(c.left) || ReadsClock(c.right); },
        [](const Among<Atom, MatchWith, Member, Alternatives, Metadata, ReadAvar, ShowJson, Loop,
                       Distinct, Check, Truth> auto&) { return false; });
  });
}

}  // namespace

// What rests on a partial relation is partial.
void Analysis::SpreadPartial() {
  std::vector<RelationId> work;
  const auto spread = [&](RelationId r) {
    if (!std::exchange(info_[r].partial, true)) work.push_back(r);
  };
  for (const RelationId r : partial_) spread(r);
  while (!work.empty()) {
    const RelationId r = work.back();
    work.pop_back();
    if (r >= mentioned_by_.size()) continue;
    for (const std::size_t i : mentioned_by_[r]) spread(program_->definitions()[i].head);
  }
}

// Relations and goals that more rows can only give more answers: no rule of theirs, or of what they
// mention, rests on absence, on a choice or on the time. For the rules from `first` on.
void Analysis::MarkMonotone(std::size_t first) {
  std::vector<RelationId> work;
  const auto spread = [&](RelationId r) {
    if (!std::exchange(info_[r].monotone, false)) return;
    work.push_back(r);
  };
  const auto rests_on_more = [&](RelationId r) { return !info_[r].monotone; };
  for (std::size_t i = first; i < mentions_.size(); ++i) {
    const Definition& def = program_->definitions()[i];
    if (def.head != kNoId && (!def.gathered.empty() || def.extremum || def.choice || Acts(def) ||
                              RestsOnMore(def.activation) || RestsOnMore(def.body) ||
                              std::ranges::any_of(mentions_[i], rests_on_more)))
      spread(def.head);
  }
  while (!work.empty()) {
    const RelationId r = work.back();
    work.pop_back();
    if (r >= mentioned_by_.size()) continue;
    for (const std::size_t i : mentioned_by_[r]) spread(program_->definitions()[i].head);
  }
}

// Whether all that the clauses mention of the circle is founded.
bool Analysis::IsFoundedIn(const Clauses& clauses, int circle) const {
  return std::ranges::all_of(clauses, [&](const Clause& clause) {
    const auto is_founded = [&](RelationId r) {
      const Info& info = At(store_->BaseOf(r));
      return info.founded || info.circle != circle;
    };
    if (const auto* atom = clause.As<Atom>()) return is_founded(atom->relation);
    if (const auto* is = clause.As<GoalIsFalse>())
      return is->activation || is_founded(is->goal.relation);
    if (const std::span<const Clauses> branches = BranchesOf(clause); !branches.empty())
      return std::ranges::any_of(
          branches, [&](const Clauses& branch) { return IsFoundedIn(branch, circle); });
    bool all = true;
    ForEachBody(clause, [&](const Clauses& body) { all = all && IsFoundedIn(body, circle); });
    return all;
  });
}

// For the relations whose rules are all from `first` on.
void Analysis::MarkFounded(std::size_t first) {
  const auto& definitions = program_->definitions();
  Worklist rounds;
  for (std::size_t i = first; i < definitions.size(); ++i) {
    if (definitions[i].head == kNoId) continue;
    rounds.Add(i);
    Info& info = info_[definitions[i].head];
    if (info.rules.empty() || info.rules.front() >= static_cast<int>(first)) info.founded = false;
  }
  while (!rounds.empty()) {
    const Definition& def = definitions[rounds.Next()];
    Info& info = info_[def.head];
    if (info.founded || !IsFoundedIn(def.activation, info.circle) ||
        !IsFoundedIn(def.body, info.circle))
      continue;
    info.founded = true;
    if (def.head < mentioned_by_.size())
      for (const std::size_t i : mentioned_by_[def.head]) rounds.Add(i);
  }
}

// Relations and goals that rest on each other, in activation clauses too: of those from `first` on,
// none of which a rule before `first_rule` mentions.
void Analysis::MakeCircles(RelationId first, std::size_t first_rule) {
  const auto& definitions = program_->definitions();
  std::vector<std::vector<RelationId>> to(info_.size() - first);
  for (RelationId r = first; r < mentioned_by_.size(); ++r)
    for (const std::size_t i : mentioned_by_[r])
      if (definitions[i].head >= first) to[definitions[i].head - first].push_back(r - first);
  // The heads of one sentence hold together (decision 37).
  for (std::size_t i = first_rule + 1; i < definitions.size(); ++i) {
    const RelationId one = definitions[i - 1].head;
    const RelationId other = definitions[i].head;
    if (definitions[i].span != definitions[i - 1].span || one == kNoId || other == kNoId) continue;
    to[one - first].push_back(other - first);
    to[other - first].push_back(one - first);
  }
  const Components found = StronglyConnected(to, std::vector<bool>(to.size(), true));
  for (std::size_t i = 0; i < to.size(); ++i) info_[first + i].circle = circles_ + found.of[i];
  circles_ += static_cast<int>(found.members.size());
}

}  // namespace rpl
