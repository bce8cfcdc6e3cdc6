// SPDX-License-Identifier: Apache-2.0
//
// The binding store (§18.2): relations and their rows.
//
// A relation is identified by namespace, label and arity (decision 9 of R9: label and
// arity name it). Its rows are arrays of words, appended in order; a row's id is its
// position and is stable until the relation is rebuilt (Rebuild bumps `epoch`). So a
// *delta is a range of row ids*: what is new this round, this phase or this timestep is
// always [mark, size). Scans and index chains go in id order, which is the order of
// assertion or first derivation (decision 45).
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
#ifndef RPL_INTERP_STORE_H_
#define RPL_INTERP_STORE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/diagnostic.h"
#include "interp/id_table.h"
#include "interp/value.h"

namespace rpl {

using RelationId = std::uint32_t;
using RowId = std::uint32_t;

/// What a relation's label names. Avars are channels of their own (§13).
enum class Space : std::uint8_t { kRelation, kGoal, kTool, kAvar };

/// A set of columns, one bit each; a relation has at most 64 columns.
using Columns = std::uint64_t;
inline constexpr std::size_t kMaxArity = 64;

/// Asked in the course of long work; false stops it.
using KeepOn = std::function<bool()>;

/// Chains of rows that agree on some columns, in id order. Grows with the relation.
class Index {
 public:
  explicit Index(Columns columns) : columns_(columns) {}

  Columns columns() const { return columns_; }
  /// The first row whose indexed columns equal `key` (in column order), or kNoId.
  RowId First(std::span<const Value> key, const class Relation& relation) const;
  /// The next row of the same chain, or kNoId. Ids ascend.
  RowId Next(RowId row) const { return next_[row]; }
  /// Takes in rows [rows indexed so far, relation.size()). Once in kAtOnce rows `keep_on` is
  /// called, if there is one: when it says no, the rest of the rows is left out.
  void Extend(const Relation& relation, const KeepOn* keep_on);
  static constexpr RowId kAtOnce = 1 << 16;
  void Clear();
  std::size_t bytes() const;

 private:
  Columns columns_;
  IdTable heads_;            // ids are first rows of chains
  std::vector<RowId> next_;  // per row
  std::vector<RowId> last_;  // per first row of a chain; else unused
};

/// Places by row id, in pages that are there only where a row has one.
class Places {
 public:
  /// Null when the row has none.
  const Span* Find(RowId row) const {
    const std::size_t page = row / kPage;
    if (page >= pages_.size() || pages_[page] == nullptr) return nullptr;
    const Span& at = (*pages_[page])[row % kPage];
    return at == kNowhere ? nullptr : &at;
  }
  /// Keeps the first place that a row is given.
  void Add(RowId row, Span at) {
    const std::size_t page = row / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) {
      pages_[page] = std::make_unique<Page>();
      pages_[page]->fill(kNowhere);
    }
    Span& place = (*pages_[page])[row % kPage];
    if (place == kNowhere) place = at;
  }

 private:
  static constexpr std::size_t kPage = 256;
  static constexpr Span kNowhere = {kNoId, 0, 0};
  using Page = std::array<Span, kPage>;
  std::vector<std::unique_ptr<Page>> pages_;
};

class Relation {
 public:
  Relation(RelationId id, Space space, Value label, std::string name, std::uint32_t arity)
      : id_(id), space_(space), label_(label), name_(std::move(name)), arity_(arity) {}

  RelationId id() const { return id_; }
  Space space() const { return space_; }
  Value label() const { return label_; }
  /// As the author writes it, with its mark: "edge", "%goal", "$tool", "$x".
  const std::string& name() const { return name_; }
  std::uint32_t arity() const { return arity_; }
  RowId size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Bumped whenever row ids change.
  std::uint32_t epoch() const { return epoch_; }

  const Value* Row(RowId row) const { return cells_.data() + std::size_t{row} * arity_; }
  std::span<const Value> Cells(RowId row) const { return {Row(row), arity_}; }

  struct Inserted {
    RowId row;
    bool is_new;
  };
  /// Appends unless present. A row that was derived becomes asserted when asserted again.
  Inserted Insert(std::span<const Value> row, bool asserted) {
    return Insert(row, HashOf(row), asserted);
  }
  /// The same for a caller that has hashed the row already, and may have prefetched its slot.
  Inserted Insert(std::span<const Value> row, std::uint64_t hash, bool asserted);
  static std::uint64_t HashOf(std::span<const Value> row);
  void Prefetch(std::uint64_t hash) const { rows_.Prefetch(hash); }
  /// The bytes that inserting `more` rows would take at once, beside those it has.
  std::size_t GrowthFor(std::size_t more) const {
    const bool fits = cells_.size() + more * arity_ <= cells_.capacity();
    return rows_.GrowthFor(more) + (fits ? 0 : 2 * cells_.capacity() * sizeof(Value));
  }
  RowId Find(std::span<const Value> row) const;
  bool asserted(RowId row) const { return row < asserted_.size() && asserted_[row]; }

