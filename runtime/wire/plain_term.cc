// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/plain_term.h"

#include <string>
#include <utility>
#include <vector>

#include "grammar/ast_walk.h"
#include "grammar/parser.h"
#include "interp/program/program.h"

namespace rpl {

bool IsPlain(const Node& term, bool variables) {
  bool plain = Visit(
      term, [](const Among<String, Number, Keyword, Symbol, Boolean, Nil> auto&) { return true; },
      [&](const Lvar&) { return variables; },
      [](const Call& call) { return call.ns == Namespace::kRelation; },
      [](const Collection& collection) { return collection.rest.empty(); },
      [](const Among<Avar, Template, Regex, Match, Now, Expansion, Count, Not, GoalFalse, Binary,
                     Within, Between, Conjunction, Disjunction, Annotated, Group, Rule> auto&) {
        return false;
      });
  ForEachChild(term, [&](const Node& child) { plain = plain && IsPlain(child, variables); });
  return plain;
}

std::optional<Node> PlainTerm(std::string_view text) {
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t file = sources.Add("<key>", std::string(text));
  std::optional<Node> term =
      ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, ignored);
  if (term && !IsPlain(*term, true)) term.reset();
  return term;
}

Value ValueOfTerm(const Node& term, Pool& pool) {
  const auto items = [&] {
    std::vector<Value> out;
    ForEachChild(term, [&](const Node& child) { out.push_back(ValueOfTerm(child, pool)); });
    return out;
  };
  return Visit(
      term, [&](const String& s) { return pool.String(s.text); },
      [&](const Keyword& k) { return pool.Keyword(k.name); },
      [&](const Symbol& s) { return pool.Symbol(s.name); },
      [](const Boolean& b) { return Pool::Bool(b.value); },
      [&](const Number& n) { return NumberValue(pool, n); }, [](const Nil&) { return kNil; },
      [](const Lvar&) { return kWild; },
      [&](const Call& c) { return pool.Term(c.ns, c.label, items()); },
      [&](const Collection& c) {
        switch (c.kind) {
          case CollectionKind::kList: return pool.List(items());
          case CollectionKind::kSet: return pool.Set(items());
          case CollectionKind::kMap: return pool.Map(items());
        }
        return kNone;
      },
      // Not plain.
      [](const Among<Avar, Template, Regex, Match, Now, Expansion, Count, Not, GoalFalse, Binary,
                     Within, Between, Conjunction, Disjunction, Annotated, Group, Rule> auto&) {
        return kNone;
      });
}

bool Fits(const Pool& pool, Value pattern, Value value) {
  if (pattern == kWild || pattern == value) return true;
  if (pattern.kind() != value.kind()) return false;
  const bool map = pattern.kind() == Kind::kMap;
  if (pattern.kind() != Kind::kList && pattern.kind() != Kind::kTerm && !map) return false;
  const auto wanted = pool.ItemsOf(pattern);
  const auto given = pool.ItemsOf(value);
  if (wanted.size() != given.size()) return false;
  if (pattern.kind() == Kind::kTerm && (pool.TextOf(pattern) != pool.TextOf(value) ||
                                        pool.NamespaceOf(pattern) != pool.NamespaceOf(value))) {
    return false;
  }
  for (std::size_t i = 0; i < wanted.size(); i += map ? 2 : 1) {
    if (map) {
      const Value under_key = pool.Lookup(value, wanted[i]);
      if (under_key.is_none() || !Fits(pool, wanted[i + 1], under_key)) return false;
    } else if (!Fits(pool, wanted[i], given[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace rpl
