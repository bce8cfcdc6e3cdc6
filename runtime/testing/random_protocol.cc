// SPDX-License-Identifier: Apache-2.0
#include "runtime/testing/random_protocol.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>

namespace rpl::protocol {
namespace {

using Kind = Clause::Kind;

// True for a constraint that offers the rows of `r` as answers, `h(?x) -> r(?x)`: `r` is read
// first.
bool Offers(const Protocol& p, const Constraint& c) {
  return c.left.size() == 1 && c.right.size() == 1 && p.Asks(c.left.front().atom.name) != nullptr &&
         c.right.front().kind == Kind::kHolds;
}

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : bits_(seed) {}

  Protocol Make() {
    for (int i = 2 + Below(5); i > 0; --i) protocol_.facts.push_back(Fact());
    headings_ = 2 + Below(3);
    for (int h = 0; h < headings_; ++h) protocol_.headings.push_back(MakeHeading(h));
    for (int r = Below(3); r > 0; --r) {
      // Its rules read only the relations before it.
      const std::string name = "r" + std::to_string(relations_);
      for (int rules = 1 + Below(2); rules > 0; --rules) AddRule({name, {"?x"}}, 1 + Below(2));
      ++relations_;
    }
    for (int g = Below(4); g > 0; --g) {
      const std::string name = "%g" + std::to_string(goals_);
      for (int rules = 1 + Below(3); rules > 0; --rules) AddGoalRule(name);
      ++goals_;
    }
    guards_ = Chance(25);
    for (int rules = 1 + Below(3); rules > 0; --rules) AddGoalRule("%");
    for (int c = Chance(50) ? 1 + Below(2) : 0; c > 0; --c) AddConstraint();
    return protocol_;
  }

 private:
  int Below(int n) { return static_cast<int>(bits_() % static_cast<unsigned>(n)); }
  bool Chance(int percent) { return Below(100) < percent; }
  std::string Value() { return std::string("\"") + "abc"[Below(3)] + "\""; }
  std::string Bound() {
    if (bound_.empty() || Chance(25)) return Value();
    return *std::next(bound_.begin(), Below(static_cast<int>(bound_.size())));
  }
  std::string New() { return "?v" + std::to_string(variables_++); }
  // A term that a positive clause may bind.
  std::string Any() {
    if (Chance(50)) return New();
    return Bound();
  }

  Atom Fact() {
    if (Chance(30)) return {"e", {Value(), Value()}};
    return {"f" + std::to_string(Below(2)), {Value()}};
  }

  Heading MakeHeading(int number) {
    const std::string n = std::to_string(number);
    Heading out{{"h" + n, {Chance(20) ? "$s" : "?x" + n}}, ""};
    if (Chance(45)) out.head.args.insert(out.head.args.begin(), "?k" + n);
    const int span = Below(10);
    if (span < 2) out.span = out.head.args.back().substr(1);
    if (span == 2) out.span = "f" + std::to_string(Below(2));
    return out;
  }

  // An atom whose arguments are known but for the last, which is `last`.
  Atom Readable(const std::string& last) {
    for (;;) {
      const int kind = Below(10);
      if (kind < 3) return {"f" + std::to_string(Below(2)), {last}};
      if (kind == 3) return {"e", {Bound(), last}};
      if (kind < 8) {
        const Atom& head = protocol_.headings[static_cast<std::size_t>(Below(headings_))].head;
        if (head.args.size() == 1) return {head.name, {last}};
        return {head.name, {Bound(), last}};
      }
      if (relations_ > 0) return {"r" + std::to_string(Below(relations_)), {last}};
    }
  }

  // Whether a reader may know or restrict its captures.
  bool OnePlan(const std::string& goal) const {
    int rules = 0;
    bool acts = false;
    for (const Rule& r : protocol_.rules) {
      if (r.head.name != goal) continue;
      ++rules;
      acts |= protocol_.Acts(r);
    }
    return rules < 2 || !acts;
  }

