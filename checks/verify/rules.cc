// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <set>
#include <utility>

#include "formats/data/yaml_fields.h"
#include "formats/shorten.h"
#include "formats/spelling.h"
#include "interp/lint/checker.h"
#include "interp/program/program.h"
#include "interp/store/json_value.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// The number of violated instances in a message, and the maximal size of each value in it.
constexpr std::size_t kToldInstances = 3;
constexpr std::size_t kToldBytes = 100;
// The number of instances in the metadata.
constexpr std::size_t kKeptInstances = 20;

constexpr std::string_view kSeverities[] = {"error", "warning", "info"};

std::string ShownValue(const Pool& pool, Value value) {
  return Shortened(Text(pool, value), kToldBytes);
}

std::string ShownInstance(const Pool& pool, const FactBase::Checked::Bindings& bindings) {
  std::string text;
  for (const auto& [name, value] : bindings)
    text += fmt::format("{}?{} = {}", text.empty() ? "" : ", ", name, ShownValue(pool, value));
  return text.empty() ? "it" : text;
}

ordered_json InstanceJson(const Pool& pool, const FactBase::Checked::Bindings& bindings) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : bindings)
    json["?" + name] = JsonOfValue(pool, value).value_or(ShownValue(pool, value));
  return json;
}

// The severity that a row of severity/2 names; nullopt for any other word or type.
std::optional<Severity> SeverityIn(const Pool& pool, std::span<const Value> row) {
  if (row[0].kind() != Kind::kString || row[1].kind() != Kind::kKeyword) return std::nullopt;
  const auto* found =
      std::find(std::begin(kSeverities), std::end(kSeverities), pool.TextOf(row[1]));
  if (found == std::end(kSeverities)) return std::nullopt;
  return static_cast<Severity>(found - kSeverities);
}

// The checker cannot see the facts that content becomes at evaluation.
bool IsOfContent(const Diagnostic& d, const Sources& sources) {
  const std::string_view text = sources.Text(d.span);
  return d.code == Code::kUndefinedRelation &&
         (text.starts_with("content(") || text.starts_with("content-text("));
}

}  // namespace

bool RuleSet::Add(RuleInfo info, Origin origin, Diagnostics* found) {
  const auto [at, is_new] = names_.emplace(info.name, rules_.size());
  if (!is_new) {
    const std::optional<Span>& first = rules_[at->second].place;
    if (found != nullptr && info.place)
      found->Add(Code::kDuplicateName, *info.place,
                 fmt::format("duplicate rule `{}`{}", info.name,
                             first ? ", the first is at " + sources_.Where(*first) : ""),
                 "put each constraint under a heading of its own");
    return false;
  }
  rules_.push_back(std::move(info));
  origins_.push_back(origin);
  return true;
}

void RuleSet::AddRulespec(std::uint32_t file, Diagnostics& found) {
  std::optional<Rulespec> rulespec = ReadRulespec(sources_, file, found);
  if (!rulespec) return;
  rulespecs_.push_back(std::make_unique<Rulespec>(std::move(*rulespec)));
  const Rulespec& added = *rulespecs_.back();
  for (std::size_t i = 0; i < added.predicates.size(); ++i) {
    RuleInfo info;
    info.name = RulespecRun::NameOf(added, i);
    info.description = added.predicates[i].notes.empty()
                           ? ClaimRuleText(added, added.predicates[i].is)
                           : added.predicates[i].notes;
    info.place = added.predicates[i].span;
    Add(std::move(info), {Origin::Kind::kPredicate, rulespecs_.size() - 1, i}, &found);
  }
}

