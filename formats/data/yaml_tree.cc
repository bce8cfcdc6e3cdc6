// SPDX-License-Identifier: Apache-2.0
//
// yaml-cpp reports what it reads as events, and Builder keeps a stack of the open nodes. An error
// of the parser and a limit end the reading; any other refusal is added to the findings, and
// reading continues.
#include "formats/data/yaml_tree.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "formats/data/json_text.h"
#include "formats/number_text.h"
#include "formats/utf8.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

const RE2& Integer() {
  static const RE2 integer(R"([-+]?[0-9]+)");
  return integer;
}

// Thrown to end the reading of a file at a limit; caught in ReadYaml.
struct Refused {};

// The value of a plain scalar in the core schema.
ordered_json PlainScalar(const std::string& text) {
  static const RE2 based(R"(0o[0-7]+|0x[0-9a-fA-F]+)");
  static const RE2 decimal(R"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)");
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  std::uint64_t large = 0;
  if (RE2::FullMatch(text, Integer())) {
    if (std::from_chars(begin, end, whole).ec == std::errc{}) return whole;
    if (text.front() != '-' && std::from_chars(begin, end, large).ec == std::errc{}) return large;
  }
  if (RE2::FullMatch(text, based) &&
      std::from_chars(begin + 2, end, large, text[1] == 'x' ? 16 : 8).ec == std::errc{}) {
    if (large <= INT64_MAX) return static_cast<std::int64_t>(large);
    return large;
  }
  double number = 0;
  if (RE2::FullMatch(text, decimal) && ReadFloat(begin, end, number).ec == std::errc{})
    return number;
  // Beyond the range of floats: the last of them is the nearest.
  constexpr double kLast = std::numeric_limits<double>::max();
  if (RE2::FullMatch(text, Integer())) return text.front() == '-' ? -kLast : kLast;
  return text;
}

// True for numbers of the core schema that JSON does not have.
bool IsNoNumber(const std::string& text) {
  static const RE2 special(R"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))");
  return RE2::FullMatch(text, special);
}

// The offsets at which the scalars in double quotes begin, in ascending order, up to an error.
class DoubleQuoted : public YAML::EventHandler {
 public:
  explicit DoubleQuoted(const std::string& text) : text_(text) {
    std::istringstream in(text);
    try {
      YAML::Parser(in).HandleNextDocument(*this);
    } catch (const YAML::Exception&) {  // DeepRecursion among them
    }
  }

  const std::vector<std::size_t>& begins() const { return begins_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    const auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    if (at < text_.size() && text_[at] == '"') begins_.push_back(at);
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  const std::string& text_;
  std::vector<std::size_t> begins_;
};

// The text as given to yaml-cpp: the file without its byte order mark, and with each surrogate pair
// in double quotes, which JSON has and yaml-cpp refuses, as one escape.
class Input {
 public:
  explicit Input(const std::string& file) {
    static const RE2 pair(R"((\\u)[dD]([89abAB][0-9a-fA-F]{2})(\\u)[dD]([c-fC-F][0-9a-fA-F]{2}))");
    const std::size_t skipped = MarkSize(file);
    std::string text = file.substr(skipped);
    moved_.push_back({0, skipped});
    // To find the quotes, other characters of the same length stand for the pairs.
    std::string without_pairs = text;
    if (RE2::GlobalReplace(&without_pairs, pair, R"(\10\2\30\4)") == 0) {
      text_ = std::move(text);
      return;
    }
    const DoubleQuoted scalars(without_pairs);
    std::size_t done = 0;
    for (const std::size_t begin : scalars.begins()) {
      for (std::size_t i = begin + 1; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] != '\\') continue;
        std::string high, low;
        if (!RE2::FullMatch(text.substr(i, kPair), pair, nullptr, &high, nullptr, &low)) {
          ++i;  // the escaped character may be a quote or a backslash
          continue;
        }
        const std::uint32_t character = 0x10000 + ((Hex(high) - 0x800) << 10) + (Hex(low) - 0xC00);
        text_ += text.substr(done, i - done) + fmt::format("\\U{:08x}", character);
        done = i + kPair;
        moved_.push_back({text_.size(), done - text_.size() + skipped});
        i = done - 1;
      }
    }
    text_ += text.substr(done);
  }

  const std::string& text() const { return text_; }

  // The offset in the file of offset `at` of the text.
  std::size_t InFile(std::size_t at) const {
    const auto after = std::upper_bound(moved_.begin(), moved_.end(), at,
                                        [](std::size_t a, const Moved& m) { return a < m.from; });
    return at + (after - 1)->by;
  }

 private:
  struct Moved {
    std::size_t from;
    std::size_t by;
  };
  static constexpr std::size_t kPair = 12;  // `\ud83d\ude00`

  static std::uint32_t Hex(std::string_view digits) {
    std::uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return value;
  }

  std::string text_;
  std::vector<Moved> moved_;  // ascending; the first is from 0
};

