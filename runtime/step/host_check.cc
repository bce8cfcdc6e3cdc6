// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/host_check.h"

#include <algorithm>
#include <functional>
#include <set>

#include "interp/eval/engine.h"
#include "interp/eval/evaluation.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver.h"
#include "interp/program/builtins.h"
#include "interp/program/library_reasons.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/derivation.h"
#include "runtime/session_options.h"
#include "runtime/step/constraint_check.h"
#include "runtime/step/request_writer.h"
#include "runtime/step/step_state.h"
#include "runtime/step/to_do.h"
#include "runtime/step/violations.h"

namespace rpl {

struct HostCheck::State {
  std::vector<Violated> violated;  // each once
  bool any = false;                // instances
  bool undecided = false;
  HostFinding doubt;  // if so
};

HostCheck::Reach HostCheck::ReachOf(const Constraint& c) const {
  Reach out = Reach::kNothing;
  const auto reach = [&](bool left) {
    return [&, left](const ClauseRead& read) {
      if (read.atom == nullptr) return;
      const Relation& rel = engine_.store.at(engine_.store.BaseOf(read.relation));
      if (rel.space() != Space::kRelation || !DescribesHost(rel.name(), rel.arity())) return;
      const bool event = rel.name() == "std#decides" || rel.name() == "std#turn-ends";
      out = std::max(out, left && event ? Reach::kEvent : Reach::kCalls);
    };
  };
  ForEachRead(engine_, {&c.left}, reach(true));
  ForEachRead(engine_, {&c.right}, reach(false));
  return out;
}

bool HostCheck::Binds() const {
  return std::ranges::any_of(engine_.program.constraints(),
                             [this](const Constraint& c) { return ReachOf(c) != Reach::kNothing; });
}

std::vector<WantedEvidence> HostCheck::EvidenceOf(const Clauses& clauses) const {
  std::vector<WantedEvidence> out;
  const Pool& pool = engine_.pool;
  const auto text = [&](const Pattern& part) -> std::optional<std::string> {
    if (part.kind != Pattern::Kind::kConstant || part.constant.kind() != Kind::kString)
      return std::nullopt;
    return std::string(pool.TextOf(part.constant));
  };
  ForEachRead(engine_, {&clauses}, [&](const ClauseRead& read) {
    const Atom* atom = read.atom;
    if (atom == nullptr || atom->args.size() != 3) return;
    if (engine_.store.at(engine_.store.BaseOf(atom->relation)).name() != "std#succeeded") return;
    const std::optional<std::string> program = text(atom->args[1]);
    if (!program) return;
    WantedEvidence wanted{*program, std::nullopt};
    const Pattern& last = atom->args[2];
    if (last.kind == Pattern::Kind::kConstant && last.constant.kind() == Kind::kList) {
      wanted.arguments.emplace();
      for (const Value word : pool.ItemsOf(last.constant))
        wanted.arguments->emplace_back(word.kind() == Kind::kString ? pool.TextOf(word) : "");
    }
    if (std::ranges::find(out, wanted) == out.end()) out.push_back(std::move(wanted));
  });
  return out;
}

// The relations that the constraint reads, without `std#`, of which not all rows may be known.
std::vector<std::string> HostCheck::OpenReadsOf(const Constraint& c) const {
  std::vector<std::string> out;
  ForEachRead(engine_, {&c.left, &c.right}, [&](const ClauseRead& read) {
    if (read.atom == nullptr) return;
    const Relation& rel = engine_.store.at(engine_.store.BaseOf(read.relation));
    if (rel.space() != Space::kRelation || !HasOpenRows(rel.name(), rel.arity() - 1)) return;
    std::string name = rel.name().substr(std::string_view("std#").size());
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  });
  return out;
}

// Why nothing can be decided by the program, or "": it states what only the engine states, or reads
// of the library what that does not have, so that a constraint would never apply.
std::string HostCheck::WhyUnfit() const {
  const Store& store = engine_.store;
  for (RelationId r = 0; r < store.size(); ++r) {
    const Relation& rel = store.at(r);
    const RelationId base = store.BaseOf(r);
    if (rel.space() != Space::kRelation || !IsOfLibrary(rel.name())) continue;
    const bool stated = !rel.empty() || engine_.program.HasRules(base);
    if (stated && DescribesHost(rel.name(), rel.arity()))
      return "the program states `" + rel.name() + "`, which only the engine states";
    if (!stated && engine_.program.FindBuiltin(base) == nullptr)
      return "the program reads `" + rel.name() + "` with " + std::to_string(rel.arity()) +
             " arguments, which the library does not have";
  }
  return "";
}

// What holds of a constraint in the log as it was at an entry.
HostCheck::State HostCheck::StateAt(std::optional<std::int64_t> entry, const Constraint& c) {
  run_.options.host->ReadAt(entry);
  engine_.solver.Begin({.now = run_.now,
                        .declined = run_.calls.declined,
                        .refused = run_.calls.refused,
                        .host = run_.options.host});
  State out;
  std::set<std::string> known;
  const auto take = [&](const std::vector<Value>& slots, Solver::Judgement verdict) {
    out.any = true;
    out.undecided = out.undecided || verdict == Solver::Judgement::kLacks ||
                    verdict == Solver::Judgement::kUndecided;
    if (verdict != Solver::Judgement::kViolated) return;
    std::vector<Value> bound = run_.derivations.BoundOf(c, slots);
    std::string text = run_.derivations.BindingsText(bound, kDerivationBytes);
    if (known.insert(text).second)
      out.violated.push_back({&c, std::move(text), std::move(bound), {}, {}});
  };
  const Undecided undecided = engine_.solver.CheckConstraint(c, take);
  for (const OpenCall& call : engine_.solver.TakeCalls())
    out.doubt.questions.push_back(run_.requests.For(call));
  out.undecided = out.undecided || undecided.lacks != 0 || !out.doubt.questions.empty();
  const Evaluation& found = engine_.solver.found();
  if (!found.undefined.empty()) out.doubt.why = found.undefined;
  else if (found.declined) out.doubt.why = "declined: " + engine_.solver.CallText(*found.declined);
  return out;
}

// The heading and prose; without a heading, the constraint as its author wrote it.
ToDo HostCheck::WordsOf(const Violated& v) const {
  if (std::optional<ToDo> words = run_.violations.WordsOf(v)) return *words;
  const Constraint& c = *v.constraint;
  return {c.heading.empty() ? c.text : c.heading, "", {}, c.span};
}

// What the event adds to a constraint: each instance that it violates or, if it violates none, that
// it is undecided.
void HostCheck::Judge(const Constraint& c, std::int64_t event, Reach reach, HostFindings& out) {
  State without;
  if (reach != Reach::kEvent) without = StateAt(event - 1, c);
  State with = StateAt(std::nullopt, c);
  out.applied = out.applied || (reach == Reach::kEvent && with.any);
  const std::size_t known = out.found.size();
  for (const Violated& v : with.violated)
    if (std::ranges::find(without.violated, v.bindings, &Violated::bindings) ==
            without.violated.end() &&
        !run_.violations.IsAccepted(v))
      out.found.push_back({.violated = true, .words = WordsOf(v), .evidence = EvidenceOf(c.right)});
  if (with.undecided && !without.undecided && out.found.size() == known) {
    with.doubt.words = WordsOf({&c, "", {}, {}, {}});
    with.doubt.reads = OpenReadsOf(c);
    out.found.push_back(std::move(with.doubt));
  }
  if (run_.options.profile != nullptr && out.found.size() > known)
    run_.options.profile->CountViolated(c);
}

HostFindings HostCheck::Check() {
  HostFindings out;
  if (out.stop = WhyUnfit(); !out.stop.empty()) return out;
  const std::int64_t event = run_.options.host->last();
  for (const Constraint& c : engine_.program.constraints()) {
    const Reach reach = c.left.empty() ? Reach::kNothing : ReachOf(c);
    if (reach == Reach::kNothing) continue;
    Judge(c, event, reach, out);
    if (engine_.solver.found().stop != Stop::kGoesOn) {
      out.stop = "a limit was reached: " + engine_.solver.found().stopped_at;
      break;
    }
  }
  return out;
}

}  // namespace rpl
