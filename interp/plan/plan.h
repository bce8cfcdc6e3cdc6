// SPDX-License-Identifier: Apache-2.0
//
// Plans: the order in which the clauses of a tail run, with static boundness (§5.5, decision 23).
//
// A plan is a chain of steps; each step has all its inputs bound and binds its outputs,
// and this is known before the plan runs, so that running needs no trail and no tests of
// boundness. The order is the author's, with three departures that change no answer and
// no order of answers: a clause whose inputs are not bound yet waits; a test runs as soon
// as its inputs are bound; `$json`, checks and @distinct run last. Clauses that reach
// outside (goals, calls, avars) are never reordered among each other.
//
// The clauses of an activation clause come before all others and do not see their bindings (§16).
// A plan that starts from a delta, or in a given order, has the same answers as the plan in the
// written order, and exists only if that plan is not stuck.
//
// A disjunction whose branches bind different slots is followed by one copy of the rest
// per branch, so that boundness is static in every copy.
//
// The hole of a template binds a text. Where another clause gives the lvar its value, which
// may be a number printed as that text, a kReadText step tries all values that the text may
// represent, so the order of the two clauses does not matter (decisions 11, 23).
//
// If a clause can never run, a solving plan ends in a kStuck step that names the lvar; a deriving
// plan is refused (Plan::problem).
//
// A Plan borrows its definition and the relations that it reads; it must be remade when the program
// changes.
#ifndef RPL_INTERP_PLAN_PLAN_H_
#define RPL_INTERP_PLAN_PLAN_H_

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "interp/plan/modes.h"
#include "interp/plan/step_kind.h"
#include "interp/program/clause.h"

