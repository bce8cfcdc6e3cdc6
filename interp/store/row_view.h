// SPDX-License-Identifier: Apache-2.0
//
// RowView: the cells of a row where they are stored, in words of 32 or 64 bits.
//
// A value has 64 bits (interp/store/value.h). If the upper 33 are equal, as in integers below 2^27
// and in nodes of a pool with fewer than 2^27, the lower 32 suffice; most relations hold no others.
//
// Borrows the words; valid as long as they stay where they are.
#ifndef RPL_INTERP_STORE_ROW_VIEW_H_
#define RPL_INTERP_STORE_ROW_VIEW_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "interp/store/value.h"

namespace rpl {

/// The value with these lower 32 bits, of those that 32 bits hold.
constexpr Value Narrow(Value v) {
  const auto lower = static_cast<std::int32_t>(v.bits());
  return Value::FromBits(static_cast<std::uint64_t>(std::int64_t{lower}));
}

class RowView {
 public:
  RowView(const void* cells, std::uint32_t size, bool narrow)
      : cells_(static_cast<const char*>(cells)), size_(size), narrow_(narrow) {}
  RowView(std::span<const Value> cells)
      : RowView(cells.data(), static_cast<std::uint32_t>(cells.size()), false) {}
  RowView(const std::vector<Value>& cells) : RowView(std::span(cells)) {}

  std::uint32_t size() const { return size_; }
  const void* data() const { return cells_; }
  Value operator[](std::size_t i) const { return narrow_ ? NarrowAt(i) : WideAt(i); }
  /// Whether these are its cells; as many.
  bool Equals(const Value* cells) const {
    bool same = true;
    if (narrow_)
      for (std::uint32_t i = 0; i < size_; ++i) same &= NarrowAt(i) == cells[i];
    else
      for (std::uint32_t i = 0; i < size_; ++i) same &= WideAt(i) == cells[i];
    return same;
  }
  void CopyTo(std::vector<Value>& out) const {
    out.resize(size_);
    for (std::uint32_t i = 0; i < size_; ++i) out[i] = (*this)[i];
  }
  std::vector<Value> Copy() const {
    std::vector<Value> out;
    CopyTo(out);
    return out;
  }

 private:
  Value NarrowAt(std::size_t i) const {
    std::int32_t word;
    std::memcpy(&word, cells_ + i * sizeof word, sizeof word);
    return Value::FromBits(static_cast<std::uint64_t>(std::int64_t{word}));
  }
  Value WideAt(std::size_t i) const {
    std::uint64_t word;
    std::memcpy(&word, cells_ + i * sizeof word, sizeof word);
    return Value::FromBits(word);
  }

  const char* cells_;
  std::uint32_t size_;
  bool narrow_;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_ROW_VIEW_H_
