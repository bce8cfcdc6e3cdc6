// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/mcp_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr const char* kModernVersion = "2026-07-28";
constexpr std::array<std::string_view, 4> kLegacyVersions = {"2025-11-25", "2025-06-18",
                                                             "2025-03-26", "2024-11-05"};
constexpr milliseconds kProbe{3000};
constexpr milliseconds kTurn{50};  // between looks at the clock and at an interrupt
constexpr std::size_t kMostListPages = 1000;
constexpr std::size_t kMostTools = 10'000;
constexpr int kMostRestarts = 10;  // of the time limit of a call, by progress
constexpr std::size_t kMostErrorText = 2000;
constexpr const char* kStopped = "the run was interrupted";

ordered_json ClientInfo() { return {{"name", "rpl"}, {"version", "1"}}; }

McpReply FailedReply(std::string code, std::string message) {
  McpReply out;
  out.code = std::move(code);
  out.message = std::move(message);
  return out;
}

std::string ErrorText(const ordered_json& error) {
  return Shortened(CleanUtf8(TextAt(error, "message")), kMostErrorText);
}

// The id of a line that is meant as a response, and is none by ReadRpc; null: it is something else.
ordered_json IdOfBadAnswer(std::string_view line) {
  RpcOutline outline = OutlineOf(line);
  return outline.has_method ? ordered_json() : std::move(outline.id);
}

milliseconds Left(std::chrono::steady_clock::time_point due) {
  const auto left = std::chrono::ceil<milliseconds>(due - std::chrono::steady_clock::now());
  return std::max(left, milliseconds(0));
}

}  // namespace

McpClient::McpClient(std::shared_ptr<const McpServer> server) : server_(std::move(server)) {}
McpClient::~McpClient() = default;

const McpToolDefinition* McpClient::Find(const std::string& tool) const {
  const auto found = tools_.find(tool);
  return found == tools_.end() ? nullptr : &found->second;
}

void McpClient::Disconnect() {
  connected_ = false;
  tools_.clear();
  transport_.reset();
}

// --- the beginning ------------------------------------------------------------------------

McpClient::Listed McpClient::Connect(const ToolRun& run) {
  std::string ended;
  if (connected_ && transport_->HasEnded(ended)) Disconnect();
  if (connected_) return {};
  const Clock::time_point due = Clock::now() + server_->start;
  transport_ = server_->url.empty() ? MakeMcpProcess(server_) : MakeMcpHttp(server_);
  std::string why = transport_->Start();
  if (why.empty()) why = Handshake(run, due);
  if (why.empty()) why = List(run, due);
  connected_ = why.empty();
  if (connected_) return {};
  Disconnect();
  return {fmt::format("the server `{}`: {}", server_->name, why), why == kStopped};
}

std::string McpClient::Handshake(const ToolRun& run, Clock::time_point due) {
  modern_ = true;
  version_ = kModernVersion;
  transport_->Speak(version_);
  RpcMessage answer;
  const Clock::time_point probe = std::min(due, Clock::now() + kProbe);
  const std::string why = Ask("server/discover", Json::object(), run, probe, answer);
  if (why == kStopped) return why;
  if (why.empty()) {
    const Json& error = answer.error;
    const Json& versions = FieldAt(answer.result, "supportedVersions");
    const Json& supported = NumberAt(error, "code") == kRpcUnsupportedVersion
                                ? FieldAt(FieldAt(error, "data"), "supported")
                                : versions;
    if (supported.is_array()) {
      if (std::find(supported.begin(), supported.end(), kModernVersion) != supported.end())
        return "";
      return "it speaks only the versions " + CleanUtf8(DumpJson(supported));
    }
  }
  // Any other answer, or none, is that of a legacy server, which may be confused by now.
  modern_ = false;
  std::string ended;
  if (!why.empty() || transport_->HasEnded(ended))
    if (std::string again = transport_->Start(); !again.empty()) return again;
  return Initialize(run, due);
}

std::string McpClient::Initialize(const ToolRun& run, Clock::time_point due) {
  version_ = kLegacyVersions.front();
  transport_->Speak("");
  RpcMessage answer;
  std::string why = Ask("initialize",
                        {{"protocolVersion", version_},
                         {"capabilities", Json::object()},
                         {"clientInfo", ClientInfo()}},
                        run, due, answer);
  if (!why.empty()) return why;
  if (!answer.error.is_null()) return "it refuses the handshake: " + ErrorText(answer.error);
  version_ = TextAt(answer.result, "protocolVersion");
  if (std::find(kLegacyVersions.begin(), kLegacyVersions.end(), version_) == kLegacyVersions.end())
    return "it speaks the unknown version `" + Shortened(CleanUtf8(version_), 40) + "`";
  transport_->Speak(version_);
  return Send(RpcNotification("notifications/initialized"));
}

