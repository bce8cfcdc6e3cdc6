// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/rpc_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/data/json_text.h"
#include "shell/mcp/mcp_resources.h"
#include "shell/mcp/mcp_service.h"
#include "shell/mcp/mcp_tasks.h"
#include "shell/mcp/protocol_list.h"
#include "shell/mcp/run_turns.h"
#include "shell/mcp/tool_calls.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kToolListMs = 60'000;
constexpr std::size_t kMostOpenCalls = 256;  // of one peer
constexpr std::size_t kMostListening = 64;   // likewise
constexpr std::size_t kMostSubscribed = 1024;
constexpr std::size_t kMostBatch = 100;

constexpr const char* kInstructions =
    "Runs written protocols (RPL) step by step; the rules decide, you carry them out. Find a "
    "protocol with rpl_protocols, start it with rpl_run, and do what `now` of each result says: "
    "ask "
    "the user the questions in `pending`, call rpl_answer with what they said, and go on until the "
    "status is satisfied. Do not skip steps and do not answer for the user. `waiting` is no error. "
    "When asked why, use rpl_explain; report facts that you found with rpl_assert.";

const ordered_json* MetaOf(const ordered_json& params) {
  const auto meta = params.find("_meta");
  return meta != params.end() && meta->is_object() ? &*meta : nullptr;
}

// Whether the capabilities have forms: `elicitation` that is empty or has `form`.
bool HasForms(const ordered_json& capabilities) {
  if (!capabilities.is_object()) return false;
  const auto elicitation = capabilities.find("elicitation");
  if (elicitation == capabilities.end() || !elicitation->is_object()) return false;
  return elicitation->empty() || elicitation->contains("form");
}

bool HasTasks(const ordered_json& capabilities) {
  const auto extensions = capabilities.find("extensions");
  return extensions != capabilities.end() && extensions->is_object() &&
         extensions->contains(kTasksExtension);
}

// Of a response that cannot be read nobody waits for an answer.
bool IsMeantAsResponse(const ordered_json& json) {
  return json.is_object() && !json.contains("method") &&
         (json.contains("result") || json.contains("error"));
}

// `tells`: there is a way for messages that belong to no request.
ordered_json CapabilitiesFor(bool modern, bool tells) {
  ordered_json resources = ordered_json::object();
  if (modern || tells) resources["subscribe"] = true;
  ordered_json out = {{"tools", ordered_json::object()},
                      {"resources", std::move(resources)},
                      {"prompts", ordered_json::object()},
                      {"completions", ordered_json::object()}};
  if (modern) out["extensions"] = {{kTasksExtension, ordered_json::object()}};
  return out;
}

}  // namespace

const RpcServer::Method RpcServer::kMethods[] = {
    {"initialize", true, false, false, &RpcServer::Initialize},
    {"server/discover", false, true, false, &RpcServer::Discover},
    {"ping", true, false, false, &RpcServer::Ping},
    {"tools/list", true, true, false, &RpcServer::ListTools},
    {"tools/call", true, true, true, &RpcServer::CallTool},
    {"resources/list", true, true, false, &RpcServer::ListResources},
    {"resources/templates/list", true, true, false, &RpcServer::ListTemplates},
    {"resources/read", true, true, true, &RpcServer::ReadResource},
    {"resources/subscribe", true, false, true, &RpcServer::Subscribe},
    {"resources/unsubscribe", true, false, false, &RpcServer::Unsubscribe},
    {"subscriptions/listen", false, true, true, &RpcServer::Listen},
    {"prompts/list", true, true, false, &RpcServer::ListPrompts},
    {"prompts/get", true, true, false, &RpcServer::GetPrompt},
    {"completion/complete", true, true, true, &RpcServer::Complete},
    {"tasks/get", false, true, true, &RpcServer::GetTask},
    {"tasks/update", false, true, true, &RpcServer::UpdateTask},
    {"tasks/cancel", false, true, true, &RpcServer::CancelTask},
};

