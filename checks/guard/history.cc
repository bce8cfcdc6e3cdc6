// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/history.h"

#include <algorithm>
#include <cassert>

#include "formats/glob.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// The size of a text in UTF-8, or of any other value as compact JSON; 0 for null.
double BytesOf(const ordered_json& value) {
  if (value.is_null()) return 0;
  if (value.is_string()) return static_cast<double>(value.get_ref<const std::string&>().size());
  return static_cast<double>(
      value.dump(-1, ' ', false, ordered_json::error_handler_t::replace).size());
}

// The number of rows in list-like data.
std::optional<double> RecordsOf(const ordered_json& value) {
  if (value.is_array()) return static_cast<double>(value.size());
  if (!value.is_object()) return std::nullopt;
  for (const char* key : {"records", "items"})
    if (const auto list = value.find(key); list != value.end() && list->is_array())
      return static_cast<double>(list->size());
  if (const auto count = value.find("count"); count != value.end() && count->is_number())
    return count->get<double>();
  return std::nullopt;
}

bool HasAnyTag(const std::vector<std::string>& tags, const std::vector<std::string>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const std::string& tag) { return HasTag(tags, tag); });
}

}  // namespace

bool IsInbuiltMetric(std::string_view name) {
  return std::ranges::find(kInbuiltMetrics, name) != std::end(kInbuiltMetrics);
}

std::map<std::string, double> InbuiltMetrics(const ordered_json& args, const ordered_json* result,
                                             double took_ms) {
  std::map<std::string, double> out = {{"bytes_in", BytesOf(args)}, {"duration_ms", took_ms}};
  if (const auto rows = RecordsOf(args)) out["records_in"] = *rows;
  if (result == nullptr) return out;
  out["bytes_out"] = BytesOf(*result);
  if (const auto rows = RecordsOf(*result)) out["records_out"] = *rows;
  return out;
}

PastCall EndedCall(const GuardCall& call, const ordered_json* result, Moment at) {
  PastCall past;
  past.tool = call.tool;
  past.tags = call.tags;
  past.took_ms = call.took_ms;
  past.at = at;
  if (call.user) past.user = call.user->id;
  past.metrics = InbuiltMetrics(call.args, result, call.took_ms);
  return past;
}

History::Tool& History::At(const std::string& name, const std::vector<std::string>& tags) {
  std::string key = name;
  for (const std::string& tag : tags) key += '\0' + tag;
  const auto [found, is_new] = by_name_and_tags_.emplace(std::move(key), tools_.size());
  if (is_new) {
    Tool tool;
    tool.name = name;
    tool.tags = tags;
    tools_.push_back(std::move(tool));
  }
  return tools_[found->second];
}

void History::AddCounts(const std::string& tool, const std::vector<std::string>& tags,
                        const Counts& counts) {
  Counts& calls = At(tool, tags).calls;
  calls.ended += counts.ended;
  calls.open += counts.open;
  calls.took_ms += counts.took_ms;
  took_ms_ += counts.took_ms;
}

void History::Begin(const std::string& tool, const std::vector<std::string>& tags) {
  ++At(tool, tags).calls.open;
}

void History::GiveUp(const std::string& tool, const std::vector<std::string>& tags) {
  Tool& at = At(tool, tags);
  assert(at.calls.open > 0);
  --at.calls.open;
}

void History::Add(const PastCall& call, bool this_run) {
  Tool& tool = At(call.tool, call.tags);
  if (this_run) {
    ++tool.calls.ended;
    tool.calls.took_ms += call.took_ms;
    took_ms_ += call.took_ms;
    if (tool.calls.open > 0) --tool.calls.open;
  }
  AddMetrics(call);
}

void History::AddMetrics(const PastCall& call) {
  Tool& tool = At(call.tool, call.tags);
  std::uint32_t user = kNobody;
  if (call.user)
    user = users_.emplace(*call.user, static_cast<std::uint32_t>(users_.size())).first->second;
  for (const auto& [key, value] : call.metrics) {
    std::vector<Sample>& samples = tool.metrics[key];
    const Sample sample{call.at, value, user};
    // Almost always at the end, because calls are added in the order in which they ended.
    samples.insert(std::upper_bound(samples.begin(), samples.end(), sample,
                                    [](const Sample& a, const Sample& b) { return a.at < b.at; }),
                   sample);
  }
}

