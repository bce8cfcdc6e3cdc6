// SPDX-License-Identifier: Apache-2.0
#include "shell/program/tool_setup.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "interp/program/builtin_tools.h"
#include "runtime/facts/facts_file.h"
#include "runtime/model/model_agent.h"
#include "runtime/ports.h"
#include "runtime/tools/read_notes.h"
#include "runtime/tools/tool_agent.h"
#include "shell/program/guard_setup.h"
#include "shell/program/tool_permission.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"
#include "shell/terminal/running_tools.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

ToolPermission::LineReader ReaderFor(bool ask) {
  return ask && InputIsTerminal() ? ToolPermission::LineReader(ReadLine) : nullptr;
}

std::function<bool()> OrCtrlC(const std::function<bool()>& interrupted) {
  return interrupted ? interrupted : Interrupted;
}

// A line of the log of a command, above the line of those that run.
ModelLog LogAbove(RunningTools& running) {
  return [&running](const std::string& of, const std::string& line) {
    running.Clear();
    PrintLog(of, line);
  };
}

ToolRun RunOptionsFor(std::function<bool()> interrupted, RunningTools& running) {
  ToolRun run;
  run.interrupted = [&running, interrupted = std::move(interrupted)] {
    running.Poll();
    return interrupted();
  };
  run.log = LogAbove(running);
  return run;
}

}  // namespace

std::string ConfigPath(const std::string& config, const std::vector<std::string>& documents) {
  if (!config.empty()) return config;
  for (const std::string& document : documents) {
    const fs::path path = fs::path(document).replace_filename("rpl.yaml");
    NoteFileRead(path);
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
  }
  return "";
}

ExitCode ReadTools(const std::string& path, ToolConfig& to) {
  if (path.empty()) return kExitOk;
  Input input = ReadFile(path);
  if (!input.error.empty()) {
    Complain(path, input.error);
    return kExitFile;
  }
  Sources sources;
  const std::uint32_t file = sources.Add(path, std::move(input.text));
  Diagnostics found;
  std::optional<ToolConfig> config = ReadToolConfig(sources, file, FolderOf(path), found);
  PrintDiagnostics(found.all(), sources, std::cerr);
  if (!config) return kExitInvalid;
  to = std::move(*config);
  return kExitOk;
}

std::string FolderOf(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored).parent_path();
}

std::string FolderOfProgram(const std::vector<std::string>& documents) {
  const auto document =
      std::ranges::find_if(documents, [](const std::string& name) { return !FactsNameOf(name); });
  return document == documents.end() ? "" : FolderOf(*document);
}

struct ToolSetup::Parts {
  Parts(ToolSetup& of, bool ask, People& people, const std::function<bool()>& interrupted)
      : permission(of.path_, Approvals(ApprovalsPath()), of.options_.allow_tools, ReaderFor(ask),
                   std::cerr, ToolPins(PinsPath())),
        agent(of.config_, permission, RunOptionsFor(interrupted, running), running.Observer()),
        model(
            people, agent, permission,
            [](const std::string& line) { std::cerr << "note: " << PrintableLine(line) << '\n'; },
            interrupted) {}

  ToolPermission permission;
  RunningTools running;
  ToolAgent agent;
  ModelAgent model;  // in front of it
};

ToolSetup::ToolSetup(const EngineOptions& options, bool ask, People& people,
                     std::function<bool()> interrupted)
    : options_(options),
      parts_(std::make_unique<Parts>(*this, ask, people, OrCtrlC(interrupted))) {}

ToolSetup::~ToolSetup() = default;

People& ToolSetup::people() { return parts_->model; }
Tools& ToolSetup::tools() { return parts_->model; }
SourceAccess& ToolSetup::access() { return parts_->agent; }

void ToolSetup::OnlyRead(bool push) {
  only_reads_ = true;
  parts_->agent.OnlyRead(push);
}

ExitCode ToolSetup::Prepare(const std::vector<std::string>& documents) {
  path_ = ConfigPath(options_.config, documents);
  parts_->agent.SetFolder(FolderOfProgram(documents));
  if (const ExitCode code = ReadTools(path_, config_); code != kExitOk) return code;
  if (only_reads_) return kExitOk;
  TakeModel();
  return CheckAllowed();
}

// The model of the settings, or that of the command line within the scope and the budgets of the
// settings, if they have some.
void ToolSetup::TakeModel() {
  ModelConfig model = config_.model;
  const bool named = !options_.model.empty();
  if (named) {
    ModelConfig given = ModelNamed(options_.model).config;
    if (model) given.bounds = std::move(model.bounds);
    model = std::move(given);
  }
  if (!model) return;
  parts_->model.Use(model, named ? Permit::kAllow : config_.model_permission,
                    named || model.provider == ModelConfig::Provider::kCassette,
                    MakeModelProvider(model, LogAbove(parts_->running)));
}

Sourced<nlohmann::ordered_json> ToolSetup::RunForGuard(const GuardCommand& command,
                                                       const nlohmann::ordered_json& input) {
  ToolCommand tool;
  tool.name = command.of;
  tool.argv = command.argv;
  tool.folder = tool.home = FolderOf(path_);
  const Permission::Permit verdict = parts_->permission.Approve(tool);
  if (!verdict.yes) return {std::nullopt, verdict.reason};
  return RunGuardCommand(command, tool.folder, input);
}

bool MayBeAllowed(const ToolConfig& config, const std::string& name) {
  return IsFileTool(name) || (name == "model" && config.model) || config.Find(name) != nullptr ||
         config.guard.FindSignal(name) != nullptr || config.guard.FindSubjects(name) != nullptr;
}

ExitCode ToolSetup::CheckAllowed() const {
  for (const std::string& name : options_.allow_tools) {
    if (MayBeAllowed(config_, name)) continue;
    Complain("--allow-tool",
             path_.empty()
                 ? "there is no configuration: no `rpl.yaml` beside the document, no `--config`"
                 : "`" + path_ + "` has no tool `" + name + "`");
    return kExitInvalid;
  }
  return kExitOk;
}

}  // namespace rpl
