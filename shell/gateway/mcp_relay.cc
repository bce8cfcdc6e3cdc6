// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/mcp_relay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "shell/terminal/report.h"

namespace rpl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostWaiting = std::size_t{1} << 20;  // bytes for a side that does not read
constexpr std::chrono::seconds kStep{2};                    // of an orderly end
constexpr std::chrono::seconds kMostAnswering{60};          // after the end of our input
constexpr std::chrono::milliseconds kEndPoll{10};

int signal_pipe[2] = {-1, -1};
volatile sig_atomic_t signal_came = 0;

void OnSignal(int number) {
  signal_came = number;
  const int error = errno;
  [[maybe_unused]] const ssize_t n = write(signal_pipe[1], "s", 1);
  errno = error;
}

void CatchSignals() {
  if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
  std::signal(SIGPIPE, SIG_IGN);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction before = {};
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    sigaction(number, &action, nullptr);
  }
}

// Bytes that wait to be written.
class Outgoing {
 public:
  void Add(std::string more) {
    if (begun_ == bytes_.size()) bytes_ = std::move(more), begun_ = 0;
    else bytes_ += more;
  }
  std::size_t size() const { return bytes_.size() - begun_; }
  bool empty() const { return size() == 0; }
  void Clear() { bytes_.clear(), begun_ = 0; }

  // Writes what a ready descriptor takes without blocking. False if it takes nothing any more.
  bool WriteTo(int fd, std::size_t most) {
    const ssize_t n = write(fd, bytes_.data() + begun_, std::min(size(), most));
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    begun_ += static_cast<std::size_t>(n);
    return true;
  }

 private:
  std::string bytes_;
  std::size_t begun_ = 0;
};

class Relay {
 public:
  Relay(McpGateway& gateway, ServerProcess& server) : gateway_(gateway), server_(server) {}

  int Run();

 private:
  bool Round();
  void Take();
  void ReadHost();
  void ReadServer();
  void HostGone();
  void Advance(Clock::time_point now);
  int TimeLeft(Clock::time_point now) const;
  int Finish(const ServerEnd& end);
  void WriteRest();

  McpGateway& gateway_;
  ServerProcess& server_;
  RpcLines host_lines_, server_lines_;
  Outgoing to_host_, to_server_;
  std::array<char, 65536> buffer_;
  bool host_ended_ = false;  // our input
  bool host_gone_ = false;   // our output, too
  // The orderly end: 0: not yet, 1: input closed, 2: SIGTERM, 3: SIGKILL.
  int step_ = 0;
  Clock::time_point step_at_ = {};
  Clock::time_point ended_at_ = {};  // of our input
};

void Relay::Take() {
  to_host_.Add(gateway_.TakeForHost());
  to_server_.Add(gateway_.TakeForServer());
  if (host_gone_) to_host_.Clear();
}

void Relay::HostGone() {
  host_ended_ = host_gone_ = true;
  to_host_.Clear();
}

