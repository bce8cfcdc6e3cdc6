// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/call_dispatch.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "interp/eval/engine.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/source_feed.h"
#include "runtime/ports.h"
#include "runtime/record/journal.h"
#include "runtime/step/call_permission.h"
#include "runtime/step/inbox.h"
#include "runtime/step/request_writer.h"
#include "runtime/wire/request_json.h"

namespace rpl {
namespace {

// Whether a database cannot evaluate a relation any more: its sources are read instead.
bool SaysChanged(Pool& pool, const Answer& answer) {
  return answer.kind == Answer::Kind::kNotRun &&
         pool.Lookup(answer.value, pool.Keyword("code")) == pool.String("changed");
}

}  // namespace

struct CallDispatch::Going {
  std::vector<const OpenCall*> calls;
  std::vector<ToolCall> requests;
  std::vector<std::string> names;  // their ids
  std::vector<Answer> replies;
  std::vector<bool> stopped;  // cut off before, and may not be started again
};

void CallDispatch::Make(const std::vector<const OpenCall*>& calls) {
  Going going;
  for (const OpenCall* call : calls)
    if (run_.permission.Admits(*call)) going.calls.push_back(call);
  if (going.calls.empty()) return;
  Journal* const journal = run_.options.journal;
  for (const OpenCall* call : going.calls) {
    const ToolCall& request = going.requests.emplace_back(run_.requests.CallFor(*call));
    going.names.push_back(request.id);
    if (journal != nullptr) journal->Call(request.id, request.tool);
    run_.recorder.Dispatched(request, call->place);
  }
  going.replies.resize(going.calls.size());
  going.stopped.resize(going.calls.size());
  if (journal != nullptr) {
    do TakeRecorded(going);
    while (run_.permission.AdmitsAgain(going.calls, going.replies, going.stopped));
  }
  if (journal == nullptr || journal->live()) Send(going);
  for (std::size_t i = 0; i < going.calls.size(); ++i) {
    Answer& reply = going.replies[i];
    if (going.requests[i].pushed && SaysChanged(engine_.pool, reply)) {
      run_.sources.EndPushFor(going.names[i]);
      continue;
    }
    reply.source.reset();  // the feed has its facts
    if (reply.kind != Answer::Kind::kNobody) run_.calls.replies.push_back({*going.calls[i], reply});
  }
}

// The recorded replies of calls; the text of a source that was recorded as a query is read again.
void CallDispatch::TakeRecorded(Going& going) {
  Journal& journal = *run_.options.journal;
  std::vector<Journal::Recorded> recorded;
  for (;;) {
    journal.TakeAttempts(run_.calls.attempts);
    auto next = journal.NextReply(going.names, engine_.pool);
    if (!next) break;
    recorded.push_back(*std::move(next));
  }
  std::vector<RecordedRead> reads;
  std::vector<SourceText*> texts;
  for (Journal::Recorded& reply : recorded) {
    if (!reply.answer.source || !reply.answer.source->query) continue;
    reads.push_back({going.requests[reply.call], *reply.answer.source->query});
    texts.push_back(&*reply.answer.source);
  }
  if (!reads.empty() && journal.broken().empty()) {
    std::vector<RecordedText> read = run_.access.ReadRecorded(reads, engine_.pool);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      texts[i]->text = std::move(read[i].text);
      if (!read[i].failure.empty())
        journal.Break(fmt::format(
            "the source of {} cannot be had as it was: {}; the session has a digest of its rows in "
            "place of them (`record: query`): give it back its rows, or begin another session",
            reads[i].call.id, read[i].failure));
    }
  }
  for (Journal::Recorded& reply : recorded) {
    if (!journal.broken().empty()) reply.answer.source.reset();
    going.replies[reply.call] =
        run_.sources.Recorded(*going.calls[reply.call], std::move(reply.answer));
  }
}

// Sends the calls that have no reply to the tools. A reply is recorded as soon as it arrives.
void CallDispatch::Send(Going& going) {
  using Clock = std::chrono::steady_clock;
  Journal* const journal = run_.options.journal;
  std::vector<std::optional<Clock::time_point>> started(going.calls.size());
  const auto record = [&](std::size_t i, const Answer& answer) {
    std::optional<std::chrono::milliseconds> took;
    if (started[i] && run_.options.now.empty())  // else the clock stands still
      took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - *started[i]);
    journal->Reply(going.names[i], answer, engine_.pool,
                   run_.inbox.EntryToCome(*going.calls[i], answer), took);
  };
  const auto received = [&](std::size_t i, Answer given) {
    return run_.sources.Received(*going.calls[i], run_.requests.WhoseAnswer(std::move(given)));
  };
  std::vector<std::size_t> open;
  std::vector<ToolCall> rest;
  for (std::size_t i = 0; i < going.calls.size(); ++i) {
    if (going.replies[i].kind != Answer::Kind::kNobody || going.stopped[i]) continue;
    open.push_back(i);
    ToolCall& request = rest.emplace_back(going.requests[i]);
    if (request.tool == "index") request.attempts = &run_.calls.attempts;
    if (journal == nullptr) continue;
    request.in_doubt = journal->InDoubt(going.names[i]);
    if (request.in_doubt)  // somebody has to say what became of it
      request.admits |= PartyBit(By::kPerson) | PartyBit(By::kHost) | PartyBit(By::kModel);
    request.starting = [&, i] {
      started[i] = Clock::now();
      return journal->Started(going.names[i], going.requests[i].tool);
    };
    request.finished = [&, i](const Answer& given) {
      going.replies[i] = received(i, given);
      record(i, going.replies[i]);
    };
  }
  for (const ToolCall& call : rest)
    run_.recorder.Event("tool-call", [&] { return ToolCallFields(call, engine_.pool); });
  std::vector<Answer> answers = run_.tools.Call(rest, engine_.pool);
  for (std::size_t k = 0; k < open.size(); ++k) {
    Answer& reply = going.replies[open[k]];
    const bool kept = reply.kind != Answer::Kind::kNobody;
    if (!kept) reply = received(open[k], std::move(answers[k]));
    const bool may = run_.requests.MayAnswer(rest[k], reply);
    if (!may) run_.recorder.Log(LogLine::Verb::kRefused, rest[k].id);
    if (!may || (run_.budget.IsCutOff() && reply.kind == Answer::Kind::kNotRun)) reply = {};
    if (reply.kind == Answer::Kind::kNobody) continue;
    run_.recorder.Reply("result", rest[k].id, reply, engine_.pool);
    if (journal != nullptr && !kept) record(open[k], reply);
  }
}

}  // namespace rpl
