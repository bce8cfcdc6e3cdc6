// SPDX-License-Identifier: Apache-2.0
//
// Definitions, collected headings and constraints: a head with its lowered tail, and the checks
// that need both.
#include "interp/program/lower.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "grammar/printer.h"
#include "interp/program/bindings.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

// Finds clauses ?t = call(…) of the tail itself, for which #?t reads that call (§5.7).
void FindForms(const Node& tail, std::map<std::string, const Node*>& out) {
  const Node& inner = Ungroup(tail);
  if (const auto* c = inner.As<Conjunction>()) {
    for (const Node& clause : c->clauses) FindForms(clause, out);
  } else if (const auto* b = inner.As<Binary>(); b != nullptr && b->op == Operator::kEqual) {
    const auto* v = Ungroup(b->sides[0]).As<Lvar>();
    const auto* call = Ungroup(b->sides[1]).As<Call>();
    if (v != nullptr && call != nullptr && call->ns == Namespace::kRelation)
      out.emplace(v->name, &Ungroup(b->sides[1]));
  }
}

bool Gathers(const Pattern& p) {
  return IsGathering(p) || std::any_of(p.parts.begin(), p.parts.end(), Gathers);
}

// The argument of `head` that gathers, where the rule calls itself with what is behind its `&`:
// `len([_ & ?t], ?n) <- len(?t, ?m), …`. A relation that gathers itself is never complete, so this
// is the pattern of a list.
const Node* RecursivePattern(const Call& head, const Rule& rule) {
  const auto calls_with = [&](const std::string& rest) {
    const std::function<bool(const Node&)> look = [&](const Node& node) {
      const auto* call = node.As<Call>();
      bool found = call != nullptr && call->ns == head.ns && call->label == head.label &&
                   call->args.size() == head.args.size() &&
                   std::any_of(call->args.begin(), call->args.end(), [&](const Node& arg) {
                     const auto* v = arg.As<Lvar>();
                     return v != nullptr && v->name == rest;
                   });
      ForEachChild(node, [&](const Node& child) { found = found || look(child); });
      return found;
    };
    return std::any_of(rule.tail.begin(), rule.tail.end(), look);
  };
  for (const Node& arg : head.args) {
    const auto* match = arg.As<Match>();
    const Node& pattern = match != nullptr ? match->pattern.front() : arg;
    const auto* c = pattern.As<Collection>();
    if (c == nullptr || c->items.empty() || c->rest.size() != 1) continue;
    const auto* v = c->rest.front().As<Lvar>();
    if (v != nullptr && !v->name.empty() && calls_with(v->name)) return &arg;
  }
  return nullptr;
}

// `len(?l, ?n) <- ?l = ~ [_ & ?t], …`, of the head `len([_ & ?t], ?n)`.
std::string PatternInTail(const Call& head, const Node& pattern, const Rule& rule) {
  std::vector<std::string> taken;
  for (const Node& n : rule.heads) CollectVariables(n, taken);
  for (const Node& n : rule.tail) CollectVariables(n, taken);
  std::string name = "l";
  while (std::find(taken.begin(), taken.end(), name) != taken.end()) name += "-list";
  Node shown{head, {}};
  for (std::size_t i = 0; i < head.args.size(); ++i)
    if (&head.args[i] == &pattern) shown.As<Call>()->args[i] = Node{Lvar{name}, {}};
  const bool match = pattern.As<Match>() != nullptr;
  return Print(shown) + " <- ?" + name + (match ? " = " : " = ~ ") + Print(pattern) + ", …";
}

// Marks clauses as evaluated before the body, those inside others as well.
void MarkActivation(Clauses& clauses) {
  ForEachClause(clauses, [](Clause& clause) { clause.activation = true; });
}

bool HasTemplate(const Pattern& p) {
  return p.kind == Pattern::Kind::kTemplate || std::ranges::any_of(p.parts, HasTemplate) ||
         std::ranges::any_of(p.rest, HasTemplate);
}

}  // namespace

