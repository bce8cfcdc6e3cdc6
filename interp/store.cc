// SPDX-License-Identifier: Apache-2.0
#include "interp/store.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "interp/team.h"

namespace rpl {
namespace {

// New rows of an index that a team takes in sooner than one thread.
constexpr RowId kShared = 2'048;

std::string NameOf(Space space, std::string_view label) {
  switch (space) {
    case Space::kRelation: return std::string(label);
    case Space::kGoal: return "%" + std::string(label);
    case Space::kTool:
    case Space::kAvar: return "$" + std::string(label);
  }
  return std::string(label);
}

}  // namespace

std::span<const RowId> Index::Rows(std::span<const Value> key, const Relation& relation) const {
  const std::uint64_t hash = RowSet::HashOf(key);
  const Shard& shard = shards_[ShardOf(hash)];
  const std::uint32_t found = shard.heads.Find(
      hash, [&](std::uint32_t list) { return HasKey(relation.Row(shard.lists[list].first), key); });
  if (found == kNoId) return {};
  return shard.Ids(found);
}

inline bool Index::HasKey(const Value* cells, std::span<const Value> key) const {
  std::size_t k = 0;
  for (Columns rest = columns_; rest != 0; rest &= rest - 1)
    if (cells[std::countr_zero(rest)] != key[k++]) return false;
  return true;
}

inline std::span<const RowId> Index::Shard::Ids(std::uint32_t list) const {
  const List& rows = lists[list];
  if (rows.size == 1) return {&rows.first, 1};
  return {ids.data() + rows.at, rows.size};
}

void Index::RowsOfEach(const Value* keys, std::size_t count, const Relation& relation,
                       std::span<const RowId>* out) const {
  const auto width = static_cast<std::size_t>(std::popcount(columns_));
  std::uint64_t hashes[kEach];
  std::uint32_t near[kEach];
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = RowSet::HashOf({keys + i * width, width});
    shards_[ShardOf(hashes[i])].heads.Prefetch(hashes[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Shard& shard = shards_[ShardOf(hashes[i])];
    near[i] = shard.heads.Candidate(hashes[i]);
    if (near[i] != kNoId) Prefetch(&shard.lists[near[i]]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = {};
    if (near[i] == kNoId) continue;
    const Shard& shard = shards_[ShardOf(hashes[i])];
    out[i] = shard.Ids(near[i]);
    Prefetch(relation.Row(shard.lists[near[i]].first));
    Prefetch(out[i].data());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const Value> key(keys + i * width, width);
    if (near[i] != kNoId && !HasKey(relation.Row(out[i].front()), key))
      out[i] = Rows(key, relation);
  }
}

std::size_t Index::keys() const {
  std::size_t out = 0;
  for (const Shard& shard : shards_) out += shard.lists.size();
  return out;
}

void Index::Extend(const Relation& relation, RowId end, const KeepOn* keep_on, Team* team) {
  if (end <= size_) return;
  const bool together = team != nullptr && end - size_ >= kShared;
  if (together && shards_.size() == 1) *this = Index(columns_, std::bit_ceil(team->size()));
  const std::size_t ranges = together ? team->size() : 1;
  std::vector<std::vector<std::vector<Keyed>>> keyed(ranges);  // by range of rows and shard
  while (size_ < end) {
    const RowId next = std::min(end, size_ + kAtOnce);
    const auto begin = [&](std::size_t range) {
      return size_ + static_cast<RowId>((next - size_) * range / ranges);
    };
    const auto split = [&](std::size_t k) { keyed[k] = Keys(relation, begin(k), begin(k + 1)); };
    const auto take = [&](std::size_t shard) {
      for (const auto& range : keyed) shards_[shard].Take(relation, columns_, range[shard]);
    };
    if (together) {
      team->Each(ranges, split);
      team->Each(shards_.size(), take);
    } else {
      split(0);
      for (std::size_t shard = 0; shard < shards_.size(); ++shard) take(shard);
    }
    size_ = next;
    if (size_ < end && keep_on != nullptr && !(*keep_on)()) return;
  }
}

// The rows from `begin` to `end`, by shard, in order.
std::vector<std::vector<Index::Keyed>> Index::Keys(const Relation& relation, RowId begin,
                                                   RowId end) const {
  std::vector<std::vector<Keyed>> out(shards_.size());
  for (auto& rows : out) rows.reserve((end - begin) / shards_.size() * 5 / 4 + 1);
  for (RowId row = begin; row < end; ++row) {
    const Value* cells = relation.Row(row);
    std::uint64_t hash = 0;
    for (Columns rest = columns_; rest != 0; rest &= rest - 1)
      hash = MixHash(hash, cells[std::countr_zero(rest)].bits());
    out[ShardOf(hash)].push_back({row, static_cast<std::uint32_t>(hash >> 32)});
  }
  return out;
}

// Takes in rows, block by block, so that what each needs of the memory was asked for when its turn
// comes: first the place of its key in the table, then the list found there, then the list's first
// row, which it is compared with, and the place behind the last one.
void Index::Shard::Take(const Relation& relation, Columns columns, std::span<const Keyed> rows) {
  constexpr std::size_t kBlock = 64;
  std::uint32_t near[kBlock];
  const auto hash_of = [](const Keyed& row) { return std::uint64_t{row.hash} << 32; };
  for (; !rows.empty(); rows = rows.subspan(std::min(rows.size(), kBlock))) {
    const std::size_t count = std::min(rows.size(), kBlock);
    if (count > 1) {
      for (std::size_t i = 0; i < count; ++i) {
        heads.Prefetch(hash_of(rows[i]));
        Prefetch(relation.Row(rows[i].row));
      }
      for (std::size_t i = 0; i < count; ++i)
        if (near[i] = heads.Candidate(hash_of(rows[i])); near[i] != kNoId)
          Prefetch(&lists[near[i]]);
      for (std::size_t i = 0; i < count; ++i) {
        if (near[i] == kNoId) continue;
        const List& list = lists[near[i]];
        Prefetch(relation.Row(list.first));
        Prefetch(ids.data() + list.at + list.size);
      }
    }
    for (std::size_t i = 0; i < count; ++i) Add(relation, columns, rows[i].row, hash_of(rows[i]));
  }
}

// Takes in a row whose columns have that hash.
void Index::Shard::Add(const Relation& relation, Columns columns, RowId row, std::uint64_t hash) {
  const Value* cells = relation.Row(row);
  const auto next = static_cast<std::uint32_t>(lists.size());
  const std::uint32_t list = heads.FindOrInsert(hash, next, [&](std::uint32_t other) {
    const Value* theirs = relation.Row(lists[other].first);
    for (Columns rest = columns; rest != 0; rest &= rest - 1) {
      const int c = std::countr_zero(rest);
      if (cells[c] != theirs[c]) return false;
    }
    return true;
  });
  if (list == next) lists.push_back({row, 1, 0});
  else Append(lists[list], row);
}

// A list that is full moves to twice the space; what it leaves is kept for others.
void Index::Shard::Append(List& list, RowId row) {
  if (std::has_single_bit(list.size)) {
    const int order = std::countr_zero(list.size);
    std::uint32_t& unused = free[order + 1];
    std::uint32_t at = unused;
    if (at != 0) unused = ids[--at];
    else at = static_cast<std::uint32_t>(ids.Extend(std::size_t{list.size} * 2) - ids.begin());
    if (list.size == 1) {
      ids[at] = list.first;
    } else {
      std::copy_n(ids.data() + list.at, list.size, ids.data() + at);
      ids[list.at] = std::exchange(free[order], list.at + 1);
    }
    list.at = at;
  }
  ids[list.at + list.size++] = row;
}

std::size_t Index::bytes() const {
  std::size_t out = 0;
  for (const Shard& shard : shards_)
    out += shard.heads.bytes() + shard.lists.bytes() + shard.ids.bytes();
  return out;
}

Relation::Inserted Relation::Insert(std::span<const Value> row, bool asserted) {
  assert(row.size() == arity());
  const Inserted in = rows_.Insert(row);
  if (asserted) {
    if (asserted_.size() < in.row) asserted_.resize(in.row);
    if (asserted_.size() == in.row) asserted_.push_back(true);
    else asserted_[in.row] = true;
  }
  return in;
}

const Index* Relation::IndexIfAny(Columns columns) const {
  for (const auto& index : indexes_)
    if (index->columns() == columns) return index.get();
  return nullptr;
}

const Index& Relation::IndexOn(Columns columns, RowId end, const KeepOn* keep_on, Team* team) {
  assert(columns != 0 && end <= size());
  for (auto& index : indexes_)
    if (index->columns() == columns) {
      index->Extend(*this, end, keep_on, team);
      return *index;
    }
  indexes_.push_back(std::make_unique<Index>(columns));
  indexes_.back()->Extend(*this, end, keep_on, team);
  return *indexes_.back();
}

Value Relation::Meta(RowId row) const {
  const auto it = meta_.find(row);
  return it == meta_.end() ? kNone : it->second;
}

void Relation::SetMeta(RowId row, Value map) { meta_[row] = map; }

std::size_t Relation::bytes() const {
  std::size_t out = rows_.bytes();
  for (const auto& index : indexes_) out += index->bytes();
  return out;
}

namespace {

std::uint64_t HashOfName(Space space, std::string_view label, std::uint32_t arity) {
  return MixHash(MixHash(std::hash<std::string_view>{}(label), arity),
                 static_cast<std::uint64_t>(space));
}

}  // namespace

RelationId Store::Find(Space space, std::string_view label, std::uint32_t arity) const {
  return by_name_.Find(HashOfName(space, label, arity), [&](RelationId id) {
    const Relation& r = at(id);
    return r.space() == space && r.arity() == arity && pool_.TextOf(r.label()) == label;
  });
}

RelationId Store::Declare(Space space, std::string_view label, std::uint32_t arity) {
  const RelationId known = Find(space, label, arity);
  if (known != kNoId) return known;
  const auto id = static_cast<RelationId>(relations_.size());
  relations_.push_back(
      std::make_unique<Relation>(id, space, pool_.Symbol(label), NameOf(space, label), arity));
  companion_.push_back(kNoId);
  whole_of_.push_back(kNoId);
  by_name_.FindOrInsert(HashOfName(space, label, arity), id, [](RelationId) { return false; });
  return id;
}

RelationId Store::Whole(RelationId id) {
  assert(!IsWhole(id));
  if (companion_[id] != kNoId) return companion_[id];
  const auto whole = static_cast<RelationId>(relations_.size());
  const Relation& base = at(id);
  relations_.push_back(
      std::make_unique<Relation>(whole, base.space(), base.label(), base.name(), base.arity()));
  companion_.push_back(kNoId);
  whole_of_.push_back(id);
  companion_[id] = whole;
  for (RowId r = 0; r < base.size(); ++r) {
    const RowId copy = at(whole).Insert(base.Cells(r), base.asserted(r)).row;
    if (const Value meta = base.Meta(r); !meta.is_none()) at(whole).SetMeta(copy, meta);
    if (const Span* origin = base.Origin(r)) at(whole).SetOrigin(copy, *origin);
  }
  return whole;
}

namespace {

// Adds the keys of `more` that `map` lacks, and replaces those it has.
Value MergeMeta(Pool& pool, Value map, Value more) {
  if (map.is_none()) return more;
  std::vector<Value> entries(pool.ItemsOf(more).begin(), pool.ItemsOf(more).end());
  std::vector<Value> out;
  const std::span<const Value> old = pool.ItemsOf(map);
  for (std::size_t i = 0; i < old.size(); i += 2) {
    const Value newer = pool.Lookup(more, old[i]);
    out.push_back(old[i]);
    out.push_back(newer.is_none() ? old[i + 1] : newer);
  }
  out.insert(out.end(), entries.begin(), entries.end());
  return pool.Map(out);
}

}  // namespace

std::uint32_t Store::Insert(RelationId id, std::span<const Value> row, bool asserted, Value meta,
                            const Span* origin, std::span<const SetOrder> orders) {
  assert(!IsWhole(id));
  const auto add = [&](RelationId to, std::span<const Value> cells) {
    Relation& relation = at(to);
    const Relation::Inserted in = relation.Insert(cells, asserted);
    if (!meta.is_none()) relation.SetMeta(in.row, MergeMeta(pool_, relation.Meta(in.row), meta));
    if (origin != nullptr) relation.SetOrigin(in.row, *origin);
    return in.is_new;
  };
  const bool has_set =
      std::any_of(row.begin(), row.end(), [](Value v) { return v.kind() == Kind::kSet; });
  if (has_set) Whole(id);
  std::uint32_t added = 0;
  if (const RelationId whole = companion_[id]; whole != kNoId && add(whole, row) && has_set)
    added = 1;
  if (!has_set) return add(id, row) ? 1 : 0;
  std::vector<Value> scratch(row.begin(), row.end());
  std::uint32_t instances = 0;
  ForEachInstance(
      pool_, scratch, 0, {},
      [&](std::span<const Value> cells) { instances += add(id, cells) ? 1 : 0; }, orders);
  return std::max(added, instances);
}

bool Store::Retract(RelationId id, std::span<const Value> row) {
  bool found = false;
  const auto drop = [&](RelationId from, std::span<const Value> cells) {
    const RowId victim = at(from).Find(cells);
    if (victim == kNoId || !at(from).asserted(victim)) return;
    found = true;
    at(from).Rebuild([&](RowId r) { return r != victim; });
  };
  if (companion_[id] != kNoId) drop(companion_[id], row);
  std::vector<Value> scratch(row.begin(), row.end());
  ForEachInstance(pool_, scratch, 0, {}, [&](std::span<const Value> cells) { drop(id, cells); });
  return found;
}

std::size_t Store::rows() const {
  std::size_t out = 0;
  for (const auto& r : relations_) out += r->size();
  return out;
}

std::size_t Store::bytes() const {
  std::size_t out = 0;
  for (const auto& r : relations_) out += r->bytes();
  return out;
}

}  // namespace rpl
