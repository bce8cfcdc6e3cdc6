// SPDX-License-Identifier: Apache-2.0
//
// A tail is first written as alternatives without `|`. Each is solved by taking the first
// clause that is ready, for every way it holds, with the rest. The variables that a clause shares
// with others are determined for the alternative as a whole, so clause order cannot matter.
#include "interp/testing/naive.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "grammar/printer.h"
#include "interp/testing/unfold.h"

namespace rpl::naive {
namespace {

// Bindings, and whether all clauses so far are true; else none is false, and some are undecided.
// A variable in `any` may have every value: an undefined clause would bind it, and no other has.
struct Env : std::map<std::string, Datum> {
  bool sure = true;
  std::set<std::string> any = {};
};
using Names = std::set<std::string>;
using Then = std::function<void(const Env&)>;
using Tail = std::vector<const Node*>;
__extension__ typedef __int128 Wide;

struct Unsupported {
  std::string what;
};

// Goes on unless `truth` is false.
void Go(const Env& env, Truth truth, const Then& then) {
  if (truth == Truth::kFalse) return;
  if (truth == Truth::kTrue || !env.sure) return then(env);
  Env next = env;
  next.sure = false;
  then(next);
}

// --- terms ----------------------------------------------------------------------------

void Collect(const Node& node, Names& out) {
  if (const auto* v = node.As<Lvar>(); v != nullptr && !v->name.empty()) out.insert(v->name);
  if (const auto* t = node.As<Template>())
    for (const std::string& hole : t->holes)
      if (!hole.empty()) out.insert(hole);
  ForEachChild(node, [&](const Node& child) { Collect(child, out); });
}

Names NamesOf(const Node& node) {
  Names out;
  Collect(node, out);
  return out;
}

bool HasCount(const Node& node) {
  if (node.As<Count>()) return true;
  bool found = false;
  ForEachChild(node, [&](const Node& child) { found |= HasCount(child); });
  return found;
}

bool AllBound(const Names& names, const Env& env) {
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& n) { return env.count(n) > 0; });
}

// The value of a term under bindings; nullopt when a variable is free.
std::optional<Datum> Build(const Node& node, const Env& env) {
  const auto all = [&](const Nodes& nodes) -> std::optional<std::vector<Datum>> {
    std::vector<Datum> out;
    for (const Node& n : nodes) {
      std::optional<Datum> d = Build(n, env);
      if (!d) return std::nullopt;
      out.push_back(std::move(*d));
    }
    return out;
  };
  if (const auto* v = node.As<Lvar>()) {
    const auto it = env.find(v->name);
    if (it != env.end()) return it->second;
    return env.any.count(v->name) > 0 ? std::optional(Unknown()) : std::nullopt;
  }
  if (const auto* s = node.As<String>()) return Datum{'a', s->text, {}};
  if (const auto* t = node.As<Template>()) {
    std::string out = t->texts.front();
    for (std::size_t i = 0; i < t->holes.size(); ++i) {
      const auto it = env.find(t->holes[i]);
      if (it == env.end()) return std::nullopt;
      if (HasUnknown(it->second)) return Unknown();
      out += Plain(it->second) + t->texts[i + 1];
    }
    return Datum{'a', out, {}};
  }
  if (const auto* n = node.As<Number>()) {
    if (const auto* i = std::get_if<std::int64_t>(&n->value)) return IntDatum(*i);
    if (const auto* digits = std::get_if<std::string>(&n->value)) return Datum{'i', *digits, {}};
    return FloatDatum(std::get<double>(n->value));
  }
  if (const auto* k = node.As<Keyword>()) return Datum{'k', k->name, {}};
  if (const auto* y = node.As<Symbol>()) return Datum{'y', y->name, {}};
  if (const auto* b = node.As<Boolean>()) return Datum{'b', b->value ? "true" : "false", {}};
  if (node.As<Nil>()) return Datum{'n', "", {}};
  if (const auto* c = node.As<Collection>()) {
    auto items = all(c->items);
    auto rest = all(c->rest);
    if (!items || !rest) return std::nullopt;
    if (!rest->empty()) {
      const Datum& more = rest->front();
      if (more.kind == '?') return Unknown();
      for (const Datum& d : more.parts) {
        if (more.kind == 'm') items->insert(items->end(), d.parts.begin(), d.parts.end());
        else items->push_back(d);
      }
    }
    if (c->kind == CollectionKind::kList) return Datum{'l', "", std::move(*items)};
    if (c->kind == CollectionKind::kSet) return SetDatum(std::move(*items));
    return MapDatum(*items);
  }
  if (const auto* call = node.As<Call>()) {
    auto args = all(call->args);
    if (!args) return std::nullopt;
    return Datum{'t', call->label, std::move(*args)};
  }
  return std::nullopt;
}

// --- matching -------------------------------------------------------------------------

void MatchNode(const Node& pattern, const Datum& d, const Env& env, bool open, const Then& then);

