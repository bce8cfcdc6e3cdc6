// SPDX-License-Identifier: Apache-2.0
//
// The cutter of RPL text into sentences (decision 5), which runs before the parser.
//
// One linear pass over the tokens (grammar/lexer.h). It also protects the parser, which recurses
// once per bracket: a sentence with unmatched brackets, or nested deeper than kMaxNesting, is
// returned with an error and must not be parsed.
//
// Recovery after such an error:
//   a comment after `#`, `//` or `%`, or in `/* */`
//                         continue after its line or its end, like after one of RPL. On a line of
//                         its own it is a sentence with an error.
//   a `;` at the end of a line, without an activation clause below
//                         continue behind it, as if it were not there.
//   an unclosed string    continue at the line after its opener. The error is at a string when the
//                         text ends inside it, and also when its last line begins like a sentence
//                         and a word touches its closing quote: p("abc)\nq("d").
//   an unclosed bracket   the error is at the outermost one; continue after the opener's line, at
//                         the next blank line or line that begins like a sentence: at column 1 a
//                         call or goal, then an arrow, `;`, `^` or the line's end. After the first
//                         such error in a text, a line of that kind ends an open bracket at once,
//                         so that the whole text stays linear.
#ifndef RPL_GRAMMAR_SENTENCES_H_
#define RPL_GRAMMAR_SENTENCES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/facts.h"
#include "grammar/lexer.h"

namespace rpl {

/// One sentence of a text, in byte offsets of the whole file.
struct Cut {
  std::uint32_t begin = 0;  // its first token
  std::uint32_t end = 0;    // after its last token
  std::uint32_t next = 0;   // where the search continues: a newline or the limit
  std::optional<Diagnostic> error;
};

/// The meaning of a newline outside brackets.
enum class Newlines {
  kEndSentences,  // decision 5
  kAreBlanks,     // the text is one sentence
};

/// The sentences of text[begin, limit) of file `file`. Borrows the text. REQUIRES: limit <= size.
class SentenceCutter {
 public:
  SentenceCutter(std::string_view text, std::uint32_t file, std::uint32_t begin,
                 std::uint32_t limit, Newlines newlines);

  /// The next sentence; nullopt if only blanks and comments are left. If `error` is set, the
  /// sentence must not be parsed.
  std::optional<Cut> Next();

  /// Appends the next sentence to `to` if it is a plain fact; otherwise false, and Next returns it.
  bool NextPlainFact(PlainFacts& to);

 private:
  // The last token, as far as the reading of newlines and comments depends on it.
  enum class Last {
    kOperand,     // ends an operand: a newline may end the sentence here
    kConnective,  // requires an operand, possibly on the next line
    kTilde,       // the same, and `//` is a regex
    kPrefix,      // requires an operand on this line: an opening bracket or bar, `!`, `&`
  };

  // Reading: each function starts at pos_ and leaves it behind the text that it read.
  bool SkipToToken();
  bool NewlineEnds();
  void ReadToken();
  void RefuseHash();
  void RefuseSlashes();
  void RefusePercent();
  void RefuseSemicolon();
  void RefuseTo(std::uint32_t end, std::uint32_t blamed_end, std::string message, std::string hint);
  void RefuseComment(std::uint32_t end, std::uint32_t mark_end, std::string mark, std::string hint);
  // Errors: only the first of a sentence is kept. BlameUnclosedBracket also sets the place of
  // recovery.
  void Blame(Code code, std::uint32_t begin, std::uint32_t end, std::string message,
             std::string hint);
  void BlameString(std::uint32_t begin, bool closed);
  void BlameClose(char read, char closer, std::uint32_t opener);
  void BlameUnclosedBracket();

  // Tests at a position, without side effects. The position may be beyond the limit.
  bool IsCutOff(std::uint32_t at) const;
  bool IsSuspicious(const Token& string) const;
  bool AtComment(std::uint32_t at) const;
  bool AtHashComment(std::uint32_t at) const;
  bool AtSlashComment(std::uint32_t at) const;
  bool AtPercentComment(std::uint32_t at) const;
  bool EndsLine(std::uint32_t at) const;
  bool IsBlankLine(std::uint32_t at) const;
  bool IsLineEnd(std::uint32_t at) const;
  bool BeginsLikeSentence(std::uint32_t line) const;
  bool BeginsWithConnective(std::uint32_t at) const;
  std::uint32_t LineEnd(std::uint32_t at) const;
  char At(std::uint32_t at) const { return at < limit_ ? text_[at] : '\0'; }
  const std::vector<Lexer::Level>& levels() const { return lexer_.levels(); }
  std::uint32_t& MistakenClose(std::uint32_t quote) {
    return mistaken_close_[text_[quote] == '"' ? 1 : 0];
  }

  std::string_view text_;  // up to limit_
  std::uint32_t file_;
  std::uint32_t limit_;
  Newlines newlines_;
  Lexer lexer_;
  std::uint32_t pos_;

  // State of the current sentence.
  Last last_ = Last::kPrefix;
  std::uint32_t end_ = 0;
  std::uint32_t too_deep_at_ = 0;  // of the first bracket over the limit, if any
  bool abandoned_ = false;         // continue at resume_
  std::uint32_t resume_ = 0;
  std::optional<Diagnostic> error_;

  // State of the whole text, set by earlier errors.
  bool wary_of_brackets_ = false;
  bool wary_of_quotes_ = false;  // a string that does not end on its line is unclosed
  // For each kind of quote, the last one that only seemed to close a string. A string that begins
  // before it (at an escaped quote) and crosses its line ends there as well, and so is unclosed.
  std::array<std::uint32_t, 2> mistaken_close_{};
};

/// The tokens of text[begin, end), one sentence after another: what is open in a sentence ends with
/// it. They are in order and disjoint.
std::vector<Token> TokensOf(std::string_view text, std::uint32_t begin, std::uint32_t end);

}  // namespace rpl

#endif  // RPL_GRAMMAR_SENTENCES_H_
