// SPDX-License-Identifier: Apache-2.0
//
// The decision about an event of an agent's host: a call, or the end of a turn.
//
// A constraint is about the event if its left side reaches the calls of the host. It is violated by
// the event if an instance is violated with it that is not without it; and undecided if it is
// undecided with it and not without it. Nothing is asked, called, logged or traced, and the state
// stays as it is.
//
// Borrows its arguments. One thread.
#ifndef RPL_RUNTIME_STEP_HOST_CHECK_H_
#define RPL_RUNTIME_STEP_HOST_CHECK_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/outcome.h"
#include "runtime/request.h"
#include "runtime/step/part_names.h"

namespace rpl {

struct Clause;
struct Constraint;

/// A command that the program reads as evidence (`std#succeeded`).
struct WantedEvidence {
  std::string program;
  /// Texts; nullopt if the program does not write them out.
  std::optional<std::vector<std::string>> arguments;

  friend bool operator==(const WantedEvidence&, const WantedEvidence&) = default;
};

/// What a constraint finds against an event.
struct HostFinding {
  bool violated = false;                      // else undecided
  ToDo words = {};                            // its heading and prose, filled in
  std::vector<OpenRequest> questions = {};    // undecided: what it waits for, or
  std::string why = {};                       // why it cannot be known
  std::vector<WantedEvidence> evidence = {};  // violated: what its right side reads
  std::vector<std::string> reads = {};        // undecided: relations with open rows that it reads
};

/// In the order of the constraints. `stop`: why the check was not made or not ended, or "": then
/// the event is undecided.
struct HostFindings {
  std::vector<HostFinding> found;
  std::string stop;
  bool applied = false;  // a constraint over what is under decision has an instance
};

class HostCheck {
 public:
  struct Parts {
    interp::Engine& engine;
    const SessionOptions& options;
    const Derivations& derivations;
    const Violations& violations;
    const RequestWriter& requests;
    const CallBook& calls;
    Value now;
  };
  explicit HostCheck(Parts run) : run_(run), engine_(run.engine) {}

  /// REQUIRES: a host whose last entry is the event.
  HostFindings Check();
  /// Whether some constraint reads the calls of a host: no other program decides about one.
  bool Binds() const;

 private:
  /// What a constraint reads of the host.
  enum class Reach {
    kNothing,
    kCalls,
    kEvent,  // its left side reads what is under decision, and has no instance without it
  };
  struct State;
  std::string WhyUnfit() const;
  ToDo WordsOf(const Violated& v) const;
  Reach ReachOf(const Constraint& c) const;
  std::vector<WantedEvidence> EvidenceOf(const std::vector<Clause>& clauses) const;
  std::vector<std::string> OpenReadsOf(const Constraint& c) const;
  State StateAt(std::optional<std::int64_t> entry, const Constraint& c);
  void Judge(const Constraint& c, std::int64_t event, Reach reach, HostFindings& out);

  const Parts run_;
  interp::Engine& engine_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_HOST_CHECK_H_
