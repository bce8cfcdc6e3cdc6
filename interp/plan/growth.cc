// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/growth.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <tuple>

#include "interp/plan/components.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr int kMostDepth = 64;           // of equalities that are followed
constexpr int kMostTimes = 1 << 20;      // a variable in a size
constexpr std::size_t kMostCalls = 256;  // kinds of calls that are followed

// What a size is a sum of: a slot, a constant, or what a place of a pattern matches. Each is at
// least 1.
using Leaf = std::tuple<SlotId, std::uint64_t, const Pattern*>;

struct Size {
  std::map<Leaf, int> leaves;
  int constant = 0;
  bool known = true;
  std::set<const Pattern*> texts;  // templates; a number in a hole is shorter than it is printed

  void Add(const Size& other) {
    for (const auto& [leaf, times] : other.leaves) Add(leaf, times);
    constant = std::min(constant + other.constant, kMostTimes);
    known = known && other.known;
    texts.insert(other.texts.begin(), other.texts.end());
  }
  void Add(const Leaf& leaf, int times = 1) {
    int& all = leaves[leaf];
    all = std::min(all + times, kMostTimes);
    known = known && all < kMostTimes;
  }
};

// How much `a` is smaller than `b` at least, whatever the leaves stand for; nullopt if it may be
// larger.
std::optional<int> Slack(const Size& a, const Size& b) {
  if (!a.known || !b.known) return std::nullopt;
  if (!std::ranges::includes(b.texts, a.texts)) return std::nullopt;
  std::int64_t slack = b.constant - a.constant;
  for (const auto& [leaf, times] : b.leaves) slack += times;
  for (const auto& [leaf, times] : a.leaves) {
    const auto at = b.leaves.find(leaf);
    if (at == b.leaves.end() || at->second < times) return std::nullopt;
    slack -= times;
  }
  if (slack < 0) return std::nullopt;
  return static_cast<int>(std::min<std::int64_t>(slack, 1));
}

bool IsTerm(const Expr& e) { return e.kind == Expr::Kind::kTerm; }
bool IsSlot(const Expr& e) { return IsTerm(e) && e.term.kind == Pattern::Kind::kSlot; }

// Whether a value that it matches has the size of the pattern.
bool HasShape(const Pattern& p) {
  switch (p.kind) {
    case Pattern::Kind::kConstant:
    case Pattern::Kind::kList:
    case Pattern::Kind::kSet:
    case Pattern::Kind::kMap:
    case Pattern::Kind::kTerm:
    case Pattern::Kind::kTemplate: return true;
    default: return false;
  }
}

}  // namespace

// What the equalities of a rule say about its slots.
class Growth::Slots {
 public:
  Slots(std::span<const Clause* const> clauses, const Pool& of) : pool(of) {
    for (const Clause* clause : clauses) Equate(*clause);
    for (const Clause* clause : clauses) Add(*clause);
  }

  const Pool& pool;

  SlotId RootOf(SlotId slot) const {
    for (auto at = alias_.find(slot); at != alias_.end(); at = alias_.find(slot)) slot = at->second;
    return slot;
  }
  const Pattern* ShapeOf(SlotId root) const {
    const auto at = shapes_.find(root);
    return at == shapes_.end() ? nullptr : at->second;
  }
  const Expr* ResultOf(SlotId root) const {
    const auto at = results_.find(root);
    return at == results_.end() ? nullptr : at->second;
  }
  /// Whether an equality makes its value.
  bool IsMade(SlotId slot) const {
    const SlotId root = RootOf(slot);
    return shapes_.contains(root) || sources_.contains(root) || wholes_.contains(root);
  }

