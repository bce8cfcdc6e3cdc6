// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/tool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "interp/testing/testing_folder.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

// A copy of the tool under test: those of other programs, which run beside these tests, are not
// counted (RunningTools).
const std::string& ToolUnderTest() {
  static const testing::Folder folder;
  static const std::string copy = [] {
    std::string to = std::string(folder.path()) + "/tool";
    fs::copy_file(RPL_TOOL_UNDER_TEST, to);
    return to;
  }();
  return copy;
}

// Commands of the tool under test, called together. Each result is a line of text: its JSON, or
// `code: message`.
struct Workshop {
  std::vector<ToolCommand> commands;
  ToolRun run;
  std::vector<std::string> log;

  Workshop() {
    run.grace = std::chrono::milliseconds(300);
    run.log = [this](const std::string& tool, const std::string& line) {
      log.push_back("[" + tool + "] " + line);
    };
  }

  ToolCommand& Add(std::vector<std::string> words) {
    ToolCommand command;
    command.name = "tool";
    command.argv = {ToolUnderTest()};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    command.folder = "/";
    return commands.emplace_back(std::move(command));
  }

  std::vector<std::string> Results(nlohmann::ordered_json args = nlohmann::ordered_json::array()) {
    std::vector<CommandCall> calls;
    for (const ToolCommand& command : commands)
      calls.push_back({"c" + std::to_string(calls.size() + 1), &command, args, nullptr});
    std::vector<std::string> texts;
    for (const ToolResult& r : RunTools(calls, run)) {
      const std::string code = r.tool_code.empty() ? r.code : r.code + " " + r.tool_code;
      texts.push_back(r.ok ? r.result.dump() : code + ": " + r.message);
    }
    return texts;
  }
};

std::string ResultOf(const std::string& mode) {
  Workshop workshop;
  workshop.Add({mode});
  return workshop.Results().front();
}

// The timeout applies to a tool that does not end by itself.
std::string ResultInTime(const std::string& mode, std::chrono::milliseconds timeout) {
  Workshop workshop;
  workshop.Add({mode}).timeout = timeout;
  return workshop.Results().front();
}

int OpenDescriptors() {
  int open = 0;
  for (int fd = 0; fd < 1024; ++fd) open += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return open;
}

// The children of this process, running or not: other tests may have some.
int Children() {
  int children = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    std::getline(stat, text);  // PID (NAME) STATE PARENT …
    const std::size_t name_end = text.rfind(')');
    if (name_end != std::string::npos && std::atoi(text.c_str() + name_end + 3) == getpid())
      ++children;
  }
  return children;
}

// Processes of the machine that run the tool under test.
int RunningTools() {
  int running = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::error_code error;
    const fs::path program = fs::read_symlink(entry.path() / "exe", error);
    if (!error && program == fs::canonical(ToolUnderTest())) ++running;
  }
  return running;
}

using Lines = std::vector<std::string>;
using namespace std::chrono_literals;

TEST_CASE("a tool reads its arguments and its result is the reply") {
  Workshop workshop;
  workshop.Add({"echo"});
  const auto args = nlohmann::ordered_json::parse(R"(["a\"\n\u0007é",1,2.5,null,{"z":[],"a":{}}])");
  CHECK(workshop.Results(args) == Lines{args.dump()});
}

TEST_CASE("the request is one line of JSON") {
  ToolCommand command;
  command.name = "stock";
  command.timeout = 200ms;
  CHECK(RequestLine({"7f", &command, {"a\nb", 1}, nullptr}) ==
        R"({"rpl":1,"id":"7f","tool":"stock","args":["a\nb",1],"deadlineMs":200})");
}

