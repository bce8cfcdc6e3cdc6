// SPDX-License-Identifier: Apache-2.0
#include "grammar/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <utility>

#include "formats/character.h"
#include "formats/number_text.h"
#include "formats/spelling.h"

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

void AppendUtf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// The end of `{name}`, `{ ?name }`, `{?Name}` or `{?_}` at the brace `at`, which is probably a
// misspelt hole; 0 for any other text.
std::size_t HoleMeant(std::string_view text, std::size_t at) {
  const auto blanks = [&](std::size_t i) { return SkipBlanks(text, i); };
  std::size_t i = at + 1;
  const bool mark = text.substr(blanks(i), 1) == "?";
  if (mark) i = blanks(i) + 1;
  const std::size_t name = i;
  while (i < text.size() && IsNameChar(text[i])) ++i;
  if (i == name) return 0;
  const bool anonymous = text.substr(name, i - name) == "_";
  if (!(mark ? IsLetter(text[name]) || anonymous : IsLower(text[name]))) return 0;
  if (mark) i = blanks(i);
  const bool doubled = at > 0 && text[at - 1] == '{';  // {{name}} is another template language
  return i < text.size() && text[i] == '}' && !doubled ? i + 1 : 0;
}

}  // namespace

void Builder::Start(std::uint32_t begin, std::uint32_t end) {
  stack_.clear();
  depths_.clear();
  frames_.clear();
  rules_.clear();
  operators_.clear();
  lints_.clear();
  string_.clear();
  texts_.clear();
  holes_.clear();
  high_surrogate_ = 0;
  nodes_ = 0;
  end_ = begin;
  limit_ = end;
}

void Builder::Fail(Code code, Span span, std::string message, std::string hint) {
  throw Diagnostic{code, InfoOf(code).severity, span, std::move(message), std::move(hint)};
}

void Builder::Lint(Code code, Span span, std::string message, std::string hint) {
  lints_.push_back({code, InfoOf(code).severity, span, std::move(message), std::move(hint)});
}

Span Builder::SpanOf(std::string_view token) const {
  const std::uint32_t begin = OffsetOf(token.data());
  return {file_, begin, begin + static_cast<std::uint32_t>(token.size())};
}

void Builder::RequireShallow(int depth, Span span) {
  if (depth <= kMaxNesting) return;
  Fail(Code::kNestedTooDeep, span,
       "this nests deeper than the limit of " + std::to_string(kMaxNesting), "split the sentence");
}

void Builder::Push(Node node, int depth) {
  RequireShallow(depth, node.span);
  if (++nodes_ > static_cast<std::size_t>(kMaxSentenceNodes)) {
    Fail(Code::kTooLong, node.span,
         "the sentence has more parts than the limit of " + std::to_string(kMaxSentenceNodes),
         "split the sentence");
  }
  stack_.push_back(std::move(node));
  depths_.push_back(depth);
}

template <typename T>
void Builder::PushToken(T&& value, std::string_view token) {
  const Span span = SpanOf(token);
  end_ = span.end;
  Push({std::forward<T>(value), span}, 1);
}

// Removes stack_[base..] and returns it; sets `depth` to the maximal depth, 0 for no nodes.
Nodes Builder::PopFrom(std::size_t base, int& depth) {
  assert(base <= stack_.size());
  const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(base);
  const auto depth_from = depths_.begin() + static_cast<std::ptrdiff_t>(base);
  Nodes out(std::make_move_iterator(from), std::make_move_iterator(stack_.end()));
  depth = out.empty() ? 0 : *std::max_element(depth_from, depths_.end());
  stack_.erase(from, stack_.end());
  depths_.erase(depth_from, depths_.end());
  return out;
}

void Builder::Word(std::string_view token) {
  if (token == "true" || token == "false") {
    PushToken(Boolean{token == "true"}, token);
  } else if (token == "nil") {
    PushToken(Nil{}, token);
  } else if (token.find('#') != token.npos) {
    PushToken(Call{Namespace::kRelation, std::string(token), {}, false}, token);
  } else {
    PushToken(Symbol{std::string(token)}, token);
  }
}

void Builder::AddGoal(std::string_view token) {
  PushToken(Call{Namespace::kGoal, std::string(token.substr(1)), {}, false}, token);
}

void Builder::AddTool(std::string_view token) {
  PushToken(Avar{std::string(token.substr(1))}, token);
}

void Builder::AddLvar(std::string_view token) {
  PushToken(Lvar{std::string(token.substr(1))}, token);  // `_` has an empty name
}

void Builder::AddExpansion(std::string_view token) {
  PushToken(Expansion{std::string(token.substr(2))}, token);
}

