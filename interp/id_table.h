// SPDX-License-Identifier: Apache-2.0
//
// A hash table of 32-bit ids whose keys live elsewhere.
//
// The caller keeps the keys (rows of a relation, nodes of a pool, chains of an index) in
// an array of its own; the table maps a hash to the id of an equal key. Open addressing,
// linear probing, at most 2/3 full; each slot keeps 32 bits of the hash beside the id, so
// that a probe rarely looks at a key and growing never hashes again. A hash finds a
// candidate, the caller's equality decides. Ids are below 2^32 - 1; nothing is ever
// removed but by Clear. Iteration is not offered: order is the caller's array.
#ifndef RPL_INTERP_ID_TABLE_H_
#define RPL_INTERP_ID_TABLE_H_

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "interp/pages.h"

namespace rpl {

inline constexpr std::uint32_t kNoId = 0xffffffffu;

/// Where ids lie in a table must show nowhere: tests run with other seeds (RPL_HASH_SEED).
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
    if (slots_.empty()) return kNoId;
    for (std::size_t slot = Home(hash);; ++slot) {
      slot = Seek(hash, slot);
      if (const std::uint32_t id = IdAt(slot); id == kNoId || equal(id)) return id;
    }
  }

  /// The id that Find gives, or, when there is none, `id` after inserting it.
  template <typename Equal>
  std::uint32_t FindOrInsert(std::uint64_t hash, std::uint32_t id, Equal&& equal) {
    assert(id != kNoId);
    Reserve(1);
    for (std::size_t slot = Home(hash);; ++slot) {
      slot = Seek(hash, slot);
      const std::uint32_t known = IdAt(slot);
      if (known == kNoId) {
        Put(slot, hash, id, 1);
        return id;
      }
      if (equal(known)) return known;
    }
  }

  /// An id that may be that of an equal key, or kNoId: whose key a Find looks at first.
  std::uint32_t Candidate(std::uint64_t hash) const {
    return Find(hash, [](std::uint32_t) { return true; });
  }

  /// Asks the memory for the slot of `hash` early.
  void Prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) rpl::Prefetch(&slots_[Home(hash)]);
  }

  /// For inserting many. A search for a key of that hash goes from its Home to where Seek finds
  /// one of its tag, which is an equal key's but for once in a while, or a free slot; then Put
  /// gives that slot an id. `more` is 1 when it had none, else 0. REQUIRES: there is room for
  /// `more` ids, as Reserve makes it; `each(count, fn)` calls fn(k) for each k below `count`, on
  /// any threads.
  ///
  /// By several threads (interp/insertion.h): the table lies in kParts parts, and each is used by
  /// one thread alone. When a part ends before such a slot, it is kBeyond. Puts of 0 `more` are
  /// made good by Settle, which says how many were new; until then ids may be replaced.
  static constexpr std::size_t kParts = 32;  // as a part: the whole table
  static constexpr std::size_t kBeyond = SIZE_MAX;
  template <typename Each>
  void Reserve(std::size_t more, Each&& each) {
    while ((size_ + more) * 3 > slots_.size() * 2) Grow(each);
  }
  void Reserve(std::size_t more) { Reserve(more, EachAlone); }
  std::size_t Home(std::uint64_t hash) const { return Tag(hash) & mask_; }
  std::size_t Seek(std::uint64_t hash, std::size_t slot, std::size_t part = kParts) const {
    const std::uint32_t tag = Tag(hash);
    const std::size_t end = part == kParts ? kBeyond : (part + 1) << part_bits_ & mask_;
    for (slot &= mask_; slot != end; slot = (slot + 1) & mask_)
      if (slots_[slot].next_id == 0 || slots_[slot].tag == tag) return slot;
    return kBeyond;
  }
  /// The id in a slot, or kNoId.
  std::uint32_t IdAt(std::size_t slot) const { return slots_[slot].next_id - 1; }
  void Put(std::size_t slot, std::uint64_t hash, std::uint32_t id, std::uint32_t more) {
    slots_[slot] = {Tag(hash), id + 1};
    size_ += more;
  }
  std::size_t PartOf(std::uint64_t hash) const { return Home(hash) >> part_bits_; }
  void Replace(std::size_t slot, std::uint32_t id) { slots_[slot].next_id = id + 1; }
  void Settle(std::size_t more) { size_ += more; }
  std::size_t slots() const { return slots_.size(); }

  void Clear() { *this = IdTable(); }

  std::size_t size() const { return size_; }
  /// The bytes that inserting `more` ids would take at once; mostly 0.
  std::size_t GrowthFor(std::size_t more) const {
    std::size_t slots = slots_.size();
    while ((size_ + more) * 3 > slots * 2) slots = slots == 0 ? 16 : slots * 2;
    return (slots - slots_.size()) * sizeof(Slot);
  }
  std::size_t bytes() const { return slots_.bytes(); }

 private:
  struct alignas(8) Slot {
    std::uint32_t tag;
    std::uint32_t next_id;  // the id plus one; 0: free
  };

  static std::uint32_t Tag(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32) ^ kHashSeed;  // the well mixed half
  }

  // In place: a slot of the lower half stays or moves to the upper one. Taken in order, each
  // finds its new place among those that have theirs; but the first ones may have come round
  // from the end, and are put back last.
  //
  // What stands between two free slots finds its places in the same stretch of either half:
  // those before it there are some of those that were before it. So stretches are independent.
  template <typename Each>
  void Grow(Each&& each) {
    const std::size_t old = slots_.size();
    slots_.Resize(old == 0 ? 16 : old * 2);
    mask_ = slots_.size() - 1;
    part_bits_ = slots_.size() <= kParts ? 0 : std::countr_zero(slots_.size() / kParts);
    std::vector<Slot> first;
    std::size_t at = 0;
    for (; at < old && slots_[at].next_id != 0; ++at)
      first.push_back(std::exchange(slots_[at], Slot{}));
    // A huge page is given to one thread: if several wrote to it first, each would clear one.
    if (old >= kPage)
      each(old / kPage,
           [&](std::size_t k) { slots_.Touch(old + k * kPage, old + (k + 1) * kPage); });
    const std::size_t parts = std::max<std::size_t>(old / kMoved, 1);
    std::vector<std::size_t> begins = {at};
    for (std::size_t k = 1; k < parts; ++k) {
      std::size_t begin = std::max(begins.back(), k * (old / parts));
      while (begin < old && slots_[begin].next_id != 0) ++begin;
      begins.push_back(begin);
    }
    begins.push_back(old);
    each(parts, [&](std::size_t k) {
      for (std::size_t i = begins[k]; i < begins[k + 1]; ++i)
        if (slots_[i].next_id != 0) Place(std::exchange(slots_[i], Slot{}));
    });
    for (const Slot& slot : first) Place(slot);
  }
  static constexpr auto EachAlone = [](std::size_t count, const auto& fn) {
    for (std::size_t k = 0; k < count; ++k) fn(k);
  };
  static constexpr std::size_t kPage = kHugePage / sizeof(Slot);  // slots
  static constexpr std::size_t kMoved = std::size_t{1} << 14;     // that one thread moves

  void Place(Slot slot) {
    std::size_t at = slot.tag & mask_;
    while (slots_[at].next_id != 0) at = (at + 1) & mask_;
    slots_[at] = slot;
  }

  PageArray<Slot> slots_;  // Invariant: a power of two, at most 2/3 of them taken.
  std::size_t size_ = 0;
  std::size_t mask_ = 0;
  int part_bits_ = 0;  // slots of a part, as a power of two
};

}  // namespace rpl

#endif  // RPL_INTERP_ID_TABLE_H_
