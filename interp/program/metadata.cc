// SPDX-License-Identifier: Apache-2.0
#include "interp/program/metadata.h"

#include "interp/store/store.h"

namespace rpl {
namespace {

RelationId RelationIn(const Pool& pool, Value reference) {
  return static_cast<RelationId>(pool.AsInt(reference) >> 32);
}

RowId RowIn(const Pool& pool, Value reference) {
  return static_cast<RowId>(pool.AsInt(reference) & 0xffffffff);
}

// One party as a keyword, several as their set.
Value NamesOf(Pool& pool, Parties parties) {
  std::vector<Value> names;
  for (int i = 0; i <= static_cast<int>(By::kFile); ++i)
    if (const By by = static_cast<By>(i); (parties & PartyBit(by)) != 0)
      names.push_back(pool.Keyword(NameOf(by)));
  return names.empty() ? kNone : names.size() == 1 ? names.front() : pool.Set(names);
}

}  // namespace

bool SaysFailed(Pool& pool, Value meta) {
  return meta.kind() == Kind::kMap &&
         pool.Lookup(meta, pool.Keyword("status")) == pool.Keyword("error");
}

Value RowReference(Pool& pool, RelationId relation, RowId row) {
  return pool.Int(static_cast<std::int64_t>(relation) << 32 | row);
}

std::optional<std::pair<RelationId, RowId>> RowMetadata::RowOf(Value reference) const {
  if (!store_.pool().Int64Of(reference)) return std::nullopt;
  return std::pair(RelationIn(store_.pool(), reference), RowIn(store_.pool(), reference));
}

Value RowMetadata::Map(Value reference) const {
  const auto at = RowOf(reference);
  return at ? store_.at(at->first).Meta(at->second) : kNone;
}

Value RowMetadata::Field(Value reference, Value key, Value primary) const {
  Pool& pool = store_.pool();
  if (!pool.Int64Of(reference)) return kNone;
  const bool own = key.kind() == Kind::kKeyword && pool.TextOf(key) == kBy;
  if (const Value map = Map(reference); !map.is_none() && !own) {
    if (const Value v = pool.Lookup(map, key); !v.is_none()) return v;
    if (key == primary)
      if (const Value v = pool.Lookup(map, pool.Keyword(pool.TextOf(key))); !v.is_none()) return v;
  }
  if (key.kind() != Kind::kKeyword) return kNone;
  const std::string_view name = pool.TextOf(key);
  const Relation& rel = store_.at(RelationIn(pool, reference));
  const RowId row = RowIn(pool, reference);
  if (own) return NamesOf(pool, rel.SaidBy(row));
  if (name == "relation") return pool.Term(Namespace::kRelation, rel.name(), rel.Cells(row));
  const std::optional<Span> origin = rel.Origin(row);
  if (!origin) return kNone;
  const Sources& sources = program_.sources();
  if (name == "file") return pool.String(sources.at(origin->file).name);
  if (name == "line") return pool.Int(sources.PlaceOf(origin->file, origin->begin).line);
  if (name == "heading") {
    const std::string title = program_.HeadingAt(*origin);
    return title.empty() ? kNone : pool.String(title);
  }
  return kNone;
}

Value RowMetadata::Context(Value reference) const {
  const Pool& pool = store_.pool();
  if (reference.kind() == Kind::kMap) return reference;
  const Value map = Map(reference);
  if (map.is_none()) return kNone;
  const Value context = pool.Lookup(map, store_.pool().Keyword("bindings"));
  return context.kind() == Kind::kMap ? context : kNone;
}

}  // namespace rpl
