// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/guard_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "interp/program/operators.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostShown = 100;  // bytes of a key
constexpr const char* kLongInteger = "an integer has more than 64 bits";

// The reason why an object is no call; caught in this file.
struct Wrong {
  std::string why;
};

std::string Text(const ordered_json& value, std::string_view key) {
  if (!value.is_string()) throw Wrong{fmt::format("expected a text for `{}`", key)};
  return value.get<std::string>();
}

double FromZero(const ordered_json& value, std::string_view key) {
  if (!value.is_number() || value.get<double>() < 0)
    throw Wrong{fmt::format("expected a number from 0 for `{}`", key)};
  return value.get<double>();
}

std::vector<std::string> Texts(const ordered_json& value, std::string_view key) {
  std::vector<std::string> out;
  if (!value.is_array()) throw Wrong{fmt::format("expected a list of texts for `{}`", key)};
  for (const ordered_json& item : value) out.push_back(Text(item, key));
  return out;
}

Moment Time(const ordered_json& value, std::string_view key) {
  const auto moment = ParseInstant(Text(value, key));
  if (!moment) throw Wrong{fmt::format("expected a time like 2026-01-02T00:00:00Z for `{}`", key)};
  return *moment;
}

const ordered_json& Object(const ordered_json& value, std::string_view key) {
  if (!value.is_object()) throw Wrong{fmt::format("expected an object for `{}`", key)};
  return value;
}

const std::vector<std::string>& TagsOf(const std::string& tool, const GuardConfig& config,
                                       const std::vector<std::string>& given) {
  if (!given.empty()) return given;
  const GuardTool* declared = config.FindTool(tool);
  return declared != nullptr ? declared->tags : given;
}

std::string NameOf(const std::string& tool, const GuardConfig& config) {
  const GuardTool* declared = config.FindTool(tool);
  return declared != nullptr ? declared->name : tool;
}

// A key of an object that is read into a To.
template <typename To>
struct LineKey {
  std::string_view name;
  void (*read)(const ordered_json& value, std::string_view key, To& to);
};

// Reads an object of which these are the keys; `of` says of what, for the message about another
// one.
template <typename To, std::size_t kCount>
void ReadLineKeys(const ordered_json& json, const LineKey<To> (&keys)[kCount], std::string_view of,
                  To& to) {
  for (const auto& [name, value] : json.items()) {
    const auto* const key = std::ranges::find(keys, std::string_view(name),
                                              [](const LineKey<To>& k) { return k.name; });
    if (key == std::end(keys)) {
      std::string known;
      for (const LineKey<To>& each : keys)
        known += fmt::format("{}`{}`", known.empty() ? "" : ", ", each.name);
      throw Wrong{
          fmt::format("`{}`{} is not known; known are {}", Shortened(name, kMostShown), of, known)};
    }
    key->read(value, name, to);
  }
}

struct PastLine {
  PastCall past;
  bool this_run = true;
  ordered_json args = ordered_json::object();
  const ordered_json* result = nullptr;
  std::map<std::string, double> metrics;
};

constexpr LineKey<PastLine> kPastKeys[] = {
    {"tool", [](auto& value, auto key, auto& to) { to.past.tool = Text(value, key); }},
    {"tags", [](auto& value, auto key, auto& to) { to.past.tags = Texts(value, key); }},
    {"failed",
     [](auto& value, auto key, auto& to) {
       if (!value.is_boolean()) throw Wrong{fmt::format("expected true or false for `{}`", key)};
       to.past.failed = value.template get<bool>();
     }},
    {"durationMs", [](auto& value, auto key, auto& to) { to.past.took_ms = FromZero(value, key); }},
    {"at", [](auto& value, auto key, auto& to) { to.past.at = Time(value, key); }},
    {"user", [](auto& value, auto key, auto& to) { to.past.user = Text(value, key); }},
    {"metrics",
     [](auto& value, auto key, auto& to) {
       for (const auto& [name, metric] : Object(value, key).items())
         to.metrics[name] = FromZero(metric, key);
     }},
    {"args", [](auto& value, auto, auto& to) { to.args = value; }},
    {"result", [](auto& value, auto, auto& to) { to.result = &value; }},
    {"run",
     [](auto& value, auto key, auto& to) {
       if (value != "this" && value != "other")
         throw Wrong{fmt::format("expected `this` or `other` for `{}`", key)};
       to.this_run = value == "this";
     }},
};

std::pair<PastCall, bool> Past(const ordered_json& json, const GuardConfig& config, Moment now,
                               const std::optional<EndUser>& user) {
  PastLine line;
  PastCall& past = line.past;
  past.at = now;
  if (user) past.user = user->id;
  if (json.is_string()) past.tool = json.get<std::string>();
  else ReadLineKeys(Object(json, "history"), kPastKeys, " of a call of the history", line);
  if (past.tool.empty()) throw Wrong{"a call of the history has no `tool`"};
  past.tags = TagsOf(past.tool, config, past.tags);
  past.tool = NameOf(past.tool, config);
  past.metrics = InbuiltMetrics(line.args, line.result, past.took_ms);
  for (const auto& [name, value] : line.metrics) past.metrics[name] = value;
  return {past, line.this_run};
}

