// SPDX-License-Identifier: Apache-2.0
//
// From derivations to trees. A tree is built depth first with an explicit stack, so that the first
// occurrence of a fact, the one that is explained, is the first one printed:
//
//   r(1, 3)             node 0   enters r(1, 3); its premises get nodes 1 and 2
//     r(1, 2)           node 1   enters, …, leaves
//     edge(2, 3)        node 2
//
// Tests are shown as written with their values: the text of a clause, in which the bound
// variables are replaced.
#include <algorithm>

#include "grammar/printer.h"
#include "interp/eval/engine.h"
#include "interp/eval/machine.h"
#include "interp/eval/solver.h"
#include "interp/explain/explain.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

using NodeKind = ExplainNode::Kind;

// A value within a string.
std::string HoleText(const Pool& pool, Value value) {
  const bool plain = value.kind() == Kind::kString && pool.TextOf(value).size() <= kDerivationBytes;
  const std::string quoted =
      Quote(plain ? std::string(pool.TextOf(value)) : Text(pool, value, kDerivationBytes));
  return quoted.substr(1, quoted.size() - 2);
}

ExplainNode NodeOf(NodeKind kind, std::string text, std::string note = "") {
  ExplainNode node;
  node.kind = kind;
  node.text = std::move(text);
  node.note = std::move(note);
  return node;
}

// `?n = |p(_)|`: redundant beside the count's own node.
bool OnlyNamesACount(const Definition& def, const Clause& clause) {
  const Compare* c = EqualityIn(clause);
  if (c == nullptr) return false;
  const auto made = [&](const Expr& e) {
    return e.kind == Expr::Kind::kTerm && e.term.kind == Pattern::Kind::kSlot &&
           def.slots[static_cast<std::size_t>(e.term.slot)].empty();
  };
  const auto plain = [](const Expr& e) {
    return e.kind == Expr::Kind::kTerm &&
           (e.term.kind == Pattern::Kind::kSlot || e.term.kind == Pattern::Kind::kConstant);
  };
  return (made(c->left) && plain(c->right)) || (made(c->right) && plain(c->left));
}

}  // namespace

std::string InstanceText(const Pool& pool, const Clause& clause, const Definition& def,
                         const std::vector<Value>& slots, const std::vector<bool>& bound) {
  if (clause.variables == nullptr) return clause.text;
  using Variable = PrintedVariable::Kind;
  std::string out;
  std::size_t at = 0;
  for (const PrintedVariable& v : *clause.variables) {
    std::size_t slot = 0;
    while (slot < slots.size() &&
           !(bound[slot] && def.slots[slot] == v.name &&
             def.avar[slot] == (v.kind == Variable::kAvar) && IsPlainValue(slots[slot])))
      ++slot;
    if (slot == slots.size()) continue;
    out.append(clause.text, at, v.begin - at);
    out += v.kind == Variable::kHole ? HoleText(pool, slots[slot])
                                     : Text(pool, slots[slot], kDerivationBytes);
    at = v.end;
  }
  return out.append(clause.text, at);
}

// The row that an expansion matched; nullopt when it is not a row of the store.
std::optional<Explainer::Fact> Explainer::Expanded(const Instance& instance,
                                                   const Step& step) const {
  const Value form = instance.slots[static_cast<std::size_t>(step.reads.front())];
  if (form.kind() != Kind::kTerm || engine_.pool.NamespaceOf(form) != Namespace::kRelation)
    return std::nullopt;
  const std::span<const Value> args = engine_.pool.ItemsOf(form);
  const RelationId relation = engine_.store.Find(Space::kRelation, engine_.pool.TextOf(form),
                                                 static_cast<std::uint32_t>(args.size()));
  if (relation == kNoId) return std::nullopt;
  const Relation& rel = engine_.store.at(relation);
  for (RowId row = 0; row < rel.size(); ++row) {
    std::map<Value, Value> names;
    const RowCells cells = rel.CellsOf(row);
    bool same = true;
    for (std::size_t i = 0; i < args.size() && same; ++i) {
      const Value cell = cells[i];
      if (args[i].kind() == Kind::kSlot) same = names.emplace(args[i], cell).first->second == cell;
      else same = args[i] == kWild || args[i] == cell;
    }
    if (same) return Fact{relation, rel.Cells(row)};
  }
  return std::nullopt;
}

