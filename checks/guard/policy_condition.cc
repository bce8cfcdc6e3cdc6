// SPDX-License-Identifier: Apache-2.0
//
// One function per kind of condition, each with its keys. The tree is read with an explicit stack,
// so that nested `not`s do not recurse.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "checks/guard/history.h"
#include "checks/guard/policy_fields.h"
#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Words = std::span<const std::string_view>;

constexpr std::int64_t kMost = std::int64_t{1} << 53;

constexpr std::string_view kKinds[] = {
    "enduserTag",     "executionTime", "sequence", "maxCalls", "metricWindow",
    "timeGate",       "signal",        "toolName", "toolTag",  "toolArg",
    "requireSubject", "and",           "or",       "not"};
constexpr std::string_view kPlatformKinds[] = {"custom", "sensitiveData"};
constexpr std::string_view kDays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

// The keys of a condition and those that every condition has.
std::vector<std::string_view> WithCommon(std::initializer_list<std::string_view> keys) {
  std::vector<std::string_view> all = {"kind", "onMissing"};
  all.insert(all.end(), keys.begin(), keys.end());
  return all;
}

class ConditionReader {
 public:
  explicit ConditionReader(PolicyFields& fields) : fields_(fields) {}

  GuardCondition Read(const YamlNode& root) {
    struct Task {
      const YamlNode* node;  // to read; null: the subtree of `closes` is complete
      std::uint32_t closes;
    };
    GuardCondition out;
    std::vector<Task> tasks = {{&root, 0}};
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      if (task.node == nullptr) {
        out[task.closes].end = static_cast<std::uint32_t>(out.size());
        continue;
      }
      const auto number = static_cast<std::uint32_t>(out.size());
      std::vector<const YamlNode*> parts;
      out.push_back(Node(*task.node, parts));
      tasks.push_back({nullptr, number});
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) tasks.push_back({*part, 0});
    }
    return out;
  }

 private:
  ConditionNode Node(const YamlNode& node, std::vector<const YamlNode*>& parts) {
    ConditionNode out;
    if (!fields_.IsMap(node)) return out;
    const YamlNode* kind = fields_.Require(node, "kind", "one of " + OneOf(kKinds));
    if (kind == nullptr) return out;
    if (kind->kind == YamlKind::kString) {
      const std::string name = kind->scalar.get<std::string>();
      if (std::find(std::begin(kPlatformKinds), std::end(kPlatformKinds), name) !=
          std::end(kPlatformKinds)) {
        fields_.Wrong(*kind, name + " is not supported: only the platform evaluates it");
        return out;
      }
    }
    const std::optional<std::size_t> number = fields_.Word(*kind, kKinds);
    if (!number) return out;
    out.on_missing = fields_.EffectAt(node, "onMissing");
    switch (*number) {
      case 0: out.is = EnduserTag(node); break;
      case 1: out.is = ExecutionTime(node); break;
      case 2: out.is = Sequence(node); break;
      case 3: out.is = MaxCalls(node); break;
      case 4: out.is = MetricWindow(node); break;
      case 5: out.is = TimeGate(node); break;
      case 6: out.is = Signal(node); break;
      case 7: out.is = ToolName(node); break;
      case 8: out.is = ToolTag(node); break;
      case 9: out.is = ToolArg(node); break;
      case 10: out.is = RequireSubject(node); break;
      case 11:
        out.is = AndParts{};
        Parts(node, "all", parts);
        break;
      case 12:
        out.is = OrParts{};
        Parts(node, "any", parts);
        break;
      default:
        out.is = NotPart{};
        Know(node, {"not"});
        if (const YamlNode* part = fields_.Require(node, "not")) parts.push_back(part);
    }
    return out;
  }

  void Know(const YamlNode& node, std::initializer_list<std::string_view> keys,
            Words unsupported = {}) {
    fields_.IsMapOf(node, WithCommon(keys), unsupported);
  }

  void Parts(const YamlNode& node, std::string_view key, std::vector<const YamlNode*>& parts) {
    Know(node, {key});
    const YamlNode* list = fields_.Require(node, key);
    if (list == nullptr || !fields_.IsList(*list)) return;
    if (list->items.empty())
      fields_.Wrong(*list, "expected at least one condition, got an empty list");
    for (const YamlNode& item : list->items) parts.push_back(&item);
  }

  EnduserTagLeaf EnduserTag(const YamlNode& node) {
    static constexpr std::string_view kOps[] = {"has", "hasValue", "hasValueAny"};
    EnduserTagLeaf leaf;
    leaf.op = static_cast<EnduserTagLeaf::Op>(fields_.WordAt(node, "op", kOps));
    leaf.tag = fields_.TextAt(node, "tag");
    switch (leaf.op) {
      case EnduserTagLeaf::Op::kHas: Know(node, {"op", "tag"}); break;
      case EnduserTagLeaf::Op::kHasValue:
        Know(node, {"op", "tag", "value"});
        if (const YamlNode* value = fields_.Require(node, "value"))
          leaf.values = {fields_.Text(*value).value_or("?")};
        break;
      case EnduserTagLeaf::Op::kHasValueAny:
        Know(node, {"op", "tag", "values"});
        leaf.values = fields_.TextsAt(node, "values");
        break;
    }
    return leaf;
  }

  ExecutionTimeLeaf ExecutionTime(const YamlNode& node) {
    static constexpr std::string_view kScopes[] = {"tool", "total"};
    Know(node, {"scope", "op", "ms"});
    ExecutionTimeLeaf leaf;
    leaf.total = fields_.WordAt(node, "scope", kScopes) == 1;
    leaf.op = fields_.CompareAt(node);
    leaf.ms = fields_.WholeAt(node, "ms", 0, kMost);
    return leaf;
  }

  SequenceLeaf Sequence(const YamlNode& node) {
    Know(node, {"mustHaveCalled", "mustNotHaveCalled"});
    SequenceLeaf leaf;
    const YamlNode* must = fields_.Optional(node, "mustHaveCalled");
    const YamlNode* must_not = fields_.Optional(node, "mustNotHaveCalled");
    if (must == nullptr && must_not == nullptr)
      fields_.Add(Code::kMissingConfigKey, node,
                  "`mustHaveCalled` or `mustNotHaveCalled` is needed");
    if (must != nullptr && !HasEntries(*must)) leaf.must = fields_.Texts(*must);
    if (must_not != nullptr && !HasEntries(*must_not)) leaf.must_not = fields_.Texts(*must_not);
    return leaf;
  }

  // True, after an error, if an item of the list is a map {"by", …} in place of a glob.
  bool HasEntries(const YamlNode& list) {
    bool found = false;
    for (const YamlNode& item : list.items) {
      const YamlNode* by = item.Find("by");
      if (by == nullptr) continue;
      found = true;
      fields_.Wrong(item, fmt::format("an entry with `by` is not supported: {}", kIsNewer),
                    "write the glob of a tool's name");
    }
    return found;
  }

  MaxCallsLeaf MaxCalls(const YamlNode& node) {
    static constexpr std::string_view kBy[] = {"toolName", "toolTag"};
    static constexpr std::string_view kNewer[] = {"windowSeconds", "per", "tagFilter"};
    Know(node, {"selector", "max"}, kNewer);
    MaxCallsLeaf leaf;
    leaf.max = static_cast<std::size_t>(fields_.WholeAt(node, "max", 0, kMost));
    const YamlNode* selector = fields_.Require(node, "selector");
    if (selector == nullptr || !fields_.IsMap(*selector)) return leaf;
    leaf.by_tag = fields_.WordAt(*selector, "by", kBy) == 1;
    const std::string_view list = leaf.by_tag ? "tags" : "patterns";
    const std::string_view keys[] = {"by", list};
    fields_.IsMapOf(*selector, keys);
    leaf.globs = fields_.TextsAt(*selector, list);
    return leaf;
  }

  MetricWindowLeaf MetricWindow(const YamlNode& node) {
    static constexpr std::string_view kScopes[] = {"agent", "agent_user"};
    static constexpr std::string_view kNewerScopes[] = {"run"};
    static constexpr std::string_view kMetricKinds[] = {"inbuilt", "custom"};
    static constexpr std::string_view kAggregates[] = {"sum", "avg", "max", "min", "count"};
    static constexpr std::string_view kMetricKeys[] = {"kind", "key"};
    static constexpr std::string_view kFilterKeys[] = {"toolName", "toolTag"};
    Know(node, {"scope", "metric", "aggregate", "windowSeconds", "op", "value", "filter"});
    MetricWindowLeaf leaf;
    leaf.of_user = fields_.WordAt(node, "scope", kScopes, kNewerScopes) == 1;
    if (const YamlNode* metric = fields_.Require(node, "metric");
        metric != nullptr && fields_.IsMapOf(*metric, kMetricKeys)) {
      const bool custom = fields_.WordAt(*metric, "kind", kMetricKinds) == 1;
      if (custom) leaf.key = fields_.TextAt(*metric, "key");
      else leaf.key = kInbuiltMetrics[fields_.WordAt(*metric, "key", kInbuiltMetrics)];
    }
    leaf.aggregate =
        static_cast<MetricWindowLeaf::Aggregate>(fields_.WordAt(node, "aggregate", kAggregates));
    leaf.window_seconds = fields_.WholeAt(node, "windowSeconds", 1, kMaxWindowSeconds);
    leaf.op = fields_.CompareAt(node);
    leaf.value = fields_.NumberAt(node, "value");
    const YamlNode* filter = fields_.Optional(node, "filter");
    if (filter == nullptr || !fields_.IsMapOf(*filter, kFilterKeys)) return leaf;
    if (const YamlNode* names = fields_.Optional(*filter, "toolName"))
      leaf.tool_names = fields_.Texts(*names, true);
    if (const YamlNode* tags = fields_.Optional(*filter, "toolTag"))
      leaf.tool_tags = fields_.Texts(*tags, true);
    return leaf;
  }

  TimeGateLeaf TimeGate(const YamlNode& node) {
    static constexpr std::string_view kSources[] = {"enduserTag"};
    static constexpr std::string_view kNewerSources[] = {"static"};
    static constexpr std::string_view kFallbacks[] = {"org"};
    static constexpr std::string_view kZoneKeys[] = {"source", "tag", "fallback"};
    Know(node, {"timezone", "windows"});
    TimeGateLeaf leaf;
    if (const YamlNode* zone = fields_.Require(node, "timezone");
        zone != nullptr && fields_.IsMap(*zone)) {
      const YamlNode* source = zone->Find("source");
      const bool newer = source != nullptr && source->scalar == "static";
      fields_.WordAt(*zone, "source", kSources, kNewerSources);
      if (!newer) {
        fields_.IsMapOf(*zone, kZoneKeys);
        leaf.tag = fields_.TextAt(*zone, "tag");
        if (fields_.Optional(*zone, "fallback") != nullptr) {
          fields_.WordAt(*zone, "fallback", kFallbacks);
          leaf.or_organisation = true;
        }
      }
    }
    const YamlNode* windows = fields_.Require(node, "windows");
    if (windows == nullptr || !fields_.IsList(*windows)) return leaf;
    if (windows->items.empty())
      fields_.Wrong(*windows, "expected at least one window, got an empty list");
    for (const YamlNode& window : windows->items) leaf.windows.push_back(Window(window));
    return leaf;
  }

  TimeGateLeaf::Window Window(const YamlNode& node) {
    static constexpr std::string_view kKeys[] = {"days", "start", "end"};
    TimeGateLeaf::Window window;
    if (!fields_.IsMapOf(node, kKeys)) return window;
    if (const YamlNode* days = fields_.Require(node, "days");
        days != nullptr && fields_.IsList(*days)) {
      if (days->items.empty()) fields_.Wrong(*days, "expected at least one day, got an empty list");
      for (const YamlNode& day : days->items)
        if (const auto number = fields_.Word(day, kDays))
          window.days = static_cast<std::uint8_t>(window.days | 1u << *number);
    }
    window.start = Clock(node, "start");
    window.end = Clock(node, "end");
    return window;
  }

  int Clock(const YamlNode& map, std::string_view key) {
    static const RE2 clock("([01][0-9]|2[0-3]):([0-5][0-9])");
    const YamlNode* node = fields_.Require(map, key);
    if (node == nullptr) return 0;
    int hours = 0, minutes = 0;
    if (node->kind == YamlKind::kString &&
        RE2::FullMatch(node->scalar.get<std::string>(), clock, &hours, &minutes))
      return hours * 60 + minutes;
    const bool text = node->kind == YamlKind::kString;
    fields_.Wrong(*node,
                  "expected a time from `00:00` to `23:59`, got " +
                      (text ? "`" + node->scalar.get<std::string>() + "`" : Described(*node)));
    return 0;
  }

  // A text that is valid JSON has the value of that JSON.
  static ordered_json JsonMeant(const YamlNode& node) {
    if (node.kind != YamlKind::kString) return JsonOf(node);
    JsonText parsed = ParseJson(node.scalar.get_ref<const std::string&>());
    return parsed.error.empty() ? std::move(parsed.json) : node.scalar;
  }

  SignalLeaf Signal(const YamlNode& node) {
    static constexpr std::string_view kOps[] = {"eq", "neq", "gt", "gte", "lt", "lte", "in", "nin"};
    Know(node, {"key", "args", "op", "value"});
    SignalLeaf leaf;
    leaf.key = fields_.TextAt(node, "key");
    leaf.op = static_cast<SignalLeaf::Op>(fields_.WordAt(node, "op", kOps));
    if (const YamlNode* value = node.Find("value")) {
      leaf.value = JsonMeant(*value);
      if (value->kind == YamlKind::kString) leaf.raw = value->scalar.get<std::string>();
    } else {
      fields_.Require(node, "value");
    }
    const YamlNode* args = fields_.Require(node, "args", "`{}` for none");
    if (args == nullptr || !fields_.IsMap(*args)) return leaf;
    for (const auto& [key, value] : args->entries)
      leaf.args.emplace_back(key.scalar.get<std::string>(), Binding(value));
    return leaf;
  }

  SignalBinding Binding(const YamlNode& node) {
    using From = SignalBinding::From;
    static constexpr std::string_view kFroms[] = {"enduserId", "enduserTag", "toolName", "toolTag",
                                                  "toolArg",   "subject",    "const"};
    static constexpr std::string_view kFields[] = {"id", "idSystem"};
    SignalBinding binding;
    if (!fields_.IsMap(node)) return binding;
    binding.from = static_cast<From>(fields_.WordAt(node, "from", kFroms));
    const auto know = [&](std::initializer_list<std::string_view> keys) {
      fields_.IsMapOf(node, {keys.begin(), keys.size()});
    };
    switch (binding.from) {
      case From::kEnduserId:
      case From::kToolName: know({"from"}); break;
      case From::kEnduserTag:
      case From::kToolTag:
        know({"from", "tag"});
        binding.of = fields_.TextAt(node, "tag");
        break;
      case From::kToolArg:
        know({"from", "path"});
        binding.of = fields_.TextAt(node, "path");
        break;
      case From::kSubject:
        know({"from", "subjectType", "role", "field"});
        binding.of = fields_.TextAt(node, "subjectType");
        binding.role = fields_.OptionalTextAt(node, "role");
        if (fields_.Optional(node, "field") != nullptr)
          binding.id_system = fields_.WordAt(node, "field", kFields) == 1;
        break;
      case From::kConst:
        know({"from", "value"});
        if (const YamlNode* value = node.Find("value")) binding.value = JsonMeant(*value);
        else fields_.Require(node, "value");
        break;
    }
    return binding;
  }

  ToolNameLeaf ToolName(const YamlNode& node) {
    using Op = ToolNameLeaf::Op;
    static constexpr std::string_view kOps[] = {"eq",       "neq",  "contains", "startsWith",
                                                "endsWith", "glob", "in"};
    Know(node, {"op", "value"});
    ToolNameLeaf leaf;
    leaf.op = static_cast<Op>(fields_.WordAt(node, "op", kOps));
    if (leaf.op == Op::kIn) leaf.values = fields_.TextsAt(node, "value");
    else leaf.values = {fields_.TextAt(node, "value")};
    return leaf;
  }

  ToolTagLeaf ToolTag(const YamlNode& node) {
    using Op = ToolTagLeaf::Op;
    static constexpr std::string_view kOps[] = {"has", "anyOf", "allOf"};
    ToolTagLeaf leaf;
    leaf.op = static_cast<Op>(fields_.WordAt(node, "op", kOps));
    const bool one = leaf.op == Op::kHas;
    Know(node, {"op", one ? "tag" : "tags"});
    if (one) leaf.tags = {fields_.TextAt(node, "tag")};
    else leaf.tags = fields_.TextsAt(node, "tags");
    return leaf;
  }

  ToolArgLeaf ToolArg(const YamlNode& node) {
    using Op = ToolArgLeaf::Op;
    static constexpr std::string_view kTypes[] = {"string", "number", "boolean"};
    static constexpr std::string_view kTextOps[] = {"eq",         "neq",      "contains",
                                                    "startsWith", "endsWith", "in"};
    static constexpr Op kTextOp[] = {Op::kEq,         Op::kNeq,      Op::kContains,
                                     Op::kStartsWith, Op::kEndsWith, Op::kIn};
    static constexpr std::string_view kNewer[] = {"regex"};
    static constexpr std::string_view kNumberOps[] = {"eq", "neq", "gt", "gte", "lt", "lte"};
    static constexpr Op kNumberOp[] = {Op::kEq, Op::kNeq, Op::kGt, Op::kGte, Op::kLt, Op::kLte};
    static constexpr std::string_view kTruthOps[] = {"eq", "neq"};
    Know(node, {"type", "op", "path", "value"});
    ToolArgLeaf leaf;
    const YamlNode* op = node.Find("op");
    if (op != nullptr && (op->scalar == "exists" || op->scalar == "notExists")) {
      fields_.Wrong(
          *op, fmt::format("{} is not supported: {}", op->scalar.get<std::string>(), kIsNewer));
      return leaf;
    }
    if (node.Find("path") != nullptr) leaf.path = fields_.TextAt(node, "path");
    else
      fields_.Add(Code::kMissingConfigKey, node,
                  fmt::format("toolArg without `path` is not supported: {}", kIsNewer),
                  "write the path of one argument");
    const std::size_t type = fields_.WordAt(node, "type", kTypes);
    if (type == 0) leaf.op = kTextOp[fields_.WordAt(node, "op", kTextOps, kNewer)];
    else if (type == 1) leaf.op = kNumberOp[fields_.WordAt(node, "op", kNumberOps, kNewer)];
    else leaf.op = kNumberOp[fields_.WordAt(node, "op", kTruthOps, kNewer)];
    if (const YamlNode* value = fields_.Require(node, "value")) {
      const bool list = leaf.op == Op::kIn && value->kind != YamlKind::kString;
      if (type == 0 && list) leaf.value = fields_.Texts(*value);
      else if (type == 0) leaf.value = fields_.Text(*value).value_or("?");
      else if (type == 1) leaf.value = fields_.NumberAt(node, "value");
      else leaf.value = fields_.Truth(*value).value_or(false);
    }
    return leaf;
  }

  RequireSubjectLeaf RequireSubject(const YamlNode& node) {
    Know(node, {"subjectType", "idSystem"});
    return {fields_.TextAt(node, "subjectType"), fields_.OptionalTextAt(node, "idSystem")};
  }

  PolicyFields& fields_;
};

}  // namespace

GuardCondition ReadCondition(const YamlNode& root, PolicyFields& fields) {
  return ConditionReader(fields).Read(root);
}

}  // namespace rpl
