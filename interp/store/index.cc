// SPDX-License-Identifier: Apache-2.0
#include "interp/store/index.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace rpl {
namespace {

// New rows from which a thread pool is faster than one thread.
constexpr RowId kShared = 2'048;
// Rows of a slice, so that its split keys stay in the cache.
constexpr RowId kSlice = 1 << 14;
// New rows from which an index is built in parts of their hashes, and the rows of a part.
constexpr RowId kBulk = 1 << 16;
constexpr RowId kPart = 1 << 13;
constexpr std::size_t kAhead = 16;  // keys that are prefetched ahead

}  // namespace

std::span<const RowId> Index::Rows(std::span<const Value> key, const RowSet& rows) const {
  const std::uint64_t hash = RowSet::HashOf(key);
  const Shard& shard = shards_[ShardOf(hash)];
  const std::uint32_t found = shard.heads.Find(
      hash, [&](std::uint32_t list) { return HasKey(rows.Row(shard.lists[list].first), key); });
  if (found == kNoId) return {};
  return shard.Ids(found);
}

inline bool Index::HasKey(RowView row, std::span<const Value> key) const {
  std::size_t k = 0;
  for (Columns rest = columns_; rest != 0; rest &= rest - 1)
    if (row[static_cast<std::size_t>(std::countr_zero(rest))] != key[k++]) return false;
  return true;
}

inline bool Index::SameKey(RowView a, RowView b) const {
  for (Columns rest = columns_; rest != 0; rest &= rest - 1) {
    const auto c = static_cast<std::size_t>(std::countr_zero(rest));
    if (a[c] != b[c]) return false;
  }
  return true;
}

inline std::uint64_t Index::KeyHash(RowView row) const {
  std::uint64_t hash = 0;
  for (Columns rest = columns_; rest != 0; rest &= rest - 1)
    hash = MixHash(hash, row[static_cast<std::size_t>(std::countr_zero(rest))].bits());
  return hash;
}

inline std::span<const RowId> Index::Shard::Ids(std::uint32_t list) const {
  const List& rows = lists[list];
  if (rows.size == 1) return {&rows.first, 1};
  return {ids.data() + rows.at, rows.size};
}

void Index::RowsOfEach(const Value* keys, std::size_t count, const RowSet& rows,
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
    Prefetch(rows.Row(shard.lists[near[i]].first).data());
    Prefetch(out[i].data());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const Value> key(keys + i * width, width);
    if (near[i] != kNoId && !HasKey(rows.Row(out[i].front()), key)) out[i] = Rows(key, rows);
  }
}

std::size_t Index::keys() const {
  std::size_t out = 0;
  for (const Shard& shard : shards_) out += shard.lists.size();
  return out;
}

// Adds rows in blocks, with a prefetching pass for each dependent access: the slot of the key in
// the table, then the list found there, then the list's first row, which holds the key to compare,
// and the end of the list.
void Index::Take(Shard& shard, const RowSet& rows, std::span<const Keyed> keys) {
  constexpr std::size_t kBlock = 64;
  std::uint32_t near[kBlock];
  const auto hash_of = [](const Keyed& key) { return std::uint64_t{key.hash} << 32; };
  for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), kBlock))) {
    const std::size_t count = std::min(keys.size(), kBlock);
    if (count > 1) {
      for (std::size_t i = 0; i < count; ++i) {
        shard.heads.Prefetch(hash_of(keys[i]));
        Prefetch(rows.Row(keys[i].row).data());
      }
      for (std::size_t i = 0; i < count; ++i)
        if (near[i] = shard.heads.Candidate(hash_of(keys[i])); near[i] != kNoId)
          Prefetch(&shard.lists[near[i]]);
      for (std::size_t i = 0; i < count; ++i) {
        if (near[i] == kNoId) continue;
        const List& list = shard.lists[near[i]];
        Prefetch(rows.Row(list.first).data());
        Prefetch(shard.ids.data() + list.at + list.size);
      }
    }
    for (std::size_t i = 0; i < count; ++i) Add(shard, rows, keys[i].row, hash_of(keys[i]));
  }
}

