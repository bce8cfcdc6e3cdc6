// SPDX-License-Identifier: Apache-2.0
//
// The text of the sentence that is being read, with the findings about it: what the actions of the
// parser and the parts of the builder (grammar/builder.h) share.
//
// An error is thrown as a Diagnostic, which parser.cc catches; lints are kept until they are taken.
// Positions are byte offsets into the whole file.
#ifndef RPL_GRAMMAR_SENTENCE_TEXT_H_
#define RPL_GRAMMAR_SENTENCE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

class SentenceText {
 public:
  /// Borrows `text`, the whole file.
  SentenceText(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}

  /// Forgets the lints; the next sentence ends at `end`.
  void Start(std::uint32_t end) {
    lints_.clear();
    limit_ = end;
  }

  std::string_view text() const { return text_; }
  std::uint32_t file() const { return file_; }
  /// The end of the sentence.
  std::uint32_t limit() const { return limit_; }
  /// The offset of a byte of the file. REQUIRES: `at` points into it.
  std::uint32_t OffsetOf(const char* at) const {
    return static_cast<std::uint32_t>(at - text_.data());
  }
  /// The span of a view into the file.
  Span SpanOf(std::string_view token) const {
    const std::uint32_t begin = OffsetOf(token.data());
    return {file_, begin, begin + static_cast<std::uint32_t>(token.size())};
  }

  /// Findings other than errors; the caller may move from them.
  std::vector<Diagnostic>& lints() { return lints_; }
  void Lint(Code code, Span span, std::string message, std::string hint) {
    lints_.push_back({code, InfoOf(code).severity, span, std::move(message), std::move(hint)});
  }
  /// Throws a Diagnostic.
  [[noreturn]] static void Fail(Code code, Span span, std::string message, std::string hint = "") {
    throw Diagnostic{code, InfoOf(code).severity, span, std::move(message), std::move(hint)};
  }

 private:
  std::string_view text_;
  std::uint32_t file_;
  std::uint32_t limit_ = 0;
  std::vector<Diagnostic> lints_;
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_SENTENCE_TEXT_H_
