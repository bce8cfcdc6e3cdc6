// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/heading_use.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

class Uses {
 public:
  explicit Uses(const Program& program) : program_(program) {
    for (const Definition& def : program.definitions()) {
      if (def.head != kNoId) rules_[program.store().BaseOf(def.head)].push_back(&def);
      open_.push_back(&def);
    }
  }

  // A rule is read again when what it derives turns out to be compared, at most three times for
  // each column.
  void Rules() {
    for (; !open_.empty(); open_.pop_front()) Rule(*open_.front());
  }

  void Rule(const Definition& def) {
    slots_.assign(def.slots.size(), {});
    for (const Clauses* clauses : {&def.activation, &def.body}) FindTakes(*clauses);
    // What is compared where a rule derives it is compared here as well.
    for (std::size_t i = 0; i < def.args.size(); ++i)
      if (def.args[i].kind == Pattern::Kind::kSlot)
        slots_[static_cast<std::size_t>(def.args[i].slot)].Add(ColumnOf(def.head, i));
    std::vector<bool> gathered(def.slots.size());
    for (const std::size_t i : def.gathered)
      ForEachSlot(def.args[i], [&](SlotId s) { gathered[static_cast<std::size_t>(s)] = true; });
    std::vector<bool> bound(def.slots.size());
    for (const Clauses* clauses : {&def.activation, &def.body})
      for (const Clause& clause : *clauses) {
        bool gathers = false;
        ForEachSlot(clause, [&](SlotId s) { gathers |= gathered[static_cast<std::size_t>(s)]; });
        if (const auto* atom = clause.As<Atom>(); atom != nullptr && gathers) Many(*atom);
        if (clause.item) Iterate(clause, def.each, bound);
        NoteOpen(clause, bound);
        CollectSlots(clause, bound);
      }
    Read(def.activation);
    Read(def.body);
  }

  void Of(const Constraint& c) {
    slots_.assign(c.slots.size(), {});
    FindTakes(c.left);
    FindTakes(c.right);
    std::vector<bool> bound(c.slots.size());
    NoteOpen(c.left, bound);
    NoteOpen(c.right, bound);
    Read(c.left);
    Read(c.right);
    const auto* from = c.left.size() == 1 ? c.left.front().As<Atom>() : nullptr;
    const auto* to = c.right.size() == 1 && !c.forbids ? c.right.front().As<Atom>() : nullptr;
    HeadingUse* use = from != nullptr ? Find(from->relation) : nullptr;
    if (use == nullptr || to == nullptr || to->args.size() != 1 ||
        to->args.front().kind != Pattern::Kind::kSlot ||
        program_.store().at(to->relation).space() != Space::kRelation ||
        program_.FindCollected(to->relation) != nullptr)
      return;
    for (std::size_t i = 0; i < from->args.size(); ++i)
      if (from->args[i].kind == Pattern::Kind::kSlot &&
          from->args[i].slot == to->args.front().slot && use->arguments[i].choices == kNoId)
        use->arguments[i].choices = to->relation;
  }

  std::unordered_map<RelationId, HeadingUse> Found() {
    for (auto& [relation, use] : all_)
      for (std::size_t i = 0; i < use.arguments.size(); ++i) {
        const Seen& seen = ColumnOf(relation, i);
        if (seen.number == seen.time || seen.other) continue;
        use.arguments[i].takes = seen.number ? Takes::kNumber : Takes::kTime;
      }
    return std::move(all_);
  }

 private:
  // The use of a collected relation; null for others.
  HeadingUse* Find(RelationId relation) {
    const RelationId base = program_.store().BaseOf(relation);
    const Collected* collected = program_.FindCollected(base);
    if (collected == nullptr) return nullptr;
    HeadingUse& use = all_[base];  // stays where it is
    use.arguments.resize(collected->questions.size());
    return &use;
  }

  void Many(const Atom& atom) {
    if (HeadingUse* use = Find(atom.relation)) use->many = true;
  }
  // The items of `@each` take rows where they give what it iterates over; what stands beside them
  // is read once for each (decision 81).
  void Iterate(const Clause& clause, const std::vector<SlotId>& each,
               const std::vector<bool>& bound) {
    bool gives = false;
    ForEachSlot(clause, [&](SlotId s) {
      gives |= !bound[static_cast<std::size_t>(s)] && std::ranges::find(each, s) != each.end();
    });
    if (!gives) return;
    if (const auto* atom = clause.As<Atom>()) return Many(*atom);
    for (const Clauses& branch : BranchesOf(clause))
      for (const Clause& inner : branch) Iterate(inner, each, bound);
  }
  void Many(const Clauses& clauses) {
    for (const auto& own : OwnAtoms(clauses)) Many(own.atom);
  }

  // Notes the reads that know no argument of a heading, as far as the clauses before them tell.
  // What a caller may know of the rule's head does not count. `bound`: the slots known before.
  void NoteOpen(const Clause& clause, const std::vector<bool>& bound) {
    if (const auto* atom = clause.As<Atom>())
      if (HeadingUse* use = Find(atom->relation)) {
        const auto unknown = std::ranges::count_if(atom->args, [&](const Pattern& arg) {
          return arg.kind == Pattern::Kind::kAny ||
                 (arg.kind == Pattern::Kind::kSlot && !bound[static_cast<std::size_t>(arg.slot)]);
        });
        use->open = use->open || unknown == static_cast<std::ptrdiff_t>(atom->args.size());
        use->several = use->several || unknown > 1;
      }
    ForEachBody(clause, [&](const Clauses& body) {
      std::vector<bool> inside = bound;
      NoteOpen(body, inside);
    });
  }
  void NoteOpen(const Clauses& clauses, std::vector<bool>& bound) {
    for (const Clause& clause : clauses) {
      NoteOpen(clause, bound);
      CollectSlots(clause, bound);
    }
  }

