// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "formats/file_name.h"
#include "formats/utf8.h"
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

// A byte order mark is nothing.
Input ReadStandardInput() {
  Input input = ReadAll(STDIN_FILENO);
  input.text.erase(0, MarkSize(input.text));
  return input;
}

std::optional<std::string> ReadLine() {
  static bool is_first = true;
  std::string& pending = PendingInput();
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = pending.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = pending.substr(0, end);
      pending.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      if (std::exchange(is_first, false)) line.erase(0, MarkSize(line));
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

namespace {

// What gzip compressed, in one member or several.
Input Unzipped(std::string bytes) {
  z_stream stream = {};
  constexpr int kGzip = 16;  // added to the bits of the window: the format of gzip alone
  if (inflateInit2(&stream, kGzip + MAX_WBITS) != Z_OK) return {"", "out of memory"};
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  Input out;
  std::size_t at = 0;
  int state = Z_OK;
  std::vector<Bytef> buffer(std::size_t{1} << 18);
  while (at < bytes.size() || stream.avail_in > 0) {
    if (stream.avail_in == 0) {
      const std::size_t size = std::min<std::size_t>(bytes.size() - at, std::size_t{1} << 30);
      stream.next_in = reinterpret_cast<Bytef*>(bytes.data() + at);
      stream.avail_in = static_cast<uInt>(size);
      at += size;
    }
    if (state == Z_STREAM_END && inflateReset(&stream) != Z_OK) break;
    do {
      stream.next_out = buffer.data();
      stream.avail_out = static_cast<uInt>(buffer.size());
      state = inflate(&stream, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
        return {"", "not compressed by gzip, or damaged"};
      out.text.append(reinterpret_cast<const char*>(buffer.data()),
                      buffer.size() - stream.avail_out);
      if (out.text.size() > kMaxInputBytes) return {"", std::strerror(EFBIG)};
      if (Interrupted()) return {"", "interrupted"};
    } while (state == Z_OK && stream.avail_out == 0);
    if (state == Z_BUF_ERROR && stream.avail_in > 0) break;
  }
  if (state != Z_STREAM_END) return {"", "not compressed by gzip, or cut off"};
  return out;
}

}  // namespace

Input ReadRows(const std::string& path) {
  if (path == "-") return ReadStandardInput();
  Input input = ReadFile(path);
  if (!input.error.empty() || !HasExtension(path, ".gz")) return input;
  return Unzipped(std::move(input.text));
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
