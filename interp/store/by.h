// SPDX-License-Identifier: Apache-2.0
//
// The party that stated a fact: the value of `^ ~ {:by …}` (§11). Only the engine sets it.
#ifndef RPL_INTERP_STORE_BY_H_
#define RPL_INTERP_STORE_BY_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace rpl {

/// Ordered by trust: of a fact made of several answers, the last of theirs says so.
enum class By : std::uint8_t {
  kProgram,  // the document
  kPerson,   // at a terminal, or in a form that a host showed
  kHost,     // a program: options, files of answers, lines without a terminal, the library
  kModel,    // a language model, through a tool call of its host
  kTool,     // the result of a tool
  kFile,     // a source of facts
};

/// The name of the keyword: "program", "person", ….
std::string_view NameOf(By by);
std::optional<By> ByOf(std::string_view name);

}  // namespace rpl

#endif  // RPL_INTERP_STORE_BY_H_
