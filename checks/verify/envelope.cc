// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/envelope.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "formats/character.h"
#include "formats/data/yaml_fields.h"
#include "formats/decimal.h"

namespace rpl {
namespace {

// Maps with more keys are indexed by a hash table.
constexpr std::size_t kManyKeys = 16;

// The step of the text between brackets; nullopt if it is neither an index nor `*`.
std::optional<Selector::Step> Inside(std::string_view text) {
  if (text == "*") return Selector::Step{Selector::Step::Kind::kEach, "", 0};
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  if (!digits) return std::nullopt;
  std::size_t index = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), index);
  if (end.ec != std::errc{}) index = std::numeric_limits<std::size_t>::max();
  return Selector::Step{Selector::Step::Kind::kIndex, "", index};
}

nlohmann::json Canonical(const YamlNode& node, const Sources& sources) {
  if (node.kind == YamlKind::kNull) return nullptr;
  if (node.kind == YamlKind::kList) {
    nlohmann::json list = nlohmann::json::array();
    for (const YamlNode& item : node.items) list.push_back(Canonical(item, sources));
    return list;
  }
  if (node.kind != YamlKind::kMap) return ScalarText(node, sources);
  nlohmann::json map = nlohmann::json::object();  // sorts its keys
  for (const auto& [key, value] : node.entries)
    map[key.scalar.get<std::string>()] = Canonical(value, sources);
  return map;
}

}  // namespace

std::optional<Selector> ReadSelector(std::string_view text, std::string* problem) {
  text = Trimmed(text);
  Selector selector;
  const auto fail = [&](std::string why) {
    *problem = std::move(why);
    return std::nullopt;
  };
  if (text.empty()) return fail("it is empty");
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '[') {
      const std::size_t end = text.find(']', i);
      if (end == text.npos) return fail("`[` is not closed");
      if (selector.steps.empty()) return fail("it begins with a field");
      const std::string_view inside = text.substr(i + 1, end - i - 1);
      const auto step = Inside(inside);
      if (!step)
        return fail(fmt::format("expected a number from 0 or `*` in brackets, got `{}`", inside));
      selector.steps.push_back(*step);
      i = end + 1;
      if (i < text.size() && text[i] != '.' && text[i] != '[')
        return fail("expected `.` or `[` behind `]`");
      continue;
    }
    if (!selector.steps.empty() && text[i] != '.') return fail("`]` without `[`");
    if (!selector.steps.empty()) ++i;
    const std::size_t end = std::min(text.find_first_of(".[]", i), text.size());
    if (IsAllSpace(text.substr(i, end - i))) return fail("a field without name");
    selector.steps.push_back(
        {Selector::Step::Kind::kField, std::string(text.substr(i, end - i)), 0});
    i = end;
  }
  return selector;
}

std::string RowText(std::string_view scalar) {
  const std::size_t marks = std::min(scalar.find_first_not_of('\\'), scalar.size());
  return scalar.substr(marks) == kObjectMarker ? "\\" + std::string(scalar) : std::string(scalar);
}

std::string ComparedText(const YamlNode& number, const Sources& sources) {
  if (number.scalar.is_number_float()) {
    const std::string_view written = sources.Text(number.span);
    const auto decimal = ReadDecimal(written);
    if (decimal && decimal->exponent >= static_cast<std::int64_t>(decimal->digits.size()))
      return std::string(written);
    const auto value = number.scalar.get<double>();
    if (std::trunc(value) == value) return fmt::format("{:.0f}", value);
  }
  return ScalarText(number, sources);
}

std::string CanonicalJson(const YamlNode& node, const Sources& sources) {
  return Canonical(node, sources).dump();
}

Envelope::Envelope(const Sources& sources, YamlNode root)
    : sources_(&sources), root_(std::make_unique<const YamlNode>(std::move(root))) {}

std::optional<Envelope> Envelope::Read(const Sources& sources, std::uint32_t file,
                                       Diagnostics& found) {
  const std::size_t errors = found.errors();
  auto root = ReadYaml(sources, file, found, kDocumentLimits);
  if (!root) return std::nullopt;
  YamlFields fields(*root, found);
  const YamlNode* facts = root->Find("facts");
  if (root->kind != YamlKind::kMap && root->kind != YamlKind::kNull) {
    fields.IsMap(*root);
  } else if (facts == nullptr) {
    fields.Add(Code::kNoFacts, *root, "the envelope has no `facts:`",
               "put everything below one key `facts:`");
  } else if (fields.IsMap(*facts) && facts->entries.empty()) {
    fields.Add(Code::kEmptyFacts, *facts, "the envelope has no facts");
  }
  if (found.errors() > errors) return std::nullopt;
  return Envelope(sources, std::move(*root));
}

