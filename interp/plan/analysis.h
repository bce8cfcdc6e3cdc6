// SPDX-License-Identifier: Apache-2.0
//
// Static analysis of a program: the mode of evaluation of each relation, and the strata.
//
// A relation is *derived* if its rules are range-restricted: bottom-up, to fixpoint, by
// strata (interp/eval/fixpoint.h). It is *tabled* if a rule needs its caller's bindings or
// reaches a goal, a call, an avar or an expansion: then goals and constraints evaluate it
// top-down (interp/eval/solver.h). It can be both: a rule over `$ask("Q")` is derived from the
// replies so far, and tabled so that the call is made.
//
// A recursive relation whose rules make ever larger values (interp/plan/growth.h) is tabled, too,
// though it could be derived, if all its readers bind the argument that shrinks in its calls.
//
// A rule is derived only if every rule of every relation that it reads is derived; otherwise it
// would read part of a relation. A relation with rules of both kinds is tabled, and so are its
// readers; the solver runs all of its rules.
//
// A relation whose rules count has *keys*: arguments that range over the groups of the count unless
// they are bound (Catalog::KeysOf). Its rows are those for the groups. A rule that binds a key
// demands the answers of a table instead, and needs all that these rest on complete; if they rest
// on its own relation, it is tabled.
//
// Strata: a relation is in a higher stratum than those it negates, counts, aggregates or chooses
// from, and in no lower one than any it reads. Recursion through negation, counts, aggregates or
// choices has no answer (decision 40): its relations are `broken`, empty, and reported; their
// readers are tabled, and fail when they use them.
//
// A relation with `std#least` or `std#greatest` in its heads may be recursive as far as its values
// are used monotonically (interp/plan/extrema.h); else it is broken as well if it is derived, and
// if it is tabled, calls that rest on themselves fail.
//
// Remade, with all plans, when the program changes; extended where it got rules that change nothing
// about the others.
#ifndef RPL_INTERP_PLAN_ANALYSIS_H_
#define RPL_INTERP_PLAN_ANALYSIS_H_

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/plan/atom_order.h"
#include "interp/plan/extrema.h"
#include "interp/plan/growth.h"
#include "interp/plan/heading_use.h"
#include "interp/plan/plan.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {

/// One rule of a stratum with its plans.
struct DerivedRule {
  /// The plans of one task, by the order of their clauses; empty: as written, from the delta on.
  struct Plans {
    std::map<std::vector<std::size_t>, std::unique_ptr<Plan>> by_order;
    /// By the magnitude of the delta: the plan that was chosen, and the sizes of the relations
    /// then.
    struct Chosen {
      const Plan* plan = nullptr;
      /// Of its steps: the first as a whole, the others for an outer row. Empty if it was not
      /// tried.
      std::vector<ExpectedReads> expected;
      SizesSeen seen;
      bool ran = false;  // since it was chosen
      /// Plans that took far more than expected: how many probes and rows for an outer row.
      std::map<const Plan*, double> overrun;
    };
    std::map<int, Chosen> chosen;
  };

  const Definition* def;
  std::vector<const Clause*> clauses;
  Plans full;
  /// A positive atom, with the plans that read its delta.
  struct Delta {
    RelationId relation;
    int position;  // of its atom among the clauses
    Plans plans;   // made on first use
  };
  std::vector<Delta> deltas;
  /// Keeps the order of its clauses, and derives all its rows again when they may be others: so the
  /// order of its rows is that of nested loops over the present ones (Analysis::SetPlaces).
  bool as_written = false;
  /// Its rows come from the classes of its relation (Stratum::Equivalence).
  bool of_equivalence = false;
  /// What its plans from deltas are expected to take in this round, in probes and rows.
  double cost = 0;
  /// The same when no intermediate was worth it (interp/plan/intermediate.h).
  double declined = 0;
  /// Needs complete inputs: aggregates, chooses, checks, negates or counts.
  bool whole = false;
  /// Demands answers of relations of lower strata, whose group keys it binds (Catalog::KeysOf).
  bool demands = false;
  std::vector<RelationId> reads;
  std::vector<RelationId> whole_reads;  // those that it needs complete

  /// Forgets which plans were chosen by sizes of relations, and what they took.
  void ForgetChoices() {
    full.chosen.clear();
    for (Delta& delta : deltas) delta.plans.chosen.clear();
    cost = declined = 0;
  }
};

