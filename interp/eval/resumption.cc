// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/resumption.h"

#include <algorithm>

#include "interp/eval/table.h"
#include "interp/store/store.h"

namespace rpl {

ReadSet::Of& ReadSet::At(RelationId relation, const Store& store) {
  const auto at = std::ranges::find(of_, relation, &Of::relation);
  if (at != of_.end()) return *at;
  const Relation& rel = store.at(relation);
  Of& of = of_.emplace_back();
  of.relation = relation;
  of.epoch = rel.epoch();
  of.size = rel.size();
  return of;
}

void ReadSet::Add(const Reads& reads, const Store& store) {
  AddOwn(reads, store);
  std::vector<const Table*> left = reads.tables;
  while (!left.empty()) {
    const Table* const table = left.back();
    left.pop_back();
    if (!added_.insert(table).second) continue;
    const Reads& its = table->record->reads;
    AddOwn(its, store);
    left.insert(left.end(), its.tables.begin(), its.tables.end());
  }
}

void ReadSet::AddOwn(const Reads& reads, const Store& store) {
  for (const Reads::One& one : reads.all) {
    Of& of = At(one.relation, store);
    switch (one.what) {
      case Reads::What::kFound: break;
      case Reads::What::kAll: of.all = true; break;
      case Reads::What::kProbe: {
        auto probed = std::ranges::find(of.probed, one.columns, &Probed::columns);
        if (probed == of.probed.end()) probed = of.probed.insert(probed, {one.columns, {}});
        probed->hashes.insert(one.hash);
        break;
      }
    }
  }
}

bool ReadSet::StillHolds(const Store& store) {
  std::vector<Value> key;
  for (Of& of : of_) {
    const Relation& rel = store.at(of.relation);
    if (rel.epoch() != of.epoch || (of.all && rel.size() != of.size)) return false;
    for (; of.size < rel.size(); ++of.size)
      for (const Probed& probed : of.probed) {
        const RowCells cells = rel.CellsOf(of.size);
        key.clear();
        for (std::uint32_t i = 0; i < rel.arity(); ++i)
          if ((probed.columns >> i & 1) != 0) key.push_back(cells[i]);
        if (probed.hashes.contains(RowSet::HashOf(key))) return false;
      }
  }
  return true;
}

}  // namespace rpl
