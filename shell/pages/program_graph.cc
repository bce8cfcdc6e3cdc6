// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/program_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "formats/character.h"
#include "formats/terminal_text.h"

namespace rpl {
namespace {

using EntryKind = CatalogueEntry::Kind;

// All entries: breadth first from the goals along their uses, then those that no goal reaches.
std::vector<std::size_t> NearestToGoals(const Catalogue& catalogue) {
  std::vector<std::size_t> out;
  std::vector<bool> seen(catalogue.entries.size());
  const auto add = [&](std::size_t entry) {
    if (!seen[entry]) out.push_back(entry);
    seen[entry] = true;
  };
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (catalogue.entries[i].kind == EntryKind::kGoal) add(i);
  std::size_t next = 0;
  const auto follow = [&] {
    for (; next < out.size(); ++next)
      for (const std::size_t used : catalogue.entries[out[next]].uses) add(used);
  };
  follow();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    add(i);
    follow();
  }
  return out;
}

// Calls `box(namespace, its nodes)` for each namespace, in order; "" for the program's own.
void ForEachNamespace(
    const Catalogue& catalogue, const ProgramGraph& graph,
    const std::function<void(const std::string&, std::vector<std::size_t>)>& box) {
  std::size_t begin = 0;
  while (begin < graph.nodes.size()) {
    const std::string& name = catalogue.entries[graph.nodes[begin]].name_space;
    std::size_t end = begin;
    while (end < graph.nodes.size() && catalogue.entries[graph.nodes[end]].name_space == name)
      ++end;
    box(name, {graph.nodes.begin() + static_cast<std::ptrdiff_t>(begin),
               graph.nodes.begin() + static_cast<std::ptrdiff_t>(end)});
    begin = end;
  }
}

// A text for use in quotes: characters that could end it, or mean something to Mermaid or HTML,
// become character codes.
std::string MermaidLabel(std::string_view text) {
  std::string out;
  for (const char c : PrintableLine(text)) {
    const bool plain = static_cast<unsigned char>(c) >= 0x80 || IsLetter(c) || IsDigit(c) ||
                       std::string_view(" /._-$?,").find(c) != std::string_view::npos;
    if (plain) out += c;
    else out += fmt::format("#{};", static_cast<int>(c));
  }
  return out;
}

std::string MermaidNode(std::size_t number, const CatalogueEntry& entry) {
  const std::string label = MermaidLabel(entry.Id());
  switch (entry.kind) {
    case EntryKind::kGoal: return fmt::format("n{}([\"{}\"])", number, label);
    case EntryKind::kRelation: return fmt::format("n{}[\"{}\"]", number, label);
    case EntryKind::kTool: return fmt::format("n{}[[\"{}\"]]", number, label);
    case EntryKind::kAvar: return fmt::format("n{}>\"{}\"]", number, label);
  }
  return "";
}

std::string DotLabel(std::string_view text) {
  std::string out;
  for (const char c : PrintableLine(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string_view DotShape(EntryKind kind) {
  switch (kind) {
    case EntryKind::kGoal: return "oval";
    case EntryKind::kRelation: return "box";
    case EntryKind::kTool: return "component";
    case EntryKind::kAvar: return "cds";
  }
  return "";
}

}  // namespace

ProgramGraph GraphOf(const Catalogue& catalogue, const GraphLimits& limits) {
  ProgramGraph out;
  out.nodes = NearestToGoals(catalogue);
  const std::size_t all_nodes = out.nodes.size();
  if (all_nodes > limits.nodes) out.nodes.resize(limits.nodes);
  std::sort(out.nodes.begin(), out.nodes.end());
  std::size_t all_edges = 0;
  for (const CatalogueEntry& entry : catalogue.entries) all_edges += entry.uses.size();
  for (const std::size_t node : out.nodes)
    for (const std::size_t used : catalogue.entries[node].uses)
      if (out.edges.size() < limits.edges &&
          std::binary_search(out.nodes.begin(), out.nodes.end(), used))
        out.edges.emplace_back(node, used);
  if (out.nodes.size() < all_nodes || out.edges.size() < all_edges)
    out.note = fmt::format("cut: {} of {} nodes and {} of {} arrows are drawn", out.nodes.size(),
                           all_nodes, out.edges.size(), all_edges);
  return out;
}

std::string MermaidText(const Catalogue& catalogue, const ProgramGraph& graph) {
  std::string out = "flowchart LR\n";
  if (!graph.note.empty()) out += fmt::format("  cut[\"{}\"]\n", MermaidLabel(graph.note));
  std::size_t boxes = 0;
  ForEachNamespace(catalogue, graph, [&](const std::string& name, std::vector<std::size_t> nodes) {
    const bool boxed = !name.empty();
    if (boxed) out += fmt::format("  subgraph s{}[\"{}\"]\n", boxes++, MermaidLabel(name));
    for (const std::size_t node : nodes)
      out += (boxed ? "    " : "  ") + MermaidNode(node, catalogue.entries[node]) + "\n";
    if (boxed) out += "  end\n";
  });
  for (const auto& [user, used] : graph.edges) out += fmt::format("  n{} --> n{}\n", user, used);
  return out;
}

std::string DotText(const Catalogue& catalogue, const ProgramGraph& graph) {
  std::string out =
      "digraph program {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=11];\n";
  if (!graph.note.empty())
    out += fmt::format("  label=\"{}\";\n  fontname=\"sans-serif\";\n", DotLabel(graph.note));
  std::size_t boxes = 0;
  ForEachNamespace(catalogue, graph, [&](const std::string& name, std::vector<std::size_t> nodes) {
    const bool boxed = !name.empty();
    if (boxed)
      out += fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", boxes++, DotLabel(name));
    for (const std::size_t node : nodes)
      out += fmt::format("{}n{} [shape={}, label=\"{}\"];\n", boxed ? "    " : "  ", node,
                         DotShape(catalogue.entries[node].kind),
                         DotLabel(catalogue.entries[node].Id()));
    if (boxed) out += "  }\n";
  });
  for (const auto& [user, used] : graph.edges) out += fmt::format("  n{} -> n{};\n", user, used);
  return out + "}\n";
}

}  // namespace rpl
