// SPDX-License-Identifier: Apache-2.0
//
// The story of a session as one page of HTML that needs nothing else: no network, no other
// file. Beside the timeline stand the sources, and what has a place there links to its line.
//
// Text of programs, people and tools is hostile. It is shown as formats/terminal_text.h shows
// it and escaped for HTML, and stands in elements only, never in an attribute; a policy in
// the page forbids every load, and every script and style but the page's own, by their hash.
// The same story gives the same bytes.
#ifndef RPL_SHELL_PAGES_TRACE_PAGE_H_
#define RPL_SHELL_PAGES_TRACE_PAGE_H_

#include <string>
#include <vector>

#include "shell/pages/session_story.h"

namespace rpl {

/// The lines of a file that a page shows; it says how many more there are.
inline constexpr std::size_t kPageSourceLines = 20'000;

/// The page, with its last line end. REQUIRES: an epoch.
std::string TracePage(const std::vector<StoryEpoch>& story);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_TRACE_PAGE_H_