/// Why a relation in a cycle through negation has no answer (decision 40), after its name.
inline constexpr const char* kNeedsItself =
    "needs itself to be complete: it is recursive through `not`, a count, `^ ?m`, a choice or a "
    "gathering head";

struct Stratum {
  std::vector<RelationId> relations;
  std::vector<DerivedRule> rules;
  /// Two rules that declare their relation an equivalence.
  struct Equivalence {
    const Definition* symmetric = nullptr;
    const Definition* transitive = nullptr;
  };
  std::vector<Equivalence> equivalences;
};

class Analysis : public Catalog {
 public:
  /// Rules, by number, that somebody else evaluates, so that they are none here; and rules that are
  /// evaluated as written. From the next Make on.
  void SetPlaces(std::set<int> elsewhere, std::set<int> as_written) {
    elsewhere_ = std::move(elsewhere);
    as_written_ = std::move(as_written);
  }
  const std::set<int>& elsewhere() const { return elsewhere_; }
  /// Notes that rows of these relations may be absent because a clause is undefined (decision 93).
  /// From the next Make on, who needs them complete finds out, for the rows that it asks for, from
  /// their tables. False if all were known.
  bool AddPartial(const std::set<RelationId>& relations) {
    const std::size_t before = partial_.size();
    partial_.insert(relations.begin(), relations.end());
    return partial_.size() > before;
  }
  /// Notes that the query, which is no part of the program, reads what it mentions. If it leaves
  /// open what a relation that is answered from its callers needs, that relation is derived from
  /// the next Make on, and the result is true.
  bool AddReader(const Definition& query);
  /// Whether some relation is answered from its callers only because all its readers bind enough.
  bool DependsOnReaders() const {
    return std::ranges::any_of(growing_, [](const Growing& g) { return g.from_callers; });
  }
  /// Analyses the program. O(rules). Reads the store, whose rows and relations others may read
  /// meanwhile; keeps a pointer to it and to the program.
  void Make(const Program& program, const Store& store);
  /// The same for a program that only got more rules since, if these are derived and change nothing
  /// of what is known of the others: their heads are new relations, or such as nothing else reads.
  /// Strata stay where they are, with their plans; others may follow, and one may get rules. What
  /// results is what Make gives. O(new rules). False, and all must be made, if that is not so.
  /// REQUIRES: made, nothing was noted since, and no constraint joined the program if it
  /// DependsOnReaders.
  bool Extend();

  Access AccessOf(RelationId relation, Mode mode) const override;
  const ModeSet& ModesOf(RelationId relation) const override;
  Columns KeysOf(RelationId relation) const override { return At(store_->BaseOf(relation)).keys; }
  const ModeSet& FiniteModesOf(RelationId relation) const override;
  Columns LooseOf(RelationId relation, Columns without) const override;
  bool HasInputFreeRows(RelationId relation, Columns known) const override;
  /// The plan of a rule for its input-free rows. `bound`: the slots that the caller binds.
  std::unique_ptr<Plan> InputFreePlan(const Definition& def, const std::vector<bool>& bound,
                                      Planner& planner) const;
  /// Declares relations of which rows are to come, for HasInputFreeRows: a program that is only
  /// checked has no facts in its store.
  void ExpectRows(std::set<RelationId> relations) { expected_ = std::move(relations); }
  /// Whether a relation that had no stored rows when HasInputFreeRows was asked has some now, so
  /// that all must be made again.
  bool GotFirstRows() const {
    return std::ranges::any_of(without_rows_, [&](RelationId r) { return !store_->at(r).empty(); });
  }
  /// What of a rule gives candidates without some arguments (loose.cc).
  struct Loose {
    std::vector<const Clause*> clauses;
    std::vector<std::pair<const Clause*, Columns>> calls;  // with what they give loosely
    std::vector<bool> bound;                               // slots
  };
  Loose LooseIn(const Definition& def, Columns without) const;
  bool ReachesOutside(const Clause& clause) const override;
  bool Acts(const Step& step) const override;
  bool RestOnEachOther(RelationId a, RelationId b) const override {
    return a == b || (At(a).circle >= 0 && At(a).circle == At(b).circle);
  }
  bool GuardsItself(const Definition& def) const override {
    return program_->Has(def) && guards_itself_[static_cast<std::size_t>(def.number)];
  }
  /// The clauses of a rule without its guards.
  std::vector<const Clause*> WithoutGuards(const Definition& def) const;

