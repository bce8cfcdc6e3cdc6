// SPDX-License-Identifier: Apache-2.0
//
// Limits of an evaluation, and the reasons for stopping one.
#ifndef RPL_INTERP_PLAN_LIMITS_H_
#define RPL_INTERP_PLAN_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

namespace rpl {

class Profile;  // interp/eval/profile.h

enum class Stop : std::uint8_t {
  kGoesOn,
  kRows,
  kRounds,
  kDepth,
  kIterations,
  kPlan,   // of a rule: it has too many clauses, or alternatives that repeat the clauses after them
  kValue,  // a value too deep or too long: see Pool::overflow
  kTime,
  kMemory,
  kStack,  // of the thread, see interp/eval/stack_room.h
  kInterrupted,
};

/// Limits that no sensible program reaches (§18.5, decision 78), and options of the engine.
struct Limits {
  std::size_t max_rows = 50'000'000;  // derived; at most one more is inserted
  std::size_t max_rounds = 100'000;
  std::size_t max_depth = 20'000;          // nested tabled calls
  std::size_t max_iterations = 1'000'000;  // of one @for
  /// Threads of a parallel join, and the number of rows, read or expected to be found, from which
  /// joins run in parallel. Neither affects the rows that are derived or their order.
  std::size_t threads = 1;
  std::size_t min_shared = 1'024;
  /// Rows of a relation, and probes and rows read by a plan, from which the order of atoms is
  /// reconsidered; and the factor by which another order must be cheaper to replace the written
  /// one.
  std::size_t min_ordered = 1'000;
  double min_gain = 1.5;
  /// Probes and rows read by a plan from a delta, from which its rule may be split
  /// (interp/plan/intermediate.h); 0: each rule that can be is.
  std::size_t min_split = 1 << 20;
  /// Rows of a stratum from which a retraction deletes and rederives (interp/plan/withdrawal.h); a
  /// stratum with fewer is derived again.
  std::size_t min_withdrawn = 1'000;
  /// The same if more than one of so many rows are in doubt.
  std::size_t large_part = 3;
  /// Rows that follow from the classes of an equivalence at once, from which they are kept as these
  /// (interp/store/classes.h). Affects neither the rows nor their order.
  std::size_t min_as_classes = 0;
  /// Outer rows from which the first run of a plan is watched; and the factor by which it must
  /// exceed what is expected for another plan to be considered in its place.
  std::size_t min_watched = 1'024;
  double far_more = 8;
  /// Polled about every 4,000 rows, and before an allocation of `bytes` (else 0) that is filled at
  /// once. Returns kGoesOn, or the reason to stop. May be empty.
  std::function<Stop(std::size_t bytes)> watch;
  /// Counters of the evaluation; null: none. Borrowed.
  Profile* profile = nullptr;
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_LIMITS_H_
