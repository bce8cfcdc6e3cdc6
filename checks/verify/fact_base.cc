// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/fact_base.h"

#include <cassert>
#include <utility>

#include "grammar/document.h"
#include "grammar/parser.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/explain/explain.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr std::size_t kAbsenceDepth = 4;

}  // namespace

FactBase::FactBase(Sources& sources, Limits limits) : engine_(sources, std::move(limits)) {}

Document FactBase::Load(const std::string& name, std::string text, Diagnostics& found) {
  const std::uint32_t file = engine_.sources.Add(name, std::move(text));
  Document document = ReadDocument(engine_.sources, file, found);
  const Novelty novelty = engine_.program.Load(document, found);
  for (const SourceSentence& source : novelty.sources)
    found.Add({Code::kUndeclaredTool, Severity::kError, source.span,
               "`$index` is not available here: a check reads its content alone",
               "give the rows as facts of the rules"});
  engine_.Assert(novelty);
  return document;
}

void FactBase::SetNow(std::string_view now) {
  engine_.solver.Begin({.now = engine_.pool.String(now)});
}

RelationId FactBase::Declare(std::string_view label, std::uint32_t arity) {
  return engine_.store.Declare(Space::kRelation, label, arity);
}

void FactBase::Add(RelationId relation, std::span<const Value> row, Span place) {
  assert(row.size() == engine_.store.at(relation).arity());
  engine_.store.Insert(relation, row, true, {.origin = &place});
}

Stop FactBase::Quiesce() {
  const Stop stop = engine_.Quiesce();
  stopped_at_ = engine_.fixpoint.stopped_at();
  return stop;
}

std::string FactBase::Problem(Stop stop) const {
  const std::string where = stopped_at_.empty() ? "" : " in `" + stopped_at_ + "`";
  switch (stop) {
    case Stop::kGoesOn: return "";
    case Stop::kRows: return "the limit of rows was reached" + where;
    case Stop::kRounds: return "the limit of rounds was reached" + where;
    case Stop::kDepth: return "the limit of nested calls was reached" + where;
    case Stop::kIterations: return "the limit of iterations was reached" + where;
    case Stop::kPlan: return "a rule has too many clauses and alternatives" + where;
    case Stop::kValue: return "the limit of a value was reached" + where;
    case Stop::kTime: return "the time is used up" + where;
    case Stop::kMemory: return "the memory is used up" + where;
    case Stop::kStack: return "the stack is used up" + where;
    case Stop::kInterrupted: return "it was interrupted";
  }
  return "";
}

FactBase::Checked FactBase::Check(const Constraint& constraint) {
  for (std::size_t calls = 0;; ++calls) {
    std::vector<OpenCall> open;
    Checked checked = CheckOnce(constraint, open);
    if (open.empty() || calls == kMaxCalls || !CallTools(open)) return checked;
    if (const Stop stop = Quiesce(); stop != Stop::kGoesOn) return {{}, Problem(stop)};
  }
}

// Makes the calls that an evaluation left open; false if one of them has no caller.
bool FactBase::CallTools(const std::vector<OpenCall>& open) {
  for (const OpenCall& call : open) {
    const Relation& tool = engine_.store.at(call.relation);
    if (!tools_ || call.space != Space::kTool || IsQuestion(tool)) return false;
    const Value result =
        tools_(engine_.pool, std::string(engine_.pool.TextOf(tool.label())), call.args);
    if (result.is_none()) return false;
    engine_.store.Insert(call.relation, call.args, true, {.meta = result});
  }
  return true;
}

FactBase::Checked FactBase::CheckOnce(const Constraint& constraint, std::vector<OpenCall>& open) {
  Checked checked;
  engine_.solver.Forget();
  if (constraint.left.empty()) {
    // The constraint of a rule: its violations were found while deriving.
    for (const Violation& v : engine_.fixpoint.Violations()) {
      if (v.constraint != constraint.number) continue;
      Checked::Bindings& bindings = checked.violated.emplace_back();
      for (std::size_t i = 0; i + 1 < v.bindings.size(); i += 2)
        bindings.emplace_back(engine_.pool.TextOf(v.bindings[i]), v.bindings[i + 1]);
    }
    return checked;
  }
  bool undecided = false;
  const auto take = [&](const std::vector<Value>& slots, Solver::Judgement verdict) {
    undecided = undecided || verdict == Solver::Judgement::kUndecided ||
                verdict == Solver::Judgement::kLacks;
    if (verdict != Solver::Judgement::kViolated) return;
    Checked::Bindings& bindings = checked.violated.emplace_back();
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (!constraint.slots[i].empty() && IsPlainValue(slots[i]))
        bindings.emplace_back(constraint.slots[i], slots[i]);
  };
  const Undecided more = engine_.solver.CheckConstraint(constraint, take);
  const Evaluation found = engine_.solver.Take();
  open = found.calls;
  if (found.stop != Stop::kGoesOn) {
    stopped_at_ = constraint.text;
    checked.problem = Problem(found.stop);
  } else if (found.circle) {
    checked.problem = "`" + found.circle->text + "` needs itself";
  } else if (!found.calls.empty()) {
    checked.problem = "`" + engine_.solver.CallText(found.calls.front()) + "` has no answer";
  } else if (found.failed) {
    checked.problem = engine_.solver.FailureText(*found.failed, found.failure);
  } else if (undecided || more) {
    checked.problem = "it is undecided";
    if (!found.undefined.empty()) checked.problem += ": " + found.undefined;
  }
  return checked;
}

Explanation FactBase::Explain(const std::string& form) {
  Diagnostics ignored;
  const std::string text = "% <- " + form;
  const std::uint32_t file = engine_.sources.Add("<form>", text);
  const auto sentence =
      ParseSentence(engine_.sources, {file, 0, static_cast<std::uint32_t>(text.size())}, ignored);
  assert(sentence);
  const auto query = engine_.program.LowerQuery(*sentence, ignored);
  assert(query);
  engine_.solver.Forget();
  Explanation explanation;
  {
    Explainer explainer(engine_);
    ExplainedFacts why = explainer.Why(*query, {});
    explanation = why.proofs.empty() ? explainer.WhyNot(*query, kAbsenceDepth)
                                     : std::move(why.proofs.front());
  }
  engine_.solver.Forget();
  return explanation;
}

}  // namespace rpl
