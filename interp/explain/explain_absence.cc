// SPDX-License-Identifier: Apache-2.0
//
// Reasons for the absence of a fact, or for not knowing whether it holds. Each rule whose head
// matches is run with the wanted arguments bound; the machine records the furthest step reached,
// with its bindings. If that step reads a derived relation, its absence is explained in turn.
#include <algorithm>

#include "formats/spelling.h"
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

constexpr std::size_t kMaxNodes = 500;  // of one explanation, for a human reader
constexpr std::size_t kMaxNearest = 3;

std::string NotKnown(const std::string& why) { return "it is not known: " + why; }
std::string AreNotKnown(const std::string& why) { return "they are not known: " + why; }

}  // namespace

struct Explainer::Absence {
  Explanation out;
  std::set<std::pair<RelationId, std::vector<Value>>> asked;

  int Add(int parent, NodeKind kind, std::string text, std::string note = "",
          const Span* place = nullptr) {
    ExplainNode node;
    node.kind = kind;
    node.text = std::move(text);
    node.note = std::move(note);
    node.placed = place != nullptr;
    if (place != nullptr) node.place = *place;
    const auto number = static_cast<int>(out.nodes.size());
    out.nodes.push_back(std::move(node));
    if (parent >= 0) out.nodes[static_cast<std::size_t>(parent)].premises.push_back(number);
    return number;
  }
  ExplainNode& at(int node) { return out.nodes[static_cast<std::size_t>(node)]; }
};

// "" if some fact, rule or heading defines the relation, else a note about its name.
std::string Explainer::KnownAs(RelationId relation) const {
  const Relation& rel = engine_.store.at(relation);
  const bool goal = rel.space() == Space::kGoal;
  if (const RelationId base = engine_.store.BaseOf(relation); engine_.analysis.IsBroken(base))
    return engine_.store.at(base).name() + " " + engine_.analysis.WhyBroken(base);
  if (!rel.empty() || engine_.store.IsGiven(relation) || !facts_.RulesOf(relation).empty() ||
      engine_.program.FindCollected(relation) != nullptr || facts_.IsComputed(relation))
    return "";
  if (rel.space() == Space::kTool || rel.space() == Space::kAvar) return "nobody answered it";
  std::string other, best;
  NearestName nearest(rel.name());
  for (RelationId r = 0; r < engine_.store.size(); ++r) {
    const Relation& known = engine_.store.at(r);
    const bool known_goal = known.space() == Space::kGoal;
    if ((known.space() != Space::kRelation && !known_goal) || engine_.store.IsWhole(r) ||
        r == relation)
      continue;
    if (known.empty() && facts_.RulesOf(r).empty() && engine_.program.FindCollected(r) == nullptr &&
        !facts_.IsComputed(r))
      continue;
    const std::string shown =
        known_goal ? known.name() : known.name() + "/" + std::to_string(known.arity());
    if (known.label() == rel.label()) other += (other.empty() ? "" : " and ") + shown;
    if (known_goal != goal) continue;
    if (nearest.Offer(known.name())) best = shown;
  }
  const std::string name = goal ? rel.name() : rel.name() + "/" + std::to_string(rel.arity());
  if (!other.empty()) return "there is no " + name + ", but " + other;
  return "nothing defines " + name + (best.empty() ? "" : ", did you mean " + best + "?");
}

void Explainer::Nearest(Absence& to, int parent, RelationId relation,
                        const std::vector<Value>& key) {
  const Relation& rel = engine_.store.at(relation);
  if (rel.space() != Space::kRelation) return;
  std::size_t shown = 0;
  for (RowId row = 0; row < rel.size() && shown < kMaxNearest; ++row) {
    const RowCells of_row = rel.CellsOf(row);
    std::size_t differ = 0;
    for (std::size_t i = 0; i < key.size(); ++i)
      if (!key[i].is_none() && key[i] != of_row[i]) ++differ;
    if (differ != 1) continue;
    ++shown;
    const std::vector<Value> cells = rel.Cells(row);
    const std::optional<Span> origin = rel.Origin(row);
    to.Add(parent, NodeKind::kNearest, facts_.FactText({relation, {cells.begin(), cells.end()}}),
           "", origin ? &*origin : nullptr);
  }
}

