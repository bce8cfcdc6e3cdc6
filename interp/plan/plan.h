// SPDX-License-Identifier: Apache-2.0
//
// Plans: in which order the clauses of a tail run, and what each finds bound (§5.5,
// decision 23).
//
// A plan is a chain of steps; each step has all its inputs bound and binds its outputs,
// and this is known before the plan runs, so that running needs no trail and no tests of
// boundness. The order is the author's, with three departures that change no answer and
// no order of answers: a clause whose inputs are not bound yet waits; a test runs as soon
// as its inputs are bound; `$json`, checks and @distinct run last. Clauses that reach
// outside (goals, calls, avars) never pass each other.
//
// The clauses of an activation clause come before all others, whose bindings they do not have
// (§16). A plan that starts from a delta, or has its order from elsewhere, is another road to
// the same answers, and is made of clauses for which the plan without these is not stuck.
//
// A disjunction whose branches bind different slots is followed by one copy of the rest
// per branch, so that every copy knows what is bound.
//
// The hole of a template binds a text. Where another clause gives the lvar its value, which
// may be a number of that text, a kReadText step tries what the text may stand for, so that it
// does not matter which of the two runs first (decisions 11, 23).
//
// When a clause can never run, a solving plan ends there in a kStuck step that names the
// lvar; a deriving plan is refused.
//
// A Plan borrows the definition it was made for and the relations it reads; it must be
// made again when the program changes.
#ifndef RPL_INTERP_PLAN_PLAN_H_
#define RPL_INTERP_PLAN_PLAN_H_

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "interp/program/clause.h"

namespace rpl {

enum class Mode : std::uint8_t {
  kDerive,  // bottom-up: every relation is read from the store
  kSolve,   // on demand: goals, calls and tabled relations are reached
};

/// How a plan reads a relation.
enum class Access : std::uint8_t {
  kRows,      // the store
  kTable,     // rules on demand, with the caller's bindings
  kGoal,      // the rules of a goal, in order
  kTruth,     // recorded truths of a goal (deriving plans)
  kExternal,  // the replies of a tool or avar; a call when there is none
  kCollect,   // a heading that asks for its free arguments (decision 70)
};

/// Which rows of a relation a step sees while a stratum is derived.
enum class Range : std::uint8_t { kAll, kOld, kDelta };

/// The rows that the ranges are, of one relation.
struct Marks {
  RowId old_end = 0;  // kOld is [0, old_end), kDelta is [old_end, end)
  RowId end = 0;      // kAll is [0, end)
};

/// What plans need to know of relations; answered by the Analysis.
class Catalog {
 public:
  virtual ~Catalog() = default;
  virtual Access AccessOf(RelationId relation, Mode mode) const = 0;
  /// Columns that a caller must bind (decision 38).
  virtual Columns InputsOf(RelationId relation) const = 0;
  /// Whether evaluating the clause may reach a goal, a call or an avar.
  virtual bool ReachesOutside(const Clause& clause) const = 0;
};

struct Step {
  enum class Kind : std::uint8_t {
    kAtom,
    kCompare,
    kBind,
    kMatch,
    kMember,
    kTemporal,
    kCountAtom,
    kCountValue,
    kCountForm,
    kNot,
    kBranch,
    kExpand,
    kMetadata,
    kAggregate,
    kReadAvar,
    kShow,
    kReadText,
    kGoalFalse,
    kFirst,
    kLoop,
    kDistinct,
    kCheck,
    kTruth,
    kEmit,
    kFound,
    kStuck,
  };
  Kind kind = Kind::kEmit;
  const Clause* clause = nullptr;
  Step* next = nullptr;
  int depth = 0;               // how many steps came before
  std::vector<SlotId> reads;   // slots this step takes as inputs
  std::vector<SlotId> writes;  // slots it binds

  // kAtom, kCountAtom, kGoalFalse
  RelationId relation = kNoId;
  Access access = Access::kRows;
  Range range = Range::kAll;
  bool all_bound = false;                                // every column is a key
  Columns probe = 0;                                     // columns with a known value
  std::vector<std::pair<std::uint32_t, Pattern>> keys;   // their values, in column order
  std::vector<std::pair<std::uint32_t, SlotId>> binds;   // columns that bind a slot
  std::vector<std::pair<std::uint32_t, SlotId>> checks;  // columns equal to a slot bound here
  std::vector<std::pair<std::uint32_t, Pattern>> matches;
  SlotId row = -1;
  bool open_input = false;  // a column that the relation's rules need is not known
  SlotId asked = -1;        // an avar argument to ask for when nothing supplies it

