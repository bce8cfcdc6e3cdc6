// SPDX-License-Identifier: Apache-2.0
//
// The state that all requests of a server share: the protocols, the runs, the threads, and the
// permissions of the command line.
#ifndef RPL_SHELL_MCP_MCP_SERVICE_H_
#define RPL_SHELL_MCP_MCP_SERVICE_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "shell/mcp/mcp_call.h"
#include "shell/mcp/served_runs.h"
#include "shell/program/options.h"
#include "shell/serving/protocol_folder.h"
#include "shell/serving/request_state.h"
#include "shell/serving/worker_pool.h"

namespace rpl {

/// Whether users are asked in forms of their host.
enum class AskMode {
  kAuto,    // where the client says that it can
  kNever,   // questions come back in results
  kAlways,  // also where it does not say so, or said no at once
};

struct McpService {
  McpService(EngineOptions options, ProtocolFolder folder, std::unique_ptr<RunRecords> records,
             Sealer sealer)
      : engine(std::move(options)),
        protocols(std::move(folder)),
        seals(std::move(sealer)),
        pool(kWorkers),
        runs(std::move(records), pool) {}

  static constexpr std::size_t kWorkers = 8;

  const EngineOptions engine;
  const ProtocolFolder protocols;
  const Sealer seals;
  AskMode ask = AskMode::kAuto;
  std::chrono::milliseconds ask_timeout{45'000};   // for an answer in a form
  std::chrono::milliseconds reply_within{45'000};  // also when a turn goes on
  std::chrono::milliseconds progress_every{5'000};
  /// Decides about a call of another tool (the arguments of rpl_guard); empty: no policy.
  std::function<nlohmann::ordered_json(const nlohmann::ordered_json& line)> guard;
  std::atomic<bool> stopping = false;
  /// Parts of calls that use a run at the moment.
  std::atomic<std::size_t> working = 0;
  WorkerPool pool;
  ServedRuns runs;

  std::mutex mutex;
  std::vector<std::weak_ptr<McpPeer>> watching;  // guarded by the mutex

  /// Whether nothing is left to do but for what clients may yet ask.
  bool IsIdle() { return working == 0 && pool.waiting() == 0; }
  /// The peer wants to know of changes.
  void Watch(const std::shared_ptr<McpPeer>& peer);
  /// A run has changed: those are told that subscribed to one of its resources.
  void Changed(const std::string& handle);

  /// For evaluations that belong to a call: whether they are to end.
  std::function<bool()> Interrupted(const std::shared_ptr<McpCall>& call) {
    return [this, call] { return stopping || call->cancelled(); };
  }
};

/// FaultJson in the shape of a run.
nlohmann::ordered_json RunFaultJson(const std::string& session, const std::string& error,
                                    const std::string& hint = "",
                                    std::string_view status = "rejected");

}  // namespace rpl

#endif  // RPL_SHELL_MCP_MCP_SERVICE_H_
