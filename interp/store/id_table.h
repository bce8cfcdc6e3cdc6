// SPDX-License-Identifier: Apache-2.0
//
// A hash table of 32-bit ids whose keys live elsewhere.
//
// The caller keeps the keys (nodes of a pool, chains of an index) in an array of its own;
// the table maps a hash to the id of an equal key. Open addressing, linear probing, at most
// 2/3 full; each slot keeps 32 bits of the hash beside the id, so that a probe rarely looks
// at a key and growing never hashes again. A hash finds a candidate, the caller's equality
// decides. Ids are below 2^32 - 1. There is no iteration: the order is
// that of the caller's array. RowTable (interp/store/row_table.h) is smaller, for rows only.
#ifndef RPL_INTERP_STORE_ID_TABLE_H_
#define RPL_INTERP_STORE_ID_TABLE_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "interp/store/close_gap.h"
#include "interp/store/pages.h"

namespace rpl {

inline constexpr std::uint32_t kNoId = 0xffffffffu;

/// Nothing visible may depend on the positions of ids in a table: tests run with other seeds, from
/// the environment variable RPL_HASH_SEED.
inline const std::uint32_t kHashSeed = [] {
  const char* seed = std::getenv("RPL_HASH_SEED");
  return seed == nullptr ? 0u : static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10));
}();

/// Mixes one word into a hash.
inline std::uint64_t MixHash(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 32);
}

class IdTable {
 public:
  /// The id inserted under `hash` for which `equal(id)` holds, else kNoId.
  template <typename Equal>
  std::uint32_t Find(std::uint64_t hash, Equal&& equal) const {
    return slots_.empty() ? kNoId : IdAt(Search(hash, equal));
  }

  /// The id that Find gives, or, when there is none, `id` after inserting it.
  template <typename Equal>
  std::uint32_t FindOrInsert(std::uint64_t hash, std::uint32_t id, Equal&& equal) {
    assert(id != kNoId);
    if ((size_ + 1) * 3 > slots_.size() * 2) Grow();
    const std::size_t slot = Search(hash, equal);
    const std::uint32_t known = IdAt(slot);
    if (known != kNoId) return known;
    slots_[slot] = {Tag(hash), id + 1};
    ++size_;
    return id;
  }

  /// The first id that a Find would compare, or kNoId: probably that of an equal key.
  std::uint32_t Candidate(std::uint64_t hash) const {
    return Find(hash, [](std::uint32_t) { return true; });
  }

  /// Makes an empty table large enough for `count` ids.
  void Reserve(std::size_t count) {
    assert(size_ == 0);
    std::size_t slots = 16;
    while (count * 3 > slots * 2) slots *= 2;
    if (slots <= slots_.size()) return;
    slots_.Resize(slots);
    mask_ = slots - 1;
  }
  /// Inserts the id of a key that the table does not have.
  void Insert(std::uint64_t hash, std::uint32_t id) {
    FindOrInsert(hash, id, [](std::uint32_t) { return false; });
  }

  /// Takes out an id that was inserted under `hash`.
  void Erase(std::uint64_t hash, std::uint32_t id) {
    CloseGap(slots_, mask_, SlotOf(hash, id), [](const Slot& slot) { return slot.tag; });
    --size_;
  }
  /// Puts another id in the place of one that was inserted under `hash`.
  void Replace(std::uint64_t hash, std::uint32_t id, std::uint32_t by) {
    slots_[SlotOf(hash, id)].next_id = by + 1;
  }

  /// Prefetches the slot of `hash`.
  void Prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) rpl::Prefetch(&slots_[Tag(hash) & mask_]);
  }

  void Clear() { *this = IdTable(); }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.bytes(); }

 private:
  struct alignas(8) Slot {
    std::uint32_t tag;
    std::uint32_t next_id;  // the id plus one; 0: free
    friend bool operator==(const Slot&, const Slot&) = default;
  };

  static std::uint32_t Tag(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32) ^ kHashSeed;  // the well mixed half
  }
  std::uint32_t IdAt(std::size_t slot) const { return slots_[slot].next_id - 1; }
  std::size_t SlotOf(std::uint64_t hash, std::uint32_t id) const {
    std::size_t slot = Tag(hash) & mask_;
    while (IdAt(slot) != id) slot = (slot + 1) & mask_;
    return slot;
  }

  /// The slot of an equal id, or the free slot where it belongs.
  template <typename Equal>
  std::size_t Search(std::uint64_t hash, Equal&& equal) const {
    const std::uint32_t tag = Tag(hash);
    for (std::size_t slot = tag & mask_;; slot = (slot + 1) & mask_) {
      const Slot& there = slots_[slot];
      if (there.next_id == 0 || (there.tag == tag && equal(there.next_id - 1))) return slot;
    }
  }

  // In place: each id stays in the lower half or moves to the upper one, taken in slot order. The
  // run at the start may have wrapped around from the end, so it is placed last.
  void Grow() {
    const std::size_t old = slots_.size();
    slots_.Resize(old == 0 ? 16 : old * 2);
    mask_ = slots_.size() - 1;
    std::vector<Slot> first;
    std::size_t at = 0;
    for (; at < old && slots_[at].next_id != 0; ++at)
      first.push_back(std::exchange(slots_[at], Slot{}));
    for (; at < old; ++at)
      if (slots_[at].next_id != 0) Place(std::exchange(slots_[at], Slot{}));
    for (const Slot& slot : first) Place(slot);
  }

  void Place(Slot slot) {
    std::size_t at = slot.tag & mask_;
    while (slots_[at].next_id != 0) at = (at + 1) & mask_;
    slots_[at] = slot;
  }

  PageArray<Slot> slots_;  // Invariant: a power of two, at most 2/3 of them taken.
  std::size_t size_ = 0;
  std::size_t mask_ = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_ID_TABLE_H_
