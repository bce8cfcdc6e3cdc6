// SPDX-License-Identifier: Apache-2.0
//
// No heap, no streams and no locale in this file: the parent runs before they are initialised.
#include "shell/guard/hook_supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace rpl {
namespace {

constexpr int kDenied = FaultCode(HookForm::kPreToolUse);

bool supervised = false;
volatile HookForm* form = nullptr;  // shared with the child, see AnswerInForm
char answer_bytes[kMostAnswerBytes];

// --- the command line ---------------------------------------------------------------------

struct HookLine {
  bool is_hook = false;
  int timeout_ms = kHookTimeoutMs;
};

// `rpl guard [OPTION]… hook [OPTION]…`, where every option but --audit-required takes a value. The
// child reports errors in the command line; an invalid time limit counts as the default here.
HookLine ReadHookLine(int argc, char** argv) {
  HookLine line;
  if (argc < 3 || std::string_view(argv[1]) != "guard") return line;
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") return {};
    if (argument == "--audit-required") continue;
    if (!argument.starts_with('-')) {
      if (!line.is_hook && argument != "hook") return {};
      line.is_hook = true;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const char* value = "";
    if (equals != argument.npos) value = argv[i] + equals + 1;
    else if (++i < argc) value = argv[i];
    if (argument.substr(0, equals) != "--timeout-ms") continue;
    const long ms = std::strtol(value, nullptr, 10);
    if (ms > 0 && ms < INT_MAX) line.timeout_ms = static_cast<int>(ms);
  }
  return line;
}

// --- texts --------------------------------------------------------------------------------

// A text of limited length; an excess is cut off.
class Line {
 public:
  Line() = default;
  Line(const char* text) { Add(text); }

  Line& Add(std::string_view text) {
    const std::size_t fits = std::min(text.size(), sizeof bytes_ - size_);
    std::memcpy(bytes_ + size_, text.data(), fits);
    size_ += fits;
    return *this;
  }
  Line& Number(int number) {  // from 0 to 999
    for (int unit = 100; unit > 0; unit /= 10)
      if (number >= unit || unit == 1) Add({&"0123456789"[number / unit % 10], 1});
    return *this;
  }
  Line& Signal(int signal) {
    const char* name = sigabbrev_np(signal);
    return name != nullptr ? Add("SIG").Add(name) : Add("the signal ").Number(signal);
  }
  Line& Error(int error) {
    const char* text = strerrordesc_np(error);
    return text != nullptr ? Add(text) : Add("error ").Number(error);
  }
  std::string_view view() const { return {bytes_, size_}; }

 private:
  char bytes_[1024];
  std::size_t size_ = 0;
};

// A denial of a form. REQUIRES: the reason may stand in a text of JSON as it is.
Line DenialIn(HookForm of, const Line& why) {
  Line out;
  for (const char& each : HookFormText(of)) {
    if (each == kFormDecision) out.Add("\"deny\"");
    else if (each == kFormReason) out.Add("\"rpl guard: ").Add(why.view()).Add("\"");
    else out.Add({&each, 1});
  }
  return out.Add("\n");
}

// Writes if the descriptor is ready, without blocking.
void Offer(int fd, const Line& text) {
  pollfd polled = {fd, POLLOUT, 0};
  if (poll(&polled, 1, 0) <= 0) return;
  [[maybe_unused]] const ssize_t n = write(fd, text.view().data(), text.view().size());
}

long long NowMs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<long long>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

// --- the parent ---------------------------------------------------------------------------

class Supervisor {
 public:
  explicit Supervisor(int timeout_ms) : deadline_(NowMs() + timeout_ms) {}

  /// Returns in the child only.
  void Start();

 private:
  [[noreturn]] void Deny(const Line& why) const;
  void OpenStandardStreams() const;
  void BecomeChild(pid_t parent, int output) const;
  [[noreturn]] void Supervise();
  short Await(int fd, short events);
  void TakeSignals();
  void ReadAnswer();
  void CheckAnswer() const;
  [[noreturn]] void PassOn();

  long long deadline_;    // of NowMs
  sigset_t blocked_;      // before Start
  pid_t child_ = 0;       // 0: not started yet
  int status_ = 0;        // of the child, once it has ended
  bool ended_ = false;    // the child has
  int signals_ = -1;      // a signalfd of all signals
  int answer_ = -1;       // a pipe from the child; -1 after its end
  std::size_t size_ = 0;  // of answer_bytes, so far
  bool passing_ = false;  // a part of the answer may be out
};

void Supervisor::Deny(const Line& why) const {
  if (child_ > 0 && !ended_) kill(child_, SIGKILL);
  const HookForm of = form != nullptr ? *form : HookForm::kPreToolUse;
  if (!passing_) Offer(STDOUT_FILENO, DenialIn(of, why));
  Offer(STDERR_FILENO, Line("rpl guard: ").Add(why.view()).Add("\n"));
  if (child_ > 0 && !ended_) {
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    const timespec soon = {0, 100'000'000};  // the child may be blocked in the kernel
    sigtimedwait(&end, nullptr, &soon);
    waitpid(child_, nullptr, WNOHANG);
  }
  _exit(FaultCode(of));
}

// If a standard stream is closed, the next file to be opened would take its place.
void Supervisor::OpenStandardStreams() const {
  bool output = true;
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (fd == STDOUT_FILENO) output = false;
    if (open("/dev/null", O_RDWR) != fd) Deny("a standard stream is closed");
  }
  if (!output) Deny("standard output is closed");
}

