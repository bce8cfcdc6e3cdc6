// SPDX-License-Identifier: Apache-2.0
//
// Explanations for people and for graph drawing.
//
//   reachable(1, 3)  graph.rpl:4: reachable(?a, ?c) <- reachable(?a, ?b), edge(?b, ?c)
//     reachable(1, 2)  graph.rpl:3: reachable(?a, ?b) <- edge(?a, ?b)
//       edge(1, 2)  graph.rpl:1
//     edge(2, 3)  graph.rpl:2
//
// A premise is indented by two columns more than its conclusion. A rule is printed at its first
// use, later only its place. Long texts are cut in the middle.
#ifndef RPL_INTERP_EXPLAIN_EXPLAIN_PRINT_H_
#define RPL_INTERP_EXPLAIN_EXPLAIN_PRINT_H_

#include <string>

#include "formats/diagnostic.h"
#include "interp/explain/explanation.h"

namespace rpl {

/// Lines with their line ends.
std::string ExplanationText(const Explanation& explanation, const Sources& sources);

/// The nodes and edges of a Graphviz graph, without `digraph {}`; `prefix` keeps the node
/// names of several explanations apart.
std::string ExplanationDot(const Explanation& explanation, const Sources& sources,
                           const std::string& prefix);

/// The name of a kind in JSON: "asserted", "derived".
std::string_view ExplainKindName(ExplainNode::Kind kind);

}  // namespace rpl

#endif  // RPL_INTERP_EXPLAIN_EXPLAIN_PRINT_H_
