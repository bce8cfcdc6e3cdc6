// SPDX-License-Identifier: Apache-2.0
//
// Quiescence: derivation of relations to fixpoint (§18.3 phases 3 and 7), semi-naive.
//
// Strata are taken in order. A *round* runs every rule of a stratum once; the rows it
// adds are new in the next round only. A row is pending while the round that derives it
// runs, new in the round after, then known. A stratum is quiet when a round adds nothing.
//
// Incremental: a stratum remembers how many rows it has seen of each relation that it reads.
// If those only grew, its rules start from the new rows alone. If rows are gone, it deletes the
// rows that rest on them and rederives those with another proof (interp/plan/withdrawal.h): the
// rows that stay keep their order, and the rederived ones come last. Where that is not possible,
// where it concerns a large part of the rows, and if a relation changed that a rule needs complete
// (negation, counts, aggregate heads, choices, checks), the stratum's derived rows are dropped and
// derived again. A small stratum is left as it is if all that it reads comes out as it was, and it
// has added no rows since it was derived as a whole: it would have the same rows in the same order.
//
// A rule of three atoms or more may be split, while its stratum is derived, into one that derives
// an intermediate and one that goes on from it (interp/plan/intermediate.h). It stays so until all
// is derived anew.
//
// Of a relation with an extremum, the rows that better ones followed go when the stratum is quiet
// (interp/eval/best_rows.h); if there are any, it counts as rebuilt.
//
// When a limit is reached, derived rows stay and the stop is reported (decision 78), except those
// of a relation with an extremum, since better ones may be missing.
#ifndef RPL_INTERP_EVAL_FIXPOINT_H_
#define RPL_INTERP_EVAL_FIXPOINT_H_

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
#include "interp/eval/plan_choice.h"
#include "interp/plan/analysis.h"
#include "interp/plan/intermediate.h"
#include "interp/plan/withdrawal.h"
#include "interp/store/classes.h"

namespace rpl {

class Solver;

class Fixpoint {
 public:
  Fixpoint(Store& store, Analysis& analysis, Solver& solver, const Limits& limits);

  /// Makes the next Quiesce derive everything again. REQUIRED after every Analysis::Make.
  void Reset();
  /// Makes the next Quiesce derive again each stratum that would have other rows, or another order,
  /// if it derived everything. REQUIRED after every Analysis::Extend.
  void Extend();

  /// Derives no other relations than these from now on, until Reset.
  void DeriveOnly(std::set<RelationId> needed) { needed_ = std::move(needed); }

  /// Derives to fixpoint. Returns kGoesOn, or the limit that stopped it: then rows may be
  /// missing, and rows of higher strata that rest on their absence have been dropped.
  Stop Quiesce();

  /// Current violations of constraints within rules (§10, decision 41).
  std::vector<Violation> Violations() const;
  /// Indexes into Analysis::strata of the strata that the last Quiesce derived: those that changes
  /// reach.
  const std::vector<std::size_t>& derived() const { return derived_; }
  /// The number of times that only the rows resting on removed ones were taken back.
  std::size_t withdrawals() const { return withdrawals_; }
  /// Rounds of the stratum derived last.
  std::size_t rounds() const { return rounds_; }
  /// The rule that was growing when a limit was reached, as text.
  const std::string& stopped_at() const { return stopped_at_; }
  /// Its relation; kNoId if its head is an expansion.
  RelationId growing() const { return growing_; }
  /// Values that #?h heads took and that cannot be heads (§5.7).
  const std::vector<BadHead>& bad_heads() const { return bad_heads_; }

 private:
  struct Seen {
    RowId size = 0;
    std::uint32_t epoch = 0;
  };
  using Splits = std::map<const DerivedRule*, std::unique_ptr<SplitRule>>;
  struct Memory {
    bool fresh = true;
    bool whole = false;     // its last run derived all of its rows
    std::size_t runs = 0;   // since it was fresh
    std::size_t rules = 0;  // of the stratum, when it was derived
    std::vector<std::pair<RelationId, Seen>> seen;
    std::vector<Violation> violations;
    Splits splits;
    std::optional<bool> may_withdraw;        // whether Withdrawal::IsFor it, once that was asked
    std::unique_ptr<Withdrawal> withdrawal;  // made on first use
    Value now = kNone;                       // of its rows, if its rules read the clock

