// SPDX-License-Identifier: Apache-2.0
//
// Answers in JSON: a file of `--answers`, and the replies of a host program.
//
// A file is either an object from keys to values, or a list of entries
//   {"match": {…}, "value": V}      the result is V
//   {"match": {…}, "metadata": {…}} the whole result metadata of a tool; keys become keywords
//   {"match": {…}, "error": TEXT}   the tool failed, with this message
//   {"match": {…}, "decline": true} the user refuses
//   {"match": {…}, "cancel": true}  nobody answers now, the call stays pending
// and may have "durationMs" beside, what the call took. `match` stands for the requests
// that fit all of its keys: at least one of "key", "var", "relation", "tool", "prompt" (the
// whole text) and "regex" (found in the prompt). Strings of JSON stand for strings, or for
// the option with that text.
//
// Nothing of it is ignored or rounded: an unknown key, a key that stands twice, two kinds of
// reply in one entry and an integer beyond 64 bits are errors.
#ifndef RPL_SHELL_HOST_ANSWER_LIST_H_
#define RPL_SHELL_HOST_ANSWER_LIST_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "shell/host/scripted_agent.h"

namespace rpl {

struct AnswerList {
  std::vector<ScriptedAnswer> answers;
  std::string error;     // where and why it is not understood; empty when it is
  std::string hint;      // or ""
  std::size_t byte = 0;  // of a text that is not JSON: where that is noticed, from 1
};
AnswerList AnswersFromJson(const std::string& text);
/// The same of a text that was parsed already, and of which no key stands twice.
AnswerList AnswersFrom(const nlohmann::ordered_json& json);

/// What an object says that must have exactly one of "value", "metadata", "error", "decline"
/// and "cancel", and beside it no key but `beside` and "durationMs". Cancelled: nobody
/// answers now.
struct JsonReply {
  rpl::Answer answer;
  std::string error;  // why it is no reply to the request; empty when it is one
  std::string hint;   // or ""
};
JsonReply ReplyFromJson(const nlohmann::ordered_json& object, std::string_view beside,
                        const Request& request, Pool& pool);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_ANSWER_LIST_H_
