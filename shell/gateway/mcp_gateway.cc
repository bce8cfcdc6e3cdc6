// SPDX-License-Identifier: Apache-2.0
//
// The half of the gateway that faces the host; the other is in mcp_gateway_server.cc.
#include "shell/gateway/mcp_gateway.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/guard/guard_store.h"
#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "shell/gateway/mcp_era.h"
#include "shell/gateway/mcp_reading.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

const std::set<std::string> kMessageKeys = {"jsonrpc", "id", "method", "params", "result", "error"};
const std::set<std::string> kCallKeys = {"name", "arguments",      "_meta",
                                         "task", "inputResponses", "requestState"};

}  // namespace

McpGateway::McpGateway(McpDecider& decider, McpGatewaySettings settings)
    : decider_(decider),
      settings_(std::move(settings)),
      reviews_(decider, ids_, output_,
               {settings_.patience, [this](const std::string& line) { Log(line); },
                settings_.store_option}),
      withheld_(settings_.most_withheld, settings_.most_withheld_bytes),
      tools_(decider, [this](const std::string& line) { Log(line); }) {}

// --- lines of the host --------------------------------------------------------------------

void McpGateway::FromHost(std::string_view line, Time now) {
  if (holds()) listing_.Hold(line);
  else HostLine(line, now);
}

void McpGateway::TooLongFromHost(const RpcOutline& outline, Time now) {
  Log("the host: " + RpcTooLongText() + ", and was dropped");
  decider_.Note("a line of the host was too long");
  if (const std::optional<Json> error = RpcTooLongError(outline)) return output_.ToHost(*error);
  if (outline.has_result) LostFromHost(outline.id, RpcTooLongText(), now);
}

// An answer of the host that does not reach whoever waits for it: the server, or the gateway, which
// shows no form again.
void McpGateway::LostFromHost(const Json& id, const std::string& why, Time now) {
  RpcMessage response;
  response.kind = RpcMessage::Kind::kResponse;
  response.id = id;
  response.result = {{"action", "accept"}, {"content", Json::object()}};
  if (!id.is_null() && HostResponse(response, now).passes)
    output_.ToServer(RpcError(id, kRpcInternalError, "the answer of the host: " + why));
}

void McpGateway::HostLine(std::string_view line, Time now) {
  std::string fault = LineFault(line);
  JsonText text;
  if (fault.empty()) {
    text = ParseJson(line, kMaxJsonDepth, JsonNumbers::kExact);
    fault = text.error;
  }
  if (!fault.empty()) return UnreadFromHost(line, fault, now);
  const bool batch = text.json.is_array();
  if (!ended_ && !list_failed_) {
    const auto needs = [this](const Json& json) { return NeedsList(json); };
    if (batch) {
      const auto first = std::find_if(text.json.begin(), text.json.end(), needs);
      if (first != text.json.end()) return AskForList(*first, line, now);
    } else if (needs(text.json)) {
      return AskForList(text.json, line, now);
    }
  }
  if (!batch) {
    const Fate fate = HostMessage(std::move(text.json), line, now);
    output_.FlushAnswers(false);
    if (fate.instead) output_.ToServer(*fate.instead);
    else if (fate.passes) output_.LineToServer(line);
    return;
  }
  Json passing = Json::array();
  bool unchanged = true;
  for (const Json& member : text.json) {
    Fate fate = HostMessage(member, DumpJson(member), now);
    unchanged = unchanged && fate.passes && !fate.instead;
    if (fate.instead) passing.push_back(std::move(*fate.instead));
    else if (fate.passes) passing.push_back(member);
  }
  output_.FlushAnswers(true);
  if (unchanged) output_.LineToServer(line);
  else if (!passing.empty()) output_.ToServer(passing);
}

