// SPDX-License-Identifier: Apache-2.0
//
// Next() reads token by token. The only property tracked is whether an operand is complete (Last):
// a newline behind one ends the sentence unless the next line begins with a connective.
#include "grammar/sentences.h"

#include <cassert>
#include <utility>

#include "formats/character.h"
#include "grammar/ast.h"
#include "grammar/line_start.h"

namespace rpl {
namespace {

// The first characters of operators between two clauses or operands. `/` may open a regex.
bool IsOperator(char c) { return std::string_view(",;^=<>+-*~").find(c) != kNowhere; }

}  // namespace

SentenceCutter::SentenceCutter(std::string_view text, std::uint32_t file, std::uint32_t begin,
                               std::uint32_t limit, Newlines newlines)
    : text_(text.substr(0, limit)),
      file_(file),
      limit_(limit),
      newlines_(newlines),
      lexer_(text_),
      pos_(begin) {
  assert(begin <= limit && limit <= text.size());
}

std::optional<Cut> SentenceCutter::Next() {
  if (!SkipToToken()) return std::nullopt;
  lexer_.Start(pos_);
  last_ = Last::kPrefix;
  abandoned_ = false;
  too_deep_at_ = limit_;
  error_.reset();

  Cut cut;
  cut.begin = pos_;
  end_ = pos_;
  while (pos_ < limit_ && !abandoned_) {
    const char c = text_[pos_];
    if (IsBlankOrReturn(c)) {
      ++pos_;
    } else if (c == '\n') {
      if (NewlineEnds()) break;
      if (!abandoned_) ++pos_;
    } else if (AtComment(pos_)) {
      pos_ = LineEnd(pos_);
    } else {
      ReadToken();
      if (!abandoned_) end_ = pos_;
    }
  }
  if (levels().size() > 1 && !abandoned_) BlameUnclosedBracket();
  if (abandoned_) {
    pos_ = resume_;
    end_ = pos_;
    while (end_ > cut.begin && (IsBlankOrReturn(text_[end_ - 1]) || text_[end_ - 1] == '\n'))
      --end_;
  }
  cut.end = end_;
  cut.next = pos_;
  cut.error = std::move(error_);
  return cut;
}

bool SentenceCutter::NextPlainFact(PlainFacts& to) {
  if (!SkipToToken()) return false;
  const std::uint32_t begin = pos_;
  const std::uint32_t end = ScanPlainFact(text_, begin, limit_, to);
  if (end == 0) return false;
  lexer_.Start(begin);
  last_ = Last::kOperand;
  pos_ = end;
  while (IsBlankOrReturn(At(pos_))) ++pos_;
  if (pos_ >= limit_ || (text_[pos_] == '\n' && NewlineEnds())) return true;
  pos_ = begin;  // continue reading
  to.DropLast();
  return false;
}

// Skips blanks, newlines and comments; false at the limit.
bool SentenceCutter::SkipToToken() {
  while (pos_ < limit_) {
    if (IsBlankOrReturn(text_[pos_]) || text_[pos_] == '\n') {
      ++pos_;
    } else if (AtComment(pos_)) {
      pos_ = LineEnd(pos_);
    } else {
      return true;
    }
  }
  return false;
}

// True if the newline at pos_ ends the sentence. Lines with only a comment count as absent.
// REQUIRES: text_[pos_] == '\n'.
bool SentenceCutter::NewlineEnds() {
  if (newlines_ == Newlines::kAreBlanks) return false;
  if (levels().size() > 1) {
    if (wary_of_brackets_ && (IsBlankLine(pos_ + 1) || BeginsLikeSentence(pos_ + 1))) {
      BlameUnclosedBracket();
    }
    return false;
  }
  std::uint32_t p = pos_ + 1;
  for (;;) {
    while (IsBlankOrReturn(At(p))) ++p;
    if (p >= limit_ || text_[p] == '\n') return true;
    if (!AtComment(p)) break;
    p = LineEnd(p);
    if (p >= limit_) return true;
    ++p;
  }
  const bool goes_on =
      last_ == Last::kConnective || last_ == Last::kTilde || BeginsWithConnective(p);
  if (goes_on) pos_ = p - 1;  // the caller steps over this byte: a blank or a newline
  return !goes_on;
}

void SentenceCutter::ReadToken() {
  const char c = text_[pos_];
  if (c == '#' && AtHashComment(pos_)) return RefuseHash();
  if (c == '%' && AtPercentComment(pos_)) return RefusePercent();
  if (c == '/' && last_ != Last::kTilde && AtSlashComment(pos_)) return RefuseSlashes();
  if (c == ';' && levels().size() == 1 && EndsLine(pos_)) return RefuseSemicolon();
  if ((c == '"' || c == '\'') && IsCutOff(pos_)) return BlameString(pos_, false);
  const std::size_t depth = levels().size();
  const char closer = levels().back().closer;
  const std::uint32_t opener = levels().back().at;
  const std::optional<Token> token = lexer_.Next(pos_);
  pos_ = token->end;
  last_ = Last::kOperand;
  switch (token->kind) {
    case TokenKind::kString:
      if (!token->closed || IsSuspicious(*token)) BlameString(token->begin, token->closed);
      return;
    case TokenKind::kRegex:
      if (token->closed) return;
      return Blame(Code::kBadRegex, token->begin, token->end,
                   "a regex is opened here and not closed on its line", "end it with `/`");
    case TokenKind::kGroup:
    case TokenKind::kArguments:
    case TokenKind::kOpen:
      last_ = Last::kPrefix;
      if (depth <= static_cast<std::size_t>(kMaxNesting) || too_deep_at_ != limit_) return;
      too_deep_at_ = pos_ - 1;
      return Blame(Code::kNestedTooDeep, pos_ - 1, pos_,
                   "brackets nest deeper here than the limit of " + std::to_string(kMaxNesting),
                   "");
    case TokenKind::kClose:
      if (closer != c) BlameClose(c, closer, opener);
      return;
    case TokenKind::kCountOpen: last_ = Last::kPrefix; return;
    case TokenKind::kWord:
    case TokenKind::kComma: last_ = Last::kConnective; return;
    case TokenKind::kOperator:
      if (c == '.') return;  // the end of a statement elsewhere
      last_ = Last::kConnective;
      if (c == '~') last_ = Last::kTilde;
      if (c == '&' || c == '#' || token->In(text_) == "!") last_ = Last::kPrefix;
      return;
    default: return;
  }
}

// True if the string at `at` does not end on its line, where it has to.
bool SentenceCutter::IsCutOff(std::uint32_t at) const {
  if (newlines_ == Newlines::kAreBlanks) return false;
  if (!wary_of_quotes_ && at >= mistaken_close_[text_[at] == '"' ? 1 : 0]) return false;
  return !Lexer(text_.substr(0, LineEnd(at))).Next(at)->closed;
}

// True if the last line of the string begins like a sentence and a word touches its end.
bool SentenceCutter::IsSuspicious(const Token& string) const {
  const std::size_t newline = string.In(text_).rfind('\n');
  if (newline == kNowhere || newlines_ == Newlines::kAreBlanks) return false;
  const std::string_view line = string.In(text_).substr(newline + 1);
  return (IsNameChar(At(string.end)) || At(string.end) == '?') &&
         (IsLetter(line[0]) || line[0] == '%' || line[0] == '$') && line.find('(') != kNowhere;
}

// The string at `begin`, which seems to be closed before pos_ or is not.
void SentenceCutter::BlameString(std::uint32_t begin, bool closed) {
  const std::uint32_t line_end = LineEnd(begin);
  const std::uint32_t text_end = text_[line_end - 1] == '\r' ? line_end - 1 : line_end;
  Blame(Code::kUnclosedString, begin, text_end, "a string is opened here and never closed",
        std::string("end it with `") + text_[begin] + "`");
  if (closed) MistakenClose(begin) = pos_ - 1;
  else if (begin >= MistakenClose(begin)) wary_of_quotes_ = true;
  abandoned_ = true;
  resume_ = line_end;
}

// The bracket at `opener` was the innermost open one, and `closer` closes it; '\0' if none was
// open.
void SentenceCutter::BlameClose(char read, char closer, std::uint32_t opener) {
  const std::string found = std::string("`") + read + "`";
  if (closer == '\0')
    return Blame(Code::kUnclosedBracket, pos_ - 1, pos_, found + " closes nothing",
                 "remove it, or open its bracket");
  Blame(Code::kUnclosedBracket, opener, opener + 1,
        std::string("`") + text_[opener] + "` is opened here, and " + found + " stands where `" +
            closer + "` should close it",
        std::string("close it with `") + closer + "`");
}

// `# …`, as other languages begin a comment and Markdown a heading. A sentence that begins with it
// ends with its line.
void SentenceCutter::RefuseHash() {
  std::uint32_t mark_end = pos_;
  while (At(mark_end) == '#') ++mark_end;
  const std::uint32_t end = LineEnd(pos_);
  const std::string_view line = text_.substr(0, end);
  const std::size_t dash = line.find(" - ", mark_end);
  const bool heading = pos_ == levels().front().at && dash != line.npos &&
                       StartOf(line, SkipBlanks(line, dash + 3), {}) == Start::kCall;
  if (heading)
    return RefuseTo(end, end, "this heading stands among RPL and is not read",
                    "close the fence above it; for a comment write `--`");
  RefuseComment(
      end, mark_end, "#",
      At(SkipBlanks(text_, mark_end)) == '{' ? "write `--`, or `#{` for a set" : "write `--`");
}

// `// …` ends with its line, `/* …` with its `*/` or the text.
void SentenceCutter::RefuseSlashes() {
  const bool block = At(pos_ + 1) == '*';
  const std::size_t close = block ? text_.find("*/", pos_ + 2) : std::string_view::npos;
  RefuseComment(
      close == std::string_view::npos ? LineEnd(pos_) : static_cast<std::uint32_t>(close) + 2,
      pos_ + 2, block ? "/*" : "//",
      block ? "write `--` at the start of each of its lines" : "write `--`");
}

// `% …`, a comment of Prolog.
void SentenceCutter::RefusePercent() {
  std::uint32_t mark_end = pos_;
  while (At(mark_end) == '%') ++mark_end;
  RefuseComment(LineEnd(pos_), mark_end, "%", "write `--`");
}

// RefuseTo for the mark of a comment of another language, which is the finding's name.
void SentenceCutter::RefuseComment(std::uint32_t end, std::uint32_t mark_end, std::string mark,
                                   std::string hint) {
  const bool first = !error_;
  RefuseTo(end, mark_end, "`" + mark + "` does not begin a comment", std::move(hint));
  if (first) error_->name = std::move(mark);
}

// Passes over [pos_, end), of which [pos_, blamed_end) is the error. Where the sentence begins
// there, it is an error as a whole, and the next one begins at `end`.
void SentenceCutter::RefuseTo(std::uint32_t end, std::uint32_t blamed_end, std::string message,
                              std::string hint) {
  const std::uint32_t begin = std::exchange(pos_, end);
  Blame(Code::kSyntaxError, begin, blamed_end, std::move(message), std::move(hint));
  if (begin != levels().front().at) return;
  abandoned_ = true;
  resume_ = pos_;
}

// `p(1);`, as other languages end a statement.
void SentenceCutter::RefuseSemicolon() {
  Blame(Code::kSyntaxError, pos_, pos_ + 1, "a sentence does not end with `;`",
        "remove it; a newline ends a sentence");
  ++pos_;
  last_ = Last::kOperand;
}

// Only the first error of a sentence is kept.
void SentenceCutter::Blame(Code code, std::uint32_t begin, std::uint32_t end, std::string message,
                           std::string hint) {
  if (error_) return;
  error_ = Diagnostic{code, InfoOf(code).severity, Span{file_, begin, end}, std::move(message),
                      std::move(hint)};
}

// The text, or the part that can still belong to the sentence, ends inside a bracket.
void SentenceCutter::BlameUnclosedBracket() {
  const std::uint32_t opener = levels()[1].at;
  std::uint32_t line = LineEnd(opener);
  if (newlines_ == Newlines::kEndSentences) {
    while (line < limit_ && !IsBlankLine(line + 1) && !BeginsLikeSentence(line + 1)) {
      line = LineEnd(line + 1);
    }
  } else {
    line = limit_;
  }
  // Unclosed brackets of several sentences accumulate and resemble deep nesting.
  if (too_deep_at_ < limit_ && line < too_deep_at_) error_.reset();
  Blame(Code::kUnclosedBracket, opener, opener + 1,
        std::string("`") + text_[opener] + "` is opened here and never closed",
        std::string("close it with `") + levels()[1].closer + "`");
  wary_of_brackets_ = true;
  abandoned_ = true;
  resume_ = line;
}

bool SentenceCutter::AtComment(std::uint32_t at) const {
  return At(at) == '-' && At(at + 1) == '-';
}

// True for `# …`, `##…` and, where a sentence may begin, `#two words`. RPL has `#?x` and `#{…}`; a
// single `#word` is taken for a tagged value of EDN. All of a run of `#` end alike, so the first
// one decides: the others, which come after it, are none.
bool SentenceCutter::AtHashComment(std::uint32_t at) const {
  const std::uint32_t first = at;
  if (first > levels().front().at && At(first - 1) == '#') return false;
  while (At(at) == '#') ++at;
  if (at >= limit_ || IsBlankOrReturn(At(at)) || At(at) == '\n') return true;
  if (first != levels().front().at) return false;
  if (at > first + 1) return true;
  const std::uint32_t word_end = NameEnd(text_, at);
  return word_end > at && IsBlankOrReturn(At(word_end)) && IsLetter(At(word_end + 1));
}

// True for `//` and `/*`, which no sentence has outside of strings and regexes.
bool SentenceCutter::AtSlashComment(std::uint32_t at) const {
  return At(at) == '/' && (At(at + 1) == '/' || At(at + 1) == '*');
}

// True for `%%…`, and for `% two words` where a sentence begins or may end: the root goal is
// followed by an arrow or a suffix, never by a word. `% edge(1, ?x)` lacks its arrow, and is left
// to the parser.
bool SentenceCutter::AtPercentComment(std::uint32_t at) const {
  if (last_ != Last::kOperand && at != levels().front().at) return false;
  if (At(at + 1) == '%') return true;
  std::uint32_t word = at + 1;
  while (IsBlankOrReturn(At(word))) ++word;
  if (word == at + 1 || !IsLetter(At(word))) return false;
  const std::uint32_t end = NameEnd(text_, word);
  return At(end) != '(' && !lexer_.IsInfix(text_.substr(word, end - word));
}

// True if the `;` at `at` is the last of its line and no activation clause follows on a later one.
bool SentenceCutter::EndsLine(std::uint32_t at) const {
  if (newlines_ == Newlines::kEndSentences && !IsLineEnd(at + 1)) return false;
  for (++at; at < limit_;) {
    if (IsBlankOrReturn(text_[at]) || text_[at] == '\n') ++at;
    else if (AtComment(at)) at = LineEnd(at);
    else break;
  }
  return At(at) != '@' && (newlines_ == Newlines::kEndSentences || at >= limit_);
}

// True if only blanks stand between `at` and the end of its line.
bool SentenceCutter::IsBlankLine(std::uint32_t at) const {
  while (IsBlankOrReturn(At(at))) ++at;
  return at >= limit_ || text_[at] == '\n';
}

// True if only blanks and a comment stand between `at` and the end of its line.
bool SentenceCutter::IsLineEnd(std::uint32_t at) const {
  while (IsBlankOrReturn(At(at))) ++at;
  return at >= limit_ || text_[at] == '\n' || AtComment(at);
}

// A call on one line, or a name and an arrow, at column 1, that does not continue a sentence.
bool SentenceCutter::BeginsLikeSentence(std::uint32_t line) const {
  if (!IsLetter(At(line)) && At(line) != '%' && At(line) != '$') return false;
  Lexer lexer(text_.substr(0, LineEnd(line)));
  const Token name = *lexer.Next(line);
  const bool call = name.kind == TokenKind::kGoal || At(name.end) == '(';
  const std::optional<Token> token = lexer.NextBehind(name);
  if (!token) return call && lexer.levels().size() == 1;
  const std::string_view next = token->In(text_);
  if (next == "<-" || next == "->") return true;
  return call && (next == ";" || next.front() == '^' || token->kind == TokenKind::kComment);
}

// True if the line whose first token is at `at` continues the sentence above it. `|` does not: it
// may open a count. A word that touches `(` is the name of a relation.
bool SentenceCutter::BeginsWithConnective(std::uint32_t at) const {
  const char c = At(at);
  if (IsOperator(c) || (c == '/' && !AtSlashComment(at)) || (c == '!' && At(at + 1) == '='))
    return true;
  if (!ArrowForSign(text_, at).empty()) return true;
  std::uint32_t end = NameEnd(text_, at);
  std::string_view word = text_.substr(at, end - at);
  if (word == "not") {  // `not in ?l`, but not a sentence that begins with a negation
    while (IsBlankOrReturn(At(end))) ++end;
    const std::uint32_t second = end;
    end = NameEnd(text_, end);
    word = text_.substr(second, end - second);
    return word == "in" && At(end) != '(';
  }
  if (At(end) == '(') return false;
  return lexer_.IsInfix(word);
}

std::uint32_t SentenceCutter::LineEnd(std::uint32_t at) const {
  const std::size_t end = text_.find('\n', at);
  return end == std::string_view::npos ? limit_ : static_cast<std::uint32_t>(end);
}

std::vector<Token> TokensOf(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  std::vector<Token> tokens;
  const auto read_to = [&](std::uint32_t stop) {
    Lexer lexer(text.substr(0, stop));
    while (const std::optional<Token> token = lexer.Next(begin)) {
      tokens.push_back(*token);
      begin = token->end;
    }
    begin = stop;
  };
  SentenceCutter cutter(text, 0, begin, end, Newlines::kEndSentences);
  while (const std::optional<Cut> cut = cutter.Next()) {
    read_to(cut->begin);  // comments
    read_to(cut->next);
  }
  read_to(end);
  return tokens;
}

}  // namespace rpl
