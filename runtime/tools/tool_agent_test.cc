// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/tool_agent.h"

#include <catch2/catch.hpp>

#include "runtime/nobody.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

// Approves and allows as configured, and records the questions.
struct Guard : Permission {
  bool approves = true;
  bool allows = true;
  std::vector<std::string> asked;

  Permit Approve(const ToolCommand& command) override {
    asked.push_back("approve " + command.name);
    return {approves, "not approved"};
  }
  Permit Ask(const CommandCall& call, const std::string& request) override {
    asked.push_back("ask " + request + " " + call.args.dump());
    return {allows, "not allowed"};
  }
  Permit Reach(const std::string&, const std::string&) override { return {true, ""}; }
  Permit AskToWrite(const std::string& path, std::size_t bytes) override {
    asked.push_back("write " + path + " " + std::to_string(bytes));
    return {allows, "not allowed"};
  }
};

// A configuration in which each tool runs the tool under test in the mode of its name.
struct Project {
  ToolConfig config;
  Guard guard;
  Pool pool;
  ToolAgent agent{config, guard, {}};

  ToolCommand& Add(const std::string& mode, Permit permission = Permit::kAllow) {
    ToolCommand command;
    command.name = mode;
    command.argv = {RPL_TOOL_UNDER_TEST, mode};
    command.folder = command.home = "/";
    command.permission = permission;
    return config.tools.emplace_back(std::move(command));
  }

  ToolCall Tool(const std::string& name, std::vector<Value> args = {}) {
    ToolCall call;
    call.tool = call.name = name;
    call.id = "$" + name + "()";
    call.args = std::move(args);
    return call;
  }

  std::vector<std::string> Call(const std::vector<ToolCall>& calls) {
    std::vector<std::string> texts;
    for (const Answer& answer : agent.Call(calls, pool)) {
      if (answer.value.is_none()) texts.push_back("-");
      else
        texts.push_back((answer.kind == Answer::Kind::kNotRun ? "not run " : "") +
                        Text(pool, answer.value));
    }
    return texts;
  }
};

using Lines = std::vector<std::string>;

TEST_CASE("results and errors of tools are replies") {
  Project project;
  project.Add("echo");
  project.Add("error-reply");
  project.Add("exit-7");
  Pool& pool = project.pool;
  const Value list[] = {pool.Int(1), pool.Keyword("k")};
  CHECK(project.Call({project.Tool("echo", {pool.String("a"), pool.List(list)}),
                      project.Tool("error-reply"), project.Tool("exit-7")}) ==
        Lines{R"(["a" [1 ":k"]])",
              R"({:status :error, :code "tool", :message "no row 7", :tool-code "no-such-row"})",
              R"({:status :error, :code "exit", :message "it ended with status 7"})"});
}

TEST_CASE("what is not configured stays open") {
  Project project;
  project.Add("echo");
  CHECK(project.Call({project.Tool("one"), project.Tool("echo"), project.Tool("two")}) ==
        Lines{"-", "[]", "-"});
  CHECK(project.agent.AnswersAlone(project.Tool("echo")));
  CHECK_FALSE(project.agent.AnswersAlone(project.Tool("one")));
}

TEST_CASE("an agent that only reads leaves all else open") {
  Project project;
  project.Add("echo");
  project.agent.SetFolder("/nonexistent");
  project.agent.OnlyRead(true);
  const Value file = project.pool.String("a.csv");
  CHECK(project.Call({project.Tool("echo"), project.Tool("write", {file, file})}) ==
        Lines{"-", "-"});
  CHECK(project.guard.asked.empty());
  const ToolCall index = project.Tool("index", {file});
  CHECK(project.agent.Call({index}, project.pool).front().kind == Answer::Kind::kNotRun);
  CHECK_FALSE(project.agent.AnswersAlone(index));
}

