// SPDX-License-Identifier: Apache-2.0
#include "interp/explain/explain_print.h"

#include <map>
#include <set>

#include "formats/terminal_text.h"

namespace rpl {
namespace {

using NodeKind = ExplainNode::Kind;

constexpr std::size_t kMaxText = 300;  // bytes of one fact or rule on a line

// At most kMaxText bytes, cut between characters.
std::string Short(const std::string& text) {
  if (text.size() <= kMaxText) return text;
  const auto inside = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  std::size_t head = kMaxText * 2 / 3;
  std::size_t tail = text.size() - kMaxText / 3;
  while (head > 0 && inside(head)) --head;
  while (tail < text.size() && inside(tail)) ++tail;
  return text.substr(0, head) + " … " + text.substr(tail);
}

std::string Place(const ExplainNode& node, const Sources& sources) {
  if (!node.placed) return "";
  return PrintableLine(sources.at(node.place.file).name) + ":" +
         std::to_string(sources.PlaceOf(node.place.file, node.place.begin).line);
}

std::string Label(const ExplainNode& node) {
  const std::string text = Short(node.text);
  switch (node.kind) {
    case NodeKind::kMissing: return "no " + text;
    case NodeKind::kNotKnown: return "not known: " + text;
    case NodeKind::kNearest: return "nearest: " + text;
    default: return text;
  }
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (char c : PrintableLine(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string_view ExplainKindName(ExplainNode::Kind kind) {
  switch (kind) {
    case NodeKind::kAsserted: return "asserted";
    case NodeKind::kDerived: return "derived";
    case NodeKind::kGathered: return "gathered";
    case NodeKind::kTest: return "test";
    case NodeKind::kNegation: return "absent";
    case NodeKind::kCount: return "count";
    case NodeKind::kReply: return "reply";
    case NodeKind::kTruncated: return "truncated";
    case NodeKind::kMissing: return "missing";
    case NodeKind::kNotKnown: return "unknown";
    case NodeKind::kAttempt: return "attempt";
    case NodeKind::kFailed: return "failed";
    case NodeKind::kNearest: return "nearest";
  }
  return "";
}

std::string ExplanationText(const Explanation& explanation, const Sources& sources) {
  std::string out;
  std::set<std::string> known;  // rules by place and text
  std::vector<std::pair<int, std::size_t>> stack = {{0, 0}};
  while (!stack.empty()) {
    const auto [number, depth] = stack.back();
    stack.pop_back();
    const ExplainNode& node = explanation.nodes[static_cast<std::size_t>(number)];
    const std::string place = Place(node, sources);
    out.append(2 * depth, ' ');
    if (node.kind == NodeKind::kAttempt) {
      out += place + ": " + Label(node);
    } else {
      out += Label(node);
      if (!node.note.empty()) out += "  (" + Short(node.note) + ")";
      if (node.above) out += "  (above)";
      else if (!place.empty()) out += "  " + place;
      if (!node.above && !node.rule.empty() && known.insert(place + " " + node.rule).second)
        out += ": " + Short(node.rule);
    }
    out += '\n';
    for (auto it = node.premises.rbegin(); it != node.premises.rend(); ++it)
      stack.emplace_back(*it, depth + 1);
  }
  return out;
}

std::string ExplanationDot(const Explanation& explanation, const Sources& sources,
                           const std::string& prefix) {
  std::string out;
  // A fact that is explained above is drawn once.
  std::map<std::string, std::size_t> first;
  std::vector<std::size_t> shown(explanation.nodes.size());
  for (std::size_t i = 0; i < explanation.nodes.size(); ++i) {
    const ExplainNode& node = explanation.nodes[i];
    shown[i] = i;
    if (node.kind == NodeKind::kDerived || node.kind == NodeKind::kGathered ||
        node.kind == NodeKind::kAsserted) {
      const auto [it, is_new] = first.emplace(node.text, i);
      if (!is_new && !node.above && !node.premises.empty()) it->second = i;
    }
  }
  for (std::size_t i = 0; i < explanation.nodes.size(); ++i)
    if (const auto it = first.find(explanation.nodes[i].text);
        it != first.end() && explanation.nodes[i].premises.empty())
      shown[i] = it->second;
  const auto name = [&](std::size_t i) { return prefix + std::to_string(i); };
  std::set<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t i = 0; i < explanation.nodes.size(); ++i) {
    const ExplainNode& node = explanation.nodes[i];
    if (shown[i] == i) {
      const std::string place = Place(node, sources);
      std::string label = Escaped(Label(node));
      if (!place.empty()) label += "\\n" + Escaped(place);
      if (!node.note.empty()) label += "\\n" + Escaped(Short(node.note));
      const bool box = node.kind == NodeKind::kAsserted || node.kind == NodeKind::kReply;
      out += "  " + name(i) + " [label=\"" + label + "\"" + (box ? ", shape=box" : "") + "];\n";
    }
    for (int premise : node.premises) {
      const std::size_t to = shown[static_cast<std::size_t>(premise)];
      if (edges.emplace(i, to).second) out += "  " + name(i) + " -> " + name(to) + ";\n";
    }
  }
  return out;
}

}  // namespace rpl