// Reports two adjacent holes that nothing else binds: the text between them could be split anywhere
// (decision 11).
void Lowering::CheckTemplates(const Clauses& body, const std::vector<Pattern>& head) {
  // The clauses that mention a slot, and those that may bind it; made when first needed. A
  // caller may bind an argument that other clauses of the tail take as well.
  struct Mentions {
    std::uint32_t all = 0, binding = 0;
    bool in_head = false;
    const Clause* last = nullptr;
  };
  std::vector<Mentions> mentions;
  const auto elsewhere = [&](SlotId slot) {
    if (mentions.empty()) {
      mentions.resize(names_.size());
      const auto of = [&](SlotId s) -> Mentions& { return mentions[static_cast<std::size_t>(s)]; };
      for (const Pattern& p : head) ForEachSlot(p, [&](SlotId s) { of(s).in_head = true; });
      for (const Clause& clause : body)
        ForEachSlot(clause, [&](SlotId s) {
          if (std::exchange(of(s).last, &clause) == &clause) return;
          ++of(s).all;
          of(s).binding += MayBind(clause) ? 1 : 0;
        });
    }
    const Mentions& m = mentions[static_cast<std::size_t>(slot)];
    return m.binding >= 2 || (m.in_head && m.all >= 2);
  };
  const auto check = [&](const Clause& clause, const Pattern& pattern) {
    const std::function<void(const Pattern&)> walk = [&](const Pattern& p) {
      for (const Pattern& part : p.parts) walk(part);
      if (p.kind != Pattern::Kind::kTemplate) return;
      const auto open = [&](const Pattern& hole) {
        return hole.kind == Pattern::Kind::kAny || !elsewhere(hole.slot);
      };
      for (std::size_t i = 0; i + 1 < p.parts.size(); ++i)
        if (p.texts()[i + 1].empty() && open(p.parts[i]) && open(p.parts[i + 1])) {
          Fail(Code::kBadTemplate, clause.span,
               "two unbound holes stand side by side in `" + clause.text + "`",
               "put text between them, or bind one");
          return;
        }
    };
    walk(pattern);
  };
  for (const Clause& clause : body) {
    if (const auto* atom = clause.As<Atom>())
      for (const Pattern& arg : atom->args) check(clause, arg);
    if (const auto* with = clause.As<MatchWith>()) check(clause, with->pattern);
  }
}

// Reports head lvars that the tail never mentions: inputs that no caller may supply (decision 38).
void Lowering::CheckHead(const Node& head, const Definition& def) {
  if (heading_.signature || def.body.empty() || failed_) return;
  std::vector<bool> seen(names_.size());
  for (const Clause& clause : def.body) CollectSlots(clause, seen);
  for (const Clause& clause : def.activation) CollectSlots(clause, seen);
  if (std::ranges::find(seen, false) == seen.end()) return;
  std::vector<std::string> wanted;
  CollectVariables(head, wanted);
  for (const std::string& name : wanted) {
    const auto slot = slots_.find("?" + name);
    if (slot == slots_.end() || seen[static_cast<std::size_t>(slot->second)]) continue;
    out_.Add({Code::kUnboundHead, InfoOf(Code::kUnboundHead).severity, head.span,
              "?" + name + " is in the head but nowhere in the tail",
              "only a caller that binds it gets an answer", "?" + name});
  }
}
const Call* ExtremumCall(const Node& arg) {
  const auto* call = Ungroup(arg).As<Call>();
  const bool is =
      call != nullptr && call->ns == Namespace::kRelation &&
      (call->label == ExtremumName({0, false}) || call->label == ExtremumName({0, true}));
  return is ? call : nullptr;
}

