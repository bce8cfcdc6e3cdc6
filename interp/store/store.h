// SPDX-License-Identifier: Apache-2.0
//
// The binding store (§18.2): relations and their rows.
//
// A relation is identified by namespace, label and arity (§9: label and arity name
// it). Its rows are arrays of words, appended in order; a row's id is its
// position and is stable until rows are taken out (Remove and Rebuild bump `epoch`). So a
// *delta is a range of row ids*: what is new this round, this phase or this timestep is
// always [mark, size). Scans and index chains go in id order, which is the order of
// assertion or first derivation (decision 45). When rows are taken out, the others keep their
// order: those behind a gap move down. A relation remembers some of the rows that were taken out
// last (Since), so that rules can take back what rests on them (interp/plan/withdrawal.h).
//
// The last rows of an equivalence may be kept as its classes (interp/store/classes.h): they have
// their ids and are found and read like others. Access to stored rows alone (rows, Row, indexes,
// each change) stores them first; ids and order stay.
//
// A row is asserted (a fact, a reply, a trace) or derived. Rules' conclusions are derived
// and may be dropped and computed again; asserted rows stay until retracted.
//
// Sets (§7): a relation holds *instances*. A row with a set in a column is distributed on
// insertion; the row as it was written goes to the companion relation `whole`, which
// set patterns (`#{& ?s}`) read. A relation without sets needs no companion.
//
// Metadata (§11) hangs on a row by id and costs nothing on rows that have none: the
// author's map, and the place it was asserted at.
//
// The Store owns its relations; pointers to them stay valid. Row pointers are valid only
// until the next insertion into the same relation.
#ifndef RPL_INTERP_STORE_STORE_H_
#define RPL_INTERP_STORE_STORE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/store/classes.h"
#include "interp/store/gaps.h"
#include "interp/store/index.h"
#include "interp/store/relation_id.h"
#include "interp/store/row_set.h"
#include "interp/store/rows_by.h"
#include "interp/store/value.h"

namespace rpl {

/// Places by row id. Only pages with a place are allocated; most have places in one file.
class Places {
 public:
  /// nullopt when the row has none.
  std::optional<Span> Find(RowId row) const {
    if (row / kPage >= pages_.size() || pages_[row / kPage].ranges == nullptr) return std::nullopt;
    const Page& page = pages_[row / kPage];
    const Range& at = (*page.ranges)[row % kPage];
    if (at.begin == kNoId) return std::nullopt;
    return Span{page.files == nullptr ? page.file : (*page.files)[row % kPage], at.begin, at.end};
  }
  /// Whether no row has one. Only after removals can a page be allocated and have none.
  bool empty() const {
    return std::ranges::all_of(pages_, [](const Page& page) {
      return page.ranges == nullptr ||
             std::ranges::all_of(*page.ranges, [](const Range& at) { return at.begin == kNoId; });
    });
  }
  /// Sets the place of a row unless it has one.
  void Add(RowId row, Span at) {
    if (row / kPage >= pages_.size()) pages_.resize(row / kPage + 1);
    Page& page = pages_[row / kPage];
    if (page.ranges == nullptr || (*page.ranges)[row % kPage].begin == kNoId) Set(page, row, at);
  }
  /// Rows before `size` have left these gaps.
  void Remove(const Gaps& gaps, RowId size);

 private:
  static constexpr std::size_t kPage = 256;
  struct Range {
    std::uint32_t begin = kNoId;  // kNoId: nowhere
    std::uint32_t end = 0;
  };
  struct Page {
    std::uint32_t file = 0;  // of all rows, unless there are `files`
    std::unique_ptr<std::array<Range, kPage>> ranges;
    std::unique_ptr<std::array<std::uint32_t, kPage>> files;
  };

  static void Set(Page& page, RowId row, const Span& at) {
    if (page.ranges == nullptr) {
      page.ranges = std::make_unique<std::array<Range, kPage>>();
      page.file = at.file;
    }
    if (page.files != nullptr || at.file != page.file) SetFile(page, row, at.file);
    (*page.ranges)[row % kPage] = {at.begin, at.end};
  }
  static void SetFile(Page& page, RowId row, std::uint32_t file);

