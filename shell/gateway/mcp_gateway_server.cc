// SPDX-License-Identifier: Apache-2.0
//
// The half of the gateway that faces the server.
#include <fmt/format.h>

#include <algorithm>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "formats/terminal_text.h"
#include "shell/gateway/mcp_gateway.h"
#include "shell/gateway/mcp_reading.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostRounds = 1000;
constexpr std::size_t kMostShownNoise = 80;
constexpr const char* kUnread = "the server's answer cannot be read";

// What InputRequiredResult of 2026-07-28 has, and the requests that may be in it.
const std::set<std::string> kInputKeys = {"resultType", "inputRequests", "requestState", "_meta"};
const std::set<std::string> kInputMethods = {"elicitation/create", "sampling/createMessage",
                                             "roots/list"};
const std::set<std::string> kAnswerKeys = {"jsonrpc", "id", "method", "params", "result", "error"};

double MillisecondsSince(McpGateway::Time since, McpGateway::Time now) {
  return std::chrono::duration<double, std::milli>(now - since).count();
}

// Whether a result with questions asks for a secret.
bool AsksInResult(const ordered_json& result) {
  const ordered_json& requests = FieldAt(result, "inputRequests");
  if (!requests.is_object()) return false;
  return std::any_of(requests.begin(), requests.end(), [](const ordered_json& request) {
    return TextAt(request, "method") == "elicitation/create" &&
           AsksForSecret(FieldAt(request, "params"));
  });
}

// Whether a result of 2026-07-28 is a request for input, as its schema has it. It then has no
// content, so there is nothing to withhold.
bool IsRequestForInput(const ordered_json& result) {
  if (TextAt(result, "resultType") != "input_required") return false;
  const ordered_json& requests = FieldAt(result, "inputRequests");
  const ordered_json& state = FieldAt(result, "requestState");
  if (result.contains("requestState") && !state.is_string()) return false;
  if (!result.contains("inputRequests")) return state.is_string();
  return requests.is_object() &&
         std::all_of(requests.begin(), requests.end(), [](const ordered_json& request) {
           return kInputMethods.contains(TextAt(request, "method"));
         });
}

}  // namespace

void McpGateway::TooLongFromServer(const RpcOutline& outline, Time now) {
  ++noise_;
  Log("the server: " + RpcTooLongText() + ", and was dropped");
  LostFromServer(
      outline,
      outline.has_result
          ? fmt::format(
                "the server's answer has more than {} MiB, the most that the gateway passes",
                RpcLines::kMaxLine >> 20)
          : RpcTooLongText(),
      now);
  output_.FlushAnswers(false);
}

// A message of the server that is not passed on: whoever waits for it, or for its answer, is told.
void McpGateway::LostFromServer(const RpcOutline& outline, const std::string& why, Time now) {
  if (outline.id.is_null()) return;
  if (outline.has_method && !outline.has_result)
    return output_.ToServer(RpcError(outline.id, kRpcInvalidRequest, why));
  if (listing_.Awaits(outline.id)) return EndList(false, now);
  const auto found = open_.find(DumpJson(outline.id));
  if (found == open_.end() || found->second.waits) return;
  const Open open = std::move(found->second);
  open_.erase(found);
  FailRequest(outline.id, open, why, now);
}

void McpGateway::FromServer(std::string_view line, Time now) {
  JsonText text = ParseExactJson(line);
  std::string clean;  // the line with what is no character replaced
  if (!text.error.empty()) {
    clean = CleanJson(std::string(line));
    text = ParseExactJson(clean);
    if (text.error.empty()) line = clean;
  }
  if (!text.error.empty() || !text.json.is_structured()) {
    Noise(line);
    LostFromServer(OutlineOf(line), kUnread, now);
    return output_.FlushAnswers(false);
  }
  if (text.json.is_object()) {
    const Fate fate = ServerMessage(std::move(text.json), now);
    output_.FlushAnswers(false);
    if (fate.instead) output_.ToHost(*fate.instead);
    else if (fate.passes) output_.LineToHost(line);
    return;
  }
  Json passing = Json::array();
  bool unchanged = true;
  for (const Json& member : text.json) {
    Fate fate = ServerMessage(member, now);
    unchanged = unchanged && fate.passes && !fate.instead;
    if (fate.instead) passing.push_back(std::move(*fate.instead));
    else if (fate.passes) passing.push_back(member);
  }
  for (Json& answer : output_.PopAnswers()) passing.push_back(std::move(answer));
  if (unchanged) output_.LineToHost(line);
  else if (!passing.empty()) output_.ToHost(passing);
}

