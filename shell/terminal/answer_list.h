// SPDX-License-Identifier: Apache-2.0
//
// The file of `--answers`, which is untrusted.
//
// It is either an object from keys to values, or a list of entries
//   {"match": {…}, "value": V}      the result is V
//   {"match": {…}, "metadata": {…}} the whole metadata of a tool's result; keys become keywords
//   {"match": {…}, "error": TEXT}   the tool failed, with this message
//   {"match": {…}, "decline": true} the user refuses
//   {"match": {…}, "cancel": true}  there is no answer now, the call stays pending
// with an optional "durationMs", the time that the call took. `match` matches the requests that
// satisfy all of its keys, at least one of "key", "var", "relation", "tool", "prompt" (the whole
// text) and "regex" (matches a part of the prompt). Strings of JSON are strings or, for a choice,
// the option with that text.
//
// Nothing is ignored or rounded: unknown keys, repeated keys and two kinds of reply in one entry
// are errors, and integers of any size are exact.
#ifndef RPL_SHELL_TERMINAL_ANSWER_LIST_H_
#define RPL_SHELL_TERMINAL_ANSWER_LIST_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "shell/terminal/answer_script.h"

namespace rpl {

/// The answers of a file, in order; partial after an error.
struct AnswerList {
  std::vector<ScriptedAnswer> answers;
  std::string error;     // message with the number of the entry; empty on success
  std::string hint;      // what to write instead, or ""
  std::size_t byte = 0;  // for text that is not JSON: position of the error, from 1
};
/// Reads the text of a file.
AnswerList AnswersFromJson(const std::string& text);
/// Likewise for parsed JSON. REQUIRES: it has no repeated keys and no rounded integers
/// (JsonNumbers::kExact).
AnswerList AnswersFrom(const nlohmann::ordered_json& json);

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_ANSWER_LIST_H_
