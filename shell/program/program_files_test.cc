// SPDX-License-Identifier: Apache-2.0
#include "shell/program/program_files.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "interp/testing/testing_folder.h"

using rpl::AsShellWord;
using rpl::IsInTree;
using rpl::NameInSession;
using rpl::PathFromSession;

TEST_CASE("a session names files from its own folder") {
  CHECK(NameInSession("s", "p.md") == "p.md");
  CHECK(NameInSession("a/s", "a/b/p.md") == "b/p.md");
  CHECK(NameInSession("a/s", "b/../a/./p.md") == "p.md");
  CHECK(NameInSession("a/s", "p.md") == "../p.md");
  const std::string here = std::filesystem::current_path();
  CHECK(NameInSession("a/s", here + "/a/p.md") == "p.md");
  CHECK(NameInSession(here + "/a/s", "b/p.md") == "../b/p.md");
  CHECK(NameInSession("a/s", "edge=a/b/edges.csv") == "edge=b/edges.csv");
}

TEST_CASE("a name of a session is a path from here") {
  CHECK(PathFromSession("s", "p.md") == "p.md");
  CHECK(PathFromSession("a/s", "b/p.md") == "a/b/p.md");
  CHECK(PathFromSession("a/s", "../p.md") == "p.md");
  const std::string here = std::filesystem::current_path();
  CHECK(PathFromSession(here + "/a/s", "../b/p.md") == "b/p.md");
  CHECK(PathFromSession("a/s", "edge=b/edges.csv") == "a/b/edges.csv");
}

TEST_CASE("a session in a database names files from the working directory") {
  const std::string session = "postgresql://host/db#trip";
  CHECK(NameInSession(session, "a/p.md") == "a/p.md");
  CHECK(PathFromSession(session, "../p.md") == "../p.md");
}

TEST_CASE("a file is in the tree of a session below its folder or the working directory") {
  const rpl::testing::Folder folder;
  std::filesystem::create_directory_symlink("/", folder / "out");
  CHECK(IsInTree(folder / "s", "a/p.md"));
  CHECK(IsInTree(folder / "s", folder / "a/p.md"));
  CHECK(!IsInTree(folder / "s", folder / "../p.md"));
  CHECK(!IsInTree(folder / "s", folder / "out/p.md"));
  CHECK(!IsInTree("s", "../p.md"));
  CHECK(!IsInTree("s", folder / "p.md"));
}

TEST_CASE("a word of a command line is quoted where a shell needs it") {
  CHECK(AsShellWord("a/b-1.rpls") == "a/b-1.rpls");
  CHECK(AsShellWord("-s") == "./-s");
  CHECK(AsShellWord("") == "''");
  CHECK(AsShellWord("my trip") == "'my trip'");
  CHECK(AsShellWord("a\\b") == "'a\\b'");
  CHECK(AsShellWord("it's $x") == "'it'\\''s $x'");
  CHECK(AsShellWord("caf\xC3\xA9") == "'caf\xC3\xA9'");
  CHECK(AsShellWord("a\x1b'\\b\n\t") == "$'a\\u001b\\'\\\\b\\n\\t'");
}
