// SPDX-License-Identifier: Apache-2.0
//
// Distinct calls, numbered in the order in which they came.
#ifndef RPL_INTERP_EVAL_CALL_TABLE_H_
#define RPL_INTERP_EVAL_CALL_TABLE_H_

#include <cstdint>
#include <vector>

#include "interp/eval/evaluation.h"
#include "interp/store/id_table.h"

namespace rpl {

class CallTable {
 public:
  /// Which calls are the same: those that ask for the same argument, or those of one CallId, which
  /// a reply answers together.
  enum class Same : std::uint8_t { kArgument, kReply };
  explicit CallTable(Same same) : same_(same) {}

  struct Added {
    std::uint32_t number;
    bool is_new;
  };
  /// The number of the call. Where and with which prompt it is asked are those of the first.
  Added Add(const OpenCall& call);
  const OpenCall& operator[](std::uint32_t number) const { return calls_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(calls_.size()); }
  void Clear();

 private:
  Same same_;
  std::vector<OpenCall> calls_;
  IdTable numbers_;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_CALL_TABLE_H_
