// SPDX-License-Identifier: Apache-2.0
//
// The solver: top-down evaluation (§18.4) of goals, constraints, and relations that need bindings
// of their caller or reach outside.
//
// Calls are tabled, one Table per relation and bound arguments, so that recursion terminates and a
// call to the outside is made once. Tables are valid for the state they were computed from: Forget
// drops them when facts, replies or the time changed.
//
// The rules of a goal are a disjunction in written order; a rule that acts (asks, calls, shows) is
// tried only while those before it are unsatisfied. `not` requires that the negated goal or
// relation is not being evaluated: one that needs its own absence is circular (§18.6).
//
// Borrows program, store and analysis. One thread.
#ifndef RPL_INTERP_EVAL_SOLVER_H_
#define RPL_INTERP_EVAL_SOLVER_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/eval/evaluation.h"
#include "interp/eval/table.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"

namespace rpl {

/// An aggregate head (§8): its collections with `&`, and its arguments with a fresh slot in place
/// of each collection, numbered from `first` on. Borrows the definition.
struct AggregateHead {
  explicit AggregateHead(const Definition& def);

  std::size_t first;
  std::vector<Pattern> args;
  std::vector<const Pattern*> collections;
};

class Classes;
class Continuation;
class Machine;
struct Derivation;
struct Frame;

/// A row of a rule with an aggregate head, with the premises and shown values of its answers.
struct Gathered {
  std::vector<Value> row;
  std::vector<RowUsed> path;
  std::vector<std::pair<const Clause*, Value>> shown;
};

class Solver : public Demands {
 public:
  Solver(const Program& program, Store& store, const Analysis& analysis, const Limits& limits);
  ~Solver() override;

  /// Sets the state outside the store for the evaluations that follow. Calls Forget, and drops the
  /// violations that were found in another state.
  void Begin(Given given);
  /// Sets the call under decision, or (null) none. Calls Forget.
  void Decide(const DecidedCall* call);
  /// Records that a limit stopped the fixpoint: from now on absence proves nothing.
  void Truncate();
  const Given& given() const;
  /// Why rows of a relation may be absent that a rule with an expansion as its head would derive if
  /// its clauses had a meaning (decision 93); "" if none may.
  const std::string& WhyUnfed(RelationId relation) const;

  /// The findings since the last Take. Forget drops their calls.
  Evaluation Take();
  /// The calls, and the violations, among them.
  std::vector<OpenCall> TakeCalls();
  std::vector<Violation> TakeViolations();
  /// The calls that are waited for, each once, in order.
  std::vector<OpenCall> CallsOf(const Waiting& waits) const;
  const Evaluation& found() const;
  /// The rule whose plan runs now, or null; and the number of rows derived so far.
  const Definition* rule() const;
  std::size_t new_rows() const;

  /// A call as RPL text, "$check(1)" or "stay(1, ?to)", and its identity.
  std::string CallText(const OpenCall& call) const;
  CallId IdOf(const OpenCall& call) const;
  std::string FailureText(const OpenCall& call, const std::string& failure) const;

  /// The evaluator; for interp/eval and interp/explain only.
  Machine& machine() { return *machine_; }

  /// Drops all tables with their findings, and the plans of queries; all plans if the analysis was
  /// remade. What long tables leave (interp/eval/resumption.h) stays, if they leave something.
  void Forget();
  /// From how many iterations of a loop on it, and its table, leave something; SIZE_MAX, as at
  /// first: never, and what was left is dropped.
  void Resume(std::size_t long_loop);
  /// The state changes bit by bit until the next Begin: what is evaluated in between leaves
  /// nothing.
  void Suspend() { suspended_ = true, resuming_ = false; }

  /// Runs plans bottom-up, as if one after another, and adds new head rows to the store. Returns
  /// the rule at which a limit stopped it, or null.
  const Definition* Derive(std::span<const Derivation> work, const std::vector<Marks>& marks);

  /// Adds the rows that follow from the classes of an equivalence. Returns its rule if a limit
  /// stopped it, or null.
  const Definition* Close(const Stratum::Equivalence& equivalence,
                          const std::shared_ptr<Classes>& classes);

  /// Answers of a goal. The table is valid until Forget.
  const Table& SolveGoal(const Goal& goal);
  /// Answers of a definition, as the only rule of its goal.
  const Table& SolveQuery(const Definition& query);

  /// kWaits: depends on a call without a reply. kLacks: on a call that failed, was refused or
  /// declined, on rows that a limit cut off, or on a clause without a meaning (decisions 80, 93).
  enum class Active { kNo, kYes, kWaits, kLacks };
  /// The current truth of a rule's activation clause (§16).
  Active Activated(const Definition& def);

