// SPDX-License-Identifier: Apache-2.0
#include "shell/drive/driven_run.h"

#include <stdexcept>
#include <utility>

#include "formats/json_fields.h"
#include "runtime/postgres/open_session.h"
#include "shell/host/engine_setup.h"
#include "shell/host/guard_setup.h"
#include "shell/host/input.h"
#include "shell/host/program_files.h"
#include "shell/host/program_run.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

ordered_json Refused(const std::string& error, const std::string& hint = "") {
  ordered_json out = {{"error", error}};
  if (!hint.empty()) out["hint"] = hint;
  return out;
}

// What a request names as its program: from files, or as it came.
struct NamedProgram {
  std::vector<std::string> paths;  // of files
  RunSpec spec;
};

NamedProgram ProgramOf(const ordered_json& request, const std::string& session) {
  NamedProgram out;
  const ordered_json& paths = FieldAt(request, "files");
  if (!paths.is_array()) {
    out.spec = RunSpecOf(request);
    return out;
  }
  ordered_json documents = ordered_json::array();
  for (const ordered_json& path : paths) {
    if (!path.is_string()) throw std::invalid_argument("expected strings in `files`");
    out.paths.push_back(path.get<std::string>());
    Input input = ReadFile(out.paths.back());
    if (!input.error.empty()) throw std::invalid_argument(out.paths.back() + ": " + input.error);
    documents.push_back(
        {{"name", NameInSession(session, out.paths.back())}, {"text", std::move(input.text)}});
  }
  ordered_json with = request;
  with["documents"] = std::move(documents);
  out.spec = RunSpecOf(with);
  out.spec.reader = ReaderBeside(out.paths);
  return out;
}

}  // namespace

DrivenRun::DrivenRun(const EngineOptions& engine, std::function<bool()> interrupted)
    : tools_(engine, false, nobody_, std::move(interrupted)) {}

DrivenRun::Opened DrivenRun::Open(const ordered_json& request, const EngineOptions& engine,
                                  std::function<bool()> interrupted) {
  const std::string session = TextAt(request, "session");
  NamedProgram program;
  try {
    program = ProgramOf(request, session);
  } catch (const std::invalid_argument& e) {
    return {nullptr, Refused(e.what())};
  }
  std::unique_ptr<DrivenRun> run(new DrivenRun(engine, interrupted));
  if (run->tools_.Prepare(program.paths) != kExitOk)
    return {nullptr, Refused("the rpl.yaml of the program has errors", "see standard error")};
  ExitCode guarded = kExitOk;
  run->gate_ = MakeGateSetup(engine.guard, run->tools_, guarded);
  if (guarded != kExitOk)
    return {nullptr, Refused("the policy cannot be used", "see standard error")};

  CheckOptions check;
  check.reader = program.spec.reader;
  for (const ToolCommand& tool : run->tools_.config().tools) check.tools.insert(tool.name);
  for (const ordered_json& tool : FieldAt(request, "tools"))
    if (tool.is_string()) check.tools.insert(tool.get<std::string>());
  ordered_json result = CheckedJson(program.spec.files, check);

  RunSpec spec = std::move(program.spec);
  SessionOptions options = SessionOptionsFor(engine, run->gate_.get());
  if (!spec.options.now.empty()) options.now = spec.options.now;
  if (FieldAt(request, "seconds").is_number())
    options.limits.max_seconds = spec.options.limits.max_seconds;
  if (FieldAt(request, "rows").is_number()) options.limits.max_rows = spec.options.limits.max_rows;
  options.interrupted = std::move(interrupted);
  options.progress = nullptr;
  options.answer_forms = {true, true};
  spec.options = std::move(options);
  spec.messages_read = false;  // the files beside it are the program's to name
  if (spec.goal) spec.goal = GoalNamed(*spec.goal);
  if (!session.empty()) {
    SessionStore::Opened opened = OpenSession(session, SessionStore::Mode::kContinue);
    if (opened.store == nullptr)
      return {nullptr, Refused("the session cannot be opened: " + opened.error, opened.hint)};
    if (!opened.store->damage().empty())
      return {nullptr, Refused("the session is damaged: " + opened.store->damage())};
    std::vector<Event> events = opened.store->events();
    spec.record = Recording{std::move(events), std::move(opened.store)};
  }
  run->run_.emplace(std::move(spec), &run->tools_.agent());
  if (const std::string why = run->run_->refused(); !why.empty()) {
    if (result["findings"].empty()) result["findings"] = run->run_->findings();
    result.update(Refused(why));
    return {nullptr, std::move(result)};
  }
  result["opened"] = true;
  return {std::move(run), std::move(result)};
}

}  // namespace rpl
