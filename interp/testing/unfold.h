// SPDX-License-Identifier: Apache-2.0
//
// Conditions of helpers in the place of their calls.
//
// A count in a helper is for the value that the caller of the helper binds (decision 94), so
//
//   idle(?p) <- |plays(?p, _)| = 0
//   lazy(?q) <- member(?q), idle(?q)
//
// has the answers of `lazy(?q) <- member(?q), (idle(?q) | |plays(?q, _)| = 0)`, where idle(?q)
// stands for the rows that idle has without a caller. An evaluator that knows nothing of callers
// can read the second form.
//
// A helper that needs an argument which no clause beside its call binds is unfolded as well, with
// its facts: what it has without a caller binds the argument, and may bind those of others.
#ifndef RPL_INTERP_TESTING_UNFOLD_H_
#define RPL_INTERP_TESTING_UNFOLD_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"

namespace rpl {

/// By label: the sets of columns, as digits, one of which a call of the relation must bind.
using Needs = std::map<std::string, std::vector<std::string>>;

/// Begins the problems of Unfolded.
inline constexpr std::string_view kNoForm = "no form without callers";

/// The sentences with such calls unfolded, of all relations whose rows may depend on a caller so.
/// nullopt with `problem` where there is no such form: a counted or recursive call, a rule that
/// gathers. `keys_bind`: readers take the rows of a closed text for those of any relation
/// (RandomProgram::ClosedText), though they are answers for a caller; a rule has no form that reads
/// such a relation beside a call that is unfolded. A call binds nothing before the columns that it
/// needs are bound.
std::optional<std::vector<Sentence>> Unfolded(const std::vector<Sentence>& sentences,
                                              const Needs& needs, bool keys_bind,
                                              std::string* problem);

}  // namespace rpl

#endif  // RPL_INTERP_TESTING_UNFOLD_H_