struct RpcServer::Parts {
  explicit Parts(McpService& service)
      : protocols(service.protocols, service.engine),
        tools(service, protocols),
        resources(service, protocols),
        tasks(service),
        turns(service) {}

  ProtocolList protocols;
  ToolCalls tools;
  McpResources resources;
  McpTasks tasks;
  RunTurns turns;
};

RpcServer::RpcServer(McpService& service)
    : service_(service), parts_(std::make_unique<Parts>(service)) {}
RpcServer::~RpcServer() = default;

void RpcServer::TakeLine(const std::shared_ptr<McpPeer>& peer, std::string_view line,
                         const McpSink& send, const std::function<void(const RpcFault&)>& log) {
  // A message that cannot be read may have been a request, for whose response the client waits.
  const auto refuse = [&](const RpcFault& fault, const McpSink& to) {
    log(fault);
    to(RpcErrorOf(fault));
  };
  std::variant<ordered_json, RpcFault> read = ReadRpcJson(line);
  if (const auto* const fault = std::get_if<RpcFault>(&read)) {
    const RpcOutline outline = OutlineOf(line);
    if (outline.has_method || !outline.has_result) return refuse(*fault, send);
    log(*fault);
    return TakeLost(peer, outline.id);
  }
  auto& whole = std::get<ordered_json>(read);
  const auto take = [&](ordered_json json, const McpSink& to, const McpSink& to_refuse) {
    const bool answer = IsMeantAsResponse(json);
    const ordered_json id = answer ? json.value("id", ordered_json()) : ordered_json();
    auto message = RpcMessageOf(std::move(json));
    const auto* fault = std::get_if<RpcFault>(&message);
    if (fault == nullptr) Take(peer, std::move(std::get<RpcMessage>(message)), to);
    else if (answer) log(*fault), TakeLost(peer, id);
    else refuse(*fault, to_refuse);
  };
  if (!whole.is_array()) return take(std::move(whole), send, send);
  // A batch, which 2025-03-26 alone has.
  bool batches = false;
  {
    const std::lock_guard lock(peer->mutex);
    batches = !peer->revision || *peer->revision == "2025-03-26";
  }
  if (!batches || whole.empty() || whole.size() > kMostBatch)
    return refuse({kRpcInvalidRequest, "a message is a JSON object", nullptr}, send);
  // The responses go back as one array, when the last is there.
  struct Batch {
    std::mutex mutex;
    std::size_t open = 0;
    ordered_json out = ordered_json::array();
    McpSink send;
  };
  auto batch = std::make_shared<Batch>();
  batch->send = send;
  batch->open = 1;
  const auto close = [](Batch& of) {  // REQUIRES: its mutex is held
    if (--of.open == 0 && !of.out.empty()) of.send(of.out);
  };
  const McpSink collect = [batch, close](const ordered_json& message) {
    if (message.contains("method")) return batch->send(message);  // progress, questions
    const std::lock_guard lock(batch->mutex);
    batch->out.push_back(message);
    close(*batch);
  };
  const McpSink collect_refusal = [batch](const ordered_json& error) {
    const std::lock_guard lock(batch->mutex);
    batch->out.push_back(error);
  };
  for (ordered_json& json : whole) {
    const auto message = RpcMessageOf(json);
    const auto* const request = std::get_if<RpcMessage>(&message);
    if (request != nullptr && request->kind == RpcMessage::Kind::kRequest) {
      const std::lock_guard lock(batch->mutex);
      ++batch->open;
    }
    take(std::move(json), collect, collect_refusal);
  }
  const std::lock_guard lock(batch->mutex);
  close(*batch);
}