// A value that is not known may match: what the pattern binds is not known either.
void MatchUnknown(const Node& pattern, const Env& env, const Then& then) {
  Env next = env;
  next.sure = false;
  for (const std::string& name : NamesOf(pattern))
    if (next.count(name) == 0) next.any.insert(name);
  then(next);
}

// parts[at..] against values[at..].
void MatchAll(const Nodes& parts, const std::vector<Datum>& values, std::size_t at, const Env& env,
              bool open, const Then& then) {
  if (at == parts.size()) return then(env);
  MatchNode(parts[at], values[at], env, open,
            [&](const Env& e) { MatchAll(parts, values, at + 1, e, open, then); });
}

// Each pattern takes an element of its own.
void MatchSet(const Collection& c, const std::vector<Datum>& left, std::size_t at, const Env& env,
              bool open, const Then& then) {
  if (at == c.items.size()) {
    if (!c.rest.empty()) return MatchNode(c.rest.front(), SetDatum(left), env, open, then);
    if (left.empty()) then(env);
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::vector<Datum> others = left;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    MatchNode(c.items[at], left[i], env, open,
              [&](const Env& e) { MatchSet(c, others, at + 1, e, open, then); });
  }
}

void MatchMap(const Collection& c, const std::vector<Datum>& left, std::size_t at, const Env& env,
              bool open, const Then& then) {
  if (at == c.items.size()) {
    if (!c.rest.empty()) return MatchNode(c.rest.front(), Datum{'m', "", left}, env, open, then);
    if (left.empty() || open) then(env);
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::vector<Datum> others = left;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    MatchNode(c.items[at], left[i].parts[0], env, open, [&](const Env& e) {
      MatchNode(c.items[at + 1], left[i].parts[1], e, open,
                [&](const Env& f) { MatchMap(c, others, at + 2, f, open, then); });
    });
  }
}

// The first way, holes shortest from the left (decision 11).
bool MatchTemplate(const Template& t, std::string_view text, std::size_t at, const Env& env,
                   const Then& then) {
  if (at == t.holes.size()) {
    if (!text.empty()) return false;
    then(env);
    return true;
  }
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const Datum part{'a', std::string(text.substr(0, size)), {}};
    if (!text.substr(size).starts_with(t.texts[at + 1])) continue;
    Env next = env;
    if (!t.holes[at].empty()) {
      const auto [it, fresh] = next.emplace(t.holes[at], part);
      if (!fresh && Plain(it->second) != part.text) continue;
    }
    if (MatchTemplate(t, text.substr(size + t.texts[at + 1].size()), at + 1, next, then))
      return true;
  }
  return false;
}

void MatchTilde(const Node& pattern, const Datum& d, const Env& env, const Then& then) {
  if (d.kind == '?') return MatchUnknown(pattern, env, then);
  const auto* c = pattern.As<Collection>();
  const bool set_pattern = c != nullptr && c->kind == CollectionKind::kSet;
  if (d.kind != 's' || set_pattern) return MatchNode(pattern, d, env, true, then);
  for (const Datum& part : d.parts) MatchNode(pattern, part, env, true, then);
}

void MatchNode(const Node& pattern, const Datum& d, const Env& env, bool open, const Then& then) {
  if (const auto* v = pattern.As<Lvar>()) {
    if (v->name.empty()) return then(env);
    const auto it = env.find(v->name);
    if (it != env.end()) return Go(env, Equal(it->second, d), then);
    if (d.kind == '?') return MatchUnknown(pattern, env, then);
    Env next = env;
    next.emplace(v->name, d);
    return then(next);
  }
  if (d.kind == '?') return MatchUnknown(pattern, env, then);
  if (const auto* m = pattern.As<Match>()) return MatchTilde(m->pattern.front(), d, env, then);
  if (const auto* t = pattern.As<Template>()) {
    if (d.kind == 'a' && d.text.starts_with(t->texts.front()))
      MatchTemplate(*t, std::string_view(d.text).substr(t->texts.front().size()), 0, env, then);
    return;
  }
  if (const auto* c = pattern.As<Collection>()) {
    switch (c->kind) {
      case CollectionKind::kList: {
        // A map met by a two-element list gives its entries (decision 30), after ~ only.
        if (d.kind == 'm' && open && c->items.size() == 2 && c->rest.empty()) {
          for (const Datum& entry : d.parts) MatchAll(c->items, entry.parts, 0, env, open, then);
          return;
        }
        if (d.kind != 'l' || d.parts.size() < c->items.size()) return;
        if (c->rest.empty() && d.parts.size() != c->items.size()) return;
        return MatchAll(c->items, d.parts, 0, env, open, [&](const Env& e) {
          if (c->rest.empty()) return then(e);
          const Datum rest{
              'l',
              "",
              {d.parts.begin() + static_cast<std::ptrdiff_t>(c->items.size()), d.parts.end()}};
          MatchNode(c->rest.front(), rest, e, open, then);
        });
      }
      case CollectionKind::kSet:
        if (d.kind == 's') return MatchSet(*c, d.parts, 0, env, open, then);
        // After ~, a list by its distinct elements (decision 90).
        if (d.kind == 'l' && open) {
          std::vector<Datum> distinct;
          for (const Datum& part : d.parts)
            if (std::find(distinct.begin(), distinct.end(), part) == distinct.end())
              distinct.push_back(part);
          MatchSet(*c, distinct, 0, env, open, then);
        }
        return;
      case CollectionKind::kMap:
        if (d.kind == 'm') MatchMap(*c, d.parts, 0, env, open, then);
        return;
    }
  }
  if (const auto* call = pattern.As<Call>()) {
    if (d.kind != 't' || d.text != call->label || d.parts.size() != call->args.size()) return;
    return MatchAll(call->args, d.parts, 0, env, open, then);
  }
  const std::optional<Datum> constant = Build(pattern, env);
  if (!constant) throw Unsupported{"pattern " + Print(pattern)};
  Go(env, Equal(*constant, d), then);
}

