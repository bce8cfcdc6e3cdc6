// SPDX-License-Identifier: Apache-2.0
//
// The layout of the RPL in a file (`rpl fmt`).
//
// Only RPL changes: sentences in `rpl` fences, bare sentences of a Markdown body,
// signatures of headings, and the whole of a file whose name ends in .rpl. Every other byte
// stays. grammar/layout.h says how one sentence is laid out. Between the sentences of a
// fence, comments stay in their place, several blank lines become one, and blanks at the
// end of a line go. A signature stays on the lines that it stands on.
//
// Two promises, which the tests hold to: the result reads as the same document, and
// formatting it again changes nothing. The first is not left to care: what was formatted is
// read again, and an edit after which the document reads differently (a line of a bare
// sentence that Markdown would take for something else) is left out.
//
// A sentence with a syntax error stays byte for byte, and so does what stands between the
// sentences of its fence, because where a broken sentence ends depends on it. So does a
// sentence that stands further in than a line is wide: each of its lines would begin so.
#ifndef RPL_GRAMMAR_FORMATTER_H_
#define RPL_GRAMMAR_FORMATTER_H_

#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/document.h"

namespace rpl {

/// The bytes of `span` are to be replaced by `text`; empty spans insert.
struct Edit {
  Span span;
  std::string text;
};

/// What formatting changes in a file: in order, not overlapping, each a change. Findings of
/// the file, as of ReadDocument, are added to `out`.
std::vector<Edit> FormatEdits(const Sources& sources, std::uint32_t file, Diagnostics& out);

/// The text of `file` with `edits`, as FormatEdits gives them, made.
std::string ApplyEdits(const Sources& sources, std::uint32_t file, const std::vector<Edit>& edits);

/// Whether two documents say the same: scopes with titles and signatures, sentences where
/// they stand, and the text of the prose. Spans may differ.
bool SameDocument(const Sources& a_sources, const Document& a, const Sources& b_sources,
                  const Document& b);

}  // namespace rpl

#endif  // RPL_GRAMMAR_FORMATTER_H_
