// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/graph_layout.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>

namespace rpl {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

std::vector<GraphBox> BoxesOf(std::size_t count) {
  std::vector<GraphBox> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back({40 + static_cast<int>(i * 13 % 90), 26});
  return out;
}

bool IsInside(int at, int begin, int end) { return begin < at && at < end; }

// The horizontal line from `a` to `b` meets the inside of a box.
bool Meets(GraphPoint a, GraphPoint b, const PlacedBox& box) {
  return IsInside(a.y, box.y, box.y + box.height) &&
         std::max(a.x, box.x) < std::min(b.x, box.x + box.width);
}

// The first fault of a layout, or "".
std::string FaultOf(const GraphLayout& layout) {
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    const PlacedBox& a = layout.boxes[i];
    if (a.x < 0 || a.y < 0 || a.x + a.width > layout.width || a.y + a.height > layout.height)
      return "box " + std::to_string(i) + " is outside";
    for (std::size_t j = 0; j < i; ++j) {
      const PlacedBox& b = layout.boxes[j];
      if (a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
          b.y < a.y + a.height)
        return "boxes " + std::to_string(j) + " and " + std::to_string(i) + " overlap";
    }
  }
  for (const GraphLine& line : layout.lines) {
    const std::string name = "line " + std::to_string(line.edge);
    if (line.points.size() < 3 || line.points.size() % 2 == 0) return name + " has no such points";
    for (std::size_t p = 0; p + 1 < line.points.size(); ++p) {
      const GraphPoint a = line.points[p];
      const GraphPoint b = line.points[p + 1];
      if (b.x < a.x) return name + " goes back";
      for (const PlacedBox& box : layout.boxes) {
        if (p % 2 == 0 && (a.y != b.y || Meets(a, b, box))) return name + " crosses a box";
        // The control points of a curve have the x of its middle, so it stays between its ends.
        if (p % 2 == 1 && a.x < box.x + box.width && box.x < b.x)
          return name + " bends in a column";
      }
      if (a.y < 0 || a.y > layout.height) return name + " is outside";
    }
  }
  return "";
}

TEST_CASE("a box is as far to the right as its longest path", "[graph_layout]") {
  // 0 → 1 → 2 → 4, 0 → 3 → 4, 0 → 4
  const GraphLayout layout = LayoutOf(BoxesOf(5), {{0, 1}, {1, 2}, {2, 4}, {0, 3}, {3, 4}, {0, 4}});
  std::vector<std::size_t> layers;
  for (const PlacedBox& box : layout.boxes) layers.push_back(box.layer);
  CHECK(layers == std::vector<std::size_t>{0, 1, 2, 1, 3});
  CHECK(FaultOf(layout) == "");
}

TEST_CASE("a line that passes layers has a row in each of them", "[graph_layout]") {
  const GraphLayout layout = LayoutOf(BoxesOf(3), {{0, 1}, {1, 2}, {0, 2}});
  CHECK(layout.lines[0].points.size() == 3);
  CHECK(layout.lines[2].points.size() == 5);
  CHECK(layout.lines[2].points[2].y != layout.boxes[1].y + layout.boxes[1].height / 2);
  CHECK(FaultOf(layout) == "");
}

TEST_CASE("lines to the same box share their rows", "[graph_layout]") {
  // Both 0 and 1 reach 5 past the layers of 2, 3 and 4.
  const GraphLayout layout =
      LayoutOf(BoxesOf(6), {{0, 2}, {1, 2}, {2, 3}, {3, 5}, {0, 5}, {1, 5}, {2, 4}});
  const std::vector<GraphPoint>& a = layout.lines[4].points;
  const std::vector<GraphPoint>& b = layout.lines[5].points;
  REQUIRE(a.size() == 7);
  REQUIRE(b.size() == 7);
  for (std::size_t p = 2; p < 7; ++p) CHECK((a[p].x == b[p].x && a[p].y == b[p].y));
}

TEST_CASE("an arrow that closes a cycle leads back", "[graph_layout]") {
  const GraphLayout layout = LayoutOf(BoxesOf(3), {{0, 1}, {1, 2}, {2, 0}});
  CHECK_FALSE(layout.lines[0].back);
  CHECK_FALSE(layout.lines[1].back);
  CHECK(layout.lines[2].back);
  CHECK(layout.lines[2].points.front().x == layout.boxes[0].x + layout.boxes[0].width);
  CHECK(FaultOf(layout) == "");
}

TEST_CASE("a box that uses itself has no line for it", "[graph_layout]") {
  const GraphLayout layout = LayoutOf(BoxesOf(2), {{0, 0}, {0, 1}, {1, 1}});
  REQUIRE(layout.lines.size() == 1);
  CHECK(layout.lines[0].edge == 1);
  CHECK(LayoutOf({}, {}).boxes.empty());
}

TEST_CASE("no line of random graphs crosses a box", "[graph_layout]") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 40;
    Edges edges;
    for (std::size_t e = random() % (3 * count); e > 0; --e)
      edges.emplace_back(random() % count, random() % count);
    const GraphLayout layout = LayoutOf(BoxesOf(count), edges);
    INFO("round " << round);
    CHECK(FaultOf(layout) == "");
    for (const GraphLine& line : layout.lines) {
      const std::size_t left = line.back ? edges[line.edge].second : edges[line.edge].first;
      const std::size_t right = line.back ? edges[line.edge].first : edges[line.edge].second;
      CHECK(layout.boxes[left].layer < layout.boxes[right].layer);
      CHECK(line.points.back().x == layout.boxes[right].x);
      CHECK(line.points.back().y == layout.boxes[right].y + layout.boxes[right].height / 2);
    }
  }
}

TEST_CASE("long chains and large cycles are laid out", "[graph_layout]") {
  Edges edges;
  constexpr std::size_t kCount = 20'000;
  for (std::size_t i = 0; i < kCount; ++i) edges.emplace_back(i, (i + 1) % kCount);
  edges.pop_back();  // a line back would pass every layer
  const GraphLayout layout = LayoutOf(BoxesOf(kCount), edges);
  CHECK(layout.boxes.back().layer == kCount - 1);
}

}  // namespace
}  // namespace rpl
