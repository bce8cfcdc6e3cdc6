// SPDX-License-Identifier: Apache-2.0
#include "interp/json_value.h"

#include <fmt/format.h>

#include <vector>

namespace rpl {
namespace {

using nlohmann::ordered_json;

// A limit that a text meets; never leaves this file.
struct Limit {
  std::string what;
};

}  // namespace

JsonText ParseJson(std::string_view text, int max_depth) {
  std::vector<std::size_t> keys;  // of the objects that are open
  const auto check = [&](int depth, ordered_json::parse_event_t event, ordered_json&) {
    using Event = ordered_json::parse_event_t;
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens && depth == max_depth) throw Limit{fmt::format("nested deeper than {}", max_depth)};
    if (event == Event::object_start) keys.push_back(0);
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && ++keys.back() > kMaxJsonKeys)
      throw Limit{fmt::format("an object has more than {} keys", kMaxJsonKeys)};
    return true;
  };
  try {
    return {ordered_json::parse(text, check), "", 0};
  } catch (const Limit& limit) {
    return {nullptr, limit.what, 0};
  } catch (const ordered_json::parse_error& e) {
    return {nullptr, e.what(), e.byte};
  } catch (const ordered_json::exception& e) {
    return {nullptr, e.what(), 0};
  }
}

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

std::string CleanUtf8(const std::string& text) {
  const auto replace = ordered_json::error_handler_t::replace;
  return ordered_json::parse(ordered_json(text).dump(-1, ' ', false, replace)).get<std::string>();
}

}  // namespace rpl