void Builder::AddKeyword(std::string_view token) {
  PushToken(Keyword{std::string(token.substr(1))}, token);
}

void Builder::AddSymbol(std::string_view token) { PushToken(Symbol{std::string(token)}, token); }

void Builder::AddTruth(std::string_view token) { PushToken(Boolean{token == "true"}, token); }

void Builder::AddNumber(std::string_view token) {
  NumberText read = ReadNumber(token);
  if (read.problem == NumberText::Problem::kTooLong) {
    Fail(Code::kBadLiteral, SpanOf(token),
         fmt::format("the integer has more than {} digits", kMaxDigits));
  }
  if (read.problem != NumberText::Problem::kNone) {
    Fail(Code::kBadLiteral, SpanOf(token), "the number does not fit a 64-bit float");
  }
  // A large number that is written like a float is printed like one, if that loses nothing.
  if (std::holds_alternative<std::string>(read.value) && token.find_first_of(".eE") != token.npos) {
    const std::string_view bare = token.substr(token.front() == '+' ? 1 : 0);
    double value = 0;
    const auto [end, error] = ReadFloat(bare.data(), bare.data() + bare.size(), value);
    if (error == std::errc{} && std::isfinite(value) && NumberAsWritten(value) == read.value)
      return PushToken(Number{value}, token);
  }
  PushToken(Number{std::move(read.value)}, token);
}

void Builder::AddNumberSuffix(std::string_view token) {
  const Span span = SpanOf(token);
  end_ = span.end;
  stack_.back().span.end = span.end;
  Lint(Code::kNumberSuffix, span,
       std::string("the suffix `") + token.front() + "` of a number has no meaning here",
       "remove it");
}

void Builder::AddRegex(std::string_view token) {
  std::string body;
  for (std::size_t i = 1; i + 1 < token.size(); ++i) {
    if (token[i] == '\\') {
      if (token[i + 1] != '/') body += '\\';
      ++i;
    }
    body += token[i];
  }
  PushToken(Regex{std::move(body)}, token);
}

void Builder::StringEscape(std::string_view token) {
  const char c = token[1];
  if (c != 'u') {
    if (high_surrogate_ != 0) {
      Fail(Code::kBadLiteral, SpanOf(token), "expected the second half of a surrogate pair");
    }
    constexpr std::string_view kNames = "ntrbf";
    constexpr std::string_view kValues = "\n\t\r\b\f";
    const std::size_t known = kNames.find(c);
    string_ += known == kNames.npos ? c : kValues[known];
    return;
  }
  std::uint32_t value = 0;
  std::from_chars(token.data() + 2, token.data() + 6, value, 16);
  const bool high = value >= 0xD800 && value < 0xDC00;
  const bool low = value >= 0xDC00 && value < 0xE000;
  if (low != (high_surrogate_ != 0)) {
    Fail(Code::kBadLiteral, SpanOf(token), "the escape is half of a surrogate pair",
         "write both halves, or the character itself");
  }
  if (high) {
    // The low half must touch it.
    const std::size_t after = OffsetOf(token.data()) + token.size();
    if (text_.substr(after, 2) != "\\u") {
      Fail(Code::kBadLiteral, SpanOf(token), "the escape is half of a surrogate pair",
           "write both halves, or the character itself");
    }
    high_surrogate_ = static_cast<char16_t>(value);
    return;
  }
  if (low) {
    value = 0x10000u + ((static_cast<std::uint32_t>(high_surrogate_) - 0xD800u) << 10) +
            (value - 0xDC00u);
    high_surrogate_ = 0;
  }
  AppendUtf8(string_, value);
}

void Builder::StringBrace(std::string_view token) {
  string_ += '{';
  const std::size_t at = OffsetOf(token.data());
  const std::size_t end = HoleMeant(text_.substr(0, limit_), at);
  if (end == 0) return;
  const std::string hole(text_.substr(at, end - at));
  std::string name;
  for (const char c : hole)
    if (std::string_view("{}? \t").find(c) == std::string_view::npos) name += c;
  Lint(Code::kBraceInString,
       {file_, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)},
       "`" + hole + "` is plain text in a string",
       name == "_" ? "a hole has a name: write one that is used nowhere else, as in `{?rest}`"
                   : "for a variable, write `{?" + (name[0] < 'a' ? Kebab(name) : name) + "}`");
}

void Builder::StringHole(std::string_view token) {
  texts_.push_back(std::exchange(string_, {}));
  const std::string_view name = token.substr(1, token.size() - 2);
  holes_.emplace_back(name.substr(1));  // `_` has an empty name
}

