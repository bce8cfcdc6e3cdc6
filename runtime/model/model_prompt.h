// SPDX-License-Identifier: Apache-2.0
//
// A question as a model gets it, and its reply as a value: pure functions of the request and of the
// attempts before. Questions for several arguments of one heading are one request.
//
// The schema has one member `value`, in the subset that all providers take strictly: every property
// is required, no further ones, no ranges or lengths. It follows from the shape of the question:
//
//   free text             {"type":"string"}
//   takes a number        {"type":"number"}
//   takes a time          {"type":"string"}, with the form in the prompt
//   options               {"enum":[…]} of their texts; of lists and terms their numbers from 1
//   rows of one name      {"type":"array","items":…}
//   rows of several       the same, of objects with a property for each name
//   several questions     an object with a property for each, by its name
//
// The prompt tells no more than the question: titles, prose, the values that it names, the options,
// and what was not taken before. Values stand between marks that nothing in them can close, because
// the mark is a hash of all of them. The same request gives the same bytes, so that a digest finds
// a recorded reply.
#ifndef RPL_RUNTIME_MODEL_MODEL_PROMPT_H_
#define RPL_RUNTIME_MODEL_MODEL_PROMPT_H_

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/attempt.h"
#include "runtime/ports.h"

namespace rpl {

/// The part of a request that does not depend on the question.
extern const std::string_view kModelSystem;

struct ModelPrompt {
  nlohmann::ordered_json schema;
  std::string text;    // for the user's part of a request
  std::string digest;  // of system, text and schema
};

/// What one request asks: a question, or several of one heading.
using Asked = std::span<const Question>;

/// The schema of the replies. REQUIRES: at least one question.
nlohmann::ordered_json ReplySchema(Asked asked, const Pool& pool);

/// The prompt after these attempts, of which those with a reason were not taken.
ModelPrompt PromptForModel(Asked asked, const Pool& pool, const std::vector<Attempt>& before);

/// A reply as the values of the questions, or why it is none.
struct ReadReply {
  std::vector<Value> values;                   // of each question; empty if it is not taken
  Attempt::Gate gate = Attempt::Gate::kTaken;  // that refused it
  std::string reason;                          // "" if it is taken
  nlohmann::ordered_json value = nullptr;      // its member `value`
};
/// Passes a reply, the text of a JSON object, through the gates of the schema and of the questions.
ReadReply ReadModelReply(const std::string& text, Asked asked, Pool& pool);

/// The value of a reply as an attempt has it: JSON, which may be shortened; "" for null.
std::string ShownValue(const nlohmann::ordered_json& value);

/// About how many tokens a text has, where the provider does not tell.
std::uint64_t TokensIn(std::string_view text);

}  // namespace rpl

#endif  // RPL_RUNTIME_MODEL_MODEL_PROMPT_H_
