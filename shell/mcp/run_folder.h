// SPDX-License-Identifier: Apache-2.0
//
// The runs of a server: handles, their files in one folder, and those that are open.
//
// A handle is `s_` and 96 random bits. Its run is in two files of that name, the session and, with
// `.json`, what the server must know to open it: the protocol, the goal, whose run it is, and the
// request that began it. So a server that starts anew goes on with every run. A client gives
// handles, never paths.
//
// Of the runs, the ones used last are open (`most_open`); others are opened again from their files.
// What is done with a run is a task on its strand, one at a time; `run` and `changed` are for these
// tasks alone. All functions may be called from any thread.
#ifndef RPL_SHELL_MCP_RUN_FOLDER_H_
#define RPL_SHELL_MCP_RUN_FOLDER_H_

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shell/mcp/protocol_run.h"
#include "shell/mcp/question_form.h"
#include "shell/mcp/worker_pool.h"

namespace rpl {

/// A run as the server knows it.
struct ServedRun {
  std::string handle;
  std::string protocol;    // its name
  std::string goal;        // "" for the program's own
  std::string who;         // whose it is
  std::string request;     // the digest of the request that began it
  std::int64_t began = 0;  // seconds since 1970

  std::shared_ptr<Strand> strand;
  /// Set while a task of the strand evaluates: true ends the evaluation.
  std::atomic<bool> cancelled = false;
  std::atomic<bool> running = false;
  std::atomic<bool> stopped = false;  // its last turn was cancelled as a task

  std::unique_ptr<ProtocolRun> run;  // of the strand; null: not open

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

  std::mutex mutex;  // for these
  nlohmann::ordered_json last_report;
  std::vector<OpenQuestion> last_questions;
};

class RunFolder {
 public:
  static constexpr std::size_t kMostOpen = 64;
  /// How long a request that is repeated word by word means the same run.
  static constexpr std::int64_t kRepeatSeconds = 120;

  /// Borrows the pool.
  RunFolder(std::string folder, WorkerPool& pool, std::size_t most_open = kMostOpen);

  /// Makes the folder, for its owner alone. The reason for a failure, for people, or "".
  static std::string Make(const std::string& folder);
  /// Reads what is in the folder. Likewise.
  std::string Open();

  struct Begun {
    std::shared_ptr<ServedRun> run;  // null: the file cannot be written
    bool again = false;              // an earlier request began it
  };
  /// A new run, or the one that the same request began: for ever if the request is `named`, else
  /// in the last two minutes, and until its handle is used, which shows that the client has it.
  Begun Begin(const std::string& protocol, const std::string& goal, const std::string& who,
              const std::string& request, bool named);
  /// Null if there is no such run, or it is somebody else's.
  std::shared_ptr<ServedRun> Find(const std::string& handle, const std::string& who);
  /// Undoes Begin, of a run that could not be opened.
  void Drop(const ServedRun& run);
  /// The path of its session.
  std::string PathOf(const std::string& handle) const { return folder_ + "/" + handle; }
  /// The handles that begin so, in their order, of one party.
  std::vector<std::string> Handles(const std::string& prefix, const std::string& who,
                                   std::size_t most);
  /// To be called by a task of the strand that has used the run: closes the ones used long ago.
  void Used(const std::shared_ptr<ServedRun>& run);
  const std::string& folder() const { return folder_; }

 private:
  std::shared_ptr<ServedRun> Read(const std::string& handle);
  void Know(const std::shared_ptr<ServedRun>& run);
  bool Write(const ServedRun& run) const;

  const std::string folder_;
  WorkerPool& pool_;
  const std::size_t most_open_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<ServedRun>> known_;  // by handle; not all that exist
  std::list<std::shared_ptr<ServedRun>> open_;               // the one used last first
  struct Request {
    std::string handle;
    std::int64_t began;
  };
  std::map<std::string, Request> by_request_;
};

/// Whether the text has the form of a handle.
bool IsHandle(const std::string& text);

}  // namespace rpl

#endif  // RPL_SHELL_MCP_RUN_FOLDER_H_
