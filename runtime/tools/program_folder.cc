// SPDX-License-Identifier: Apache-2.0
//
// A path is walked component by component from the descriptor of the allowed folder, so that a link
// that appears meanwhile is not followed either.
#include "runtime/tools/program_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "formats/write_all.h"
#include "runtime/tools/read_notes.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

// An open file or folder, or none. Owns the descriptor.
class Opened {
 public:
  explicit Opened(int fd = -1) : fd_(fd) {}
  Opened(Opened&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Opened& operator=(Opened&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Opened() { Close(); }
  int fd() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  void Release() { fd_ = -1; }
  bool Close() { return fd_ < 0 || close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// The path from a folder down to a file below it; nullopt if it is not below it.
std::optional<std::vector<std::string>> PartsBelow(const std::string& folder,
                                                   const std::string& path) {
  const fs::path below = fs::path(path).lexically_relative(fs::path(folder).lexically_normal());
  std::vector<std::string> parts;
  for (const fs::path& part : below)
    if (!part.empty() && part != ".") parts.push_back(part);
  if (parts.empty() || parts.front() == "..") return std::nullopt;
  return parts;
}

// The folder that holds the file at the end of a path, and the name of the file in it.
struct Place {
  FileFailure failure;
  Opened folder;
  std::string name;
};

Place PlaceBelow(const std::string& allowed, const std::vector<std::string>& parts, bool make,
                 const char* code) {
  Place out;
  out.name = parts.back();
  out.folder = Opened(open(allowed.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::string at = allowed;
  for (std::size_t i = 0; out.folder.ok() && i + 1 < parts.size(); ++i) {
    const char* const part = parts[i].c_str();
    at += "/" + parts[i];
    if (make && mkdirat(out.folder.fd(), part, 0777) != 0 && errno != EEXIST) {
      out.failure = {code, fmt::format("`{}`: {}", at, std::strerror(errno))};
      return out;
    }
    struct stat seen = {};
    if (fstatat(out.folder.fd(), part, &seen, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(seen.st_mode)) {
      out.failure = {"outside", fmt::format("`{}` is a link", at)};
      return out;
    }
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    out.folder = Opened(openat(out.folder.fd(), part, kFlags));
  }
  if (out.folder.ok()) return out;
  const bool missing = errno == ENOENT && !make;
  out.failure = {missing ? "missing" : code,
                 missing ? fmt::format("there is no folder `{}`", at)
                         : fmt::format("`{}`: {}", at, std::strerror(errno))};
  return out;
}

// The text of a regular file; `code` is that of a failure to read it.
FileRead ReadIn(const Place& place, const std::string& path, const char* code) {
  FileRead out;
  const auto fail = [&](const char* as, std::string message) {
    out.failure = {as, std::move(message)};
    return out;
  };
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;  // of a pipe: none waits
  const Opened file(openat(place.folder.fd(), place.name.c_str(), kFlags));
  if (!file.ok() && errno == ENOENT) return fail("missing", "there is no file `" + path + "`");
  if (!file.ok() && errno == ELOOP) return fail("outside", "`" + path + "` is a link");
  struct stat seen = {};
  if (!file.ok() || fstat(file.fd(), &seen) != 0)
    return fail(code, fmt::format("`{}`: {}", path, std::strerror(errno)));
  if (!S_ISREG(seen.st_mode)) return fail(code, "`" + path + "` is no file");
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t n = read(file.fd(), buffer.data(), buffer.size());
    if (n == 0) return out;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(code, fmt::format("`{}`: {}", path, std::strerror(errno)));
    out.text.append(buffer.data(), static_cast<std::size_t>(n));
    if (out.text.size() > kMaxSourceBytes)
      return fail(code, fmt::format("`{}` is larger than {} MiB", path, kMaxSourceBytes >> 20));
  }
}

// Renames a file within a folder; without `replace`, onto nothing.
bool Rename(int folder, const std::string& from, const std::string& to, bool replace) {
#if defined(RENAME_NOREPLACE)
  if (renameat2(folder, from.c_str(), folder, to.c_str(), replace ? 0U : RENAME_NOREPLACE) == 0)
    return true;
  if (errno != EINVAL) return false;  // else a file system without the flag
#endif
  if (!replace && faccessat(folder, to.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return false;
  }
  return renameat(folder, from.c_str(), folder, to.c_str()) == 0;
}

// Puts a new file in place of the one of that name, or of none.
bool Put(const Place& place, std::string_view text, bool replace) {
  std::string name;
  Opened fresh;
  for (int n = 0; !fresh.ok() && n < 1000; ++n) {
    name = fmt::format(".rpl-{}-{}", getpid(), n);
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    fresh = Opened(openat(place.folder.fd(), name.c_str(), kFlags, 0666));
    if (!fresh.ok() && errno != EEXIST) return false;
  }
  struct stat seen = {};
  if (fresh.ok() && replace &&
      fstatat(place.folder.fd(), place.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) == 0)
      [[maybe_unused]]
    const int kept = fchmod(fresh.fd(), seen.st_mode & 0777);
  const bool written = fresh.ok() && WriteAll(fresh.fd(), text) && fsync(fresh.fd()) == 0 &&
                       fresh.Close() && Rename(place.folder.fd(), name, place.name, replace);
  if (!written) {
    const int why = errno;
    unlinkat(place.folder.fd(), name.c_str(), 0);
    errno = why;
    return false;
  }
  fsync(place.folder.fd());  // a crash of the machine may take the new file back, never half of it
  return true;
}

}  // namespace

std::string PathOf(const std::string& folder, const std::string& location) {
  return (fs::path(folder) / location).lexically_normal();
}

bool IsPlainlyBelow(const std::string& folder, const std::string& path) {
  const auto parts = PartsBelow(folder, path);
  return parts && std::ranges::none_of(
                      *parts, [](const std::string& part) { return part.starts_with('.'); });
}

FileRead ReadBelow(const std::vector<std::string>& allowed, const std::string& path) {
  for (const std::string& folder : allowed) {
    const auto parts = PartsBelow(folder, path);
    if (!parts) continue;
    const Place place = PlaceBelow(folder, *parts, false, "not-read");
    if (!place.failure.code.empty()) return {place.failure, ""};
    NoteFileRead(path);
    return ReadIn(place, path, "not-read");
  }
  return {{"outside", "`" + path + "` is outside the folder of the program"}, ""};
}

FolderNames NamesBelow(const std::vector<std::string>& allowed, const std::string& path) {
  FolderNames out;
  Opened opened;
  for (const std::string& folder : allowed) {
    const auto parts = PartsBelow(folder, path);
    const bool same = PathOf(folder, ".") == PathOf(path, ".");
    if (!parts && !same) continue;
    Place place =
        PlaceBelow(folder, parts.value_or(std::vector<std::string>{"."}), false, "not-read");
    if (!place.failure.code.empty()) return {place.failure, {}};
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    opened = Opened(openat(place.folder.fd(), place.name.c_str(), kFlags));
    if (opened.ok()) break;
    const char* const why = errno == ENOENT    ? "there is no such folder"
                            : errno == ENOTDIR ? "it is no folder"
                                               : std::strerror(errno);
    return {{errno == ENOENT ? "missing" : "not-read", fmt::format("`{}`: {}", path, why)}, {}};
  }
  if (!opened.ok()) return {{"outside", "`" + path + "` is outside the folder of the program"}, {}};
  DIR* const entries = fdopendir(opened.fd());
  if (entries == nullptr) return {{"not-read", std::strerror(errno)}, {}};
  opened.Release();  // `entries` owns it
  while (const dirent* entry = readdir(entries))
    if (entry->d_name[0] != '.') out.names.emplace_back(entry->d_name);
  closedir(entries);
  std::ranges::sort(out.names);
  return out;
}

FileFailure WriteBelow(const std::string& allowed, const std::string& path, std::string_view text,
                       const std::function<bool(std::string_view there)>& may_replace) {
  const auto parts = PartsBelow(allowed, path);
  if (!parts) return {"outside", fmt::format("`{}` is outside `{}`", path, allowed)};
  std::error_code ignored;  // opening the folder fails, too
  fs::create_directories(allowed, ignored);
  const Place place = PlaceBelow(allowed, *parts, true, "not-written");
  if (!place.failure.code.empty()) return place.failure;
  const FileRead there = ReadIn(place, path, "not-written");
  const bool exists = there.failure.code != "missing";
  if (exists) {
    if (!there.failure.code.empty()) return there.failure;
    if (there.text == text) return {};
    if (!may_replace(there.text))
      return {"exists", "`" + path + "` is there, and this session did not write it so"};
  }
  if (Put(place, text, exists)) return {};
  if (errno == EEXIST) return {"exists", "`" + path + "` is there"};
  return {"not-written", fmt::format("`{}`: {}", path, std::strerror(errno))};
}

}  // namespace rpl