  /// The size of a value; with `most`, it may be less: an element counts as its collection.
  Size SizeOf(const Pattern& p, bool most = false, int depth = 0) const {
    Size out;
    const auto add = [&](const Pattern& part) { out.Add(SizeOf(part, most, depth + 1)); };
    switch (p.kind) {
      case Pattern::Kind::kConstant: out.Add(Leaf(-1, p.constant.bits(), nullptr)); return out;
      case Pattern::Kind::kAny: out.Add(Leaf(-1, 0, &p)); return out;
      case Pattern::Kind::kSlot: {
        const SlotId root = RootOf(p.slot);
        const Pattern* const shape = ShapeOf(root);
        if (shape != nullptr && depth < kMostDepth) return SizeOf(*shape, most, depth + 1);
        const auto whole = wholes_.find(root);
        if (most && whole != wholes_.end() && depth < kMostDepth)
          return SizeOf(*whole->second, most, depth + 1);
        out.Add(Leaf(root, 0, nullptr));
        return out;
      }
      case Pattern::Kind::kList:
      case Pattern::Kind::kSet:
      case Pattern::Kind::kMap:
      case Pattern::Kind::kTerm:
        out.known = p.rest.size() < 2;
        out.constant = p.rest.empty() ? 1 : 0;
        if (p.open) out.Add(Leaf(-1, 0, &p));
        std::ranges::for_each(p.parts, add);
        std::ranges::for_each(p.rest, add);
        return out;
      case Pattern::Kind::kTemplate:
        out.constant = 1 - static_cast<int>(p.parts.size());
        for (const std::string& text : p.texts()) out.constant += static_cast<int>(text.size());
        out.texts.insert(&p);
        std::ranges::for_each(p.parts, add);
        return out;
      default: out.known = false; return out;
    }
  }

  /// Adds the slots that a pattern's value comes from to `out`. `made`: also through operators and
  /// other clauses, whose results go to `computed` as well.
  void Sources(const Pattern& p, bool made, std::set<SlotId>& out,
               std::set<SlotId>& computed) const {
    std::vector<std::pair<SlotId, bool>> work;  // with whether it is computed from
    const auto add_all = [&](const Pattern& from, bool is_computed) {
      ForEachSlot(from, [&](SlotId s) { work.emplace_back(RootOf(s), is_computed); });
    };
    add_all(p, false);
    while (!work.empty()) {
      const auto [slot, is_computed] = work.back();
      work.pop_back();
      const bool is_new = out.insert(slot).second;
      if (!(is_computed ? computed.insert(slot).second : is_new)) continue;
      if (const Pattern* const shape = ShapeOf(slot)) add_all(*shape, is_computed);
      if (const auto at = wholes_.find(slot); made && at != wholes_.end())
        add_all(*at->second, is_computed);
      if (const auto at = sources_.find(slot); made && at != sources_.end())
        for (const SlotId from : at->second) work.emplace_back(RootOf(from), true);
    }
  }

 private:
  void Equate(const Clause& clause) {
    const Compare* c = EqualityIn(clause);
    if (c == nullptr || !IsSlot(c->left) || !IsSlot(c->right)) return;
    const SlotId a = RootOf(c->left.term.slot);
    const SlotId b = RootOf(c->right.term.slot);
    if (a != b) alias_[std::max(a, b)] = std::min(a, b);
  }

  void AddShape(SlotId slot, const Pattern& p) { shapes_.try_emplace(RootOf(slot), &p); }
  template <typename Part>
  void AddSources(SlotId slot, const Part& part) {
    std::set<SlotId>& out = sources_[RootOf(slot)];
    ForEachSlot(part, [&](SlotId s) { out.insert(RootOf(s)); });
  }
  // Any slot may come from any other.
  void Connect(const Clause& clause) {
    ForEachSlot(clause, [&](SlotId s) { AddSources(s, clause); });
  }

  void Add(const Clause& clause) {
    Visit(
        clause,
        [&](const Compare& c) {
          if (c.op != Operator::kEqual || (IsSlot(c.left) && IsSlot(c.right))) return;
          if (!IsTerm(c.left) && !IsTerm(c.right)) return;  // a test, as of ?n + 2 = ?m * 2
          for (const auto& [to, from] :
               {std::pair(&c.left, &c.right), std::pair(&c.right, &c.left)}) {
            if (!IsSlot(*to)) continue;
            if (IsTerm(*from) && HasShape(from->term)) return AddShape(to->term.slot, from->term);
            results_.try_emplace(RootOf(to->term.slot), from);
            return AddSources(to->term.slot, *from);
          }
          Connect(clause);
        },
        [&](const MatchWith& c) {
          // A set distributes over what is no set (§7); then an element is compared.
          if (IsSlot(c.value) && HasShape(c.pattern) && c.pattern.kind != Pattern::Kind::kSet)
            AddShape(c.value.term.slot, c.pattern);
          else Connect(clause);
        },
        [&](const Member& c) {
          if (c.negated) return;
          if (IsSlot(c.element) && IsSlot(c.collection))
            wholes_.try_emplace(RootOf(c.element.term.slot), &c.collection.term);
          else Connect(clause);
        },
        // A count is bounded by what it counts.
        [](const Among<Atom, Negation, Temporal, CountOf> auto&) {},
        [&](const Among<Alternatives, Expand, Metadata, Aggregate, ReadAvar, ShowJson, GoalIsFalse,
                        First, Loop, Distinct, Check, Truth> auto&) { Connect(clause); });
  }