TEST_CASE("a tool works in its folder, with its variables and no descriptor of ours") {
  const int ours = open("/dev/null", O_RDONLY);  // not close-on-exec
  setenv("RPL_TEST_PASSED_ON", "1", 1);
  setenv("RPL_TEST_KEPT", "1", 1);
  Workshop workshop;
  workshop.Add({"folder"}).folder = fs::canonical(fs::temp_directory_path());
  workshop.Add({"environment"}).environment = {"RPL_TEST_PASSED_ON", "RPL_TEST_NOT_SET"};
  workshop.Add({"descriptors"});
  const Lines results = workshop.Results();
  close(ours);
  CHECK(results[0] == "\"" + fs::canonical(fs::temp_directory_path()).string() + "\"");
  CHECK(results[1] == R"("RPL_TOOL_CALL RPL_TEST_PASSED_ON")");
  CHECK(results[2] == "3");
}

TEST_CASE("a tool that cannot be started is not-started") {
  Workshop workshop;
  workshop.Add({}).argv = {"/nowhere/tool"};
  workshop.Add({}).argv = {"no-such-tool-anywhere"};
  workshop.Add({}).argv = {"/"};
  workshop.Add({"echo"}).folder = "/nowhere";
  workshop.Add({"echo"});
  CHECK(workshop.Results() ==
        Lines{"not-started: `/nowhere/tool` cannot be started: no such file or directory",
              "not-started: `no-such-tool-anywhere` cannot be started: no such file or directory",
              "not-started: `/` cannot be started: permission denied",
              "not-started: there is no folder `/nowhere`", "[]"});
}

TEST_CASE("a tool that hangs is ended at its timeout") {
  CHECK(ResultInTime("hang", 50ms) == "timeout: it ran longer than 50 ms");
  CHECK(ResultInTime("ignore-sigterm", 50ms) == "timeout: it ran longer than 50 ms");
  CHECK(ResultInTime("no-stdin-read", 50ms) == "timeout: it ran longer than 50 ms");
  CHECK(ResultInTime("close-early", 50ms) == "timeout: it ran longer than 50 ms");
}

TEST_CASE("a tool that floods is ended at its limit") {
  Workshop workshop;
  workshop.Add({"flood"}).max_output_bytes = 10'000;
  CHECK(workshop.Results() == Lines{"too-much-output: it wrote more than 10000 bytes"});
}

TEST_CASE("a reply is one object with the id of the request") {
  CHECK(ResultOf("garbage") ==
        "bad-reply: its output is not one JSON object: `no` is not JSON, wrong at byte 2");
  CHECK(ResultOf("not-utf8") ==
        "bad-reply: its output is not one JSON object: expected JSON in UTF-8, wrong at byte 22");
  CHECK(ResultOf("deep-json") == "bad-reply: its output is not taken: nested deeper than 200");
  CHECK(ResultOf("two-replies") ==
        "bad-reply: its output is not one JSON object: text follows the JSON value, wrong at byte "
        "24");
  CHECK(ResultOf("other-id") == "bad-reply: its reply does not have the `id` of the request");
  CHECK(ResultOf("both") ==
        "bad-reply: expected `id` and one of `result` and `error` in its reply");
  CHECK(ResultOf("bad-error") ==
        "bad-reply: expected an `error` of `code` and `message`, two strings");
  CHECK(ResultOf("nothing") == "no-reply: it wrote nothing to its standard output");
}

TEST_CASE("a tool's own error is told, also when its exit status says the same") {
  CHECK(ResultOf("error-reply") == "tool no-such-row: no row 7");
  CHECK(ResultOf("error-exit") == "tool no-such-row: no row 7");
}

TEST_CASE("a tool that ends badly is told by its status or signal") {
  CHECK(ResultOf("exit-7") == "exit: it ended with status 7");
  CHECK(ResultOf("signal") == "signal: it was ended by signal 9 (Killed)");
}

TEST_CASE("children that a tool leaves are ended, and an error") {
  const std::string error = "left-children: it ended, but processes that it started did not";
  CHECK(ResultOf("children") == error);
  CHECK(ResultOf("quiet-children") == error);
  CHECK(ResultOf("own-session") == error);
  CHECK(RunningTools() == 0);
}

TEST_CASE("a tool that does not read a long request does not end us") {
  Workshop workshop;
  workshop.Add({"closes-stdin"});
  const nlohmann::ordered_json args = {std::string(1 << 20, 'x')};
  CHECK(workshop.Results(args) == Lines{"no-reply: it wrote nothing to its standard output"});
}

