// SPDX-License-Identifier: Apache-2.0
//
// The setup of a gate (runtime/step/gate.h): a policy, and the settings and services that its
// decisions and those of the program's own constraints need. Plain data.
#ifndef RPL_RUNTIME_GATE_SETUP_H_
#define RPL_RUNTIME_GATE_SETUP_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "checks/guard/guard.h"
#include "checks/guard/guard_config.h"
#include "checks/guard/guard_store.h"

namespace rpl {

/// The policy and services of a gate. Owned by the shell, borrowed by sessions.
struct GateSetup {
  std::shared_ptr<const Guard> guard;  // null: no policy
  GuardAgent agent;                    // without a policy
  GuardConfig config;
  std::string policy_name;  // for people: the file
  GuardStore store;
  std::string audit;  // path, or ""
  bool audit_required = false;
  /// Runs a command with one line of JSON. Empty: there are no commands.
  std::function<Sourced<nlohmann::ordered_json>(const GuardCommand&,
                                                const nlohmann::ordered_json& input)>
      run;
  /// Receives warnings for people, one line each. May be empty.
  std::function<void(const std::string&)> warn;
  /// The setup as recorded for a replay, see journal.h; `reader` restores it.
  nlohmann::ordered_json record;
  /// What tells the session from its copies (SessionStore::place), or "".
  std::string session = {};
};

/// The record of a setup; null where there is none.
inline nlohmann::ordered_json RecordOf(const GateSetup* setup) {
  return setup != nullptr ? setup->record : nullptr;
}

}  // namespace rpl

#endif  // RPL_RUNTIME_GATE_SETUP_H_