  std::map<SlotId, SlotId> alias_;
  std::map<SlotId, const Pattern*> shapes_;
  std::map<SlotId, const Expr*> results_;
  std::map<SlotId, std::set<SlotId>> sources_;
  std::map<SlotId, const Pattern*> wholes_;  // of elements
};

Growth::Holds Growth::HoldsOf(const Slots& slots, const Expr& e, SlotId root, int depth) {
  if (IsTerm(e)) return HoldsOf(slots, e.term, root, depth);
  if (e.kind != Expr::Kind::kOperator || (e.op != Operator::kAdd && e.op != Operator::kSubtract))
    return Holds::kNot;
  const bool left = IsSlot(e.sides[0]) && slots.RootOf(e.sides[0].term.slot) == root;
  const bool right = IsSlot(e.sides[1]) && slots.RootOf(e.sides[1].term.slot) == root;
  const Expr& other = e.sides[left ? 1 : 0];
  const bool alternates = !left && e.op == Operator::kSubtract;  // 1 - ?n
  if (left == right || alternates || !IsTerm(other)) return Holds::kNot;
  const bool zero = other.term.kind == Pattern::Kind::kConstant &&
                    slots.pool.AsDouble(other.term.constant).value_or(0) == 0;
  return zero ? Holds::kSame : Holds::kLarger;
}

Growth::Holds Growth::HoldsOf(const Slots& slots, const Pattern& p, SlotId root, int depth) {
  if (depth > kMostDepth) return Holds::kNot;
  if (p.kind == Pattern::Kind::kSlot) {
    const SlotId own = slots.RootOf(p.slot);
    if (own == root) return Holds::kSame;
    if (const Pattern* const shape = slots.ShapeOf(own))
      return HoldsOf(slots, *shape, root, depth + 1);
    const Expr* const result = slots.ResultOf(own);
    return result == nullptr ? Holds::kNot : HoldsOf(slots, *result, root, depth + 1);
  }
  const auto in = [&](const std::vector<Pattern>& parts) {
    Holds most = Holds::kNot;
    for (const Pattern& part : parts) most = std::max(most, HoldsOf(slots, part, root, depth + 1));
    return most;
  };
  const Holds part = in(p.parts);
  const Holds rest = in(p.rest);
  switch (p.kind) {
    case Pattern::Kind::kList:
    case Pattern::Kind::kMap:
    case Pattern::Kind::kTerm:
      if (part != Holds::kNot) return Holds::kLarger;
      return rest != Holds::kNot && p.kind == Pattern::Kind::kList && !p.parts.empty()
                 ? Holds::kLarger
                 : rest;
    case Pattern::Kind::kSet: return part != Holds::kNot ? Holds::kLarger : rest;
    case Pattern::Kind::kTemplate: {
      const auto has_text = [](const std::string& text) { return !text.empty(); };
      const bool more = p.parts.size() > 1 || std::ranges::any_of(p.texts(), has_text);
      return part != Holds::kNot && more ? Holds::kLarger : part;
    }
    default: return Holds::kNot;
  }
}

// Whether the clause holds once the relations that it reads have a row, as far as is looked at.
static bool MayStandBeside(const Clause& clause) {
  return Visit(
      clause, [](const Among<Atom, Compare, MatchWith, Member> auto&) { return true; },
      [](const Among<Temporal, CountOf, Negation, Alternatives, Expand, Metadata, Aggregate,
                     ReadAvar, ShowJson, GoalIsFalse, First, Loop, Distinct, Check, Truth> auto&) {
        return false;
      });
}

