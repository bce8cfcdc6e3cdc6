// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_check.h"

#include <algorithm>
#include <functional>

#include "interp/eval/profile.h"
#include "interp/eval/solver.h"
#include "interp/program/builtins.h"
#include "interp/store/store.h"

namespace rpl {

// Whether the constraint reads a relation that describes the host, of that label, or, for "", any.
bool HostCheck::Reaches(const Constraint& c, std::string_view only) const {
  std::set<RelationId> seen;
  std::vector<RelationId> work;
  bool found = false;
  const std::function<void(const Clauses&)> look = [&](const Clauses& clauses) {
    for (const Clause& clause : clauses) {
      if (const auto* atom = clause.As<Atom>()) {
        const RelationId base = engine_.store.BaseOf(atom->relation);
        if (seen.insert(base).second) work.push_back(base);
      }
      ForEachBody(clause, look);
    }
  };
  look(c.left);
  if (only.empty()) look(c.right);
  while (!work.empty() && !found) {
    const RelationId relation = work.back();
    work.pop_back();
    const Relation& rel = engine_.store.at(relation);
    found = rel.space() == Space::kRelation && DescribesHost(rel.name(), rel.arity()) &&
            (only.empty() || rel.name() == only);
    for (const Definition& def : engine_.program.definitions())
      if (def.head != kNoId && engine_.store.BaseOf(def.head) == relation)
        look(def.activation), look(def.body);
  }
  return found;
}

// A relation that describes the host and has facts or rules of the program; "" if there is none.
std::string HostCheck::StatedOfHost() const {
  for (RelationId r = 0; r < engine_.store.size(); ++r) {
    const Relation& rel = engine_.store.at(r);
    if (rel.space() == Space::kRelation && DescribesHost(rel.name(), rel.arity()) &&
        (!rel.empty() || engine_.program.HasRules(r)))
      return rel.name();
  }
  return "";
}

void HostCheck::BeginAt(std::optional<std::int64_t> entry) {
  run_.options.host->ReadAt(entry);
  engine_.solver.Begin({.now = run_.now,
                        .declined = run_.calls.declined,
                        .refused = run_.calls.refused,
                        .host = run_.options.host});
}

// What holds of a constraint now. `finding`, if not null, gets why it is undecided.
HostCheck::State HostCheck::StateOf(const Constraint& c, HostFinding* finding,
                                    std::vector<Violated>& violated) {
  State out;
  const auto take = [&](const std::vector<Value>& slots, Solver::Judgement verdict) {
    out.undecided = out.undecided || verdict == Solver::Judgement::kLacks ||
                    verdict == Solver::Judgement::kUndecided;
    if (verdict != Solver::Judgement::kViolated) return;
    std::vector<Value> bindings;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (c.slots[i].empty() || slots[i].is_none() || slots[i] == kUnknown) continue;
      bindings.push_back(engine_.pool.Slot(c.slots[i]));
      bindings.push_back(slots[i]);
    }
    std::string text = run_.derivations.BindingsText(bindings, kDerivationBytes);
    if (!out.violated.insert(text).second) return;
    violated.push_back({&c, std::move(text), std::move(bindings), {}, {}});
  };
  const Undecided undecided = engine_.solver.CheckConstraint(c, take);
  const std::vector<OpenCall> waits = engine_.solver.TakeCalls();
  out.undecided = out.undecided || undecided.lacks != 0 || !waits.empty();
  if (finding == nullptr || !out.undecided) return out;
  for (const OpenCall& call : waits) finding->questions.push_back(run_.requests.For(call));
  const Evaluation& found = engine_.solver.found();
  if (!found.undefined.empty()) finding->why = found.undefined;
  else if (found.declined) finding->why = "declined: " + engine_.solver.CallText(*found.declined);
  return out;
}

// The heading and prose; without a heading, the constraint as its author wrote it.
ToDo HostCheck::WordsOf(const Violated& v) const {
  if (std::optional<ToDo> words = run_.violations.WordsOf(v)) return *words;
  const Constraint& c = *v.constraint;
  return {c.heading.empty() ? c.text : c.heading, "", {}, c.span};
}

HostFindings HostCheck::Check() {
  HostFindings out;
  if (std::string label = StatedOfHost(); !label.empty()) {
    out.stop = "the program states `" + label + "`, which only the engine states";
    return out;
  }
  const std::int64_t event = run_.options.host->last();
  for (const Constraint& c : engine_.program.constraints()) {
    if (c.left.empty() || !Reaches(c, "")) continue;
    const std::size_t known = out.found.size();
    std::vector<Violated> before, violated;
    State without;
    // Without the event, nothing is under decision.
    if (!Reaches(c, "std#decides") && !Reaches(c, "std#turn-ends")) {
      BeginAt(event - 1);
      without = StateOf(c, nullptr, before);
    }
    BeginAt(std::nullopt);
    HostFinding undecided;
    const State with = StateOf(c, &undecided, violated);
    for (const Violated& v : violated) {
      if (without.violated.contains(v.bindings)) continue;
      if (run_.violations.IsAccepted(v)) {
        out.overridden.push_back(WordsOf(v));
        continue;
      }
      out.found.push_back({.violated = true,
                           .words = WordsOf(v),
                           .with = run_.violations.ValuesOf(v),
                           .questions = {},
                           .why = {}});
    }
    const bool holds_up =
        with.undecided && !without.undecided && out.found.size() == known;  // told once
    if (run_.options.profile != nullptr && (holds_up || out.found.size() > known))
      run_.options.profile->CountViolated(c);
    if (holds_up) {
      undecided.words = WordsOf({&c, "", {}, {}, {}});
      out.found.push_back(std::move(undecided));
    }
    if (engine_.solver.found().stop != Stop::kGoesOn) {
      out.stop = "a limit was reached: " + engine_.solver.found().stopped_at;
      return out;
    }
  }
  return out;
}

}  // namespace rpl
