// SPDX-License-Identifier: Apache-2.0
//
// JSON from outside, parsed within limits.
//
// JSON is hostile until it is parsed: the parser here takes no more nesting and no larger
// objects than its limits, so that everything after it may recurse.
#ifndef RPL_FORMATS_JSON_TEXT_H_
#define RPL_FORMATS_JSON_TEXT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rpl {

/// Lists and objects of a text nest at most this deep, and one object has at most this
/// many keys: adding a key takes time in proportion to those before it.
inline constexpr int kMaxJsonDepth = 200;
inline constexpr std::size_t kMaxJsonKeys = 10'000;

struct JsonText {
  nlohmann::ordered_json json;
  std::string error;     // empty when the whole text is one JSON value in UTF-8
  std::size_t byte = 0;  // where the error was noticed, from 1; 0 for a limit
  /// What the value does not say as the text does, or "": a key that stands twice in one
  /// object (the last one counts), or an integer beyond 64 bits (it becomes a float).
  std::string inexact;
};
JsonText ParseJson(std::string_view text, int max_depth = kMaxJsonDepth);

/// The text in UTF-8: bytes that are not become U+FFFD.
std::string CleanUtf8(const std::string& text);

}  // namespace rpl

#endif  // RPL_FORMATS_JSON_TEXT_H_
