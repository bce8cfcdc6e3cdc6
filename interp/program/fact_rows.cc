// SPDX-License-Identifier: Apache-2.0
#include "interp/program/fact_rows.h"

#include <cstring>

#include "interp/store/row_view.h"
#include "interp/store/text_queue.h"

namespace rpl {

void FactRows::Add(const Fact& fact, TextQueue& queue) {
  whole_ = cells_.size();
  open_.push_back(fact);
  if (open_.size() < kBlock) return;
  queue.Flush();
  Pack();
}

void FactRows::DropCells(TextQueue& queue) const { queue.Shrink(whole_); }

void FactRows::Block::Unpack(std::vector<Value>& cells) const {
  const std::size_t size = narrow ? words.size() : words.size() / 2;
  RowView(words.data(), static_cast<std::uint32_t>(size), narrow).CopyTo(cells);
}

std::size_t FactRows::CountBefore(std::uint32_t offset) const {
  std::size_t begin = 0;
  for (std::size_t end = size(); begin < end;) {
    const std::size_t middle = begin + (end - begin) / 2;
    if ((*this)[middle].begin < offset) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

void FactRows::Pack() {
  Block& block = blocks_.emplace_back();
  block.facts = open_;  // a copy, which has no room for more
  open_.clear();
  std::uint64_t excess = 0;
  for (const Value cell : cells_) excess |= cell.bits() ^ Narrow(cell).bits();
  block.narrow = excess == 0;
  block.words.resize(cells_.size() * (block.narrow ? 1 : 2));
  if (block.narrow)
    for (std::size_t i = 0; i < cells_.size(); ++i)
      block.words[i] = static_cast<std::uint32_t>(cells_[i].bits());
  else if (!cells_.empty())
    std::memcpy(block.words.data(), cells_.data(), cells_.size() * sizeof(Value));
  cells_.clear();
  whole_ = 0;
}

}  // namespace rpl