void McpGateway::UnreadFromHost(std::string_view line, const std::string& why, Time now) {
  const std::string text = "the message is not passed on: " + why;
  Log(text);
  decider_.Note("a message of the host was refused: " + why);
  const RpcOutline outline = OutlineOf(line);
  if (outline.has_result && !outline.has_method) return LostFromHost(outline.id, text, now);
  const Json careless = ReadCarelessly(line);
  const Json id = careless.is_object() ? FieldAt(careless, "id") : outline.id;
  if (!id.is_string() && !id.is_number_integer() && !DigitsOf(id)) return;
  if (LooksLikeCall(TextAt(careless, "method")))
    output_.Refuse(
        id, IsModernRequest(FieldAt(careless, "params")),
        "Refused: the call can be read in two ways (" + why + "). Make the call in a plain form.");
  else output_.Answer(RpcError(id, kRpcParseError, text));
  output_.FlushAnswers(false);
}

McpGateway::Fate McpGateway::HostMessage(Json json, std::string_view line, Time now) {
  std::string fault = KeyFault(json, kMessageKeys);
  if (fault.empty() && json.is_object() && json.contains("method") &&
      (json.contains("result") || json.contains("error")))
    fault = "it is both a request and a response";
  Json id = FieldAt(json, "id");
  const bool call = LooksLikeCall(TextAt(json, "method"));
  const bool answer =
      !json.contains("method") && (json.contains("result") || json.contains("error"));
  const bool modern = IsModernRequest(FieldAt(json, "params"));
  std::variant<RpcMessage, RpcFault> read = RpcMessageOf(std::move(json));
  if (const auto* const wrong = std::get_if<RpcFault>(&read); wrong && fault.empty())
    fault = wrong->message;
  if (!fault.empty()) {
    Log("a message of the host is not passed on: " + fault);
    decider_.Note("a message of the host was refused: " + fault);
    if (!id.is_string() && !id.is_number_integer() && !DigitsOf(id)) return Drop();
    if (answer) LostFromHost(id, fault, now);
    else if (call) output_.Refuse(id, modern, "Refused: " + fault + ".");
    else output_.Answer(RpcError(std::move(id), kRpcInvalidRequest, fault));
    return Drop();
  }
  auto& message = std::get<RpcMessage>(read);
  switch (message.kind) {
    case RpcMessage::Kind::kRequest: return HostRequest(message, line, now);
    case RpcMessage::Kind::kNotification: return HostNotification(message);
    case RpcMessage::Kind::kResponse: return HostResponse(message, now);
  }
  return Drop();
}

McpGateway::Fate McpGateway::HostRequest(RpcMessage& message, std::string_view line, Time now) {
  const std::string key = DumpJson(message.id);
  const bool modern = IsModernRequest(message.params);
  const bool call = LooksLikeCall(message.method);
  std::string fault;
  if (const auto open = open_.find(key); open != open_.end() && !open->second.cancelled)
    fault = "the id " + key + " is that of a request that has no answer yet";
  else if (GatewayIds::IsOwn(message.id)) fault = "ids that begin with rpl-guard are the gateway's";
  else if (call && message.method != "tools/call") fault = "the method is not written `tools/call`";
  if (!fault.empty()) {
    decider_.Note("a request of the host was refused: " + fault);
    if (call) output_.Refuse(message.id, modern, "Refused: " + fault + ".");
    else output_.Answer(RpcError(message.id, kRpcInvalidRequest, fault));
    return Drop();
  }
  if (ended_) {
    if (call) output_.Refuse(message.id, modern, *ended_);
    else output_.Answer(RpcError(message.id, kRpcInternalError, *ended_));
    return Drop();
  }
  if (call) return Call(message, line, now);
  if (message.method == "initialize") {
    reviews_.Initialize(FieldAt(message.params, "capabilities"));
  }
  Open open;
  open.method = message.method;
  open.modern = modern;
  open.from_start = !message.params.contains("cursor");
  open.began = now;
  open_[key] = std::move(open);
  return Pass();
}

