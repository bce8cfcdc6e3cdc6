// SPDX-License-Identifier: Apache-2.0
//
// Reasons about relations of the library that are rules (std/std.md). A reason stops at the call
// that the author wrote: what the rules of the library do is not told.
#ifndef RPL_INTERP_PROGRAM_LIBRARY_REASONS_H_
#define RPL_INTERP_PROGRAM_LIBRARY_REASONS_H_

#include <span>
#include <string>
#include <string_view>

#include "interp/store/value.h"

namespace rpl {

/// Whether a relation of that name is the library's.
bool IsOfLibrary(std::string_view name);

/// Why a call of a library relation is undefined (decision 93), in terms of its arguments: the
/// first one of a kind that the relation does not take. `key` has the known arguments, kNone for
/// others. `inner`: why a clause of the library's rules was undefined, which is returned if all
/// arguments are of their kinds.
std::string WhyLibraryUndefined(const Pool& pool, std::string_view label,
                                std::span<const Value> key, const std::string& inner);

/// Why a call with arguments of the right kinds has no row, as a sentence that names the relation;
/// "" if its rows are just others.
std::string WhyLibraryEmpty(const Pool& pool, std::string_view label, std::span<const Value> key);

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_LIBRARY_REASONS_H_
