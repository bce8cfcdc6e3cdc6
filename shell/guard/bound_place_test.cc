// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/bound_place.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "interp/testing/testing_folder.h"

namespace {

namespace fs = std::filesystem;
using rpl::BoundPlace;

struct Work {
  rpl::testing::Folder folder;
  const fs::path root = folder.path();
  BoundPlace place;

  Work() {
    fs::create_directories(root / "shop/.git");
    fs::create_directories(root / "shop/src");
    std::ofstream(root / "shop/gate.md") << "# Gate - std#decides(_) -> false\n";
    place = rpl::FindBoundPlace(root / "shop/gate.md", root / "shop", root / "runs");
  }
  void Begin() const {
    rpl::MakeFolderOf(rpl::CurrentRun(place));
    std::ofstream(rpl::CurrentRun(place)) << "x";
  }
};

}  // namespace

TEST_CASE("runs of one work are numbered, and a person's end begins the next") {
  const Work work;
  const std::string first = rpl::CurrentRun(work.place);
  CHECK(fs::path(first).filename() == "1.rpls");
  CHECK_FALSE(rpl::EndCurrentRun(work.place, "ada"));
  work.Begin();
  CHECK_FALSE(rpl::IsEndedRun(first));
  CHECK(rpl::EndCurrentRun(work.place, "ada"));
  CHECK(rpl::IsEndedRun(first));
  CHECK(rpl::EndedLastBy(work.place) == "ada");
  CHECK(fs::path(rpl::CurrentRun(work.place)).filename() == "2.rpls");
  CHECK_FALSE(rpl::EndCurrentRun(work.place, "ada"));
}

TEST_CASE("a run belongs to its protocol and its project") {
  const Work work;
  BoundPlace other = work.place;
  other.project = work.root / "other";
  CHECK(rpl::CurrentRun(other) != rpl::CurrentRun(work.place));
  other = work.place;
  other.protocol = work.root / "shop/other.md";
  CHECK(rpl::CurrentRun(other) != rpl::CurrentRun(work.place));
}

TEST_CASE("without a project the work is where its run is, or the repository") {
  const Work work;
  const fs::path before = fs::current_path();
  fs::current_path(work.root / "shop/src");
  const auto found = [&] { return rpl::FindBoundPlace("../gate.md", "", work.place.runs); };
  CHECK(found().project == work.place.project);
  CHECK(found().protocol == work.place.protocol);
  BoundPlace here = work.place;
  here.project = fs::canonical(work.root / "shop/src");
  rpl::MakeFolderOf(rpl::CurrentRun(here));
  std::ofstream(rpl::CurrentRun(here)) << "x";
  CHECK(found().project == here.project);
  fs::current_path(before);
  CHECK(rpl::RepositoryOf(work.root / "shop/src") == fs::canonical(work.root / "shop"));
}

TEST_CASE("a protocol binds if it reads the calls of a host, or was bound") {
  const Work work;
  CHECK(rpl::Binds(work.place));
  BoundPlace plain = work.place;
  plain.protocol = work.root / "shop/plain.md";
  std::ofstream(plain.protocol) << "# P - p(?x) <- std#length(\"a\", ?x), std#decider(1)\n";
  CHECK_FALSE(rpl::Binds(plain));
  rpl::MakeFolderOf(rpl::CurrentRun(plain));
  CHECK(rpl::Binds(plain));
}