// The value of a scalar as UTF-8. yaml-cpp reads the escapes `\_` and `\N` as the bytes A0 and 85,
// which begin no character and stand for U+00A0 and U+0085.
std::string ScalarAsUtf8(const std::string& value) {
  std::string out;
  std::string_view rest = value;
  for (std::size_t bad; (bad = FindBadByte(rest)) != rest.npos; rest.remove_prefix(bad + 1)) {
    const char byte = rest[bad];
    out += rest.substr(0, bad);
    if (byte == '\xA0' || byte == '\x85') out += '\xC2';
    out += byte;
  }
  return out += rest;
}

class Builder : public YAML::EventHandler {
 public:
  Builder(const Sources& sources, std::uint32_t file, const Input& input, const YamlLimits& limits,
          Diagnostics& found)
      : text_(sources.at(file).text), file_(file), input_(input), limits_(limits), found_(found) {
    root_.span = {file, 0, 0};  // for an empty file
  }

  YamlNode Take() { return std::move(root_); }

  // The scalar that starts at the mark, up to the end of its line at most.
  Span At(const YAML::Mark& mark, std::size_t length = 1) const {
    const std::size_t size = text_.size();
    std::size_t begin = mark.is_null() ? size : std::min(size, input_.InFile(Unsigned(mark.pos)));
    // An error may be noticed within a character.
    while (begin > 0 && begin < size && (text_[begin] & '\xC0') == '\x80') --begin;
    const std::string_view part = std::string_view(text_).substr(begin, length);
    return {file_, static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(begin + std::min(part.find('\n'), part.size()))};
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RefuseAnchor(mark, anchor);
    YamlNode node;
    node.span = At(mark);
    // yaml-cpp takes `[a,,b]` and `[,]`, where YAML wants an entry before each comma.
    const bool list = !open_.empty() && open_.back().node.kind == YamlNode::Kind::kList;
    if (list && node.span.begin < text_.size() && text_[node.span.begin] == ',')
      Refuse(Code::kConfigSyntax, node.span, Placed("this is not YAML: no entry before the comma"),
             "leave the comma out, or write `null`");
    Add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Refuse(Code::kConfigFeature, At(mark), Placed("an alias is not read here"),
           "write the value itself");
    YamlNode node;
    node.span = At(mark);
    node.refused = true;
    Add(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& scalar) override {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    const std::string value = ScalarAsUtf8(scalar);
    YamlNode node;
    node.span = ScalarSpan(mark, value);
    if (value.find('\0') != value.npos)
      Refuse(Code::kConfigFeature, node.span, Placed("a NUL character stands here"),
             "leave it out");
    const bool quoted = tag == "!" || value.empty();
    if (!quoted && IsNoNumber(value))
      Refuse(Code::kConfigFeature, node.span, Placed("`" + value + "` is no number of JSON"),
             "write `null`, or a text in quotes");
    node.scalar = quoted ? ordered_json(value) : PlainScalar(value);
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
    std::unordered_set<std::string> keys;
  };

  static std::size_t Unsigned(int n) { return n < 0 ? 0 : static_cast<std::size_t>(n); }

  // A quoted scalar ends at its closing quote, a plain one after its text.
  Span ScalarSpan(const YAML::Mark& mark, const std::string& value) const {
    const Span start = At(mark);
    const char quote = start.begin < text_.size() ? text_[start.begin] : '\0';
    if (quote != '"' && quote != '\'') return At(mark, std::max<std::size_t>(value.size(), 1));
    std::size_t i = start.begin + 1;
    for (; i < text_.size() && text_[i] != quote && text_[i] != '\n'; ++i)
      if (quote == '"' && text_[i] == '\\') ++i;
    return At(mark, i + 1 - start.begin);
  }

  // The path of the node being read, as YamlPaths prints it, up to the given number of open nodes.
  std::string PathOf(std::size_t levels) const {
    std::string path;
    for (std::size_t i = 0; i < levels; ++i) {
      const Level& level = open_[i];
      if (level.node.kind == YamlNode::Kind::kList)
        path += fmt::format("[{}]", level.node.items.size());
      else if (level.key && level.key->scalar.is_string())
        path = JoinYamlPath(std::move(path), level.key->scalar.get_ref<const std::string&>());
    }
    return path;
  }

  std::string Placed(const std::string& message) const {
    const std::string path = PathOf(open_.size());
    return path.empty() ? message : "`" + path + "`: " + message;
  }

  void Refuse(Code code, Span span, std::string message, std::string hint) {
    found_.Add(code, span, std::move(message), std::move(hint));
  }

  void RefuseAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0)
      Refuse(Code::kConfigFeature, At(mark), Placed("an anchor is not read here"),
             "write the value wherever it is wanted");
  }

  void RefuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    Refuse(Code::kConfigFeature, At(mark), Placed("a tag is not read here: `" + tag + "`"),
           "leave it out");
  }

  void Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    if (open_.size() == limits_.max_depth) {
      Refuse(Code::kConfigLimit, At(mark), fmt::format("nested deeper than {}", limits_.max_depth),
             "write it with fewer brackets or levels");
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

  // Adds a complete node to the innermost open one.
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
    if (limits_.text_keys &&
        (key.kind == YamlNode::Kind::kBool || key.kind == YamlNode::Kind::kNumber)) {
      key.scalar = text_.substr(key.span.begin, key.span.end - key.span.begin);
      key.kind = YamlNode::Kind::kString;
    }
    if (key.kind != YamlNode::Kind::kString) {
      Refuse(Code::kWrongConfigValue, key.span,
             Placed("expected a string as key, got " + Described(key)), "write it in quotes");
      return;
    }
    const std::string name = key.scalar.get<std::string>();
    if (!level.keys.insert(name).second) {
      Refuse(Code::kRepeatedConfigKey, key.span,
             "`" + JoinYamlPath(PathOf(open_.size()), name) + "` stands here for the second time",
             "leave one of them out");
      return;
    }
    // yaml-cpp reports an empty value at the start of the next line.
    if (value.kind == YamlNode::Kind::kNull) value.span = key.span;
    level.node.entries.push_back({std::move(key), std::move(value)});
  }

  const std::string& text_;
  std::uint32_t file_;
  const Input& input_;
  const YamlLimits& limits_;
  Diagnostics& found_;
  std::vector<Level> open_;  // outermost first
  YamlNode root_;
};

