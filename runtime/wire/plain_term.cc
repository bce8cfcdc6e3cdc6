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
  const auto* call = term.As<Call>();
  const auto* collection = term.As<Collection>();
  bool plain = term.As<String>() || term.As<Number>() || term.As<Keyword>() || term.As<Symbol>() ||
               term.As<Boolean>() || term.As<Nil>() || (variables && term.As<Lvar>()) ||
               (call && call->ns == Namespace::kRelation) ||
               (collection && collection->rest.empty());
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
  if (const auto* s = term.As<String>()) return pool.String(s->text);
  if (const auto* k = term.As<Keyword>()) return pool.Keyword(k->name);
  if (const auto* s = term.As<Symbol>()) return pool.Symbol(s->name);
  if (const auto* b = term.As<Boolean>()) return Pool::Bool(b->value);
  if (const auto* n = term.As<Number>()) return NumberValue(pool, *n);
  if (term.As<Nil>() != nullptr) return kNil;
  if (term.As<Lvar>() != nullptr) return kWild;
  std::vector<Value> items;
  ForEachChild(term, [&](const Node& child) { items.push_back(ValueOfTerm(child, pool)); });
  if (const auto* call = term.As<Call>()) return pool.Term(call->ns, call->label, items);
  switch (term.As<Collection>()->kind) {
    case CollectionKind::kList: return pool.List(items);
    case CollectionKind::kSet: return pool.Set(items);
    case CollectionKind::kMap: return pool.Map(items);
  }
  return kNone;
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