bool History::Called(std::string_view glob, bool with_open) const {
  return std::any_of(tools_.begin(), tools_.end(), [&](const Tool& tool) {
    return tool.calls.Number(with_open) > 0 && GlobMatches(glob, tool.name);
  });
}

std::size_t History::OpenCalls(const MetricWindowLeaf& of, const std::optional<std::string>& user,
                               Moment now) const {
  if (open_from_) return open_from_(of, user, now);
  std::size_t open = 0;
  for (const Tool& tool : tools_)
    if (Selects(of, tool.name, tool.tags)) open += tool.calls.open;
  return open;
}

std::size_t History::Calls(const MaxCallsLeaf& of, bool with_open) const {
  std::size_t calls = 0;
  for (const Tool& tool : tools_) {
    if (tool.calls.Number(with_open) == 0) continue;
    const bool matches =
        of.by_tag
            ? std::any_of(tool.tags.begin(), tool.tags.end(),
                          [&](const std::string& tag) { return AnyGlobMatches(of.globs, tag); })
            : AnyGlobMatches(of.globs, tool.name);
    if (matches) calls += tool.calls.Number(with_open);
  }
  return calls;
}

void History::ForEachTool(const std::function<void(const ToolCalls&)>& take) const {
  for (const Tool& tool : tools_) take({tool.name, tool.tags, tool.calls});
}

void History::ForEachMetric(const std::function<void(const MetricValue&)>& take) const {
  std::vector<std::string> names(users_.size());
  for (const auto& [name, number] : users_) names[number] = name;
  for (const Tool& tool : tools_)
    for (const auto& [key, samples] : tool.metrics)
      for (const Sample& sample : samples)
        take({key, tool.name, tool.tags, sample.at,
              sample.user == kNobody ? std::nullopt : std::optional(names[sample.user]),
              sample.value});
}

double History::TookMs(std::string_view name) const {
  double ms = 0;
  for (const Tool& tool : tools_)
    if (FoldCase(tool.name) == FoldCase(name)) ms += tool.calls.took_ms;
  return ms;
}

void MetricTotals::Add(const MetricTotals& more) {
  count += more.count;
  sum += more.sum;
  most = std::max(most, more.most);
  least = std::min(least, more.least);
}

bool Selects(const MetricWindowLeaf& of, std::string_view tool,
             const std::vector<std::string>& tags) {
  return (of.tool_names.empty() || AnyGlobMatches(of.tool_names, tool)) &&
         (of.tool_tags.empty() || HasAnyTag(tags, of.tool_tags));
}

MetricTotals History::Totals(const MetricWindowLeaf& of, const std::optional<std::string>& user,
                             Moment now) const {
  MetricTotals out;
  std::uint32_t only = kNobody;
  if (of.of_user)
    if (const auto found = users_.find(*user); found != users_.end()) only = found->second;
  const Moment since = now - of.window_seconds * kSecond;
  for (const Tool& tool : tools_) {
    const auto metric = tool.metrics.find(of.key);
    if (metric == tool.metrics.end() || !Selects(of, tool.name, tool.tags)) continue;
    const std::vector<Sample>& samples = metric->second;
    auto sample = std::lower_bound(samples.begin(), samples.end(), since,
                                   [](const Sample& s, Moment at) { return s.at < at; });
    // To the end: what seems to be later happened before the clock was set back.
    for (; sample != samples.end(); ++sample)
      if (!of.of_user || (sample->user == only && only != kNobody)) out.Add(sample->value);
  }
  return out;
}

std::optional<double> History::Metric(const MetricWindowLeaf& of,
                                      const std::optional<std::string>& user, Moment now) const {
  if (of.of_user && !user) return std::nullopt;
  const MetricTotals totals = metrics_from_ ? metrics_from_(of, user, now) : Totals(of, user, now);
  using Of = MetricWindowLeaf::Aggregate;
  if (of.aggregate == Of::kSum) return totals.sum;
  if (of.aggregate == Of::kCount) return static_cast<double>(totals.count);
  if (totals.count == 0) return std::nullopt;
  if (of.aggregate == Of::kMax) return totals.most;
  if (of.aggregate == Of::kMin) return totals.least;
  return totals.sum / static_cast<double>(totals.count);
}

}  // namespace rpl
