// SPDX-License-Identifier: Apache-2.0
#include "interp/testing/unfold.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "grammar/printer.h"

namespace rpl {
namespace {

struct NoForm {
  std::string what;
};

constexpr std::size_t kMostCalls = 200;  // unfolded in one program
constexpr double kMostWays = 1000;       // through the alternatives of a rule with unfolded calls

std::string KeyOf(const Call& call) {
  const char* mark = call.ns == Namespace::kGoal ? "%" : call.ns == Namespace::kTool ? "$" : "";
  return mark + call.label + "/" + std::to_string(call.args.size());
}

// How often each lvar occurs.
using Names = std::map<std::string, int>;

void Collect(const Node& node, Names& out) {
  if (const auto* v = node.As<Lvar>(); v != nullptr && !v->name.empty()) ++out[v->name];
  if (const auto* t = node.As<Template>())
    for (const std::string& hole : t->holes)
      if (!hole.empty()) ++out[hole];
  ForEachChild(node, [&](const Node& child) { Collect(child, out); });
}

const Call* CountedCall(const Node& node) {
  const auto* count = node.As<Count>();
  return count == nullptr ? nullptr : count->operand.front().As<Call>();
}

// The ways through the alternatives of clauses that hold together.
double WaysThrough(const Nodes& nodes) {
  double ways = 1;
  for (const Node& node : nodes) {
    const auto* d = node.As<Disjunction>();
    double sum = 0;
    if (d != nullptr)
      for (const Node& branch : d->branches) sum += WaysThrough({branch});
    if (const auto* c = node.As<Conjunction>()) sum = WaysThrough(c->clauses);
    if (const auto* g = node.As<Group>()) sum = WaysThrough(g->inner);
    if (const auto* n = node.As<Not>()) sum = WaysThrough(n->clause);
    ways *= std::max(sum, 1.0);
  }
  return ways;
}

class Unfolder {
 public:
  Unfolder(const std::vector<Sentence>& sentences, const Needs& needs, bool keys_bind)
      : needs_(needs) {
    for (const Sentence& s : sentences) {
      for (const Node& head : s.rule.heads)
        if (const auto* call = head.As<Call>()) rules_[KeyOf(*call)].emplace_back(call, &s.rule);
      const bool is_fact =
          s.rule.heads.empty() && s.rule.constraints.empty() && !s.rule.tail.empty();
      if (const Call* fact = is_fact ? Ungroup(s.rule.tail.front()).As<Call>() : nullptr)
        facts_[KeyOf(*fact)].push_back(fact);
    }
    for (std::size_t before = SIZE_MAX; before != keyed_.size();) {
      before = keyed_.size();
      for (const auto& [key, rules] : rules_)
        for (const auto& [head, rule] : rules)
          if (MayDepend(*rule)) keyed_.insert(key);
    }
    // The closed text of a choice among rows reads the relation of all of them.
    const auto is_closed = [&](const Call& c) {
      return IsKey(c) || (c.label.ends_with("-all") && closed_.contains(KeyOf(c)));
    };
    for (std::size_t before = SIZE_MAX; keys_bind && before != closed_.size();) {
      before = closed_.size();
      for (const auto& [key, rules] : rules_)
        for (const auto& [head, rule] : rules)
          if (Has(rule->tail, is_closed)) closed_.insert(key);
    }
    // The closed text of a choice among rows asks for the values of one row.
    for (const std::string& key : keyed_)
      if (key.find("-all/") != key.npos) throw NoForm{"a choice among values of " + key};
  }

  Sentence Unfold(Sentence s) {
    if (s.rule.heads.empty() && s.rule.constraints.empty()) return s;
    const auto is_in = [](const std::set<std::string>& keys) {
      return [&keys](const Call& call) { return keys.contains(KeyOf(call)); };
    };
    if (Has(s.rule.tail, is_in(closed_)) && Has(s.rule.tail, is_in(keyed_)))
      throw NoForm{"a caller beside one"};
    const std::size_t before = calls_;
    bound_.clear();
    AddBound(s.rule.tail, bound_);
    for (Node& tail : s.rule.tail) Unfold(tail);
    if (calls_ > before && WaysThrough(s.rule.tail) > kMostWays) throw NoForm{"too many ways"};
    for (Abductive& a : s.rule.abductives)
      for (Node& clause : a.clauses) Unfold(clause);
    for (Node& right : s.rule.constraints) Unfold(right);
    return s;
  }