std::string KeyOf(const Call& call) {
  if (call.ns == Namespace::kTool) throw Unsupported{"a tool"};
  return (call.ns == Namespace::kGoal ? "%" : "") + call.label + "/" +
         std::to_string(call.args.size());
}

// --- the machine ----------------------------------------------------------------------

class Machine {
 public:
  explicit Machine(const Database& db) : db_(db) {}

  /// Calls `then` for each way the tail holds. `outside`: variables of the rule that stand
  /// elsewhere (its head).
  void Solve(const Node& tail, const Names& outside, const Env& env, const Then& then) const {
    for (const Tail& list : Alternatives(Ungroup(tail))) SolveList(list, outside, env, then);
  }

  /// Whether the tail holds under these bindings in some way.
  Truth Holds(const Node& tail, const Env& env) const {
    Env known = env;
    known.sure = true;
    Truth out = Truth::kFalse;
    Solve(tail, {}, known,
          [&](const Env& e) { out = std::max(out, e.sure ? Truth::kTrue : Truth::kUndecided); });
    return out;
  }

 private:
  static std::vector<Tail> Alternatives(const Node& node) {
    if (const auto* d = node.As<Disjunction>()) {
      std::vector<Tail> out;
      for (const Node& branch : d->branches)
        for (Tail& t : Alternatives(Ungroup(branch))) out.push_back(std::move(t));
      return out;
    }
    if (const auto* c = node.As<Conjunction>()) {
      std::vector<Tail> out(1);
      for (const Node& clause : c->clauses) {
        std::vector<Tail> next;
        for (const Tail& head : out)
          for (const Tail& more : Alternatives(Ungroup(clause))) {
            next.push_back(head);
            next.back().insert(next.back().end(), more.begin(), more.end());
          }
        out = std::move(next);
      }
      return out;
    }
    return {{&node}};
  }

