// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/rulespec_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string_view>
#include <unordered_map>

#include "checks/verify/rulespec_report.h"
#include "checks/verify/selection_warnings.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

// The number of values in a message, and the maximal size of each.
constexpr std::size_t kToldValues = 5;
constexpr std::size_t kFoundBytes = 60;

std::string ToldValue(const ClaimFacts::Value& value) {
  if (value.object) return "a map";
  return nlohmann::json(Shortened(value.text, kFoundBytes)).dump();
}

}  // namespace

RulespecRun::RulespecRun(const Rulespec& rulespec, const Envelope& envelope, Sources& sources,
                         const Limits& limits)
    : rulespec_(rulespec), sources_(sources), base_(sources, limits) {
  Stop stop = Stop::kGoesOn;
  const auto goes_on = [&] {
    if (limits.watch) stop = limits.watch(0);
    return stop == Stop::kGoesOn;
  };
  std::size_t budget = kMaxFactBytes;
  for (const Claim& claim : rulespec.claims) {
    std::optional<ClaimFacts> facts = envelope.Select(claim.selector, budget);
    if (!facts)
      problem_ = fmt::format("the facts of the claims need more than {} MiB", kMaxFactBytes >> 20);
    else if (!goes_on()) problem_ = base_.Problem(stop);
    if (!problem_.empty()) return;
    claims_.push_back(std::move(*facts));
  }
  WarnOfSelections(rulespec, envelope, claims_, findings_);
  std::optional<RulespecProgram> program = Compile(rulespec, claims_, sources, goes_on);
  if (!program) {
    problem_ = base_.Problem(stop);
    return;
  }
  program_ = std::move(*program);

  std::vector<RelationId> relations;
  for (const ProgramSchema& schema : ProgramSchemas())
    relations.push_back(
        base_.Declare(RplName(schema.name), static_cast<std::uint32_t>(schema.columns.size())));
  Pool& pool = base_.pool();
  // The place of a fact is that of the first node of its claim.
  std::unordered_map<std::string_view, Span> places;
  for (std::size_t i = 0; i < claims_.size(); ++i)
    if (!claims_[i].nodes.empty())
      places.emplace(rulespec.claims[i].name, claims_[i].nodes.front()->span);
  std::vector<Value> row;
  for (const ProgramAtom& fact : program_.facts) {
    row.clear();
    for (const ProgramTerm& term : fact.args)
      row.push_back(term.kind == ProgramTerm::Kind::kNumber ? pool.Int(term.number)
                                                            : pool.String(term.text));
    const auto place = places.find(fact.args.front().text);
    base_.Add(relations[static_cast<std::size_t>(fact.relation)], row,
              place == places.end() ? envelope.facts().span : place->second);
  }
  Diagnostics found;
  base_.Load("rulespec.compiled.rpl", RulesAsRpl(program_), found);
  assert(!found.has_errors());

  problem_ = base_.Problem(base_.Quiesce());
  if (!problem_.empty()) return;
  std::vector<bool> failed(rulespec.predicates.size());
  assert(base_.program().constraints().size() == 1);
  FactBase::Checked checked = base_.Check(base_.program().constraints().front());
  problem_ = std::move(checked.problem);
  if (!problem_.empty()) return;
  for (const FactBase::Checked::Bindings& bindings : checked.violated)
    failed[static_cast<std::size_t>(pool.AsInt(bindings.front().second))] = true;
  met_.resize(failed.size());
  const Relation& met =
      base_.store().at(relations[static_cast<std::size_t>(ProgramRelation::kWhenMet)]);
  for (RowId r = 0; r < met.size(); ++r)
    met_[static_cast<std::size_t>(pool.AsInt(met.Row(r)[0]))] = true;
  for (std::size_t id = 0; id < failed.size(); ++id) results_.push_back(ResultOf(id, !failed[id]));
}

