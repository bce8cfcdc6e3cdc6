// SPDX-License-Identifier: Apache-2.0
//
// main() of the unit tests. Its last line is `N passed, N failed`, counted in test cases,
// which is how ./dev test adds its parts up. Random inputs are the same in each run, unless
// RC_PARAMS says otherwise, as `./dev torture` does.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <cstdlib>
#include <iostream>

#include "runtime/tools/keeper.h"

namespace {

struct Totals : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void testRunEnded(const Catch::TestRunStats& stats) override {
    const Catch::Counts& cases = stats.totals.testCases;
    passed_ = cases.passed + cases.failedButOk;
    failed_ = cases.failed;
  }

  // After the reporter's own summary: listeners are told of the end before reporters.
  ~Totals() override { std::cout << passed_ << " passed, " << failed_ << " failed" << std::endl; }

 private:
  std::size_t passed_ = 0;
  std::size_t failed_ = 0;
};

CATCH_REGISTER_LISTENER(Totals)

}  // namespace

int main(int argc, char** argv) {
  rpl::BeKeeper(argc, argv);
  setenv("RC_PARAMS", "seed=20260101", 0);
  return Catch::Session().run(argc, argv);
}
