// SPDX-License-Identifier: Apache-2.0
#include "grammar/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "formats/character.h"
#include "formats/number_text.h"
#include "grammar/abductives.h"

namespace rpl {
namespace {

Operator OperatorOf(std::string_view token) {
  struct Entry {
    std::string_view token;
    Operator op;
  };
  static constexpr Entry kOperators[] = {
      {"=", Operator::kEqual},
      {"!=", Operator::kNotEqual},
      {"<", Operator::kLess},
      {">", Operator::kGreater},
      {"<=", Operator::kLessEqual},
      {">=", Operator::kGreaterEqual},
      {"+", Operator::kAdd},
      {"-", Operator::kSubtract},
      {"*", Operator::kMultiply},
      {"/", Operator::kDivide},
      {"union", Operator::kUnion},
      {"intersect", Operator::kIntersect},
      {"difference", Operator::kDifference},
      {"in", Operator::kIn},
      {"before", Operator::kBefore},
      {"after", Operator::kAfter},
  };
  for (const Entry& e : kOperators) {
    if (e.token == token) return e.op;
  }
  assert(token.substr(0, 3) == "not");  // with any blanks before its `in`
  return Operator::kNotIn;
}

}  // namespace

void Builder::Start(std::uint32_t begin, std::uint32_t end) {
  source_.Start(end);
  stack_.Clear();
  frames_.clear();
  rules_.clear();
  operators_.clear();
  string_.Clear();
  end_ = begin;
}

void Builder::AddLeaf(LeafForm leaf, std::string_view token) {
  const Span span = source_.SpanOf(token);
  end_ = span.end;
  stack_.Push({std::move(leaf), span}, 1);
}

void Builder::AddNumber(std::string_view token) {
  NumberText read = ReadNumber(token);
  if (read.problem == NumberText::Problem::kTooLong) {
    source_.Fail(Code::kBadLiteral, source_.SpanOf(token),
                 fmt::format("the integer has more than {} digits", kMaxDigits));
  }
  if (read.problem != NumberText::Problem::kNone) {
    source_.Fail(Code::kBadLiteral, source_.SpanOf(token),
                 "the number does not fit a 64-bit float");
  }
  // A large number that is written like a float is printed like one, if that loses nothing.
  if (std::holds_alternative<std::string>(read.value) && token.find_first_of(".eE") != token.npos) {
    const std::string_view bare = token.substr(token.front() == '+' ? 1 : 0);
    double value = 0;
    const auto [end, error] = ReadFloat(bare.data(), bare.data() + bare.size(), value);
    if (error == std::errc{} && std::isfinite(value) && NumberAsWritten(value) == read.value)
      return AddLeaf(Number{value}, token);
  }
  AddLeaf(Number{std::move(read.value)}, token);
}

void Builder::AddNumberSuffix(std::string_view token) {
  const Span span = source_.SpanOf(token);
  end_ = span.end;
  stack_.Top().span.end = span.end;
  source_.Lint(Code::kNumberSuffix, span,
               std::string("the suffix `") + token.front() + "` of a number has no meaning here",
               "remove it");
}

void Builder::AddString(std::string_view token) {
  if (string_.has_holes()) AddLeaf(string_.TakeTemplate(), token);
  else AddLeaf(string_.TakeString(), token);
}

void Builder::Open(std::string_view token) {
  frames_.push_back({stack_.size(), source_.OffsetOf(token.data())});
}

void Builder::Dot(std::string_view token) {
  Frame& frame = frames_.back();
  frame.dotted = true;
  const bool in_map = source_.text()[frame.begin] == '{';
  if (in_map && (stack_.size() - frame.base) % 2 != 0) {
    source_.Fail(
        Code::kBadMap,
        {source_.file(), source_.OffsetOf(token.data()), source_.OffsetOf(token.data()) + 1},
        "expected the value of an entry before `.`", "`.` stands between entries");
  }
}

void Builder::RestBegins() { frames_.back().rest = stack_.size(); }

void Builder::CloseArgs(std::string_view token) {
  end_ = source_.SpanOf(token).end;
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes args = stack_.PopFrom(frame.base, depth);
  Node& callee = stack_.Top();
  if (Call* call = callee.As<Call>()) {
    call->args = std::move(args);
    call->parens = true;
  } else if (Symbol* symbol = callee.As<Symbol>()) {
    callee.is = Call{Namespace::kRelation, std::move(symbol->name), std::move(args), true};
  } else if (Avar* avar = callee.As<Avar>()) {
    callee.is = Call{Namespace::kTool, std::move(avar->name), std::move(args), true};
  } else {
    const std::string name(
        source_.text().substr(callee.span.begin, callee.span.end - callee.span.begin));
    source_.Fail(Code::kBadName, callee.span,
                 "`" + name + "` is a literal and cannot name a relation");
  }
  callee.span.end = end_;
  stack_.Deepen(depth + 1);
}

void Builder::CloseCollection(CollectionKind kind, std::string_view token) {
  end_ = source_.SpanOf(token).end;
  const Frame frame = frames_.back();
  frames_.pop_back();
  Collection collection{kind, {}, {}, frame.dotted};
  int rest_depth = 0;
  int depth = 0;
  if (frame.rest != kNoRest) collection.rest = stack_.PopFrom(frame.rest, rest_depth);
  collection.items = stack_.PopFrom(frame.base, depth);
  stack_.Push({std::move(collection), {source_.file(), frame.begin, end_}},
              std::max(depth, rest_depth) + 1);
}

void Builder::CloseGroup(std::string_view token) {
  end_ = source_.SpanOf(token).end;
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes inner = stack_.PopFrom(frame.base, depth);
  assert(inner.size() == 1);
  stack_.Push({Group{std::move(inner)}, {source_.file(), frame.begin, end_}}, depth + 1);
}

void Builder::CloseCount(std::string_view token) {
  end_ = source_.SpanOf(token).end;
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes operand = stack_.PopFrom(frame.base, depth);
  stack_.Push({Count{std::move(operand)}, {source_.file(), frame.begin, end_}}, depth + 1);
}

void Builder::AddMatch() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes pattern = stack_.PopFrom(frame.base, depth);
  stack_.Push({Match{std::move(pattern)}, {source_.file(), frame.begin, end_}}, depth + 1);
}

