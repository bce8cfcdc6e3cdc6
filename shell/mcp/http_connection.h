// SPDX-License-Identifier: Apache-2.0
//
// Connections of the HTTP server, and what they share.
//
// A connection reads a request, answers it, and reads the next one. While a call is open, messages
// for it are posted from the workers to the one thread of the loop, which alone touches the
// connection. What the first message is decides the form: a response is sent as JSON, anything else
// begins a stream.
//
// Boost is included here only: it takes long to compile.
#ifndef RPL_SHELL_MCP_HTTP_CONNECTION_H_
#define RPL_SHELL_MCP_HTTP_CONNECTION_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "shell/mcp/http_server.h"
#include "shell/mcp/rpc_server.h"

namespace rpl {

struct McpService;

// What the connections share. All of it is for the thread of the loop.
struct HttpHub {
  HttpHub(RpcServer* by, McpService* of, const HttpSettings& with, bool is_local)
      : server(by), service(of), settings(with), local(is_local) {}

  RpcServer* server;    // null: /mcp is not served
  McpService* service;  // of the server
  const HttpSettings& settings;
  const bool local;  // the address is a loopback
  boost::asio::io_context loop{1};
  std::size_t connections = 0;
  std::size_t streams = 0;
  std::unordered_map<std::string, std::shared_ptr<McpPeer>> sessions;
  std::list<std::string> session_order;  // the oldest first
  std::set<std::string> ended;           // sessions that their client ended, in this process
  /// Ends each of the connections that wait for their client, the one that has waited longest
  /// first: where there are too many connections, it makes place for another.
  std::list<std::function<void()>> waiting;
  bool draining = false;

  /// The id of a new session of the peer, after its handshake. It says, sealed, what the handshake
  /// settled: where there are too many sessions, and in another process, it is read from the id.
  std::string NewSession(std::shared_ptr<McpPeer> peer);
  /// The peer of a session of this party; null: none.
  std::shared_ptr<McpPeer> FindSession(const std::string& id, const std::string& who);
  void EndSession(const std::string& id);

 private:
  void Keep(const std::string& id, std::shared_ptr<McpPeer> peer);
  void Forget(const std::string& id);
};

/// Serves the requests that come on the socket until it is closed. Returns at once.
void ServeConnection(boost::asio::ip::tcp::socket socket, HttpHub& hub);

}  // namespace rpl

#endif  // RPL_SHELL_MCP_HTTP_CONNECTION_H_
