// SPDX-License-Identifier: Apache-2.0
//
// Completion at a cursor: variables of the rule, relations with their arity, goals, tools, words of
// the language, files and the names of their relations.
//
// The sentence that is being typed does not parse, as a rule. So its variables are read from its
// tokens, and names from what was read of the documents.
#ifndef RPL_SHELL_LSP_COMPLETION_ITEMS_H_
#define RPL_SHELL_LSP_COMPLETION_ITEMS_H_

#include "shell/lsp/project.h"

namespace rpl::lsp {

/// A `CompletionList`; empty outside RPL, except for variables between double underscores.
Json CompletionAt(Project& project, const Json& params);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_COMPLETION_ITEMS_H_
