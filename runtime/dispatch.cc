// SPDX-License-Identifier: Apache-2.0
//
// Phase 8: output of the engine, and the replies that come back at once. Calls of tools in one plan
// go out together, questions to a person one after another; recorded replies come from the journal
// instead.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>

#include "formats/terminal_text.h"
#include "interp/eval/constraint_watch.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/store/json_value.h"
#include "runtime/door.h"
#include "runtime/journal.h"
#include "runtime/timestep.h"

namespace rpl {

using nlohmann::ordered_json;

namespace {

// Whether a database cannot evaluate a relation any more: its sources are read instead.
bool SaysChanged(Pool& pool, const Answer& answer) {
  return answer.kind == Answer::Kind::kNotRun &&
         pool.Lookup(answer.value, pool.Keyword("code")) == pool.String("changed");
}

}  // namespace

void Runtime::DispatchAsyncs(StepState& step) {
  Begin(8, "dispatch asyncs");
  calls_.awaited.clear();
  if (!calls_.held.empty() || !permission_.broken().empty()) return;
  if (step.checked.violated) return AskWhatNow(step);
  Journal* const journal = budget_.IsCutOff() ? nullptr : options_.journal;
  const bool live = options_.journal == nullptr || options_.journal->live();
  std::set<std::string> traced;
  for (const auto& [clause, value] : step.shown) {
    const std::string json = Json(engine_.pool, value).value();  // else the clause did not hold
    if (!permission_.AdmitsShown(value)) continue;
    chat_ = true;
    if (journal != nullptr ? journal->Chat(json) : live) agent_.Chat(json);
    recorder_.Log(Verb::kChat, json);
    recorder_.Event("chat", {{"line", json}});
    if (traced.insert(clause->text).second)
      recorder_.Entry(
          {.kind = TraceEntry::Kind::kReply,
           .text = clause->text + " ^ ~ {:tool :json} -> true",
           .answered = AnsweredCall{.call = clause->text, .tool = "json", .shown = true},
           .place = clause->span});
  }
  if (step.standing == GoalStanding::kUnsatisfied) return AskWhatNow(step);
  if (step.standing != GoalStanding::kPending || budget_.IsCutOff()) return;
  std::vector<const OpenCall*> tools;
  for (const OpenCall& call : step.found.calls)
    if (!IsQuestion(engine_.store.at(call.relation))) tools.push_back(&call);
  if (!tools.empty()) CallTools(tools);
  TakeAwaited(step);
  std::vector<OpenCall> questions;
  std::ranges::copy_if(step.found.calls, std::back_inserter(questions), [&](const OpenCall& call) {
    return IsQuestion(engine_.store.at(call.relation));
  });
  if (questions.empty()) return;
  std::vector<Request> open;
  for (const OpenCall& question : questions) open.push_back(RequestFor(question));
  agent_.Open(open);
  // In order, until one has an answer: it may make others superfluous.
  for (const OpenCall& question : questions)
    if (Ask(question)) return;
  for (const OpenCall& question : TakeAwaited(step))
    if (Ask(question)) return;
}

// The headings that guards wait for and nothing else asks for. They are asked for with the plan's.
std::vector<OpenCall> Runtime::TakeAwaited(StepState& step) {
  std::set<CallId> known;
  for (const OpenCall& call : step.found.calls) known.insert(engine_.solver.IdOf(call));
  std::vector<OpenCall> out;
  for (OpenCall& call : std::exchange(calls_.awaited, {}))
    if (known.insert(engine_.solver.IdOf(call)).second) out.push_back(std::move(call));
  step.found.calls.insert(step.found.calls.begin(), out.begin(), out.end());
  return out;
}

// Shows $json lines: those of the goals below first, then clause by clause in written order.
void Runtime::Show(StepState& step, const Table& table, std::set<const Table*>& done) {
  if (!done.insert(&table).second) return;
  for (const Table* used : table.more().used) Show(step, *used, done);
  std::vector<std::pair<const Clause*, Value>> shown = table.more().shown;
  std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) {
    return a.first->span.begin < b.first->span.begin;
  });
  step.shown.insert(step.shown.end(), shown.begin(), shown.end());
}

