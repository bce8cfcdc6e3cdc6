// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/turn_spans.h"

#include <sodium.h>

#include <chrono>
#include <utility>

#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr int kInternalSpan = 1;            // SPAN_KIND_INTERNAL
constexpr int kClientSpan = 3;              // SPAN_KIND_CLIENT
constexpr int kErrorStatus = 2;             // STATUS_CODE_ERROR
constexpr std::size_t kMostSpans = 10'000;  // of a turn; further ones are counted only

std::int64_t NanosecondsNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string RandomHex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  randombytes_buf(raw.data(), raw.size());
  std::string hex(2 * bytes + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), reinterpret_cast<const unsigned char*>(raw.data()),
                 raw.size());
  hex.pop_back();
  return hex;
}

bool IsHexOf(const std::string& text, std::size_t size) {
  return text.size() == size && text.find_first_not_of("0123456789abcdef") == text.npos &&
         text.find_first_not_of('0') != text.npos;
}

ordered_json TextAttribute(const char* key, const std::string& value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}

std::string TextAt(const ordered_json& event, const char* key) {
  const auto at = event.find(key);
  return at != event.end() && at->is_string() ? at->get<std::string>() : "";
}

}  // namespace

TurnSpans::TurnSpans(std::string session, std::string protocol, const std::string& parent) {
  // 00-TRACE-SPAN-FLAGS
  std::string above;
  if (parent.size() == 55 && parent.starts_with("00-") && IsHexOf(parent.substr(3, 32), 32) &&
      IsHexOf(parent.substr(36, 16), 16)) {
    trace_ = parent.substr(3, 32);
    above = parent.substr(36, 16);
  } else {
    trace_ = RandomHex(16);
  }
  TurnSpan& turn = Begin("turn", above);
  turn.attributes.push_back(TextAttribute("rpl.session", session));
  turn.attributes.push_back(TextAttribute("rpl.protocol", protocol));
}

TurnSpans::TurnSpan& TurnSpans::Begin(const std::string& name, const std::string& parent) {
  spans_.push_back({RandomHex(8), parent, name, NanosecondsNow()});
  return spans_.back();
}

void TurnSpans::Take(const ordered_json& event) {
  const std::string type = TextAt(event, "type");
  if (type == "timestep") {
    ++timesteps_;
    if (timestep_ > 0) spans_[timestep_].end = NanosecondsNow();
    timestep_ = 0;
    if (spans_.size() >= kMostSpans) return;
    TurnSpan& step = Begin("timestep", spans_.front().id);
    step.attributes.push_back(
        {{"key", "rpl.timestep"},
         {"value", {{"intValue", std::to_string(event.value("timestep", 0))}}}});
    timestep_ = spans_.size() - 1;
  } else if (type == "tool-call") {
    ++calls_;
    if (spans_.size() >= kMostSpans) return;
    TurnSpan& call = Begin("tool " + TextAt(event, "tool"), spans_[timestep_].id);
    call.attributes.push_back(TextAttribute("rpl.call", TextAt(event, "id")));
    open_calls_[TextAt(event, "id")] = spans_.size() - 1;
  } else if (type == "result") {
    const auto at = open_calls_.find(TextAt(event, "id"));
    if (at == open_calls_.end()) return;
    spans_[at->second].end = NanosecondsNow();
    const auto metadata = event.find("metadata");
    spans_[at->second].failed = metadata != event.end() && metadata->is_object() &&
                                TextAt(*metadata, ":status") == ":error";
    open_calls_.erase(at);
  }
}

ordered_json TurnSpans::Shown(const TurnSpan& span, const std::string& trace) {
  ordered_json out = {{"traceId", trace}, {"spanId", span.id}};
  if (!span.parent.empty()) out["parentSpanId"] = span.parent;
  out["name"] = span.name;
  out["kind"] = span.name.starts_with("tool ") ? kClientSpan : kInternalSpan;
  out["startTimeUnixNano"] = std::to_string(span.begin);
  out["endTimeUnixNano"] = std::to_string(span.end);
  if (!span.attributes.empty()) out["attributes"] = span.attributes;
  if (span.failed) out["status"] = {{"code", kErrorStatus}};
  return out;
}

std::string TurnSpans::End(const std::string& status, bool failed) {
  const std::int64_t now = NanosecondsNow();
  spans_.front().attributes.push_back(TextAttribute("rpl.status", status));
  spans_.front().failed = failed;
  ordered_json spans = ordered_json::array();
  for (TurnSpan& span : spans_) {
    if (span.end == 0) span.end = now;
    spans.push_back(Shown(span, trace_));
  }
  return DumpJson(
      {{"resourceSpans",
        {{{"resource", {{"attributes", {TextAttribute("service.name", "rpl")}}}},
          {"scopeSpans", {{{"scope", {{"name", "rpl"}}}, {"spans", std::move(spans)}}}}}}}});
}

}  // namespace rpl