std::string McpClient::List(const ToolRun& run, Clock::time_point due) {
  Json params = Json::object();
  for (std::size_t page = 0; page < kMostListPages; ++page) {
    RpcMessage answer;
    if (std::string why = Ask("tools/list", params, run, due, answer); !why.empty()) return why;
    if (!answer.error.is_null()) return "it does not list its tools: " + ErrorText(answer.error);
    for (const Json& tool : FieldAt(answer.result, "tools")) {
      std::optional<McpToolDefinition> definition = McpDefinitionOf(tool);
      if (!definition) continue;
      if (tools_.size() == kMostTools) return "it lists too many tools";
      const auto [known, is_new] = tools_.emplace(definition->name, *definition);
      if (!is_new && known->second.hash != definition->hash)
        return "it lists the tool `" + CleanUtf8(definition->name) + "` twice";
    }
    const Json& next = FieldAt(answer.result, "nextCursor");
    if (!next.is_string()) return "";
    params["cursor"] = next;
  }
  return "its list of tools does not end";
}

// Sends a request and waits for its answer. The reason why there is none, or "".
std::string McpClient::Ask(std::string_view method, Json params, const ToolRun& run,
                           Clock::time_point due, RpcMessage& answer) {
  const std::int64_t id = ++number_;
  if (std::string why = Send(RpcRequest(id, method, WithMeta(std::move(params), nullptr)));
      !why.empty())
    return why;
  const McpTransport::Log log = [&](const std::string& line) {
    if (run.log) run.log(server_->name, line);
  };
  while (Clock::now() < due) {
    if (run.interrupted && run.interrupted()) return kStopped;
    const auto line = transport_->Receive(std::min(kTurn, Left(due)), log);
    for (const Json& dropped : transport_->TakeTooLong())
      if (dropped == id) return fmt::format("its answer to `{}` is too long", method);
    std::string why;
    if (!line && transport_->HasEnded(why)) return why;
    if (!line) continue;
    std::variant<RpcMessage, RpcFault> read = ReadRpc(*line);
    auto* const message = std::get_if<RpcMessage>(&read);
    if (message == nullptr && IdOfBadAnswer(*line) == id)
      return fmt::format("its answer to `{}` is none: {}", method,
                         std::get<RpcFault>(read).message);
    if (message == nullptr) continue;
    if (message->kind == RpcMessage::Kind::kResponse && message->id == id) {
      answer = std::move(*message);
      return "";
    }
    Take(*line, run);
  }
  return fmt::format("no answer to `{}` in time", method);
}

std::string McpClient::Send(const Json& message, const Json& schema) {
  return transport_->Send(message, schema, std::chrono::duration_cast<milliseconds>(server_->start),
                          nullptr);
}

// What every request of the modern era carries, and the token for progress.
McpClient::Json McpClient::WithMeta(Json params, const Json& token) const {
  Json meta = Json::object();
  if (modern_) {
    meta["io.modelcontextprotocol/protocolVersion"] = version_;
    meta["io.modelcontextprotocol/clientInfo"] = ClientInfo();
    meta["io.modelcontextprotocol/clientCapabilities"] = Json::object();
  }
  if (!token.is_null()) meta["progressToken"] = token;
  if (!meta.empty()) params["_meta"] = std::move(meta);
  return params;
}

// --- calls --------------------------------------------------------------------------------

void McpClient::Call(const std::vector<McpRequest>& requests, const ToolRun& run) {
  const McpTransport::Log log = [&](const std::string& line) {
    if (run.log) run.log(server_->name, line);
  };
  bool interrupted = false;
  for (std::size_t next = 0; next < requests.size() || !open_.empty();) {
    interrupted = interrupted || (run.interrupted && run.interrupted());
    if (interrupted) {
      for (; next < requests.size(); ++next)
        requests[next].ended(FailedReply("interrupted", kStopped));
      while (!open_.empty()) {
        Cancel(open_.begin()->first, kStopped);
        End(open_.begin(), FailedReply("interrupted", kStopped));
      }
      return;
    }
    while (next < requests.size() && open_.size() < std::max<std::size_t>(run.concurrency, 1))
      Begin(requests[next++]);
    if (open_.empty()) continue;
    const auto line = transport_->Receive(kTurn, log);
    for (const Json& id : transport_->TakeTooLong()) EndTooLong(id);
    if (line) {
      Take(*line, run);
      continue;
    }
    std::string why;
    if (transport_->HasEnded(why)) {
      while (!open_.empty())
        End(open_.begin(),
            FailedReply("no-reply", fmt::format("the server `{}`: {}", server_->name, why)));
      for (; next < requests.size(); ++next)
        requests[next].ended(
            FailedReply("not-started", "the server `" + server_->name + "` ended before the call"));
      return Disconnect();
    }
    const Clock::time_point now = Clock::now();
    for (auto it = open_.begin(); it != open_.end();) {
      const auto open = it++;
      if (now < open->second.due) continue;
      const auto limit = open->second.request->call->command->timeout.count();
      Cancel(open->first, "it ran out of time");
      End(open,
          FailedReply("timeout", fmt::format("the tool `{}` of the server `{}` ran longer "
                                             "than {} ms",
                                             open->second.request->tool, server_->name, limit)));
    }
  }
}

