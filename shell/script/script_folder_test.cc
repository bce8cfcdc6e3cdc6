// SPDX-License-Identifier: Apache-2.0
#include "shell/script/script_folder.h"

#include <catch2/catch.hpp>

#include "shell/commands/command_line.h"
#include "shell/script/script_runner.h"

namespace rpl {
namespace {

std::string InBrackets(const std::string& line) {
  const auto words = CommandWords(line);
  if (!words) return "unclosed";
  std::string all;
  for (const std::string& word : *words) all += "<" + word + ">";
  return all;
}

TEST_CASE("a command line has the words that a shell would see") {
  CHECK(InBrackets("") == "");
  CHECK(InBrackets("  a  b\tc ") == "<a><b><c>");
  CHECK(InBrackets("--x='a b'\"c d\"e ''") == "<--x=a bc de><>");
  CHECK(InBrackets(R"('a\"b' "a\"b\\c\d" a\ b\'c)") == R"(<a\"b><a"b\c\d><a b'c>)");
  CHECK(InBrackets("a 'b") == "unclosed");
  CHECK(InBrackets("$HOME `x` a;b *") == "<$HOME><`x`><a;b><*>");
}

TEST_CASE("a script names files inside its folder only") {
  CHECK(IsInnerPath("a/b.yaml"));
  CHECK(IsInnerPath("."));
  CHECK(IsInnerPath("a/../b"));
  CHECK_FALSE(IsInnerPath(""));
  CHECK_FALSE(IsInnerPath("/a"));
  CHECK_FALSE(IsInnerPath("../a"));
  CHECK_FALSE(IsInnerPath("a/../../b"));
}

// What the script expected and did not get; "" when all holds.
std::string VerdictOn(const std::string& script) {
  Sources sources;
  const auto cases =
      ReadTestCases(sources, sources.Add("t.md", "# C\n````rpl-test\n" + script + "````\n"));
  REQUIRE(cases.size() == 1);
  std::string verdict;
  for (const std::string& error : cases[0].errors) verdict += error + "\n";
  if (!verdict.empty()) return verdict;
  return RunScript(cases[0].scripts[0], RunCommandLine).value_or("");
}

TEST_CASE("commands run in order in one folder, and each expectation looks at the last one") {
  CHECK(VerdictOn(R"(FILE: in/p.rpl
p( 1 )
COMMAND: fmt in/p.rpl
EXIT: 0
PRINTS:
p(1)
NO STDERR:
ABSENT: q.rpl
COMMAND: fmt -w in/p.rpl
EXIT: 0
NO STDOUT:
WRITES: in/p.rpl
p(1)
FILE: q.rpl
p(1)
COMMAND: fmt --check q.rpl in/p.rpl
EXIT: 0
SAME: q.rpl in/p.rpl
FOLDER: .
in
q.rpl
COMMAND: fmt -
p( ?a , "b" )
EXIT: 0
STDOUT:
p(?a
"b")
COMMAND: fmt none.rpl
EXIT: 6
STDERR:
none.rpl: No such
NO STDERR:
yes.rpl
)") == "");
}

TEST_CASE("an expectation of a command that does not hold says what was there") {
  const std::string fmt = "COMMAND: fmt -\np(1)\n";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"EXIT: 0\n", "no command was run before"},
      {fmt + "EXIT: 1\n", "expected the command to end with 1, it ended 0"},
      {fmt + "STDOUT:\n1\np\n", "expected next\n  | p\ngot\n  | p(1)\n"},
      {fmt + "NO STDOUT:\n(1\n", "expected nowhere\n  | (1\n"},
      {fmt + "NO STDOUT:\n", "expected nothing\n"},
      {fmt + "PRINTS:\np(2)\n", "expected on standard output\n  | p(2)\n"},
      {fmt + "STDERR:\nx\n", "got\n  (nothing)\n"},
      {fmt + "WRITES: a\nx\n", "a: No such file"},
      {"FILE: a\nx\n" + fmt + "WRITES: a\ny\n", "expected next\n  | y\ngot\n  | x\n"},
      {"FILE: a\nx\n" + fmt + "ABSENT: a\n", "`a` is there"},
      {"FILE: a\nx\nFILE: b\ny\n" + fmt + "SAME: a b\n", "expected the same bytes"},
      {"FILE: a\nx\n" + fmt + "SAME: a b\n", "expected the same bytes"},
      {"FILE: a\nx\n" + fmt + "FOLDER: .\nb\n", "expected in `.`\n  | b\ngot\n  | a\n"},
      {fmt + "FOLDER: none\n", "expected in `none`"},
  };
  for (const auto& [script, part] : table) {
    INFO(script);
    CHECK_THAT(VerdictOn(script), Catch::Contains(part));
  }
}

TEST_CASE("directives of commands that are malformed") {
  CHECK(VerdictOn("COMMAND: fmt 'a\n") == "line 3: a quote is not closed\n");
  for (const std::string line : {"FILE: ../a", "ABSENT: /a", "WRITES: ../a", "FOLDER: a/../.."})
    CHECK(VerdictOn(line + "\n") == "line 3: expected a path inside the folder of the script\n");
  CHECK(VerdictOn("SAME: a\n") == "line 3: expected two paths inside the folder of the script\n");
}

}  // namespace
}  // namespace rpl