  /// kUndecided: depends on a call without a reply. kLacks: as above, except for a meaning: without
  /// one, a right side does not hold, and Evaluation::undefined says why.
  enum class Judgement { kHolds, kViolated, kUndecided, kLacks };
  /// Calls `fn` for each answer of a constraint's left side, with its slots. Returns the reasons
  /// why there may be more answers. The calls that it waits for are findings.
  Undecided CheckConstraint(
      const Constraint& c,
      const std::function<void(const std::vector<Value>& slots, Judgement)>& fn);

  /// The plans of the two sides of a constraint; valid as long as the analysis.
  struct Sides {
    const Plan* left;
    const Plan* right;
    std::vector<bool> bound;  // slots that the left side binds
  };
  Sides SidesOf(const Constraint& c);
  /// Judges the instance of a constraint whose left side has an answer with these slots.
  Judgement Judge(const Constraint& c, const Sides& sides, const std::vector<Value>& slots);
  /// Calls `fn` for each answer of a deriving plan of the left side, until it returns false.
  /// Returns whether there are no others: none is undecided.
  bool LeftAnswers(const Constraint& c, const Plan& plan, const std::vector<Marks>& marks,
                   const std::function<bool(const std::vector<Value>& slots)>& fn);

  /// Whether some rule still gives this truth of the goal, its guards on the goal itself apart, or
  /// that is not known: a call is open, or was not answered. `reads`, unless null: takes what it
  /// read, with the tables of this evaluation.
  bool Stands(const Goal& goal, Value bindings, Reads* reads = nullptr);

  /// The premises of the first rule that derives `row`, whose number goes to `def`, in the order of
  /// its clauses; nullopt when no rule does. `usable` decides which rows may be premises. Of
  /// several derivations by that rule, the first in the author's order unless a relation is large.
  std::optional<std::vector<Premise>> Prove(RelationId relation, std::span<const Value> row,
                                            int* def,
                                            const std::function<bool(const Premise&)>& usable);

  /// Calls `fn` for the rows of a relation that agree with the bound arguments of a key, whether
  /// they are in the store or come from a table. Outside the engine, this is how to read what rules
  /// give.
  void ForEachRow(RelationId relation, const std::vector<Value>& key,
                  const std::function<void(std::span<const Value> row)>& fn);
  /// The choices on offer for a question (decision 75).
  std::vector<Value> Choices(const OpenCall& question);

  /// Records a reply for one argument of a collected heading. Returns the row once every argument
  /// has a value, else an empty one.
  std::vector<Value> TakeArgument(const OpenCall& call, Value reply);
  /// The same for several arguments of a heading that is called with `key`.
  void TakeArguments(RelationId relation, std::vector<Value> key, std::vector<Value> row);
  /// Records that a question was answered with rows, of which there may be none, or takes it back.
  void Settle(RelationId relation, const std::vector<Value>& key, bool settled);
  /// Drops the recorded replies of a row that is now complete.
  void ForgetArguments(RelationId relation, std::span<const Value> row);
  /// Recorded replies of incomplete rows, by heading and bound arguments.
  using Arguments = std::map<std::pair<RelationId, std::vector<Value>>, std::vector<Value>>;
  const Arguments& arguments() const { return arguments_; }
  /// The row that TakeArgument would return; records nothing.
  std::vector<Value> RowWith(const OpenCall& call, Value reply) const;

  Table& Demand(RelationId relation, std::vector<Value> key, Extent extent = {}) override;
  std::optional<OpenCall> Asked(RelationId heading, const std::vector<Value>& key) override;
  const std::string& WhyEmpty(Table& table) override;
  std::vector<const Table*> Running(RelationId goal) const override;

 private:
  friend class Explainer;  // finds derivations with BindHead