void Builder::AddMatchTail() {
  operators_.push_back(Operator::kEqual);
  CloseBinary();
}

void Builder::AddGoalFalse() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes goal = stack_.PopFrom(frame.base, depth);
  stack_.Push({GoalFalse{std::move(goal)}, {source_.file(), frame.begin, end_}}, depth + 1);
}

// A Not without its clause stays on the stack until CloseNots.
void Builder::AddNot(std::string_view token) {
  const Not* outer = stack_.empty() ? nullptr : stack_.Top().As<Not>();
  const int depth = outer && outer->clause.empty() ? stack_.TopDepth() + 1 : 1;
  stack_.Push({Not{}, source_.SpanOf(token.substr(0, 3))}, depth);
}

void Builder::CloseNots() {
  const std::size_t base = rules_.back().base;
  while (stack_.size() - base >= 2) {
    Not* waiting = stack_.Top(1).As<Not>();
    if (waiting == nullptr || !waiting->clause.empty()) return;
    int depth = 0;
    Nodes clause = stack_.PopFrom(stack_.size() - 1, depth);
    Node& node = stack_.Top();
    node.span.end = clause.front().span.end;
    waiting->clause = std::move(clause);
    stack_.Deepen(depth + 1);
  }
}

void Builder::AddOperator(std::string_view token) { operators_.push_back(OperatorOf(token)); }

void Builder::CloseBinary() {
  const Operator op = operators_.back();
  operators_.pop_back();
  int depth = 0;
  Nodes sides = stack_.PopFrom(stack_.size() - 2, depth);
  const Span span = Cover(sides[0].span, sides[1].span);
  stack_.Push({Binary{op, std::move(sides)}, span}, depth + 1);
}

void Builder::CloseWithin() {
  int depth = 0;
  Nodes parts = stack_.PopFrom(stack_.size() - 3, depth);
  const Span span = Cover(parts[0].span, parts[2].span);
  stack_.Push({Within{std::move(parts)}, span}, depth + 1);
}

