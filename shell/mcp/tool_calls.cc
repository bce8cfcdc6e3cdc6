// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/tool_calls.h"

#include <fmt/format.h>
#include <exception>

#include <algorithm>
#include <utility>

#include "formats/data/json_rpc.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "grammar/printer.h"
#include "interp/explain/explain_print.h"
#include "runtime/explained.h"
#include "runtime/postgres/open_session.h"
#include "runtime/run/run.h"
#include "runtime/wire/outcome_json.h"
#include "shell/mcp/mcp_service.h"
#include "shell/mcp/protocol_list.h"
#include "shell/program/known_names.h"
#include "shell/program/tool_setup.h"
#include "shell/repl/entry.h"
#include "shell/serving/request_state.h"
#include "shell/serving/run_report.h"
#include "shell/serving/turn_input.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kProtocolsOnPage = 40;
constexpr std::size_t kMostFindings = 100;
constexpr std::size_t kMostProof = 16'000;
constexpr std::size_t kMostTraceText = 16'000;
constexpr std::size_t kClientBytes = 12;
constexpr const char* kRowsPurpose = "rows";
constexpr const char* kListPurpose = "protocols";
constexpr const char* kNeither = "there is no such session or protocol";
constexpr const char* kGiveEither =
    "give the `session` of rpl_run, or a `protocol` of rpl_protocols";

std::string TextAt(const ordered_json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_string() ? at->get<std::string>() : "";
}

std::size_t NumberAt(const ordered_json& json, const char* key, std::size_t by_default) {
  const auto at = json.find(key);
  return at != json.end() ? at->get<std::size_t>() : by_default;
}

// Why a run that was looked for is not there, for the client.
RunRecords::Fault NotThere(const ServedRuns::Found& found, const std::string& error,
                           const std::string& hint = "start again with rpl_run") {
  return found.fault.reason.empty() ? RunRecords::Fault{error, hint} : found.fault;
}

std::string NoSuchProtocol(const std::string& name, const ProtocolFolder& protocols) {
  const std::string like = protocols.NameLike(name);
  return "there is no protocol `" + Shortened(name, 200) + "`" +
         (like.empty() ? "" : ", did you mean `" + like + "`?");
}

// These members of the arguments of a tool as an input (ReadInput); empty if nothing is in them.
ordered_json InputIn(const ordered_json& arguments, std::initializer_list<const char*> members) {
  ordered_json input = ordered_json::object();
  for (const char* key : members)
    if (const auto at = arguments.find(key); at != arguments.end() && !at->empty())
      input[key] = *at;
  if (input.empty()) return input;
  if (arguments.contains("source")) input["source"] = arguments["source"];
  input["by"] = "model";
  return input;
}

void FailUnknownTool(const std::shared_ptr<McpCall>& call, const std::string& name,
                     const std::vector<McpTool>& table) {
  std::string known;
  for (const McpTool& tool : table) known += (known.empty() ? "" : ", ") + tool.name;
  call->Fail(kRpcInvalidParams, fmt::format("unknown tool `{}`; there are {}", name, known));
}

}  // namespace

ToolCalls::ToolCalls(McpService& service, ProtocolList& protocols)
    : service_(service),
      protocols_(protocols),
      turns_(service),
      table_(McpToolTable(service.guard != nullptr, true)) {}

