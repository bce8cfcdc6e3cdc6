// SPDX-License-Identifier: Apache-2.0
//
// Sessions on a disk that fails: each write, sync and truncation of a run with three tools fails
// once, or from then on, before or after it was done.
#include <catch2/catch.hpp>
#include <string>

#include "interp/testing/testing_folder.h"
#include "runtime/record/faulty_disk.h"
#include "runtime/record/session_file.h"
#include "runtime/testing/three_tools.h"

namespace rpl {
namespace {

using testing::faults;
using testing::FaultyDisk;
using testing::ThreeTools;

std::optional<Outcome> GoOn(ThreeTools& tools) {
  return tools.GoOn(SessionFile::Open(tools.folder + "/session", SessionStore::Mode::kContinue));
}

TEST_CASE("whatever write or sync fails, no call runs twice, and the session opens afterwards") {
  const FaultyDisk disk;
  int most = 0;
  {
    const testing::Folder folder;
    ThreeTools tools(folder.path());
    faults = {};
    REQUIRE(GoOn(tools)->status == Status::kSatisfied);
    most = faults.operations;
    REQUIRE(most > 20);
  }
  for (int at = 1; at <= most; ++at)
    for (const bool lasts : {false, true})
      for (const bool done : {false, true}) {
        CAPTURE(at, lasts, done);
        const testing::Folder folder;
        ThreeTools tools(folder.path());
        faults = {at, lasts, done, at % 2 == 0 ? SQLITE_FULL : SQLITE_IOERR_FSYNC, 0};
        GoOn(tools);
        faults = {};
        std::optional<Outcome> outcome;
        for (int again = 0; again < 3; ++again) {
          outcome = GoOn(tools);
          CHECK(tools.error == "");
          CHECK(tools.damage == "");
        }
        testing::CheckEnd(tools, outcome);
      }
}

}  // namespace
}  // namespace rpl