// Values as a JSON list; those without JSON as RPL text.
ordered_json Runtime::JsonOf(const std::vector<Value>& values) const {
  ordered_json out = ordered_json::array();
  for (const Value v : values)
    out.push_back(JsonOfValue(engine_.pool, v).value_or(Text(engine_.pool, v)));
  return out;
}

Request Runtime::RequestFor(const OpenCall& call) {
  Request r;
  if (call.place.end != 0) r.place = sources_.Where(call.place);
  r.id = engine_.solver.CallText(call);
  const Relation& rel = engine_.store.at(call.relation);
  r.admits = call.space == Space::kTool ? door_->authority().AnswersTo(call.relation, call.args)
                                        : door_->authority().Of(call.relation).state;
  if (call.space == Space::kTool) {
    if (const auto at = source_feed_.pushed().find(engine_.solver.IdOf(call));
        at != source_feed_.pushed().end())
      r.pushed = at->second;
    r.tool = r.name = std::string(engine_.pool.TextOf(rel.label()));
    r.args = call.args;
    r.kind = r.tool == "ask"      ? Request::Kind::kAsk
             : r.tool == "choose" ? Request::Kind::kChoose
                                  : Request::Kind::kTool;
    // Which of its words are the program's is not known: none of it begins a line.
    if (!call.args.empty()) r.prompt = PrintableLine(PlainText(engine_.pool, call.args.front()));
    if (r.kind == Request::Kind::kChoose && call.args.size() > 1 &&
        (call.args[1].kind() == Kind::kList || call.args[1].kind() == Kind::kSet)) {
      const std::span<const Value> options = engine_.pool.ItemsOf(call.args[1]);
      r.options.assign(options.begin(), options.end());
    }
    if (r.tool == "write") r.written = WrittenFiles();
    if (r.tool == "index") r.stop = StopOfReading(r.id);
    if (agent_.AnswersAlone(r)) r.admits = RowsBy::Bit(By::kTool);
    return r;
  }
  r.name = std::string(engine_.pool.TextOf(rel.label()));
  r.prompt = r.name;
  if (call.space == Space::kRelation) r.relation = r.name;
  if (call.question >= 0) {
    const Question& q = engine_.program.QuestionAt(call.question);
    r.name = q.name;
    r.argument = (q.subject.starts_with('$') ? "$" : "?") + q.name;
    r.prompt = q.prompt;
    r.options = engine_.solver.Choices(call);
    if (const Evaluation& found = engine_.solver.found(); found.stop != Stop::kGoesOn)
      budget_.Take(found.stop, found.stopped_at);
    if (!r.options.empty()) r.kind = Request::Kind::kChoose;
  }
  if (call.space == Space::kRelation) TakeUse(call, r);
  // Arguments of one heading differ by name.
  const auto open =
      std::count_if(call.args.begin(), call.args.end(), [](Value v) { return v.is_none(); });
  if (call.space == Space::kRelation && r.row.empty() && open > 1) r.id += " for " + r.argument;
  return r;
}

// Whether an interrupt, or the limit on time since its first poll, ends the reading of a source. It
// counts in a replay as well: what is read again there takes time outside.
std::function<bool()> Runtime::StopOfReading(std::string id) {
  using Clock = std::chrono::steady_clock;
  return [this, id = std::move(id), began = std::optional<Clock::time_point>()]() mutable {
    if (!began) began = Clock::now();
    const std::chrono::duration<double> spent = Clock::now() - *began;
    const double most = budget_.limits().max_seconds;
    const Stop stop = options_.interrupted && options_.interrupted() ? Stop::kInterrupted
                      : most > 0 && spent.count() > most             ? Stop::kTime
                                                                     : Stop::kGoesOn;
    if (stop != Stop::kGoesOn) budget_.Take(stop, id);
    return stop != Stop::kGoesOn;
  };
}