namespace rpl {

class Store;

enum class Mode : std::uint8_t {
  kDerive,  // bottom-up: every relation is read from the store
  kSolve,   // top-down: reaches goals, calls and tabled relations
};

/// The access path of an atom.
enum class Access : std::uint8_t {
  kRows,      // the store
  kTable,     // a tabled relation, with the caller's bindings
  kGoal,      // the rules of a goal, in order
  kTruth,     // recorded truths of a goal (deriving plans)
  kExternal,  // the replies of a tool or avar; a call when there is none
  kCollect,   // a collected heading: asks for its free arguments (decision 70)
};

/// The rows of a relation that a step sees while a stratum is derived.
enum class Range : std::uint8_t { kAll, kOld, kDelta };

/// The bounds of the ranges of one relation.
struct Marks {
  RowId old_end = 0;  // kOld is [0, old_end), kDelta is [old_end, end)
  RowId end = 0;      // kAll is [0, end)
};

struct HeadingUse;
struct Step;

/// Properties of relations that the planner needs; implemented by the Analysis.
class Catalog {
 public:
  virtual ~Catalog() = default;
  virtual Access AccessOf(RelationId relation, Mode mode) const = 0;
  /// The arguments that a caller must bind (decisions 38, 87).
  virtual const ModeSet& ModesOf(RelationId relation) const = 0;
  /// The arguments that range over the groups of a count unless the caller binds them: with one of
  /// them bound, the relation may have answers that are no rows of it (decision 94).
  virtual Columns KeysOf(RelationId relation) const = 0;
  /// The arguments for which candidates are known without some that range over groups: all rows of
  /// the relation have one of these there, also those that are only there for a group that somebody
  /// binds. 0: none are known.
  virtual Columns LooseOf(RelationId relation, Columns without) const = 0;
  /// Whether some rows of the relation need no argument but the `known` ones, while others do.
  virtual bool HasInputFreeRows(RelationId relation, Columns known) const = 0;
  /// How a solving plan reads a relation for a caller that binds the arguments of a key that are
  /// not kNone.
  Access AccessWith(RelationId relation, const std::vector<Value>& key) const {
    const Access access = AccessOf(relation, Mode::kSolve);
    if (access != Access::kRows) return access;
    return BindsKey(relation, key) ? Access::kTable : access;
  }
  /// Whether such a caller binds an argument that ranges over groups otherwise.
  bool BindsKey(RelationId relation, const std::vector<Value>& key) const {
    const Columns keys = KeysOf(relation);
    for (std::size_t i = 0; keys != 0 && i < key.size(); ++i)
      if ((keys >> i & 1) != 0 && !key[i].is_none()) return true;
    return false;
  }
  /// As rpl::BoundBy, in a plan of this mode: a call needs what each rule of its relation does, and
  /// all arguments of a tool.
  std::vector<bool> BoundBy(const std::vector<const Clause*>& clauses, std::vector<bool> known,
                            Mode mode) const;
  /// The arguments that a caller must bind so that the call comes to an end: those that it must
  /// bind anyway, and of a relation that grows (interp/plan/growth.h) those that its calls get
  /// smaller by. A call waits for them as long as other clauses can run.
  virtual const ModeSet& FiniteModesOf(RelationId relation) const = 0;
  /// Whether evaluating the clause may reach a goal, a call or an avar.
  virtual bool ReachesOutside(const Clause& clause) const = 0;
  /// What the program does with the answers to a collected heading.
  virtual const HeadingUse& UseOf(RelationId heading) const = 0;
  /// Whether the step itself may ask, call or show something, with what is bound at its place.
  virtual bool Acts(const Step& step) const = 0;
  /// Whether the two are the same, or rest on each other by rules and activation clauses.
  virtual bool RestOnEachOther(RelationId a, RelationId b) const = 0;
  /// Whether the rule guards itself: its activation clause needs a relation complete that rests on
  /// the rule. The clause then reads what holds without such rules (decision 40).
  virtual bool GuardsItself(const Definition& def) const = 0;
  /// Whether the clause of a rule with this head is a guard: a `!%goal` of the activation clause,
  /// where the goal rests on the rule. Then the goal is read as it stood before (decisions 40, 86).
  bool IsGuard(const Clause& clause, RelationId head) const {
    const auto* is = clause.As<GoalIsFalse>();
    return is != nullptr && is->activation && RestOnEachOther(is->goal.relation, head);
  }
};

struct Step {
  using Kind = StepKind;
  Kind kind = Kind::kEmit;
  const Clause* clause = nullptr;
  Step* next = nullptr;
  int depth = 0;               // number of steps before it
  std::vector<SlotId> reads;   // inputs: slots that must be known, then those that are compared
  std::vector<SlotId> writes;  // slots it binds

  // kAtom; of kGoalFalse, `relation` alone
  const Atom* atom = nullptr;  // the clause
  RelationId relation = kNoId;
  Access access = Access::kRows;
  Range range = Range::kAll;
  bool all_bound = false;                                  // every column is a key
  Columns probe = 0;                                       // columns with a known value
  std::vector<std::pair<std::uint32_t, Pattern>> keys;     // their values, in column order
  std::vector<std::pair<std::uint32_t, SlotId>> binds;     // columns that bind a slot
  std::vector<std::pair<std::uint32_t, SlotId>> checks;    // columns equal to a slot bound here
  std::vector<std::pair<std::uint32_t, Pattern>> matches;  // columns matched with a pattern
  SlotId row = -1;          // receives a reference to the row (§11), or -1
  bool open_input = false;  // the known columns meet no mode of the relation
  bool endless = false;     // nor one of Catalog::FiniteModesOf
  bool restricted = false;  // of its rows, only some may lead to an answer
  bool input_free = false;  // only rows that need no input are read: see Extent
  Columns loose = 0;        // candidates for these columns are read: see Catalog::LooseOf
  SlotId asked = -1;        // an avar argument to ask for if nothing supplies it, or -1

  // operators: patterns carry their `binds` flags
  Pattern pattern;  // kBind, kMatch, kMember, kMetadata, kAggregate, and kCount's result
  std::vector<Expr> operands;
  Operator op = Operator::kEqual;  // kCompare
  bool negated = false;            // kMember: `not in`; kTruth: `false`
  bool result_bound = false;       // kCount*, kLoop: the result is compared, not bound
  std::vector<SlotId> groups;      // kCountAtom
  bool of_group = false;  // kCountAtom: another count binds a group key, or a text in the head
                          // does, so that it counts groups, of which none is empty