// A rule with its atoms of the component, and how it relates their arguments to the head's.
struct Growth::Sized {
  Sized(const Rule& of, const Pool& pool, const std::function<bool(RelationId)>& is_member)
      : rule(of), slots(of.clauses, pool) {
    for (const auto& own : OwnAtoms(of.clauses))
      if (is_member(own.atom.relation)) atoms.push_back(&own.clause);
    takes_all = TakesAll();
  }

  const Atom& AtomAt(std::size_t i) const { return *atoms[i]->As<Atom>(); }
  bool IsExtremum(std::size_t column) const {
    return rule.def->extremum && rule.def->extremum->column == column;
  }

  // Whether there is an answer for each combination of rows of its atoms, as long as the other
  // relations have a row: these atoms leave their arguments open, and what the other clauses do
  // with them is to make larger values.
  bool TakesAll() const {
    if (rule.def->choice || !rule.def->gathered.empty()) return false;
    std::set<SlotId> taken, made;
    for (const auto& own : OwnAtoms(atoms))
      for (const Pattern& p : own.atom.args) {
        if (p.kind == Pattern::Kind::kAny) continue;
        if (p.kind != Pattern::Kind::kSlot || !taken.insert(slots.RootOf(p.slot)).second)
          return false;
      }
    const auto touches = [&](const Clause& clause) {
      bool found = false;
      ForEachSlot(clause, [&](SlotId s) {
        std::set<SlotId> from, computed;
        slots.Sources(Pattern::Slot(s), true, from, computed);
        found = found || std::ranges::any_of(from, [&](SlotId f) { return taken.contains(f); });
      });
      return found;
    };
    for (const Clause* clause : rule.clauses) {
      if (std::ranges::find(atoms, clause) != atoms.end()) continue;
      if (!touches(*clause)) {
        if (!MayStandBeside(*clause)) return false;
        continue;
      }
      const Compare* const c = EqualityIn(*clause);
      if (c == nullptr) return false;
      const bool left = IsSlot(c->left) && !taken.contains(slots.RootOf(c->left.term.slot));
      const bool right = IsSlot(c->right) && !taken.contains(slots.RootOf(c->right.term.slot));
      if (!left && !right) return false;
      const SlotId result = slots.RootOf((left ? c->left : c->right).term.slot);
      if (!made.insert(result).second) return false;
    }
    return true;
  }

  Rule rule;
  Slots slots;
  std::vector<const Clause*> atoms;
  bool takes_all = false;
};

// From an argument of an atom to one of the head, by a rule.
struct Growth::Edge {
  const Sized* rule;
  std::size_t atom, from_column, to_column;
  std::uint32_t from, to;
  bool larger;        // the value may be larger than it was
  Holds for_certain;  // what holds for each row
};

Growth::Growth(const Store& store, const std::vector<RelationId>& relations,
               const std::vector<Rule>& rules)
    : store_(store) {
  for (const RelationId r : relations) {
    first_position_[r] = positions_;
    positions_ += store.at(r).arity();
  }
  const auto is_member = [&](RelationId r) { return first_position_.contains(store.BaseOf(r)); };
  for (const Rule& rule : rules) {
    rules_.push_back(std::make_unique<Sized>(rule, store.pool(), is_member));
    for (const Clause* clause : rule.clauses)
      ForEachBody(*clause, [&](const Clauses& body) {
        ForEachAtom(body, [&](const Atom& atom) { opaque_ = opaque_ || is_member(atom.relation); });
      });
  }
}

Growth::~Growth() = default;

std::span<const Clause* const> Growth::AtomsOf(std::size_t number) const {
  return rules_[number]->atoms;
}

std::uint32_t Growth::Position(RelationId relation, std::size_t column) const {
  return first_position_.at(store_.BaseOf(relation)) + static_cast<std::uint32_t>(column);
}

