// SPDX-License-Identifier: Apache-2.0
//
// The events of a session as HTML: questions with their answers, calls of tools, violations, and
// the timeline of timesteps and phases with everything that was recorded.
//
// Ids of items are unique on the page: `t3-i2-1` is the third item of timestep 3 of epoch 1.
#ifndef RPL_SHELL_PAGES_TIMELINE_PAGE_H_
#define RPL_SHELL_PAGES_TIMELINE_PAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shell/pages/page_places.h"
#include "shell/pages/protocol_page.h"
#include "shell/pages/session_story.h"

namespace rpl {

/// An item of the story with the timestep that it belongs to.
struct FoundItem {
  const StoryStep* step;
  const StoryItem* item;
  std::string id;
};

bool IsViolation(const StoryItem& item);
bool IsQuestion(const StoryItem& item);
bool IsToolCall(const StoryItem& item);

/// The items for which `wanted` holds, in order. `epoch`: its number.
std::vector<FoundItem> FindItems(const StoryEpoch& story, std::size_t epoch,
                                 bool (*wanted)(const StoryItem&));

/// Milliseconds from the first to the last timestep of the story; nullopt if the clock did not
/// advance by a second, which is as fine as times are recorded.
std::optional<std::int64_t> TimeOf(const StoryEpoch& story);

/// What a run adds to its document: answers, replies, violations and reached goals, by place.
std::vector<ProtocolNote> NotesOf(const StoryEpoch& story, std::size_t epoch);

/// Sections; "" if there is nothing to tell. Headings have the ids "questions-1", "tools-1", ….
std::string QuestionsHtml(const StoryEpoch& story, const PagePlaces& places, std::size_t epoch);
std::string ToolsHtml(const StoryEpoch& story, const PagePlaces& places, std::size_t epoch);
std::string ViolationsHtml(const StoryEpoch& story, const PagePlaces& places, std::size_t epoch);
std::string TimelineHtml(const StoryEpoch& story, const PagePlaces& places, std::size_t epoch);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_TIMELINE_PAGE_H_
