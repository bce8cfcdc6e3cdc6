// SPDX-License-Identifier: Apache-2.0
//
// The texts of a rulespec's evaluation: its program in RPL and in Souffle's syntax
// (`rulespec.compiled.dl`), and the report for people (`datalog_evaluation.txt`).
//
// Equal inputs give equal bytes. The Datalog file is a complete program: a stock engine derives the
// same predicate_pass and predicate_fail from it. It does not rely on numbers of more than 32 bits,
// on conversions, or on an engine's own regexes.
#ifndef RPL_CHECKS_VERIFY_RULESPEC_REPORT_H_
#define RPL_CHECKS_VERIFY_RULESPEC_REPORT_H_

#include <string>
#include <string_view>
#include <vector>

#include "checks/verify/result.h"
#include "checks/verify/rulespec.h"
#include "checks/verify/rulespec_program.h"

namespace rpl {

/// The name of a relation in RPL, in kebab-case: claim-value for claim_value.
std::string RplName(std::string_view name);

/// The rules as RPL, and the constraint that no predicate fails.
std::string RulesAsRpl(const RulespecProgram& program);

/// The program as Souffle text: declarations, facts, and for each predicate a comment and its
/// rules. Texts of the rulespec and the envelope are escaped.
std::string ProgramAsSouffle(const Rulespec& rulespec, const RulespecProgram& program);

/// A text as a symbol of Souffle, in quotes.
std::string SouffleSymbol(std::string_view text);

/// One block for each predicate: mark, source, id, claim, rule and value on one line, then the
/// reason, then its notes. `results` are those of the predicates, in their order; `extracted` is
/// the number of facts of the claims.
std::string EvaluationReport(const Rulespec& rulespec, const std::vector<CheckResult>& results,
                             std::size_t extracted);

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RULESPEC_REPORT_H_