  // `grouped`: names that are bound because counts group by them.
  void SolveList(const Tail& list, const Names& outside, const Env& env, const Then& then,
                 const Names& grouped = {}) const {
    if (list.empty()) return then(env);
    // A template with free holes comes after what may bind them (decision 11). Last of all
    // counts take group keys: what no other clause can bind (decision 25).
    for (const int pass : {0, 1, 2}) {
      const bool desperate = pass == 2;
      if (desperate && !env.any.empty()) return then(env);  // what is left is not known either
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (pass == 0 && HasFreeHole(*list[i], env)) continue;
        Names others = outside;
        others.insert(env.any.begin(), env.any.end());
        Names binds;
        for (std::size_t k = 0; k < list.size(); ++k) {
          if (k == i) continue;
          Collect(*list[k], others);
          Binds(*list[k], binds);
        }
        if (!Ready(*list[i], others, env, desperate)) continue;
        if (desperate && !FreeShared(CountedNames(*list[i]), binds, env).empty()) continue;
        Tail rest = list;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        if (CountsNoneOf(*list[i], grouped, env)) return;
        Names groups = FreeShared(CountedNames(*list[i]), others, env);
        groups.insert(grouped.begin(), grouped.end());
        return SolveClause(*list[i], others, env,
                           [&](const Env& e) { SolveList(rest, outside, e, then, groups); });
      }
    }
    throw Unsupported{"no clause is ready: " + Print(*list.front())};
  }

  static bool HasFreeHole(const Node& node, const Env& env) {
    bool found = false;
    if (const auto* t = node.As<Template>())
      for (const std::string& hole : t->holes) found |= !hole.empty() && env.count(hole) == 0;
    ForEachChild(node, [&](const Node& child) { found |= HasFreeHole(child, env); });
    return found;
  }

  // Those names that are shared and free.
  static Names FreeShared(const Names& names, const Names& others, const Env& env) {
    Names out;
    for (const std::string& n : names)
      if (others.count(n) > 0 && env.count(n) == 0) out.insert(n);
    return out;
  }

  // Whether the clause counts a group of one of these names, and there is no such group.
  bool CountsNoneOf(const Node& node, const Names& grouped, const Env& env) const {
    if (node.As<Not>()) return false;
    if (const auto* c = node.As<Count>(); c != nullptr && c->operand.front().As<Call>()) {
      const Names names = NamesOf(node);
      if (std::none_of(names.begin(), names.end(),
                       [&](const std::string& n) { return grouped.count(n) > 0; }))
        return false;
      bool found = false;
      SolveAtom(*c->operand.front().As<Call>(), env, [&](const Env&) { found = true; });
      return !found;
    }
    bool none = false;
    ForEachChild(node, [&](const Node& child) { none |= CountsNoneOf(child, grouped, env); });
    return none;
  }

  // Variables inside the counted calls of a clause.
  static Names CountedNames(const Node& node) {
    if (const auto* c = node.As<Count>(); c != nullptr && c->operand.front().As<Call>())
      return NamesOf(node);
    Names out;
    ForEachChild(node, [&](const Node& child) { out.merge(CountedNames(child)); });
    return out;
  }

  // Variables that a clause can bind when it runs, group keys aside.
  static void Binds(const Node& clause, Names& out) {
    if (clause.As<Call>()) Collect(clause, out);
    const auto* b = clause.As<Binary>();
    if (b == nullptr || (b->op != Operator::kEqual && b->op != Operator::kIn)) return;
    for (const Node& side : b->sides)
      if (!HasCount(side) && !side.As<Binary>()) Collect(side, out);
  }

  static bool ReadyExpr(const Node& e, const Names& others, const Env& env, bool desperate) {
    if (const auto* g = e.As<Group>()) return ReadyExpr(g->inner.front(), others, env, desperate);
    if (const auto* c = e.As<Count>()) {
      if (c->operand.front().As<Call>())
        return desperate || FreeShared(NamesOf(e), others, env).empty();
      return AllBound(NamesOf(e), env);
    }
    if (const auto* b = e.As<Binary>())
      return ReadyExpr(b->sides[0], others, env, desperate) &&
             ReadyExpr(b->sides[1], others, env, desperate);
    return AllBound(NamesOf(e), env);
  }

  static bool IsComputed(const Node& e) {
    const Node& node = Ungroup(e);
    return node.As<Count>() != nullptr || node.As<Binary>() != nullptr;
  }

  static bool Ready(const Node& clause, const Names& others, const Env& env, bool desperate) {
    if (clause.As<Call>() || clause.As<Boolean>()) return true;
    if (const auto* n = clause.As<Not>())
      return FreeShared(NamesOf(n->clause.front()), others, env).empty();
    if (const auto* b = clause.As<Binary>()) {
      const bool left = ReadyExpr(b->sides[0], others, env, desperate);
      if (b->sides[1].As<Match>()) return left;
      const bool right = ReadyExpr(b->sides[1], others, env, desperate);
      if (b->op == Operator::kIn) return right;
      if (b->op == Operator::kEqual)  // only a term can be bound by the other side
        return (left || !IsComputed(b->sides[0])) && (right || !IsComputed(b->sides[1])) &&
               (left || right);
      return left && right;
    }
    throw Unsupported{"clause " + Print(clause)};
  }

  void SolveClause(const Node& clause, const Names& others, const Env& env,
                   const Then& then) const {
    if (const auto* call = clause.As<Call>()) return SolveAtom(*call, env, then);
    if (const auto* truth = clause.As<Boolean>()) {
      if (truth->value) then(env);
      return;
    }
    if (const auto* n = clause.As<Not>()) {
      switch (Holds(n->clause.front(), env)) {
        case Truth::kFalse: return then(env);
        case Truth::kUndecided: return Go(env, Truth::kUndecided, then);
        case Truth::kTrue: return;
      }
    }
    const auto* b = clause.As<Binary>();
    if (HasCount(clause)) {
      // One pass per value of the group keys, which only the counted rows bind.
      std::set<Env> groups;
      GroupsOf(clause, others, env, groups);
      for (const Env& group : groups) SolveBinary(*b, group, then);
      return;
    }
    SolveBinary(*b, env, then);
  }

  void GroupsOf(const Node& clause, const Names& others, const Env& env, std::set<Env>& out) const {
    Names keys;
    const Call* atom = nullptr;
    const std::function<void(const Node&)> find = [&](const Node& n) {
      if (const auto* c = n.As<Count>(); c != nullptr && c->operand.front().As<Call>()) {
        const Names shared = FreeShared(NamesOf(c->operand.front()), others, env);
        if (shared.empty()) return;
        if (atom != nullptr) throw Unsupported{"two counts with group keys"};
        keys = shared;
        atom = c->operand.front().As<Call>();
      }
      ForEachChild(n, find);
    };
    find(clause);
    if (atom == nullptr) {
      out.insert(env);
      return;
    }
    SolveAtom(*atom, env, [&](const Env& e) {
      Env group = env;
      for (const std::string& k : keys) group.emplace(k, e.at(k));
      out.insert(std::move(group));
    });
  }

  void SolveBinary(const Binary& b, const Env& env, const Then& then) const {
    const Node& left = Ungroup(b.sides[0]);
    const Node& right = Ungroup(b.sides[1]);
    if (const auto* m = right.As<Match>())
      return MatchTilde(m->pattern.front(), Eval(left, env), env, then);
    if (b.op == Operator::kEqual) {
      const bool left_known = Known(left, env);
      const bool right_known = Known(right, env);
      if (left_known && right_known) {
        return Go(env, Equal(Eval(left, env), Eval(right, env)), then);
      }
      const Datum value = Eval(left_known ? left : right, env);
      return MatchBound(left_known ? right : left, value, env, then);
    }
    const Datum y = Eval(right, env);
    if (b.op == Operator::kIn) {
      if (y.kind == '?') return MatchUnknown(left, env, then);
      if (y.kind != 'l' && y.kind != 's') return;
      std::set<Datum> seen(y.parts.begin(), y.parts.end());
      for (const Datum& d : seen) MatchNode(left, d, env, false, then);
      return;
    }
    Go(env, Compared(b.op, Eval(left, env), y), then);
  }

  // A clause without a value for one of its sides is undecided, and binds what may be any value.
  static void MatchBound(const Node& pattern, const Datum& value, const Env& env,
                         const Then& then) {
    if (value.kind == '?') return MatchUnknown(pattern, env, then);
    MatchNode(pattern, value, env, false, then);
  }

  // Whether Eval has all it needs.
  static bool Known(const Node& e, const Env& env) { return ReadyExpr(e, {}, env, false); }

  Datum Eval(const Node& e, const Env& env) const {
    if (const auto* g = e.As<Group>()) return Eval(g->inner.front(), env);
    if (const auto* c = e.As<Count>()) {
      const Node& operand = c->operand.front();
      if (const auto* atom = operand.As<Call>()) return CountRows(*atom, env);
      const Datum v = Eval(operand, env);
      if (v.kind == 's' && HasUnknown(v)) return Unknown();
      if (v.kind != 'l' && v.kind != 's' && v.kind != 'm') return Unknown();
      return IntDatum(static_cast<std::int64_t>(v.parts.size()));
    }
    if (const auto* b = e.As<Binary>()) {
      const Datum x = Eval(b->sides[0], env);
      const Datum y = Eval(b->sides[1], env);
      return HasUnknown(x) || HasUnknown(y) ? Unknown() : Apply(b->op, x, y);
    }
    const std::optional<Datum> value = Build(e, env);
    if (!value) throw Unsupported{"an unbound operand: " + Print(e)};
    return *value;
  }

  // The value of an operation; unknown where it is undefined.
  static Datum Apply(Operator op, const Datum& x, const Datum& y) {
    const auto collection = [](const Datum& d) { return d.kind == 'l' || d.kind == 's'; };
    if (op == Operator::kUnion || op == Operator::kIntersect || op == Operator::kDifference) {
      if (!collection(x) || !collection(y)) return Unknown();
      const auto in_y = [&](const Datum& d) {
        return std::find(y.parts.begin(), y.parts.end(), d) != y.parts.end();
      };
      std::vector<Datum> out;
      for (const Datum& d : x.parts)
        if (op == Operator::kUnion || in_y(d) == (op == Operator::kIntersect)) out.push_back(d);
      if (op == Operator::kUnion) out.insert(out.end(), y.parts.begin(), y.parts.end());
      return SetDatum(std::move(out));
    }
    if (x.kind == 'i' && y.kind == 'i') {
      const Wide a = std::stoll(x.text);
      const Wide b = std::stoll(y.text);
      Wide out = 0;
      switch (op) {
        case Operator::kAdd: out = a + b; break;
        case Operator::kSubtract: out = a - b; break;
        case Operator::kMultiply: out = a * b; break;
        default:
          if (b == 0) return Unknown();
          if (a % b != 0) return FloatDatum(static_cast<double>(a) / static_cast<double>(b));
          out = a / b;
      }
      if (out > INT64_MAX || out < INT64_MIN) throw Unsupported{"a large integer"};
      return IntDatum(static_cast<std::int64_t>(out));
    }
    const auto number = [](const Datum& d) { return d.kind == 'i' || d.kind == 'f'; };
    if (!number(x) || !number(y)) return Unknown();
    const double a = std::stod(x.text);
    const double b = std::stod(y.text);
    if (op == Operator::kDivide && b == 0) return Unknown();
    return FloatDatum(op == Operator::kAdd        ? a + b
                      : op == Operator::kSubtract ? a - b
                      : op == Operator::kMultiply ? a * b
                                                  : a / b);
  }

  static Truth Opposite(Truth t) {
    return t == Truth::kUndecided ? t : t == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
  }

  static Truth Compared(Operator op, const Datum& x, const Datum& y) {
    const auto truth = [](bool holds) { return holds ? Truth::kTrue : Truth::kFalse; };
    if (op == Operator::kNotEqual) return Opposite(Equal(x, y));
    if (op == Operator::kNotIn) {
      if (y.kind == '?') return Truth::kUndecided;
      if (y.kind != 'l' && y.kind != 's') return Truth::kFalse;
      Truth in = Truth::kFalse;
      for (const Datum& d : y.parts) in = std::max(in, Equal(x, d));
      return Opposite(in);
    }
    int order = 0;
    const auto number = [](const Datum& d) { return d.kind == 'i' || d.kind == 'f'; };
    if (x.kind == 'a' && y.kind == 'a') {
      order = x.text.compare(y.text);
    } else if (x.kind == 'i' && y.kind == 'i') {
      const std::int64_t a = std::stoll(x.text);
      const std::int64_t b = std::stoll(y.text);
      order = a < b ? -1 : a > b ? 1 : 0;
    } else if (number(x) && number(y)) {
      const double a = std::stod(x.text);
      const double b = std::stod(y.text);
      order = a < b ? -1 : a > b ? 1 : 0;
    } else {
      return Truth::kUndecided;
    }
    switch (op) {
      case Operator::kLess: return truth(order < 0);
      case Operator::kGreater: return truth(order > 0);
      case Operator::kLessEqual: return truth(order <= 0);
      case Operator::kGreaterEqual: return truth(order >= 0);
      default: throw Unsupported{"operator"};
    }
  }

  const Extension& Rows(const Call& call) const {
    static const Extension kEmpty;
    const auto it = db_.find(KeyOf(call));
    return it == db_.end() ? kEmpty : it->second;
  }

  // Every row that is not false, with what is bound and whether all is true.
  static void EachRow(const Extension& e, const Env& env,
                      const std::function<void(const Row&, const Env&)>& fn) {
    for (const Row& row : e.rows) fn(row, env);
    for (const Row& row : e.undecided)
      Go(env, Truth::kUndecided, [&](const Env& at) { fn(row, at); });
  }

  static const Collection* SetPattern(const Node& arg) {
    const auto* c = arg.As<Collection>();
    return c != nullptr && c->kind == CollectionKind::kSet ? c : nullptr;
  }

  // One column of a row: a set pattern takes the set (or the single value as one), any
  // other pattern the elements of a set.
  static void MatchColumns(const Nodes& args, const Row& row, std::size_t at, const Env& env,
                           const Then& then) {
    if (at == args.size()) return then(env);
    const Then next = [&](const Env& e) { MatchColumns(args, row, at + 1, e, then); };
    if (SetPattern(args[at])) {
      const Datum set = row[at].kind == 's' ? row[at] : SetDatum({row[at]});
      return MatchNode(args[at], set, env, false, next);
    }
    if (row[at].kind != 's') return MatchNode(args[at], row[at], env, false, next);
    for (const Datum& element : row[at].parts) MatchNode(args[at], element, env, false, next);
  }

  void SolveAtom(const Call& call, const Env& env, const Then& then) const {
    bool whole = false;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const Collection* c = SetPattern(call.args[i]);
      if (c == nullptr) continue;
      whole = true;
      if (!c->rest.empty() || c->items.empty()) continue;
      // A literal set has each element once.
      Collection distinct = *c;
      distinct.items.clear();
      for (const Node& item : c->items)
        if (!Ground(item) ||
            std::find(distinct.items.begin(), distinct.items.end(), item) == distinct.items.end())
          distinct.items.push_back(item);
      return SolveDifferent(call, i, distinct, 0, {}, env, then);
    }
    const Extension& e = Rows(call);
    if (whole) {
      RefuseUndecided(e);
      for (const Row& row : e.whole) MatchColumns(call.args, row, 0, env, then);
      return;
    }
    EachRow(e, env,
            [&](const Row& row, const Env& at) { MatchAll(call.args, row, 0, at, false, then); });
  }

  static void RefuseUndecided(const Extension& e) {
    if (!e.undecided.empty()) throw Unsupported{"a set pattern over rows that are undecided"};
  }

  // p(#{?a ?b}): every pattern is met by a different instance (decision 28).
  void SolveDifferent(const Call& call, std::size_t column, const Collection& c, std::size_t at,
                      const std::set<Row>& taken, const Env& env, const Then& then) const {
    if (at == c.items.size()) return then(env);
    RefuseUndecided(Rows(call));
    Nodes args = call.args;
    args[column] = c.items[at];
    for (const Row& row : Rows(call).rows) {
      if (taken.count(row) > 0) continue;
      std::set<Row> more = taken;
      more.insert(row);
      MatchAll(args, row, 0, env, false,
               [&](const Env& e) { SolveDifferent(call, column, c, at + 1, more, e, then); });
    }
  }

  // Unknown where some row may match, or not.
  Datum CountRows(const Call& call, const Env& env) const {
    std::int64_t count = 0;
    bool known = true;
    for (const Node& arg : call.args)
      if (SetPattern(arg)) throw Unsupported{"a count over a set pattern"};
    Env before = env;
    before.sure = true;
    EachRow(Rows(call), before, [&](const Row& row, const Env& at) {
      Truth matches = Truth::kFalse;
      MatchAll(call.args, row, 0, at, false, [&](const Env& e) {
        matches = std::max(matches, e.sure ? Truth::kTrue : Truth::kUndecided);
      });
      count += matches == Truth::kTrue ? 1 : 0;
      known = known && matches != Truth::kUndecided;
    });
    return known ? IntDatum(count) : Unknown();
  }

  const Database& db_;
};

