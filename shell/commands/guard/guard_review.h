// SPDX-License-Identifier: Apache-2.0
//
// `rpl guard pending`, `approve`, `deny` and `secret`: people answer what a policy holds.
//
// Only a person answers: one who confirms the call that is shown at a terminal, or one who gives
// the secret of the store. Each answer is in the audit log of the run that asked, if it
// has one, with who and when; an answer that cannot be written there is not given.
#ifndef RPL_SHELL_COMMANDS_GUARD_GUARD_REVIEW_H_
#define RPL_SHELL_COMMANDS_GUARD_GUARD_REVIEW_H_

#include "shell/commands/guard/guard_options.h"

namespace rpl {

/// Lists the calls that await a review.
int ListReviews(const GuardCommandOptions& options);
/// Approves (kApprove) or denies (kDeny) one of them. kExitInvalid if there is no such request, or
/// nobody confirms it.
int AnswerReview(const GuardCommandOptions& options);
/// Sets the secret of a store: a new one's at once, another's at a terminal, by a person who knows
/// the secret that it replaces.
int SetReviewSecret(const GuardCommandOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_GUARD_GUARD_REVIEW_H_
