// SPDX-License-Identifier: Apache-2.0
//
// The dispatcher: messages of clients to the methods of the server, in both eras of MCP.
//
// The era is decided for each message. `initialize` opens a conversation with a handshake; a
// request whose `_meta` names a protocol version is modern and stands for itself; anything else
// belongs to the handshake that was, or to a client of 2025-03-26 without one. Notifications are
// never answered, and no message ends the server.
//
// Take returns at once: what evaluates runs on the workers of the service. It may be called from
// several threads, for one peer from one at a time.
#ifndef RPL_SHELL_MCP_RPC_SERVER_H_
#define RPL_SHELL_MCP_RPC_SERVER_H_

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "formats/data/json_rpc.h"
#include "shell/mcp/mcp_call.h"

namespace rpl {

struct McpService;

class RpcServer {
 public:
  /// Borrows the service.
  explicit RpcServer(McpService& service);
  ~RpcServer();

  /// Takes a line of text. `send` takes what belongs to its request; messages that are none, and
  /// their faults, are reported to `log`.
  void TakeLine(const std::shared_ptr<McpPeer>& peer, std::string_view line, const McpSink& send,
                const std::function<void(const RpcFault&)>& log);
  /// Takes a response of the client, which is acknowledged after that. The reason why an answer in
  /// it is not stored, so that it is lost if the process ends, or "". May wait for a database.
  std::string TakeResponse(const std::shared_ptr<McpPeer>& peer, const RpcMessage& message);
  /// Takes a response of the client that cannot be read: nobody waits for it any more.
  void TakeLost(const std::shared_ptr<McpPeer>& peer, const nlohmann::ordered_json& id);
  /// Takes a message. The call of a request, null for others.
  std::shared_ptr<McpCall> Take(const std::shared_ptr<McpPeer>& peer, RpcMessage message,
                                const McpSink& send);
  /// Cancels what is open for the peer, which has left.
  static void Leave(McpPeer& peer);

  struct Method;

 private:
  using Call = std::shared_ptr<McpCall>;

  static const Method kMethods[];

  bool Settle(McpCall& call);
  void Dispatch(const Call& call);
  void TakeNotification(McpPeer& peer, const RpcMessage& message);

  void Initialize(const Call& call);
  void Discover(const Call& call);
  void Ping(const Call& call);
  void ListTools(const Call& call);
  void CallTool(const Call& call);
  void ListResources(const Call& call);
  void ListTemplates(const Call& call);
  void ReadResource(const Call& call);
  void Subscribe(const Call& call);
  void Unsubscribe(const Call& call);
  void Listen(const Call& call);
  void ListPrompts(const Call& call);
  void GetPrompt(const Call& call);
  void Complete(const Call& call);
  void GetTask(const Call& call);
  void UpdateTask(const Call& call);
  void CancelTask(const Call& call);

  McpService& service_;
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

/// One method: the parties that may call it, and its handler.
struct RpcServer::Method {
  std::string_view name;
  bool legacy;
  bool modern;
  bool uses_runs;  // it looks for runs, which may take long if they are in a database
  void (RpcServer::*take)(const Call& call);
};

}  // namespace rpl

#endif  // RPL_SHELL_MCP_RPC_SERVER_H_
