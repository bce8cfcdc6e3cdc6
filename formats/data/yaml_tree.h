// SPDX-License-Identifier: Apache-2.0
//
// YAML and JSON as a tree whose nodes carry their places in the source.
//
// The subset that settings and data need: one document of maps, lists and scalars. Anchors,
// aliases, tags, a second document, NUL characters, repeated keys and keys that are not scalars are
// refused, so that the tree has no meaning that a reader of the file cannot see. Plain scalars
// follow the core schema of YAML 1.2: null, true, false and numbers are values of these types, and
// everything else is a string (`yes`, `on`, `12:30`). JSON is a subset, including its surrogate
// pairs.
//
// The text is untrusted: its size and nesting are limited, and it must be UTF-8.
#ifndef RPL_FORMATS_DATA_YAML_TREE_H_
#define RPL_FORMATS_DATA_YAML_TREE_H_

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

/// Limits on a file. The defaults are for settings.
struct YamlLimits {
  std::size_t max_bytes = std::size_t{1} << 20;
  std::size_t max_depth = 20;
  /// Accepts a key that is a number, true or false as its text; otherwise such a key is refused.
  bool text_keys = false;
};

/// The limits for content that is to be checked.
inline constexpr YamlLimits kDocumentLimits{std::size_t{64} << 20, 200, true};

/// A node, which owns the nodes below it.
struct YamlNode {
  /// The type of a node. kNull to kString are scalars.
  enum class Kind { kNull, kBool, kNumber, kString, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  /// Of a scalar, its text up to the end of the first line; of a list or map, its first byte.
  Span span;
  nlohmann::ordered_json scalar;  // kNull to kString
  std::vector<YamlNode> items;    // kList
  std::vector<Entry> entries;     // kMap, in written order, keys are strings
  bool refused = false;           // an alias, which has a finding: its value is unknown

  /// The value under a key of a map; null if there is none or the node is no map. O(entries).
  const YamlNode* Find(std::string_view key) const;
};

using YamlKind = YamlNode::Kind;

/// A key of a map, which is a node because findings point at it, and its value.
struct YamlNode::Entry {
  YamlNode key;
  YamlNode value;
};

/// The file as a tree; a null node for an empty file. nullopt if the file is too large, nests too
/// deeply, is not UTF-8 or is not YAML. Every refusal adds an error to `found`; a tree is returned
/// despite those that leave one, so callers must check `found`.
std::optional<YamlNode> ReadYaml(const Sources& sources, std::uint32_t file, Diagnostics& found,
                                 const YamlLimits& limits = {});

/// True if the file is UTF-8 (NUL included); if not, adds an error at its first bad byte.
bool IsUtf8(const Sources& sources, std::uint32_t file, Diagnostics& found);

/// The tree without its places. Recurses as deep as the tree. An integer that 64 bits do not hold
/// is the nearest float, or with the sources that the tree was read from an ExactInteger.
nlohmann::ordered_json JsonOf(const YamlNode& node);
nlohmann::ordered_json JsonOf(const YamlNode& node, const Sources& sources);

/// The text of a scalar: the characters of a string; all digits of a whole number, in decimal; of
/// another number the shortest text that reads as it, with a point or an exponent; `true`, `false`,
/// `null`. REQUIRES: a scalar, and the sources that it was read from.
std::string ScalarText(const YamlNode& node, const Sources& sources);

/// A node as messages name it: "a string", "`5`", "a list", "nothing".
std::string Described(const YamlNode& node);

/// The paths of the nodes of a tree: `claims[0].selector`; the root is "". A key with characters
/// other than letters, digits, `_`, `$` and `-` appears as `["a key"]`.
///
/// Borrows the tree, which must not change. Built in O(size of the tree).
class YamlPaths {
 public:
  explicit YamlPaths(const YamlNode& root);

  /// The path of a node or key. O(depth). REQUIRES: the node belongs to the tree.
  std::string Of(const YamlNode& node) const;

 private:
  /// The way from a node to its parent; the root has none.
  struct Step {
    const YamlNode* parent;
    const YamlNode* key;  // null below a list
    std::size_t index;
  };
  std::unordered_map<const YamlNode*, Step> steps_;
};

/// `path` extended by a key.
std::string JoinYamlPath(std::string path, std::string_view key);

}  // namespace rpl

#endif  // RPL_FORMATS_DATA_YAML_TREE_H_
