// SPDX-License-Identifier: Apache-2.0
//
// Fields of JSON that may not be there: what is no object has none, and a field of another
// type than the one asked for counts as absent.
#ifndef RPL_FORMATS_JSON_FIELDS_H_
#define RPL_FORMATS_JSON_FIELDS_H_

#include <nlohmann/json.hpp>
#include <string>

namespace rpl {

/// The field, or null.
inline const nlohmann::ordered_json& FieldAt(const nlohmann::ordered_json& object,
                                             const char* key) {
  static const nlohmann::ordered_json kNull;
  if (!object.is_object()) return kNull;
  const auto at = object.find(key);
  return at == object.end() ? kNull : *at;
}

inline std::string TextAt(const nlohmann::ordered_json& object, const char* key) {
  const nlohmann::ordered_json& field = FieldAt(object, key);
  return field.is_string() ? field.get<std::string>() : "";
}

inline int NumberAt(const nlohmann::ordered_json& object, const char* key, int otherwise = 0) {
  const nlohmann::ordered_json& field = FieldAt(object, key);
  return field.is_number_integer() ? field.get<int>() : otherwise;
}

inline bool FlagAt(const nlohmann::ordered_json& object, const char* key) {
  const nlohmann::ordered_json& field = FieldAt(object, key);
  return field.is_boolean() && field.get<bool>();
}

}  // namespace rpl

#endif  // RPL_FORMATS_JSON_FIELDS_H_