std::shared_ptr<McpCall> RpcServer::Take(const std::shared_ptr<McpPeer>& peer, RpcMessage message,
                                         const McpSink& send) {
  if (message.kind == RpcMessage::Kind::kResponse) {
    TakeResponse(peer, message);
    return nullptr;
  }
  if (message.kind == RpcMessage::Kind::kNotification) {
    TakeNotification(*peer, message);
    return nullptr;
  }
  auto call = std::make_shared<McpCall>();
  call->peer = peer;
  call->id = std::move(message.id);
  call->method = std::move(message.method);
  call->params = std::move(message.params);
  call->send = send;
  if (!Settle(*call)) return call;
  call->settled = true;
  std::size_t open = 0;
  {
    const std::lock_guard lock(peer->mutex);
    open = peer->calls.size();
    if (open < kMostOpenCalls) peer->calls[DumpJson(call->id)] = call;
  }
  if (open >= kMostOpenCalls) {
    call->Fail(kRpcInternalError, "too many requests are open");
    return call;
  }
  try {
    Dispatch(call);
  } catch (const std::exception& error) {
    call->Fail(kRpcInternalError, fmt::format("internal error: {}", error.what()));
  }
  return call;
}

// Decides the era of a request, and reads what its `_meta` says. False: it was answered.
bool RpcServer::Settle(McpCall& call) {
  const ordered_json* meta = MetaOf(call.params);
  if (meta != nullptr)
    if (const auto token = meta->find("progressToken");
        token != meta->end() && (token->is_string() || token->is_number()))
      call.progress_token = *token;
  const bool names_version = meta != nullptr && meta->contains(kMetaVersion);
  if (names_version) {
    call.modern = true;
    const ordered_json& version = (*meta)[kMetaVersion];
    call.revision = std::string(kModernRevisions[0]);
    if (!version.is_string()) {
      call.Fail(kRpcInvalidParams, fmt::format("`{}` is a string", kMetaVersion));
      return false;
    }
    if (!IsModernRevision(version.get_ref<const std::string&>())) {
      call.Fail(kRpcUnsupportedVersion,
                "Unsupported protocol version: " + version.get<std::string>().substr(0, 100),
                {{"supported", kModernRevisions}, {"requested", version}});
      return false;
    }
    const auto capabilities = meta->find(kMetaCapabilities);
    if (capabilities == meta->end() || !capabilities->is_object()) {
      call.Fail(kRpcInvalidParams, fmt::format("`_meta` lacks the object `{}`", kMetaCapabilities));
      return false;
    }
    call.forms = HasForms(*capabilities);
    call.tasks = HasTasks(*capabilities);
    return true;
  }
  if (call.method == "server/discover") {
    call.Fail(kRpcInvalidParams, fmt::format("`_meta` lacks `{}`", kMetaVersion));
    return false;
  }
  const std::lock_guard lock(call.peer->mutex);
  call.revision = call.peer->revision.value_or(std::string(kAssumedRevision));
  call.forms = call.peer->forms;
  return true;
}

void RpcServer::Dispatch(const Call& call) {
  const auto method = std::find_if(std::begin(kMethods), std::end(kMethods),
                                   [&](const Method& each) { return each.name == call->method; });
  const bool known =
      method != std::end(kMethods) && (call->modern ? method->modern : method->legacy);
  if (!known) {
    call->Fail(kRpcMethodNotFound, "Method not found: " + call->method.substr(0, 100));
    return;
  }
  if (!method->uses_runs || !service_.runs.shared()) return (this->*method->take)(call);
  service_.pool.Post([this, method, call] {
    if (service_.stopping || call->cancelled()) return;
    try {
      (this->*method->take)(call);
    } catch (const std::exception& error) {
      call->Fail(kRpcInternalError, fmt::format("internal error: {}", error.what()));
    }
  });
}

