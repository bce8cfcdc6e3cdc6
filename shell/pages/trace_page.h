// SPDX-License-Identifier: Apache-2.0
//
// The story of a session as one self-contained page of HTML: it loads nothing. It begins with how
// the run ended, goes on with the document as the run filled it in, questions, calls and proofs,
// and ends with the timeline and the source, to whose lines every item with a place links.
//
// Text of programs, people and tools is untrusted; shell/pages/html.h escapes it, and the page has
// its content security policy. Equal stories give equal bytes.
#ifndef RPL_SHELL_PAGES_TRACE_PAGE_H_
#define RPL_SHELL_PAGES_TRACE_PAGE_H_

#include <string>
#include <vector>

#include "shell/pages/session_story.h"

namespace rpl {

/// The page, with its last line end. REQUIRES: the story has an epoch.
std::string TracePage(const std::vector<StoryEpoch>& story);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_TRACE_PAGE_H_