  /// Whether evaluating the rule for a caller that binds nothing may ask, call or show something,
  /// directly or through the relations that it reads. REQUIRES: a rule of the program.
  bool Acts(const Definition& def) const { return Acts(def, 0); }
  /// The same for a caller that binds these arguments.
  bool Acts(const Definition& def, Columns known) const {
    return IsActing(quiet_[static_cast<std::size_t>(def.number)], known);
  }
  /// Whether some rule of the relation or goal has a constraint of its own.
  bool HasChecked(RelationId relation) const { return At(relation).checked; }
  /// The arguments that nothing in the rule binds, so that its caller gives them or is asked, and
  /// those that range over groups unless it gives them.
  Columns InputsOf(const Definition& def) const {
    const Quiet& quiet = quiet_[static_cast<std::size_t>(def.number)];
    return At(def.head).modes.AnyOf() | keys_[static_cast<std::size_t>(def.number)] |
           (quiet ? quiet->AnyOf() : 0);
  }
  /// Whether evaluating the relation or goal may reach a goal, ask, call or show something.
  bool Acts(RelationId relation) const {
    const Info& info = At(relation);
    return info.outside || IsActing(info.quiet, 0) ||
           store_->at(relation).space() != Space::kRelation;
  }
  /// Of a rule with tables, the arguments that may be sets, which have instances (§7): what the
  /// caller knows of them is compared with the instances. Of a rule that asks or calls, those that
  /// come from a reply alone, since what is asked may depend on the others.
  Columns MayGiveSets(const Definition& def) const {
    return program_->Has(def) ? gives_sets_[static_cast<std::size_t>(def.number)] : 0;
  }
  /// Changes with every Make and Extend.
  std::uint64_t version() const { return version_; }

  /// Whether some rule of a goal or relation can hold before any of those that rest on it does:
  /// else they are circular (decision 40).
  bool IsFounded(RelationId relation) const { return At(relation).founded; }
  /// Whether more rows can only give it more answers.
  bool IsMonotone(RelationId relation) const { return At(relation).monotone; }
  bool IsTabled(RelationId relation) const { return At(relation).demanded; }
  bool IsBroken(RelationId relation) const { return At(relation).broken; }
  /// Why, in words that go on after the relation's name.
  const std::string& WhyBroken(RelationId relation) const { return At(relation).why_broken; }
  const std::optional<Extremum>& ExtremumOf(RelationId relation) const {
    return At(relation).extremum;
  }
  /// Whether calls of a relation with an extremum may follow from calls of it: it is recursive, and
  /// tabled.
  bool CallsItself(RelationId relation) const { return At(relation).calls_itself; }
  /// Of such a relation, which use of a value that may still get better forbids that a call rests
  /// on itself; "" if none does.
  const std::string& ExactUseOf(RelationId relation) const { return At(relation).exact_use; }
  /// What makes relations with an extremum broken, once for each component.
  struct BadExtremum {
    RelationId relation;
    Code code;
    Span span;
    std::string what, hint;
  };
  const std::vector<BadExtremum>& bad_extrema() const { return bad_extrema_; }
  /// A recursion that makes a larger value of each row, and is derived all the same.
  struct Endless {
    RelationId relation;
    Span span;           // of the clause that makes the value, or of the rule
    std::string clause;  // its text, or ""
    ModeSet modes;       // what callers would have to bind; nothing: it would not help
    Span reader;         // of the first who does not, if there is one
    std::string reader_text;
  };
  const std::vector<Endless>& endless() const { return endless_; }
  bool IsDerived(RelationId relation) const { return At(relation).derived; }
  const std::vector<int>& RulesOf(RelationId relation) const { return At(relation).rules; }

  /// The plan of the rule with its clauses in that order; `plans` are those of `delta`, a position
  /// or -1. Made on first use, valid until the next Make.
  const Plan& PlanFor(const DerivedRule& rule, DerivedRule::Plans& plans, int delta,
                      const std::vector<std::size_t>& order) const;

  /// From now on the rules of a derived relation give only rows with this value, until the next
  /// Make. REQUIRES: each row of it follows from such rows, and nothing reads any other
  /// (interp/plan/query_needs.h).
  void Select(RelationId relation, std::size_t column, Value value);
  /// Whether its rows are kept as classes.
  bool IsEquivalence(RelationId relation) const {
    return std::ranges::any_of(strata_, [&](const Stratum& stratum) {
      return std::ranges::any_of(stratum.equivalences, [&](const Stratum::Equivalence& one) {
        return one.transitive->head == relation;
      });
    });
  }

