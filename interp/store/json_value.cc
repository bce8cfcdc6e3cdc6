// SPDX-License-Identifier: Apache-2.0
#include "interp/store/json_value.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rpl {

using nlohmann::ordered_json;

Value ValueOfJson(const ordered_json& json, Pool& pool, bool keywords) {
  if (json.is_null()) return kNil;
  if (json.is_boolean()) return Pool::Bool(json.get<bool>());
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX)
    return pool.Float(json.get<double>());
  if (json.is_number_integer()) return pool.Int(json.get<std::int64_t>());
  if (json.is_number()) return pool.Float(json.get<double>());
  if (json.is_string()) return pool.String(json.get_ref<const std::string&>());
  std::vector<Value> items;
  if (json.is_array()) {
    for (const ordered_json& item : json) items.push_back(ValueOfJson(item, pool, false));
    return pool.List(items);
  }
  for (const auto& [key, value] : json.items()) {
    items.push_back(keywords ? pool.Keyword(key) : pool.String(key));
    items.push_back(ValueOfJson(value, pool, false));
  }
  return pool.Map(items);
}

std::optional<ordered_json> JsonOfValue(const Pool& pool, Value v) {
  const std::optional<std::string> text = Json(pool, v);
  if (!text) return std::nullopt;
  JsonText parsed = ParseJson(*text, static_cast<int>(kMaxValueDepth) + 1);
  if (!parsed.error.empty()) return std::nullopt;
  return std::move(parsed.json);
}

}  // namespace rpl