TEST_CASE("standard error is log, and no more of it than the limit") {
  Workshop workshop;
  workshop.Add({"log"});
  CHECK(workshop.Results() == Lines{"1"});
  CHECK(workshop.log == Lines{"[tool] one", "[tool] two \x1b[31m\xEF\xBF\xBD", "[tool] three"});

  Workshop flooded;
  flooded.Add({"stderr-flood"}).max_output_bytes = 5000;
  CHECK(flooded.Results() == Lines{"1"});
  CHECK(flooded.log == Lines{"[tool] " + std::string(4096, 'x'), "[tool] " + std::string(904, 'x'),
                             "[tool] (the rest of its log is not shown)"});
}

TEST_CASE("calls overlap up to the concurrency, results keep their order") {
  const testing::Folder folder;
  const auto together = [&](std::size_t concurrency) {
    Workshop workshop;
    workshop.run.concurrency = concurrency;
    const std::string file = folder / std::to_string(concurrency);
    for (int i = 0; i < 3; ++i) workshop.Add({"meet", file, std::to_string(concurrency)});
    return workshop.Results();
  };
  CHECK(together(3) == Lines{"3", "3", "3"});  // all began before one ended
  CHECK(together(1) == Lines{"1", "2", "3"});  // each ended before the next began

  Workshop mixed;
  mixed.Add({"hang"}).timeout = 50ms;
  mixed.Add({"echo"});
  mixed.Add({"exit-7"});
  CHECK(mixed.Results() ==
        Lines{"timeout: it ran longer than 50 ms", "[]", "exit: it ended with status 7"});
}

TEST_CASE("an interrupt ends what runs and starts nothing more") {
  Workshop workshop;
  workshop.run.concurrency = 2;
  int polled = 0;
  workshop.run.interrupted = [&] { return ++polled > 1; };
  workshop.Add({"hang"});
  workshop.Add({"ignore-sigterm"});
  workshop.Add({"echo"});
  const std::string interrupted = "interrupted: the run was interrupted";
  CHECK(workshop.Results() == Lines{interrupted, interrupted, interrupted});
  CHECK(RunningTools() == 0);
}

volatile std::sig_atomic_t caught = 0;

TEST_CASE("a signal ends the calls and is raised afterwards") {
  struct sigaction before, mine = {};
  mine.sa_handler = [](int) { caught = 1; };
  sigaction(SIGTERM, &mine, &before);
  Workshop workshop;
  workshop.Add({"hang"});
  int polled = 0;
  workshop.run.interrupted = [&] {
    if (++polled > 1) kill(getpid(), SIGTERM);  // at the first poll nothing runs yet
    return false;
  };
  CHECK(workshop.Results() == Lines{"interrupted: the run was interrupted"});
  CHECK(caught == 1);
  sigaction(SIGTERM, &before, nullptr);
}

int interrupts_counted = 0;

TEST_CASE("while a callback runs, Ctrl-C goes to the handler of the caller") {
  Workshop workshop;
  workshop.Add({"echo"});
  struct sigaction counting = {};
  struct sigaction before = {};
  counting.sa_handler = [](int) { ++interrupts_counted; };
  sigaction(SIGINT, &counting, &before);
  interrupts_counted = 0;
  std::vector<int> seen;
  const auto press = [&] {
    std::raise(SIGINT);
    seen.push_back(interrupts_counted);
  };
  CommandCall call{"c1", &workshop.commands[0], nlohmann::ordered_json::array(), nullptr};
  call.starting = [&] {
    press();
    return true;
  };
  call.finished = [&](const ToolResult&) { press(); };
  const std::vector<ToolResult> results = RunTools({call}, workshop.run);
  sigaction(SIGINT, &before, nullptr);
  REQUIRE(results.size() == 1);
  CHECK(results[0].ok);
  CHECK(seen == std::vector<int>{1, 2});
  CHECK(interrupts_counted == 2);
}