  std::vector<Stratum>& strata() { return strata_; }
  /// Rules whose head is an expansion; they run after the strata.
  std::vector<DerivedRule>& expanding() { return expanding_; }
  /// One line per cycle through negation, naming its relations.
  const std::vector<std::string>& cycles() const { return cycles_; }
  /// What the program does with the answers to a collected heading.
  const HeadingUse& UseOf(RelationId heading) const override {
    static const HeadingUse kUnused;
    const auto at = headings_.find(heading);
    return at == headings_.end() ? kUnused : at->second;
  }

 private:
  /// The arguments that a caller must bind so that nothing is asked, called or shown: a heading
  /// asks only for what nothing binds. Null: whatever is bound, something is.
  using Quiet = std::optional<ModeSet>;
  static bool IsActing(const Quiet& quiet, Columns known) { return !quiet || !quiet->Meets(known); }
  struct Info {
    std::vector<int> rules;  // numbers of definitions
    bool demanded = false;
    bool outside = false;     // reaches a goal, a call or an avar
    bool partial = false;     // rows may be absent, see AddPartial
    Quiet quiet = ModeSet();  // of all its rules
    bool derived = false;     // some rule can run bottom-up
    bool collected = false;
    bool built_in = false;
    bool checked = false;  // some rule IsChecked
    bool broken = false;
    std::string why_broken;
    std::optional<Extremum> extremum;
    bool calls_itself = false;  // with an extremum, recursive and tabled
    std::string exact_use;
    bool monotone = true;
    bool founded = true;
    ModeSet modes;                  // of all its rules
    Columns keys = 0;               // of all its rules, see KeysOf
    ModeSet finite;                 // see FiniteModesOf
    std::set<std::size_t> growing;  // of the Growing that `finite` is for
    bool from_callers = false;      // one of a Growing, and tabled for that reason
    int component = -1;             // of the graph of derived relations: its stratum
    int circle = -1;                // of the graph of all that rules mention
  };
  const Info& At(RelationId r) const { return r < info_.size() ? info_[r] : nothing_; }
  /// What a rule needs of its caller, as far as the needs of what it calls are known.
  struct Needs {
    ModeSet modes, finite;
    Columns keys = 0;               // see KeysOf
    std::set<std::size_t> growing;  // what it leaves open of these, if its caller binds nothing
    std::set<std::size_t> always;   // and of these, also whatever the caller binds
    Quiet quiet = ModeSet();
    bool asks = false;   // for what no clause binds, if the caller binds nothing
    bool stuck = false;  // in some branch, whatever the caller binds
    friend bool operator==(const Needs&, const Needs&) = default;
  };
  Needs NeedsOf(const Definition& def, Planner& planner) const;
  Loose LooseIn(const Definition& def, Columns without, std::vector<RelationId>& within) const;
  Columns LooseOf(RelationId relation, Columns without, std::vector<RelationId>& within) const;
  /// A component of derived relations in which values may grow.
  struct Growing {
    std::vector<RelationId> relations;
    std::map<RelationId, ModeSet> modes;  // with which calls of them come to an end; empty: with
                                          // none
    std::optional<Endless> endless;
    bool from_callers = false;
  };
  bool MayAct(const Clauses& clauses) const;
  bool UsesDemand(const Clauses& clauses, bool* outside) const;
  void TakeRules(std::size_t first);
  void SpreadPartial();
  bool HasActingBranch(const Clause& clause) const;
  bool IsFoundedIn(const Clauses& clauses, int circle) const;
  void MarkFounded(std::size_t first);
  void MarkMonotone(std::size_t first);
  void FindGuards(const std::deque<Definition>& definitions);
  void MakeCircles(RelationId first, std::size_t first_rule);
  /// A rule that can be derived, as far as its own clauses are concerned.
  struct Candidate {
    const Definition* def;
    std::set<RelationId> reads, wholes;
    std::vector<std::vector<const Clause*>> alternatives;
    std::vector<std::unique_ptr<Plan>> plans;  // one for each alternative
    bool demands = false;                      // see DerivedRule
    bool ok = true;
  };
  bool TakeDemands(Candidate& c);
  void AddRests(RelationId keyed, std::set<RelationId>& out) const;
  class Halves;
  class Readers;
  class TabledCircles;
  using Edges = std::vector<std::vector<std::pair<RelationId, bool>>>;  // target, needed complete
  std::vector<const Clause*> Distributed(const std::vector<const Clause*>& clauses);
  std::optional<Candidate> CandidateOf(const Definition& def, Planner& planner);
  void MarkBroken(const Edges& edges, const std::vector<std::vector<RelationId>>& components,
                  const Store& store);
  void MarkNotMonotone(const std::vector<Candidate>& candidates,
                       const std::vector<std::vector<RelationId>>& components, const Store& store);
  bool IsRecursive(RelationId relation) const;
  void MarkCalled(const Program& program, const Store& store);
  void MakeOnce(const Program& program, const Store& store);
  void FindGrowing(const std::vector<Candidate>& candidates,
                   const std::vector<std::vector<RelationId>>& components, const Store& store);
  void FindFiniteModes(Growing& growing, const Growth& growth, std::span<const Growth::Rule> rules);
  void AnswerFromCallers(const Program& program, const Store& store);
  void MakeRules(std::vector<Candidate>& candidates, const Store& store);
  void FindEquivalences(std::size_t first);
  bool RecursionMakesValues(const Stratum& stratum) const;
  bool NeedsNothing(const Definition& def, RelationId first, Planner& planner) const;
  bool JoinsAlone(const Definition& def, RelationId first) const;
  bool AddStrata(std::vector<Candidate>& candidates, RelationId first);
  void MakeStrata(const Program& program, const Store& store);