struct CallLine {
  GuardLine line;
  const ordered_json* history = nullptr;
};

constexpr LineKey<CallLine> kLineKeys[] = {
    {"tool", [](auto& value, auto key, auto& to) { to.line.call.tool = Text(value, key); }},
    {"args", [](auto& value, auto, auto& to) { to.line.call.args = value; }},
    {"tags", [](auto& value, auto key, auto& to) { to.line.call.tags = Texts(value, key); }},
    {"phase",
     [](auto& value, auto key, auto& to) {
       if (value != "tool.before" && value != "tool.after")
         throw Wrong{fmt::format("expected `tool.before` or `tool.after` for `{}`", key)};
       to.line.call.phase = value == "tool.after" ? CallPhase::kAfter : CallPhase::kBefore;
     }},
    {"user",
     [](auto& value, auto key, auto& to) {
       std::string error;
       to.line.call.user = ReadEndUser(value, error);
       if (!error.empty()) throw Wrong{fmt::format("`{}`: {}", key, error)};
     }},
    {"now", [](auto& value, auto key, auto& to) { to.line.now = Time(value, key); }},
    {"tookMs",
     [](auto& value, auto key, auto& to) { to.line.call.took_ms = FromZero(value, key); }},
    {"history", [](auto& value, auto, auto& to) { to.history = &value; }},
    {"signals",
     [](auto& value, auto key, auto& to) {
       for (const auto& [name, signal] : Object(value, key).items()) to.line.signals[name] = signal;
     }},
    {"subjects",
     [](auto& value, auto key, auto& to) {
       Sourced<std::vector<Subject>> subjects = ReadSubjects(value);
       if (!subjects.value) throw Wrong{fmt::format("`{}`: {}", key, subjects.why)};
       to.line.subjects = std::move(*subjects.value);
     }},
};

}  // namespace

Sourced<GuardLine> ReadGuardLine(const ordered_json& json, const GuardConfig& config, Moment now) {
  CallLine read;
  GuardLine& line = read.line;
  line.call.args = ordered_json::object();
  line.call.user = config.user;
  try {
    ReadLineKeys(Object(json, "a call"), kLineKeys, "", read);
    if (line.call.tool.empty()) throw Wrong{"a call has a `tool`, its name"};
    line.call.tags = TagsOf(line.call.tool, config, line.call.tags);
    if (const GuardTool* declared = config.FindTool(line.call.tool))
      line.call.args = NamedArguments(std::move(line.call.args), declared->params);
    line.call.tool = NameOf(line.call.tool, config);
    if (read.history != nullptr) {
      if (!read.history->is_array()) throw Wrong{"expected a list for `history`"};
      for (const ordered_json& past : *read.history)
        line.history.push_back(Past(past, config, line.now.value_or(now), line.call.user));
    }
    return {std::move(line), ""};
  } catch (const Wrong& wrong) {
    return {std::nullopt, wrong.why};
  }
}

Sourced<GuardLine> ReadGuardText(std::string_view text, const GuardConfig& config, Moment now) {
  const JsonText parsed = ParseExactJson(text);
  if (!parsed.error.empty()) return {std::nullopt, parsed.error};
  if (HasExactInteger(parsed.json)) return {std::nullopt, kLongInteger};
  return ReadGuardLine(parsed.json, config, now);
}

Sourced<ordered_json> LineSources::Signal(const std::string& key, const ordered_json& args) {
  if (const auto known = line_.signals.find(key); known != line_.signals.end())
    return {known->second, ""};
  const GuardCommand* command = config_.FindSignal(key);
  if (command == nullptr) return {std::nullopt, "nothing provides it"};
  return run_(*command, args);
}

Sourced<std::vector<Subject>> LineSources::Subjects(const GuardCall& call) {
  if (line_.subjects) return {*line_.subjects, ""};
  const GuardCommand* command = config_.FindSubjects(call.tool);
  if (command == nullptr) return {std::vector<Subject>(), ""};
  const Sourced<ordered_json> got =
      run_(*command, {{"tool", {{"name", call.tool}, {"tags", call.tags}}},
                      {"toolName", call.tool},
                      {"toolArgs", call.args},
                      {"runContext", {{"runId", run_id_}}}});
  if (!got.value) return {std::nullopt, got.why};
  return ReadSubjects(*got.value);
}

Sourced<Review> LineSources::FindReview(const ReviewRequest& request) {
  return store_.Find(request, by_, now_);
}

Sourced<Review> LineSources::AskForReview(const ReviewRequest& request) {
  return store_.Ask(request, run_id_, now_);
}

Sourced<bool> LineSources::SpendReview(const Review& review) {
  return store_.Spend(review.id, by_, now_);
}

}  // namespace rpl
