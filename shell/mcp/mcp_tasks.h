// SPDX-License-Identifier: Apache-2.0
//
// Tasks, an extension of the modern protocol: a call that takes long becomes one, and the client
// asks for it later.
//
// A task is a run: its id is the handle, so it is on disk before the client knows it. It is
// `working` while a turn evaluates, `input_required` while questions are open that the client can
// ask in forms, and else `completed` with what the call would have given. The key of a question
// carries the state of the run (`where#3`), so that no key means two questions.
#ifndef RPL_SHELL_MCP_MCP_TASKS_H_
#define RPL_SHELL_MCP_MCP_TASKS_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "shell/mcp/run_turns.h"

namespace rpl {

struct McpService;

/// What a result says about a task, with its status.
nlohmann::ordered_json TaskJson(const ServedRun& run, std::string_view status,
                                const std::string& message = "");

class McpTasks {
 public:
  /// Borrows the service.
  explicit McpTasks(McpService& service) : service_(service), turns_(service) {}

  using Call = std::shared_ptr<McpCall>;
  void Get(const Call& call);
  void Update(const Call& call);
  void Cancel(const Call& call);

 private:
  /// The run of the parameter `taskId`; null: the call was answered.
  std::shared_ptr<ServedRun> RunOf(const Call& call);
  void Tell(const Call& call, ServedRun& run);

  McpService& service_;
  RunTurns turns_;
};

}  // namespace rpl

#endif  // RPL_SHELL_MCP_MCP_TASKS_H_
