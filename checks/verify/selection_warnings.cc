// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/selection_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "formats/data/yaml_fields.h"
#include "formats/shorten.h"

namespace rpl {
namespace {

using StepKind = Selector::Step::Kind;

constexpr std::size_t kShownPath = 100;

// The first `count` steps of a selector, as it is written.
std::string PathText(const Selector& selector, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const Selector::Step& step = selector.steps[i];
    if (step.kind == StepKind::kField) text += (text.empty() ? "" : ".") + step.field;
    else if (step.kind == StepKind::kEach) text += "[*]";
    else text += fmt::format("[{}]", step.index);
  }
  return Shortened(std::move(text), kShownPath);
}

// True for a field that other selector languages write for the root or for all elements.
bool IsForeign(const Selector::Step& step) {
  return step.kind == StepKind::kField && (step.field == "$" || step.field == "*");
}

// The reason why a step does not fit.
std::string WhyBroken(const Selector& selector, const Envelope::Break& broken) {
  const Selector::Step& step = selector.steps[broken.step];
  const std::string path = PathText(selector, broken.step);
  const bool is_field = step.kind == StepKind::kField;
  if (broken.node->kind != (is_field ? YamlKind::kMap : YamlKind::kList))
    return fmt::format("`{}` is {}, no {}", path, Described(*broken.node),
                       is_field ? "map" : "list");
  if (!is_field) return fmt::format("`{}` has {} elements", path, broken.node->items.size());
  return fmt::format("there is no `{}`{}", Shortened(step.field, kShownPath),
                     path.empty() ? "" : " in `" + path + "`");
}

std::string HintFor(const Selector& selector, const Envelope::Break& broken) {
  const Selector::Step& step = selector.steps[broken.step];
  if (step.kind == StepKind::kField && step.field == "$") return "leave out the `$.`";
  if (step.kind == StepKind::kField && step.field == "*") return "`[*]` selects every element";
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : broken.node->entries)
    keys.push_back(key.scalar.get_ref<const std::string&>());
  const std::string near = step.kind == StepKind::kField ? NearestWord(step.field, keys) : "";
  return near.empty() ? "a fact with the value null states that there is nothing" : near;
}

void WarnOfLength(const Rulespec& rulespec, const ClaimRule& condition, const std::string& path,
                  const std::vector<ClaimFacts>& claims, Diagnostics& found) {
  const ClaimFacts& facts = claims[condition.claim];
  const Claim& claim = rulespec.claims[condition.claim];
  if (condition.rule != RuleKind::kMaxLength || claim.selector.ends_in_each()) return;
  const auto other = std::find_if(facts.nodes.begin(), facts.nodes.end(), [](const YamlNode* node) {
    return node->kind != YamlKind::kList;
  });
  if (other == facts.nodes.end()) return;
  found.Add(Code::kLengthOfNoList, condition.span,
            fmt::format("`{}`: `{}` selects {}, whose length counts as 0", path, claim.name,
                        Described(**other)),
            "`max_length` limits the number of elements of a list");
}

}  // namespace

void WarnOfSelections(const Rulespec& rulespec, const Envelope& envelope,
                      const std::vector<ClaimFacts>& claims, Diagnostics& found) {
  std::set<std::size_t> asked, in_when;
  for (std::size_t i = 0; i < rulespec.predicates.size(); ++i) {
    const Predicate& predicate = rulespec.predicates[i];
    asked.insert(predicate.is.claim);
    WarnOfLength(rulespec, predicate.is, fmt::format("predicates[{}].value", i), claims, found);
    if (!predicate.when) continue;
    in_when.insert(predicate.when->claim);
    WarnOfLength(rulespec, *predicate.when, fmt::format("predicates[{}].when.value", i), claims,
                 found);
  }
  if (envelope.facts().entries.empty()) return;  // there is a warning of its own
  for (std::size_t i = 0; i < rulespec.claims.size(); ++i) {
    const Claim& claim = rulespec.claims[i];
    const bool foreign =
        std::any_of(claim.selector.steps.begin(), claim.selector.steps.end(), IsForeign);
    if (!asked.contains(i) && !(foreign && in_when.contains(i))) continue;
    const std::optional<Envelope::Break> broken = envelope.BreakOf(claim.selector);
    if (!broken) continue;
    found.Add(Code::kNothingSelected, claim.span,
              fmt::format("`claims[{}].selector`: the claim `{}` selects nothing: {}", i,
                          Shortened(claim.name, kShownPath), WhyBroken(claim.selector, *broken)),
              HintFor(claim.selector, *broken));
  }
}

}  // namespace rpl
