// SPDX-License-Identifier: Apache-2.0
//
// Signals while the event loop of the tools runs, which handles SIGINT, SIGTERM and SIGHUP in place
// of the handlers of its caller.
//
// The loop takes a signal only between two events. A callback of the caller may wait, for a
// database say, and asks the caller whether Ctrl-C came: so the caller has its own handler of
// SIGINT while a callback runs. The loop polls ToolRun::interrupted and hears of it afterwards.
#ifndef RPL_RUNTIME_TOOLS_LOOP_SIGNALS_H_
#define RPL_RUNTIME_TOOLS_LOOP_SIGNALS_H_

#include <array>
#include <csignal>
#include <cstddef>

namespace rpl {

/// Restores the handlers that the loop replaced, and raises the signals that arrived meanwhile.
class SignalsAfterwards {
 public:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

  SignalsAfterwards() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &before_[i]);
  }
  ~SignalsAfterwards() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      if (came_[i]) std::raise(kSignals[i]);
  }
  SignalsAfterwards(const SignalsAfterwards&) = delete;
  SignalsAfterwards& operator=(const SignalsAfterwards&) = delete;

  /// The caller's handling of SIGINT.
  const struct sigaction& interrupt() const { return before_[0]; }
  bool Ignored(std::size_t i) const { return before_[i].sa_handler == SIG_IGN; }
  void Came(int number) {
    for (std::size_t i = 0; i < kSignals.size(); ++i) came_[i] |= kSignals[i] == number;
  }

 private:
  std::array<struct sigaction, 3> before_;
  std::array<bool, 3> came_ = {};
};

/// While it exists, SIGINT goes to the caller's handler, if the caller has one.
class CallersInterrupt {
 public:
  explicit CallersInterrupt(const SignalsAfterwards& signals) {
    const auto handler = signals.interrupt().sa_handler;
    handles_ = handler != SIG_DFL && handler != SIG_IGN;
    if (handles_) sigaction(SIGINT, &signals.interrupt(), &of_loop_);
  }
  ~CallersInterrupt() {
    if (handles_) sigaction(SIGINT, &of_loop_, nullptr);
  }
  CallersInterrupt(const CallersInterrupt&) = delete;

 private:
  bool handles_;
  struct sigaction of_loop_ = {};
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_LOOP_SIGNALS_H_
