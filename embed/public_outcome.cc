// SPDX-License-Identifier: Apache-2.0
#include "embed/public_outcome.h"

#include "formats/data/json_text.h"
#include "interp/explain/explain_print.h"
#include "interp/store/json_value.h"

namespace rpl {
namespace {

// A map whose keys collide has no JSON; its RPL text is used instead.
std::string JsonOf(const Pool& pool, Value v) {
  return Json(pool, v).value_or(DumpJson(Text(pool, v)));
}

}  // namespace

std::optional<std::string> ArgsOf(const Pool& pool, const std::vector<Value>& args) {
  std::string out = "[";
  for (const Value arg : args) {
    const std::optional<std::string> json = Json(pool, arg);
    if (!json) return std::nullopt;
    out += (out.size() > 1 ? "," : "") + *json;
  }
  return out + "]";
}

Engine::Status StatusOf(Status status) {
  switch (status) {
    case Status::kNothing: return Engine::Status::kNothing;
    case Status::kSatisfied: return Engine::Status::kSatisfied;
    case Status::kUnsatisfied: return Engine::Status::kUnsatisfied;
    case Status::kWaiting: return Engine::Status::kWaiting;
    case Status::kReview: return Engine::Status::kReview;
    case Status::kFailed: return Engine::Status::kFailed;
    case Status::kLimit: return Engine::Status::kLimit;
    case Status::kRejected: return Engine::Status::kRejected;
    case Status::kToolFailed: return Engine::Status::kToolFailed;
    case Status::kInterrupted: return Engine::Status::kInterrupted;
  }
  return Engine::Status::kBroken;
}

Engine::Question QuestionOf(const Request& request, const Pool& pool) {
  Engine::Question out;
  out.kind = request.kind == Request::Kind::kAsk      ? Engine::Question::Kind::kAsk
             : request.kind == Request::Kind::kChoose ? Engine::Question::Kind::kChoose
                                                      : Engine::Question::Kind::kTool;
  out.id = request.id;
  out.name = request.name;
  out.relation = request.relation_asked();
  out.prompt = request.prompt;
  out.args = ArgsOf(pool, request.args).value_or("[]");
  for (const Value option : request.choices())
    out.options.push_back({PlainText(pool, option), JsonOf(pool, option)});
  out.row = request.row;
  return out;
}

Engine::Proof ProofOf(const Explanation& explanation, const Sources& sources) {
  Engine::Proof out;
  out.text = ExplanationText(explanation, sources);
  for (const ExplainNode& node : explanation.nodes) {
    Engine::Reason reason;
    reason.kind = ExplainKindName(node.kind);
    reason.text = node.text;
    reason.note = node.note;
    reason.rule = node.rule;
    reason.above = node.above;
    if (node.placed) {
      const Sources::Place place = sources.PlaceOf(node.place.file, node.place.begin);
      reason.file = sources.at(node.place.file).name;
      reason.line = place.line;
      reason.column = place.column;
    }
    for (const int premise : node.premises)
      reason.premises.push_back(static_cast<std::size_t>(premise));
    out.reasons.push_back(std::move(reason));
  }
  return out;
}

std::string_view Engine::Name(Status status) {
  switch (status) {
    case Status::kNothing: return StatusName(rpl::Status::kNothing);
    case Status::kRunning: return "running";
    case Status::kSatisfied: return StatusName(rpl::Status::kSatisfied);
    case Status::kUnsatisfied: return StatusName(rpl::Status::kUnsatisfied);
    case Status::kWaiting: return StatusName(rpl::Status::kWaiting);
    case Status::kFailed: return StatusName(rpl::Status::kFailed);
    case Status::kLimit: return StatusName(rpl::Status::kLimit);
    case Status::kRejected: return StatusName(rpl::Status::kRejected);
    case Status::kToolFailed: return StatusName(rpl::Status::kToolFailed);
    case Status::kInterrupted: return StatusName(rpl::Status::kInterrupted);
    case Status::kReview: return StatusName(rpl::Status::kReview);
    case Status::kBroken: return "broken";
    case Status::kBusy: return "busy";
  }
  return "";
}

}  // namespace rpl
