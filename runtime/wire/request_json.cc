// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/request_json.h"

#include "interp/store/json_value.h"
#include "runtime/wire/open_question.h"

namespace rpl {

using nlohmann::ordered_json;

ordered_json RequestJson(const Request& request, const Pool& pool) {
  ordered_json out = {{"id", request.id},
                      {"kind", KindName(request.kind)},
                      {"key", request.name},
                      {"prompt", request.prompt},
                      {"options", JsonOfValues(pool, request.choices())},
                      {"place", request.place}};
  if (!request.row.empty()) out["row"] = request.row;
  if (request.wanted() != Takes::kAny)
    out["takes"] = request.wanted() == Takes::kNumber ? "number" : "time";
  if (request.doubtful()) out["inDoubt"] = true;
  return out;
}

ordered_json QuestionFields(const Question& question, const Pool& pool) {
  ordered_json out = {{"id", question.id},
                      {"key", question.name},
                      {"kind", KindName(question.kind)},
                      {"prompt", question.prompt},
                      {"options", JsonOfValues(pool, question.options)},
                      {"place", question.place}};
  if (!question.row.empty()) out["row"] = question.row;
  return out;
}

ordered_json ToolCallFields(const ToolCall& call, const Pool& pool) {
  return {{"id", call.id}, {"tool", call.tool}, {"args", JsonOfValues(pool, call.args)}};
}

ordered_json ReplyFields(const std::string& id, const Answer& answer, const Pool& pool) {
  ordered_json out = {{"id", id}};
  if (answer.kind == Answer::Kind::kDecline) out["declined"] = true;
  else
    out[answer.kind == Answer::Kind::kValue ? "value" : "metadata"] =
        JsonOfValue(pool, answer.value).value_or(Text(pool, answer.value));
  return out;
}

}  // namespace rpl
