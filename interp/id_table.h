// SPDX-License-Identifier: Apache-2.0
//
// A hash table of 32-bit ids whose keys live elsewhere.
//
// The caller keeps the keys (rows of a relation, nodes of a pool, chains of an index) in
// an array of its own; the table maps a hash to the id of an equal key. Open addressing,
// linear probing, at most 1/2 full; each slot keeps 32 bits of the hash beside the id, so
// that a probe rarely looks at a key and growing never hashes again. A hash finds a
// candidate, the caller's equality decides. Ids are below 2^32 - 1; nothing is ever
// removed but by Clear. Iteration is not offered: order is the caller's array.
#ifndef RPL_INTERP_ID_TABLE_H_
#define RPL_INTERP_ID_TABLE_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

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
    const std::uint32_t tag = Tag(hash);
    for (std::size_t at = tag & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.id == kNoId) return kNoId;
      if (slot.tag == tag && equal(slot.id)) return slot.id;
    }
  }

  /// The id that Find gives, or, when there is none, `id` after inserting it.
  template <typename Equal>
  std::uint32_t FindOrInsert(std::uint64_t hash, std::uint32_t id, Equal&& equal) {
    assert(id != kNoId);
    if ((size_ + 1) * 2 > slots_.size()) Grow();
    const std::uint32_t tag = Tag(hash);
    for (std::size_t at = tag & mask_;; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.id == kNoId) {
        slot = {tag, id};
        ++size_;
        return id;
      }
      if (slot.tag == tag && equal(slot.id)) return slot.id;
    }
  }

  /// Asks the memory for the slot of `hash` early.
  void Prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[Tag(hash) & mask_]);
  }

  void Clear() {
    slots_.clear();
    size_ = 0;
    mask_ = 0;
  }

  std::size_t size() const { return size_; }
  /// The bytes that inserting `more` ids would take at once; mostly 0.
  std::size_t GrowthFor(std::size_t more) const {
    return (size_ + more) * 2 > slots_.size() ? slots_.size() * 2 * sizeof(Slot) : 0;
  }
  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t id = kNoId;
  };

  static std::uint32_t Tag(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32) ^ kHashSeed;  // the well mixed half
  }

  void Grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 16 : old.size() * 2, Slot{});
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kNoId) continue;
      std::size_t at = slot.tag & mask_;
      while (slots_[at].id != kNoId) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;  // Invariant: a power of two, at most half of them taken.
  std::size_t size_ = 0;
  std::size_t mask_ = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_ID_TABLE_H_