  Clause GoalClause() {
    const std::string name = "%g" + std::to_string(Below(goals_));
    std::set<std::size_t> arities = {0};
    for (const Rule& r : protocol_.rules)
      if (r.head.name == name) arities.insert(r.head.args.size());
    const std::size_t arity = *std::next(arities.begin(), Below(static_cast<int>(arities.size())));
    Clause out{Chance(25) ? Kind::kNot : Kind::kHolds, {name, {}}};
    const bool one = OnePlan(name);
    for (std::size_t i = 0; i < arity; ++i) {
      if (out.kind == Kind::kNot) out.atom.args.push_back(one ? Bound() : "_");
      else out.atom.args.push_back(one && Chance(30) ? Bound() : New());
    }
    if (out.kind == Kind::kHolds)
      for (const std::string& a : out.atom.args)
        if (IsVariable(a)) (one ? bound_ : captured_).insert(a);
    return out;
  }

  void Bind(const Clause& clause) {
    if (clause.kind != Kind::kHolds || clause.atom.goal()) return;
    for (const std::string& a : clause.atom.args)
      if (IsVariable(a)) bound_.insert(a);
  }

  Clause MakeClause(bool goals) {
    if (goals && goals_ > 0 && Chance(35)) return GoalClause();
    Clause out;
    switch (Below(10)) {
      case 0: out = {Kind::kNot, Readable(Chance(40) ? "_" : Bound())}; break;
      case 1:
        out = {Kind::kCount, Readable(Chance(70) ? "_" : Bound())};
        out.op = Chance(50) ? ">" : "=";
        out.number = Below(2);
        break;
      case 2:
        if (bound_.empty()) return MakeClause(goals);
        out.kind = Kind::kCompare;
        out.left = *std::next(bound_.begin(), Below(static_cast<int>(bound_.size())));
        out.op = Chance(50) ? "=" : "!=";
        out.right = Value();
        break;
      case 3:
        if (!alternatives_ || !Chance(50)) return MakeClause(goals);
        out.kind = Kind::kEither;
        for (int i = 2 + Below(2); i > 0; --i) {
          const std::set<std::string> bound = std::exchange(bound_, {});
          out.either.push_back({{Chance(80) ? Kind::kHolds : Kind::kNot, Readable(Value())}});
          bound_ = bound;
        }
        break;
      default: out = {Kind::kHolds, Readable(Any())};
    }
    Bind(out);
    return out;
  }

  Tail MakeTail(int clauses, bool goals) {
    Tail out;
    for (; clauses > 0; --clauses) out.push_back(MakeClause(goals));
    return out;
  }

  void Begin() {
    bound_.clear();
    captured_.clear();
    variables_ = 0;
  }

  void AddRule(const Atom& head, int clauses) {
    Begin();
    Rule rule{head, {{Kind::kHolds, Readable("?x")}}};
    bound_.insert("?x");
    for (const Clause& c : MakeTail(clauses - 1, false)) rule.tail.push_back(c);
    protocol_.rules.push_back(rule);
  }

  void AddGoalRule(const std::string& name) {
    Begin();
    Rule rule{{name, {}}, {}};
    if (name == "%" && guards_) {
      rule.guards = Chance(80);
      rule.arrow = rule.guards && Chance(30);
    }
    if (Chance(25)) {
      alternatives_ = false;
      rule.when = MakeTail(1 + Below(2), true);
      alternatives_ = true;
    }
    if (Chance(12)) {
      const std::string each = New();
      rule.each = {{Kind::kHolds, Chance(60) ? Atom{"f0", {each}} : Readable(each)}};
      bound_.insert(each);
    }
    rule.tail = MakeTail(1 + Below(3), true);
    bound_.insert(captured_.begin(), captured_.end());
    for (const std::string& v : bound_)
      if (rule.head.args.size() < 2 && Chance(50)) rule.head.args.push_back(v);
    protocol_.rules.push_back(rule);
  }

