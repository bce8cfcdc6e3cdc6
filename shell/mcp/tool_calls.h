// SPDX-License-Identifier: Apache-2.0
//
// The tools of the server (mcp_tools.h): from the arguments of a call to its result.
//
// A call that a model can correct gives a result with `isError`, and a text that says what to
// change. What evaluates runs on a worker; Take itself returns at once.
#ifndef RPL_SHELL_MCP_TOOL_CALLS_H_
#define RPL_SHELL_MCP_TOOL_CALLS_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shell/mcp/mcp_tools.h"
#include "shell/mcp/run_turns.h"

namespace rpl {

class ProtocolList;
struct McpService;

class ToolCalls {
 public:
  /// Borrows both.
  ToolCalls(McpService& service, ProtocolList& protocols);

  const std::vector<McpTool>& table() const { return table_; }
  /// Answers tools/call, now or later.
  void Take(const std::shared_ptr<McpCall>& call);

 private:
  using Call = std::shared_ptr<McpCall>;
  using Arguments = nlohmann::ordered_json;

  void RunTool(const Call& call, const Arguments& arguments);
  void AnswerTool(const Call& call, const Arguments& arguments);
  void AssertTool(const Call& call, const Arguments& arguments);
  void RetractTool(const Call& call, const Arguments& arguments);
  void TakeInput(const Call& call, const Arguments& arguments, nlohmann::ordered_json input,
                 const RunRecords::Fault& none);
  void StatusTool(const Call& call, const Arguments& arguments);
  void ProtocolsTool(const Call& call, const Arguments& arguments);
  void QueryTool(const Call& call, const Arguments& arguments);
  void ExplainTool(const Call& call, const Arguments& arguments);
  void CheckTool(const Call& call, const Arguments& arguments);
  void TraceTool(const Call& call, const Arguments& arguments);
  void GuardTool(const Call& call, const Arguments& arguments);

  /// The result of a call that was wrong, of a tool that does not report a run.
  void Refuse(const Call& call, ToolKind kind, const std::string& error,
              const std::string& hint) const;
  /// The run of the argument `session`; null: the call was answered.
  std::shared_ptr<ServedRun> RunOf(const Call& call, const Arguments& arguments, bool run_shape);
  /// Runs `work` on a worker. What it throws is an internal error.
  void Work(const Call& call, std::function<void()> work);

  McpService& service_;
  ProtocolList& protocols_;
  RunTurns turns_;
  std::vector<McpTool> table_;
};

}  // namespace rpl

#endif  // RPL_SHELL_MCP_TOOL_CALLS_H_
