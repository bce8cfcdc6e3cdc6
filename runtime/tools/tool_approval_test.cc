// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/tool_approval.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "interp/testing/testing_folder.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

// A project folder with a script.
struct ApprovedProject {
  testing::Folder folder;

  ApprovedProject() { Write("tool.sh", "echo 1"); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
  }

  std::string Read(const std::string& name) const {
    std::ifstream in(folder / name);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  ToolCommand Command() const {
    ToolCommand command;
    command.name = "t";
    command.argv = {"bash", "tool.sh"};
    command.folder = command.home = folder.path();
    return command;
  }
};

TEST_CASE("a command has one hash, and another when it changes what runs") {
  const ApprovedProject project;
  const ToolCommand command = project.Command();
  const std::string hash = CommandHash(command);
  CHECK(hash.size() == 64);
  CHECK(CommandHash(command) == hash);

  ToolCommand other = command;
  other.argv = {"bash tool.sh"};
  CHECK(CommandHash(other) != hash);
  other = command;
  other.folder = "/";
  CHECK(CommandHash(other) != hash);
  other = command;
  other.environment.push_back("SECRET");
  CHECK(CommandHash(other) != hash);
  other = command;
  other.timeout = std::chrono::milliseconds(1);  // has no influence on what runs
  CHECK(CommandHash(other) == hash);

  project.Write("tool.sh", "echo 2");
  CHECK(CommandHash(command) != hash);
}

TEST_CASE("only files of the project are part of a hash") {
  const ApprovedProject project;
  fs::create_directory(project.folder / "inner");
  ToolCommand command = project.Command();
  command.folder = command.home = project.folder / "inner";
  command.argv = {"bash", "../tool.sh", "."};
  const std::string hash = CommandHash(command);
  project.Write("tool.sh", "echo 2");
  CHECK(CommandHash(command) == hash);
  command.home = project.folder.path();
  const std::string with_file = CommandHash(command);
  CHECK(with_file != hash);
  project.Write("tool.sh", "echo 3");
  CHECK(CommandHash(command) != with_file);
}

TEST_CASE("a file that cannot be read does not count as an empty one") {
  const ApprovedProject project;
  project.Write("tool.sh", "");
  const std::string empty = CommandHash(project.Command());
  REQUIRE(chmod(project.folder.path().c_str(), 0755) == 0);
  REQUIRE(chmod((project.folder / "tool.sh").c_str(), 0) == 0);
  const bool root = geteuid() == 0;  // who may read any file
  if (root) REQUIRE(seteuid(65534) == 0);
  const std::string unreadable = CommandHash(project.Command());
  if (root) REQUIRE(seteuid(0) == 0);
  CHECK(unreadable != empty);
}

TEST_CASE("an approval is remembered in a file of its user") {
  const ApprovedProject project;
  const std::string path = project.folder / "state/rpl/approved-tools";
  const std::string hash = CommandHash(project.Command());
  Approvals approvals(path);
  CHECK_FALSE(approvals.Has(hash));
  CHECK(approvals.Add(hash, "$t\n[\"bash\"]") == "");
  CHECK(approvals.Has(hash));
  CHECK(Approvals(path).Has(hash));
  CHECK(project.Read("state/rpl/approved-tools") == hash + " $t [\"bash\"]\n");
  struct stat status;
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  const std::string second(64, 'a');
  CHECK(approvals.Add(second, "x") == "");
  CHECK(Approvals(path).Has(hash));
  CHECK(Approvals(path).Has(second));
  CHECK(std::distance(fs::directory_iterator(project.folder / "state/rpl"), {}) == 1);
}

TEST_CASE("lines that are no approvals approve nothing") {
  const ApprovedProject project;
  project.Write("approved",
                "# a comment\n" + std::string(63, 'a') + "\n\n" + std::string(64, 'b') + " ok");
  Approvals approvals(project.folder / "approved");
  CHECK_FALSE(approvals.Has("#"));
  project.Write("letters", std::string(64, 'g') + " ok");
  CHECK_FALSE(Approvals(project.folder / "letters").Has(std::string(64, 'g')));
  CHECK_FALSE(approvals.Has(std::string(63, 'a')));
  CHECK(approvals.Has(std::string(64, 'b')));
}

TEST_CASE("an approval that cannot be written holds for this run, and says so") {
  const ApprovedProject project;
  Approvals approvals(project.folder / "tool.sh/approved");
  CHECK(approvals.Add(std::string(64, 'a'), "x") == "Not a directory");
  CHECK(approvals.Has(std::string(64, 'a')));

  fs::create_directory(project.folder / "taken");
  Approvals folder(project.folder / "taken");
  CHECK(folder.Add(std::string(64, 'a'), "x") == "Is a directory");
  CHECK(std::distance(fs::directory_iterator(project.folder.path()), {}) == 2);
  CHECK(Approvals("/proc/approved").Add(std::string(64, 'a'), "x") == "No such file or directory");
}

TEST_CASE("without a path approvals and definitions hold for this run") {
  const ApprovedProject project;
  Approvals approvals("");
  CHECK(approvals.Add(std::string(64, 'a'), "x") == "");
  CHECK(approvals.Has(std::string(64, 'a')));
  ToolPins pins("");
  CHECK(pins.Set(project.Command(), std::string(64, 'b')) == "");
  CHECK(pins.Find(project.Command()) == std::string(64, 'b'));
}

TEST_CASE("a line without end does not swallow the approval after it") {
  const ApprovedProject project;
  const std::string one(64, 'a'), two(64, 'b');
  project.Write("approved", one + " by hand");
  CHECK(Approvals(project.folder / "approved").Add(two, "x\x7F\ty") == "");
  CHECK(project.Read("approved") == one + " by hand\n" + two + " x  y\n");
}

TEST_CASE("a definition that cannot be written holds for this run, and says so") {
  const ApprovedProject project;
  ToolPins pins(project.folder / "tool.sh/pinned");
  CHECK(pins.Set(project.Command(), std::string(64, 'a')) == "Not a directory");
  CHECK(pins.Find(project.Command()) == std::string(64, 'a'));
}

TEST_CASE("definitions of tools are remembered by server and tool") {
  const ApprovedProject project;
  const std::string path = project.folder / "state/rpl/pinned-tools";
  const std::string one(64, '1'), two(64, '2');
  ToolCommand command = project.Command();
  command.mcp.emplace();
  command.mcp->tool = "a";
  ToolCommand other = command;
  other.mcp->tool = "b";
  ToolPins pins(path);
  CHECK(pins.Find(command) == "");
  CHECK(pins.Set(command, one) == "");
  CHECK(ToolPins(path).Set(other, two) == "");
  CHECK(pins.Set(command, two) == "");
  CHECK(ToolPins(path).Find(command) == two);
  CHECK(ToolPins(path).Find(other) == two);
  other.argv.push_back("x");
  CHECK(ToolPins(path).Find(other) == "");
  struct stat status;
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  project.Write("broken", one + " short\n\n" + one + "\n");
  CHECK(ToolPins(project.folder / "broken").Find(command) == "");
}

}  // namespace
}  // namespace rpl
