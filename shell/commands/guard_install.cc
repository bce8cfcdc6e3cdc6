// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/guard_install.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <span>
#include <string_view>

#include "checks/calls/shfmt_reader.h"
#include "formats/json_text.h"
#include "shell/commands/guard_protocol.h"
#include "shell/guard/protocol_guard.h"
#include "shell/host/hook_event.h"
#include "shell/host/input.h"
#include "shell/host/program_files.h"
#include "shell/host/replace_file.h"
#include "shell/host/report.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kShfmtHelp =
    "without it no command line can be read, and all are denied: `apt-get install shfmt`, or a "
    "copy "
    "beside rpl";

// A host whose hooks can be installed: its file in the project, and its events.
struct Installable {
  const char* name;
  const char* file;
  bool flat;  // a list of commands per event, without matchers
  std::span<const char* const> events;
};
constexpr const char* kClaudeEvents[] = {"SessionStart", "UserPromptSubmit",   "PreToolUse",
                                         "PostToolUse",  "PostToolUseFailure", "Stop",
                                         "SessionEnd"};
constexpr const char* kCodexEvents[] = {"SessionStart", "UserPromptSubmit", "PreToolUse",
                                        "PostToolUse", "Stop"};
constexpr const char* kCursorEvents[] = {"sessionStart", "beforeSubmitPrompt", "preToolUse",
                                         "postToolUse",  "postToolUseFailure", "stop",
                                         "sessionEnd"};
constexpr const char* kGeminiEvents[] = {"SessionStart", "BeforeAgent", "BeforeTool",
                                         "AfterTool",    "AfterAgent",  "SessionEnd"};
constexpr Installable kInstallable[] = {
    {"claude-code", ".claude/settings.json", false, kClaudeEvents},
    {"codex", ".codex/hooks.json", false, kCodexEvents},
    {"cursor", ".cursor/hooks.json", true, kCursorEvents},
    {"gemini-cli", ".gemini/settings.json", false, kGeminiEvents},
};

std::string CommandFor(const GuardCommandOptions& options, const BoundPlace& place) {
  std::string out = fmt::format("{} guard hook --protocol {}", AsShellWord(ThisProgram()),
                                AsShellWord(place.protocol));
  if (!options.sessions.empty())
    out += " --sessions " + AsShellWord(fs::absolute(options.sessions).lexically_normal());
  if (!options.guard.policy.empty())
    out += " --policy " + AsShellWord(fs::absolute(options.guard.policy).lexically_normal());
  return out + " || exit 2";
}

// Whether the entry is one that was installed before.
bool IsOurs(const ordered_json& entry) {
  return entry.dump(-1, ' ', false, ordered_json::error_handler_t::replace)
             .find(" guard hook --protocol ") != std::string::npos;
}

ordered_json EntryFor(const Installable& host, const std::string& event,
                      const std::string& command) {
  if (host.flat) {
    ordered_json out = {{"command", command}};
    if (event == "preToolUse") out["failClosed"] = true;
    return out;
  }
  ordered_json hook = {{"type", "command"}, {"command", command}};
  if (host.name == std::string_view("claude-code")) hook["onFailure"] = "block";
  ordered_json out = ordered_json::object();
  if (event.find("Tool") != std::string::npos) out["matcher"] = "*";
  out["hooks"] = ordered_json::array({std::move(hook)});
  return out;
}

// Adds the hooks to settings, in place of those of before. Returns what is wrong about them, or "".
std::string AddHooks(const Installable& host, const std::string& command, ordered_json& settings) {
  if (!settings.is_object()) return "it has another form than settings have";
  if (host.flat && !settings.contains("version")) settings["version"] = 1;
  ordered_json& hooks = settings["hooks"];
  if (hooks.is_null()) hooks = ordered_json::object();
  if (!hooks.is_object()) return "`hooks` is no object";
  for (const char* event : host.events) {
    ordered_json& list = hooks[event];
    if (list.is_null()) list = ordered_json::array();
    if (!list.is_array()) return fmt::format("`hooks.{}` is no list", event);
    ordered_json kept = ordered_json::array();
    for (const ordered_json& entry : list)
      if (!IsOurs(entry)) kept.push_back(entry);
    kept.push_back(EntryFor(host, event, command));
    list = std::move(kept);
  }
  return "";
}

const Installable* HostNamed(const std::string& name) {
  const auto* const at =
      std::ranges::find(kInstallable, std::string_view(name.empty() ? "claude-code" : name.c_str()),
                        &Installable::name);
  return at == std::end(kInstallable) ? nullptr : at;
}

