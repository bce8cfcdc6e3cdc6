// SPDX-License-Identifier: Apache-2.0
#include "formats/data/yaml_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/data/json_text.h"
#include "formats/list_text.h"
#include "formats/number_text.h"
#include "formats/shorten.h"
#include "formats/spelling.h"

namespace rpl {

std::string NearestWord(std::string_view got, std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    const std::size_t distance = EditDistance(got.substr(0, 100), word);
    if (distance < word.size() && distance <= std::max<std::size_t>(word.size() / 3, 1))
      return fmt::format("did you mean `{}`?", word);
  }
  return "";
}

std::string OneOf(std::span<const std::string_view> words) {
  return ListText(words, " or ", [](std::string_view word) { return fmt::format("`{}`", word); });
}

std::string YamlFields::PathOf(const YamlNode& node) {
  if (!paths_) paths_.emplace(root_);
  return paths_->Of(node);
}

void YamlFields::Add(Code code, const YamlNode& at, std::string message, std::string hint) {
  if (at.refused) return;
  const std::string path = PathOf(at);
  if (!path.empty()) message = fmt::format("`{}`: {}", path, message);
  found_.Add(code, at.span, std::move(message), std::move(hint));
}

void YamlFields::Wrong(const YamlNode& at, std::string message, std::string hint) {
  Add(Code::kWrongConfigValue, at, std::move(message), std::move(hint));
}

void YamlFields::WrongNumber(const YamlNode& at, std::string_view expected) {
  const char* hint = "write another number";
  if (at.kind == YamlNode::Kind::kString) {
    const std::string& text = at.scalar.get_ref<const std::string&>();
    if (ReadNumber(text).problem == NumberText::Problem::kTooLarge)
      return Wrong(at,
                   fmt::format("expected {}, got `{}`, which is beyond the range of floats",
                               expected, Shortened(text, 40)),
                   hint);
    const JsonText bare = ParseJson(text);
    hint = bare.json.is_number() ? "write digits, without quotes" : "write digits";
  }
  Wrong(at, fmt::format("expected {}, got {}", expected, Described(at)), hint);
}

const YamlNode* YamlFields::Optional(const YamlNode& map, std::string_view key) {
  const YamlNode* value = map.Find(key);
  return value != nullptr && value->kind != YamlNode::Kind::kNull ? value : nullptr;
}

const YamlNode* YamlFields::Require(const YamlNode& map, std::string_view key, std::string hint) {
  const YamlNode* value = Optional(map, key);
  if (value != nullptr) return value;
  const YamlNode* null = map.Find(key);
  if (null != nullptr && null->refused) return nullptr;
  found_.Add(Code::kMissingConfigKey, null != nullptr ? null->span : map.span,
             fmt::format("`{}`: this is required", JoinYamlPath(PathOf(map), key)),
             hint.empty() ? fmt::format("add `{}`", key) : std::move(hint));
  return nullptr;
}

bool YamlFields::IsMap(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kMap) return true;
  Wrong(node, "expected a map, got " + Described(node), "write keys, each with a value");
  return false;
}

bool YamlFields::IsList(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kList) return true;
  Wrong(node, "expected a list, got " + Described(node), "write its entries in brackets");
  return false;
}

std::optional<std::string> YamlFields::Text(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kString) return node.scalar.get<std::string>();
  const bool scalar = node.kind == YamlNode::Kind::kBool || node.kind == YamlNode::Kind::kNumber;
  Wrong(node, "expected a string, got " + Described(node),
        scalar ? "write it in quotes" : "write one text");
  return std::nullopt;
}

std::optional<bool> YamlFields::Truth(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kBool) return node.scalar.get<bool>();
  const bool quoted = node.scalar == "true" || node.scalar == "false";
  Wrong(node, "expected `true` or `false`, got " + Described(node),
        quoted ? "write it without quotes" : "write `true` or `false`");
  return std::nullopt;
}

std::optional<std::size_t> YamlFields::Word(const YamlNode& node,
                                            std::span<const std::string_view> words) {
  const bool text = node.kind == YamlNode::Kind::kString;
  const std::string got = text ? node.scalar.get<std::string>() : "";
  const auto found = std::find(words.begin(), words.end(), got);
  if (text && found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string near = text ? NearestWord(got, words) : "";
  Wrong(node,
        fmt::format("expected {}, got {}", OneOf(words), text ? "`" + got + "`" : Described(node)),
        near.empty() ? "write one of these words" : near);
  return std::nullopt;
}

void YamlFields::KnowKeys(const YamlNode& map, std::span<const std::string_view> keys, Code code) {
  for (const auto& [key, value] : map.entries) {
    const auto& name = key.scalar.get_ref<const std::string&>();
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    const std::string near = NearestWord(name, keys);
    Add(code, key, "unknown key", near.empty() ? "known are " + OneOf(keys) : near);
  }
}

}  // namespace rpl