void ToolCalls::Take(const std::shared_ptr<McpCall>& call) {
  const auto name = call->params.find("name");
  if (name == call->params.end() || !name->is_string()) {
    call->Fail(kRpcInvalidParams, "tools/call needs the `name` of a tool");
    return;
  }
  const auto tool = std::find_if(table_.begin(), table_.end(),
                                 [&](const McpTool& each) { return each.name == *name; });
  if (tool == table_.end()) return FailUnknownTool(call, name->get<std::string>(), table_);
  ordered_json arguments = ordered_json::object();
  if (const auto given = call->params.find("arguments");
      given != call->params.end() && !given->is_null())
    arguments = *given;
  if (!arguments.is_object()) {
    call->Fail(kRpcInvalidParams, "`arguments` is an object");
    return;
  }
  const bool run_shape = tool->about["outputSchema"]["properties"].contains("now");
  if (const std::string fault = ArgumentFault(tool->about["inputSchema"], arguments);
      !fault.empty()) {
    const std::string hint = "see the input schema of " + tool->name;
    if (!run_shape) return Refuse(call, tool->kind, fault, hint);
    call->ReplyTool(RunFaultJson(TextAt(arguments, "session"), fault, hint), true);
    return;
  }
  // The call is made again with answers: what it did the first time is done.
  if (run_shape && call->modern &&
      (call->params.contains("requestState") || call->params.contains("inputResponses"))) {
    std::optional<RunTurns::Retry> retry = turns_.ReadRetry(call);
    if (!retry) return;
    if (const auto run = RunOf(call, {{"session", retry->session}}, true))
      turns_.GoOn(call, run, std::move(*retry));
    return;
  }
  switch (tool->kind) {
    case ToolKind::kAnswer: return AnswerTool(call, arguments);
    case ToolKind::kAssert: return AssertTool(call, arguments);
    case ToolKind::kCheck: return CheckTool(call, arguments);
    case ToolKind::kExplain: return ExplainTool(call, arguments);
    case ToolKind::kGuard: return GuardTool(call, arguments);
    case ToolKind::kProtocols: return ProtocolsTool(call, arguments);
    case ToolKind::kQuery: return QueryTool(call, arguments);
    case ToolKind::kRetract: return RetractTool(call, arguments);
    case ToolKind::kRun: return RunTool(call, arguments);
    case ToolKind::kStatus: return StatusTool(call, arguments);
    case ToolKind::kTrace: return TraceTool(call, arguments);
  }
}

void ToolCalls::Work(const Call& call, std::function<void()> work) {
  service_.pool.Post([this, call, work = std::move(work)] {
    if (service_.stopping || call->cancelled()) return;
    try {
      work();
    } catch (const std::exception& error) {
      call->Fail(kRpcInternalError, fmt::format("internal error: {}", error.what()));
    }
  });
}

void ToolCalls::Refuse(const Call& call, ToolKind kind, const std::string& error,
                       const std::string& hint) const {
  ordered_json out = FaultJson(error, hint);
  for (const McpTool& tool : table_)
    if (tool.kind == kind) out.update(tool.refused);
  call->ReplyTool(std::move(out), true);
}

std::shared_ptr<ServedRun> ToolCalls::RunOf(const Call& call, const Arguments& arguments,
                                            bool run_shape) {
  const std::string handle = TextAt(arguments, "session");
  ServedRuns::Found found = service_.runs.Find(handle, call->peer->who);
  if (found.run != nullptr) return std::move(found.run);
  const auto [error, hint] = NotThere(found, "there is no session `" + Shortened(handle, 60) + "`");
  call->ReplyTool(run_shape ? RunFaultJson("", error, hint) : FaultJson(error, hint), true);
  return nullptr;
}

// --- Runs ----------------------------------------------------------------------------------------

void ToolCalls::RunTool(const Call& call, const Arguments& arguments) {
  const ordered_json input = InputIn(arguments, {"answers", "errors", "declines", "facts"});
  if (const std::string fault = InputFault(input); !fault.empty()) {
    call->ReplyTool(RunFaultJson("", fault), true);
    return;
  }
  if (arguments.contains("session")) {
    if (const auto run = RunOf(call, arguments, true)) turns_.Start(call, run, input);
    return;
  }
  const std::string protocol = TextAt(arguments, "protocol");
  if (protocol.empty() || !service_.protocols.Find(protocol)) {
    call->ReplyTool(RunFaultJson("",
                                 protocol.empty() ? "there is neither `protocol` nor `session`"
                                                  : NoSuchProtocol(protocol, service_.protocols),
                                 "rpl_protocols lists those there are"),
                    true);
    return;
  }
  // A host that gave up waiting calls again: that must not begin another run. Equal arguments in
  // another window, or once the first call was answered, are another intent.
  const std::string named = TextAt(arguments, "request_id");
  const std::string& client = call->peer->client;
  const std::string digest =
      named.empty() ? DigestOf({{"call", CallDigest(*call)},
                                {"client", client.empty() ? RandomText(kClientBytes) : client}})
                    : DigestOf({{"id", named}, {"protocol", protocol}});
  const ServedRuns::Begun begun = service_.runs.Begin(
      protocol, TextAt(arguments, "goal"), call->peer->who, digest, !named.empty(), input);
  if (begun.run == nullptr) {
    call->ReplyTool(RunFaultJson("", begun.fault.reason, begun.fault.hint), true);
    return;
  }
  if (named.empty())
    call->answering = [this, run = begun.run] { service_.runs.records().Answered(*run); };
  if (begun.again) turns_.Start(call, begun.run, begun.run->bound() ? input : nullptr);
  else turns_.Start(call, begun.run, input, true);
}

