// SPDX-License-Identifier: Apache-2.0
//
// Derivations and absences as data: trees of nodes, which interp/explain/explain.h makes and
// interp/explain/explain_print.h prints. Nodes lie in one array, so nothing that reads one recurses
// as deep as a derivation.
#ifndef RPL_INTERP_EXPLAIN_EXPLANATION_H_
#define RPL_INTERP_EXPLAIN_EXPLANATION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

struct ExplainNode {
  enum class Kind {
    kAsserted,   // a fact of the program or of a trace
    kDerived,    // by `rule` from the premises
    kGathered,   // the same, from every answer of the rule (§8)
    kTest,       // an operator or a metadata suffix that holds
    kNegation,   // a negation that holds
    kCount,      // a count with its value
    kReply,      // the answer of a tool or a person
    kTruncated,  // an omission here, with its reason
    // Of an absence:
    kMissing,   // a form that does not hold; below it, the reasons
    kNotKnown,  // a form that may hold; below it, how far it gets
    kAttempt,   // a rule that could give it; below it, the clause where it ends
    kFailed,    // the clause that fails
    kNearest,   // a fact that differs in one argument
  };
  Kind kind = Kind::kDerived;
  std::string text;     // "edge(1, 2)", "3 > 2", "not q(2)"; of an attempt: the rule
  std::string note;     // the reason why a clause holds or fails; "" if the text is enough
  bool above = false;   // explained by an earlier node with this text
  bool placed = false;  // whether `place` is the place of the fact or the rule
  Span place;
  std::string rule;           // kDerived, kGathered: the rule as printed
  std::vector<int> premises;  // numbers of nodes; of rules, in written order
};

/// nodes[0] is the root.
struct Explanation {
  std::vector<ExplainNode> nodes;
};

struct ExplainLimits {
  std::size_t facts = 10;  // facts of a form to explain
  std::size_t depth = 64;  // levels below the root
  /// Rows of tables, and derivations of them, to look at for one row of a table.
  std::size_t tries = 200'000;
};

/// The facts of one form.
struct ExplainedFacts {
  std::vector<Explanation> proofs;  // in answer order
  std::size_t more = 0;             // facts that match and are not explained
};

}  // namespace rpl

#endif  // RPL_INTERP_EXPLAIN_EXPLANATION_H_
