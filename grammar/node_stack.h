// SPDX-License-Identifier: Apache-2.0
//
// The stack on which the builder of a sentence (grammar/builder.h) puts nodes together: a token
// pushes one, a construct pops its parts and pushes itself.
//
// Next to each node is the depth of its tree, so that one that nests deeper than kMaxNesting, or a
// sentence of more than kMaxSentenceNodes, fails while it is read; the error is thrown.
#ifndef RPL_GRAMMAR_NODE_STACK_H_
#define RPL_GRAMMAR_NODE_STACK_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"
#include "grammar/sentence_text.h"

namespace rpl {

class NodeStack {
 public:
  /// Forgets the nodes; the limits are those of a new sentence.
  void Clear() {
    nodes_.clear();
    depths_.clear();
    pushed_ = 0;
  }
  bool empty() const { return nodes_.empty(); }
  std::size_t size() const { return nodes_.size(); }

  /// Pushes a node; fails if it exceeds kMaxNesting or the sentence kMaxSentenceNodes.
  void Push(Node node, int depth) {
    RequireShallow(depth, node.span);
    if (++pushed_ > static_cast<std::size_t>(kMaxSentenceNodes)) {
      SentenceText::Fail(
          Code::kTooLong, node.span,
          "the sentence has more parts than the limit of " + std::to_string(kMaxSentenceNodes),
          "split the sentence");
    }
    nodes_.push_back(std::move(node));
    depths_.push_back(depth);
  }
  /// Removes the nodes from `base` on and returns them; `depth` receives the maximal depth, 0 for
  /// no nodes. REQUIRES: base <= size().
  Nodes PopFrom(std::size_t base, int& depth) {
    assert(base <= nodes_.size());
    const auto from = nodes_.begin() + static_cast<std::ptrdiff_t>(base);
    const auto depth_from = depths_.begin() + static_cast<std::ptrdiff_t>(base);
    Nodes out(std::make_move_iterator(from), std::make_move_iterator(nodes_.end()));
    depth = out.empty() ? 0 : *std::max_element(depth_from, depths_.end());
    nodes_.erase(from, nodes_.end());
    depths_.erase(depth_from, depths_.end());
    return out;
  }

  /// The node on top, and the one that is `below` nodes below it. REQUIRES: there is one.
  Node& Top(std::size_t below = 0) { return nodes_[nodes_.size() - 1 - below]; }
  const Node& Top(std::size_t below = 0) const { return nodes_[nodes_.size() - 1 - below]; }
  int TopDepth() const { return depths_.back(); }
  /// The node on top has grown; fails if its depth exceeds kMaxNesting.
  void Deepen(int depth) {
    depths_.back() = depth;
    RequireShallow(depth, nodes_.back().span);
  }

 private:
  static void RequireShallow(int depth, Span span) {
    if (depth <= kMaxNesting) return;
    SentenceText::Fail(Code::kNestedTooDeep, span,
                       "this nests deeper than the limit of " + std::to_string(kMaxNesting),
                       "split the sentence");
  }

  Nodes nodes_;
  std::vector<int> depths_;  // depths_[i] is the depth of nodes_[i]
  std::size_t pushed_ = 0;   // in the sentence
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_NODE_STACK_H_