// The files that calls of `$write` wrote in this session.
std::vector<std::pair<std::string, std::string>> Runtime::WrittenFiles() {
  std::vector<std::pair<std::string, std::string>> out;
  Pool& pool = engine_.pool;
  for (const std::uint32_t arity : {2U, 3U}) {
    const RelationId tool = engine_.store.Find(Space::kTool, "write", arity);
    if (tool == kNoId) continue;
    const Relation& calls = engine_.store.at(tool);
    for (RowId row = 0; row < calls.size(); ++row) {
      const Value meta = calls.Meta(row);
      if (meta.kind() != Kind::kMap) continue;
      const Value path = pool.Lookup(meta, pool.Keyword("result"));
      const Value hash = pool.Lookup(meta, pool.Keyword("hash"));
      if (path.kind() == Kind::kString && hash.kind() == Kind::kString)
        out.emplace_back(pool.TextOf(path), pool.TextOf(hash));
    }
  }
  return out;
}

// What the program does with an answer to a heading decides what it may be (decision 81).
void Runtime::TakeUse(const OpenCall& call, Request& to) const {
  const HeadingUse& use = engine_.analysis.UseOf(call.relation);
  const auto column = static_cast<std::size_t>(call.column);
  if (column < use.arguments.size()) {
    to.takes = use.arguments[column].takes;
  }
  const Collected& heading = *engine_.program.FindCollected(call.relation);
  Bound known;  // what the call knows stands in the prose
  for (std::size_t i = 0; i < call.args.size(); ++i)
    if (!call.args[i].is_none())
      known.emplace(engine_.program.QuestionOf(heading, i).name, call.args[i]);
  const Question& question = engine_.program.QuestionOf(heading, column);
  if (question.words != nullptr && !known.empty())
    to.prompt = Filled(engine_.pool, *question.words, known, heading.span).AsQuestion();
  std::string rest;  // of what the call knows, the prose says nothing
  for (const auto& [name, value] : known)
    if (question.words == nullptr || !question.words->Names(name))
      rest += (rest.empty() ? "" : ", ") + name + ": " + SetApart(PlainText(engine_.pool, value));
  if (!rest.empty()) to.prompt += (to.prompt.empty() ? "(" : " (") + rest + ")";
  if (!use.many) return;
  for (std::size_t i = 0; i < call.args.size(); ++i)
    if (call.args[i].is_none()) to.row.push_back(engine_.program.QuestionOf(heading, i).name);
  if (to.row.size() == 1) return;
  to.name = std::string(engine_.pool.TextOf(engine_.store.at(call.relation).label()));
  to.options.clear();
  to.kind = Request::Kind::kAsk;
  to.takes = Takes::kAny;
}

// A host may answer for somebody else if who started the run says so.
Answer Runtime::WhoseAnswer(Answer answer) const {
  answer.vouched = answer.by == By::kHost && options_.answers_by.has_value();
  if (answer.vouched) answer.by = *options_.answers_by;
  return answer;
}

