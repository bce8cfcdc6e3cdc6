// SPDX-License-Identifier: Apache-2.0
//
// The classes of an equivalence (interp/plan/equivalence.h), and the rows that follow from them.
//
// A row whose values are in two classes, `left` with p and `right` with q, makes one class of them.
// What follows from that is a *block* of rows, in this order, for the other members a and b:
//
//   (q, p), (p, p) if p was alone, (q, q) if q was, each (a, q) (q, a), each b: each (a, b) (b, a)
//
// Each row comes after those that prove it: (a, q) follows from (a, p) and (p, q), and (a, b) from
// (a, q) and (q, b). The smaller class is appended to the larger one, so a value changes its class
// O(log n) times, and both stay ranges of the members for good. So a block is known from a few
// numbers: where a row is in it, which row is at a place, and the rows that have a value, are found
// without the rows. A relation need not store them (Relation::KeepAsClasses).
//
// Rows of a block that are stored, since they were there before, are *holes* in it.
#ifndef RPL_INTERP_STORE_CLASSES_H_
#define RPL_INTERP_STORE_CLASSES_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "interp/store/relation_id.h"
#include "interp/store/row_set.h"
#include "interp/store/thread_pool.h"

namespace rpl {

class Classes {
 public:
  Classes() : values_(1) {}

  /// Whether rows joined the relation, of that size and epoch, since the last call of Take.
  bool HasNew(RowId size, std::uint32_t epoch) const {
    return size != (epoch_ == epoch ? taken_ : 0);
  }
  /// Takes in the rows that joined since the last call, all of them in another epoch. `keep_on` is
  /// asked now and then; false if it stopped that.
  bool Take(const RowSet& rows, std::uint32_t epoch, const KeepOn& keep_on);
  /// How many rows there are once all that follow are: the pairs of members of one class.
  std::uint64_t pairs() const { return pairs_; }

  /// What gives a row from rows before it.
  enum class By : std::uint8_t { kSymmetry, kTransitivity };
  /// Takes a row that follows, which may be stored. False: no more are wanted.
  using Add = std::function<bool(Value a, Value b, By by)>;
  /// Calls `add` for each row that follows from what the last Take took in.
  void ForEachFollowing(const Add& add) const;
  /// REQUIRED after Take, before other rows join: whether the rows that follow are in the relation
  /// now, which has so many. If not, the next Take begins anew.
  void Settle(bool complete, RowId size);

  /// Gives the rows that follow from the last Take and are not among `rows` their ids, behind
  /// those. REQUIRES: with them there are less than kNoId, and all that Take took in is in `rows`.
  void Number(const RowSet& rows);

  // The rows with ids, until the next Take.

  RowId begin() const { return begin_; }
  RowId end() const { return end_; }
  /// kNoId if it has none.
  RowId Find(Value a, Value b) const;
  void CellsOf(RowId row, Value* out) const;
  /// Adds the cells of the rows from `begin` on and before `end`.
  void AddCells(RowId begin, RowId end, std::vector<Value>& out) const;
  /// Adds, for each of the rows from `begin` on and before `end` that have the value in a column,
  /// in order, its value in the other one.
  void AddPartners(std::size_t column, Value value, RowId begin, RowId end,
                   std::vector<Value>& out) const;
  /// The same for the ids of the rows.
  void AddRows(std::size_t column, Value value, RowId begin, RowId end,
               std::vector<RowId>& out) const;
  /// Appends these rows.
  void AppendTo(RowSet& rows) const;

 private:
  using Element = std::uint32_t;
  using Merged = std::uint32_t;  // its number

  struct Side {
    Element founder;  // the first member of its class
    Element joint;    // p, or q
    std::uint32_t size;
  };
  struct Merge {
    Side left, right;
    Merged next = kNoId;      // of the class that it makes
    RowId first = 0;          // the id of the first row of its block
    std::uint32_t holes = 0;  // those of the blocks before it

    bool left_alone() const { return left.size == 1; }
    bool right_alone() const { return right.size == 1; }
    /// Places of the rows (a, q), and of the rows (a, b).
    std::uint64_t joints() const {
      return std::uint64_t{1} + (left_alone() ? 1 : 0) + (right_alone() ? 1 : 0);
    }
    std::uint64_t others() const { return joints() + 2 * (std::uint64_t{left.size} - 1); }
    std::uint64_t size() const {
      return others() + 2 * (right.size - std::uint64_t{1}) * left.size;
    }
  };
  struct Pair {
    Element a, b;
    By by;
  };
  static constexpr std::uint64_t kNowhere = UINT64_MAX;

  Element ElementOf(Value value);
  Value ValueOf(Element element) const { return values_.Row(element)[0]; }
  void Join(Element p, Element q);
  Merged MergeOf(Element a, Element b) const;
  std::uint32_t PositionIn(const Side& side, Element element) const {
    return position_[element] - position_[side.founder];
  }
  Element Member(const Side& side, std::size_t i) const {
    return members_[class_of_[side.founder]][position_[side.founder] + i];
  }
  bool IsLeft(const Merge& merge, Element element) const {
    return PositionIn(merge.left, element) < merge.left.size;
  }
  std::uint64_t PlaceOf(const Merge& merge, Element a, Element b) const;
  Pair PairAt(const Merge& merge, std::uint64_t place) const;
  RowId RowAt(Merged number, std::uint64_t place) const;
  Merged BlockOf(RowId row) const;
  std::uint32_t HoleBehind(Merged number, RowId row) const;
  RowId EndOf(Merged number) const {
    return number + 1 < merges_.size() ? merges_[number + 1].first : end_;
  }
  std::uint32_t HolesEnd(Merged number) const {
    return number + 1 < merges_.size() ? merges_[number + 1].holes
                                       : static_cast<std::uint32_t>(holes_.size());
  }
  template <typename Fn>
  bool ForEachPair(const Merge& merge, Fn&& fn) const;
  template <typename Fn>
  void ForEachWith(std::size_t column, Value value, RowId begin, RowId end, Fn&& fn) const;

  RowSet values_;                               // of one column: the elements
  std::vector<Element> class_of_;               // by element: the founder of its class
  std::vector<std::uint32_t> position_;         // by element: among the members
  std::vector<std::vector<Element>> members_;   // by founder
  std::vector<Merged> first_merge_;             // by element, kNoId if it is alone
  std::vector<std::pair<Element, Merged>> up_;  // by founder: where its class went, and when
  std::vector<Merged> last_merge_;              // by founder: that made its class, or kNoId
  std::vector<Merge> merges_;
  Merged open_ = 0;                   // the first one of the last Take
  std::vector<std::uint32_t> holes_;  // places in their blocks, by block, ascending
  std::uint64_t pairs_ = 0;
  RowId taken_ = 0;
  RowId fresh_ = 0;  // the first row of the last Take
  std::uint32_t epoch_ = 0;
  RowId begin_ = 0, end_ = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_CLASSES_H_
