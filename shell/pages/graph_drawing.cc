// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/graph_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "formats/shorten.h"
#include "formats/utf8.h"
#include "shell/pages/graph_layout.h"
#include "shell/pages/html.h"

namespace rpl {
namespace {

constexpr int kBoxHeight = 26;
constexpr int kCharacterWidth = 7;  // of the monospaced face at 12 pixels, at most
constexpr std::size_t kMostBytes = 40;

bool IsLeftOut(const CatalogueEntry& entry) {
  return entry.kind == CatalogueEntry::Kind::kAvar || entry.name == "$json";
}

// A curve between two points of different columns: horizontal at both, within their gap.
std::string CurveTo(GraphPoint from, GraphPoint to) {
  const int middle = (from.x + to.x) / 2;
  return fmt::format(" C{} {} {} {} {} {}", middle, from.y, middle, to.y, to.x, to.y);
}

std::string PathOf(const GraphLine& line) {
  std::string out = fmt::format("M{} {}", line.points[0].x, line.points[0].y);
  for (std::size_t i = 1; i < line.points.size(); ++i) {
    if (i % 2 == 1) out += fmt::format(" H{}", line.points[i].x);
    else out += CurveTo(line.points[i - 1], line.points[i]);
  }
  return out;
}

class Drawing {
 public:
  Drawing(const Catalogue& catalogue, const ProgramGraph& graph) : catalogue_(catalogue) {
    std::map<std::size_t, std::size_t> box_of;
    for (const std::size_t node : graph.nodes) {
      if (IsLeftOut(catalogue.entries[node])) continue;
      box_of.emplace(node, entries_.size());
      entries_.push_back(node);
    }
    for (const auto& [user, used] : graph.edges) {
      const auto from = box_of.find(user);
      const auto to = box_of.find(used);
      if (from != box_of.end() && to != box_of.end()) edges_.emplace_back(from->second, to->second);
    }
    for (const CatalogueConstraint& constraint : catalogue.constraints)
      watched_.insert(constraint.reads.begin(), constraint.reads.end());
  }

  std::string Svg() {
    if (edges_.empty()) return "";
    std::vector<GraphBox> boxes;
    for (const std::size_t entry : entries_)
      boxes.push_back(
          {static_cast<int>(CountCodePoints(LabelOf(entry))) * kCharacterWidth + 22, kBoxHeight});
    const GraphLayout layout = LayoutOf(boxes, edges_);
    std::string out = fmt::format(
        "<svg class=\"graph\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
        "aria-label=\"which definition uses which\">\n<defs><marker id=\"arrow\" viewBox=\"0 0 8 "
        "8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto-start-reverse\"><path d=\"M0 1 L8 4 L0 7 z\"/></marker></defs>\n",
        layout.width, layout.height);
    for (const GraphLine& line : layout.lines) {
      const auto& [user, used] = edges_[line.edge];
      out += fmt::format(
          "<path class=\"line{}\" data-a=\"{}\" data-b=\"{}\" d=\"{}\" "
          "marker-{}=\"url(#arrow)\"/>\n",
          line.back ? " back" : "", user, used, PathOf(line), line.back ? "start" : "end");
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) out += Node(i, layout.boxes[i]);
    return out + "</svg>\n";
  }

 private:
  bool IsRecursive(std::size_t entry) const {
    const std::vector<std::size_t>& uses = catalogue_.entries[entry].uses;
    return std::binary_search(uses.begin(), uses.end(), entry);
  }

  std::string LabelOf(std::size_t entry) const {
    return Shortened(catalogue_.entries[entry].name, kMostBytes) + (IsRecursive(entry) ? " ↻" : "");
  }

  std::string Node(std::size_t number, const PlacedBox& box) const {
    const std::size_t entry = entries_[number];
    const CatalogueEntry& what = catalogue_.entries[entry];
    const std::string_view colour = ColourOf(what);
    const std::string label = LabelOf(entry);
    std::string out = fmt::format(
        "<a class=\"node {}\" href=\"#{}\" data-n=\"{}\"><title>{}</title><rect x=\"{}\" y=\"{}\" "
        "width=\"{}\" height=\"{}\" rx=\"{}\"/>",
        colour, EntryId(entry), number,
        Shown(what.Id()) + (what.prose.empty() ? "" : ": " + Shown(what.prose)), box.x, box.y,
        box.width, box.height, colour == "goal" ? box.height / 2 : 3);
    if (colour == "tool")
      out += fmt::format("<path d=\"M{0} {1} V{2} M{3} {1} V{2}\"/>", box.x + 4, box.y,
                         box.y + box.height, box.x + box.width - 4);
    out += fmt::format(
        "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
        box.x + 11, box.y + box.height / 2 + 4,
        static_cast<int>(CountCodePoints(label)) * kCharacterWidth, Shown(label));
    if (watched_.contains(entry))
      out += fmt::format("<path class=\"watched\" d=\"M{} {} l4 4 l-4 4 l-4 -4 z\"/>",
                         box.x + box.width - 4, box.y - 4);
    return out + "</a>\n";
  }

  const Catalogue& catalogue_;
  std::vector<std::size_t> entries_;  // by number of the node
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
  std::set<std::size_t> watched_;  // by constraints
};

}  // namespace

std::string_view ColourOf(const CatalogueEntry& entry) {
  switch (entry.kind) {
    case CatalogueEntry::Kind::kGoal: return "goal";
    case CatalogueEntry::Kind::kTool: return "tool";
    case CatalogueEntry::Kind::kAvar: return "avar";
    case CatalogueEntry::Kind::kRelation: break;
  }
  return entry.asked || entry.asks ? "ask" : entry.rules > 0 || entry.computed ? "rule" : "text";
}

std::string EntryId(std::size_t entry) { return fmt::format("e{}", entry); }

std::string GraphSvg(const Catalogue& catalogue, const ProgramGraph& graph) {
  return Drawing(catalogue, graph).Svg();
}

}  // namespace rpl
