// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/derivation.h"
#include "interp/eval/solver.h"
#include "interp/eval/table.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

#include <fmt/format.h>

namespace rpl {

// A row whose text is being built.
struct Derivations::Open {
  Fact fact;
  const Definition* def = nullptr;
  std::vector<Premise> premises;
  std::size_t next = 0;  // the next premise
  std::string tail;      // the texts of those before it
};

std::string Derivations::RowText(RelationId relation, std::span<const Value> row,
                                 std::size_t most) const {
  return FactText(engine_.store, relation, row, most);
}

std::string Derivations::BindingsText(const std::vector<Value>& entries, std::size_t most) const {
  std::string out = "{";
  for (std::size_t i = 0; i < entries.size(); i += 2) {
    if (i > 0) out += ", ";
    out += Text(engine_.pool, entries[i]) + " " + Text(engine_.pool, entries[i + 1], most);
  }
  return out + "}";
}

std::vector<Value> Derivations::BoundOf(const Constraint& c,
                                        const std::vector<Value>& slots) const {
  std::vector<Value> out;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (c.slots[i].empty() || slots[i].is_none() || slots[i] == kUnknown) continue;
    out.push_back(engine_.pool.Slot(c.slots[i]));
    out.push_back(slots[i]);
  }
  return out;
}

std::string Derivations::CollectedText(const Collected& collected, std::span<const Value> row,
                                       bool avars) const {
  std::string out = engine_.store.at(collected.relation).name() + "(";
  std::vector<Value> bindings;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const ArgumentQuestion& q = engine_.program.QuestionOf(collected, i);
    out +=
        (i > 0 ? ", " : "") + std::string(avars && q.subject.starts_with('$') ? "$" : "?") + q.name;
    bindings.push_back(engine_.pool.Slot(q.name));
    bindings.push_back(row[i]);
  }
  return out + ") ^^ " + BindingsText(bindings);
}

bool Derivations::IsDerived(const Fact& fact) const {
  return engine_.store.at(fact.first).space() == Space::kRelation &&
         !engine_.analysis.RulesOf(fact.first).empty();
}

// Finds the rule instance that derives the row. A premise of its own relation is an earlier row.
bool Derivations::Find(Open& open, const std::set<Fact>& above) const {
  const RelationId relation = open.fact.first;
  const std::vector<Value>& row = open.fact.second;
  const Relation& rel = engine_.store.at(relation);
  const RowId at = row.size() == rel.arity() ? rel.Find(row) : kNoId;
  int number = -1;
  auto premises = engine_.solver.Prove(relation, row, &number, [&](const Premise& p) {
    if (above.contains({p.relation, p.row})) return false;
    if (p.relation != relation || at == kNoId || rel.asserted(at)) return true;
    const RowId other = rel.Find(p.row);
    return other == kNoId || rel.asserted(other) || other < at;
  });
  if (!premises) return false;
  open.def = &engine_.program.definitions()[static_cast<std::size_t>(number)];
  open.premises = std::move(*premises);
  return true;
}

std::vector<Derivations::Fact> Derivations::GroundsOf(const std::vector<Fact>& facts) const {
  std::vector<Fact> out;
  std::vector<Fact> left(facts.rbegin(), facts.rend());
  std::set<Fact> seen;
  while (!left.empty()) {
    const Fact fact = std::move(left.back());
    left.pop_back();
    if (seen.size() >= kMaxRows || !seen.insert(fact).second) continue;
    Open open{fact, nullptr, {}, 0, ""};
    if (!IsDerived(fact) || !Find(open, seen)) {
      out.push_back(fact);
      continue;
    }
    for (auto premise = open.premises.rbegin(); premise != open.premises.rend(); ++premise)
      left.emplace_back(premise->relation, premise->row);
  }
  return out;
}

std::string Derivations::Leaf(const Fact& fact) const {
  if (const Collected* collected = engine_.program.FindCollected(fact.first))
    return CollectedText(*collected, fact.second, true);
  // A goal's truth: its bindings map stands last.
  const Relation& rel = engine_.store.at(fact.first);
  if (rel.space() == Space::kGoal && !fact.second.empty() &&
      fact.second.back().kind() == Kind::kMap)
    return rel.name() + (engine_.pool.ItemsOf(fact.second.back()).empty()
                             ? ""
                             : " ^^ " + Text(engine_.pool, fact.second.back(), kDerivationBytes));
  return RowText(fact.first, fact.second, kDerivationBytes);
}

std::string Derivations::Finished(const Open& open) const {
  const Definition& def = *open.def;
  const std::vector<Value>& row = open.fact.second;
  std::string head = engine_.store.at(open.fact.first).name() + "(";
  std::vector<Value> bindings;
  for (std::size_t i = 0; i < def.args.size(); ++i) {
    if (i > 0) head += ", ";
    const Pattern& p = def.args[i];
    if (p.kind != Pattern::Kind::kSlot || def.slots[static_cast<std::size_t>(p.slot)].empty()) {
      head += Text(engine_.pool, row[i], kDerivationBytes);
      continue;
    }
    const std::string& name = def.slots[static_cast<std::size_t>(p.slot)];
    head += (def.avar[static_cast<std::size_t>(p.slot)] ? "$" : "?") + name;
    bindings.push_back(engine_.pool.Slot(name));
    bindings.push_back(row[i]);
  }
  head += ")";
  if (!open.tail.empty()) head = "(" + head + " <- " + open.tail + ")";
  return bindings.empty() ? head : head + " ^^ " + BindingsText(bindings, kDerivationBytes);
}

Derivations::Sentence Derivations::SentenceOf(RelationId relation, const std::vector<Value>& row) {
  const Fact root = {relation, row};
  if (!IsDerived(root) || std::exchange(explained_[root], true)) return {};
  std::vector<Open> stack;
  std::set<Fact> above;  // on the stack
  std::set<Fact> left_out;
  std::size_t rows = 0;  // explained here
  std::string text;      // of the row that was finished last
  std::optional<Span> rule;
  // Gives the text of a row, or puts it on the stack.
  const auto enter = [&](const Fact& fact) {
    Open open{fact, nullptr, {}, 0, ""};
    const bool known = fact != root && explained_.contains(fact);
    if (!IsDerived(fact) || known) {
      text = known ? RowText(fact.first, fact.second, kDerivationBytes) : Leaf(fact);
      return true;
    }
    if (stack.size() >= kMaxDepth || rows >= kMaxRows) {
      left_out.insert(fact);
      text = RowText(fact.first, fact.second, kDerivationBytes);
      return true;
    }
    explained_.try_emplace(fact, false);
    ++rows;
    if (!Find(open, above)) {
      text = Leaf(fact);
      return true;
    }
    above.insert(fact);
    stack.push_back(std::move(open));
    return false;
  };
  bool given = enter(root);
  while (!stack.empty()) {
    Open& open = stack.back();
    if (given) {
      open.tail += (open.tail.empty() ? "" : ", ") + text;
      given = false;
    }
    if (open.next < open.premises.size()) {
      const Premise premise = open.premises[open.next++];
      given = enter({premise.relation, premise.row});
      continue;
    }
    text = Finished(open);
    rule = open.def->span;
    above.erase(open.fact);
    stack.pop_back();
    given = true;
  }
  std::erase_if(left_out, [&](const Fact& fact) { return explained_.contains(fact); });
  text += " -> true";
  if (!left_out.empty()) text += fmt::format("  -- … {} more", left_out.size());
  return {std::move(text), rule};
}

}  // namespace rpl