std::vector<Growth::Edge> Growth::Edges() const {
  std::vector<Edge> out;
  for (const std::unique_ptr<Sized>& sized : rules_) {
    const Definition& def = *sized->rule.def;
    const Slots& slots = sized->slots;
    for (std::size_t i = 0; i < def.args.size(); ++i) {
      if (sized->IsExtremum(i)) continue;  // the best one stays, or interp/plan/extrema.h objects
      std::set<SlotId> from, computed;
      slots.Sources(def.args[i], true, from, computed);
      const Size size = slots.SizeOf(def.args[i], true);
      for (std::size_t k = 0; k < sized->atoms.size(); ++k) {
        const Atom& atom = sized->AtomAt(k);
        for (std::size_t j = 0; j < atom.args.size(); ++j) {
          std::set<SlotId> of, unused;
          slots.Sources(atom.args[j], false, of, unused);
          const auto is_in = [&](const std::set<SlotId>& slots_of) {
            return std::ranges::any_of(of, [&](SlotId s) { return slots_of.contains(s); });
          };
          if (!is_in(from)) continue;
          Edge edge{sized.get(),
                    k,
                    j,
                    i,
                    Position(atom.relation, j),
                    Position(def.head, i),
                    is_in(computed) || !Slack(size, slots.SizeOf(atom.args[j])),
                    Holds::kNot};
          if (sized->takes_all && atom.args[j].kind == Pattern::Kind::kSlot)
            edge.for_certain = HoldsOf(slots, def.args[i], slots.RootOf(atom.args[j].slot), 0);
          out.push_back(edge);
        }
      }
    }
  }
  return out;
}

namespace {

// The components of a graph of `nodes` with edges between positions.
template <typename Edges, typename Fn>
Components ComponentsOf(std::uint32_t nodes, const Edges& edges, Fn&& counts) {
  std::vector<std::vector<std::uint32_t>> to(nodes);
  for (const auto& edge : edges)
    if (counts(edge)) to[edge.from].push_back(edge.to);
  return StronglyConnected(to, std::vector<bool>(nodes, true));
}

}  // namespace

bool Growth::MayGrow() const {
  if (opaque_) return false;  // in such a component every call is made bottom-up
  const std::vector<Edge> edges = Edges();
  const Components found = ComponentsOf(positions_, edges, [](const Edge&) { return true; });
  return std::ranges::any_of(
      edges, [&](const Edge& e) { return e.larger && found.of[e.from] == found.of[e.to]; });
}

std::optional<Growth::Endless> Growth::FindEndless() const {
  const std::vector<Edge> edges = Edges();
  const auto counts = [](const Edge& e) { return e.for_certain != Holds::kNot; };
  const Components found = ComponentsOf(positions_, edges, counts);
  for (const Edge& e : edges) {
    if (e.for_certain != Holds::kLarger || found.of[e.from] != found.of[e.to]) continue;
    const Sized& rule = *e.rule;
    // The first clause that makes something.
    const auto makes = std::ranges::find_if(rule.rule.clauses, [&](const Clause* clause) {
      const Compare* c = EqualityIn(*clause);
      return c != nullptr && !(IsSlot(c->left) && IsSlot(c->right));
    });
    const bool in_head = rule.rule.def->args[e.to_column].kind != Pattern::Kind::kSlot;
    return Endless{rule.rule.def, in_head || makes == rule.rule.clauses.end() ? nullptr : *makes};
  }
  return std::nullopt;
}

// The calls that follow from one, by relation and known columns.
class Growth::Calls {
 public:
  Calls(const Growth& growth, const Probes& probes) : growth_(growth), probes_(probes) {}

  bool End(RelationId relation, Columns known) {
    if (!Follow(relation, known)) return false;
    Measure();
    return MakeNothing();
  }

 private:
  struct Call {
    RelationId relation;
    Columns known;
    Columns measured;  // the columns whose sizes together are the size of the call
  };
  struct Follows {
    std::uint32_t from, to;  // calls
    const Sized* rule;
    std::size_t atom;
    bool smaller = false;
  };

  std::uint32_t NumberOf(RelationId relation, Columns known) {
    const auto [at, is_new] = numbers_.try_emplace({relation, known}, calls_.size());
    if (is_new) calls_.push_back({relation, known, known});
    return static_cast<std::uint32_t>(at->second);
  }

