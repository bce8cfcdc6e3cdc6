// SPDX-License-Identifier: Apache-2.0
//
// The source of a program as a page shows it: numbered lines, RPL in colours, and Markdown as
// written.
#ifndef RPL_SHELL_PAGES_SOURCE_PAGE_H_
#define RPL_SHELL_PAGES_SOURCE_PAGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "shell/pages/page_places.h"

namespace rpl {

struct LineMark {
  std::string style;  // a class of the page's style
  std::string note;   // for the pointer, or ""
};

/// A file, with an id for each line; `marks` are of lines, from 1.
std::string SourceHtml(const PagePlaces& places, std::uint32_t file,
                       const std::map<std::size_t, LineMark>& marks = {});

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_SOURCE_PAGE_H_
