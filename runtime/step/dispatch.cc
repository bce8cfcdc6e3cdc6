// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/dispatch.h"

#include <set>
#include <utility>

#include "interp/eval/call_table.h"
#include "interp/eval/engine.h"
#include "interp/program/clause.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/recorder.h"
#include "runtime/record/journal.h"
#include "runtime/step/call_permission.h"
#include "runtime/step/step_state.h"

namespace rpl {

void Dispatch::Run(StepState& step) {
  run_.calls.awaited.clear();
  if (!run_.calls.held.empty() || !run_.permission.broken().empty()) return;
  if (step.checked.violated) return questions_.AskWhatNow(step);
  ShowChat(step);
  if (step.standing == GoalStanding::kUnsatisfied) return questions_.AskWhatNow(step);
  if (step.standing != GoalStanding::kPending || run_.budget.IsCutOff()) return;
  const auto of_kind = [&](bool questions) {
    std::vector<const OpenCall*> out;
    for (const OpenCall& call : step.found.calls)
      if (IsQuestion(engine_.store.at(call.relation)) == questions) out.push_back(&call);
    return out;
  };
  if (const std::vector<const OpenCall*> tools = of_kind(false); !tools.empty())
    tool_calls_.Make(tools);
  TakeAwaited(step);
  const std::vector<const OpenCall*> questions = of_kind(true);
  if (questions.empty()) return;
  questions_.Open(questions);
  // In order, until one has an answer: it may make others superfluous.
  for (const OpenCall* const question : questions)
    if (questions_.Ask(*question)) return;
  for (const OpenCall& question : TakeAwaited(step))
    if (questions_.Ask(question)) return;
}

// The headings that guards wait for and nothing else asks for. They are asked for with the plan's.
std::vector<OpenCall> Dispatch::TakeAwaited(StepState& step) {
  std::vector<OpenCall> out;
  if (run_.calls.awaited.empty()) return out;
  CallTable known(CallTable::Same::kReply);
  for (const OpenCall& call : step.found.calls) known.Add(call);
  for (OpenCall& call : std::exchange(run_.calls.awaited, {}))
    if (known.Add(call).is_new) out.push_back(std::move(call));
  step.found.calls.insert(step.found.calls.begin(), out.begin(), out.end());
  return out;
}

// Shows the lines of $json.
void Dispatch::ShowChat(const StepState& step) {
  Journal* const journal = run_.budget.IsCutOff() ? nullptr : run_.options.journal;
  const bool live = run_.options.journal == nullptr || run_.options.journal->live();
  std::set<std::string> traced;
  for (const auto& [clause, value] : step.shown) {
    const std::string json = Json(engine_.pool, value).value();  // else the clause did not hold
    if (!run_.permission.AdmitsShown(value)) continue;
    chat_ = true;
    const bool is_new = journal != nullptr ? journal->Chat(json) : live;
    if (is_new && sink_) sink_(json);
    run_.recorder.Log(LogLine::Verb::kChat, json);
    run_.recorder.Event("chat", [&]() -> nlohmann::ordered_json { return {{"line", json}}; });
    if (traced.insert(clause->text).second)
      run_.recorder.Entry(
          {.kind = TraceEntry::Kind::kReply,
           .text = clause->text + " ^ ~ {:tool :json} -> true",
           .answered = AnsweredCall{.call = clause->text, .tool = "json", .shown = true},
           .place = clause->span});
  }
}

}  // namespace rpl
