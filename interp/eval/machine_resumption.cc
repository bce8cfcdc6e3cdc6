// SPDX-License-Identifier: Apache-2.0
//
// Loops that go on behind their settled rows (interp/eval/resumption.h).
#include <algorithm>
#include <utility>

#include "interp/eval/machine.h"

namespace rpl {

void Machine::Outlast(Table& table) {
  if (table.extent != Extent{}) return;
  TableRecord& record = table.recorded();
  if (record.lasting != nullptr) return;
  record.lasting = std::make_unique<Lasting>();
  record.lasting->rows = ++last_rows;
  record.reads.known = record.reads.known && reads != nullptr;
}

// The loop that this step is, if its rows may be settled; its settled rows are still so, and their
// effect on the frame is restored. `table`: whose rows it runs over, or null.
RuleLoop* Machine::LoopAt(const Step& s, std::uint64_t source, Table* table) {
  RuleLoop* const loop = frame_->loop;
  if (loop == nullptr || loop->step != &s) return nullptr;
  frame_->loop = nullptr;
  if (reads == nullptr) return nullptr;
  loop->reads.ForgetTables();
  if (loop->source != source || depth_ + loop->depth >= limits_.max_depth ||
      !loop->reads.StillHolds(store_)) {
    const RuleLoop was = std::exchange(*loop, {});
    loop->owner = was.owner;
    loop->step = was.step;
    loop->source = source;
  }
  if (loop->next == 0) return loop;
  reads->known = false;  // those of the settled rows are not among them
  deepest = std::max(deepest, depth_ + loop->depth);
  frame_->emitted += loop->emitted;
  frame_->repeated += loop->repeated;
  if (frame_->explains) {
    frame_->deepest = loop->deepest;
    frame_->snapshot = loop->snapshot;
    frame_->note = loop->note;
  }
  if (!loop->used || frame_->table == nullptr) return loop;
  ++frame_->used;
  if (table != nullptr && table->acts && frame_->table->more().known_used.insert(table).second)
    frame_->table->more().used.push_back(table);
  return loop;
}

// Runs the row `at` of a loop, and settles it if it left nothing. The first row that does leaves
// the loop: null.
bool Machine::RunSettling(RuleLoop*& loop, std::size_t at, Continuation run) {
  Reads of_row;
  Reads* const outer = std::exchange(reads, &of_row);
  const std::uint64_t before = disturbed_;
  const std::size_t outer_deepest = std::exchange(deepest, depth_);
  const bool go_on = run();
  reads = outer;
  outer->Add(of_row);
  const std::size_t nested = deepest - depth_;
  deepest = std::max(deepest, outer_deepest);
  if (!go_on || disturbed_ != before || frame_->ineligible != kNoId ||
      evaluation.stop != Stop::kGoesOn) {
    loop = nullptr;
    return go_on;
  }
  loop->reads.Add(of_row, store_);
  loop->next = at + 1;
  loop->depth = std::max(loop->depth, nested);
  loop->emitted = frame_->emitted;
  loop->repeated = frame_->repeated;
  loop->used = frame_->used > 0;
  if (frame_->explains) {
    loop->deepest = frame_->deepest;
    loop->snapshot = frame_->snapshot;
    loop->note = frame_->note;
  }
  return true;
}

// What a table read its reader reads.
void Machine::ReadTable(const Table& table) {
  if (reads == nullptr) return;
  if (table.complete && !table.recursive && table.record != nullptr && table.record->reads.known)
    reads->Of(table);
  else Disturb();
}

}  // namespace rpl
