// SPDX-License-Identifier: Apache-2.0
//
// The input of a turn from a client, read against the run: answers by key, facts, retractions.
//
// A fault is for the client to correct: nothing of the input is done then. Who states something
// comes with it, because a program may ask for a person. It is JSON until its run is open, so that
// it can be stored meanwhile (RunRecords::Keep).
#ifndef RPL_SHELL_SERVING_TURN_INPUT_H_
#define RPL_SHELL_SERVING_TURN_INPUT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "interp/store/by.h"
#include "runtime/wire/given_answers.h"
#include "shell/serving/protocol_run.h"
#include "shell/serving/question_form.h"

namespace rpl {

/// What a turn is to do, read once its run is open.
struct TurnInput {
  std::vector<GivenAnswer> answers;
  std::string fault;  // nothing is done, and this is told; or ""
  std::string hint;
  std::string note;  // what became of an answer, for the result; or ""
};

/// So begin the notes that a person gave no answer.
inline constexpr const char* kDeclinedNote = "the user declined";

/// Why the members of an input are no answers or facts, or "": what is known before a run is open.
std::string InputFault(const nlohmann::ordered_json& input);

/// The open questions of a run. Runs the goal if it has no outcome.
std::vector<OpenQuestion> QuestionsOfRun(ProtocolRun& run);

/// An input, which may have come to another process: what its members state is stated, and its
/// answers come back for the turn. REQUIRES: the members have their types.
///
///   answers, errors, declines, retract, facts, source
///            as in a request of serve (docs/schemas/serve.json) and the arguments of MCP's tools
///   by       "person" (of forms), "model", or else the host
///   typed    {ID: VALUE}: what was typed or chosen in a form, for the questions of these ids
///   forms    {KEY: {"action": "accept", "content": {…}}}: responses to forms, each by the FormKey
///            or the id of its question. Those to questions that are not open any more are ignored
TurnInput ReadInput(const nlohmann::ordered_json& input, ProtocolRun& run);

/// The key of a form that asks a question of a run whose trace has this length: if it has grown,
/// the question is another, and is asked anew.
std::string FormKey(const std::string& key, std::size_t seq);

}  // namespace rpl

#endif  // RPL_SHELL_SERVING_TURN_INPUT_H_
