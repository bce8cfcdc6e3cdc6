// SPDX-License-Identifier: Apache-2.0
//
// The facts of an action envelope (Rulespec, "Action Envelope Format"): a YAML or JSON file
// with a map under `facts:`, and what selectors find in it.
//
// A selector is a path: fields parted by dots, `[n]` an element from 0, `[*]` every element.
// A step that does not fit selects nothing; null is as if it were not there. A path that
// begins with `facts.` and leads nowhere among the facts is followed from the root.
//
// What a claim selects becomes values: the text of each scalar, the marker kObjectMarker of
// each map; lists give their elements' values. So every comparison is of texts (checks/
// rulespec_program.h makes rows of them).
#ifndef RPL_CHECKS_VERIFY_ENVELOPE_H_
#define RPL_CHECKS_VERIFY_ENVELOPE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/diagnostic.h"
#include "formats/yaml_tree.h"

namespace rpl {

inline constexpr std::string_view kObjectMarker = "{object}";

/// A parsed selector.
struct Selector {
  struct Step {
    enum class Kind { kField, kIndex, kEach };
    Kind kind = Kind::kField;
    std::string field;      // kField
    std::size_t index = 0;  // kIndex
  };
  std::vector<Step> steps;  // not empty, the first a field

  bool ends_in_each() const { return steps.back().kind == Step::Kind::kEach; }
};

/// nullopt, and why in `problem`, when the text is none.
std::optional<Selector> ReadSelector(std::string_view text, std::string* problem);

/// A value of a claim as a row holds it: kObjectMarker for a map, else a scalar's text; a
/// text that reads like the marker has a backslash before it.
std::string RowText(std::string_view scalar);

/// JSON with the keys of maps sorted and every scalar but null a string of its text: equal
/// for values that are equal by content.
std::string CanonicalJson(const YamlNode& node, const Sources& sources);

/// What a claim selects.
struct ClaimFacts {
  struct Value {
    std::string text;  // of a scalar, as it is
    bool object = false;
    std::string row() const { return object ? std::string(kObjectMarker) : RowText(text); }
  };
  /// A value or the length of a list inside a selected map, under its fields: "k.m".
  struct Nested {
    std::string path;
    std::optional<Value> value;  // else `length`
    std::size_t length = 0;
  };
  std::vector<Value> values;         // as they stand; with repetitions
  std::vector<std::string> strings;  // those that are selected strings, not elements
  std::vector<std::size_t> lengths;  // of each selected list
  bool selects_other = false;        // something that is no list
  std::vector<Nested> nested;
  std::vector<const YamlNode*> nodes;  // the selected nodes, without nulls
};

/// A budget for all claims of a rulespec together.
inline constexpr std::size_t kMaxFactBytes = std::size_t{512} << 20;

class Envelope {
 public:
  /// Reads a file of `sources`, which must outlive the envelope. nullopt when it has errors
  /// (RPL70xx, RPL7106, RPL7107), which go to `found`.
  static std::optional<Envelope> Read(const Sources& sources, std::uint32_t file,
                                      Diagnostics& found);

  /// In the order of the file. Takes what the facts need, in bytes, from `budget`; nullopt
  /// when it does not suffice: a small file may say much many times.
  std::optional<ClaimFacts> Select(const Selector& selector, std::size_t& budget) const;

  const YamlNode& root() const { return *root_; }
  const YamlNode& facts() const { return *root_->Find("facts"); }

 private:
  Envelope(const Sources& sources, YamlNode root);

  const YamlNode* Field(const YamlNode& map, const std::string& key) const;
  std::vector<const YamlNode*> Walk(const YamlNode& from, const Selector& selector) const;
  bool Extract(const YamlNode& node, const std::string& path, ClaimFacts& to,
               std::size_t& budget) const;

  const Sources* sources_;
  std::unique_ptr<const YamlNode> root_;  // where it stands does not change
  // The keys of large maps, made when first asked for.
  mutable std::unordered_map<const YamlNode*, std::unordered_map<std::string_view, const YamlNode*>>
      keys_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_ENVELOPE_H_
