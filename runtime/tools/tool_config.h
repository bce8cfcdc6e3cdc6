// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a project, `rpl.yaml`: the command of each tool and its permissions
// (docs/tools.md).
//
// Reading is all or nothing: a file with an error configures no tool, and all its errors are found
// at once. The file cannot permit its own commands to run: they require the user's approval
// (runtime/tools/tool_approval.h).
#ifndef RPL_RUNTIME_TOOLS_TOOL_CONFIG_H_
#define RPL_RUNTIME_TOOLS_TOOL_CONFIG_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/guard/guard_config.h"
#include "formats/diagnostic.h"
#include "runtime/tools/model_config.h"

namespace rpl {

/// The permission of a call: ask the user, allow, deny.
enum class Permit { kAsk, kAllow, kDeny };

/// A pattern for one argument, compared as the JSON that the tool would receive: text is never
/// searched, 1 and 1.0 are the same number, and lists, sets and maps match only kAny.
struct ArgPattern {
  enum class Kind { kAny, kOneOf, kPrefix };
  Kind kind = Kind::kAny;
  std::vector<nlohmann::ordered_json> values;  // kOneOf: scalars; a plain scalar is one
  std::string prefix;                          // kPrefix: of a string

  /// True if the argument matches.
  bool Fits(const nlohmann::ordered_json& arg) const;
};

/// A rule matches a call with at least one argument per pattern if each pattern matches; further
/// arguments are free.
struct ToolRule {
  std::vector<ArgPattern> args;
  Permit permission = Permit::kAsk;
};

/// A server of the Model Context Protocol, under a name of the configuration.
struct McpServer {
  std::string name;
  std::vector<std::string> argv;  // of a process; empty: at `url`
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  // with ${NAME} for variables
  std::string folder;                                        // working directory, absolute
  std::vector<std::string> environment = {"PATH", "HOME", "LANG", "TZ"};  // passed on if set
  std::chrono::milliseconds start{10'000};  // for the handshake and the list of the tools
};

/// A tool of such a server.
struct McpUse {
  std::shared_ptr<const McpServer> server;
  std::string tool;               // its name there
  std::vector<std::string> args;  // names of the positional arguments
  bool has_args = false;          // else the only argument is a map of all of them
  bool json = false;              // the text of a result is JSON
};

/// A tool and its command. Of a tool of a server `argv`, `folder` and `environment` are those of
/// the server, or its address and headers.
struct ToolCommand {
  std::string name;               // of the tool, without `$`
  std::vector<std::string> argv;  // not empty; a program with a `/` is absolute
  std::string folder;             // working directory, absolute
  std::vector<std::string> environment = {"PATH", "HOME", "LANG", "TZ"};  // passed on if set
  std::chrono::milliseconds timeout{30'000};
  std::size_t max_output_bytes = std::size_t{1} << 20;  // of a reply, and of the log
  Permit permission = Permit::kAsk;
  std::vector<ToolRule> rules;  // the first that matches decides, else `permission`
  std::string home;             // folder of the configuration file, absolute
  std::optional<McpUse> mcp;    // the call goes to a server
};

/// The permission of a call with these arguments, a list.
Permit PermitFor(const ToolCommand& command, const nlohmann::ordered_json& args);

/// A relation in a database, which `$index` reads by its name.
struct DatabaseRelation {
  std::string name;
  std::string variable;       // of the environment, with the URL: only who sets it gives access
  std::string table;          // quoted; "" with a query
  std::string sql;            // a SELECT
  bool record_query = false;  // a session records a digest of the rows in place of the rows
  bool push = true;           // rules over it may be evaluated in the database
};

/// The settings of `$index` and `$write`.
struct FileConfig {
  std::vector<DatabaseRelation> relations;
  std::vector<std::string> index_folders;  // that may be read besides the program's, absolute
  Permit write = Permit::kAsk;
  std::string write_folder;  // absolute; "": the program's
};

/// A configuration without errors.
struct ToolConfig {
  FileConfig files;
  GuardConfig guard;
  nlohmann::ordered_json guard_json = nullptr;  // the section `guard` as JSON, or null
  std::size_t concurrency = 4;                  // concurrent calls, 1 to 64
  ModelConfig model;                            // without a provider: none
  Permit model_permission = Permit::kAsk;       // of a question that goes to it
  std::vector<ToolCommand> tools;               // in written order

  /// The tool of that name, or null.
  const ToolCommand* Find(std::string_view name) const;
};

/// Reads a file of `sources` in `folder`, an absolute path. nullopt if it has errors (RPL7xxx),
/// which are added to `found`.
std::optional<ToolConfig> ReadToolConfig(const Sources& sources, std::uint32_t file,
                                         const std::string& folder, Diagnostics& found);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_TOOL_CONFIG_H_