  void Complete(Table& table);
  void EvaluateTable(Table& table);
  void Close(Table& table);
  std::string NoMatchText(const Table& table) const;
  std::string WhyNothingInLibrary(const Table& table) const;
  void ForEachStored(RelationId relation, const std::vector<Value>& key, RowId from,
                     const std::function<void(RowId)>& fn);
  void EvaluateCollected(Table& table);
  bool IsSettled(RelationId relation, std::span<const Value> args) const;
  bool HasOwnRow(RelationId relation, const std::vector<Value>& question);
  void EvaluateBuiltin(Table& table, const Builtin& builtin);
  void EndInLibrary(Table& table, const std::string& inner);
  class BestAnswers;
  bool IsYesOrNo(const Table& table, const Definition& def) const;
  /// `best`, if not null, takes the answers in place of the table.
  void EvaluateRule(Table& table, const Definition& def, BestAnswers* best = nullptr);
  void EvaluateBest(Table& table, const Extremum& extremum);
  void TakeBest(Table& table, const std::vector<Value>& group);
  bool OfferAnswer(BestAnswers& best);
  bool BeatsOthers(Table& table, const Extremum& extremum, std::span<const Value> row,
                   std::uint32_t number);
  void SettleBest(Table& table);
  void EvaluateGoal(Table& table);
  void AnswerAgain(Table& table, const Definition& def);
  void EvaluateGoalRule(Table& table, const Definition& def);
  void TakeTruths(Table& table, const Goal* goal);
  void Gather(const Definition& def, const std::vector<bool>& bound,
              const std::function<void(Gathered)>& add);
  std::span<const Value> KeyOfInputs(const Table& table, const Definition& def,
                                     std::vector<Value>& inputs);
  std::vector<std::vector<Value>> KeysBeforeSets(const Table& table, const Definition& def);
  std::span<const Value> GivenTo(const Definition& def, RelationId relation,
                                 std::span<const Value> key, std::vector<Value>& changed) const;
  bool BindHead(const Definition& def, std::span<const Value> key, std::size_t at,
                std::vector<bool>& bound, Continuation then);
  template <typename Make>
  const Plan& PlanOf(const void* owner, bool lasts, int part, const std::vector<bool>& bound,
                     Make&& make);
  template <typename Make>
  const Plan& KeptPlan(const void* owner, bool lasts, int part, const std::vector<bool>& bound,
                       Make&& make);
  void CountRun(const Plan& plan, const std::vector<bool>& bound, int part);
  /// What running a plan of a rule for the first answer tells.
  struct FirstAnswer {
    bool meant = false;  // some head agrees with the call
    bool found = false;
    Undecided open;  // of the search for it
  };
  template <typename Make>
  FirstAnswer FindFirst(const Definition& def, std::span<const Value> key, int part, Make&& make,
                        std::span<const Value> wanted = {});
  const Plan& RulePlan(const Definition& def, const std::vector<bool>& bound,
                       const Extent& extent = {});
  bool MayReorder(const Definition& def, const std::vector<const Clause*>& clauses) const;
  const Plan& ReorderedPlan(const Definition& def, const std::vector<const Clause*>& clauses,
                            const std::vector<bool>& bound);
  std::string ReasonOf(const Frame& frame);
  const std::string& UndefinedBelow(const Clause& clause);
  std::string FindUndefined(const Clause& clause) const;
  template <typename Fn>
  bool AnyRuleGives(const Goal& goal, Value bindings, Fn&& fn);
  bool FindStanding(const Goal& goal, Value bindings);
  bool AllGivenAgain(const Goal& goal);
  FirstAnswer Activation(const Definition& def, std::span<const Value> key);
  Judgement JudgeHere(const Constraint& c, const Plan& right, Waiting& waits);
  bool IsHeadUnknown(const Definition& def) const;
  bool KeepsDoubts(const Definition& def, const Plan& plan) const;
  bool KeepDoubt(Table& table, const Definition& def);
  bool HoldsAnyway(const Constraint& c, const Sides& sides);
  void Collect(const Waiting& waits);
  void Conclude(const Table& table);
  void Leave(Table& table);
  void TakeUp(Table& table);
  RuleLoop* LoopOf(Table& table, const Definition& def, const Plan& plan);
  RuleLoop* LoopOf(std::deque<RuleLoop>& loops, const void* owner, const Plan& plan);

  const Program& program_;
  Store& store_;
  Pool& pool_;
  const Analysis& analysis_;
  const std::unique_ptr<Machine> machine_;

  /// What a table left to the next one for its call.
  struct Left {
    AnswerRows rows;
    std::unique_ptr<Lasting> lasting;
  };

  std::deque<Table> tables_;
  std::map<std::pair<RelationId, std::vector<Value>>, Left> left_;
  std::deque<RuleLoop> constraint_loops_;
  bool resuming_ = false;  // some table left something
  bool suspended_ = false;
  IdTable table_of_;  // by relation and key
  // By rule with a constraint and its inputs: the table that checks it.
  std::map<std::pair<const Definition*, std::vector<Value>>, const Table*> checked_by_;
  std::vector<std::unique_ptr<Table>> query_tables_;
  std::vector<Table*> running_;     // tabled calls in progress, outermost first
  std::vector<Table*> unfinished_;  // evaluated tables whose leader is still running
  struct Planned {
    int part;
    Mode mode;
    std::vector<bool> bound;
    std::unique_ptr<Plan> plan;
  };
  // By rule or constraint: of the program, for the current analysis; and of queries.
  std::unordered_map<const void*, std::vector<Planned>> plans_, query_plans_;
  std::uint64_t analysis_known_ = 0;
  std::unordered_map<const Clause*, std::string> undefined_below_;  // kept until Forget
  // Replies for arguments of collected headings, by relation and bound arguments.
  Arguments arguments_;
  // Headings answered with rows: by relation and free arguments the bound ones.
  std::map<std::pair<RelationId, Columns>, std::set<std::vector<Value>>> settled_;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_SOLVER_H_
