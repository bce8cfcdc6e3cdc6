// SPDX-License-Identifier: Apache-2.0
//
// A rule that requires a fact has one body for each way to find it. The head of these bodies is
// holds(i) or, for a rule that forbids the fact, violates(i):
//
//   c contains "x"       holds(0) :- claim_value("c", "x").
//                        holds(0) :- claim_part("c", "x", _).
//   c not_contains "x"   violates(1) :- claim_value("c", "x").
//                        violates(1) :- claim_part("c", "x", _).
//                        holds(1) :- !violates(1).
//
// A rule about all values forbids a value that does not satisfy it:
//
//   c greater_than 5     violates(2) :- claim_number("c", _, r), r <= 3.     (3: the rank of 5)
//                        violates(2) :- claim_nan("c", _).
//                        holds(2) :- claim_number("c", _, _), !violates(2).
#include "checks/verify/rulespec_program.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

namespace rpl {
namespace {

using Body = std::vector<ProgramLiteral>;

ProgramTerm Symbol(std::string text) { return {ProgramTerm::Kind::kSymbol, std::move(text), 0}; }
ProgramTerm Number(std::int64_t n) { return {ProgramTerm::Kind::kNumber, "", n}; }
ProgramTerm Variable(std::string name) {
  return {ProgramTerm::Kind::kVariable, std::move(name), 0};
}
ProgramTerm Any() { return {}; }

ProgramLiteral Is(ProgramAtom atom) {
  return {ProgramLiteral::Kind::kAtom, std::move(atom), "", "", 0};
}
ProgramLiteral Not(ProgramAtom atom) {
  return {ProgramLiteral::Kind::kNot, std::move(atom), "", "", 0};
}
ProgramLiteral OnlyOne(ProgramAtom atom) {
  return {ProgramLiteral::Kind::kOnlyOne, std::move(atom), "", "", 0};
}
ProgramLiteral Compared(std::string variable, std::string_view comparison, std::int64_t number) {
  return {ProgramLiteral::Kind::kCompare, {}, std::move(variable), comparison, number};
}

// The ranks of the numbers that are compared.
class Ranks {
 public:
  void Add(const Decimal& number) { numbers_.push_back(number); }
  void Settle() {
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  }
  std::int64_t Of(const Decimal& number) const {
    return std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin();
  }

 private:
  std::vector<Decimal> numbers_;
};

class Compiler {
 public:
  Compiler(const Rulespec& rulespec, const std::vector<ClaimFacts>& claims, const Sources& sources)
      : rulespec_(rulespec), claims_(claims), sources_(sources) {}

  std::optional<RulespecProgram> Compile(const std::function<bool()>& goes_on) {
    RankNumbers();
    for (std::size_t i = 0; i < claims_.size(); ++i) AddClaim(i);
    program_.extracted = SortFacts(0);
    const std::size_t extracted = program_.facts.size();
    for (const Predicate& predicate : rulespec_.predicates) {
      if (!goes_on()) return std::nullopt;
      AddAsked(predicate.is);
      if (predicate.when) AddAsked(*predicate.when);
    }
    SortFacts(extracted);
    for (std::size_t i = 0; i < rulespec_.predicates.size(); ++i)
      AddPredicate(rulespec_.predicates[i], static_cast<std::int64_t>(i));
    return std::move(program_);
  }

 private:
  template <typename Fn>
  void ForEachCondition(Fn&& fn) const {
    for (const Predicate& predicate : rulespec_.predicates) {
      fn(predicate.is);
      if (predicate.when) fn(*predicate.when);
    }
  }

  // --- facts --------------------------------------------------------------------------------

  const std::string& NameOf(std::size_t claim) const { return rulespec_.claims[claim].name; }

  void AddFact(ProgramRelation relation, std::vector<ProgramTerm> args) {
    program_.facts.push_back({relation, std::move(args)});
  }

