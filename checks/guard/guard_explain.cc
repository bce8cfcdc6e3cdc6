// SPDX-License-Identifier: Apache-2.0
//
// A rule printed as RPL. Each leaf becomes a clause over the relations that a decision reads; lvars
// are numbered, so that the clauses of two leaves share none. Globs appear in clauses as in the
// policy.
#include <fmt/format.h>

#include "checks/guard/guard.h"
#include "formats/terminal_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '{') out += '\\';
    if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else out += c;
  }
  return out + "\"";
}

std::string Rpl(const ordered_json& value) {
  if (value.is_string()) return Quoted(value.get_ref<const std::string&>());
  if (value.is_null()) return "nil";
  if (value.is_array()) {
    std::string out = "[";
    for (const ordered_json& item : value) out += (out.size() > 1 ? " " : "") + Rpl(item);
    return out + "]";
  }
  if (value.is_object()) {
    std::string out = "{";
    for (const auto& [key, item] : value.items())
      out += (out.size() > 1 ? ", " : "") + Quoted(key) + " " + Rpl(item);
    return out + "}";
  }
  return CanonicalText(value);
}

std::string List(const std::vector<std::string>& items) { return Rpl(ordered_json(items)); }

std::string_view Sign(CompareOp op) {
  static constexpr std::string_view kSigns[] = {"=", "!=", ">", ">=", "<", "<="};
  return kSigns[static_cast<std::size_t>(op)];
}

class Clauses {
 public:
  std::string operator()(const EnduserTagLeaf& leaf) {
    const std::string tag = Quoted(leaf.tag);
    switch (leaf.op) {
      case EnduserTagLeaf::Op::kHas: {
        const std::string v = Fresh();
        return fmt::format("end-user-tag({}, {}), {} != \"\"", tag, v, v);
      }
      case EnduserTagLeaf::Op::kHasValue:
        return fmt::format("end-user-tag({}, {})", tag, Quoted(leaf.values.front()));
      case EnduserTagLeaf::Op::kHasValueAny: break;
    }
    const std::string v = Fresh();
    return fmt::format("end-user-tag({}, {}), {} in {}", tag, v, v, List(leaf.values));
  }
  std::string operator()(const ExecutionTimeLeaf& leaf) {
    const std::string v = Fresh();
    return fmt::format("execution-time(:{}, {}), {} {} {}", leaf.total ? "total" : "tool", v, v,
                       Sign(leaf.op), leaf.ms);
  }
  std::string operator()(const SequenceLeaf& leaf) {
    std::string out;
    for (const std::string& glob : leaf.must)
      out += fmt::format("{}not called({})", out.empty() ? "" : " | ", Quoted(glob));
    for (const std::string& glob : leaf.must_not)
      out += fmt::format("{}called({})", out.empty() ? "" : " | ", Quoted(glob));
    return "(" + out + ")";
  }
  std::string operator()(const MaxCallsLeaf& leaf) {
    const std::string v = Fresh();
    return fmt::format("calls(:{}, {}, {}), {} >= {}", leaf.by_tag ? "tag" : "name",
                       List(leaf.globs), v, v, leaf.max);
  }
  std::string operator()(const MetricWindowLeaf& leaf) {
    static constexpr const char* kAggregates[] = {"sum", "avg", "max", "min", "count"};
    const std::string v = Fresh();
    std::string filter;
    if (!leaf.tool_names.empty()) filter += " :tool-name " + List(leaf.tool_names);
    if (!leaf.tool_tags.empty()) filter += " :tool-tag " + List(leaf.tool_tags);
    return fmt::format("metric-window({}, :{}, \"{}s\", {{:scope :{}{}}}, {}), {} {} {}",
                       Quoted(leaf.key), kAggregates[static_cast<std::size_t>(leaf.aggregate)],
                       leaf.window_seconds, leaf.of_user ? "agent-user" : "agent", filter, v, v,
                       Sign(leaf.op), leaf.value);
  }
  std::string operator()(const TimeGateLeaf& leaf) {
    static constexpr const char* kDays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    const std::string day = Fresh(), time = Fresh();
    std::string out;
    for (const TimeGateLeaf::Window& w : leaf.windows) {
      std::vector<std::string> days;
      for (int d = 0; d < 7; ++d)
        if ((w.days >> d & 1) != 0) days.emplace_back(kDays[d]);
      out +=
          fmt::format("{}({} in {}, {} >= \"{:02}:{:02}\"{}{} <= \"{:02}:{:02}\")",
                      out.empty() ? "" : " | ", day, List(days), time, w.start / 60, w.start % 60,
                      w.start <= w.end ? ", " : " | ", time, w.end / 60, w.end % 60);
    }
    return fmt::format("local-time({}, {}, {}), ({})", Quoted(leaf.tag), day, time, out);
  }
  std::string operator()(const SignalLeaf& leaf) {
    using From = SignalBinding::From;
    static constexpr std::string_view kOps[] = {"=", "!=", ">", ">=", "<", "<=", "in", "not in"};
    std::string args, before;
    for (const auto& [name, binding] : leaf.args) {
      std::string value = Fresh();
      switch (binding.from) {
        case From::kEnduserId: before += "end-user(" + value + "), "; break;
        case From::kEnduserTag:
          before += fmt::format("end-user-tag({}, {}), ", Quoted(binding.of), value);
          break;
        case From::kToolName: value = "?tool"; break;
        case From::kToolTag:
          before += fmt::format("has-tool-tag(?tool, {}, {}), ", Quoted(binding.of), value);
          break;
        case From::kToolArg:
          before += fmt::format("tool-arg({}, {}), ", Quoted(binding.of), value);
          break;
        case From::kSubject:
          before += fmt::format("subject(?tool, {}, {}, {}, {}), ", Quoted(binding.of),
                                binding.role ? Quoted(*binding.role) : "_",
                                binding.id_system ? "_" : value, binding.id_system ? value : "_");
          break;
        case From::kConst: value = Rpl(binding.value); break;
      }
      args += fmt::format("{}{} {}", args.empty() ? "" : ", ", Quoted(name), value);
    }
    const std::string v = Fresh();
    return fmt::format("{}signal({}, {{{}}}, {}), {} {} {}", before, Quoted(leaf.key), args, v, v,
                       kOps[static_cast<std::size_t>(leaf.op)], Rpl(leaf.value));
  }
  std::string operator()(const ToolNameLeaf& leaf) {
    static constexpr const char* kOps[] = {"eq",        "neq",     "contains",   "starts-with",
                                           "ends-with", "matches", "matches-one"};
    return fmt::format(
        "tool-name-{}(?tool, {})", kOps[static_cast<std::size_t>(leaf.op)],
        leaf.op == ToolNameLeaf::Op::kIn ? List(leaf.values) : Quoted(leaf.values.front()));
  }
  std::string operator()(const ToolTagLeaf& leaf) {
    const std::string_view join = leaf.op == ToolTagLeaf::Op::kAllOf ? ", " : " | ";
    std::string out;
    for (const std::string& tag : leaf.tags)
      out += fmt::format("{}tool-tag(?tool, {})", out.empty() ? "" : join, Quoted(tag));
    return "(" + out + ")";
  }
  std::string operator()(const ToolArgLeaf& leaf) {
    static constexpr std::string_view kOps[] = {"=",  "!=", "contains", "starts-with", "ends-with",
                                                "in", ">",  ">=",       "<",           "<="};
    const std::string v = Fresh();
    const auto op = static_cast<std::size_t>(leaf.op);
    const std::string arg = fmt::format("tool-arg({}, {}), ", Quoted(leaf.path), v);
    const bool named = leaf.op == ToolArgLeaf::Op::kContains ||
                       leaf.op == ToolArgLeaf::Op::kStartsWith ||
                       leaf.op == ToolArgLeaf::Op::kEndsWith;
    if (named) return arg + fmt::format("{}({}, {})", kOps[op], v, Rpl(leaf.value));
    if (leaf.op == ToolArgLeaf::Op::kIn && leaf.value.is_string())
      return arg + fmt::format("contains({}, {})", Rpl(leaf.value), v);
    return arg + fmt::format("{} {} {}", v, kOps[op], Rpl(leaf.value));
  }
  std::string operator()(const RequireSubjectLeaf& leaf) {
    return fmt::format("subject(?tool, {}, _, _, {})", Quoted(leaf.type),
                       leaf.id_system ? Quoted(*leaf.id_system) : "_");
  }
  std::string operator()(const AndParts&) { return ""; }
  std::string operator()(const OrParts&) { return ""; }
  std::string operator()(const NotPart&) { return ""; }