  std::vector<Page> pages_;
};

/// What is known about a row besides its cells.
struct Stated {
  Value meta = kNone;                     // the author's metadata map
  const Span* origin = nullptr;           // the place where it is asserted
  std::span<const SetOrder> orders = {};  // of sets written in another order than their own
  Parties by = PartyBit(By::kProgram);
};

/// The cells of a row, borrowed from where it is stored, or its own.
class RowCells {
 public:
  RowCells(RowView stored) : stored_(stored), is_own_(false) {}
  RowCells(const Classes& classes, RowId row) : stored_(std::span<const Value>()), is_own_(true) {
    classes.CellsOf(row, own_.data());
  }
  operator RowView() const { return is_own_ ? RowView(std::span<const Value>(own_)) : stored_; }
  Value operator[](std::size_t i) const { return is_own_ ? own_[i] : stored_[i]; }

 private:
  RowView stored_;
  std::array<Value, 2> own_;
  bool is_own_;
};

class Relation {
 public:
  Relation(RelationId id, Space space, Value label, std::string name, std::uint32_t arity)
      : id_(id), space_(space), label_(label), name_(std::move(name)), rows_(arity) {}

  RelationId id() const { return id_; }
  Space space() const { return space_; }
  Value label() const { return label_; }
  /// The name as written, with its mark: "edge", "%goal", "$tool", "$x".
  const std::string& name() const { return name_; }
  std::uint32_t arity() const { return rows_.arity(); }
  RowId size() const { return rows_.size() + as_classes_; }
  bool empty() const { return size() == 0; }
  /// Bumped whenever row ids change, or what is known about a row that was there.
  std::uint32_t epoch() const { return epoch_; }

  /// Stores all rows.
  RowView Row(RowId row) const { return rows().Row(row); }
  /// The row's cells, copied.
  std::vector<Value> Cells(RowId row) const { return RowView(CellsOf(row)).Copy(); }
  /// The row's cells.
  RowCells CellsOf(RowId row) const {
    return row < rows_.size() ? RowCells(rows_.Row(row)) : RowCells(*classes_, row);
  }

  /// Keeps rows as classes that have numbered them behind the stored ones. They are borrowed, and
  /// stay as they are until the rows are stored.
  void KeepAsClasses(std::shared_ptr<const Classes> classes);
  /// The classes that have the rows from stored().size() on; null if all rows are stored.
  std::shared_ptr<const Classes> classes() const { return as_classes_ > 0 ? classes_ : nullptr; }
  const RowSet& stored() const { return rows_; }

  using Inserted = RowSet::Inserted;
  /// Appends a row unless present. A derived row becomes asserted when it is asserted.
  Inserted Insert(std::span<const Value> row, bool asserted);
  /// The rows; derived ones are appended directly.
  RowSet& rows() {
    if (as_classes_ > 0) StoreAll();
    return rows_;
  }
  const RowSet& rows() const {
    if (as_classes_ > 0) StoreAll();
    return rows_;
  }
  RowId Find(std::span<const Value> row) const {
    const RowId stored = rows_.Find(row);
    return stored != kNoId || as_classes_ == 0 ? stored : FindKept(row);
  }
  bool asserted(RowId row) const { return row < asserted_.size() && asserted_[row]; }
  /// Whether some row is derived.
  bool HasDerived() const { return asserted_count_ < size(); }
  /// Adds to what is known about a row, without its orders; `is_new`: it was inserted just now.
  void State(RowId row, bool is_new, const Stated& stated, Pool& pool);
  /// What is known about a row besides its place, borrowed.
  Stated StatedOf(RowId row) const;
  /// How the sets of a row are written, where that is not their own order. The first one counts.
  void SetOrders(RowId row, std::span<const SetOrder> orders) {
    orders_.try_emplace(row, orders.begin(), orders.end());
  }
  /// Inserts rows of another relation, in that order, with what is known about them.
  void Copy(const Relation& from, std::span<const RowId> rows);

  /// Removes the rows that are derived.
  void DropDerived();
  /// Removes the rows for which `keep(row)` is false. If there are any, ids change.
  template <typename Keep>
  void Rebuild(Keep&& keep);
  /// Removes these rows, ascending, each once, without building anything anew: O(rows), and for the
  /// other rows the change of an id in the table and in each index.
  void Remove(std::span<const RowId> rows);
  /// Removes the rows from `first` on, as if they had not been inserted. REQUIRES: they are
  /// derived, and nobody remembers a size that counts them.
  void TakeBack(RowId first);

  /// What became of the first `size` rows that a relation had.
  struct Change {
    RowId size;               // the first so many rows are what is left of them
    std::vector<Value> gone;  // the cells of the others, row by row; some may be rows again
  };
  /// The same for those that it had in an earlier epoch; nullopt if that is not known any more.
  std::optional<Change> Since(RowId size, std::uint32_t epoch) const;

