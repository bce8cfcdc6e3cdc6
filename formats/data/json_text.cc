// SPDX-License-Identifier: Apache-2.0
#include "formats/data/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "formats/character.h"
#include "formats/number_text.h"
#include "formats/utf8.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr const char* kNotText = "expected JSON in UTF-8";

bool IsWordCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '_' || c == '$'; }

// Why `text` is no JSON, where the reader stumbled over its byte number `byte`, from 1. Names what
// other formats allow.
std::string WhyNotJson(std::string_view text, std::size_t byte) {
  if (FindBadByte(text) != std::string_view::npos) return kNotText;
  if (IsAllSpace(text.substr(MarkSize(text)))) return "the text is empty, and no JSON value";
  if (byte == 0 || byte > text.size()) return "the text ends before its value does";
  constexpr std::size_t kShown = 40;
  std::size_t at = byte - 1;
  if (at > 0 && !IsWordCharacter(text[at]) && IsLetter(text[at - 1])) --at;  // `nul}`
  if (at > 0 && text[at - 1] == '\\') return fmt::format("`\\{}` is no escape of JSON", text[at]);
  if (IsWordCharacter(text[at]))
    while (at > 0 && byte - at < kShown && IsWordCharacter(text[at - 1])) --at;
  const char c = text[at];
  std::size_t gap = at;
  while (gap > 0 && IsSpace(text[gap - 1])) --gap;
  const char last = gap == 0 ? '\0' : text[gap - 1];
  if ((c == '}' || c == ']') && last == ',') return fmt::format("a comma stands before `{}`", c);
  if (c == '#' || c == '/' || c == '*') return "a comment stands here, and JSON has none";
  if (c == '\'') return "a string has double quotes in JSON";
  if (static_cast<unsigned char>(c) < 0x20) return "a string goes over the end of its line";
  if (IsLetter(c) || c == '_' || c == '$') {
    std::size_t end = at;
    while (end < text.size() && end - at < kShown && IsWordCharacter(text[end])) ++end;
    const std::string word(text.substr(at, end - at));
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    if (next != text.npos && text[next] == ':' && (last == '{' || last == ','))
      return fmt::format("the key `{}` has no double quotes", word);
    return fmt::format("`{}` is not JSON", word);
  }
  if (c == '+' || c == '.') return "a number begins with a digit or `-` in JSON";
  if (IsDigit(c) && byte - at > 1 && c == '0') return "a number has no leading zeros in JSON";
  if (ordered_json::accept(text.substr(0, at))) return "text follows the JSON value";
  const bool value_ends =
      IsLetter(last) || IsDigit(last) || last == '}' || last == ']' || last == '"';
  if (value_ends && (IsDigit(c) || c == '{' || c == '[' || c == '"' || c == '-'))
    return fmt::format("a comma or colon is missing before `{}`", c);
  std::size_t size = 1;
  while (at + size < text.size() && IsContinuation(text[at + size])) ++size;
  return fmt::format("`{}` stands where JSON has none", text.substr(at, size));
}

// The first of two passes: it accepts the text if it is JSON within the limits, and builds nothing.
class Checker : public nlohmann::json_sax<ordered_json> {
 public:
  Checker(JsonText& to, std::string_view text, int max_depth)
      : to_(to), text_(text), max_depth_(static_cast<std::size_t>(max_depth)) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t& digits) override {
    if (digits.find_first_of(".eE") == digits.npos) Beyond(digits);
    return true;
  }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override { return Open(); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    std::set<std::string>& keys = open_.back();
    if (!keys.insert(name).second) return Limit(fmt::format("the key \"{}\" occurs twice", name));
    if (keys.size() <= kMaxJsonKeys) return true;
    return Limit(fmt::format("an object has more than {} keys", kMaxJsonKeys));
  }

  bool parse_error(std::size_t byte, const std::string&,
                   const ordered_json::exception& e) override {
    constexpr int kOutOfRange = 406;
    to_.byte = byte;
    to_.error = e.id == kOutOfRange ? "a number is too large" : WhyNotJson(text_, byte);
    return false;
  }

 private:
  bool Open() {
    if (open_.size() == max_depth_) return Limit(fmt::format("nested deeper than {}", max_depth_));
    open_.emplace_back();
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }
  bool Limit(std::string what) {
    to_.error = std::move(what);
    return false;
  }
  void Beyond(const std::string& digits) {
    if (to_.inexact.empty())
      to_.inexact = fmt::format("the integer {} does not fit 64 bits", digits.substr(0, 100));
  }

  JsonText& to_;
  const std::string_view text_;
  const std::size_t max_depth_;
  std::vector<std::set<std::string>> open_;  // the keys of each open list or object
};

