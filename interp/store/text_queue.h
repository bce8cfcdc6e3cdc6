// SPDX-License-Identifier: Apache-2.0
//
// Cells of tables, whose texts are interned many at a time: most of interning one alone is waiting
// for the memory.
#ifndef RPL_INTERP_STORE_TEXT_QUEUE_H_
#define RPL_INTERP_STORE_TEXT_QUEUE_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "interp/store/value.h"

namespace rpl {

class TextQueue {
 public:
  /// Adds to `cells`; borrows both.
  TextQueue(Pool& pool, std::vector<Value>& cells) : pool_(pool), cells_(cells) {}

  void Push(Value v) { cells_.push_back(v); }
  /// Adds a cell that has its value after the next Flush; the text must last until then.
  void Push(Kind kind, std::string_view text) {
    waiting_[count_++] = {kind, text, cells_.size()};
    cells_.push_back(kNone);
    if (count_ == Pool::kTogether) Flush();
  }
  /// Interns the texts that wait, in order.
  void Flush() {
    pool_.Intern({waiting_, count_}, cells_.data());
    count_ = 0;
  }
  /// Leaves the first `size` cells.
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