  // Sorts the facts from `begin` on and removes duplicates; returns their number.
  std::size_t SortFacts(std::size_t begin) {
    const auto from = program_.facts.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(from, program_.facts.end());
    program_.facts.erase(std::unique(from, program_.facts.end()), program_.facts.end());
    return program_.facts.size() - begin;
  }

  void AddClaim(std::size_t i) {
    const ClaimFacts& facts = claims_[i];
    for (const ClaimFacts::Value& value : facts.values)
      AddFact(ProgramRelation::kClaimValue, {Symbol(NameOf(i)), Symbol(value.row())});
    for (const std::size_t length : facts.lengths)
      AddFact(ProgramRelation::kClaimLength, {Symbol(NameOf(i)), Length(length)});
    for (const ClaimFacts::Nested& nested : facts.nested) {
      const ProgramTerm name = Symbol(NestedName(i, nested.path));
      if (nested.value) AddFact(ProgramRelation::kClaimValue, {name, Symbol(nested.value->row())});
      else AddFact(ProgramRelation::kClaimLength, {name, Length(nested.length)});
    }
  }

  static ProgramTerm Length(std::size_t n) { return Number(static_cast<std::int64_t>(n)); }

  // A name for a field that no claim has.
  std::string NestedName(std::size_t claim, const std::string& path) {
    if (names_.empty())
      for (const Claim& c : rulespec_.claims) names_.insert(c.name);
    std::string dots = ".";
    while (names_.contains(NameOf(claim) + dots + path)) dots += ".";
    return NameOf(claim) + dots + path;
  }

  void RankNumbers() {
    std::set<std::size_t> claims;
    ForEachCondition([&](const ClaimRule& condition) {
      if (!condition.compares_numbers()) return;
      ranks_.Add(condition.bound);
      if (!claims.insert(condition.claim).second) return;
      for (const ClaimFacts::Value& value : claims_[condition.claim].values)
        if (const auto number = NumberOf(value)) ranks_.Add(*number);
    });
    ranks_.Settle();
  }

  static std::optional<Decimal> NumberOf(const ClaimFacts::Value& value) {
    if (value.object) return std::nullopt;
    return ReadDecimal(value.compared.empty() ? value.text : value.compared);
  }

  // The facts that a condition requires in addition to those of its claim.
  void AddAsked(const ClaimRule& condition) {
    const ClaimFacts& facts = claims_[condition.claim];
    const ProgramTerm claim = Symbol(NameOf(condition.claim));
    if (condition.compares_numbers() && numbered_.insert(condition.claim).second) {
      for (const ClaimFacts::Value& value : facts.values) {
        if (const auto number = NumberOf(value))
          AddFact(ProgramRelation::kClaimNumber,
                  {claim, Symbol(value.row()), Number(ranks_.Of(*number))});
        else AddFact(ProgramRelation::kClaimNan, {claim, Symbol(value.row())});
      }
    }
    if (condition.rule == RuleKind::kMinLength && facts.selects_other)
      AddFact(ProgramRelation::kClaimOther, {claim});
    if (condition.rule == RuleKind::kMatches && condition.regex &&
        matched_.emplace(condition.claim, condition.pattern).second) {
      for (const ClaimFacts::Value& value : facts.values)
        if (!value.object && condition.regex->Matches(value.text))
          AddFact(ProgramRelation::kClaimMatch,
                  {claim, Symbol(condition.pattern), Symbol(value.row())});
    }
    const bool contains =
        condition.rule == RuleKind::kContains || condition.rule == RuleKind::kNotContains;
    for (const Expected& expected : condition.expected) {
      if (expected.whole) AddStructures(condition.claim);
      else if (contains) AddParts(condition, claim);
    }
  }

  void AddParts(const ClaimRule& condition, const ProgramTerm& claim) {
    const std::string part = condition.value.is_string() ? condition.value.get<std::string>()
                                                         : condition.expected.front().text;
    for (const std::string& text : claims_[condition.claim].strings)
      if (text.find(part) != text.npos)
        AddFact(ProgramRelation::kClaimPart,
                {claim, Symbol(condition.expected.front().text), Symbol(RowText(text))});
  }