void McpClient::Begin(const McpRequest& request) {
  if (request.call->starting && !request.call->starting())
    return request.ended(FailedReply("not-recorded", "its start could not be recorded"));
  const std::int64_t id = ++number_;
  const auto limit = request.call->command->timeout;
  const Clock::time_point now = Clock::now();
  open_[id] = {&request, now, now + limit, now + limit * kMostRestarts};
  const McpToolDefinition* const tool = Find(request.tool);
  const std::string why =
      Send(RpcRequest(id, "tools/call",
                      WithMeta({{"name", request.tool}, {"arguments", request.arguments}}, id)),
           tool == nullptr ? Json() : FieldAt(tool->parts, "inputSchema"));
  if (!why.empty())
    End(open_.find(id), FailedReply("no-reply", "the call could not be sent: " + why));
}

void McpClient::Take(std::string_view line, const ToolRun& run) {
  std::variant<RpcMessage, RpcFault> read = ReadRpc(line);
  auto* const message = std::get_if<RpcMessage>(&read);
  if (message == nullptr) {
    if (const auto open = OpenOf(IdOfBadAnswer(line)); open != open_.end())
      return End(open, FailedReply("bad-reply", fmt::format("the server `{}`: {}", server_->name,
                                                            std::get<RpcFault>(read).message)));
    constexpr std::size_t kMostShown = 80;
    if (run.log)
      run.log(server_->name,
              "a line that is no message: " + CleanUtf8(Shortened(std::string(line), kMostShown)));
    return;
  }
  switch (message->kind) {
    case RpcMessage::Kind::kResponse: {
      const auto open = OpenOf(message->id);
      if (open != open_.end() &&
          line.size() > open->second.request->call->command->max_output_bytes)
        return EndTooLong(message->id);
      return TakeAnswer(*message);
    }
    case RpcMessage::Kind::kNotification:
      if (message->method == "notifications/progress") Progress(message->params, run);
      return;
    case RpcMessage::Kind::kRequest: break;
  }
  const bool ping = message->method == "ping";
  [[maybe_unused]] const std::string ignored =
      Send(ping ? RpcResult(message->id, Json::object())
                : RpcError(message->id, kRpcMethodNotFound, "rpl does not offer this"));
}

// The call of this id; the end of open_ if it has ended.
McpClient::OpenCalls::iterator McpClient::OpenOf(const Json& id) {
  return id.is_number_integer() ? open_.find(id.get<std::int64_t>()) : open_.end();
}

void McpClient::EndTooLong(const Json& id) {
  const auto open = OpenOf(id);
  if (open == open_.end()) return;
  const std::size_t most = std::min<std::size_t>(
      open->second.request->call->command->max_output_bytes, RpcLines::kMaxLine);
  End(open, FailedReply("too-much-output", fmt::format("the result has more than {} bytes", most)));
}

void McpClient::TakeAnswer(RpcMessage& message) {
  const auto open = OpenOf(message.id);
  if (open == open_.end()) return;  // it came too late
  McpReply reply;
  if (message.error.is_null()) {
    reply.result = std::move(message.result);
  } else {
    reply = FailedReply("mcp", ErrorText(message.error));
    reply.number = DumpJson(message.error["code"]);
  }
  End(open, std::move(reply));
}

// The token of a call is its number.
void McpClient::Progress(const Json& params, const ToolRun& run) {
  const Json& token = FieldAt(params, "progressToken");
  const auto open = OpenOf(token);
  if (open == open_.end()) return;
  Open& call = open->second;
  call.due = std::min(Clock::now() + call.request->call->command->timeout, call.most);
  const std::string text = TextAt(params, "message");
  if (!text.empty() && run.log) run.log(call.request->call->command->name, CleanUtf8(text));
}

void McpClient::End(OpenCalls::iterator open, McpReply reply) {
  const Open ended = open->second;
  open_.erase(open);
  reply.took_ms = std::chrono::duration<double, std::milli>(Clock::now() - ended.began).count();
  ended.request->ended(reply);
}

void McpClient::Cancel(std::int64_t id, std::string_view reason) {
  [[maybe_unused]] const std::string ignored =
      Send(RpcNotification("notifications/cancelled", {{"requestId", id}, {"reason", reason}}));
}

}  // namespace rpl
