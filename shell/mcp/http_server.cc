// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/http_server.h"

#include <fmt/format.h>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <iostream>

#include "shell/mcp/http_address.h"
#include "shell/mcp/http_connection.h"
#include "shell/mcp/mcp_service.h"
#include "shell/serving/web_handler.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;

constexpr auto kDrainPoll = std::chrono::milliseconds(50);

void Accept(tcp::acceptor& acceptor, HttpHub& hub) {
  acceptor.async_accept([&](Error error, tcp::socket socket) {
    if (!error) {
      Error ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      ServeConnection(std::move(socket), hub);
    }
    if (error == asio::error::operation_aborted) return;
    Accept(acceptor, hub);
  });
}

// Answers requests until the handler has nothing left to wait for, or the time is over.
void EndWhenDrained(HttpHub& hub, asio::steady_timer& timer,
                    std::chrono::steady_clock::time_point end) {
  const bool idle = hub.service == nullptr || hub.service->IsIdle();
  if ((idle && hub.settings.handler->IsDrained()) || std::chrono::steady_clock::now() >= end)
    return hub.loop.stop();
  timer.expires_after(kDrainPoll);
  timer.async_wait([&hub, &timer, end](Error) { EndWhenDrained(hub, timer, end); });
}

}  // namespace

std::string HttpFault(const HttpSettings& settings) {
  const std::optional<HttpAddress> address = ReadAddress(settings.address);
  if (!address)
    return "expected an address like 127.0.0.1:7000 or [::1]:7000, got `" + settings.address + "`";
  if (!IsLoopback(address->host) && settings.tokens.empty())
    return "others can reach `" + settings.address + "`: it is served only with --token-file";
  return "";
}

int ServeHttp(McpService* service, const HttpSettings& settings) {
  const HttpAddress address = ReadAddress(settings.address).value();
  std::signal(SIGPIPE, SIG_IGN);
  // They outlive the threads that use them.
  auto* const server = service == nullptr ? nullptr : new RpcServer(*service);
  auto& hub = *new HttpHub(server, service, settings, IsLoopback(address.host));
  Error error;
  const tcp::endpoint at(asio::ip::make_address(address.host), address.port);
  tcp::acceptor acceptor(hub.loop);
  acceptor.open(at.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(at, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    Complain("--http", settings.address + ": " + error.message());
    return kExitFile;
  }
  asio::signal_set signals(hub.loop, SIGINT, SIGTERM);
  asio::steady_timer draining(hub.loop);
  signals.async_wait([&](Error, int) {
    if (settings.handler == nullptr) return hub.loop.stop();
    hub.draining = true;
    settings.handler->Drain();
    signals.async_wait([&](Error, int) { hub.loop.stop(); });
    EndWhenDrained(hub, draining, std::chrono::steady_clock::now() + settings.drain);
  });
  Accept(acceptor, hub);
  const std::string host = at.address().is_v6() ? "[" + address.host + "]" : address.host;
  std::cerr << fmt::format("listening on http://{}:{}{}\n", host, acceptor.local_endpoint().port(),
                           settings.handler == nullptr ? "/mcp" : "");
  hub.loop.run();
  if (service != nullptr) service->stopping = true;
  std::cerr.flush();
  _exit(kExitOk);
}

}  // namespace rpl