  // operators: patterns carry their `binds` flags
  Pattern pattern;  // kBind, kMatch, kMember, kMetadata, kAggregate, and kCount's result
  std::vector<Expr> operands;
  bool result_bound = false;   // kCount*: the result is compared, not bound
  std::vector<SlotId> groups;  // kCountAtom
  bool of_group = false;  // kCountAtom: the caller binds a group key, see Planner::FindGroupKeys

  // nested plans: they end in kFound
  Step* body = nullptr;
  Step* body2 = nullptr;
  Step* body3 = nullptr;
  std::vector<Step*> branches;
  std::vector<SlotId> clears;  // kBranch: free here, so that no branch sees another's value
  bool ordered = false;

  std::string problem;  // kStuck
};

struct Join;  // interp/plan/join_plan.h

struct Plan {
  std::list<Step> steps;
  std::list<Clause> made;  // clauses that the planner wrote
  Step* first = nullptr;
  std::optional<std::string> problem;  // a deriving plan that cannot run
  std::shared_ptr<const Join> join;    // the same as a join, when it is one
};

/// A plan that derives rows of its rule's head.
struct Derivation {
  const Definition* def;
  const Plan* plan;
};

/// A clause that is being planned, and the rows it sees.
struct Listed {
  const Clause* clause;
  Range range = Range::kAll;
};

class ReadyQueue;  // interp/plan/ready_queue.h

/// Whether an equality is one of lists or terms, so that it says the same of their parts.
bool CanDecompose(const Compare& c);

class Planner {
 public:
  Planner(const Catalog& catalog, Store& store, Mode mode);
  ~Planner();

  /// The plan of `clauses`, of which those with `bound` slots known. `wanted` are the
  /// slots that must be bound at the end (the head's). `names` are for messages.
  /// `delta`: the position in `clauses` of the atom that reads the delta and comes first,
  /// or -1; atoms before it read old rows. `order`: positions in the order that counts as the
  /// written one, or empty.
  std::unique_ptr<Plan> Make(const std::vector<const Clause*>& clauses,
                             const std::vector<bool>& bound, const std::vector<bool>& wanted,
                             const std::vector<std::string>& names, const std::vector<bool>& avar,
                             int delta = -1, const std::vector<std::size_t>& order = {});

  /// From now on these slots are taken up by clauses that the plans do not have: a count
  /// groups by them (decision 25), and `not` waits for them (decision 39).
  void FlowsOn(std::vector<bool> slots) { flows_on_ = std::move(slots); }

 private:
  enum class Terminal : std::uint8_t { kEmit, kFound, kBody };
  /// What a nested plan has bound at its end.
  struct Taken {
    std::size_t since;  // a mark of the ready queue
    std::vector<SlotId> slots;
  };

  Step* New(Step::Kind kind, const Clause* clause);
  Step* Chain(const std::vector<Listed>& items, Terminal terminal, int depth, Taken* taken);
  Step* Body(const Clauses& clauses, std::vector<SlotId>* taken, bool alone = false);
  class Steps;  // plan_steps.cc
  Step* StepFor(const Listed& item);
  bool Gives(const Clause& clause, SlotId slot) const;
  void FindGroupKeys(const std::vector<const Clause*>& clauses, const std::vector<bool>& bound);
  std::vector<Step*> TextsOf(Step& step, const std::vector<Listed>& left);
  void AtomStep(Step& step, const Atom& atom);
  bool Buildable(const Pattern& p, bool quote) const;
  bool Buildable(const Expr& e, bool quote) const;
  std::vector<SlotId> SlotsOf(const Clause& clause) const;
  std::vector<Listed> Decomposed(const Clause& clause);
  std::vector<Listed> Prepare(const std::vector<Listed>& items);
  std::string ProblemOf(const std::vector<Listed>& left) const;

  const Catalog& catalog_;
  Store& store_;
  Mode mode_;
  std::unique_ptr<ReadyQueue> ready_;
  Plan* plan_ = nullptr;
  std::size_t listed_ = 0;  // clauses in all lists so far, a measure of the work
  const std::vector<std::string>* names_ = nullptr;
  const std::vector<bool>* avar_ = nullptr;
  std::vector<SlotId> wanted_;
  std::vector<bool> group_keys_;              // see FindGroupKeys
  std::unordered_set<const Clause*> counts_;  // that have one of these
  std::vector<bool> flows_on_;
  std::vector<Listed> body_;                 // what comes after the activation clause
  std::vector<bool> outside_, before_body_;  // slots that others need: at the end, and until then
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_PLAN_H_