void Builder::AddString(std::string_view token) {
  if (holes_.empty()) return PushToken(String{std::exchange(string_, {})}, token);
  texts_.push_back(std::exchange(string_, {}));
  PushToken(Template{std::exchange(texts_, {}), std::exchange(holes_, {})}, token);
}

void Builder::Open(std::string_view token) {
  frames_.push_back({stack_.size(), OffsetOf(token.data())});
}

void Builder::Dot(std::string_view token) {
  Frame& frame = frames_.back();
  frame.dotted = true;
  const bool in_map = text_[frame.begin] == '{';
  if (in_map && (stack_.size() - frame.base) % 2 != 0) {
    Fail(Code::kBadMap, {file_, OffsetOf(token.data()), OffsetOf(token.data()) + 1},
         "expected the value of an entry before `.`", "`.` stands between entries");
  }
}

void Builder::RestBegins() { frames_.back().rest = stack_.size(); }

void Builder::CloseArgs(std::string_view token) {
  end_ = SpanOf(token).end;
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes args = PopFrom(frame.base, depth);
  Node& callee = stack_.back();
  if (Call* call = callee.As<Call>()) {
    call->args = std::move(args);
    call->parens = true;
  } else if (Symbol* symbol = callee.As<Symbol>()) {
    callee.is = Call{Namespace::kRelation, std::move(symbol->name), std::move(args), true};
  } else if (Avar* avar = callee.As<Avar>()) {
    callee.is = Call{Namespace::kTool, std::move(avar->name), std::move(args), true};
  } else {
    const std::string name(text_.substr(callee.span.begin, callee.span.end - callee.span.begin));
    Fail(Code::kBadName, callee.span, "`" + name + "` is a literal and cannot name a relation");
  }
  callee.span.end = end_;
  depths_.back() = depth + 1;
  RequireShallow(depth + 1, callee.span);
}

void Builder::CloseCollection(CollectionKind kind, std::string_view token) {
  end_ = SpanOf(token).end;
  const Frame frame = frames_.back();
  frames_.pop_back();
  Collection collection{kind, {}, {}, frame.dotted};
  int rest_depth = 0;
  int depth = 0;
  if (frame.rest != kNoRest) collection.rest = PopFrom(frame.rest, rest_depth);
  collection.items = PopFrom(frame.base, depth);
  Push({std::move(collection), {file_, frame.begin, end_}}, std::max(depth, rest_depth) + 1);
}

void Builder::CloseGroup(std::string_view token) {
  end_ = SpanOf(token).end;
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes inner = PopFrom(frame.base, depth);
  assert(inner.size() == 1);
  Push({Group{std::move(inner)}, {file_, frame.begin, end_}}, depth + 1);
}

void Builder::CloseCount(std::string_view token) {
  end_ = SpanOf(token).end;
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes operand = PopFrom(frame.base, depth);
  Push({Count{std::move(operand)}, {file_, frame.begin, end_}}, depth + 1);
}

void Builder::AddMatch() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes pattern = PopFrom(frame.base, depth);
  Push({Match{std::move(pattern)}, {file_, frame.begin, end_}}, depth + 1);
}

void Builder::AddMatchTail() {
  operators_.push_back(Operator::kEqual);
  CloseBinary();
}

void Builder::AddGoalFalse() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes goal = PopFrom(frame.base, depth);
  Push({GoalFalse{std::move(goal)}, {file_, frame.begin, end_}}, depth + 1);
}

// A Not without its clause stays on the stack until CloseNots.
void Builder::AddNot(std::string_view token) {
  const Not* outer = stack_.empty() ? nullptr : stack_.back().As<Not>();
  const int depth = outer && outer->clause.empty() ? depths_.back() + 1 : 1;
  Push({Not{}, SpanOf(token.substr(0, 3))}, depth);
}

void Builder::CloseNots() {
  const std::size_t base = rules_.back().base;
  while (stack_.size() - base >= 2) {
    Not* waiting = stack_[stack_.size() - 2].As<Not>();
    if (waiting == nullptr || !waiting->clause.empty()) return;
    int depth = 0;
    Nodes clause = PopFrom(stack_.size() - 1, depth);
    Node& node = stack_.back();
    node.span.end = clause.front().span.end;
    waiting->clause = std::move(clause);
    depths_.back() = depth + 1;
    RequireShallow(depth + 1, node.span);
  }
}

void Builder::AddOperator(std::string_view token) { operators_.push_back(OperatorOf(token)); }