 private:
  std::string Fresh() { return fmt::format("?v{}", ++last_); }
  int last_ = 0;
};

std::string Tree(const GuardCondition& condition) {
  struct Open {
    std::uint32_t node;
    bool first;
  };
  std::string out;
  Clauses clauses;
  std::vector<Open> open;
  for (std::uint32_t at = 0; at < condition.size(); ++at) {
    while (!open.empty() && condition[open.back().node].end == at) {
      out += ')';
      open.pop_back();
    }
    if (!open.empty() && !std::exchange(open.back().first, false))
      out += condition[open.back().node].As<OrParts>() ? " | " : ", ";
    const ConditionNode& node = condition[at];
    const bool is_not = node.As<NotPart>() != nullptr;
    if (is_not || node.As<AndParts>() || node.As<OrParts>()) {
      out += is_not ? "not (" : "(";
      open.push_back({at, true});
    } else {
      const bool alone = open.empty() || !condition[open.back().node].As<OrParts>();
      const std::string text = std::visit(clauses, node.is);
      out += alone ? text : "(" + text + ")";
    }
  }
  return out + std::string(open.size(), ')');
}

}  // namespace

std::string RuleAsRpl(const GuardRule& rule) {
  std::string tail =
      rule.phase == CallPhase::kBefore ? "call(?tool, ?args)" : "result(?tool, ?args)";
  if (!rule.tool) tail += ", false";
  if (rule.tool && !rule.tool->names.empty())
    tail += ",\n    tool-name-matches-one(?tool, " + List(rule.tool->names) + ")";
  if (rule.tool)
    for (const std::string& tag : rule.tool->tags_all)
      tail += ",\n    tool-tag(?tool, " + Quoted(tag) + ")";
  if (rule.tool && !rule.tool->tags_any.empty()) {
    std::string any;
    for (const std::string& tag : rule.tool->tags_any)
      any += (any.empty() ? "" : " | ") + ("tool-tag(?tool, " + Quoted(tag) + ")");
    tail += ",\n    (" + any + ")";
  }
  return fmt::format(
      "-- priority {}{}{}\n{}\nguards(?tool, ?args, :{}, {}) <-\n    {},\n    {}\n", rule.priority,
      rule.enabled ? "" : ", not enabled",
      rule.phase == CallPhase::kAfter ? ", after the call" : "",
      rule.reason.empty() ? "-- no reason is given" : "-- reason: " + PrintableLine(rule.reason),
      EffectName(rule.effect), Quoted(rule.id), tail, Tree(rule.condition));
}

}  // namespace rpl
