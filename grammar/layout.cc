// SPDX-License-Identifier: Apache-2.0
//
// Tokenizer cuts the text and decides for each token whether a blank stands before it. Like
// SentenceCutter it tracks whether an operand is complete, because the reading of `|`, `-`, a word
// and `(` depends on that. Writer puts the tokens on lines.
//
// Layout is idempotent because the decision to break a piece depends on the widths of its tokens,
// which never change, and on whether it was broken before; and a piece that is laid out on several
// lines is broken from then on.
#include "grammar/layout.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "formats/character.h"
#include "formats/utf8.h"

namespace rpl {
namespace {

constexpr int kStep = 2;  // columns of one level

enum class Kind {
  kOther,       // operands, operators
  kSeparator,   // `,` and `|` between clauses, arguments or elements
  kArrow,       // <-
  kActivation,  // ;
  kConstraint,  // ->
  kGroup,       // `(` of a group
  kOpen,        // any other opening bracket
  kClose,
};

struct Comment {
  std::string_view gap;  // the blanks before it
  std::string_view text;
  bool own_line = false;
};

struct Token {
  std::string_view text;
  Kind kind = Kind::kOther;
  std::size_t begin = 0;
  bool tight = false;             // no blank before it
  bool broken = false;            // a line break before it
  std::size_t partner = 0;        // of an opening bracket: the token that closes it
  std::vector<Comment> comments;  // between the token before and this one
};

// --- Tokens ------------------------------------------------------------------------------

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<Token> Read() {
    levels_.push_back({Context::kClauses});
    for (;;) {
      Token token;
      SkipTo(token);
      if (pos_ == text_.size()) break;
      token.begin = pos_;
      Next(token);
      token.text = text_.substr(token.begin, pos_ - token.begin);
      if (touching_ || tokens_.empty()) token.tight = true;
      touching_ = touches_next_;
      touches_next_ = false;
      tokens_.push_back(std::move(token));
    }
    return std::move(tokens_);
  }

 private:
  enum class Context { kClauses, kArguments, kElements };
  struct Level {
    Context context;
    std::size_t opener = 0;
    bool bar = false;  // a count is open
  };

