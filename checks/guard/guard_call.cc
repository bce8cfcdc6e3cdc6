// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/guard_call.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>

namespace rpl {

using nlohmann::ordered_json;

std::string_view EffectName(Effect effect) {
  switch (effect) {
    case Effect::kAllow: return "allow";
    case Effect::kHitl: return "hitl";
    case Effect::kBlock: return "block";
  }
  return "";
}

std::optional<Effect> EffectNamed(std::string_view name) {
  for (const Effect effect : {Effect::kAllow, Effect::kHitl, Effect::kBlock})
    if (EffectName(effect) == name) return effect;
  return std::nullopt;
}

ordered_json NamedArguments(ordered_json args, const std::vector<std::string>& params) {
  if (params.empty() || !args.is_array()) return args;
  ordered_json named = ordered_json::object();
  for (std::size_t i = 0; i < args.size(); ++i)
    named[i < params.size() ? params[i] : std::to_string(i)] = std::move(args[i]);
  return named;
}

const ordered_json* AtPath(const ordered_json& value, std::string_view path) {
  const ordered_json* at = &value;
  for (;;) {
    const std::size_t dot = path.find('.');
    const std::string_view key = path.substr(0, dot);
    if (at->is_object()) {
      const auto found = at->find(key);
      if (found == at->end()) return nullptr;
      at = &*found;
    } else if (at->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
      const bool padded = key.size() > 1 && key.front() == '0';
      if (error != std::errc{} || end != key.data() + key.size() || padded || index >= at->size())
        return nullptr;
      at = &(*at)[index];
    } else {
      return nullptr;
    }
    if (dot == std::string_view::npos) return at;
    path.remove_prefix(dot + 1);
  }
}

static_assert(std::numeric_limits<long double>::digits >= 64);

long double NumberOf(const ordered_json& number) {
  if (number.is_number_unsigned()) return number.get<std::uint64_t>();
  if (number.is_number_integer()) return number.get<std::int64_t>();
  return number.get<double>();
}

namespace {

// Recursion is safe, because the depth of parsed JSON is limited.
void AppendCanonical(const ordered_json& value, std::string& out) {
  if (value.is_array()) {
    out += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ',';
      AppendCanonical(value[i], out);
    }
    out += ']';
  } else if (value.is_object()) {
    std::map<std::string_view, const ordered_json*> sorted;
    for (const auto& [key, item] : value.items()) sorted.emplace(key, &item);
    out += '{';
    for (const auto& [key, item] : sorted) {
      if (out.back() != '{') out += ',';
      out += ordered_json(key).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
      out += ':';
      AppendCanonical(*item, out);
    }
    out += '}';
  } else if (value.is_number_float() && std::abs(value.get<double>()) < 0x1p64 &&
             std::trunc(value.get<double>()) == value.get<double>()) {
    out += fmt::format("{:.0f}", value.get<double>() + 0.0);  // with the digits that an integer has
  } else {
    out += value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
}

}  // namespace

std::string CanonicalText(const ordered_json& value) {
  std::string out;
  AppendCanonical(value, out);
  return out;
}

bool SameContent(const ordered_json& a, const ordered_json& b) {
  if (a.is_structured() || b.is_structured()) return CanonicalText(a) == CanonicalText(b);
  if (a.is_number() && b.is_number()) return NumberOf(a) == NumberOf(b);
  return a == b;
}

}  // namespace rpl
