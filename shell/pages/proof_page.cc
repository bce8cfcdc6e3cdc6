// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/proof_page.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "shell/pages/html.h"

namespace rpl {
namespace {

// The levels of a proof that are open initially.
constexpr std::size_t kOpenLevels = 3;

// What a node is, in a word or two, and the class of its colour.
std::pair<std::string_view, std::string_view> StandingOf(const ExplainNode& node) {
  using Kind = ExplainNode::Kind;
  switch (node.kind) {
    case Kind::kAsserted: return {"stated", "text"};
    case Kind::kDerived: return {node.premises.empty() && !node.above ? "" : "by a rule", "rule"};
    case Kind::kGathered: return {"gathered", "rule"};
    case Kind::kTest: return {"holds", "ok"};
    case Kind::kNegation: return {"absent", "ok"};
    case Kind::kCount: return {"counted", "rule"};
    case Kind::kReply: return {"a reply", "ask"};
    case Kind::kMissing: return {"missing", "no"};
    case Kind::kNotKnown: return {"not known", "ask"};
    case Kind::kAttempt: return {"a rule that could", "rule"};
    case Kind::kFailed: return {"fails", "no"};
    case Kind::kNearest: return {"nearest", "text"};
    case Kind::kTruncated: break;
  }
  return {"", "text"};
}

class ProofWriter {
 public:
  ProofWriter(const Explanation& proof, const PagePlaces& places, const std::string& name)
      : proof_(proof), places_(places), name_(name) {
    for (std::size_t i = 0; i < proof.nodes.size(); ++i)
      if (!proof.nodes[i].above) first_.emplace(proof.nodes[i].text, i);
  }

  // An explicit stack of open nodes: proofs may be of any depth.
  std::string Write() {
    struct Open {
      int node;
      std::size_t level;
      bool closes;
    };
    std::vector<Open> stack = {{0, 0, false}};
    out_ = "<ul class=\"proof\">\n";
    while (!stack.empty()) {
      const Open at = stack.back();
      stack.pop_back();
      if (at.closes) {
        out_ += "</ul></details></li>\n";
        continue;
      }
      const auto number = static_cast<std::size_t>(at.node);
      const ExplainNode& node = proof_.nodes[number];
      const std::string row = Row(node);
      const std::string rule = Rule(node);
      if (node.premises.empty()) {
        out_ += fmt::format("<li id=\"{}\" class=\"leaf\"><div class=\"node\">{}</div>{}</li>\n",
                            Id(number), row, rule);
        continue;
      }
      out_ += fmt::format("<li id=\"{}\"><details{}><summary class=\"node\">{}</summary>{}<ul>\n",
                          Id(number), at.level < kOpenLevels ? " open" : "", row, rule);
      stack.push_back({at.node, at.level, true});
      for (auto it = node.premises.rbegin(); it != node.premises.rend(); ++it)
        stack.push_back({*it, at.level + 1, false});
    }
    return out_ + "</ul>\n";
  }

 private:
  std::string Id(std::size_t node) const { return fmt::format("{}-{}", name_, node); }

  // The statement, what it is, its line: three cells of a grid.
  std::string Row(const ExplainNode& node) const {
    std::string out = "<span class=\"said\">";
    if (node.kind == ExplainNode::Kind::kTruncated) out += "<em>" + Shown(node.text) + "</em>";
    else out += InCode(node.text);
    if (!node.note.empty() && node.note != "answered")
      out += " <span class=\"dim\">" + Shown(node.note) + "</span>";
    out += "</span> ";
    const auto [word, kind] = StandingOf(node);
    const auto above = node.above ? first_.find(node.text) : first_.end();
    if (above != first_.end())
      out += fmt::format("<a class=\"by\" href=\"#{}\">see above</a>", Id(above->second));
    else out += fmt::format("<span class=\"by {}\">{}</span>", kind, word);
    return out + "<span class=\"at\">" + (node.placed ? places_.Link(node.place) : "") + "</span>";
  }

  // A rule is shown at its first use in a proof.
  std::string Rule(const ExplainNode& node) {
    if (node.rule.empty() || node.above || !rules_.insert(node.rule).second) return "";
    return "<p class=\"rule\">" + InCode(node.rule) + "</p>";
  }

  const Explanation& proof_;
  const PagePlaces& places_;
  const std::string& name_;
  std::map<std::string_view, std::size_t> first_;  // the nodes that `above` refers to
  std::set<std::string_view> rules_;
  std::string out_;
};

}  // namespace

std::string ProofHtml(const Explanation& proof, const PagePlaces& places, const std::string& name) {
  return ProofWriter(proof, places, name).Write();
}

}  // namespace rpl
