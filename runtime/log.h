// SPDX-License-Identifier: Apache-2.0
//
// The log of a session: the actions of each phase, in order, as typed lines.
//
// LogText prints a line for people and for tests; no other code depends on its wording.
#ifndef RPL_RUNTIME_LOG_H_
#define RPL_RUNTIME_LOG_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "formats/diagnostic.h"

namespace rpl {

struct Request;
struct TraceEntry;

/// `text` is the subject of the verb: a rule, a fact, a call, a goal.
struct LogLine {
  enum class Verb : std::uint8_t {
    kPhase,       // a phase begins; `text` is its name
    kRule,        // joins the program
    kConstraint,  // joins the program
    kAsserted,
    kRetracted,
    kLeftToRules,  // a truth of a goal that has rules
    kResolved,     // an argument of a heading
    kDeclined,
    kDecided,  // by a person about a failure, or by a guard about a call
    kDerived,
    kLive,  // a constraint that is checked
    kViolated,
    kUndecided,
    kStopped,  // by a limit
    kConsidered,
    kEligible,
    kIneligible,
    kPassedOver,
    kPlan,
    kCreated,     // a call
    kDispatched,  // a call; `request` has it
    kRefused,     // a reply that is none of the options
    kSatisfied,
    kUnsatisfied,
    kWaiting,
    kOffered,  // to go on after a goal
    kTrace,    // an entry, `entry`
    kChat,
  };
  Verb verb;
  int timestep = 0;
  int phase = 0;
  std::string text = {};
  std::optional<Span> place = {};     // of the subject, in the sources of the session
  const Request* request = nullptr;   // kDispatched; valid during the call of the sink
  const TraceEntry* entry = nullptr;  // kTrace, likewise
};

using LogSink = std::function<void(const LogLine&)>;

/// The verb as text: "dispatched", "trace"; "" for kPhase.
std::string_view VerbText(LogLine::Verb verb);

/// The text after the timestep and phase: "asserted edge(1, 2)", "quiesce relations".
std::string SaidText(const LogLine& line);

/// The whole line: "3.2 asserted edge(1, 2)".
std::string LogText(const LogLine& line);

/// The text with line ends replaced by blanks.
std::string OneLine(std::string text);

}  // namespace rpl

#endif  // RPL_RUNTIME_LOG_H_