// Adds a row whose columns have this hash.
void Index::Add(Shard& shard, const RowSet& rows, RowId row, std::uint64_t hash) {
  const RowView cells = rows.Row(row);
  const auto next = static_cast<std::uint32_t>(shard.lists.size());
  const std::uint32_t list = shard.heads.FindOrInsert(hash, next, [&](std::uint32_t other) {
    return SameKey(cells, rows.Row(shard.lists[other].first));
  });
  if (list == next) shard.lists.push_back({row, 1, 0});
  else shard.Append(shard.lists[list], row);
}

// A full list moves to a space of twice the size; the old one goes to the free list of its size.
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

// Without rows that the list has, ascending. The halves of its space that it does not need any more
// go to the free lists of their sizes.
void Index::Shard::Remove(List& list, std::span<const RowId> gone) {
  if (list.size == gone.size()) {
    if (list.size > 1) {
      const int order = std::countr_zero(std::bit_ceil(list.size));
      ids[list.at] = std::exchange(free[order], list.at + 1);
    }
    list.size = 0;  // the first row stays, for its key
    return;
  }
  RowId* const begin = ids.data() + list.at;
  RowId* const end = begin + list.size;
  RowId* to = std::lower_bound(begin, end, gone.front());
  for (const RowId* from = to; from != end; ++from) {
    if (!gone.empty() && *from == gone.front()) gone = gone.subspan(1);
    else *to++ = *from;
  }
  RowId space = std::bit_ceil(list.size);
  list.size = static_cast<RowId>(to - begin);
  list.first = *begin;
  for (; space / 2 >= list.size && space > 2; space /= 2) {
    const std::uint32_t half = list.at + space / 2;
    ids[half] = std::exchange(free[std::countr_zero(space / 2)], half + 1);
  }
  if (list.size > 1) return;
  ids[list.at] = std::exchange(free[1], list.at + 1);
  list.at = 0;
}

// Takes out an empty list, and puts the last one in its place.
void Index::Drop(Shard& shard, const RowSet& rows, std::uint32_t list) {
  const auto last = static_cast<std::uint32_t>(shard.lists.size() - 1);
  shard.heads.Erase(KeyHash(rows.Row(shard.lists[list].first)), list);
  if (list != last) {
    shard.heads.Replace(KeyHash(rows.Row(shard.lists[last].first)), last, list);
    shard.lists[list] = shard.lists[last];
  }
  shard.lists.Shrink(last);
}

void Index::Remove(const Gaps& gaps, const RowSet& rows) {
  struct Gone {
    std::size_t shard;
    std::uint32_t list;
    RowId row;
    auto operator<=>(const Gone&) const = default;
  };
  std::vector<Gone> gone;
  for (const RowId row : gaps.rows()) {
    if (row >= size_) break;
    const RowView cells = rows.Row(row);
    const std::uint64_t hash = KeyHash(cells);
    const Shard& shard = shards_[ShardOf(hash)];
    const std::uint32_t list = shard.heads.Find(hash, [&](std::uint32_t other) {
      return SameKey(cells, rows.Row(shard.lists[other].first));
    });
    gone.push_back({ShardOf(hash), list, row});
  }
  std::ranges::sort(gone);
  std::vector<RowId> of_list;
  std::vector<Gone> empty;
  for (std::size_t i = 0; i < gone.size(); i += of_list.size()) {
    of_list.clear();
    for (std::size_t k = i;
         k < gone.size() && gone[k].shard == gone[i].shard && gone[k].list == gone[i].list; ++k)
      of_list.push_back(gone[k].row);
    Shard& shard = shards_[gone[i].shard];
    shard.Remove(shard.lists[gone[i].list], of_list);
    if (shard.lists[gone[i].list].size == 0) empty.push_back(gone[i]);
  }
  // From the last on, so that none of them comes in the place of another.
  for (std::size_t i = empty.size(); i-- > 0;) Drop(shards_[empty[i].shard], rows, empty[i].list);
  if (gaps.first() + gone.size() < size_)
    for (Shard& shard : shards_)
      for (List& list : shard.lists) {
        if (list.size == 1) {
          list.first = gaps.Moved(list.first);
          continue;
        }
        RowId* const begin = shard.ids.data() + list.at;
        if (begin[list.size - 1] < gaps.first()) continue;
        for (RowId i = 0; i < list.size; ++i) begin[i] = gaps.Moved(begin[i]);
        list.first = *begin;
      }
  size_ -= static_cast<RowId>(gone.size());
}

