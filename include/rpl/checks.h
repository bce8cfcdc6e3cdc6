// SPDX-License-Identifier: Apache-2.0
//
// Rules that content must satisfy, for embedding in another program: all public names are in class
// rpl::Checks. The interface is that of OS Protocol's Rules, with values in place of promises.
//
// A set of rules consists of predicates of rulespecs, constraints of RPL programs, and functions of
// the host, in any combination; names are unique. Evaluate gives one result for each rule, in the
// order of addition, and continues after a failure.
//
// Content is JSON, and all texts are UTF-8. To constraints it is facts: content(path, value) for
// each scalar, where the path is a list of keys and indexes, and content-text(text), which is the
// content itself if that is a string, else its JSON. To rulespecs it is an action envelope,
// {"facts": {…}}.
//
// Nothing is thrown except std::bad_alloc. A set is used by one thread at a time. The same rules
// and the same content give the same results, if the host's functions do.
#ifndef RPL_CHECKS_H_
#define RPL_CHECKS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rpl/rpl.h"

namespace rpl {

/// A set of rules. Movable; a set that was moved from has no rules, and takes none. A rule of the
/// host may do anything with its set but evaluate it, which gives an error; the evaluation goes on
/// with the rules that it began with.
class Checks {
 public:
  using Severity = Engine::Severity;
  using Finding = Engine::Finding;

  /// The record of one rule: OS Protocol's RuleResult.
  struct Result {
    std::string rule_name;
    bool passed = false;
    Severity severity = Severity::kError;
    std::string message;          // a sentence for people, never empty
    std::string metadata = "{}";  // a JSON object
  };

  /// A rule of the host. `evaluate` receives the content as JSON; `passed`, `message` and
  /// `metadata` of its result are used. An exception, or metadata that is no JSON object, counts as
  /// a rule that cannot be evaluated: it fails, with "error": true in its metadata.
  struct Rule {
    std::string name;
    std::string description;
    Severity severity = Severity::kError;
    std::function<Result(const std::string& content)> evaluate;
  };

  /// The description of a rule, independent of its origin.
  struct Info {
    std::string name;
    std::string description;
    Severity severity = Severity::kError;
  };

  Checks();
  ~Checks();
  Checks(Checks&& other) noexcept;
  Checks& operator=(Checks&& other) noexcept;

  /// Adds the predicates of a rulespec in YAML or JSON. If one of the findings is an error, nothing
  /// is added. `name` is the file name in findings.
  std::vector<Finding> AddRulespec(const std::string& name, const std::string& text);

  /// Adds the constraints of a program: plain RPL if `name` ends in .rpl, else Markdown. All
  /// programs of a set form one program. The name of a rule is its heading in kebab-case, or its
  /// place; severity("name", :warning) sets the severity of its failure. If one of the findings is
  /// an error, nothing is added.
  std::vector<Finding> AddProgram(const std::string& name, const std::string& text);

  /// Adds a rule of the host; false if there is a rule of this name.
  bool Add(Rule rule);

  /// All rules, in the order of evaluation.
  std::vector<Info> List() const;
  /// The rule of that name, or nullopt.
  std::optional<Info> Get(const std::string& name) const;

  /// The outcome of an evaluation.
  struct Results {
    std::vector<Result> results;
    /// Findings about the content. If one is an error there are no results.
    std::vector<Finding> findings;
  };
  /// Evaluates all rules on a content, a JSON text.
  Results Evaluate(const std::string& content) const;
  /// Evaluates one rule alone, with the same result as among the others. No result if there is no
  /// rule of this name.
  Results Evaluate(const std::string& content, const std::string& name) const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with an evaluation that runs
};

}  // namespace rpl

#endif  // RPL_CHECKS_H_