McpGateway::Fate McpGateway::HostNotification(const RpcMessage& message) {
  if (LooksLikeCall(message.method)) {
    // Its result could not be decided about, and nobody could be told of a refusal.
    Log("a call without an id is not passed on");
    decider_.Note("a call without an id was refused");
    return Drop();
  }
  if (message.method != "notifications/cancelled") return Pass();
  const auto open = open_.find(DumpJson(FieldAt(message.params, "requestId")));
  if (open == open_.end()) return Pass();
  if (!open->second.waits) {
    open->second.cancelled = true;
    return Pass();
  }
  reviews_.Cancel(open->first);
  open_.erase(open);
  return Drop();
}

McpGateway::Fate McpGateway::HostResponse(const RpcMessage& message, Time now) {
  if (!GatewayIds::IsOwn(message.id)) return Pass();
  std::optional<CallReviews::Asked> asked = reviews_.PopAsked(message.id.get<std::string>());
  if (!asked) return Drop();
  if (!message.error.is_null()) reviews_.NoForms();  // it declared what it cannot do
  Answered(std::move(*asked), message.result, now);
  return Drop();
}

// --- calls --------------------------------------------------------------------------------

// Why the call is not decided about, or ""; fills `call` as far as it is read.
std::string McpGateway::FaultOf(const RpcMessage& message, GatewayCall& call) {
  if (std::string fault = KeyFault(message.params, kCallKeys); !fault.empty()) return fault;
  const Json& name = FieldAt(message.params, "name");
  if (!name.is_string()) return "the name of the tool is not a text";
  call.tool = name.get<std::string>();
  if (std::string fault = NameFault(call.tool); !fault.empty()) return fault;
  const Json& args = FieldAt(message.params, "arguments");
  if (!args.is_object() && !args.is_null()) return "the arguments are not an object";
  call.args = args.is_null() ? Json::object() : args;
  call.id = DumpJson(message.id);
  if (std::string fault = tools_.ArgumentFault(call); !fault.empty()) return fault;
  call.digest = ContentHash(CanonicalText(Json::array({call.tool, call.args})));
  const Json& state = FieldAt(message.params, "requestState");
  if (!state.is_string() && !state.is_null()) return "the requestState is not a text";
  if (FieldAt(message.params, "task").is_object() && decider_.MayWithhold(call.tool))
    return "a policy may withhold its result, so it cannot run as a task";
  return "";
}

McpGateway::Fate McpGateway::Call(RpcMessage& message, std::string_view line, Time now) {
  GatewayCall call;
  const bool modern = IsModernRequest(message.params);
  const std::string fault = FaultOf(message, call);
  if (!fault.empty()) {
    decider_.Note(fmt::format("a call of `{}` was refused: {}", call.tool, fault));
    output_.Refuse(message.id, modern, "Refused: " + fault + ".");
    return Drop();
  }
  if (list_failed_) {
    decider_.Note(fmt::format("a call of `{}` was refused: the tools are not known", call.tool));
    output_.Refuse(message.id, modern, "Refused: the server did not list its tools in time.");
    return Drop();
  }
  if (tools_.Lacks(call.tool)) {
    decider_.Note(fmt::format("a call of `{}` was refused: it is not listed", call.tool));
    output_.Refuse(message.id, modern, "Refused: the server lists no tool of this name.");
    return Drop();
  }
  if (const std::string unusable = tools_.FaultNow(call.tool); !unusable.empty()) {
    output_.Refuse(message.id, modern, "Refused: " + unusable);
    return Drop();
  }
  bool refused = false;
  const bool changed = reviews_.TakeTicket(message, call, refused);
  if (refused) return Drop();

  Open open;
  open.method = message.method;
  open.modern = modern;
  open.call = call;
  open.began = now;
  std::optional<std::size_t> again;
  const auto round = rounds_.find(call.digest + DumpJson(FieldAt(message.params, "requestState")));
  if (round != rounds_.end() &&
      (message.params.contains("requestState") || message.params.contains("inputResponses"))) {
    again = round->second.step;
    open.began = round->second.began;
  }
  // A call that goes on, with a ticket or in another round, is not the one that was made.
  if (!changed && !again && AnswerWithheld(message.id, modern, call)) return Drop();
  McpDecider::Ruling ruling = decider_.Before(call, again);
  switch (ruling.kind) {
    case McpDecider::Ruling::Kind::kPass: break;
    case McpDecider::Ruling::Kind::kUndecided:
    case McpDecider::Ruling::Kind::kRefuse:
      output_.Refuse(message.id, modern, ruling.reason);
      return Drop();
    case McpDecider::Ruling::Kind::kReview:
      if (reviews_.Ask(message, call, line, ruling, now)) {
        open.waits = true;
        open.began = now;
        open_[DumpJson(message.id)] = std::move(open);
      }
      return Drop();
  }
  if (again) rounds_.erase(round);
  open.step = ruling.step;
  open_[DumpJson(message.id)] = std::move(open);
  if (!changed) return Pass();
  return {true, RpcRequest(message.id, message.method, message.params)};
}

