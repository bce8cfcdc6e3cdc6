// SPDX-License-Identifier: Apache-2.0
//
// The parser for untrusted JSON.
//
// It refuses text that nests deeper or has larger objects than its limits allow; code that works on
// the parsed value may therefore recurse. It refuses an object with a key twice, of which two
// readers may take different ones.
#ifndef RPL_FORMATS_DATA_JSON_TEXT_H_
#define RPL_FORMATS_DATA_JSON_TEXT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace rpl {

/// The limits: the nesting of lists and objects, and the keys of one object, because inserting a
/// key takes time linear in the number of keys before it.
inline constexpr int kMaxJsonDepth = 200;
inline constexpr std::size_t kMaxJsonKeys = 10'000;

/// What becomes of an integer that neither 64 bits nor a float hold exactly.
enum class JsonNumbers {
  kNearest,  // the nearest float, noted in JsonText::inexact; beyond their range an error
  kExact,    // an ExactInteger
};

/// An integer of any size in JSON, of its decimal digits without leading zeros, after a minus sign
/// or not. One that 64 bits hold, with a sign or without, is the number that the parser makes of
/// it; any other is a value of the type `binary`, which no text has. Only code that expects such a
/// value sees one; DumpJson prints it as the number that it is.
nlohmann::ordered_json ExactInteger(std::string_view digits);
/// The digits of an integer that 64 bits do not hold; nullopt for any other value.
std::optional<std::string> DigitsOf(const nlohmann::ordered_json& json);
/// Whether the value is such an integer, or contains one.
bool HasExactInteger(const nlohmann::ordered_json& json);

/// JSON on one line; what is not UTF-8 becomes U+FFFD.
std::string DumpJson(const nlohmann::ordered_json& json);

/// The result of parsing.
struct JsonText {
  nlohmann::ordered_json json;
  std::string error;     // empty if the whole text is one JSON value in UTF-8
  std::size_t byte = 0;  // where the error was noticed, from 1; 0 for a limit or a key twice
  std::string inexact;   // the first integer that became a float, for people; "" with kExact
};
/// Parses a whole text. On an error `json` is null. O(length) up to the cost of inserting keys.
JsonText ParseJson(std::string_view text, int max_depth = kMaxJsonDepth,
                   JsonNumbers numbers = JsonNumbers::kNearest);
/// The same for values of a program.
inline JsonText ParseExactJson(std::string_view text) {
  return ParseJson(text, kMaxJsonDepth, JsonNumbers::kExact);
}

/// JSON that the engine itself wrote, without limits and with exact integers; discarded if the text
/// is none.
nlohmann::ordered_json ParseOwnJson(std::string_view text);

/// The text with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string CleanUtf8(const std::string& text);

/// A text of JSON with U+FFFD in place of bytes that are not UTF-8 and of escapes of half a
/// character, as writers make them that cut texts of UTF-16. ParseJson takes both for errors.
std::string CleanJson(const std::string& text);
/// The same with the escapes alone; other bytes stay.
std::string WithoutHalves(std::string_view json);

}  // namespace rpl

#endif  // RPL_FORMATS_DATA_JSON_TEXT_H_
