// SPDX-License-Identifier: Apache-2.0
//
// Each node of a condition has two clauses: one for what holds, one for what may hold. They differ
// above a leaf that can be unknown:
//
//   leaf    holds: L          may hold: L or "no row for it"
//   and     all hold          all may hold
//   or      one holds         one may hold
//   not     it may not hold   it does not hold
//
// A clause that grows long becomes a relation of its own, so that the program nests no deeper than
// the language allows, however deep the policy does.
#include "checks/guard/policy_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "formats/glob.h"
#include "formats/terminal_text.h"
#include "grammar/printer.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Texts = std::vector<std::string>;

constexpr std::size_t kLongClause = 400;  // bytes
constexpr const char* kWeekdays[] = {":mon", ":tue", ":wed", ":thu", ":fri", ":sat", ":sun"};

std::string AsRpl(const ordered_json& value) {
  if (value.is_string()) return Quote(value.get_ref<const std::string&>());
  if (value.is_null()) return "nil";
  if (value.is_array()) {
    std::string out = "[";
    for (const ordered_json& item : value) out += (out.size() > 1 ? " " : "") + AsRpl(item);
    return out + "]";
  }
  if (value.is_object()) {
    std::string out = "{";
    for (const auto& [key, item] : value.items())
      out += (out.size() > 1 ? ", " : "") + Quote(key) + " " + AsRpl(item);
    return out + "}";
  }
  // All digits: RPL reads 1e23 as 10^23, which no float is.
  if (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>())
    return fmt::format("{:.0f}", value.get<double>() + 0.0);
  return CanonicalText(value);
}

// The keyword for the type of a value, by which conditions choose what they compare.
const char* TypeOf(const ordered_json& value) {
  if (value.is_string()) return ":text";
  if (value.is_number()) return ":number";
  if (value.is_boolean()) return ":truth";
  return ":other";
}

std::string ListOf(const Texts& items) { return AsRpl(ordered_json(items)); }

std::string_view SignOf(CompareOp op) {
  static constexpr std::string_view kSigns[] = {"=", "!=", ">", ">=", "<", "<="};
  return kSigns[static_cast<std::size_t>(op)];
}

// The parts in parentheses, with commas or bars between them; `true` or `false` for none.
std::string Joined(const Texts& parts, bool any) {
  if (parts.empty()) return any ? "1 = 2" : "1 = 1";
  return parts.size() == 1 ? parts.front()
                           : fmt::format("({})", fmt::join(parts, any ? " | " : ", "));
}

std::string EachMatches(const Texts& globs, std::string_view of) {
  Texts parts;
  for (const std::string& glob : globs)
    parts.push_back(fmt::format("matches({}, {})", Quote(glob), of));
  return Joined(parts, true);
}

std::string EachTag(const Texts& tags, std::string_view relation, bool any) {
  Texts parts;
  for (const std::string& tag : tags)
    parts.push_back(fmt::format("{}{})", relation, Quote(FoldCase(tag))));
  return Joined(parts, any);
}

// A node's clauses. `unknown` of a leaf: the clause that holds if it is not known, "" if it always
// is.
struct NodeText {
  std::string holds;
  std::string may_hold;
  std::string unknown;
};

// The text of one rule.
class RuleText {
 public:
  // `number`: of the rule in the program, for the names of its relations.
  RuleText(const GuardRule& rule, std::optional<Effect> by_default, std::size_t number)
      : rule_(rule), default_(by_default), number_(number), nodes_(rule.condition.size()) {}

