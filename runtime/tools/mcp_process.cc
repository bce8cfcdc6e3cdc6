// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <thread>

#include "formats/data/json_rpc.h"
#include "formats/data/json_text.h"
#include "runtime/tools/mcp_transport.h"
#include "runtime/tools/server_process.h"

namespace rpl {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPolite{2000};  // for each step of an orderly end
constexpr milliseconds kEndTick{5};
constexpr milliseconds kEndMost{1000};  // from the end of a pipe to that of its process
constexpr std::size_t kMostLogLine = 4096;

class McpProcess : public McpTransport {
 public:
  explicit McpProcess(std::shared_ptr<const McpServer> server) : server_(std::move(server)) {}
  ~McpProcess() override { Stop(); }

  std::string Start() override {
    Stop();
    lines_.clear();
    too_long_.clear();
    reader_ = RpcLines();
    process_ = std::make_unique<ServerProcess>();
    return process_->Start({server_->argv, server_->folder, server_->environment, true});
  }

  std::string Send(const nlohmann::ordered_json& message, const nlohmann::ordered_json&,
                   milliseconds most, const Log& log) override {
    const std::string text = DumpJson(message) + "\n";
    const Clock::time_point due = Clock::now() + most;
    for (std::size_t sent = 0; sent < text.size();) {
      if (process_ == nullptr || process_->input() < 0) return "its input is closed";
      Wait(due, true, log);
      const ssize_t n = Write(text.data() + sent, text.size() - sent);
      if (n > 0) sent += static_cast<std::size_t>(n);
      else if (errno == EPIPE) return HowItEnded("it has closed its input");
      else if (errno != EAGAIN && errno != EINTR) return std::strerror(errno);
      else if (Clock::now() >= due) return "it does not read";
    }
    return "";
  }

  std::optional<std::string> Receive(milliseconds most, const Log& log) override {
    const Clock::time_point due = Clock::now() + most;
    while (lines_.empty() && too_long_.empty() && process_ != nullptr && process_->output() >= 0) {
      Wait(due, false, log);
      if (Clock::now() >= due) break;
    }
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

  std::vector<nlohmann::ordered_json> TakeTooLong() override {
    return std::exchange(too_long_, {});
  }

  bool HasEnded(std::string& why) override {
    if (!lines_.empty() || (process_ != nullptr && process_->output() >= 0)) return false;
    why = HowItEnded("it ended");
    return true;
  }

 private:
  // A pipe ends before the process whose end it is.
  std::string HowItEnded(std::string otherwise) {
    const Clock::time_point due = Clock::now() + kEndMost;
    while (process_ != nullptr && process_->runs() && Clock::now() < due) {
      if (const auto end = process_->TakeEnd()) {
        if (end->start_error != 0)
          return fmt::format("`{}` cannot be started: {}", server_->argv.front(),
                             std::strerror(end->start_error));
        if (end->signal != 0) return fmt::format("it was ended by signal {}", end->signal);
        return fmt::format("it ended with status {}", end->status);
      }
      std::this_thread::sleep_for(kEndTick);
    }
    return otherwise;
  }

  // Writing to a server that is gone gives an error instead of a signal.
  ssize_t Write(const char* data, std::size_t size) {
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    const ssize_t n = write(process_->input(), data, size);
    const int error = errno;
    const timespec now = {0, 0};
    if (n < 0 && error == EPIPE) sigtimedwait(&pipe, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return n;
  }

  // Waits until the server has written or, with `to_write`, reads; takes what it wrote.
  void Wait(Clock::time_point due, bool to_write, const Log& log) {
    const auto left = std::chrono::ceil<milliseconds>(due - Clock::now()).count();
    std::array<pollfd, 3> polled = {{{process_->output(), POLLIN, 0},
                                     {process_->log(), POLLIN, 0},
                                     {to_write ? process_->input() : -1, POLLOUT, 0}}};
    if (poll(polled.data(), polled.size(), static_cast<int>(std::max<std::int64_t>(left, 0))) <= 0)
      return;
    if (polled[0].revents != 0) ReadOutput();
    if (polled[1].revents != 0) ReadLog(log);
  }

  void ReadOutput() {
    std::array<char, 65536> buffer;
    const ssize_t n = read(process_->output(), buffer.data(), buffer.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return process_->CloseOutput();
    reader_.Feed(
        {buffer.data(), static_cast<std::size_t>(n)},
        [this](std::string_view line) { lines_.emplace_back(line); },
        [this](const RpcOutline& outline) {
          if (outline.has_result && !outline.id.is_null()) too_long_.push_back(outline.id);
        });
  }

  void ReadLog(const Log& log) {
    std::array<char, 4096> buffer;
    const ssize_t n = read(process_->log(), buffer.data(), buffer.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return process_->CloseLog();
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(n))) {
      if (c != '\n') log_line_ += c;
      if ((c != '\n' && log_line_.size() < kMostLogLine) || log_line_.empty()) continue;
      if (log) log(CleanUtf8(log_line_));
      log_line_.clear();
    }
  }

  // Its input is closed; then come SIGTERM and SIGKILL.
  void Stop() {
    if (process_ == nullptr) return;
    process_->CloseInput();
    for (int step = 0; step < 2 && process_->runs(); ++step) {
      const Clock::time_point due = Clock::now() + kPolite;
      while (!process_->TakeEnd() && process_->runs() && Clock::now() < due) {
        if (process_->output() >= 0) ReadOutput();
        if (process_->log() >= 0) ReadLog(nullptr);
        std::this_thread::sleep_for(kEndTick);
      }
      if (step == 0) process_->Terminate();
    }
    process_.reset();
  }

  std::shared_ptr<const McpServer> server_;
  std::unique_ptr<ServerProcess> process_;
  RpcLines reader_;
  std::deque<std::string> lines_;
  std::vector<nlohmann::ordered_json> too_long_;  // ids of answers that were dropped
  std::string log_line_;
};

}  // namespace

std::unique_ptr<McpTransport> MakeMcpProcess(std::shared_ptr<const McpServer> server) {
  return std::make_unique<McpProcess>(std::move(server));
}

}  // namespace rpl