std::size_t Index::bytes() const {
  std::size_t out = 0;
  for (const Shard& shard : shards_)
    out += shard.heads.bytes() + shard.lists.bytes() + shard.ids.bytes();
  return out;
}

void IndexExtension::Run(std::span<const Growth> growths, const KeepOn* keep_on,
                         ThreadPool* workers) {
  std::size_t left = 0;
  for (const auto& [index, rows, end] : growths) left += end - std::min(index->size(), end);
  if (left < kShared) workers = nullptr;
  if (workers == nullptr)
    for (const Growth& growth : growths)
      if (IsBulk(growth) && !Build(growth, keep_on)) return;
  const std::size_t threads = workers == nullptr ? 1 : workers->size();
  const std::size_t count = growths.size();
  if (slices_.size() < threads * count) slices_.resize(threads * count);
  while (Cut(growths, threads)) {
    ThreadPool::ParallelFor(workers, threads * count,
                            [&](std::size_t k) { Split(growths[k % count], slices_[k]); });
    std::size_t shards = 0;
    for (const Growth& growth : growths) shards = std::max(shards, growth.index->shards_.size());
    ThreadPool::ParallelFor(workers, shards * count, [&](std::size_t k) {
      const auto& [index, rows, end] = growths[k % count];
      const std::size_t shard = k / count;
      if (shard >= index->shards_.size()) return;
      for (std::size_t slice = k % count; slice < threads * count; slice += count)
        index->Take(index->shards_[shard], *rows, slices_[slice].keys[shard]);
    });
    if (keep_on != nullptr && !(*keep_on)()) return;
  }
}

// Whether building the index anew is faster than adding to it.
bool IndexExtension::IsBulk(const Growth& growth) {
  const auto& [index, rows, end] = growth;
  return index->shards_.size() == 1 && end >= kBulk && index->size_ < end / 4;
}

