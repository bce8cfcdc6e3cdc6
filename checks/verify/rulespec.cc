// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/rulespec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "formats/data/json_text.h"
#include "formats/data/yaml_fields.h"
#include "formats/shorten.h"

namespace rpl {
namespace {

constexpr std::array<std::string_view, 12> kRules = {
    "exists",  "not_exists",   "equals",    "contains",   "not_contains", "any_of",
    "none_of", "greater_than", "less_than", "min_length", "max_length",   "matches"};
constexpr std::string_view kSources[] = {"task_prompt", "memory"};
constexpr std::string_view kSpecKeys[] = {"claims", "predicates"};
constexpr std::string_view kClaimKeys[] = {"name", "selector"};
constexpr std::string_view kPredicateKeys[] = {"claim", "rule", "value", "source", "notes", "when"};
constexpr std::string_view kWhenKeys[] = {"claim", "rule", "value"};

// The maximal size of a quoted text in a message.
constexpr std::size_t kShownBytes = 200;

std::string Cut(std::string text) { return Shortened(std::move(text), kShownBytes); }

class RulespecReader {
 public:
  RulespecReader(const Sources& sources, const YamlNode& root, Diagnostics& found)
      : sources_(sources), root_(root), fields_(root, found) {}

  Rulespec Read() {
    if (root_.kind == YamlKind::kNull) {
      fields_.Add(Code::kMissingConfigKey, root_, "the rulespec is empty",
                  "write `claims:` and `predicates:`");
      return std::move(rulespec_);
    }
    if (!fields_.IsMap(root_)) return std::move(rulespec_);
    fields_.KnowKeys(root_, kSpecKeys, Code::kUnknownField);
    const YamlNode* claims = YamlFields::Optional(root_, "claims");
    if (claims != nullptr && fields_.IsList(*claims))
      for (const YamlNode& claim : claims->items) ReadClaim(claim);
    const YamlNode* predicates = YamlFields::Optional(root_, "predicates");
    if (predicates != nullptr && fields_.IsList(*predicates))
      for (const YamlNode& predicate : predicates->items) ReadPredicate(predicate);
    return std::move(rulespec_);
  }

 private:
  void ReadClaim(const YamlNode& node) {
    Claim claim;
    if (!fields_.IsMap(node)) return;
    fields_.KnowKeys(node, kClaimKeys, Code::kUnknownField);
    if (const YamlNode* name = fields_.Require(node, "name"))
      if (const auto text = fields_.Text(*name)) {
        claim.name = *text;
        NameClaim(*name, *text);
      }
    if (const YamlNode* selector = fields_.Require(node, "selector"))
      if (const auto text = fields_.Text(*selector)) {
        claim.text = *text;
        claim.span = selector->span;
        std::string problem;
        auto parsed = ReadSelector(*text, &problem);
        if (parsed) claim.selector = std::move(*parsed);
        else
          fields_.Add(Code::kBadSelector, *selector,
                      fmt::format("invalid selector `{}` of the claim `{}`: {}", Cut(*text),
                                  Cut(claim.name), problem),
                      "write a path as in `field.inner`, `list[0]` or `list[*].field`");
      }
    rulespec_.claims.push_back(std::move(claim));
  }

  void NameClaim(const YamlNode& node, const std::string& name) {
    if (name.find_first_not_of(" \t\r\n") == name.npos) {
      fields_.Wrong(node, "expected the name of the claim, got a blank string", "write a name");
      return;
    }
    const auto [at, is_new] = claims_.emplace(name, Named{rulespec_.claims.size(), &node});
    if (is_new) return;
    const YamlNode& first = *at->second.node;
    fields_.Add(Code::kDuplicateName, node,
                fmt::format("duplicate claim `{}`, the first is `{}` in line {}", Cut(name),
                            fields_.PathOf(first),
                            sources_.PlaceOf(first.span.file, first.span.begin).line),
                "give one of them another name");
  }

  void ReadPredicate(const YamlNode& node) {
    Predicate predicate;
    predicate.span = node.span;
    if (!fields_.IsMap(node)) return;
    fields_.KnowKeys(node, kPredicateKeys, Code::kUnknownField);
    predicate.is = ReadCondition(node);
    if (const YamlNode* source = fields_.Require(node, "source", "`task_prompt` or `memory`"))
      if (const auto word = fields_.Word(*source, kSources)) predicate.source = kSources[*word];
    if (const YamlNode* notes = YamlFields::Optional(node, "notes"))
      predicate.notes = fields_.Text(*notes).value_or("");
    if (const YamlNode* when = YamlFields::Optional(node, "when");
        when != nullptr && fields_.IsMap(*when)) {
      fields_.KnowKeys(*when, kWhenKeys, Code::kUnknownField);
      predicate.when = ReadCondition(*when);
    }
    rulespec_.predicates.push_back(std::move(predicate));
  }

  // Reads `claim`, `rule` and `value` of a predicate or a `when`.
  ClaimRule ReadCondition(const YamlNode& node) {
    ClaimRule condition;
    condition.span = node.span;
    if (const YamlNode* claim = fields_.Require(node, "claim"))
      if (const auto name = fields_.Text(*claim)) condition.claim = FindClaim(*claim, *name);
    const YamlNode* rule = fields_.Require(node, "rule", "one of " + OneOf(kRules));
    const auto kind = rule != nullptr ? fields_.Word(*rule, kRules) : std::nullopt;
    if (!kind) return condition;
    condition.rule = static_cast<RuleKind>(*kind);
    const YamlNode* value = YamlFields::Optional(node, "value");
    if (condition.rule == RuleKind::kExists || condition.rule == RuleKind::kNotExists) {
      if (value != nullptr)
        fields_.Add(Code::kIgnoredValue, *value,
                    fmt::format("`{}` takes no value, this one is passed over", kRules[*kind]));
      return condition;
    }
    value = fields_.Require(node, "value", fmt::format("`{}` needs one", kRules[*kind]));
    if (value == nullptr) return condition;
    condition.value = JsonOf(*value, sources_);
    condition.span = value->span;
    ReadValue(*value, condition);
    WarnOfElements(*value, condition);
    return condition;
  }

