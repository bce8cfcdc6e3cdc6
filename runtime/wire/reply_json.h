// SPDX-License-Identifier: Apache-2.0
//
// Replies in JSON, which are untrusted: those of a host program, and of a file of answers.
//
// Nothing is ignored or rounded: unknown keys, repeated keys and two kinds of reply in one object
// are errors, and integers of any size are exact.
#ifndef RPL_RUNTIME_WIRE_REPLY_JSON_H_
#define RPL_RUNTIME_WIRE_REPLY_JSON_H_

#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/ports.h"

namespace rpl {

/// The reply in an object.
struct JsonReply {
  rpl::Answer answer;
  std::string error;  // the reason why it does not fit the request, or ""
  std::string hint;   // or ""
};
/// Reads an object that must have exactly one of "value", "metadata", "error", "decline" and
/// "cancel", and may have the keys `beside` and "durationMs". The answer to "cancel" is
/// Kind::kNobody.
JsonReply ReplyFromJson(const nlohmann::ordered_json& object, std::string_view beside,
                        const Request& request, Pool& pool);

/// Why JSON is no answer, for people, and what to write instead, or "".
struct Misread : std::runtime_error {
  explicit Misread(const std::string& message, std::string help = "")
      : std::runtime_error(message), hint(std::move(help)) {}
  std::string hint;
};

/// Checks an object as of ReplyFromJson, but for what the request wants, and returns the one key of
/// its reply. Throws Misread.
std::string_view CheckReply(const nlohmann::ordered_json& object, std::string_view beside);

/// "a string", "an object": of what type it is.
std::string_view TypeText(const nlohmann::ordered_json& json);
/// `"value", "error" or "cancel"`.
std::string KeyList(std::span<const std::string_view> keys);
/// The hint for a key that is not among `known`.
std::string KeyHint(const std::string& got, std::span<const std::string_view> known);

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_REPLY_JSON_H_