// Indexes the rows before the end of a growth from nothing. False: `keep_on` ended it, and the
// index is empty. The rows are sorted by the uppermost bits of their hashes, and in each part a
// table gives each row the number of its group, in place of its hash. Then the rows are taken in
// their order, which finds the groups by reading all parts in step, so that lists that follow one
// another belong to rows that do.
bool IndexExtension::Build(const Growth& growth, const KeepOn* keep_on) {
  struct KeyRows {
    std::uint32_t hash;
    RowId first;
    RowId size;
    std::uint32_t list;
  };
  const auto& [index, rows, end] = growth;
  index->Clear();
  const auto hash_of = [index = index, rows = rows](RowId row) {
    return static_cast<std::uint32_t>(index->KeyHash(rows->Row(row)) >> 32);
  };
  const int shift = 32 - std::min(12, static_cast<int>(std::bit_width(end / kPart)));
  std::vector<std::size_t> begins((std::size_t{1} << (32 - shift)) + 1);
  for (RowId row = 0; row < end; ++row) ++begins[(hash_of(row) >> shift) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  PageArray<Index::Keyed> sorted;
  sorted.Extend(end);
  std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
  for (RowId row = 0; row < end; ++row) {
    const std::uint32_t hash = hash_of(row);
    sorted[next[hash >> shift]++] = {row, hash};
  }
  PageArray<KeyRows> groups;
  std::vector<std::uint32_t> table;
  for (std::size_t part = 0; part + 1 < begins.size(); ++part) {
    const std::span<Index::Keyed> keyed(sorted.data() + begins[part],
                                        begins[part + 1] - begins[part]);
    table.assign(std::bit_ceil(keyed.size() * 2 + 1), kNoId);
    for (std::size_t i = 0; i < keyed.size(); ++i) {
      if (i + kAhead < keyed.size()) Prefetch(rows->Row(keyed[i + kAhead].row).data());
      const auto [row, hash] = keyed[i];
      std::size_t slot = hash & (table.size() - 1);
      while (table[slot] != kNoId &&
             !(groups[table[slot]].hash == hash &&
               index->SameKey(rows->Row(row), rows->Row(groups[table[slot]].first))))
        slot = (slot + 1) & (table.size() - 1);
      if (table[slot] == kNoId) {
        table[slot] = static_cast<std::uint32_t>(groups.size());
        groups.push_back({hash, row, 0, kNoId});
      }
      ++groups[table[slot]].size;
      keyed[i].hash = table[slot];
    }
    if (keep_on != nullptr && !(*keep_on)()) return false;
  }
  Index::Shard& shard = index->shards_.front();
  shard.heads.Reserve(groups.size());
  std::copy(begins.begin(), begins.end() - 1, next.begin());
  constexpr RowId kBlock = 64;
  KeyRows* of[kBlock];
  for (RowId begin = 0; begin < end; begin += kBlock) {
    const RowId count = std::min(kBlock, end - begin);
    for (RowId i = 0; i < count; ++i) {
      of[i] = &groups[sorted[next[hash_of(begin + i) >> shift]++].hash];
      Prefetch(of[i]);
    }
    for (RowId i = 0; i < count; ++i)
      if (of[i]->list == kNoId) shard.heads.Prefetch(std::uint64_t{of[i]->hash} << 32);
      else Prefetch(&shard.lists[of[i]->list]);
    for (RowId i = 0; i < count; ++i) {
      KeyRows& group = *of[i];
      if (group.list == kNoId) {
        group.list = static_cast<std::uint32_t>(shard.lists.size());
        shard.heads.Insert(std::uint64_t{group.hash} << 32, group.list);
        std::uint32_t at = 0;
        if (group.size > 1)
          at = static_cast<std::uint32_t>(shard.ids.Extend(std::bit_ceil(group.size)) -
                                          shard.ids.begin());
        shard.lists.push_back({group.first, 0, at});
      }
      Index::List& list = shard.lists[group.list];
      if (group.size > 1) shard.ids[list.at + list.size] = begin + i;
      ++list.size;
    }
  }
  index->size_ = end;
  return true;
}

// Cuts the next rows to add into slices; false when none are left.
bool IndexExtension::Cut(std::span<const Growth> growths, std::size_t threads) {
  bool any = false;
  for (std::size_t i = 0; i < growths.size(); ++i) {
    const auto& [index, rows, end] = growths[i];
    const auto left = [index = index, end = end] { return end - std::min(index->size_, end); };
    if (left() >= kShared && index->shards_.size() < threads)
      *index = Index(index->columns_, std::bit_ceil(threads));
    const auto share = static_cast<RowId>((left() + threads - 1) / threads);
    any |= share > 0;
    for (std::size_t k = i; k < threads * growths.size(); k += growths.size()) {
      slices_[k].begin = index->size_;
      index->size_ += std::min({share, kSlice, left()});
      slices_[k].end = index->size_;
    }
  }
  return any;
}

void IndexExtension::Split(const Growth& growth, Slice& slice) {
  const Index& index = *growth.index;
  const std::size_t shards = index.shards_.size();
  slice.keys.resize(shards);
  for (auto& keys : slice.keys) {
    keys.clear();
    keys.reserve((slice.end - slice.begin) / shards * 5 / 4 + 1);
  }
  for (RowId row = slice.begin; row < slice.end; ++row) {
    const std::uint64_t hash = index.KeyHash(growth.rows->Row(row));
    slice.keys[index.ShardOf(hash)].push_back({row, static_cast<std::uint32_t>(hash >> 32)});
  }
}

}  // namespace rpl