std::string Pretty(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

// What doctor finds.
class Examination {
 public:
  void Tell(bool works, const std::string& what, const std::string& help = "") {
    std::cout << (works ? "ok    " : "FAIL  ") << PrintableLine(what) << '\n';
    if (!works && !help.empty()) std::cout << "      " << PrintableLine(help) << '\n';
    sound_ = sound_ && works;
  }
  bool sound() const { return sound_; }

 private:
  bool sound_ = true;
};

// An event of Claude Code, in a session of its own.
std::string SampleEvent(const char* name, const BoundPlace& place) {
  ordered_json out = {
      {"session_id", "rpl-doctor"},         {"cwd", place.project}, {"hook_event_name", name},
      {"permission_mode", "default"},       {"tool_name", "Bash"},  {"tool_use_id", "rpl-doctor-1"},
      {"tool_input", {{"command", "true"}}}};
  if (name == std::string_view("PostToolUse"))
    out["tool_response"] = {{"stdout", ""}, {"stderr", ""}, {"interrupted", false}};
  if (name == std::string_view("PostToolUseFailure")) out["error"] = "failed";
  if (name == std::string_view("UserPromptSubmit")) out["prompt"] = "hello";
  if (name == std::string_view("SessionStart")) out["source"] = "startup";
  if (name == std::string_view("SessionEnd")) out["reason"] = "other";
  if (name == std::string_view("Stop")) out["stop_hook_active"] = false;
  return Dump(out);
}

}  // namespace

int InstallHooks(const GuardCommandOptions& options) {
  const Installable* const host = HostNamed(options.host);
  if (host == nullptr) {
    Complain("guard install", "the hooks of `" + options.host + "` are installed by hand",
             "docs/bind.md has its events");
    return kExitInvalid;
  }
  if (ShfmtReader().program().empty()) {
    Complain("guard install", "there is no `shfmt`", kShfmtHelp);
    return kExitInvalid;
  }
  const BoundPlace place = BoundPlaceHere(options);
  const Input protocol = ReadFile(place.protocol);
  if (!protocol.error.empty()) {
    Complain(options.protocol, protocol.error);
    return kExitFile;
  }
  const std::string command = CommandFor(options, place);
  const std::string file = fs::path(place.project) / host->file;
  std::error_code none;
  ordered_json settings = ordered_json::object();
  if (options.write && fs::exists(file, none)) {
    const Input input = ReadFile(file);
    const JsonText read = ParseJson(input.text);
    if (const std::string why = input.error + read.error; !why.empty()) {
      Complain(file, why, "nothing was written");
      return kExitFile;
    }
    settings = read.json;
  }
  if (const std::string why = AddHooks(*host, command, settings); !why.empty()) {
    Complain(file, why, "nothing was written; without --write the hooks are printed");
    return kExitFile;
  }
  if (!options.write) {
    std::cout << Pretty(settings);
    std::cerr << fmt::format("help: this belongs into {}; with --write it is added there\n",
                             PrintableLine(file));
    return kExitOk;
  }
  fs::create_directories(fs::path(file).parent_path(), none);
  if (const std::string error = ReplaceFile(file, Pretty(settings)); !error.empty()) {
    Complain(file, error);
    return kExitFile;
  }
  std::cerr << fmt::format(
      "{}: the hooks are there; start the host anew, and see `rpl guard doctor {}`\n",
      PrintableLine(file), PrintableLine(options.protocol));
  return kExitOk;
}

int ExamineHooks(const GuardCommandOptions& options) {
  const Installable* const host = HostNamed(options.host);
  Examination found;
  BoundPlace place = BoundPlaceHere(options);
  const Input protocol = ReadFile(place.protocol);
  found.Tell(protocol.error.empty(), "the protocol " + place.protocol, protocol.error);
  const ShfmtReader parser;
  found.Tell(!parser.program().empty(),
             parser.program().empty() ? "no `shfmt`" : "the parser " + parser.program(),
             kShfmtHelp);
  if (host != nullptr) {
    const fs::path file = fs::path(place.project) / host->file;
    const Input input = ReadFile(file);
    const ordered_json settings =
        ordered_json::parse(input.error.empty() ? input.text : "", nullptr, false);
    for (const char* event : host->events) {
      const ordered_json* const list = settings.is_object() && settings.contains("hooks") &&
                                               settings["hooks"].is_object() &&
                                               settings["hooks"].contains(event)
                                           ? &settings["hooks"][event]
                                           : nullptr;
      const bool there =
          list != nullptr && list->is_array() &&
          std::ranges::any_of(*list, [&](const ordered_json& entry) {
            return IsOurs(entry) && entry.dump().find(place.protocol) != std::string::npos;
          });
      found.Tell(there, fmt::format("{}: the hook of {}", file.string(), event),
                 "`rpl guard install " + options.protocol + " --write` adds it");
    }
  }
  std::string folder = (fs::temp_directory_path() / "rpl-doctor-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    found.Tell(false, "a folder for a run of its own");
    return kExitNo;
  }
  GuardCommandOptions trial = options;
  trial.protocol = place.protocol;
  trial.sessions = folder;
  trial.host.clear();
  for (const char* event : kClaudeEvents) {
    const auto began = std::chrono::steady_clock::now();
    const HookReply reply = AnswerByProtocol(trial, SampleEvent(event, place), nullptr);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began);
    const bool works = reply.answer.find("rpl guard: ") == std::string::npos;
    found.Tell(works, fmt::format("{} is answered in {} ms", event, took.count()), reply.answer);
  }
  const HookReply unknown = AnswerByProtocol(trial, SampleEvent("Unknown", place), nullptr);
  found.Tell(unknown.code != kExitOk, "an event that is not known is refused");
  std::error_code none;
  fs::remove_all(folder, none);
  return found.sound() ? kExitOk : kExitNo;
}

}  // namespace rpl