void McpGateway::Noise(std::string_view line) {
  ++noise_;
  if (noise_ == 1)
    Log(fmt::format("the server wrote a line that is no message: {}",
                    Shortened(std::string(line), kMostShownNoise)));
}

McpGateway::Fate McpGateway::ServerMessage(Json json, Time now) {
  const std::string twin = KeyFault(json, kAnswerKeys);
  RpcOutline outline{FieldAt(json, "id"), json.contains("method"), false, json.contains("id")};
  const bool answer = json.is_object() && (json.contains("result") || json.contains("error"));
  outline.has_result = answer;
  // A host may take a message that is both for either.
  const bool both = answer && json.contains("method");
  std::variant<RpcMessage, RpcFault> read = RpcMessageOf(std::move(json));
  if (std::holds_alternative<RpcFault>(read) || !twin.empty() || both) {
    Noise(DumpJson(outline.id));
    LostFromServer(outline, outline.has_result ? kUnread : "this is no request", now);
    return Drop();
  }
  auto& message = std::get<RpcMessage>(read);
  switch (message.kind) {
    case RpcMessage::Kind::kResponse: return ServerResponse(message, now);
    case RpcMessage::Kind::kRequest: return ServerRequest(message);
    case RpcMessage::Kind::kNotification: break;
  }
  if (message.method == "notifications/tools/list_changed") {
    tools_.Forget();
  }
  return Pass();
}

McpGateway::Fate McpGateway::ServerRequest(const RpcMessage& message) {
  if (GatewayIds::IsOwn(message.id)) {
    output_.ToServer(RpcError(message.id, kRpcInvalidRequest, "the id is the gateway's"));
    return Drop();
  }
  if (message.method == "elicitation/create" && AsksForSecret(message.params)) {
    Log("the server asks for a secret by a form, which is declined");
    decider_.Note("the server asked for a secret by a form");
    output_.ToServer(RpcResult(message.id, {{"action", "decline"}}));
    return Drop();
  }
  return Pass();
}

McpGateway::Fate McpGateway::ServerResponse(RpcMessage& message, Time now) {
  const std::string key = DumpJson(message.id);
  if (listing_.Awaits(message.id)) {
    TakeList(message, now);
    return Drop();
  }
  if (message.id.is_null()) return Pass();
  const auto found = open_.find(key);
  if (found == open_.end() || found->second.waits) {
    Log("an answer to no open request was dropped");
    return Drop();
  }
  const Open open = std::move(found->second);
  open_.erase(found);
  if (open.method == "initialize") reviews_.Agree(TextAt(message.result, "protocolVersion"));
  if (open.method == "tools/list") {
    if (!tools_.Filter(message.result, open.from_start)) return Pass();
    return {true, RpcResult(message.id, std::move(message.result))};
  }
  Fate fate = open.call ? CallResult(open, message, now) : Pass();
  return open.cancelled ? Drop() : fate;
}

McpGateway::Fate McpGateway::CallResult(const Open& open, RpcMessage& message, Time now) {
  const std::string type = TextAt(message.result, "resultType");
  const auto withhold = [&](const std::string& text) -> Fate {
    return {true, RpcResult(message.id, CallRefusal(open.modern, text))};
  };
  CallEnd end{open.step, true, MillisecondsSince(open.began, now)};
  if (type == "input_required" && AsksInResult(message.result)) {
    decider_.Note("the server asked for a secret by a form");
    decider_.After(*open.call, end, nullptr);
    return withhold("The server asked for a secret by a form, which the gateway does not pass.");
  }
  if (open.modern && IsRequestForInput(message.result)) {
    if (rounds_.size() >= kMostRounds)
      rounds_.erase(std::min_element(rounds_.begin(), rounds_.end(), [](auto& a, auto& b) {
        return a.second.began < b.second.began;
      }));
    rounds_[open.call->digest + DumpJson(FieldAt(message.result, "requestState"))] = {open.step,
                                                                                      open.began};
    Json asked = Json::object();
    for (const auto& [key, value] : message.result.items())
      if (kInputKeys.contains(key)) asked[key] = value;
    if (asked.size() == message.result.size() && !decider_.MayWithhold(open.call->tool))
      return Pass();
    return {true, RpcResult(message.id, std::move(asked))};
  }
  end.failed = !message.error.is_null() || FlagAt(message.result, "isError");
  const McpDecider::Ruling ruling = decider_.After(*open.call, end, message.result);
  const bool task = type == "task" || FieldAt(message.result, "task").is_object();
  if (task && decider_.MayWithhold(open.call->tool))
    return withhold("The result is withheld: it comes as a task, and a policy may withhold it.");
  switch (ruling.kind) {
    case McpDecider::Ruling::Kind::kPass: return Pass();
    case McpDecider::Ruling::Kind::kRefuse: return withhold(ruling.reason);
    case McpDecider::Ruling::Kind::kReview:
    case McpDecider::Ruling::Kind::kUndecided: break;
  }
  const Json answer =
      message.error.is_null() ? Json{{"result", message.result}} : Json{{"error", message.error}};
  if (withheld_.Keep({open.call->digest, end, DumpJson(answer)}))
    Log("the oldest results that are withheld were dropped: there are too many of them");
  return withhold(WithheldText(ruling));
}

