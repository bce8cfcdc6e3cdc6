// SPDX-License-Identifier: Apache-2.0
//
// A call as it is shown to the person who is to approve it: whole, or not at all.
//
// The call comes from a model, the person's "yes" lets it out. So every argument is shown, on a
// line of its own, and no text of an argument passes for another line: it is JSON in which line
// ends, and characters that are invisible or reorder others, are escapes. A run of one character,
// which could push the rest out of sight, is shown as its length, outside of the quotes:
// `"Chairs." + 3000 × " " + "!"`.
#ifndef RPL_SHELL_GATEWAY_CALL_TEXT_H_
#define RPL_SHELL_GATEWAY_CALL_TEXT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "runtime/wire/open_question.h"

namespace rpl {

/// `args` is an object. nullopt if the text has more than kMostFormBytes.
std::optional<std::string> CallText(const std::string& tool, const nlohmann::ordered_json& args);

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_CALL_TEXT_H_
