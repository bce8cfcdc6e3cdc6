// SPDX-License-Identifier: Apache-2.0
//
// The outcome of a run, as a person reads it: a sentence, the answers as tables, the instructions,
// its open questions, or the reason why it stopped.
//
// Only what the events record or a replay that agrees with them finds is told; what is not known is
// left out.
#ifndef RPL_SHELL_PAGES_OUTCOME_PAGE_H_
#define RPL_SHELL_PAGES_OUTCOME_PAGE_H_

#include <string>
#include <string_view>

#include "shell/pages/page_places.h"
#include "shell/pages/session_story.h"

namespace rpl {

/// The status of a turn, "not over" if it was cut off.
std::string StatusOf(const StoryTurn& turn);

/// The status as a coloured mark: a satisfied goal is good, open ends are open, the rest is bad.
std::string Badge(std::string_view status);

/// A sentence about the last turn, as HTML: "The goal %trip was reached, with one answer."
std::string OutcomeSentence(const StoryEpoch& epoch, const PagePlaces& places);

/// The section about the last turn: a heading and what it leads to. `id`: of the heading.
/// `current`: of the last epoch, so that what is open still is.
std::string OutcomeHtml(const StoryEpoch& epoch, const PagePlaces& places, const std::string& id,
                        bool current);

/// The turns before the last one, with their answers; "" if there are none.
std::string EarlierTurnsHtml(const StoryEpoch& epoch, const PagePlaces& places);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_OUTCOME_PAGE_H_
