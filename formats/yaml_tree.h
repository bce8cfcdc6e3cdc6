// SPDX-License-Identifier: Apache-2.0
//
// YAML and JSON as a tree in which every node knows its place.
//
// The subset that settings and data need: one document of maps, lists and scalars. Anchors,
// aliases, tags, a second document, NUL characters, a key that occurs twice and a key that is
// no scalar are refused, so that what a reader sees is what is read. Plain scalars follow the core
// schema of YAML 1.2: null, true, false and numbers are such, and all else is a string
// (`yes`, `on`, `12:30`). JSON is a part of it, with its escapes of surrogate pairs.
//
// The text is hostile: its size and nesting are limited, and it must be UTF-8.
#ifndef RPL_FORMATS_YAML_TREE_H_
#define RPL_FORMATS_YAML_TREE_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

/// What a file may be.
struct YamlLimits {
  std::size_t max_bytes = std::size_t{1} << 20;
  std::size_t max_depth = 20;
  /// Whether a key that is a number, true or false stands for its text; else it is refused.
  bool text_keys = false;
};

/// Files that people and programs hand over to be checked.
inline constexpr YamlLimits kDocumentLimits{std::size_t{64} << 20, 200, true};

struct YamlNode {
  enum class Kind { kNull, kBool, kNumber, kString, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  /// A scalar as written, as far as it stands on one line; of a list or map, its start.
  Span span;
  nlohmann::ordered_json scalar;  // kNull to kString
  std::vector<YamlNode> items;    // kList
  std::vector<Entry> entries;     // kMap, in written order, keys are strings
  bool refused = false;           // an alias, of which there is a finding: nobody knows what it is

  /// The value under a key of a map, or null.
  const YamlNode* Find(std::string_view key) const;
};

using YamlKind = YamlNode::Kind;

struct YamlNode::Entry {
  YamlNode key;
  YamlNode value;
};

/// The file as a tree; null for an empty one. nullopt when it is not YAML at all; what is
/// refused is in `found`.
std::optional<YamlNode> ReadYaml(const Sources& sources, std::uint32_t file, Diagnostics& found,
                                 const YamlLimits& limits = {});

/// Whether the text is UTF-8; if not, says where it is not.
bool IsUtf8(const Sources& sources, std::uint32_t file, Diagnostics& found);

/// The tree without its places.
nlohmann::ordered_json JsonOf(const YamlNode& node);

/// The text of a scalar: of a string its characters; of a whole number all its digits in
/// decimal, of another number the shortest that reads as it, with a point or an exponent;
/// `true`, `false`, `null`. REQUIRES: no list or map, and the sources it was read from.
std::string ScalarText(const YamlNode& node, const Sources& sources);

/// "a string", "`5`", "a list": for messages.
std::string Described(const YamlNode& node);

/// Where the nodes of a tree stand: `claims[0].selector`; the root is "". A key that is not
/// made of letters, digits, `_`, `$` and `-` stands as `["a key"]`.
///
/// Borrows the tree, which must not change. O(size of the tree) to make, O(depth) to ask.
class YamlPaths {
 public:
  explicit YamlPaths(const YamlNode& root);

  /// Of a node or a key of the tree.
  std::string Of(const YamlNode& node) const;

 private:
  struct Step {
    const YamlNode* parent;
    const YamlNode* key;  // null below a list
    std::size_t index;
  };
  std::unordered_map<const YamlNode*, Step> steps_;
};

/// The path of a key below one.
std::string JoinYamlPath(std::string path, std::string_view key);

}  // namespace rpl

#endif  // RPL_FORMATS_YAML_TREE_H_
