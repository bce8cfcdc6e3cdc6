// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/server_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runtime/tools/keeper.h"
#include "runtime/tools/orphans.h"

extern char** environ;

namespace rpl {
namespace {

constexpr int kFirstOwn = 10;             // descriptors of ours are above those of the process
constexpr long long kServerGrace = 2000;  // for its descendants, after its end, in milliseconds

void CloseEnd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// Two ends of a pipe, above the standard descriptors.
class PipeEnds {
 public:
  PipeEnds() {
    int made[2];
    if (pipe2(made, O_CLOEXEC) != 0) return;
    for (std::size_t i = 0; i < 2; ++i) {
      ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, kFirstOwn);
      close(made[i]);
    }
  }
  ~PipeEnds() {
    for (int& end : ends) CloseEnd(end);
  }
  PipeEnds(const PipeEnds&) = delete;

  bool ok() const { return ends[0] >= 0 && ends[1] >= 0; }
  // Ours, without blocking.
  int Take(std::size_t which) {
    fcntl(ends[which], F_SETFL, fcntl(ends[which], F_GETFL) | O_NONBLOCK);
    return std::exchange(ends[which], -1);
  }

  std::array<int, 2> ends = {-1, -1};
};

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The environment of a server. Its mark is that of a tool, by which descendants are found.
std::vector<std::string> EnvironmentOf(const ServerCommand& command) {
  const std::string mark = std::string(Orphans::kVariable) + "=";
  std::vector<std::string> out;
  if (command.environment) {
    for (const std::string& name : *command.environment)
      if (const char* value = std::getenv(name.c_str())) out.push_back(name + "=" + value);
  } else {
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (!std::string_view(*entry).starts_with(mark)) out.emplace_back(*entry);
  }
  out.push_back(mark + Orphans::NewMark());
  return out;
}

}  // namespace

ServerProcess::~ServerProcess() {
  CloseInput();
  CloseOutput();
  CloseLog();
  Kill();
  while (runs() && waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  Orphans::Forget(pid_);
  CloseEnd(report_);
}

std::string ServerProcess::Start(const ServerCommand& command) {
  PipeEnds in, out, log, report;
  if (!in.ok() || !out.ok() || !report.ok() || !log.ok())
    return std::string("no pipe to it: ") + std::strerror(errno);
  kept_ = CanKeep();
  std::vector<std::string> words = kept_ ? KeeperCommand(command.argv, kServerGrace) : command.argv;
  std::vector<std::string> variables = EnvironmentOf(command);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  if (command.reads_log) posix_spawn_file_actions_adddup2(&actions, log.ends[1], STDERR_FILENO);
  if (kept_) posix_spawn_file_actions_adddup2(&actions, report.ends[1], kKeeperReports);
  if (!command.folder.empty())
    posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t none, handled;
  sigemptyset(&none);
  sigemptyset(&handled);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&handled, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &handled);

  pid_t pid = 0;
  const int error = posix_spawnp(&pid, kept_ ? "/proc/self/exe" : words.front().c_str(), &actions,
                                 &attributes, Pointers(words).data(), Pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::strerror(error);
  pid_ = pid;
  Orphans::Spare(pid_);
  in_ = in.Take(1);
  out_ = out.Take(0);
  if (command.reads_log) log_ = log.Take(0);
  report_ = report.Take(0);
  return "";
}

void ServerProcess::CloseInput() { CloseEnd(in_); }
void ServerProcess::CloseOutput() { CloseEnd(out_); }
void ServerProcess::CloseLog() { CloseEnd(log_); }

void ServerProcess::Terminate() {
  if (runs()) kill(-pid_, SIGTERM);
}

void ServerProcess::Kill() {
  if (!runs()) return;
  if (kept_) EndKeeper(pid_);
  else kill(-pid_, SIGKILL);
}

std::optional<ServerEnd> ServerProcess::TakeEnd() {
  int status = 0;
  if (!runs() || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  Orphans::Forget(pid_);
  pid_ = 0;
  ServerEnd end;
  KeeperReport report;
  if (kept_ && read(report_, &report, sizeof report) == sizeof report)
    end.start_error = report.start_error;
  CloseEnd(report_);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  else end.status = WEXITSTATUS(status);
  return end;
}

}  // namespace rpl
