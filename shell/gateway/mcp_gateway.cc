// SPDX-License-Identifier: Apache-2.0
//
// The half of the gateway that faces the host; the other is in mcp_gateway_server.cc.
#include "shell/gateway/mcp_gateway.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>

#include "checks/guard/guard_store.h"
#include "formats/data/json_fields.h"
#include "formats/data/json_schema.h"
#include "formats/data/json_text.h"
#include "formats/terminal_text.h"
#include "shell/gateway/call_text.h"
#include "shell/gateway/mcp_reading.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kClientKey = "io.modelcontextprotocol/clientInfo";
constexpr const char* kReviewKey = "rpl-guard-review";
constexpr std::size_t kMostTickets = 1000;
constexpr std::size_t kMostRefused = 10'000;

const std::set<std::string> kMessageKeys = {"jsonrpc", "id", "method", "params", "result", "error"};
const std::set<std::string> kCallKeys = {"name", "arguments",      "_meta",
                                         "task", "inputResponses", "requestState"};

std::string RandomText() {
  [[maybe_unused]] const int ready = sodium_init();
  std::array<unsigned char, 16> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::string hex;
  for (const unsigned char byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

bool IsModernRequest(const ordered_json& params) {
  return FieldAt(FieldAt(params, "_meta"), kVersionKey).is_string();
}

// Whether capabilities of a host have forms.
bool HasForms(const ordered_json& capabilities) {
  const ordered_json& elicitation = FieldAt(capabilities, "elicitation");
  return elicitation.is_object() && (elicitation.empty() || elicitation.contains("form"));
}

// The form for a call; null if it is too long to be read in one.
ordered_json QuestionOf(const GatewayCall& call, const std::string& reason, bool modern) {
  const std::optional<std::string> shown = CallText(call.tool, call.args);
  if (!shown || reason.size() > kMostFormBytes) return nullptr;
  ordered_json out = ordered_json::object();
  if (modern) out["mode"] = "form";
  out["message"] =
      fmt::format("A policy holds this call for you: {}\n{}", PrintableLine(reason), *shown);
  out["requestedSchema"] = {{"type", "object"},
                            {"properties",
                             {{"decision",
                               {{"type", "string"},
                                {"title", "Approve this call, once?"},
                                {"enum", {"approve", "refuse"}}}}}},
                            {"required", {"decision"}}};
  return out;
}

bool IsDecision(const ordered_json& answer, const char* decision) {
  return TextAt(answer, "action") == "accept" &&
         TextAt(FieldAt(answer, "content"), "decision") == decision;
}

bool IsApproval(const ordered_json& answer) { return IsDecision(answer, "approve"); }

// Whether somebody said no, rather than nobody anything.
bool IsNo(const ordered_json& answer) {
  return IsDecision(answer, "refuse") || TextAt(answer, "action") == "decline";
}

}  // namespace

McpGateway::McpGateway(McpDecider& decider, McpGatewaySettings settings)
    : decider_(decider),
      settings_(std::move(settings)),
      host_prefix_("rpl-guard-" + RandomText() + "-"),
      server_prefix_("rpl-guard-" + RandomText() + "-"),
      ticket_prefix_("rpl-guard." + RandomText() + "."),
      withheld_(settings_.most_withheld, settings_.most_withheld_bytes) {}

// How a review is answered is not for the model that reads the answer of a call.
void McpGateway::LogHeld(const char* what, const std::string& review) const {
  Log(fmt::format("{} is held: `rpl guard approve {}{}` lets it pass", what, review,
                  settings_.store_option));
}

std::string McpGateway::HeldText(const std::string& reason, const std::string& review) const {
  LogHeld("a call", review);
  return fmt::format(
      "Held for a person's review ({}): {}. Once a person has approved it, the same call passes. "
      "Do not try it in another form; tell the user.",
      review, reason);
}

std::string McpGateway::RefusedText(const std::string& reason) const {
  return fmt::format("The user refused this call, which a policy had held: {}. Do not repeat it.",
                     reason);
}

std::string McpGateway::UnapprovedText(const Json& answer, const std::string& reason,
                                       const std::string& review) const {
  if (IsNo(answer)) return RefusedText(reason);
  const bool accepted = TextAt(answer, "action") == "accept";
  return (accepted ? "The form for the user came back without a decision. " : "") +
         HeldText(reason, review);
}

// --- what is written ----------------------------------------------------------------------

void McpGateway::ToHost(const Json& json) { LineToHost(DumpJson(json)); }
void McpGateway::ToServer(const Json& json) { LineToServer(DumpJson(json)); }

McpGateway::Json McpGateway::Refusal(bool modern, const std::string& text) const {
  Json out = Json::object();
  if (modern) out["resultType"] = "complete";
  out["content"] = Json::array({{{"type", "text"}, {"text", text}}});
  out["isError"] = true;
  return out;
}

void McpGateway::Refuse(const Json& id, bool modern, const std::string& text) {
  Answer(RpcResult(id, Refusal(modern, text)));
}

void McpGateway::FlushAnswers(bool as_batch) {
  if (as_batch && !answers_.empty()) ToHost(Json(std::exchange(answers_, {})));
  for (const Json& answer : std::exchange(answers_, {})) ToHost(answer);
}

// --- lines of the host --------------------------------------------------------------------

void McpGateway::FromHost(std::string_view line, Time now) {
  if (holds()) held_.emplace_back(line);
  else HostLine(line, now);
}

void McpGateway::TooLongFromHost(const RpcOutline& outline, Time now) {
  Log("the host: " + RpcTooLongText() + ", and was dropped");
  decider_.Note("a line of the host was too long");
  if (const std::optional<Json> error = RpcTooLongError(outline)) return ToHost(*error);
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
    ToServer(RpcError(id, kRpcInternalError, "the answer of the host: " + why));
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
      if (first != text.json.end()) return AskForList(*first, line, "", now);
    } else if (needs(text.json)) {
      return AskForList(text.json, line, "", now);
    }
  }
  if (!batch) {
    const Fate fate = HostMessage(std::move(text.json), line, now);
    FlushAnswers(false);
    if (fate.instead) ToServer(*fate.instead);
    else if (fate.passes) LineToServer(line);
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
  FlushAnswers(true);
  if (unchanged) LineToServer(line);
  else if (!passing.empty()) ToServer(passing);
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
    Refuse(
        id, IsModernRequest(FieldAt(careless, "params")),
        "Refused: the call can be read in two ways (" + why + "). Make the call in a plain form.");
  else Answer(RpcError(id, kRpcParseError, text));
  FlushAnswers(false);
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
    else if (call) Refuse(id, modern, "Refused: " + fault + ".");
    else Answer(RpcError(std::move(id), kRpcInvalidRequest, fault));
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
  else if (message.id.is_string() &&
           message.id.get_ref<const std::string&>().starts_with("rpl-guard"))
    fault = "ids that begin with rpl-guard are the gateway's";
  else if (call && message.method != "tools/call") fault = "the method is not written `tools/call`";
  if (!fault.empty()) {
    decider_.Note("a request of the host was refused: " + fault);
    if (call) Refuse(message.id, modern, "Refused: " + fault + ".");
    else Answer(RpcError(message.id, kRpcInvalidRequest, fault));
    return Drop();
  }
  if (ended_) {
    if (call) Refuse(message.id, modern, *ended_);
    else Answer(RpcError(message.id, kRpcInternalError, *ended_));
    return Drop();
  }
  if (call) return Call(message, line, now);
  if (message.method == "initialize") {
    elicits_ = HasForms(FieldAt(message.params, "capabilities"));
    version_.clear();
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
  for (auto& [id, asked] : asked_) {
    if (asked.given_up || DumpJson(asked.id) != open->first) continue;
    asked.given_up = true;
    ToHost(RpcNotification("notifications/cancelled",
                           {{"requestId", id}, {"reason", "the call was cancelled"}}));
  }
  open_.erase(open);
  return Drop();
}

McpGateway::Fate McpGateway::HostResponse(const RpcMessage& message, Time now) {
  if (!message.id.is_string()) return Pass();
  const std::string& id = message.id.get_ref<const std::string&>();
  if (!id.starts_with("rpl-guard")) return Pass();
  const auto found = asked_.find(id);
  if (found == asked_.end()) return Drop();
  Asked asked = std::move(found->second);
  asked_.erase(found);
  if (!message.error.is_null()) elicits_ = false;  // it declared what it cannot do
  Answered(std::move(asked), message.result, now);
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
  if (std::string fault = ArgumentFault(call); !fault.empty()) return fault;
  call.digest = ContentHash(CanonicalText(Json::array({call.tool, call.args})));
  const Json& state = FieldAt(message.params, "requestState");
  if (!state.is_string() && !state.is_null()) return "the requestState is not a text";
  if (FieldAt(message.params, "task").is_object() && decider_.MayWithhold(call.tool))
    return "a policy may withhold its result, so it cannot run as a task";
  return "";
}

std::string McpGateway::ArgumentFault(const GatewayCall& call) {
  std::set<std::string> known = decider_.ArgumentKeys(call.tool);
  const bool decides = !known.empty();
  std::string fault = ValueFault(call.args, known, decides);
  const auto tool = tools_.find(call.tool);
  if (!fault.empty() || !decides || tool == tools_.end()) return fault;
  const Json& schema = FieldAt(tool->second.definition.parts, "inputSchema");
  const Json& properties = FieldAt(schema, "properties");
  if (properties.is_object())
    for (const auto& [name, property] : properties.items()) known.insert(name);
  fault = KeyFault(call.args, known);
  if (!fault.empty() || schema.is_null()) return fault;
  const SchemaFit fit = FitsSchema(schema, call.args);
  if (fit.kind != SchemaFit::Kind::kNo) return "";
  return fmt::format("the arguments do not fit the schema of the tool{}: {}",
                     fit.where.empty() ? "" : " at " + fit.where, fit.why);
}

McpGateway::Fate McpGateway::Call(RpcMessage& message, std::string_view line, Time now) {
  GatewayCall call;
  const bool modern = IsModernRequest(message.params);
  const std::string fault = FaultOf(message, call);
  if (!fault.empty()) {
    decider_.Note(fmt::format("a call of `{}` was refused: {}", call.tool, fault));
    Refuse(message.id, modern, "Refused: " + fault + ".");
    return Drop();
  }
  if (list_failed_) {
    decider_.Note(fmt::format("a call of `{}` was refused: the tools are not known", call.tool));
    Refuse(message.id, modern, "Refused: the server did not list its tools in time.");
    return Drop();
  }
  const auto tool = tools_.find(call.tool);
  if (tool == tools_.end() && lists_) {
    decider_.Note(fmt::format("a call of `{}` was refused: it is not listed", call.tool));
    Refuse(message.id, modern, "Refused: the server lists no tool of this name.");
    return Drop();
  }
  if (tool != tools_.end() && !tool->second.fault.empty()) {
    tool->second.fault = decider_.Pin({tool->second.definition}).front();
    if (!tool->second.fault.empty()) {
      Refuse(message.id, modern, "Refused: " + tool->second.fault);
      return Drop();
    }
  }
  bool refused = false;
  const bool changed = TakeTicket(message, call, refused);
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
      Refuse(message.id, modern, ruling.reason);
      return Drop();
    case McpDecider::Ruling::Kind::kReview: return AskForReview(message, call, line, ruling, now);
  }
  if (again) rounds_.erase(round);
  open.step = ruling.step;
  open_[DumpJson(message.id)] = std::move(open);
  if (!changed) return Pass();
  return {true, RpcRequest(message.id, message.method, message.params)};
}