// What an argument of the head holds: itself, or the argument of its `std#least` or `std#greatest`,
// which the definition then has.
const Node& Lowering::ExtremumOf(const Node& arg, const Call& head, Definition& def) {
  const Call* const call = ExtremumCall(arg);
  if (call == nullptr) {
    const std::function<void(const Node&)> look = [&](const Node& node) {
      if (const Call* inner = ExtremumCall(node))
        Fail(Code::kBadExtremum, node.span,
             "`" + Print(node) + "` stands inside of an argument of the head",
             "make `" + inner->label + "` an argument of its own, as in `" + head.label +
                 "(?key, " + inner->label + "(?value))`");
      else ForEachChild(node, look);
    };
    ForEachChild(arg, look);
    return arg;
  }
  const Extremum extremum{def.args.size(), call->label == ExtremumName({0, true})};
  const auto wrong = [&](const std::string& what, const std::string& hint = "") -> const Node& {
    Fail(Code::kBadExtremum, arg.span, what, hint);
    return arg;
  };
  if (call->args.size() != 1)
    return wrong("`" + call->label + "` takes one argument, got " +
                 std::to_string(call->args.size()));
  if (head.ns != Namespace::kRelation)
    return wrong("`" + call->label + "` stands in the head of a " +
                     (head.ns == Namespace::kGoal ? "goal" : "tool"),
                 "only a relation has one; let it read that relation");
  if (def.extremum)
    return wrong(
        "the head has `" + std::string(ExtremumName(*def.extremum)) + "` and `" + call->label + "`",
        "a relation has one of them; join two relations");
  def.extremum = extremum;
  return call->args.front();
}

// Whether no value can be built from the pattern: it only matches what a caller gives.
bool OnlyMatches(const Pattern& p) {
  return p.kind == Pattern::Kind::kAny || p.kind == Pattern::Kind::kEach ||
         p.kind == Pattern::Kind::kRegex || p.open || std::ranges::any_of(p.parts, OnlyMatches) ||
         std::ranges::any_of(p.rest, OnlyMatches);
}

// `p([_ ?y]) <- …` is `p(?a) <- ?a = ~ [_ ?y], …`, for an ?a that nothing else names.
void Lowering::MatchArgument(const Node& node, Pattern& arg, Clauses& out) {
  const SlotId slot = FreshSlot();
  names_.back() = kAnyInput;
  Pattern pattern = std::exchange(arg, Pattern::Slot(slot));
  MatchWith with;
  with.value.term = arg;
  with.pattern = pattern.kind == Pattern::Kind::kEach ? pattern.parts.front() : pattern;
  Push(out, node, std::move(with));
}

// The head's relation and arguments, and the captures of a goal. What matches an argument goes to
// the body.
void Lowering::HeadOf(const Node& head, const Rule& rule, Definition& def) {
  if (const auto* call = head.As<Call>()) {
    const auto arity =
        call->ns == Namespace::kGoal ? 1u : static_cast<std::uint32_t>(call->args.size());
    if (call->args.size() > kMaxArity)
      Fail(Code::kTooLong, head.span, "expected at most 64 arguments");
    if (const Node* pattern = RecursivePattern(*call, rule))
      Fail(Code::kGatheringRecursion, pattern->span,
           "`" + Print(*pattern) +
               "` in a head gathers all answers into one list; it takes none apart",
           "take the list apart in the tail: `" + PatternInTail(*call, *pattern, rule) + "`");
    def.head = program_.store().Declare(SpaceOf(call->ns), call->label, arity);
    for (const Node& arg : call->args) {
      def.args.push_back(Term(ExtremumOf(arg, *call, def)));
      if (Gathers(def.args.back())) def.gathered.push_back(def.args.size() - 1);
      if (def.args.back().kind == Pattern::Kind::kAny) {  // an input like any unbound lvar
        def.args.back() = Pattern::Slot(FreshSlot());
        names_.back() = kAnyInput;
      } else if (call->ns != Namespace::kGoal && !rule.tail.empty() &&
                 OnlyMatches(def.args.back())) {
        MatchArgument(arg, def.args.back(), def.body);
      }
      if (call->ns == Namespace::kGoal) {
        const auto* v = arg.As<Lvar>();
        const auto* av = arg.As<Avar>();
        const std::string name = v != nullptr    ? v->name
                                 : av != nullptr ? av->name
                                                 : std::to_string(def.args.size());
        def.captures.push_back(program_.store().pool().Slot(name));
      }
    }
    if (def.extremum && !def.gathered.empty())
      Fail(Code::kBadExtremum, head.span,
           "the head gathers, and has `" + std::string(ExtremumName(*def.extremum)) + "`",
           "gather in another relation, which reads this one");
  } else if (const auto* expansion = head.As<Expansion>()) {
    def.head_expansion = SlotOf(expansion->name, false);
  }
}

