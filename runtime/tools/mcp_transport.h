// SPDX-License-Identifier: Apache-2.0
//
// Lines to and from a server of the Model Context Protocol: by pipes to a process, or by HTTP.
#ifndef RPL_RUNTIME_TOOLS_MCP_TRANSPORT_H_
#define RPL_RUNTIME_TOOLS_MCP_TRANSPORT_H_

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tools/tool_config.h"

namespace rpl {

class McpTransport {
 public:
  /// Receives a line of the server's log.
  using Log = std::function<void(const std::string&)>;

  virtual ~McpTransport() = default;

  /// Starts, or starts anew. Returns the reason why not, or "".
  [[nodiscard]] virtual std::string Start() = 0;
  /// Sends a message, within the time. `headers` are those that HTTP wants besides its own. Returns
  /// the reason why not, or "".
  [[nodiscard]] virtual std::string Send(const nlohmann::ordered_json& message,
                                         const nlohmann::ordered_json& headers,
                                         std::chrono::milliseconds most, const Log& log) = 0;
  /// The next line; waits for the time at most. nullopt: there is none yet, or none any more.
  virtual std::optional<std::string> Receive(std::chrono::milliseconds most, const Log& log) = 0;
  /// The ids of requests whose answers were longer than a line may be (RpcLines), each once: they
  /// were dropped.
  virtual std::vector<nlohmann::ordered_json> TakeTooLong() = 0;
  /// True once nothing more will come. `why` for people.
  virtual bool HasEnded(std::string& why) = 0;
  /// From now on this version of the protocol is spoken.
  virtual void Speak(const std::string& version) { static_cast<void>(version); }
};

/// A process of the server, which is ended with the transport, in order.
std::unique_ptr<McpTransport> MakeMcpProcess(std::shared_ptr<const McpServer> server);
/// A server at an address.
std::unique_ptr<McpTransport> MakeMcpHttp(std::shared_ptr<const McpServer> server);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_MCP_TRANSPORT_H_
