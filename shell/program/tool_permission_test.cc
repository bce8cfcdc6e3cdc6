// SPDX-License-Identifier: Apache-2.0
#include "shell/program/tool_permission.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>

#include "runtime/tools/tool.h"

namespace rpl {
namespace {

// A person who types the lines of a text.
struct Terminal {
  std::istringstream lines;
  std::ostringstream err;
  std::string config = "rpl.yaml";
  ToolCommand command;
  ToolPermission permission;

  explicit Terminal(const std::string& text, const std::vector<std::string>& allowed = {})
      : lines(text),
        permission(
            config, Approvals(""), allowed,
            [this]() -> std::optional<std::string> {
              std::string line;
              if (!std::getline(lines, line)) return std::nullopt;
              return line;
            },
            err) {
    command.name = "stock";
    command.argv = {"/p/stock.sh", "a b", "\x1b[31m"};
    command.folder = "/p";
    command.environment = {"PATH"};
  }

  // "yes", or the reason of a no.
  std::string Approve() { return Text(permission.Approve(command)); }
  std::string Ask() {
    return Text(permission.Ask({"7f", &command, {"nuts"}, nullptr}, "$stock(\"nuts\")"));
  }

  static std::string Text(const Permission::Permit& verdict) {
    return verdict.yes ? "yes" : verdict.reason;
  }
};

TEST_CASE("a definition that changed is asked about") {
  const std::string one(64, '1'), two(64, '2');
  Terminal terminal("n\ny\n");
  const auto pin = [&](const std::string& hash) {
    return Terminal::Text(terminal.permission.Pin(terminal.command, hash, "{\"name\":\"\x1b\"}"));
  };
  CHECK(pin(one) == "yes");
  CHECK(pin(one) == "yes");
  CHECK(terminal.err.str().empty());
  CHECK(pin(two) == "its changed definition was not approved");
  CHECK(pin(one) == "yes");
  CHECK(pin(two) == "yes");
  CHECK(pin(two) == "yes");
  CHECK(terminal.err.str().find(
            "the server changed the definition of $stock:\n  {\"name\":\"\\u001b") !=
        std::string::npos);
}

TEST_CASE("approval shows the whole command and is asked for once") {
  Terminal terminal("y\n");
  CHECK(terminal.Approve() == "yes");
  CHECK(terminal.Approve() == "yes");
  CHECK(terminal.err.str() ==
        "`rpl.yaml` brings the command of $stock:\n"
        "  [\"/p/stock.sh\",\"a b\",\"\\u001b[31m\"]\n"
        "  in /p, with PATH\n"
        "approve it, for this and later runs? [y/N] ");
  terminal.command.argv.push_back("--more");
  CHECK(terminal.Approve() == "its command was not approved");
}

TEST_CASE("an empty line approves nothing, and is the answer for this run") {
  Terminal terminal("\ny\n");
  CHECK(terminal.Approve() == "its command was not approved");
  CHECK(terminal.Approve() == "its command was not approved");
}

TEST_CASE("a call is asked about until all are allowed") {
  Terminal terminal("maybe\n\nyes\nn\na\n");
  CHECK(terminal.Ask() == "yes");
  CHECK(terminal.Ask() == "it was refused");
  CHECK(terminal.Ask() == "yes");
  CHECK(terminal.Ask() == "yes");
  CHECK(terminal.err.str().starts_with(
      "the program calls $stock(\"nuts\"):\n"
      "  [\"/p/stock.sh\",\"a b\",\"\\u001b[31m\"]\n"
      "  in /p, with PATH\n"
      "  it reads {\"rpl\":1,\"id\":\"7f\",\"tool\":\"stock\",\"args\":[\"nuts\"],"
      "\"deadlineMs\":30000}\n"
      "run it? y: yes, a: yes, and every $stock of this run, n: no [y/a/n] "
      "`maybe` is not one of them: expected y, a or n\n"
      "run it? y: yes, a: yes, and every $stock of this run, n: no [y/a/n] "
      "this line is empty: expected y, a or n\n"
      "run it?"));
}

TEST_CASE("a write is asked about by its path, until all are allowed") {
  Terminal terminal("n\ny\na\n");
  const auto write = [&] { return Terminal::Text(terminal.permission.AskToWrite("/p/a\x1b", 7)); };
  CHECK(write() == "it was refused");
  CHECK(write() == "yes");
  CHECK(write() == "yes");
  CHECK(write() == "yes");
  CHECK(terminal.err.str().starts_with(
      "the program writes 7 bytes to /p/a\\u001b\n"
      "write it? y: yes, a: yes, and every $write of this run, n: no [y/a/n] "));
}

TEST_CASE("a command is shown with each name of its environment") {
  Terminal none("y\n"), two("y\n");
  none.command.environment = {};
  two.command.environment = {"PATH", "TOKEN"};
  CHECK(none.Approve() == "yes");
  CHECK(two.Approve() == "yes");
  CHECK(none.err.str().find("in /p, with no environment\n") != std::string::npos);
  CHECK(two.err.str().find("in /p, with PATH, TOKEN\n") != std::string::npos);
}

TEST_CASE("an approval that cannot be kept is told, and holds for this run") {
  std::istringstream lines("y\n");
  std::ostringstream err;
  const std::string config = "rpl.yaml";
  ToolPermission permission(
      config, Approvals("/proc/none/approved"), {},
      [&]() -> std::optional<std::string> {
        std::string line;
        if (!std::getline(lines, line)) return std::nullopt;
        return line;
      },
      err, ToolPins("/proc/none/pinned"));
  ToolCommand command;
  command.name = "stock";
  command.argv = {"true"};
  CHECK(permission.Approve(command).yes);
  CHECK(permission.Approve(command).yes);
  CHECK(permission.Pin(command, std::string(64, '1'), "{}").yes);
  CHECK(permission.Pin(command, std::string(64, '1'), "{}").yes);
  CHECK(err.str().find("note: the approval is not remembered: ") != std::string::npos);
  CHECK(err.str().find("note: the definition is not remembered: ") != std::string::npos);
}

TEST_CASE("at the end of the input the answer is no") {
  Terminal terminal("");
  CHECK(terminal.Approve() == "its command was not approved");
  CHECK(terminal.Ask() == "nobody answered whether it may run");
}

TEST_CASE("a tool of the command line is approved and allowed") {
  Terminal terminal("", {"stock"});
  CHECK(terminal.Approve() == "yes");
  CHECK(terminal.Ask() == "yes");
  CHECK(terminal.err.str().empty());
}

TEST_CASE("without a person the reason says how to allow it") {
  std::ostringstream err;
  const std::string config = "rpl.yaml";
  ToolPermission permission(config, Approvals(""), {}, nullptr, err);
  ToolCommand command;
  command.name = "stock";
  command.argv = {"true"};
  CHECK(permission.Approve(command).reason ==
        "its command is not approved: run it once on a terminal, or with `--allow-tool stock`");
  CHECK(permission.Ask({"7f", &command, {}, nullptr}, "$stock()").reason ==
        "nobody is there to ask: allow it with `--allow-tool stock`");
  CHECK(permission.AskToWrite("/p/a", 7).reason ==
        "nobody is there to ask: allow it with `--allow-tool write`");
  const std::string one(64, '1'), two(64, '2');
  CHECK(permission.Pin(command, one, "{}").yes);
  CHECK(permission.Pin(command, two, "{}").reason ==
        "the server changed the definition of $stock since its first use: run it once on a "
        "terminal");
  CHECK(err.str().empty());
}

TEST_CASE("where approvals are remembered") {
  const char* const home = getenv("HOME");
  const std::string before = home == nullptr ? "/" : home;
  setenv("XDG_STATE_HOME", "/state", 1);
  CHECK(ApprovalsPath() == "/state/rpl/approved-tools");
  setenv("XDG_STATE_HOME", "not/absolute", 1);
  setenv("HOME", "/home/me", 1);
  CHECK(ApprovalsPath() == "/home/me/.local/state/rpl/approved-tools");
  unsetenv("XDG_STATE_HOME");
  unsetenv("HOME");
  CHECK(ApprovalsPath().empty());
  setenv("HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace rpl
