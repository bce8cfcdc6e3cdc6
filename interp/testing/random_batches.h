// SPDX-License-Identifier: Apache-2.0
//
// Properties of random programs under rapidcheck, whose runs have 100 cases.
#ifndef RPL_INTERP_TESTING_RANDOM_BATCHES_H_
#define RPL_INTERP_TESTING_RANDOM_BATCHES_H_

#include <rapidcheck.h>

#include <cstdint>
#include <cstdlib>

#include "interp/testing/random_program.h"

namespace rpl {

/// Calls `check(count)` in each case with its share of the programs. RPL_RANDOM_TIMES multiplies
/// their number, RPL_RANDOM_PROGRAMS sets it; where RPL_RANDOM_SEED sets the first one's seed,
/// `check` is called once with all.
template <typename Check>
bool InBatches(const char* what, std::uint32_t programs, Check&& check) {
  programs = Setting("RPL_RANDOM_PROGRAMS", programs * Setting("RPL_RANDOM_TIMES", 1));
  const bool one_batch = std::getenv("RPL_RANDOM_SEED") != nullptr;
  bool passed = false;
  return rc::check(what, [&] {
    if (one_batch && passed) return;
    check(one_batch ? programs : (programs + 99) / 100);
    passed = true;
  });
}

}  // namespace rpl

#endif  // RPL_INTERP_TESTING_RANDOM_BATCHES_H_