const YamlNode* Envelope::Field(const YamlNode& map, const std::string& key) const {
  if (map.entries.size() <= kManyKeys) return map.Find(key);
  auto [at, is_new] = keys_.try_emplace(&map);
  if (is_new) {
    for (const auto& [name, value] : map.entries)
      at->second.emplace(name.scalar.get_ref<const std::string&>(), &value);
  }
  const auto found = at->second.find(key);
  return found == at->second.end() ? nullptr : found->second;
}

std::optional<Envelope::Break> Envelope::BreakOf(const Selector& selector) const {
  const std::optional<Break> broken = BreakFrom(facts(), selector);
  if (!broken || selector.steps.front().field != "facts") return broken;
  // It may be written from the root: the way that leads further is the one meant.
  const std::optional<Break> from_root = BreakFrom(*root_, selector);
  return from_root && from_root->step <= broken->step ? broken : from_root;
}

std::optional<Envelope::Break> Envelope::BreakFrom(const YamlNode& from,
                                                   const Selector& selector) const {
  Selector path;
  std::vector<const YamlNode*> at = {&from};
  for (std::size_t i = 0; i < selector.steps.size(); ++i) {
    path.steps = {selector.steps[i]};
    std::vector<const YamlNode*> next;
    bool fits = false;  // one of the nodes is a list without elements
    for (const YamlNode* node : at) {
      const std::vector<const YamlNode*> found = Walk(*node, path);
      next.insert(next.end(), found.begin(), found.end());
      fits |= path.ends_in_each() && node->kind == YamlKind::kList;
    }
    if (next.empty() && fits) return std::nullopt;
    if (next.empty()) return Break{i, at.front()};
    at = std::move(next);
  }
  return std::nullopt;
}

std::vector<const YamlNode*> Envelope::Walk(const YamlNode& from, const Selector& selector) const {
  std::vector<const YamlNode*> at = {&from};
  for (const Selector::Step& step : selector.steps) {
    std::vector<const YamlNode*> next;
    for (const YamlNode* node : at) {
      if (step.kind == Selector::Step::Kind::kField) {
        const YamlNode* value = node->kind == YamlKind::kMap ? Field(*node, step.field) : nullptr;
        if (value != nullptr) next.push_back(value);
      } else if (step.kind == Selector::Step::Kind::kEach) {
        for (const YamlNode& item : node->items) next.push_back(&item);
      } else if (step.index < node->items.size()) {
        next.push_back(&node->items[step.index]);
      }
    }
    at = std::move(next);
  }
  return at;
}

// Adds the values of `node`: of the claim itself at the path "", else of a field inside a map.
// False if the budget is exceeded.
bool Envelope::Extract(const YamlNode& node, const std::string& path, ClaimFacts& to,
                       std::size_t& budget) const {
  const auto pay = [&](std::size_t text) {
    const std::size_t cost = sizeof(ClaimFacts::Nested) + path.size() + 3 * text;
    if (cost > budget) return false;
    budget -= cost;
    return true;
  };
  const auto add = [&](ClaimFacts::Value value) {
    if (!pay(value.text.size())) return false;
    if (path.empty()) to.values.push_back(std::move(value));
    else to.nested.push_back({path, std::move(value), 0});
    return true;
  };
  if (node.kind == YamlKind::kList) {
    for (const YamlNode& item : node.items)
      if (!Extract(item, path, to, budget)) return false;
  } else if (node.kind == YamlKind::kMap) {
    if (!add({"", true, ""})) return false;
    for (const auto& [key, value] : node.entries) {
      const std::string& name = key.scalar.get_ref<const std::string&>();
      const std::string inner = path.empty() ? name : path + "." + name;
      // A field with an empty name must not be taken for the claim itself.
      const std::string& field = inner.empty() ? path + "." : inner;
      if (!Extract(value, field, to, budget) || !pay(field.size())) return false;
      if (value.kind == YamlKind::kList)
        to.nested.push_back({field, std::nullopt, value.items.size()});
    }
  } else if (node.kind != YamlKind::kNull) {
    std::string text = ScalarText(node, *sources_);
    std::string compared = node.kind == YamlKind::kNumber ? ComparedText(node, *sources_) : "";
    if (compared == text) compared.clear();
    return add({std::move(text), false, std::move(compared)});
  }
  return true;
}

std::optional<ClaimFacts> Envelope::Select(const Selector& selector, std::size_t& budget) const {
  std::vector<const YamlNode*> nodes = Walk(facts(), selector);
  if (nodes.empty() && selector.steps.front().field == "facts") nodes = Walk(*root_, selector);
  ClaimFacts facts;
  for (const YamlNode* node : nodes) {
    if (node->kind == YamlKind::kNull) continue;
    facts.nodes.push_back(node);
    if (node->kind == YamlKind::kList) facts.lengths.push_back(node->items.size());
    else facts.selects_other = true;
    if (node->kind == YamlKind::kString) facts.strings.push_back(node->scalar.get<std::string>());
    if (!Extract(*node, "", facts, budget)) return std::nullopt;
  }
  return facts;
}

}  // namespace rpl