  bool Follow(RelationId relation, Columns known) {
    NumberOf(relation, known);
    for (std::uint32_t c = 0; c < calls_.size(); ++c) {
      if (calls_.size() > kMostCalls) return false;
      for (std::size_t r = 0; r < growth_.rules_.size(); ++r) {
        const Sized& rule = *growth_.rules_[r];
        if (rule.rule.def->head != calls_[c].relation) continue;
        const std::optional<std::vector<Columns>> known_at = probes_(r, calls_[c].known);
        if (!known_at) return false;
        for (std::size_t k = 0; k < rule.atoms.size(); ++k) {
          const RelationId to = growth_.store_.BaseOf(rule.AtomAt(k).relation);
          follows_.push_back({c, NumberOf(to, (*known_at)[k]), &rule, k});
        }
      }
    }
    return true;
  }

  static Size Sum(const Slots& slots, const std::vector<Pattern>& args, Columns columns) {
    Size out;
    for (std::size_t i = 0; i < args.size(); ++i)
      if ((columns >> i & 1) != 0) out.Add(slots.SizeOf(args[i]));
    return out;
  }

  // Leaves out columns until no call is larger than the one that it follows from.
  void Measure() {
    for (bool again = true; again;) {
      again = false;
      for (Follows& f : follows_) {
        const Slots& slots = f.rule->slots;
        const Size before = Sum(slots, f.rule->rule.def->args, calls_[f.from].measured);
        const std::vector<Pattern>& args = f.rule->AtomAt(f.atom).args;
        Columns& measured = calls_[f.to].measured;
        const Columns was = measured;
        for (std::size_t j = 0; j < args.size(); ++j)
          if ((measured >> j & 1) != 0 && !Slack(slots.SizeOf(args[j]), before))
            measured &= ~(Columns{1} << j);
        std::optional<int> slack = Slack(Sum(slots, args, measured), before);
        for (std::size_t j = args.size(); !slack && j-- > 0;) {
          measured &= ~(Columns{1} << j);
          slack = Slack(Sum(slots, args, measured), before);
        }
        f.smaller = slack && *slack > 0;
        again = again || measured != was;
      }
    }
  }

  // Whether circles of calls that do not get smaller pass on what they were given, and add nothing
  // to answers.
  bool MakeNothing() const {
    const auto nodes = static_cast<std::uint32_t>(calls_.size());
    const Components found =
        ComponentsOf(nodes, follows_, [](const Follows& f) { return !f.smaller; });
    const std::vector<Edge> edges = growth_.Edges();
    return std::ranges::all_of(follows_, [&](const Follows& f) {
      if (f.smaller || found.of[f.from] != found.of[f.to]) return true;
      const std::vector<Pattern>& args = f.rule->AtomAt(f.atom).args;
      const std::vector<Pattern>& head = f.rule->rule.def->args;
      for (std::size_t j = 0; j < args.size(); ++j) {
        if ((calls_[f.to].measured >> j & 1) != 0) continue;
        const Pattern& p = args[j];
        const bool of_head =
            p.kind == Pattern::Kind::kSlot && std::ranges::any_of(head, [&](const Pattern& h) {
              return h.kind == Pattern::Kind::kSlot && h.slot == p.slot;
            });
        const bool given = p.kind == Pattern::Kind::kConstant || p.kind == Pattern::Kind::kAny ||
                           of_head ||
                           (p.kind == Pattern::Kind::kSlot && !f.rule->slots.IsMade(p.slot));
        if (!given) return false;
      }
      return std::ranges::none_of(edges, [&](const Edge& e) {
        return e.rule == f.rule && e.atom == f.atom && e.larger &&
               (calls_[f.from].known >> e.to_column & 1) == 0;
      });
    });
  }

  const Growth& growth_;
  const Probes& probes_;
  std::vector<Call> calls_;
  std::map<std::pair<RelationId, Columns>, std::size_t> numbers_;
  std::vector<Follows> follows_;
};

bool Growth::Ends(RelationId relation, Columns known, const Probes& probes) const {
  return !opaque_ && Calls(*this, probes).End(relation, known);
}

}  // namespace rpl
