// SPDX-License-Identifier: Apache-2.0
//
// What fields of policies have in common: kinds of values with their ranges, and the keys
// and words that are known and not supported. The condition reader and the policy reader
// share it.
#ifndef RPL_CHECKS_GUARD_POLICY_FIELDS_H_
#define RPL_CHECKS_GUARD_POLICY_FIELDS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checks/guard/condition.h"
#include "formats/yaml_fields.h"

namespace rpl {

class PolicyFields : public YamlFields {
 public:
  using YamlFields::YamlFields;

  /// Each reads a required field of a map; what is wrong was said, and the default is given.
  std::string TextAt(const YamlNode& map, std::string_view key);
  double NumberAt(const YamlNode& map, std::string_view key);
  std::int64_t WholeAt(const YamlNode& map, std::string_view key, std::int64_t least,
                       std::int64_t most);
  /// The index of the word; 0 after an error. Of `unsupported`, a word is refused by name.
  std::size_t WordAt(const YamlNode& map, std::string_view key,
                     std::span<const std::string_view> words,
                     std::span<const std::string_view> unsupported = {});
  /// A list of strings with at least one entry, none of them empty.
  std::vector<std::string> TextsAt(const YamlNode& map, std::string_view key);
  /// The same of a value; one string stands for a list of it where `one` says so.
  std::vector<std::string> Texts(const YamlNode& node, bool one = false);
  std::optional<std::string> OptionalTextAt(const YamlNode& map, std::string_view key);

  /// Whether the node is a map with no keys but these. A key of `unsupported` is refused by
  /// its name.
  bool IsMapOf(const YamlNode& node, std::span<const std::string_view> keys,
               std::span<const std::string_view> unsupported = {});

  CompareOp CompareAt(const YamlNode& map);
  std::optional<Effect> EffectAt(const YamlNode& map, std::string_view key);
};

/// Reads the condition of a rule. A condition with errors is not to be evaluated.
GuardCondition ReadCondition(const YamlNode& root, PolicyFields& fields);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_POLICY_FIELDS_H_
