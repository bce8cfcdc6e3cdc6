// SPDX-License-Identifier: Apache-2.0
#include "grammar/lexer.h"

#include <algorithm>
#include <utility>

#include "formats/character.h"
#include "formats/utf8.h"
#include "grammar/line_start.h"

namespace rpl {

std::uint32_t NameEnd(std::string_view text, std::uint32_t at) {
  const auto size = static_cast<std::uint32_t>(text.size());
  while (at < size && IsNameChar(text[at])) {
    if (text[at] == '-' && at + 1 < size && text[at + 1] == '>') break;
    ++at;
  }
  return at;
}

bool Lexer::IsInfix(std::string_view word) const {
  constexpr std::array<std::string_view, 8> kWords = {"in",     "union", "intersect", "difference",
                                                      "before", "after", "within",    "between"};
  return std::ranges::find(kWords, word) != kWords.end() || (within_ && word == "of") ||
         (between_ && word == "and");
}

std::optional<Token> Lexer::Next(std::uint32_t from) {
  std::optional<Token> token;  // filled in its place: to copy what was just written is slow
  while (IsSpace(At(from))) ++from;
  if (from >= text_.size()) return token;
  Read(token.emplace(Token{TokenKind::kOther, true, from, from + 1}));
  return token;
}

std::optional<Token> Lexer::NextBehind(const Token& callee) {
  std::uint32_t at = callee.end;
  if (At(at) != '(') return Next(at);
  const std::size_t depth = levels_.size();
  do {
    const std::optional<Token> token = Next(at);
    if (!token) return std::nullopt;
    at = token->end;
  } while (levels_.size() > depth);
  return Next(at);
}

// Extends the token, which is its first byte, and sets its kind and what the next one depends on.
void Lexer::Read(Token& token) {
  const Before before = std::exchange(before_, Before::kOperand);
  const char c = text_[token.begin];
  const char next = At(token.end);
  switch (c) {
    case '"':
    case '\'': token.kind = TokenKind::kString; return ReadQuoted(token);
    case '(':
      if (before == Before::kCallee)
        return Open(token, TokenKind::kArguments, Inside::kArguments, ')');
      return Open(token, before == Before::kActivation ? TokenKind::kArguments : TokenKind::kGroup,
                  Inside::kClauses, ')');
    case '[': return Open(token, TokenKind::kOpen, Inside::kElements, ']');
    case '{': return Open(token, TokenKind::kOpen, Inside::kElements, '}');
    case ')':
    case ']':
    case '}': token.kind = TokenKind::kClose; return Close(c);
    case '|': return ReadBar(token, before);
    case '?': return ReadMarked(token, TokenKind::kLvar, NameEnd(token.end));
    case '@':
      ReadMarked(token, TokenKind::kActivation, NameEnd(token.end));
      if (token.kind == TokenKind::kActivation) before_ = Before::kActivation;
      return;
    case ':':
      ReadMarked(token, TokenKind::kKeyword, ForeignEnd(NameEnd(token.end)));
      if (before == Before::kMeta || before == Before::kBindings) before_ = Before::kOperator;
      return;
    case '$':
      if (NameEnd(token.end) > token.end) ReadLabel(token, TokenKind::kAvar, TokenKind::kTool);
      return;
    case '%':
      if (next != '-') return ReadLabel(token, TokenKind::kGoal, TokenKind::kGoal);
      token.kind = TokenKind::kGoal;
      return;
    case '#':
      if (next == '{') {
        ++token.end;
        return Open(token, TokenKind::kOpen, Inside::kElements, '}');
      }
      if (next != '?' || !IsNameChar(At(token.end + 1))) {
        token.end = NameEnd(token.end);  // a tagged value of EDN
        return;
      }
      token.kind = TokenKind::kOperator;
      before_ = Before::kOperator;
      return;
    case '/':
      if (before != Before::kTilde) break;
      token.kind = TokenKind::kRegex;
      return ReadQuoted(token);
    case '-':
    case '+':
      if (c == next && c == '-') {
        before_ = before;
        token.kind = TokenKind::kComment;
        token.end = static_cast<std::uint32_t>(std::min(text_.find('\n', token.end), text_.size()));
        if (text_[token.end - 1] == '\r') --token.end;
        return;
      }
      if (IsDigit(next) &&
          (before != Before::kOperand || levels_.back().inside == Inside::kElements))
        return ReadNumber(token);
      break;
    case ',':
      token.kind = TokenKind::kComma;
      before_ = Before::kOperator;
      return;
    default:
      if (IsDigit(c)) return ReadNumber(token);
      if (IsLetter(c) || c == '_') return ReadWord(token, before);
      if (std::string_view("<>=!^~&;*.").find(c) != kNowhere) break;
      if (static_cast<signed char>(c) > 0) return;
      while (IsContinuation(At(token.end))) ++token.end;
      if (!ArrowForSign(text_, token.begin).empty()) break;
      return;
  }
  ReadOperator(token);
}

// A string, or a regex: up to the mark that it begins with.
void Lexer::ReadQuoted(Token& token) {
  const char mark = text_[token.begin];
  const auto size = static_cast<std::uint32_t>(text_.size());
  const bool on_line = mark == '/';
  std::uint32_t at = token.end;
  while (at < size && text_[at] != mark && !(on_line && text_[at] == '\n'))
    at += text_[at] == '\\' && !(on_line && At(at + 1) == '\n') ? 2 : 1;
  token.closed = At(at) == mark && at < size;
  token.end = token.closed ? at + 1 : std::min(at, size);
}

// NUMBER, by decision 13. What else touches it is taken as a part of it.
void Lexer::ReadNumber(Token& token) {
  token.kind = TokenKind::kNumber;
  std::uint32_t at = DigitsEnd(token.end);
  if (At(at) == '.' && IsDigit(At(at + 1))) at = DigitsEnd(at + 1);
  if (At(at) == 'e' || At(at) == 'E') {
    const bool sign = At(at + 1) == '+' || At(at + 1) == '-';
    const std::uint32_t end = DigitsEnd(at + (sign ? 2 : 1));
    if (IsDigit(text_[end - 1])) at = end;
  }
  const bool ended = At(at) == 'N' || At(at) == 'M';
  token.end = at += ended ? 1 : 0;
  if (ended && IsDigit(At(at))) return;
  while (IsLetter(At(at)) || IsDigit(At(at)) || At(at) == '_' ||
         (At(at) == '.' && IsDigit(At(at + 1))))
    ++at;
  token.closed = at == token.end;
  token.end = at;
}

// A label behind a mark or its first character.
void Lexer::ReadLabel(Token& token, TokenKind bare, TokenKind called) {
  token.end = LabelEnd(token.end);
  token.kind = At(token.end) == '(' ? called : bare;
  if (At(token.end) == '(') before_ = Before::kCallee;
}

// A name, an operator or a key: a label, or a symbol with a `/` (decision 14).
void Lexer::ReadWord(Token& token, Before before) {
  ReadLabel(token, TokenKind::kSymbol, TokenKind::kRelation);
  const std::uint32_t end = ForeignEnd(token.end);
  if (end > token.end) {
    token.end = end;
    token.kind = At(end) == '(' ? TokenKind::kRelation : TokenKind::kSymbol;
    before_ = At(end) == '(' ? Before::kCallee : Before::kOperand;
  }
  const std::string_view word = token.In(text_);
  if (word == "_") {
    token.kind = TokenKind::kLvar;
    return;
  }
  if (before == Before::kMeta || before == Before::kBindings) {
    const bool truth = before == Before::kMeta && (word == "true" || word == "false");
    before_ = truth ? Before::kOperand : Before::kOperator;
    return;
  }
  const Inside inside = levels_.back().inside;
  const bool infix = (before == Before::kOperand && (IsInfix(word) || word == "not")) ||
                     (before == Before::kNot && word == "in");
  if (inside == Inside::kElements || !(infix || (inside == Inside::kClauses && word == "not")))
    return;
  token.kind = TokenKind::kWord;
  within_ = word == "within" || (within_ && word != "of");
  between_ = word == "between" || (between_ && word != "and");
  before_ = infix && word == "not" ? Before::kNot : Before::kOperator;
}

// A mark and the name behind it; without a name the mark is no token of RPL.
void Lexer::ReadMarked(Token& token, TokenKind kind, std::uint32_t end) {
  if (!IsNameChar(text_[end - 1])) return;
  token.kind = kind;
  token.end = end;
}

void Lexer::ReadBar(Token& token, Before before) {
  bool& counts = levels_.back().counts;
  if (!counts && before == Before::kOperand) {
    token.kind = TokenKind::kOperator;
    before_ = Before::kOperator;
    return;
  }
  token.kind = counts ? TokenKind::kCountClose : TokenKind::kCountOpen;
  if (!counts) before_ = Before::kOperator;
  counts = !counts;
}

void Lexer::ReadOperator(Token& token) {
  token.kind = TokenKind::kOperator;
  const char c = text_[token.begin];
  const char next = At(token.begin + 1);
  const bool two = c == '<'               ? next == '-' || next == '='
                   : c == '-' || c == '=' ? next == '>'
                   : c == '>' || c == '!' ? next == '='
                                          : c == '^' && next == '^';
  if (two) ++token.end;
  before_ = Before::kOperator;
  if (c == '~') before_ = Before::kTilde;
  if (c == '^') before_ = two ? Before::kBindings : Before::kMeta;
  // The dot of a list; elsewhere it is taken for the end of a statement.
  if (c == '.') before_ = Before::kOperand;
}

void Lexer::Open(Token& token, TokenKind kind, Inside inside, char closer) {
  token.kind = kind;
  before_ = Before::kOperator;
  levels_.push_back({closer, inside, false, token.end - 1});
}

// A bracket closes what was opened last; `([)` the one below as well, which it fits.
void Lexer::Close(char closer) {
  if (levels_.size() == 1) return;
  const bool fits = levels_.back().closer == closer;
  levels_.pop_back();
  if (!fits && levels_.size() > 1 && levels_.back().closer == closer) levels_.pop_back();
}

// The end of a label, of which a name ends at `at` or goes on: rel   ns#rel   file.md#rel
std::uint32_t Lexer::LabelEnd(std::uint32_t at) const {
  constexpr int kMostDots = 8;  // as in NsDots: a label is not read again from each dot
  at = NameEnd(at);
  while (IsNameChar(text_[at - 1])) {
    std::uint32_t end = at;
    for (int dots = 0; dots < kMostDots && At(end) == '.'; ++dots) {
      const std::uint32_t part = NameEnd(end + 1);
      if (part == end + 1) break;
      end = part;
    }
    if (At(end) != '#' || !IsLetter(At(end + 1))) break;
    at = NameEnd(end + 1);
  }
  return at;
}

// The end of the second half of foreign/name, if there is one behind `at` (decision 14).
std::uint32_t Lexer::ForeignEnd(std::uint32_t at) const {
  return At(at) == '/' && IsLetter(At(at + 1)) ? NameEnd(at + 1) : at;
}

std::uint32_t Lexer::DigitsEnd(std::uint32_t at) const {
  while (IsDigit(At(at))) ++at;
  return at;
}

}  // namespace rpl
