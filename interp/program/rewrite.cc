// SPDX-License-Identifier: Apache-2.0
#include "interp/program/rewrite.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/printer.h"
#include "interp/program/lower.h"

namespace rpl {
namespace {

// Renames every lvar of `node` by `names`.
void Rename(Node& node, const std::map<std::string, Node>& names) {
  if (const auto* v = node.As<Lvar>()) {
    if (const auto it = names.find(v->name); it != names.end()) {
      const Span span = node.span;
      node = it->second;
      node.span = span;
    }
    return;
  }
  if (auto* t = node.As<Template>())
    for (std::string& hole : t->holes)
      if (const auto it = names.find(hole); it != names.end())
        if (const auto* v = it->second.As<Lvar>()) hole = v->name;
  if (auto* e = node.As<Expansion>())
    if (const auto it = names.find(e->name); it != names.end())
      if (const auto* v = it->second.As<Lvar>()) e->name = v->name;
  if (auto* r = node.As<Regex>()) {
    std::string body;
    std::size_t from = 0;
    ForEachGroup(*r, [&](std::size_t begin, std::size_t size) {
      const auto it = names.find(LvarOfGroup(std::string_view(r->body).substr(begin, size)));
      const auto* v = it == names.end() ? nullptr : it->second.As<Lvar>();
      if (v == nullptr) return;
      std::string group = v->name;
      std::replace(group.begin(), group.end(), '-', '_');
      body += r->body.substr(from, begin - from) + group;
      from = begin + size;
    });
    r->body = body + r->body.substr(from);
  }
  ForEachChild(node, [&](const Node& child) { Rename(const_cast<Node&>(child), names); });
}

bool IsKeyword(const Node& node, std::string_view name) {
  const auto* keyword = node.As<Keyword>();
  return keyword != nullptr && keyword->name == name;
}

// The map that the value of a suffix is, or is matched with; null for none.
Collection* MapOf(Node& value) {
  auto* const match = value.As<Match>();
  auto* const map = (match != nullptr ? match->pattern.front() : value).As<Collection>();
  return map != nullptr && map->kind == CollectionKind::kMap ? map : nullptr;
}

// The suffix with those entries of its bindings map whose keys belong; nullopt where none is left.
std::optional<Suffix> PartOf(const Suffix& suffix,
                             const std::function<bool(const Node& key)>& belongs) {
  Suffix out = suffix;
  const auto reduce = [&](Node& value) {
    Collection* const map = MapOf(value);
    if (map == nullptr) return true;
    Nodes kept;
    for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) {
      if (!belongs(map->items[i])) continue;
      kept.push_back(map->items[i]);
      kept.push_back(map->items[i + 1]);
    }
    map->items = std::move(kept);
    return !map->items.empty();
  };
  Node& value = out.value.front();
  if (suffix.bindings && !suffix.key.empty())
    return belongs(suffix.key.front()) ? std::optional(out) : std::nullopt;
  if (suffix.bindings || (!suffix.key.empty() && IsKeyword(suffix.key.front(), "bindings")))
    return reduce(value) ? std::optional(out) : std::nullopt;
  if (!suffix.key.empty()) return out;
  if (Collection* const map = MapOf(value); map != nullptr)
    for (std::size_t i = 0; i + 1 < map->items.size(); i += 2)
      if (IsKeyword(map->items[i], "bindings")) reduce(map->items[i + 1]);
  return out;
}

}  // namespace

bool SameHead(const Node& a, const Node& b) {
  const auto* x = a.As<Call>();
  const auto* y = b.As<Call>();
  return x != nullptr && y != nullptr && x->ns == y->ns && x->label == y->label &&
         (x->args.size() == y->args.size() ||
          (x->ns == Namespace::kGoal && (x->args.empty() || y->args.empty())));
}

namespace {

const std::string* NameOf(const Node& variable) {
  if (const auto* lvar = variable.As<Lvar>()) return &lvar->name;
  if (const auto* avar = variable.As<Avar>()) return &avar->name;
  return nullptr;
}

}  // namespace

bool Restates(const Rule& expression, const Rule& signature) {
  if (expression.tail.size() != 1 || signature.heads.size() != 1) return false;
  const Node& said = Ungroup(expression.tail.front());
  const Node& head = signature.heads.front();
  const auto* x = said.As<Call>();
  const auto* y = head.As<Call>();
  if (x == nullptr || y == nullptr || x->args.size() != y->args.size() || !SameHead(said, head))
    return false;
  std::map<std::string, std::string> names, back;
  for (std::size_t i = 0; i < x->args.size(); ++i) {
    const std::string* a = NameOf(x->args[i]);
    const std::string* b = NameOf(y->args[i]);
    if (a == nullptr || b == nullptr) {
      if (a != b || Print(x->args[i]) != Print(y->args[i])) return false;
    } else if (names.emplace(*a, *b).first->second != *b ||
               back.emplace(*b, *a).first->second != *a) {
      return false;
    }
  }
  return true;
}

