// SPDX-License-Identifier: Apache-2.0
//
// Coverage of a program: which of its parts did something in a run, from the counters of a profile
// (interp/eval/profile.h). The parts are those of the program in normal form, with their places.
//
//   rule        it gave a row or an answer, known or not
//   heading     a goal's: its activation clause held (§16), or it has none and was evaluated.
//               One that asks: its question was open, or has answers. Another: its rule gave a row
//   branch      of a disjunction: it led to an answer of the clauses around it
//   constraint  an instance was violated. One that can only be pending (`-> true`) is no part
//
// A sentence that joins several headings is a part once.
#ifndef RPL_INTERP_EVAL_COVERAGE_H_
#define RPL_INTERP_EVAL_COVERAGE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interp/eval/profile.h"
#include "interp/program/program.h"

namespace rpl {

enum class PartKind : std::uint8_t { kRule, kHeading, kBranch, kConstraint };

/// "rule", "heading", "branch", "constraint".
std::string_view PartName(PartKind kind);

/// A part, with the number of times that it did something.
struct CoveredPart {
  PartKind kind = PartKind::kRule;
  Span place;
  std::string text;  // as written
  std::uint64_t count = 0;
};

/// The parts in all files of the program, by file, place and kind. REQUIRES: `profile` counted the
/// evaluations of this program and no other.
std::vector<CoveredPart> CoverageOf(const Program& program, const Profile& profile);

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_COVERAGE_H_
