// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/limit_watch.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "interp/store/pages.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
// Where half of the memory is in use: in this time less than a hundredth of a limit is filled.
constexpr auto kBetweenCloseLooks = std::chrono::milliseconds(1);
// What an evaluation may take beyond the limit before it is ended, though it polls.
constexpr std::size_t kMostPercent = 106;
// An evaluation that polls stops in less.
constexpr auto kGrace = std::chrono::milliseconds(120);
constexpr double kGraceSeconds = 0.12;
constexpr std::size_t kStackBytes = std::size_t{64} << 10;

std::atomic<double> most_seconds = 0;         // of the processor; 0: no limit
std::atomic<std::size_t> most_megabytes = 0;  // 0: no limit

void Say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

double UsedSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

[[noreturn]] void End(ExitCode code, const std::string& why) {
  Say(why);
  _exit(code);
}

[[noreturn]] void* Watch(void*) {
  double used = 0;  // when the limits were last polled
  Clock::time_point polled = Clock::now();
  Clock::time_point pressed{};  // Ctrl-C, as far as nobody took it
  bool close = false;
  for (;;) {
    if (close) std::this_thread::sleep_for(kBetweenCloseLooks);
    else std::this_thread::sleep_for(kBetweenLooks);
    const auto now = Clock::now();
    const double used_now = UsedSeconds();
    if (TakePolled()) {
      used = used_now;
      polled = now;
      pressed = {};
    } else if (IsInterruptOpen()) {
      if (pressed == Clock::time_point{}) pressed = now;
      if (now - pressed >= kGrace) End(kExitInterrupted, "interrupted\n");
    }
    const double seconds = most_seconds;
    if (seconds > 0 && used_now - used > seconds + kGraceSeconds)
      End(kExitLimit,
          fmt::format("limit reached: {} seconds\nhelp: `--max-time` sets this limit\n", seconds));
    const std::size_t megabytes = most_megabytes;
    if (megabytes == 0) continue;
    const std::size_t resident = ResidentMegabytes();
    close = resident > megabytes / 2;
    if (resident > megabytes * kMostPercent / 100 ||
        (resident > megabytes && now - polled >= kGrace))
      End(kExitLimit,
          fmt::format("limit reached: {} MB of memory\nhelp: `--max-memory` sets this limit\n",
                      megabytes));
  }
}

}  // namespace

void WatchLimits(const SessionLimits& limits, std::size_t threads) {
  most_seconds = limits.max_seconds * static_cast<double>(threads);
  most_megabytes = limits.max_megabytes;
  static bool watches = false;
  if (std::exchange(watches, true)) return;
  // Signals are for the threads that wait for input.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;  // without one, evaluation still polls
  pthread_create(&thread, &attributes, Watch, nullptr);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void EndWithoutMemory() {
  Say("limit reached: memory\nhelp: the program derives or builds more than this machine holds\n");
  _exit(kExitLimit);
}

}  // namespace rpl
