// SPDX-License-Identifier: Apache-2.0
//
// For tests: a library to be loaded before all others (LD_PRELOAD), in which one call of the system
// fails. FAIL_KIND says which calls count: open, write, sync or malloc; FAIL_AT which of them
// fails, from 1. Without FAIL_AT none does, and their number is added to the file FAIL_COUNTS at
// the end. Processes that the program starts are not affected. Of writes, only those to files
// count.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Kind { kOpen, kWrite, kSync, kMalloc, kNone };
constexpr const char* kNames[] = {"open", "write", "sync", "malloc"};

// Read before the program can change its environment. Constant initialization: the first calls
// come before any constructor.
Kind kind = kNone;
long fails_at = 0;
const char* counts = nullptr;
pid_t owner = 0;
std::atomic<long> calls = 0;

__attribute__((constructor)) void Begin() {
  const char* const name = std::getenv("FAIL_KIND");
  const char* const at = std::getenv("FAIL_AT");
  counts = std::getenv("FAIL_COUNTS");
  fails_at = at == nullptr ? 0 : std::atol(at);
  owner = getpid();
  for (int i = 0; name != nullptr && i < kNone; ++i)
    if (std::strcmp(name, kNames[i]) == 0) kind = static_cast<Kind>(i);
  unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) void End() {
  if (counts == nullptr || kind == kNone || getpid() != owner) return;
  kind = kNone;
  if (std::FILE* const file = std::fopen(counts, "a")) {
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
}

bool Fails(Kind of) {
  if (of != kind || getpid() != owner) return false;
  return calls.fetch_add(1) + 1 == fails_at;
}

bool IsFile(int file) {
  struct stat status = {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

// The function of this name in the library that would have been called.
template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int Failed(int code) {
  errno = code;
  return -1;
}

mode_t ModeOf(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(more, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = ModeOf(flags, more);
  va_end(more);
  if (Fails(kOpen)) return Failed(EMFILE);
  return Next<int(const char*, int, mode_t)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = ModeOf(flags, more);
  va_end(more);
  if (Fails(kOpen)) return Failed(EMFILE);
  return Next<int(const char*, int, mode_t)>("open64")(path, flags, mode);
}

ssize_t write(int file, const void* from, size_t size) {
  if (kind == kWrite && IsFile(file) && Fails(kWrite)) return Failed(ENOSPC);
  return Next<ssize_t(int, const void*, size_t)>("write")(file, from, size);
}

ssize_t pwrite64(int file, const void* from, size_t size, off64_t at) {
  if (Fails(kWrite)) return Failed(ENOSPC);
  return Next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64")(file, from, size, at);
}

int ftruncate64(int file, off64_t size) {
  if (Fails(kWrite)) return Failed(EIO);
  return Next<int(int, off64_t)>("ftruncate64")(file, size);
}

int fsync(int file) {
  if (Fails(kSync)) return Failed(EIO);
  return Next<int(int)>("fsync")(file);
}

int fdatasync(int file) {
  if (Fails(kSync)) return Failed(EIO);
  return Next<int(int)>("fdatasync")(file);
}

int rename(const char* from, const char* to) noexcept {
  if (Fails(kSync)) return Failed(EIO);
  return Next<int(const char*, const char*)>("rename")(from, to);
}

void* malloc(size_t size) noexcept {
  static void* (*const next)(size_t) = Next<void*(size_t)>("malloc");
  if (!Fails(kMalloc)) return next(size);
  errno = ENOMEM;
  return nullptr;
}

void* realloc(void* old, size_t size) noexcept {
  static void* (*const next)(void*, size_t) = Next<void*(void*, size_t)>("realloc");
  if (!Fails(kMalloc)) return next(old, size);
  errno = ENOMEM;
  return nullptr;
}

}  // extern "C"
