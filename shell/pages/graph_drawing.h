// SPDX-License-Identifier: Apache-2.0
//
// The graph of a program as SVG inside a page, laid out by graph_layout.h: goals to the left, what
// they use to the right. Nodes link to their entries.
//
// Colours come from the style of the page, by class. Avars and `$json` are left out: nearly
// everything uses them.
#ifndef RPL_SHELL_PAGES_GRAPH_DRAWING_H_
#define RPL_SHELL_PAGES_GRAPH_DRAWING_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "shell/pages/program_catalogue.h"
#include "shell/pages/program_graph.h"

namespace rpl {

/// The class of an entry's colour: "goal", "ask", "rule", "text", "tool" or "avar".
std::string_view ColourOf(const CatalogueEntry& entry);

/// The id of an entry on the page: "e14".
std::string EntryId(std::size_t entry);

/// The drawing; "" if the graph has no line to draw.
std::string GraphSvg(const Catalogue& catalogue, const ProgramGraph& graph);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_GRAPH_DRAWING_H_