// If the call brings a ticket of the gateway's, takes it out of the message and acts on the answer;
// what the server had sent with its own question stands in its place again. True if it did.
bool McpGateway::TakeTicket(RpcMessage& message, const GatewayCall& call, bool& refused) {
  const std::string state = TextAt(message.params, "requestState");
  if (!state.starts_with("rpl-guard.")) return false;
  const Json responses = FieldAt(message.params, "inputResponses");
  message.params.erase("requestState");
  message.params.erase("inputResponses");
  const auto found = tickets_.find(state);
  // Of another process, too old, used or made up: the question is put again.
  if (found == tickets_.end() || found->second.digest != call.digest) return true;
  Ticket ticket = std::move(found->second);
  tickets_.erase(found);
  if (!ticket.state.is_null()) message.params["requestState"] = std::move(ticket.state);
  if (!ticket.responses.is_null()) message.params["inputResponses"] = std::move(ticket.responses);
  const Json& answer = FieldAt(responses, kReviewKey);
  const std::string why = KeepAnswer(answer, ticket.review);
  refused = !IsApproval(answer) || !why.empty();
  if (refused)
    Refuse(message.id, true,
           why.empty() ? UnapprovedText(answer, ticket.reason, ticket.review) : why);
  return true;
}

// Keeps what a person said to a review; the reason why an approval could not be kept, or "".
std::string McpGateway::KeepAnswer(const Json& answer, const std::string& review) {
  const bool approved = IsApproval(answer);
  if (!approved && !IsNo(answer)) return "";
  if (approved) refused_.erase(review);
  else if (refused_.size() < kMostRefused && refused_.insert(review).second)
    Log("the user refused a call: `rpl guard approve " + review + settings_.store_option +
        "` lets it pass after all");
  const std::string why = decider_.Answer(review, approved);
  if (!why.empty() && !approved) Log("the answer cannot be kept: " + why);
  return why.empty() || !approved ? "" : "The approval cannot be kept: " + why;
}

