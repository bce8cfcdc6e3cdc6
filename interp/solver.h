// SPDX-License-Identifier: Apache-2.0
//
// Running plans, and answering goals and demanded relations with them (§18.4, design 3).
//
// Clause order: a plan's (interp/plan.h), so answers appear in the author's nested-loop
// order. A set splits into instances where a relation's rows were distributed or `~`
// meets it (§7), nowhere else. `not` holds when its body has no answer and waits for
// nothing; when it waits, it is undecided, and so is what stands on it (decision 56).
//
// What is asked on demand is tabled: one Table per relation and bound arguments, so that
// recursion ends and a call is made once. Tables live as long as the state they were
// computed from: Forget() drops them when facts, replies or time changed.
//
// A call that has no reply yet gives no answer and is noted in `calls`. Behind a call to
// a tool the plan is read on, so that independent calls go out together, until a clause
// needs the missing value; behind a question to a person it is not.
//
// Borrows program, store and analysis. Not re-entrant; one thread.
#ifndef RPL_INTERP_SOLVER_H_
#define RPL_INTERP_SOLVER_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/analysis.h"
#include "interp/plan.h"
#include "interp/program.h"
#include "interp/unifier.h"

namespace rpl {

/// Something to be done outside before evaluation can go on.
struct OpenCall {
  Space space = Space::kTool;
  RelationId relation = kNoId;
  std::vector<Value> args;  // of a tool; of a collected relation, kNone where free
  int column = -1;          // collected relations: the argument asked for
  int question = -1;        // avars and arguments: index into Program::questions

  friend bool operator==(const OpenCall&, const OpenCall&) = default;
};

/// Stops that no program should meet (§18.5, decision 78).
struct Limits {
  std::size_t max_rows = 50'000'000;
  std::size_t max_rounds = 100'000;
  std::size_t max_depth = 20'000;      // nested demanded calls
  std::size_t max_iterations = 1'000'000;  // of one @for
  std::function<bool()> interrupted;   // polled; may be empty
};

enum class Stop : std::uint8_t { kGoesOn, kRows, kRounds, kDepth, kIterations, kInterrupted };

/// A row that an answer rests on.
struct Premise {
  RelationId relation = kNoId;
  std::vector<Value> row;
};

/// Answers of one demanded call.
struct Table {
  RelationId relation = kNoId;
  std::vector<Value> key;  // per argument: its value, or kNone while free
  std::deque<std::vector<Value>> rows;
  std::vector<std::vector<Premise>> premises;  // goals only, per row
  std::vector<Value> maps;                     // goals only, per row: its bindings map
  std::vector<Table*> used;  // tables that the answers rest on, in order
  std::vector<std::pair<const Clause*, Value>> shown;  // $json: clause, value
  std::vector<Value> captures;  // goals: slot names of the columns
  int rule = -1;             // goals: the definition that answered, or that is waited for
  bool pending = false;
  bool pending_question = false;
  bool failed_rule = false;  // some rule was refused because of a stuck clause
  bool eligible = false;     // goals: some rule's activation held or waits
  std::string ineligible;    // a goal without an eligible rule that stood in the way
  std::string reason;        // why there is no answer, "" when unknown
  // evaluation
  bool complete = false;
  bool running = false;
  bool visited = false;
  std::size_t depends_on = SIZE_MAX;  // lowest running table that this one read
  IdTable index;
};

/// A violated instance of a constraint.
struct Violation {
  int constraint = -1;
  std::vector<Value> bindings;  // slot name, value, …
};

class Solver {
 public:
  Solver(const Program& program, Store& store, const Analysis& analysis, Limits limits);

  // --- deriving -------------------------------------------------------------------

  /// Ranges of rows that a deriving plan sees.
  struct Marks {
    RowId old_end = 0;  // kOld is [0, old_end), kDelta is [old_end, end)
    RowId end = 0;      // kAll is [0, end)
  };
  /// Runs a plan of `def` bottom-up; new head rows go to the store. `marks` by relation.
  /// Returns the number of new rows.
  std::size_t Derive(const Definition& def, const Plan& plan, const std::vector<Marks>& marks);
  /// Violations of checks found while deriving, since the last TakeViolations.
  std::vector<Violation> TakeViolations();
  /// Expressions that no head can be, met at #?h heads since the last call.
  using BadHead = std::pair<const Definition*, std::string>;
  std::vector<BadHead> TakeBadHeads() { return std::exchange(bad_heads_, {}); }

  // --- solving --------------------------------------------------------------------

  /// Everything that goals and constraints need to know of this moment.
  struct Moment {
    Value now;                         // an ISO 8601 string
    std::set<std::string> declined;    // calls the user declined, by text
  };
  void SetMoment(Moment moment) { moment_ = std::move(moment); }
  void Forget();

  /// Solves a goal by its rules, in order. Valid until Forget.
  const Table& SolveGoal(const Goal& goal);
  /// Solves one definition as the only rule of its goal.
  const Table& SolveQuery(const Definition& query);
  /// How the activation clause of a rule stands now: 1 holds, 0 does not, -1 waits.
  int Activated(const Definition& def);