// Characters that YAML forbids; yaml-cpp takes one of them for the end of the text.
std::size_t FindControl(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) return i;
  }
  return std::string::npos;
}

// A hint at the most frequent mistakes: a tab as indentation, an unclosed bracket or quote.
std::string SyntaxHint(const std::string& text, std::size_t at) {
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const std::size_t indent = text.find_first_not_of(" \t", line);
  if (text.substr(line, indent - line).find('\t') != std::string::npos)
    return "indent with blanks, not with tabs";
  return "look here and above for a bracket or a quote that is not closed, or a `:` without blank";
}

bool RefuseText(const Sources& sources, std::uint32_t file, const YamlLimits& limits,
                Diagnostics& found) {
  const std::string& text = sources.at(file).text;
  if (text.size() > limits.max_bytes) {
    found.Add(Code::kConfigLimit, {file, 0, 0},
              fmt::format("the file has {} bytes, more than {}", text.size(), limits.max_bytes),
              "split it");
    return true;
  }
  if (!IsUtf8(sources, file, found)) return true;
  if (const std::size_t at = FindControl(text); at != std::string::npos) {
    const auto offset = static_cast<std::uint32_t>(at);
    found.Add(Code::kConfigSyntax, {file, offset, offset + 1}, "a control character stands here",
              "in quotes, write it as an escape like `\\u001b`");
    return true;
  }
  return false;
}

}  // namespace

bool IsUtf8(const Sources& sources, std::uint32_t file, Diagnostics& found) {
  const std::string& text = sources.at(file).text;
  const std::string clean = CleanUtf8(text);
  if (clean == text) return true;
  const auto first = std::ranges::mismatch(clean, text).in2 - text.begin();
  const auto at = static_cast<std::uint32_t>(first);
  found.Add(Code::kConfigSyntax, {file, at, at}, "the file is not UTF-8", "save it as UTF-8");
  return false;
}

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key.kind == Kind::kString && entry.key.scalar.get_ref<const std::string&>() == key)
      return &entry.value;
  return nullptr;
}