// The arguments that a caller may give and that contain a template.
void Lowering::TextsOf(Definition& def) {
  for (std::size_t i = 0; i < def.args.size(); ++i) {
    const bool given =
        std::ranges::count(def.gathered, i) == 0 && !(def.extremum && def.extremum->column == i);
    if (!given || !HasTemplate(def.args[i])) continue;
    const SlotId slot = FreshSlot();
    MatchWith match;
    match.value.term = Pattern::Slot(slot);
    match.pattern = def.args[i];
    TextArgument& text = def.texts.emplace_back();
    text.column = i;
    text.slot = slot;
    text.match.is = std::move(match);
    text.match.span = def.span;
    text.match.activation = text.match.of_head = true;
  }
}

// Constraints of a rule: a shape pins (decision 19), -> !% of the goal `own` guards (decision 62),
// the rest checks each answer (decision 41).
void Lowering::ConstraintsOf(const Rule& rule, const Call* own, Definition& def) {
  for (std::size_t i = 0; i < rule.constraints.size(); ++i) {
    const Node& part = Ungroup(rule.constraints[i]);
    const bool last = i + 1 == rule.constraints.size();
    if (!last) {
      // -> ?r -> inner(?x); the left part may also have clauses before ?r.
      const Node* pinned = &part;
      if (const auto* c = part.As<Conjunction>()) {
        for (std::size_t k = 0; k + 1 < c->clauses.size(); ++k) Tail(c->clauses[k], def.body);
        pinned = &Ungroup(c->clauses.back());
      }
      Compare pin{Operator::kEqual, {}, {}};
      pin.left.term = Term(*pinned);
      pin.right.term = Term(Ungroup(rule.constraints[i + 1]));
      Push(def.body, part, std::move(pin));
      break;
    }
    const auto* guard = part.As<GoalFalse>();
    const Call* guarded = guard == nullptr ? nullptr : guard->goal.front().As<Call>();
    if (guarded != nullptr && own != nullptr && own->ns == Namespace::kGoal &&
        guarded->label == own->label) {
      activation_ = true;
      Tail(part, def.activation);
      activation_ = false;
      continue;
    }
    const auto* truth = part.As<Boolean>();
    if (truth != nullptr && truth->value) continue;
    Check check;
    Tail(part, check.body);
    check.constraint = static_cast<int>(program_.constraints_.size());
    def.choice = true;
    Constraint c;
    c.number = check.constraint;
    c.span = def.span;
    c.text = Print(rule);
    c.reported = Print(part);
    c.heading = heading_.title;
    program_.constraints_.push_back(std::move(c));
    Push(def.body, part, std::move(check));
  }
}

