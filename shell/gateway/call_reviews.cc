// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/call_reviews.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/terminal_text.h"
#include "shell/gateway/call_text.h"
#include "shell/gateway/mcp_era.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr const char* kReviewKey = "rpl-guard-review";
constexpr std::size_t kMostTickets = 1000;
constexpr std::size_t kMostRefused = 10'000;

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

// Whether somebody said no, rather than nobody anything.
bool IsNo(const ordered_json& answer) {
  return IsDecision(answer, "refuse") || TextAt(answer, "action") == "decline";
}

// The text for a call that its user refused.
std::string RefusedText(const std::string& reason) {
  return fmt::format("The user refused this call, which a policy had held: {}. Do not repeat it.",
                     reason);
}

}  // namespace

CallReviews::CallReviews(McpDecider& decider, GatewayIds& ids, GatewayOutput& output,
                         ReviewSettings settings)
    : decider_(decider), ids_(ids), output_(output), settings_(std::move(settings)) {}

void CallReviews::Initialize(const Json& capabilities) {
  elicits_ = HasForms(capabilities);
  version_.clear();
}

bool CallReviews::IsApproval(const Json& answer) { return IsDecision(answer, "approve"); }

// How a review is answered is not for the model that reads the answer of a call.
void CallReviews::LogHeld(const char* what, const std::string& review) const {
  settings_.log(fmt::format("{} is held: `rpl guard approve {}{}` lets it pass", what, review,
                            settings_.store_option));
}

std::string CallReviews::HeldText(const std::string& reason, const std::string& review) const {
  LogHeld("a call", review);
  return fmt::format(
      "Held for a person's review ({}): {}. Once a person has approved it, the same call passes. "
      "Do not try it in another form; tell the user.",
      review, reason);
}

std::string CallReviews::UnapprovedText(const Json& answer, const std::string& reason,
                                        const std::string& review) const {
  if (IsNo(answer)) return RefusedText(reason);
  const bool accepted = TextAt(answer, "action") == "accept";
  return (accepted ? "The form for the user came back without a decision. " : "") +
         HeldText(reason, review);
}

// What the server had sent with its own question stands in the place of the ticket again.
bool CallReviews::TakeTicket(RpcMessage& message, const GatewayCall& call, bool& refused) {
  const std::string state = TextAt(message.params, "requestState");
  if (!GatewayIds::IsTicket(state)) return false;
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
    output_.Refuse(message.id, true,
                   why.empty() ? UnapprovedText(answer, ticket.reason, ticket.review) : why);
  return true;
}

std::string CallReviews::KeepAnswer(const Json& answer, const std::string& review) {
  const bool approved = IsApproval(answer);
  if (!approved && !IsNo(answer)) return "";
  if (approved) refused_.erase(review);
  else if (refused_.size() < kMostRefused && refused_.insert(review).second)
    settings_.log("the user refused a call: `rpl guard approve " + review + settings_.store_option +
                  "` lets it pass after all");
  const std::string why = decider_.Answer(review, approved);
  if (!why.empty() && !approved) settings_.log("the answer cannot be kept: " + why);
  return why.empty() || !approved ? "" : "The approval cannot be kept: " + why;
}

bool CallReviews::Ask(RpcMessage& message, const GatewayCall& call, std::string_view line,
                      const McpDecider::Ruling& ruling, Time now) {
  const bool modern = IsModernRequest(message.params);
  const Json& meta = FieldAt(message.params, "_meta");
  const bool can_ask =
      modern ? HasForms(FieldAt(meta, kCapabilitiesKey)) : elicits_ && version_ >= "2025-06-18";
  if (refused_.contains(ruling.review)) {
    output_.Refuse(message.id, modern, RefusedText(ruling.reason));
    return false;
  }
  const Json question = QuestionOf(call, ruling.reason, modern);
  if (!can_ask || question.is_null()) {
    output_.Refuse(message.id, modern,
                   (can_ask ? "The call is too long to be shown to the user in a form. " : "") +
                       HeldText(ruling.reason, ruling.review));
    return false;
  }
  if (modern) {
    if (tickets_.size() >= kMostTickets)
      tickets_.erase(std::min_element(tickets_.begin(), tickets_.end(), [](auto& a, auto& b) {
        return a.second.since < b.second.since;
      }));
    const std::string name = ids_.NewTicket();
    tickets_[name] = {call.digest,
                      ruling.review,
                      ruling.reason,
                      FieldAt(message.params, "requestState"),
                      FieldAt(message.params, "inputResponses"),
                      now};
    output_.Answer(RpcResult(
        message.id, {{"resultType", "input_required"},
                     {"inputRequests",
                      {{kReviewKey, {{"method", "elicitation/create"}, {"params", question}}}}},
                     {"requestState", name}}));
    return false;
  }
  const std::string id = ids_.ForHost();
  asked_[id] = {std::string(line), message.id, ruling.review, ruling.reason, now};
  output_.ToHost(RpcRequest(id, "elicitation/create", question));
  return true;
}

std::optional<CallReviews::Asked> CallReviews::PopAsked(const std::string& id) {
  const auto found = asked_.find(id);
  if (found == asked_.end()) return std::nullopt;
  Asked asked = std::move(found->second);
  asked_.erase(found);
  return asked;
}

void CallReviews::Cancel(const std::string& call) {
  for (auto& [id, asked] : asked_) {
    if (asked.given_up || DumpJson(asked.id) != call) continue;
    asked.given_up = true;
    output_.ToHost(RpcNotification("notifications/cancelled",
                                   {{"requestId", id}, {"reason", "the call was cancelled"}}));
  }
}

std::vector<CallReviews::Json> CallReviews::GiveUp(Time now) {
  std::vector<Json> calls;
  for (auto& [id, asked] : asked_) {
    if (asked.given_up || now < asked.since + settings_.patience) continue;
    asked.given_up = true;
    calls.push_back(asked.id);
    output_.ToHost(RpcNotification("notifications/cancelled",
                                   {{"requestId", id}, {"reason", "nobody answered in time"}}));
    output_.Refuse(asked.id, false, HeldText(asked.reason, asked.review));
  }
  return calls;
}

std::optional<CallReviews::Time> CallReviews::Due() const {
  std::optional<Time> due;
  for (const auto& [id, asked] : asked_)
    if (!asked.given_up)
      due = std::min(due.value_or(Time::max()), asked.since + settings_.patience);
  return due;
}

}  // namespace rpl
