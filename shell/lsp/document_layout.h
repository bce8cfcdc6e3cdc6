// SPDX-License-Identifier: Apache-2.0
//
// The layout of a document: its blocks, scopes, sentences and prose, put together from the
// readings of its parts. Places count from the beginning of the document.
#ifndef RPL_SHELL_LSP_DOCUMENT_LAYOUT_H_
#define RPL_SHELL_LSP_DOCUMENT_LAYOUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "grammar/markdown.h"
#include "shell/lsp/document_part.h"

namespace rpl::lsp {

/// The parts of a text, in order: `begins` has their first bytes, `parents` the scope around each
/// scope but the document, both of the whole text.
struct DocumentCuts {
  std::vector<std::uint32_t> begins;
  std::vector<int> parents;
};

/// Cuts a text before the headings from which it can be read on its own: those with marks (`#`), if
/// no scope return (`--`) leads from the part back to an earlier one.
DocumentCuts CutsOf(std::string_view text, const std::vector<Block>& blocks);

/// A part where it stands.
struct PlacedPart {
  std::shared_ptr<const DocumentPart> part;
  std::uint32_t begin = 0;
  int scopes_before = 0;  // headings of the parts before it

  Span Moved(Span span) const { return {span.file, span.begin + begin, span.end + begin}; }
  /// The number in the document of a scope of the part.
  int ScopeOf(int scope) const { return scope == 0 ? 0 : scopes_before + scope; }
};

/// A heading, or (index 0) the document itself.
struct IndexedScope {
  int parent = -1;
  int level = 0;
  std::string_view title;
  std::optional<Span> signature;
  Span span;
};

struct IndexedSentence {
  Span span;
  int scope = 0;
  bool signature = false;
  bool fenced = false;
  SentenceRole role = SentenceRole::kSignature;
  int group = 0;  // of the sentences that share variables: the number of the first
};

struct IndexedProse {
  int scope = 0;
  Span span;
};

struct DocumentLayout {
  std::vector<Block> blocks;
  std::vector<IndexedScope> scopes;
  std::vector<IndexedSentence> sentences;  // in document order
  std::vector<IndexedProse> prose;         // in document order
  std::vector<Diagnostic> findings;        // of the readers
  /// The parts of the text that are RPL: fences, bare sentences, signatures; in order.
  std::vector<Span> regions;
};

/// Puts together the readings of the parts. Linear, and parses nothing. Views into the parts last
/// as long as these.
DocumentLayout LayoutOf(const std::vector<PlacedPart>& parts, const std::vector<int>& parents,
                        std::vector<Block> blocks);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_DOCUMENT_LAYOUT_H_
