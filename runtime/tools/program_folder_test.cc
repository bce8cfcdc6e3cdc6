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
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "interp/testing/testing_folder.h"

namespace {

// At the next rename.
bool crash = false;
bool appears = false;     // another process makes the file first
bool knows_flags = true;  // the file system

}  // namespace

// In place of the C library's.
extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned flags) noexcept {
  if (crash) _exit(9);
  if (std::exchange(appears, false)) close(openat(to_folder, to, O_WRONLY | O_CREAT, 0600));
  if (!knows_flags && flags != 0) return errno = EINVAL, -1;
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

TEST_CASE("a file that appears meanwhile is not replaced") {
  const Below project;
  appears = true;
  CHECK(project.Write("a", "ours") == "exists");
  CHECK(project.Read("a") == "");
  CHECK(project.Names() == "a ");
}

TEST_CASE("a new file is written on a file system whose renames know no flags") {
  const Below project;
  knows_flags = false;
  CHECK(project.Write("a", "one") == "");
  CHECK(project.Write("a", "two", true) == "");
  knows_flags = true;
  CHECK(project.Read("a") == "two");
  CHECK(project.Names() == "a ");
}

TEST_CASE("what a crash left is not written to") {
  const Below project;
  const std::string left = ".rpl-" + std::to_string(getpid()) + "-0";
  std::ofstream(project.folder + "/" + left) << "half";
  CHECK(project.Write("a", "one") == "");
  CHECK(project.Names() == left + " a ");
  CHECK(project.Read(left) == "half");
}

TEST_CASE("a file larger than 64 MiB is not read") {
  const Below project;
  std::ofstream(project.folder + "/large") << "x";
  fs::resize_file(project.folder + "/large", kMaxSourceBytes);
  CHECK(project.Read("large").size() == kMaxSourceBytes);
  fs::resize_file(project.folder + "/large", kMaxSourceBytes + 1);
  CHECK(ReadBelow({project.folder}, project.folder + "/large").failure.message ==
        "`" + project.folder + "/large` is larger than 64 MiB");
}

TEST_CASE("a folder that is to be written below is made, unless a file is in its place") {
  const Below project;
  const auto write = [&](const std::string& folder) {
    return WriteBelow(folder, folder + "/a", "one", [](std::string_view) { return false; }).code;
  };
  CHECK(ReadBelow({project.folder + "/new"}, project.folder + "/new/a").failure.code == "missing");
  CHECK(write(project.folder + "/new/er") == "");
  CHECK(project.Read("new/er/a") == "one");
  CHECK(write(project.folder + "/new/er/a") == "not-written");
}

TEST_CASE("the names in a folder are those that do not begin with a dot, in order") {
  const Below project;
  for (const char* name : {"sub/b", "sub/a", "sub/.c", "file"})
    CHECK(project.Write(name, "x") == "");
  fs::create_symlink(project.above.path(), project.folder + "/out");
  const auto names = [&](const std::string& location) {
    const FolderNames found = NamesBelow({project.folder}, PathOf(project.folder, location));
    std::string out = found.failure.code;
    for (const std::string& name : found.names) out += name + " ";
    return out;
  };
  CHECK(names("sub") == "a b ");
  CHECK(names(".") == "file out sub ");
  CHECK(names("") == "file out sub ");
  CHECK(names("none") == "missing");
  CHECK(names("none/sub") == "missing");
  CHECK(names("file") == "not-read");
  CHECK(names("out") == "not-read");
  CHECK(names("out/project") == "outside");
  CHECK(names("..") == "outside");
  CHECK(NamesBelow({project.folder, project.above.path()}, project.above.path()).names ==
        std::vector<std::string>{"project"});
}

TEST_CASE("what the system refuses is told with its reason") {
  const Below project;
  for (const char* name : {"file", "closed/a", "fixed/a"}) CHECK(project.Write(name, "x") == "");
  for (const std::string& open : {project.above.path(), project.folder})
    REQUIRE(chmod(open.c_str(), 0755) == 0);
  REQUIRE(chmod((project.folder + "/file").c_str(), 0) == 0);
  REQUIRE(chmod((project.folder + "/closed").c_str(), 0) == 0);
  REQUIRE(chmod((project.folder + "/fixed").c_str(), 0555) == 0);
  const auto told = [](const FileFailure& failure) {
    const std::size_t reason = failure.message.rfind(": ");
    return failure.code + (reason == std::string::npos ? "" : failure.message.substr(reason));
  };
  const auto written = [&](const std::string& location) {
    return told(WriteBelow(project.folder, PathOf(project.folder, location), "y",
                           [](std::string_view) { return true; }));
  };
  const bool root = geteuid() == 0;  // whom it refuses nothing
  if (root) REQUIRE(seteuid(65534) == 0);
  const std::string of_file = told(ReadBelow({project.folder}, project.folder + "/file").failure);
  const std::string of_folder =
      told(NamesBelow({project.folder}, project.folder + "/closed").failure);
  const std::string below = told(ReadBelow({project.folder}, project.folder + "/closed/a").failure);
  const std::string put = written("fixed/b");
  const std::string made = written("fixed/new/b");
  if (root) REQUIRE(seteuid(0) == 0);
  CHECK(of_file == "not-read: Permission denied");
  CHECK(of_folder == "not-read: Permission denied");
  CHECK(below == "not-read: Permission denied");
  CHECK(put == "not-written: Permission denied");
  CHECK(made == "not-written: Permission denied");
  REQUIRE(chmod((project.folder + "/closed").c_str(), 0700) == 0);
  REQUIRE(chmod((project.folder + "/fixed").c_str(), 0700) == 0);
}

}  // namespace
}  // namespace rpl
