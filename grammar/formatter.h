// SPDX-License-Identifier: Apache-2.0
//
// The formatter of the RPL in a file (`rpl fmt`).
//
// Only RPL changes, in a document that certainly has some (decision 102): sentences in `rpl`
// fences, bare sentences of a Markdown body, signatures of headings, and all of a file whose name
// ends in .rpl. Every other byte stays. grammar/layout.h lays out one sentence. Between the
// sentences of a fence comments keep their places, several blank lines become one, and blanks at
// line ends are removed. A signature keeps its line breaks.
//
// Two guarantees: the result reads as the same document, and formatting is idempotent. The first
// does not rely on care: the result is read again, and an edit that changes the document (a line of
// a bare sentence that Markdown would read as something else) is left out.
//
// A sentence with a syntax error stays byte for byte, and so does the text between the sentences of
// its fence, because the end of a broken sentence is uncertain. A sentence that is indented beyond
// the width of a line stays as well, because each of its lines would inherit the indentation.
#ifndef RPL_GRAMMAR_FORMATTER_H_
#define RPL_GRAMMAR_FORMATTER_H_

#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/document.h"

namespace rpl {

/// A replacement of the bytes of `span` by `text`; an empty span inserts.
struct Edit {
  Span span;
  std::string text;
};

/// The changes that formatting makes in a file: in order, disjoint, none of them without effect.
/// The findings of ReadDocument are added to `out`.
std::vector<Edit> FormatEdits(const Sources& sources, std::uint32_t file, Diagnostics& out);

/// The text of `file` after `edits`. REQUIRES: edits are in order and disjoint.
std::string ApplyEdits(const Sources& sources, std::uint32_t file, const std::vector<Edit>& edits);

/// True if two documents have the same meaning: scopes with titles and signatures, sentences in the
/// same places, and the text of the prose. Spans may differ.
bool SameDocument(const Sources& a_sources, const Document& a, const Sources& b_sources,
                  const Document& b);

}  // namespace rpl

#endif  // RPL_GRAMMAR_FORMATTER_H_
