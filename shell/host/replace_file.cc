// SPDX-License-Identifier: Apache-2.0
#include "shell/host/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace rpl {
namespace {

bool WriteWhole(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

std::string ReplaceFile(const std::string& path, std::string_view text) {
  std::string target = path;
  struct stat status = {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists) {
    if (!S_ISREG(status.st_mode)) return "not a regular file";
    if (access(path.c_str(), W_OK) != 0) return std::strerror(errno);  // rename would not check
    char* resolved = realpath(path.c_str(), nullptr);
    if (resolved == nullptr) return std::strerror(errno);
    target = resolved;
    std::free(resolved);
  }
  const std::string fresh = fmt::format("{}.rpl-{}", target, getpid());
  unlink(fresh.c_str());  // of a process that was killed
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return std::strerror(errno);
  const bool written = WriteWhole(fd, text) &&
                       (!exists || fchmod(fd, status.st_mode & 07777) == 0) && fsync(fd) == 0;
  std::string error = written ? "" : std::strerror(errno);
  if (close(fd) != 0 && error.empty()) error = std::strerror(errno);
  if (error.empty() && rename(fresh.c_str(), target.c_str()) != 0) error = std::strerror(errno);
  if (!error.empty()) unlink(fresh.c_str());
  return error;
}

}  // namespace rpl
