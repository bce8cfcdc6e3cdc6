// SPDX-License-Identifier: Apache-2.0
#include "interp/store/store.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>
#include <utility>

namespace rpl {
namespace {

std::string NameOf(Space space, std::string_view label) {
  switch (space) {
    // The engine tells its relations over one tool apart behind a blank (Program::CallsOf).
    case Space::kRelation: return std::string(label.substr(0, label.find(' ')));
    case Space::kIntermediate: return std::string(label);
    case Space::kGoal: return "%" + std::string(label);
    case Space::kTool:
    case Space::kAvar: return "$" + std::string(label);
  }
  return std::string(label);
}

}  // namespace

void Places::SetFile(Page& page, RowId row, std::uint32_t file) {
  if (page.files == nullptr) {
    page.files = std::make_unique<std::array<std::uint32_t, kPage>>();
    page.files->fill(page.file);
  }
  (*page.files)[row % kPage] = file;
}

void Places::Remove(const Gaps& gaps, RowId size) {
  size = std::min<RowId>(size, static_cast<RowId>(pages_.size() * kPage));
  RowId to = gaps.first();
  const auto put = [&](const std::optional<Span>& at) {
    Page& page = pages_[to / kPage];
    if (at) Set(page, to, *at);
    else if (page.ranges != nullptr) (*page.ranges)[to % kPage] = {};
    ++to;
  };
  gaps.ForEachRange(size, [&](RowId begin, RowId end) {
    for (RowId row = begin; row < end; ++row) put(Find(row));
  });
  while (to < size) put(std::nullopt);
}

Relation::Inserted Relation::Insert(std::span<const Value> row, bool asserted) {
  assert(row.size() == arity());
  const Inserted in = rows().Insert(row);
  if (asserted && !this->asserted(in.row)) {
    if (asserted_.size() < in.row) asserted_.resize(in.row);
    if (asserted_.size() == in.row) asserted_.push_back(true);
    else asserted_[in.row] = true;
    ++asserted_count_;
  }
  return in;
}

void Relation::KeepAsClasses(std::shared_ptr<const Classes> classes) {
  assert(arity() == 2 && classes->begin() == size());
  classes_ = std::move(classes);
  as_classes_ = classes_->end() - classes_->begin();
}

void Relation::StoreAll() const {
  if (std::exchange(as_classes_, 0) > 0) classes_->AppendTo(rows_);
}

RowId Relation::FindKept(std::span<const Value> row) const {
  return classes_->Find(row[0], row[1]);
}

// Rows that are kept as classes are derived, and need not be stored to be removed.
void Relation::DropDerived() {
  if (!HasDerived()) return;
  if (std::exchange(as_classes_, 0) > 0) {
    classes_.reset();
    ++epoch_;
    ForgetRemovals();
  }
  Rebuild([this](RowId row) { return asserted(row); });
}

Index* Relation::IndexIfAny(Columns columns) const {
  for (const auto& index : indexes_)
    if (index->columns() == columns) return index.get();
  return nullptr;
}

Index& Relation::OpenIndex(Columns columns) {
  assert(columns != 0);
  if (Index* const index = IndexIfAny(columns)) return *index;
  return *indexes_.emplace_back(std::make_unique<Index>(columns));
}

bool Relation::MayScanInstead(Columns columns, RowId end, std::size_t times) {
  constexpr RowId kLeast = 10'000;        // fewer rows are indexed at once
  constexpr std::uint64_t kScanned = 16;  // rows scanned in the time that indexing one takes
  const Index* const index = IndexIfAny(columns);
  const RowId indexed = index == nullptr ? 0 : index->size();
  if (end < indexed + kLeast || times > kScanned) return false;
  auto at = std::ranges::find(scanned_, columns, &std::pair<Columns, std::uint64_t>::first);
  if (at == scanned_.end()) at = scanned_.insert(at, {columns, 0});
  const std::uint64_t with_these = at->second + std::uint64_t{end} * times;
  if (with_these > kScanned * (end - indexed)) return false;
  at->second = with_these;
  return true;
}

bool Relation::IsLookedUp(Columns columns) const {
  return IndexIfAny(columns) != nullptr ||
         std::ranges::find(scanned_, columns, &std::pair<Columns, std::uint64_t>::first) !=
             scanned_.end();
}

const Index& Relation::IndexOn(Columns columns, RowId end, const KeepOn* keep_on,
                               ThreadPool* workers) {
  assert(end <= size());
  if (end > rows_.size()) StoreAll();
  Index& index = OpenIndex(columns);
  if (index.size() < end) {
    const IndexExtension::Growth growth = {&index, &rows_, end};
    IndexExtension().Run({&growth, 1}, keep_on, workers);
  }
  return index;
}

std::span<const RowId> Relation::RowsWith(Columns columns, std::span<const Value> key, RowId end,
                                          const KeepOn* keep_on, std::vector<RowId>& own) {
  const RowId stored = std::min(end, rows_.size());
  const std::span<const RowId> listed = IndexOn(columns, stored, keep_on).Rows(key, rows_);
  if (as_classes_ == 0) return listed;
  own.assign(listed.begin(), listed.end());
  classes_->AddRows(columns == 1 ? 0 : 1, key.front(), stored, end, own);
  return own;
}

namespace {

// The map with the entries of `more` added; they replace those with the same key.
Value MergeMeta(Pool& pool, Value map, Value more) {
  if (map.is_none()) return more;
  std::vector<Value> entries(pool.ItemsOf(more).begin(), pool.ItemsOf(more).end());
  std::vector<Value> out;
  const std::span<const Value> old = pool.ItemsOf(map);
  for (std::size_t i = 0; i < old.size(); i += 2) {
    const Value newer = pool.Lookup(more, old[i]);
    out.push_back(old[i]);
    out.push_back(newer.is_none() ? old[i + 1] : newer);
  }
  out.insert(out.end(), entries.begin(), entries.end());
  return pool.Map(out);
}

}  // namespace

Value Relation::Meta(RowId row) const {
  const auto it = meta_.find(row);
  return it == meta_.end() ? kNone : it->second;
}

Stated Relation::StatedOf(RowId row) const {
  const auto orders = orders_.find(row);
  return {Meta(row), nullptr,
          orders == orders_.end() ? std::span<const SetOrder>() : orders->second, by_.At(row)};
}

void Relation::State(RowId row, bool is_new, const Stated& stated, Pool& pool) {
  bool changed = by_.Add(row, stated.by);
  if (!stated.meta.is_none()) {
    Value& meta = meta_.try_emplace(row, kNone).first->second;
    const Value merged = MergeMeta(pool, meta, stated.meta);
    changed |= merged != meta;
    meta = merged;
  }
  if (stated.origin != nullptr) origins_.Add(row, *stated.origin);
  if (changed && !is_new) ++epoch_;
}

void Relation::Copy(const Relation& from, std::span<const RowId> rows) {
  std::vector<Value> cells;
  for (const RowId row : rows) {
    from.rows().Row(row).CopyTo(cells);
    const RowId to = Insert(cells, from.asserted(row)).row;
    const Stated stated = from.StatedOf(row);
    if (!stated.meta.is_none()) meta_[to] = stated.meta;
    if (const std::optional<Span> origin = from.Origin(row)) origins_.Add(to, *origin);
    if (!stated.orders.empty()) SetOrders(to, stated.orders);
    if (stated.by != 0) by_.Add(to, stated.by);
  }
}

void Relation::Remove(std::span<const RowId> rows) {
  if (rows.empty()) return;
  StoreAll();
  ++epoch_;
  Log(rows);
  Leave(Gaps(rows, size()));
}

void Relation::TakeBack(RowId first) {
  if (first == size()) return;
  StoreAll();
  std::vector<RowId> rows(size() - first);
  std::iota(rows.begin(), rows.end(), first);
  Leave(Gaps(rows, size()));
}

// Remembers as many rows as are of use: if more are gone, what rests on them is derived anew.
void Relation::Log(std::span<const RowId> rows) {
  constexpr std::size_t kAlways = 1'024;
  const std::size_t width = std::max<std::size_t>(arity(), 1);
  if (removed_cells_.size() / width + rows.size() > size() / 4 + kAlways) {
    ForgetRemovals();
    return;
  }
  removals_.push_back({epoch_, {rows.begin(), rows.end()}});
  for (const RowId row : rows) {
    const RowView cells = rows_.Row(row);
    for (std::uint32_t i = 0; i < arity(); ++i) removed_cells_.push_back(cells[i]);
  }
}

void Relation::ForgetRemovals() {
  removals_.clear();
  removed_cells_.clear();
  known_since_ = epoch_;
}

// Moves all that is known by row down into the gaps.
void Relation::Leave(const Gaps& gaps) {
  for (auto& index : indexes_) index->Remove(gaps, rows_);
  scanned_.clear();  // to keep an index up to date costs about as much as a scan
  const RowId size = this->size();
  rows_.Remove(gaps);
  if (gaps.first() < asserted_.size() && asserted_count_ == size) {
    asserted_count_ -= static_cast<RowId>(gaps.rows().size());
    asserted_.resize(asserted_count_);
  } else if (gaps.first() < asserted_.size()) {
    const auto known = static_cast<RowId>(asserted_.size());
    for (const RowId row : gaps.rows()) asserted_count_ -= asserted(row) ? 1 : 0;
    RowId to = gaps.first();
    gaps.ForEachRange(known, [&](RowId begin, RowId end) {
      std::copy(asserted_.begin() + begin, asserted_.begin() + end, asserted_.begin() + to);
      to += end - begin;
    });
    asserted_.resize(to);
  }
  origins_.Remove(gaps, size);
  by_.Remove(gaps);
  const auto move = [&](auto& map) {
    if (map.empty()) return;
    std::remove_reference_t<decltype(map)> moved;
    for (auto& [row, of] : map)
      if (!gaps.Has(row)) moved.emplace(gaps.Moved(row), std::move(of));
    map = std::move(moved);
  };
  move(meta_);
  move(orders_);
}

std::optional<Relation::Change> Relation::Since(RowId size, std::uint32_t epoch) const {
  Change out = {size, {}};
  if (epoch == epoch_) return out;
  if (epoch < known_since_ || arity() == 0) return std::nullopt;
  std::size_t at = 0;
  for (const Removal& removal : removals_) {
    const std::size_t begin = std::exchange(at, at + removal.rows.size() * arity());
    if (removal.epoch <= epoch) continue;
    const auto after = std::ranges::lower_bound(removal.rows, out.size);
    const auto count = static_cast<RowId>(after - removal.rows.begin());
    const auto cells = removed_cells_.begin() + static_cast<std::ptrdiff_t>(begin);
    out.gone.insert(out.gone.end(), cells, cells + std::ptrdiff_t{count} * arity());
    out.size -= count;
  }
  return out;
}

std::size_t Relation::bytes() const {
  std::size_t out = rows_.bytes();
  for (const auto& index : indexes_) out += index->bytes();
  return out;
}

namespace {

std::uint64_t HashOfName(Space space, std::string_view label, std::uint32_t arity) {
  return MixHash(MixHash(std::hash<std::string_view>{}(label), arity),
                 static_cast<std::uint64_t>(space));
}

}  // namespace

RelationId Store::Find(Space space, std::string_view label, std::uint32_t arity) const {
  return by_name_.Find(HashOfName(space, label, arity), [&](RelationId id) {
    const Relation& r = at(id);
    return r.space() == space && r.arity() == arity && pool_.TextOf(r.label()) == label;
  });
}

RelationId Store::Declare(Space space, std::string_view label, std::uint32_t arity) {
  const RelationId known = Find(space, label, arity);
  if (known != kNoId) return known;
  const RelationId id = Add(space, pool_.Symbol(label), NameOf(space, label), arity);
  by_name_.FindOrInsert(HashOfName(space, label, arity), id, [](RelationId) { return false; });
  return id;
}

RelationId Store::AddIntermediate(std::string_view name, std::uint32_t arity) {
  return Add(Space::kIntermediate, pool_.Symbol(name), NameOf(Space::kIntermediate, name), arity);
}

RelationId Store::Add(Space space, Value label, std::string name, std::uint32_t arity) {
  const auto id = static_cast<RelationId>(relations_.size());
  relations_.push_back(std::make_unique<Relation>(id, space, label, std::move(name), arity));
  companion_.push_back(kNoId);
  whole_of_.push_back(kNoId);
  return id;
}

void Store::Give(std::string_view label, std::optional<std::uint32_t> arity) {
  given_.emplace(label, arity);
}

bool Store::IsGiven(RelationId id) const {
  const Relation& of = at(BaseOf(id));
  if (given_.empty() || of.space() != Space::kRelation) return false;
  const std::string label(pool_.TextOf(of.label()));
  return given_.contains({label, std::nullopt}) || given_.contains({label, of.arity()});
}

RelationId Store::Whole(RelationId id) {
  assert(!IsWhole(id));
  if (companion_[id] != kNoId) return companion_[id];
  const Relation& base = at(id);
  const RelationId whole = Add(base.space(), base.label(), base.name(), base.arity());
  whole_of_[whole] = id;
  companion_[id] = whole;
  std::vector<RowId> all(base.size());
  std::iota(all.begin(), all.end(), 0);
  at(whole).Copy(base, all);
  return whole;
}

std::uint32_t Store::Insert(RelationId id, std::span<const Value> row, bool asserted,
                            const Stated& stated) {
  assert(!IsWhole(id));
  const auto add = [&](RelationId to, std::span<const Value> cells) {
    Relation& relation = at(to);
    const Relation::Inserted in = relation.Insert(cells, asserted);
    if (asserted) relation.State(in.row, in.is_new, stated, pool_);
    return in;
  };
  const bool has_set =
      std::any_of(row.begin(), row.end(), [](Value v) { return v.kind() == Kind::kSet; });
  const RelationId whole = has_set ? Whole(id) : companion_[id];
  std::uint32_t added = 0;
  if (whole != kNoId) {
    const Relation::Inserted in = add(whole, row);
    if (!stated.orders.empty()) at(whole).SetOrders(in.row, stated.orders);
    if (in.is_new && has_set) added = 1;
  }
  if (!has_set) return add(id, row).is_new ? 1 : 0;
  std::vector<Value> scratch(row.begin(), row.end());
  std::uint32_t instances = 0;
  ForEachInstance(
      pool_, scratch, 0, {},
      [&](std::span<const Value> cells) { instances += add(id, cells).is_new ? 1 : 0; },
      stated.orders);
  return std::max(added, instances);
}

bool Store::Retract(RelationId id, std::span<const Value> row, Parties of) {
  bool found = false;
  std::vector<RowId> victims;
  const auto mark = [&](RelationId from, std::span<const Value> cells) {
    const RowId victim = at(from).Find(cells);
    if (victim == kNoId || !at(from).asserted(victim)) return;
    const Parties stated = at(from).SaidBy(victim);
    if (const auto left = static_cast<Parties>(stated & ~of); left != 0) {
      found = found || left != stated;
      return at(from).LeaveTo(victim, left);
    }
    victims.push_back(victim);
  };
  const auto drop = [&](RelationId from) {
    if (victims.empty()) return;
    found = true;
    std::ranges::sort(victims);
    victims.erase(std::unique(victims.begin(), victims.end()), victims.end());
    at(from).Remove(victims);
    victims.clear();
  };
  const RelationId whole = companion_[id];
  if (whole != kNoId) {
    mark(whole, row);
    drop(whole);
  }
  const auto is_instance = [&](RowView cells) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool split = row[i].kind() == Kind::kSet;
      if (split ? !pool_.Contains(row[i], cells[i]) : row[i] != cells[i]) return false;
    }
    return true;
  };
  if (InstanceCount(pool_, row) <= at(id).size()) {
    std::vector<Value> scratch(row.begin(), row.end());
    ForEachInstance(pool_, scratch, 0, {}, [&](std::span<const Value> cells) { mark(id, cells); });
  } else {
    for (RowId r = 0; r < at(id).size(); ++r)
      if (is_instance(at(id).Row(r))) mark(id, at(id).Cells(r));
  }
  std::vector<std::vector<Value>> gone;
  if (whole != kNoId) {
    std::ranges::sort(victims);
    for (const RowId r : victims) gone.push_back(at(id).Cells(r));
  }
  drop(id);
  for (const std::vector<Value>& instance : gone) TakeFromSets(at(whole), instance);
  return found;
}

