// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/stdio_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <thread>

#include "formats/data/json_text.h"
#include "shell/gateway/message_pipe.h"
#include "shell/mcp/mcp_service.h"
#include "shell/mcp/rpc_server.h"
#include "shell/serving/request_state.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
// A client that sends faster than calls are answered is not read from for a while.
constexpr std::size_t kMostWaiting = 1000;  // calls
constexpr int kRoomPollMs = 5;
// What a client that has closed its end may still be answered.
constexpr std::chrono::milliseconds kLastAnswers(500);

bool HasOpenCalls(McpPeer& peer) {
  const std::lock_guard lock(peer.mutex);
  return std::ranges::any_of(peer.calls, [](const auto& call) { return !call.second.expired(); });
}

}  // namespace

void ServeStdio(McpService& service) {
  std::cout.flush();
  std::signal(SIGPIPE, SIG_IGN);
  auto& writer = *new MessageWriter(TakeStandardOutput());  // outlives the threads that send
  auto& server = *new RpcServer(service);
  auto peer = std::make_shared<McpPeer>("local", RandomText(12));
  peer->send = [&writer](const nlohmann::ordered_json& message) {
    writer.Send(DumpJson(message) + "\n");
  };
  RpcLines lines;
  const auto log = [&](const RpcFault& fault) {
    std::cerr << fmt::format("rpl mcp: a message was dropped: {} ({})\n",
                             PrintableLine(fault.message), fault.code);
  };
  std::array<char, kReadBytes> bytes;
  const WithoutSignals none;
  std::array<pollfd, 2> sources = {{{STDIN_FILENO, POLLIN, 0}, {SignalsAsInput(), POLLIN, 0}}};
  for (;;) {
    const bool room = service.pool.waiting() < kMostWaiting;
    sources[0].fd = room ? STDIN_FILENO : -1;
    if (poll(sources.data(), sources.size(), room ? -1 : kRoomPollMs) < 0 && errno != EINTR) break;
    if (sources[1].revents != 0) break;
    if (sources[0].revents == 0) continue;
    const ssize_t n = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) {
      const auto until = std::chrono::steady_clock::now() + kLastAnswers;
      while (HasOpenCalls(*peer) && std::chrono::steady_clock::now() < until &&
             poll(&sources[1], 1, kRoomPollMs) == 0) {
      }
      break;
    }
    lines.Feed(
        {bytes.data(), static_cast<std::size_t>(n)},
        [&](std::string_view line) { server.TakeLine(peer, line, peer->send, log); },
        [&](const RpcOutline& outline) {
          std::cerr << "rpl mcp: " << RpcTooLongText() << ", and was dropped\n";
          if (const auto error = RpcTooLongError(outline)) peer->send(*error);
          if (outline.has_result && !outline.has_method) server.TakeLost(peer, outline.id);
        });
  }
  service.stopping = true;
  RpcServer::Leave(*peer);
  writer.Close(std::chrono::milliseconds(100));
  // Workers end at the next poll; the rest is as safe as after a crash.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::cerr.flush();
  _exit(kExitOk);
}

}  // namespace rpl
