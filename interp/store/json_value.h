// SPDX-License-Identifier: Apache-2.0
//
// JSON from outside as values, and values as JSON for outside.
//
// Strings of JSON stand for strings, objects for maps with string keys, null for nil; sets have no
// JSON of their own and leave as arrays (decision 59).
#ifndef RPL_INTERP_STORE_JSON_VALUE_H_
#define RPL_INTERP_STORE_JSON_VALUE_H_

#include <nlohmann/json.hpp>
#include <optional>

#include "formats/json_text.h"
#include "interp/store/value.h"

namespace rpl {

/// The value of JSON that ParseJson took in. With `keywords`, the keys of the outermost
/// object become keywords.
Value ValueOfJson(const nlohmann::ordered_json& json, Pool& pool, bool keywords);

/// The value as JSON, by the rules of Json(). nullopt when that prints nothing, or an object would
/// have more than kMaxJsonKeys keys.
std::optional<nlohmann::ordered_json> JsonOfValue(const Pool& pool, Value v);

}  // namespace rpl

#endif  // RPL_INTERP_STORE_JSON_VALUE_H_
