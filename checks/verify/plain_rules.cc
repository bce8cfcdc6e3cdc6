// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/plain_rules.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <vector>

namespace rpl::plain {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Json> Select(const Json& from, const std::string& path) {
  if (path.empty()) return {from};
  std::vector<Json> found;
  if (path[0] == '[') {
    const std::size_t end = path.find(']');
    const std::string inside = path.substr(1, end - 1);
    if (!from.is_array()) return {};
    for (std::size_t i = 0; i < from.size(); ++i)
      if (inside == "*" || inside == std::to_string(i))
        for (Json& json : Select(from[i], path.substr(end + 1))) found.push_back(std::move(json));
    return found;
  }
  const std::string rest = path[0] == '.' ? path.substr(1) : path;
  const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
  if (!from.is_object() || !from.contains(rest.substr(0, end))) return {};
  return Select(from[rest.substr(0, end)], rest.substr(end));
}

std::string TextOf(const Json& scalar) {
  return scalar.is_string() ? scalar.get<std::string>() : scalar.dump();
}

// The scalars of a value, with lists flattened; maps are counted apart.
void Flatten(const Json& json, std::vector<std::string>& texts, int& maps) {
  if (json.is_object()) ++maps;
  else if (json.is_array())
    for (const Json& item : json) Flatten(item, texts, maps);
  else if (!json.is_null()) texts.push_back(TextOf(json));
}

// Equality by content: scalars by text, objects regardless of the order of keys.
bool Same(const Json& a, const Json& b) {
  if (a.is_null() || b.is_null()) return a.is_null() && b.is_null();
  if (a.is_array() != b.is_array() || a.is_object() != b.is_object()) return false;
  if (a.is_array()) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!Same(a[i], b[i])) return false;
    return true;
  }
  if (!a.is_object()) return TextOf(a) == TextOf(b);
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.items())
    if (!b.contains(key) || !Same(value, b[key])) return false;
  return true;
}

bool IsNumber(const std::string& text, double* number) {
  static const RE2 form(R"([-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?)");
  *number = std::strtod(text.c_str(), nullptr);
  return RE2::FullMatch(text, form);
}

}  // namespace

bool Holds(const Json& facts, const std::string& selector, const std::string& rule,
           const Json& value) {
  if (rule.starts_with("not_") || rule == "none_of") {
    const std::string opposite = rule == "none_of" ? "any_of" : rule.substr(4);
    return !Holds(facts, selector, opposite, value);
  }
  std::vector<Json> selected;
  for (Json& json : Select(facts, selector))
    if (!json.is_null()) selected.push_back(std::move(json));
  std::vector<std::string> texts;
  int maps = 0;
  for (const Json& json : selected) Flatten(json, texts, maps);
  const auto has = [&](const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  };
  const auto is_wanted = [](const Json& wanted) {
    return [&wanted](const Json& json) { return Same(json, wanted); };
  };
  const auto has_element = [&](const Json& wanted) {
    for (const Json& json : selected)
      if (json.is_array())
        for (const Json& item : json)
          if (Same(item, wanted)) return true;
    return false;
  };

  if (rule == "exists") return !selected.empty();
  if (rule == "equals") {
    if (value.is_structured())
      return !selected.empty() && std::ranges::all_of(selected, is_wanted(value));
    return maps == 0 && std::set<std::string>(texts.begin(), texts.end()).size() == 1 &&
           has(TextOf(value));
  }
  if (rule == "contains") {
    if (value.is_structured()) return has_element(value);
    for (const Json& json : selected)
      if (json.is_string() && json.get<std::string>().find(TextOf(value)) != std::string::npos)
        return true;
    return has(TextOf(value));
  }
  if (rule == "any_of") {
    for (const Json& one : value) {
      if (one.is_null()) continue;
      if (one.is_structured() ? has_element(one) || std::ranges::any_of(selected, is_wanted(one))
                              : has(TextOf(one)))
        return true;
    }
    return false;
  }
  if (rule == "greater_than" || rule == "less_than") {
    bool holds = maps == 0 && !texts.empty();
    for (const std::string& text : texts) {
      double number = 0;
      holds =
          holds && IsNumber(text, &number) &&
          (rule == "greater_than" ? number > value.get<double>() : number < value.get<double>());
    }
    return holds;
  }
  if (rule == "min_length") {
    if (value == 0) return true;
    bool holds = !selected.empty();
    for (const Json& json : selected)
      holds = holds && json.is_array() && json.size() >= value.get<std::size_t>();
    return holds;
  }
  if (rule == "max_length") {
    return std::none_of(selected.begin(), selected.end(), [&](const Json& json) {
      return json.is_array() && json.size() > value.get<std::size_t>();
    });
  }
  if (rule == "matches") {
    const RE2 regex(value.get<std::string>(), RE2::Quiet);
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
      return regex.ok() && RE2::PartialMatch(text, regex);
    });
  }
  throw std::logic_error("no such rule: " + rule);
}

}  // namespace rpl::plain