  std::string Print() {
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      at_ = n;
      const ConditionNode& node = rule_.condition[n];
      if (node.As<AndParts>() || node.As<OrParts>() || node.As<NotPart>()) Connective(node);
      else Leaf(node);
    }
    std::string out = fmt::format("-- {}: {}, priority {}{}{}\n", PrintableLine(rule_.id),
                                  EffectName(rule_.effect), AsRpl(rule_.priority),
                                  rule_.enabled ? "" : ", not enabled",
                                  rule_.reason.empty() ? "" : "; " + PrintableLine(rule_.reason));
    out += helpers_;
    const std::string missing = Missing();
    const std::string holds = InPlay() + ",\n    " + nodes_.front().holds;
    if (missing.empty()) return out + Guards(rule_.effect, holds);
    out += fmt::format("holds-{}() <-\n    {}\n", number_, holds);
    return out + Guards(rule_.effect, fmt::format("holds-{}()", number_)) + missing;
  }

 private:
  std::string Name(std::string_view what) const {
    return fmt::format("{}-{}-{}", what, number_, at_);
  }
  bool Severe() const { return IsSevere(rule_.condition, rule_.effect, at_); }
  static std::string_view StateOf(bool with_open) { return with_open ? "_" : ":ended"; }
  std::string Fresh() { return fmt::format("?v{}", ++last_variable_); }
  void Help(const std::string& head, const std::string& tail) {
    helpers_ += fmt::format("{} <- {}\n", head, tail);
  }
  std::string Guards(Effect effect, const std::string& tail) const {
    return fmt::format("guards({}, :{}) <-\n    {}\n", Quote(rule_.id), EffectName(effect), tail);
  }

  std::string InPlay() const {
    std::string out =
        fmt::format("call(?tool, :{})", rule_.phase == CallPhase::kBefore ? "before" : "after");
    if (!rule_.tool) return out + ", 1 = 2";
    if (!rule_.tool->names.empty()) out += ", " + EachMatches(rule_.tool->names, "?tool");
    if (!rule_.tool->tags_all.empty()) out += ", " + EachTag(rule_.tool->tags_all, "tag(", false);
    if (!rule_.tool->tags_any.empty()) out += ", " + EachTag(rule_.tool->tags_any, "tag(", true);
    return out;
  }

  // A clause that is long stands in a relation of its own.
  std::string Short(std::string clause, std::string_view what) {
    if (clause.size() < kLongClause) return clause;
    const std::string name = Name(what) + "()";
    Help(name, clause);
    return name;
  }

  void Connective(const ConditionNode& node) {
    Texts hold, may;
    for (std::size_t part = at_ + 1; part < node.end; part = rule_.condition[part].end) {
      hold.push_back(nodes_[part].holds);
      may.push_back(nodes_[part].may_hold);
    }
    NodeText& to = nodes_[at_];
    if (node.As<NotPart>()) {
      to.holds = Short("not (" + may.front() + ")", "holds");
      to.may_hold = hold == may ? to.holds : Short("not (" + hold.front() + ")", "may-hold");
      return;
    }
    const bool any = node.As<OrParts>() != nullptr;
    to.holds = Short(Joined(hold, any), "holds");
    to.may_hold = hold == may ? to.holds : Short(Joined(may, any), "may-hold");
  }

  // The effect that follows if this node is unknown, by its own onMissing or of one above it.
  std::optional<Effect> EffectOf(std::size_t node) const {
    std::optional<Effect> effect = rule_.condition[node].on_missing;
    for (std::size_t above = node; !effect && above-- > 0;)
      if (rule_.condition[above].end > node) effect = rule_.condition[above].on_missing;
    return effect;
  }

  void Leaf(const ConditionNode& node) {
    NodeText& to = nodes_[at_];
    std::visit([&](const auto& leaf) { to = Of(leaf); }, node.is);
    if (node.As<ToolArgLeaf>() && !EffectOf(at_) && !default_) to.unknown.clear();
    to.may_hold = to.unknown.empty() ? to.holds : fmt::format("({} | {})", to.holds, to.unknown);
  }

  // What follows where the condition is unknown.
  std::string Missing() {
    std::string out;
    Texts effects;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const std::optional<Effect> effect = EffectOf(n);
      if (nodes_[n].unknown.empty() || !effect) continue;
      out += fmt::format("missing-{}(:{}) <- undecided-{}(), {}{}\n", number_, EffectName(*effect),
                         number_, Reached(n), nodes_[n].unknown);
    }
    const bool leaves_have = !out.empty();
    if (nodes_.front().holds == nodes_.front().may_hold || (!leaves_have && !default_)) return "";
    out += fmt::format("undecided-{}() <-\n    {},\n    {},\n    not holds-{}()\n", number_,
                       InPlay(), nodes_.front().may_hold, number_);
    if (leaves_have)
      out += fmt::format("guards({}, ?effect) <- missing-{}(?effect)\n", Quote(rule_.id), number_);
    if (default_)
      out += Guards(*default_,
                    fmt::format("undecided-{}(){}", number_,
                                leaves_have ? fmt::format(", |missing-{}(_)| = 0", number_) : ""));
    return out;
  }

  // The clauses that hold if evaluation from left to right comes to this leaf.
  std::string Reached(std::size_t leaf) const {
    std::string out;
    for (std::size_t above = 0; above < leaf; ++above) {
      const ConditionNode& node = rule_.condition[above];
      if (node.end <= leaf || node.As<NotPart>()) continue;
      for (std::size_t part = above + 1; rule_.condition[part].end <= leaf;
           part = rule_.condition[part].end)
        out += node.As<AndParts>() ? nodes_[part].may_hold + ", "
                                   : "not (" + nodes_[part].holds + "), ";
    }
    return out;
  }

  // --- Leaves ---

  NodeText Of(const EnduserTagLeaf& leaf) {
    const std::string tag = Quote(leaf.tag), v = Fresh();
    const std::string unknown = fmt::format("disputed-tag({})", tag);
    if (leaf.op == EnduserTagLeaf::Op::kHas)
      return {fmt::format("(end-user-tag({}, {}), not ({} in [nil false 0 \"\"]))", tag, v, v), "",
              unknown};
    return {fmt::format("(end-user-tag({}, {}), {} in {})", tag, v, v, ListOf(leaf.values)), "",
            unknown};
  }

  NodeText Of(const ExecutionTimeLeaf& leaf) {
    const std::string v = Fresh();
    return {fmt::format("(took(:{}, {}), {} {} {})", leaf.total ? "total" : "tool", v, v,
                        SignOf(leaf.op), AsRpl(leaf.ms)),
            "", ""};
  }

  NodeText Of(const SequenceLeaf& leaf) {
    Texts parts;
    const auto was_called = [&](const std::string& glob, bool with_open) {
      const std::string tool = Fresh();
      return fmt::format("called(_, {}, {}), matches({}, {})", tool, StateOf(with_open),
                         Quote(glob), tool);
    };
    const bool severe = Severe();
    for (const std::string& glob : leaf.must)
      parts.push_back("not (" + was_called(glob, !severe) + ")");
    for (const std::string& glob : leaf.must_not)
      parts.push_back("(" + was_called(glob, severe) + ")");
    return {Joined(parts, true), "", ""};
  }

  NodeText Of(const MaxCallsLeaf& leaf) {
    const std::string counted = Name("counted");
    const std::string row = counted + "(?n)";
    const std::string_view state = StateOf(Severe());
    if (leaf.by_tag)
      Help(row, fmt::format("called(?n, _, {}), called-tag(?n, ?tag), {}", state,
                            EachMatches(leaf.globs, "?tag")));
    else
      Help(row, fmt::format("called(?n, ?tool, {}), {}", state, EachMatches(leaf.globs, "?tool")));
    return {fmt::format("|{}(_)| >= {}", counted, leaf.max), "", ""};
  }

  NodeText Of(const MetricWindowLeaf& leaf) {
    using Aggregate = MetricWindowLeaf::Aggregate;
    static constexpr const char* kAggregates[] = {"sum", "average", "max", "min", "count"};
    const std::string window = Name("window"), value = Name("aggregate"), v = Fresh();
    std::string tail =
        fmt::format("metric(?n, {}, ?tool, ?at, {}, ?value), time(?now), ?at >= ?now - {}",
                    Quote(leaf.key), leaf.of_user ? "?user" : "_", leaf.window_seconds * kSecond);
    if (leaf.of_user) tail += ", end-user(?user)";
    if (!leaf.tool_names.empty()) tail += ", " + EachMatches(leaf.tool_names, "?tool");
    if (!leaf.tool_tags.empty()) tail += ", " + EachTag(leaf.tool_tags, "metric-tag(?n, ", true);
    Help(window + "(?n, ?value)", tail);
    const std::string count = fmt::format("|{}(_, _)|", window);
    if (CountsOpenCalls(leaf, Severe())) {
      const std::string open = Name("open");
      std::string calls = "called(?n, ?tool, :open)";
      if (!leaf.tool_names.empty()) calls += ", " + EachMatches(leaf.tool_names, "?tool");
      if (!leaf.tool_tags.empty()) calls += ", " + EachTag(leaf.tool_tags, "open-tag(?n, ", true);
      Help(open + "(?n)", calls);
      Help(value + "(?v)", fmt::format("?v = {} + |{}(_)|", count, open));
    } else if (leaf.aggregate == Aggregate::kCount) {
      Help(value + "(?v)", "?v = " + count);
    } else {
      Help(window + "([& ?n ?value])", window + "(?n, ?value)");
      Help(value + "(?v)",
           fmt::format("{}(?rows), std#column(?rows, 2, ?values), std#{}(?values, ?v)", window,
                       kAggregates[static_cast<std::size_t>(leaf.aggregate)]));
      if (leaf.aggregate == Aggregate::kSum) Help(value + "(0)", count + " = 0");
    }
    const std::string compared =
        fmt::format("{}({}), {} {} {}", value, v, v, SignOf(leaf.op), AsRpl(leaf.value));
    Texts unknown;
    if (leaf.of_user) unknown.push_back("not end-user(_)");
    if (leaf.aggregate != Aggregate::kSum && leaf.aggregate != Aggregate::kCount)
      unknown.push_back(count + " = 0");
    return {fmt::format("({}{})", leaf.of_user ? "end-user(_), " : "", compared), "",
            unknown.empty() ? "" : Joined(unknown, true)};
  }

  NodeText Of(const TimeGateLeaf& leaf) {
    const std::string local = Name("local"), tag = Quote(leaf.tag);
    Help(local + "(?day, ?minute)", fmt::format("local-time({}, ?day, ?minute)", tag));
    if (leaf.or_organisation)
      Help(local + "(?day, ?minute)",
           fmt::format("not local-time({}, _, _), organisation-time(?day, ?minute)", tag));
    const std::string day = Fresh(), minute = Fresh();
    const auto days = [](std::uint8_t set, int later) {
      Texts out;
      for (int d = 0; d < 7; ++d)
        if ((set >> d & 1) != 0) out.emplace_back(kWeekdays[(d + later) % 7]);
      return fmt::format("[{}]", fmt::join(out, " "));
    };
    Texts windows;
    for (const TimeGateLeaf::Window& w : leaf.windows) {
      if (w.start <= w.end) {
        windows.push_back(fmt::format("({} in {}, {} >= {}, {} <= {})", day, days(w.days, 0),
                                      minute, w.start, minute, w.end));
        continue;
      }
      windows.push_back(fmt::format("({} in {}, {} >= {})", day, days(w.days, 0), minute, w.start));
      windows.push_back(fmt::format("({} in {}, {} <= {})", day, days(w.days, 1), minute, w.end));
    }
    return {fmt::format("({}({}, {}), {})", local, day, minute, Joined(windows, true)), "",
            fmt::format("not {}(_, _)", local)};
  }

  NodeText Of(const SignalLeaf& leaf) {
    using Op = SignalLeaf::Op;
    static constexpr std::string_view kSigns[] = {"=", "!=", ">", ">=", "<", "<="};
    const std::string v = Fresh();
    const std::string call =
        fmt::format("signal({}, [{} {}], ", Quote(leaf.key), Quote(rule_.id), at_);
    const std::string any = fmt::format("{}_, {})", call, v);
    const std::string unknown = fmt::format("not {}_, _)", call);
    const auto op = static_cast<std::size_t>(leaf.op);
    Texts values = {AsRpl(leaf.value)};
    if (leaf.raw && leaf.value != *leaf.raw) values.push_back(Quote(*leaf.raw));
    const std::string equal = fmt::format("{} in [{}]", v, fmt::join(values, " "));
    switch (leaf.op) {
      case Op::kEq: return {fmt::format("({}, {})", any, equal), "", unknown};
      case Op::kNeq: return {fmt::format("({}, not ({}))", any, equal), "", unknown};
      case Op::kIn:
      case Op::kNin:
        if (!leaf.value.is_array()) return {"1 = 2", "", unknown};
        return {fmt::format("({}, {}({} in {}))", any, leaf.op == Op::kIn ? "" : "not ", v,
                            AsRpl(leaf.value)),
                "", unknown};
      default: break;
    }
    if (!leaf.value.is_number()) return {"1 = 2", "", unknown};
    return {fmt::format("({}:number, {}), {} {} {})", call, v, v, kSigns[op], AsRpl(leaf.value)),
            "", unknown};
  }

  NodeText Of(const ToolNameLeaf& leaf) {
    using Op = ToolNameLeaf::Op;
    if (leaf.op == Op::kGlob || leaf.op == Op::kIn) {
      const std::string tool = Fresh();
      return {fmt::format("(call({}, _), {})", tool, EachMatches(leaf.values, tool)), "", ""};
    }
    const std::string name = Fresh();
    return {fmt::format(
                "(tool-name({}), {})", name,
                Text(name, FoldCase(leaf.values.front()), leaf.op == Op::kEq, leaf.op == Op::kNeq,
                     leaf.op != Op::kStartsWith, leaf.op != Op::kEndsWith)),
            "", ""};
  }

  // A clause that compares a variable with a text: equal, not equal, or with more text before it or
  // after it.
  std::string Text(const std::string& v, const std::string& value, bool equal, bool unequal,
                   bool before, bool after) {
    if (equal || unequal) return fmt::format("{} {} {}", v, equal ? "=" : "!=", Quote(value));
    if (value.empty()) return "1 = 1";  // every text begins, ends and continues with it
    const std::string quoted = Quote(value);
    return fmt::format("{} = ~ \"{}{}{}\"", v, before ? "{" + Fresh() + "}" : "",
                       quoted.substr(1, quoted.size() - 2), after ? "{" + Fresh() + "}" : "");
  }

  NodeText Of(const ToolTagLeaf& leaf) {
    return {EachTag(leaf.tags, "tag(", leaf.op != ToolTagLeaf::Op::kAllOf), "", ""};
  }

  NodeText Of(const ToolArgLeaf& leaf) {
    using Op = ToolArgLeaf::Op;
    static constexpr std::string_view kSigns[] = {"=", "!=", "", "", "", "", ">", ">=", "<", "<="};
    const bool texts = leaf.value.is_string() || leaf.value.is_array();
    const std::string v = Fresh();
    const std::string argument =
        fmt::format("argument({}, {}, ", Quote(leaf.path), texts ? ":text" : TypeOf(leaf.value));
    std::string test;
    if (leaf.op == Op::kIn && leaf.value.is_array())
      test = fmt::format("{} in {}", v, AsRpl(leaf.value));
    else if (leaf.op == Op::kIn)
      test = fmt::format("{} = ~ \"{{{}}}{{{}}}{{{}}}\"", AsRpl(leaf.value), Fresh(), v, Fresh());
    else if (!texts || leaf.op == Op::kEq || leaf.op == Op::kNeq)
      test =
          fmt::format("{} {} {}", v, kSigns[static_cast<std::size_t>(leaf.op)], AsRpl(leaf.value));
    else
      test = Text(v, leaf.value.get<std::string>(), false, false, leaf.op != Op::kStartsWith,
                  leaf.op != Op::kEndsWith);
    return {fmt::format("({}{}), {})", argument, v, test), "", fmt::format("not {}_)", argument)};
  }

  NodeText Of(const RequireSubjectLeaf& leaf) {
    return {fmt::format("subject({}, _, _, {})", Quote(leaf.type),
                        leaf.id_system ? Quote(*leaf.id_system) : "_"),
            "", "not subjects()"};
  }

  NodeText Of(const AndParts&) { return {}; }
  NodeText Of(const OrParts&) { return {}; }
  NodeText Of(const NotPart&) { return {}; }

  const GuardRule& rule_;
  const std::optional<Effect> default_;
  const std::size_t number_;
  std::size_t at_ = 0;  // the node that is being printed
  std::vector<NodeText> nodes_;
  std::string helpers_;
  int last_variable_ = 0;
};

