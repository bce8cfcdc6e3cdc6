// SPDX-License-Identifier: Apache-2.0
//
// The reader of fields that policies and their conditions share: types of values with their ranges,
// and keys and words that are known but not supported.
#ifndef RPL_CHECKS_GUARD_POLICY_FIELDS_H_
#define RPL_CHECKS_GUARD_POLICY_FIELDS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checks/guard/condition.h"
#include "formats/data/yaml_fields.h"

namespace rpl {

/// The reason why a known word or key is refused.
inline constexpr std::string_view kIsNewer = "it is newer than the published rules";

/// A YamlFields with required fields. After an error, which is added to the findings, each function
/// returns a default, so that reading continues.
class PolicyFields : public YamlFields {
 public:
  using YamlFields::YamlFields;

  /// A required field of a map: a text that is not empty, a number, or a whole number from `least`
  /// to `most`.
  std::string TextAt(const YamlNode& map, std::string_view key);
  nlohmann::ordered_json NumberAt(const YamlNode& map, std::string_view key);
  std::int64_t WholeAt(const YamlNode& map, std::string_view key, std::int64_t least,
                       std::int64_t most);
  /// The index of a required word; 0 after an error. Words of `unsupported` are refused by name.
  std::size_t WordAt(const YamlNode& map, std::string_view key,
                     std::span<const std::string_view> words,
                     std::span<const std::string_view> unsupported = {});
  /// A required list of strings with at least one entry, none of them empty.
  std::vector<std::string> TextsAt(const YamlNode& map, std::string_view key);
  /// Such a list as a value; with `one`, a single string counts as a list of it.
  std::vector<std::string> Texts(const YamlNode& node, bool one = false);
  /// An optional text; nullopt if the key is absent or null.
  std::optional<std::string> OptionalTextAt(const YamlNode& map, std::string_view key);

  /// True if the node is a map. Adds a finding for each key that is not among `keys`; keys of
  /// `unsupported` are refused by name.
  bool IsMapOf(const YamlNode& node, std::span<const std::string_view> keys,
               std::span<const std::string_view> unsupported = {});

  /// The required comparison `op`.
  CompareOp CompareAt(const YamlNode& map);
  /// An optional effect; nullopt if the key is absent or null.
  std::optional<Effect> EffectAt(const YamlNode& map, std::string_view key);
};

/// Reads the condition of a rule. After an error the result must not be evaluated.
GuardCondition ReadCondition(const YamlNode& root, PolicyFields& fields);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_POLICY_FIELDS_H_