  // nested plans: they end in kFound
  Step* body = nullptr;
  Step* body2 = nullptr;
  Step* body3 = nullptr;
  std::vector<Step*> branches;  // of a disjunction: those that only derive, then those that act
  std::size_t deriving = 0;     // how many of them only derive
  std::vector<std::uint32_t> written;  // their positions in the clause
  std::vector<SlotId> clears;  // kBranch: unbound before each branch, against leftover values

  std::string problem;     // kStuck
  bool too_large = false;  // kStuck: what stopped the planner is a limit
};

struct Join;  // interp/plan/join_plan.h

struct Plan {
  std::list<Step> steps;
  std::list<Clause> made;  // clauses that the planner added
  Step* first = nullptr;
  std::optional<std::string> problem;  // why a deriving plan cannot run
  bool acts = false;                   // some step of a solving plan acts (Catalog::Acts)
  /// By slot: whether it ranges over groups, so that more could hold if it were bound before.
  std::vector<bool> grouped;
  std::shared_ptr<const Join> join;  // the plan as a join; null if it is none
};

/// What a step of a join is expected to do: as a whole, or for an outer row, on average.
struct ExpectedReads {
  double times = 0;  // scans and probes
  double rows = 0;   // rows read
};

/// A plan that derives rows of its rule's head.
struct Derivation {
  const Definition* def;
  const Plan* plan;
  /// Of a join that was chosen by trials and has not run yet: how many probes and rows it is
  /// expected to take.
  double expected = 0;
  /// For such a join; asked when it turns out to take many more, as the number tells: what to run
  /// in its place, from the first row on. Null: nothing is cheaper.
  std::function<std::optional<Derivation>(double cost)> instead = nullptr;
};

/// A clause to be planned, with the rows that it sees.
struct Listed {
  const Clause* clause;
  Range range = Range::kAll;
  int branch = 0;  // of a disjunction, the innermost that it is in: see Planner::Branch
};

class ReadyQueue;  // interp/plan/ready_queue.h

/// Whether an equality is between lists or terms, hence equivalent to equalities of their parts.
bool CanDecompose(const Compare& c);

/// Alternatives that are combined in more ways than these are planned without multiplying them out.
inline constexpr std::size_t kMostWays = 256;

/// `role(#{?a ?b})` as the instances that it reads, and the inequalities that tell them apart
/// (decision 28); nothing if the clause is no atom with a set to distribute. Columns in `whole`
/// take sets as they are.
std::vector<Clause> InstancesOf(const Clause& clause, Columns whole, const Pool& pool);

class Planner {
 public:
  Planner(const Catalog& catalog, const Store& store, Mode mode);
  ~Planner();

  /// The plan of `clauses`. Per slot: whether it is `bound` before the plan runs, whether it is
  /// `wanted` at the end (the head's), its name for messages, and whether it is an `avar`. `delta`:
  /// the position in `clauses` of the atom that reads the delta, or -1; atoms before it read old
  /// rows. `order`: positions, in which the clauses run as soon as they can; or empty: the delta's
  /// atom, then of those that can run the one with the most known columns.
  std::unique_ptr<Plan> Make(const std::vector<const Clause*>& clauses,
                             const std::vector<bool>& bound, const std::vector<bool>& wanted,
                             const std::vector<std::string>& names, const std::vector<bool>& avar,
                             int delta = -1, const std::vector<std::size_t>& order = {});

  /// Declares slots that clauses outside of the plans mention. From now on a count groups by them
  /// (decision 25), and `not` waits for them (decision 39).
  void FlowsOn(std::vector<bool> slots) { flows_on_ = std::move(slots); }
  /// Begins plans with these calls, of which only candidates for the columns are read.
  void BeginLoosely(std::vector<std::pair<const Clause*, Columns>> calls) {
    loose_calls_ = std::move(calls);
  }

