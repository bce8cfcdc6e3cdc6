// SPDX-License-Identifier: Apache-2.0
//
// Properties of random programs under rapidcheck, whose runs have 100 cases.
#ifndef RPL_INTERP_TESTING_RANDOM_BATCHES_H_
#define RPL_INTERP_TESTING_RANDOM_BATCHES_H_

#include <rapidcheck.h>

#include <algorithm>
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
  const std::uint32_t share = one_batch ? programs : (programs + 99) / 100;
  std::uint32_t left = programs;
  return rc::check(what, [&] {
    const std::uint32_t count = std::min(left, share);
    if (count == 0) return;
    check(count);
    left -= count;
  });
}

/// The seed of the first program of a case: RPL_RANDOM_SEED, or one of rapidcheck's, which it does
/// not make smaller.
inline std::uint32_t FirstSeed() {
  return Setting("RPL_RANDOM_SEED", *rc::gen::noShrink(rc::gen::resize(
                                        rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>())));
}

}  // namespace rpl

#endif  // RPL_INTERP_TESTING_RANDOM_BATCHES_H_