TEST_CASE("starting is told right before a process is started") {
  ToolCommand good, bad;
  good.name = bad.name = "tool";
  good.argv = {ToolUnderTest(), "echo"};
  good.folder = "/";
  bad.argv = {ToolUnderTest(), "echo"};
  bad.folder = "/nowhere";
  std::string started;
  const nlohmann::ordered_json none = nlohmann::ordered_json::array();
  RunTools({{"1", &bad, none, [&] { return started += "bad ", true; }},
            {"2", &good, none, [&] { return started += "good", true; }}},
           {});
  CHECK(started == "good");
}

TEST_CASE("a process whose start is not recorded is not started") {
  const testing::Folder folder;
  ToolCommand tool;
  tool.name = "tool";
  tool.argv = {"/bin/sh", "-c", "echo ran > " + (folder / "ran")};
  tool.folder = "/";
  const nlohmann::ordered_json none = nlohmann::ordered_json::array();
  bool told = false;
  const std::vector<ToolResult> results = RunTools(
      {{"1", &tool, none, [] { return false; }, [&](const ToolResult&) { told = true; }}}, {});
  CHECK(results.front().code == "not-recorded");
  CHECK_FALSE(told);
  CHECK_FALSE(std::filesystem::exists(folder / "ran"));
}

TEST_CASE("each failure has its name in time, and leaves no process, zombie or descriptor") {
  struct Failing {
    const char* mode;
    const char* result;  // how it begins
    std::chrono::milliseconds timeout;
  };
  constexpr std::chrono::milliseconds kLong = 60s;  // not the cause of their end
  const Failing failures[] = {
      {"echo", "[]", kLong},
      {"hang", "timeout: ", 50ms},
      {"ignore-sigterm", "timeout: ", 50ms},
      {"no-stdin-read", "timeout: ", 50ms},
      {"close-early", "timeout: ", 50ms},
      {"close-and-end", "no-reply: ", kLong},
      {"closes-stdin", "no-reply: ", kLong},
      {"half-reply", "bad-reply: ", kLong},
      {"flood", "too-much-output: ", kLong},
      {"garbage", "bad-reply: ", kLong},
      {"not-utf8", "bad-reply: ", kLong},
      {"deep-json", "bad-reply: ", kLong},
      {"two-replies", "bad-reply: ", kLong},
      {"other-id", "bad-reply: ", kLong},
      {"nothing", "no-reply: ", kLong},
      {"exit-7", "exit: ", kLong},
      {"signal", "signal: ", kLong},
      {"segfault", "signal: ", kLong},
      {"children", "left-children: ", kLong},
      {"quiet-children", "left-children: ", kLong},
      {"own-session", "left-children: ", kLong},
      {"stderr-flood", "1", kLong},
  };
  ResultOf("echo");  // opens the descriptors that the loop keeps
  const int before = OpenDescriptors();
  const int children = Children();
  const auto leaves_nothing = [&] {
    CHECK(OpenDescriptors() == before);
    CHECK(Children() == children);
    CHECK(RunningTools() == 0);
  };
  for (const Failing& failing : failures) {
    INFO(failing.mode);
    const std::string result = ResultInTime(failing.mode, failing.timeout);
    CHECK(result.substr(0, std::string(failing.result).size()) == failing.result);
    leaves_nothing();
  }
  Workshop missing;
  missing.Add({}).argv = {"/nowhere/tool"};
  missing.Add({"echo"}).folder = "/nowhere";
  CHECK(missing.Results()[0].starts_with("not-started: "));
  leaves_nothing();
  Workshop interrupted;
  int seen = 0;
  interrupted.run.interrupted = [&] { return (seen = std::max(seen, RunningTools())) == 2; };
  interrupted.Add({"hang"});
  interrupted.Add({"ignore-sigterm"});
  CHECK(interrupted.Results()[0] == "interrupted: the run was interrupted");
  CHECK(seen == 2);  // RunningTools sees running tools
  leaves_nothing();
}

}  // namespace
}  // namespace rpl
