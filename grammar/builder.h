// SPDX-License-Identifier: Apache-2.0
//
// Builds the tree of one sentence while grammar/rules.h reads it. Used by
// grammar/parser.cc alone.
//
// A stack machine: a token pushes a node, a construct pops its parts and pushes itself.
// Because the grammar undoes nothing, neither does the builder. Brackets open a Frame,
// which remembers where their parts begin on the stack.
//
// Anything wrong is thrown as a Diagnostic and caught in parser.cc.
#ifndef RPL_GRAMMAR_BUILDER_H_
#define RPL_GRAMMAR_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"

namespace rpl {

class Builder {
 public:
  /// Borrows `text`, the whole file, which must outlive the builder.
  Builder(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}

  /// Forgets the last sentence. The next one stands in [begin, end).
  void Start(std::uint32_t begin, std::uint32_t end);

  // Tokens; `token` is a piece of the file.
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

  // A string, piece by piece, then whole.
  void StringText(std::string_view token) { string_.append(token); }
  void StringEscape(std::string_view token);
  void StringBrace(std::string_view token);
  void StringHole(std::string_view token);
  void AddString(std::string_view token);

  // Brackets and prefixes (`~`, `!`, `^`, `^^`) open a frame; what they begin closes it.
  void Open(std::string_view token);
  void Dot(std::string_view token);
  void RestBegins();
  void CloseArgs(std::string_view token);
  void CloseCollection(CollectionKind kind, std::string_view token);
  void CloseGroup(std::string_view token);
  void CloseCount(std::string_view token);
  void CloseAct(std::string_view token) { end_ = OffsetOf(token.data()) + 1; }

  void AddMatch();
  void AddMatchTail();
  void AddGoalFalse();
  void AddNot(std::string_view token);
  void CloseNots();
  void AddOperator(std::string_view token);
  void CloseBinary();
  void CloseWithin();
  void CloseBetween();
  void CloseSuffix(bool bindings);
  void CloseConjunction();
  void CloseDisjunction();

  // The parts of a rule.
  void OpenRule();
  void AddArrow() { ++rules_.back().arrows; }
  void AddAbductive(AbductiveKind kind, std::uint32_t begin);
  void AddConstraint() { ++rules_.back().constraints; }
  void CloseRule();

  /// What was read, when the whole sentence was.
  Node Take();

  std::vector<Diagnostic>& lints() { return lints_; }
  std::uint32_t OffsetOf(const char* at) const {
    return static_cast<std::uint32_t>(at - text_.data());
  }
  std::string_view text() const { return text_; }
  std::uint32_t limit() const { return limit_; }
  Span SpanOf(std::string_view token) const;

  [[noreturn]] static void Fail(Code code, Span span, std::string message, std::string hint = "");

 private:
  static constexpr std::size_t kNoRest = static_cast<std::size_t>(-1);
  struct Frame {
    std::size_t base;  // parts are stack_[base..]
    std::uint32_t begin;
    std::size_t rest = kNoRest;  // where the variables after `&` begin
    bool dotted = false;
  };
  struct RuleFrame {
    std::size_t base = 0;
    int arrows = 0;
    int constraints = 0;
    int depth = 0;  // of the deepest abductive
    std::vector<Abductive> abductives;
  };

  static void RequireShallow(int depth, Span span);
  void Push(Node node, int depth);
  template <typename T>
  void PushToken(T&& value, std::string_view token);
  Nodes PopFrom(std::size_t base, int& depth);
  void Lint(Code code, Span span, std::string message, std::string hint);
  template <typename T>
  void CloseChain(Nodes T::*children);

  std::string_view text_;
  std::uint32_t file_;
  std::uint32_t limit_ = 0;

  Nodes stack_;
  std::vector<int> depths_;  // of the tree at the same place of stack_
  std::size_t nodes_ = 0;
  std::vector<Frame> frames_;
  std::vector<RuleFrame> rules_;
  std::vector<Operator> operators_;  // read, their right side not yet
  std::uint32_t end_ = 0;            // of the last token that may end a node
  std::vector<Diagnostic> lints_;

  // Of the string being read; its holes are split off texts_.
  std::string string_;
  std::vector<std::string> texts_;
  std::vector<std::string> holes_;
  char16_t high_surrogate_ = 0;
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_BUILDER_H_