void RpcServer::TakeNotification(McpPeer& peer, const RpcMessage& message) {
  if (message.method != "notifications/cancelled") return;
  const auto id = message.params.find("requestId");
  if (id == message.params.end()) return;
  std::shared_ptr<McpCall> call;
  {
    const std::lock_guard lock(peer.mutex);
    const std::string key = DumpJson(*id);
    if (const auto at = peer.calls.find(key); at != peer.calls.end()) {
      call = at->second.lock();
      peer.calls.erase(at);
    }
    peer.listening.erase(key);
  }
  if (call != nullptr && call->method != "initialize") call->Cancel();
}

std::string RpcServer::TakeResponse(const std::shared_ptr<McpPeer>& peer,
                                    const RpcMessage& message) {
  std::function<std::string(const ordered_json&, const ordered_json&)> take;
  {
    const std::lock_guard lock(peer->mutex);
    if (const auto at = peer->asked.find(QuestionNumber(message.id)); at != peer->asked.end()) {
      take = std::move(at->second);
      peer->asked.erase(at);
    }
  }
  if (take) return take(message.result, message.error);
  const std::string sealed = QuestionSeal(message.id);
  return sealed.empty() ? "" : parts_->turns.TakeStray(peer, sealed, message.result);
}

// The form was shown, and nothing that is in it can be used.
void RpcServer::TakeLost(const std::shared_ptr<McpPeer>& peer, const ordered_json& id) {
  RpcMessage lost;
  lost.kind = RpcMessage::Kind::kResponse;
  lost.id = id;
  lost.result = {{"action", "accept"}, {"content", ordered_json::object()}};
  TakeResponse(peer, lost);
}

void RpcServer::Leave(McpPeer& peer) {
  std::vector<std::shared_ptr<McpCall>> calls;
  {
    const std::lock_guard lock(peer.mutex);
    for (const auto& [id, call] : peer.calls)
      if (const auto open = call.lock()) calls.push_back(open);
    peer.left = true;
    peer.calls.clear();
    peer.listening.clear();
    peer.asked.clear();
    peer.subscribed.clear();
  }
  for (const auto& call : calls) call->Cancel();
}

// --- The conversation ----------------------------------------------------------------------------

void RpcServer::Initialize(const Call& call) {
  const auto version = call->params.find("protocolVersion");
  if (version == call->params.end() || !version->is_string()) {
    call->Fail(kRpcInvalidParams, "initialize needs a `protocolVersion`");
    return;
  }
  std::string revision = version->get<std::string>();
  if (!IsLegacyRevision(revision)) revision = std::string(kLegacyRevisions[0]);
  {
    const std::lock_guard lock(call->peer->mutex);
    const auto capabilities = call->params.find("capabilities");
    call->peer->revision = revision;
    call->peer->forms =
        revision >= "2025-06-18" && capabilities != call->params.end() && HasForms(*capabilities);
    call->peer->no_questions = false;
  }
  call->revision = revision;
  ordered_json info = ServerInfo();
  if (!call->Has("2025-06-18")) info.erase("title");
  ordered_json capabilities = CapabilitiesFor(false, call->peer->send != nullptr);
  if (!call->Has("2025-03-26")) capabilities.erase("completions");
  call->Reply({{"protocolVersion", revision},
               {"capabilities", std::move(capabilities)},
               {"serverInfo", std::move(info)},
               {"instructions", kInstructions}});
}

void RpcServer::Discover(const Call& call) {
  call->Reply({{"supportedVersions", kModernRevisions},
               {"capabilities", CapabilitiesFor(true, true)},
               {"instructions", kInstructions}},
              kToolListMs);
}

void RpcServer::Ping(const Call& call) { call->Reply(ordered_json::object()); }

// --- Tools ----------------------------------------------------------------------------------

void RpcServer::ListTools(const Call& call) {
  if (call->params.contains("cursor")) {  // all of them are on one page
    call->Fail(kRpcInvalidParams, "invalid cursor");
    return;
  }
  ordered_json tools = ordered_json::array();
  for (const McpTool& tool : parts_->tools.table()) tools.push_back(ToolFor(tool, call->revision));
  call->Reply({{"tools", std::move(tools)}}, kToolListMs);
}

