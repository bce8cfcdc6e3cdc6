// SPDX-License-Identifier: Apache-2.0
//
// The limits of a run, and the first one that its timestep reached.
//
// Limits on work (rows, rounds, nested calls, iterations) are counted by the engine, which is told
// them here; those on time and memory, and interrupts, are polled while it evaluates. Time counts
// from Begin. While a recorded run is replayed it does not count, since the recorded one stayed
// within its limits.
//
// Borrows the engine and the options. One thread.
#ifndef RPL_RUNTIME_FACTS_BUDGET_H_
#define RPL_RUNTIME_FACTS_BUDGET_H_

#include <chrono>
#include <cstddef>
#include <string>

#include "interp/eval/engine.h"
#include "runtime/session_options.h"

namespace rpl {

class Budget {
 public:
  /// Watches the evaluations of the engine from now on.
  Budget(interp::Engine& engine, const SessionOptions& options);
  Budget(const Budget&) = delete;
  ~Budget();

  const SessionLimits& limits() const { return limits_; }
  std::size_t max_timesteps() const { return max_timesteps_; }
  /// Sets the limits. True if those on work differ from those before: what was evaluated within the
  /// old ones might not be within these.
  bool Set(const SessionLimits& limits) {
    limits_ = limits;
    return Count(limits);
  }
  /// Likewise, for those on work alone: a replayed timestep has the ones that it was recorded with.
  bool Count(const SessionLimits& limits);

  /// Begins a timestep: nothing has stopped it.
  void Begin();
  /// Whether evaluation goes on; else, the limit that is reached now. To be polled while
  /// evaluating, and before an allocation of `bytes` that is filled at once.
  Stop Poll(std::size_t bytes);

  /// Records that a limit stopped the timestep while `at`, a rule, a call or a row, was evaluated.
  /// `overflow`: what was too large (kValue). Only the first counts, as what runs after it is soon
  /// stopped as well: true if this is the first.
  bool Stopped(Stop stop, std::string at, std::string overflow = "");
  /// The same for a stop of the engine, which is cleared, so that what follows runs on what stands.
  bool Take(Stop stop, std::string at);
  /// Names the newest row of the relation that was growing.
  void Grew(std::string row) { reached_.newest = std::move(row); }

  /// The first limit that was reached; kGoesOn: none.
  Stop stop() const { return reached_.stop; }
  /// What was evaluated when it was reached.
  const std::string& stopped_at() const { return reached_.at; }
  /// Whether the clock, the memory or an interrupt cut the timestep off, so that it is not
  /// repeatable.
  bool IsCutOff() const;
  /// The limit: "1000 rows", "5 seconds"; "" if there is none, or for an interrupt.
  std::string LimitText() const;
  /// What was growing when it was reached.
  std::string StoppedText() const;
  /// Why absence proves nothing after the timestep: a limit, an interrupt, or else a fact of which
  /// a part is missing.
  std::string CutOffText() const;

  /// What was reached; what a side evaluation, such as an explanation, reaches leaves no trace if
  /// this is restored after it.
  struct Reached {
    Stop stop = Stop::kGoesOn;
    std::string at;
    std::string newest;
    std::string overflow;
  };
  /// Begins a side evaluation, for which the limit of the timestep is `still_reached`. Returns what
  /// was reached before.
  Reached BeginAside(bool still_reached);
  void EndAside(Reached before) { reached_ = std::move(before); }

 private:
  interp::Engine& engine_;
  const SessionOptions& options_;
  SessionLimits limits_;
  std::size_t max_timesteps_ = 0;
  std::chrono::steady_clock::time_point started_;
  Reached reached_;
  std::size_t resident_ = 0;  // MiB of the process, when measured last
  std::chrono::steady_clock::time_point measured_next_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_BUDGET_H_
