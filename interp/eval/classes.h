// SPDX-License-Identifier: Apache-2.0
//
// The classes of an equivalence (interp/plan/equivalence.h), as its rows come in.
//
// A row whose values are in two classes makes one of them, which costs a pair of rows for each pair
// of their members: each row of the relation is found once, where joining finds it once for each
// member of its class. The smaller class is relabelled, so a value changes its class O(log n)
// times.
#ifndef RPL_INTERP_EVAL_CLASSES_H_
#define RPL_INTERP_EVAL_CLASSES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "interp/plan/equivalence.h"
#include "interp/store/store.h"

namespace rpl {

class Classes {
 public:
  /// Borrows the relation, which has two columns.
  explicit Classes(const Relation& relation)
      : relation_(relation), values_(1), epoch_(relation.epoch()) {}

  /// Takes a row that follows, and the kind of the rule that gives it from rows before it. It may
  /// be in the relation already. False: no more are wanted.
  using Add = std::function<bool(Value a, Value b, OwnRule by)>;

  /// Whether rows joined the relation since the last call of Close.
  bool HasNew() const { return epoch_ != relation_.epoch() || taken_ != relation_.size(); }
  /// Takes in the rows that joined the relation since the last call, all of them after a
  /// Relation::Rebuild, and calls `add`, which may append to the relation, once for each other row
  /// that follows.
  void Close(const Add& add);
  /// REQUIRED after Close, before other rows join: whether the rows that it gave are in the
  /// relation now. If not, the next Close begins anew.
  void Settle(bool complete);

 private:
  std::uint32_t ElementOf(Value value);
  bool Merge(std::uint32_t p, std::uint32_t q, const Add& add);

  const Relation& relation_;
  RowSet values_;                                    // of one column: the elements
  std::vector<std::uint32_t> class_of_;              // by element
  std::vector<std::vector<std::uint32_t>> members_;  // by class: elements
  RowId taken_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_CLASSES_H_
