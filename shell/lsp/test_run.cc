// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/test_run.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

namespace rpl::lsp {
namespace {

constexpr std::size_t kMostOutput = std::size_t{64} << 10;
constexpr int kPollMs = 50;

// Starts the program that runs, in a process group of its own. 0 if that fails.
pid_t Start(std::vector<std::string> words, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t ignored;  // by the server
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, argv.data(), environ) != 0)
    pid = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

}  // namespace

std::string RunTests(const std::string& path, const std::string& filter,
                     const std::atomic<bool>& cancelled, std::chrono::seconds most) {
  std::array<int, 2> pipe_ends;
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0)
    return std::string("the tests did not run: ") + std::strerror(errno);
  const pid_t pid = Start({"rpl", "test", "--filter=" + filter, path}, pipe_ends[1]);
  close(pipe_ends[1]);
  if (pid == 0) {
    close(pipe_ends[0]);
    return "the tests did not run: the program cannot be started";
  }
  const auto until = std::chrono::steady_clock::now() + most;
  std::string out;
  std::string why;
  std::array<char, 4096> bytes;
  for (;;) {
    if (cancelled) why = "the tests were cancelled\n";
    else if (std::chrono::steady_clock::now() > until)
      why = "the tests were ended after " + std::to_string(most.count()) + " s\n";
    if (!why.empty()) break;
    pollfd source = {pipe_ends[0], POLLIN, 0};
    if (poll(&source, 1, kPollMs) <= 0) continue;
    const ssize_t n = read(pipe_ends[0], bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    if (out.size() < kMostOutput) out.append(bytes.data(), static_cast<std::size_t>(n));
  }
  close(pipe_ends[0]);
  if (!why.empty()) kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (out.size() >= kMostOutput) out += "\n… the rest is left out\n";
  return out + why;
}

}  // namespace rpl::lsp
