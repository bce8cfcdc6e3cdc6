// SPDX-License-Identifier: Apache-2.0
//
// A rulespec and an envelope as a Datalog program: the claims become facts, the predicates rules.
// The engine runs it (checks/verify/rulespec_run.h), and so can another engine, because it also
// prints in Souffle's syntax (checks/verify/rulespec_report.h).
//
//   claim_value(c, v)        a value of the claim c, see checks/verify/envelope.h
//   claim_length(c, n)       a selected list has n elements
//   claim_number(c, v, r)    the value v is a number; r is its rank from 0 among all numbers that
//                            are compared; equal numbers share a rank
//   claim_nan(c, v)          the value v is no number
//   claim_whole(c, j)        a selected node, as canonical JSON
//   claim_element(c, j)      a list or map that is an element of a selected list
//   claim_part(c, p, v)      the selected string v contains p
//   claim_match(c, p, v)     the regex p matches the value v
//   claim_other(c)           a node other than a list is selected
//
// The first two exist for every claim, including the contents of maps: the field k of a claim c is
// the claim c.k (c..k if there is a claim of that name). The others contain only the facts that a
// predicate needs. Engines differ in numbers, regexes and parts of texts, so these are evaluated
// here: comparisons of numbers become comparisons of ranks. For the predicate i:
//
//   holds(i)                 its rule holds
//   violates(i)              a forbidden fact exists; auxiliary to holds(i)
//   when_met(i)              its condition holds
//   when_violates(i)         the same as violates, for when_met(i)
//   predicate_pass(i)        holds, or the condition is not met
//   predicate_fail(i)        not pass
#ifndef RPL_CHECKS_VERIFY_RULESPEC_PROGRAM_H_
#define RPL_CHECKS_VERIFY_RULESPEC_PROGRAM_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/verify/envelope.h"
#include "checks/verify/rulespec.h"

namespace rpl {

/// The relations of the program, as listed above.
enum class ProgramRelation : std::uint8_t {
  kClaimValue,
  kClaimLength,
  kClaimNumber,
  kClaimNan,
  kClaimWhole,
  kClaimElement,
  kClaimPart,
  kClaimMatch,
  kClaimOther,
  kHolds,
  kViolates,
  kWhenMet,
  kWhenViolates,
  kPredicatePass,
  kPredicateFail,
};

/// The name and columns of a relation: "claim_value", and "sn" for a symbol and a number.
struct ProgramSchema {
  ProgramRelation relation;
  std::string_view name;
  std::string_view columns;
  std::vector<std::string_view> names;  // of its columns
};
/// One schema for each relation, in the order of the enumeration.
const std::vector<ProgramSchema>& ProgramSchemas();  // in the order of the enumeration

/// A constant, a variable, or `_`.
struct ProgramTerm {
  enum class Kind : std::uint8_t { kSymbol, kNumber, kVariable, kAny };
  Kind kind = Kind::kAny;
  std::string text;  // kSymbol, and the name of a kVariable
  std::int64_t number = 0;

  friend auto operator<=>(const ProgramTerm&, const ProgramTerm&) = default;
};

/// A relation applied to one term per column.
struct ProgramAtom {
  ProgramRelation relation;
  std::vector<ProgramTerm> args;

  friend auto operator<=>(const ProgramAtom&, const ProgramAtom&) = default;
};

/// One literal of a rule's body; `atom` is unused for kCompare, and the last three members are used
/// only for it.
struct ProgramLiteral {
  enum class Kind : std::uint8_t {
    kAtom,
    kNot,      // no such row
    kOnlyOne,  // one row matches the atom
    kCompare,  // variable, comparison, number
  };
  Kind kind = Kind::kAtom;
  ProgramAtom atom;
  std::string variable;
  std::string_view comparison;  // "<", ">", "<=", ">="
  std::int64_t number = 0;
};

/// A Datalog rule.
struct ProgramRule {
  ProgramAtom head;
  std::vector<ProgramLiteral> body;  // empty: unconditional
};

/// The program.
struct RulespecProgram {
  std::vector<ProgramAtom> facts;               // sorted, without duplicates
  std::size_t extracted = 0;                    // number of claim_value and claim_length facts
  std::vector<std::vector<ProgramRule>> rules;  // by predicate
};

/// Compiles a rulespec. `claims` are the selections of its claims, in their order. `goes_on` is
/// called at each predicate; nullopt once it returns false.
std::optional<RulespecProgram> Compile(const Rulespec& rulespec,
                                       const std::vector<ClaimFacts>& claims,
                                       const Sources& sources,
                                       const std::function<bool()>& goes_on);

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RULESPEC_PROGRAM_H_
