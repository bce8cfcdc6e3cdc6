// SPDX-License-Identifier: Apache-2.0
//
// Optional fields of JSON. A value that is not an object has no fields, and a field of another type
// than the requested one counts as absent, so that a reader of untrusted JSON needs no checks.
#ifndef RPL_FORMATS_DATA_JSON_FIELDS_H_
#define RPL_FORMATS_DATA_JSON_FIELDS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace rpl {

/// The field, or null. The reference is valid as long as `object`. O(number of keys).
inline const nlohmann::ordered_json& FieldAt(const nlohmann::ordered_json& object,
                                             const char* key) {
  static const nlohmann::ordered_json kNull;
  if (!object.is_object()) return kNull;
  const auto at = object.find(key);
  return at == object.end() ? kNull : *at;
}

/// The string of a field, or "".
inline std::string TextAt(const nlohmann::ordered_json& object, const char* key) {
  const nlohmann::ordered_json& field = FieldAt(object, key);
  return field.is_string() ? field.get<std::string>() : "";
}

/// The integer of a field, or `otherwise`. An integer beyond the range of int is narrowed.
inline int NumberAt(const nlohmann::ordered_json& object, const char* key, int otherwise = 0) {
  const nlohmann::ordered_json& field = FieldAt(object, key);
  return field.is_number_integer() ? field.get<int>() : otherwise;
}

/// The unsigned integer of a field, or 0.
inline std::uint64_t CountAt(const nlohmann::ordered_json& object, const char* key) {
  const nlohmann::ordered_json& field = FieldAt(object, key);
  return field.is_number_unsigned() ? field.get<std::uint64_t>() : 0;
}

/// The boolean of a field, or false.
inline bool FlagAt(const nlohmann::ordered_json& object, const char* key) {
  const nlohmann::ordered_json& field = FieldAt(object, key);
  return field.is_boolean() && field.get<bool>();
}

}  // namespace rpl

#endif  // RPL_FORMATS_DATA_JSON_FIELDS_H_