// The most severe effect wins, and the first rule with it.
constexpr const char* kChoice = R"(-- the decision
severity(:allow, 0)
severity(:hitl, 1)
severity(:block, 2)
applies(?rule, ?effect) <- guards(?rule, ?effect), ?effect != :hitl
applies(?rule, :hitl) <- guards(?rule, :hitl), not review(?rule, _)
applies(?rule, :allow) <- guards(?rule, :hitl), review(?rule, :approved)
applies(?rule, :block) <- guards(?rule, :hitl), review(?rule, :denied)
outranked(?rule, ?effect) <-
    applies(?rule, ?effect), severity(?effect, ?s),
    applies(_, ?other), severity(?other, ?more), ?more > ?s
outranked(?rule, ?effect) <-
    applies(?rule, ?effect), order(?rule, ?n),
    applies(?first, ?effect), order(?first, ?m), ?m < ?n
decision(?effect, ?rule) <- applies(?rule, ?effect), not outranked(?rule, ?effect)
decision(:allow, nil) <- |applies(_, _)| = 0
)";

// The scalars among the arguments, by dot path: nullopt for the value itself.
void AddArguments(const ordered_json& value, const std::optional<std::string>& path,
                  std::string& out) {
  if (value.is_object() || value.is_array()) {
    std::size_t index = 0;
    for (const auto& [key, item] : value.items()) {
      const std::string name = value.is_array() ? std::to_string(index++) : key;
      if (name.find('.') == std::string::npos)  // no path leads to it
        AddArguments(item, path ? *path + "." + name : name, out);
    }
    return;
  }
  if (!value.is_null() && path)
    out += fmt::format("argument({}, {}, {})\n", Quote(*path), TypeOf(value), AsRpl(value));
}