TEST_CASE("what is not permitted is denied, and nobody is asked in vain") {
  Project project;
  project.Add("echo", Permit::kAsk);
  project.Add("hang", Permit::kDeny);
  CHECK(
      project.Call({project.Tool("hang")}) ==
      Lines{
          R"(not run {:status :error, :code "denied", :message "the configuration denies this call"})"});
  CHECK(project.guard.asked.empty());

  project.guard.allows = false;
  CHECK(project.Call({project.Tool("echo", {project.pool.Int(1)})}) ==
        Lines{R"(not run {:status :error, :code "denied", :message "not allowed"})"});
  CHECK(project.guard.asked == Lines{"approve echo", "ask $echo() [1]"});

  project.guard.approves = false;
  project.guard.asked.clear();
  CHECK(project.Call({project.Tool("echo")}) ==
        Lines{R"(not run {:status :error, :code "denied", :message "not approved"})"});
  CHECK(project.guard.asked == Lines{"approve echo"});
}

TEST_CASE("rules decide before the permission of the tool") {
  Project project;
  ToolCommand& echo = project.Add("echo");
  const ArgPattern prod{ArgPattern::Kind::kOneOf, {"prod"}, ""};
  echo.rules = {{{prod}, Permit::kDeny}};
  Pool& pool = project.pool;
  CHECK(
      project.Call({project.Tool("echo", {pool.String("prod")}),
                    project.Tool("echo", {pool.String("test")})}) ==
      Lines{
          R"(not run {:status :error, :code "denied", :message "the configuration denies this call"})",
          R"(["test"])"});
}

TEST_CASE("calls in doubt and interrupted calls stay open") {
  Project project;
  project.Add("echo");
  ToolCall doubtful = project.Tool("echo");
  doubtful.in_doubt = true;
  int started = 0;
  bool recorded = true;
  doubtful.starting = [&] { return ++started, recorded; };
  CHECK(project.Call({doubtful}) == Lines{"-"});
  CHECK(started == 0);
  doubtful.in_doubt = false;
  CHECK(project.Call({doubtful}) == Lines{"[]"});
  CHECK(started == 1);
  recorded = false;
  CHECK(project.Call({doubtful}) == Lines{"-"});

  ToolRun run;
  run.interrupted = [] { return true; };
  ToolAgent agent(project.config, project.guard, run);
  const Answer answer = agent.Call({project.Tool("echo")}, project.pool).front();
  CHECK(answer.kind == Answer::Kind::kNobody);
}

TEST_CASE("an observer is told which commands run, and when all have ended") {
  Project project;
  project.Add("echo");
  Lines told;
  ToolAgent agent(project.config, project.guard, {}, [&](const Lines& running) {
    std::string& line = told.emplace_back();
    for (const std::string& tool : running) line += tool + ";";
  });
  ToolCall refused = project.Tool("echo");
  refused.starting = [] { return false; };
  CHECK(agent.Call({refused}, project.pool).front().kind == Answer::Kind::kNobody);
  CHECK(told == Lines{""});
  told.clear();
  agent.Call({project.Tool("echo"), project.Tool("other")}, project.pool);
  CHECK(told == Lines{"echo;", "", ""});
}

TEST_CASE("arguments without JSON are a bad request") {
  Project project;
  project.Add("echo");
  Pool& pool = project.pool;
  const Value same[] = {pool.Symbol("s"), kTrue, pool.String("s"), kFalse};
  CHECK(
      project.Call({project.Tool("echo", {pool.Map(same)})}) ==
      Lines{
          R"({:status :error, :code "bad-request", :message "two keys of a map are the same text"})"});
}

TEST_CASE("a call has one id, whoever makes it") {
  CHECK(CallHash("$stock(\"nuts\")") == CallHash("$stock(\"nuts\")"));
  CHECK(CallHash("$stock(\"nuts\")") != CallHash("$stock(\"bolts\")"));
  CHECK(CallHash("").size() == 32);
}

TEST_CASE("a program reads the results of its tools") {
  Project project;
  project.Add("echo");
  Nobody nobody;
  Session session({nobody, project.agent, project.agent}, {});
  session.Load("p.rpl",
               "item(\"nuts\")\nitem(\"bolts\")\n"
               "% <- item(?i), ?r = $echo(?i)\n");
  const Outcome outcome = session.Run();
  CHECK(outcome.status == Status::kSatisfied);
  CHECK(session.Trace().size() >= 2);
}

}  // namespace
}  // namespace rpl
