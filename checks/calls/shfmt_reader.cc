// SPDX-License-Identifier: Apache-2.0
//
// The text goes into a file in memory, so that only the output is waited for.
#include "checks/calls/shfmt_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace rpl {
namespace {

constexpr std::size_t kMaxTree = 32 * 1024 * 1024;
constexpr std::chrono::milliseconds kMaxTime(2000);

// A file descriptor with an owner.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int value() const { return value_; }
  bool ok() const { return value_ >= 0; }

 private:
  int value_;
};

bool MakePipe(Descriptor& reads, Descriptor& writes) {
  int ends[2];
#ifdef __linux__
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
#else
  if (pipe(ends) != 0) return false;
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  reads = Descriptor(ends[0]);
  writes = Descriptor(ends[1]);
  return true;
}

std::string Failed(std::string_view what) {
  return fmt::format("shfmt could not be run: {}: {}", what, std::strerror(errno));
}

// Writes as much as goes in; the rest follows while the output is read.
class Feeder {
 public:
  Feeder(Descriptor to, std::string_view text) : to_(std::move(to)), text_(text) {
    fcntl(to_.value(), F_SETFL, fcntl(to_.value(), F_GETFL) | O_NONBLOCK);
  }
  int waits_for() const { return to_.value(); }
  void Write() {
    const ssize_t written = write(to_.value(), text_.data(), text_.size());
    if (written > 0) text_.remove_prefix(static_cast<std::size_t>(written));
    const bool failed = written < 0 && errno != EAGAIN && errno != EINTR;
    if (text_.empty() || failed) to_ = Descriptor();
  }

 private:
  Descriptor to_;
  std::string_view text_;
};

std::string FolderOfThisProgram() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
}

std::string_view VariableOr(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

ShfmtReader::ShfmtReader() : ShfmtReader(FolderOfThisProgram(), VariableOr("PATH")) {}

ShfmtReader::ShfmtReader(const std::string& program_folder, std::string_view path) {
  const auto look_in = [&](std::string_view folder) {
    if (!program_.empty() || !folder.starts_with('/')) return;
    std::string candidate = std::string(folder) + "/shfmt";
    if (access(candidate.c_str(), X_OK) == 0) program_ = std::move(candidate);
  };
  look_in(program_folder);
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    look_in(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
}

ShellTree ShfmtReader::Read(std::string_view text) {
  ShellTree tree;
  if (program_.empty()) {
    tree.why = "commands cannot be read: install shfmt";
    return tree;
  }
  // Nobody reads on after the program has ended.
  struct sigaction ignored = {}, before = {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignored, &before);
  tree = [&] {
    ShellTree out;
    Descriptor in_reads, in_writes, out_reads, out_writes;
    if (!MakePipe(in_reads, in_writes) || !MakePipe(out_reads, out_writes)) {
      out.why = Failed("no pipe");
      return out;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in_reads.value(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out_writes.value(), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD})
      sigaddset(&defaults, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::string words[] = {program_, "--to-json", "-ln", "bash"};
    char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
    // One thread collects little garbage in so short a time.
    std::string variables[] = {"GOMAXPROCS=1", "GOGC=400"};
    char* environment[] = {variables[0].data(), variables[1].data(), nullptr};
    pid_t pid = 0;
    const int error = posix_spawn(&pid, program_.c_str(), &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      errno = error;
      out.why = Failed(program_);
      return out;
    }
    in_reads = Descriptor();
    out_writes = Descriptor();
    Feeder feeder(std::move(in_writes), text);
    const auto end = std::chrono::steady_clock::now() + kMaxTime;
    std::array<char, 65536> buffer;
    bool ended = false;
    while (!ended && out.why.empty()) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      pollfd polled[] = {{out_reads.value(), POLLIN, 0}, {feeder.waits_for(), POLLOUT, 0}};
      const int ready = left.count() <= 0 ? 0 : poll(polled, 2, static_cast<int>(left.count()));
      if (ready == 0) out.why = "shfmt did not end within two seconds";
      if (ready < 0 && errno != EINTR) out.why = Failed("poll");
      if (ready <= 0) continue;
      if (polled[1].revents != 0) feeder.Write();
      if (polled[0].revents == 0) continue;
      const ssize_t got = read(out_reads.value(), buffer.data(), buffer.size());
      if (got == 0) ended = true;
      if (got < 0 && errno != EINTR) out.why = Failed("read");
      if (got > 0) out.json.append(buffer.data(), static_cast<std::size_t>(got));
      if (out.json.size() > kMaxTree) out.why = "the syntax tree of the command is too large";
    }
    if (!ended) kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    const bool is_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (out.why.empty() && !is_well)
      out.why = WIFEXITED(status) && WEXITSTATUS(status) == 1
                    ? "shfmt cannot read the command: it is no valid bash"
                    : "shfmt failed";
    if (!out.why.empty()) out.json.clear();
    return out;
  }();
  sigaction(SIGPIPE, &before, nullptr);
  return tree;
}

}  // namespace rpl
