// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/guard/guard_install.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "checks/calls/shfmt_reader.h"
#include "shell/commands/guard/guard_protocol.h"
#include "shell/guard/hook_reader.h"
#include "shell/guard/hook_settings.h"
#include "shell/guard/protocol_guard.h"
#include "shell/program/program_files.h"
#include "shell/terminal/input.h"
#include "shell/terminal/replace_file.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kShfmtHelp =
    "without it no command line can be read, and all are denied: `apt-get install shfmt`, or a "
    "copy "
    "beside rpl";

// The host that the options name.
const HookHost& HostOf(const GuardCommandOptions& options) {
  return options.host.empty() ? HookHosts().front() : *FindHookHost(options.host);
}

// The words of the command that a hook runs.
std::vector<std::string> CommandFor(const GuardCommandOptions& options, const HookHost& host,
                                    const BoundPlace& place) {
  std::vector<std::string> out = LastingProgram();
  out.insert(out.end(), {"guard", "hook", "--protocol", place.protocol});
  const auto add = [&out](const char* option, const std::string& value) {
    out.push_back(option);
    out.push_back(fs::absolute(value).lexically_normal());
  };
  if (host.settings.needs_project) add("--project", place.project);
  if (!options.sessions.empty()) add("--sessions", options.sessions);
  if (!options.guard.policy.empty()) add("--policy", options.guard.policy);
  return out;
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

}  // namespace

int InstallHooks(const GuardCommandOptions& options) {
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
  if (const std::string fault = BindingFault(place.protocol, protocol.text); !fault.empty()) {
    Complain(options.protocol, fault, "nothing was written");
    return kExitInvalid;
  }
  const HookHost& host = HostOf(options);
  const std::string file = fs::path(place.project) / host.settings.file;
  std::error_code failed;
  const bool is_there = fs::exists(file, failed);
  const auto refuse = [&](const std::string& why) {
    Complain(file, why, "nothing was written; without --write the hooks are printed");
    return kExitFile;
  };
  Input before;
  if (options.write && is_there) before = ReadFile(file);
  if (!before.error.empty()) return refuse(before.error);
  if (options.write && !is_there && fs::is_symlink(file, failed))
    return refuse("it is a link to a file that is not there");
  const SettingsText settings = WithHooks(host, CommandFor(options, host, place), before.text);
  if (!settings.error.empty()) return refuse(settings.error);
  if (!options.write) {
    std::cout << settings.text;
    std::cerr << fmt::format("help: this belongs into {}; with --write it is added there\n",
                             PrintableLine(file));
    return kExitOk;
  }
  fs::create_directories(fs::path(file).parent_path(), failed);
  if (failed) return refuse("its folder cannot be made: " + failed.message());
  if (const std::string error = ReplaceFile(file, settings.text); !error.empty())
    return refuse(error);
  std::cerr << fmt::format(
      "{}: the hooks are there; start the host anew, and see `rpl guard doctor {}{}`\n",
      PrintableLine(file), options.host.empty() ? "" : "--host " + options.host + " ",
      PrintableLine(options.protocol));
  return kExitOk;
}

int ExamineHooks(const GuardCommandOptions& options) {
  const HookHost& host = HostOf(options);
  Examination found;
  BoundPlace place = BoundPlaceHere(options);
  const Input protocol = ReadFile(place.protocol);
  const std::string fault =
      protocol.error.empty() ? BindingFault(place.protocol, protocol.text) : protocol.error;
  found.Tell(fault.empty(), "the protocol " + place.protocol, fault);
  const ShfmtReader parser;
  found.Tell(!parser.program().empty(),
             parser.program().empty() ? "no `shfmt`" : "the parser " + parser.program(),
             kShfmtHelp);
  const std::string file = fs::path(place.project) / host.settings.file;
  const Input input = ReadFile(file);
  const std::vector<HookRow> rows = InstalledHooks(host);
  for (const HookRow& row : rows)
    found.Tell(input.error.empty() && HasHook(host, input.text, row.name, place.protocol),
               fmt::format("{}: the hook of {}", file, row.name),
               fmt::format("`rpl guard install --host {} {} --write` adds it", host.name,
                           options.protocol));
  std::string folder = (fs::temp_directory_path() / "rpl-doctor-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    found.Tell(false, "a folder for a run of its own");
    return kExitNo;
  }
  GuardCommandOptions trial = options;
  trial.protocol = place.protocol;
  trial.sessions = folder;
  trial.host = "";  // as the hooks that are installed: told by the event
  trial.project = host.settings.needs_project ? place.project : "";
  for (const HookRow& row : rows) {
    const auto began = std::chrono::steady_clock::now();
    const HookReply reply =
        AnswerByProtocol(trial, Dump(SampleHookEvent(host, row, place.project)), nullptr);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began);
    const bool works = (reply.answer + reply.message).find("rpl guard: ") == std::string::npos;
    found.Tell(works, fmt::format("{} is answered in {} ms", row.name, took.count()),
               reply.answer + reply.message);
  }
  HookRow unknown = rows.front();
  unknown.name = "Unknown";
  const HookReply reply =
      AnswerByProtocol(trial, Dump(SampleHookEvent(host, unknown, place.project)), nullptr);
  found.Tell(reply.code != kExitOk, "an event that is not known is refused");
  std::error_code none;
  fs::remove_all(folder, none);
  return found.sound() ? kExitOk : kExitNo;
}

}  // namespace rpl
