// SPDX-License-Identifier: Apache-2.0
#include "formats/data/json_lines.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "formats/data/json_text.h"

namespace rpl {
namespace {

class File {
 public:
  File(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// True if the path still names the opened file: a log may have been rotated.
bool IsAt(int fd, const std::string& path) {
  struct stat opened, named;
  return fstat(fd, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// True if the file ends in the middle of a line.
bool EndsOpen(int fd) {
  struct stat info;
  char last = '\n';
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return false;
  return pread(fd, &last, 1, info.st_size - 1) == 1 && last != '\n';
}

}  // namespace

JsonLines ReadJsonLines(const std::string& path) {
  JsonLines out;
  const File file(path, O_RDONLY);
  if (file.fd() < 0) {
    out.missing = errno == ENOENT;
    if (!out.missing) out.error = std::strerror(errno);
    return out;
  }
  std::string text, buffer(1 << 16, '\0');
  for (;;) {
    const ssize_t size = read(file.fd(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) out.error = std::strerror(errno);
    if (size <= 0) break;
    text.append(buffer, 0, static_cast<std::size_t>(size));
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    JsonText parsed = ParseJson(line);
    if (parsed.error.empty() && parsed.json.is_object())
      out.objects.push_back(std::move(parsed.json));
    else ++out.unread;
  }
  return out;
}

std::string AppendLines(const std::string& path, std::string_view lines) {
  const File file(path, O_RDWR | O_APPEND | O_CREAT);
  if (file.fd() < 0) return std::strerror(errno);
  const std::string all = (EndsOpen(file.fd()) ? "\n" : "") + std::string(lines);
  for (std::string_view rest = all; !rest.empty();) {
    const ssize_t size = write(file.fd(), rest.data(), rest.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return std::strerror(errno);
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
  return "";
}

std::string LastLine(const std::string& path, std::string& error) {
  const File file(path, O_RDONLY);
  struct stat info = {};
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0) {
    if (errno != ENOENT) error = std::strerror(errno);
    return "";
  }
  std::string tail;  // of the file, longer in each round
  for (off_t size = 4096;; size *= 8) {
    size = std::min(size, info.st_size);
    tail.resize(static_cast<std::size_t>(size));
    ssize_t got = 0;
    for (off_t at = 0; at < size; at += got) {
      got = pread(file.fd(), tail.data() + at, static_cast<std::size_t>(size - at),
                  info.st_size - size + at);
      if (got < 0) error = std::strerror(errno);
      if (got <= 0) return "";
    }
    const std::size_t end = tail.size() - (tail.ends_with('\n') ? 1 : 0);
    const std::size_t begin = end == 0 ? tail.npos : tail.rfind('\n', end - 1);
    if (begin != tail.npos) return tail.substr(begin + 1, end - begin - 1);
    if (size == info.st_size) return tail.substr(0, end);
  }
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

std::string FileLock::Take(const std::string& path, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + patience;
  // With many waiting processes, polling must leave CPU time to the holder of the lock.
  constexpr std::chrono::milliseconds kLongest{20};
  for (std::chrono::milliseconds pause{1};; pause = std::min(2 * pause, kLongest)) {
    if (fd_ < 0) fd_ = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd_ < 0) return std::strerror(errno);
    const bool locked = flock(fd_, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno != EWOULDBLOCK && errno != EINTR) return std::strerror(errno);
    if (locked && IsAt(fd_, path)) return "";
    if (locked) close(std::exchange(fd_, -1));
    if (Clock::now() >= end) return "other processes hold it";
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace rpl
