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
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"

namespace rpl {

/// REQUIRES, for all members: calls come in the order of the grammar, as documented in rules.h.
class Builder {
 public:
  /// Borrows `text`, the whole file, which must outlive the builder.
  Builder(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}

  /// Discards the previous sentence; the next one lies in [begin, end) of the file.
  void Start(std::uint32_t begin, std::uint32_t end);

  // Tokens; `token` is a view into the file. A Word becomes a boolean, nil, a qualified call or a
  // symbol; AddTool an avar until arguments follow.
  void Word(std::string_view token);
  void AddGoal(std::string_view token);
  void AddTool(std::string_view token);
  void AddLvar(std::string_view token);
  void AddExpansion(std::string_view token);
  void AddKeyword(std::string_view token);
  void AddSymbol(std::string_view token);
  void AddTruth(std::string_view token);
  void AddNumber(std::string_view token);
  void AddNumberSuffix(std::string_view token);
  void AddRegex(std::string_view token);

  // A string: its pieces in order, then AddString with the whole token. A StringBrace opens no
  // hole; one that resembles a hole gives a lint.
  void StringText(std::string_view token) { string_.append(token); }
  void StringEscape(std::string_view token);
  void StringBrace(std::string_view token);
  void StringHole(std::string_view token);
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
  void CloseAct(std::string_view token) { end_ = OffsetOf(token.data()) + 1; }

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
  void AddAbductive(AbductiveKind kind, std::uint32_t begin);
  void AddConstraint() { ++rules_.back().constraints; }
  void CloseRule();

  /// The tree of the sentence. REQUIRES: the whole sentence was read.
  Node Take();

  /// Findings other than errors; the caller may move from them.
  std::vector<Diagnostic>& lints() { return lints_; }
  /// The offset of a byte of the file. REQUIRES: `at` points into it.
  std::uint32_t OffsetOf(const char* at) const {
    return static_cast<std::uint32_t>(at - text_.data());
  }
  std::string_view text() const { return text_; }
  /// The end of the sentence.
  std::uint32_t limit() const { return limit_; }
  /// The span of a view into the file.
  Span SpanOf(std::string_view token) const;

  /// Throws a Diagnostic.
  [[noreturn]] static void Fail(Code code, Span span, std::string message, std::string hint = "");

 private:
  static constexpr std::size_t kNoRest = static_cast<std::size_t>(-1);
  // An open bracket or prefix.
  struct Frame {
    std::size_t base;  // parts are stack_[base..]
    std::uint32_t begin;
    std::size_t rest = kNoRest;  // index in stack_ of the first variable after `&`
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

  /// Fails with kNestedTooDeep if the depth exceeds kMaxNesting.
  static void RequireShallow(int depth, Span span);
  /// Pushes a node; fails if it exceeds kMaxNesting or the sentence kMaxSentenceNodes.
  void Push(Node node, int depth);
  template <typename T>
  /// Pushes a leaf, which is also the last token that can end a node.
  void PushToken(T&& value, std::string_view token);
  /// Removes and returns stack_[base..]; `depth` receives the maximal depth.
  Nodes PopFrom(std::size_t base, int& depth);
  void Lint(Code code, Span span, std::string message, std::string hint);
  template <typename T>
  /// Adds the top of the stack to the conjunction or disjunction below it.
  void CloseChain(Nodes T::*children);

  std::string_view text_;
  std::uint32_t file_;
  std::uint32_t limit_ = 0;

  Nodes stack_;
  std::vector<int> depths_;  // depths_[i] is the depth of stack_[i]
  std::size_t nodes_ = 0;
  std::vector<Frame> frames_;
  std::vector<RuleFrame> rules_;
  std::vector<Operator> operators_;  // those whose right side is incomplete
  std::uint32_t end_ = 0;            // of the last token that can end a node
  std::vector<Diagnostic> lints_;

  // The string being read; the text before a hole moves to texts_.
  std::string string_;
  std::vector<std::string> texts_;
  std::vector<std::string> holes_;
  char16_t high_surrogate_ = 0;
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_BUILDER_H_
