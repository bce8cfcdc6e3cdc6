// SPDX-License-Identifier: Apache-2.0
//
// The options of a session (runtime/session.h), limits among them. Plain data.
#ifndef RPL_RUNTIME_SESSION_OPTIONS_H_
#define RPL_RUNTIME_SESSION_OPTIONS_H_

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "runtime/log.h"

namespace rpl {

class Journal;
class Profile;
struct GateSetup;

/// Which texts of answers an Outcome has. A million answers take a second for each.
struct AnswerForms {
  bool text = true;  // Outcome::answers; also where there is a journal, which keeps them
  bool json = true;  // Outcome::json_answers
};

/// The stacks of the program (shell/main.cc) and of an embedded engine have room for more nested
/// calls than this.
inline constexpr std::size_t kMostDepth = 100'000;

/// Reaching one is kLimit, with a report that names it.
struct SessionLimits {
  std::size_t max_rows = 50'000'000;       // derived
  std::size_t max_rounds = 100'000;        // of a stratum
  std::size_t max_depth = 20'000;          // nested demanded calls
  std::size_t max_iterations = 1'000'000;  // of one @for
  std::size_t max_timesteps = 100'000;     // of one turn
  double max_seconds = 600;                // that one timestep evaluates; 0: any
  std::size_t max_megabytes = 8'192;       // that the process holds, in units of 2^20; 0: any
};

/// Where a long evaluation is.
struct Progress {
  std::size_t rounds = 0;  // of the stratum that is derived now
  std::size_t rows = 0;    // derived in the session
  std::string_view rule;   // that runs now
  double seconds = 0;      // since the timestep began
};

struct SessionOptions {
  std::string now;  // ISO 8601; empty: the system clock, read once per timestep
  /// Receives each line of the log as it happens; may be empty.
  LogSink log;
  /// Receives what happens, as it happens: objects of docs/schemas/event.json but "done".
  /// May be empty. What a journal replays is not told again, nor logged.
  std::function<void(const nlohmann::ordered_json&)> event;
  /// `log` and `event` are told what a journal replays, too; of calls, only the questions.
  bool tell_replayed = false;
  SessionLimits limits;
  AnswerForms answer_forms;
  bool strict_facts = false;  // a bad row of a facts file refuses the file
  /// That derive rows together where there are many. Nothing but time depends on it.
  std::size_t threads = 1;
  /// Polled while evaluating; true stops with kInterrupted. May be empty.
  std::function<bool()> interrupted;
  /// Told while evaluating, as often as `interrupted` is polled; null when a phase is over.
  /// May be empty.
  std::function<void(const Progress*)> progress;
  /// What the run does is counted there (interp/eval/profile.h). Borrowed; null: not at all.
  Profile* profile = nullptr;
  /// What calls are decided by. Borrowed; null: only what the program forbids itself.
  GateSetup* gate = nullptr;
  /// Where the run is written down, and what it goes through first. Borrowed; may be null.
  Journal* journal = nullptr;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_SESSION_OPTIONS_H_
