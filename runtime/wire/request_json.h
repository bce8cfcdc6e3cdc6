// SPDX-License-Identifier: Apache-2.0
//
// Requests and their replies as JSON. Of what clients are told of open questions, see
// runtime/wire/open_question.h.
#ifndef RPL_RUNTIME_WIRE_REQUEST_JSON_H_
#define RPL_RUNTIME_WIRE_REQUEST_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "interp/store/value.h"
#include "runtime/ports.h"
#include "runtime/request.h"

namespace rpl {

/// A request in an outcome (docs/schemas/outcome.json), and of a host program
/// (docs/schemas/request.json): {"id", "kind", "key", "prompt", "options", "place"}, "row" and
/// "takes" if there are any, and "inDoubt" if it is true.
nlohmann::ordered_json RequestJson(const Request& request, const Pool& pool);

/// The fields of an event (docs/schemas/event.json): "question", "tool-call", and "answer" or
/// "result" of the call with this id.
nlohmann::ordered_json QuestionFields(const Question& question, const Pool& pool);
nlohmann::ordered_json ToolCallFields(const ToolCall& call, const Pool& pool);
nlohmann::ordered_json ReplyFields(const std::string& id, const Answer& answer, const Pool& pool);

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_REQUEST_JSON_H_
