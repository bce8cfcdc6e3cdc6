// SPDX-License-Identifier: Apache-2.0
//
// The table of the agent hosts whose hooks `rpl guard hook` serves: one row per host, which has
// all that differs between hosts, and within it one row per event. A new host is a row of
// hook_table.cc, and its fixtures in hook_protocol_test.cc; CONTRIBUTING.md has the steps.
//
// Two hosts may give events the same name. Unless `--host` says which of them it is, the signs of
// an event do, see FindHookRow (hook_reader.h).
//
// A list is a text of words with blanks between. Keys are the best first; those within keys are
// joined by a dot.
#ifndef RPL_SHELL_GUARD_HOOK_TABLE_H_
#define RPL_SHELL_GUARD_HOOK_TABLE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/guard/hook_form.h"

namespace rpl {

enum class HookEventKind {
  kBefore,        // the agent wants to use a tool
  kAfter,         // the use of a tool has ended
  kFailed,        // it has failed
  kSessionStart,  // also of a session that is resumed, cleared or compacted
  kSessionEnd,
  kSaid,         // what the user typed, before the agent reads it
  kTurnEnd,      // the agent wants to end its turn
  kSubagentEnd,  // a subagent wants to end
};

/// True for the events of the use of a tool.
inline bool IsToolUse(HookEventKind kind) { return kind <= HookEventKind::kFailed; }

/// How a host reports, after the use of a tool, whether it ended well.
enum class HookEnd {
  kNotTold,     // not at all: such a report is no evidence
  kByEvent,     // by the event, except where the result of a shell says otherwise
  kByExitCode,  // by the result's `exitCode` or `metadata.exit`; of a tool without, by the event
  kByError,     // by the result's `error`; of a shell a failure to start it alone
  kByIsError,   // by the result's `isError`, which tools of MCP servers alone have
  kByType,      // by the result's type; of a shell a failure alone
};

/// How an answer adds to what the agent reads.
enum class HookContextForm {
  kNoContext,  // not at all
  kSpecific,   // {"hookSpecificOutput": {"hookEventName", "additionalContext"}}
  kSnake,      // {"additional_context"}
  kCamel,      // {"additionalContext"}
};

/// An event of a host: where it has its tool, arguments, result and text, which form a denial has,
/// and how the end of a call is known.
struct HookRow {
  std::string_view name;
  HookEventKind kind = HookEventKind::kBefore;
  HookForm form = HookForm::kSilent;  // of a denial
  std::string_view tool = "";         // the key of the tool's name, or after `=` the name itself
  std::string_view args = "";    // the key of the arguments, an object or the text of one; "" if
                                 // they are the event's other keys
  std::string_view result = "";  // the keys of what the tool gave back, or of what the user typed
  HookEnd end = HookEnd::kNotTold;
  bool asks = false;  // kBefore: the host puts `ask` to its user
  HookContextForm context = HookContextForm::kNoContext;
  // Of events of tools of MCP servers: the key of the server's name, which may be missing, and of
  // the server's name for the tool. An event without the latter may be one of another tool.
  std::string_view server = "";
  std::string_view served = "";
  bool installed = true;  // `rpl guard install` sets a hook for it (hook_settings.h)
};

/// A sign that an event is one of a host.
struct HookSign {
  enum class Name {
    kAny,
    kNoName,  // the event has no name
    kKnown,   // it is one of the host's events; counts after all signs of other kinds
    kDotted,  // it has a dot
  };
  std::string_view keys = "";  // the event has all of them
  Name name = Name::kAny;
  std::string_view without = "";  // and none of these
};

/// The name of an event whose JSON has none: its keys identify it.
struct UnnamedHook {
  std::string_view keys;  // the event has all of them
  std::string_view name;
};
inline constexpr UnnamedHook kUnnamedHooks[] = {{"", "PreToolUse"}};

/// The keys of the parts of a host's events. An event without its host's key may have that
/// of another host, as hosts read each other's settings.
struct HookKeys {
  std::string_view event = "hook_event_name";
  std::string_view session = "session_id";
  std::string_view call = "tool_use_id";  // an id of the call
  std::string_view folder = "cwd";        // that the agent is in
  std::string_view project = "";          // its folder
  std::string_view agent = "agent_type";  // the name of a subagent; a main agent, which has no id,
                                          // may have one, too
  std::string_view agent_id = "agent_id";
  std::string_view subagent = "";             // the name of a subagent alone
  std::string_view detail = "source reason";  // why a session or a turn begins or ends
  std::string_view no_arguments = "";  // that are none, where these are the event's other keys
};

/// The file of settings by which a host runs hooks, and what an agent may not touch
/// (hook_settings.h, host_protection.h).
struct HookSettings {
  std::string_view file;                 // below the folder of the project
  std::string_view command = "command";  // the key of the command in an entry
  std::string_view entry = "{}";         // the other keys of an entry, JSON
  std::string_view head = "{}";          // the keys that the file has besides `hooks`, JSON
  bool in_groups = false;                // entries are in lists, each with a matcher
  bool needs_project = false;            // the events name no folder, so the command does
  /// A list of files and folders by which the host's hooks and servers are set or turned off: below
  /// the project's folder and the home folder, with `~/` below the latter alone; or, from `/` on,
  /// where they are.
  std::string_view places = "";
  /// If the file is no settings, but a plugin: makes its text of a command and of the time after
  /// which the command is killed.
  std::string (*plugin)(std::span<const std::string> command, int timeout_ms) = nullptr;
};

/// The tools of a host itself, which are no server's.
struct HookTools {
  enum class Others {
    kOfAllHosts,         // also those of all hosts, and those that can be read (IsReadTool)
    kWithoutUnderscore,  // also those without a `_`, which every name for a server's tool has
    kNoOthers,
  };
  std::string_view names = "";  // a list, besides those that can be read
  Others others = Others::kOfAllHosts;
};

struct HookHost {
  std::string_view name;             // of `--host`, and in messages
  std::string_view short_name = "";  // that `--host` takes as well
  HookKeys keys = {};
  std::span<const HookSign> signs = {};
  std::span<const UnnamedHook> unnamed = kUnnamedHooks;  // the first that fits
  /// The variable of a hook's environment that names the project's folder.
  std::string_view project_variable = "";
  /// The tag of what hooks told the agent, if it stands before what the user typed.
  std::string_view context_tag = "";
  HookSettings settings;
  HookTools tools = {};
  std::span<const HookRow> events;  // at least one, of kBefore first
};

/// All rows. Of events with the same name, those of a host before others are meant where no sign
/// says more; what is no host's is the first one's.
std::span<const HookHost> HookHosts();

/// The host with the name, or null.
const HookHost* FindHookHost(std::string_view name);

/// Whether a tool of this name is the host's own, and no server's; null for a host that is not
/// known, whose own tools are those of all hosts.
bool IsOwnTool(const HookHost* host, std::string_view tool);

/// The words of a list.
std::vector<std::string_view> HookWords(std::string_view list);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_HOOK_TABLE_H_