// The globs of a policy.
std::set<std::string> GlobsOf(const Policy& policy) {
  std::set<std::string> out;
  const auto add = [&](const Texts& globs) { out.insert(globs.begin(), globs.end()); };
  for (const GuardRule& rule : policy.rules) {
    if (rule.tool) add(rule.tool->names);
    for (const ConditionNode& node : rule.condition) {
      if (const auto* leaf = node.As<SequenceLeaf>()) add(leaf->must), add(leaf->must_not);
      if (const auto* leaf = node.As<MaxCallsLeaf>()) add(leaf->globs);
      if (const auto* leaf = node.As<MetricWindowLeaf>()) add(leaf->tool_names);
      if (const auto* leaf = node.As<ToolNameLeaf>()) add(leaf->values);
    }
  }
  return out;
}

class FactText {
 public:
  FactText(const Guard& guard, const GuardCall& call, const History& history, Moment now)
      : guard_(guard), call_(call), history_(history), now_(now) {}

  std::string Print(const Decision& decided, const std::map<std::string, Review::State>& reviews) {
    const bool after = call_.phase == CallPhase::kAfter;
    Add("call({}, :{})", Quote(call_.tool), after ? "after" : "before");
    Add("tool-name({})", Quote(FoldCase(call_.tool)));
    for (const std::string& tag : call_.tags) Add("tag({})", Quote(FoldCase(tag)));
    AddArguments(call_.args, std::nullopt, out_);
    names_.insert(call_.tool);
    Add("time({})", now_);
    Calls();
    Add("took(:total, {})", AsRpl(history_.TookMs()));
    Add("took(:tool, {})", AsRpl(after ? call_.took_ms : history_.TookMs(call_.tool)));
    User();
    if (decided.subjects.value) {
      Add("subjects()");
      for (const Subject& s : *decided.subjects.value)
        Add("subject({}, {}, {}, {})", Quote(s.type), Quote(s.value),
            s.role ? Quote(*s.role) : "nil", s.id_system ? Quote(*s.id_system) : "nil");
    }
    Signals(decided);
    for (const auto& [rule, state] : reviews)
      if (state == Review::State::kApproved || state == Review::State::kDenied)
        Add("review({}, :{})", Quote(rule),
            state == Review::State::kApproved ? "approved" : "denied");
    for (const std::string& glob : GlobsOf(guard_.policy()))
      for (const std::string& name : names_)
        if (GlobMatches(glob, name)) Add("matches({}, {})", Quote(glob), Quote(name));
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void Calls() {
    std::size_t n = 0;
    history_.ForEachTool([&](const History::ToolCalls& tool) {
      names_.insert(tool.name);
      names_.insert(tool.tags.begin(), tool.tags.end());
      for (std::size_t i = 0; i < tool.calls.ended + tool.calls.open; ++i) {
        Add("called({}, {}, :{})", ++n, Quote(tool.name), i < tool.calls.ended ? "ended" : "open");
        for (const std::string& tag : tool.tags) {
          Add("called-tag({}, {})", n, Quote(tag));
          if (i >= tool.calls.ended) Add("open-tag({}, {})", n, Quote(FoldCase(tag)));
        }
      }
    });
    std::size_t m = 0;
    history_.ForEachMetric([&](const History::MetricValue& value) {
      Add("metric({}, {}, {}, {}, {}, {})", ++m, Quote(value.key), Quote(value.tool), value.at,
          value.user ? Quote(*value.user) : "nil", AsRpl(value.value));
      for (const std::string& tag : value.tags) Add("metric-tag({}, {})", m, Quote(FoldCase(tag)));
    });
  }

  void User() {
    Local("organisation-time(", guard_.agent().organisation_zone);
    if (!call_.user) return;
    if (call_.user->id) Add("end-user({})", Quote(*call_.user->id));
    for (const std::string& tag : call_.user->disputed) Add("disputed-tag({})", Quote(tag));
    for (const auto& [tag, value] : call_.user->tags.items()) {
      if (call_.user->disputed.contains(tag)) continue;
      Add("end-user-tag({}, {})", Quote(tag), AsRpl(value));
      if (value.is_string()) Local("local-time(" + Quote(tag) + ", ", value.get<std::string>());
    }
  }

  void Local(const std::string& relation, const std::string& zone) {
    if (zone.empty()) return;
    if (const std::optional<LocalTime> local = LocalTimeAt(now_, zone))
      Add("{}{}, {})", relation, kWeekdays[local->day], local->minute);
  }

  void Signals(const Decision& decided) {
    for (const GuardRule& rule : guard_.policy().rules)
      for (std::size_t n = 0; n < rule.condition.size(); ++n) {
        const auto* leaf = rule.condition[n].As<SignalLeaf>();
        if (leaf == nullptr) continue;
        const ordered_json args = SignalArgs(*leaf, call_, decided.subjects);
        for (const AskedSignal& asked : decided.signals)
          if (asked.key == leaf->key && asked.answer.value && SameContent(asked.args, args))
            Add("signal({}, [{} {}], {}, {})", Quote(leaf->key), Quote(rule.id), n,
                TypeOf(*asked.answer.value), AsRpl(*asked.answer.value));
      }
  }

  const Guard& guard_;
  const GuardCall& call_;
  const History& history_;
  const Moment now_;
  std::set<std::string> names_;  // of tools and tags, which globs may match
  std::string out_;
};

}  // namespace

std::string PolicyAsRpl(const Guard& guard, const std::string& only) {
  std::string out;
  std::size_t number = 0;
  const bool none = only.empty() && !guard.IsActive();
  if (none)
    out += fmt::format("-- no rule is in play: the policy is {}\n",
                       guard.policy().enabled ? "for other agents" : "not enabled");
  for (const GuardRule* rule : guard.InOrder()) {
    if (none) break;
    ++number;
    const bool wanted = only.empty() ? rule->enabled : rule->id == only || rule->name == only;
    if (!wanted) continue;
    if (!out.empty()) out += '\n';
    out += RuleText(*rule, guard.OnMissing(*rule), number).Print();
    if (only.empty()) out += fmt::format("order({}, {})\n", Quote(rule->id), number);
  }
  if (only.empty()) out += (out.empty() ? "" : "\n") + std::string(kChoice);
  return out;
}

std::string FactsOfCall(const Guard& guard, const GuardCall& call, const History& history,
                        Moment now, const Decision& decided,
                        const std::map<std::string, Review::State>& reviews) {
  return FactText(guard, call, history, now).Print(decided, reviews);
}

}  // namespace rpl
