// SPDX-License-Identifier: Apache-2.0
//
// A document as its reader sees it, with a run in its margin: rendered Markdown, a section for
// each heading, RPL in colours, and beside a section the notes whose places lie in it.
//
// Where the run filled in the prose of a heading, the filled text stands in place of the
// author's; elsewhere the emphasised spans show their variables.
#ifndef RPL_SHELL_PAGES_PROTOCOL_PAGE_H_
#define RPL_SHELL_PAGES_PROTOCOL_PAGE_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/outcome.h"
#include "shell/pages/page_places.h"

namespace rpl {

/// A note about a place of the document.
struct ProtocolNote {
  Span place;
  std::string kind;  // the class of its colour: "ask", "tool", "rule", "ok", "no", "open"
  std::string html;
};

/// The lines of a fence, or the rows of a table of facts, that are shown; the source has all.
inline constexpr std::size_t kFenceLines = 60;
/// The notes of a section that are shown.
inline constexpr std::size_t kSectionNotes = 8;

/// Facts by file and begin.
using PlacedFacts = std::set<std::pair<std::uint32_t, std::uint32_t>>;

/// The document, without its first heading if that is `title`. `filled` are texts of any document;
/// the rows of `used` facts are marked.
std::string ProtocolHtml(const PagePlaces& places, std::uint32_t file, const std::string& title,
                         const std::vector<ProtocolNote>& notes, const std::vector<ToDo>& filled,
                         const PlacedFacts& used = {});

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_PROTOCOL_PAGE_H_
