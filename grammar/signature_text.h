// SPDX-License-Identifier: Apache-2.0
//
// The places of signatures (§17.1): the ends of a heading that could be one, and the paragraph
// below a heading that continues it (decisions 74, 102).
//
// Text alone is read, without a finding: which candidate is taken, and what is wrong with it, is
// the reader's business (grammar/document.cc).
#ifndef RPL_GRAMMAR_SIGNATURE_TEXT_H_
#define RPL_GRAMMAR_SIGNATURE_TEXT_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "grammar/document_text.h"
#include "grammar/line_start.h"
#include "grammar/markdown.h"
#include "grammar/parser.h"

namespace rpl {

/// The maximal number of ` - ` in a heading, counted from the last, behind which a signature is
/// tried.
inline constexpr int kMaxSignatureTries = 16;

/// Where a signature may begin in a heading, and where the title before it ends.
struct SignatureCandidate {
  std::size_t title_end;
  std::size_t begin;
  Start start;
};

/// The last candidates of a heading, in order: a signature that contains ` - ` itself begins
/// behind an earlier one (decision 102). A candidate that does not begin like a call can only be
/// a constraint. `text` is that of the file, or of HeadingContinuations::Joined.
std::vector<SignatureCandidate> SignatureCandidates(Span heading, std::string_view text);

/// As StartOf; a bare name with `<-` counts as a call. Never kFenced, so no line is searched for
/// an arrow.
Start SignatureStart(std::string_view text, std::size_t at);

/// A signature is a definition: a head, a rule or a constraint, not an expression.
inline bool Defines(const Sentence& s) {
  return !s.rule.heads.empty() || !s.rule.constraints.empty();
}

/// True for the text of a signature.
bool IsSignature(const Sources& sources, Span span);
/// True for the text of a heading that would be a definition among the document's own blocks.
bool HasSignature(const Sources& sources, Span heading);

/// The paragraphs that continue the headings above them.
class HeadingContinuations {
 public:
  /// Borrows the text, and the document's own blocks, which are complete before the first question.
  HeadingContinuations(const DocumentText& file, const std::vector<Block>& blocks)
      : file_(file), blocks_(blocks) {}

  /// The place below a heading where a paragraph begins with a connective, or kNowhere.
  std::size_t ContinuationOf(std::size_t index) const;
  /// True if no blank line stands between a heading and `below`.
  bool IsRightBelow(const Block& heading, std::size_t below) const;
  /// The end of the signature that begins at `begin` and continues at `below`: its sentence, and
  /// further lines of the paragraph that begin with a connective.
  std::size_t ContinuationEnd(std::size_t begin, std::size_t below, std::size_t limit);
  /// The text of the file in which a heading is followed by the paragraph that continues it, if
  /// any.
  std::string_view TextFor(std::size_t index);
  /// The file with blanks in place of everything between the text of a heading and the paragraph
  /// that continues it: closing marks, underline, line ends. O(size of the file) the first time.
  const Sources& Joined();

 private:
  Span WholeFile() const { return file_.SpanOf(0, file_.text().size()); }

  const DocumentText& file_;
  const std::vector<Block>& blocks_;
  std::optional<Sources> joined_;
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_SIGNATURE_TEXT_H_
