// SPDX-License-Identifier: Apache-2.0
//
// The builder of the tree of one sentence, driven by the actions of grammar/rules.h. Only
// grammar/parser.cc uses it.
//
// It is a stack machine: a token pushes a node; a construct pops its parts and pushes itself. The
// grammar never backtracks over an action, so no action is ever undone. An opening bracket pushes a
// Frame, which holds the height of the stack where the parts of the bracket begin.
//
// Any error is thrown as a Diagnostic, which parser.cc catches. After an error only Start may be
// called.
#ifndef RPL_GRAMMAR_BUILDER_H_
#define RPL_GRAMMAR_BUILDER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"
#include "grammar/node_stack.h"
#include "grammar/sentence_text.h"
#include "grammar/string_pieces.h"

namespace rpl {

/// What a node is.
using LeafForm = decltype(Node::is);

/// REQUIRES, for all members: calls come in the order of the grammar, as documented in rules.h.
class Builder {
 public:
  /// Borrows `text`, the whole file, which must outlive the builder.
  Builder(std::string_view text, std::uint32_t file) : source_(text, file) {}
  Builder(const Builder&) = delete;

  /// Discards the previous sentence; the next one lies in [begin, end) of the file.
  void Start(std::uint32_t begin, std::uint32_t end);

  // Tokens; `token` is a view into the file. AddLeaf pushes what it makes, which is also the
  // last token that can end a node.
  void AddLeaf(LeafForm leaf, std::string_view token);
  void AddNumber(std::string_view token);
  void AddNumberSuffix(std::string_view token);

  /// The pieces of a string, in order; AddString then has the whole token.
  StringPieces& string() { return string_; }
  void AddString(std::string_view token);

  // Brackets and prefixes (`~`, `!`, `^`, `^^`) open a frame; the construct that they begin closes
  // it. CloseArgs turns the callee below the frame into a call; RestBegins marks the variables
  // after `&`.
  void Open(std::string_view token);
  void Dot(std::string_view token);
  void RestBegins();
  void CloseArgs(std::string_view token);
  void CloseCollection(CollectionKind kind, std::string_view token);
  void CloseGroup(std::string_view token);
  void CloseCount(std::string_view token);
  void CloseAct(std::string_view token) { end_ = source_.OffsetOf(token.data()) + 1; }

  // Constructs: each takes its parts from the stack. AddMatchTail is the infix `~`, which is an
  // equality with a Match (decision 18).
  void AddMatch();
  void AddMatchTail();
  void AddGoalFalse();
  // A negation: AddNot pushes a Not without a clause, and CloseNots gives the clause that follows
  // to all such Nots.
  void AddNot(std::string_view token);
  void CloseNots();
  // Operators: AddOperator stores the operator until its right side is complete.
  void AddOperator(std::string_view token);
  void CloseBinary();
  void CloseWithin();
  void CloseBetween();
  void CloseSuffix(bool bindings);
  void CloseConjunction();
  void CloseDisjunction();

  // The parts of a rule. CloseRule leaves a tail alone on the stack as it is.
  void OpenRule();
  void AddArrow() { ++rules_.back().arrows; }
  /// REQUIRES: `act` begins with `@` and the word of an abductive.
  void AddAbductive(std::string_view act);
  void AddConstraint() { ++rules_.back().constraints; }
  void CloseRule();

  /// The tree of the sentence. REQUIRES: the whole sentence was read.
  Node Take();

  /// The text that is read, with the findings about it.
  SentenceText& source() { return source_; }

 private:
  static constexpr std::size_t kNoRest = static_cast<std::size_t>(-1);
  // An open bracket or prefix.
  struct Frame {
    std::size_t base;  // parts are those on the stack from `base` on
    std::uint32_t begin;
    std::size_t rest = kNoRest;  // index in the stack of the first variable after `&`
    bool dotted = false;
  };
  // An open rule: its parts on the stack are `arrows` heads, a tail, and `constraints` constraints.
  struct RuleFrame {
    std::size_t base = 0;
    int arrows = 0;
    int constraints = 0;
    int depth = 0;  // of the deepest abductive
    std::vector<Abductive> abductives;
  };

  template <typename T>
  /// Adds the top of the stack to the conjunction or disjunction below it.
  void CloseChain(Nodes T::*children);

  SentenceText source_;
  NodeStack stack_;
  std::vector<Frame> frames_;
  std::vector<RuleFrame> rules_;
  std::vector<Operator> operators_;  // those whose right side is incomplete
  std::uint32_t end_ = 0;            // of the last token that can end a node
  StringPieces string_{source_};
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_BUILDER_H_
