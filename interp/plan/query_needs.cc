// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/query_needs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "interp/store/store.h"

namespace rpl {
namespace {

bool IsPlainValue(Value v) {
  return v.kind() == Kind::kSymbol || v.kind() == Kind::kKeyword || v.kind() == Kind::kString ||
         v.kind() == Kind::kInt;
}

class NeedsOfOne {
 public:
  NeedsOfOne(const Program& program, const Analysis& analysis)
      : program_(program), store_(program.store()), analysis_(analysis) {}

  std::optional<QueryNeeds> Find(const Definition& query) {
    for (const Definition& def : program_.definitions())
      if (def.head_expansion >= 0) return std::nullopt;
    Take(query.activation, nullptr, {});
    Take(query.body, nullptr, {}, true);
    for (const Constraint& c : program_.constraints()) TakeConstraint(c);
    for (const CallGuard& guard : program_.guards())
      for (const CallGuard::Reading& reading : guard.readings) TakeConstraint(reading.form);
    if (const Goal* const fail = program_.FindGoal("fail")) Read(fail->relation, {});
    for (const ArgumentQuestion& question : program_.questions())
      Read(program_.OptionsOf(question), {});
    for (RelationId r = 0; r < store_.size(); ++r) {
      for (const HeadingUse::Argument& argument : analysis_.UseOf(r).arguments)
        Read(argument.choices, {});
      if (analysis_.HasChecked(r)) Read(r, {});
    }
    while (!work_.empty() && !all_) {
      const RelationId relation = *work_.begin();
      work_.erase(work_.begin());
      for (const int number : analysis_.RulesOf(relation))
        TakeRule(program_.definitions()[static_cast<std::size_t>(number)]);
    }
    if (all_) return std::nullopt;
    QueryNeeds out;
    for (auto& [relation, known] : found_) {
      out.relations.insert(relation);
      if (!known.empty()) out.known.emplace(relation, std::move(known));
    }
    return out;
  }

 private:
  using Known = QueryNeeds::Known;

  void TakeConstraint(const Constraint& c) {
    Take(c.left, nullptr, {});
    Take(c.right, nullptr, {});
  }

  void TakeRule(const Definition& def) {
    Take(def.activation, nullptr, {});
    const Known& known = found_.at(def.head);
    Take(def.body, &def, Known(known), IsPlain(def));
  }

  // The clauses of a rule whose head has these known arguments, or of something else. `top`: its
  // atoms may be read in part, by what it knows.
  void Take(const Clauses& clauses, const Definition* def, const Known& known, bool top = false) {
    for (const Clause& clause : clauses)
      ForEachPart(
          clause,
          [&](Sense sense, const ClauseRead& read) {
            if (read.relation == kNoId) all_ = true;
            if (read.atom == nullptr) return;
            const bool in_part =
                top && sense == Sense::kHolds && read.atom->row < 0 && !read.atom->whole;
            Read(store_.BaseOf(read.relation), in_part ? KnownIn(*read.atom, def, known) : Known());
          },
          [&](Sense, const Clauses& body) { Take(body, nullptr, {}); });
  }

  // The arguments of an atom that are values, or an argument of the head that is known.
  static Known KnownIn(const Atom& atom, const Definition* def, const Known& known) {
    Known out;
    for (std::size_t i = 0; i < atom.args.size(); ++i) {
      const Pattern& arg = atom.args[i];
      if (arg.kind == Pattern::Kind::kConstant && IsPlainValue(arg.constant))
        out.emplace(i, arg.constant);
      if (arg.kind != Pattern::Kind::kSlot) continue;
      for (const auto& [column, value] : known)
        if (def->args[column].kind == Pattern::Kind::kSlot && def->args[column].slot == arg.slot)
          out.emplace(i, value);
    }
    return out;
  }

  // Somebody reads the relation and binds these arguments: it is needed with what all bind.
  void Read(RelationId relation, Known known) {
    if (relation == kNoId) return;
    if (!known.empty() && !MayBeSelected(relation)) known.clear();
    const auto [at, is_new] = found_.try_emplace(relation, known);
    const std::size_t before = at->second.size();
    std::erase_if(at->second, [&](const auto& one) {
      const auto same = known.find(one.first);
      return same == known.end() || same->second != one.second;
    });
    if (is_new || at->second.size() < before) work_.insert(relation);
  }

  // Whether each of its rows is derived by itself, from one answer of the body.
  static bool IsPlain(const Definition& def) {
    return !def.choice && !def.force && def.gathered.empty() && def.activation.empty();
  }

  // Whether each row of a relation is derived by itself, by rules that say so.
  bool MayBeSelected(RelationId r) const {
    return store_.at(r).space() == Space::kRelation && analysis_.IsDerived(r) &&
           !analysis_.IsTabled(r) && !analysis_.IsBroken(r) && !analysis_.ExtremumOf(r) &&
           !analysis_.HasChecked(r) && store_.WholeIfAny(r) == kNoId &&
           program_.FindCollected(r) == nullptr && program_.FindBuiltin(r) == nullptr &&
           analysis_.KeysOf(r) == 0 && !analysis_.IsEquivalence(r) &&
           std::ranges::all_of(analysis_.RulesOf(r), [&](int number) {
             const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
             return IsPlain(def);
           });
  }

  const Program& program_;
  const Store& store_;
  const Analysis& analysis_;
  std::map<RelationId, Known> found_;
  std::set<RelationId> work_;
  bool all_ = false;
};

}  // namespace

std::optional<QueryNeeds> NeedsOfQuery(const Program& program, const Analysis& analysis,
                                       const Definition& query) {
  return NeedsOfOne(program, analysis).Find(query);
}

}  // namespace rpl
