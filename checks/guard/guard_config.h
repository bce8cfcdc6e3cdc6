// SPDX-License-Identifier: Apache-2.0
//
// What a guard is told besides its policy: the part `guard` of a configuration.
//
//   guard:
//     agent: {slug: support, tags: [prod]}
//     organisationTimezone: Europe/Berlin
//     user: {externalId: u1, metadata: {tier: pro}}
//     tools:
//       issue-refund: {name: issueRefund, tags: [finance], params: [order, amount]}
//     signals:
//       risk: {command: [./risk.sh], timeoutMs: 500}
//     subjects:
//       issueRefund: {command: [./customer.sh]}
//
// A tool is declared under its RPL label; policies, signals and subjects use its name. A
// command reads one line of JSON and prints one JSON value.
#ifndef RPL_CHECKS_GUARD_GUARD_CONFIG_H_
#define RPL_CHECKS_GUARD_GUARD_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checks/guard/guard.h"
#include "formats/yaml_tree.h"

namespace rpl {

struct GuardTool {
  std::string label;
  std::string name;
  std::vector<std::string> tags;
  std::vector<std::string> params;  // names of the arguments, by position
};

struct GuardCommand {
  std::string of;                 // the signal's key, or the tool's name
  std::vector<std::string> argv;  // a first word with a `/` is absolute
  std::int64_t timeout_ms = 5000;
};

struct GuardConfig {
  GuardAgent agent;
  std::optional<EndUser> user;
  std::vector<GuardTool> tools;
  std::vector<GuardCommand> signals;
  std::vector<GuardCommand> subjects;

  /// By label, then by name; null when it is not declared.
  const GuardTool* FindTool(const std::string& label) const;
  const GuardCommand* FindSignal(const std::string& key) const;
  const GuardCommand* FindSubjects(const std::string& tool) const;
};

/// Reads the part, a map; programs with a `/` are relative to `folder`. Errors go to `found`.
GuardConfig ReadGuardConfig(const YamlNode& root, const YamlNode& guard, const std::string& folder,
                            Diagnostics& found);

/// What a subject extractor prints: a list of {"subjectType", "value", "role", "idSystem"}.
Sourced<std::vector<Subject>> ReadSubjects(const nlohmann::ordered_json& json);

/// An end user: {"externalId", "metadata", "group"}, all optional.
std::optional<EndUser> ReadEndUser(const nlohmann::ordered_json& json, std::string& error);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_GUARD_CONFIG_H_
