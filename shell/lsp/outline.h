// SPDX-License-Identifier: Apache-2.0
//
// The outline of a document: its headings and what its sentences define; and what can be folded.
#ifndef RPL_SHELL_LSP_OUTLINE_H_
#define RPL_SHELL_LSP_OUTLINE_H_

#include <string>

#include "shell/lsp/project.h"

namespace rpl::lsp {

/// The `SymbolKind` of the protocol.
int SymbolKindOf(NameKind kind);

/// The result of `textDocument/documentSymbol`: headings as a tree, below each the rules, goals and
/// constraints of its section, and the facts of a relation as one.
Json SymbolsOf(const Project& project, const DocumentIndex& index);

/// The definitions in all programs of the workspace whose names contain the letters of `query`, in
/// this order; at most kMostSymbols.
Json WorkspaceSymbols(Project& project, const std::string& query);
inline constexpr std::size_t kMostSymbols = 500;

/// Sections, fences and sentences of several lines.
Json FoldingRangesOf(const DocumentIndex& index);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_OUTLINE_H_
