// SPDX-License-Identifier: Apache-2.0
//
// Navigation by names: definition, references, highlights, and the dependencies of
// rules as a call hierarchy. Each function takes the parameters of the request of that name and
// returns its result.
#ifndef RPL_SHELL_LSP_NAVIGATION_H_
#define RPL_SHELL_LSP_NAVIGATION_H_

#include "shell/lsp/project.h"

namespace rpl::lsp {

/// The heads of rules and headings, else the first fact of each file.
Json DefinitionsAt(Project& project, const Json& params);
Json ReferencesAt(Project& project, const Json& params);
Json HighlightsAt(Project& project, const Json& params);

/// An item stands for a relation, goal or tool. A rule calls what its tail names.
Json PrepareCallHierarchy(Project& project, const Json& params);
Json IncomingCalls(Project& project, const Json& params);
Json OutgoingCalls(Project& project, const Json& params);

/// The occurrence at a cursor with its file; nullopt if there is none.
std::optional<Place> OccurrenceAt(Project& project, const Json& params);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_NAVIGATION_H_
