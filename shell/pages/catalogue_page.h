// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of a program as one self-contained page of HTML: its goals, relations, tools and
// avars under the headings of the document, a drawing of what uses what, the constraints and the
// source. A search field, which the script adds, filters names and prose.
//
// Text of programs is untrusted; shell/pages/html.h escapes it. Equal programs give equal bytes.
#ifndef RPL_SHELL_PAGES_CATALOGUE_PAGE_H_
#define RPL_SHELL_PAGES_CATALOGUE_PAGE_H_

#include <string>

#include "shell/pages/program_catalogue.h"
#include "shell/pages/program_graph.h"

namespace rpl {

/// The page, with its last line end. REQUIRES: the catalogue has a source.
std::string CataloguePage(const Catalogue& catalogue, const ProgramGraph& graph);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_CATALOGUE_PAGE_H_