// Why what a `not` denies or a count counts has no rows to tell; "" if it has.
std::string Explainer::Unknown(const Clause& clause) const {
  std::string why;
  const auto look = [&](const Clauses& body) {
    for (const auto& own : OwnAtoms(body))
      if (engine_.analysis.IsBroken(engine_.store.BaseOf(own.atom.relation)))
        why = KnownAs(own.atom.relation);
  };
  if (const auto* negation = clause.As<Negation>()) look(negation->body);
  if (const auto* count = clause.As<CountOf>()) look(count->atom);
  return why;
}

// Why there may be more answers, in words; "" if there are none.
std::string Explainer::Doubt(const Undecided& open) const {
  Machine& machine = engine_.solver.machine();
  if (machine.truncated) return cut_off_.empty() ? "a limit was reached" : cut_off_;
  if (const std::vector<OpenCall> calls = engine_.solver.CallsOf(open.waits); !calls.empty())
    return "it waits for " + machine.CallText(calls.front());
  if (!open) return "";
  const Evaluation& found = machine.evaluation;
  if (found.declined) return machine.CallText(*found.declined, kToldBytes) + " was declined";
  if (found.refused) return machine.CallText(*found.refused, kToldBytes) + " was refused";
  if (found.failed) return machine.FailureText(*found.failed, found.failure);
  if (found.circle) return found.circle->text + " needs itself";
  return found.undefined.empty() ? "an answer is lacking" : found.undefined;
}

