// SPDX-License-Identifier: Apache-2.0
//
// A reader for the fields of a YAML or JSON file, whose findings begin with the path of the field.
//
//   rulespec.yaml:3:5: error RPL7007: `claims[0].selector`: expected a string, got a list
//
// After an error a caller continues with a default in place of the wrong value, so that one run
// finds all errors of a file. Common findings have their wording here; others are added with Wrong
// or Add. A finding about a node that was refused while reading (YamlNode::refused) is dropped,
// because it already has one.
#ifndef RPL_FORMATS_DATA_YAML_FIELDS_H_
#define RPL_FORMATS_DATA_YAML_FIELDS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/data/yaml_tree.h"
#include "formats/diagnostic.h"

namespace rpl {

/// "did you mean `selector`?" for the first word that is near, or "".
std::string NearestWord(std::string_view got, std::span<const std::string_view> words);

/// The words as a choice: "`error`, `warning` or `info`".
std::string OneOf(std::span<const std::string_view> words);

/// Borrows the tree and the list of findings; both must outlive it, and the tree must not change.
class YamlFields {
 public:
  YamlFields(const YamlNode& root, Diagnostics& found) : root_(root), found_(found) {}

  /// Adds "`PATH`: message" at the node.
  void Add(Code code, const YamlNode& at, std::string message, std::string hint = "");
  /// As Add, with kWrongConfigValue.
  void Wrong(const YamlNode& at, std::string message, std::string hint = "");
  /// Adds "expected a number, got …", with `expected` in place of "a number".
  void WrongNumber(const YamlNode& at, std::string_view expected = "a number");

  /// The value under `key`. If it is absent or null: adds kMissingConfigKey with the path that it
  /// would have, and returns null. The default hint is to add the key.
  const YamlNode* Require(const YamlNode& map, std::string_view key, std::string hint = "");
  /// The value under `key`; null if it is absent or null.
  static const YamlNode* Optional(const YamlNode& map, std::string_view key);

  /// True if the node is of this kind; if not, adds a finding that says what was expected.
  bool IsMap(const YamlNode& node);
  bool IsList(const YamlNode& node);
  /// The value of a string or boolean node; nullopt, with a finding, for any other node.
  std::optional<std::string> Text(const YamlNode& node);
  std::optional<bool> Truth(const YamlNode& node);
  /// The index in `words` of the node's string; nullopt, with a finding, for any other string or
  /// node.
  std::optional<std::size_t> Word(const YamlNode& node, std::span<const std::string_view> words);

  /// Adds a finding with `code` for each key of a map that is not among `keys`.
  void KnowKeys(const YamlNode& map, std::span<const std::string_view> keys, Code code);

  /// The path of a node of the tree, as YamlPaths prints it.
  std::string PathOf(const YamlNode& node);

 private:
  const YamlNode& root_;
  Diagnostics& found_;
  std::optional<YamlPaths> paths_;  // built for the first finding
};

}  // namespace rpl

#endif  // RPL_FORMATS_DATA_YAML_FIELDS_H_