void Builder::CloseBinary() {
  const Operator op = operators_.back();
  operators_.pop_back();
  int depth = 0;
  Nodes sides = PopFrom(stack_.size() - 2, depth);
  const Span span = Cover(sides[0].span, sides[1].span);
  Push({Binary{op, std::move(sides)}, span}, depth + 1);
}

void Builder::CloseWithin() {
  int depth = 0;
  Nodes parts = PopFrom(stack_.size() - 3, depth);
  const Span span = Cover(parts[0].span, parts[2].span);
  Push({Within{std::move(parts)}, span}, depth + 1);
}

void Builder::CloseBetween() {
  int depth = 0;
  Nodes parts = PopFrom(stack_.size() - 3, depth);
  const Span span = Cover(parts[0].span, parts[2].span);
  Push({Between{std::move(parts)}, span}, depth + 1);
}

// The suffix belongs to the node below it, which the first suffix turns into an Annotated.
void Builder::CloseSuffix(bool bindings) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  int depth = 0;
  Nodes parts = PopFrom(frame.base, depth);
  Suffix suffix;
  suffix.bindings = bindings;
  suffix.span = {file_, frame.begin, end_};
  suffix.value.push_back(std::move(parts.back()));
  parts.pop_back();
  suffix.key = std::move(parts);

  if (stack_.back().As<Annotated>() == nullptr) {
    int form_depth = 0;
    Annotated annotated;
    annotated.form = PopFrom(stack_.size() - 1, form_depth);
    const Span span = annotated.form.front().span;
    Push({std::move(annotated), span}, form_depth + 1);
  }
  Node& node = stack_.back();
  node.span.end = end_;
  node.As<Annotated>()->suffixes.push_back(std::move(suffix));
  depths_.back() = std::max(depths_.back(), depth + 1);
  RequireShallow(depths_.back(), node.span);
}

// Adds the top of the stack to the chain below it, which the first link begins.
template <typename T>
void Builder::CloseChain(Nodes T::*children) {
  int depth = 0;
  Nodes link = PopFrom(stack_.size() - 1, depth);
  if (stack_.back().As<T>() == nullptr) {
    int first_depth = 0;
    T chain;
    chain.*children = PopFrom(stack_.size() - 1, first_depth);
    const Span span = (chain.*children).front().span;
    Push({std::move(chain), span}, first_depth + 1);
  }
  Node& node = stack_.back();
  node.span.end = link.front().span.end;
  (node.As<T>()->*children).push_back(std::move(link.front()));
  depths_.back() = std::max(depths_.back(), depth + 1);
  RequireShallow(depths_.back(), node.span);
}

void Builder::CloseConjunction() { CloseChain(&Conjunction::clauses); }
void Builder::CloseDisjunction() { CloseChain(&Disjunction::branches); }

void Builder::OpenRule() { rules_.emplace_back().base = stack_.size(); }

void Builder::AddAbductive(AbductiveKind kind, std::uint32_t begin) {
  int depth = 0;
  Nodes clauses = PopFrom(stack_.size() - 1, depth);
  if (Conjunction* list = clauses.front().As<Conjunction>()) {
    Nodes parts = std::move(list->clauses);
    clauses = std::move(parts);
  }
  RuleFrame& rule = rules_.back();
  rule.depth = std::max(rule.depth, depth);
  rule.abductives.push_back({kind, std::move(clauses), {file_, begin, end_}});
}

// The stack holds the heads, the tail and the constraints. A rule that is only a tail stays a tail.
void Builder::CloseRule() {
  RuleFrame frame = std::move(rules_.back());
  rules_.pop_back();
  if (frame.arrows == 0 && frame.constraints == 0 && frame.abductives.empty()) return;
  int depth = 0;
  Nodes parts = PopFrom(frame.base, depth);
  assert(parts.size() == static_cast<std::size_t>(frame.arrows + 1 + frame.constraints));
  const Span span = {file_, parts.front().span.begin, end_};
  const auto heads_end = std::make_move_iterator(parts.begin() + frame.arrows);
  const auto end = std::make_move_iterator(parts.end());
  Rule rule;
  rule.heads.assign(std::make_move_iterator(parts.begin()), heads_end);
  rule.tail.assign(heads_end, heads_end + 1);
  rule.constraints.assign(heads_end + 1, end);
  rule.abductives = std::move(frame.abductives);
  Push({std::move(rule), span}, std::max(depth, frame.depth) + 1);
}

Node Builder::Take() {
  assert(stack_.size() == 1 && frames_.empty() && rules_.empty() && operators_.empty());
  Node node = std::move(stack_.back());
  stack_.clear();
  depths_.clear();
  return node;
}

}  // namespace rpl
