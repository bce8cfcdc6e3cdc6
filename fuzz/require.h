// SPDX-License-Identifier: Apache-2.0
//
// The assertions of a fuzz target. One that fails writes a line on standard error with
// the property and its counterexample, then aborts, on which libFuzzer keeps the input.
#ifndef RPL_FUZZ_REQUIRE_H_
#define RPL_FUZZ_REQUIRE_H_

#include <cstdio>
#include <cstdlib>
#include <string>

namespace rpl::fuzz {

inline void Require(bool holds, const char* property, const std::string& shown = "") {
  if (holds) return;
  std::fprintf(stderr, "property: %s\n%s\n", property, shown.c_str());
  std::abort();
}

}  // namespace rpl::fuzz

#endif  // RPL_FUZZ_REQUIRE_H_
