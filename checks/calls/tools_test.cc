// SPDX-License-Identifier: Apache-2.0
//
// Tools of hosts that are no plain shell, and tools of MCP servers.
#include <catch2/catch.hpp>

#include "checks/calls/call_test.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

}  // namespace

TEST_CASE("what a call does: what is typed into a running program is undecided") {
  TestProject project;
  for (const char* const tool : {"write_stdin", "write_bash", "writeStdin", "BashInput"}) {
    INFO(tool);
    const CallViews views = project.Views(tool, {{"chars", "make test\n"}});
    CHECK(views.why != "");
    CHECK(views.succeeded.empty());
    CHECK(Runs(views, "git", {"push"}) == Answer::kOpen);
  }
}

TEST_CASE("what a call does: a command that goes on, or whose shell does, is no evidence") {
  TestProject project;
  const ordered_json keys[] = {
      {{"session_id", 3}}, {{"sessionId", "main"}},       {{"async", true}},
      {{"mode", "sync"}},  {{"run_in_background", true}}, {{"is_background", true}},
      {{"tty", true}}};
  for (const char* const tool : {"Bash", "bash", "exec_command", "run_shell_command"}) {
    for (ordered_json arguments : keys) {
      INFO(tool << " " << arguments.dump());
      arguments["command"] = "make test";
      const CallViews views = project.Views(tool, arguments);
      CHECK(views.succeeded.empty());
      CHECK(Runs(views, "make", {"test"}) == Answer::kYes);
    }
    CHECK(project.Views(tool, {{"command", "make test"}, {"async", false}}).succeeded.size() == 1);
  }
  CHECK(project.Views("Monitor", {{"command", "make test"}}).succeeded.empty());
}

TEST_CASE("what a call does: PowerShell is not read") {
  TestProject project;
  for (const char* const tool : {"PowerShell", "powershell", "pwsh"}) {
    const CallViews views = project.Views(tool, {{"command", "git push"}});
    CHECK(views.why == "commands of PowerShell cannot be read");
    CHECK(views.succeeded.empty());
  }
  for (const char* const command :
       {"pwsh -Command 'git push'", "powershell git push", "pwsh.exe -c x", "pwsh x.ps1"})
    CHECK(Runs(project.Shell(command), "git", {"push"}) == Answer::kOpen);
}

TEST_CASE("what a call does: a command by two names is one if they agree") {
  TestProject project;
  const CallViews same =
      project.Views("run_command", {{"command_line", "make test"}, {"command", "make test"}});
  CHECK(same.why == "");
  CHECK(same.succeeded.size() == 1);
  CHECK(project.Views("run_command", {{"command_line", "git push"}, {"command", "ls"}}).why != "");
}

}  // namespace rpl
