// SPDX-License-Identifier: Apache-2.0
//
// The records of the runs of /mcp in the database of `rpl serve`: they are runs of the queue
// (run_queue.h), so that clients of the JSON interface see the runs of /mcp, and the other way
// round.
//
// A call of /mcp claims the run, does the turn in its own process, and ends the claim. What came
// with the call that began a run is stored as its first input. A process that dies in a turn leaves
// the run `ready` with a claim that runs out: then a worker does the turn, or whoever is called
// next.
#ifndef RPL_SHELL_SERVE_RUN_ROWS_H_
#define RPL_SHELL_SERVE_RUN_ROWS_H_

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "shell/serve/queue_pool.h"
#include "shell/serve/serve_settings.h"
#include "shell/serving/run_records.h"

namespace rpl {

class ServeMetrics;

class RunRows : public RunRecords {
 public:
  /// Borrows the pools and the metrics. `queues` are for what a client waits for, `patient` for
  /// what ends a turn.
  RunRows(ServeSettings settings, QueuePool& queues, QueuePool& patient, ServeMetrics& metrics);

  /// Moves the end of the claims of this process on. For ever, on the thread that calls it.
  [[noreturn]] void RenewClaims();

  bool shared() const override { return true; }
  Begun Begin(const RunRecord& fresh, const nlohmann::ordered_json& input) override;
  void Answered(const RunRecord& run) override;
  Found Find(const std::string& handle, const std::string& who) override;
  std::vector<std::string> Handles(const std::string& prefix, const std::string& who,
                                   std::size_t most) override;
  std::string NameOf(const std::string& handle) const override;
  std::string ShownNameOf(const std::string& handle) const override;
  Held Hold(const RunRecord& run) override;
  Kept Keep(const RunRecord& run, const nlohmann::ordered_json& input) override;
  void Taken(const RunRecord& run, std::int64_t number) override;
  std::string Release(const RunRecord& run, const Turn& turn) override;
  void Drop(const RunRecord& run, const nlohmann::ordered_json& report) override;

 private:
  struct HeldRun {
    RunQueue::Claim claim;
    std::chrono::steady_clock::time_point since;
  };
  void Remember(RunQueue::Claim claim);
  std::string Finish(const HeldRun& held, const RunQueue::Turn& turn);
  Fault Unreachable(const SqlError& error) const;

  const ServeSettings settings_;
  QueuePool& queues_;
  QueuePool& patient_;
  ServeMetrics& metrics_;
  const std::string owner_;  // of all claims of this process
  std::mutex mutex_;
  std::map<std::string, HeldRun> held_;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_RUN_ROWS_H_
