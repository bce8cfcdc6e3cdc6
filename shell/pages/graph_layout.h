// SPDX-License-Identifier: Apache-2.0
//
// A layered drawing of a directed graph: boxes in columns from left to right, and lines that cross
// no box.
//
// The longest path to a node gives its layer; an arrow that closes a cycle is turned round for
// this and leads back. A line that passes a layer has a place-holder there, in a row of its own,
// and lines to the same node share their place-holders. Lines bend only in the gaps between
// layers: so none crosses a box. The order in a layer is found by barycenters, and the order with
// the fewest crossings of all sweeps is kept.
//
// Deterministic. No recursion. O(sweeps · edges²) for a layer in the worst case, which the limits
// of a drawn graph (program_graph.h) bound.
#ifndef RPL_SHELL_PAGES_GRAPH_LAYOUT_H_
#define RPL_SHELL_PAGES_GRAPH_LAYOUT_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace rpl {

struct GraphBox {
  int width = 0;
  int height = 0;
};

/// A box in its place; `x` and `y` are its top left corner.
struct PlacedBox {
  std::size_t layer = 0;
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

struct GraphPoint {
  int x = 0;
  int y = 0;
};

/// The line of an edge, from the right side of a box to the left side of another: points 2i and
/// 2i + 1 are joined by a horizontal line within a column, points 2i + 1 and 2i + 2 by a curve
/// within the gap to the next.
struct GraphLine {
  std::size_t edge = 0;            // its index in the input
  bool back = false;               // leads from right to left: the arrow stands at its first point
  std::vector<GraphPoint> points;  // an odd number, at least three
};

struct GraphLayout {
  int width = 0;
  int height = 0;
  std::vector<PlacedBox> boxes;  // in the order of the input
  std::vector<GraphLine> lines;  // of all edges but those from a box to itself, in order
};

/// The layout of `boxes` with `edges` between their indexes.
GraphLayout LayoutOf(const std::vector<GraphBox>& boxes,
                     const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_GRAPH_LAYOUT_H_
