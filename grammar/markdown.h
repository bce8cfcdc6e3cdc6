// SPDX-License-Identifier: Apache-2.0
//
// The block structure of a Markdown file (CommonMark blocks), read in one pass over its lines.
//
// Only blocks are read: headings (ATX and setext), fences, indented code, block quotes, lists,
// tables, thematic breaks, HTML blocks and paragraphs. Linear in the size of the file. One
// departure from CommonMark: a line of the top-level body that consists of `--`, with or without
// blanks around it, is a scope return (§17.5, decision 7), never a setext underline, and ends a
// paragraph. It takes precedence over all other blocks, except inside a fence, quote or list.
//
// RPL is read only from the top level (decision 73): the contents of a quote, list, table, HTML
// block or indented code are never RPL, and each of these is returned as one block. A file may
// begin with front matter (decision 102): from a first line `---` or `+++` to the next line that is
// the same or `...`. It is one block, in which nothing is Markdown or RPL. Spans are byte offsets
// into the whole file; a block's span covers its lines without the last newline.
#ifndef RPL_GRAMMAR_MARKDOWN_H_
#define RPL_GRAMMAR_MARKDOWN_H_

#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

/// The kinds of top-level blocks, and the contents of Block::content where it differs from the
/// span.
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
  kFrontMatter,  // only as the first block
};

/// A top-level block.
struct Block {
  BlockKind kind;
  Span span;
  Span content;        // as BlockKind defines it; else the same as span
  int level = 0;       // headings only
  std::string info;    // fences only, trimmed
  bool closed = true;  // fences only: false when the file ended first
  /// Quotes and lists: the fences and the headings of one line in them, at any depth, in order. The
  /// span is their first line from their mark on, the content of a fence that line's end.
  std::vector<Block> inside;
};

/// What an info string names the language of a fence: its first word, up to a blank, `,`, `{` or
/// `}`; within braces (`{.rpl #id}`) the first that is no id, without its dot.
std::string_view TagOf(std::string_view info);

/// True for a fence that is tagged `rpl` (decision 102).
bool IsRplFence(const Block& block);

/// The top-level blocks of the file, in order and disjoint. Blank lines belong to no block. Link
/// reference definitions are paragraphs. CRLF is one line end. Any text is valid Markdown, so there
/// are no errors.
std::vector<Block> ReadBlocks(const Sources& sources, std::uint32_t file);
/// The same of a text whose spans have that number.
std::vector<Block> ReadBlocks(std::string_view text, std::uint32_t file);

}  // namespace rpl

#endif  // RPL_GRAMMAR_MARKDOWN_H_