void ToolCalls::AnswerTool(const Call& call, const Arguments& arguments) {
  TakeInput(
      call, arguments, InputIn(arguments, {"answers", "errors", "declines"}),
      {"there is no answer", "give `answers`, `declines` or `errors`, by the keys of `pending`"});
}

void ToolCalls::AssertTool(const Call& call, const Arguments& arguments) {
  TakeInput(call, arguments, InputIn(arguments, {"facts"}),
            {"there is no fact", "write facts as RPL does: strings in double quotes"});
}

void ToolCalls::RetractTool(const Call& call, const Arguments& arguments) {
  ordered_json retract = ordered_json::object();
  for (const char* key : {"facts", "answers"})
    if (arguments.contains(key) && !arguments[key].empty()) retract[key] = arguments[key];
  TakeInput(call, arguments, InputIn({{"retract", std::move(retract)}}, {"retract"}),
            {"there is nothing to take back", "give `facts`, or the keys of `answers`"});
}

// `none`: what to say if the input is empty.
void ToolCalls::TakeInput(const Call& call, const Arguments& arguments, ordered_json input,
                          const RunRecords::Fault& none) {
  const auto run = RunOf(call, arguments, true);
  if (run == nullptr) return;
  const std::string fault = input.empty() ? none.reason : InputFault(input);
  if (fault.empty()) turns_.Start(call, run, std::move(input));
  else call->ReplyTool(RunFaultJson(run->handle, fault, none.hint), true);
}

void ToolCalls::StatusTool(const Call& call, const Arguments& arguments) {
  const auto run = RunOf(call, arguments, true);
  if (run == nullptr) return;
  std::size_t first = 0;
  if (arguments.contains("cursor")) {
    const auto cursor =
        service_.seals.Open(kAnswersPurpose, TextAt(arguments, "cursor"), SecondsNow());
    if (!cursor || cursor->value("sid", "") != run->handle) {
      call->ReplyTool(RunFaultJson(run->handle, "the cursor is not one of this run",
                                   "begin again without a cursor"),
                      true);
      return;
    }
    first = cursor->value("at", std::size_t{0});
  }
  turns_.Show(call, run, first);
}

// --- Protocols ------------------------------------------------------------------------------

void ToolCalls::ProtocolsTool(const Call& call, const Arguments& arguments) {
  std::size_t first = 0;
  if (arguments.contains("cursor")) {
    const auto cursor =
        service_.seals.Open(kListPurpose, TextAt(arguments, "cursor"), SecondsNow());
    if (!cursor)
      return Refuse(call, ToolKind::kProtocols, "the cursor is not valid",
                    "begin again without a cursor");
    first = cursor->value("at", std::size_t{0});
  }
  Work(call, [this, call, first] {
    const std::vector<ProtocolAbout> all = protocols_.All(service_.Interrupted(call));
    ordered_json out = {{"protocols", ordered_json::array()}};
    const std::size_t end = std::min(all.size(), first + kProtocolsOnPage);
    for (std::size_t i = first; i < end; ++i) out["protocols"].push_back(AboutJson(all[i]));
    if (end < all.size())
      out["next"] = service_.seals.Seal(kListPurpose, {{"at", end}}, SecondsNow() + kCursorSeconds);
    call->ReplyTool(std::move(out), false);
  });
}

void ToolCalls::CheckTool(const Call& call, const Arguments& arguments) {
  const bool has_text = arguments.contains("text");
  const std::string protocol = TextAt(arguments, "protocol");
  const std::optional<std::string> path =
      has_text ? std::nullopt : service_.protocols.Find(protocol);
  if (!has_text && !path)
    return Refuse(call, ToolKind::kCheck,
                  protocol.empty() ? "there is neither `protocol` nor `text`"
                                   : NoSuchProtocol(protocol, service_.protocols),
                  "rpl_protocols lists those there are");
  const std::string name = !has_text                           ? protocol
                           : TextAt(arguments, "name").empty() ? "text.md"
                                                               : TextAt(arguments, "name");
  Work(call, [this, call, name, path, text = TextAt(arguments, "text")] {
    std::string source = text;
    std::set<std::string> tools;
    if (path) {
      Input input = ReadFile(*path);
      if (!input.error.empty())
        return Refuse(call, ToolKind::kCheck, name + ": " + input.error,
                      "rpl_protocols lists the protocols");
      source = std::move(input.text);
      ToolConfig config;
      if (ReadTools(ConfigPath("", {*path}), config) == kExitOk)
        for (const ToolCommand& tool : config.tools) tools.insert(tool.name);
    }
    ordered_json findings = CheckedText(name, source, path.value_or(""), tools);
    const bool ok = std::none_of(findings.begin(), findings.end(), [](const ordered_json& finding) {
      return finding["severity"] == "error";
    });
    ordered_json out = {{"ok", ok}, {"findings", ordered_json::array()}};
    for (std::size_t i = 0; i < std::min(findings.size(), kMostFindings); ++i)
      out["findings"].push_back(std::move(findings[i]));
    if (findings.size() > kMostFindings) out["more"] = true;
    call->ReplyTool(std::move(out), false);
  });
}

