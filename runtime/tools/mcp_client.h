// SPDX-License-Identifier: Apache-2.0
//
// A client of one server of the Model Context Protocol, in either era.
//
// The era is found by asking (`server/discover`): a server that answers with its versions is
// modern, one with any error, or none, legacy. A server that ended at the question, or was silent,
// is started anew. rpl declares no capabilities: the server cannot ask questions, and its requests
// other than `ping` are refused. Progress of a call restarts its time limit, ten times its length
// at most, and is shown as a line of the log. A call that runs out of time, or is interrupted, is
// cancelled with the server.
//
// What the server sends is untrusted: lines and lists are bounded, lines that are no messages are
// skipped. One thread.
#ifndef RPL_RUNTIME_TOOLS_MCP_CLIENT_H_
#define RPL_RUNTIME_TOOLS_MCP_CLIENT_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/data/json_rpc.h"
#include "runtime/tools/mcp_definition.h"
#include "runtime/tools/mcp_transport.h"
#include "runtime/tools/tool.h"

namespace rpl {

/// The end of a call: a result, or a code of runtime/tools/tool.h or "mcp".
struct McpReply {
  nlohmann::ordered_json result;  // an object, if `code` is empty
  std::string code, message;
  std::string number;  // "mcp": of the error
  double took_ms = 0;
};

/// A call to make.
struct McpRequest {
  std::string tool;
  nlohmann::ordered_json arguments;
  const CommandCall* call = nullptr;  // its limits, and `starting`
  std::function<void(const McpReply&)> ended;
};

class McpClient {
 public:
  using Json = nlohmann::ordered_json;

  explicit McpClient(std::shared_ptr<const McpServer> server);
  ~McpClient();

  /// Starts the server and lists its tools, unless that was done. The reason why not, or "".
  struct Listed {
    std::string why;
    bool interrupted = false;
  };
  Listed Connect(const ToolRun& run);

  /// A tool that the server listed, or null.
  const McpToolDefinition* Find(const std::string& tool) const;

  /// Makes the calls, up to the concurrency of the run at a time. REQUIRES: Connect succeeded, or
  /// there are none.
  void Call(const std::vector<McpRequest>& requests, const ToolRun& run);

 private:
  using Clock = std::chrono::steady_clock;
  struct Open {
    const McpRequest* request = nullptr;
    Clock::time_point began, due, most;
  };
  using OpenCalls = std::map<std::int64_t, Open>;  // by the number of the request

  std::string Handshake(const ToolRun& run, Clock::time_point due);
  std::string Initialize(const ToolRun& run, Clock::time_point due);
  std::string List(const ToolRun& run, Clock::time_point due);
  std::string Ask(std::string_view method, Json params, const ToolRun& run, Clock::time_point due,
                  RpcMessage& answer);
  std::string Send(const Json& message, const Json& schema = nullptr);
  Json WithMeta(Json params, const Json& token) const;
  void Begin(const McpRequest& request);
  void Take(std::string_view line, const ToolRun& run);
  void TakeAnswer(RpcMessage& message);
  void Progress(const Json& params, const ToolRun& run);
  OpenCalls::iterator OpenOf(const Json& id);
  void EndTooLong(const Json& id);
  void End(OpenCalls::iterator open, McpReply reply);
  void Cancel(std::int64_t id, std::string_view reason);
  void Disconnect();

  std::shared_ptr<const McpServer> server_;
  std::unique_ptr<McpTransport> transport_;
  bool connected_ = false;
  std::string version_;  // spoken
  bool modern_ = false;
  std::map<std::string, McpToolDefinition> tools_;
  std::int64_t number_ = 0;  // of the last request
  OpenCalls open_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_MCP_CLIENT_H_
