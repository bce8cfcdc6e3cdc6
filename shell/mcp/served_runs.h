// SPDX-License-Identifier: Apache-2.0
//
// The runs of a server in memory: those that are known, and those that are open.
//
// Runs are recorded in RunRecords; this has what belongs to the process, the strand of each run,
// its last report, and its open session. One process at a time can have a session open, so a run
// with which nothing is done is closed: if the records are shared, between two turns, else after a
// second, or earlier if more than `most_open` are open. It is opened again from its session. What
// is done with a run is a task on its strand, one at a time; `run` is for these tasks alone. All
// functions may be called from any thread.
#ifndef RPL_SHELL_MCP_SERVED_RUNS_H_
#define RPL_SHELL_MCP_SERVED_RUNS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shell/serving/protocol_run.h"
#include "shell/serving/question_form.h"
#include "shell/serving/run_records.h"
#include "shell/serving/worker_pool.h"

namespace rpl {

/// A run as the server knows it.
struct ServedRun : RunRecord {
  ServedRun(RunRecord record, WorkerPool& pool)
      : RunRecord(std::move(record)), strand(std::make_shared<Strand>(pool)) {}

  const std::shared_ptr<Strand> strand;
  /// Set while a task of the strand evaluates: true ends the evaluation.
  std::atomic<bool> cancelled = false;
  std::atomic<bool> running = false;
  std::atomic<bool> elsewhere = false;  // another process had it when it was last looked for
  std::atomic<bool> stopped = false;    // its last turn was cancelled as a task

  std::unique_ptr<ProtocolRun> run;  // of the strand; null: not open
  std::atomic<bool> open = false;    // for others
  std::atomic<std::uint64_t> uses = 0;

  /// By a task of the strand.
  void Close() {
    run.reset();
    open = false;
  }
  bool busy() const { return running || elsewhere; }

  /// The last report, or null.
  nlohmann::ordered_json report() {
    const std::lock_guard lock(mutex);
    return last_report;
  }
  /// Its questions.
  std::vector<OpenQuestion> questions() {
    const std::lock_guard lock(mutex);
    return last_questions;
  }
  void SetReport(nlohmann::ordered_json report, std::vector<OpenQuestion> questions = {}) {
    const std::lock_guard lock(mutex);
    last_report = std::move(report);
    last_questions = std::move(questions);
  }
  /// The report is that of this turn (RunRecords::Found::last_turn).
  void SetTurn(std::string turn) {
    const std::lock_guard lock(mutex);
    last_turn = std::move(turn);
  }
  std::string turn() {
    const std::lock_guard lock(mutex);
    return last_turn;
  }
  /// Forgets the report if it is that of another turn.
  void KeepReportOf(const std::string& turn);

  std::mutex mutex;  // for these
  nlohmann::ordered_json last_report;
  std::vector<OpenQuestion> last_questions;
  std::string last_turn;
};

class ServedRuns {
 public:
  static constexpr std::size_t kMostOpen = 64;
  static constexpr std::chrono::milliseconds kIdle{1000};

  /// Borrows the pool.
  ServedRuns(std::unique_ptr<RunRecords> records, WorkerPool& pool,
             std::size_t most_open = kMostOpen);

  struct Begun {
    std::shared_ptr<ServedRun> run;  // null: `fault`
    bool again = false;              // an earlier request began it
    RunRecords::Fault fault;
  };
  /// A new run, or the one that the same request began (RunRecords::Begin). `request` is its
  /// digest.
  Begun Begin(const std::string& protocol, const std::string& goal, const std::string& who,
              const std::string& request, bool named, const nlohmann::ordered_json& input);

  struct Found {
    std::shared_ptr<ServedRun> run;  // null without a fault: no such run, or somebody else's
    RunRecords::Fault fault;
  };
  Found Find(const std::string& handle, const std::string& who);

  /// Undoes Begin, of a run that could not be opened, for the reason in the report.
  void Drop(const ServedRun& run, const nlohmann::ordered_json& report);
  /// To be called by a task of the strand that has used the run: it is closed later.
  void Used(const std::shared_ptr<ServedRun>& run);
  /// By a task of the strand. The report is kept until another process has done a turn.
  void Close(const std::shared_ptr<ServedRun>& run);

  RunRecords& records() { return *records_; }
  bool shared() const { return records_->shared(); }

 private:
  std::shared_ptr<ServedRun> Know(const RunRecord& record);
  void CloseUnlessUsed(const std::shared_ptr<ServedRun>& run, std::uint64_t use);

  const std::unique_ptr<RunRecords> records_;
  WorkerPool& pool_;
  const std::size_t most_open_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<ServedRun>> known_;  // by handle; not all that exist
  std::list<std::shared_ptr<ServedRun>> open_;               // the one used last first
};

}  // namespace rpl

#endif  // RPL_SHELL_MCP_SERVED_RUNS_H_