// --- rules and strata -----------------------------------------------------------------

bool Gathers(const Node& node) {
  const auto* c = node.As<Collection>();
  return c != nullptr && c->kind != CollectionKind::kMap && !c->rest.empty();
}

// The aggregate argument of a head, or -1.
int GatherColumn(const Call& head) {
  for (std::size_t i = 0; i < head.args.size(); ++i) {
    const Node& arg = head.args[i];
    if (Gathers(arg) && !arg.As<Collection>()->items.empty())
      throw Unsupported{"an aggregate head with elements"};
    if (Gathers(arg)) return static_cast<int>(i);
    const std::function<void(const Node&)> look = [&](const Node& inner) {
      if (Gathers(inner)) throw Unsupported{"a head that gathers inside of an argument"};
      ForEachChild(inner, look);
    };
    ForEachChild(arg, look);
  }
  return -1;
}

// The relations that a clause reads; `strict` if it needs them complete.
void Reads(const Node& node, bool strict, std::map<std::string, bool>& out) {
  const Node& n = Ungroup(node);
  if (const auto* call = n.As<Call>()) {
    bool& s = out[KeyOf(*call)];
    s = s || strict;
    return;
  }
  const bool inside = strict || n.As<Not>() || n.As<Count>();
  if (n.As<Conjunction>() || n.As<Disjunction>() || n.As<Not>()) {
    ForEachChild(n, [&](const Node& child) { Reads(child, inside, out); });
  } else if (n.As<Count>() || HasCount(n)) {
    const std::function<void(const Node&)> find = [&](const Node& c) {
      if (const auto* count = c.As<Count>()) {
        if (count->operand.front().As<Call>()) Reads(count->operand.front(), true, out);
        return;
      }
      ForEachChild(c, find);
    };
    find(n);
  }
}