std::optional<YamlNode> ReadYaml(const Sources& sources, std::uint32_t file, Diagnostics& found,
                                 const YamlLimits& limits) {
  const std::string& text = sources.at(file).text;
  if (RefuseText(sources, file, limits, found)) return std::nullopt;
  const Input input(text);
  std::istringstream in(input.text());
  Builder builder(sources, file, input, limits, found);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    YamlNode root = builder.Take();
    Diagnostics ignored;
    if (Builder rest(sources, file, input, limits, ignored); parser.HandleNextDocument(rest))
      found.Add(Code::kConfigFeature, rest.Take().span, "a second document starts here",
                "put it into a file of its own");
    return root;
  } catch (const YAML::Exception& e) {
    const Span at = builder.At(e.mark);
    found.Add(Code::kConfigSyntax, at, "this is not YAML: " + CleanUtf8(e.msg),
              e.msg.starts_with(YAML::ErrorMsg::INVALID_UNICODE)
                  ? "write the character itself, or a surrogate pair as two escapes in a row"
                  : SyntaxHint(text, at.begin));
  } catch (const Refused&) {
  }
  return std::nullopt;
}

namespace {

// The digits of a whole number that is a float in the tree; "" for any other scalar.
std::string LongDigits(const YamlNode& node, const Sources& sources) {
  if (!node.scalar.is_number_float()) return "";
  std::string digits(sources.Text(node.span));
  if (!RE2::FullMatch(digits, Integer())) return "";
  const bool negative = digits.front() == '-';
  digits.erase(0, std::min(digits.find_first_not_of("+-0"), digits.size() - 1));
  return negative ? "-" + digits : digits;
}

// `sources`: null for the nearest floats.
ordered_json AsJson(const YamlNode& node, const Sources* sources) {
  if (node.kind == YamlNode::Kind::kList) {
    ordered_json out = ordered_json::array();
    for (const YamlNode& item : node.items) out.push_back(AsJson(item, sources));
    return out;
  }
  if (node.kind == YamlNode::Kind::kMap) {
    // Keys are distinct, so entries are appended: operator[] would search all keys before each.
    ordered_json::object_t out;
    out.reserve(node.entries.size());
    for (const YamlNode::Entry& entry : node.entries)
      out.emplace_back(entry.key.scalar.get<std::string>(), AsJson(entry.value, sources));
    return out;
  }
  const std::string digits = sources != nullptr ? LongDigits(node, *sources) : "";
  return digits.empty() ? node.scalar : ExactInteger(digits);
}

}  // namespace

ordered_json JsonOf(const YamlNode& node) { return AsJson(node, nullptr); }

ordered_json JsonOf(const YamlNode& node, const Sources& sources) { return AsJson(node, &sources); }

std::string ScalarText(const YamlNode& node, const Sources& sources) {
  assert(node.kind != YamlNode::Kind::kList && node.kind != YamlNode::Kind::kMap);
  if (node.kind == YamlNode::Kind::kString) return node.scalar.get<std::string>();
  std::string digits = LongDigits(node, sources);
  return digits.empty() ? node.scalar.dump() : digits;
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

YamlPaths::YamlPaths(const YamlNode& root) {
  steps_[&root] = {nullptr, nullptr, 0};
  std::vector<const YamlNode*> open = {&root};
  while (!open.empty()) {
    const YamlNode* node = open.back();
    open.pop_back();
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      steps_[&node->items[i]] = {node, nullptr, i};
      open.push_back(&node->items[i]);
    }
    for (const YamlNode::Entry& entry : node->entries) {
      steps_[&entry.key] = {node, &entry.key, 0};
      steps_[&entry.value] = {node, &entry.key, 0};
      open.push_back(&entry.value);
    }
  }
}

std::string YamlPaths::Of(const YamlNode& node) const {
  std::vector<Step> steps;  // innermost first
  for (Step at = steps_.at(&node); at.parent != nullptr; at = steps_.at(at.parent))
    steps.push_back(at);
  std::string path;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->key == nullptr) path += fmt::format("[{}]", step->index);
    else path = JoinYamlPath(std::move(path), step->key->scalar.get_ref<const std::string&>());
  }
  return path;
}

std::string JoinYamlPath(std::string path, std::string_view key) {
  static const RE2 plain("[A-Za-z0-9_$-]+");
  if (!RE2::FullMatch(key, plain)) return path + "[" + nlohmann::json(key).dump() + "]";
  if (!path.empty()) path += ".";
  return path += key;
}

}  // namespace rpl
