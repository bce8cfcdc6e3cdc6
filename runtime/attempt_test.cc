// SPDX-License-Identifier: Apache-2.0
#include "runtime/attempt.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace rpl {
namespace {

TEST_CASE("an attempt is read as it was written") {
  const Attempt attempt{.call = "claim(?x)",
                        .gate = Attempt::Gate::kQuestion,
                        .reason = "no option",
                        .of = "claim(\"a\")",
                        .value = "\"a\"",
                        .provider = "openai",
                        .model = "m",
                        .digest = "d",
                        .prompt = "p",
                        .schema = "{}",
                        .reply = "r",
                        .requests = 2,
                        .tokens = 30,
                        .estimated = true,
                        .took_ms = 40};
  CHECK(AttemptOf(AttemptJson(attempt)) == attempt);
  CHECK(AttemptFault(AttemptJson(attempt)).empty());
  CHECK(AttemptJson({.call = "q"}).dump() == R"({"call":"q","gate":"taken"})");
  CHECK(AttemptFault({{"call", "q"}, {"gate", "other"}}) == "its `gate` is unknown");
  CHECK(AttemptFault({{"call", ""}, {"gate", "taken"}}) == "its `call` is empty");
}

TEST_CASE("a book counts attempts, and what all requests used") {
  AttemptBook book;
  using Gate = Attempt::Gate;
  std::size_t recorded = 0;
  bool fails = false;
  book.Take({.call = "q", .gate = Gate::kSchema, .requests = 1, .tokens = 5, .took_ms = 10});
  book.SetSink([&](const Attempt&) { return ++recorded, !fails; });
  CHECK(book.Add({.call = "q", .gate = Gate::kTransport, .requests = 6, .took_ms = 100}));
  CHECK(book.Add({.call = "q", .gate = Gate::kTaken, .requests = 1, .tokens = 7}));
  CHECK(book.Add({.call = "q", .gate = Gate::kConstraints}));
  CHECK(book.Add({.call = "r", .gate = Gate::kRefusal, .requests = 1}));
  CHECK(recorded == 4);
  CHECK(book.CountOf("q") == 2);
  CHECK(book.CountOf("r") == 1);
  CHECK(book.spent().calls == 9);
  CHECK(book.spent().tokens == 12);
  CHECK(book.spent().ms == 110);
  CHECK(book.limit().empty());
  CHECK(book.Add({.call = "q", .gate = Gate::kBudget, .reason = "9 calls"}));
  CHECK(book.limit() == "9 calls");
  fails = true;
  CHECK_FALSE(book.Add({.call = "q"}));
}

}  // namespace
}  // namespace rpl