 private:
  template <typename Is>
  static bool Has(const Nodes& nodes, Is is) {
    return std::ranges::any_of(nodes, [&](const Node& node) {
      const auto* call = node.As<Call>();
      bool found = call != nullptr && is(*call);
      ForEachChild(node, [&](const Node& child) { found = found || Has({child}, is); });
      return found;
    });
  }

  // Adds what the clauses bind, whatever their order, without counts and calls that depend on their
  // callers.
  void AddBound(const Nodes& clauses, Names& known) const {
    for (std::size_t before = SIZE_MAX; before != known.size();) {
      before = known.size();
      for (const Node& clause : clauses) AddBound(Ungroup(clause), known);
    }
  }
  void AddBound(const Node& clause, Names& known) const {
    const auto knows = [&](const Node& part) {
      Names own;
      Collect(part, own);
      return std::ranges::all_of(own, [&](const auto& n) { return known.contains(n.first); });
    };
    if (IsKeyed(clause)) return;
    if (const auto* call = clause.As<Call>()) {
      if (IsMet(*call, known)) Collect(clause, known);
      return;
    }
    if (const auto* c = clause.As<Conjunction>()) return AddBound(c->clauses, known);
    if (const auto* d = clause.As<Disjunction>()) {
      Names all;
      for (std::size_t i = 0; i < d->branches.size(); ++i) {
        Names own = known;
        AddBound({d->branches[i]}, own);
        if (i == 0) all = own;
        std::erase_if(all, [&](const auto& n) { return !own.contains(n.first); });
      }
      known.merge(all);
      return;
    }
    const auto* b = clause.As<Binary>();
    if (b == nullptr || (b->op != Operator::kEqual && b->op != Operator::kIn)) return;
    const auto is_term = [](const Node& n) {
      return Ungroup(n).As<Binary>() == nullptr && Ungroup(n).As<Count>() == nullptr;
    };
    const Node& left = b->sides[0];
    const Node& right = b->sides[1];
    if (is_term(left) && (CountedCall(Ungroup(right)) != nullptr || knows(right)))
      Collect(left, known);
    if (b->op == Operator::kEqual && is_term(right) &&
        (CountedCall(Ungroup(left)) != nullptr || knows(left)))
      Collect(right, known);
  }

  // Whether the columns that a call needs are among those known.
  bool IsMet(const Call& call, const Names& known) const {
    const auto it = needs_.find(call.label);
    return it == needs_.end() || std::ranges::any_of(it->second, [&](const std::string& columns) {
             return std::ranges::all_of(columns, [&](char c) {
               const auto* v = call.args[static_cast<std::size_t>(c - '0')].As<Lvar>();
               return v == nullptr || known.contains(v->name);
             });
           });
  }

  // Whether some lvar of a count, or of a call that depends on its caller, is shared with other
  // clauses or the head, and its arguments bind it, but no clause does.
  bool MayDepend(const Rule& rule) const {
    Names all, bound, given;
    for (const Node& head : rule.heads) Collect(head, all);
    for (const auto& [name, times] : all) given[name];
    Nodes clauses = rule.tail;
    for (const Abductive& a : rule.abductives)
      clauses.insert(clauses.end(), a.clauses.begin(), a.clauses.end());
    for (const Node& clause : clauses) Collect(clause, all);
    AddBound(clauses, bound);
    AddBound(clauses, given);
    const auto is_open = [&](const Node& part) {
      Names own;
      Collect(part, own);
      return std::ranges::any_of(own, [&](const auto& name) {
        return all.at(name.first) > name.second && !bound.contains(name.first) &&
               given.contains(name.first);
      });
    };
    const auto depends = [&](const auto& self, const Node& node) -> bool {
      if (node.As<Not>()) return false;
      if (CountedCall(node) != nullptr) return is_open(node);
      if (const auto* call = node.As<Call>(); call != nullptr && keyed_.contains(KeyOf(*call)))
        return is_open(node);
      bool found = false;
      ForEachChild(node, [&](const Node& child) { found = found || self(self, child); });
      return found;
    };
    return std::ranges::any_of(clauses, [&](const Node& n) { return depends(depends, n); });
  }

