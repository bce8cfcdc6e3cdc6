// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_description.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "interp/store/json_value.h"

namespace rpl {
namespace {

Value DayValue(Pool& pool, int day) {
  static constexpr const char* kDays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
  return pool.Keyword(kDays[day]);
}

std::optional<MetricWindowLeaf::Aggregate> AggregateOf(const Pool& pool, Value v) {
  using Aggregate = MetricWindowLeaf::Aggregate;
  static constexpr std::pair<std::string_view, Aggregate> kNames[] = {
      {"sum", Aggregate::kSum}, {"avg", Aggregate::kAvg},     {"max", Aggregate::kMax},
      {"min", Aggregate::kMin}, {"count", Aggregate::kCount},
  };
  if (v.kind() != Kind::kKeyword) return std::nullopt;
  for (const auto& [name, aggregate] : kNames)
    if (pool.TextOf(v) == name) return aggregate;
  return std::nullopt;
}

// The calls that a map with the keys :tools, :tags and :end-user selects. False: it is not such a
// map.
bool SelectCalls(const Pool& pool, Value of, MetricWindowLeaf& to) {
  if (of.kind() != Kind::kMap) return false;
  const auto take = [&](Value list, std::vector<std::string>& names) {
    if (list.kind() != Kind::kList) return false;
    for (const Value name : pool.ItemsOf(list)) {
      if (name.kind() != Kind::kString) return false;
      names.emplace_back(pool.TextOf(name));
    }
    return !names.empty();
  };
  const std::span<const Value> entries = pool.ItemsOf(of);
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    const std::string_view key =
        entries[i].kind() == Kind::kKeyword ? pool.TextOf(entries[i]) : std::string_view();
    const Value value = entries[i + 1];
    if (key == "tools"  ? !take(value, to.tool_names)
        : key == "tags" ? !take(value, to.tool_tags)
                        : key != "end-user" || (value != kTrue && value != kFalse))
      return false;
    if (key == "end-user") to.of_user = value == kTrue;
  }
  return true;
}

}  // namespace

bool CallDescription::Describe(std::string_view label, BuiltinCall& to) const {
  if (label == "std#called") return Called(to), true;
  if (label == "std#called-tag") return CalledTag(to), true;
  if (label == "std#took") return Took(to);
  if (label == "std#metric") return Metric(to);
  if (label == "std#signal") return Signal(to);
  if (label == "std#subject") return Subjects(to);
  if (label == "std#end-user-tag") return EndUserTag(to);
  if (label == "std#local-time") return Local(to);
  if (label == "std#tool-tag") {
    for (const std::string& tag : call_.tags) to.give({{to.pool.String(tag)}});
    return true;
  }
  if (label == "std#end-user") {
    if (!call_.user || !call_.user->id) return false;
    to.give({{to.pool.String(*call_.user->id)}});
    return true;
  }
  if (label == "std#organisation-time") {
    const std::optional<LocalTime> local = LocalTimeAt(now_, zone_);
    if (zone_.empty() || !local) return false;
    to.give({{DayValue(to.pool, local->day), to.pool.Int(local->minute)}});
    return true;
  }
  return false;
}

// (?number, ?tool, ?state): numbered by tool, in the order of their first calls.
void CallDescription::Called(BuiltinCall& to) const {
  std::int64_t number = 0;
  history_.ForEachTool([&](const History::ToolCalls& tool) {
    const Value name = to.pool.String(tool.name);
    for (std::size_t i = 0; i < tool.calls.ended + tool.calls.open; ++i)
      to.give({{to.pool.Int(++number), name,
                to.pool.Keyword(i < tool.calls.ended ? "ended" : "open")}});
  });
}

// (?number, ?tag)
void CallDescription::CalledTag(BuiltinCall& to) const {
  std::int64_t number = 0;
  history_.ForEachTool([&](const History::ToolCalls& tool) {
    for (std::size_t i = 0; i < tool.calls.ended + tool.calls.open; ++i) {
      ++number;
      for (const std::string& tag : tool.tags)
        to.give({{to.pool.Int(number), to.pool.String(tag)}});
    }
  });
}

