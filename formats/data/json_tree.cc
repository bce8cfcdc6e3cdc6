// SPDX-License-Identifier: Apache-2.0
//
// The SAX parser reports values in order but without places. It reads its text through Cursor,
// which records how far it has read. When the parser reports a token, the cursor stands right
// behind the token, or one byte further after a number. A token begins at the first byte behind the
// previous token that is neither a blank nor punctuation.
#include "formats/data/json_tree.h"

#include <set>
#include <utility>

#include "formats/utf8.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char** seen) : at_(at), seen_(seen) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    *seen_ = ++at_;
    return *this;
  }
  Cursor operator++(int) {
    Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** seen_;
};

class TreeBuilder {
 public:
  TreeBuilder(const std::string& text, std::size_t begin, std::uint32_t file, std::size_t max_depth,
              const char* const* seen)
      : text_(text), file_(file), max_depth_(max_depth), seen_(seen), last_(begin) {}

  YamlNode Take() { return std::move(root_); }

  bool null() { return Scalar(YamlNode::Kind::kNull, nullptr); }
  bool boolean(bool value) { return Scalar(YamlNode::Kind::kBool, value); }
  bool number_integer(std::int64_t value) { return Scalar(YamlNode::Kind::kNumber, value); }
  bool number_unsigned(std::uint64_t value) { return Scalar(YamlNode::Kind::kNumber, value); }
  bool number_float(double value, const std::string&) {
    return Scalar(YamlNode::Kind::kNumber, value);
  }
  bool string(std::string& value) { return Scalar(YamlNode::Kind::kString, std::move(value)); }
  bool binary(ordered_json::binary_t&) { return false; }
  bool start_object(std::size_t) { return Open(YamlNode::Kind::kMap); }
  bool end_object() { return Close(); }
  bool start_array(std::size_t) { return Open(YamlNode::Kind::kList); }
  bool end_array() { return Close(); }
  bool key(std::string& name) {
    Level& level = open_.back();
    if (!IsNew(level, name)) return false;
    YamlNode node;
    node.kind = YamlNode::Kind::kString;
    node.span = TokenSpan(true);
    node.scalar = std::move(name);
    level.key = std::move(node);
    return true;
  }
  template <typename Error>
  bool parse_error(std::size_t, const std::string&, const Error&) {
    return false;
  }

 private:
  struct Level {
    YamlNode node;
    YamlNode key;
    std::set<std::string> keys;  // once there are many
  };

  static constexpr std::size_t kFew = 16;

  static bool IsNew(Level& level, const std::string& name) {
    const std::vector<YamlNode::Entry>& entries = level.node.entries;
    if (entries.size() < kFew) return level.node.Find(name) == nullptr;
    if (level.keys.empty())
      for (const YamlNode::Entry& entry : entries)
        level.keys.insert(entry.key.scalar.get_ref<const std::string&>());
    return level.keys.insert(name).second;
  }

  Span TokenSpan(bool whole) {
    std::size_t begin = text_.find_first_not_of(" \t\r\n,:", last_);
    const auto end = static_cast<std::size_t>(*seen_ - text_.data());
    if (begin == std::string::npos) begin = end;
    last_ = std::max(whole ? end : begin + 1, last_);
    std::size_t shown = whole ? end : begin + 1;
    // The parser reads the byte behind a number to find its end.
    while (shown > begin + 1 &&
           std::string_view(" \t\r\n,]}").find(text_[shown - 1]) != std::string_view::npos &&
           text_[begin] != '"')
      --shown;
    if (whole) last_ = shown;
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(shown)};
  }

  bool Scalar(YamlNode::Kind kind, ordered_json value) {
    YamlNode node;
    node.kind = kind;
    node.span = TokenSpan(true);
    node.scalar = std::move(value);
    Add(std::move(node));
    return true;
  }

  bool Open(YamlNode::Kind kind) {
    if (open_.size() == max_depth_) return false;
    Level level;
    level.node.kind = kind;
    level.node.span = TokenSpan(false);
    open_.push_back(std::move(level));
    return true;
  }

  bool Close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    last_ = static_cast<std::size_t>(*seen_ - text_.data());
    Add(std::move(node));
    return true;
  }

  void Add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = open_.back();
    if (level.node.kind == YamlNode::Kind::kList) level.node.items.push_back(std::move(node));
    else level.node.entries.push_back({std::move(level.key), std::move(node)});
  }

  const std::string& text_;
  std::uint32_t file_;
  std::size_t max_depth_;
  const char* const* seen_;
  std::size_t last_;  // the end of the previous token
  std::vector<Level> open_;
  YamlNode root_;
};

}  // namespace

std::optional<YamlNode> ReadJsonTree(const Sources& sources, std::uint32_t file,
                                     const YamlLimits& limits) {
  const std::string& text = sources.at(file).text;
  const std::size_t begin = MarkSize(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n", begin);
  // A NUL would be the end of the text for the parser.
  if (text.size() > limits.max_bytes || first == std::string::npos ||
      (text[first] != '{' && text[first] != '[') || text.find('\0') != std::string::npos)
    return std::nullopt;
  const char* seen = text.data() + begin;
  TreeBuilder builder(text, begin, file, limits.max_depth, &seen);
  const char* const end = text.data() + text.size();
  const bool read =
      ordered_json::sax_parse(Cursor(text.data() + begin, &seen), Cursor(end, &seen), &builder);
  if (!read) return std::nullopt;
  return builder.Take();
}

}  // namespace rpl
