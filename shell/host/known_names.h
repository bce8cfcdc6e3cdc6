// SPDX-License-Identifier: Apache-2.0
//
// What a session's names are, for completion, and for queries that call what is nowhere.
#ifndef RPL_SHELL_HOST_KNOWN_NAMES_H_
#define RPL_SHELL_HOST_KNOWN_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "runtime/session.h"

namespace rpl {

/// "edge" of "edge/2" and of "edge(?x)".
std::string_view LabelOf(std::string_view text);

/// "edge/2", "%trip": what is defined, and relations with facts.
std::vector<std::string> KnownNames(const Session& session);

/// A line for each of the calls ("edg/2") that is not among them, with what was probably meant.
std::vector<std::string> UnknownCalls(const Session& session,
                                      const std::vector<std::string>& calls);

/// Whether a listing of relations has it: it has facts, and is no companion of another (§7).
bool IsListed(const Store& store, RelationId id);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_KNOWN_NAMES_H_