void Builder::CloseBetween() {
  int depth = 0;
  Nodes parts = stack_.PopFrom(stack_.size() - 3, depth);
  const Span span = Cover(parts[0].span, parts[2].span);
  stack_.Push({Between{std::move(parts)}, span}, depth + 1);
}

// The suffix belongs to the node below it, which the first suffix turns into an Annotated.
void Builder::CloseSuffix(bool bindings) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes parts = stack_.PopFrom(frame.base, depth);
  Suffix suffix;
  suffix.bindings = bindings;
  suffix.span = {source_.file(), frame.begin, end_};
  suffix.value.push_back(std::move(parts.back()));
  parts.pop_back();
  suffix.key = std::move(parts);

  if (stack_.Top().As<Annotated>() == nullptr) {
    int form_depth = 0;
    Annotated annotated;
    annotated.form = stack_.PopFrom(stack_.size() - 1, form_depth);
    const Span span = annotated.form.front().span;
    stack_.Push({std::move(annotated), span}, form_depth + 1);
  }
  Node& node = stack_.Top();
  node.span.end = end_;
  node.As<Annotated>()->suffixes.push_back(std::move(suffix));
  stack_.Deepen(std::max(stack_.TopDepth(), depth + 1));
}

// Adds the top of the stack to the chain below it, which the first link begins.
template <typename T>
void Builder::CloseChain(Nodes T::*children) {
  int depth = 0;
  Nodes link = stack_.PopFrom(stack_.size() - 1, depth);
  if (stack_.Top().As<T>() == nullptr) {
    int first_depth = 0;
    T chain;
    chain.*children = stack_.PopFrom(stack_.size() - 1, first_depth);
    const Span span = (chain.*children).front().span;
    stack_.Push({std::move(chain), span}, first_depth + 1);
  }
  Node& node = stack_.Top();
  node.span.end = link.front().span.end;
  (node.As<T>()->*children).push_back(std::move(link.front()));
  stack_.Deepen(std::max(stack_.TopDepth(), depth + 1));
}

void Builder::CloseConjunction() { CloseChain(&Conjunction::clauses); }
void Builder::CloseDisjunction() { CloseChain(&Disjunction::branches); }

void Builder::OpenRule() { rules_.emplace_back().base = stack_.size(); }

void Builder::AddAbductive(std::string_view act) {
  const auto word_end = std::find_if_not(act.begin() + 1, act.end(), IsNameChar);
  const AbductiveKind kind = FindAbductive({act.begin() + 1, word_end})->kind;
  int depth = 0;
  Nodes clauses = stack_.PopFrom(stack_.size() - 1, depth);
  if (Conjunction* list = clauses.front().As<Conjunction>()) {
    Nodes parts = std::move(list->clauses);
    clauses = std::move(parts);
  }
  RuleFrame& rule = rules_.back();
  rule.depth = std::max(rule.depth, depth);
  rule.abductives.push_back(
      {kind, std::move(clauses), {source_.file(), source_.OffsetOf(act.data()), end_}});
}

// The stack holds the heads, the tail and the constraints. A rule that is only a tail stays a tail.
void Builder::CloseRule() {
  RuleFrame frame = std::move(rules_.back());
  rules_.pop_back();
  if (frame.arrows == 0 && frame.constraints == 0 && frame.abductives.empty()) return;
  int depth = 0;
  Nodes parts = stack_.PopFrom(frame.base, depth);
  assert(parts.size() == static_cast<std::size_t>(frame.arrows + 1 + frame.constraints));
  const Span span = {source_.file(), parts.front().span.begin, end_};
  const auto heads_end = std::make_move_iterator(parts.begin() + frame.arrows);
  const auto end = std::make_move_iterator(parts.end());
  Rule rule;
  rule.heads.assign(std::make_move_iterator(parts.begin()), heads_end);
  rule.tail.assign(heads_end, heads_end + 1);
  rule.constraints.assign(heads_end + 1, end);
  rule.abductives = std::move(frame.abductives);
  stack_.Push({std::move(rule), span}, std::max(depth, frame.depth) + 1);
}

Node Builder::Take() {
  assert(stack_.size() == 1 && frames_.empty() && rules_.empty() && operators_.empty());
  Node node = std::move(stack_.Top());
  stack_.Clear();
  return node;
}

}  // namespace rpl