  void AddStructures(std::size_t i) {
    if (!structured_.insert(i).second) return;
    const ProgramTerm claim = Symbol(NameOf(i));
    for (const YamlNode* node : claims_[i].nodes) {
      AddFact(ProgramRelation::kClaimWhole, {claim, Symbol(CanonicalJson(*node, sources_))});
      for (const YamlNode& item : node->items)
        if (item.kind == YamlNode::Kind::kList || item.kind == YamlNode::Kind::kMap)
          AddFact(ProgramRelation::kClaimElement, {claim, Symbol(CanonicalJson(item, sources_))});
    }
  }

  // --- rules --------------------------------------------------------------------------------

  void AddPredicate(const Predicate& predicate, std::int64_t id) {
    rules_ = &program_.rules.emplace_back();
    const ProgramAtom pass = {ProgramRelation::kPredicatePass, {Number(id)}};
    const ProgramAtom met = {ProgramRelation::kWhenMet, {Number(id)}};
    AddCondition(predicate.is, {ProgramRelation::kHolds, {Number(id)}},
                 {ProgramRelation::kViolates, {Number(id)}});
    Body body = {Is({ProgramRelation::kHolds, {Number(id)}})};
    if (predicate.when) {
      AddCondition(*predicate.when, met, {ProgramRelation::kWhenViolates, {Number(id)}});
      // A condition that cannot be evaluated does not count as one that is not met.
      if (predicate.when->pattern_error.empty()) AddRule(pass, {Not(met)});
      body.insert(body.begin(), Is(met));
    }
    AddRule(pass, std::move(body));
    AddRule({ProgramRelation::kPredicateFail, {Number(id)}}, {Not(pass)});
  }

  void AddRule(ProgramAtom head, Body body) {
    rules_->push_back({std::move(head), std::move(body)});
  }

  void AddCondition(const ClaimRule& c, const ProgramAtom& holds, const ProgramAtom& violates) {
    const ProgramTerm claim = Symbol(NameOf(c.claim));
    const auto forbid = [&](Body body) { AddRule(violates, std::move(body)); };
    switch (c.rule) {
      case RuleKind::kExists:
      case RuleKind::kEquals:
      case RuleKind::kContains:
      case RuleKind::kAnyOf:
      case RuleKind::kMatches:
        for (Body& body : Finds(c)) AddRule(holds, std::move(body));
        break;
      case RuleKind::kNotExists:
      case RuleKind::kNotContains:
      case RuleKind::kNoneOf:
        for (Body& body : Finds(c)) forbid(std::move(body));
        AddRule(holds, {Not(violates)});
        break;
      case RuleKind::kGreaterThan:
      case RuleKind::kLessThan:
        forbid({Is({ProgramRelation::kClaimNumber, {claim, Any(), Variable("r")}}),
                Compared("r", c.rule == RuleKind::kGreaterThan ? "<=" : ">=", ranks_.Of(c.bound))});
        forbid({Is({ProgramRelation::kClaimNan, {claim, Any()}})});
        AddRule(holds, {Is({ProgramRelation::kClaimNumber, {claim, Any(), Any()}}), Not(violates)});
        break;
      case RuleKind::kMinLength:
        if (c.length == 0) {
          AddRule(holds, {});  // even if nothing is selected
          break;
        }
        forbid({Is({ProgramRelation::kClaimLength, {claim, Variable("n")}}),
                Compared("n", "<", c.length)});
        forbid({Is({ProgramRelation::kClaimOther, {claim}})});
        AddRule(holds, {Is({ProgramRelation::kClaimLength, {claim, Any()}}), Not(violates)});
        break;
      case RuleKind::kMaxLength:
        forbid({Is({ProgramRelation::kClaimLength, {claim, Variable("n")}}),
                Compared("n", ">", c.length)});
        AddRule(holds, {Not(violates)});
        break;
    }
  }