// Adds the reason why the clause at `step` fails, below the attempt. `open`: why there may be
// answers of the rule that are not known, "" if there are none.
void Explainer::FailedAt(Absence& to, int parent, const Instance& at, const Step& step,
                         const std::string& note, const std::string& open, std::size_t depth) {
  std::string with;
  for (std::size_t s = 0; s < at.slots.size(); ++s) {
    if (!at.bound[s] || at.def->slots[s].empty() || !IsPlainValue(at.slots[s])) continue;
    with += (with.empty() ? ", with " : ", ") + std::string(at.def->avar[s] ? "$" : "?") +
            at.def->slots[s] + " = " + Text(engine_.pool, at.slots[s], kToldBytes);
  }
  const std::string text = InstanceText(engine_.pool, *step.clause, *at.def, at.slots, at.bound);
  if (step.kind == Step::Kind::kStuck) {
    to.Add(parent, NodeKind::kFailed, text, step.problem);
    return;
  }
  if (const std::string unknown = Unknown(*step.clause); !unknown.empty()) {
    to.Add(parent, NodeKind::kFailed, text, NotKnown(unknown));
    return;
  }
  Instance alone = at;  // the clause by itself, with these bindings
  const auto* count = step.clause->As<CountOf>();
  if (count != nullptr) alone.bound[static_cast<std::size_t>(count->result)] = false;
  bool holds = false;
  const Undecided undecided = Each(*at.def, {step.clause}, {}, &alone,
                                   [&](const Instance&) { return holds = true, false; });
  const auto descend = [&](int node) {
    if (step.access == Access::kExternal || facts_.RulesOf(step.relation).empty() || depth == 0)
      return;
    std::vector<Value> key(step.atom->args.size());
    for (const auto& [column, p] : step.keys)
      key[column] = Build(engine_.pool, p, at.slots.data(), &at.def->slots);
    Missing(to, node, engine_.store.BaseOf(step.relation), key, depth - 1);
  };
  if (undecided) {
    const bool asked = step.kind == Step::Kind::kAtom && step.access == Access::kExternal &&
                       !undecided.waits.empty();
    const std::string why = asked ? "nobody answered it" : NotKnown(Doubt(undecided));
    const int node = to.Add(parent, NodeKind::kFailed, text, why + with);
    if (step.kind == Step::Kind::kAtom) descend(node);
    return;
  }
  if (holds && !open.empty() && count == nullptr) {
    to.Add(parent, NodeKind::kFailed, "its answers", AreNotKnown(open));
    return;
  }
  if (step.kind == Step::Kind::kNot) {
    const int node = to.Add(parent, NodeKind::kFailed, text, "it has an answer" + with);
    Instance from = at;
    ForEachBody(*step.clause, [&](const Clauses& body) {
      Each(*at.def, PointersTo(body), {}, &from, [&](const Instance& inner) {
        for (const Fact& fact : inner.facts) {
          const int child = to.Add(node, NodeKind::kDerived, facts_.FactText(fact));
          if (facts_.IsAsserted(fact)) facts_.Leaf(to.at(child), fact);
        }
        return false;
      });
    });
    return;
  }
  if (count != nullptr) {
    std::string is = "it has another value";
    Each(*at.def, {step.clause}, {}, &alone, [&](const Instance& inner) {
      is = "it is " + Text(engine_.pool, inner.slots[static_cast<std::size_t>(count->result)]);
      return false;
    });
    to.Add(parent, NodeKind::kFailed, text, is + with);
    return;
  }
  if (step.kind != Step::Kind::kAtom) {
    to.Add(parent, NodeKind::kFailed, text, (note.empty() ? "it does not hold" : note) + with);
    return;
  }
  const std::string known = KnownAs(step.relation);
  const bool undefined =
      facts_.IsComputed(step.relation) && !note.empty();  // `note` has the values
  const bool so_far = engine_.solver.machine().truncated && !facts_.IsComputed(step.relation);
  const int node = to.Add(parent, NodeKind::kFailed, text,
                          (undefined        ? note
                           : !known.empty() ? known
                           : so_far         ? "no fact matches so far"
                                            : "no fact matches") +
                              with);
  descend(node);
}

// "`std#least` gives 3": what holds in place of a row that rules give, "" if that is unknown.
std::string Explainer::BetterThan(const Definition& def, const std::vector<Value>& key) {
  const std::size_t column = def.extremum->column;
  if (key[column].is_none()) return "";
  std::string better;
  std::vector<Value> group = key;
  group[column] = kNone;
  engine_.solver.ForEachRow(def.head, group, [&](std::span<const Value> cells) {
    if (better.empty() && cells[column] != key[column])
      better = "`" + std::string(ExtremumName(*def.extremum)) + "` gives " +
               Text(engine_.pool, cells[column], kToldBytes);
  });
  return better;
}

