// SPDX-License-Identifier: Apache-2.0
//
// It runs before the libraries of the program are initialized (shell/main.cc): system calls and
// memory on the stack only.
#include "runtime/tools/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace rpl {
namespace {

constexpr const char* kName = "rpl-keeper";
constexpr int kFirstWord = 3;            // of the tool: name, parent, grace, tool
constexpr long long kMostKillMs = 5000;  // a process may be blocked in the kernel
constexpr int kLeastRounds = 100;        // the time also passes while the keeper is stopped
constexpr int kNotStarted = 127;

bool can_keep = false;

long long NowMs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<long long>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

class Keeper {
 public:
  Keeper(pid_t parent, long long grace_ms) : parent_(parent), grace_ms_(grace_ms) {}

  [[noreturn]] void Run(char** tool);

 private:
  void Start(char** tool);
  void Wait(long long most_ms);
  void Reap();
  void KillAll();
  [[noreturn]] void End(KeeperReport report);

  pid_t parent_;
  long long grace_ms_;
  int signals_ = -1;
  pid_t tool_ = 0;
  int status_ = 0;      // of the tool, once it has ended
  bool ended_ = false;  // the tool has
  bool alone_ = false;  // nothing is below the keeper
  bool must_end_ = false;
};

void Keeper::Start(char** tool) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  signals_ = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  fcntl(kKeeperReports, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // A keeper that the tool stopped goes on with it.
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  if (getppid() != parent_) End({});
  int failed[2];
  if (pipe2(failed, O_CLOEXEC) != 0) End({errno, false});
  const pid_t self = getpid();
  tool_ = fork();
  if (tool_ < 0) End({errno, false});
  if (tool_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // not even if the keeper is killed
    if (getppid() != self) _exit(kNotStarted);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execvp(tool[0], tool);
    const int error = errno;
    [[maybe_unused]] const ssize_t n = write(failed[1], &error, sizeof error);
    _exit(kNotStarted);
  }
  close(failed[1]);
  int error = 0;
  ssize_t n = 0;
  do n = read(failed[0], &error, sizeof error);
  while (n < 0 && errno == EINTR);
  close(failed[0]);
  if (n == sizeof error) End({error, false});
  // The pipes are the tool's: rpl must see them end with it.
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) close(fd);
}

// Takes signals, until one comes or the time is over; negative: however long.
void Keeper::Wait(long long most_ms) {
  pollfd polled = {signals_, POLLIN, 0};
  poll(&polled, 1, static_cast<int>(most_ms));
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == sizeof info)
    if (static_cast<int>(info.ssi_signo) == kKeeperEnds) must_end_ = true;
  if (getppid() != parent_) must_end_ = true;  // rpl ended
  Reap();
}

void Keeper::Reap() {
  int status = 0;
  pid_t pid = 0;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid != tool_) continue;
    ended_ = true;
    status_ = status;
  }
  alone_ = pid < 0 && errno == ECHILD;
}

// The children of a process that is killed become the keeper's.
void Keeper::KillAll() {
  const long long until = NowMs() + kMostKillMs;
  int round = 0;
  for (Reap(); !alone_ && (round < kLeastRounds || NowMs() < until); Wait(1), ++round) {
    char path[64] = "/proc/self/task/";
    char digits[16];
    std::size_t count = 0;
    for (long pid = getpid(); pid > 0; pid /= 10)
      digits[count++] = static_cast<char>('0' + pid % 10);
    char* at = path + std::strlen(path);
    while (count > 0) *at++ = digits[--count];
    std::memcpy(at, "/children", sizeof "/children");
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      kill(0, SIGKILL);  // without /proc: its group, and itself
      return;
    }
    char text[4096];
    const ssize_t n = read(file, text, sizeof text - 1);
    close(file);
    text[n > 0 ? n : 0] = '\0';
    char* next = text;
    for (long pid = 0; (pid = std::strtol(next, &next, 10)) > 0;)
      if (*next == ' ') kill(static_cast<pid_t>(pid), SIGKILL);
  }
}

// As the tool ended.
void Keeper::End(KeeperReport report) {
  if (report.start_error != 0 || report.left_children) {
    [[maybe_unused]] const ssize_t n = write(kKeeperReports, &report, sizeof report);
  }
  if (!ended_ || report.start_error != 0) _exit(kNotStarted);
  if (!WIFSIGNALED(status_)) _exit(WEXITSTATUS(status_));
  const int signal = WTERMSIG(status_);
  prctl(PR_SET_DUMPABLE, 0);  // the tool's core is enough
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  kill(getpid(), signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  _exit(kNotStarted);
}

void Keeper::Run(char** tool) {
  Start(tool);
  while (!ended_ && !must_end_) Wait(-1);
  const long long until = NowMs() + grace_ms_;
  for (Reap(); !alone_ && !must_end_ && NowMs() < until; Wait(until - NowMs())) continue;
  const bool left = ended_ && !alone_ && !must_end_;
  KillAll();
  End({0, left});
}

}  // namespace

void EndKeeper(pid_t keeper) {
  kill(keeper, kKeeperEnds);
  kill(keeper, SIGCONT);  // the tool may have stopped it
}

void BeKeeper(int argc, char** argv, char** environment) {
  can_keep = true;
  if (environ == nullptr) environ = environment;  // the tool's, with its PATH
  if (argc <= kFirstWord || std::strcmp(argv[0], kName) != 0) return;
  Keeper(static_cast<pid_t>(std::atol(argv[1])), std::atoll(argv[2])).Run(argv + kFirstWord);
}

bool CanKeep() { return can_keep; }

std::vector<std::string> KeeperCommand(const std::vector<std::string>& tool, long long grace_ms) {
  std::vector<std::string> words = {kName, std::to_string(getpid()), std::to_string(grace_ms)};
  words.insert(words.end(), tool.begin(), tool.end());
  return words;
}

}  // namespace rpl