  // One body for each way to find the fact that a rule is about.
  std::vector<Body> Finds(const ClaimRule& c) const {
    const ProgramTerm claim = Symbol(NameOf(c.claim));
    const ProgramAtom any_value = {ProgramRelation::kClaimValue, {claim, Any()}};
    std::vector<Body> bodies;
    if (c.rule == RuleKind::kExists || c.rule == RuleKind::kNotExists) {
      bodies.push_back({Is(any_value)});
      bodies.push_back({Is({ProgramRelation::kClaimLength, {claim, Any()}})});
    }
    if (c.rule == RuleKind::kMatches && c.pattern_error.empty())
      bodies.push_back({Is({ProgramRelation::kClaimMatch, {claim, Symbol(c.pattern), Any()}})});
    const bool contains = c.rule == RuleKind::kContains || c.rule == RuleKind::kNotContains;
    for (const Expected& expected : c.expected) {
      const ProgramTerm wanted = Symbol(expected.text);
      if (!expected.whole) {
        bodies.push_back({Is({ProgramRelation::kClaimValue, {claim, wanted}})});
        if (c.rule == RuleKind::kEquals) bodies.back().push_back(OnlyOne(any_value));
        if (contains) bodies.push_back({Is({ProgramRelation::kClaimPart, {claim, wanted, Any()}})});
        continue;
      }
      if (!contains) bodies.push_back({Is({ProgramRelation::kClaimWhole, {claim, wanted}})});
      if (c.rule == RuleKind::kEquals)
        bodies.back().push_back(OnlyOne({ProgramRelation::kClaimWhole, {claim, Any()}}));
      else bodies.push_back({Is({ProgramRelation::kClaimElement, {claim, wanted}})});
    }
    return bodies;
  }

  const Rulespec& rulespec_;
  const std::vector<ClaimFacts>& claims_;
  const Sources& sources_;
  RulespecProgram program_;
  std::vector<ProgramRule>* rules_ = nullptr;  // of the current predicate
  Ranks ranks_;
  std::unordered_set<std::string> names_;  // of the claims, filled for the first nested fact
  // The facts that were added already, by claim.
  std::set<std::size_t> numbered_;
  std::set<std::size_t> structured_;
  std::set<std::pair<std::size_t, std::string>> matched_;
};

}  // namespace

const std::vector<ProgramSchema>& ProgramSchemas() {
  static const std::vector<ProgramSchema> schemas = {
      {ProgramRelation::kClaimValue, "claim_value", "ss", {"claim", "value"}},
      {ProgramRelation::kClaimLength, "claim_length", "sn", {"claim", "length"}},
      {ProgramRelation::kClaimNumber, "claim_number", "ssn", {"claim", "value", "rank"}},
      {ProgramRelation::kClaimNan, "claim_nan", "ss", {"claim", "value"}},
      {ProgramRelation::kClaimWhole, "claim_whole", "ss", {"claim", "json"}},
      {ProgramRelation::kClaimElement, "claim_element", "ss", {"claim", "json"}},
      {ProgramRelation::kClaimPart, "claim_part", "sss", {"claim", "part", "value"}},
      {ProgramRelation::kClaimMatch, "claim_match", "sss", {"claim", "pattern", "value"}},
      {ProgramRelation::kClaimOther, "claim_other", "s", {"claim"}},
      {ProgramRelation::kHolds, "holds", "n", {"id"}},
      {ProgramRelation::kViolates, "violates", "n", {"id"}},
      {ProgramRelation::kWhenMet, "when_met", "n", {"id"}},
      {ProgramRelation::kWhenViolates, "when_violates", "n", {"id"}},
      {ProgramRelation::kPredicatePass, "predicate_pass", "n", {"id"}},
      {ProgramRelation::kPredicateFail, "predicate_fail", "n", {"id"}},
  };
  return schemas;
}

std::optional<RulespecProgram> Compile(const Rulespec& rulespec,
                                       const std::vector<ClaimFacts>& claims,
                                       const Sources& sources,
                                       const std::function<bool()>& goes_on) {
  return Compiler(rulespec, claims, sources).Compile(goes_on);
}

}  // namespace rpl
