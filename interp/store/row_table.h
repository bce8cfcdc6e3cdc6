// SPDX-License-Identifier: Apache-2.0
//
// The hash table of a RowSet: from hashes to row ids.
//
// Open addressing, linear probing, at most 4/5 full (except at 2^32 slots). A slot has 32 bits, of
// which a table of 2^k slots needs k for an id; the others hold the bits of the hash that do not
// determine the home slot:
//
//   hash     | home     | tag            |     its upper half
//   slot     | tag            | id + 1   |     0: free
//
// So a probe rarely reads a row, and a slot is half the size of one with the whole hash. The price:
// rows are hashed again when the table grows. A hash finds a candidate, the caller's equality
// decides. Ids are 0, 1, … in order of insertion, and again after Erase and Renumber.
#ifndef RPL_INTERP_STORE_ROW_TABLE_H_
#define RPL_INTERP_STORE_ROW_TABLE_H_

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "interp/store/close_gap.h"
#include "interp/store/id_table.h"
#include "interp/store/pages.h"
#include "interp/store/relation_id.h"
#include "interp/store/thread_pool.h"

namespace rpl {

class RowTable {
 public:
  /// The id inserted under `hash` for which `equal(id)` holds, else kNoId.
  template <typename Equal>
  RowId Find(std::uint64_t hash, Equal&& equal) const {
    return slots_.empty() ? kNoId : IdAt(Search(hash, equal));
  }
  /// The id that Find gives, or, when there is none, `id` after inserting it. REQUIRES: room.
  template <typename Equal>
  RowId FindOrInsert(std::uint64_t hash, RowId id, Equal&& equal) {
    const std::size_t slot = Search(hash, equal);
    const RowId known = IdAt(slot);
    if (known != kNoId) return known;
    Put(slot, hash, id);
    return id;
  }
  /// Prefetches the slot of `hash`.
  void Prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) rpl::Prefetch(&slots_[Home(hash)]);
  }
  /// Takes out an id that was inserted under `hash`. The ids behind it that a search would miss
  /// from now on move up; their hashes are `hash_of(id)`.
  template <typename HashOf>
  void Erase(std::uint64_t hash, RowId id, const HashOf& hash_of) {
    std::size_t gap = Home(hash);
    while (IdAt(gap) != id) gap = (gap + 1) & mask_;
    CloseGap(slots_, mask_, gap,
             [&](std::uint32_t slot) { return Home(hash_of((slot & mask_) - 1)); });
  }
  /// Each id becomes less by `less(id)`. A free slot passes for one of id 0, for which that is 0,
  /// so that no branch depends on the slot.
  template <typename Less>
  void Renumber(const Less& less) {
    for (std::uint32_t& slot : slots_) {
      const std::uint32_t next = slot & mask_;
      slot -= less(next - (next != 0 ? 1 : 0));
    }
  }

  /// Makes room for the ids below `end`, with `workers` unless null. `size` ids are present; their
  /// hashes are `hash_of(id)`.
  template <typename HashOf>
  void Reserve(RowId size, std::size_t end, const HashOf& hash_of, ThreadPool* workers) {
    if (const std::size_t slots = SlotsFor(end); slots > slots_.size())
      Grow(slots, size, hash_of, workers);
  }

  /// The steps of an insertion, for bulk use. Starting from Home, Seek finds the next slot with the
  /// tag of the hash, which almost always is that of an equal key, or a free slot; then Put stores
  /// an id there. REQUIRES: room.
  ///
  /// For several threads (interp/store/insertion.h): a table of kParts slots or more is divided
  /// into kParts parts, each used by one thread alone. A key's part does not depend on the size of
  /// the table. Seek returns kBeyond if the part ends first.
  static constexpr int kPartBits = 5;
  static constexpr std::size_t kParts = 1 << kPartBits;
  static constexpr std::size_t kBeyond = SIZE_MAX;
  std::size_t Home(std::uint64_t hash) const { return Upper(hash) >> (32 - bits_); }
  std::size_t Seek(std::uint64_t hash, std::size_t slot) const {
    const std::uint32_t tag = TagOf(hash);
    slot &= mask_;
    std::uint32_t stops = StopsIn(slot & ~(kGroup - 1), tag) >> (slot & (kGroup - 1));
    while (stops == 0) {
      slot = ((slot | (kGroup - 1)) + 1) & mask_;
      stops = StopsIn(slot, tag);
    }
    return slot + static_cast<std::size_t>(std::countr_zero(stops));
  }
  std::size_t Seek(std::uint64_t hash, std::size_t slot, std::size_t part) const {
    const std::uint32_t tag = TagOf(hash);
    const std::size_t end = (part + 1) << (bits_ - kPartBits) & mask_;
    for (slot &= mask_; slot != end; slot = (slot + 1) & mask_)
      if (slots_[slot] == 0 || (slots_[slot] ^ tag) <= mask_) return slot;
    return kBeyond;
  }
  /// The id in a slot, or kNoId.
  RowId IdAt(std::size_t slot) const { return (slots_[slot] & mask_) - 1; }
  void Put(std::size_t slot, std::uint64_t hash, RowId id) { slots_[slot] = Word(hash, id); }
  void Replace(std::size_t slot, RowId id) { slots_[slot] = (slots_[slot] & ~mask_) | (id + 1); }
  static std::size_t PartOf(std::uint64_t hash) { return Upper(hash) >> (32 - kPartBits); }
  std::size_t PartAt(std::size_t slot) const { return slot >> (bits_ - kPartBits); }

  /// The bytes that Reserve would allocate for the ids below `end`; usually 0.
  std::size_t GrowthFor(std::size_t end) const {
    return (SlotsFor(end) - slots_.size()) * sizeof(std::uint32_t);
  }
  std::size_t bytes() const { return slots_.bytes(); }

 private:
  static constexpr std::size_t kPage = kHugePage / sizeof(std::uint32_t);  // slots
  // Grain sizes of the parallel loops: slots to clear, ids to place.
  static constexpr std::size_t kCleared = std::size_t{1} << 14;
  static constexpr RowId kPlaced = RowId{1} << 12;

  /// The slots of a group, which begins at a multiple of kGroup, at which a search for the tag
  /// stops, a bit each. Where it does is unpredictable, so all are compared, without a branch; they
  /// are in one cache line.
  static constexpr std::size_t kGroup = 8;
  std::uint32_t StopsIn(std::size_t group, std::uint32_t tag) const {
#ifdef __SSE2__
    const __m128i upper = _mm_set1_epi32(static_cast<int>(~mask_));
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
    const auto stops = [&](std::size_t at) {
      const __m128i slots = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&slots_[at]));
      return _mm_or_si128(_mm_cmpeq_epi32(_mm_and_si128(slots, upper), wanted),
                          _mm_cmpeq_epi32(slots, _mm_setzero_si128()));
    };
    const __m128i words = _mm_packs_epi32(stops(group), stops(group + 4));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(words, words))) & 0xff;
