// SPDX-License-Identifier: Apache-2.0
//
// Why the order can be restored: an instance is its slots, so the rows of one atom that agree
// with it do not depend on the other atoms, and the nested loop reaches it first at the first such
// row of every atom. New rows come after all others, so the position of an existing instance never
// changes.
#include "interp/eval/constraint_watch.h"

#include <algorithm>
#include <set>

#include "interp/eval/machine.h"
#include "interp/eval/profile.h"

namespace rpl {
namespace {

/// Violated instances kept per constraint; with more, the next check is a complete one.
constexpr std::size_t kMostKept = std::size_t{1} << 16;
/// Answers collected from new rows; with more, the check is a complete one.
constexpr std::size_t kMostNew = std::size_t{1} << 16;

// Whether the effect of the step depends on nothing but slots and rows.
bool ReadsOnlyRows(const Step& s, const Store& store) {
  if (std::any_of(s.operands.begin(), s.operands.end(), ReadsClock)) return false;
  if (s.kind == Step::Kind::kAtom &&
      (s.access != Access::kRows || s.row >= 0 || store.at(s.relation).space() != Space::kRelation))
    return false;
  return TraitsOf(s.kind).on != DependsOn::kMore;
}

// Whether adding rows can only add answers to the plan, which reads only rows.
bool IsMonotone(const Plan& plan) {
  return std::ranges::all_of(plan.steps, [](const Step& s) {
    return TraitsOf(s.kind).on == DependsOn::kMoreRows && s.deriving == s.branches.size();
  });
}

bool WritesNothing(const Step* body) {
  for (; body->kind != Step::Kind::kFound; body = body->next)
    if (!body->writes.empty() || body->kind != Step::Kind::kAtom) return false;
  return true;
}

// Whether the plan is a chain of tests and of atoms that bind slots to columns. Then an answer
// consists of one row for each of `atoms`, whose clauses are among `clauses`.
bool IsJoin(const Plan& plan, const Clauses& clauses, std::vector<const Step*>& atoms) {
  for (const Step* s = plan.first; s->kind != Step::Kind::kEmit; s = s->next) {
    if (!TraitsOf(s->kind).in_join) return false;
    if (s->kind == Step::Kind::kBind && s->pattern.kind != Pattern::Kind::kSlot) return false;
    if (s->kind == Step::Kind::kNot && !WritesNothing(s->body)) return false;
    if (s->kind != Step::Kind::kAtom) continue;
    const auto is_its = [&](const Clause& c) { return &c == s->clause; };
    if (!s->matches.empty() || s->atom->whole || std::ranges::none_of(clauses, is_its))
      return false;
    atoms.push_back(s);
  }
  return true;
}

}  // namespace

ConstraintWatch::Kept ConstraintWatch::Look(const Constraint& c) const {
  Kept kept;
  const Solver::Sides sides = solver_.SidesOf(c);
  const auto only_rows = [&](const Step& s) { return ReadsOnlyRows(s, store_); };
  kept.only_rows = std::all_of(sides.left->steps.begin(), sides.left->steps.end(), only_rows) &&
                   std::all_of(sides.right->steps.begin(), sides.right->steps.end(), only_rows);
  if (!kept.only_rows) return kept;
  kept.joins = IsJoin(*sides.left, c.left, kept.atoms);
  const auto add = [&](const Step& s) -> Read& {
    for (Read& read : kept.reads)
      if (read.relation == s.relation) return read;
    return kept.reads.emplace_back(Read{.relation = s.relation});
  };
  const bool monotone = IsMonotone(*sides.right);
  for (const Step& s : sides.left->steps) {
    if (s.kind != Step::Kind::kAtom) continue;
    const bool joined = std::find(kept.atoms.begin(), kept.atoms.end(), &s) != kept.atoms.end();
    Read& read = add(s);
    (joined ? read.on_left : read.whole) = true;
  }
  for (const Step& s : sides.right->steps) {
    if (s.kind != Step::Kind::kAtom) continue;
    Read& read = add(s);
    (monotone && !store_.IsWhole(s.relation) ? read.on_right : read.whole) = true;
  }
  if (!kept.joins) return kept;
  const std::vector<const Clause*> clauses = PointersTo(c.left);
  const std::vector<bool> nothing(c.slots.size());
  for (const auto& [i, clause, atom] : OwnAtoms(clauses)) {
    kept.deltas.push_back({atom.relation, Planner(analysis_, store_, Mode::kDerive)
                                              .Make(clauses, nothing, nothing, c.slots, c.avar,
                                                    static_cast<int>(i))});
    kept.joins = !kept.deltas.back().plan->problem;
    if (!kept.joins) break;
  }
  return kept;
}

void ConstraintWatch::Remember(Kept& kept) const {
  for (Read& read : kept.reads) {
    read.size = store_.at(read.relation).size();
    read.epoch = store_.at(read.relation).epoch();
  }
  kept.known = true;
}

Undecided ConstraintWatch::CheckWhole(const Constraint& c, Kept& kept, const Tell& tell) {
  ++counts_.whole;
  kept.known = false;
  kept.violated.clear();
  bool all = true;
  const auto keep = [&](const std::vector<Value>& slots, Solver::Judgement verdict) {
    ++counts_.judged;
    if (kept.only_rows && verdict == Solver::Judgement::kViolated) {
      all = all && kept.violated.size() < kMostKept;
      if (all) {
        Instance& instance = kept.violated.emplace_back();
        instance.slots = slots;
        for (const RowUsed& used : solver_.machine().frame().path)
          instance.rows.push_back(used.row);
      }
    }
    tell(slots, verdict);
  };
  const Undecided open = solver_.CheckConstraint(c, keep);
  if (!all) kept.violated.clear();
  if (kept.only_rows && all && !open && GoesOn()) Remember(kept);
  return open;
}

// For each atom of the left side, the first row that agrees with the slots.
std::vector<RowId> ConstraintWatch::FirstRows(const Kept& kept, const std::vector<Value>& slots) {
  std::vector<RowId> out;
  for (const Step* atom : kept.atoms) {
    Relation& rel = store_.at(atom->relation);
    Columns known = 0;
    std::vector<Value> key;
    const auto& args = atom->atom->args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i].kind == Pattern::Kind::kAny) continue;
      known |= Columns{1} << i;
      key.push_back(Build(store_.pool(), args[i], slots.data(), nullptr));
    }
    if (key.size() == args.size()) {
      out.push_back(rel.Find(key));
    } else if (known == 0) {
      out.push_back(0);
    } else {
      std::vector<RowId> own;
      const auto rows = rel.RowsWith(known, key, rel.size(), &solver_.machine().within_limits, own);
      out.push_back(rows.empty() ? kNoId : rows.front());
    }
  }
  return out;
}

