// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/run_parts.h"

#include <utility>

#include "interp/eval/solver.h"
#include "runtime/gate_setup.h"
#include "runtime/record/journal.h"

namespace rpl {

RunParts::RunParts(Agent& from, SessionOptions with)
    : agent(from),
      options(std::move(with)),
      permission(engine, options, calls, recorder, derivations,
                 {.state = [this](Assertion fact) { inbox.Put(std::move(fact)); },
                  .fail =
                      [this](const std::string& reason, const std::string& explanation) {
                        return RecordFailure(goals, recorder, reason, explanation);
                      }}),
      door(engine, recorder.trace(), options.gate != nullptr && options.gate->guard != nullptr),
      source_feed({engine, options, agent, recorder, calls, facts, novelty, door,
                   [this](const OpenCall& call) { return requests.For(call); }}),
      inbox({engine, options, recorder, derivations, calls, permission, facts, source_feed, goals,
             novelty, door}),
      requests(engine, options, budget, door, source_feed, agent),
      pursuit({engine, options, recorder, budget, derivations, goals, calls, source_feed, answers}),
      dispatch(agent,
               {engine, options, agent, agent, recorder, budget, calls, permission, source_feed,
                inbox, requests},
               {engine, options, agent, recorder, budget, goals, calls, permission, inbox, door,
                requests, violations, derivations}),
      judge({engine, options, recorder, goals, budget, calls, permission, requests, violations}) {
  engine.limits.threads = options.threads;
  engine.limits.profile = options.profile;
  engine.solver.Resume(options.long_loop);
  if (Journal* const journal = options.journal; journal != nullptr) {
    for (const Attempt& attempt : journal->attempts()) calls.attempts.Take(attempt);
    calls.attempts.SetSink([journal](const Attempt& attempt) { return journal->Tried(attempt); });
  }
}

}  // namespace rpl
