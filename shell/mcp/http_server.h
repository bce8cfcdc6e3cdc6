// SPDX-License-Identifier: Apache-2.0
//
// The server on HTTP: the endpoint /mcp, for both eras of the protocol, and the paths of a handler.
//
//   POST    one message. The response to a request is JSON or, if something is sent before it, a
//           stream of events; a notification or a response of the client gives 202.
//   DELETE  ends a session of the era with a handshake.
//   other   405: there is no stream for messages without a request.
//
// Other paths are those of the handler (web_handler.h), or give 404.
//
// It is for hosts on the same machine. `Host` and `Origin` must be local, which keeps out pages of
// the web; with a token, each request must carry it (`Authorization: Bearer`), and an address that
// others can reach is served only with one. The runs of /mcp are those of the party whose token a
// request carries; without tokens there is one party.
//
// The id of a session of the era with a handshake says, sealed, what the handshake settled, and
// holds for a week: a server that starts anew goes on with it, and any of the processes that share
// runs (run_records.h). So there DELETE is not offered; elsewhere it ends a session until the
// server ends.
//
// A message is read in one way: a header that decides is there once, `Host` and `Origin` are
// parsed as in URLs. Where there are too many connections, the one that has waited longest for its
// client is closed for a new one, so that idle ones shut nobody out.
//
// A signal ends the process: at once without a handler; with one, when what it and /mcp run is
// done, or after `drain` or a second signal. Until then requests to /mcp get 503.
//
// One thread reads and writes; what evaluates runs on the workers. A modern client cancels by
// closing its connection; one with a session does not.
#ifndef RPL_SHELL_MCP_HTTP_SERVER_H_
#define RPL_SHELL_MCP_HTTP_SERVER_H_

#include <chrono>
#include <map>
#include <string>

namespace rpl {

struct McpService;
class WebHandler;

struct HttpSettings {
  std::string address;  // "127.0.0.1:7000", "[::1]:7000", "7000"; port 0: any that is free
  /// The tokens, of which each request carries one, with the tenants that they are of; empty: none.
  std::map<std::string, std::string> tokens;
  std::string party = "local";    // whose the runs of /mcp are where there are no tokens
  WebHandler* handler = nullptr;  // borrowed; null: nothing but /mcp is served
  std::chrono::milliseconds drain{30'000};
};

/// The reason why the address cannot be served, for people, or "".
std::string HttpFault(const HttpSettings& settings);

/// Serves until a signal ends the process; without a service, the handler alone. Says on standard
/// error where. The exit code, if the address cannot be listened to.
int ServeHttp(McpService* service, const HttpSettings& settings);

}  // namespace rpl

#endif  // RPL_SHELL_MCP_HTTP_SERVER_H_