// A row of a companion stands for the product of its sets. What is left of it without the instance
// are rows again: for each column with a set, that without the element, where the columns before it
// have theirs. In (#{1 2}, #{3 4}) without (1, 3): (2, #{3 4}) and (1, 4). A set without elements
// leaves no row.
void Store::TakeFromSets(Relation& whole, std::span<const Value> instance) {
  struct Row {
    std::vector<Value> cells;
    std::vector<SetOrder> orders;
    std::optional<Span> origin;
    Stated stated;
    bool asserted;
  };
  const auto holds = [&](RowId row) {
    for (std::size_t i = 0; i < instance.size(); ++i) {
      const Value v = whole.Row(row)[i];
      if (v.kind() == Kind::kSet ? !pool_.Contains(v, instance[i]) : v != instance[i]) return false;
    }
    return whole.asserted(row);
  };
  // A single element stands for the set of it, unless it is a set, which would be read as its own
  // elements.
  const auto cell = [&](std::span<const Value> elements) {
    const bool single = elements.size() == 1 && elements.front().kind() != Kind::kSet;
    return single ? elements.front() : pool_.Set(elements);
  };
  std::vector<Row> rows;
  bool changed = false;
  for (RowId r = 0; r < whole.size(); ++r) {
    const Stated stated = whole.StatedOf(r);
    Row row{whole.Cells(r),
            {stated.orders.begin(), stated.orders.end()},
            whole.Origin(r),
            stated,
            whole.asserted(r)};
    if (!holds(r)) {
      rows.push_back(std::move(row));
      continue;
    }
    changed = true;
    for (std::size_t i = 0; i < instance.size(); ++i) {
      if (row.cells[i].kind() != Kind::kSet) continue;
      Row rest = row;
      std::vector<Value> elements(pool_.ItemsOf(row.cells[i]).begin(),
                                  pool_.ItemsOf(row.cells[i]).end());
      std::erase(elements, instance[i]);
      rest.cells[i] = cell(elements);
      for (SetOrder& order : rest.orders)
        if (order.column == i) std::erase(order.elements, instance[i]);
      if (!elements.empty()) rows.push_back(std::move(rest));
      row.cells[i] = cell({&instance[i], 1});
      std::erase_if(row.orders, [&](const SetOrder& order) { return order.column == i; });
    }
  }
  if (!changed) return;
  whole.Rebuild([](RowId) { return false; });
  for (Row& row : rows) {
    const Relation::Inserted in = whole.Insert(row.cells, row.asserted);
    if (!row.orders.empty()) whole.SetOrders(in.row, row.orders);
    row.stated.origin = row.origin ? &*row.origin : nullptr;
    whole.State(in.row, in.is_new, row.stated, pool_);
  }
}

std::uint64_t InstanceCount(const Pool& pool, std::span<const Value> row) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 40;
  std::uint64_t out = 1;
  for (const Value v : row)
    if (v.kind() == Kind::kSet) out = std::min(out * pool.ItemsOf(v).size(), kMany);
  return out;
}

std::size_t Store::rows() const {
  std::size_t out = 0;
  for (const auto& r : relations_) out += r->size();
  return out;
}

std::size_t Store::bytes() const {
  std::size_t out = 0;
  for (const auto& r : relations_) out += r->bytes();
  return out;
}

}  // namespace rpl
