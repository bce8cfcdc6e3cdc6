// SPDX-License-Identifier: Apache-2.0
//
// Counters of an evaluation and its wall time, by rule, plan and clause.
//
// Limits::profile points to it; when that is null, nothing is counted and no clock is read. Counts
// are exact: the same program, facts and answers give the same counts on one thread. Several
// threads may find more duplicates and read more rows, since each skips only what it has followed
// itself. A rule's time is exclusive: tabled calls count towards the rules that answer them.
//
//   Profile ─ rules ─ plans ─ reads        each in order of first use
//
//   rule    a rule as derived bottom-up, the same as tabled, a goal's rule, a constraint
//   plan    from all rows, or from the delta of a clause; tabled: by the arguments bound
//   read    a clause of a plan that reads rows: number of scans or probes, and of rows
//
// Copies the texts of the program that it shows, so it may outlive the program. While counting,
// plans and definitions are identified by address: call Forget when plans die, Clear when rules do.
// One thread.
#ifndef RPL_INTERP_EVAL_PROFILE_H_
#define RPL_INTERP_EVAL_PROFILE_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/plan/plan.h"

namespace rpl {

struct Constraint;
struct JoinCounts;

class Profile {
 public:
  using Duration = std::chrono::nanoseconds;

  /// Parts of a run that time is attributed to. kAnswering: printing answers, and the trace of
  /// their premises.
  enum class Part : std::uint8_t {
    kReading,
    kDeriving,
    kSolving,
    kAnswering,
    kChecking,
    kCalling,
    kElsewhere
  };
  static constexpr std::size_t kParts = static_cast<std::size_t>(Part::kElsewhere);

  /// The join of a clause with those before it in its plan.
  enum class Link : std::uint8_t {
    kBound,    // some column has a known value, or no clause is read before it
    kLater,    // a clause after it shares lvars with it and with those before
    kPattern,  // the shared lvar is inside a pattern, so no index applies
    kNothing,  // no shared lvar: a cross product
  };

  static constexpr std::size_t kNamed = 3;
  struct Read {
    std::string clause;  // as written
    Span place;
    RelationId relation = kNoId;
    Columns columns = 0;                    // with known values; 0: a scan of all rows
    std::uint64_t times = 0;                // scans or probes
    std::uint64_t rows = 0;                 // rows read, over all of them
    std::optional<ExpectedReads> expected;  // by trials, if they chose the plan
    Link link = Link::kBound;               // the members below describe the others:
    std::vector<std::string> before;        // the clauses read before it, the first kNamed of them
    std::size_t more_before = 0;            // the number of further ones
    std::string lvar;                       // kLater, kPattern: with its mark
    std::string by;                         // kLater, kNothing: the clause that relates them, or ""
  };

  struct PlanCounts {
    // "" for all rows, "new edge(?x, ?y)", "given ?x, ?y", "activation", "left", "right"
    std::string from;
    std::uint64_t runs = 0;  // evaluations
    std::uint64_t rows = 0;
    std::uint64_t duplicates = 0;
    Duration time{};
    std::vector<Read> reads;  // in the order of the plan
  };

  /// kProof: the rule runs to find the premises of a row of the trace.
  enum class Kind : std::uint8_t { kDerived, kDemanded, kGoal, kConstraint, kProof };
  struct Rule {
    Kind kind = Kind::kDerived;
    std::string text;
    Span place;
    std::uint64_t rounds = 0;      // kDerived: rounds in which it ran
    std::uint64_t runs = 0;        // kDerived: runs of its plans; others: calls
    std::uint64_t rows = 0;        // rows added; constraints: instances
    std::uint64_t duplicates = 0;  // derivations of rows that existed
    Duration time{};
    std::deque<PlanCounts> plans;

   private:
    friend class Profile;
    std::uint64_t last_round_ = 0;
  };