// The prose of the scope of a sentence, on one line.
std::string RuleSet::Description(const Document& document, Span span) const {
  int scope = 0;
  for (const PlacedSentence& placed : document.sentences)
    if (placed.sentence.span.begin <= span.begin && span.end <= placed.sentence.span.end)
      scope = placed.scope;
  std::string text;
  for (const Prose& prose : document.prose) {
    if (scope == 0 || prose.scope != scope) continue;
    if (!text.empty()) text += ' ';
    for (const char c : sources_.Text(prose.span)) text += c == '\n' ? ' ' : c;
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

void RuleSet::AddProgram(const std::string& name, const std::string& text, Diagnostics& found) {
  const std::size_t known = base_.program().constraints().size();
  const std::size_t errors = found.errors();
  const Document document = base_.Load(name, text, found);
  files_.push_back(document.file);
  if (found.errors() > errors) return;
  programs_.push_back({name, text});
  for (std::size_t i = known; i < base_.program().constraints().size(); ++i) {
    const Constraint& constraint = base_.program().constraints()[i];
    if (constraint.obligation) continue;
    RuleInfo info;
    info.name = KebabTitle(constraint.heading);
    if (info.name.empty())
      info.name = fmt::format("{}:{}", name,
                              sources_.PlaceOf(constraint.span.file, constraint.span.begin).line);
    info.description = Description(document, constraint.span);
    if (info.description.empty()) info.description = constraint.text;
    info.place = constraint.span;
    Add(std::move(info), {Origin::Kind::kConstraint, 0, constraints_ + i - known}, &found);
  }
  constraints_ += base_.program().constraints().size() - known;
}

bool RuleSet::AddHost(HostRule rule) {
  RuleInfo info = rule.info;
  if (!Add(std::move(info), {Origin::Kind::kHost, hosts_.size(), 0}, nullptr)) return false;
  hosts_.push_back(std::move(rule));
  return true;
}

void RuleSet::Settle(Diagnostics& found) {
  for (const Finding& finding : CheckFiles(sources_, files_, {})) {
    const Diagnostic& d = finding.diagnostic;
    const bool told = std::any_of(found.all().begin(), found.all().end(), [&](const Diagnostic& f) {
      return f.code == d.code && f.span == d.span;
    });
    if (d.severity != Severity::kInfo && !told && !IsOfContent(d, sources_))
      found.Add(d.code, d.span, d.message, d.hint);
  }
  SettleSeverities(found);
  SettleMessages(found);
}

template <typename Fn>
void RuleSet::ForEachFact(std::string_view relation, Fn&& take) const {
  const Store& store = base_.store();
  const RelationId id = store.Find(Space::kRelation, relation, 2);
  if (id == kNoId) return;
  const Relation& facts = store.at(id);
  for (RowId r = 0; r < facts.size(); ++r) take(facts.Cells(r), facts.Origin(r).value_or(Span{}));
}

RuleInfo* RuleSet::ConstraintNamed(const std::string& name) {
  const auto rule = names_.find(name);
  const bool is = rule != names_.end() && origins_[rule->second].kind == Origin::Kind::kConstraint;
  return is ? &rules_[rule->second] : nullptr;
}

std::string RuleSet::NearestRule(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const RuleInfo& info : rules_) names.push_back(info.name);
  return NearestWord(name, names);
}

void RuleSet::SettleSeverities(Diagnostics& found) {
  const Pool& pool = base_.store().pool();
  std::set<std::string> given;
  ForEachFact("severity", [&](std::span<const Value> row, Span place) {
    const auto severity = SeverityIn(pool, row);
    if (!severity) {
      found.Add(Code::kUnknownSeverity, place,
                "expected the name of a rule and `:error`, `:warning` or `:info`",
                "as in `severity(\"draft-reviewed\", :warning)`");
      return;
    }
    const std::string name(pool.TextOf(row[0]));
    RuleInfo* rule = ConstraintNamed(name);
    if (rule == nullptr)
      found.Add(Code::kUnknownRule, place, "no constraint makes a rule `" + name + "`",
                NearestRule(name));
    else if (!given.insert(name).second)
      found.Add(Code::kUnknownSeverity, place, "the rule `" + name + "` has two severities");
    else rule->severity = *severity;
  });
}

// A program may have a relation of this name for other purposes: only a name that is nearly that of
// a rule is told.
void RuleSet::SettleMessages(Diagnostics& found) {
  const Pool& pool = base_.store().pool();
  ForEachFact("message", [&](std::span<const Value> row, Span place) {
    if (row[0].kind() != Kind::kString || row[1].kind() != Kind::kString) return;
    const std::string name(pool.TextOf(row[0]));
    RuleInfo* rule = ConstraintNamed(name);
    if (rule != nullptr && rule->message.empty()) rule->message = pool.TextOf(row[1]);
    else if (const std::string near = NearestRule(name); rule == nullptr && !near.empty())
      found.Add(Code::kUnknownRule, place, "no constraint makes a rule `" + name + "`", near);
  });
}

const RuleInfo* RuleSet::Get(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &rules_[found->second];
}

void RuleSet::AddContent(FactBase& base, const ordered_json& value, const Content& content,
                         Span place) {
  Pool& pool = base.pool();
  const RelationId text = base.Declare("content-text", 1);
  const RelationId facts = base.Declare("content", 2);
  const Value whole[] = {pool.String(value.is_string()    ? value.get<std::string>()
                                     : content.structured ? DumpJson(value)
                                                          : content.text)};
  base.Add(text, whole, place);
  std::vector<Value> path;
  const std::function<void(const ordered_json&)> add = [&](const ordered_json& node) {
    if (!node.is_structured()) {
      const Value row[] = {pool.List(path), ValueOfJson(node, pool, false)};
      base.Add(facts, row, place);
    }
    std::int64_t index = 0;
    for (const auto& [key, inner] : node.items()) {
      if (!node.is_structured()) break;
      path.push_back(node.is_array() ? pool.Int(index++) : pool.String(key));
      add(inner);
      path.pop_back();
    }
  };
  add(value);
}

CheckResult RuleSet::Unevaluated(std::size_t rule, const std::string& problem) const {
  CheckResult result;
  result.rule_name = rules_[rule].name;
  result.severity = rules_[rule].severity;
  result.passed = false;
  result.message = "it cannot be evaluated: " + problem;
  result.metadata["error"] = true;
  return result;
}

CheckResult RuleSet::OfConstraint(FactBase& base, std::size_t rule,
                                  const std::string& problem) const {
  const Constraint& constraint = base.program().constraints()[origins_[rule].index];
  FactBase::Checked checked;
  checked.problem = problem;
  if (problem.empty()) checked = base.Check(constraint);
  CheckResult result;
  result.rule_name = rules_[rule].name;
  result.severity = rules_[rule].severity;
  result.passed = checked.violated.empty();
  result.message = "nothing was found that violates it";
  if (!checked.problem.empty()) result = Unevaluated(rule, checked.problem);
  result.metadata["kind"] = "rpl";
  result.metadata["rule"] = constraint.text;
  const std::string& message = rules_[rule].message;
  if (checked.problem.empty() && !result.passed && !message.empty()) result.message = message;
  if (checked.problem.empty() && !result.passed && message.empty()) {
    result.message = "violated by ";
    for (std::size_t i = 0; i < std::min(checked.violated.size(), kToldInstances); ++i)
      result.message += (i == 0 ? "" : "; ") + ShownInstance(base.pool(), checked.violated[i]);
    if (checked.violated.size() > kToldInstances)
      result.message += fmt::format(" and {} more", checked.violated.size() - kToldInstances);
    ordered_json violations = ordered_json::array();
    for (std::size_t i = 0; i < std::min(checked.violated.size(), kKeptInstances); ++i)
      violations.push_back(InstanceJson(base.pool(), checked.violated[i]));
    result.metadata["violations"] = std::move(violations);
  }
  const Span place = *rules_[rule].place;
  result.metadata["location"] = {{"file", sources_.at(place.file).name},
                                 {"line", sources_.PlaceOf(place.file, place.begin).line}};
  return result;
}

CheckResult RuleSet::OfHost(std::size_t rule, const ordered_json& value) const {
  const HostRule& host = hosts_[origins_[rule].owner];
  try {
    CheckResult result = host.evaluate(value);
    result.rule_name = host.info.name;
    result.severity = host.info.severity;
    if (result.message.empty()) result.message = result.passed ? "it holds" : "it does not hold";
    return result;
  } catch (const std::exception& e) {
    return Unevaluated(rule, e.what());
  } catch (...) {
    return Unevaluated(rule, "an unknown exception");
  }
}

CheckReport RuleSet::Evaluate(const Content& content, const Options& options,
                              std::vector<std::unique_ptr<RulespecRun>>* runs) {
  CheckReport report;
  Diagnostics found;
  const std::uint32_t file = sources_.Add(content.name, content.text);
  ordered_json value = content.text;
  envelope_.reset();
  if (has_rulespec()) {
    envelope_ = Envelope::Read(sources_, file, found);
    if (envelope_) value = JsonOf(envelope_->root(), sources_);
  } else if (content.structured) {
    if (const auto tree = ReadYaml(sources_, file, found, kDocumentLimits))
      value = JsonOf(*tree, sources_);
  } else {
    IsUtf8(sources_, file, found);  // patterns match nothing in other bytes
  }
  report.findings = found.all();
  if (found.has_errors()) return report;

  std::vector<std::unique_ptr<RulespecRun>> own;
  std::vector<std::unique_ptr<RulespecRun>>& ran = runs != nullptr ? *runs : own;
  for (const auto& rulespec : rulespecs_)
    ran.push_back(std::make_unique<RulespecRun>(*rulespec, *envelope_, sources_, options.limits));
  for (const auto& run : ran) {
    const std::vector<Diagnostic>& warnings = run->findings().all();
    report.findings.insert(report.findings.end(), warnings.begin(), warnings.end());
  }

  std::unique_ptr<FactBase> base;
  std::string problem;
  if (!programs_.empty()) {
    base = std::make_unique<FactBase>(sources_, options.limits);
    base->SetNow(options.now);
    base->SetTools(options.tools);
    Diagnostics ignored;  // reported by Add
    for (const Program& program : programs_) base->Load(program.name, program.text, ignored);
    AddContent(*base, value, content, {file, 0, 0});
    problem = base->Problem(base->Quiesce());
  }
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (!options.only.empty() && rules_[i].name != options.only) continue;
    const Origin& origin = origins_[i];
    if (origin.kind == Origin::Kind::kHost) {
      report.results.push_back(OfHost(i, value));
    } else if (origin.kind == Origin::Kind::kConstraint) {
      report.results.push_back(OfConstraint(*base, i, problem));
    } else if (const RulespecRun& run = *ran[origin.owner]; run.problem().empty()) {
      report.results.push_back(run.results()[origin.index]);
    } else {
      report.results.push_back(Unevaluated(i, run.problem()));
    }
  }
  return report;
}

}  // namespace rpl
