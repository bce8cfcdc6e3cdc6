// SPDX-License-Identifier: Apache-2.0
//
// The parser for untrusted JSON.
//
// It refuses text that nests deeper or has larger objects than its limits allow; code that works on
// the parsed value may therefore recurse.
#ifndef RPL_FORMATS_JSON_TEXT_H_
#define RPL_FORMATS_JSON_TEXT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rpl {

/// The limits: the nesting of lists and objects, and the keys of one object, because inserting a
/// key takes time linear in the number of keys before it.
inline constexpr int kMaxJsonDepth = 200;
inline constexpr std::size_t kMaxJsonKeys = 10'000;

/// The result of parsing.
struct JsonText {
  nlohmann::ordered_json json;
  std::string error;     // empty if the whole text is one JSON value in UTF-8
  std::size_t byte = 0;  // where the error was noticed, from 1; 0 for a limit
  /// The first respect in which the value differs from the text, or "": a key that occurs twice in
  /// one object (the last occurrence counts), or an integer beyond 64 bits (it becomes a float).
  std::string inexact;
};
/// Parses a whole text. On an error `json` is null. O(length) up to the cost of inserting keys.
JsonText ParseJson(std::string_view text, int max_depth = kMaxJsonDepth);

/// The text with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string CleanUtf8(const std::string& text);

}  // namespace rpl

#endif  // RPL_FORMATS_JSON_TEXT_H_
