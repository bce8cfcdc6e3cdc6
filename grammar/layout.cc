// SPDX-License-Identifier: Apache-2.0
//
// PiecesOf decides for each token whether a blank stands before it. Writer puts the tokens on
// lines.
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
#include "grammar/lexer.h"

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

struct Piece {
  std::string_view text;
  Kind kind = Kind::kOther;
  std::size_t begin = 0;
  bool tight = false;             // no blank before it
  bool broken = false;            // a line break before it
  std::size_t partner = 0;        // of an opening bracket: the token that closes it
  std::vector<Comment> comments;  // between the token before and this one
};

// --- Tokens ------------------------------------------------------------------------------

// The pieces of a sentence: its tokens, with the comments before each. A comment behind the last
// token is left out.
std::vector<Piece> PiecesOf(std::string_view text) {
  std::vector<Piece> pieces;
  std::vector<std::size_t> openers;
  Piece piece;
  std::string_view before;  // the token before
  bool touches = true;      // no blank after it
  Lexer lexer(text);
  std::uint32_t at = 0;
  while (const std::optional<Token> token = lexer.Next(at)) {
    const std::string_view blanks = text.substr(at, token->begin - at);
    const std::size_t line = blanks.rfind('\n') + 1;
    piece.broken = piece.broken || line > 0;
    piece.text = token->In(text);
    at = token->end;
    if (token->kind == TokenKind::kComment) {
      piece.comments.push_back({blanks.substr(line), WithoutBlanksAtEnd(piece.text), piece.broken});
      continue;
    }
    piece.begin = token->begin;
    piece.tight = touches;
    touches = false;
    switch (token->kind) {
      case TokenKind::kComma:
        piece.kind = Kind::kSeparator;
        piece.tight = true;
        break;
      case TokenKind::kOperator:
        if (piece.text == "|") piece.kind = Kind::kSeparator;
        if (piece.text == "<-") piece.kind = Kind::kArrow;
        if (piece.text == "->") piece.kind = Kind::kConstraint;
        if (piece.text == ";") piece.kind = Kind::kActivation;
        touches = piece.text == "!" || piece.text == "#";
        break;
      case TokenKind::kKeyword:
      case TokenKind::kSymbol:  // behind `^`, a key
        if (before == "^" && piece.text != "true" && piece.text != "false") piece.tight = true;
        break;
      case TokenKind::kCountOpen: touches = true; break;
      case TokenKind::kCountClose: piece.tight = true; break;
      case TokenKind::kGroup:
      case TokenKind::kArguments:
      case TokenKind::kOpen:
        piece.kind = token->kind == TokenKind::kGroup ? Kind::kGroup : Kind::kOpen;
        piece.tight = piece.tight || token->kind == TokenKind::kArguments;
        touches = true;
        openers.push_back(pieces.size());
        break;
      case TokenKind::kClose:
        piece.kind = Kind::kClose;
        piece.tight = true;
        if (openers.empty()) break;
        pieces[openers.back()].partner = pieces.size();
        openers.pop_back();
        break;
      default: break;
    }
    before = piece.text;
    pieces.push_back(std::exchange(piece, {}));
  }
  return pieces;
}

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
  Writer(std::vector<Piece> tokens, std::string_view indent, std::string_view newline)
      : tokens_(std::move(tokens)), base_(indent), newline_(newline), column_(WidthOf(indent)) {
    PutSeparatorsFirst();
    widths_.push_back(0);
    breaks_.push_back(0);
    for (const Piece& t : tokens_) {
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
      Piece& t = tokens_[i];
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

  // Piece `i` on this line or, if requested or after a comment, on a new one.
  void PutToken(std::size_t i, bool on_new_line, int indent, int comment_indent) {
    const Piece& t = tokens_[i];
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

  std::vector<Piece> tokens_;
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
  return Writer(PiecesOf(sentence), indent, newline).Write();
}

std::string SpaceOut(std::string_view masked, std::string_view raw) {
  assert(raw.size() == masked.size());
  std::string out;
  std::size_t end = 0;
  for (const Piece& t : PiecesOf(masked)) {
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
