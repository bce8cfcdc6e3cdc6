// SPDX-License-Identifier: Apache-2.0
#include "shell/script/isolation.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "shell/terminal/input.h"

namespace rpl {
namespace {

// The child: writes the result and exits without cleaning up, which is the parent's task.
[[noreturn]] void Work(const std::function<std::string()>& work, int to) {
  const std::string result = work();
  for (std::string_view rest = result; !rest.empty();) {
    const ssize_t n = write(to, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) _exit(1);
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  _exit(0);
}

// Reads until the child closes the pipe. Ctrl-C kills the child.
std::string ReadToEnd(int from, pid_t child) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(from, buffer, sizeof buffer);
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR) return text;
    else if (Interrupted()) kill(child, SIGKILL);
  }
}

}  // namespace

Isolated InOwnProcess(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return {"", std::strerror(errno)};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    Work(work, ends[1]);
  }
  const int fork_error = errno;
  close(ends[1]);
  Isolated isolated;
  if (child > 0) isolated.result = ReadToEnd(ends[0], child);
  close(ends[0]);
  if (child < 0) return {"", std::strerror(fork_error)};

  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status)) return {"", strsignal(WTERMSIG(status))};
  if (WEXITSTATUS(status) != 0) return {"", "exit " + std::to_string(WEXITSTATUS(status))};
  return isolated;
}

}  // namespace rpl
