// SPDX-License-Identifier: Apache-2.0
//
// The engine: a program, its rows, and the evaluators over them, assembled in one place.
//
//   sources ─► program ─► analysis ─► solver ─► fixpoint
//                 │                     │ ▲        │
//                 └──────► store ◄──────┘ └─ watch ┘
//
// Rules join the program when they are loaded and take effect at the next Prepare. Callers assert
// the facts: a runtime records each, a check does not. Sessions, checks and tests use an Engine;
// nothing else makes a Solver or a Fixpoint.
//
// Owns its parts, which are public: the header of each is a contract of its own, to be included
// where the part is used. Borrows the sources. One
// thread, but for those that `limits.threads` adds. Not to be copied or moved.
#ifndef RPL_INTERP_EVAL_ENGINE_H_
#define RPL_INTERP_EVAL_ENGINE_H_

#include <memory>
#include <set>

#include "interp/plan/limits.h"

namespace rpl {

class Analysis;
class ConstraintWatch;
class Fixpoint;
class Pool;
class Program;
class Solver;
class Sources;
class Store;
struct Definition;
struct Novelty;

namespace interp {  // rpl::Engine is the public one

class Engine {
  struct Parts;
  std::unique_ptr<Parts> parts_;
  explicit Engine(std::unique_ptr<Parts> parts);
  void Remake();
  void Restrict();

 public:
  explicit Engine(Sources& from, Limits with = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Asserts and retracts the facts of a document.
  void Assert(const Novelty& novelty);

  /// Whether rules or headings joined the program since the last Prepare, or readers of relations
  /// whose evaluation depends on their readers.
  bool IsStale() const;
  /// Puts them into effect: remakes the analysis, so that the next Quiesce derives everything
  /// again, or extends it, if only rules joined (Analysis::Extend): then it derives what is new,
  /// with the same rows in the same order. Does nothing unless IsStale.
  void Prepare();
  /// As Analysis::SetPlaces, in effect from the next Prepare on, for which the engine is stale.
  void SetPlaces(std::set<int> elsewhere, std::set<int> as_written);
  /// As Analysis::AddReader; if true, the engine is stale. REQUIRES: prepared.
  bool AddReader(const Definition& query);
  /// Derives from now on what the query and the constraints rest on, and nothing else; null: all,
  /// from the next Prepare on. REQUIRES: prepared; the query outlives the next call.
  void DeriveFor(const Definition* query);
  /// Prepares, and derives to fixpoint. kGoesOn, or the limit that was reached.
  Stop Quiesce();
  /// The second part of that. Where a clause turns out to be undefined, all is derived again under
  /// an analysis that knows (Analysis::AddPartial).
  Stop Derive();

  Sources& sources;
  Pool& pool;
  Store& store;
  Program& program;
  Limits& limits;
  Analysis& analysis;
  Solver& solver;
  Fixpoint& fixpoint;
  ConstraintWatch& watch;
};

}  // namespace interp
}  // namespace rpl

#endif  // RPL_INTERP_EVAL_ENGINE_H_
