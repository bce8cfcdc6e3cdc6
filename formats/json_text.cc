// SPDX-License-Identifier: Apache-2.0
#include "formats/json_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "formats/utf8.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// The first of two passes: it accepts the text if it is JSON within the limits, and builds nothing.
class Checker : public nlohmann::json_sax<ordered_json> {
 public:
  Checker(JsonText& to, int max_depth) : to_(to), max_depth_(static_cast<std::size_t>(max_depth)) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t n) override {
    if (n > INT64_MAX) Beyond(std::to_string(n));
    return true;
  }
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
    if (!keys.insert(name).second) Inexact(fmt::format("the key \"{}\" stands twice", name));
    if (keys.size() <= kMaxJsonKeys) return true;
    return Limit(fmt::format("an object has more than {} keys", kMaxJsonKeys));
  }

  bool parse_error(std::size_t byte, const std::string&,
                   const ordered_json::exception& e) override {
    constexpr int kOutOfRange = 406;
    to_.byte = byte;
    to_.error = e.id == kOutOfRange ? "a number is too large" : "expected JSON in UTF-8";
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
    Inexact(fmt::format("the integer {} does not fit 64 bits", digits.substr(0, 100)));
  }
  void Inexact(std::string what) {
    if (to_.inexact.empty()) to_.inexact = std::move(what);
  }

  JsonText& to_;
  const std::size_t max_depth_;
  std::vector<std::set<std::string>> open_;  // the keys of each open list or object
};

}  // namespace

JsonText ParseJson(std::string_view text, int max_depth) {
  JsonText out;
  Checker checker(out, max_depth);
  if (ordered_json::sax_parse(text, &checker)) out.json = ordered_json::parse(text, nullptr, false);
  return out;
}

std::string CleanUtf8(const std::string& text) {
  if (FindBadByte(text) == std::string_view::npos) return text;
  const auto replace = ordered_json::error_handler_t::replace;
  return ordered_json::parse(ordered_json(text).dump(-1, ' ', false, replace)).get<std::string>();
}

}  // namespace rpl
