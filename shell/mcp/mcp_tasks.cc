// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/mcp_tasks.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "formats/data/json_rpc.h"
#include "formats/data/json_text.h"
#include "runtime/run/session.h"
#include "shell/mcp/mcp_service.h"
#include "shell/serving/run_report.h"
#include "shell/serving/turn_input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kTaskLifeMs = 86'400'000;  // a promise; runs are not removed
constexpr int kPollMs = 2'000;

std::string InstantText(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

}  // namespace

ordered_json TaskJson(const ServedRun& run, std::string_view status, const std::string& message) {
  ordered_json out = {{"taskId", run.handle}, {"status", status}};
  if (!message.empty()) out["statusMessage"] = message;
  out["createdAt"] = InstantText(run.began);
  out["lastUpdatedAt"] = InstantText(SecondsNow());
  out["ttlMs"] = kTaskLifeMs;
  out["pollIntervalMs"] = kPollMs;
  return out;
}

std::shared_ptr<ServedRun> McpTasks::RunOf(const Call& call) {
  if (!call->tasks) {
    call->Fail(
        kRpcMissingCapability, call->method + " needs a client that knows tasks",
        {{"requiredCapabilities", {{"extensions", {{kTasksExtension, ordered_json::object()}}}}}});
    return nullptr;
  }
  const auto id = call->params.find("taskId");
  ServedRuns::Found found;
  if (id != call->params.end() && id->is_string())
    found = service_.runs.Find(id->get<std::string>(), call->peer->who);
  if (!found.fault.reason.empty()) call->Fail(kRpcInternalError, found.fault.reason);
  else if (found.run == nullptr) call->Fail(kRpcInvalidParams, "there is no such task");
  return std::move(found.run);
}

void McpTasks::Get(const Call& call) {
  const std::shared_ptr<ServedRun> run = RunOf(call);
  if (run == nullptr) return;
  if (run->busy() || run->stopped || run->report().is_object()) return Tell(call, *run);
  // It is opened first.
  auto opening = std::make_shared<McpCall>();
  opening->peer = call->peer;
  opening->id = call->id;
  opening->modern = true;
  opening->revision = call->revision;
  opening->send = [this, call, run](const ordered_json&) { Tell(call, *run); };
  turns_.Show(opening, run, 0);
}

void McpTasks::Tell(const Call& call, ServedRun& run) {
  if (run.busy()) {
    call->Reply(TaskJson(run, "working", run.protocol + " is working"));
    return;
  }
  if (run.stopped) {
    call->Reply(TaskJson(run, "cancelled"));
    return;
  }
  const ordered_json report = run.report();
  if (!report.is_object()) {
    call->Reply(TaskJson(run, "working"));
    return;
  }
  const std::size_t seq = report.value("seq", std::size_t{0});
  ordered_json asked = ordered_json::object();
  if (call->forms && service_.ask != AskMode::kNever && report.value("status", "") == "waiting")
    for (const OpenQuestion& question : run.questions()) {
      if (!IsForForm(question)) continue;
      ordered_json form = FormOf({question}, run.protocol, "", FormDialect::kLists);
      form["mode"] = "form";
      asked[FormKey(question.key, seq)] = {{"method", "elicitation/create"},
                                           {"params", std::move(form)}};
    }
  if (!asked.empty()) {
    ordered_json task = TaskJson(run, "input_required");
    task["inputRequests"] = std::move(asked);
    call->Reply(std::move(task));
    return;
  }
  ordered_json task = TaskJson(run, "completed");
  ordered_json content = ordered_json::array();
  content.push_back({{"type", "text"}, {"text", ReportText(report)}});
  task["result"] = {{"content", std::move(content)},
                    {"structuredContent", report},
                    {"isError", report.contains("error")}};
  call->Reply(std::move(task));
}

void McpTasks::Update(const Call& call) {
  const std::shared_ptr<ServedRun> run = RunOf(call);
  if (run == nullptr) return;
  const auto responses = call->params.find("inputResponses");
  const bool sound =
      responses != call->params.end() && responses->is_object() &&
      std::all_of(responses->begin(), responses->end(), [](const ordered_json& response) {
        return response.is_object() && response.contains("action") &&
               response["action"].is_string();
      });
  if (!sound) {
    call->Fail(kRpcInvalidParams, "`inputResponses` is an object of objects with an `action`");
    return;
  }
  auto turn = std::make_shared<McpCall>();  // whose result nobody waits for
  turn->peer = call->peer;
  turn->id = call->id;
  turn->modern = true;
  turn->revision = call->revision;
  turn->send = [call](const ordered_json&) { call->Reply(ordered_json::object()); };
  turns_.Start(turn, run, {{"by", "person"}, {"forms", *responses}});
}

void McpTasks::Cancel(const Call& call) {
  const std::shared_ptr<ServedRun> run = RunOf(call);
  if (run == nullptr) return;
  if (run->running) {
    run->stopped = true;
    run->cancelled = true;
  }
  call->Reply(ordered_json::object());
}

}  // namespace rpl