  // Unfolds the calls among the clauses of a tail.
  void Unfold(Node& node) {
    if (const Call* counted = CountedCall(node)) {
      if (keyed_.contains(KeyOf(*counted))) throw NoForm{"a count of " + counted->label};
      return;
    }
    if (auto* c = node.As<Conjunction>()) return UnfoldAll(c->clauses);
    if (auto* d = node.As<Disjunction>()) return UnfoldAll(d->branches);
    if (auto* g = node.As<Group>()) return UnfoldAll(g->inner);
    if (auto* n = node.As<Not>()) return UnfoldAll(n->clause);
    if (auto* b = node.As<Binary>()) return UnfoldAll(b->sides);
    if (const auto* f = node.As<GoalFalse>(); f != nullptr && IsKeyed(f->goal.front()))
      throw NoForm{"!" + Print(f->goal.front())};
    if (IsKeyed(node) || LacksInput(node)) node = InPlace(*node.As<Call>(), node.span);
  }

  // Whether no clause beside the call binds what it needs: facts and rules that need nothing give
  // it then. A best row is chosen among those of all rules.
  bool LacksInput(const Node& node) {
    const auto* call = node.As<Call>();
    if (call == nullptr || IsMet(*call, bound_)) return false;
    return std::ranges::none_of(rules_[KeyOf(*call)], [&](const auto& rule) {
      return Has(rule.second->tail, [](const Call& c) { return c.label.ends_with("-all"); });
    });
  }

  void UnfoldAll(Nodes& nodes) {
    for (Node& node : nodes) Unfold(node);
  }

  bool IsKeyed(const Node& node) const {
    const auto* call = node.As<Call>();
    return call != nullptr && keyed_.contains(KeyOf(*call));
  }

  Node InPlace(const Call& call, Span span) {
    const std::string key = KeyOf(call);
    if (!running_.insert(key).second) throw NoForm{"a recursion through " + call.label};
    if (++calls_ > kMostCalls) throw NoForm{"too many calls"};
    Disjunction out;
    out.branches.push_back(Node{call, span});
    for (const Call* fact : facts_[key]) {
      Conjunction equal;
      for (std::size_t i = 0; i < call.args.size(); ++i) {
        Node arg = call.args[i];
        auto* const variable = arg.As<Lvar>();
        if (variable != nullptr && variable->name.empty())
          variable->name = "any" + std::to_string(++copies_);
        equal.clauses.push_back(
            Node{Binary{Operator::kEqual, {std::move(arg), fact->args[i]}}, span});
      }
      out.branches.push_back(Node{Group{{Node{std::move(equal), span}}}, span});
    }
    for (const auto& [head, rule] : rules_[key]) {
      Node body = BodyFor(*head, *rule, call, span);
      Unfold(body);
      out.branches.push_back(std::move(body));
    }
    running_.erase(key);
    return Node{Group{{Node{std::move(out), span}}}, span};
  }