// The selection of a condition's claim, for people. A value that a rule may be there to keep out
// is not repeated: messages go to logs.
std::string RulespecRun::Found(const ClaimRule& condition) const {
  const ClaimFacts& facts = claims_[condition.claim];
  if (condition.counts_elements() && !facts.lengths.empty() && !facts.selects_other)
    return fmt::format("its length is {}", FirstOf(facts.lengths, kToldValues, [](std::size_t n) {
                         return std::to_string(n);
                       }));
  if (facts.nodes.empty()) return "found nothing";
  if (facts.values.empty())
    return facts.lengths.front() == 0 ? "found an empty array" : "found an array without values";
  if (condition.may_hide())
    return fmt::format("found {} value{}", facts.values.size(),
                       facts.values.size() == 1 ? "" : "s");
  const std::string found = "found " + FirstOf(facts.values, kToldValues, ToldValue);
  return condition.counts_elements() ? found + ", which is no array" : found;
}

nlohmann::ordered_json RulespecRun::Actual(const ClaimRule& condition) const {
  const ClaimFacts& facts = claims_[condition.claim];
  nlohmann::ordered_json actual = nlohmann::ordered_json::array();
  if (condition.counts_elements()) {
    for (std::size_t i = 0; i < std::min(facts.lengths.size(), kShownValues); ++i)
      actual.push_back(facts.lengths[i]);
  } else {
    for (std::size_t i = 0; i < std::min(facts.values.size(), kShownValues); ++i)
      actual.push_back(facts.values[i].object ? std::string(kObjectMarker) : facts.values[i].text);
  }
  return actual;
}

std::string RulespecRun::NameOf(const Rulespec& rulespec, std::size_t id) {
  const ClaimRule& is = rulespec.predicates[id].is;
  return fmt::format("{} {} #{}", rulespec.claims[is.claim].name, RuleKindName(is.rule), id);
}

CheckResult RulespecRun::ResultOf(std::size_t id, bool passed) const {
  const Predicate& predicate = rulespec_.predicates[id];
  const ClaimRule& is = predicate.is;
  const std::string& claim = rulespec_.claims[is.claim].name;
  CheckResult result;
  result.rule_name = NameOf(rulespec_, id);
  result.passed = passed;
  result.metadata = {{"kind", "rulespec"}, {"id", id}, {"claim", claim}};
  result.metadata["rule"] = RuleKindName(is.rule);
  if (!is.value.is_null()) result.metadata["expected"] = is.value;
  result.metadata["actual"] = Actual(is);
  result.metadata["source"] = predicate.source;
  if (!predicate.notes.empty()) result.metadata["notes"] = predicate.notes;

  const std::string what = ClaimRuleText(rulespec_, is);
  const auto invalid = [](const ClaimRule& c) {
    return fmt::format("Invalid regex {}: {}", DumpJson(c.value), c.pattern_error);
  };
  if (predicate.when) {
    const ClaimRule& when = *predicate.when;
    const std::string condition = ClaimRuleText(rulespec_, when);
    result.metadata["when"] = condition;
    if (!when.pattern_error.empty()) {
      result.message = fmt::format("{}: the condition {} cannot be evaluated: {}", what, condition,
                                   invalid(when));
    } else if (!met_[id]) {
      result.metadata["skipped"] = true;
      result.message =
          fmt::format("{}: Skipped, the condition {} is not met: {}", what, condition, Found(when));
    }
  }
  if (result.message.empty()) {
    const std::string why = is.pattern_error.empty() ? Found(is) : invalid(is);
    result.message = fmt::format("{} {}: {}", what, passed ? "holds" : "does not hold", why);
  }
  result.metadata["location"] = {
      {"file", sources_.at(predicate.span.file).name},
      {"line", sources_.PlaceOf(predicate.span.file, predicate.span.begin).line}};
  return result;
}

Explanation RulespecRun::Explain(std::size_t id) {
  assert(id < rulespec_.predicates.size());
  return base_.Explain(fmt::format("predicate-pass({})", id));
}

}  // namespace rpl
