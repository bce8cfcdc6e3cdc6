// SPDX-License-Identifier: Apache-2.0
//
// Findings about text of a document that is not read as RPL and probably should be, or the reverse:
// in headings (decision 102), in the lines of paragraphs, and in blocks that Markdown takes for
// something else. They warn: the text stays what it is.
//
// The reader of the document calls them block by block, in the order of the file, which is the
// order of the findings. A place has at most one finding of a kind.
#ifndef RPL_GRAMMAR_DOCUMENT_LINTS_H_
#define RPL_GRAMMAR_DOCUMENT_LINTS_H_

#include <cstddef>
#include <string_view>

#include "formats/diagnostic.h"
#include "grammar/ast.h"
#include "grammar/document_text.h"
#include "grammar/markdown.h"

namespace rpl {

/// Of headings. Underlined comes first for each: what it reports is the cause of the others, which
/// are then silent, but for Title.
class HeadingLints {
 public:
  /// Borrows both.
  HeadingLints(const DocumentText& file, Diagnostics& out) : file_(file), out_(out) {}

  /// A line of dashes below a line makes a heading of it. Reports it if that line looks like a
  /// sentence of its own: a fact, or the last of several lines. `draft(?d)` alone may be a
  /// signature.
  void Underlined(const Block& heading);
  /// A title that has no candidate of a signature: there may be one but for a character that looks
  /// like one of RPL, or for the delimiter.
  void Plain(Span heading);
  /// A title that begins like a signature, and fails with this error.
  void Title(const Diagnostic& failed);
  /// A title that would be a fact in a sentence of its own.
  void Unmarked(Span heading);
  /// A signature without a title.
  void Titleless(Span heading);

  /// True if the current heading was reported by Underlined.
  bool underlined() const { return underlined_; }

 private:
  bool IsUnderlined(const Block& heading);
  /// True if the heading would have a signature but for a character that looks like one of RPL.
  bool LookAlike(Span heading);
  /// `# Trip: trip(?x)` and `# Trip — trip(?x)` are titles. An end of a heading that reads as a
  /// signature with variables is probably a misspelt signature.
  void Delimiter(Span heading);

  const DocumentText& file_;
  Diagnostics& out_;
  bool underlined_ = false;  // the current heading has a finding kUnderlinedRpl
};

/// Of blocks other than headings, and of what stands in paragraphs.
class ProseLints {
 public:
  /// Borrows both.
  ProseLints(const DocumentText& file, Diagnostics& out) : file_(file), out_(out) {}

  // Of a list, a quote, a table, code or HTML.
  /// RPL is read from the document's own blocks alone: what would be RPL there is named in a list
  /// or a quote.
  void Inside(const Block& block);
  /// CommonMark's lazy continuation: a line right below a list or a quote belongs to it, below a
  /// table it is a row, and below a tag HTML; and lines indented by four columns are code. Reports
  /// the first such line that would be RPL anywhere else. A block has at most one finding, because
  /// one change frees all that follow.
  void Swallowed(const Block& block);
  /// `- edge(1, 2)`: a fact as a list item is text. Reports the first one of a list.
  void Listed(const Block& block);

  // Of a line of a paragraph, [begin, end).
  /// `first‑name("x")` with a character that only looks like one of RPL is prose.
  void LookAlike(std::size_t begin, std::size_t end);
  /// `#Trip - %trip(?x)` is prose: a heading has a blank after its marks.
  void HeadingMark(std::size_t begin, std::size_t end);
  /// `[edge(1, 2), edge(2, 3)]`: facts as other languages list them.
  void Bracketed(std::size_t begin, std::size_t end);
  /// `// …` beside a sentence is no comment, but prose.
  void Slashes(std::size_t line, std::size_t end);

  // Of a sentence of a paragraph.
  /// `draft(1)` and below it `in two versions`: the word continues the sentence, and neither line
  /// is read. REQUIRES: [begin, end) does not parse.
  bool Continued(std::size_t begin, std::size_t end);
  /// `draft(1)` and below it `in stock`: RPL that tests a call, which never holds.
  void TestedCall(const Node& node);
  /// A line that begins like RPL and fails with `error`. A later line of the same sentence fails at
  /// the same place: one cause, one lint.
  void Failed(const Diagnostic& error);

 private:
  /// What Markdown makes of lines that it takes into a block above them, for messages; "" for an
  /// HTML block that ends with a mark of its own, as a comment does.
  std::string_view TakenAs(const Block& block) const;
  /// The word at `next` continues the sentence above it, [begin, end).
  void AddContinued(std::size_t begin, std::size_t end, std::size_t next);

  const DocumentText& file_;
  Diagnostics& out_;
  Span last_lint_;  // of the last finding kLooksLikeRpl
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_DOCUMENT_LINTS_H_