  // The reads of a rule: which of them take rows, and what their arguments take.
  void Read(const Clauses& clauses) {
    for (const Clause& clause : clauses) {
      Visit(
          clause, [&](const Atom& c) { ReadAtom(c); }, [&](const CountOf& c) { Many(c.atom); },
          [&](const Negation& c) { Many(c.body); },
          [&](const Loop& c) { Many(c.start), Many(c.step); },
          [](const Among<Compare, MatchWith, Member, Temporal, Alternatives, Expand, Metadata,
                         Aggregate, ReadAvar, ShowJson, GoalIsFalse, First, Distinct, Check,
                         Truth> auto&) {});
      ForEachBody(clause, [&](const Clauses& body) { Read(body); });
    }
  }
  void ReadAtom(const Atom& atom) {
    Find(atom.relation);
    for (std::size_t i = 0; i < atom.args.size(); ++i) {
      const Pattern& arg = atom.args[i];
      Seen seen;
      if (arg.kind == Pattern::Kind::kSlot) seen = slots_[static_cast<std::size_t>(arg.slot)];
      else if (arg.kind != Pattern::Kind::kAny) seen.other = !IsNumber(arg.constant);
      if (!ColumnOf(atom.relation, i).Add(seen)) continue;
      const auto rules = rules_.find(program_.store().BaseOf(atom.relation));
      if (rules != rules_.end())
        open_.insert(open_.end(), rules->second.begin(), rules->second.end());
    }
  }

  // What a value is compared and computed with.
  struct Seen {
    bool number = false;
    bool time = false;
    bool other = false;  // a text, which a rule may expect in place of a number

    bool operator==(const Seen&) const = default;
    /// True if it changed.
    bool Add(const Seen& more) {
      const Seen before = *this;
      number |= more.number;
      time |= more.time;
      other |= more.other;
      return *this != before;
    }
  };

  Seen& ColumnOf(RelationId relation, std::size_t column) {
    std::vector<Seen>& columns = columns_[program_.store().BaseOf(relation)];
    if (columns.size() <= column) columns.resize(column + 1);
    return columns[column];
  }

  // What the slots of a rule are compared and computed with.
  void FindTakes(const Clauses& clauses) {
    for (const Clause& clause : clauses) {
      if (const auto* compare = clause.As<Compare>()) {
        Operands(compare->left);
        Operands(compare->right);
        const bool ordered = compare->op != Operator::kEqual && compare->op != Operator::kNotEqual;
        Beside(compare->left, compare->right, ordered);
        Beside(compare->right, compare->left, ordered);
      }
      if (const auto* temporal = clause.As<Temporal>())
        for (std::size_t i = 0; i < temporal->operands.size(); ++i) {
          const bool duration = temporal->kind == Temporal::Kind::kWithin && i == 2;
          Seen* slot = SlotOf(temporal->operands[i]);
          if (slot != nullptr && !duration) slot->time = true;
        }
      ForEachBody(clause, [&](const Clauses& body) { FindTakes(body); });
    }
  }

  Seen* SlotOf(const Expr& e) {
    return e.kind == Expr::Kind::kTerm && e.term.kind == Pattern::Kind::kSlot
               ? &slots_[static_cast<std::size_t>(e.term.slot)]
               : nullptr;
  }

  void Beside(const Expr& e, const Expr& other, bool ordered) {
    Seen* slot = SlotOf(e);
    if (slot == nullptr) return;
    if (ordered && other.kind == Expr::Kind::kNow) slot->time = true;
    if (other.kind != Expr::Kind::kTerm || other.term.kind != Pattern::Kind::kConstant) return;
    const bool number = IsNumber(other.term.constant);
    slot->number |= ordered && number;
    slot->other |= !number;
  }

  static bool IsNumber(Value v) {
    return v.kind() == Kind::kInt || v.kind() == Kind::kFloat || v.kind() == Kind::kBigInt;
  }

  // Operands of arithmetic are numbers.
  void Operands(const Expr& e) {
    for (const Expr& side : e.sides) {
      Seen* slot = SlotOf(side);
      if (slot != nullptr && e.op >= Operator::kAdd && e.op <= Operator::kDivide)
        slot->number = true;
      Operands(side);
    }
  }

  const Program& program_;
  std::unordered_map<RelationId, HeadingUse> all_;
  std::vector<Seen> slots_;  // of the rule at hand
  std::unordered_map<RelationId, std::vector<Seen>> columns_;
  std::unordered_map<RelationId, std::vector<const Definition*>> rules_;  // by head
  std::deque<const Definition*> open_;                                    // rules to read
};

}  // namespace

std::unordered_map<RelationId, HeadingUse> HeadingUses(const Program& program) {
  if (program.collected_count() == 0) return {};
  Uses uses(program);
  for (const Constraint& c : program.constraints()) uses.Of(c);
  uses.Rules();
  return uses.Found();
}

}  // namespace rpl
