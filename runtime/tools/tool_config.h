// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a project, `rpl.yaml`: which command stands behind which tool, and
// what it may do (docs/tools.md).
//
// Reading it is all or nothing: a file with an error configures no tool, and all its
// errors are found at once. What is read here is only what the file says; whether a
// command may run at all is for its user to approve (runtime/tools/tool_approval.h).
#ifndef RPL_RUNTIME_TOOLS_TOOL_CONFIG_H_
#define RPL_RUNTIME_TOOLS_TOOL_CONFIG_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/guard/guard_config.h"
#include "formats/diagnostic.h"

namespace rpl {

enum class Permit { kAsk, kAllow, kDeny };

/// What one argument of a call must be, compared as the JSON that the tool would receive:
/// text is never searched, 1 and 1.0 are the same number, and a list, set or map fits only
/// kAny.
struct ArgPattern {
  enum class Kind { kAny, kOneOf, kPrefix };
  Kind kind = Kind::kAny;
  std::vector<nlohmann::ordered_json> values;  // kOneOf: scalars; one for a plain scalar
  std::string prefix;                          // kPrefix: of a string

  bool Fits(const nlohmann::ordered_json& arg) const;
};

/// A call fits when it has an argument for each pattern, and each fits; arguments past the
/// last pattern are free.
struct ToolRule {
  std::vector<ArgPattern> args;
  Permit permission = Permit::kAsk;
};

struct ToolCommand {
  std::string name;               // of the tool, without `$`
  std::vector<std::string> argv;  // not empty; a first word with a `/` is absolute
  std::string folder;             // to work in, absolute
  std::vector<std::string> environment = {"PATH", "HOME", "LANG", "TZ"};  // passed on if set
  std::chrono::milliseconds timeout{30'000};
  std::size_t max_output_bytes = std::size_t{1} << 20;  // of a reply, and of the log
  Permit permission = Permit::kAsk;
  std::vector<ToolRule> rules;  // the first that fits decides, else `permission`
  std::string home;             // folder of the file that brings the command, absolute
};

Permit PermitFor(const ToolCommand& command, const nlohmann::ordered_json& args);

struct ToolConfig {
  GuardConfig guard;
  nlohmann::ordered_json guard_json = nullptr;  // the part it was read from
  std::size_t concurrency = 4;                  // calls at a time
  std::vector<ToolCommand> tools;               // in written order

  const ToolCommand* Find(std::string_view name) const;
};

/// Reads a file of `sources` that stands in `folder`, an absolute path. nullopt when it has
/// errors (RPL7xxx), which go to `found`.
std::optional<ToolConfig> ReadToolConfig(const Sources& sources, std::uint32_t file,
                                         const std::string& folder, Diagnostics& found);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_TOOL_CONFIG_H_