Definition Lowering::Define(const Node& head, const Rule& written, Span span,
                            const Method* method) {
  const std::optional<Rule> with_pin = WithPin(written);
  const Rule& rule = with_pin ? *with_pin : written;
  Definition def;
  def.span = span;
  def.text = Print(written);
  def.heading = heading_.title;
  def.from_heading = heading_.signature;
  for (const Node& tail : rule.tail) FindForms(tail, forms_);

  Activation(rule.abductives, def);
  const Clauses after = std::exchange(def.body, {});  // @distinct comes last
  HeadOf(head, rule, def);

  // HEAD <- (RULE ; @when ...): both heads hold for each answer of the inner tail (decision 37), so
  // what activates one activates the other.
  const std::vector<Node>* tails = &rule.tail;
  while (tails->size() == 1) {
    const auto* inner = Ungroup(tails->front()).As<Rule>();
    if (inner == nullptr) break;
    Activation(inner->abductives, def);
    tails = &inner->tail;
  }
  for (const Node& tail : *tails) Tail(tail, def.body);

  const auto* head_call = head.As<Call>();
  ConstraintsOf(rule, method != nullptr ? method->goal.As<Call>() : head_call, def);
  for (const Clause& clause : after) def.body.push_back(clause);
  if (method != nullptr) {
    Clauses goal;
    CallClause(method->goal, *method->goal.As<Call>(), goal, -1);
    auto* atom = goal.front().As<Atom>();
    atom->rule = method->rule;
    const auto guards = [&](const Clause& clause) {
      const auto* is = clause.As<GoalIsFalse>();
      return is != nullptr && is->goal.relation == atom->relation;
    };
    if (std::any_of(def.activation.begin(), def.activation.end(), guards))
      def.body.insert(def.body.begin(), std::move(goal.front()));
  }
  MarkActivation(def.activation);

  // %name <- (tail) ^^ ~ {?a ?a} captures like %name(?a) (§15.1).
  if (head_call != nullptr && head_call->ns == Namespace::kGoal && head_call->args.empty() &&
      !def.body.empty() && rule.tail.size() == 1 && rule.tail.front().As<Annotated>()) {
    const auto* last = def.body.back().As<Metadata>();
    if (last != nullptr && last->bindings && last->pattern.kind == Pattern::Kind::kMap)
      for (std::size_t i = 0; i + 1 < last->pattern.parts.size(); i += 2) {
        const Pattern& key = last->pattern.parts[i];
        const Pattern& value = last->pattern.parts[i + 1];
        if (key.kind != Pattern::Kind::kConstant || value.kind != Pattern::Kind::kSlot) continue;
        def.captures.push_back(key.constant);
        def.args.push_back(value);
      }
  }
  CheckTemplates(def.body, def.args);
  CheckHead(head, def);
  ReadAvars(def.body, def.args);
  TextsOf(def);
  def.slots = names_;
  def.avar = avar_;
  return def;
}

Collected Lowering::Collect(const Node& head) {
  const auto* call = head.As<Call>();
  Collected collected;
  collected.span = head.span;
  collected.relation = program_.store().Declare(Space::kRelation, call->label,
                                                static_cast<std::uint32_t>(call->args.size()));
  for (const Node& arg : call->args) {
    if (ExtremumCall(arg) != nullptr)
      Fail(Code::kBadExtremum, arg.span,
           "`" + Print(arg) + "` stands in a heading without a rule, which asks for its values",
           "ask for the values in a heading of its own, and read that in a rule");
    std::string name = call->label;
    if (const auto* v = arg.As<Lvar>(); v != nullptr && !v->name.empty()) name = v->name;
    const auto* avar = arg.As<Avar>();
    if (avar != nullptr) {
      name = avar->name;
      program_.store().Declare(Space::kAvar, name, 0);
    }
    const int q = QuestionFor(name, avar != nullptr ? "$" + name : Print(head));
    collected.questions.push_back(q);
  }
  return collected;
}

Constraint Lowering::Constrain(const Rule& written, Span span) {
  const std::optional<Rule> with_pin = WithPin(written);
  const Rule& rule = with_pin ? *with_pin : written;
  Constraint c;
  c.span = span;
  c.text = Print(written);
  c.heading = heading_.title;
  for (const Node& tail : rule.tail) FindForms(tail, forms_);
  Definition conditions;
  Activation(rule.abductives, conditions);
  c.left = std::move(conditions.activation);
  for (const Node& tail : rule.tail) {
    Tail(tail, c.left);
    c.own = OwnOf(tail);
    c.reported = Print(tail);
  }
  if (rule.constraints.empty()) {
    c.obligation = true;
  } else if (rule.constraints.size() == 2) {
    // tail -> ?r -> inner(?x): the shape of ?r must hold for every answer that has it.
    Compare pin{Operator::kEqual, {}, {}};
    pin.left.term = Term(Ungroup(rule.constraints[0]));
    pin.right.term = Term(Ungroup(rule.constraints[1]));
    Push(c.left, rule.constraints[0], std::move(pin));
    c.obligation = true;
  } else {
    const auto* truth = Ungroup(rule.constraints.front()).As<Boolean>();
    if (truth != nullptr) {
      c.forbids = !truth->value;
      c.obligation = truth->value;
    } else {
      Tail(rule.constraints.front(), c.right);
    }
  }
  for (Clause& clause : conditions.body) c.left.push_back(std::move(clause));
  ReadAvars(c.left, {});
  c.slots = names_;
  c.avar = avar_;
  return c;
}

}  // namespace rpl