  /// The index on `columns`, created if missing, extended to at least the rows before `end`; to
  /// fewer if `keep_on` (may be null) stopped it. O(new rows). `workers`: see IndexExtension.
  /// REQUIRES: columns is not 0.
  const Index& IndexOn(Columns columns, RowId end, const KeepOn* keep_on,
                       ThreadPool* workers = nullptr);
  const Index& IndexOn(Columns columns, const KeepOn* keep_on = nullptr) {
    return IndexOn(columns, size(), keep_on);
  }
  /// The rows before `end` with that key, as an index lists them; those that are kept as classes
  /// are put into `own` with the others. Valid until the index grows.
  std::span<const RowId> RowsWith(Columns columns, std::span<const Value> key, RowId end,
                                  const KeepOn* keep_on, std::vector<RowId>& own);
  /// The index on `columns`, created if missing, without extending it.
  Index& OpenIndex(Columns columns);
  /// The same; null if missing.
  Index* IndexIfAny(Columns columns) const;
  /// Whether to scan the rows before `end` this many times rather than build or extend the index:
  /// as long as all such scans together take less time than that. Counts them.
  bool MayScanInstead(Columns columns, RowId end, std::size_t times);
  /// Whether there is such an index, or there were scans in its place.
  bool IsLookedUp(Columns columns) const;
  /// All indexes, in order of creation.
  const std::vector<std::unique_ptr<Index>>& indexes() const { return indexes_; }

  /// The author's metadata map of a row, kNone when it has none.
  Value Meta(RowId row) const;
  /// The place where the row was asserted; nullopt for derived rows.
  std::optional<Span> Origin(RowId row) const { return origins_.Find(row); }
  /// Whether some row has one.
  bool HasOrigins() const { return !origins_.empty(); }
  /// Who asserted the row; 0 for derived rows.
  Parties SaidBy(RowId row) const { return by_.At(row); }
  /// Leaves a row to some of those who asserted it.
  void LeaveTo(RowId row, Parties parties) {
    by_.Leave(row, parties);
    ++epoch_;
  }
  std::span<const SetOrder> OrdersOf(RowId row) const {
    const auto at = orders_.find(row);
    return at == orders_.end() ? std::span<const SetOrder>() : at->second;
  }

  std::size_t bytes() const;

 private:
  /// Rows that were taken out at once. Their cells are in removed_cells_, one after the other.
  struct Removal {
    std::uint32_t epoch;  // that began with it
    std::vector<RowId> rows;
  };
  static constexpr RowId kFewGone = 8;  // one of so many rows; more are better left out of a copy

  void StoreAll() const;
  RowId FindKept(std::span<const Value> row) const;
  void Log(std::span<const RowId> rows);
  void ForgetRemovals();
  void Leave(const Gaps& gaps);

  RelationId id_;
  Space space_;
  Value label_;
  std::string name_;
  mutable RowSet rows_;
  mutable RowId as_classes_ = 0;  // rows behind these, which `classes_` has
  std::shared_ptr<const Classes> classes_;
  std::uint32_t epoch_ = 0;
  std::vector<bool> asserted_;  // rows beyond its size are derived
  RowId asserted_count_ = 0;
  std::vector<std::unique_ptr<Index>> indexes_;
  std::vector<std::pair<Columns, std::uint64_t>> scanned_;  // rows, in place of an index
  std::unordered_map<RowId, Value> meta_;
  std::unordered_map<RowId, std::vector<SetOrder>> orders_;
  Places origins_;
  RowsBy by_;
  std::vector<Removal> removals_;  // all since the epoch known_since_
  std::vector<Value> removed_cells_;
  std::uint32_t known_since_ = 0;
};

class Store {
 public:
  explicit Store(Pool& pool) : pool_(pool) {}
  Store(const Store&) = delete;

  Pool& pool() { return pool_; }
  const Pool& pool() const { return pool_; }

  /// The relation of that name, created if missing.
  RelationId Declare(Space space, std::string_view label, std::uint32_t arity);
  /// A new relation that Find does not find, with a name to be shown.
  RelationId AddIntermediate(std::string_view name, std::uint32_t arity);
  /// kNoId when no such relation was declared.
  RelationId Find(Space space, std::string_view label, std::uint32_t arity) const;
  Relation& at(RelationId id) { return *relations_[id]; }
  const Relation& at(RelationId id) const { return *relations_[id]; }
  std::size_t size() const { return relations_.size(); }

