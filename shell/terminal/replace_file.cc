// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "formats/write_all.h"

namespace rpl {
namespace {

// Writes the text to the file and to the disk, and closes it. The reason for a failure, or "".
std::string Finish(int fd, std::string_view text) {
  std::string error = WriteAll(fd, text) && fsync(fd) == 0 ? "" : std::strerror(errno);
  if (close(fd) != 0 && error.empty()) error = std::strerror(errno);
  return error;
}

std::string Overwrite(const std::string& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  return fd < 0 ? std::strerror(errno) : Finish(fd, text);
}

// Gives the file the owner and then the permissions of another one: a change of the owner takes
// permissions away.
bool TakesAfter(int fd, const struct stat& other) {
  struct stat own = {};
  if (fstat(fd, &own) != 0) return false;
  const bool same = own.st_uid == other.st_uid && own.st_gid == other.st_gid;
  if (!same && fchown(fd, other.st_uid, other.st_gid) != 0) return false;
  return fchmod(fd, other.st_mode & 07777) == 0;
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
  if (exists && status.st_nlink > 1) return Overwrite(target, text);
  const std::string fresh = fmt::format("{}.rpl-{}", target, getpid());
  unlink(fresh.c_str());  // of a process that was killed
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return exists ? Overwrite(target, text) : std::strerror(errno);
  if (exists && !TakesAfter(fd, status)) {
    close(fd);
    unlink(fresh.c_str());
    return Overwrite(target, text);
  }
  std::string error = Finish(fd, text);
  if (error.empty() && rename(fresh.c_str(), target.c_str()) != 0) error = std::strerror(errno);
  if (!error.empty()) unlink(fresh.c_str());
  return error;
}

}  // namespace rpl