#else
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < kGroup; ++i) {
      const std::uint32_t slot = slots_[group + i];
      out |= static_cast<std::uint32_t>(slot == 0 || (slot ^ tag) <= mask_) << i;
    }
    return out;
#endif
  }

  static std::uint32_t Upper(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32) ^ kHashSeed;
  }
  /// The tag, in the bits where a slot has it.
  std::uint32_t TagOf(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(std::uint64_t{Upper(hash)} << bits_);
  }
  std::uint32_t Word(std::uint64_t hash, RowId id) const {
    assert(id < mask_);
    return TagOf(hash) | (id + 1);
  }
  std::size_t SlotsFor(std::size_t end) const {
    std::size_t slots = slots_.size();
    while (end * 5 > slots * 4 && slots <= UINT32_MAX) slots = slots == 0 ? 16 : slots * 2;
    return slots;
  }

  /// The slot of an equal id, or the free slot where it belongs.
  template <typename Equal>
  std::size_t Search(std::uint64_t hash, Equal&& equal) const {
    for (std::size_t slot = Home(hash);; ++slot) {
      slot = Seek(hash, slot);
      if (slots_[slot] == 0 || equal(IdAt(slot))) return slot;
    }
  }

  template <typename HashOf>
  void Grow(std::size_t slots, RowId size, const HashOf& hash_of, ThreadPool* workers) {
    const std::size_t old = slots_.size();
    slots_.Resize(slots);
    mask_ = static_cast<std::uint32_t>(slots - 1);
    bits_ = std::countr_zero(slots);
    // One thread touches each new huge page: if several faulted on it, each would clear a page.
    const std::size_t pages = (slots - old) / kPage;
    ThreadPool::ParallelFor(workers, pages + (old + kCleared - 1) / kCleared, [&](std::size_t k) {
      if (k < pages) return slots_.Touch(old + k * kPage, old + (k + 1) * kPage);
      const std::size_t begin = (k - pages) * kCleared;
      std::fill_n(&slots_[begin], std::min(kCleared, old - begin), 0);
    });
    ThreadPool::ParallelFor(workers, (size + kPlaced - 1) / kPlaced, [&](std::size_t k) {
      const auto begin = static_cast<RowId>(k * kPlaced);
      const RowId end = std::min(begin + kPlaced, size);
      if (workers != nullptr) Place<true>(begin, end, hash_of);
      else Place<false>(begin, end, hash_of);
    });
  }

  // In blocks: all slots are prefetched before the first is used.
  template <bool kShared, typename HashOf>
  void Place(RowId begin, RowId end, const HashOf& hash_of) {
    constexpr RowId kBlock = 64;
    std::uint64_t hashes[kBlock];
    for (; begin < end; begin += kBlock) {
      const RowId count = std::min(end - begin, kBlock);
      for (RowId i = 0; i < count; ++i) {
        hashes[i] = hash_of(begin + i);
        Prefetch(hashes[i]);
      }
      for (RowId i = 0; i < count; ++i) {
        const std::uint32_t word = Word(hashes[i], begin + i);
        std::size_t slot = Home(hashes[i]);
        while (!Take<kShared>(slots_[slot], word)) slot = (slot + 1) & mask_;
      }
    }
  }
  /// Stores a word if the slot is free. kShared: other threads may take slots concurrently.
  template <bool kShared>
  static bool Take(std::uint32_t& slot, std::uint32_t word) {
    if constexpr (kShared) {  // libc++ has no std::atomic_ref
      std::uint32_t old = __atomic_load_n(&slot, __ATOMIC_RELAXED);
      return old == 0 && __atomic_compare_exchange_n(&slot, &old, word, false, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED);
    }
    if (slot != 0) return false;
    slot = word;
    return true;
  }

  PageArray<std::uint32_t> slots_;  // Invariant: a power of two.
  std::uint32_t mask_ = 0;
  int bits_ = 0;  // log2 of the number of slots
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_ROW_TABLE_H_