// The integers of a text that the parser reads as floats, since no type of 64 bits holds them, and
// the text without them. It reports a float with its digits, but refuses one beyond the range of
// floats; so each is replaced by a number of as many bytes, and is known by its place among all
// numbers.
struct LongIntegers {
  explicit LongIntegers(std::string_view from) {
    constexpr std::size_t kLongSize = 19;  // digits of the shortest, -9223372036854775809
    bool in_string = false;
    for (std::size_t at = 0; at < from.size();) {
      const char c = from[at];
      if (in_string) {
        in_string = c != '"';
        at += c == '\\' ? 2 : 1;
        continue;
      }
      in_string = c == '"';
      const std::size_t begin = at++;
      if (c != '-' && !IsDigit(c)) continue;
      at = std::min(from.find_first_not_of("0123456789+-.eE", at), from.size());
      const std::size_t number = count++;
      const std::string_view token = from.substr(begin, at - begin);
      const std::string_view bare = token.substr(c == '-' ? 1 : 0);
      const bool digits = !bare.empty() && std::all_of(bare.begin(), bare.end(), IsDigit);
      if (!digits || bare.front() == '0' || bare.size() < kLongSize ||
          !DigitsOf(ExactInteger(token)))
        continue;
      if (text.empty()) text = from;
      text.replace(begin, token.size(), "0." + std::string(token.size() - 2, '0'));
      found.emplace_back(number, token);
    }
  }

  std::size_t count = 0;  // of numbers
  std::vector<std::pair<std::size_t, std::string_view>> found;
  std::string text;
};

// The second pass where there are such.
class ExactBuilder : public nlohmann::detail::json_sax_dom_parser<ordered_json> {
 public:
  ExactBuilder(ordered_json& to, const LongIntegers& integers)
      : json_sax_dom_parser(to, false), next_(integers.found) {}

  bool number_integer(number_integer_t v) {
    return ++seen_, json_sax_dom_parser::number_integer(v);
  }
  bool number_unsigned(number_unsigned_t v) {
    return ++seen_, json_sax_dom_parser::number_unsigned(v);
  }
  bool number_float(number_float_t v, const string_t& text) {
    if (next_.empty() || next_.front().first != seen_++)
      return json_sax_dom_parser::number_float(v, text);
    const std::string_view digits = next_.front().second;
    next_ = next_.subspan(1);
    ordered_json::binary_t integer = ExactInteger(digits).get_binary();
    return binary(integer);
  }

 private:
  std::span<const std::pair<std::size_t, std::string_view>> next_;
  std::size_t seen_ = 0;
};

void Dump(const ordered_json& json, std::string& out) {
  if (json.is_binary()) {
    out += DigitsOf(json).value_or("null");
  } else if (json.is_array()) {
    out += '[';
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (i > 0) out += ',';
      Dump(json[i], out);
    }
    out += ']';
  } else if (json.is_object()) {
    out += '{';
    bool first = true;
    for (const auto& [key, value] : json.items()) {
      if (!std::exchange(first, false)) out += ',';
      Dump(ordered_json(key), out);
      out += ':';
      Dump(value, out);
    }
    out += '}';
  } else {
    out += json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
}

}  // namespace

