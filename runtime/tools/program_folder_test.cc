// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/program_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "interp/testing/testing_folder.h"

namespace {

bool crash = false;  // at the next rename

}  // namespace

// In place of the C library's.
extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned flags) noexcept {
  if (crash) _exit(9);
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

namespace rpl {
namespace {

namespace fs = std::filesystem;

// A folder for programs, and the one above it.
struct Below {
  testing::Folder above;
  std::string folder = above.path() + "/project";

  Below() { fs::create_directory(folder); }

  std::string Read(const std::string& location) const {
    const FileRead read = ReadBelow({folder}, PathOf(folder, location));
    return read.failure.code.empty() ? read.text : read.failure.code;
  }
  std::string Write(const std::string& location, const std::string& text,
                    bool replace = false) const {
    const auto may_replace = [&](std::string_view) { return replace; };
    return WriteBelow(folder, PathOf(folder, location), text, may_replace).code;
  }
  std::string Names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    std::string out;
    for (const std::string& name : names) out += name + " ";
    return out;
  }
};

TEST_CASE("a file is written below the folder, and read there") {
  const Below project;
  CHECK(project.Write("a/b/c.txt", "text") == "");
  CHECK(project.Read("a/b/c.txt") == "text");
  CHECK(project.Read("a/./x/../b/c.txt") == "text");
  CHECK(project.Read("a") == "not-read");
  CHECK(project.Read("none/c.txt") == "missing");
  CHECK(project.Read("a/b/d.txt") == "missing");
  CHECK(project.Write("a/b", "text") == "not-written");
  CHECK(project.Write("a/b/c.txt/d", "text") == "not-written");
}

TEST_CASE("nothing outside the folder is read or written") {
  const Below project;
  std::ofstream(project.above.path() + "/secret") << "secret";
  for (const std::string& location :
       {std::string("../secret"), project.above.path() + "/secret", std::string("a/../../secret"),
        std::string(".."), std::string("."), std::string("../project-2/x")}) {
    CAPTURE(location);
    CHECK(project.Read(location) == "outside");
    CHECK(project.Write(location, "x", true) == "outside");
  }
  CHECK(project.Names() == "");
}

TEST_CASE("a name with a dot at its beginning is not plain") {
  CHECK(IsPlainlyBelow("/p", "/p/a/b.c"));
  CHECK(!IsPlainlyBelow("/p", "/p/.git/config"));
  CHECK(!IsPlainlyBelow("/p", "/p/a/.env"));
  CHECK(!IsPlainlyBelow("/p", "/q/a"));
  CHECK(!IsPlainlyBelow("/p", "/p"));
}

TEST_CASE("no link is followed") {
  const Below project;
  std::ofstream(project.above.path() + "/secret") << "secret";
  fs::create_symlink(project.above.path(), project.folder + "/out");
  fs::create_symlink(project.above.path() + "/secret", project.folder + "/file");
  fs::create_symlink("nowhere", project.folder + "/dangling");
  CHECK(project.Read("out/secret") == "outside");
  CHECK(project.Read("file") == "outside");
  CHECK(project.Write("out/new", "x") == "outside");
  CHECK(project.Write("file", "x", true) == "outside");
  CHECK(project.Write("dangling", "x", true) == "outside");
  CHECK(!fs::exists(project.above.path() + "/new"));
  CHECK(!fs::exists(project.folder + "/nowhere"));
}

TEST_CASE("a pipe is no file, and nobody waits for it") {
  const Below project;
  REQUIRE(mkfifo((project.folder + "/pipe").c_str(), 0600) == 0);
  CHECK(project.Read("pipe") == "not-read");
  CHECK(project.Write("pipe", "x", true) == "not-written");
}

TEST_CASE("a file with another text is kept, unless it may be replaced") {
  const Below project;
  CHECK(project.Write("a", "one") == "");
  CHECK(project.Write("a", "one") == "");
  CHECK(project.Write("a", "two") == "exists");
  CHECK(project.Read("a") == "one");
  REQUIRE(chmod((project.folder + "/a").c_str(), 0640) == 0);
  CHECK(project.Write("a", "two", true) == "");
  CHECK(project.Read("a") == "two");
  struct stat seen = {};
  REQUIRE(stat((project.folder + "/a").c_str(), &seen) == 0);
  CHECK((seen.st_mode & 0777) == 0640);
  CHECK(project.Names() == "a ");
}

TEST_CASE("a crash before the new file is in its place leaves the old one") {
  const Below project;
  CHECK(project.Write("a", "one") == "");
  const pid_t child = fork();
  if (child == 0) {
    crash = true;
    project.Write("a", "two", true);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WEXITSTATUS(status) == 9);
  CHECK(project.Read("a") == "one");
  CHECK(project.Write("a", "two", true) == "");
  CHECK(project.Read("a") == "two");
}

TEST_CASE("a write that fails leaves the old file and no other") {
  const Below project;
  CHECK(project.Write("a", "one") == "");
  rlimit before = {};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {4, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string failed = project.Write("a", "twenty bytes of text", true);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  signal(SIGXFSZ, handler);
  CHECK(failed == "not-written");
  CHECK(project.Read("a") == "one");
  CHECK(project.Names() == "a ");
}

}  // namespace
}  // namespace rpl