// Adds a row that may hold, unless it does.
bool AddUndecided(Extension& e, const Row& row) {
  for (const Datum& d : row)
    if (d.kind == 's') throw Unsupported{"a set in a row that is undecided"};
  return e.rows.count(row) == 0 && e.undecided.insert(row).second;
}

// Adds a row: its instances, and the row itself.
bool Add(Extension& e, const Row& row, bool sure = true) {
  if (!sure || std::any_of(row.begin(), row.end(), HasUnknown)) return AddUndecided(e, row);
  bool grew = e.whole.insert(row).second;
  const std::function<void(Row&, std::size_t)> instances = [&](Row& r, std::size_t at) {
    if (at == r.size()) {
      grew |= e.rows.insert(r).second;
      e.undecided.erase(r);
      return;
    }
    if (r[at].kind != 's') return instances(r, at + 1);
    const Datum set = r[at];
    for (const Datum& element : set.parts) {
      r[at] = element;
      instances(r, at + 1);
    }
    r[at] = set;
  };
  Row copy = row;
  instances(copy, 0);
  return grew;
}

Row BuildRow(const Call& head, const Env& env) {
  Row row;
  for (const Node& arg : head.args) {
    std::optional<Datum> d = Build(arg, env);
    if (!d) throw Unsupported{"an unbound head: " + Print(arg)};
    row.push_back(std::move(*d));
  }
  return row;
}