// --- Questions about runs and protocols -----------------------------------------------------

void ToolCalls::QueryTool(const Call& call, const Arguments& arguments) {
  const std::string protocol = TextAt(arguments, "protocol");
  std::string session;
  std::optional<std::string> path;
  ServedRuns::Found found;
  if (arguments.contains("session")) {
    found = service_.runs.Find(TextAt(arguments, "session"), call->peer->who);
    if (found.run != nullptr) session = service_.runs.records().NameOf(found.run->handle);
  } else {
    path = service_.protocols.Find(protocol);
  }
  if (session.empty() && !path) {
    const auto [error, hint] = NotThere(found, kNeither, kGiveEither);
    return Refuse(call, ToolKind::kQuery, error, hint);
  }
  const std::string query = TextAt(arguments, "query");
  const std::string asked = DigestOf({{"q", query}, {"s", session}, {"p", protocol}});
  std::size_t first = 0;
  if (arguments.contains("cursor")) {
    const auto cursor =
        service_.seals.Open(kRowsPurpose, TextAt(arguments, "cursor"), SecondsNow());
    if (!cursor || cursor->value("q", "") != asked)
      return Refuse(call, ToolKind::kQuery, "the cursor is not one of this query",
                    "begin again without a cursor");
    first = cursor->value("at", std::size_t{0});
  }
  const std::size_t limit = NumberAt(arguments, "limit", 50);
  Work(call, [=, this] {
    const Entry entry = ReadEntry(query, "<query>", Ground::kAsks);
    if (entry.kind != Entry::Kind::kQuery || !entry.novelty.empty()) {
      std::string why = "expected a query, got `" + Shortened(query, 200) + "`";
      for (const Diagnostic& d : entry.findings) why += ": " + d.message;
      return Refuse(call, ToolKind::kQuery, why,
                    "as in hotel(?name, ?price), or %cheap(?n) <- hotel(?n, ?p), ?p < 100");
    }
    ScratchRun scratch =
        path ? ScratchOf(*path, protocol, service_.engine, service_.Interrupted(call))
             : CopyOf(session, service_.engine, service_.Interrupted(call));
    if (!scratch.refusal.reason.empty())
      return Refuse(call, ToolKind::kQuery, scratch.refusal.reason, scratch.refusal.hint);
    const Outcome outcome = scratch.run->Say(entry.name, entry.text);
    if (outcome.status == Status::kRejected || HasErrors(outcome.diagnostics))
      return Refuse(call, ToolKind::kQuery, "the query has errors: " + outcome.reason,
                    "correct it");
    const AnswerPage page = PageOf(outcome.json_answers, first, limit);
    ordered_json out = {{"rows", page.answers},
                        {"holds", outcome.status == Status::kSatisfied},
                        {"more", page.next > 0}};
    if (page.next > 0)
      out["next"] = service_.seals.Seal(kRowsPurpose, {{"q", asked}, {"at", page.next}},
                                        SecondsNow() + kCursorSeconds);
    std::string reason = outcome.reason;
    if (outcome.status == Status::kUnsatisfied)
      for (const std::string& unknown : UnknownCalls(scratch.of(), entry.calls))
        reason += "; " + unknown;
    if (!outcome.cut_off.empty()) reason += "cut off: " + outcome.cut_off;
    if (found.run != nullptr)
      reason = WithName(std::move(reason), scratch.file, found.run->protocol);
    if (!reason.empty()) out["reason"] = reason;
    call->ReplyTool(std::move(out), false);
  });
}

