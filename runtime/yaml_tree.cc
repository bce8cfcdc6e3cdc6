// SPDX-License-Identifier: Apache-2.0
//
// yaml-cpp tells what it reads as events; Builder keeps a stack of the nodes that are open.
// A parser error ends the file, everything else is noted and read over.
#include "runtime/yaml_tree.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <charconv>
#include <set>
#include <sstream>
#include <utility>

#include "runtime/json_value.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// Ends the reading of a file that was refused; never leaves this file.
struct Refused {};

// The value of a plain scalar, by the core schema; "discarded" for a number out of range.
ordered_json PlainScalar(const std::string& text) {
  static const RE2 integer(R"([-+]?[0-9]+)");
  static const RE2 based(R"(0o[0-7]+|0x[0-9a-fA-F]+)");
  const ordered_json beyond(ordered_json::value_t::discarded);
  static const RE2 decimal(R"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)");
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (RE2::FullMatch(text, integer))
    return std::from_chars(begin, end, whole).ec == std::errc{} ? ordered_json(whole) : beyond;
  if (RE2::FullMatch(text, based)) {
    const auto read = std::from_chars(begin + 2, end, whole, text[1] == 'x' ? 16 : 8);
    return read.ec == std::errc{} ? ordered_json(whole) : beyond;
  }
  double number = 0;
  if (RE2::FullMatch(text, decimal))
    return std::from_chars(begin, end, number).ec == std::errc{} ? ordered_json(number) : beyond;
  return text;
}

// Whether the core schema reads the text as a number that JSON does not have.
bool IsNoNumber(const std::string& text) {
  static const RE2 special(R"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))");
  return RE2::FullMatch(text, special);
}

class Builder : public YAML::EventHandler {
 public:
  // `skipped` bytes of the file stand before what yaml-cpp sees.
  Builder(const Sources& sources, std::uint32_t file, std::uint32_t skipped, Diagnostics& found)
      : text_(sources.at(file).text), file_(file), skipped_(skipped), found_(found) {}

  YamlNode Take() { return std::move(root_); }

  // The scalar that starts at the mark, up to the end of its line at most.
  Span At(const YAML::Mark& mark, std::size_t length = 1) const {
    const std::size_t size = text_.size();
    const std::size_t begin =
        mark.is_null() ? size : std::min<std::size_t>(size, skipped_ + Unsigned(mark.pos));
    const std::size_t line_end = std::min(text_.find('\n', begin), size);
    return {file_, static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(std::min(begin + length, line_end))};
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RefuseAnchor(mark, anchor);
    YamlNode node;
    node.span = At(mark);
    Add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Refuse(Code::kConfigFeature, At(mark), "an alias is not read here", "write the value itself");
    YamlNode node;
    node.span = At(mark);
    Add(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    YamlNode node;
    node.span = ScalarSpan(mark, value);
    const bool quoted = tag == "!" || value.empty();
    if (!quoted && IsNoNumber(value))
      Refuse(Code::kConfigFeature, node.span, "`" + value + "` is no number of JSON");
    node.scalar = quoted ? ordered_json(value) : PlainScalar(value);
    if (node.scalar.is_discarded())
      Refuse(Code::kConfigFeature, node.span, "the number `" + value + "` does not fit 64 bits");
    node.kind = node.scalar.is_string()    ? YamlNode::Kind::kString
                : node.scalar.is_boolean() ? YamlNode::Kind::kBool
                : node.scalar.is_number()  ? YamlNode::Kind::kNumber
                                           : YamlNode::Kind::kNull;
    Add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Level {
    YamlNode node;
    std::optional<YamlNode> key;  // of a map: its value comes next
    std::set<std::string> keys;
  };

  static std::size_t Unsigned(int n) { return n < 0 ? 0 : static_cast<std::size_t>(n); }

  // A quoted scalar ends at its mark, a plain one with its text.
  Span ScalarSpan(const YAML::Mark& mark, const std::string& value) const {
    const Span start = At(mark);
    const char quote = start.begin < text_.size() ? text_[start.begin] : '\0';
    if (quote != '"' && quote != '\'') return At(mark, std::max<std::size_t>(value.size(), 1));
    std::size_t i = start.begin + 1;
    for (; i < text_.size() && text_[i] != quote && text_[i] != '\n'; ++i)
      if (quote == '"' && text_[i] == '\\') ++i;
    return At(mark, i + 1 - start.begin);
  }

  void Refuse(Code code, Span span, std::string message, std::string hint = "") {
    found_.Add(code, span, std::move(message), std::move(hint));
  }

  void RefuseAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) Refuse(Code::kConfigFeature, At(mark), "an anchor is not read here");
  }

