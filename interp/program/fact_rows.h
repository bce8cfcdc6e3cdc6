// SPDX-License-Identifier: Apache-2.0
//
// Plain facts, in the order of their text: of each its relation, its place and its cells.
//
// A file of rows states millions of them, which wait here until a timestep takes them in. So all
// but the last few thousand are packed in blocks, with cells of 32 bits where these suffice
// (interp/store/row_view.h), and their reader frees each block behind it.
#ifndef RPL_INTERP_PROGRAM_FACT_ROWS_H_
#define RPL_INTERP_PROGRAM_FACT_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "interp/store/relation_id.h"
#include "interp/store/value.h"

namespace rpl {

class TextQueue;

class FactRows {
 public:
  struct Fact {
    RelationId relation;
    std::uint32_t begin;  // of its text
    std::uint32_t end;
  };
  static constexpr std::size_t kBlock = 4096;  // facts

  std::size_t size() const { return blocks_.size() * kBlock + open_.size(); }
  bool empty() const { return size() == 0; }
  const Fact& operator[](std::size_t i) const {
    return i / kBlock < blocks_.size() ? blocks_[i / kBlock].facts[i % kBlock] : open_[i % kBlock];
  }
  /// How many facts begin before the offset.
  std::size_t CountBefore(std::uint32_t offset) const;

  /// Where a TextQueue puts the cells of the next fact. They become its own with Add.
  std::vector<Value>& cells() { return cells_; }
  void Add(const Fact& fact, TextQueue& queue);
  void Add(const Fact& fact, std::span<const Value> cells) {
    cells_.insert(cells_.end(), cells.begin(), cells.end());
    whole_ = cells_.size();
    open_.push_back(fact);
    if (open_.size() == kBlock) Pack();
  }
  /// Drops the cells of a fact that was not added.
  void DropCells(TextQueue& queue) const;

  /// Calls fn(facts, cells) for each block of facts, with the cells of all of them, one fact after
  /// the other.
  template <typename Fn>
  void ForEachBlock(Fn&& fn) const {
    std::vector<Value> cells;
    for (const Block& block : blocks_) block.Tell(cells, fn);
    fn(std::span<const Fact>(open_), cells_.data());
  }
  /// The same; no fact is left.
  template <typename Fn>
  void TakeBlocks(Fn&& fn) {
    FactRows taken = std::exchange(*this, {});
    std::vector<Value> cells;
    for (Block& block : taken.blocks_) std::exchange(block, {}).Tell(cells, fn);
    fn(std::span<const Fact>(taken.open_), taken.cells_.data());
  }

 private:
  struct Block {
    std::vector<Fact> facts;
    std::vector<std::uint32_t> words;  // of the cells
    bool narrow = true;                // one for each, else two

    void Unpack(std::vector<Value>& cells) const;
    template <typename Fn>
    void Tell(std::vector<Value>& cells, Fn&& fn) const {
      Unpack(cells);
      fn(std::span<const Fact>(facts), cells.data());
    }
  };

  void Pack();

  std::vector<Block> blocks_;  // of kBlock facts each
  std::vector<Fact> open_;     // fewer than kBlock
  std::vector<Value> cells_;   // of those
  std::size_t whole_ = 0;      // cells of facts that were added
};

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_FACT_ROWS_H_
