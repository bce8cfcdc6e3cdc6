// SPDX-License-Identifier: Apache-2.0
//
// Reading the fields of a file: each finding begins with the path of its field.
//
//   rulespec.yaml:3:5: error RPL7007: `claims[0].selector`: expected a string, got a list
//
// A reader goes on after an error, with a default in place of what was wrong, so that all
// errors of a file are found at once. What is wrong in the same way everywhere has its words
// here; the rest says its own with Wrong.
//
// Borrows the tree, its sources and the diagnostics.
#ifndef RPL_FORMATS_YAML_FIELDS_H_
#define RPL_FORMATS_YAML_FIELDS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/diagnostic.h"
#include "formats/yaml_tree.h"

namespace rpl {

/// "did you mean `selector`?", or "" when no word is near.
std::string NearestWord(std::string_view got, std::span<const std::string_view> words);

/// "`error`, `warning` or `info`".
std::string OneOf(std::span<const std::string_view> words);

class YamlFields {
 public:
  YamlFields(const YamlNode& root, Diagnostics& found) : root_(root), found_(found) {}

  /// `PATH`: message, at the node.
  void Add(Code code, const YamlNode& at, std::string message, std::string hint = "");
  /// The same with kWrongConfigValue.
  void Wrong(const YamlNode& at, std::string message, std::string hint = "");
  /// Says that a number was expected, or what `expected` says.
  void WrongNumber(const YamlNode& at, std::string_view expected = "a number");

  /// The value under `key`, unless it is null. When there is none: kMissingConfigKey with the
  /// path that it would have; null. Without a hint, it is to add the key.
  const YamlNode* Require(const YamlNode& map, std::string_view key, std::string hint = "");
  /// The value under `key`, or null when there is none or it is null.
  static const YamlNode* Optional(const YamlNode& map, std::string_view key);

  /// Whether the node is of this kind; if not, says what was expected.
  bool IsMap(const YamlNode& node);
  bool IsList(const YamlNode& node);
  /// nullopt after saying what was expected.
  std::optional<std::string> Text(const YamlNode& node);
  std::optional<bool> Truth(const YamlNode& node);
  /// The index of the string in `words`.
  std::optional<std::size_t> Word(const YamlNode& node, std::span<const std::string_view> words);

  /// Says which keys of a map are not among `keys`, with `code`.
  void KnowKeys(const YamlNode& map, std::span<const std::string_view> keys, Code code);

  std::string PathOf(const YamlNode& node);

 private:
  const YamlNode& root_;
  Diagnostics& found_;
  std::optional<YamlPaths> paths_;  // made for the first finding
};

}  // namespace rpl

#endif  // RPL_FORMATS_YAML_FIELDS_H_