  const std::deque<Rule>& rules() const { return rules_; }
  /// Evaluations of a branch of a disjunction, by its position, that led to an answer.
  std::uint64_t AnswersOf(const Clause& disjunction, std::size_t branch) const;
  /// Evaluations in which the activation clause of a goal's rule held (§16).
  std::uint64_t ActivationsOf(const Definition& def) const;
  /// Violated instances of a constraint, in each phase anew.
  std::uint64_t ViolationsOf(const Constraint& c) const;
  /// Evaluations that left a call of the tool, or a question of the heading, open.
  std::uint64_t AskedOf(RelationId relation) const;
  /// Probes of a relation's index on these columns.
  std::uint64_t ProbesOf(RelationId relation, Columns columns) const;
  Duration TimeOf(Part part) const { return parts_[static_cast<std::size_t>(part)]; }

  /// Attributes the time from now on to `part`.
  void Enter(Part part);
  void Forget();
  void Clear() { *this = Profile(); }

  // --- called by evaluators -------------------------------------------------------------

  /// Scope of one evaluation of a rule or constraint. Without effect if the profile is null.
  class Evaluation {
   public:
    Evaluation(Profile* profile, const Definition& def, Kind kind);
    Evaluation(Profile* profile, const Constraint& constraint);
    ~Evaluation();
    Evaluation(const Evaluation&) = delete;
    /// Adds its results.
    void Gave(std::uint64_t rows, std::uint64_t duplicates);

   private:
    friend class Profile;
    void Begin(Rule& rule, const std::vector<std::string>& names);

    Profile* profile_;
    Evaluation* outer_ = nullptr;
    Rule* rule_ = nullptr;
    const std::vector<std::string>* names_ = nullptr;
    PlanCounts* plan_ = nullptr;  // the first plan that it ran
    Duration time_{};
  };

  void BeginRound() { ++round_; }
  /// The innermost evaluation runs this plan. `bound`: the slots known at its start. `part` 1 is an
  /// activation clause, or the right side of a constraint.
  void Take(const Plan& plan, const std::vector<bool>& bound, int part = 0);
  /// A step read this many rows, in one scan or probe. REQUIRES: Take of its plan.
  void Count(const Step& step, std::uint64_t rows);
  /// The next run of a join has so many outer rows, and its steps are expected to do this: the
  /// first as a whole, the others for each of them.
  void Expect(const Plan& plan, const std::vector<ExpectedReads>& steps, std::size_t outer);
  /// A plan ran as a join. REQUIRES: Take of it.
  void Count(const Plan& plan, const JoinCounts& counts);
  void CountBranch(const Clause& disjunction, std::size_t branch);
  void CountActivated(const Definition& def);
  void CountViolated(const Constraint& c);
  void CountAsked(RelationId relation) { ++asked_[relation]; }
  void CountProbes(RelationId relation, Columns columns, std::uint64_t times = 1) {
    probes_[{relation, columns}] += times;
  }

 private:
  using Clock = std::chrono::steady_clock;

  Rule& RuleAt(const void* owner, Kind kind, const std::string& text, Span place);
  PlanCounts& PlanAt(const Plan& plan, const std::vector<bool>& bound, int part);

  std::deque<Rule> rules_;
  std::map<std::pair<const void*, Kind>, Rule*> rule_of_;
  std::unordered_map<const Plan*, PlanCounts*> plan_of_;
  std::unordered_map<const Step*, Read*> read_of_;
  std::unordered_map<const Plan*, std::vector<ExpectedReads>> expected_of_;  // of the next run
  std::map<std::pair<RelationId, Columns>, std::uint64_t> probes_;
  // By place, since clauses are made anew with each program.
  using PlaceKey = std::array<std::size_t, 4>;  // file, begin, end, branch
  static PlaceKey KeyOf(Span place, std::size_t branch = 0);
  static std::uint64_t At(const std::map<PlaceKey, std::uint64_t>& counts, const PlaceKey& key);
  std::map<PlaceKey, std::uint64_t> branches_;
  std::map<PlaceKey, std::uint64_t> activated_;
  std::map<PlaceKey, std::uint64_t> violated_;
  std::map<RelationId, std::uint64_t> asked_;
  std::array<Duration, kParts + 1> parts_{};
  Part part_ = Part::kElsewhere;
  Clock::time_point entered_ = Clock::now();  // part_
  Clock::time_point lap_;                     // start or last resumption of current_
  Evaluation* current_ = nullptr;
  std::uint64_t round_ = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_PROFILE_H_
