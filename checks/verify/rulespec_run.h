// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of a rulespec on an envelope: its program (checks/verify/rulespec_program.h), run
// to fixpoint. A predicate fails if it violates `predicate-fail(?id) -> false`; both outcomes can
// be explained.
//
// Borrows the rulespec, the envelope and the sources, which must outlive it.
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

/// One evaluation. Neither copyable nor movable, like its FactBase.
class RulespecRun {
 public:
  /// Evaluates the rulespec. Adds the text of its rules to `sources`.
  RulespecRun(const Rulespec& rulespec, const Envelope& envelope, Sources& sources,
              const Limits& limits = {});

  /// The limit that ended the evaluation, as a message; there are no results then. "" if none did.
  const std::string& problem() const { return problem_; }

  /// One record for each predicate, in order. The metadata has kind, id, claim, rule, expected,
  /// actual (the values or lengths found, at most kShownValues), source, notes, when, skipped and
  /// location, as far as they apply.
  const std::vector<CheckResult>& results() const { return results_; }
  const RulespecProgram& program() const { return program_; }
  /// Warnings about selectors and lengths.
  const Diagnostics& findings() const { return findings_; }

  /// The name of a predicate's record: `caps contains #1`. REQUIRES: id is a predicate's.
  static std::string NameOf(const Rulespec& rulespec, std::size_t id);

  /// A derivation of `predicate-pass(id)`, or the reason why it does not hold. REQUIRES: id is a
  /// predicate's, and problem() is empty.
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
  Diagnostics findings_;
  std::string problem_;
  std::vector<bool> met_;  // by predicate: its `when` holds
  std::vector<CheckResult> results_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RULESPEC_RUN_H_
