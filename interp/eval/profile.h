// SPDX-License-Identifier: Apache-2.0
//
// What an evaluation did and how long it took, by rule, plan and clause.
//
// Counted where Limits::profile leads here; where it is null nothing is counted and no clock
// is read. Counts are exact, and the same for the same program, facts and answers, with any
// number of threads; times are the machine's. A rule's time is its own: what a demanded call
// takes is counted where it is evaluated.
//
//   Profile ─ rules ─ plans ─ reads        all in the order in which they were met first
//
//   rule    a rule as it is derived, the same as it is demanded, a goal's rule, a constraint
//   plan    all rows, or from the delta of a clause; on demand, by what the caller binds
//   read    one clause of a plan that reads rows: how often, and how many rows in all
//
// Copies what it shows of a program, so it may outlive it. While it is counted into, plans
// and definitions are known by their addresses: Forget when plans die, Clear when rules do.
// One thread.
#ifndef RPL_INTERP_EVAL_PROFILE_H_
#define RPL_INTERP_EVAL_PROFILE_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
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

  /// Where the time of a run goes. kAnswering: texts of answers, and the trace of what they
  /// rest on.
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

  /// How a clause relates to those that are read before it in its plan.
  enum class Link : std::uint8_t {
    kBound,    // by a column with a known value, or none is read before it
    kLater,    // only a clause after it shares an lvar with both
    kPattern,  // by an lvar inside a pattern, which no index finds
    kNothing,  // by nothing: each row meets each row
  };

  static constexpr std::size_t kNamed = 3;
  struct Read {
    std::string clause;  // as written
    Span place;
    RelationId relation = kNoId;
    Columns columns = 0;              // with known values; none: it is read whole
    std::uint64_t times = 0;          // it was read
    std::uint64_t rows = 0;           // that were looked at in all
    Link link = Link::kBound;         // else, where it is read whole:
    std::vector<std::string> before;  // the clauses read before it, the first kNamed of them
    std::size_t more_before = 0;      // and how many more
    std::string lvar;                 // kLater, kPattern: with its mark
    std::string by;                   // kLater, kNothing: the clause that relates them, or ""
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

  /// kProof: the rule is looked through for what a row of the trace rests on.
  enum class Kind : std::uint8_t { kDerived, kDemanded, kGoal, kConstraint, kProof };
  struct Rule {
    Kind kind = Kind::kDerived;
    std::string text;
    Span place;
    std::uint64_t rounds = 0;      // derived: in which it ran
    std::uint64_t runs = 0;        // evaluations: of its plans, or calls
    std::uint64_t rows = 0;        // that it added; constraints: instances
    std::uint64_t duplicates = 0;  // derivations of a row that was there
    Duration time{};
    std::deque<PlanCounts> plans;

   private:
    friend class Profile;
    std::uint64_t last_round_ = 0;
  };

  const std::deque<Rule>& rules() const { return rules_; }
  /// How often the index of a relation on these columns was asked for a key.
  std::uint64_t ProbesOf(RelationId relation, Columns columns) const;
  Duration TimeOf(Part part) const { return parts_[static_cast<std::size_t>(part)]; }

  /// From here on time belongs to `part`.
  void Enter(Part part);
  void Forget();
  void Clear() { *this = Profile(); }

  // --- told by those who evaluate -------------------------------------------------------

  /// One evaluation of a rule or constraint, from here to the end of its life. With a null
  /// profile, nothing.
  class Evaluation {
   public:
    Evaluation(Profile* profile, const Definition& def, Kind kind);
    Evaluation(Profile* profile, const Constraint& constraint);
    ~Evaluation();
    Evaluation(const Evaluation&) = delete;
    /// What came of it.
    void Gave(std::uint64_t rows, std::uint64_t duplicates);

   private:
    friend class Profile;
    void Begin(Rule& rule, const std::vector<std::string>& names);

    Profile* profile_;
    Evaluation* outer_ = nullptr;
    Rule* rule_ = nullptr;
    const std::vector<std::string>* names_ = nullptr;
    PlanCounts* plan_ = nullptr;  // the first that it took
    Duration time_{};
  };

  void BeginRound() { ++round_; }
  /// The evaluation that goes on runs this plan. `bound` are the slots that are known before;
  /// `part` 1 is an activation, or the right side of a constraint.
  void Take(const Plan& plan, const std::vector<bool>& bound, int part = 0);
  /// A step of a plan that was taken was read, once.
  void Count(const Step& step, std::uint64_t rows);
  /// A plan that was taken ran as a join.
  void Count(const Plan& plan, const JoinCounts& counts);
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
  std::map<std::pair<RelationId, Columns>, std::uint64_t> probes_;
  std::array<Duration, kParts + 1> parts_{};
  Part part_ = Part::kElsewhere;
  Clock::time_point entered_ = Clock::now();  // the part
  Clock::time_point lap_;                     // the evaluation that goes on, or goes on again
  Evaluation* current_ = nullptr;
  std::uint64_t round_ = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_PROFILE_H_
