// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/policy_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace rpl {
namespace {

constexpr std::string_view kEffects[] = {"allow", "hitl", "block"};
constexpr std::string_view kCompares[] = {"eq", "neq", "gt", "gte", "lt", "lte"};

bool IsAmong(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string PolicyFields::TextAt(const YamlNode& map, std::string_view key) {
  const YamlNode* node = Require(map, key);
  if (node == nullptr) return "";
  std::string text = Text(*node).value_or("?");
  if (text.empty()) Wrong(*node, "expected a text, got an empty one", "write one");
  return text;
}

std::optional<std::string> PolicyFields::OptionalTextAt(const YamlNode& map, std::string_view key) {
  return Optional(map, key) == nullptr ? std::nullopt : std::optional(TextAt(map, key));
}

nlohmann::ordered_json PolicyFields::NumberAt(const YamlNode& map, std::string_view key) {
  const YamlNode* node = Require(map, key);
  if (node == nullptr) return 0;
  if (node->kind == YamlKind::kNumber) return node->scalar;
  WrongNumber(*node);
  return 0;
}

std::int64_t PolicyFields::WholeAt(const YamlNode& map, std::string_view key, std::int64_t least,
                                   std::int64_t most) {
  const YamlNode* node = Require(map, key);
  if (node == nullptr) return least;
  if (node->scalar.is_number()) {
    const long double value = NumberOf(node->scalar);
    if (value >= static_cast<long double>(least) && value <= static_cast<long double>(most) &&
        value == static_cast<long double>(static_cast<std::int64_t>(value)))
      return static_cast<std::int64_t>(value);
  }
  WrongNumber(*node, fmt::format("a whole number from {} to {}", least, most));
  return least;
}

std::size_t PolicyFields::WordAt(const YamlNode& map, std::string_view key,
                                 std::span<const std::string_view> words,
                                 std::span<const std::string_view> unsupported) {
  const YamlNode* node = Optional(map, key);
  if (node == nullptr) {
    Require(map, key, "one of " + OneOf(words));
    return 0;
  }
  if (node->kind == YamlKind::kString) {
    const auto& word = node->scalar.get_ref<const std::string&>();
    if (IsAmong(word, unsupported)) {
      Wrong(*node,
            fmt::format("{} is not supported: {}, expected {}", word, kIsNewer, OneOf(words)),
            "write one of these words");
      return 0;
    }
  }
  return Word(*node, words).value_or(0);
}

std::vector<std::string> PolicyFields::TextsAt(const YamlNode& map, std::string_view key) {
  const YamlNode* node = Require(map, key);
  return node == nullptr ? std::vector<std::string>() : Texts(*node);
}

std::vector<std::string> PolicyFields::Texts(const YamlNode& node, bool one) {
  std::vector<std::string> out;
  const auto add = [&](const YamlNode& item) {
    const std::optional<std::string> text = Text(item);
    if (text && text->empty()) Wrong(item, "expected a text, got an empty one", "write one");
    out.push_back(text.value_or("?"));
  };
  if (one && node.kind == YamlKind::kString) {
    add(node);
  } else if (IsList(node)) {
    if (node.items.empty())
      Wrong(node, "expected at least one entry, got an empty list",
            one ? "leave the key out for any" : "write one");
    for (const YamlNode& item : node.items) add(item);
  }
  return out;
}

bool PolicyFields::IsMapOf(const YamlNode& node, std::span<const std::string_view> keys,
                           std::span<const std::string_view> unsupported) {
  if (!IsMap(node)) return false;
  for (const auto& [key, value] : node.entries) {
    const auto& name = key.scalar.get_ref<const std::string&>();
    if (IsAmong(name, keys)) continue;
    if (IsAmong(name, unsupported)) {
      Add(Code::kUnknownConfigKey, key, fmt::format("{} is not supported: {}", name, kIsNewer),
          "known are " + OneOf(keys));
      continue;
    }
    const std::string near = NearestWord(name, keys);
    Add(Code::kUnknownConfigKey, key, "unknown key",
        near.empty() ? "known are " + OneOf(keys) : near);
  }
  return true;
}

CompareOp PolicyFields::CompareAt(const YamlNode& map) {
  return static_cast<CompareOp>(WordAt(map, "op", kCompares));
}

std::optional<Effect> PolicyFields::EffectAt(const YamlNode& map, std::string_view key) {
  if (Optional(map, key) == nullptr) return std::nullopt;
  return static_cast<Effect>(WordAt(map, key, kEffects));
}

}  // namespace rpl
