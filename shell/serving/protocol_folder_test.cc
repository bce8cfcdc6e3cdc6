// SPDX-License-Identifier: Apache-2.0
#include "shell/serving/protocol_folder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "shell/serving/request_state.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

// A folder with files, removed at the end.
struct SomeFolder {
  fs::path path = fs::canonical(fs::temp_directory_path()) / ("protocols-" + RandomText(9));
  explicit SomeFolder(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      fs::create_directories((path / file).parent_path());
      std::ofstream(path / file) << "# A\n";
    }
  }
  ~SomeFolder() { fs::remove_all(path); }
};

std::string NamesIn(const ProtocolFolder& folder) {
  std::string out;
  for (const auto& protocol : folder.List()) out += protocol.name + " ";
  return out;
}

TEST_CASE("protocols are the files below the folder, by relative name") {
  const SomeFolder some({"b.md", "a.rpl", "deep/er/c.md", "no.txt", ".hidden.md", ".git/x.md"});
  ProtocolFolder folder;
  REQUIRE(folder.Add({some.path}).empty());
  CHECK(NamesIn(folder) == "a.rpl b.md deep/er/c.md ");
  CHECK(folder.Find("deep/er/c.md") == (some.path / "deep/er/c.md").native());
  CHECK(folder.NameOf(some.path / "deep/er/c.md") == "deep/er/c.md");
}

TEST_CASE("no name leads out of the folder") {
  const SomeFolder outside({"secret.md"});
  const SomeFolder some({"a.md", "deep/b.md"});
  fs::create_symlink(outside.path / "secret.md", some.path / "link.md");
  fs::create_directory_symlink(outside.path, some.path / "linked");
  fs::create_symlink(some.path / "a.md", some.path / "alias.md");
  ProtocolFolder folder;
  REQUIRE(folder.Add({some.path}).empty());
  CHECK(NamesIn(folder) == "a.md alias.md deep/b.md ");
  for (const std::string& name :
       {std::string("../") + outside.path.filename().native() + "/secret.md",
        (outside.path / "secret.md").native(), std::string("link.md"),
        std::string("linked/secret.md"), std::string("deep/../a.md"), std::string("./a.md"),
        std::string("deep//b.md/"), std::string(""), std::string("."), std::string("deep"),
        std::string("a.md\0", 5), std::string("no.md"), std::string(100'000, 'a')})
    CHECK_FALSE(folder.Find(name));
}

TEST_CASE("several folders, and files by themselves") {
  const SomeFolder one({"x/a.md"});
  const SomeFolder two({"y/a.md", "z.md"});
  ProtocolFolder folder;
  REQUIRE(folder.Add({one.path / "x", two.path / "y", two.path / "z.md"}).empty());
  CHECK(NamesIn(folder) == "x/a.md y/a.md z.md ");
  CHECK(ProtocolFolder().Add({one.path / "none"}) != "");
  CHECK(ProtocolFolder().Add({one.path / "x", one.path / "x"}) != "");
}

TEST_CASE("a name that is not known is likened to one that is") {
  const SomeFolder some({"release.md", "work/trip.md", "home/trip.md", "deep/er/only.rpl"});
  ProtocolFolder folder;
  REQUIRE(folder.Add({some.path}).empty());
  CHECK(folder.NameLike("release") == "release.md");
  CHECK(folder.NameLike("only") == "deep/er/only.rpl");
  CHECK(folder.NameLike("only.rpl") == "deep/er/only.rpl");
  CHECK(folder.NameLike("work/trip") == "work/trip.md");
  CHECK(folder.NameLike("trip") == "");  // which of the two?
  CHECK(folder.NameLike("relaese") == "release.md");
  CHECK(folder.NameLike("relaese.md") == "release.md");
  CHECK(folder.NameLike("something else") == "");
  CHECK(folder.NameLike("") == "");
}

}  // namespace
}  // namespace rpl
