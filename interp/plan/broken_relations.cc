// SPDX-License-Identifier: Apache-2.0
//
// Relations that the analysis finds to have no answer, and why.
#include <algorithm>
#include <map>

#include "interp/plan/analysis.h"
#include "interp/plan/extrema.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

std::string TextOf(const ExactUse& use, const Extremum& extremum, const Store& store) {
  return "`" + use.clause->text + "` uses a value of `" + store.at(use.relation).name() +
         "` that may still get " + (extremum.greatest ? "greater" : "less");
}

}  // namespace

// Relations in a component where one needs another complete have no answer (decision 40).
void Analysis::MarkBroken(const Edges& edges,
                          const std::vector<std::vector<RelationId>>& components,
                          const Store& store) {
  const auto n = static_cast<RelationId>(edges.size());
  for (RelationId r = 0; r < n; ++r)
    for (const auto& [to, whole] : edges[r])
      if (whole && info_[r].component >= 0 && info_[r].component == info_[to].component) {
        if (info_[r].broken) continue;  // the cycle is reported
        for (RelationId member : components[static_cast<std::size_t>(info_[r].component)]) {
          info_[member].broken = true;
          info_[member].why_broken = kNeedsItself;
        }
        const std::string line = store.at(r).name() + " needs " + store.at(to).name() +
                                 " to be complete, which depends on it";
        cycles_.push_back(line);
      }
}

// Likewise where a rule of a component uses a value of one of its relations that may get better.
void Analysis::MarkNotMonotone(const std::vector<Candidate>& candidates,
                               const std::vector<std::vector<RelationId>>& components,
                               const Store& store) {
  const auto chooses = [](const Info& info) { return info.extremum.has_value(); };
  if (std::ranges::none_of(info_, chooses)) return;
  for (const Candidate& c : candidates) {
    if (!c.ok || c.def->head == kNoId || info_[c.def->head].broken) continue;
    const int component = info_[c.def->head].component;
    const auto unsettled = [&](RelationId r) {
      const Info& info = At(store.BaseOf(r));
      return info.component == component ? info.extremum : std::nullopt;
    };
    for (const std::vector<const Clause*>& list : c.alternatives) {
      const std::optional<ExactUse> use = FindExactUse(*c.def, list, store.pool(), unsettled);
      if (!use) continue;
      const auto& [relation, clause] = *use;
      const std::string what = TextOf(*use, *unsettled(relation), store);
      for (RelationId member : components[static_cast<std::size_t>(component)]) {
        info_[member].broken = true;
        info_[member].why_broken = "is recursive, and " + what;
      }
      bad_extrema_.push_back(
          {relation, Code::kNotMonotone, clause->span, what,
           "in a recursion, carry the value to the same argument of the head by `+`, or compare it "
           "so that a better one passes as well"});
      break;
    }
  }
}

// Whether a rule of the relation mentions one that rests on the relation.
bool Analysis::IsRecursive(RelationId relation) const {
  const auto rests_on_it = [&](RelationId r) { return info_[r].circle == info_[relation].circle; };
  return std::ranges::any_of(info_[relation].rules, [&](int number) {
    return std::ranges::any_of(mentions_[static_cast<std::size_t>(number)], rests_on_it);
  });
}

// A table of a call chooses once its rules have answered. If it rests on itself, that is sound only
// if better values can do no harm.
void Analysis::MarkCalled(const Program& program, const Store& store) {
  for (RelationId r = 0; r < info_.size(); ++r) {
    Info& info = info_[r];
    info.calls_itself = info.extremum && !info.broken && info.demanded && IsRecursive(r);
  }
  if (std::ranges::none_of(info_, &Info::calls_itself)) return;
  std::map<int, std::string> exact_uses;  // by circle
  for (const Definition& def : program.definitions()) {
    if (def.head == kNoId) continue;
    const int circle = info_[def.head].circle;
    const auto unsettled = [&](RelationId r) {
      const Info& info = At(store.BaseOf(r));
      return info.calls_itself && info.circle == circle ? info.extremum : std::nullopt;
    };
    for (const std::vector<const Clause*>& list : AlternativesOf(ClausesOf(def)))
      if (const auto use = FindExactUse(def, list, store.pool(), unsettled))
        exact_uses.try_emplace(circle, TextOf(*use, *unsettled(use->relation), store));
  }
  for (Info& info : info_)
    if (const auto use = exact_uses.find(info.circle); info.calls_itself && use != exact_uses.end())
      info.exact_use = use->second;
}

}  // namespace rpl
