// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/served_runs.h"

#include <algorithm>

#include "shell/serving/request_state.h"

namespace rpl {
namespace {

constexpr std::size_t kMostKnown = 4096;  // without an open session, in memory

}  // namespace

void ServedRun::KeepReportOf(const std::string& turn) {
  const std::lock_guard lock(mutex);
  if (turn == last_turn) return;
  last_report = nullptr;
  last_questions.clear();
  last_turn = turn;
}

ServedRuns::ServedRuns(std::unique_ptr<RunRecords> records, WorkerPool& pool, std::size_t most_open)
    : records_(std::move(records)), pool_(pool), most_open_(most_open) {}

ServedRuns::Begun ServedRuns::Begin(const std::string& protocol, const std::string& goal,
                                    const std::string& who, const std::string& request, bool named,
                                    const nlohmann::ordered_json& input) {
  RunRecords::Begun begun = records_->Begin(
      {NewHandle(), protocol, goal, who, (named ? "n:" : "d:") + request, SecondsNow()}, input);
  if (!begun.record) return {nullptr, false, std::move(begun.fault)};
  return {Know(*begun.record), begun.again, {}};
}

// The one object of the run, so that there is one strand.
std::shared_ptr<ServedRun> ServedRuns::Know(const RunRecord& record) {
  const std::lock_guard lock(mutex_);
  if (const auto at = known_.find(record.handle); at != known_.end()) return at->second;
  if (known_.size() >= kMostKnown)
    std::erase_if(known_, [](const auto& entry) {  // nobody else holds it
      return entry.second.use_count() == 1 && !entry.second->strand->busy();
    });
  return known_[record.handle] = std::make_shared<ServedRun>(record, pool_);
}

ServedRuns::Found ServedRuns::Find(const std::string& handle, const std::string& who) {
  if (!IsHandle(handle)) return {};
  const RunRecords::Found found = records_->Find(handle, who);
  if (!found.record) return {nullptr, found.fault};
  const std::shared_ptr<ServedRun> run = Know(*found.record);
  run->elsewhere = found.elsewhere;
  if (!run->running && !run->open) run->KeepReportOf(found.last_turn);
  return {run, {}};
}

void ServedRuns::Drop(const ServedRun& run, const nlohmann::ordered_json& report) {
  records_->Drop(run, report);
  const std::lock_guard lock(mutex_);
  known_.erase(run.handle);
}

void ServedRuns::Used(const std::shared_ptr<ServedRun>& run) {
  const std::uint64_t use = ++run->uses;
  std::vector<std::shared_ptr<ServedRun>> old;
  {
    const std::lock_guard lock(mutex_);
    open_.remove(run);
    if (!run->open) return;
    open_.push_front(run);
    while (open_.size() > most_open_) {
      old.push_back(open_.back());
      open_.pop_back();
    }
  }
  for (const std::shared_ptr<ServedRun>& each : old) CloseUnlessUsed(each, each->uses);
  pool_.At(WorkerPool::Clock::now() + kIdle, [this, run, use] { CloseUnlessUsed(run, use); });
}

// Closes the run, unless it is used before its strand has the time.
void ServedRuns::CloseUnlessUsed(const std::shared_ptr<ServedRun>& run, std::uint64_t use) {
  if (run->uses != use || !run->open) return;
  run->strand->Post([this, run, use] {
    if (run->uses == use && run->open) Close(run);
  });
}

void ServedRuns::Close(const std::shared_ptr<ServedRun>& run) {
  {
    const std::lock_guard lock(mutex_);
    open_.remove(run);
  }
  run->Close();
  if (!shared()) run->SetTurn(records_->Release(*run, {}));
}

}  // namespace rpl
