// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/run_parts.h"

#include <utility>

#include "formats/diagnostic.h"
#include "interp/eval/engine.h"
#include "interp/eval/solver.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/door.h"
#include "runtime/facts/fact_writer.h"
#include "runtime/facts/goal_record.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/said.h"
#include "runtime/facts/source_feed.h"
#include "runtime/gate_setup.h"
#include "runtime/ports.h"
#include "runtime/record/journal.h"
#include "runtime/session_options.h"
#include "runtime/step/answer_writer.h"
#include "runtime/step/call_permission.h"
#include "runtime/step/constraint_check.h"
#include "runtime/step/dispatch.h"
#include "runtime/step/goal_pursuit.h"
#include "runtime/step/inbox.h"
#include "runtime/step/judge.h"
#include "runtime/step/request_writer.h"
#include "runtime/step/violations.h"

namespace rpl {

struct RunParts::Owned {
  Owned(const Ports& ports, SessionOptions with);

  SessionOptions options;
  Recorder recorder{options};
  Sources sources;
  interp::Engine engine{sources};
  Budget budget{engine, options};
  Derivations derivations{engine};
  CallBook calls;
  GoalRecord goals;
  SaidQueue novelty;
  FactWriter facts{engine, budget, goals, derivations, options.door};
  Violations violations{engine, recorder, derivations};
  ConstraintCheck constraints{engine, options, recorder, budget, facts, derivations, violations};
  AnswerWriter answers{engine, options, budget};
  CallPermission permission;
  Door door;
  SourceFeed source_feed;
  Inbox inbox;
  RequestWriter requests;
  GoalPursuit pursuit;
  Dispatch dispatch;
  Judge judge;
};

RunParts::Owned::Owned(const Ports& ports, SessionOptions with)
    : options(std::move(with)),
      permission(engine, options, calls, recorder, derivations,
                 {.state = [this](Assertion fact) { inbox.Put(std::move(fact)); },
                  .fail =
                      [this](const std::string& reason, const std::string& explanation) {
                        return RecordFailure(goals, recorder, reason, explanation);
                      }}),
      door(engine, recorder.trace(), options.gate != nullptr && options.gate->guard != nullptr),
      source_feed({engine, options, ports.access, recorder, calls, facts, novelty, door,
                   [this](const OpenCall& call) { return requests.CallFor(call); }}),
      inbox({engine, options, recorder, derivations, calls, permission, facts, source_feed, goals,
             novelty, door}),
      requests(engine, options, budget, door, source_feed, ports.tools),
      pursuit({engine, options, recorder, budget, derivations, goals, calls, source_feed, answers}),
      dispatch(ports.chat,
               {engine, options, ports.tools, ports.access, recorder, budget, calls, permission,
                source_feed, inbox, requests},
               {engine, options, ports.people, recorder, budget, goals, calls, permission, inbox,
                door, requests, violations, derivations}),
      judge({engine, options, recorder, goals, budget, calls, permission, requests, violations}) {
  engine.limits.threads = options.threads;
  engine.limits.profile = options.profile;
  engine.solver.Resume(options.long_loop);
  if (Journal* const journal = options.journal; journal != nullptr) {
    for (const Attempt& attempt : journal->attempts()) calls.attempts.Take(attempt);
    calls.attempts.SetSink([journal](const Attempt& attempt) { return journal->Tried(attempt); });
  }
}

RunParts::RunParts(const Ports& ports, SessionOptions with)
    : RunParts(std::make_unique<Owned>(ports, std::move(with))) {}

RunParts::RunParts(std::unique_ptr<Owned> owned)
    : owned_(std::move(owned)),
      options(owned_->options),
      recorder(owned_->recorder),
      sources(owned_->sources),
      engine(owned_->engine),
      budget(owned_->budget),
      derivations(owned_->derivations),
      calls(owned_->calls),
      goals(owned_->goals),
      novelty(owned_->novelty),
      facts(owned_->facts),
      violations(owned_->violations),
      constraints(owned_->constraints),
      permission(owned_->permission),
      door(owned_->door),
      source_feed(owned_->source_feed),
      inbox(owned_->inbox),
      requests(owned_->requests),
      pursuit(owned_->pursuit),
      dispatch(owned_->dispatch),
      judge(owned_->judge) {}

RunParts::~RunParts() = default;

}  // namespace rpl
