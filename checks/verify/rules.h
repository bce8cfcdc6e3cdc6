// SPDX-License-Identifier: Apache-2.0
//
// Rules that content must satisfy (OS Protocol, "Rules"): one set of whatever says so.
//
// A rule is a predicate of a rulespec, a constraint of an RPL program, or a function of the
// host. All programs of a set are one program. A constraint's rule is named by its heading,
// in lower case with hyphens, or by its place (`rules.rpl:3`) where there is none; its
// description is the prose under the heading. `severity("draft-reviewed", :warning)` says how
// bad a failure is, without such a fact it is an error. Names are unique in a set.
//
// To constraints, content is facts: `content(path, value)` for each scalar, where the path is
// a list of keys and indexes, and `content-text(text)`, the text itself or else its JSON.
//
// Evaluating gives one record for each rule, in the order they were added, and goes on after
// a failure. A rule that cannot be evaluated fails, with `error: true` in its metadata.
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

/// What is checked. An envelope for the rulespecs of a set, when it has one.
struct Content {
  std::string name;  // of the file
  std::string text;
  bool structured = true;  // YAML or JSON; else plain text
};

struct RuleInfo {
  std::string name;
  std::string description;
  Severity severity = Severity::kError;
  nlohmann::ordered_json metadata = nlohmann::ordered_json::object();
  std::optional<Span> place;
};

/// A rule of the host: its record for a content, whose name and severity are filled in. An
/// exception is a rule that cannot be evaluated.
struct HostRule {
  RuleInfo info;
  std::function<CheckResult(const nlohmann::ordered_json& content)> evaluate;
};

class RuleSet {
 public:
  /// Texts are added to `sources`, which must outlive the set.
  explicit RuleSet(Sources& sources) : sources_(sources), base_(sources) {}

  /// What is wrong goes to `found`; with an error there, nothing of the text is in the set.
  void AddRulespec(std::uint32_t file, Diagnostics& found);
  void AddProgram(const std::string& name, const std::string& text, Diagnostics& found);
  /// False when a rule of this name is in the set.
  bool AddHost(HostRule rule);
  /// Gives constraints their severities. To be called once all is added.
  void Settle(Diagnostics& found);

  /// In the order of evaluation.
  const std::vector<RuleInfo>& List() const { return rules_; }
  const RuleInfo* Get(const std::string& name) const;
  bool has_rulespec() const { return !rulespecs_.empty(); }

  struct Options {
    std::string only;  // the name of the one rule whose record is wanted, or ""
    std::string now;   // what `now` stands for, in ISO 8601
    FactBase::ToolCaller tools;
    Limits limits;
  };
  /// The findings are of the content: with an error there are no results. `runs` are those of
  /// the rulespecs, in order.
  CheckReport Evaluate(const Content& content, const Options& options,
                       std::vector<std::unique_ptr<RulespecRun>>* runs = nullptr);

  const std::vector<std::unique_ptr<Rulespec>>& rulespecs() const { return rulespecs_; }
  /// What the last Evaluate read as envelope, for as long as its runs are used.
  const std::optional<Envelope>& envelope() const { return envelope_; }

 private:
  /// Where the rule `rules_[i]` comes from.
  struct Origin {
    enum class Kind { kPredicate, kConstraint, kHost };
    Kind kind;
    std::size_t owner = 0;  // rulespec or host rule
    std::size_t index = 0;  // predicate, or constraint among those of programs_
  };
  struct Program {
    std::string name;
    std::string text;
  };

  bool Add(RuleInfo info, Origin origin, Diagnostics* found);
  std::string Description(const Document& document, Span span) const;
  void AddContent(FactBase& base, const nlohmann::ordered_json& value, const Content& content,
                  Span place);
  CheckResult OfConstraint(FactBase& base, std::size_t rule, const std::string& problem) const;
  CheckResult OfHost(std::size_t rule, const nlohmann::ordered_json& value) const;
  CheckResult Unevaluated(std::size_t rule, const std::string& problem) const;

  Sources& sources_;
  FactBase base_;                     // the programs, for what is known without content
  std::vector<Program> programs_;     // those without errors
  std::size_t constraints_ = 0;       // of programs_
  std::vector<std::uint32_t> files_;  // of the programs
  std::vector<std::unique_ptr<Rulespec>> rulespecs_;
  std::vector<HostRule> hosts_;
  std::vector<RuleInfo> rules_;
  std::vector<Origin> origins_;  // as rules_
  std::map<std::string, std::size_t> names_;
  std::optional<Envelope> envelope_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RULES_H_