McpGateway::Fate McpGateway::AskForReview(RpcMessage& message, const GatewayCall& call,
                                          std::string_view line, const McpDecider::Ruling& ruling,
                                          Time now) {
  const bool modern = IsModernRequest(message.params);
  const Json& meta = FieldAt(message.params, "_meta");
  const bool can_ask =
      modern ? HasForms(FieldAt(meta, kCapabilitiesKey)) : elicits_ && version_ >= "2025-06-18";
  if (refused_.contains(ruling.review)) {
    Refuse(message.id, modern, RefusedText(ruling.reason));
    return Drop();
  }
  const Json question = QuestionOf(call, ruling.reason, modern);
  if (!can_ask || question.is_null()) {
    Refuse(message.id, modern,
           (can_ask ? "The call is too long to be shown to the user in a form. " : "") +
               HeldText(ruling.reason, ruling.review));
    return Drop();
  }
  if (modern) {
    if (tickets_.size() >= kMostTickets)
      tickets_.erase(std::min_element(tickets_.begin(), tickets_.end(), [](auto& a, auto& b) {
        return a.second.since < b.second.since;
      }));
    const std::string name = ticket_prefix_ + RandomText();
    tickets_[name] = {call.digest,
                      ruling.review,
                      ruling.reason,
                      FieldAt(message.params, "requestState"),
                      FieldAt(message.params, "inputResponses"),
                      now};
    Answer(RpcResult(message.id,
                     {{"resultType", "input_required"},
                      {"inputRequests",
                       {{kReviewKey, {{"method", "elicitation/create"}, {"params", question}}}}},
                      {"requestState", name}}));
    return Drop();
  }
  Open open;
  open.method = message.method;
  open.waits = true;
  open.call = call;
  open.began = now;
  open_[DumpJson(message.id)] = std::move(open);
  const std::string id = host_prefix_ + std::to_string(++number_);
  asked_[id] = {std::string(line), message.id, ruling.review, ruling.reason, now};
  ToHost(RpcRequest(id, "elicitation/create", question));
  return Drop();
}

