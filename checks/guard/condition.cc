// SPDX-License-Identifier: Apache-2.0
//
// Evaluate walks the list of nodes once, with a stack of the open connectives. A leaf gives a truth
// value and, for an explanation, a text of its finding.
#include "checks/guard/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "checks/guard/history.h"
#include "formats/glob.h"
#include "formats/shorten.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

Ternary Of(bool holds) { return holds ? Ternary::kYes : Ternary::kNo; }

std::string_view TruthName(Ternary truth) {
  return truth == Ternary::kYes ? "true" : truth == Ternary::kNo ? "false" : "unknown";
}

// True for a tag with content: not null, false, 0 or an empty text.
bool IsPresent(const ordered_json& value) {
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  return !value.is_null();
}

std::string Shown(const ordered_json& value) {
  constexpr std::size_t kMost = 80;
  return Shortened(value.dump(-1, ' ', false, ordered_json::error_handler_t::replace), kMost);
}

std::string InBrackets(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

const ordered_json* TagOf(const GuardCall& call, const std::string& tag) {
  if (!call.user || call.user->disputed.contains(tag)) return nullptr;
  const auto found = call.user->tags.find(tag);
  return found == call.user->tags.end() ? nullptr : &*found;
}

// The value of a binding, or null. `made` holds it if it is not part of the call.
const ordered_json* Bound(const SignalBinding& binding, const GuardCall& call,
                          const Sourced<std::vector<Subject>>& subjects, ordered_json& made) {
  using From = SignalBinding::From;
  const auto make = [&](ordered_json value) {
    made = std::move(value);
    return &made;
  };
  switch (binding.from) {
    case From::kEnduserId: return call.user && call.user->id ? make(*call.user->id) : nullptr;
    case From::kEnduserTag: return TagOf(call, binding.of);
    case From::kToolName: return make(call.tool);
    case From::kToolTag: return make(HasTag(call.tags, binding.of));
    case From::kToolArg: return AtPath(call.args, binding.of);
    case From::kConst: return &binding.value;
    case From::kSubject: break;
  }
  if (!subjects.value) return nullptr;
  for (const Subject& s : *subjects.value) {
    if (s.type != binding.of || (binding.role && s.role != binding.role)) continue;
    if (!binding.id_system) return make(s.value);
    return s.id_system ? make(*s.id_system) : nullptr;
  }
  return nullptr;
}

class Leaves {
 public:
  Leaves(Surroundings& around, bool explain) : around_(around), explain_(explain) {}

  Ternary operator()(const EnduserTagLeaf& leaf) {
    const std::optional<EndUser>& user = around_.call.user;
    if (user && user->disputed.contains(leaf.tag)) {
      Say("enduserTag {} has two values", leaf.tag);
      return Ternary::kMaybe;
    }
    const ordered_json* value = TagOfUser(leaf.tag);
    if (value == nullptr) Say("enduserTag {} is not there", leaf.tag);
    else Say("enduserTag {} is {}", leaf.tag, Shown(*value));
    if (value == nullptr) return Ternary::kNo;
    if (leaf.op == EnduserTagLeaf::Op::kHas) return Of(IsPresent(*value));
    return Of(std::any_of(leaf.values.begin(), leaf.values.end(),
                          [&](const std::string& wanted) { return *value == wanted; }));
  }

  Ternary operator()(const ExecutionTimeLeaf& leaf) {
    const GuardCall& call = around_.call;
    const bool after = call.phase == CallPhase::kAfter;
    const double ms = leaf.total ? around_.history.TookMs()
                      : after    ? call.took_ms
                                 : around_.history.TookMs(call.tool);
    Say("executionTime {} is {} ms, {} {}", leaf.total ? "total" : "tool", ms, CompareName(leaf.op),
        leaf.ms);
    return Of(CompareNumbers(ms, leaf.op, static_cast<long double>(leaf.ms)));
  }

  // Whether the leaves that follow make their rule more severe if they hold.
  void SetSevere(bool severe) { severe_ = severe; }

  Ternary operator()(const SequenceLeaf& leaf) {
    for (const std::string& glob : leaf.must) {
      if (around_.history.Called(glob, !severe_)) continue;
      Say("sequence: {} was not called", glob);
      return Ternary::kYes;
    }
    for (const std::string& glob : leaf.must_not) {
      if (!around_.history.Called(glob, severe_)) continue;
      Say("sequence: {} was called", glob);
      return Ternary::kYes;
    }
    Say("sequence is kept");
    return Ternary::kNo;
  }

  Ternary operator()(const MaxCallsLeaf& leaf) {
    const std::size_t calls = around_.history.Calls(leaf, severe_);
    Say("maxCalls: {} calls match {}, max {}", calls, InBrackets(leaf.globs), leaf.max);
    return Of(calls >= leaf.max);
  }

  Ternary operator()(const MetricWindowLeaf& leaf) {
    const std::optional<EndUser>& user = around_.call.user;
    const std::optional<std::string> id = user ? user->id : std::nullopt;
    std::optional<double> value = around_.history.Metric(leaf, id, around_.now);
    if (value && CountsOpenCalls(leaf, severe_))
      *value += static_cast<double>(around_.history.OpenCalls(leaf, id, around_.now));
    if (!value) {
      Say("metricWindow {} has no value", leaf.key);
      return Ternary::kMaybe;
    }
    Say("metricWindow {} is {}, {} {}", leaf.key, *value, CompareName(leaf.op), Shown(leaf.value));
    return Of(CompareNumbers(*value, leaf.op, NumberOf(leaf.value)));
  }

  Ternary operator()(const TimeGateLeaf& leaf) {
    const ordered_json* tag = TagOfUser(leaf.tag);
    std::optional<LocalTime> local;
    std::string zone;
    if (tag != nullptr && tag->is_string() && !tag->get_ref<const std::string&>().empty()) {
      zone = tag->get<std::string>();
      local = LocalTimeAt(around_.now, zone);
      if (!local) NoteZone(zone);
    }
    if (!local && leaf.or_organisation && !around_.organisation_zone.empty()) {
      zone = around_.organisation_zone;
      local = LocalTimeAt(around_.now, zone);
      if (!local) NoteZone(zone);
    }
    if (!local) {
      Say("timeGate: no zone in the tag {}", leaf.tag);
      return Ternary::kMaybe;
    }
    static constexpr const char* kDays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    Say("timeGate: it is {} {:02}:{:02} in {}", kDays[local->day], local->minute / 60,
        local->minute % 60, zone);
    const auto on = [](const TimeGateLeaf::Window& w, int day) { return (w.days >> day & 1) != 0; };
    return Of(std::any_of(leaf.windows.begin(), leaf.windows.end(), [&](const auto& w) {
      if (w.start <= w.end)
        return on(w, local->day) && w.start <= local->minute && local->minute <= w.end;
      return (on(w, local->day) && local->minute >= w.start) ||
             (on(w, (local->day + 6) % 7) && local->minute <= w.end);
    }));
  }

  Ternary operator()(const SignalLeaf& leaf) {
    const Sourced<ordered_json>& answer = Asked(leaf);
    if (!answer.value) {
      Say("signal {} is not available: {}", leaf.key, answer.why);
      return Ternary::kMaybe;
    }
    const ordered_json& got = *answer.value;
    Say("signal {} is {}", leaf.key, Shown(got));
    const auto equal = [&] {
      return SameContent(got, leaf.value) || (leaf.raw && got.is_string() && got == *leaf.raw);
    };
    const auto within = [&] {
      return std::any_of(leaf.value.begin(), leaf.value.end(),
                         [&](const ordered_json& item) { return SameContent(got, item); });
    };
    const auto compare = [&](CompareOp op) {
      return got.is_number() && leaf.value.is_number() &&
             CompareNumbers(NumberOf(got), op, NumberOf(leaf.value));
    };
    using Op = SignalLeaf::Op;
    switch (leaf.op) {
      case Op::kEq: return Of(equal());
      case Op::kNeq: return Of(!equal());
      case Op::kGt: return Of(compare(CompareOp::kGt));
      case Op::kGte: return Of(compare(CompareOp::kGte));
      case Op::kLt: return Of(compare(CompareOp::kLt));
      case Op::kLte: return Of(compare(CompareOp::kLte));
      case Op::kIn: return Of(leaf.value.is_array() && within());
      case Op::kNin: return Of(leaf.value.is_array() && !within());
    }
    return Ternary::kNo;
  }

  Ternary operator()(const ToolNameLeaf& leaf) {
    Say("toolName is {}", around_.call.tool);
    const std::string name = FoldCase(around_.call.tool);
    const std::string value = FoldCase(leaf.values.front());
    using Op = ToolNameLeaf::Op;
    switch (leaf.op) {
      case Op::kEq: return Of(name == value);
      case Op::kNeq: return Of(name != value);
      case Op::kContains: return Of(name.find(value) != std::string::npos);
      case Op::kStartsWith: return Of(name.starts_with(value));
      case Op::kEndsWith: return Of(name.ends_with(value));
      case Op::kGlob: return Of(GlobMatches(value, name));
      case Op::kIn: return Of(AnyGlobMatches(leaf.values, name));
    }
    return Ternary::kNo;
  }

  Ternary operator()(const ToolTagLeaf& leaf) {
    const std::vector<std::string>& tags = around_.call.tags;
    Say("the tags of the tool are {}", InBrackets(tags));
    const auto has = [&](const std::string& tag) { return HasTag(tags, tag); };
    return Of(leaf.op == ToolTagLeaf::Op::kAllOf
                  ? std::all_of(leaf.tags.begin(), leaf.tags.end(), has)
                  : std::any_of(leaf.tags.begin(), leaf.tags.end(), has));
  }

  Ternary operator()(const ToolArgLeaf& leaf) {
    const ordered_json* arg = AtPath(around_.call.args, leaf.path);
    if (arg == nullptr) Say("toolArg {} is not there", leaf.path);
    else Say("toolArg {} is {}", leaf.path, Shown(*arg));
    if (arg == nullptr) return Ternary::kMaybe;
    if (leaf.value.is_number())
      return arg->is_number() ? Of(NumberHolds(leaf, *arg)) : Ternary::kMaybe;
    if (leaf.value.is_boolean())
      return arg->is_boolean() ? Of((*arg == leaf.value) == (leaf.op == ToolArgLeaf::Op::kEq))
                               : Ternary::kMaybe;
    return arg->is_string() ? Of(TextHolds(leaf, arg->get_ref<const std::string&>()))
                            : Ternary::kMaybe;
  }

  Ternary operator()(const RequireSubjectLeaf& leaf) {
    if (!around_.subjects.value) {
      Say("the subjects are not available: {}", around_.subjects.why);
      return Ternary::kMaybe;
    }
    const std::vector<Subject>& all = *around_.subjects.value;
    const bool found = std::any_of(all.begin(), all.end(), [&](const Subject& s) {
      return s.type == leaf.type && (!leaf.id_system || s.id_system == leaf.id_system);
    });
    Say("requireSubject: there is {} {}", found ? "a" : "no", leaf.type);
    return Of(found);
  }

  Ternary operator()(const AndParts&) { return Ternary::kYes; }
  Ternary operator()(const OrParts&) { return Ternary::kNo; }
  Ternary operator()(const NotPart&) { return Ternary::kNo; }

  std::string TakeSaid() { return std::move(said_); }

 private:
  template <typename... Args>
  void Say(fmt::format_string<Args...> format, Args&&... args) {
    if (explain_) said_ = fmt::format(format, std::forward<Args>(args)...);
  }

  const ordered_json* TagOfUser(const std::string& tag) const { return TagOf(around_.call, tag); }

  void NoteZone(const std::string& zone) {
    std::vector<std::string>& known = around_.unknown_zones;
    if (std::find(known.begin(), known.end(), zone) == known.end()) known.push_back(zone);
  }

  static bool NumberHolds(const ToolArgLeaf& leaf, const ordered_json& arg) {
    using Op = ToolArgLeaf::Op;
    const CompareOp op = leaf.op == Op::kEq    ? CompareOp::kEq
                         : leaf.op == Op::kNeq ? CompareOp::kNeq
                         : leaf.op == Op::kGt  ? CompareOp::kGt
                         : leaf.op == Op::kGte ? CompareOp::kGte
                         : leaf.op == Op::kLt  ? CompareOp::kLt
                                               : CompareOp::kLte;
    return CompareNumbers(NumberOf(arg), op, NumberOf(leaf.value));
  }

  static bool TextHolds(const ToolArgLeaf& leaf, const std::string& arg) {
    using Op = ToolArgLeaf::Op;
    if (leaf.value.is_array())
      return std::find(leaf.value.begin(), leaf.value.end(), arg) != leaf.value.end();
    const std::string& value = leaf.value.get_ref<const std::string&>();
    switch (leaf.op) {
      case Op::kIn: return value.find(arg) != std::string::npos;
      case Op::kEq: return arg == value;
      case Op::kNeq: return arg != value;
      case Op::kContains: return arg.find(value) != std::string::npos;
      case Op::kStartsWith: return arg.starts_with(value);
      case Op::kEndsWith: return arg.ends_with(value);
      default: return false;
    }
  }

  const Sourced<ordered_json>& Asked(const SignalLeaf& leaf) {
    ordered_json args = SignalArgs(leaf, around_.call, around_.subjects);
    for (const AskedSignal& known : around_.signals)
      if (known.key == leaf.key && SameContent(known.args, args)) return known.answer;
    Sourced<ordered_json> answer = around_.sources.Signal(leaf.key, args);
    around_.signals.push_back({leaf.key, std::move(args), std::move(answer)});
    return around_.signals.back().answer;
  }

  Surroundings& around_;
  bool explain_;
  bool severe_ = true;
  std::string said_;
};

}  // namespace

