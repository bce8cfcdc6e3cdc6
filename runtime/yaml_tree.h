// SPDX-License-Identifier: Apache-2.0
//
// YAML as a tree in which every node knows its place.
//
// The subset that configuration needs: one document of maps, lists and scalars. Anchors,
// aliases, tags, a second document, a key that occurs twice and a key that is no scalar
// are refused, so that what a reader sees is what is read. Plain scalars follow the core
// schema of YAML 1.2: null, true, false and numbers are such, and all else is a string
// (`yes`, `on`, `12:30`). JSON is a part of it.
//
// The text is hostile: its size and nesting are limited, and it must be UTF-8.
#ifndef RPL_RUNTIME_YAML_TREE_H_
#define RPL_RUNTIME_YAML_TREE_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/diagnostic.h"

namespace rpl {

inline constexpr std::size_t kMaxYamlBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxYamlDepth = 20;

struct YamlNode {
  enum class Kind { kNull, kBool, kNumber, kString, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  /// A scalar as written, as far as it stands on one line; of a list or map, its start.
  Span span;
  nlohmann::ordered_json scalar;  // kNull to kString
  std::vector<YamlNode> items;    // kList
  std::vector<Entry> entries;     // kMap, in written order, keys are strings

  /// The value under a key of a map, or null.
  const YamlNode* Find(std::string_view key) const;
};

struct YamlNode::Entry {
  YamlNode key;
  YamlNode value;
};

/// The file as a tree; null for an empty one. nullopt when it is not YAML at all; what is
/// refused is in `found`.
std::optional<YamlNode> ReadYaml(const Sources& sources, std::uint32_t file, Diagnostics& found);

/// The tree without its places.
nlohmann::ordered_json JsonOf(const YamlNode& node);

/// "a string", "the number 5", "a list": for messages.
std::string Described(const YamlNode& node);

}  // namespace rpl

#endif  // RPL_RUNTIME_YAML_TREE_H_