// A person, or the host for one, answered in the legacy era. `result` is null after an error.
void McpGateway::Answered(Asked asked, const Json& result, Time now) {
  const std::string why = KeepAnswer(result, asked.review);
  const auto open = open_.find(DumpJson(asked.id));
  // After that, the answer is for the next such call.
  if (asked.given_up || open == open_.end() || !open->second.waits) return;
  open_.erase(open);
  if (ended_) Refuse(asked.id, false, *ended_);
  else if (!why.empty()) Refuse(asked.id, false, why);
  else if (IsApproval(result)) HostLine(asked.line, now);
  else Refuse(asked.id, false, UnapprovedText(result, asked.reason, asked.review));
  FlushAnswers(false);
}

// --- time ---------------------------------------------------------------------------------

void McpGateway::Tick(Time now) {
  for (auto& [id, asked] : asked_) {
    if (asked.given_up || now < asked.since + settings_.patience) continue;
    asked.given_up = true;
    open_.erase(DumpJson(asked.id));
    ToHost(RpcNotification("notifications/cancelled",
                           {{"requestId", id}, {"reason", "nobody answered in time"}}));
    Refuse(asked.id, false, HeldText(asked.reason, asked.review));
  }
  FlushAnswers(false);
  if (!list_id_.empty() && now >= list_due_) {
    Log("the server did not list its tools in time");
    EndList(false, now);
  }
}

