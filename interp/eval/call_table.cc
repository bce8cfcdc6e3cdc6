// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/call_table.h"

#include "interp/store/row_set.h"

namespace rpl {

CallTable::Added CallTable::Add(const OpenCall& call) {
  const std::uint32_t next = size();
  const std::uint64_t hash = MixHash(RowSet::HashOf(call.args), call.relation);
  const std::uint32_t number = numbers_.FindOrInsert(hash, next, [&](std::uint32_t i) {
    const OpenCall& known = calls_[i];
    return known.relation == call.relation && known.args == call.args &&
           (same_ == Same::kReply || known.column == call.column);
  });
  if (number == next) calls_.push_back(call);
  return {number, number == next};
}

void CallTable::Clear() {
  if (calls_.empty()) return;
  calls_.clear();
  numbers_.Clear();
}

}  // namespace rpl
