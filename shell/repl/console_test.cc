// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/console.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iostream>
#include <iterator>

#include "interp/testing/testing_folder.h"

namespace rpl {
namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_CASE("results go to the file of `.output` until it is closed") {
  const testing::Folder folder;
  std::streambuf* const before = std::cout.rdbuf();
  ReplConsole console({}, false);
  console.OpenOutput(folder / "out.txt");
  CHECK(console.writes_file());
  std::cout << "answers\n";
  console.PrintRest(2, "fact");
  console.CloseOutput();
  CHECK_FALSE(console.writes_file());
  CHECK(std::cout.rdbuf() == before);
  CHECK(TextOf(folder / "out.txt") == "answers\n-- 2 facts more\n");
  CHECK_FALSE(console.failed());
}

TEST_CASE("a file of `.output` that cannot be written is an error, and standard output stays") {
  const testing::Folder folder;
  std::streambuf* const before = std::cout.rdbuf();
  ReplConsole console({}, false);
  console.OpenOutput(folder / "no folder/out.txt");
  CHECK_FALSE(console.writes_file());
  CHECK(std::cout.rdbuf() == before);
  CHECK(console.failed());
}

}  // namespace
}  // namespace rpl