void Explainer::Attempt(Absence& to, int parent, const Definition& def,
                        const std::vector<Value>& key, std::size_t depth) {
  Machine& machine = engine_.solver.machine();
  Frame frame(&def, def.slots);
  std::vector<Value> head = key;
  for (std::size_t i : def.gathered)
    if (i < head.size()) head[i] = kNone;
  std::vector<bool> bound(def.slots.size());
  std::vector<bool> at_start(def.slots.size());
  const Plan* plan = nullptr;
  bool answered = false;
  const bool of_all = !def.gathered.empty() || def.extremum;  // an answer alone says little
  const auto emit = [&] {
    answered = true;
    return of_all && machine.evaluation.stop == Stop::kGoesOn;
  };
  const Continuation answer(emit);
  frame.answer = &answer;
  const std::vector<const Clause*> clauses = ClausesOf(def);
  {
    const Machine::Use use(machine, frame, Mode::kSolve);
    const auto run = [&] {
      const Step* before = frame.deepest;
      const Plan& here = PlanFor(def, clauses, bound, true);
      const bool go_on = machine.Run(here.first);
      if (frame.deepest != before || plan == nullptr) plan = &here, at_start = bound;
      return go_on;
    };
    engine_.solver.BindHead(def, head, 0, bound, run);
  }
  const bool matched = def.texts.empty() || answered || frame.deepest != nullptr;
  if (plan == nullptr || !matched) return;  // the head does not match
  const int node = to.Add(parent, NodeKind::kAttempt, def.text, "", &def.span);
  const std::string open = Doubt(OpenOf(frame));
  if (answered && !open.empty()) {
    to.Add(node, NodeKind::kFailed, def.choice ? "its choice" : "its answers",
           def.choice ? NotKnown(open) : AreNotKnown(open));
    return;
  }
  if (answered) {
    const std::string better = def.extremum ? BetterThan(def, key) : "";
    to.Add(node, NodeKind::kFailed, def.choice ? "its choice" : "its answers",
           !def.gathered.empty() ? "it gathers other values"
           : !better.empty()     ? better
           : def.choice          ? "it has another answer"
                                 : "they are other values");
    return;
  }
  if (frame.deepest == nullptr) return;
  Instance at;
  at.def = &def;
  at.slots = frame.snapshot;
  at.bound = at_start;
  for (const Step* step : PathTo(plan->first, frame.deepest, frame.ways_there))
    if (step != frame.deepest) MarkWrites(*step, at.bound);
  FailedAt(to, node, at, *frame.deepest, frame.note, open, depth);
  // A limit is told once, with the form.
  const auto is_told = [&](const ExplainNode& n) { return n.note.find(open) != std::string::npos; };
  const bool waits = frame.deepest->access == Access::kExternal;
  if (open.empty() || waits || machine.truncated ||
      std::any_of(to.out.nodes.begin() + node, to.out.nodes.end(), is_told))
    return;
  to.Add(node, NodeKind::kFailed, "its other answers", AreNotKnown(open));
}

void Explainer::Missing(Absence& to, int parent, RelationId relation, const std::vector<Value>& key,
                        std::size_t depth) {
  if (engine_.analysis.IsBroken(relation)) return;  // no rule of it runs
  if (!to.asked.emplace(relation, key).second) {
    to.at(parent).above = true;
    return;
  }
  if (to.out.nodes.size() > kMaxNodes) {
    to.Add(parent, NodeKind::kTruncated, "… and more");
    return;
  }
  for (int number : facts_.RulesOf(relation))
    Attempt(to, parent, engine_.program.definitions()[static_cast<std::size_t>(number)], key,
            depth);
  Nearest(to, parent, relation, key);
}

Explanation Explainer::WhyNot(const Definition& form, std::size_t depth) {
  Absence to;
  const Clause& clause = form.body.front();
  const auto* atom = clause.As<Atom>();
  if (atom == nullptr) {
    to.Add(-1, NodeKind::kMissing, clause.text);
    return std::move(to.out);
  }
  std::vector<Value> key;
  for (const Pattern& p : atom->args)
    key.push_back(p.kind == Pattern::Kind::kConstant ? p.constant : kNone);
  std::string note = KnownAs(atom->relation);
  if (facts_.IsComputed(atom->relation))
    note = engine_.solver.WhyEmpty(engine_.solver.Demand(atom->relation, key));
  const std::string doubt = Doubt(open_form_);
  const Space space = engine_.store.at(atom->relation).space();
  if (!doubt.empty() && (note.empty() || space == Space::kTool || space == Space::kAvar))
    note = doubt;
  else if (!doubt.empty()) note += "; " + NotKnown(doubt);
  to.Add(-1, doubt.empty() ? NodeKind::kMissing : NodeKind::kNotKnown, clause.text, note);
  Missing(to, 0, engine_.store.BaseOf(atom->relation), key, depth);
  return std::move(to.out);
}

}  // namespace rpl
