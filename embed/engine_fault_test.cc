// SPDX-License-Identifier: Apache-2.0
//
// Tools of a host on a failing disk: see runtime/run/session_fault_test.cc.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "interp/testing/testing_folder.h"
#include "rpl/rpl.h"
#include "runtime/record/faulty_disk.h"

namespace {

using rpl::Engine;
using rpl::testing::faults;

// Runs a program with three tools in a session, and counts how often the host was called.
void Run(const std::string& path, std::map<std::string, int>& called) {
  Engine::Options options;
  options.now = "2024-02-29T12:00:00Z";
  options.session_file = path;
  options.tool = [&](const std::string& tool, const std::string&) {
    ++called[tool];
    return Engine::Reply::Json("1");
  };
  Engine engine(std::move(options));
  engine.Load("program.rpl", "% <- ?a = $one(), ?b = $two(?a), $three(?b)\n");
  engine.Run();
}

TEST_CASE("whatever write or sync fails, no tool of a host is called twice") {
  const rpl::testing::FaultyDisk disk;
  std::map<std::string, int> called;
  int most = 0;
  {
    const rpl::testing::Folder folder;
    faults = {};
    Run(folder / "session", called);
    most = faults.operations;
    REQUIRE(called.size() == 3);
  }
  for (int at = 1; at <= most; ++at)
    for (const bool lasts : {false, true}) {
      CAPTURE(at, lasts);
      const rpl::testing::Folder folder;
      called.clear();
      faults = {at, lasts};
      Run(folder / "session", called);
      faults = {};
      for (int again = 0; again < 2; ++again) Run(folder / "session", called);
      for (const auto& [tool, times] : called) CHECK(times == 1);
    }
}

}  // namespace