std::optional<ExplainNode> Explainer::TestOf(const Instance& instance, const Step& step) const {
  if (!TraitsOf(step.kind).in_proof) return std::nullopt;
  const Definition& def = *instance.def;
  const auto text = [&] {
    return InstanceText(engine_.pool, *step.clause, def, instance.slots, instance.bound);
  };
  switch (step.kind) {
    case Step::Kind::kCompare: {
      const auto* c = step.clause->As<Compare>();
      if (c == nullptr || !c->split) {
        if (OnlyNamesACount(def, *step.clause)) return std::nullopt;
        return NodeOf(NodeKind::kTest, text());
      }
      const auto side = [&](const Expr& e) {
        return Text(engine_.pool, Build(engine_.pool, e.term, instance.slots.data(), &def.slots),
                    kDerivationBytes);
      };
      return NodeOf(NodeKind::kTest, side(c->left) + " != " + side(c->right));
    }
    case Step::Kind::kBind:
    case Step::Kind::kMatch:
      if (OnlyNamesACount(def, *step.clause)) return std::nullopt;
      return NodeOf(NodeKind::kTest, text());
    case Step::Kind::kMetadata: {
      // ?v = $t(…): the reply's own node has the result.
      const auto* m = step.clause->As<Metadata>();
      if (!m->bindings && m->pattern.parts.size() == 2 &&
          m->pattern.parts.front().constant == engine_.store.pool().Keyword("result"))
        return std::nullopt;
      return NodeOf(NodeKind::kTest, text());
    }
    case Step::Kind::kTemporal: {
      std::string note;
      for (const Expr& e : step.operands)
        if (e.kind == Expr::Kind::kNow)
          note = "now is " + Text(engine_.pool, engine_.solver.given().now);
      return NodeOf(NodeKind::kTest, text(), note);
    }
    case Step::Kind::kCountAtom:
    case Step::Kind::kCountValue:
    case Step::Kind::kCountForm: {
      const auto result = static_cast<std::size_t>(step.pattern.slot);
      return NodeOf(NodeKind::kCount,
                    text() + " = " + Text(engine_.pool, instance.slots[result], kDerivationBytes));
    }
    case Step::Kind::kNot: {
      const Clauses& body = step.clause->As<Negation>()->body;
      return NodeOf(
          NodeKind::kNegation, text(),
          body.size() == 1 && body.front().As<Atom>() ? "no fact matches" : "it has no answer");
    }
    case Step::Kind::kGoalFalse: return NodeOf(NodeKind::kNegation, text(), "not satisfied");
    case Step::Kind::kReadAvar: {
      const auto slot = static_cast<std::size_t>(step.writes.front());
      return NodeOf(NodeKind::kReply,
                    "$" + def.slots[slot] + " = " +
                        Text(engine_.pool, instance.slots[slot], kDerivationBytes),
                    "answered");
    }
    default: return NodeOf(NodeKind::kTest, text());
  }
}

void Explainer::Premises(const Instance& instance, const std::function<void(const Fact&)>& fact,
                         const std::function<void(ExplainNode)>& test) {
  struct Item {
    const Step* step;
    std::size_t fact;
  };
  std::vector<Item> items;
  std::size_t next = 0;
  for (const Step* step : instance.steps) {
    if (step->clause == nullptr || step->clause->of_head) continue;
    const bool stored = step->kind == Step::Kind::kAtom && step->access != Access::kExternal;
    items.push_back({step, stored ? next++ : SIZE_MAX});
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.step->clause->span.begin < b.step->clause->span.begin;
  });
  std::set<std::string> tests;  // a clause taken apart says the same several times
  for (const Item& item : items) {
    const Step& step = *item.step;
    if (item.fact != SIZE_MAX) {
      fact(instance.facts[item.fact]);
    } else if (step.kind == Step::Kind::kAtom) {
      Fact call{step.relation, {}};
      for (const auto& [column, p] : step.keys)
        call.second.push_back(Build(engine_.pool, p, instance.slots.data(), &instance.def->slots));
      if (!facts_.StoredRow(call)) continue;
      ExplainNode node = NodeOf(NodeKind::kReply, facts_.FactText(call));
      facts_.Leaf(node, call);
      test(std::move(node));
    } else if (step.kind == Step::Kind::kFirst) {
      ForEachBody(*step.clause, [&](const Clauses& body) {
        Each(*instance.def, PointersTo(body), {}, &instance, [&](const Instance& inner) {
          Premises(inner, fact, test);
          return false;
        });
      });
    } else if (std::optional<Fact> row;
               step.kind == Step::Kind::kExpand && (row = Expanded(instance, step))) {
      fact(*row);
    } else if (std::optional<ExplainNode> node = TestOf(instance, step);
               node && tests.insert(node->text).second) {
      test(std::move(*node));
    }
  }
}