// --- results that are withheld for now ----------------------------------------------------

// The text for a result that is kept.
std::string McpGateway::WithheldText(const McpDecider::Ruling& ruling) const {
  if (ruling.kind == McpDecider::Ruling::Kind::kUndecided)
    return fmt::format(
        "{}. The result is kept as long as this gateway runs: the same call is not made again, but "
        "decides about that result again. Tell the user.",
        ruling.reason);
  reviews_.LogHeld("a result", ruling.review);
  return fmt::format(
      "The call was made, and its result is withheld for a person's review ({}): {}. Once a person "
      "has approved it, the same call gets that result and is not made again, as long as this "
      "gateway runs. Do not try it in another form; tell the user.",
      ruling.review, ruling.reason);
}

// Answers a call that was made before, and whose result was withheld for now: with that result, if
// it may come in by now, or with a refusal. False if there is no such result.
bool McpGateway::AnswerWithheld(const Json& id, bool modern, const GatewayCall& call) {
  WithheldResult* const kept = withheld_.Find(call.digest);
  if (kept == nullptr) {
    if (!withheld_.TakeDropped(call.digest)) return false;
    output_.Refuse(
        id, modern,
        fmt::format("This call was made before, and was not made again now. Its result was "
                    "withheld, but is kept no longer: the gateway keeps {} results and {} MiB. "
                    "If you repeat the call, it is made once more: ask the user first.",
                    settings_.most_withheld, settings_.most_withheld_bytes >> 20));
    return true;
  }
  const Json answer = ParseExactJson(kept->answer).json;
  const McpDecider::Ruling ruling = decider_.After(call, kept->end, FieldAt(answer, "result"));
  switch (ruling.kind) {
    case McpDecider::Ruling::Kind::kPass: {
      Json response = {{"jsonrpc", "2.0"}, {"id", id}};
      response.update(answer);
      withheld_.Remove(kept);
      output_.Answer(std::move(response));
      break;
    }
    case McpDecider::Ruling::Kind::kRefuse:
      output_.Refuse(id, modern,
                     "This call was made before, and was not made again now. " + ruling.reason);
      break;
    case McpDecider::Ruling::Kind::kReview:
    case McpDecider::Ruling::Kind::kUndecided:
      output_.Refuse(id, modern, WithheldText(ruling));
      break;
  }
  return true;
}

// Records the end of a request without an answer, and tells the host unless it has cancelled it.
void McpGateway::FailRequest(const Json& id, const Open& open, const std::string& why, Time now) {
  if (open.call) {
    CallEnd end{open.step, true, MillisecondsSince(open.began, now)};
    decider_.After(*open.call, end, nullptr);
    if (!open.cancelled) output_.Refuse(id, open.modern, "The call failed: " + why + ".");
    return;
  }
  if (!open.cancelled) output_.Answer(RpcError(id, kRpcInternalError, why));
}

void McpGateway::ServerEnded(const std::string& how, Time now) {
  ended_ = how;
  for (const auto& [key, open] : std::exchange(open_, {})) {
    const Json id = ParseExactJson(key).json;
    if (open.waits) output_.Refuse(id, open.modern, how);
    else FailRequest(id, open, how, now);
  }
  reviews_.Clear();
  output_.FlushAnswers(false);
  if (holds()) EndList(true, now);
}

}  // namespace rpl
