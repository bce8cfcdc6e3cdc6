// SPDX-License-Identifier: Apache-2.0
//
// The facts of an action envelope (Rulespec, "Action Envelope Format"), a YAML or JSON file with a
// map under `facts:`, and the selection of values from them.
//
// A selector is a path: fields separated by dots, `[n]` for an element from 0, `[*]` for every
// element. A step that does not fit selects nothing; a null counts as absent. A path that begins
// with `facts.` and selects nothing among the facts is followed from the root.
//
// The nodes selected by a claim become values: the text of each scalar, the marker kObjectMarker
// for each map; a list stands for its elements. So all comparisons are of texts (rows are made by
// checks/verify/rulespec_program.h).
#ifndef RPL_CHECKS_VERIFY_ENVELOPE_H_
#define RPL_CHECKS_VERIFY_ENVELOPE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/data/yaml_tree.h"
#include "formats/diagnostic.h"

namespace rpl {

/// The value of every map.
inline constexpr std::string_view kObjectMarker = "{object}";

/// A parsed selector.
struct Selector {
  /// One step of the path.
  struct Step {
    enum class Kind { kField, kIndex, kEach };
    Kind kind = Kind::kField;
    std::string field;      // kField
    std::size_t index = 0;  // kIndex
  };
  std::vector<Step> steps;  // not empty, the first a field

  /// True if the selector selects elements of a list, which have no length themselves.
  bool ends_in_each() const { return steps.back().kind == Step::Kind::kEach; }
};

/// Parses a selector, without the space around it; nullopt if the text is none, with the reason in
/// `problem`. An index beyond size_t selects nothing. REQUIRES: problem != nullptr.
std::optional<Selector> ReadSelector(std::string_view text, std::string* problem);

/// The text of a scalar as a row holds it. A scalar that reads like kObjectMarker, with any number
/// of backslashes before it, gets one backslash more, so that no scalar equals a map.
std::string RowText(std::string_view scalar);

/// The decimal as which greater_than and less_than compare a number: the written one if it is whole
/// (1e23 is 10^23), else the nearest 64-bit float: all digits of one that is whole, of any other
/// the shortest text that reads as it, so that 0.1 is the text "0.1". REQUIRES: a number.
std::string ComparedText(const YamlNode& number, const Sources& sources);

/// JSON with sorted keys and with each scalar but null as a string of its text: equal for values of
/// equal content. Recurses as deep as the node.
std::string CanonicalJson(const YamlNode& node, const Sources& sources);

/// The selection of a claim. Borrows the nodes of the envelope.
struct ClaimFacts {
  /// A scalar or a map.
  struct Value {
    std::string text;  // of a scalar, as written; "" for a map
    bool object = false;
    std::string compared;  // of a number whose ComparedText differs from its text; else ""
    /// The value as a row holds it.
    std::string row() const { return object ? std::string(kObjectMarker) : RowText(text); }
  };
  /// A value, or the length of a list, inside a selected map; the path is its fields: "k.m".
  struct Nested {
    std::string path;
    std::optional<Value> value;  // absent: the entry is a length
    std::size_t length = 0;
  };
  std::vector<Value> values;         // in the order of the file, with repetitions
  std::vector<std::string> strings;  // selected strings, without elements of selected lists
  std::vector<std::size_t> lengths;  // of each selected list
  bool selects_other = false;        // a node other than a list is selected
  std::vector<Nested> nested;
  std::vector<const YamlNode*> nodes;  // the selected nodes, without nulls
};

/// The budget of Envelope::Select for all claims of a rulespec together.
inline constexpr std::size_t kMaxFactBytes = std::size_t{512} << 20;

/// The envelope that claims select from. Movable; selections stay valid after a move.
class Envelope {
 public:
  /// Reads a file of `sources`, which must outlive the envelope. nullopt if it has errors (RPL70xx,
  /// RPL7106, RPL7107), which are added to `found`. The file is untrusted.
  static std::optional<Envelope> Read(const Sources& sources, std::uint32_t file,
                                      Diagnostics& found);

  /// The selection, in the order of the file. Its size in bytes is subtracted from `budget`;
  /// nullopt if the budget does not suffice, because selectors can multiply a small file.
  std::optional<ClaimFacts> Select(const Selector& selector, std::size_t& budget) const;

  /// The first step of a selector that nothing fits, and a node that it was tried on; nullopt if
  /// each step fits something. `[*]` fits a list without elements.
  struct Break {
    std::size_t step = 0;
    const YamlNode* node = nullptr;
  };
  std::optional<Break> BreakOf(const Selector& selector) const;

  /// The whole file, and its map of facts; both valid as long as the envelope.
  const YamlNode& root() const { return *root_; }
  const YamlNode& facts() const { return *root_->Find("facts"); }

 private:
  Envelope(const Sources& sources, YamlNode root);

  /// The value of a field, through keys_ for large maps.
  const YamlNode* Field(const YamlNode& map, const std::string& key) const;
  std::optional<Break> BreakFrom(const YamlNode& from, const Selector& selector) const;
  /// The nodes that a selector selects below `from`, nulls included.
  std::vector<const YamlNode*> Walk(const YamlNode& from, const Selector& selector) const;
  bool Extract(const YamlNode& node, const std::string& path, ClaimFacts& to,
               std::size_t& budget) const;

  const Sources* sources_;
  std::unique_ptr<const YamlNode> root_;  // on the heap: a move must not change addresses
  // The keys of large maps, indexed on first use.
  mutable std::unordered_map<const YamlNode*, std::unordered_map<std::string_view, const YamlNode*>>
      keys_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_ENVELOPE_H_
