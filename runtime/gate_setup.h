// SPDX-License-Identifier: Apache-2.0
//
// The setup of a gate (runtime/gate.h): a policy and the services that decisions need. Plain data.
#ifndef RPL_RUNTIME_GATE_SETUP_H_
#define RPL_RUNTIME_GATE_SETUP_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "checks/guard/approvals.h"
#include "checks/guard/guard.h"
#include "checks/guard/guard_config.h"

namespace rpl {

/// What a run is guarded with. Owned by the shell, borrowed by sessions.
struct GateSetup {
  std::shared_ptr<const Guard> guard;
  GuardConfig config;
  std::string policy_name;  // for people: the file
  ReviewLog reviews{""};
  std::string audit;  // path, or ""
  bool audit_required = false;
  /// Runs a command with one line of JSON; may be empty: then there are no commands.
  std::function<Sourced<nlohmann::ordered_json>(const GuardCommand&,
                                                const nlohmann::ordered_json& input)>
      run;
  /// Told what a person should know, one line; may be empty.
  std::function<void(const std::string&)> warn;
  /// What a replay needs of all this; see journal.h. `reader` makes a setup of it again.
  nlohmann::ordered_json record;
  /// Calls that earlier epochs of the session made.
  std::vector<nlohmann::ordered_json> earlier = {};
};

}  // namespace rpl

#endif  // RPL_RUNTIME_GATE_SETUP_H_
