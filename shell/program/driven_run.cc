// SPDX-License-Identifier: Apache-2.0
#include "shell/program/driven_run.h"

#include <stdexcept>
#include <utility>

#include "formats/data/json_fields.h"
#include "interp/lint/checker.h"
#include "runtime/gate_setup.h"
#include "runtime/nobody.h"
#include "runtime/ports.h"
#include "runtime/postgres/open_session.h"
#include "runtime/run/json_run.h"
#include "runtime/wire/outcome_json.h"
#include "runtime/wire/request_fields.h"
#include "shell/program/engine_setup.h"
#include "shell/program/guard_setup.h"
#include "shell/program/program_files.h"
#include "shell/program/program_run.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// The files of a request, read from their paths.
std::vector<ProgramFile> ReadFiles(const std::vector<std::string>& paths,
                                   const std::string& session) {
  std::vector<ProgramFile> out;
  for (const std::string& path : paths) {
    Input input = ReadFile(path);
    if (!input.error.empty()) throw std::invalid_argument(path + ": " + input.error);
    out.push_back({NameInSession(session, path), std::move(input.text)});
  }
  return out;
}

// The tools that the caller carries out: names, or objects with a "name" and, for policies, "tags"
// and "params", the names of the arguments.
std::vector<GuardTool> ToolsOf(const ordered_json& request) {
  std::vector<GuardTool> out;
  const ordered_json& tools = FieldAt(request, "tools");
  if (!tools.is_null() && !tools.is_array())
    throw std::invalid_argument("expected a list as `tools`");
  for (const ordered_json& tool : tools) {
    const ordered_json& name = tool.is_object() ? FieldAt(tool, "name") : tool;
    if (!name.is_string())
      throw std::invalid_argument("expected names, or objects with a `name`, in `tools`");
    out.push_back({name.get<std::string>(), name.get<std::string>(), KeysIn(tool, "tags"),
                   KeysIn(tool, "params")});
  }
  return out;
}

// Adds them to the gate, and to its record, but for those of which rpl.yaml says more.
void Describe(const std::vector<GuardTool>& tools, GateSetup& gate) {
  for (const GuardTool& tool : tools) {
    if (gate.config.FindTool(tool.label) != nullptr) continue;
    gate.config.tools.push_back(tool);
    gate.record["config"]["tools"][tool.label] = {{"tags", tool.tags}, {"params", tool.params}};
  }
}

}  // namespace

DrivenRun::DrivenRun(const EngineOptions& engine, std::function<bool()> interrupted)
    : nobody_(std::make_unique<Nobody>()),
      tools_(std::make_unique<ToolSetup>(engine, false, *nobody_, std::move(interrupted))) {}

DrivenRun::~DrivenRun() = default;

ordered_json DrivenRun::Do(const ordered_json& request) { return run_->Do(request); }

DrivenRun::Opened DrivenRun::Open(const ordered_json& request, const EngineOptions& engine,
                                  std::function<bool()> interrupted) {
  const std::string session = TextAt(request, "session");
  const std::vector<std::string> paths = KeysIn(request, "files");
  std::unique_ptr<DrivenRun> run(new DrivenRun(engine, interrupted));
  RunSpec spec;
  spec.files = paths.empty() ? DocumentsOf(request) : ReadFiles(paths, session);
  spec.reader = paths.empty() ? ReaderOf(spec.files) : ReaderBeside(paths);
  spec.messages_read = false;  // the files beside it are the program's to name
  if (run->tools_->Prepare(paths) != kExitOk)
    return {nullptr, FaultJson("the rpl.yaml of the program has errors", "see standard error")};
  ExitCode guarded = kExitOk;
  run->gate_ = MakeGateSetup(engine.guard, *run->tools_, guarded);
  if (guarded != kExitOk)
    return {nullptr, FaultJson("the policy cannot be used", "see standard error")};
  const std::vector<GuardTool> own = ToolsOf(request);
  if (run->gate_ != nullptr) Describe(own, *run->gate_);
  spec.options = SessionOptionsFor(engine, run->gate_.get());
  spec.options.interrupted = std::move(interrupted);
  spec.options.progress = nullptr;
  spec.options.answer_forms = {true, true};
  ReadSettings(request, spec);
  if (spec.goal) spec.goal = GoalNamed(*spec.goal);

  CheckOptions check;
  check.reader = spec.reader;
  for (const ToolCommand& tool : run->tools_->config().tools) check.tools.insert(tool.name);
  for (const GuardTool& tool : own) check.tools.insert(tool.label);
  ordered_json result = CheckedJson(spec.files, check);
  if (!session.empty()) {
    SessionStore::Opened opened = OpenSession(session, SessionStore::Mode::kContinue);
    if (opened.store == nullptr)
      return {nullptr, FaultJson("the session cannot be opened: " + opened.error, opened.hint)};
    if (!opened.store->damage().empty())
      return {nullptr, FaultJson("the session is damaged: " + opened.store->damage())};
    std::vector<Event> events = opened.store->events();
    spec.record = Recording{std::move(events), std::move(opened.store)};
  }
  run->run_ = std::make_unique<JsonRun>(
      std::move(spec), Ports(run->tools_->people(), run->tools_->tools(), run->tools_->access()));
  if (const std::string why = run->run_->refused(); !why.empty()) {
    if (result["findings"].empty()) result["findings"] = run->run_->findings();
    result.update(FaultJson(why));
    return {nullptr, std::move(result)};
  }
  result["opened"] = true;
  return {std::move(run), std::move(result)};
}

}  // namespace rpl