  std::size_t FindClaim(const YamlNode& node, const std::string& name) {
    const auto found = claims_.find(name);
    if (found != claims_.end()) return found->second.index;
    std::vector<std::string_view> names;
    for (const Claim& claim : rulespec_.claims) names.push_back(claim.name);
    const std::string near = NearestWord(name, names);
    fields_.Add(Code::kUnknownClaim, node, fmt::format("unknown claim `{}`", Cut(name)),
                near.empty() ? "name one of `claims`, or add it there" : near);
    return 0;
  }

  void ReadValue(const YamlNode& node, ClaimRule& condition) {
    switch (condition.rule) {
      case RuleKind::kExists:
      case RuleKind::kNotExists: break;
      case RuleKind::kEquals:
      case RuleKind::kContains:
      case RuleKind::kNotContains: condition.expected.push_back(ReadExpected(node)); break;
      case RuleKind::kAnyOf:
      case RuleKind::kNoneOf:
        if (node.kind != YamlKind::kList) {
          fields_.Wrong(node, "expected an array, got " + Described(node),
                        "write the allowed values in brackets");
          break;
        }
        for (const YamlNode& item : node.items)
          if (item.kind != YamlKind::kNull) condition.expected.push_back(ReadExpected(item));
        break;
      case RuleKind::kGreaterThan:
      case RuleKind::kLessThan:
        if (node.kind == YamlKind::kNumber)
          condition.bound = *ReadDecimal(ComparedText(node, sources_));
        else fields_.WrongNumber(node);
        break;
      case RuleKind::kMinLength:
      case RuleKind::kMaxLength: ReadLength(node, condition); break;
      case RuleKind::kMatches:
        if (const auto pattern = fields_.Text(node)) {
          condition.pattern = *pattern;
          ReadPattern(node, condition);
        }
        break;
    }
  }

  void ReadPattern(const YamlNode& node, ClaimRule& condition) {
    RulespecRegex::Problem problem;
    condition.regex = RulespecRegex::Read(condition.pattern, &problem);
    if (condition.regex) return;
    if (problem.is_limit)
      fields_.Add(
          Code::kUnsearchableRegex, node,
          fmt::format("the regex has, at its character {}, {}, which cannot be searched for",
                      problem.at, problem.why),
          "write it without that");
    else condition.pattern_error = fmt::format("character {}: {}", problem.at, problem.why);
  }

  Expected ReadExpected(const YamlNode& node) const {
    if (node.kind == YamlKind::kList || node.kind == YamlKind::kMap)
      return {true, CanonicalJson(node, sources_)};
    return {false, RowText(ScalarText(node, sources_))};
  }

  void ReadLength(const YamlNode& node, ClaimRule& condition) {
    const std::string text = node.kind == YamlKind::kNumber ? ScalarText(node, sources_) : "";
    if (text.empty() || text.find_first_not_of("0123456789") != text.npos) {
      fields_.WrongNumber(node, "a whole number from 0");
      return;
    }
    condition.length = kMaxLength;
    if (text.size() < 10) condition.length = std::stol(text);
    else if (text.size() == 10)
      condition.length = std::min<std::int64_t>(std::stoll(text), kMaxLength);
  }

  void WarnOfElements(const YamlNode& node, const ClaimRule& condition) {
    if (!condition.counts_elements() || condition.claim >= rulespec_.claims.size()) return;
    const Claim& claim = rulespec_.claims[condition.claim];
    if (claim.selector.steps.empty() || !claim.selector.ends_in_each()) return;
    fields_.Add(Code::kLengthOfElements, node,
                fmt::format("`{}` selects elements, which have no length", Cut(claim.text)),
                "leave out the `[*]` at its end to ask for the length of the list");
  }

  struct Named {
    std::size_t index;
    const YamlNode* node;
  };

  const Sources& sources_;
  const YamlNode& root_;
  YamlFields fields_;
  Rulespec rulespec_;
  std::unordered_map<std::string, Named> claims_;
};

}  // namespace

std::string_view RuleKindName(RuleKind kind) { return kRules[static_cast<std::size_t>(kind)]; }

std::optional<Rulespec> ReadRulespec(const Sources& sources, std::uint32_t file,
                                     Diagnostics& found) {
  Diagnostics mine;
  std::optional<Rulespec> rulespec;
  if (const auto root = ReadYaml(sources, file, mine, kDocumentLimits))
    rulespec = RulespecReader(sources, *root, mine).Read();
  mine.Sort();
  for (const Diagnostic& d : mine.all()) found.Add(d.code, d.span, d.message, d.hint);
  if (mine.has_errors()) return std::nullopt;
  return rulespec;
}

std::string ClaimRuleText(const Rulespec& rulespec, const ClaimRule& condition) {
  const std::string text =
      fmt::format("{} {}", rulespec.claims[condition.claim].name, RuleKindName(condition.rule));
  return condition.value.is_null() ? text : text + " " + Cut(DumpJson(condition.value));
}

}  // namespace rpl
