// SPDX-License-Identifier: Apache-2.0
//
// A queue of cells whose texts are interned in groups, so that their cache misses overlap: most of
// the time of interning a single text is memory latency.
#ifndef RPL_INTERP_STORE_TEXT_QUEUE_H_
#define RPL_INTERP_STORE_TEXT_QUEUE_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "interp/store/value.h"

namespace rpl {

class TextQueue {
 public:
  /// Appends to `cells`. Borrows both arguments.
  TextQueue(Pool& pool, std::vector<Value>& cells) : pool_(pool), cells_(cells) {}

  void Push(Value v) { cells_.push_back(v); }
  /// Adds a cell that gets its value with the next Flush; the text must live until then.
  void Push(Kind kind, std::string_view text) {
    waiting_[count_++] = {kind, text, cells_.size()};
    cells_.push_back(kNone);
    if (count_ == Pool::kTogether) Flush();
  }
  /// Interns the queued texts, in order.
  void Flush() {
    pool_.Intern({waiting_, count_}, cells_.data());
    count_ = 0;
  }
  /// Keeps the first `size` cells.
  void Shrink(std::size_t size) {
    while (count_ > 0 && waiting_[count_ - 1].cell >= size) --count_;
    cells_.resize(size);
  }

 private:
  Pool& pool_;
  std::vector<Value>& cells_;
  Pool::Spelling waiting_[Pool::kTogether];
  std::size_t count_ = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_TEXT_QUEUE_H_