  char At(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  bool Starts(std::string_view word) const { return text_.substr(pos_).starts_with(word); }
  Context context() const { return levels_.back().context; }

  // Skips blanks and comments, which are stored in `token`, to the token's beginning.
  void SkipTo(Token& token) {
    std::size_t gap = pos_;
    while (pos_ < text_.size()) {
      if (IsBlankOrReturn(text_[pos_])) {
        ++pos_;
      } else if (text_[pos_] == '\n') {
        token.broken = true;
        gap = ++pos_;
      } else if (Starts("--")) {
        const std::size_t end = std::min(text_.find('\n', pos_), text_.size());
        token.comments.push_back({text_.substr(gap, pos_ - gap),
                                  WithoutBlanksAtEnd(text_.substr(pos_, end - pos_)),
                                  token.broken});
        gap = pos_ = end;
      } else {
        return;
      }
    }
  }

  // Advances pos_ behind the token and sets its kind. touches_next_: no blank after it.
  void Next(Token& token) {
    const bool after_operand = operand_;
    const char c = text_[pos_];
    const char next = At(pos_ + 1);
    const bool key = suffix_ && (IsLetter(c) || c == ':');
    const bool one_caret = suffix_ && !bindings_;
    suffix_ = false;
    operand_ = true;
    if (c == '"' || c == '\'') return ReadString(c);
    if (c == '/' && after_tilde_) return ReadString('/');
    after_tilde_ = false;
    if (c == '(' || c == '[' || c == '{' || (c == '#' && next == '{')) return Open(token);
    if (c == ')' || c == ']' || c == '}') return Close(token);
    callable_ = false;
    if (IsDigit(c) || StartsNumber(after_operand)) return ReadNumber();
    if (c == '|') return ReadBar(token, after_operand);
    if (IsLetter(c) || c == '_') {
      ReadLabel();
      ReadForeignTail();
      const std::string_view word = text_.substr(token.begin, pos_ - token.begin);
      const bool truth = one_caret && (word == "true" || word == "false");
      if (key && !truth) {
        token.tight = one_caret;
        operand_ = false;  // its value follows
      } else if (!key) {
        ReadWord(word, after_operand);
      }
      return;
    }
    if (c == '?' || c == '$' || c == '%' || c == ':' || c == '@' || (c == '#' && next == '?')) {
      pos_ += c == '#' ? 2 : 1;
      if (c == '$' || c == '%') ReadLabel();
      else ReadName();
      if (c == ':') ReadForeignTail();
      callable_ = c == '$' || c == '%' || c == '@';
      if (key) {
        token.tight = one_caret;
        operand_ = false;
      }
      return;
    }
    operand_ = false;
    ReadOperator(token);
  }

  bool StartsNumber(bool after_operand) const {
    const bool sign = At(pos_) == '-' || At(pos_) == '+';
    return sign && IsDigit(At(pos_ + 1)) && (!after_operand || context() == Context::kElements);
  }

  // A string or regex, up to its closing mark.
  void ReadString(char mark) {
    after_tilde_ = callable_ = false;
    for (++pos_; pos_ < text_.size() && text_[pos_] != mark; ++pos_) {
      if (text_[pos_] == '\\') ++pos_;
    }
    pos_ = std::min(pos_ + 1, text_.size());
  }

  void ReadNumber() {
    ++pos_;
    ReadDigits();
    if (At(pos_) == '.' && IsDigit(At(pos_ + 1))) {
      ++pos_;
      ReadDigits();
    }
    if (At(pos_) == 'e' || At(pos_) == 'E') {
      ++pos_;
      if (At(pos_) == '+' || At(pos_) == '-') ++pos_;
      ReadDigits();
    }
    if (At(pos_) == 'N' || At(pos_) == 'M') ++pos_;
  }

  void ReadDigits() {
    while (IsDigit(At(pos_))) ++pos_;
  }

  // A name stops before `->` (decision 6).
  void ReadName() {
    while (IsLetter(At(pos_)) || IsDigit(At(pos_)) || At(pos_) == '_' ||
           (At(pos_) == '-' && At(pos_ + 1) != '>')) {
      ++pos_;
    }
  }

  // rel   ns#rel   file.md#rel
  void ReadLabel() {
    ReadName();
    for (;;) {
      const std::size_t name_end = pos_;
      while (At(pos_) == '.' && (IsLetter(At(pos_ + 1)) || IsDigit(At(pos_ + 1)))) {
        ++pos_;
        ReadName();
      }
      if (At(pos_) != '#' || !IsLetter(At(pos_ + 1))) {
        pos_ = name_end;
        break;
      }
      ++pos_;
      ReadName();
    }
  }

  // The second half of foreign/name, a symbol or keyword (decision 14).
  void ReadForeignTail() {
    if (At(pos_) != '/' || !IsLetter(At(pos_ + 1))) return;
    ++pos_;
    ReadName();
  }

  // A word after an operand can only be an operator (decision 15).
  void ReadWord(std::string_view word, bool after_operand) {
    const bool second = after_not_ && word == "in";
    after_not_ = false;
    if (context() != Context::kElements && (after_operand || second)) {
      after_not_ = word == "not";
      operand_ = false;
    } else if (context() == Context::kClauses && word == "not") {
      operand_ = false;
    } else {
      callable_ = true;
    }
  }

  void ReadBar(Token& token, bool after_operand) {
    ++pos_;
    Level& level = levels_.back();
    if (level.bar) {
      level.bar = false;
      token.tight = true;
    } else if (after_operand) {
      token.kind = Kind::kSeparator;
      operand_ = false;
    } else {
      level.bar = true;
      touches_next_ = true;
      operand_ = false;
    }
  }

  void Open(Token& token) {
    const bool touches = !tokens_.empty() && token.comments.empty() && !token.broken &&
                         tokens_.back().begin + tokens_.back().text.size() == pos_;
    const bool act = !tokens_.empty() && tokens_.back().text.starts_with('@');
    const bool call = text_[pos_] == '(' && callable_ && (touches || act);
    const bool group = text_[pos_] == '(' && !call;
    callable_ = false;
    pos_ += text_[pos_] == '#' ? 2 : 1;
    token.kind = group ? Kind::kGroup : Kind::kOpen;
    token.tight = call;
    touches_next_ = true;
    operand_ = false;
    const Context inside = group || act ? Context::kClauses
                           : call       ? Context::kArguments
                                        : Context::kElements;
    levels_.push_back({inside, tokens_.size()});
  }

  void Close(Token& token) {
    callable_ = false;
    ++pos_;
    token.kind = Kind::kClose;
    token.tight = true;
    if (levels_.size() == 1) return;
    tokens_[levels_.back().opener].partner = tokens_.size();
    levels_.pop_back();
  }

  void ReadOperator(Token& token) {
    for (std::string_view two : {"<-", "->", "<=", ">=", "!=", "^^"}) {
      if (!Starts(two)) continue;
      pos_ += 2;
      if (two == "<-") token.kind = Kind::kArrow;
      if (two == "->") token.kind = Kind::kConstraint;
      if (two == "^^") suffix_ = bindings_ = true;
      return;
    }
    const char c = text_[pos_++];
    switch (c) {
      case ',':
        token.kind = Kind::kSeparator;
        token.tight = true;
        break;
      case ';': token.kind = Kind::kActivation; break;
      case '^':
        suffix_ = true;
        bindings_ = false;
        break;
      case '~': after_tilde_ = true; break;
      case '!': touches_next_ = true; break;
      default: break;
    }
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  std::vector<Token> tokens_;
  std::vector<Level> levels_;
  bool touching_ = false;      // no blank after the previous token,
  bool touches_next_ = false;  // nor after the one being read
  // The kind of the previous token.
  bool operand_ = false;
  bool callable_ = false;  // a `(` that touches it opens arguments
  bool after_tilde_ = false;
  bool after_not_ = false;  // the first word of `not in`
  bool suffix_ = false;     // `^` or
  bool bindings_ = false;   // `^^`
};

// --- Lines -------------------------------------------------------------------------------

int WidthOf(std::string_view s) { return static_cast<int>(CountCodePoints(s)); }

// The width of a token in columns; of a string over several lines, that of its longest line.
int ColumnsOf(std::string_view s) {
  int most = 0;
  for (std::size_t begin = 0; begin <= s.size();) {
    const std::size_t end = std::min(s.find('\n', begin), s.size());
    most = std::max(most, WidthOf(s.substr(begin, end - begin)));
    begin = end + 1;
  }
  return most;
}

class Writer {
 public:
  Writer(std::vector<Token> tokens, std::string_view indent, std::string_view newline)
      : tokens_(std::move(tokens)), base_(indent), newline_(newline), column_(WidthOf(indent)) {
    PutSeparatorsFirst();
    widths_.push_back(0);
    breaks_.push_back(0);
    for (const Token& t : tokens_) {
      widths_.push_back(widths_.back() + ColumnsOf(t.text) + (t.tight ? 0 : 1));
      breaks_.push_back(breaks_.back() + (t.broken || !t.comments.empty() ? 1 : 0));
    }
  }

  std::string Write() {
    const std::size_t end = tokens_.size();
    if (!IsBroken(0, end) && Fits(0, end)) Inline(0, end, 0, false);
    else Sentence(0, end, 0, kStep);
    return std::move(out_);
  }

 private:
  // A comma, bar or arrow at the beginning of a line moves to the end of the previous line.
  void PutSeparatorsFirst() {
    std::vector<Comment> comments;  // of separators, for the next other token
    bool broken = false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      Token& t = tokens_[i];
      comments.insert(comments.end(), t.comments.begin(), t.comments.end());
      broken = broken || t.broken;
      const bool separator = t.kind == Kind::kSeparator || t.kind == Kind::kArrow;
      if (separator && i + 1 < tokens_.size()) {
        t.comments.clear();
        t.broken = false;
      } else {
        t.comments = std::exchange(comments, {});
        t.broken = std::exchange(broken, false);
      }
    }
  }

  bool IsBroken(std::size_t begin, std::size_t end) const { return breaks_[end] > breaks_[begin]; }

  // True if the tokens fit on the current line.
  bool Fits(std::size_t begin, std::size_t end) const {
    return column_ + widths_[end] - widths_[begin] <= kLayoutWidth;
  }

  // The token after `i` and everything it encloses.
  std::size_t Behind(std::size_t i) const {
    return tokens_[i].partner > i ? tokens_[i].partner + 1 : i + 1;
  }

  void Break(int indent) {
    out_ += newline_;
    out_ += base_;
    out_.append(static_cast<std::size_t>(indent), ' ');
    column_ = WidthOf(base_) + indent;
    line_indent_ = indent;
    at_begin_ = true;
  }

  void Put(std::string_view text) {
    out_ += text;
    const std::size_t newline = text.rfind('\n');
    column_ = newline == text.npos ? column_ + WidthOf(text) : WidthOf(text.substr(newline + 1));
    at_begin_ = false;
  }

  // Token `i` on this line or, if requested or after a comment, on a new one.
  void PutToken(std::size_t i, bool on_new_line, int indent, int comment_indent) {
    const Token& t = tokens_[i];
    for (const Comment& c : t.comments) {
      if (c.own_line) {
        if (!at_begin_) Break(comment_indent);
      } else if (!at_begin_) {
        Put(c.gap.empty() ? " " : c.gap);
      }
      Put(c.text);
      Break(comment_indent);
    }
    if (!t.comments.empty()) {
      // The new line exists already; change its indentation to that of the token.
      out_.resize(out_.size() - static_cast<std::size_t>(comment_indent));
      out_.append(static_cast<std::size_t>(indent), ' ');
      column_ += indent - comment_indent;
      line_indent_ = indent;
    } else if (on_new_line && !at_begin_) {
      Break(indent);
    } else if (!t.tight && !at_begin_) {
      Put(" ");
    }
    Put(t.text);
  }

  // A rule, a constraint or a list of clauses on several lines, beginning on this one. Clauses
  // without a head before them continue at `indent` + `hanging`.
  void Sentence(std::size_t begin, std::size_t end, int indent, int hanging) {
    std::size_t tail = begin;  // after the last arrow
    std::size_t tail_end = end;
    std::vector<std::size_t> parts;  // each `;` and `->`
    for (std::size_t i = begin; i < end; i = Behind(i)) {
      const Kind kind = tokens_[i].kind;
      if (kind == Kind::kArrow && parts.empty()) tail = i + 1;
      if (kind == Kind::kActivation || kind == Kind::kConstraint) parts.push_back(i);
    }
    if (!parts.empty()) tail_end = parts.front();
    if (tail > begin) Clause(begin, tail, false, indent);
    if (tail > begin) Clauses(tail, tail_end, true, indent + kStep, indent + kStep);
    else Clauses(tail, tail_end, false, indent + hanging, indent);
    parts.push_back(end);
    for (std::size_t n = 0; n + 1 < parts.size(); ++n) Part(parts[n], parts[n + 1], indent + kStep);
  }

  // `; ...` or `-> ...` on a line of its own; its clauses on lines if it does not fit.
  void Part(std::size_t begin, std::size_t end, int indent) {
    const int inner = indent + WidthOf(tokens_[begin].text) + 1;
    PutToken(begin, true, indent, indent);
    if (IsBroken(begin + 1, end) || !Fits(begin + 1, end)) {
      Clauses(begin + 1, end, false, inner, inner);
    } else {
      Inline(begin + 1, end, inner, false);
    }
  }

  // Each clause with its separator on a line of its own; the first, with its own indentation, on
  // the current line unless `on_new_line`.
  void Clauses(std::size_t begin, std::size_t end, bool on_new_line, int indent, int first_indent) {
    std::size_t clause = begin;
    bool first = true;
    for (std::size_t i = begin; i < end;) {
      const bool ends = tokens_[i].kind == Kind::kSeparator;
      i = Behind(i);
      if (!ends && i < end) continue;
      Clause(clause, i, on_new_line || !first, first ? first_indent : indent);
      clause = i;
      first = false;
    }
  }

  void Clause(std::size_t begin, std::size_t end, bool on_new_line, int indent) {
    if (begin == end) return;
    PutToken(begin, on_new_line, indent, indent);
    const std::size_t outer_end = clause_end_;
    clause_end_ = end;
    const bool fits = Fits(begin + 1, end);
    Rest(begin, end, indent + kStep, !fits);
    clause_end_ = outer_end;
  }

  // Tokens on this line; the author's breaks outside brackets stay if `keep_breaks`.
  void Inline(std::size_t begin, std::size_t end, int indent, bool keep_breaks) {
    if (begin == end) return;
    const std::size_t outer_end = clause_end_;
    clause_end_ = end;
    PutToken(begin, false, indent, indent);
    Rest(begin, end, indent, keep_breaks);
    clause_end_ = outer_end;
  }

  // The tokens after `begin`, which is written already.
  void Rest(std::size_t begin, std::size_t end, int indent, bool keep_breaks) {
    for (std::size_t i = begin; i < end;) {
      if (i > begin) PutToken(i, keep_breaks && tokens_[i].broken, indent, indent);
      if (tokens_[i].partner > i) Enclosed(i);
      i = Behind(i);
    }
  }

  // The contents of a bracket and its closer. The opener is written already.
  void Enclosed(std::size_t opener) {
    const std::size_t closer = tokens_[opener].partner;
    const int outer = line_indent_;
    const int inner = outer + kStep;
    const bool group = tokens_[opener].kind == Kind::kGroup;
    if (group && (IsBroken(opener + 1, closer + 1) || !Fits(opener + 1, clause_end_))) {
      std::vector<Comment>& comments = tokens_[opener + 1].comments;
      if (!comments.empty() && !comments.front().own_line) {
        Put(comments.front().gap.empty() ? " " : comments.front().gap);
        Put(comments.front().text);
        comments.erase(comments.begin());
      }
      Break(inner);
      Sentence(opener + 1, closer, inner, 0);
      PutToken(closer, true, outer, inner);
      return;
    }
    for (std::size_t i = opener + 1; i < closer; i = Behind(i)) {
      PutToken(i, tokens_[i].broken, inner, inner);
      if (tokens_[i].partner > i) Enclosed(i);
    }
    PutToken(closer, tokens_[closer].broken, outer, inner);
  }

  std::vector<Token> tokens_;
  std::string_view base_;
  std::string_view newline_;
  std::vector<int> widths_;  // prefix sums of the tokens' widths on one line
  std::vector<int> breaks_;  // prefix sums of the tokens with a break
  std::size_t clause_end_ = 0;

  std::string out_;
  int column_;
  int line_indent_ = 0;   // of this line, after base_
  bool at_begin_ = true;  // this line has no token yet
};

}  // namespace

std::string LayOut(std::string_view sentence, std::string_view indent, std::string_view newline) {
  return Writer(Tokenizer(sentence).Read(), indent, newline).Write();
}

std::string SpaceOut(std::string_view masked, std::string_view raw) {
  assert(raw.size() == masked.size());
  std::string out;
  std::size_t end = 0;
  for (const Token& t : Tokenizer(masked).Read()) {
    const std::string_view gap = raw.substr(end, t.begin - end);
    const bool only_blanks = std::all_of(gap.begin(), gap.end(), IsBlank);
    if (!only_blanks) out += gap;
    else if (!t.tight) out += ' ';
    out += raw.substr(t.begin, t.text.size());
    end = t.begin + t.text.size();
  }
  out += raw.substr(end);
  return out;
}

}  // namespace rpl
