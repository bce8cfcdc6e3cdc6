// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/engine.h"

#include <cstddef>
#include <set>
#include <utility>

#include "interp/eval/constraint_watch.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/machine.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/plan/query_needs.h"
#include "interp/program/novelty_walk.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl::interp {

struct Engine::Parts {
  Parts(Sources& from, Limits with) : sources(from), program(store, from), limits(std::move(with)) {
    analysis.Make(program, store);
  }

  Sources& sources;
  Pool pool;
  Store store{pool};
  Program program;
  Limits limits;
  Analysis analysis;
  Solver solver{program, store, analysis, limits};
  Fixpoint fixpoint{store, analysis, solver, limits};
  ConstraintWatch watch{store, analysis, solver};
  const Definition* only_for = nullptr;  // see DeriveFor
  bool changed = false;                  // what the analysis was told, since the last Prepare
  std::uint64_t analysis_known = 0;      // Analysis::version that the fixpoint is for
  std::size_t rules_known = 0;
  std::size_t headings_known = 0;
  std::size_t constraints_known = 0;
};

Engine::Engine(Sources& from, Limits with)
    : Engine(std::make_unique<Parts>(from, std::move(with))) {}

Engine::Engine(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)),
      sources(parts_->sources),
      pool(parts_->pool),
      store(parts_->store),
      program(parts_->program),
      limits(parts_->limits),
      analysis(parts_->analysis),
      solver(parts_->solver),
      fixpoint(parts_->fixpoint),
      watch(parts_->watch) {}

Engine::~Engine() = default;

void Engine::Assert(const Novelty& novelty) {
  novelty.ForEach(
      store,
      [&](RelationId relation, std::span<const Value> row, Span span) {
        store.Insert(relation, row, true, {.origin = &span});
      },
      [&](const Assertion& a) {
        if (a.truth) store.Insert(a.relation, a.row, true, {a.meta, &a.span, a.orders});
        else store.Retract(a.relation, a.row);
      });
}

bool Engine::IsStale() const {
  return parts_->changed || program.definitions().size() != parts_->rules_known ||
         program.collected_count() != parts_->headings_known || analysis.GotFirstRows() ||
         (analysis.DependsOnReaders() && program.constraints().size() != parts_->constraints_known);
}

bool Engine::AddReader(const Definition& query) {
  return parts_->changed = analysis.AddReader(query);
}

void Engine::SetPlaces(std::set<int> elsewhere, std::set<int> as_written) {
  analysis.SetPlaces(std::move(elsewhere), std::move(as_written));
  parts_->changed = true;
}

void Engine::Prepare() {
  if (!IsStale()) return;
  const bool more_only = !std::exchange(parts_->changed, false) && parts_->only_for == nullptr &&
                         parts_->analysis_known == analysis.version();
  parts_->rules_known = program.definitions().size();
  parts_->headings_known = program.collected_count();
  parts_->constraints_known = program.constraints().size();
  if (!more_only || !analysis.Extend()) return Remake();
  parts_->analysis_known = analysis.version();
  fixpoint.Extend();
  solver.Forget();
}

void Engine::Remake() {
  analysis.Make(program, store);
  parts_->analysis_known = analysis.version();
  fixpoint.Reset();
  solver.Forget();
  Restrict();
}

void Engine::Restrict() {
  if (parts_->only_for == nullptr) return;
  std::optional<QueryNeeds> needs = NeedsOfQuery(program, analysis, *parts_->only_for);
  if (!needs) return;
  for (const auto& [relation, known] : needs->known)
    for (const auto& [column, value] : known) analysis.Select(relation, column, value);
  fixpoint.DeriveOnly(std::move(needs->relations));
}

void Engine::DeriveFor(const Definition* query) {
  const Definition* const before = std::exchange(parts_->only_for, query);
  if (query == before) return;
  if (before != nullptr) parts_->changed = true;
  if (query == nullptr) return;
  if (IsStale()) Prepare();
  else Restrict();
}

Stop Engine::Quiesce() {
  Prepare();
  solver.Forget();
  return Derive();
}

Stop Engine::Derive() {
  for (;;) {
    const Stop stop = fixpoint.Quiesce();
    if (stop != Stop::kGoesOn || solver.machine().partial.empty()) return stop;
    std::set<RelationId> partial;
    for (const Definition* def : std::exchange(solver.machine().partial, {}))
      if (def->head != kNoId) partial.insert(def->head);
    for (RelationId r = 0; !solver.machine().unfed.empty() && r < store.size(); ++r)
      if (!solver.WhyUnfed(r).empty()) partial.insert(r);
    if (!analysis.AddPartial(partial)) return stop;
    Remake();
  }
}

}  // namespace rpl::interp