ordered_json SignalArgs(const SignalLeaf& leaf, const GuardCall& call,
                        const Sourced<std::vector<Subject>>& subjects) {
  ordered_json args = ordered_json::object();
  for (const auto& [name, binding] : leaf.args) {
    ordered_json made;
    if (const ordered_json* value = Bound(binding, call, subjects, made)) args[name] = *value;
  }
  return args;
}

bool CompareNumbers(long double a, CompareOp op, long double b) {
  switch (op) {
    case CompareOp::kEq: return a == b;
    case CompareOp::kNeq: return a != b;
    case CompareOp::kGt: return a > b;
    case CompareOp::kGte: return a >= b;
    case CompareOp::kLt: return a < b;
    case CompareOp::kLte: return a <= b;
  }
  return false;
}

std::string_view CompareName(CompareOp op) {
  static constexpr std::string_view kNames[] = {"eq", "neq", "gt", "gte", "lt", "lte"};
  return kNames[static_cast<std::size_t>(op)];
}

bool ReadsHistory(const GuardCondition& condition) {
  return std::any_of(condition.begin(), condition.end(), [](const ConditionNode& node) {
    return node.As<ExecutionTimeLeaf>() || node.As<SequenceLeaf>() || node.As<MaxCallsLeaf>() ||
           node.As<MetricWindowLeaf>();
  });
}

