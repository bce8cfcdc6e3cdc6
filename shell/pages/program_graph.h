// SPDX-License-Identifier: Apache-2.0
//
// The graph of a program: an arrow leads from what uses to what is used. Goals, relations,
// tools and avars have shapes of their own, namespaces are boxes.
//
// A graph larger than can be read is cut: what is nearest to the goals stays, and the graph
// itself says how much is left out.
#ifndef RPL_SHELL_PAGES_PROGRAM_GRAPH_H_
#define RPL_SHELL_PAGES_PROGRAM_GRAPH_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "shell/pages/program_catalogue.h"

namespace rpl {

struct ProgramGraph {
  std::vector<std::size_t> nodes;                          // numbers of entries, ascending
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // user and used, in their order
  std::string note;                                        // what was left out; "" for nothing
};

/// Sizes up to which a graph is drawn: Mermaid refuses more than 500 arrows.
struct GraphLimits {
  std::size_t nodes;
  std::size_t edges;
};
inline constexpr GraphLimits kMermaidLimits{150, 400};
inline constexpr GraphLimits kDotLimits{2'000, 10'000};

ProgramGraph GraphOf(const Catalogue& catalogue, const GraphLimits& limits);

/// A flow chart of Mermaid.
std::string MermaidText(const Catalogue& catalogue, const ProgramGraph& graph);

/// A digraph of Graphviz.
std::string DotText(const Catalogue& catalogue, const ProgramGraph& graph);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_PROGRAM_GRAPH_H_
