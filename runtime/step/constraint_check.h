// SPDX-License-Identifier: Apache-2.0
//
// The check of constraints after rows were derived (§12.2, decision 42): live in phase 3; in phase
// 7 their ground instances become entries of the trace, and what they forbid a violation.
//
// Owns which instances are in the trace. Borrows the rest. One thread.
#ifndef RPL_RUNTIME_STEP_CONSTRAINT_CHECK_H_
#define RPL_RUNTIME_STEP_CONSTRAINT_CHECK_H_

#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/store/relation_id.h"
#include "interp/store/value.h"
#include "runtime/log.h"
#include "runtime/step/part_names.h"

namespace rpl {

struct Assertion;
struct Atom;
struct Clause;
struct ClauseRead;
struct Constraint;
struct Violation;

/// Calls `fn` for each read of the clauses that these rest on: their own, those within them, and
/// those of the rules of relations and goals that they read, each rule once.
void ForEachRead(const interp::Engine& engine,
                 std::initializer_list<const std::vector<Clause>*> clauses,
                 const std::function<void(const ClauseRead&)>& fn);

class ConstraintCheck {
 public:
  ConstraintCheck(interp::Engine& engine, const SessionOptions& options, Recorder& recorder,
                  Budget& budget, const FactWriter& facts, const Derivations& derivations,
                  const Violations& violations);

  /// In phase 3: what rules violated while rows were derived.
  Findings Live();
  /// In phase 7: all of it, for a goal with this standing; `of_goal`: what the rules that were
  /// evaluated for it violated. A query is not held back by a constraint that lacks an answer, if
  /// it reads nothing that the constraint reads (decision 83).
  Findings Settle(GoalStanding standing, const std::vector<Violation>& of_goal,
                  const Definition* query = nullptr);

 private:
  using Verb = LogLine::Verb;
  void OfRules(const std::vector<Violation>& found, Findings& out);
  void EvaluateRules(Findings& out);
  void CheckOne(const Constraint& c, GoalStanding standing, const Definition* query, Findings& out);
  void Take(const Constraint& c, const std::vector<Value>& slots, std::optional<bool> holds,
            Findings& out);
  bool Stops(const std::string& text, Findings& out);
  void Violate(Violated v, Findings& out);
  std::optional<std::vector<Value>> RowOf(const Atom& atom, const std::vector<Value>& slots) const;
  std::vector<Assertion> AssertedOf(const Constraint& c, const std::vector<Value>& slots) const;
  std::vector<std::pair<RelationId, std::vector<Value>>> FactsOf(
      const Constraint& c, const std::vector<Value>& slots) const;
  std::vector<std::string> RowsOf(const Constraint& c, const std::vector<Value>& slots) const;

  interp::Engine& engine_;
  const SessionOptions& options_;
  Recorder& recorder_;
  Budget& budget_;
  const FactWriter& facts_;
  const Derivations& derivations_;
  const Violations& violations_;
  std::set<std::pair<int, std::string>> traced_;  // by constraint, their bindings
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_CONSTRAINT_CHECK_H_