void AppendTail(Nodes& tail, const Node& more) {
  if (tail.empty()) {
    tail.push_back(more);
    return;
  }
  if (tail.front().As<Conjunction>() == nullptr) {
    Node only = std::move(tail.front());
    const Span span = only.span;
    tail.front() = {Conjunction{{std::move(only)}}, span};
  }
  auto& clauses = tail.front().As<Conjunction>()->clauses;
  const auto guard = [](const Node& n) {  // a | b inside a conjunction needs its parentheses
    return n.As<Disjunction>() || n.As<Rule>() ? Node{Group{{n}}, n.span} : n;
  };
  if (clauses.size() == 1) clauses.front() = guard(clauses.front());
  if (const auto* c = more.As<Conjunction>())
    for (const Node& clause : c->clauses) clauses.push_back(guard(clause));
  else clauses.push_back(guard(more));
}

Rule InHeadingTerms(const Node& heading_head, const Rule& rule) {
  Rule out = WithPin(rule).value_or(rule);
  const auto* wanted = heading_head.As<Call>();
  const auto* has = rule.heads.front().As<Call>();
  if (wanted->args == has->args || wanted->args.size() != has->args.size()) return out;
  std::map<std::string, Node> names;
  std::vector<std::string> taken;
  CollectVariables(heading_head, taken);
  Nodes equalities;
  for (std::size_t i = 0; i < has->args.size(); ++i) {
    const auto* v = has->args[i].As<Lvar>();
    if (v != nullptr && !v->name.empty() && !names.contains(v->name))
      names.emplace(v->name, wanted->args[i]);
    else
      equalities.push_back(
          {Binary{Operator::kEqual, {wanted->args[i], has->args[i]}}, has->args[i].span});
  }
  // Other lvars that happen to be spelled like the heading's get a name of their own.
  std::vector<std::string> own;
  for (const Node& n : rule.tail) CollectVariables(n, own);
  for (const std::string& name : own)
    if (!names.contains(name) && std::find(taken.begin(), taken.end(), name) != taken.end())
      names.emplace(name, Node{Lvar{name + "-2"}, {}});
  Node whole{std::move(out), {}};
  Rename(whole, names);
  out = std::move(*whole.As<Rule>());
  Nodes tail;
  for (Node& e : equalities) {
    Rename(e.As<Binary>()->sides[1], names);
    AppendTail(tail, e);
  }
  for (const Node& n : out.tail) AppendTail(tail, n);
  out.tail = std::move(tail);
  out.heads.front() = heading_head;
  return out;
}

std::optional<Node> FolderArgument(const Call& call, const Node& arg) {
  if (call.ns != Namespace::kTool || call.label != "index" || arg.As<Call>() == nullptr)
    return std::nullopt;
  Node out = arg;
  for (Node& part : out.As<Call>()->args)
    if (part.As<Avar>() != nullptr) part = {Keyword{"entries"}, part.span};
  return out;
}

std::optional<Node> Distributed(const Node& clause) {
  const auto* annotated = clause.As<Annotated>();
  if (annotated == nullptr) return std::nullopt;
  const auto* members = Ungroup(annotated->form.front()).As<Conjunction>();
  if (members == nullptr) return std::nullopt;
  std::vector<std::vector<std::string>> has(members->clauses.size());
  for (std::size_t i = 0; i < has.size(); ++i) CollectVariables(members->clauses[i], has[i]);
  Conjunction out;
  for (std::size_t i = 0; i < has.size(); ++i) {
    const Node& member = members->clauses[i];
    // A slot of another member's variable is not this one's.
    const auto belongs = [&](const Node& key) {
      const auto* lvar = key.As<Lvar>();
      const auto* symbol = key.As<Symbol>();
      if (lvar == nullptr && symbol == nullptr) return true;
      const std::string& name = lvar != nullptr ? lvar->name : symbol->name;
      const auto mentions = [&](const std::vector<std::string>& names) {
        return std::ranges::count(names, name) > 0;
      };
      return mentions(has[i]) || std::ranges::none_of(has, mentions);
    };
    Annotated one{{member}, {}};
    if (const auto* own = Ungroup(member).As<Annotated>()) one = *own;
    for (const Suffix& suffix : annotated->suffixes)
      if (std::optional<Suffix> part = PartOf(suffix, belongs)) one.suffixes.push_back(*part);
    out.clauses.push_back({std::move(one), member.span});
  }
  return Node{std::move(out), clause.span};
}

}  // namespace rpl
