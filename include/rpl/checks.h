// SPDX-License-Identifier: Apache-2.0
//
// Rules that content must satisfy, inside another program: everything public is in class
// rpl::Checks. The interface is that of OS Protocol's Rules, with values in place of promises.
//
// A set of rules is made of predicates of rulespecs, constraints of RPL programs, and
// functions of the host, in any mixture; names are unique. Evaluate gives one result for each
// rule, in the order they were added, and goes on after a failure.
//
// Content is JSON, and all texts are UTF-8. To constraints it is facts: content(path, value)
// for each scalar, where the path is a list of keys and indexes, and content-text(text), which
// is the content itself when that is a string, else its JSON. For rulespecs it is an action
// envelope, {"facts": {…}}.
//
// Nothing is thrown, except std::bad_alloc. A set is used by one thread at a time. The same
// rules and the same content give the same results, if the host's functions do.
#ifndef RPL_CHECKS_H_
#define RPL_CHECKS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rpl/rpl.h"

namespace rpl {

class Checks {
 public:
  using Severity = Engine::Severity;
  using Finding = Engine::Finding;

  /// RuleResult.
  struct Result {
    std::string rule_name;
    bool passed = false;
    Severity severity = Severity::kError;
    std::string message;          // a sentence for people, never empty
    std::string metadata = "{}";  // a JSON object
  };

  /// A rule of the host. `evaluate` gets the content as JSON; of what it returns, `passed`,
  /// `message` and `metadata` are taken. An exception, or metadata that is no JSON object, is a
  /// rule that cannot be evaluated: it fails, with "error": true in its metadata.
  struct Rule {
    std::string name;
    std::string description;
    Severity severity = Severity::kError;
    std::function<Result(const std::string& content)> evaluate;
  };

  /// What is known of a rule, wherever it comes from.
  struct Info {
    std::string name;
    std::string description;
    Severity severity = Severity::kError;
  };

  Checks();
  ~Checks();
  Checks(Checks&& other) noexcept;
  Checks& operator=(Checks&& other) noexcept;

  /// Adds the predicates of a rulespec in YAML or JSON. With an error among the findings it
  /// adds nothing.
  std::vector<Finding> AddRulespec(const std::string& name, const std::string& text);

  /// Adds the constraints of a program: plain RPL when `name` ends in .rpl, else Markdown. All
  /// programs of a set are one. A rule is named by its heading, in kebab-case, or by its
  /// place; severity("name", :warning) says how bad its failure is. With an error it adds
  /// nothing.
  std::vector<Finding> AddProgram(const std::string& name, const std::string& text);

  /// False when there is a rule of this name.
  bool Add(Rule rule);

  std::vector<Info> List() const;
  std::optional<Info> Get(const std::string& name) const;

  struct Results {
    std::vector<Result> results;
    /// What is wrong with the content. With an error there are no results.
    std::vector<Finding> findings;
  };
  Results Evaluate(const std::string& content) const;
  /// One rule alone: the same result as among the others. No result when there is none of this
  /// name.
  Results Evaluate(const std::string& content, const std::string& name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_H_