// Joins the left side from the rows added since the last check; false, before any report, if there
// are too many of them, or some are undecided. REQUIRES: no relation lost rows, and none grew whose
// absent rows count.
bool ConstraintWatch::CheckNew(const Constraint& c, Kept& kept, const Tell& tell) {
  Profile::Evaluation evaluation(solver_.machine().profile(), c);
  marks_.resize(store_.size());
  bool right_grew = false;
  for (const Read& read : kept.reads) {
    marks_[read.relation] = {read.size, store_.at(read.relation).size()};
    right_grew |= read.on_right && read.size < store_.at(read.relation).size();
  }
  for (const Delta& delta : kept.deltas)
    if (const Marks& m = marks_[delta.relation]; m.end - m.old_end > kMostNew) return false;
  std::set<std::vector<Value>> found;
  for (const Delta& delta : kept.deltas) {
    if (marks_[delta.relation].old_end == marks_[delta.relation].end) continue;
    const bool whole =
        solver_.LeftAnswers(c, *delta.plan, marks_, [&](const std::vector<Value>& slots) {
          found.insert(slots);
          return found.size() <= kMostNew;
        });
    if (!GoesOn()) return true;
    if (!whole || found.size() > kMostNew) return false;
  }
  ++counts_.from_new_rows;
  for (const Instance& known : kept.violated) found.erase(known.slots);
  struct Judged {
    Instance instance;
    Solver::Judgement verdict;
  };
  const Solver::Sides sides = solver_.SidesOf(c);
  std::vector<Judged> judged;
  const auto judge = [&](Instance instance) {
    ++counts_.judged;
    const Solver::Judgement verdict = solver_.Judge(c, sides, instance.slots);
    judged.push_back({std::move(instance), verdict});
    return solver_.machine().Polled();
  };
  for (Instance& known : kept.violated) {
    if (!right_grew) judged.push_back({std::move(known), Solver::Judgement::kViolated});
    else if (!judge(std::move(known))) return true;
  }
  for (const std::vector<Value>& slots : found)
    if (!judge({FirstRows(kept, slots), slots})) return true;
  evaluation.Gave(judged.size(), 0);
  if (!GoesOn()) return true;
  std::sort(judged.begin(), judged.end(),
            [](const Judged& a, const Judged& b) { return a.instance.rows < b.instance.rows; });
  kept.violated.clear();
  for (Judged& j : judged) {
    tell(j.instance.slots, j.verdict);
    if (j.verdict == Solver::Judgement::kViolated) kept.violated.push_back(std::move(j.instance));
  }
  if (kept.violated.size() <= kMostKept) Remember(kept);
  return true;
}

Undecided ConstraintWatch::Check(const Constraint& c, const Tell& tell) {
  if (analysis_known_ != analysis_.version()) kept_.clear();
  analysis_known_ = analysis_.version();
  if (solver_.machine().truncated) {
    ++counts_.whole;
    kept_.erase(c.number);
    return solver_.CheckConstraint(c, tell);
  }
  const auto [at, is_new] = kept_.try_emplace(c.number);
  Kept& kept = at->second;
  if (is_new) kept = Look(c);
  bool grew = false;
  bool more_only = kept.joins;  // all changes are rows that CheckNew can start from
  for (const Read& read : kept.reads) {
    const Relation& rel = store_.at(read.relation);
    const bool rebuilt = rel.epoch() != read.epoch;
    grew |= rebuilt || rel.size() != read.size;
    if (rebuilt || (read.whole && rel.size() != read.size)) more_only = false;
  }
  if (!kept.known || (grew && !more_only)) return CheckWhole(c, kept, tell);
  if (grew) {
    kept.known = false;  // until CheckNew has finished
    return CheckNew(c, kept, tell) ? Undecided{} : CheckWhole(c, kept, tell);
  }
  ++counts_.unchanged;
  for (const Instance& instance : kept.violated) {
    tell(instance.slots, Solver::Judgement::kViolated);
    if (!solver_.machine().Polled()) break;
  }
  return {};
}

}  // namespace rpl
