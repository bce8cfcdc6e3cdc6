// SPDX-License-Identifier: Apache-2.0
//
// The parts of an MCP message that two readers may read in different ways. A gateway that decides
// about a message must refuse these, or the server reads another message than it decided about.
//
//   carriage returns      end a line for some, in the middle of a message
//   bytes beside JSON     a byte order mark, NUL, other control characters, invalid UTF-8
//   a key twice           the first or the last is taken
//   a key twice but for   Go's readers ignore case, and take `ſ` for `s` and the Kelvin sign
//   its case              for `k`
//   `__proto__`           JavaScript may take its members for those of the object
//   NUL in a text         ends it for some
//   long integers         are rounded by some
//   names of tools        with blanks, invisible characters, or in another form of Unicode
#ifndef RPL_SHELL_GATEWAY_MCP_READING_H_
#define RPL_SHELL_GATEWAY_MCP_READING_H_

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

namespace rpl {

/// Why a line is read in different ways before it is JSON, or "".
std::string LineFault(std::string_view line);

/// The text as readers that ignore case compare keys.
std::string FoldKey(std::string_view key);

/// Why the keys of an object are read in different ways: two that are the same but for case, or one
/// that is one of `known` but for case. "" if not, and for a value that is no object.
std::string KeyFault(const nlohmann::ordered_json& object, const std::set<std::string>& known);

/// The same for a value and all objects within it; also `__proto__`, texts with NUL and integers of
/// more than 64 bits. With `keys` false only the last two. REQUIRES: from ParseJson.
std::string ValueFault(const nlohmann::ordered_json& value, const std::set<std::string>& known,
                       bool keys);

/// Why the name of a tool may be taken for another one, or "".
std::string NameFault(std::string_view name);

/// True for `tools/call` and what a careless reader might take for it.
bool LooksLikeCall(std::string_view method);

/// A message that ParseJson refused, read by the rules of a reader that takes the last of equal
/// keys; discarded if there is none. To find the id to answer to.
nlohmann::ordered_json ReadCarelessly(std::string_view line);

/// True if a form asks for something secret by its words: a password, a key, a card.
bool AsksForSecret(const nlohmann::ordered_json& elicitation);

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_MCP_READING_H_