// The calls of one plan go out together, after a decision about each in written order; replies are
// taken in that order.
void Runtime::CallTools(const std::vector<const OpenCall*>& asked) {
  std::vector<const OpenCall*> calls;
  for (const OpenCall* call : asked)
    if (permission_.Admits(*call)) calls.push_back(call);
  if (calls.empty()) return;
  Journal* const journal = options_.journal;
  std::vector<Request> requests;
  std::vector<std::string> names;
  for (const OpenCall* call : calls) {
    requests.push_back(RequestFor(*call));
    names.push_back(requests.back().id);
    if (journal != nullptr) journal->Call(names.back(), requests.back().tool);
    LogDispatched(requests.back(), call->place);
  }
  std::vector<Answer> replies(calls.size());
  std::vector<std::optional<std::chrono::steady_clock::time_point>> started(calls.size());
  const auto took = [&](std::size_t i) -> std::optional<std::chrono::milliseconds> {
    if (!started[i] || !options_.now.empty()) return std::nullopt;  // the clock stands still
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 *started[i]);
  };
  std::vector<bool> stopped(calls.size());
  if (journal != nullptr) {
    do TakeRecorded(calls, names, requests, replies);
    while (permission_.AdmitsAgain(calls, replies, stopped));
  }
  if (journal == nullptr || journal->live()) {
    std::vector<std::size_t> open;
    std::vector<Request> rest;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (replies[i].kind != Answer::Kind::kNobody || stopped[i]) continue;
      open.push_back(i);
      rest.push_back(requests[i]);
      if (journal == nullptr) continue;
      rest.back().in_doubt = journal->InDoubt(names[i]);
      if (rest.back().in_doubt)  // somebody has to say what became of it
        rest.back().admits |=
            RowsBy::Bit(By::kPerson) | RowsBy::Bit(By::kHost) | RowsBy::Bit(By::kModel);
      rest.back().starting = [&, i] {
        started[i] = std::chrono::steady_clock::now();
        return journal->Started(names[i], requests[i].tool);
      };
      rest.back().finished = [&, i](const Answer& given) {
        const Answer answer = source_feed_.Received(*calls[i], WhoseAnswer(given));
        journal->Reply(names[i], answer, engine_.pool, inbox_.EntryToCome(*calls[i], answer),
                       took(i));
        replies[i] = answer;
      };
    }
    for (std::size_t k = 0; recorder_.Tells() && k < open.size(); ++k)
      recorder_.Event(
          "tool-call",
          {{"id", names[open[k]]}, {"tool", rest[k].tool}, {"args", JsonOf(rest[k].args)}});
    std::vector<Answer> answers = agent_.Call(rest, engine_.pool);
    for (std::size_t k = 0; k < open.size(); ++k) {
      Answer& reply = replies[open[k]];
      const bool kept = reply.kind != Answer::Kind::kNobody;
      if (!kept) reply = source_feed_.Received(*calls[open[k]], WhoseAnswer(std::move(answers[k])));
      const bool given_up = budget_.IsCutOff() && reply.kind == Answer::Kind::kNotRun;
      if (!MayAnswer(rest[k], reply)) recorder_.Log(Verb::kRefused, rest[k].id);
      if (given_up || !MayAnswer(rest[k], reply)) reply = {};
      if (reply.kind == Answer::Kind::kNobody) continue;
      recorder_.Reply("result", names[open[k]], reply, engine_.pool);
      if (journal != nullptr && !kept)
        journal->Reply(names[open[k]], reply, engine_.pool,
                       inbox_.EntryToCome(*calls[open[k]], reply), took(open[k]));
    }
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (requests[i].pushed && SaysChanged(engine_.pool, replies[i])) {
      source_feed_.EndPushFor(requests[i].id);
      continue;
    }
    replies[i].source.reset();  // the feed has its facts
    if (replies[i].kind != Answer::Kind::kNobody) calls_.replies.push_back({*calls[i], replies[i]});
  }
}

// The recorded replies of calls; the text of a source that was recorded as a query is read again.
void Runtime::TakeRecorded(const std::vector<const OpenCall*>& calls,
                           const std::vector<std::string>& names,
                           const std::vector<Request>& requests, std::vector<Answer>& replies) {
  Journal& journal = *options_.journal;
  std::vector<Journal::Recorded> recorded;
  while (auto next = journal.NextReply(names, engine_.pool)) recorded.push_back(std::move(*next));
  std::vector<RecordedRead> reads;
  std::vector<SourceText*> texts;
  for (Journal::Recorded& reply : recorded) {
    if (!reply.answer.source || !reply.answer.source->query) continue;
    reads.push_back({requests[reply.call], *reply.answer.source->query});
    texts.push_back(&*reply.answer.source);
  }
  if (!reads.empty() && journal.broken().empty()) {
    std::vector<RecordedText> read = agent_.ReadRecorded(reads, engine_.pool);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      texts[i]->text = std::move(read[i].text);
      if (!read[i].failure.empty())
        journal.Break(fmt::format(
            "the source of {} cannot be had as it was: {}; the session has a digest of its rows in "
            "place of them (`record: query`): give it back its rows, or begin another session",
            reads[i].request.id, read[i].failure));
    }
  }
  for (Journal::Recorded& reply : recorded) {
    if (!journal.broken().empty()) reply.answer.source.reset();
    replies[reply.call] = source_feed_.Recorded(*calls[reply.call], std::move(reply.answer));
  }
}

