// SPDX-License-Identifier: Apache-2.0
//
// The parts of a run for tests of one of them: there is no session, and a timestep is what the test
// does.
#ifndef RPL_RUNTIME_TESTING_RUN_PARTS_H_
#define RPL_RUNTIME_TESTING_RUN_PARTS_H_

#include <string>
#include <utility>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/eval/engine.h"
#include "interp/eval/solver.h"
#include "interp/testing/testing.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/door.h"
#include "runtime/facts/fact_writer.h"
#include "runtime/facts/goal_record.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/said.h"
#include "runtime/facts/source_feed.h"
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
#include "runtime/step/run_parts.h"
#include "runtime/step/step_state.h"
#include "runtime/step/violations.h"

namespace rpl::testing {

struct RunParts : rpl::RunParts {
  explicit RunParts(const Ports& with) : rpl::RunParts(with, {}) { budget.Begin(); }

  /// Loads a document, and takes it in.
  void Load(const std::string& text, const std::string& name = "p.md") {
    const std::uint32_t file = engine.sources.Add(name, text);
    inbox.Put(ReadDocument(engine.sources, file, findings, FactForm::kPlain), From::kDocument,
              By::kProgram, findings);
    TakeIn();
  }
  /// Says a message. Returns why it is refused, or "".
  std::string Say(const std::string& text, By by) {
    const std::uint32_t file = engine.sources.Add("said", text);
    const std::optional<Refused> refused = inbox.PutSaid(
        ReadDocument(engine.sources, file, findings, FactForm::kPlain), by, true, findings);
    return refused ? refused->reason : "";
  }
  /// Phases 1 to 3 of the next timestep, without constraints.
  void TakeIn() {
    budget.Begin();
    recorder.BeginTimestep();
    recorder.SetPhase(1);
    inbox.TakeReplies();
    recorder.SetPhase(2);
    inbox.TakeNovelty();
    engine.Prepare();
    source_feed.PushDown(pursuit.query());
    Derive();
    recorder.SetPhase(3);
  }
  void Derive() {
    engine.solver.Begin(
        {engine.pool.String("2026-01-01T00:00:00Z"), calls.declined, calls.refused});
    engine.Derive();
  }
  /// The same with phases 4 to 7.
  StepState Pursue() {
    StepState step;
    TakeIn();
    pursuit.Recheck();
    recorder.SetPhase(4);
    pursuit.Activate();
    recorder.SetPhase(5);
    pursuit.Choose(step);
    recorder.SetPhase(6);
    pursuit.Record(step);
    recorder.SetPhase(7);
    Derive();
    pursuit.TakeFindings(step, constraints.Settle(step.standing, step.goal_violations));
    recorder.SetPhase(8);
    return step;
  }

  OpenCall Tool(const std::string& label, std::vector<Value> args) {
    OpenCall out;
    out.relation =
        engine.store.Declare(Space::kTool, label, static_cast<std::uint32_t>(args.size()));
    out.args = std::move(args);
    return out;
  }
  /// The question for one argument of a heading; those that are open are none.
  OpenCall Heading(const std::string& label, std::vector<Value> args, int column) {
    OpenCall out;
    out.space = Space::kRelation;
    out.relation = Find(label, static_cast<std::uint32_t>(args.size()));
    out.args = std::move(args);
    out.column = column;
    out.question =
        engine.program.FindCollected(out.relation)->questions[static_cast<std::size_t>(column)];
    return out;
  }
  Value Text(const std::string& text) { return engine.pool.String(text); }
  rpl::Answer Answered(Value value, By by) {
    rpl::Answer out;
    out.kind = rpl::Answer::Kind::kValue;
    out.value = value;
    out.by = by;
    return out;
  }
  RelationId Find(const std::string& name, std::uint32_t arity) const {
    return engine.store.Find(Space::kRelation, name, arity);
  }
  /// Rows of a relation after quiescence, in id order.
  std::string Derived(const std::string& name, std::uint32_t arity) {
    engine.Quiesce();
    return Rows(engine.store, Find(name, arity));
  }
  /// Each entry as "PHASE TEXT".
  std::string TraceText() const {
    std::string out;
    for (const TraceEntry& entry : recorder.trace())
      out += std::to_string(entry.phase) + " " + entry.text + "\n";
    return out;
  }

  Diagnostics findings;
};

}  // namespace rpl::testing

#endif  // RPL_RUNTIME_TESTING_RUN_PARTS_H_