Explanation Explainer::Tree(const Fact& root, const ExplainLimits& limits) {
  struct Work {
    Fact fact;
    int node;
    std::size_t depth;
  };
  Explanation out;
  std::map<Fact, int> explained;
  std::vector<Work> stack = {{root, 0, 0}};
  out.nodes.push_back(NodeOf(NodeKind::kDerived, facts_.FactText(root)));
  while (!stack.empty()) {
    const Work work = std::move(stack.back());
    stack.pop_back();
    const auto at = static_cast<std::size_t>(work.node);
    if (facts_.IsAsserted(work.fact)) {
      facts_.Leaf(out.nodes[at], work.fact);
      continue;
    }
    if (facts_.IsComputed(work.fact.first)) {
      out.nodes[at].note = "computed";
      continue;
    }
    if (const auto it = explained.find(work.fact); it != explained.end()) {
      out.nodes[at] = out.nodes[static_cast<std::size_t>(it->second)];
      out.nodes[at].premises.clear();
      out.nodes[at].above = true;
      continue;
    }
    std::string why_not;
    const std::optional<Choice> choice = Choose(work.fact, limits.tries, why_not);
    if (!choice) {
      out.nodes[at].note = std::move(why_not);
      continue;
    }
    const auto add = [&](ExplainNode node) {
      const auto number = static_cast<int>(out.nodes.size());
      out.nodes.push_back(std::move(node));
      out.nodes[at].premises.push_back(number);
      return number;
    };
    const Definition& def = *choice->def;
    out.nodes[at].kind = def.gathered.empty() ? NodeKind::kDerived : NodeKind::kGathered;
    out.nodes[at].rule = def.text;
    out.nodes[at].place = def.span;
    out.nodes[at].placed = true;
    if (work.depth >= limits.depth) {
      add(NodeOf(NodeKind::kTruncated, "… deeper than " + std::to_string(limits.depth)));
      continue;
    }
    explained.emplace(work.fact, work.node);
    std::optional<Settled> settled;
    if (StampOf(work.fact)) settled.emplace(engine_);
    const std::size_t first = stack.size();
    std::set<std::string> seen;
    for (const Instance& instance : choice->instances)
      Premises(
          instance,
          [&](const Fact& premise) {
            if (std::string text = facts_.FactText(premise); seen.insert(text).second)
              stack.push_back(
                  {premise, add(NodeOf(NodeKind::kDerived, std::move(text))), work.depth + 1});
          },
          [&](ExplainNode node) {
            if (seen.insert(node.text).second) add(std::move(node));
          });
    std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    if (choice->more > 0)
      add(NodeOf(NodeKind::kTruncated, "… and " + std::to_string(choice->more) + " more answers"));
  }
  return out;
}

ExplainedFacts Explainer::Why(const Definition& form, const ExplainLimits& limits) {
  ExplainedFacts out;
  std::vector<Fact> facts;
  std::vector<ExplainNode> replies;
  std::set<Fact> seen;
  open_form_ = Each(form, ClausesOf(form), {}, nullptr, [&](const Instance& instance) {
    for (const Fact& fact : instance.facts) {
      if (!seen.insert(fact).second) continue;
      if (facts.size() < limits.facts) facts.push_back(fact);
      else ++out.more;
    }
    if (instance.facts.empty())
      Premises(
          instance, [](const Fact&) {}, [&](ExplainNode node) { replies.push_back(node); });
    return true;
  });
  // A goal that was satisfied once may be closed by its own guard now.
  const auto* atom = form.body.front().As<Atom>();
  if (facts.empty() && atom != nullptr &&
      engine_.store.at(atom->relation).space() == Space::kGoal) {
    const Relation& truths = engine_.store.at(atom->relation);
    const Goal* goal = engine_.program.FindGoal(engine_.pool.TextOf(truths.label()));
    std::size_t columns = std::max(atom->args.size(), goal == nullptr ? 0 : goal->captures.size());
    for (RowId row = 0; row < truths.size() && facts.size() < limits.facts; ++row) {
      Fact fact{atom->relation, CapturedCells(engine_.pool, goal, truths.Row(row)[0], columns)};
      bool same = true;
      for (std::size_t i = 0; i < atom->args.size(); ++i)
        same &= atom->args[i].kind != Pattern::Kind::kConstant ||
                atom->args[i].constant == fact.second[i];
      if (same) facts.push_back(std::move(fact));
    }
  }
  for (const Fact& fact : facts) out.proofs.push_back(Tree(fact, limits));
  for (ExplainNode& node : replies) out.proofs.push_back({{std::move(node)}});
  return out;
}

}  // namespace rpl