  /// The companion that keeps rows with their sets undistributed; created and filled on first use.
  RelationId Whole(RelationId id);
  /// kNoId when there is none.
  RelationId WholeIfAny(RelationId id) const { return companion_[id]; }
  /// True for a relation made by Whole.
  bool IsWhole(RelationId id) const { return whole_of_[id] != kNoId; }
  RelationId BaseOf(RelationId id) const { return IsWhole(id) ? whole_of_[id] : id; }

  /// Notes that a source has the rows of a relation, or, without `arity`, of all with the label:
  /// from now on they are known, also where there is none.
  void Give(std::string_view label, std::optional<std::uint32_t> arity);
  bool IsGiven(RelationId id) const;

  /// Adds a row to a relation that is not a companion: its instances to the relation,
  /// the row itself to the companion when there are sets. `stated`: of asserted rows.
  /// Returns the number of new instance rows. Some are missing when Pool::Work said to give up.
  std::uint32_t Insert(RelationId id, std::span<const Value> row, bool asserted,
                       const Stated& stated = {});
  /// Takes back an asserted row, with sets all of its instances; false when none was asserted.
  /// The companion's sets lose the instances, too. `of`: whose statements are taken back; what
  /// others assert as well stays theirs.
  bool Retract(RelationId id, std::span<const Value> row, Parties of = 0xFF);

  std::size_t rows() const;
  std::size_t bytes() const;

 private:
  RelationId Add(Space space, Value label, std::string name, std::uint32_t arity);
  void TakeFromSets(Relation& whole, std::span<const Value> instance);

  Pool& pool_;
  std::vector<std::unique_ptr<Relation>> relations_;
  std::vector<RelationId> companion_;  // per relation: its whole, or kNoId
  std::vector<RelationId> whole_of_;   // per relation: its base when it is a companion
  IdTable by_name_;                    // of those that Declare made
  std::set<std::pair<std::string, std::optional<std::uint32_t>>> given_;  // see Give
};

inline constexpr std::size_t kStepsPerInstance = 8;

/// Calls fn(row) for each instance of `row`: every choice of one element for each column from
/// `column` on that holds a set (§7), except columns where `whole` has the same set. Restores `row`
/// afterwards. `orders`: see Store::Insert. There may be very many instances: false when Pool::Work
/// said to give up.
template <typename Fn>
bool ForEachInstance(Pool& pool, std::vector<Value>& row, std::size_t column,
                     std::span<const Value> whole, Fn&& fn, std::span<const SetOrder> orders = {}) {
  const auto splits = [&] {
    return row[column].kind() == Kind::kSet &&
           (column >= whole.size() || row[column] != whole[column]);
  };
  while (column < row.size() && !splits()) ++column;
  if (column == row.size()) {
    fn(row);
    return pool.Work(kStepsPerInstance);
  }
  const Value set = row[column];
  std::span<const Value> elements = pool.ItemsOf(set);
  for (const SetOrder& order : orders)
    if (order.column == column) elements = order.elements;
  bool go_on = true;
  for (std::size_t i = 0; i < elements.size() && go_on; ++i) {
    row[column] = elements[i];
    go_on = ForEachInstance(pool, row, column + 1, whole, fn, orders);
  }
  row[column] = set;
  return go_on;
}

/// How many instances a row has; saturates.
std::uint64_t InstanceCount(const Pool& pool, std::span<const Value> row);

template <typename Keep>
void Relation::Rebuild(Keep&& keep) {
  StoreAll();
  std::vector<RowId> kept, gone;
  for (RowId r = 0; r < size(); ++r) (keep(r) ? kept : gone).push_back(r);
  if (gone.empty()) return;
  if (gone.size() <= size() / kFewGone) return Remove(gone);
  Relation rebuilt(id_, space_, label_, name_, arity());
  rebuilt.Copy(*this, kept);
  rows_ = std::move(rebuilt.rows_);
  asserted_ = std::move(rebuilt.asserted_);
  asserted_count_ = rebuilt.asserted_count_;
  meta_ = std::move(rebuilt.meta_);
  orders_ = std::move(rebuilt.orders_);
  origins_ = std::move(rebuilt.origins_);
  by_ = std::move(rebuilt.by_);
  ++epoch_;
  ForgetRemovals();
  for (auto& index : indexes_) index->Clear();
}

}  // namespace rpl

#endif  // RPL_INTERP_STORE_STORE_H_
