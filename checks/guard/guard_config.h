// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a guard besides its policy: the section `guard` of a configuration file.
//
//   guard:
//     agent: {slug: support, tags: [prod]}
//     organisationTimezone: Europe/Berlin
//     onMissing: block
//     user: {externalId: u1, metadata: {tier: pro}}
//     tools:
//       issue-refund: {name: issueRefund, tags: [finance], params: [order, amount]}
//     signals:
//       risk: {command: [./risk.sh], timeoutMs: 500}
//     subjects:
//       issueRefund: {command: [./customer.sh]}
//
// A tool is declared under its RPL label; policies, signals and subjects use its name. A command
// reads one line of JSON and prints one JSON value.
#ifndef RPL_CHECKS_GUARD_GUARD_CONFIG_H_
#define RPL_CHECKS_GUARD_GUARD_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checks/guard/guard.h"
#include "formats/data/yaml_tree.h"

namespace rpl {

/// A tool as policies see it.
struct GuardTool {
  std::string label;
  std::string name;
  std::vector<std::string> tags;
  std::vector<std::string> params;  // names of the positional arguments
};

/// A command that provides a signal or the subjects of a tool.
struct GuardCommand {
  std::string of;                  // the signal's key, or the tool's name
  std::vector<std::string> argv;   // not empty; a program with a `/` is in `folder`
  std::int64_t timeout_ms = 5000;  // 1 to 60000
};

/// The section. The Find functions return null for what is not declared.
struct GuardConfig {
  GuardAgent agent;
  std::optional<EndUser> user;
  std::vector<GuardTool> tools;
  std::vector<GuardCommand> signals;
  std::vector<GuardCommand> subjects;

  /// By label, then by name.
  const GuardTool* FindTool(const std::string& label) const;
  /// The command of a signal, by its key, and the command for the subjects of a tool, by its name.
  const GuardCommand* FindSignal(const std::string& key) const;
  const GuardCommand* FindSubjects(const std::string& tool) const;
};

/// Reads the section `guard` of `root`. Programs with a `/` are relative to `folder`. Errors are
/// added to `found`; the result then has defaults in their place and must not be used.
GuardConfig ReadGuardConfig(const YamlNode& root, const YamlNode& guard, const std::string& folder,
                            Diagnostics& found);

/// The output of a command for subjects: a list of {"subjectType", "value", "role", "idSystem"},
/// the last two optional. No value if it has another shape.
Sourced<std::vector<Subject>> ReadSubjects(const nlohmann::ordered_json& json);

/// An end user: {"externalId", "metadata", "group"}, all optional; nullopt for null. `error` is set
/// if the shape is wrong.
std::optional<EndUser> ReadEndUser(const nlohmann::ordered_json& json, std::string& error);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_GUARD_CONFIG_H_
