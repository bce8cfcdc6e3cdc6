// SPDX-License-Identifier: Apache-2.0
//
// Lowering of the parts of clauses: slots, patterns, expressions. A pattern whose parts are all
// constant becomes one constant, unless a set among them matches lists as well; a count inside an
// expression becomes a clause before the operator, with a slot for its result.
#include <re2/re2.h>

#include <algorithm>

#include "grammar/printer.h"
#include "grammar/shape.h"
#include "interp/program/lower.h"
#include "interp/store/store.h"

namespace rpl {

Value NumberValue(Pool& pool, const Number& number) {
  const auto* f = std::get_if<double>(&number.value);
  return pool.Number(f != nullptr ? NumberAsWritten(*f) : number.value);
}

SlotId Lowering::FreshSlot() {
  names_.emplace_back();
  avar_.push_back(false);
  return static_cast<SlotId>(names_.size()) - 1;
}

// ?x and $x are two slots; in a bindings map both show as ?x (decision 46).
SlotId Lowering::SlotOf(const std::string& name, bool avar) {
  std::string key(1, avar ? '$' : '?');
  key += name;
  const auto [it, is_new] = slots_.emplace(key, 0);
  if (is_new) {
    it->second = FreshSlot();
    names_.back() = name;
    avar_.back() = avar;
  }
  return it->second;
}

// Reduces a pattern whose parts are all constant to a constant. One with a set that also matches
// lists stays: no single value equals all that it matches.
Pattern Lowering::Fold(Pattern p) {
  Pool& pool = program_.store().pool();
  if (!p.rest.empty() || p.open) return p;
  std::vector<rpl::Value> parts;
  for (const Pattern& part : p.parts) {
    if (part.kind != Pattern::Kind::kConstant || part.lists) return p;
    parts.push_back(part.constant);
  }
  const auto unordered = [&](rpl::Value v) {
    Pattern out = Pattern::Constant(v);
    if (!v.is_none())
      if (std::vector<rpl::Value> written = pool.OrderIfOther(v, parts); !written.empty())
        out.Set({.written = std::move(written)});
    out.lists = p.lists;
    return out;
  };
  switch (p.kind) {
    case Pattern::Kind::kList: return Pattern::Constant(pool.List(parts));
    case Pattern::Kind::kSet: return unordered(pool.Set(parts));
    case Pattern::Kind::kMap: return unordered(pool.Map(parts));
    case Pattern::Kind::kTerm: return Pattern::Constant(pool.Term(p.ns, p.label(), parts));
    default: return p;
  }
}

Pattern Lowering::CollectionPattern(const Collection& c, bool open) {
  Pattern p;
  p.kind = c.kind == CollectionKind::kList  ? Pattern::Kind::kList
           : c.kind == CollectionKind::kSet ? Pattern::Kind::kSet
                                            : Pattern::Kind::kMap;
  p.open = open && p.kind == Pattern::Kind::kMap && c.rest.empty();
  p.lists = open && p.kind == Pattern::Kind::kSet;
  for (const Node& item : c.items) p.parts.push_back(Term(item, open));
  for (const Node& item : c.rest) p.rest.push_back(Term(item, open));
  return Fold(std::move(p));
}

// `open`: the node stands after `~`, where maps allow further keys (decision 29), and sets match
// lists (decision 90).
Pattern Lowering::Term(const Node& node, bool open) {
  Pool& pool = program_.store().pool();
  const auto slot = [&](const std::string& name, bool avar) {
    return Pattern::Slot(SlotOf(name, avar));
  };
  return Visit(
      node, [&](const Lvar& v) { return v.name.empty() ? Pattern::Any() : slot(v.name, false); },
      [&](const Avar& v) { return slot(v.name, true); },
      [&](const String& v) { return Pattern::Constant(pool.String(v.text)); },
      [&](const Number& v) { return Pattern::Constant(NumberValue(pool, v)); },
      [&](const Keyword& v) { return Pattern::Constant(pool.Keyword(v.name)); },
      [&](const Symbol& v) { return Pattern::Constant(pool.Symbol(v.name)); },
      [&](const Boolean& v) { return Pattern::Constant(Pool::Bool(v.value)); },
      [&](const Nil&) { return Pattern::Constant(kNil); },
      [&](const Now&) { return Pattern::Constant(pool.Symbol("now")); },
      [&](const Collection& v) { return CollectionPattern(v, open); },
      [&](const Group& v) { return Term(v.inner.front(), open); },
      [&](const Template& v) {
        Pattern p;
        p.kind = Pattern::Kind::kTemplate;
        p.Set({.texts = v.texts});
        for (const std::string& hole : v.holes)
          p.parts.push_back(hole.empty() ? Pattern::Any() : slot(hole, false));
        return p;
      },
      [&](const Call& v) {
        Pattern p;
        p.kind = Pattern::Kind::kTerm;
        p.ns = v.ns;
        p.Set({.label = v.label});
        for (const Node& arg : v.args) p.parts.push_back(Term(arg, open));
        return Fold(std::move(p));
      },
      [&](const Regex& v) {
        Pattern p;
        p.kind = Pattern::Kind::kRegex;
        re2::RE2::Options options;
        options.set_log_errors(false);
        auto regex = std::make_shared<const re2::RE2>(Re2Pattern(v.body), options);
        if (!regex->ok()) {
          Fail(Code::kBadRegex, node.span, "the regex is invalid: " + regex->error());
          return p;
        }
        p.parts.resize(static_cast<std::size_t>(regex->NumberOfCapturingGroups()));
        for (const auto& [number, name] : regex->CapturingGroupNames())
          p.parts[static_cast<std::size_t>(number) - 1] = slot(LvarOfGroup(name), false);
        p.Set({.regex = std::move(regex)});
        return p;
      },
      [&](const Match& v) {
        Pattern inner = Term(v.pattern.front(), true);
        if (inner.kind == Pattern::Kind::kSet ||
            (inner.kind == Pattern::Kind::kConstant && inner.constant.kind() == Kind::kSet))
          return inner;
        Pattern p;
        p.kind = Pattern::Kind::kEach;
        p.parts.push_back(std::move(inner));
        return p;
      },
      [&](const Among<Expansion, Count, Not, GoalFalse, Binary, Within, Between, Conjunction,
                      Disjunction, Annotated, Rule> auto&) {
        Fail(Code::kSyntaxError, node.span, "expected a value, got `" + Print(node) + "`");
        return Pattern();
      });
}

// Counts inside the expression become clauses of their own, before the operator.
Expr Lowering::Compute(const Node& node, Clauses& before) {
  Expr e;
  Visit(
      node,
      [&](const Binary& b) {
        e.kind = Expr::Kind::kOperator;
        e.op = b.op;
        for (const Node& side : b.sides) e.sides.push_back(Compute(side, before));
      },
      [&](const Group& g) { e = Compute(g.inner.front(), before); },
      [&](const Now&) { e.kind = Expr::Kind::kNow; },
      [&](const Count& c) {
        CountOf count;
        count.result = FreshSlot();
        const Node* operand = &Ungroup(c.operand.front());
        if (const auto* x = operand->As<Expansion>())
          if (const auto form = forms_.find(x->name); form != forms_.end()) operand = form->second;
        if (const auto* x = operand->As<Expansion>()) {
          count.expansion = SlotOf(x->name, false);
        } else if (const auto* call = operand->As<Call>()) {
          CallClause(*operand, *call, count.atom, -1);
        } else {
          count.value.push_back(Compute(*operand, before));
        }
        e.term = Pattern::Slot(count.result);
        Push(before, node, std::move(count));
      },
      // The form that ?x holds, as a value (decision 2).
      [&](const Expansion& x) { e.term = Pattern::Slot(SlotOf(x.name, false)); },
      [&](const Among<Lvar, Avar, String, Template, Number, Keyword, Symbol, Boolean, Nil, Regex,
                      Match, Collection, Call, Not, GoalFalse, Within, Between, Conjunction,
                      Disjunction, Annotated, Rule> auto&) { e.term = Term(node); });
  return e;
}

}  // namespace rpl