void ToolCalls::ExplainTool(const Call& call, const Arguments& arguments) {
  const std::string protocol = TextAt(arguments, "protocol");
  std::string session;
  std::optional<std::string> path;
  ServedRuns::Found found;
  if (arguments.contains("session")) {
    found = service_.runs.Find(TextAt(arguments, "session"), call->peer->who);
    if (found.run != nullptr) session = service_.runs.records().NameOf(found.run->handle);
  } else {
    path = service_.protocols.Find(protocol);
  }
  if (session.empty() && !path) {
    const auto [error, hint] = NotThere(found, kNeither, kGiveEither);
    return Refuse(call, ToolKind::kExplain, error, hint);
  }
  const std::string fact = TextAt(arguments, "fact");
  const std::size_t depth = NumberAt(arguments, "depth", 8);
  Work(call, [=, this] {
    ScratchRun scratch =
        path ? ScratchOf(*path, protocol, service_.engine, service_.Interrupted(call))
             : CopyOf(session, service_.engine, service_.Interrupted(call));
    if (!scratch.refusal.reason.empty())
      return Refuse(call, ToolKind::kExplain, scratch.refusal.reason, scratch.refusal.hint);
    if (path) scratch.run->Turn();
    const Explained explained =
        scratch.of().Explain(fact, {10, depth}, std::min<std::size_t>(depth, 2));
    if (explained.rejected) {
      std::string why = "expected one fact or goal, got `" + Shortened(fact, 200) + "`";
      for (const Diagnostic& d : explained.diagnostics) why += ": " + d.message;
      return Refuse(call, ToolKind::kExplain, why, "as in eligible(\"Ada\", ?x) or %pay");
    }
    std::string text;
    for (const Explanation& proof : explained.why.proofs)
      text += ExplanationText(proof, scratch.of().sources());
    if (explained.why_not) text += ExplanationText(*explained.why_not, scratch.of().sources());
    std::string reason = explained.reason;
    if (found.run != nullptr) {
      text = WithName(std::move(text), scratch.file, found.run->protocol);
      reason = WithName(std::move(reason), scratch.file, found.run->protocol);
    }
    ordered_json out = {{"holds", !explained.why.proofs.empty()},
                        {"text", ShownText(std::move(text), kMostProof)}};
    if (explained.why.more > 0) out["more"] = explained.why.more;
    if (explained.doubt != Status::kNothing) out["reason"] = reason;
    call->ReplyTool(std::move(out), false);
  });
}

void ToolCalls::TraceTool(const Call& call, const Arguments& arguments) {
  const ServedRuns::Found found = service_.runs.Find(TextAt(arguments, "session"), call->peer->who);
  if (found.run == nullptr) {
    const auto [error, hint] = NotThere(found, "there is no such session");
    return Refuse(call, ToolKind::kTrace, error, hint);
  }
  const std::size_t after = NumberAt(arguments, "after", 0);
  const std::size_t limit = NumberAt(arguments, "limit", 100);
  Work(call, [=, this] {
    const SessionStore::Opened opened =
        OpenSession(service_.runs.records().NameOf(found.run->handle), SessionStore::Mode::kRead);
    if (opened.store == nullptr)
      return Refuse(call, ToolKind::kTrace, "the session cannot be read: " + opened.error,
                    opened.hint);
    const Trace entries = Entries(opened.store->events());
    const std::string file = RecordedName(opened.store->events());
    ordered_json out = {{"events", ordered_json::array()}};
    std::size_t bytes = 0;
    for (std::size_t i = 0, number = 0; i < entries.size(); ++i) {
      const TraceEntry& entry = entries[i];
      if (entry.again || ++number <= after) continue;
      std::string text = WithName(entry.text, file, found.run->protocol);
      bytes += text.size();
      if (out["events"].size() >= limit || (bytes > kMostTraceText && !out["events"].empty())) {
        out["next"] = number - 1;
        break;
      }
      ordered_json event = {{"number", number},
                            {"step", entry.timestep},
                            {"kind", EntryName(entry.kind)},
                            {"text", ShownText(std::move(text))}};
      if (entry.by) event["by"] = NameOf(*entry.by);
      out["events"].push_back(std::move(event));
    }
    call->ReplyTool(std::move(out), false);
  });
}

void ToolCalls::GuardTool(const Call& call, const Arguments& arguments) {
  Work(call, [this, call, arguments] {
    ordered_json decided = service_.guard(arguments);
    const bool error = decided.contains("error");
    call->ReplyTool(std::move(decided), error);
  });
}

}  // namespace rpl