  std::uint64_t version_ = 0;
  std::set<int> elsewhere_, as_written_;
  std::set<RelationId> partial_;
  std::set<RelationId> read_whole_;  // by queries, see AddReader
  std::deque<Clause> distributed_;   // instances, see Distributed
  const Program* program_ = nullptr;
  const Store* store_ = nullptr;
  std::vector<Info> info_;
  std::vector<std::vector<RelationId>> mentions_;       // by definition
  std::vector<std::vector<std::size_t>> mentioned_by_;  // definitions, by relation
  int circles_ = 0;                                     // each points to others before it
  std::deque<Clause> selections_;                       // of Select
  std::vector<Growing> growing_;
  bool growing_known_ = false;
  bool making_ = false;  // it is not known yet what the rules need
  enum class InputFree : std::uint8_t { kAsked, kNo, kYes };
  mutable std::map<std::pair<RelationId, Columns>, InputFree> input_free_;  // HasInputFreeRows
  mutable std::set<RelationId> without_rows_;                               // see GotFirstRows
  std::set<RelationId> expected_;                                           // see ExpectRows
  std::vector<Endless> endless_;
  std::map<int, Needs> open_rules_;  // by number: those that leave open what a Growing needs
  std::vector<bool> asks_;           // definitions that ask for a slot that no clause binds
  std::vector<bool> guards_itself_;  // by definition
  std::vector<Quiet> quiet_;         // by definition
  std::vector<Columns> keys_;        // by definition, see KeysOf
  std::vector<Columns> gives_sets_;  // by definition, see MayGiveSets
  Info nothing_;
  std::vector<Stratum> strata_;
  std::vector<DerivedRule> expanding_;
  std::vector<std::string> cycles_;
  std::vector<BadExtremum> bad_extrema_;
  std::unordered_map<RelationId, HeadingUse> headings_;
  std::unique_ptr<Planner> deriving_;  // makes the plans of derived rules
};

/// All clauses of a definition in evaluation order: activation, then body.
std::vector<const Clause*> ClausesOf(const Definition& def);

/// The tail in disjunctive normal form, left branches first. Where that would be too long, the tail
/// as it is: the planner repeats what comes after each alternative, and has a limit of its own.
std::vector<std::vector<const Clause*>> AlternativesOf(const std::vector<const Clause*>& clauses);

/// The same `clauses` after those that match what a caller gives: TextArguments whose slot is
/// bound.
std::vector<const Clause*> WithTexts(const Definition& def, const std::vector<bool>& bound,
                                     std::vector<const Clause*> clauses);

/// Whether the plan cannot be completed, or calls a relation without what its rules need.
bool HasStuck(const Plan& plan);

/// Appends the relations and goals that clauses mention, at any depth.
void Mentions(const Clauses& clauses, const Store& store, std::vector<RelationId>& out);

/// Whether the rule has a constraint of its own (decision 41).
bool IsChecked(const Definition& def);
/// Whether the rule has @choose or @distinct (decision 68).
bool Chooses(const Definition& def);

/// The arguments that a caller may give to the rule: all but those that it gathers or chooses.
Columns MayBeGiven(const Definition& def);

/// Per slot: whether the head mentions it.
std::vector<bool> HeadSlots(const Definition& def);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_ANALYSIS_H_
