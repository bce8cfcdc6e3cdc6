// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/seen.h"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>
#include <vector>

namespace rpl {
namespace {

// Compares Seen with a map, over runs in which each combination comes again, so that it never looks
// away.
void CompareWithMap(const std::function<Value(int run)>& make) {
  Seen seen;
  std::map<std::vector<std::uint64_t>, int> last;  // the run in which it came
  for (int run = 0; run < 20; ++run) {
    seen.BeginRun();
    for (int i = 0; i < 8'000; ++i) {
      const Value cells[] = {make(run), make(run)};
      const auto [at, is_new] = last.try_emplace({cells[0].bits(), cells[1].bits()}, run);
      const Seen::When expected = is_new              ? Seen::When::kNever
                                  : at->second == run ? Seen::When::kInThisRun
                                                      : Seen::When::kBefore;
      at->second = run;
      REQUIRE(seen.Came(cells) == expected);
      REQUIRE(seen.Came(cells) == Seen::When::kInThisRun);
    }
    seen.EndRun();
    REQUIRE(!seen.looks_away());
  }
  CHECK(last.size() > 4096);
}

TEST_CASE("the last run in which a combination came is known, dense or sparse") {
  Pool pool;
  std::mt19937 random(1);
  const auto below = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  CompareWithMap([&](int) { return pool.Int(below(75)); });
  CompareWithMap([&](int) { return pool.Int(below(75) * std::int64_t{1'000'003}); });
  CompareWithMap([&](int run) { return pool.Int(below(55 + 3 * run) - 50); });
  // Of another kind, or far away, once the others have places.
  CompareWithMap([&](int run) {
    return run > 9 && below(90) == 0 ? pool.String("late") : pool.Int(below(75));
  });
  CompareWithMap(
      [&](int run) { return pool.Int(run > 9 && below(90) == 0 ? 1 << 25 : below(75)); });
}

}  // namespace
}  // namespace rpl