// What a head gathers for one value of its other arguments.
struct Gathered {
  std::set<Datum> values;
  bool sure = true;  // no other value may belong to it

  void Take(const Datum& value, bool holds) {
    if (holds && !HasUnknown(value)) values.insert(value);
    else doubtful_.insert(value);
  }
  void Settle() {
    sure = std::includes(values.begin(), values.end(), doubtful_.begin(), doubtful_.end());
  }

 private:
  std::set<Datum> doubtful_;
};

bool RunRule(const Rule& rule, Database& db) {
  Names outside;
  for (const Node& head : rule.heads) Collect(head, outside);
  std::vector<Env> answers;
  Machine(db).Solve(rule.tail.front(), outside, {}, [&](const Env& e) { answers.push_back(e); });
  bool grew = false;
  for (const Node& node : rule.heads) {
    const Call& head = *node.As<Call>();
    Extension& out = db[KeyOf(head)];
    const int column = GatherColumn(head);
    if (column < 0) {
      for (const Env& e : answers) grew |= Add(out, BuildRow(head, e), e.sure);
      continue;
    }
    const auto at = static_cast<std::size_t>(column);
    const auto* gather = head.args[at].As<Collection>();
    std::map<Row, Gathered> groups;
    bool keys_known = true;
    for (const Env& e : answers) {
      Call rest = head;
      rest.args[at] = Node{Nil{}, {}};
      std::vector<Datum> parts;
      for (const Node& v : gather->rest) {
        const std::optional<Datum> d = Build(v, e);
        if (!d) throw Unsupported{"an unbound head: " + Print(v)};
        parts.push_back(*d);
      }
      const Row key = BuildRow(rest, e);
      keys_known = keys_known && std::none_of(key.begin(), key.end(), HasUnknown);
      groups[key].Take(parts.size() == 1 ? parts.front() : Datum{'l', "", parts}, e.sure);
    }
    for (auto& [key, group] : groups) {
      group.Settle();
      Row row = key;
      row[at] = {gather->kind == CollectionKind::kSet ? 's' : 'l',
                 "",
                 {group.values.begin(), group.values.end()}};
      if (!group.sure || !keys_known) row[at] = Unknown();
      grew |= Add(out, row);
    }
  }
  return grew;
}

