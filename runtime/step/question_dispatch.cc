// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/question_dispatch.h"

#include <algorithm>
#include <set>

#include "formats/terminal_text.h"
#include "grammar/document.h"
#include "interp/eval/engine.h"
#include "interp/eval/solver.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/door.h"
#include "runtime/facts/goal_record.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/said.h"
#include "runtime/ports.h"
#include "runtime/record/journal.h"
#include "runtime/replies.h"
#include "runtime/step/call_permission.h"
#include "runtime/step/inbox.h"
#include "runtime/step/request_writer.h"
#include "runtime/step/revision.h"
#include "runtime/step/step_state.h"
#include "runtime/step/violations.h"
#include "runtime/wire/request_json.h"

namespace rpl {

void QuestionDispatch::Open(const std::vector<const OpenCall*>& questions) {
  run_.people.Open([this, &questions] {
    std::vector<Question> open;
    for (const OpenCall* const call : questions) open.push_back(run_.requests.QuestionFor(*call));
    return open;
  });
}

bool QuestionDispatch::Ask(const OpenCall& call) {
  const std::size_t awaited = run_.calls.awaited.size();
  if (call.space == Space::kTool && !run_.permission.Admits(call))
    return run_.calls.awaited.size() == awaited;
  Question question = run_.requests.QuestionFor(call);
  question.attempts = &run_.calls.attempts;
  if (run_.budget.IsCutOff()) return true;  // some of the choices are not known
  const auto entry_of = [&](const Answer& answer) { return run_.inbox.EntryToCome(call, answer); };
  const auto answer = Put(question, entry_of, &call);
  if (answer) run_.calls.replies.push_back({call, *answer});
  return answer.has_value();
}

// Puts a question to the people, or takes the recorded answer; nullopt if there is none. `call`:
// the one that asks; null for a decision about a failure.
std::optional<Answer> QuestionDispatch::Put(const Question& question, const EntryOf& entry_of,
                                            const OpenCall* call) {
  const std::string& name = question.id;
  Journal* const journal = run_.options.journal;
  if (journal != nullptr) journal->Call(name, "");
  run_.recorder.Dispatched(question, call == nullptr ? std::nullopt : std::optional(call->place));
  run_.recorder.Event("question", [&] { return QuestionFields(question, engine_.pool); });
  if (journal != nullptr) {
    journal->TakeAttempts(run_.calls.attempts);
    if (const auto recorded = journal->NextReply({name}, engine_.pool)) return recorded->answer;
    if (!journal->live()) return std::nullopt;  // recorded without an answer
  }
  for (std::string refused;;) {
    Answer answer = run_.requests.WhoseAnswer(run_.people.Ask(question, engine_.pool, refused));
    if (answer.kind == Answer::Kind::kNobody) return std::nullopt;
    if (!run_.requests.MayAnswer(question, answer)) {
      const Refused why = call != nullptr
                              ? run_.door.RefusedAnswer(*call, answer.by)
                              : Refused{"a decision about a failure is a person's",
                                        "decide at a terminal, or with `--answer what-now=…`"};
      run_.recorder.Log(Verb::kRefused, question.id);
      refused = why.reason + "; " + why.hint;
      continue;
    }
    if (answer.kind == Answer::Kind::kValue) {
      TakenReply taken = TakeReply(question, answer.value, engine_.pool);
      if (!taken.refused.empty()) {
        run_.recorder.Log(Verb::kRefused, Text(engine_.pool, answer.value) + " for " + question.id);
        refused = std::move(taken.refused);
        continue;
      }
      answer.value = taken.value;
    }
    if (answer.attempt) {
      const TraceEntry entry = entry_of(answer);
      answer.attempt->of = entry.answered ? entry.answered->call : run_.inbox.PartOf(*call).heading;
      if (!run_.calls.attempts.Add(*std::exchange(answer.attempt, std::nullopt)))
        return std::nullopt;
    }
    if (journal != nullptr)
      journal->Reply(name, answer, engine_.pool, entry_of(answer), std::nullopt,
                     call == nullptr ? HeadingPart{} : run_.inbox.PartOf(*call));
    run_.recorder.Reply("answer", name, answer, engine_.pool);
    return answer;
  }
}

// The failure in one line, with the ways out of it other than to stop.
Failing QuestionDispatch::FailingNow(const StepState& step) const {
  Failing out;
  if (step.checked.violated) {
    const Violated& v = *step.checked.violated;
    return {run_.violations.WhatOf(v), run_.violations.WaysOut(v)};
  }
  if (run_.budget.stop() != Stop::kGoesOn || step.found.declined || step.found.refused ||
      step.found.failed)
    return out;
  const RelationId goal = step.found.circle ? step.found.circle->first : step.ineligible;
  if (step.found.circle) out.what = "circular dependency: " + step.found.circle->text;
  else if (goal != kNoId) out.what = "no eligible rule for " + engine_.store.at(goal).name();
  const Goal* known = goal != kNoId ? GoalOf(engine_, goal) : nullptr;
  if (known == nullptr) return out;
  Assertion truth;
  truth.relation = known->relation;
  truth.row = {kNone};  // the empty map, made when it is asserted
  truth.trace = truth.assumed = true;
  const std::string& name = engine_.store.at(goal).name();
  truth.text = name + " ^ true";
  out.ways.push_back({"assume " + name, truth});
  return out;
}

// Takes back the answers of models that the violation rests on, if they answer again: true if so.
bool QuestionDispatch::AsksModelsAgain(const Violated& violated) {
  AttemptBook& attempts = run_.calls.attempts;
  std::vector<std::string> retractions;
  if (Journal* const journal = run_.options.journal; journal != nullptr && !journal->live()) {
    std::set<std::string> calls;
    while (std::optional<Attempt> tried = journal->NextAttempt()) {
      calls.insert(tried->call);
      attempts.Take(*std::move(tried));
    }
    retractions = RetractionsFor(calls, run_.recorder.trace(), attempts);
  } else {
    if (attempts.all().empty() || violated.constraint == nullptr) return false;
    Revision revision = RevisionOf(engine_, run_.derivations, run_.recorder.trace(), attempts,
                                   run_.violations.RowsOf(violated));
    engine_.solver.TakeCalls();
    const auto answers_again = [&](const Attempt& refused) {
      return run_.people.AnswersAgain(refused.call, attempts);
    };
    if (!std::ranges::all_of(revision.refused, answers_again)) return false;
    const auto words = run_.violations.WordsOf(violated);
    for (Attempt& refused : revision.refused) {
      refused.reason =
          words ? words->heading + ": " + words->AsQuestion() : run_.violations.WhatOf(violated);
      if (!attempts.Add(refused)) return false;
    }
    retractions = std::move(revision.retractions);
  }
  if (retractions.empty()) return false;
  std::string text;
  for (const std::string& retraction : retractions) text += retraction + "\n";
  Diagnostics ignored;
  const std::uint32_t file = engine_.sources.Add("<taken back>", std::move(text));
  run_.inbox.Put(ReadDocument(engine_.sources, file, ignored), From::kDecision, By::kModel,
                 ignored);
  run_.inbox.Put(Way{.name = "ask the model again", .does = {}, .by = By::kModel});
  return true;
}

void QuestionDispatch::AskWhatNow(const StepState& step) {
  if (run_.budget.IsCutOff()) return;
  if (step.checked.violated && AsksModelsAgain(*step.checked.violated)) return;
  const Failing failing = FailingNow(step);
  if (failing.ways.empty()) return;
  Question question(Question::Kind::kChoose);
  question.id = run_.violations.CallOf(OneLine(failing.what));
  question.name = kWhatNow;
  if (const auto words =
          step.checked.violated ? run_.violations.WordsOf(*step.checked.violated) : std::nullopt)
    question.prompt = words->heading + ": " + words->AsQuestion() + "\n";
  question.prompt += PrintableLine(OneLine(failing.what)) + ". What now?";
  for (const Way& way : failing.ways) question.options.push_back(engine_.pool.String(way.name));
  question.options.push_back(engine_.pool.String("stop"));
  question.admits = PartyBit(By::kPerson) | PartyBit(By::kHost);
  const auto chosen = [&](const Answer& answer) {
    return std::find_if(failing.ways.begin(), failing.ways.end(), [&](const Way& way) {
      return engine_.pool.String(way.name) == answer.value;
    });
  };
  const EntryOf entry_of = [&](const Answer& given) {
    const auto way = chosen(given);
    if (way == failing.ways.end()) return TraceEntry{};
    TraceEntry entry = run_.inbox.EntryToCome(*way);
    entry.by = given.by;
    return entry;
  };
  run_.people.Open([&question] { return std::vector<Question>{question}; });
  const auto answer = Put(question, entry_of, nullptr);
  if (!answer || answer->kind != Answer::Kind::kValue) return;
  const auto way = chosen(*answer);
  if (way == failing.ways.end()) return;
  // Sessions of a version that did not tell them apart say that the user decided.
  const bool option = run_.options.door && answer->by == By::kHost;
  RecordFailure(run_.goals, run_.recorder, failing.what,
                (option ? "an option decides: " : "the user decides: ") + way->name);
  Way decision = *way;
  decision.by = answer->by;
  run_.inbox.Put(std::move(decision));
}

}  // namespace rpl
