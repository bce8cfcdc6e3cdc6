// SPDX-License-Identifier: Apache-2.0
//
// Trees to trees that say the same, before they are lowered: how the rules of a section become
// rules of its heading (decisions 71, 72), and metadata of a group that of its members
// (decision 51).
#ifndef RPL_INTERP_PROGRAM_REWRITE_H_
#define RPL_INTERP_PROGRAM_REWRITE_H_

#include <optional>

#include "grammar/ast.h"

namespace rpl {

/// Whether two heads are calls of one relation, goal or tool. Of a goal, one that names no
/// arguments is the same as one that does.
bool SameHead(const Node& a, const Node& b);

/// Whether a headless expression is the heading's own head, up to names of variables: then it adds
/// nothing to the heading (decision 84).
bool Restates(const Rule& expression, const Rule& signature);

/// `rule`, written for `heading_head` in the section of a heading, in the heading's own
/// variables. REQUIRES: SameHead of it and the rule's only head.
Rule InHeadingTerms(const Node& heading_head, const Rule& rule);

/// Makes `tail`, a tail or none yet, a conjunction with `more` at its end.
void AppendTail(Nodes& tail, const Node& more);

/// The argument of `$index(folder(?name, $entries))` with the keyword `:entries` in place of the
/// avar, so that it is a relation term. nullopt for an argument of any other call.
std::optional<Node> FolderArgument(const Call& call, const Node& arg);

/// (a, b) ^ ~ {:k "v"} as a ^ ~ {:k "v"}, b ^ ~ {:k "v"}: fields go to every member. Slots of a
/// bindings map go to the members with that variable, or to all when none has it (decision 51).
/// nullopt for any other clause.
std::optional<Node> Distributed(const Node& clause);

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_REWRITE_H_
