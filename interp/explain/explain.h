// SPDX-License-Identifier: Apache-2.0
//
// The explainer: derivations of facts, and reasons for their absence, as data.
//
// Proofs are not stored but recomputed from the rows: for each fact, the first rule and bindings
// that derive it from facts that do not rest on it. A derived row of the store rests on earlier
// rows: within a relation, ids give the order; across the relations of one component, the order of
// derivation is reconstructed. A row that exists only in a table rests on rows that were settled
// before it while the explainer looked for its proof.
//
// An absence lists each rule whose head could give the fact, with the clause at which its
// furthest attempt ended.
//
// Not known is not absent: where a limit cut rows off, a call has no reply, or one failed or was
// declined, neither the form nor a negation, a count or an aggregate is said to have no answer
// (decisions 56, 80). The stored rows are an exception: they were derived from what was settled.
//
// Explaining reads and evaluates; it adds no row, makes no call and writes no log. It uses
// the solver's tables, and drops them at its end. Nodes are in one array, so no recursion is as
// deep as a derivation.
#ifndef RPL_INTERP_EXPLAIN_EXPLAIN_H_
#define RPL_INTERP_EXPLAIN_EXPLAIN_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/eval/evaluation.h"
#include "interp/explain/explanation.h"
#include "interp/explain/known_facts.h"
#include "interp/plan/plan.h"

namespace rpl {

struct Frame;  // interp/eval/machine.h

struct Definition;
class Machine;

namespace interp {
class Engine;
}

class Explainer {
 public:
  /// Borrows the engine. REQUIRES: the store is quiescent (Fixpoint::Quiesce), or the solver knows
  /// that it is not (Solver::Truncate); `cut_off` then says why, as "limit reached: 50 rows".
  explicit Explainer(interp::Engine& engine, std::string cut_off = "");

  /// Explains the facts that match `form`, a query whose tail is one call. Empty if none does.
  ExplainedFacts Why(const Definition& form, const ExplainLimits& limits);

  /// Why there may be facts that Why did not find.
  const Undecided& open() const { return open_form_; }

  /// Explains why no fact matches `form`, or why that is not known. REQUIRES: Why gives none.
  /// `depth`: levels of derived relations to examine below the form.
  Explanation WhyNot(const Definition& form, std::size_t depth);

 private:
  using Fact = KnownFacts::Fact;

  /// One answer of some clauses: the steps that led to it, and the facts that they matched.
  struct Instance {
    const Definition* def = nullptr;
    std::vector<Value> slots;
    std::vector<bool> bound;
    std::vector<const Step*> steps;
    std::vector<Fact> facts;  // of the atoms among `steps`, in order; not of calls outside
  };
  struct Choice {
    const Definition* def = nullptr;
    std::vector<Instance> instances;  // one; all for an aggregate head
    std::size_t more = 0;             // omitted instances for an aggregate head
  };
  using Take = std::function<bool(Instance)>;  // false stops
  class Settling;

  /// Scope in which absence proves something although a limit cut off rows: the stored rows that
  /// rest on what is not settled were dropped (interp/eval/fixpoint.h).
  class Settled {
   public:
    explicit Settled(interp::Engine& engine);
    ~Settled();
    Settled(const Settled&) = delete;

   private:
    Machine& machine_;
    bool truncated_;
  };

  // explain.cc: finding derivations
  Undecided OpenOf(Frame& frame);
  Undecided Each(const Definition& def, const std::vector<const Clause*>& clauses,
                 std::span<const Value> key, const Instance* from, const Take& take);
  const Plan& PlanFor(const Definition& def, const std::vector<const Clause*>& clauses,
                      const std::vector<bool>& bound, bool head);
  std::vector<const Clause*> ClausesFor(const Definition& def, const Fact& fact) const;
  bool IsFree(const Definition& def, const Fact& fact);
  bool Candidates(const Fact& fact, bool nothing, const Take& take);
  std::vector<std::vector<Value>> WholesOf(const Definition& def, const Fact& fact);
  std::optional<Choice> Gathering(const Definition& def, const Fact& fact);
  std::optional<Choice> GatheringOf(const Definition& def, const Fact& fact,
                                    const std::vector<Value>& row);
  bool Gives(const Instance& instance, const Fact& fact);
  std::optional<Choice> Gathered(const Fact& fact);
  bool Usable(const Instance& instance, const Fact& fact);
  bool EachWay(Instance instance, const Fact& fact, const Take& take);
  static Choice ChoiceOf(Instance instance);
  /// `tries`: the most rows of tables, and derivations of them, to look at. `why_not`: why there is
  /// no choice.
  std::optional<Choice> Choose(const Fact& fact, std::size_t tries, std::string& why_not);
  std::optional<std::size_t> StampOf(const Fact& fact);
  void Replay(int component);
  bool IsReady(const Fact& fact);

  // explain_tree.cc
  Explanation Tree(const Fact& root, const ExplainLimits& limits);
  /// Calls `fact` or `test` for each premise of an instance, in written order.
  void Premises(const Instance& instance, const std::function<void(const Fact&)>& fact,
                const std::function<void(ExplainNode)>& test);
  std::optional<ExplainNode> TestOf(const Instance& instance, const Step& step) const;
  std::optional<Fact> Expanded(const Instance& instance, const Step& step) const;

  // explain_absence.cc
  struct Absence;
  void Missing(Absence& to, int parent, RelationId relation, const std::vector<Value>& key,
               std::size_t depth);
  std::string BetterThan(const Definition& def, const std::vector<Value>& key);
  void Attempt(Absence& to, int parent, const Definition& def, const std::vector<Value>& key,
               std::size_t depth);
  void FailedAt(Absence& to, int parent, const Instance& at, const Step& step,
                const std::string& note, const std::string& open, std::size_t depth);
  std::string Doubt(const Undecided& open) const;
  void Nearest(Absence& to, int parent, RelationId relation, const std::vector<Value>& key);
  std::string KnownAs(RelationId relation) const;
  std::string Unknown(const Clause& clause) const;

  interp::Engine& engine_;
  KnownFacts facts_;
  std::string cut_off_;
  Undecided open_form_;
  std::map<std::pair<std::vector<const void*>, std::vector<bool>>, std::unique_ptr<Plan>> plans_;
  std::map<RelationId, std::vector<std::size_t>> stamps_;  // of replayed components
  std::set<int> replayed_;
  std::map<Fact, Choice> settled_;  // for rows that exist only in tables
};

/// A clause as written with its bound lvars and avars replaced by values.
std::string InstanceText(const Pool& pool, const Clause& clause, const Definition& def,
                         const std::vector<Value>& slots, const std::vector<bool>& bound);

/// Whether a value is an ordinary one: not none, unknown or absent.
inline bool IsPlainValue(Value v) { return !v.is_none() && v != kUnknown && v != kAbsent; }

/// The steps from `at` to `end` by these first steps of alternatives (Frame::ways).
std::vector<const Step*> PathTo(const Step* at, const Step* end,
                                const std::vector<const Step*>& ways);

/// Marks the slots that a step binds.
void MarkWrites(const Step& step, std::vector<bool>& bound);

}  // namespace rpl

#endif  // RPL_INTERP_EXPLAIN_EXPLAIN_H_
