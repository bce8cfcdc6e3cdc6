// SPDX-License-Identifier: Apache-2.0
//
// The text of a file that is read as a document (grammar/document.h), and its pieces as
// RPL. The reader of documents and the checks for mistakes in them ask the same
// questions.
//
// Positions are byte offsets into the whole file. Nothing here reports anything.
#ifndef RPL_GRAMMAR_DOCUMENT_TEXT_H_
#define RPL_GRAMMAR_DOCUMENT_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/diagnostic.h"

namespace rpl {

/// The budget for bare sentences that fail, as a multiple of the size of their paragraph; when it
/// is spent, a sentence of the paragraph ends with its line.
inline constexpr std::size_t kRetryFactor = 8;

/// True for an error that the lines below may be the cause of: a string or a bracket is open.
inline bool IsUnclosed(const Diagnostic& d) {
  return d.code == Code::kUnclosedString || d.code == Code::kUnclosedBracket;
}

class DocumentText {
 public:
  /// The file up to `limit`, the start of a line or the end of the file. Borrows the sources.
  DocumentText(const Sources& sources, std::uint32_t file, std::size_t limit)
      : sources_(sources),
        file_(file),
        text_(std::string_view(sources.at(file).text).substr(0, limit)) {}

  const Sources& sources() const { return sources_; }
  std::uint32_t file() const { return file_; }
  std::string_view text() const { return text_; }  // up to the limit

  Span SpanOf(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  Span WithoutBlanks(Span span) const;
  /// The first line at or after `line` that is no comment, or `end`.
  std::size_t PassComments(std::size_t line, std::size_t end) const;
  /// A sentence as messages quote it.
  std::string FirstLineOf(std::size_t begin, std::size_t end) const;

  /// True if bare RPL begins at `at`, the first character of a line that is not a blank, and parses
  /// whole before `end`. Sets `stop` to its end or, if it does not parse, to how far it was read.
  bool IsBareSentence(std::size_t at, std::size_t end, std::size_t& stop) const;
  /// True for a call of a relation without variables.
  bool IsGround(Span span) const;

 private:
  const Sources& sources_;
  std::uint32_t file_;
  std::string_view text_;  // up to the limit
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_DOCUMENT_TEXT_H_
