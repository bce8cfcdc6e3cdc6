// SPDX-License-Identifier: Apache-2.0
//
// The input of a turn from a client, read against the run: answers by key, facts, retractions.
//
// A fault is for the client to correct: nothing of the input is done then. Who states something
// comes with it, because a program may ask for a person.
#ifndef RPL_SHELL_MCP_TURN_INPUT_H_
#define RPL_SHELL_MCP_TURN_INPUT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "interp/store/by.h"
#include "shell/mcp/given_answers.h"
#include "shell/mcp/protocol_run.h"
#include "shell/mcp/question_form.h"

namespace rpl {

/// What a turn is to do, read once its run is open.
struct TurnInput {
  std::vector<GivenAnswer> answers;
  std::string fault;  // nothing is done, and this is told; or ""
  std::string hint;
  std::string note;  // what became of an answer, for the result; or ""
};

/// Facts of a call as sentences that assert or retract them, with their source; the reason why one
/// is no fact, or "".
struct FactSentences {
  std::string text;
  std::string error;
  std::vector<std::string> labels;  // of their relations
};
FactSentences SentencesOf(const std::vector<std::string>& facts, const std::string& source,
                          bool retract);

/// The `answers` (an object), `errors` (likewise, of texts) and `declines` (keys) of arguments.
TurnInput InputOf(const nlohmann::ordered_json& arguments, By by);

/// The answers for a run: by the keys of its open questions, and without those that it has already.
/// One that differs from what is recorded is a fault. Runs the goal if it has no outcome.
TurnInput ForRun(TurnInput input, ProtocolRun& run);

/// The refusal of a person to answer these questions: recorded, unless the run would end by it.
TurnInput DeclinedInput(ProtocolRun& run, const std::vector<OpenQuestion>& questions);

/// States facts. If `by` is not a person, those that only a person may state are a fault: they
/// would close the question to the person without effect.
void StateFacts(const FactSentences& facts, ProtocolRun& run, By by, TurnInput& input);

/// Takes back facts and the answers of these keys.
TurnInput TakeBackFacts(const FactSentences& facts, const std::vector<std::string>& keys,
                        ProtocolRun& run, By by);

/// An input as a request of serve (docs/schemas/serve.json) or the arguments of rpl_run have it:
/// `facts` with their `source` and `retract` are stated, and `answers`, `errors` and `declines`
/// come back for the turn. `by`: "person", "model", or else the host. REQUIRES: the members have
/// their types.
TurnInput StoredInput(const nlohmann::ordered_json& input, ProtocolRun& run);

}  // namespace rpl

#endif  // RPL_SHELL_MCP_TURN_INPUT_H_