  void RefuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    Refuse(Code::kConfigFeature, At(mark), "a tag is not read here: `" + tag + "`");
  }

  void Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    if (open_.size() == kMaxYamlDepth) {
      Refuse(Code::kConfigLimit, At(mark), fmt::format("nested deeper than {}", kMaxYamlDepth));
      throw Refused();
    }
    Level level;
    level.node.kind = kind;
    level.node.span = At(mark);
    open_.push_back(std::move(level));
  }

  void Close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    Add(std::move(node));
  }

  // A node that is complete becomes part of the one that is open.
  void Add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = open_.back();
    if (level.node.kind == YamlNode::Kind::kList) {
      level.node.items.push_back(std::move(node));
    } else if (!level.key) {
      level.key = std::move(node);
    } else {
      AddEntry(level, std::move(*level.key), std::move(node));
      level.key.reset();
    }
  }

  void AddEntry(Level& level, YamlNode key, YamlNode value) {
    if (key.kind != YamlNode::Kind::kString) {
      Refuse(Code::kWrongConfigValue, key.span, "expected a string as key, got " + Described(key),
             "write it in quotes");
      return;
    }
    const std::string name = key.scalar.get<std::string>();
    if (!level.keys.insert(name).second) {
      Refuse(Code::kRepeatedConfigKey, key.span, "`" + name + "` stands here for the second time");
      return;
    }
    // yaml-cpp tells of an empty value where the next line starts.
    if (value.kind == YamlNode::Kind::kNull) value.span = key.span;
    level.node.entries.push_back({std::move(key), std::move(value)});
  }

  const std::string& text_;
  std::uint32_t file_;
  std::uint32_t skipped_;
  Diagnostics& found_;
  std::vector<Level> open_;  // outermost first
  YamlNode root_;
};

// Characters that YAML does not have; yaml-cpp would take one of them for the end.
std::size_t FindControl(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) return i;
  }
  return std::string::npos;
}

bool RefuseText(const std::string& text, std::uint32_t file, Diagnostics& found) {
  if (text.size() > kMaxYamlBytes) {
    found.Add(Code::kConfigLimit, {file, 0, 0},
              fmt::format("the file has {} bytes, more than {}", text.size(), kMaxYamlBytes));
    return true;
  }
  if (CleanUtf8(text) != text) {
    found.Add(Code::kConfigSyntax, {file, 0, 0}, "the file is not UTF-8");
    return true;
  }
  if (const std::size_t at = FindControl(text); at != std::string::npos) {
    const auto offset = static_cast<std::uint32_t>(at);
    found.Add(Code::kConfigSyntax, {file, offset, offset + 1}, "a control character stands here",
              "in quotes, write it as an escape like `\\u001b`");
    return true;
  }
  return false;
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key.scalar == key) return &entry.value;
  return nullptr;
}

std::optional<YamlNode> ReadYaml(const Sources& sources, std::uint32_t file, Diagnostics& found) {
  const std::string& text = sources.at(file).text;
  if (RefuseText(text, file, found)) return std::nullopt;
  const std::uint32_t skipped = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark
  std::istringstream in(text.substr(skipped));
  Builder builder(sources, file, skipped, found);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    YamlNode root = builder.Take();
    Diagnostics ignored;
    if (Builder rest(sources, file, skipped, ignored); parser.HandleNextDocument(rest))
      found.Add(Code::kConfigFeature, rest.Take().span, "a second document starts here");
    return root;
  } catch (const YAML::Exception& e) {
    found.Add(Code::kConfigSyntax, builder.At(e.mark), "this is not YAML: " + e.msg);
  } catch (const Refused&) {
  }
  return std::nullopt;
}

nlohmann::ordered_json JsonOf(const YamlNode& node) {
  using nlohmann::ordered_json;
  if (node.kind == YamlNode::Kind::kList) {
    ordered_json out = ordered_json::array();
    for (const YamlNode& item : node.items) out.push_back(JsonOf(item));
    return out;
  }
  if (node.kind == YamlNode::Kind::kMap) {
    ordered_json out = ordered_json::object();
    for (const YamlNode::Entry& entry : node.entries)
      out[entry.key.scalar.get<std::string>()] = JsonOf(entry.value);
    return out;
  }
  return node.scalar;
}

std::string Described(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull: return "nothing";
    case YamlNode::Kind::kBool:
    case YamlNode::Kind::kNumber: return "`" + node.scalar.dump() + "`";
    case YamlNode::Kind::kString: return "a string";
    case YamlNode::Kind::kList: return "a list";
    case YamlNode::Kind::kMap: return "a map";
  }
  return "";
}

}  // namespace rpl