bool IsSevere(const GuardCondition& condition, Effect effect, std::size_t node) {
  bool severe = effect != Effect::kAllow;
  for (std::size_t above = 0; above < node; ++above)
    if (condition[above].end > node && condition[above].As<NotPart>()) severe = !severe;
  return severe;
}

bool CountsOpenCalls(const MetricWindowLeaf& leaf, bool severe) {
  const bool more_holds = leaf.op == CompareOp::kGt || leaf.op == CompareOp::kGte;
  const bool fewer_holds = leaf.op == CompareOp::kLt || leaf.op == CompareOp::kLte;
  return leaf.aggregate == MetricWindowLeaf::Aggregate::kCount &&
         (severe ? more_holds : fewer_holds);
}

Evaluated Evaluate(const GuardCondition& condition, Effect effect, Surroundings& around,
                   bool missing_decides, bool explain) {
  struct Open {
    std::uint32_t node;
    Ternary so_far;
  };
  Evaluated out;
  Leaves leaves(around, explain);
  std::vector<Open> open;
  std::size_t nots = 0;  // among them
  const auto effect_of_missing = [&](const ConditionNode& leaf) {
    std::optional<Effect> missing = leaf.on_missing;
    for (auto o = open.rbegin(); !missing && o != open.rend(); ++o)
      missing = condition[o->node].on_missing;
    return missing;
  };
  std::uint32_t at = 0;
  for (;;) {
    const ConditionNode& node = condition[at];
    leaves.SetSevere((effect != Effect::kAllow) != (nots % 2 != 0));
    Ternary value = std::visit(leaves, node.is);
    if (node.As<AndParts>() || node.As<OrParts>() || node.As<NotPart>()) {
      if (node.As<NotPart>()) ++nots;
      open.push_back({at++, value});
      continue;
    }
    if (value == Ternary::kMaybe) {
      const std::optional<Effect> missing = effect_of_missing(node);
      if (missing && (!out.on_missing || *out.on_missing < *missing)) out.on_missing = missing;
      if (!missing && !missing_decides && node.As<ToolArgLeaf>()) value = Ternary::kNo;
    }
    if (explain) out.premises.push_back(leaves.TakeSaid() + ": " + std::string(TruthName(value)));
    at = node.end;
    // Propagates the value upwards as long as it decides the enclosing connective.
    for (;;) {
      if (open.empty()) {
        out.truth = value;
        if (value != Ternary::kMaybe) out.on_missing.reset();
        return out;
      }
      Open& in = open.back();
      const ConditionNode& parent = condition[in.node];
      bool decided = at == parent.end;
      if (parent.As<AndParts>()) {
        in.so_far = std::min(in.so_far, value);
        decided |= in.so_far == Ternary::kNo;
      } else if (parent.As<OrParts>()) {
        in.so_far = std::max(in.so_far, value);
        decided |= in.so_far == Ternary::kYes;
      } else {
        in.so_far = value == Ternary::kMaybe ? value : Of(value == Ternary::kNo);
      }
      if (!decided) break;
      if (parent.As<NotPart>()) --nots;
      value = in.so_far;
      at = parent.end;
      open.pop_back();
    }
  }
}

}  // namespace rpl
