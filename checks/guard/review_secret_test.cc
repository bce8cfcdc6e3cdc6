// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/review_secret.h"

#include <catch2/catch.hpp>

#include "checks/guard/guard_store.h"
#include "interp/testing/testing_folder.h"

namespace rpl {

TEST_CASE("the secret of a store is known by nobody who was not told") {
  const testing::Folder folder;
  const std::string path = folder / "store.db";
  std::string error;
  {
    ReviewSecret secret(path, error);
    REQUIRE(error.empty());
    CHECK_FALSE(secret.IsSet());
    CHECK_FALSE(secret.Is(""));
    CHECK(secret.Set("") == "the secret is empty");
    CHECK(secret.Set("open sesame").empty());
    CHECK(secret.Is("open sesame"));
  }
  ReviewSecret again(path, error);
  REQUIRE(error.empty());
  CHECK(again.IsSet());
  CHECK(again.Is("open sesame"));
  CHECK_FALSE(again.Is("open sesame "));
  CHECK_FALSE(again.Is(""));
  CHECK(again.Set("another").empty());
  CHECK_FALSE(again.Is("open sesame"));
  CHECK(GuardStore(path).Reviews().value->empty());
}

TEST_CASE("a file that is no store has no secret") {
  std::string error;
  const ReviewSecret secret("/dev/null/store.db", error);
  CHECK_FALSE(error.empty());
  CHECK_FALSE(secret.IsSet());
}

}  // namespace rpl
