// SPDX-License-Identifier: Apache-2.0
//
// A rulespec evaluated on an envelope: its program (checks/verify/rulespec_program.h) run by the
// engine to fixpoint. A predicate fails when `predicate-fail(?id) -> false` is violated, and
// each of both can be explained.
//
// Borrows the rulespec, the envelope and the sources.
#ifndef RPL_CHECKS_VERIFY_RULESPEC_RUN_H_
#define RPL_CHECKS_VERIFY_RULESPEC_RUN_H_

#include <string>
#include <vector>

#include "checks/verify/envelope.h"
#include "checks/verify/fact_base.h"
#include "checks/verify/result.h"
#include "checks/verify/rulespec.h"
#include "checks/verify/rulespec_program.h"

namespace rpl {

class RulespecRun {
 public:
  /// Evaluates. The rules go to `sources`.
  RulespecRun(const Rulespec& rulespec, const Envelope& envelope, Sources& sources,
              const Limits& limits = {});

  /// The limit that cut the evaluation off, in words: then there are no results. Else "".
  const std::string& problem() const { return problem_; }

  /// One for each predicate, in order. The metadata has kind, id, claim, rule, expected,
  /// actual (the values or lengths found, the first kShownValues), source, notes, when,
  /// skipped and location, as far as they apply.
  const std::vector<CheckResult>& results() const { return results_; }
  const RulespecProgram& program() const { return program_; }

  /// The name of a predicate's record: `caps contains #1`.
  static std::string NameOf(const Rulespec& rulespec, std::size_t id);

  /// Why a predicate passes, or why it does not. REQUIRES: a predicate's id.
  Explanation Explain(std::size_t id);

  static constexpr std::size_t kShownValues = 20;

 private:
  CheckResult ResultOf(std::size_t id, bool passed) const;
  std::string Found(const ClaimRule& condition) const;
  nlohmann::ordered_json Actual(const ClaimRule& condition) const;

  const Rulespec& rulespec_;
  const Sources& sources_;
  std::vector<ClaimFacts> claims_;
  RulespecProgram program_;
  FactBase base_;
  std::string problem_;
  std::vector<bool> met_;  // by predicate: its condition holds
  std::vector<CheckResult> results_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RULESPEC_RUN_H_
