// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/engine.h"

#include <utility>

namespace rpl::interp {

Engine::Engine(Sources& from, Limits with)
    : sources(from), program(store, from), limits(std::move(with)) {
  analysis.Make(program, store);
}

void Engine::Assert(const Novelty& novelty) {
  novelty.ForEach(
      store,
      [&](RelationId relation, std::span<const Value> row, Span span) {
        store.Insert(relation, row, true, kNone, &span);
      },
      [&](const Assertion& a) {
        if (a.truth) store.Insert(a.relation, a.row, true, a.meta, &a.span, a.orders);
        else store.Retract(a.relation, a.row);
      });
}

bool Engine::IsStale() const {
  return program.definitions().size() != rules_known_ ||
         program.collected_count() != headings_known_;
}

void Engine::Prepare() {
  if (!IsStale()) return;
  rules_known_ = program.definitions().size();
  headings_known_ = program.collected_count();
  analysis.Make(program, store);
  fixpoint.Reset();
  solver.Forget();
}

Stop Engine::Quiesce() {
  Prepare();
  solver.Forget();
  return fixpoint.Quiesce();
}

}  // namespace rpl::interp
