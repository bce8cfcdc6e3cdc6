// SPDX-License-Identifier: Apache-2.0
//
// The text that a client shows about the name under the cursor.
#ifndef RPL_SHELL_LSP_HOVER_H_
#define RPL_SHELL_LSP_HOVER_H_

#include <optional>
#include <string>

#include "shell/lsp/project.h"

namespace rpl::lsp {

struct Hover {
  std::string markdown;  // signature, prose of the heading, counts, strata, modes
  Json range;
  std::string ground;  // the call, if it can be proved: a ground call of a relation or goal
};

/// nullopt if there is nothing to say.
std::optional<Hover> HoverAt(Project& project, const Json& params);

/// The result of `textDocument/hover`; `proof`: of the ground call, or "".
Json HoverJson(const Hover& hover, const std::string& proof);

/// The form of a name as its first definition has it: "edge(?a, ?b)"; by its arity without one.
std::string FormOf(const DocumentIndex& index, const Name& name);

/// A short text about a target: prose and counts, in Markdown.
std::string AboutTarget(Project& project, const Target& target);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_HOVER_H_
