// SPDX-License-Identifier: Apache-2.0
//
// The operators on ground values (§5.1-§5.4, decisions 21-26).
//
// An operator that does not apply to its operands does not hold, and gives the reason in `why` (one
// line, lower case, naming kinds or values). There are no exceptions.
#ifndef RPL_INTERP_PROGRAM_OPERATORS_H_
#define RPL_INTERP_PROGRAM_OPERATORS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "grammar/ast.h"
#include "interp/program/clause.h"
#include "interp/store/value.h"

namespace rpl {

/// + - * / on numbers, union intersect difference on sets (lists count as sets of their
/// elements). Integers give exact integers, and a quotient that is not whole the float nearest to
/// it; with a float among them, both are floats. kNone and `why` when there is no result: division
/// by zero, operands of another kind, or a limit of numbers, which pool.overflow() then names, too.
Value Apply(Pool& pool, Operator op, Value a, Value b, std::string& why);

/// = != < > <= >=. Order is within numbers and within strings (by code point).
bool Holds(const Pool& pool, Operator op, Value a, Value b, std::string& why);

/// Membership in a list or set; false with `why` for other kinds.
bool IsMember(const Pool& pool, Value element, Value collection, std::string& why);

/// Length of a list, size of a set or map; nullopt with `why` otherwise.
std::optional<std::int64_t> SizeOf(const Pool& pool, Value v, std::string& why);

/// before, after, within, between over ISO 8601 instants and durations.
bool TemporalHolds(const Pool& pool, Temporal::Kind kind, std::span<const Value> operands,
                   std::string& why);

/// Microseconds since 1970-01-01T00:00:00Z of an ISO 8601 instant with offset (`Z`,
/// `+01:00`), or of a date alone (midnight UTC). nullopt for anything else.
std::optional<std::int64_t> ParseInstant(std::string_view text);

/// Microseconds of "48h", "30min", "7d", "2w", "90s".
std::optional<std::int64_t> ParseDuration(std::string_view text);

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_OPERATORS_H_