void Relay::ReadHost() {
  const ssize_t n = read(STDIN_FILENO, buffer_.data(), buffer_.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  const auto pass = [this](std::string_view line) { gateway_.FromHost(line, Clock::now()); };
  const auto too_long = [this](const RpcOutline& outline) {
    gateway_.TooLongFromHost(outline, Clock::now());
  };
  if (n > 0) return host_lines_.Feed({buffer_.data(), static_cast<std::size_t>(n)}, pass, too_long);
  host_lines_.Feed("\n", pass, too_long);  // a last line without its end
  host_ended_ = true;
  ended_at_ = Clock::now();
}

void Relay::ReadServer() {
  const ssize_t n = read(server_.output(), buffer_.data(), buffer_.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  const auto pass = [this](std::string_view line) { gateway_.FromServer(line, Clock::now()); };
  const auto too_long = [this](const RpcOutline& outline) {
    gateway_.TooLongFromServer(outline, Clock::now());
  };
  if (n > 0)
    return server_lines_.Feed({buffer_.data(), static_cast<std::size_t>(n)}, pass, too_long);
  server_lines_.Feed("\n", pass, too_long);
  server_.CloseOutput();
}

// Takes the next step of an orderly end when its time has come.
void Relay::Advance(Clock::time_point now) {
  const bool answering = gateway_.busy() && !host_gone_ && now < ended_at_ + kMostAnswering;
  const bool over = host_gone_ || signal_came != 0 || server_.output() < 0 ||
                    (host_ended_ && to_server_.empty() && !answering);
  if (host_ended_ && to_server_.empty() && !gateway_.holds()) server_.CloseInput();
  if (!over || (step_ > 0 && now < step_at_ + kStep)) return;
  step_at_ = now;
  switch (++step_) {
    case 1:
      server_.CloseInput();
      if (signal_came == 0) return;
      step_ = 2;
      [[fallthrough]];
    case 2: return server_.Terminate();
    default: return server_.Kill();
  }
}

int Relay::TimeLeft(Clock::time_point now) const {
  auto due = Clock::time_point::max();
  if (const auto gateway = gateway_.Due()) due = *gateway;
  if (step_ > 0) due = std::min(due, step_at_ + kStep);
  else if (host_ended_) due = std::min(due, ended_at_ + kMostAnswering);
  if (server_.output() < 0) due = std::min(due, now + kEndPoll);
  if (due == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

// Waits for something to happen, and handles it. False once the server has ended.
bool Relay::Round() {
  const Clock::time_point now = Clock::now();
  Advance(now);
  const auto fd = [](int number, bool wanted) { return wanted ? number : -1; };
  const bool reads_host =
      !host_ended_ && !gateway_.holds() && step_ == 0 && to_server_.size() < kMostWaiting;
  std::array<pollfd, 5> polled = {{
      {fd(STDIN_FILENO, reads_host), POLLIN, 0},
      {fd(STDOUT_FILENO, !host_gone_), static_cast<short>(to_host_.empty() ? 0 : POLLOUT), 0},
      {fd(server_.output(), to_host_.size() < kMostWaiting), POLLIN, 0},
      {fd(server_.input(), !to_server_.empty()), POLLOUT, 0},
      {signal_pipe[0], POLLIN, 0},
  }};
  if (poll(polled.data(), polled.size(), TimeLeft(now)) < 0 && errno != EINTR) return false;
  char drained[16];
  if (polled[4].revents != 0)
    while (read(signal_pipe[0], drained, sizeof drained) > 0) continue;
  if (polled[3].revents != 0 && !to_server_.WriteTo(server_.input(), kMostWaiting)) {
    to_server_.Clear();
    server_.CloseInput();
  }
  if ((polled[1].revents & POLLOUT) != 0) {
    if (!to_host_.WriteTo(STDOUT_FILENO, PIPE_BUF)) HostGone();
  } else if (polled[1].revents != 0) {
    HostGone();  // nobody reads
  }
  if (polled[0].revents != 0) ReadHost();
  if (polled[2].revents != 0 && server_.output() >= 0) ReadServer();
  gateway_.Tick(Clock::now());
  Take();
  return true;
}

void Relay::WriteRest() {
  const Clock::time_point until = Clock::now() + kStep;
  while (!to_host_.empty() && !host_gone_ && Clock::now() < until) {
    pollfd polled = {STDOUT_FILENO, POLLOUT, 0};
    if (poll(&polled, 1, 100) < 0 && errno != EINTR) return;
    if ((polled.revents & POLLOUT) != 0 && !to_host_.WriteTo(STDOUT_FILENO, PIPE_BUF)) HostGone();
    else if ((polled.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) HostGone();
  }
}

int Relay::Finish(const ServerEnd& end) {
  const std::string how = end.start_error != 0 ? "the server could not be started"
                          : end.signal != 0
                              ? fmt::format("the server was ended by the signal {}", end.signal)
                              : fmt::format("the server ended with status {}", end.status);
  gateway_.ServerEnded(how, Clock::now());
  Take();
  WriteRest();
  if (end.start_error != 0) return kExitFile;
  if (signal_came != 0) return 128 + signal_came;
  return end.signal != 0 ? 128 + end.signal : end.status;
}

int Relay::Run() {
  Take();
  for (;;) {
    const bool goes_on = Round();
    std::optional<ServerEnd> end;
    if (server_.output() < 0) end = server_.TakeEnd();
    if (end) return Finish(*end);
    if (!goes_on) return kExitBug;
  }
}

}  // namespace

int RelayMcp(McpGateway& gateway, const ServerCommand& command) {
  CatchSignals();
  ServerProcess server;
  if (const std::string why = server.Start(command); !why.empty()) {
    Complain(command.argv.front(), "it cannot be started: " + why);
    return kExitFile;
  }
  return Relay(gateway, server).Run();
}

}  // namespace rpl
