// SPDX-License-Identifier: Apache-2.0
//
// Loops that go on behind their settled rows (interp/eval/resumption.h).
#include <algorithm>
#include <utility>

#include "interp/eval/machine.h"

namespace rpl {

void Machine::Outlast(Table& table) {
  if (table.extent != Extent{}) return;
  const bool recorded = table.record != nullptr;
  TableRecord& record = table.recorded();
  if (record.lasting != nullptr) return;
  record.lasting = std::make_unique<Lasting>();
  record.lasting->rows = ++last_rows;
  record.reads.known = record.reads.known && recorded && reads != nullptr;
}

// The loop that this step is, if its rows may be settled; its settled rows are still so, and their
// effect on the frame is restored. Behind a clause without a meaning no row is settled, as each may
// be an answer (Doubt). `table`: whose rows it runs over, or null.
RuleLoop* Machine::LoopAt(const Step& s, std::uint64_t source, Table* table) {
  RuleLoop* const loop = frame_->loop;
  if (loop == nullptr || loop->step != &s) return nullptr;
  frame_->loop = nullptr;
  if (reads == nullptr || frame_->doubtful) return nullptr;
  loop->reads.ForgetTables();
  if (loop->source != source || depth_ + loop->depth >= limits_.max_depth ||
      !loop->reads.StillHolds(store_)) {
    loop->Restart();
    loop->source = source;
  }
  loop->ended = false;
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

// Runs the row `at` of a loop, and settles it if it left nothing and so did all rows before it.
bool Machine::RunSettling(RuleLoop& loop, std::size_t at, Continuation run) {
  if (const auto known = loop.waiting.find(at); known != loop.waiting.end()) {
    if (WaitAgain(known->second)) return loop.ended = true;
    loop.waiting.erase(known);
  }
  Reads of_row;
  Reads* const outer = std::exchange(reads, &of_row);
  const std::uint64_t disturbed = disturbed_, by_waiting = disturbed_by_waiting_;
  const std::size_t answers = frame_->answers, unknown_ends = frame_->unknown_ends;
  const std::size_t outer_deepest = std::exchange(deepest, depth_);
  std::vector<WaitingRow::For> calls;
  std::vector<WaitingRow::For>* const outer_calls = std::exchange(waits_for_, &calls);
  bool go_on = run();
  waits_for_ = outer_calls;
  reads = outer;
  outer->Add(of_row);
  const std::size_t nested = deepest - depth_;
  deepest = std::max(deepest, outer_deepest);
  const bool same = go_on && disturbed_ - disturbed == disturbed_by_waiting_ - by_waiting &&
                    frame_->ineligible == kNoId && frame_->lacking == 0 && !frame_->undecided &&
                    evaluation.stop == Stop::kGoesOn;
  loop.ended = loop.ended || !same || disturbed_ != disturbed;
  if (same && disturbed_ != disturbed && frame_->answers == answers && frame_->table != nullptr) {
    WaitingRow& row = loop.waiting[at];
    row.reads.Add(of_row, store_);
    row.reads.ForgetTables();
    row.calls = std::move(calls);
    row.unknown_ends = frame_->unknown_ends - unknown_ends;
    row.depth = nested;
  }
  if (loop.ended) return go_on;
  loop.reads.Add(of_row, store_);
  loop.next = at + 1;
  loop.depth = std::max(loop.depth, nested);
  loop.emitted = frame_->emitted;
  loop.repeated = frame_->repeated;
  loop.used = frame_->used > 0;
  if (frame_->explains) {
    loop.deepest = frame_->deepest;
    loop.snapshot = frame_->snapshot;
    loop.note = frame_->note;
  }
  return true;
}

// Waits for the calls of a row as before, if it would do so; nobody has declined one since.
bool Machine::WaitAgain(WaitingRow& row) {
  if (!given.declined.empty() || !given.refused.empty() ||
      depth_ + row.depth >= limits_.max_depth || !row.reads.StillHolds(store_))
    return false;
  Disturb();
  deepest = std::max(deepest, depth_ + row.depth);
  frame_->unknown_ends += row.unknown_ends;
  for (const auto& [call, of] : row.calls)
    frame_->waits.Add({nullptr, opened.Add(call).number, of, KindsOf(call)});
  return true;
}

// Notes that what is evaluated rests on a call without a reply. If it is a row of a loop, that it
// waits for the call is known.
void Machine::DisturbByWaiting(const OpenCall& call, Waiting::Of of) {
  Disturb();
  if (waits_for_ == nullptr || found_ != nullptr || call.space != Space::kTool) return;
  ++disturbed_by_waiting_;
  waits_for_->push_back({call, of});
}

// What a table read its reader reads.
void Machine::ReadTable(const Table& table) {
  if (reads == nullptr) return;
  if (table.complete && !table.recursive && table.record != nullptr && table.record->reads.known)
    reads->Of(table);
  else Disturb();
}

}  // namespace rpl
