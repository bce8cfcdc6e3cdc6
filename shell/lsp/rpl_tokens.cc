// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/rpl_tokens.h"

#include <algorithm>

#include "formats/character.h"
#include "shell/lsp/text_position.h"

namespace rpl::lsp {

const std::vector<std::string_view> kWords = {"after", "and", "before",    "between", "difference",
                                              "false", "in",  "intersect", "nil",     "not",
                                              "now",   "of",  "true",      "union",   "within"};

namespace {

class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::uint32_t begin, std::uint32_t end)
      : text_(text.substr(0, end)), at_(begin) {}

  std::vector<Token> Read() {
    while (at_ < text_.size()) {
      if (IsSpace(text_[at_]) || text_[at_] == ',') {
        ++at_;
        continue;
      }
      const std::size_t begin = at_;
      const TokenKind kind = Next();
      out_.push_back({kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
    }
    return std::move(out_);
  }

 private:
  char At(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  // Reads one token. REQUIRES: at_ is at its first byte.
  TokenKind Next() {
    const char c = At();
    if (c == '-' && At(1) == '-') return ReadLine();
    if (c == '"' || c == '\'') return ReadString(c);
    if (c == '/' && AfterTilde()) return ReadRegex();
    if (c == '?' && IsNameChar(At(1))) return ReadName(TokenKind::kLvar);
    if (c == '%') return ReadQualified(TokenKind::kGoal);
    if (c == '$' && IsNameChar(At(1))) {
      ReadQualified(TokenKind::kTool);
      return At() == '(' ? TokenKind::kTool : TokenKind::kAvar;
    }
    if (c == '@' && IsLetter(At(1))) return ReadName(TokenKind::kActivation);
    if (c == ':' && IsNameChar(At(1))) return ReadName(TokenKind::kKeyword);
    if (IsDigit(c) || ((c == '-' || c == '+') && IsDigit(At(1)) && StartsOperand()))
      return ReadNumber();
    if (IsLetter(c) || c == '_') return ReadWord();
    if (std::string_view("()[]{}").find(c) != kNowhere) return Skip(1, TokenKind::kBracket);
    for (const std::string_view two : {"<-", "->", "<=", ">=", "!=", "^^"})
      if (text_.substr(at_).starts_with(two)) return Skip(2, TokenKind::kOperator);
    return Skip(CharacterSize(text_, at_), TokenKind::kOperator);
  }

  TokenKind Skip(std::size_t bytes, TokenKind kind) {
    at_ += bytes;
    return kind;
  }

  TokenKind ReadLine() {
    at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    return TokenKind::kComment;
  }

  TokenKind ReadString(char quote) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') ++at_;
      else if (text_[at_] == quote) break;
    }
    at_ = std::min(at_ + 1, text_.size());
    return TokenKind::kString;
  }

  TokenKind ReadRegex() {
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && At(1) != '\n') ++at_;
      else if (text_[at_] == '/') break;
    }
    at_ = std::min(at_ + (At() == '/' ? 1 : 0), text_.size());
    return TokenKind::kRegex;
  }

  TokenKind ReadName(TokenKind kind) {
    for (++at_; IsNameChar(At()); ++at_) {
    }
    return kind;
  }

  // A mark, and a name with or without namespace.
  TokenKind ReadQualified(TokenKind kind) {
    ++at_;
    ReadQualifiedName();
    return kind;
  }

  void ReadQualifiedName() {
    const std::size_t begin = at_;
    while (IsQualifiedNameChar(At()) && !(At() == '#' && (At(1) == '?' || At(1) == '{'))) ++at_;
    while (at_ > begin && text_[at_ - 1] == '.') --at_;
  }

  TokenKind ReadNumber() {
    if (!IsDigit(At())) ++at_;
    while (IsDigit(At())) ++at_;
    if (At() == '.' && IsDigit(At(1)))
      for (++at_; IsDigit(At()); ++at_) {
      }
    const std::size_t sign = At(1) == '-' || At(1) == '+' ? 2 : 1;
    if ((At() == 'e' || At() == 'E') && IsDigit(At(sign)))
      for (at_ += sign; IsDigit(At()); ++at_) {
      }
    return TokenKind::kNumber;
  }

  TokenKind ReadWord() {
    const std::size_t begin = at_;
    ReadQualifiedName();
    if (at_ == begin) ++at_;
    if (At() == '(') return TokenKind::kRelation;
    return std::ranges::binary_search(kWords, text_.substr(begin, at_ - begin))
               ? TokenKind::kWord
               : TokenKind::kSymbol;
  }

  bool AfterTilde() const {
    for (auto it = out_.rbegin(); it != out_.rend(); ++it)
      if (it->kind != TokenKind::kComment) return it->In(text_) == "~";
    return false;
  }

  // Whether a sign here belongs to a number: no operand is right before it.
  bool StartsOperand() const {
    if (out_.empty()) return true;
    const Token& last = out_.back();
    if (last.kind == TokenKind::kOperator || last.kind == TokenKind::kWord) return true;
    if (last.kind == TokenKind::kBracket)
      return std::string_view("([{").find(text_[last.begin]) != kNowhere;
    return last.end < at_ &&
           text_.substr(last.end, at_ - last.end).find_first_of(",\n") != kNowhere;
  }

  std::string_view text_;
  std::size_t at_;
  std::vector<Token> out_;
};

}  // namespace

std::vector<Token> TokensOf(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  return Tokenizer(text, begin, end).Read();
}

}  // namespace rpl::lsp