void Supervisor::Start() {
  OpenStandardStreams();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &blocked_);
  std::signal(SIGCHLD, SIG_DFL);  // if it is ignored, a child leaves no status
  void* page = mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) Deny(Line("no memory for the hook: ").Error(errno));
  form = static_cast<volatile HookForm*>(page);
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) Deny(Line("no pipe for the hook: ").Error(errno));
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ < 0) Deny(Line("no process for the hook: ").Error(errno));
  if (child_ == 0) {
    close(pipe[0]);
    return BecomeChild(parent, pipe[1]);
  }
  close(pipe[1]);
  answer_ = pipe[0];
  fcntl(answer_, F_SETFL, O_NONBLOCK);
  signals_ = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) Deny(Line("no signals for the hook: ").Error(errno));
  Supervise();
}

void Supervisor::BecomeChild(pid_t parent, int output) const {
  // A decision that cannot be delivered, because the parent has died, must not be recorded.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kDenied);
  if (dup2(output, STDOUT_FILENO) < 0) _exit(kDenied);
  close(output);
  sigprocmask(SIG_SETMASK, &blocked_, nullptr);
  supervised = true;
}

void Supervisor::Supervise() {
  while (!ended_)
    if (Await(answer_, POLLIN) != 0) ReadAnswer();
  ReadAnswer();
  CheckAnswer();
  PassOn();
}

// Blocks until the file is ready or a signal arrives: the events of the file, or 0.
short Supervisor::Await(int fd, short events) {
  pollfd polled[] = {{fd, events, 0}, {signals_, POLLIN, 0}};
  const long long left = std::max(deadline_ - NowMs(), 0LL);
  const int ready = poll(polled, 2, static_cast<int>(left));
  if (ready == 0) Deny("no decision in time");
  if (ready < 0 && errno != EINTR) Deny(Line("it cannot wait: ").Error(errno));
  if (ready < 0) return 0;
  if (polled[1].revents != 0) TakeSignals();
  return polled[0].revents;
}

void Supervisor::TakeSignals() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == sizeof info) {
    switch (const int signal = static_cast<int>(info.ssi_signo); signal) {
      case SIGCHLD:
        if (waitpid(child_, &status_, WNOHANG) == child_) ended_ = true;
        break;
      case SIGCONT:  // signals that would not end the process
      case SIGTSTP:
      case SIGTTIN:
      case SIGTTOU:
      case SIGURG:
      case SIGWINCH: break;
      default: {
        struct sigaction action;
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) break;
        Deny(Line("interrupted by ").Signal(signal));
      }
    }
  }
}

// Reads everything that is available now.
void Supervisor::ReadAnswer() {
  while (answer_ >= 0) {
    if (size_ == sizeof answer_bytes) Deny("its answer is too long");
    const ssize_t n = read(answer_, answer_bytes + size_, sizeof answer_bytes - size_);
    if (n > 0) {
      size_ += static_cast<std::size_t>(n);
    } else if (n == 0) {
      close(answer_);
      answer_ = -1;
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      Deny(Line("its answer cannot be read: ").Error(errno));
    }
  }
}

void Supervisor::CheckAnswer() const {
  if (WIFSIGNALED(status_)) Deny(Line("killed by ").Signal(WTERMSIG(status_)));
  const int code = WEXITSTATUS(status_);
  if (code != 0 && code != kDenied) Deny(Line("ended with the exit code ").Number(code));
  const std::string_view answer(answer_bytes, size_);
  if (!answer.starts_with('{') || !answer.ends_with("}\n") || answer.find('\n') + 1 != size_)
    Deny("ended without an answer");
}

// Writes in parts of at most PIPE_BUF, which a ready pipe accepts without blocking, so that a
// stalled reader cannot delay this process beyond the deadline.
void Supervisor::PassOn() {
  passing_ = true;
  for (std::size_t done = 0; done < size_;) {
    if (Await(STDOUT_FILENO, POLLOUT) == 0) continue;
    const std::size_t part = std::min<std::size_t>(size_ - done, PIPE_BUF);
    const ssize_t n = write(STDOUT_FILENO, answer_bytes + done, part);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) Deny(Line("the answer cannot be written: ").Error(errno));
    done += static_cast<std::size_t>(n);
  }
  if (close(STDOUT_FILENO) != 0) Deny(Line("the answer cannot be written: ").Error(errno));
  _exit(WEXITSTATUS(status_));
}

}  // namespace

void SuperviseHook(int argc, char** argv) {
  if (supervised) return;
  const HookLine line = ReadHookLine(argc, argv);
  if (line.is_hook) Supervisor(line.timeout_ms).Start();
}

bool IsSupervised() { return supervised; }

void AnswerInForm(HookForm of_event) {
  if (form != nullptr) *form = of_event;
}

}  // namespace rpl
