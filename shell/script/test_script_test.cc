// SPDX-License-Identifier: Apache-2.0
#include "shell/script/test_script.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

// The cases of a file, as `NAME@LINE [LINE: STEP(ARGUMENT){BODY|BODY} …] !ERROR`.
std::string Shape(const std::string& text) {
  Sources sources;
  std::string shape;
  for (const TestCase& test : ReadTestCases(sources, sources.Add("t.md", text))) {
    shape += test.name + "@" + std::to_string(test.line);
    for (const Script& script : test.scripts) {
      shape += " [" + std::to_string(script.line) + ":";
      for (const ScriptStep& step : script.steps) {
        shape += " " + step.name;
        if (!step.argument.empty()) shape += "(" + step.argument + ")";
        if (step.body.empty()) continue;
        shape += "{";
        for (const std::string& line : step.body) shape += line + "|";
        shape.back() = '}';
      }
      shape += "]";
    }
    for (const std::string& error : test.errors) shape += " !" + error;
    shape += "\n";
  }
  return shape;
}

std::string Fence(const std::string& script) { return "# C\n```rpl-test\n" + script + "```\n"; }

TEST_CASE("a case is a heading with scripts, each fence one script") {
  CHECK(Shape("# Page\n\nText.\n\n## One\n\n```rpl-test\nUSER:\np(1)\n```\n\n"
              "```rpl-test\nRUN:\n```\n\n## None\n\n```rpl\np(1)\n```\n\n## Two\n"
              "````rpl-test\nDOCUMENT: a.md\n```rpl\np(1)\n```\n````\n") ==
        "One@5 [7: USER{p(1)}] [12: RUN]\n"
        "Two@22 [23: DOCUMENT(a.md){```rpl|p(1)|```}]\n");
}

TEST_CASE("a script in a list or a quote is an error, unless it is text of another fence") {
  CHECK(Shape("# A\n\n- One:\n\n  ```rpl-test\n  RUN:\n  ```\n\n# B\n\n> ```rpl-test\n> RUN:\n> "
              "```\n") ==
        "A@1 !line 5: a script in a list or a quote is not run\n"
        "B@9 !line 11: a script in a list or a quote is not run\n");
  CHECK(Shape("# A\n\n- a\n\n      ```rpl-test\n      x\n      ```\n") == "");
  CHECK(Shape("# A\n\n- ````md\n  ```rpl-test\n  ```\n  ````\n") == "");
}

TEST_CASE("a body ends at the next directive, without its last blank lines") {
  CHECK(Shape(Fence("USER:\na\n\nb\n\nNO LOG:\nx\nAGENT:\n")) ==
        "C@1 [2: USER{a||b} NO LOG{x} AGENT]\n");
}

TEST_CASE("line ends of other systems are no part of the lines") {
  CHECK(Shape("# C\r\n```rpl-test\r\nUSER:\r\np(1)\r\n```\r\n") == "C@1 [2: USER{p(1)}]\n");
}

TEST_CASE("what only looks like a directive is text") {
  CHECK(Shape(Fence("USER:\nNote: a\n USER:\nX\nA1:\n")) ==
        "C@1 [2: USER{Note: a| USER:|X|A1:}]\n");
}

TEST_CASE("a malformed script says what and where") {
  CHECK(Shape(Fence("p(1)\nUSER:\n")) ==
        "C@1 [2: USER] !line 3: expected a directive, got `p(1)`\n");
  CHECK(Shape(Fence("USERS:\n")) ==
        "C@1 [2:] !line 3: unknown directive `USERS:` !line 2: the script is empty\n");
  CHECK(Shape(Fence("USER: p(1)\n")) ==
        "C@1 [2: USER(p(1))] !line 3: the text of `USER:` belongs on the lines below it\n");
  CHECK(Shape(Fence("NOW:\n")) == "C@1 [2: NOW] !line 3: expected something behind `NOW:`\n");
  CHECK(Shape(Fence("STATUS: happy\n")) ==
        "C@1 [2: STATUS(happy)] !line 3: unknown status `happy`\n");
  CHECK(Shape(Fence("RUN:\ntext\n")) == "C@1 [2: RUN] !line 4: expected a directive, got `text`\n");
  CHECK(Shape("# C\n```rpl-test\nRUN:\n") == "C@1 [2: RUN] !line 2: the fence is never closed\n");
}

// What a REPLY was understood as.
std::string Reply(const std::string& text) {
  Sources sources;
  const auto cases = ReadTestCases(sources, sources.Add("t.md", Fence("REPLY: " + text + "\n")));
  if (!cases.at(0).errors.empty()) return cases[0].errors[0];
  const ScriptStep& step = cases[0].scripts[0].steps[0];
  switch (step.reply) {
    case Answer::Kind::kValue: return "value";
    case Answer::Kind::kMeta: return "metadata";
    case Answer::Kind::kNotRun: return "not run";
    case Answer::Kind::kDecline: return "decline";
    case Answer::Kind::kNobody: return "nobody";
  }
  return "";
}

TEST_CASE("a reply is a call and what it is answered with") {
  CHECK(Reply("$ask(\"Q\") => \"A\"") == "value");
  CHECK(Reply("$ask(\"a => b\") => \"c => d\"") == "value");
  CHECK(Reply("$choose(_, [\"a\" \"b\"]) => [1 #{2} {:k nil}]") == "value");
  CHECK(Reply("$focus => decline") == "decline");
  CHECK(Reply("draft-id => ^ {:status 200, :body \"ok\"}") == "metadata");
}

TEST_CASE("a reply that is none says so") {
  const std::string form =
      "line 3: expected a tool call, an avar or an argument name, `=>`, and a value";
  CHECK(Reply("$ask(\"Q\")") == form);
  CHECK(Reply("p(1) => 2") == form);
  CHECK(Reply("\"x\" => 2") == form);
  CHECK(Reply("$x => ?y") == "line 3: expected a value without variables and calls");
  CHECK(Reply("$x => [$y]") == "line 3: expected a value without variables and calls");
  CHECK(Reply("$x =>").starts_with("line 3: "));
}

}  // namespace
}  // namespace rpl
