// SPDX-License-Identifier: Apache-2.0
#include "shell/host/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "interp/store/pages.h"
#include "runtime/tools/read_notes.h"

namespace rpl {
namespace {

volatile std::sig_atomic_t interrupted = 0;  // number of Ctrl-C
volatile std::sig_atomic_t most_interrupts = 1;
std::atomic<bool> was_polled = false;  // Interrupted was asked
std::atomic<bool> taken = false;       // and said that Ctrl-C came

void OnInterrupt(int signal) {
  interrupted = interrupted + 1;
  if (interrupted <= most_interrupts) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // delivered when this returns
}

// Bytes of standard input that were read but not yet returned as lines.
std::string& PendingInput() {
  static std::string pending;
  return pending;
}

// Appends the bytes of one read; 0 at the end, -1 with errno set.
ssize_t ReadSome(int fd, std::string& to) {
  char buffer[65536];
  const ssize_t n = read(fd, buffer, sizeof buffer);
  if (n > 0) to.append(buffer, static_cast<std::size_t>(n));
  return n;
}

Input ReadAll(int fd) {
  Input input;
  struct stat file = {};
  if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0) {
    const auto size = std::min(static_cast<std::size_t>(file.st_size), kMaxInputBytes);
    input.text.reserve(size);
    AdvisePages(input.text.data(), size);
  }
  for (;;) {
    const ssize_t n = ReadSome(fd, input.text);
    if (n == 0) return input;
    if (n < 0 && errno == EINTR && !Interrupted()) continue;
    if (n > 0 && input.text.size() <= kMaxInputBytes) continue;
    if (n < 0 && errno == EINTR) return {"", "interrupted"};
    return {"", std::strerror(n < 0 ? errno : EFBIG)};
  }
}

}  // namespace

Input ReadFile(const std::string& path) {
  NoteFileRead(path);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT && path == "-")
    return {"", "no such file; standard input is the file `/dev/stdin`"};
  if (fd < 0) return {"", std::strerror(errno)};
  Input input = ReadAll(fd);
  close(fd);
  return input;
}

Input ReadStandardInput() { return ReadAll(STDIN_FILENO); }

std::optional<std::string> ReadLine() {
  std::string& pending = PendingInput();
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = pending.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = pending.substr(0, end);
      pending.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (Interrupted() || pending.size() > kMaxInputBytes) return std::nullopt;
    searched = pending.size();
    const ssize_t n = ReadSome(STDIN_FILENO, pending);
    if (n > 0 || (n < 0 && errno == EINTR)) continue;
    if (pending.empty()) return std::nullopt;
    return std::exchange(pending, std::string());  // a last line without its end
  }
}

bool InputIsTerminal() { return isatty(STDIN_FILENO) == 1; }

By ByOfInput() { return InputIsTerminal() ? By::kPerson : By::kHost; }

bool IsUtf8(std::string_view text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

void CatchInterrupt(int most) {
  most_interrupts = most;
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigemptyset(&action.sa_mask);  // without SA_RESTART: reads are interrupted
  sigaction(SIGINT, &action, nullptr);
}

bool Interrupted() {
  if (!was_polled.load(std::memory_order_relaxed))
    was_polled.store(true, std::memory_order_relaxed);
  if (interrupted == 0) return false;
  taken = true;
  return true;
}

bool IsInterruptOpen() { return interrupted != 0 && !taken; }

bool TakePolled() { return was_polled.exchange(false); }

void ClearInterrupt() {
  interrupted = 0;
  taken = false;
}

}  // namespace rpl