    bool IsOfAnotherTime(Value time) const { return now != kNone && now != time; }
    bool MeetsSets(const Store& store) const;
  };
  /// The relations that the rules of a stratum read, and what they do in the next round.
  struct Round {
    bool full;       // all rules run over all rows
    bool may_split;  // those of an extremum rest on rows that go
    std::vector<RelationId> reads = {};
    /// By relation of these: the numbers of the rules that read it, ascending.
    std::unordered_map<RelationId, std::vector<std::size_t>> readers = {};
    std::vector<RelationId> grew = {};  // of these, in the round before
    std::size_t rule = 0;               // the number of the one at hand
    std::vector<Derivation> work = {};

    void AddReads(const DerivedRule& of, const Splits& splits);
    std::vector<std::size_t> Rules(const Stratum& stratum) const;
  };

  Stop QuiesceStratum(Stratum& stratum, Memory& memory);
  bool ComesAgain(const Stratum& stratum, Memory& memory);
  bool StillExpanded() const;
  bool Changed(const Memory& memory, const Stratum& stratum, bool* rebuilt) const;
  bool Renew(Stratum& stratum, Memory& memory);
  void FindGrown(const Stratum& stratum, Round& round);
  Stop AddWork(DerivedRule& rule, Memory& memory, Round& round);
  Stop Split(const DerivedRule& rule, const Intermediate& intermediate, Memory& memory,
             Round& round);
  void DropIntermediate(RelationId relation);
  void DropSplits(Memory& memory);
  /// Rows that a relation had and has no more.
  struct Gone {
    RelationId relation;
    Seen seen;                 // of what is left
    std::vector<Value> cells;  // of those, row by row
  };
  std::optional<std::vector<Gone>> GoneSince(const Stratum& stratum, const Memory& memory) const;
  std::optional<Stop> TakeBack(Stratum& stratum, Memory& memory);
  std::optional<Stop> Doubt(const std::vector<Gone>& gone, Memory& memory, std::size_t most);
  Stop Restore(const std::vector<Gone>& gone, const std::set<RelationId>& all, Memory& memory);
  Stop RunEach(std::deque<Withdrawal::Run>& runs, Memory& memory);
  RelationId NewIntermediate(const std::string& name, std::uint32_t arity);
  void Drop(const Stratum& stratum);
  void Forget(Memory& memory);
  void KeepBest(const Stratum& stratum);
  void DropBeaten(const Stratum& stratum);
  bool HasExtremum(const Stratum& stratum) const;
  bool UsesClasses(RelationId relation) const;
  bool CloseClasses(const Stratum& stratum);
  void DropResting(std::set<RelationId> unsettled, std::size_t from);
  Stop StopExpanding(Stop why);
  void StopAt(const Definition& rule);
  const Definition& Growing(const Stratum& stratum) const;
  /// Adds the violations of constraints within the rules.
  Stop Derive(std::span<const Derivation> work, std::vector<Violation>& violations);

  Store& store_;
  Analysis& analysis_;
  Solver& solver_;
  const Limits& limits_;
  PlanChoice choice_;
  std::optional<std::set<RelationId>> needed_;  // nullopt: all
  std::vector<Memory> memory_;
  bool extended_ = false;                                   // until a Quiesce has passed all strata
  std::vector<RelationId> unused_;                          // intermediates
  std::map<RelationId, std::shared_ptr<Classes>> classes_;  // of equivalences
  std::map<RelationId, Seen> expanded_;                     // what rules with #?h heads have read
  Value expanded_now_ = kNone;          // the time that they have read, if they read it
  std::vector<Violation> in_expanded_;  // violations of constraints within these
  std::vector<Marks> marks_;            // by relation
  std::vector<std::size_t> derived_;
  std::size_t withdrawals_ = 0;
  std::size_t rounds_ = 0;
  std::string stopped_at_;
  RelationId growing_ = kNoId;
  std::vector<BadHead> bad_heads_;
  /// Relations that were derived again, or would have been, and have the rows that they had, in
  /// that order; with their epochs before. Since the last pass over the strata began.
  std::map<RelationId, std::uint32_t> again_;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_FIXPOINT_H_
