// SPDX-License-Identifier: Apache-2.0
//
// The keys by which answers name the requests that they are for.
#ifndef RPL_RUNTIME_WIRE_REQUEST_KEY_H_
#define RPL_RUNTIME_WIRE_REQUEST_KEY_H_

#include <string_view>

#include "runtime/request.h"

namespace rpl {

/// True if the key is the request's id, or its name, relation or tool, with a mark (`?x`, `$x`) or
/// without one.
bool KeyFits(const Request& request, std::string_view key);

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_REQUEST_KEY_H_
