// SPDX-License-Identifier: Apache-2.0
//
// The graph of a program: arrows lead from users to what they use. Goals, relations, tools and
// avars have different shapes, and namespaces are boxes.
//
// A graph that is too large to be read is cut: the nodes nearest to the goals stay, and a note in
// the graph gives the numbers that are left out.
#ifndef RPL_SHELL_PAGES_PROGRAM_GRAPH_H_
#define RPL_SHELL_PAGES_PROGRAM_GRAPH_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "shell/pages/program_catalogue.h"

namespace rpl {

/// The nodes and edges to draw.
struct ProgramGraph {
  std::vector<std::size_t> nodes;                          // indexes of entries, ascending
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // user and used, in the order of users
  std::string note;  // the numbers that were left out; "" if complete
};

/// The maximal size of a drawn graph. Mermaid refuses more than 500 arrows.
struct GraphLimits {
  std::size_t nodes;
  std::size_t edges;
};
inline constexpr GraphLimits kMermaidLimits{150, 400};
inline constexpr GraphLimits kDotLimits{2'000, 10'000};

/// The graph of a catalogue, cut to the limits. Breadth first from the goals.
ProgramGraph GraphOf(const Catalogue& catalogue, const GraphLimits& limits);

/// The graph as a Mermaid flow chart. Names are untrusted and escaped.
std::string MermaidText(const Catalogue& catalogue, const ProgramGraph& graph);

/// The graph as a Graphviz digraph. Names are untrusted and escaped.
std::string DotText(const Catalogue& catalogue, const ProgramGraph& graph);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_PROGRAM_GRAPH_H_
