// SPDX-License-Identifier: Apache-2.0
//
// Rules that content must satisfy (OS Protocol, "Rules"), from all sources in one set.
//
// A rule is a predicate of a rulespec, a constraint of an RPL program, or a function of the host.
// All programs of a set form one program. The name of a constraint's rule is its heading in
// kebab-case, or its place (`rules.rpl:3`) if there is none; its description is the prose under the
// heading. `severity("draft-reviewed", :warning)` sets the severity of a failure, which is error by
// default. Names are unique in a set.
//
// To constraints, content is facts: `content(path, value)` for each scalar, where the path is a
// list of keys and indexes, and `content-text(text)`, the text itself or, for structured content,
// its JSON.
//
// Evaluation gives one record for each rule, in the order of addition, and continues after a
// failure. A rule that cannot be evaluated fails, with `error: true` in its metadata.
#ifndef RPL_CHECKS_VERIFY_RULES_H_
#define RPL_CHECKS_VERIFY_RULES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checks/verify/fact_base.h"
#include "checks/verify/result.h"
#include "checks/verify/rulespec.h"
#include "checks/verify/rulespec_run.h"

namespace rpl {

/// The content to be checked; untrusted. If the set has rulespecs, it is their envelope.
struct Content {
  std::string name;  // of the file
  std::string text;
  bool structured = true;  // YAML or JSON; false for plain text
};

/// A rule as `List` shows it. `place` is absent for rules of the host.
struct RuleInfo {
  std::string name;
  std::string description;
  Severity severity = Severity::kError;
  /// Of a constraint: told in place of what violates it, which it may be there to keep out. "" for
  /// none.
  std::string message = {};
  nlohmann::ordered_json metadata = nlohmann::ordered_json::object();
  std::optional<Span> place;
};

/// A rule of the host. `evaluate` gives the record for a content; the set fills in its name and
/// severity. An exception counts as a rule that cannot be evaluated.
struct HostRule {
  RuleInfo info;
  std::function<CheckResult(const nlohmann::ordered_json& content)> evaluate;
};

/// A set of rules. Order of calls: the Add functions, Settle once, then Evaluate any number of
/// times.
class RuleSet {
 public:
  /// Adds texts to `sources`, which must outlive the set.
  explicit RuleSet(Sources& sources) : sources_(sources), base_(sources) {}

  /// Adds the predicates of a rulespec, or the constraints of a program. Errors are added to
  /// `found`; a text with errors adds no rules, and a rule with the name of an earlier one is
  /// dropped. REQUIRES: no Evaluate after an error.
  void AddRulespec(std::uint32_t file, Diagnostics& found);
  void AddProgram(const std::string& name, const std::string& text, Diagnostics& found);
  /// Adds a rule of the host; false if the set has a rule of this name.
  bool AddHost(HostRule rule);
  /// Sets the severities of constraints and adds the checker's findings about the programs.
  void Settle(Diagnostics& found);

  /// The rules in the order of evaluation.
  const std::vector<RuleInfo>& List() const { return rules_; }
  /// The rule of that name, or null. Valid until a rule is added.
  const RuleInfo* Get(const std::string& name) const;
  bool has_rulespec() const { return !rulespecs_.empty(); }

  /// The settings of one evaluation.
  struct Options {
    std::string only;  // the name of the only rule to report, or ""
    std::string now;   // the value of `now`, in ISO 8601
    FactBase::ToolCaller tools;
    Limits limits;
  };
  /// Checks a content. The findings of the report are about the content: if one is an error there
  /// are no results. `runs`, if not null, receives the runs of the rulespecs, in order. REQUIRES:
  /// Settle was called.
  CheckReport Evaluate(const Content& content, const Options& options,
                       std::vector<std::unique_ptr<RulespecRun>>* runs = nullptr);

  const std::vector<std::unique_ptr<Rulespec>>& rulespecs() const { return rulespecs_; }
  /// The envelope of the last Evaluate, which its runs borrow.
  const std::optional<Envelope>& envelope() const { return envelope_; }

 private:
  /// The origin of the rule rules_[i].
  struct Origin {
    enum class Kind { kPredicate, kConstraint, kHost };
    Kind kind;
    std::size_t owner = 0;  // index of its rulespec or host rule
    std::size_t index = 0;  // of its predicate, or of its constraint in programs_
  };
  struct Program {
    std::string name;
    std::string text;
  };

  /// False, with a finding if `found` is not null, if the name is taken.
  bool Add(RuleInfo info, Origin origin, Diagnostics* found);
  std::string Description(const Document& document, Span span) const;
  /// Calls `take` with each row of a binary relation of the programs, and its place.
  template <typename Fn>
  void ForEachFact(std::string_view relation, Fn&& take) const;
  RuleInfo* ConstraintNamed(const std::string& name);
  std::string NearestRule(const std::string& name) const;
  void SettleSeverities(Diagnostics& found);
  void SettleMessages(Diagnostics& found);
  /// Adds the facts content/2 and content-text/1.
  void AddContent(FactBase& base, const nlohmann::ordered_json& value, const Content& content,
                  Span place);
  /// The record of a rule; `problem`, if not empty, makes it one that cannot be evaluated.
  CheckResult OfConstraint(FactBase& base, std::size_t rule, const std::string& problem) const;
  CheckResult OfHost(std::size_t rule, const nlohmann::ordered_json& value) const;
  CheckResult Unevaluated(std::size_t rule, const std::string& problem) const;

  Sources& sources_;
  FactBase base_;                     // the programs without any content
  std::vector<Program> programs_;     // those without errors
  std::size_t constraints_ = 0;       // of programs_
  std::vector<std::uint32_t> files_;  // of the programs
  std::vector<std::unique_ptr<Rulespec>> rulespecs_;
  std::vector<HostRule> hosts_;
  std::vector<RuleInfo> rules_;
  std::vector<Origin> origins_;  // parallel to rules_
  std::map<std::string, std::size_t> names_;
  std::optional<Envelope> envelope_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RULES_H_
