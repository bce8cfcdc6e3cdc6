// SPDX-License-Identifier: Apache-2.0
//
// The names that a session defines, for completion and for messages about unknown names in queries.
#ifndef RPL_SHELL_PROGRAM_KNOWN_NAMES_H_
#define RPL_SHELL_PROGRAM_KNOWN_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "interp/store/relation_id.h"

namespace rpl {

class Session;
class Store;

/// The label in a name or call: "edge" for "edge/2" and for "edge(?x)". A view into `text`.
std::string_view LabelOf(std::string_view text);

/// The definitions and the relations with facts: "edge/2", "%trip".
std::vector<std::string> KnownNames(const Session& session);

/// One message for each of the calls ("edg/2") that is unknown, with the nearest known name.
std::vector<std::string> UnknownCalls(const Session& session,
                                      const std::vector<std::string>& calls);

/// That no goal of the program has this name, with the nearest that has.
std::string NoGoalNamed(const Session& session, const std::string& name);

/// One message for each key of `model.answers` that no question of the program has, or only ones
/// that count a person's answer alone.
std::vector<std::string> WrongScope(const Session& session, const std::vector<std::string>& keys);

/// True if listings show the relation: it has facts and is no companion of another relation (§7).
bool IsListed(const Store& store, RelationId id);

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_KNOWN_NAMES_H_
