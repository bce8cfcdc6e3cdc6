// SPDX-License-Identifier: Apache-2.0
//
// The options of a session (runtime/run/session.h), including its limits. Plain data.
#ifndef RPL_RUNTIME_SESSION_OPTIONS_H_
#define RPL_RUNTIME_SESSION_OPTIONS_H_

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "interp/store/by.h"
#include "runtime/log.h"

namespace rpl {

class HostDescription;
class Journal;
class Profile;
struct GateSetup;

/// The texts of answers to make for an Outcome. Each takes about a second per million answers.
struct AnswerForms {
  bool text = true;  // Outcome::answers; also where there is a journal, which keeps them
  bool json = true;  // Outcome::json_answers
};

/// Largest limit on nested calls. The stacks of the program (shell/main.cc) and of an embedded
/// engine have room for more.
inline constexpr std::size_t kMostDepth = 100'000;

/// Limits of a session. Reaching one gives the outcome kLimit, with a report that names it.
/// 0 is no limit; of max_depth, kMostDepth.
struct SessionLimits {
  std::size_t max_rows = 50'000'000;       // derived
  std::size_t max_rounds = 100'000;        // of a stratum
  std::size_t max_depth = 20'000;          // nested tabled calls
  std::size_t max_iterations = 1'000'000;  // of one @for
  std::size_t max_timesteps = 100'000;     // of one turn
  double max_seconds = 600;                // evaluation time of one timestep
  std::size_t max_megabytes = 8'192;       // memory of the process in MiB
};

/// The progress of a long evaluation.
struct Progress {
  std::size_t rounds = 0;  // of the current stratum
  std::size_t rows = 0;    // derived in the session
  std::string_view rule;   // the one running now
  double seconds = 0;      // since the timestep began
};

struct SessionOptions {
  std::string now;  // ISO 8601; empty: the system clock, read once per timestep
  /// Receives each line of the log as it happens; may be empty.
  LogSink log;
  /// Receives events as they happen: objects of docs/schemas/event.json except "done". May be
  /// empty. Replayed events are neither reported nor logged.
  std::function<void(const nlohmann::ordered_json&)> event;
  bool tell_derived = true;  // report derived rows as events, each of which is printed for that
  /// Report and log replayed events as well; of calls, only questions.
  bool tell_replayed = false;
  SessionLimits limits;
  AnswerForms answer_forms;
  /// Whose answers those of a host are to count as, by the word of who starts the run.
  std::optional<By> answers_by = {};
  /// Who confirmed, as a person, what this process does: the account, and where. Recorded with the
  /// turns and the program that it begins; "" for nobody.
  std::string person = {};
  bool strict_facts = false;  // a bad row of a facts file refuses the file
  /// Whether what comes from outside passes the door of decision 92. False only where a session of
  /// a version without one is replayed.
  bool door = true;
  /// Whether messages may state guard data (decision 92), as those of a host that calls the library
  /// do.
  bool of_library = false;
  /// Whether nothing but the answers to queries is asked for, so that relations that neither they
  /// nor the constraints rest on are not derived.
  bool answers_only = false;
  /// Threads that derive rows. Affects nothing but time.
  std::size_t threads = 1;
  /// From how many iterations on a loop over a table is resumed in the next timestep instead of run
  /// again (interp/eval/resumption.h); SIZE_MAX: never. Likewise.
  std::size_t long_loop = 64;
  /// Polled while evaluating; true stops with kInterrupted. May be empty.
  std::function<bool()> interrupted;
  /// Called while evaluating, as often as `interrupted`; with null at the end of a phase. May be
  /// empty.
  std::function<void(const Progress*)> progress;
  /// Counters of the run (interp/eval/profile.h). Borrowed; null: none.
  Profile* profile = nullptr;
  /// The policy for calls. Borrowed; null: only the program's own prohibitions apply.
  GateSetup* gate = nullptr;
  /// The calls of an agent's host. Borrowed; null: none reports its calls.
  HostDescription* host = nullptr;
  /// The record of the run, which is replayed first. Borrowed; may be null.
  Journal* journal = nullptr;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_SESSION_OPTIONS_H_