bool IsConstraint(const Rule& rule) {
  return rule.heads.empty() && rule.abductives.empty() && rule.tail.size() == 1 &&
         rule.constraints.size() == 1;
}

Truth JudgeConstraint(const Rule& rule, const Database& db) {
  const Node& right = rule.constraints.front();
  const Machine machine(db);
  Truth out = Truth::kTrue;
  machine.Solve(rule.tail.front(), NamesOf(right), {}, [&](const Env& e) {
    if (machine.Holds(right, e) != Truth::kTrue)
      out = std::min(out, e.sure ? Truth::kFalse : Truth::kUndecided);
  });
  return out;
}

Database EvaluateAll(const std::vector<Sentence>& sentences) {
  Database db;
  std::vector<const Rule*> rules;
  std::map<std::string, int> level;
  for (const Sentence& s : sentences) {
    const Rule& rule = s.rule;
    if (IsConstraint(rule)) continue;
    if (!rule.abductives.empty() || !rule.constraints.empty() || rule.tail.empty())
      throw Unsupported{"sentence " + Print(s)};
    if (!rule.heads.empty()) {
      for (const Node& head : rule.heads) {
        if (!head.As<Call>()) throw Unsupported{"head " + Print(head)};
        level[KeyOf(*head.As<Call>())] = 0;
      }
      rules.push_back(&rule);
      continue;
    }
    const Node& tail = Ungroup(rule.tail.front());
    const auto fact = [&](const Node& n) {
      const auto* call = Ungroup(n).As<Call>();
      if (call == nullptr) throw Unsupported{"sentence " + Print(s)};
      Add(db[KeyOf(*call)], BuildRow(*call, {}));
    };
    if (const auto* c = tail.As<Conjunction>()) {
      for (const Node& n : c->clauses) fact(n);
    } else {
      fact(tail);
    }
  }
  // Levels grow until each head stands above what it needs complete.
  const int top = static_cast<int>(level.size()) + 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Rule* rule : rules) {
      std::map<std::string, bool> reads;
      Reads(rule->tail.front(), false, reads);
      for (const Node& node : rule->heads) {
        const Call& head = *node.As<Call>();
        const bool gathers = GatherColumn(head) >= 0;
        int& mine = level[KeyOf(head)];
        // All heads of a rule are derived together.
        for (const Node& other : rule->heads)
          if (level[KeyOf(*other.As<Call>())] > mine)
            mine = level[KeyOf(*other.As<Call>())], changed = true;
        for (const auto& [name, strict] : reads) {
          const auto it = level.find(name);
          if (it == level.end()) continue;
          const int needed = it->second + (strict || gathers ? 1 : 0);
          if (needed <= mine) continue;
          if (needed > top) throw Unsupported{"recursion through negation"};
          mine = needed;
          changed = true;
        }
      }
    }
  }
  for (int stratum = 0; stratum <= top; ++stratum)
    for (bool grew = true; grew;) {
      grew = false;
      for (const Rule* rule : rules)
        if (level[KeyOf(*rule->heads.front().As<Call>())] == stratum) grew |= RunRule(*rule, db);
    }
  return db;
}

}  // namespace

std::optional<Database> Evaluate(const std::vector<Sentence>& sentences, std::string* problem) {
  std::string none;
  const auto unfolded = Unfolded(sentences, {}, true, problem == nullptr ? &none : problem);
  if (!unfolded) return std::nullopt;
  try {
    return EvaluateAll(*unfolded);
  } catch (const Unsupported& u) {
    const bool same = *unfolded == sentences;
    if (problem != nullptr) *problem = (same ? "" : std::string(kNoForm) + ": ") + u.what;
    return std::nullopt;
  }
}

std::optional<std::vector<Truth>> Judge(const std::vector<Sentence>& sentences, const Database& db,
                                        std::string* problem) {
  std::string none;
  const auto unfolded = Unfolded(sentences, {}, true, problem == nullptr ? &none : problem);
  if (!unfolded) return std::nullopt;
  try {
    std::vector<Truth> out;
    for (const Sentence& s : *unfolded)
      if (IsConstraint(s.rule)) out.push_back(JudgeConstraint(s.rule, db));
    return out;
  } catch (const Unsupported& u) {
    if (problem != nullptr) *problem = u.what;
    return std::nullopt;
  }
}

std::optional<Datum> Ground(const Node& node) { return Build(node, {}); }

}  // namespace rpl::naive