  /// Checks a constraint: calls back for each answer of its left side.
  enum class Verdict : std::uint8_t { kHolds, kViolated, kUndecided };
  void CheckConstraint(const Constraint& c,
                       const std::function<void(const std::vector<Value>& slots, Verdict)>& fn);

  /// A way to derive `row`: the premises of the first rule that gives it; nullopt when
  /// it is asserted or nothing derives it. `def` receives the rule's number.
  std::optional<std::vector<Premise>> Prove(RelationId relation, std::span<const Value> row,
                                            int* def);

  /// Calls made and not answered, in the order met; cleared by Forget.
  const std::vector<OpenCall>& calls() const { return calls_; }
  std::string CallText(const OpenCall& call) const;
  /// Partial replies to collected headings: column values by relation and bound args.
  void Collected(const OpenCall& call, Value reply, std::vector<Value>* complete);

  Stop stopped() const { return stop_; }
  /// What was growing when a limit was reached.
  const std::string& stopped_at() const { return stopped_at_; }
  void ClearStop() { stop_ = Stop::kGoesOn; }
  /// Whether a declined call was needed since Forget.
  bool met_declined() const { return met_declined_; }
  const std::string& declined_call() const { return declined_call_; }
  /// The goal or relation that turned out to depend on itself since Forget, or "".
  const std::string& circular() const { return circular_; }

 private:
  struct Frame;

  bool Run(const Step* step);
  bool RunAtom(const Step& s);
  bool RunRows(const Step& s);
  bool RunTable(const Step& s);
  bool RunExternal(const Step& s);
  bool RunTruth(const Step& s);
  bool TakeCells(const Step& s, std::span<const Value> cells, Value row_ref);
  bool MatchCells(const Step& s, std::span<const Value> cells, std::size_t at);
  bool Keys(const Step& s, std::vector<Value>& out);
  bool RunBranch(const Step& s);
  bool RunCountAtom(const Step& s);
  bool RunExpand(const Step& s);
  bool ForEachOfForm(Value form, Continuation fn, Value* row_ref);
  bool RunNot(const Step& s);
  bool RunBody(const Step* body, Continuation fn);
  bool RunCount(const Step& s, std::int64_t count);
  bool RunMetadata(const Step& s);
  bool RunAggregate(const Step& s);
  bool RunGoalFalse(const Step& s);
  bool RunLoop(const Step& s);
  bool RunCheck(const Step& s);
  bool RunAvar(const Step& s);
  bool Emit();
  bool EmitRow();
  bool EmitAnswer();
  bool WaitFor(const Step& s, OpenCall call, bool question);
  bool SetResult(const Step& s, Value result);
  void Note(std::string why);
  Value Evaluate(const Expr& e);
  void Polled();

  Value FieldOf(Value row_ref, Value key, Value primary);
  Value ContextOf(Value row_ref);
  Value BindingsOf(const OwnSlots& own, const std::vector<SlotId>& rows);

  Table& Demand(RelationId relation, std::vector<Value> key);
  void Complete(Table& table);
  void EvaluateTable(Table& table);
  void EvaluateGoal(Table& table);
  void EvaluateGoalRule(Table& table, const Definition& def);
  void EvaluateRule(Table& table, const Definition& def);
  void EvaluateCollected(Table& table, const struct Collected& collected);
  bool AddRow(Table& table, std::vector<Value> row);
  void Gather(const Definition& def, const std::function<void(std::vector<Value>)>& add);
  std::vector<Value> HeadRow(const Definition& def);
  const Plan& PlanFor(const Definition& def, const std::vector<bool>& bound, bool activation);
  bool BindHead(const Definition& def, std::span<const Value> key, std::size_t at,
                std::vector<bool>& bound, Continuation then);
  std::string ReasonOf(const Frame& frame) const;
  std::string WithBindings(const Clause& clause, const Frame& frame) const;

  const Program& program_;
  Store& store_;
  Pool& pool_;
  const Analysis& analysis_;
  Limits limits_;
  Moment moment_;

  Frame* frame_ = nullptr;
  Value* slots_ = nullptr;
  Mode mode_ = Mode::kDerive;
  const std::vector<Marks>* marks_ = nullptr;
  const Continuation* found_ = nullptr;  // what a nested plan's end calls
  std::size_t new_rows_ = 0;
  std::uint32_t ticks_ = 0;

  std::map<std::pair<RelationId, std::vector<Value>>, std::unique_ptr<Table>> tables_;
  std::vector<Table*> running_;    // demanded calls in progress, outermost first
  std::vector<Table*> unfinished_; // evaluated tables whose leader is still running
  std::map<std::tuple<const void*, std::vector<bool>, int>, std::unique_ptr<Plan>> plans_;
  std::vector<std::unique_ptr<Table>> query_tables_;
  std::map<std::pair<RelationId, std::vector<Value>>, std::vector<Value>> partial_;
  std::vector<OpenCall> calls_;
  std::vector<Violation> violations_;
  std::vector<BadHead> bad_heads_;
  std::size_t depth_ = 0;
  Stop stop_ = Stop::kGoesOn;
  std::string stopped_at_;
  bool met_declined_ = false;
  std::string circular_;
  std::string declined_call_;
};

}  // namespace rpl

#endif  // RPL_INTERP_SOLVER_H_
