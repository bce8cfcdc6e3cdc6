// SPDX-License-Identifier: Apache-2.0
//
// The printers of trees. REQUIRES, for all of them: a tree that the parser accepts.
//
// Print gives RPL text on one line that parses to the same tree (parse after print is identity). It
// writes double quotes, one blank after commas, and keeps groups, dots and bare nullary names as
// the author wrote them.
//
// PrintTree gives the shape of a tree as an S-expression, for `rpl parse` and tests:
//   ?n = |#?t|              (= ?n (count (expand ?t)))
//   a() <- b() <- c()       (rule (a) (rule (b) (c)))
//   !%                      (goal-false (goal root))
//   ?v = $t(1)              (= ?v (tool t 1))
//   p(?x) ^:doc ?d -> q()   (constraint (meta (p ?x) (^ :doc ?d)) (q))
#ifndef RPL_GRAMMAR_PRINTER_H_
#define RPL_GRAMMAR_PRINTER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"

namespace rpl {

/// RPL text of a sentence, rule or node.
std::string Print(const Sentence& sentence);
std::string Print(const Rule& rule);
std::string Print(const Node& node);

/// A variable in printed text, where a value may be shown instead.
struct PrintedVariable {
  enum class Kind {
    kLvar,       // ?x
    kAvar,       // $x
    kExpansion,  // #?x
    kHole,       // {?x} within a string
  };
  Kind kind;
  std::size_t begin, end;  // bytes of the text
  std::string name;
};
/// The same, and the variables of the text in their order: not those that stand for the rest of a
/// collection, or alone after `~`.
std::string Print(const Node& node, std::vector<PrintedVariable>& variables);
std::string Print(const Abductive& abductive, std::vector<PrintedVariable>& variables);

/// The S-expression of a sentence or node.
std::string PrintTree(const Sentence& sentence);
std::string PrintTree(const Node& node);

/// A string literal in double quotes; the parser reads it back as `text`, whatever the bytes are.
std::string Quote(std::string_view text);

/// The spelling of an operator: "<=", "not in". Static lifetime.
const char* OperatorText(Operator op);

}  // namespace rpl

#endif  // RPL_GRAMMAR_PRINTER_H_
