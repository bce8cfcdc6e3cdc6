// SPDX-License-Identifier: Apache-2.0
//
// Limits of an evaluation, and the reasons why one stops.
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
  kValue,  // a value too deep or too long: see Pool::overflow
  kTime,
  kMemory,
  kInterrupted,
};

/// Stops that no program should meet (§18.5, decision 78).
struct Limits {
  std::size_t max_rows = 50'000'000;  // derived; one more may be
  std::size_t max_rounds = 100'000;
  std::size_t max_depth = 20'000;          // nested demanded calls
  std::size_t max_iterations = 1'000'000;  // of one @for
  /// Threads that run a join together; and how many rows it must go over and find, so that it
  /// pays, if it finds as many as the last time.
  /// What is derived does not depend on either.
  std::size_t threads = 1;
  std::size_t min_shared = 1'024;
  /// A relation with fewer rows takes no thought of the order in which atoms are read; and by
  /// how many times fewer rows an order must look at to be taken before the written one.
  std::size_t min_ordered = 1'000;
  double min_gain = 8;
  /// Polled about every 4,000 rows: kGoesOn, or why to stop. `bytes` are about to be taken and
  /// filled in one go: it may stop before that. May be empty.
  std::function<Stop(std::size_t bytes)> watch;
  /// What is done is counted there; null: not at all. Borrowed.
  Profile* profile = nullptr;
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_LIMITS_H_