 private:
  enum class Terminal : std::uint8_t { kEmit, kFound, kBody, kJoin };
  /// The slots that a nested plan has bound at its end.
  struct Taken {
    std::size_t since;  // a mark of the ready queue
    std::vector<SlotId> slots;
  };

  /// A branch of a disjunction in one plan; the first is the whole rule. A branch acts if a step
  /// made for one of its clauses does: the clauses after the disjunction follow in each branch,
  /// too.
  struct Branch {
    int outer;
    bool acts = false;
  };
  static constexpr int kNoBranch = -1;
  /// Where a branch that was planned alone goes on.
  struct Join {
    Step** link;
    int depth;
  };

  void MarkActing(int branch);
  void MarkRestricted();
  Step* New(Step::Kind kind, const Clause* clause);
  /// Whether the first of the clauses runs first, and then only for its input-free rows if it is a
  /// call that lacks an input.
  enum class Lead : std::uint8_t { kByNone, kFirst, kInputFree };
  Step* Chain(const std::vector<Listed>& items, Terminal terminal, int depth, Taken* taken,
              Lead lead = Lead::kByNone);
  Step* Body(const Clauses& clauses, std::vector<SlotId>* taken, bool alone = false);
  class Steps;  // plan_steps.cc
  Step* StepFor(const Listed& item);
  bool Gives(const Clause& clause, SlotId slot) const;
  void FindGroupKeys(const std::vector<const Clause*>& clauses, const std::vector<bool>& bound);
  void FindNeverZero(const std::vector<const Clause*>& clauses);
  void MarkGrouped(SlotId slot) { plan_->grouped[static_cast<std::size_t>(slot)] = true; }
  std::vector<Step*> TextsOf(Step& step, const std::vector<Listed>& left);
  void AtomStep(Step& step, const Atom& atom);
  Step* LooseStep(const Clause& call, Columns gives);
  bool Buildable(const Pattern& p, bool quote) const;
  bool Buildable(const Expr& e, bool quote) const;
  std::vector<SlotId> SlotsOf(const Clause& clause) const;
  std::vector<SlotId> FreeShared(const Clause& clause) const;
  bool BranchesAlone(Step& step, const Listed& item, int depth, std::vector<Join>& ends);
  void BranchesWithRest(Step& step, const Listed& item, const std::vector<Listed>& others,
                        Terminal terminal, int depth, Taken* taken);
  Step* LedByEach(const std::vector<Listed>& calls, const std::vector<Listed>& others,
                  Terminal terminal, int depth, Taken* taken);
  std::vector<Listed> Decomposed(const Listed& item);
  std::vector<Listed> Prepare(const std::vector<Listed>& items);
  std::string ProblemOf(const std::vector<Listed>& left) const;

  const Catalog& catalog_;
  const Store& store_;
  Mode mode_;
  std::unique_ptr<ReadyQueue> ready_;
  Plan* plan_ = nullptr;
  std::vector<Branch> branches_;
  int branch_ = 0;          // that of the clause whose step is being made
  std::size_t listed_ = 0;  // clauses in all lists so far; see kMaxListed
  const std::vector<std::string>* names_ = nullptr;
  const std::vector<bool>* avar_ = nullptr;
  /// A list has so many ways through its alternatives that they are not multiplied: what follows
  /// one is planned once.
  bool many_ways_ = false;
  std::vector<Join> joins_;
  std::vector<SlotId> wanted_;
  std::vector<bool> group_keys_;                  // see FindGroupKeys
  std::unordered_set<const Clause*> counts_;      // counts grouped by one of these
  std::unordered_set<const Clause*> never_zero_;  // counts that clauses beside them compare so
  std::vector<bool> flows_on_;
  std::vector<std::pair<const Clause*, Columns>> loose_calls_;
  std::vector<Listed> body_;                 // the clauses after the activation clause
  std::vector<bool> outside_, before_body_;  // slots needed outside: by the head; and by the body
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_PLAN_H_
