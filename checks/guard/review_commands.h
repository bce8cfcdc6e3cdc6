// SPDX-License-Identifier: Apache-2.0
//
// Shell commands that answer reviews. A review is for a person: the tools of an agent do not
// answer it, whatever the policy says.
//
// This reads text, and is no proof: a script that holds such a command, or a command that is put
// together only when it runs, is not found. The conditions for the person who answers are in
// shell/commands/guard/guard_review.h.
#ifndef RPL_CHECKS_GUARD_REVIEW_COMMANDS_H_
#define RPL_CHECKS_GUARD_REVIEW_COMMANDS_H_

#include <string_view>
#include <vector>

#include "checks/guard/guard.h"

namespace rpl {

/// Whether a command of a shell has `approve`, `deny` or `secret` as a word behind the word
/// `guard`. Quotes, backslashes, line continuations and variables such as $IFS between them do not
/// hide it.
bool AnswersReviews(std::string_view command);

/// The finding for a call that is not made yet and whose arguments have such a command, as a text
/// or as a list of words; else none.
std::vector<NativeFinding> FindReviewCommands(const GuardCall& call);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_REVIEW_COMMANDS_H_
