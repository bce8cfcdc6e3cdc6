// SPDX-License-Identifier: Apache-2.0
//
// Next() reads token by token. The only property tracked is whether an operand is complete (Last),
// because three readings depend on it:
//   `|` opens a count where an operand is expected, closes an open count, and is a disjunction
//   otherwise; `/` after `~` opens a regex; a newline after a complete operand ends the sentence
//   unless the next line begins with a connective.
#include "grammar/sentences.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "formats/character.h"
#include "grammar/ast.h"
#include "grammar/line_start.h"

namespace rpl {
namespace {

// Operators between two clauses or operands, including the first character of `<-`. `/` may open a
// regex.
bool IsOperator(char c) {
  switch (c) {
    case ',':
    case ';':
    case '^':
    case '=':
    case '<':
    case '>':
    case '+':
    case '-':
    case '*':
    case '~': return true;
    default: return false;
  }
}

// Infix words that are connectives after any operand. `of` and `and` are connectives only after
// `within` and `between`, because lines of prose begin with them.
constexpr std::array<std::string_view, 8> kInfixWords = {
    "in", "union", "intersect", "difference", "before", "after", "within", "between"};

bool IsInfixWord(std::string_view word) {
  return std::find(kInfixWords.begin(), kInfixWords.end(), word) != kInfixWords.end();
}

}  // namespace

SentenceCutter::SentenceCutter(std::string_view text, std::uint32_t file, std::uint32_t begin,
                               std::uint32_t limit, Newlines newlines)
    : text_(text), file_(file), limit_(limit), newlines_(newlines), pos_(begin) {
  assert(begin <= limit && limit <= text.size());
}

std::optional<Cut> SentenceCutter::Next() {
  if (!SkipToToken()) return std::nullopt;
  levels_.assign(1, Level{'\0', pos_});
  last_ = Last::kPrefix;
  within_ = between_ = abandoned_ = false;
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
      Token();
      if (!abandoned_) end_ = pos_;
    }
  }
  if (levels_.size() > 1 && !abandoned_) BlameUnclosedBracket();
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
  levels_.assign(1, Level{'\0', begin});
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
  if (levels_.size() > 1) {
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

void SentenceCutter::Token() {
  const char c = text_[pos_];
  switch (c) {
    case '"':
    case '\'': return ReadString();
    case '(': return Open(')');
    case '[': return Open(']');
    case '{': return Open('}');
    case ')':
    case ']':
    case '}': return Close(c);
    case '#':
    case '?':
    case '$':
    case '%':
    case ':':
    case '@':
      if (c == '#' && AtHashComment(pos_)) return RefuseHash();
      if (c == '%' && AtPercentComment(pos_)) return RefusePercent();
      ++pos_;
      if (c == '#' && (At(pos_) == '{' || At(pos_) == '?')) {
        last_ = Last::kPrefix;
        return;
      }
      pos_ = NameEnd(pos_);
      last_ = Last::kOperand;
      return;
    case '/':
      if (last_ == Last::kTilde) return ReadRegex();
      if (AtSlashComment(pos_)) return RefuseSlashes();
      return Operator();
    case ';':
      if (levels_.size() == 1 && EndsLine(pos_)) return RefuseSemicolon();
      return Operator();
    case '|': {
      ++pos_;
      Level& level = levels_.back();
      if (level.bar) {
        level.bar = false;
        last_ = Last::kOperand;
      } else if (last_ == Last::kOperand) {
        last_ = Last::kConnective;
      } else {
        level.bar = true;
        last_ = Last::kPrefix;
      }
      return;
    }
    default:
      if (IsLetter(c) || c == '_') return Word();
      if (IsOperator(c) || c == '!' || c == '&') return Operator();
      if (IsDigit(c)) {
        while (IsDigit(At(pos_)) || IsLetter(At(pos_)) ||
               (At(pos_) == '.' && IsDigit(At(pos_ + 1))))
          ++pos_;  // the parser reports it
      } else if (!ArrowForSign(text_.substr(0, limit_), pos_).empty()) {
        pos_ += kArrowSign;  // the parser reports it
        last_ = Last::kConnective;
        return;
      } else {
        ++pos_;  // the parser will complain
      }
      last_ = Last::kOperand;
  }
}

void SentenceCutter::Operator() {
  const char c = text_[pos_];
  ++pos_;
  last_ = Last::kConnective;
  switch (c) {
    case '-':
      if (At(pos_) == '>') ++pos_;
      return;
    case '<':
      if (At(pos_) == '-' || At(pos_) == '=') ++pos_;
      return;
    case '>':
      if (At(pos_) == '=') ++pos_;
      return;
    case '=':
      if (At(pos_) == '>') ++pos_;
      return;
    case '^':
      if (At(pos_) == '^') ++pos_;
      return;
    case '!':
      if (At(pos_) == '=') {
        ++pos_;
      } else {
        last_ = Last::kPrefix;
      }
      return;
    case '&': last_ = Last::kPrefix; return;
    case '~': last_ = Last::kTilde; return;
    default: return;
  }
}

void SentenceCutter::Word() {
  const std::uint32_t begin = pos_;
  pos_ = NameEnd(pos_);
  const std::string_view word = text_.substr(begin, pos_ - begin);
  if (word == "not" && At(pos_) != '(') {
    last_ = Last::kConnective;
    return;
  }
  bool infix = false;
  if (last_ == Last::kOperand) {
    infix = IsInfixWord(word) || (within_ && word == "of") || (between_ && word == "and");
    if (word == "within") within_ = true;
    if (word == "between") between_ = true;
    if (word == "of") within_ = false;
    if (word == "and") between_ = false;
  } else if (word == "in" && At(pos_) != '(' && last_ == Last::kConnective) {
    infix = begin >= 4 && text_.substr(begin - 4, 3) == "not";  // ?x not in
  }
  last_ = infix ? Last::kConnective : Last::kOperand;
}

// A string extends over lines to its matching quote.
void SentenceCutter::ReadString() {
  const char quote = text_[pos_];
  const std::uint32_t begin = pos_;
  std::uint32_t& mistaken_close = mistaken_close_[quote == '"' ? 1 : 0];
  const bool ends_with_line =
      newlines_ == Newlines::kEndSentences && (wary_of_quotes_ || begin < mistaken_close);
  std::uint32_t last_line = 0;  // the start of its last line, if it has several
  ++pos_;
  while (pos_ < limit_ && text_[pos_] != quote) {
    if (text_[pos_] == '\\' && pos_ + 1 < limit_ && text_[pos_ + 1] != '\n') ++pos_;
    if (text_[pos_] == '\n') {
      if (ends_with_line) break;
      last_line = pos_ + 1;
    }
    ++pos_;
  }
  const bool closed = At(pos_) == quote;
  if (closed) ++pos_;
  const bool suspicious =
      closed && last_line > 0 && newlines_ == Newlines::kEndSentences &&
      (IsNameChar(At(pos_)) || At(pos_) == '?') &&
      (IsLetter(text_[last_line]) || text_[last_line] == '%' || text_[last_line] == '$') &&
      text_.substr(last_line, pos_ - last_line).find('(') != text_.npos;
  last_ = Last::kOperand;
  if (closed && !suspicious) return;
  const std::uint32_t line_end = LineEnd(begin);
  const std::uint32_t text_end = text_[line_end - 1] == '\r' ? line_end - 1 : line_end;
  Blame(Code::kUnclosedString, begin, text_end, "a string is opened here and never closed",
        std::string("end it with `") + quote + "`");
  if (suspicious) mistaken_close = pos_ - 1;
  else if (begin >= mistaken_close) wary_of_quotes_ = true;
  abandoned_ = true;
  resume_ = line_end;
}

// A regex ends at the next `/` on its line that has no backslash before it.
void SentenceCutter::ReadRegex() {
  const std::uint32_t begin = pos_;
  ++pos_;
  while (pos_ < limit_ && text_[pos_] != '/' && text_[pos_] != '\n') {
    if (text_[pos_] == '\\' && pos_ + 1 < limit_ && text_[pos_ + 1] != '\n') ++pos_;
    ++pos_;
  }
  last_ = Last::kOperand;
  if (At(pos_) == '/') {
    ++pos_;
    return;
  }
  Blame(Code::kBadRegex, begin, pos_, "a regex is opened here and not closed on its line",
        "end it with `/`");
}

void SentenceCutter::Open(char closer) {
  if (levels_.size() > static_cast<std::size_t>(kMaxNesting) && too_deep_at_ == limit_) {
    too_deep_at_ = pos_;
    Blame(Code::kNestedTooDeep, pos_, pos_ + 1,
          "brackets nest deeper here than the limit of " + std::to_string(kMaxNesting), "");
  }
  levels_.push_back({closer, pos_});
  ++pos_;
  last_ = Last::kPrefix;
}

void SentenceCutter::Close(char closer) {
  const std::string found = std::string("`") + closer + "`";
  last_ = Last::kOperand;
  ++pos_;
  if (levels_.size() == 1) {
    Blame(Code::kUnclosedBracket, pos_ - 1, pos_, found + " closes nothing",
          "remove it, or open its bracket");
    return;
  }
  const Level top = levels_.back();
  levels_.pop_back();
  if (top.closer == closer) return;
  Blame(Code::kUnclosedBracket, top.at, top.at + 1,
        std::string("`") + text_[top.at] + "` is opened here, and " + found + " stands where `" +
            top.closer + "` should close it",
        std::string("close it with `") + top.closer + "`");
  // `([)`: the closer belongs to the bracket below.
  if (levels_.size() > 1 && levels_.back().closer == closer) levels_.pop_back();
}

// `# …`, as other languages begin a comment and Markdown a heading. A sentence that begins with it
// ends with its line.
void SentenceCutter::RefuseHash() {
  std::uint32_t mark_end = pos_;
  while (At(mark_end) == '#') ++mark_end;
  const std::uint32_t end = LineEnd(pos_);
  const std::string_view line = text_.substr(0, end);
  const std::size_t dash = line.find(" - ", mark_end);
  const bool heading = pos_ == levels_.front().at && dash != line.npos &&
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
  const std::size_t close =
      block ? text_.substr(0, limit_).find("*/", pos_ + 2) : std::string_view::npos;
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
  if (begin != levels_.front().at) return;
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
  const std::uint32_t opener = levels_[1].at;
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
        std::string("close it with `") + levels_[1].closer + "`");
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
  if (first > levels_.front().at && At(first - 1) == '#') return false;
  while (At(at) == '#') ++at;
  if (at >= limit_ || IsBlankOrReturn(At(at)) || At(at) == '\n') return true;
  if (first != levels_.front().at) return false;
  if (at > first + 1) return true;
  const std::uint32_t word_end = NameEnd(at);
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
  if (last_ != Last::kOperand && at != levels_.front().at) return false;
  if (At(at + 1) == '%') return true;
  std::uint32_t word = at + 1;
  while (IsBlankOrReturn(At(word))) ++word;
  if (word == at + 1 || !IsLetter(At(word))) return false;
  const std::uint32_t end = NameEnd(word);
  return At(end) != '(' && !IsInfixWord(text_.substr(word, end - word));
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

bool SentenceCutter::Starts(std::uint32_t at, std::string_view word) const {
  return at + word.size() <= limit_ && text_.substr(at, word.size()) == word;
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
  std::uint32_t p = line;
  const bool sigil = At(p) == '%' || At(p) == '$';
  if (sigil) ++p;
  if (!sigil && !IsLetter(At(p))) return false;
  while (IsNameChar(At(p)) || At(p) == '.' || At(p) == '#') {
    if (Starts(p, "->")) break;
    ++p;
  }
  bool call = sigil && At(line) == '%';
  if (At(p) == '(') {
    int depth = 0;
    char quote = '\0';
    for (; p < limit_ && text_[p] != '\n'; ++p) {
      const char c = text_[p];
      if (quote != '\0') {
        if (c == '\\') ++p;
        if (c == quote) quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')' && --depth == 0) {
        call = true;
        ++p;
        break;
      }
    }
    if (!call || depth != 0) return false;
  }
  while (IsBlankOrReturn(At(p))) ++p;
  if (Starts(p, "<-") || Starts(p, "->")) return true;
  return call && (p >= limit_ || At(p) == '\n' || At(p) == ';' || At(p) == '^' || AtComment(p));
}

// True if the line whose first token is at `at` continues the sentence above it. `|` does not: it
// may open a count. A word that touches `(` is the name of a relation.
bool SentenceCutter::BeginsWithConnective(std::uint32_t at) const {
  const char c = At(at);
  if (IsOperator(c) || (c == '/' && !AtSlashComment(at)) || (c == '!' && At(at + 1) == '='))
    return true;
  if (!ArrowForSign(text_.substr(0, limit_), at).empty()) return true;
  std::uint32_t end = NameEnd(at);
  std::string_view word = text_.substr(at, end - at);
  if (word == "not") {  // `not in ?l`, but not a sentence that begins with a negation
    while (IsBlankOrReturn(At(end))) ++end;
    const std::uint32_t second = end;
    end = NameEnd(end);
    word = text_.substr(second, end - second);
    return word == "in" && At(end) != '(';
  }
  if (At(end) == '(') return false;
  return IsInfixWord(word) || (within_ && word == "of") || (between_ && word == "and");
}

std::uint32_t SentenceCutter::LineEnd(std::uint32_t at) const {
  const std::size_t end = text_.substr(0, limit_).find('\n', at);
  return end == std::string_view::npos ? limit_ : static_cast<std::uint32_t>(end);
}

// The end of the name characters at `at`; a name stops before `->` (decision 6).
std::uint32_t SentenceCutter::NameEnd(std::uint32_t at) const {
  while (IsNameChar(At(at)) && (At(at) != '-' || At(at + 1) != '>')) ++at;
  return at;
}

}  // namespace rpl
