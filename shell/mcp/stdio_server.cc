// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/stdio_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <iostream>
#include <mutex>
#include <thread>

#include "formats/json_text.h"
#include "shell/host/input.h"
#include "shell/host/report.h"
#include "shell/mcp/rpc_server.h"

namespace rpl {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::size_t kMostQueued = std::size_t{16} << 20;  // bytes that the client has not read
// A client that sends faster than calls are answered is not read from for a while.
constexpr std::size_t kMostWaiting = 1000;  // calls
constexpr int kRoomPollMs = 5;

// Writes lines, in the order in which they come; one thread writes, so that a client that reads
// slowly delays no evaluation until much is queued.
class LineWriter {
 public:
  explicit LineWriter(int fd) : fd_(fd) {
    const WithoutSignals none;
    thread_ = std::thread([this] { Write(); });
  }

  void Send(const nlohmann::ordered_json& message) {
    std::string line = DumpJson(message) + "\n";
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || bytes_ < kMostQueued; });
    if (closed_) return;
    bytes_ += line.size();
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }

  /// Writes what is queued, for at most `most`.
  void Close(std::chrono::milliseconds most) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, most, [&] { return closed_ || bytes_ == 0; });
      closed_ = true;
    }
    changed_.notify_all();
    thread_.detach();  // it may be in a write that nobody reads
  }

 private:
  void Write() {
    for (;;) {
      std::string line;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || !lines_.empty(); });
        if (lines_.empty()) return;
        line = std::move(lines_.front());
        lines_.pop_front();
      }
      const bool written = WriteAll(line);
      {
        const std::lock_guard lock(mutex_);
        bytes_ -= line.size();
        if (!written) closed_ = true;
      }
      changed_.notify_all();
      if (!written) return;
    }
  }

  bool WriteAll(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = write(fd_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  const int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
  bool closed_ = false;
  std::thread thread_;
};

// The channel of the protocol, apart from what else is written to standard output.
int TakeStandardOutput() {
  const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return fd;
}

// A descriptor that can be read when a signal comes that ends the server. REQUIRES: these signals
// are blocked.
int SignalsAsInput() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

}  // namespace

void ServeStdio(McpService& service) {
  std::cout.flush();
  std::signal(SIGPIPE, SIG_IGN);
  auto& writer = *new LineWriter(TakeStandardOutput());  // outlives the threads that send
  auto& server = *new RpcServer(service);
  auto peer = std::make_shared<McpPeer>("local");
  peer->send = [&writer](const nlohmann::ordered_json& message) { writer.Send(message); };
  RpcLines lines;
  const auto log = [](const RpcFault& fault) {
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
    if (n <= 0) break;
    lines.Feed({bytes.data(), static_cast<std::size_t>(n)},
               [&](std::optional<std::string_view> line) {
                 if (line) server.TakeLine(peer, *line, peer->send, log);
                 else log({kRpcInvalidRequest, "the line is too long", nullptr});
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
