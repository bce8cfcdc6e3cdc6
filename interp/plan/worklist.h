// SPDX-License-Identifier: Apache-2.0
//
// A worklist of ids without duplicates: in ascending order, then again from the lowest.
#ifndef RPL_INTERP_PLAN_WORKLIST_H_
#define RPL_INTERP_PLAN_WORKLIST_H_

#include <cstddef>
#include <set>

namespace rpl {

class Worklist {
 public:
  void Add(std::size_t id) { pending_.insert(id); }
  bool empty() const { return pending_.empty(); }
  std::size_t Next() {
    auto at = pending_.lower_bound(from_);
    if (at == pending_.end()) at = pending_.begin();
    const std::size_t id = *at;
    pending_.erase(at);
    from_ = id + 1;
    return id;
  }

 private:
  std::set<std::size_t> pending_;
  std::size_t from_ = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_WORKLIST_H_
