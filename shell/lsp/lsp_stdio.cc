// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/lsp_stdio.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <iostream>

#include "shell/gateway/message_pipe.h"
#include "shell/lsp/frames.h"
#include "shell/lsp/lsp_server.h"
#include "shell/terminal/report.h"

namespace rpl::lsp {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr int kClientPollMs = 2'000;

bool IsGone(int process) { return process > 0 && kill(process, 0) != 0 && errno == ESRCH; }

}  // namespace

void ServeLsp(int client) {
  std::cout.flush();
  std::signal(SIGPIPE, SIG_IGN);
  auto& writer = *new MessageWriter(TakeStandardOutput());  // outlives the threads that send
  const WithoutSignals none;
  auto& server = *new LspServer([&writer](const Json& message) { writer.Send(FrameOf(message)); });
  FrameReader frames;
  std::array<char, kReadBytes> bytes;
  std::array<pollfd, 2> sources = {{{STDIN_FILENO, POLLIN, 0}, {SignalsAsInput(), POLLIN, 0}}};
  while (!server.exit_code()) {
    const int ready = poll(sources.data(), sources.size(), kClientPollMs);
    if (ready < 0 && errno != EINTR) break;
    if (ready == 0 && (IsGone(client) || IsGone(server.client_process()))) break;
    if (sources[1].revents != 0) break;
    if (ready <= 0 || sources[0].revents == 0) continue;
    const ssize_t n = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) break;
    frames.Feed(
        {bytes.data(), static_cast<std::size_t>(n)},
        [&](std::string_view body) {
          if (!server.exit_code()) server.Take(body);
        },
        [&](const std::string& fault) { server.TakeFault(fault); });
  }
  // Nothing is lost by an end at once: documents are the client's.
  writer.Close(std::chrono::milliseconds(100));
  std::cerr.flush();
  _exit(server.exit_code().value_or(kExitNo));
}

}  // namespace rpl::lsp