void RpcServer::CallTool(const Call& call) { parts_->tools.Take(call); }
void RpcServer::GetTask(const Call& call) { parts_->tasks.Get(call); }
void RpcServer::UpdateTask(const Call& call) { parts_->tasks.Update(call); }
void RpcServer::CancelTask(const Call& call) { parts_->tasks.Cancel(call); }

// --- Resources and prompts ------------------------------------------------------------------

void RpcServer::ListResources(const Call& call) { parts_->resources.List(call); }
void RpcServer::ListTemplates(const Call& call) { parts_->resources.Templates(call); }
void RpcServer::ReadResource(const Call& call) { parts_->resources.Read(call); }
void RpcServer::ListPrompts(const Call& call) { parts_->resources.ListPrompts(call); }
void RpcServer::GetPrompt(const Call& call) { parts_->resources.GetPrompt(call); }
void RpcServer::Complete(const Call& call) { parts_->resources.Complete(call); }

void RpcServer::Subscribe(const Call& call) {
  if (!call->peer->send) {
    call->Fail(kRpcMethodNotFound, "Method not found: there is no stream for notifications here");
    return;
  }
  const auto uri = call->params.find("uri");
  if (uri == call->params.end() || !uri->is_string()) {
    call->Fail(kRpcInvalidParams, "resources/subscribe needs a `uri`");
    return;
  }
  if (!parts_->resources.MayChange(*call, uri->get<std::string>())) {
    call->Fail(kRpcResourceNotFound, "Resource not found", {{"uri", *uri}});
    return;
  }
  bool full = false;
  {
    const std::lock_guard lock(call->peer->mutex);
    full = call->peer->subscribed.size() >= kMostSubscribed;
    if (!full) call->peer->subscribed.insert(uri->get<std::string>());
  }
  if (full) call->Fail(kRpcInvalidParams, "too many subscriptions");
  else call->Reply(ordered_json::object());
  if (!full) service_.Watch(call->peer);
}

void RpcServer::Unsubscribe(const Call& call) {
  const auto uri = call->params.find("uri");
  if (uri == call->params.end() || !uri->is_string()) {
    call->Fail(kRpcInvalidParams, "resources/unsubscribe needs a `uri`");
    return;
  }
  {
    const std::lock_guard lock(call->peer->mutex);
    call->peer->subscribed.erase(uri->get<std::string>());
  }
  call->Reply(ordered_json::object());
}

// The call stays open; its filter is kept in its parameters.
void RpcServer::Listen(const Call& call) {
  const auto wanted = call->params.find("notifications");
  if (wanted == call->params.end() || !wanted->is_object()) {
    call->Fail(kRpcInvalidParams, "subscriptions/listen needs `notifications`, an object");
    return;
  }
  ordered_json granted = ordered_json::object();
  if (const auto uris = wanted->find("resourceSubscriptions");
      uris != wanted->end() && uris->is_array()) {
    ordered_json known = ordered_json::array();
    for (const ordered_json& uri : *uris)
      if (uri.is_string() && known.size() < kMostSubscribed &&
          parts_->resources.MayChange(*call, uri.get<std::string>()))
        known.push_back(uri);
    granted["resourceSubscriptions"] = std::move(known);
  }
  {
    const std::lock_guard lock(call->peer->mutex);
    if (call->peer->listening.size() < kMostListening) {
      call->params["notifications"] = granted;
      call->peer->listening[DumpJson(call->id)] = call;
    } else {
      granted = nullptr;
    }
  }
  if (granted.is_null()) {
    call->Fail(kRpcInvalidParams, "too many subscriptions");
    return;
  }
  call->send(RpcNotification(
      "notifications/subscriptions/acknowledged",
      {{"_meta", {{kMetaSubscription, call->id}}}, {"notifications", std::move(granted)}}));
  service_.Watch(call->peer);
}

}  // namespace rpl
