// SPDX-License-Identifier: Apache-2.0
#include "interp/store/json_value.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace rpl {

using nlohmann::ordered_json;

Value ValueOfJson(const ordered_json& json, Pool& pool, bool keywords) {
  if (json.is_null()) return kNil;
  if (json.is_boolean()) return Pool::Bool(json.get<bool>());
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX)
    return pool.Number(std::to_string(json.get<std::uint64_t>()));
  if (json.is_number_integer()) return pool.Int(json.get<std::int64_t>());
  if (json.is_number()) return pool.Number(NumberAsWritten(json.get<double>()));
  if (std::optional<std::string> digits = DigitsOf(json)) return pool.Number(std::move(*digits));
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

namespace {

std::string Utf8Of(const Pool& pool, Value v) { return CleanUtf8(PlainText(pool, v)); }

ordered_json JsonOfInteger(const Pool& pool, Value v, JsonNumbers numbers) {
  if (const auto n = pool.Int64Of(v)) {
    // The same representation as the parser's, so that equal numbers compare as equal JSON.
    if (*n < 0) return *n;
    return static_cast<std::uint64_t>(*n);
  }
  if (numbers == JsonNumbers::kExact) return ExactInteger(Text(pool, v));
  const double nearest = *pool.AsDouble(v);
  if (std::isfinite(nearest)) return nearest;
  return nearest > 0 ? std::numeric_limits<double>::max() : std::numeric_limits<double>::lowest();
}

// Builds the value at `to`; false when it has no JSON. `bytes`: the approximate length of its text.
bool Build(const Pool& pool, Value v, JsonNumbers numbers, ordered_json& to, std::size_t& bytes) {
  if (++bytes > kMaxTextBytes) return false;
  switch (v.kind()) {
    case Kind::kSpecial:
      if (v == kNil) to = nullptr;
      else if (v == kTrue || v == kFalse) to = v == kTrue;
      else to = "_";
      return true;
    case Kind::kInt:
    case Kind::kBigInt:
      to = JsonOfInteger(pool, v, numbers);
      bytes += pool.TextBytes(v);
      return true;
    case Kind::kFloat: to = *pool.AsDouble(v); return true;
    case Kind::kString:
    case Kind::kKeyword:
    case Kind::kSymbol:
    case Kind::kSlot:
    case Kind::kTerm:
      to = Utf8Of(pool, v);
      bytes += to.get_ref<const std::string&>().size();
      return true;
    case Kind::kList:
    case Kind::kSet:
      to = ordered_json::array();
      for (const Value item : pool.ItemsOf(v))
        if (!Build(pool, item, numbers, to.emplace_back(), bytes)) return false;
      return true;
    case Kind::kMap: {
      const std::span<const Value> items = pool.ItemsOf(v);
      if (items.size() / 2 > kMaxJsonKeys) return false;
      to = ordered_json::object();
      for (std::size_t i = 0; i < items.size(); i += 2) {
        std::string key = Utf8Of(pool, items[i]);
        bytes += key.size();
        const auto [at, is_new] = to.emplace(std::move(key), nullptr);
        if (!is_new || !Build(pool, items[i + 1], numbers, at.value(), bytes)) return false;
      }
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<ordered_json> JsonOfValue(const Pool& pool, Value v, JsonNumbers numbers) {
  if (pool.TextBytes(v) > kMaxTextBytes) return std::nullopt;
  ordered_json out;
  std::size_t bytes = 0;
  if (!Build(pool, v, numbers, out, bytes)) return std::nullopt;
  return out;
}

ordered_json WithoutColons(const ordered_json& json) {
  if (json.is_array()) {
    ordered_json out = ordered_json::array();
    for (const ordered_json& item : json) out.push_back(WithoutColons(item));
    return out;
  }
  if (!json.is_object()) return json;
  ordered_json out = ordered_json::object();
  for (const auto& [key, value] : json.items()) {
    const std::string plain = key.starts_with(':') ? key.substr(1) : key;
    out[json.contains(plain) ? key : plain] = WithoutColons(value);
  }
  return out;
}

ordered_json JsonOfValues(const Pool& pool, std::span<const Value> values) {
  ordered_json out = ordered_json::array();
  for (const Value v : values) out.push_back(JsonOfValue(pool, v).value_or(Text(pool, v)));
  return out;
}

}  // namespace rpl
