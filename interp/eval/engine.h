// SPDX-License-Identifier: Apache-2.0
//
// The engine: a program, its rows, and all that evaluates it, put together in one place.
//
//   sources ─► program ─► analysis ─► solver ─► fixpoint
//                 │                     │ ▲        │
//                 └──────► store ◄──────┘ └─ watch ┘
//
// Rules join the program when they are loaded and take effect with the next Prepare. Facts are the
// caller's to assert: a runtime records each, a check does not. Sessions, checks and tests are
// users of this; nothing else makes a Solver or a Fixpoint.
//
// Owns its parts, which are public: each header is a contract of its own. Borrows the sources. One
// thread, but for those that `limits.threads` adds. Not to be copied or moved.
#ifndef RPL_INTERP_EVAL_ENGINE_H_
#define RPL_INTERP_EVAL_ENGINE_H_

#include <cstddef>

#include "interp/eval/constraint_watch.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/plan/limits.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl::interp {  // rpl::Engine is the public one

struct Engine {
  explicit Engine(Sources& from, Limits with = {});
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Asserts and retracts what a document said.
  void Assert(const Novelty& novelty);

  /// Whether rules or headings joined the program that evaluation does not know of yet.
  bool IsStale() const;
  /// Lets them take effect: the analysis is made anew, and all is derived again by the next
  /// Quiesce. Does nothing unless IsStale.
  void Prepare();
  /// Prepares, and derives until quiet. kGoesOn, or the limit that was reached.
  Stop Quiesce();

  Sources& sources;
  Pool pool;
  Store store{pool};
  Program program;
  Limits limits;
  Analysis analysis;
  Solver solver{program, store, analysis, limits};
  Fixpoint fixpoint{store, analysis, solver, limits};
  ConstraintWatch watch{store, analysis, solver};

 private:
  std::size_t rules_known_ = 0;
  std::size_t headings_known_ = 0;
};

}  // namespace rpl::interp

#endif  // RPL_INTERP_EVAL_ENGINE_H_
