// SPDX-License-Identifier: Apache-2.0
//
// A rulespec and an envelope as a Datalog program: facts of the claims, rules of the
// predicates. The engine runs it (checks/verify/rulespec_run.h); another engine can, too, for it
// prints as RPL and in Souffle's syntax (checks/verify/rulespec_report.h).
//
//   claim_value(c, v)        a value of the claim c, see checks/verify/envelope.h
//   claim_length(c, n)       a selected list has n elements
//   claim_number(c, v, r)    the value v is a number; r is its place among all numbers that
//                            are compared, counted from 0; equal numbers share one
//   claim_nan(c, v)          the value v is no number
//   claim_whole(c, j)        the one selected list or map, as canonical JSON
//   claim_element(c, j)      a list or map that is an element of a selected list
//   claim_part(c, p, v)      the selected string v contains p
//   claim_match(c, p, v)     the value v matches the regex p
//   claim_other(c)           something is selected that is no list
//
// The first two are there for every claim, with what stands inside of maps: the field k of a
// claim c as claim c.k (c..k when there is such a claim). The others only hold what a
// predicate asks for: what no engine agrees on is decided here, comparisons of numbers as
// comparisons of ranks. For the predicate i:
//
//   holds(i)                 its rule holds
//   violates(i)              what its rule forbids was found; helps to say holds(i)
//   when_met(i)              its condition holds
//   when_violates(i)         the same for when_met(i)
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

/// The name and columns of a relation, as in the table above: "claim_value", and "sn" for a
/// symbol and a number.
struct ProgramSchema {
  ProgramRelation relation;
  std::string_view name;
  std::string_view columns;
  std::vector<std::string_view> names;  // of its columns
};
const std::vector<ProgramSchema>& ProgramSchemas();  // in the order of the enumeration

struct ProgramTerm {
  enum class Kind : std::uint8_t { kSymbol, kNumber, kVariable, kAny };
  Kind kind = Kind::kAny;
  std::string text;  // kSymbol, and the name of a kVariable
  std::int64_t number = 0;

  friend auto operator<=>(const ProgramTerm&, const ProgramTerm&) = default;
};

struct ProgramAtom {
  ProgramRelation relation;
  std::vector<ProgramTerm> args;

  friend auto operator<=>(const ProgramAtom&, const ProgramAtom&) = default;
};

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

struct ProgramRule {
  ProgramAtom head;
  std::vector<ProgramLiteral> body;  // empty: it holds
};

struct RulespecProgram {
  std::vector<ProgramAtom> facts;               // sorted, each once
  std::size_t extracted = 0;                    // those of claim_value and claim_length
  std::vector<std::vector<ProgramRule>> rules;  // by predicate
};

/// `claims` are what the claims of the rulespec select, in their order. `goes_on` is asked at
/// each predicate; when it says no, nullopt.
std::optional<RulespecProgram> Compile(const Rulespec& rulespec,
                                       const std::vector<ClaimFacts>& claims,
                                       const Sources& sources,
                                       const std::function<bool()>& goes_on);

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RULESPEC_PROGRAM_H_
