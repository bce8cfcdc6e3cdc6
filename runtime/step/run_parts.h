// SPDX-License-Identifier: Apache-2.0
//
// The parts of a run, wired: each borrows from those before it. Runtime is the order in which they
// work; a test of one of them has the same wiring, without a session.
#ifndef RPL_RUNTIME_STEP_RUN_PARTS_H_
#define RPL_RUNTIME_STEP_RUN_PARTS_H_

#include "formats/diagnostic.h"
#include "interp/eval/engine.h"
#include "runtime/agent.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/door.h"
#include "runtime/facts/fact_writer.h"
#include "runtime/facts/goal_record.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/said.h"
#include "runtime/facts/source_feed.h"
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

struct RunParts {
  /// Borrows the agent.
  RunParts(Agent& from, SessionOptions with);
  RunParts(const RunParts&) = delete;

  Agent& agent;
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

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_RUN_PARTS_H_