// (?scope, ?milliseconds)
bool CallDescription::Took(BuiltinCall& to) const {
  to.give({{to.pool.Keyword("total"), to.pool.Float(history_.TookMs())}});
  to.give({{to.pool.Keyword("tool"), to.pool.Float(history_.TookMs(call_.tool))}});
  return true;
}

// (?key, ?aggregate, ?seconds, ?value), or with a map that selects calls before the value
bool CallDescription::Metric(BuiltinCall& to) const {
  const Value key = to.known[0];
  const std::optional<std::int64_t> seconds = to.pool.Int64Of(to.known[2]);
  const auto aggregate = AggregateOf(to.pool, to.known[1]);
  if (key.kind() != Kind::kString || !aggregate || !seconds || *seconds <= 0 ||
      *seconds > kMaxWindowSeconds) {
    to.why = "it takes a text, one of :sum, :avg, :max, :min and :count, and seconds from 1 to " +
             std::to_string(kMaxWindowSeconds);
    return true;
  }
  MetricWindowLeaf of;
  of.key = to.pool.TextOf(key);
  of.aggregate = *aggregate;
  of.window_seconds = *seconds;
  std::vector<Value> row(to.known.begin(), to.known.end());
  if (row.size() == 5 && !SelectCalls(to.pool, row[3], of)) {
    to.why =
        "the calls are selected by a map with lists of texts at :tools and :tags, and true or "
        "false at :end-user";
    return true;
  }
  try {
    const std::optional<double> value =
        history_.Metric(of, call_.user ? call_.user->id : std::nullopt, now_);
    if (!value) return false;
    row.back() = to.pool.Float(*value);
    to.give(row);
    return true;
  } catch (const std::runtime_error&) {  // the store cannot be read
    return false;
  }
}

// (?key, ?arguments, ?value)
bool CallDescription::Signal(BuiltinCall& to) const {
  const Value key = to.known[0];
  const std::optional<nlohmann::ordered_json> args =
      to.known[1].kind() == Kind::kMap ? JsonOfValue(to.pool, to.known[1], JsonNumbers::kNearest)
                                       : std::nullopt;
  if (key.kind() != Kind::kString || !args) {
    to.why = "it takes a text and a map that JSON can express";
    return true;
  }
  const auto got = sources_.Signal(std::string(to.pool.TextOf(key)), WithoutColons(*args));
  if (!got.value) return false;
  to.give({{key, to.known[1], ValueOfJson(*got.value, to.pool, /*keywords=*/false)}});
  return true;
}

// (?type, ?role, ?value, ?id-system)
bool CallDescription::Subjects(BuiltinCall& to) const {
  const Sourced<std::vector<Subject>> got = sources_.Subjects(call_);
  if (!got.value) return false;
  const auto text = [&](const std::optional<std::string>& t) {
    return t ? to.pool.String(*t) : kNil;
  };
  for (const Subject& subject : *got.value)
    to.give({{to.pool.String(subject.type), text(subject.role), to.pool.String(subject.value),
              text(subject.id_system)}});
  return true;
}

// (?tag, ?value)
bool CallDescription::EndUserTag(BuiltinCall& to) const {
  if (!call_.user) return false;
  for (const auto& [tag, value] : call_.user->tags.items())
    if (!call_.user->disputed.contains(tag))
      to.give({{to.pool.String(tag), ValueOfJson(value, to.pool, /*keywords=*/false)}});
  const Value tag = to.known[0];
  if (tag.kind() != Kind::kString) return call_.user->disputed.empty();
  return !call_.user->disputed.contains(std::string(to.pool.TextOf(tag)));
}

// (?tag, ?day, ?minute)
bool CallDescription::Local(BuiltinCall& to) const {
  if (!call_.user) return false;
  const Value wanted = to.known[0];
  bool known = wanted.is_none() && call_.user->disputed.empty();
  for (const auto& [tag, zone] : call_.user->tags.items()) {
    if (call_.user->disputed.contains(tag) || !zone.is_string()) continue;
    if (wanted.kind() == Kind::kString && to.pool.TextOf(wanted) != tag) continue;
    const std::optional<LocalTime> local = LocalTimeAt(now_, zone.get<std::string>());
    if (!local) continue;
    known = true;
    to.give({{to.pool.String(tag), DayValue(to.pool, local->day), to.pool.Int(local->minute)}});
  }
  return known;
}

}  // namespace rpl