ordered_json ExactInteger(std::string_view digits) {
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  if (std::uint64_t word = 0; std::from_chars(begin, end, word).ec == std::errc{}) return word;
  if (std::int64_t number = 0; std::from_chars(begin, end, number).ec == std::errc{}) return number;
  return ordered_json::binary({digits.begin(), digits.end()});
}

std::optional<std::string> DigitsOf(const ordered_json& json) {
  if (!json.is_binary()) return std::nullopt;
  return std::string(json.get_binary().begin(), json.get_binary().end());
}

bool HasExactInteger(const ordered_json& json) {
  if (json.is_binary()) return true;
  return json.is_structured() && std::any_of(json.begin(), json.end(), HasExactInteger);
}

std::string DumpJson(const ordered_json& json) {
  std::string out;
  if (HasExactInteger(json)) Dump(json, out);
  else out = json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return out;
}

JsonText ParseJson(std::string_view text, int max_depth, JsonNumbers numbers) {
  JsonText out;
  // Where a token may begin, the parser takes a NUL for the end of the text.
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {
    out.error = kNotText;
    out.byte = nul + 1;
    return out;
  }
  Checker checker(out, text, max_depth);
  if (numbers == JsonNumbers::kExact) {
    const LongIntegers integers(text);
    if (!integers.found.empty()) {
      for (const auto& [number, digits] : integers.found)
        if (digits.size() > kMaxDigits + (digits.front() == '-' ? 1 : 0)) {
          out.error = fmt::format("an integer has more than {} digits", kMaxDigits);
          return out;
        }
      ExactBuilder builder(out.json, integers);
      if (ordered_json::sax_parse(integers.text, &checker))
        ordered_json::sax_parse(integers.text, &builder);
      return out;
    }
  }
  if (ordered_json::sax_parse(text, &checker)) out.json = ordered_json::parse(text, nullptr, false);
  return out;
}

ordered_json ParseOwnJson(std::string_view text) {
  const LongIntegers integers(text);
  if (integers.found.empty()) return ordered_json::parse(text, nullptr, false);
  ordered_json out;
  ExactBuilder builder(out, integers);
  if (!ordered_json::sax_parse(integers.text, &builder))
    return ordered_json(nlohmann::detail::value_t::discarded);
  return out;
}

std::string CleanUtf8(const std::string& text) {
  if (FindBadByte(text) == std::string_view::npos) return text;
  const auto replace = ordered_json::error_handler_t::replace;
  return ordered_json::parse(ordered_json(text).dump(-1, ' ', false, replace)).get<std::string>();
}

std::string CleanJson(const std::string& text) { return WithoutHalves(CleanUtf8(text)); }

std::string WithoutHalves(std::string_view json) {
  constexpr std::size_t kEscape = 6;  // bytes of `\ud83d`
  const auto unit_at = [json](std::size_t at) -> std::uint32_t {
    std::uint32_t unit = 0;
    const char* const digits = json.data() + std::min(at + 2, json.size());
    const char* const end = json.data() + std::min(at + kEscape, json.size());
    const bool escape = at < json.size() && json.substr(at, 2) == "\\u" && end - digits == 4 &&
                        std::from_chars(digits, end, unit, 16).ptr == end;
    return escape ? unit : 0;
  };
  const auto is_first = [](std::uint32_t unit) { return unit >> 10 == 0xD800 >> 10; };
  const auto is_second = [](std::uint32_t unit) { return unit >> 10 == 0xDC00 >> 10; };
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t escape = std::min(json.find('\\', at), json.size());
    out.append(json, at, escape - at);
    at = escape;
    if (at == json.size()) break;
    const std::uint32_t unit = unit_at(at);
    const bool whole = is_first(unit) && is_second(unit_at(at + kEscape));
    const bool half = !whole && (is_first(unit) || is_second(unit));
    const std::size_t size = whole ? 2 * kEscape : half ? kEscape : 2;
    if (half) out += "\\ufffd";
    else out.append(json, at, size);
    at = std::min(at + size, json.size());
  }
  return out;
}

}  // namespace rpl