std::optional<McpGateway::Time> McpGateway::Due() const {
  std::optional<Time> due;
  if (!list_id_.empty()) due = list_due_;
  for (const auto& [id, asked] : asked_)
    if (!asked.given_up)
      due = std::min(due.value_or(Time::max()), asked.since + settings_.patience);
  return due;
}

// --- a list of the tools ------------------------------------------------------------------

bool McpGateway::NeedsList(const Json& json) const {
  if (listed_ || !json.is_object() || !json.contains("id")) return false;
  return TextAt(json, "method") == "tools/call" && !TextAt(FieldAt(json, "params"), "name").empty();
}

// Asks the server for a page, for the call in `json`; the line waits. Without one, for the next.
void McpGateway::AskForList(const Json& json, std::string_view line, const std::string& cursor,
                            Time now) {
  if (cursor.empty()) {
    held_.emplace_back(line);
    list_pages_ = 0;
    list_due_ = now + settings_.list_patience;
    list_meta_ = nullptr;
    const Json& meta = FieldAt(FieldAt(json, "params"), "_meta");
    for (const char* key : {kVersionKey, kCapabilitiesKey, kClientKey})
      if (const Json& part = FieldAt(meta, key); !part.is_null()) list_meta_[key] = part;
  }
  Json params = Json::object();
  if (!cursor.empty()) params["cursor"] = cursor;
  if (!list_meta_.is_null()) params["_meta"] = list_meta_;
  list_id_ = server_prefix_ + std::to_string(++number_);
  ToServer(RpcRequest(list_id_, "tools/list", std::move(params)));
}

void McpGateway::TakeList(const RpcMessage& message, Time now) {
  constexpr std::size_t kMostPages = 1000;
  // A server without a list has an error for this. What it calls is decided by the policy alone.
  const Json& tools = FieldAt(message.result, "tools");
  LearnTools(tools);
  const Json& next = FieldAt(message.result, "nextCursor");
  if (next.is_string() && next != "" && ++list_pages_ < kMostPages)
    return AskForList(nullptr, "", next.get<std::string>(), now);
  if (tools.is_array()) LearnedAll();
  EndList(true, now);
}

// Goes on with the lines that waited. Without a list each of their calls is refused: it would
// otherwise wait once more for every call before it.
void McpGateway::EndList(bool known, Time now) {
  list_id_.clear();
  listed_ = known;
  list_failed_ = !known;
  for (const std::string& line : std::exchange(held_, {})) FromHost(line, now);
  list_failed_ = false;
}

void McpGateway::LearnedAll() {
  listed_ = lists_ = true;
  decider_.ListedAll();
}

void McpGateway::LearnTools(const Json& tools) {
  if (!tools.is_array()) return;
  std::vector<McpToolDefinition> definitions;
  for (const Json& tool : tools)
    if (auto definition = McpDefinitionOf(tool)) definitions.push_back(std::move(*definition));
  const std::vector<std::string> faults = decider_.Pin(definitions);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    std::string fault = i < faults.size() ? faults[i] : "its definition is not pinned";
    Tool& tool = tools_[definitions[i].name];
    if (!seen.insert(definitions[i].name).second) {
      if (!tool.fault.empty()) fault = tool.fault;
      else if (tool.definition.hash != definitions[i].hash)
        fault = "the server lists it twice, with different definitions";
    }
    tool = {std::move(definitions[i]), std::move(fault)};
  }
}

}  // namespace rpl
