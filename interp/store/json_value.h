// SPDX-License-Identifier: Apache-2.0
//
// Conversion between values and JSON.
//
// JSON strings become strings, objects maps with string keys, and null nil. Sets have no
// counterpart in JSON and become arrays (decision 59).
#ifndef RPL_INTERP_STORE_JSON_VALUE_H_
#define RPL_INTERP_STORE_JSON_VALUE_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "formats/data/json_text.h"
#include "interp/store/value.h"

namespace rpl {

/// The value of JSON that ParseJson accepted; a number is the one that its shortest text denotes.
/// With `keywords`, the keys of the outermost object become keywords.
Value ValueOfJson(const nlohmann::ordered_json& json, Pool& pool, bool keywords);

/// The value as JSON, by the rules of Json(). nullopt if Json() gives none, or an object would
/// have more than kMaxJsonKeys keys.
std::optional<nlohmann::ordered_json> JsonOfValue(const Pool& pool, Value v,
                                                  JsonNumbers numbers = JsonNumbers::kExact);

/// Values as an array; those without JSON as the text of RPL.
nlohmann::ordered_json JsonOfValues(const Pool& pool, std::span<const Value> values);

/// The same JSON without the colons of keys, but where the object also has the key without one.
nlohmann::ordered_json WithoutColons(const nlohmann::ordered_json& json);

}  // namespace rpl

#endif  // RPL_INTERP_STORE_JSON_VALUE_H_
