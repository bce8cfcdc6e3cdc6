// SPDX-License-Identifier: Apache-2.0
//
// The block structure of a Markdown file (CommonMark blocks), in one pass over its lines.
//
// Only blocks: headings (ATX and setext), fences, indented code, block quotes, lists,
// tables, thematic breaks, HTML blocks, paragraphs. Linear in the size of the file. One
// departure from CommonMark: a line of the top-level body that is exactly `--` (blanks
// around it allowed) is a scope return (§17.5, decision 7), never a setext underline, and
// ends a paragraph. It is taken out first, but not inside a fence, quote or list.
//
// RPL is read only from the top level (decision 73): what stands inside a quote, list,
// table, HTML block or indented code is never RPL, and those are returned as one block
// each. Spans are byte offsets into the whole file; a block's span covers its lines
// without the last newline.
#ifndef RPL_GRAMMAR_MARKDOWN_H_
#define RPL_GRAMMAR_MARKDOWN_H_

#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

enum class BlockKind {
  kHeading,    // level 1-6; `content` is the text without marks
  kParagraph,  // one or more lines of text
  kFence,      // `info` is the info string; `content` the lines between
  kCode,       // indented code
  kQuote,
  kList,
  kTable,  // GitHub tables: a row, a delimiter row, rows
  kHtml,
  kBreak,        // ---
  kScopeReturn,  // --
};

struct Block {
  BlockKind kind;
  Span span;
  Span content;        // see the kinds; elsewhere the same as span
  int level = 0;       // headings only
  std::string info;    // fences only, trimmed
  bool closed = true;  // fences only: false when the file ended first
};

/// The top-level blocks of the file, in order; they do not overlap. Blank lines belong to
/// no block. Link reference definitions are paragraphs. CRLF counts as one line end.
std::vector<Block> ReadBlocks(const Sources& sources, std::uint32_t file);

}  // namespace rpl

#endif  // RPL_GRAMMAR_MARKDOWN_H_
