// SPDX-License-Identifier: Apache-2.0
//
// Plain terms: literals, collections and relation terms, and lvars that stand for any value.
#ifndef RPL_RUNTIME_WIRE_PLAIN_TERM_H_
#define RPL_RUNTIME_WIRE_PLAIN_TERM_H_

#include <optional>
#include <string_view>

#include "grammar/ast.h"
#include "interp/store/value.h"

namespace rpl {

/// True if the term consists of literals, collections and relation terms and, with `variables`,
/// lvars.
bool IsPlain(const Node& term, bool variables);

/// The plain term, with variables, that is the whole text; nullopt if there is none.
std::optional<Node> PlainTerm(std::string_view text);

/// The value of a plain term, with kWild for lvars.
Value ValueOfTerm(const Node& term, Pool& pool);

/// True if the value matches the pattern, where kWild matches anything. Inside sets and in map keys
/// the parts must be equal.
bool Fits(const Pool& pool, Value pattern, Value value);

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_PLAIN_TERM_H_
