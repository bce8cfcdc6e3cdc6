// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/tool_approval.h"

#include <sys/stat.h>

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
  CHECK_FALSE(approvals.Has(std::string(63, 'a')));
  CHECK(approvals.Has(std::string(64, 'b')));
}

TEST_CASE("an approval that cannot be written holds for this run, and says so") {
  const ApprovedProject project;
  Approvals approvals(project.folder / "tool.sh/approved");
  CHECK(approvals.Add(std::string(64, 'a'), "x") == "Not a directory");
  CHECK(approvals.Has(std::string(64, 'a')));
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
