// SPDX-License-Identifier: Apache-2.0
//
// The path of a row, for t(?x, ?z) <- t(?x, ?y), e(?y, ?z) with t = {ab}, e = {bc, cd}:
//
//   round 1  all t × all e        ab·bc → ac                    t = {ab | ac}
//   round 2  delta t × all e      ac·cd → ad                    t = {ab ac | ad}
//   round 3  delta t × all e      ad·?  → nothing: quiet
//
// The bar is old_end: rows before it are known, rows from it on are the delta. With
// several atoms of the same stratum, the plan that starts from the delta of atom i reads
// old rows at the atoms before i, so that no combination of rows is joined twice.
#include "interp/eval/fixpoint.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "interp/eval/former_rows.h"
#include "interp/eval/machine.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver.h"

namespace rpl {
namespace {

// Whether a rule of the stratum is derived again when this relation has changed.
bool NeedsWhole(const Stratum& stratum, RelationId relation) {
  return std::ranges::any_of(stratum.rules, [&](const DerivedRule& rule) {
    return rule.as_written ||
           std::ranges::find(rule.whole_reads, relation) != rule.whole_reads.end();
  });
}

// Whether a clause, or one within it, reads the time of the timestep.
bool ReadsTime(const Clause& clause) {
  bool reads = false;
  ForEachPart(
      clause, [&](PartUse, const Expr& e) { reads = reads || ReadsClock(e); },
      [&](Sense, const Clauses& body) { reads = reads || std::ranges::any_of(body, ReadsTime); });
  return reads;
}

bool ReadTheTime(const std::vector<DerivedRule>& rules) {
  return std::ranges::any_of(rules, [](const DerivedRule& rule) {
    return std::ranges::any_of(rule.clauses, [](const Clause* c) { return ReadsTime(*c); });
  });
}

}  // namespace

Fixpoint::Fixpoint(Store& store, Analysis& analysis, Solver& solver, const Limits& limits)
    : store_(store),
      analysis_(analysis),
      solver_(solver),
      limits_(limits),
      choice_(store, analysis, limits, solver.machine().within_limits) {}

void Fixpoint::Reset() {
  // Also those of relations that were derived under the rules before and are tabled now, and those
  // of rules that are gone. What is derived of a goal is the record of its truth.
  for (RelationId r = 0; r < store_.size(); ++r)
    if (store_.at(r).space() != Space::kGoal) store_.at(r).DropDerived();
  needed_.reset();
  extended_ = false;
  for (Memory& memory : memory_) Forget(memory);
  memory_.resize(analysis_.strata().size());
  classes_.clear();
  expanded_.clear();
  expanded_now_ = kNone;
  in_expanded_.clear();
  solver_.machine().undefined.clear();
  solver_.machine().unfed.clear();
  solver_.machine().ForgetBest();
  choice_.Forget();
  bad_heads_.clear();
}

void Fixpoint::Extend() { extended_ = true; }

// False if the rows of a stratum are what it would be derived to now, in the same order; else it is
// forgotten.
bool Fixpoint::Renew(Stratum& stratum, Memory& memory) {
  bool rebuilt = false;
  if (memory.runs == 1 && memory.rules == stratum.rules.size() &&
      !memory.IsOfAnotherTime(solver_.machine().given.now) && !Changed(memory, stratum, &rebuilt))
    return false;
  Drop(stratum);
  Forget(memory);
  for (const RelationId r : stratum.relations) classes_.erase(r);
  for (DerivedRule& rule : stratum.rules) rule.ForgetChoices();
  return true;
}

void Fixpoint::Drop(const Stratum& stratum) {
  for (RelationId r : stratum.relations) {
    store_.at(r).DropDerived();
    if (const RelationId whole = store_.WholeIfAny(r); whole != kNoId)
      store_.at(whole).DropDerived();
  }
}

// Forgets what is known of a stratum, and drops its intermediates.
void Fixpoint::Forget(Memory& memory) {
  DropSplits(memory);
  if (memory.withdrawal != nullptr)
    for (const auto& [relation, doubt] : memory.withdrawal->doubts()) DropIntermediate(doubt);
  memory = Memory{};
}

void Fixpoint::DropSplits(Memory& memory) {
  for (const auto& [rule, split] : memory.splits) {
    const RelationId relation = split->definition.head;
    DropIntermediate(relation);
    std::erase_if(memory.seen, [&](const auto& seen) { return seen.first == relation; });
  }
  memory.splits.clear();
}

// Called before its rules are destroyed, since a profile knows their plans by address.
void Fixpoint::DropIntermediate(RelationId relation) {
  store_.at(relation).DropDerived();
  unused_.push_back(relation);
  if (limits_.profile != nullptr) limits_.profile->Forget();
}

bool Fixpoint::HasExtremum(const Stratum& stratum) const {
  return std::ranges::any_of(stratum.relations, [&](RelationId r) {
    return analysis_.ExtremumOf(r) && !analysis_.IsBroken(r);
  });
}

// Sets in an equivalence have instances (§7), which joins and classes leave to the rules.
bool Fixpoint::UsesClasses(RelationId relation) const {
  return store_.WholeIfAny(relation) == kNoId;
}

// Adds what follows from the rows that joined equivalences; false when a limit stopped it.
bool Fixpoint::CloseClasses(const Stratum& stratum) {
  for (const Stratum::Equivalence& equivalence : stratum.equivalences) {
    const RelationId relation = equivalence.transitive->head;
    if (!UsesClasses(relation)) continue;
    const Relation& rel = store_.at(relation);
    std::shared_ptr<Classes>& classes = classes_[relation];
    if (classes == nullptr) classes = std::make_shared<Classes>();
    if (!classes->HasNew(rel.size(), rel.epoch())) continue;
    if (const Definition* const stopped_at = solver_.Close(equivalence, classes)) {
      StopAt(*stopped_at);
      return false;
    }
  }
  return true;
}

void Fixpoint::KeepBest(const Stratum& stratum) {
  for (const RelationId r : stratum.relations)
    if (const std::optional<Extremum>& extremum = analysis_.ExtremumOf(r))
      solver_.machine().KeepBest(r, *extremum).Sync();
}

void Fixpoint::DropBeaten(const Stratum& stratum) {
  for (const RelationId r : stratum.relations) {
    BestRows* const best = solver_.machine().BestOf(r);
    if (best == nullptr || !best->HasBeaten()) continue;
    Relation& rel = store_.at(r);
    rel.Rebuild([&](RowId row) { return rel.asserted(row) || !best->IsBeaten(row); });
    if (const RelationId whole = store_.WholeIfAny(r); whole != kNoId) {
      Relation& companion = store_.at(whole);
      companion.Rebuild([&](RowId row) {
        return companion.asserted(row) || rel.Find(companion.Cells(row)) != kNoId;
      });
    }
    best->Sync();
    best->Settle();
  }
}

// Whether a stratum that is to be derived again, as relations that it reads were, would have the
// rows that it has, in the same order: those are as they were, and it has derived nothing since it
// derived all of its rows.
bool Fixpoint::ComesAgain(const Stratum& stratum, Memory& memory) {
  if (again_.empty() || memory.fresh || !memory.whole || !memory.splits.empty()) return false;
  std::size_t rows = 0;
  for (const RelationId r : stratum.relations) rows += store_.at(r).size();
  if (rows >= limits_.min_withdrawn) return false;
  bool again = false;
  for (const auto& [r, seen] : memory.seen) {
    const auto at = again_.find(r);
    again = again || at != again_.end();
    const std::uint32_t epoch = at == again_.end() ? store_.at(r).epoch() : at->second;
    if (seen.epoch != epoch || seen.size != store_.at(r).size()) return false;
  }
  if (!again) return false;
  for (auto& [r, seen] : memory.seen) seen.epoch = store_.at(r).epoch();
  for (const RelationId r : stratum.relations) again_.emplace(r, store_.at(r).epoch());
  return true;
}

// Whether a relation that the stratum reads or derives differs from its recorded state. Sets
// `rebuilt` if the difference is more than a delta to start from.
bool Fixpoint::Changed(const Memory& memory, const Stratum& stratum, bool* rebuilt) const {
  bool changed = memory.fresh;
  *rebuilt = memory.fresh;
  for (const auto& [r, seen] : memory.seen) {
    const Relation& rel = store_.at(r);
    if (rel.epoch() != seen.epoch || again_.contains(r)) changed = *rebuilt = true;
    if (rel.size() == seen.size) continue;
    changed = true;
    *rebuilt = *rebuilt || NeedsWhole(stratum, r);
  }
  return changed;
}

// Blames the author's rule for one that was made of it.
void Fixpoint::StopAt(const Definition& rule) {
  for (const Memory& memory : memory_) {
    for (const auto& [whole, split] : memory.splits)
      if (&split->definition == &rule) return StopAt(*whole->def);
    if (memory.withdrawal == nullptr) continue;
    if (const Definition* const written = memory.withdrawal->WrittenAs(&rule))
      return StopAt(*written);
  }
  stopped_at_ = rule.text;
  growing_ = rule.head;
}

// A rule whose relation had new rows in the last round, from new rows of the round before.
const Definition& Fixpoint::Growing(const Stratum& stratum) const {
  const auto grew = [&](RelationId r) { return marks_[r].old_end < marks_[r].end; };
  for (const DerivedRule& rule : stratum.rules)
    if (grew(rule.def->head) &&
        std::ranges::any_of(rule.deltas, [&](const auto& delta) { return grew(delta.relation); }))
      return *rule.def;
  return *stratum.rules.front().def;
}

Stop Fixpoint::Derive(std::span<const Derivation> work, std::vector<Violation>& violations) {
  if (marks_.size() < store_.size()) marks_.resize(store_.size());
  Machine& machine = solver_.machine();
  // What other evaluations found, of recorded truths for instance, is no finding of the stratum.
  std::vector<Violation> others = solver_.TakeViolations();
  const Definition* const stopped_at = solver_.Derive(work, marks_);
  for (Violation& v : solver_.TakeViolations()) violations.push_back(std::move(v));
  machine.evaluation.violations = std::move(others);
  if (stopped_at != nullptr) StopAt(*stopped_at);
  return machine.evaluation.stop;
}

// Adds what the rule at hand reads, or the parts that it is split into, which may be split again.
void Fixpoint::Round::AddReads(const DerivedRule& of, const Splits& splits) {
  if (const auto split = splits.find(&of); split != splits.end()) {
    AddReads(split->second->part, splits);
    AddReads(split->second->rest, splits);
    return;
  }
  for (const RelationId r : of.reads) {
    std::vector<std::size_t>& its = readers[r];
    if (its.empty()) reads.push_back(r);
    if (its.empty() || its.back() != rule) its.push_back(rule);
  }
}

// The numbers of the rules that may have something to do, ascending.
std::vector<std::size_t> Fixpoint::Round::Rules(const Stratum& stratum) const {
  std::vector<std::size_t> out;
  if (full || !stratum.equivalences.empty()) {
    out.resize(stratum.rules.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
  }
  for (const RelationId r : grew)
    if (const std::vector<std::size_t>& its = readers.at(r); out.empty()) out = its;
    else out.insert(out.end(), its.begin(), its.end());
  if (grew.size() > 1) {
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  return out;
}

// After a round: the rows that it added are the next deltas. They are of the heads of what it did.
void Fixpoint::FindGrown(const Stratum& stratum, Round& round) {
  marks_.resize(store_.size());
  for (const RelationId r : round.grew) marks_[r].old_end = marks_[r].end;
  round.grew.clear();
  const auto look = [&](RelationId r) {
    if (r == kNoId || !round.readers.contains(r) || marks_[r].end == store_.at(r).size()) return;
    marks_[r].end = store_.at(r).size();
    round.grew.push_back(r);
  };
  for (const Derivation& done : round.work) {
    look(done.def->head);
    look(store_.WholeIfAny(done.def->head));
  }
  for (const Stratum::Equivalence& equivalence : stratum.equivalences) {
    look(equivalence.transitive->head);
    look(store_.WholeIfAny(equivalence.transitive->head));
  }
}

// Adds what a rule does in this round. A rule that is found to be worth it is split first.
Stop Fixpoint::AddWork(DerivedRule& rule, Memory& memory, Round& round) {
  if (const auto split = memory.splits.find(&rule); split != memory.splits.end()) {
    const Stop stop = AddWork(split->second->part, memory, round);
    return stop == Stop::kGoesOn ? AddWork(split->second->rest, memory, round) : stop;
  }
  if (round.full) {
    round.work.push_back(choice_.Full(rule, marks_));
    return Stop::kGoesOn;
  }
  const std::size_t before = round.work.size();
  for (DerivedRule::Delta& delta : rule.deltas)
    if (marks_[delta.relation].old_end < marks_[delta.relation].end)
      round.work.push_back(choice_.FromDelta(rule, delta, marks_));
  const double cost = std::exchange(rule.cost, 0);
  if (!round.may_split || rule.demands || cost < 2 * rule.declined) return Stop::kGoesOn;
  const std::optional<Intermediate> intermediate =
      FindIntermediate(rule, store_, marks_, cost, limits_);
  if (!intermediate) {
    rule.declined = cost;
    return Stop::kGoesOn;
  }
  round.work.resize(before);
  if (const Stop stop = Split(rule, *intermediate, memory, round); stop != Stop::kGoesOn)
    return stop;
  return AddWork(rule, memory, round);
}

// All answers from old rows alone have been derived, so the intermediate begins with the rows that
// old rows give. Its new rows come from the deltas of its atoms.
Stop Fixpoint::Split(const DerivedRule& rule, const Intermediate& intermediate, Memory& memory,
                     Round& round) {
  const RelationId relation =
      NewIntermediate("part of " + store_.at(rule.def->head).name(),
                      static_cast<std::uint32_t>(intermediate.columns.size()));
  SplitRule& split =
      *(memory.splits[&rule] = std::make_unique<SplitRule>(rule, intermediate, relation, store_));
  round.reads.push_back(relation);
  round.readers[relation] = {round.rule};
  const std::vector<Marks> now = marks_;
  for (const RelationId r : split.part.reads) marks_[r].end = marks_[r].old_end;
  const Derivation old = choice_.Full(split.part, marks_);
  const Stop stop = Derive({&old, 1}, memory.violations);
  marks_ = now;
  marks_.resize(store_.size());
  marks_[relation] = {store_.at(relation).size(), store_.at(relation).size()};
  if (stop == Stop::kGoesOn) return stop;
  DropIntermediate(relation);  // what it lacks would never be derived
  memory.splits.erase(&rule);
  return stop;
}

RelationId Fixpoint::NewIntermediate(const std::string& name, std::uint32_t arity) {
  const auto known = std::ranges::find_if(unused_, [&](RelationId r) {
    return store_.at(r).arity() == arity && store_.at(r).name() == name;
  });
  if (known == unused_.end()) return store_.AddIntermediate(name, arity);
  const RelationId out = *known;
  unused_.erase(known);
  return out;
}

bool Fixpoint::Memory::MeetsSets(const Store& store) const {
  return std::ranges::any_of(splits,
                             [&](const auto& split) { return split.second->MeetsSets(store); });
}

// What is gone of the relations that the stratum reads and derives; nullopt if that is not known,
// or if one changed that a rule needs complete.
std::optional<std::vector<Fixpoint::Gone>> Fixpoint::GoneSince(const Stratum& stratum,
                                                               const Memory& memory) const {
  std::vector<Gone> out;
  for (const auto& [r, seen] : memory.seen) {
    const Relation& rel = store_.at(r);
    if (rel.space() == Space::kIntermediate) continue;
    const bool same = rel.epoch() == seen.epoch && rel.size() == seen.size;
    if (!same && NeedsWhole(stratum, r)) return std::nullopt;
    std::optional<Relation::Change> change = rel.Since(seen.size, seen.epoch);
    if (!change) return std::nullopt;
    out.push_back({r, {change->size, rel.epoch()}, std::move(change->gone)});
  }
  return out;
}

// Takes back what rests on rows that are gone. What is left to do follows from rows that are new,
// according to the memory. nullopt, and nothing has changed, if all has to be derived again.
std::optional<Stop> Fixpoint::TakeBack(Stratum& stratum, Memory& memory) {
  std::size_t rows = 0;
  for (const RelationId r : stratum.relations) rows += store_.at(r).size();
  if (rows < limits_.min_withdrawn || !analysis_.expanding().empty()) return std::nullopt;
  if (!memory.may_withdraw) memory.may_withdraw = Withdrawal::IsFor(stratum, analysis_, store_);
  if (!*memory.may_withdraw || Withdrawal::MeetsSets(stratum, store_)) return std::nullopt;
  if (std::ranges::any_of(stratum.rules, [&](const DerivedRule& rule) {
        return solver_.machine().undefined.contains(rule.def);
      }))
    return std::nullopt;
  const std::optional<std::vector<Gone>> gone = GoneSince(stratum, memory);
  if (!gone) return std::nullopt;
  DropSplits(memory);
  if (memory.withdrawal == nullptr)
    memory.withdrawal = std::make_unique<Withdrawal>(
        stratum, store_,
        [&](const std::string& name, std::uint32_t n) { return NewIntermediate(name, n); });
  std::set<RelationId> all(stratum.relations.begin(), stratum.relations.end());
  for (const DerivedRule& rule : stratum.rules) all.insert(rule.reads.begin(), rule.reads.end());
  marks_.resize(store_.size());
  for (const RelationId r : all) marks_[r] = {store_.at(r).size(), store_.at(r).size()};
  std::optional<Stop> stop = Doubt(*gone, memory, rows / limits_.large_part);
  for (const RelationId r : all) store_.at(r).TakeBack(marks_[r].old_end);
  if (stop == Stop::kGoesOn) stop = Restore(*gone, all, memory);
  for (const auto& [relation, doubt] : memory.withdrawal->doubts()) store_.at(doubt).DropDerived();
  if (stop == Stop::kGoesOn) ++withdrawals_;
  return stop;
}

// Finds the rows that rested on rows that are gone. For that, these are rows again, at the end of
// their relations. nullopt if there are more than `most`.
std::optional<Stop> Fixpoint::Doubt(const std::vector<Gone>& gone, Memory& memory,
                                    std::size_t most) {
  Withdrawal& withdrawal = *memory.withdrawal;
  std::map<RelationId, RowId> present;
  for (const auto& [r, seen, cells] : gone) {
    Relation& rel = store_.at(r);
    present[r] = rel.size();
    const auto doubt = withdrawal.doubts().find(r);
    for (std::size_t at = 0; at < cells.size(); at += rel.arity()) {
      const std::span<const Value> row(&cells[at], rel.arity());
      if (rel.Insert(row, false).is_new && doubt != withdrawal.doubts().end())
        store_.at(doubt->second).Insert(row, false);
    }
    marks_[r].end = rel.size();
  }
  const auto in_doubt = [&] {
    std::size_t out = 0;
    for (const auto& [relation, doubt] : withdrawal.doubts()) out += store_.at(doubt).size();
    return out;
  };
  for (const auto& [relation, doubt] : withdrawal.doubts()) {
    marks_[relation].old_end = marks_[relation].end;
    marks_[doubt] = {0, 0};
  }
  Stop stop = RunEach(withdrawal.below(), memory);
  for (const auto& [r, size] : present) marks_[r].old_end = marks_[r].end;
  const Machine::Rounds rounds(solver_.machine());
  std::size_t doubted = 0;
  for (std::size_t round = 1; stop == Stop::kGoesOn && in_doubt() > doubted; ++round) {
    doubted = in_doubt();
    if (doubted > most) break;
    if (Machine& machine = solver_.machine(); round % 16 == 0 && !machine.within_limits()) {
      StopAt(withdrawal.definitions().front());
      stop = machine.evaluation.stop;
      break;
    }
    for (const auto& [relation, doubt] : withdrawal.doubts())
      marks_[doubt] = {marks_[doubt].end, store_.at(doubt).size()};
    stop = RunEach(withdrawal.within(), memory);
  }
  for (const auto& [r, size] : present) marks_[r].old_end = size;
  if (stop == Stop::kGoesOn && in_doubt() > most) return std::nullopt;
  return stop;
}

// Removes the rows in doubt, and adds those that follow from the others again.
Stop Fixpoint::Restore(const std::vector<Gone>& gone, const std::set<RelationId>& all,
                       Memory& memory) {
  Withdrawal& withdrawal = *memory.withdrawal;
  std::map<RelationId, Seen> now;
  for (const Gone& of : gone) now[of.relation] = of.seen;
  for (const auto& [r, doubt] : withdrawal.doubts()) {
    Relation& rel = store_.at(r);
    const Relation& doubts = store_.at(doubt);
    std::vector<RowId> rows;
    for (RowId row = 0; row < doubts.size(); ++row)
      if (const RowId at = rel.Find(doubts.Cells(row)); at != kNoId && !rel.asserted(at))
        rows.push_back(at);
    std::ranges::sort(rows);
    Seen& seen = now[r];
    seen.size -= static_cast<RowId>(std::ranges::lower_bound(rows, seen.size) - rows.begin());
    rel.Remove(rows);
    seen.epoch = rel.epoch();
    marks_[doubt] = {0, doubts.size()};
  }
  for (const RelationId r : all) marks_[r] = {store_.at(r).size(), store_.at(r).size()};
  const Stop stop = RunEach(withdrawal.again(), memory);
  if (stop == Stop::kGoesOn)  // else rows are missing, and are found by what the relation remembers
    for (auto& [r, seen] : memory.seen) seen = now.at(r);
  return stop;
}

// Those with new rows to begin with.
Stop Fixpoint::RunEach(std::deque<Withdrawal::Run>& runs, Memory& memory) {
  std::vector<Derivation> work;
  for (Withdrawal::Run& run : runs)
    if (marks_[run.relation].old_end < marks_[run.relation].end)
      work.push_back({run.rule.def, &memory.withdrawal->PlanFor(run, analysis_, store_)});
  if (work.empty()) return Stop::kGoesOn;
  const Stop stop = Derive(work, memory.violations);
  // An undefined step says nothing of a relation for rows in doubt.
  for (const Definition& def : memory.withdrawal->definitions()) {
    solver_.machine().partial.erase(&def);
    solver_.machine().undefined.erase(&def);
  }
  return stop;
}

Stop Fixpoint::QuiesceStratum(Stratum& stratum, Memory& memory) {
  const Value now = solver_.machine().given.now;
  if (memory.MeetsSets(store_) || memory.IsOfAnotherTime(now)) {
    Drop(stratum);
    Forget(memory);
  }
  if (ComesAgain(stratum, memory)) return Stop::kGoesOn;
  bool rebuilt = false;
  if (!Changed(memory, stratum, &rebuilt)) return Stop::kGoesOn;
  if (memory.runs++ == 0 && ReadTheTime(stratum.rules)) memory.now = now;
  derived_.push_back(static_cast<std::size_t>(&stratum - analysis_.strata().data()));
  if (rebuilt && !memory.fresh)
    if (const std::optional<Stop> stop = TakeBack(stratum, memory)) {
      if (*stop != Stop::kGoesOn) return *stop;
      rebuilt = false;
    }
  if (rebuilt)
    for (const DerivedRule& rule : stratum.rules) solver_.machine().undefined.erase(rule.def);
  FormerRows former;
  if (rebuilt && !memory.fresh) {
    former = FormerRows(stratum.relations, store_);
    Drop(stratum);
    for (const auto& [rule, split] : memory.splits) store_.at(split->definition.head).DropDerived();
    memory.violations.clear();
  }
  if (HasExtremum(stratum)) KeepBest(stratum);
  // What its rules demand is what holds now.
  if (std::ranges::any_of(stratum.rules, &DerivedRule::demands)) solver_.Forget();
  // The deltas of the relations that the rules read.
  Round round = {rebuilt, !HasExtremum(stratum)};
  for (round.rule = 0; round.rule < stratum.rules.size(); ++round.rule)
    round.AddReads(stratum.rules[round.rule], memory.splits);
  marks_.resize(store_.size());
  for (const RelationId r : round.reads) marks_[r] = {0, store_.at(r).size()};
  if (!rebuilt)
    for (const auto& [r, seen] : memory.seen)
      if (round.readers.contains(r)) marks_[r].old_end = seen.size;
  for (const RelationId r : round.reads)
    if (marks_[r].old_end < marks_[r].end) round.grew.push_back(r);
  rounds_ = 0;
  const Machine::Rounds rounds(solver_.machine());
  std::set<const DerivedRule*> by_classes;  // rules that did not run in the last round
  for (;; round.full = false) {
    if (memory.MeetsSets(store_)) return QuiesceStratum(stratum, memory);
    if (limits_.profile != nullptr) limits_.profile->BeginRound();
    if (++rounds_ > limits_.max_rounds) {
      StopAt(Growing(stratum));
      return Stop::kRounds;
    }
    // Rounds may be many and give a row each.
    if (Machine& machine = solver_.machine(); rounds_ % 16 == 0 && !machine.within_limits()) {
      StopAt(Growing(stratum));
      return machine.evaluation.stop;
    }
    round.work.clear();
    for (const std::size_t number : round.Rules(stratum)) {
      round.rule = number;
      DerivedRule& rule = stratum.rules[number];
      if (rule.of_equivalence && UsesClasses(rule.def->head)) {
        by_classes.insert(&rule);
        continue;
      }
      if (by_classes.erase(&rule) > 0) {  // sets came before what was there was closed
        round.work.push_back(choice_.Full(rule, marks_));
        continue;
      }
      if (const Stop stop = AddWork(rule, memory, round); stop != Stop::kGoesOn) return stop;
    }
    if (const Stop stop = Derive(round.work, memory.violations); stop != Stop::kGoesOn) return stop;
    if (!CloseClasses(stratum)) return solver_.machine().evaluation.stop;
    FindGrown(stratum, round);
    if (round.grew.empty()) break;
  }
  DropBeaten(stratum);
  former.ForEachAgain(store_, [&](RelationId r, std::uint32_t epoch) { again_.emplace(r, epoch); });
  memory.fresh = false;
  memory.whole = rebuilt;
  memory.rules = stratum.rules.size();
  memory.seen.clear();
  const auto remember = [&](RelationId r) {
    memory.seen.push_back({r, {store_.at(r).size(), store_.at(r).epoch()}});
  };
  std::ranges::for_each(round.reads, remember);
  // Asserted rows may join one that no rule reads without effect, but a rebuild derives again.
  for (const RelationId r : stratum.relations)
    if (!round.readers.contains(r)) remember(r);
  return Stop::kGoesOn;
}

// Drops the strata from that one on as far as they rest on absence in relations that a limit left
// unsettled: absent rows may only be missing (decision 80). So may better ones of an extremum.
void Fixpoint::DropResting(std::set<RelationId> unsettled, std::size_t from) {
  std::set<RelationId> dropped;
  const auto meets = [](const std::vector<RelationId>& reads, const std::set<RelationId>& them) {
    return std::ranges::any_of(reads, [&](RelationId r) { return them.contains(r); });
  };
  for (std::size_t i = from; i < analysis_.strata().size(); ++i) {
    const Stratum& stratum = analysis_.strata()[i];
    bool reads_unsettled = false;
    bool drop = false;
    for (const DerivedRule& rule : stratum.rules) {
      reads_unsettled = reads_unsettled || meets(rule.reads, unsettled);
      drop = drop || meets(rule.whole_reads, unsettled) || meets(rule.reads, dropped);
    }
    drop = drop || ((reads_unsettled || unsettled.contains(stratum.relations.front())) &&
                    HasExtremum(stratum));
    if (reads_unsettled || drop)
      unsettled.insert(stratum.relations.begin(), stratum.relations.end());
    if (!drop) continue;
    dropped.insert(stratum.relations.begin(), stratum.relations.end());
    Drop(stratum);
    Forget(memory_[i]);
  }
}

// A rule whose head is an expansion might have fed any relation.
Stop Fixpoint::StopExpanding(Stop why) {
  std::set<RelationId> all;
  for (RelationId r = 0; r < store_.size(); ++r) all.insert(r);
  DropResting(std::move(all), 0);
  return why;
}

// Whether what rules with #?h heads derived still follows: they read no fewer rows, and no others
// where they need them complete.
bool Fixpoint::StillExpanded() const {
  if (expanded_now_ != kNone && expanded_now_ != solver_.machine().given.now) return false;
  return std::ranges::all_of(analysis_.expanding(), [&](const DerivedRule& rule) {
    return std::ranges::all_of(rule.reads, [&](RelationId r) {
      const auto seen = expanded_.find(r);
      if (seen == expanded_.end()) return true;
      const Relation& rel = store_.at(r);
      const bool whole =
          rule.whole || std::ranges::find(rule.whole_reads, r) != rule.whole_reads.end();
      return seen->second.epoch == rel.epoch() && (!whole || seen->second.size == rel.size());
    });
  });
}

Stop Fixpoint::Quiesce() {
  if (memory_.size() != analysis_.strata().size()) memory_.resize(analysis_.strata().size());
  derived_.clear();
  for (std::size_t rounds = 0;; ++rounds) {
    again_.clear();
    for (std::size_t i = 0; i < analysis_.strata().size(); ++i) {
      const auto is_needed = [&](RelationId r) { return !needed_ || needed_->contains(r); };
      if (std::ranges::none_of(analysis_.strata()[i].relations, is_needed)) continue;
      if (extended_ && !Renew(analysis_.strata()[i], memory_[i])) continue;
      const Stop stop = QuiesceStratum(analysis_.strata()[i], memory_[i]);
      if (stop == Stop::kGoesOn) continue;
      const std::vector<RelationId>& stopped = analysis_.strata()[i].relations;
      DropResting({stopped.begin(), stopped.end()}, i);
      return stop;
    }
    extended_ = false;
    // Rules with #?h heads may feed any relation, so the strata run again after them; and all is
    // derived again when some of their rows may have to go.
    if (rounds == 0 && !StillExpanded()) {
      Reset();  // nothing is left out where forms are expanded
      continue;
    }
    if (ReadTheTime(analysis_.expanding())) expanded_now_ = solver_.machine().given.now;
    for (const DerivedRule& rule : analysis_.expanding())
      for (const RelationId r : rule.reads)
        expanded_[r] = {store_.at(r).size(), store_.at(r).epoch()};
    const std::size_t before = solver_.machine().new_rows;
    if (limits_.profile != nullptr) limits_.profile->BeginRound();
    in_expanded_.clear();  // each round derives all their rows
    for (DerivedRule& rule : analysis_.expanding()) {
      if (rule.demands) solver_.Forget();
      marks_.resize(store_.size());
      for (RelationId r : rule.reads) marks_[r] = {0, store_.at(r).size()};
      const Derivation whole = choice_.Full(rule, marks_);
      if (const Stop stop = Derive({&whole, 1}, in_expanded_); stop != Stop::kGoesOn)
        return StopExpanding(stop);
      for (const BadHead& bad : solver_.machine().bad_heads)
        if (std::find(bad_heads_.begin(), bad_heads_.end(), bad) == bad_heads_.end())
          bad_heads_.push_back(bad);
      solver_.machine().bad_heads.clear();
    }
    if (solver_.machine().new_rows == before) return Stop::kGoesOn;
    if (rounds > limits_.max_rounds) {
      StopAt(*analysis_.expanding().front().def);
      return StopExpanding(Stop::kRounds);
    }
  }
}

std::vector<Violation> Fixpoint::Violations() const {
  std::vector<Violation> out = in_expanded_;
  for (const Memory& m : memory_) out.insert(out.end(), m.violations.begin(), m.violations.end());
  return out;
}

}  // namespace rpl