  // The tail of a rule with the arguments of the call in place of those of its head.
  Node BodyFor(const Call& head, const Rule& rule, const Call& call, Span span) {
    if (!rule.abductives.empty() || !rule.constraints.empty())
      throw NoForm{"a rule of " + head.label};
    const std::string prefix = "u" + std::to_string(++copies_) + "-";
    std::map<std::string, Node> names;
    std::set<std::string> given;
    Conjunction out;
    std::vector<std::pair<Node, Node>> equal;
    for (std::size_t i = 0; i < head.args.size(); ++i) {
      Node arg = call.args[i];
      if (HasSet(head.args[i]) || HasSet(arg)) throw NoForm{"a set in an argument"};
      if (auto* variable = arg.As<Lvar>()) {
        if (variable->name.empty()) variable->name = prefix + "any" + std::to_string(i);
        if (!given.insert(variable->name).second) throw NoForm{"an argument twice"};
        // Whether the caller mentions it elsewhere or not, it is no lvar of a count alone.
        out.clauses.push_back(
            Node{Binary{Operator::kNotEqual, {arg, Node{Keyword{"unfolded"}, span}}}, span});
      }
      const auto* v = head.args[i].As<Lvar>();
      if (v != nullptr && !v->name.empty() && !names.contains(v->name)) names[v->name] = arg;
      else equal.emplace_back(std::move(arg), head.args[i]);
    }
    const auto take = [&](Node node) {
      Rename(node, prefix, names);
      return node;
    };
    for (auto& [arg, own] : equal) {
      out.clauses.push_back(Node{Binary{Operator::kEqual, {std::move(arg), take(own)}}, span});
    }
    Node tail = take(rule.tail.front());
    // A caller's key is the argument here; what all callers pass would bind one that is free.
    if (auto* c = tail.As<Conjunction>())
      std::erase_if(c->clauses, [](const Node& clause) { return IsKey(clause); });
    if (out.clauses.empty()) return Node{Group{{std::move(tail)}}, span};
    out.clauses.push_back(Node{Group{{std::move(tail)}}, span});
    return Node{Group{{Node{std::move(out), span}}}, span};
  }

  // Whether a call gives the keys that callers pass (RandomProgram::ClosedText).
  static bool IsKey(const Call& call) { return call.label.starts_with("key-"); }
  static bool IsKey(const Node& node) {
    const auto* call = node.As<Call>();
    return call != nullptr && IsKey(*call);
  }

  static bool HasSet(const Node& node) {
    const auto* c = node.As<Collection>();
    bool found = c != nullptr && (c->kind == CollectionKind::kSet || !c->rest.empty());
    ForEachChild(node, [&](const Node& child) { found = found || HasSet(child); });
    return found;
  }

  static void Rename(Node& node, const std::string& prefix,
                     const std::map<std::string, Node>& names) {
    if (auto* v = node.As<Lvar>()) {
      if (v->name.empty()) return;
      if (const auto at = names.find(v->name); at != names.end()) node = at->second;
      else v->name = prefix + v->name;
      return;
    }
    if (auto* t = node.As<Template>())
      for (std::string& hole : t->holes) {
        if (hole.empty()) continue;
        const auto at = names.find(hole);
        const auto* v = at == names.end() ? nullptr : at->second.As<Lvar>();
        if (at != names.end() && v == nullptr) throw NoForm{"a hole with a value"};
        hole = v == nullptr ? prefix + hole : v->name;
      }
    ForEachChild(std::as_const(node),
                 [&](const Node& child) { Rename(const_cast<Node&>(child), prefix, names); });
  }

  const Needs& needs_;
  std::map<std::string, std::vector<std::pair<const Call*, const Rule*>>> rules_;
  std::map<std::string, std::vector<const Call*>> facts_;
  std::set<std::string> keyed_, running_;
  Names bound_;                   // by the clauses of the sentence, whatever their order
  std::set<std::string> closed_;  // relations that need a caller
  std::size_t calls_ = 0;
  int copies_ = 0;
};

}  // namespace

std::optional<std::vector<Sentence>> Unfolded(const std::vector<Sentence>& sentences,
                                              const Needs& needs, bool keys_bind,
                                              std::string* problem) {
  try {
    Unfolder unfolder(sentences, needs, keys_bind);
    std::vector<Sentence> out;
    for (const Sentence& s : sentences) out.push_back(unfolder.Unfold(s));
    return out;
  } catch (const NoForm& none) {
    *problem = std::string(kNoForm) + ": " + none.what;
    return std::nullopt;
  }
}

}  // namespace rpl