// True if it has an answer, or was refused one; not if it waits for what a guard rests on.
bool Runtime::Ask(const OpenCall& call) {
  const std::size_t awaited = calls_.awaited.size();
  if (call.space == Space::kTool && !permission_.Admits(call))
    return calls_.awaited.size() == awaited;
  const Request request = RequestFor(call);
  if (budget_.IsCutOff()) return true;  // some of the choices are not known
  const auto entry_of = [&](const Answer& answer) { return inbox_.EntryToCome(call, answer); };
  const auto answer = Put(request, entry_of, &call);
  if (answer) calls_.replies.push_back({call, *answer});
  return answer.has_value();
}

// Whether the party that gave an answer may (decision 92).
bool Runtime::MayAnswer(const Request& request, const Answer& answer) const {
  const bool of_command = request.kind == Request::Kind::kTool && answer.prepared;
  const bool none = answer.kind == Answer::Kind::kNobody || answer.kind == Answer::Kind::kNotRun;
  return of_command || none || !options_.door || request.Admits(answer.by);
}

// Puts a question to the agent, or takes the recorded answer; nullopt if there is none. `call`: the
// one that asks; null for a decision about a failure.
std::optional<Answer> Runtime::Put(const Request& request, const EntryOf& entry_of,
                                   const OpenCall* call) {
  const std::string& name = request.id;
  Journal* const journal = options_.journal;
  if (journal != nullptr) journal->Call(name, "");
  LogDispatched(request, call == nullptr ? std::nullopt : std::optional(call->place));
  if (recorder_.Tells()) {
    ordered_json told = {{"id", name},
                         {"key", request.name},
                         {"kind", request.kind == Request::Kind::kChoose ? "choose" : "ask"},
                         {"prompt", request.prompt},
                         {"options", JsonOf(request.options)},
                         {"place", request.place}};
    if (!request.row.empty()) told["row"] = request.row;
    recorder_.Event("question", std::move(told));
  }
  if (journal != nullptr) {
    if (const auto recorded = journal->NextReply({name}, engine_.pool)) return recorded->answer;
    if (!journal->live()) return std::nullopt;  // recorded without an answer
  }
  for (std::string refused;;) {
    Answer answer = WhoseAnswer(agent_.Answer(request, engine_.pool, refused));
    if (answer.kind == Answer::Kind::kNobody) return std::nullopt;
    if (!MayAnswer(request, answer)) {
      const Refused why = call != nullptr
                              ? door_->RefusedAnswer(*call, answer.by)
                              : Refused{"a decision about a failure is a person's",
                                        "decide at a terminal, or with `--answer what-now=…`"};
      recorder_.Log(Verb::kRefused, request.id);
      refused = why.reason + "; " + why.hint;
      continue;
    }
    if (answer.kind == Answer::Kind::kValue) {
      TakenReply taken = TakeReply(request, answer.value, engine_.pool);
      if (!taken.refused.empty()) {
        recorder_.Log(Verb::kRefused, Text(engine_.pool, answer.value) + " for " + request.id);
        refused = std::move(taken.refused);
        continue;
      }
      answer.value = taken.value;
    }
    if (journal != nullptr)
      journal->Reply(name, answer, engine_.pool, entry_of(answer), std::nullopt,
                     call == nullptr ? HeadingPart{} : inbox_.PartOf(*call));
    recorder_.Reply("answer", name, answer, engine_.pool);
    return answer;
  }
}

}  // namespace rpl
