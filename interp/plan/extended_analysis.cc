// SPDX-License-Identifier: Apache-2.0
//
// More rules, one after another, as in a shell: what is known of the relations that were there
// stays, since none of them rests on what is new.
//
//   known(?x) <- p(?x)
//   new(?x) <- known(?x), not q(?x)      a stratum of its own, after all others
//   new(?x) <- new(?y), e(?y, ?x)        joins that stratum, as long as nothing else reads it
//
// A relation that the rules of a program mention is there with the first of them. So one that was
// not there is read by no rule before, comes after all others in the order of strata, and can only
// be in a recursion with others that are new.
#include <algorithm>
#include <optional>
#include <set>

#include "interp/plan/analysis.h"
#include "interp/plan/components.h"
#include "interp/plan/equivalence.h"
#include "interp/store/store.h"

namespace rpl {

bool Analysis::Extend() {
  const auto first = static_cast<RelationId>(info_.size());
  const std::size_t first_rule = mentions_.size();
  const auto& definitions = program_->definitions();
  if (!growing_.empty() || !expanding_.empty() || !elsewhere_.empty() || !as_written_.empty() ||
      GotFirstRows() || program_->collected_count() > 0)
    return false;
  ++version_;
  input_free_.clear();
  TakeRules(first_rule);
  for (RelationId r = first; r < info_.size(); ++r)
    if (program_->FindBuiltin(r) != nullptr) return false;
  Planner solving(*this, *store_, Mode::kSolve);
  for (std::size_t i = first_rule; i < definitions.size(); ++i)
    if (!NeedsNothing(definitions[i], first, solving)) return false;
  MakeCircles(first, first_rule);
  MarkMonotone(first_rule);
  MarkFounded(first_rule);
  std::vector<Candidate> candidates;
  for (std::size_t i = first_rule; i < definitions.size(); ++i) {
    std::optional<Candidate> c = CandidateOf(definitions[i], *deriving_);
    if (!c || c->demands || info_[c->def->head].demanded) return false;
    candidates.push_back(*std::move(c));
  }
  return AddStrata(candidates, first);
}

// Whether a rule can be derived, whoever reads it, and leaves what is known of relations before
// `first` as it is.
bool Analysis::NeedsNothing(const Definition& def, RelationId first, Planner& planner) const {
  if (def.head == kNoId || store_->at(def.head).space() != Space::kRelation || def.extremum ||
      def.choice || def.force || !def.activation.empty())
    return false;
  bool outside = false;
  return (def.head >= first || JoinsAlone(def, first)) && !UsesDemand(def.body, &outside) &&
         NeedsOf(def, planner) == Needs();
}

// Whether a rule of a relation that was there joins a stratum of that relation alone, which nothing
// else reads, and reads strata before it.
bool Analysis::JoinsAlone(const Definition& def, RelationId first) const {
  const Info& head = At(def.head);
  if (head.component < 0 || head.demanded || head.broken || head.extremum || head.keys != 0 ||
      !head.founded || OwnRuleOf(def, ClausesOf(def)) != OwnRule::kOther ||
      strata_[static_cast<std::size_t>(head.component)].relations.size() > 1)
    return false;
  const auto& definitions = program_->definitions();
  const auto number = static_cast<std::size_t>(def.number);
  const auto is_beside = [&](std::size_t other) {  // in one sentence: they hold together
    return other < definitions.size() && definitions[other].span == def.span;
  };
  return !is_beside(number - 1) && !is_beside(number + 1) &&
         std::ranges::all_of(mentioned_by_[def.head],
                             [&](std::size_t i) { return definitions[i].head == def.head; }) &&
         std::ranges::all_of(mentions_[number], [&](RelationId r) {
           const Info& info = At(r);
           return r == def.head ||
                  (r < first && info.circle < head.circle && info.component < head.component);
         });
}

// Adds the rules to their strata; those of relations from `first` on are new, and come last. False
// if a relation cannot be settled before those that need it complete, or its values may grow.
bool Analysis::AddStrata(std::vector<Candidate>& candidates, RelationId first) {
  std::vector<std::vector<RelationId>> to(info_.size() - first);
  std::vector<bool> derived(to.size());
  for (const Candidate& c : candidates) {
    info_[c.def->head].derived = true;
    if (c.def->head < first) continue;
    derived[c.def->head - first] = true;
    for (RelationId r : c.reads)
      if (r = store_->BaseOf(r); r >= first) to[c.def->head - first].push_back(r - first);
  }
  const std::size_t before = strata_.size();
  const Components found = StronglyConnected(to, derived);
  for (std::vector<RelationId> relations : found.members) {
    for (RelationId& r : relations) info_[r += first].component = static_cast<int>(strata_.size());
    strata_.emplace_back().relations = std::move(relations);
  }
  for (const Candidate& c : candidates)
    for (const RelationId r : c.wholes)
      if (At(store_->BaseOf(r)).component == At(c.def->head).component) return false;
  MakeRules(candidates, *store_);
  FindEquivalences(before);
  std::set<int> components;
  for (const Candidate& c : candidates) components.insert(At(c.def->head).component);
  return std::ranges::none_of(components, [&](int component) {
    return RecursionMakesValues(strata_[static_cast<std::size_t>(component)]);
  });
}

}  // namespace rpl