  void AddConstraint() {
    Begin();
    Constraint out;
    out.left = MakeTail(1 + Below(2), true);
    // A ground atom alone would be retracted (decision 43).
    if (Chance(50) || out.left.size() == 1) out.right = MakeTail(1, true);
    if (!Offers(protocol_, out)) protocol_.constraints.push_back(out);
  }

  std::mt19937 bits_;
  Protocol protocol_;
  bool guards_ = false;       // the root guards itself
  bool alternatives_ = true;  // may be made
  int headings_ = 0, relations_ = 0, goals_ = 0, variables_ = 0;
  std::set<std::string> bound_, captured_;
};

using Names = std::set<std::string>;

bool AllIn(const Row& terms, std::size_t count, const Names& bound) {
  return std::all_of(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](const std::string& t) { return !IsVariable(t) || bound.count(t) > 0; });
}

// True if every relation of the tail is defined, and its known arguments are bound before it; adds
// the variables that the tail binds.
bool IsValid(const Protocol& p, const Tail& tail, Names& bound) {
  for (const Clause& c : tail) {
    for (const Tail& alternative : c.either)
      if (alternative.empty() || !IsValid(p, alternative, bound)) return false;
    if (c.kind == Kind::kEither) {
      if (c.either.size() < 2) return false;
      continue;
    }
    if (c.kind == Kind::kCompare) {
      if (!AllIn({c.left}, 1, bound)) return false;
      continue;
    }
    const bool fact = c.atom.name[0] == 'f' || c.atom.name[0] == 'e';
    bool defined = fact || p.Asks(c.atom.name) != nullptr;
    for (const Rule& r : p.rules)
      defined |= r.head.name == c.atom.name &&
                 (c.atom.args.empty() || r.head.args.size() == c.atom.args.size());
    const std::size_t known = c.kind != Kind::kHolds ? c.atom.args.size()
                              : c.atom.goal()        ? 0
                                                     : c.atom.args.size() - 1;
    if (!defined || !AllIn(c.atom.args, known, bound)) return false;
    if (c.kind == Kind::kHolds)
      for (const std::string& a : c.atom.args) bound.insert(a);
  }
  return true;
}

bool IsValid(const Protocol& p) {
  bool root = false;
  for (const Rule& r : p.rules) {
    root |= r.head.name == "%";
    Names bound;
    if (!IsValid(p, r.when, bound) || !IsValid(p, r.each, bound) || !IsValid(p, r.tail, bound))
      return false;
    if (r.tail.empty() || !AllIn(r.head.args, r.head.args.size(), bound)) return false;
  }
  for (const Constraint& c : p.constraints) {
    Names bound;
    if (c.left.empty() || (c.left.size() == 1 && c.right.empty()) || Offers(p, c) ||
        !IsValid(p, c.left, bound) || !IsValid(p, c.right, bound))
      return false;
  }
  return root;
}

template <typename List, typename Tried>
bool DropOne(List& list, const Tried& tried) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto dropped = list[i];
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    if (tried()) return true;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(i), dropped);
  }
  return false;
}

}  // namespace

Protocol MakeProtocol(std::uint32_t seed) { return Maker(seed).Make(); }

Protocol Shrunk(Protocol p, const std::function<bool(const Protocol&)>& fails) {
  const auto tried = [&] { return IsValid(p) && fails(p); };
  const auto smaller = [&] {
    if (DropOne(p.constraints, tried) || DropOne(p.rules, tried) || DropOne(p.facts, tried))
      return true;
    if (DropOne(p.headings, tried)) return true;
    for (Heading& h : p.headings) {
      const std::string span = std::exchange(h.span, "");
      if (!span.empty() && tried()) return true;
      h.span = span;
    }
    for (Rule& r : p.rules)
      if (DropOne(r.head.args, tried) || DropOne(r.tail, tried) || DropOne(r.when, tried) ||
          DropOne(r.each, tried))
        return true;
    for (Constraint& c : p.constraints)
      if (DropOne(c.left, tried) || DropOne(c.right, tried)) return true;
    return false;
  };
  while (smaller()) {
  }
  return p;
}

}  // namespace rpl::protocol