  /// Removes the rows for which `keep(row)` is false; ids change when any goes.
  template <typename Keep>
  void Rebuild(Keep&& keep);

  /// The index on `columns`, built or extended to hold every row, unless `keep_on` (may be
  /// null) stopped it: then it holds the first of them. O(new rows).
  /// REQUIRES: columns is neither 0 nor all.
  const Index& IndexOn(Columns columns, const KeepOn* keep_on = nullptr);

  /// The author's metadata map of a row, kNone when it has none.
  Value Meta(RowId row) const;
  void SetMeta(RowId row, Value map);
  /// Where the row was asserted; null for derived rows.
  const Span* Origin(RowId row) const { return origins_.Find(row); }
  void SetOrigin(RowId row, Span span) { origins_.Add(row, span); }

  std::size_t bytes() const;

 private:
  friend class Index;

  RelationId id_;
  Space space_;
  Value label_;
  std::string name_;
  std::uint32_t arity_;
  RowId size_ = 0;
  std::uint32_t epoch_ = 0;
  std::vector<Value> cells_;
  IdTable rows_;
  std::vector<bool> asserted_;  // shorter than size_ when the rest is derived
  std::vector<std::unique_ptr<Index>> indexes_;
  std::unordered_map<RowId, Value> meta_;
  Places origins_;
};

class Store {
 public:
  explicit Store(Pool& pool) : pool_(pool) {}
  Store(const Store&) = delete;

  Pool& pool() { return pool_; }
  const Pool& pool() const { return pool_; }

  /// The relation of that name, made when it is new.
  RelationId Declare(Space space, std::string_view label, std::uint32_t arity);
  /// kNoId when no such relation was declared.
  RelationId Find(Space space, std::string_view label, std::uint32_t arity) const;
  Relation& at(RelationId id) { return *relations_[id]; }
  const Relation& at(RelationId id) const { return *relations_[id]; }
  std::size_t size() const { return relations_.size(); }

  /// The companion that keeps rows with their sets whole, made and filled on first use.
  RelationId Whole(RelationId id);
  /// kNoId when there is none.
  RelationId WholeIfAny(RelationId id) const { return companion_[id]; }
  /// True for a relation made by Whole.
  bool IsWhole(RelationId id) const { return whole_of_[id] != kNoId; }
  RelationId BaseOf(RelationId id) const { return IsWhole(id) ? whole_of_[id] : id; }

  /// Adds a row to a relation that is not a companion: its instances to the relation,
  /// the row itself to the companion when there are sets. `meta` may be kNone.
  /// Returns the number of new instance rows.
  std::uint32_t Insert(RelationId id, std::span<const Value> row, bool asserted, Value meta = kNone,
                       const Span* origin = nullptr);
  /// Takes back an asserted row; false when it was not asserted.
  bool Retract(RelationId id, std::span<const Value> row);

  std::size_t rows() const;
  std::size_t bytes() const;

 private:
  Pool& pool_;
  std::vector<std::unique_ptr<Relation>> relations_;
  std::vector<RelationId> companion_;  // per relation: its whole, or kNoId
  std::vector<RelationId> whole_of_;   // per relation: its base when it is a companion
  IdTable by_name_;                    // of those that Declare made
};

template <typename Keep>
void Relation::Rebuild(Keep&& keep) {
  std::vector<RowId> kept;
  for (RowId r = 0; r < size_; ++r)
    if (keep(r)) kept.push_back(r);
  if (kept.size() == size_) return;
  std::vector<Value> cells;
  std::vector<bool> was_asserted;
  std::unordered_map<RowId, Value> meta;
  Places origins;
  cells.reserve(kept.size() * arity_);
  for (RowId to = 0; to < kept.size(); ++to) {
    const RowId from = kept[to];
    cells.insert(cells.end(), Row(from), Row(from) + arity_);
    was_asserted.push_back(asserted(from));
    if (auto it = meta_.find(from); it != meta_.end()) meta.emplace(to, it->second);
    if (const Span* at = origins_.Find(from)) origins.Add(to, *at);
  }
  cells_ = std::move(cells);
  asserted_ = std::move(was_asserted);
  meta_ = std::move(meta);
  origins_ = std::move(origins);
  size_ = static_cast<RowId>(kept.size());
  ++epoch_;
  rows_.Clear();
  for (RowId r = 0; r < size_; ++r)
    rows_.FindOrInsert(HashOf(Cells(r)), r, [](RowId) { return false; });
  for (auto& index : indexes_) index->Clear();
}

}  // namespace rpl

#endif  // RPL_INTERP_STORE_H_
