// SPDX-License-Identifier: Apache-2.0
//
// The story of a session as one self-contained page of HTML: it loads nothing. The sources stand
// beside the timeline, and items with a place link to their line.
//
// Text of programs, people and tools is untrusted. It is escaped for terminals
// (formats/terminal_text.h) and for HTML, and occurs in elements only, never in attributes. A
// content security policy in the page forbids all loads, and all scripts and styles but the page's
// own, by their hash. Equal stories give equal bytes.
#ifndef RPL_SHELL_PAGES_TRACE_PAGE_H_
#define RPL_SHELL_PAGES_TRACE_PAGE_H_

#include <string>
#include <vector>

#include "shell/pages/session_story.h"

namespace rpl {

/// The number of lines shown of a file; the page states how many more it has.
inline constexpr std::size_t kPageSourceLines = 20'000;

/// The page, with its last line end. REQUIRES: the story has an epoch.
std::string TracePage(const std::vector<StoryEpoch>& story);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_TRACE_PAGE_H_