// A person, or the host for one, answered in the legacy era. `result` is null after an error.
void McpGateway::Answered(CallReviews::Asked asked, const Json& result, Time now) {
  const std::string why = reviews_.KeepAnswer(result, asked.review);
  const auto open = open_.find(DumpJson(asked.id));
  // After that, the answer is for the next such call.
  if (asked.given_up || open == open_.end() || !open->second.waits) return;
  open_.erase(open);
  if (ended_) output_.Refuse(asked.id, false, *ended_);
  else if (!why.empty()) output_.Refuse(asked.id, false, why);
  else if (CallReviews::IsApproval(result)) HostLine(asked.line, now);
  else output_.Refuse(asked.id, false, reviews_.UnapprovedText(result, asked.reason, asked.review));
  output_.FlushAnswers(false);
}

// --- time ---------------------------------------------------------------------------------

void McpGateway::Tick(Time now) {
  for (const Json& call : reviews_.GiveUp(now)) open_.erase(DumpJson(call));
  output_.FlushAnswers(false);
  if (listing_.open() && now >= listing_.due()) {
    Log("the server did not list its tools in time");
    EndList(false, now);
  }
}

std::optional<McpGateway::Time> McpGateway::Due() const {
  std::optional<Time> due = reviews_.Due();
  if (listing_.open()) due = std::min(due.value_or(Time::max()), listing_.due());
  return due;
}

// --- a list of the tools ------------------------------------------------------------------

bool McpGateway::NeedsList(const Json& json) const {
  if (tools_.known() || !json.is_object() || !json.contains("id")) return false;
  return TextAt(json, "method") == "tools/call" && !TextAt(FieldAt(json, "params"), "name").empty();
}

// Asks the server for its list, for the call in `json`; the line waits.
void McpGateway::AskForList(const Json& json, std::string_view line, Time now) {
  listing_.Begin(json, line, now + settings_.list_patience);
  output_.ToServer(listing_.NextPage(ids_.ForServer(), ""));
}

void McpGateway::TakeList(const RpcMessage& message, Time now) {
  // A server without a list has an error for this. What it calls is decided by the policy alone.
  const Json& tools = FieldAt(message.result, "tools");
  tools_.Learn(tools);
  if (const std::string cursor = listing_.CursorAfter(message.result); !cursor.empty())
    return output_.ToServer(listing_.NextPage(ids_.ForServer(), cursor));
  if (tools.is_array()) tools_.ListedAll();
  EndList(true, now);
}

// Goes on with the lines that waited. Without a list each of their calls is refused: it would
// otherwise wait once more for every call before it.
void McpGateway::EndList(bool known, Time now) {
  tools_.SetKnown(known);
  list_failed_ = !known;
  for (const std::string& line : listing_.End()) FromHost(line, now);
  list_failed_ = false;
}

}  // namespace rpl
