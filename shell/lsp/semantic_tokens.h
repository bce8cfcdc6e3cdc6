// SPDX-License-Identifier: Apache-2.0
//
// The colours of RPL inside Markdown and in plain RPL, as semantic tokens. Text that does not parse
// has them, too.
#ifndef RPL_SHELL_LSP_SEMANTIC_TOKENS_H_
#define RPL_SHELL_LSP_SEMANTIC_TOKENS_H_

#include "shell/lsp/project.h"

namespace rpl::lsp {

/// {"tokenTypes", "tokenModifiers"}
Json TokenLegend();

/// {"data"}: the tokens that touch [begin, end), in the numbers of the protocol.
Json SemanticTokensOf(const Project& project, const DocumentIndex& index, std::uint32_t begin,
                      std::uint32_t end);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_SEMANTIC_TOKENS_H_
