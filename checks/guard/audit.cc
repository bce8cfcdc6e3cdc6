// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/audit.h"

#include <algorithm>
#include <unordered_map>

#include "formats/data/json_fields.h"
#include "interp/program/operators.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostListed = 100;
constexpr std::size_t kMostText = 256;  // characters

// The first kMostText characters of UTF-8.
std::string ShortText(const std::string& text) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && ++characters > kMostText) return text.substr(0, i);
  }
  return text;
}

// Strings are cut; a list or object that is too large becomes its JSON text, cut.
ordered_json CutValue(const ordered_json& value) {
  if (value.is_string()) return ShortText(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value;
  const std::string text = value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return text.size() <= kMostText ? value : ordered_json(ShortText(text));
}

// A whole number as an integer, any other as it is.
ordered_json Plain(double value) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (value > -kExact && value < kExact &&
      value == static_cast<double>(static_cast<std::int64_t>(value)))
    return static_cast<std::int64_t>(value);
  return value;
}

ordered_json MetricsJson(const std::map<std::string, double>& metrics) {
  ordered_json out = {{"inbuilt", ordered_json::object()}, {"custom", ordered_json::object()}};
  for (const auto& [key, value] : metrics)
    out[IsInbuiltMetric(key) ? "inbuilt" : "custom"][key] = {{"value", Plain(value)}};
  return out;
}

PastCall PastCallOf(const ordered_json& event) {
  const ordered_json& data = FieldAt(event, "data");
  PastCall call;
  call.tool = TextAt(FieldAt(data, "tool"), "name");
  for (const ordered_json& tag : FieldAt(FieldAt(data, "tool"), "tags"))
    if (tag.is_string()) call.tags.push_back(tag.get<std::string>());
  call.failed = TextAt(data, "outcome") == "error";
  if (FieldAt(data, "durationMs").is_number())
    call.took_ms = FieldAt(data, "durationMs").get<double>();
  call.at = ParseInstant(TextAt(event, "ts")).value_or(0);
  if (const std::string user = TextAt(event, "actorExternalId"); !user.empty()) call.user = user;
  for (const char* kind : {"inbuilt", "custom"}) {
    const ordered_json& metrics = FieldAt(FieldAt(data, "metrics"), kind);
    if (!metrics.is_object()) continue;
    for (const auto& [key, metric] : metrics.items())
      if (FieldAt(metric, "value").is_number())
        call.metrics[key] = FieldAt(metric, "value").get<double>();
  }
  return call;
}

}  // namespace

ordered_json AuditRun::Event(std::string_view kind, ordered_json data, Moment now,
                             std::optional<std::size_t> step) {
  last_ = std::max(last_, now);
  ordered_json event = {
      {"schema", "handlebar.audit.v1"}, {"ts", MomentText(last_)}, {"runId", run_}, {"kind", kind}};
  if (step) event["stepIndex"] = *step;
  if (user_) event["actorExternalId"] = *user_;
  event["data"] = std::move(data);
  return event;
}

ordered_json AuditRun::Started(const GuardAgent& agent, const std::string& policy, Moment now) {
  ordered_json data = {{"agent", {{"slug", agent.slug}, {"tags", agent.tags}}}};
  if (!policy.empty()) data["policy"] = policy;
  return Event("run.started", std::move(data), now);
}

ordered_json AuditRun::Decided(std::size_t step, const Decision& decision, const GuardCall& call,
                               double latency_ms, Moment now) {
  ordered_json data = DecisionJson(decision, call);
  data.erase("schema");
  data.erase("premises");
  data["message"] = ShortText(decision.message);
  data["phase"] = call.phase == CallPhase::kBefore ? "tool.before" : "tool.after";
  ordered_json subjects = ordered_json::array();
  if (decision.subjects.value)
    for (const Subject& subject : *decision.subjects.value) {
      if (subjects.size() == kMostListed) break;
      ordered_json one = {{"subjectType", ShortText(subject.type)},
                          {"value", ShortText(subject.value)}};
      if (subject.role) one["role"] = ShortText(*subject.role);
      if (subject.id_system) one["idSystem"] = ShortText(*subject.id_system);
      subjects.push_back(std::move(one));
    }
  data["subjects"] = std::move(subjects);
  ordered_json signals = ordered_json::array();
  for (const AskedSignal& asked : decision.signals) {
    if (signals.size() == kMostListed) break;
    ordered_json one = {{"key", ShortText(asked.key)}, {"args", ordered_json::object()}};
    for (const auto& [name, value] : asked.args.items()) one["args"][name] = CutValue(value);
    if (asked.answer.value)
      one["result"] = {{"ok", true}, {"value", CutValue(*asked.answer.value)}};
    else one["result"] = {{"ok", false}, {"error", {{"message", ShortText(asked.answer.why)}}}};
    signals.push_back(std::move(one));
  }
  data["signals"] = std::move(signals);
  data["latencyMs"] = latency_ms;
  if (!call.id.empty()) data["callId"] = call.id;
  return Event("tool.decision", std::move(data), now, step);
}

ordered_json AuditRun::Result(std::size_t step, const PastCall& past,
                              const std::optional<std::string>& error, Moment now) {
  ordered_json data = {{"tool", {{"name", past.tool}, {"tags", past.tags}}},
                       {"outcome", error ? "error" : "success"},
                       {"durationMs", Plain(past.took_ms)},
                       {"metrics", MetricsJson(past.metrics)}};
  if (error) data["error"] = {{"message", ShortText(*error)}};
  return Event("tool.result", std::move(data), now, step);
}

ordered_json AuditRun::Reviewed(const ordered_json& request, const ReviewAnswer& answer) {
  ordered_json data = {{"review", TextAt(request, "id")},
                       {"rule", TextAt(request, "rule")},
                       {"tool", {{"name", TextAt(request, "tool")}}},
                       {"approved", answer.approved},
                       {"by", answer.by}};
  if (!answer.reason.empty()) data["reason"] = ShortText(answer.reason);
  if (answer.approved) {
    data["calls"] = answer.calls;
    data["expires"] = MomentText(answer.expires);
  }
  return Event("review.answered", std::move(data), answer.at);
}

ordered_json AuditRun::Ended(std::string_view status, std::size_t steps, Moment now) {
  return Event("run.ended", {{"status", status}, {"totalSteps", steps}}, now);
}

ordered_json AuditRun::Failed(const std::string& message, Moment now) {
  return Event("error", {{"scope", "governance"}, {"message", ShortText(message)}}, now);
}

void ReadHistory(const std::vector<ordered_json>& events, const std::string& run,
                 const std::string& agent_slug, History& to) {
  std::unordered_map<std::string, std::string> agents;  // by run
  for (const ordered_json& event : events) {
    const std::string of = TextAt(event, "runId");
    const std::string kind = TextAt(event, "kind");
    if (kind == "run.started")
      agents[of] = TextAt(FieldAt(FieldAt(event, "data"), "agent"), "slug");
    if (kind != "tool.result") continue;
    const auto agent = agents.find(of);
    if (of != run && (agent == agents.end() ? "" : agent->second) != agent_slug) continue;
    const PastCall call = PastCallOf(event);
    if (!call.tool.empty()) to.Add(call, of == run);
  }
}

}  // namespace rpl
