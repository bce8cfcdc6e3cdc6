// SPDX-License-Identifier: Apache-2.0
#include "interp/sql/sql_script.h"

#include <catch2/catch.hpp>

#include "interp/testing/testing.h"
#include "interp/testing/testing_page.h"

namespace rpl {
namespace {

// The codes of what is refused, or the statements.
std::string Written(const std::string& text) {
  testing::Engine engine;
  engine.Take(text);
  Diagnostics refused;
  const auto script =
      WriteSql(engine.program, engine.analysis, SqlRequestOf(engine.program), refused);
  std::string out;
  for (const Diagnostic& d : refused.all()) out += CodeText(d.code) + " " + d.message + "\n";
  CHECK(script.has_value() == refused.all().empty());
  if (!script) return out;
  for (const SqlStatement& statement : script->statements) out += statement.text + ";\n";
  for (const SqlAnswers& answers : script->answers) out += answers.select + ";\n";
  return out;
}

// The types of the columns of p/1.
std::string TypeOf(const std::string& text) {
  const std::string all = Written(text);
  const std::string begin = "CREATE TABLE \"p\" (c1 ";
  const auto at = all.find(begin);
  if (at == all.npos) return all;
  const auto from = at + begin.size();
  return all.substr(from, all.find(" NOT NULL", from) - from);
}

TEST_CASE("docs/sql.md has a program for each code") {
  std::map<std::string, std::string> examples = testing::Examples(RPL_SQL_PAGE, "rpl-refused");
  for (const CodeInfo& info : AllCodes()) {
    const std::string code = CodeText(info.code);
    if (!code.starts_with("RPL9")) continue;
    const std::string wanted = code + " " + std::string(info.name);
    INFO(wanted);
    const std::string refused = Written(examples[wanted]);
    CHECK(refused.starts_with(code));
    examples.erase(wanted);
  }
  CHECK(examples.empty());
}

TEST_CASE("the kinds of a column decide its type") {
  CHECK(TypeOf("p(1)\np(-5)\np(1.0)") == "bigint");
  CHECK(TypeOf("p(1)\np(0.5)") == "numeric");
  CHECK(TypeOf("p(9223372036854775807)") == "bigint");
  CHECK(TypeOf("p(9223372036854775808)") == "numeric");
  CHECK(TypeOf("q(1)\np(?y) <- q(?x), ?y = ?x + 1") == "numeric");
  CHECK(TypeOf("q(1)\np(?n) <- ?n = |q(_)|") == "bigint");
  CHECK(TypeOf("p(true)") == "boolean");
  for (const char* text :
       {"p(\"a\")", "p(a)", "p(:a)", "p(nil)", "p([1])", "p(f(1))", "p(1)\np(a)"})
    CHECK(TypeOf(text) == "text COLLATE \"C\"");
}

TEST_CASE("values are tagged where a column has several kinds") {
  const std::string all = Written(
      "p(1)\np(\"it's \\\"\\\\\\n\")\np(:k)\np(a)\np(nil)\np(true)\np(0.5)\np([1 [a]])\np(f(1))\n"
      "p(1000000000000000000000)");
  for (const char* cell :
       {"('1')", R"(('"=it''s \"\\\n"'))", R"(('":k"'))", R"(('"''a"'))", "('null')", "('true')",
        "('0.5')", R"(('[1, ["''a"]]'))", R"(('{"f": [1]}'))", "('1000000000000000000000')"})
    CHECK_THAT(all, Catch::Contains(cell));
}

TEST_CASE("tagged cells are read as the values that they were") {
  testing::Engine engine;
  for (const char* text : {"1", "-7", "0.1", "1000000000000000000000", "\"x\"", "\"\"", "a", ":k",
                           "nil", "true", "false", "[]", "[1 \"a\" [b]]", "f(1, g(:k))"}) {
    INFO(text);
    const Value v = testing::Read(engine.pool, text);
    CHECK(ValueOfSql(engine.pool, SqlTagged(engine.pool, v), SqlType::kTagged) == v);
  }
  for (const char* cell : {"", "\"\"", "\"x\"", "[1", "{\"f\": 1}", "{}"})
    CHECK(ValueOfSql(engine.pool, cell, SqlType::kTagged).is_none());
}

TEST_CASE("recursion is one query if one rule reads its relation once, else a loop") {
  const std::string edges = "e(1, 2)\nt(?x, ?y) <- e(?x, ?y)\n";
  const std::string linear = Written(edges + "t(?x, ?z) <- t(?x, ?y), e(?y, ?z)");
  CHECK_THAT(linear, Catch::Contains("WITH RECURSIVE"));
  CHECK_THAT(linear, !Catch::Contains("LOOP"));
  for (const char* rules :
       {"t(?x, ?z) <- t(?x, ?y), t(?y, ?z)", "t(?x, ?y) <- u(?x, ?y)\nu(?x, ?y) <- t(?y, ?x)",
        "t(?x, ?z) <- t(?x, ?y), (e(?y, ?z) | e(?z, ?y))"}) {
    const std::string loop = Written(edges + rules);
    CHECK_THAT(loop, Catch::Contains("LOOP") && !Catch::Contains("WITH RECURSIVE"));
  }
}

TEST_CASE("nothing rests on the absence of rows that may be undefined") {
  const std::string facts = "p(1)\np(\"a\")\nn(1)\n";
  const std::string refused = "RPL9002 a value may have no meaning in it";
  for (const char* rules :
       {"b(?x) <- p(?x), ?x > 3\n%a(?x) <- n(?x), not b(?x)",
        "b(?x) <- p(?x), ?x > 3\nc(?x) <- b(?x)\n%a(?n) <- ?n = |c(_)|",
        "b(?x) <- p(?x), not (?x > 3)\n%a(?x) <- b(?x)", "%a(?x) <- p(?x), not (?x > 3)",
        "b(?x) <- p(?x), ?x > 3\nc(?x) <- n(?x), not b(?x)\n%a(?x) <- c(?x)"})
    CHECK_THAT(Written(facts + rules), Catch::StartsWith(refused));
  CHECK_THAT(Written(facts + "b(?x) <- p(?x), ?x > 3\n%a(?x) <- b(?x)\n%b(?x) <- n(?x), not p(?x)"),
             Catch::Contains("SELECT"));
}

TEST_CASE("only what the goals need becomes SQL") {
  const std::string all =
      Written("p(1)\nq(2)\nr(?x) <- $tool(?x), q(?x)\n%a(?x) <- p(?x)\n% <- p(1)");
  CHECK_THAT(all, Catch::Contains("\"p\"") && !Catch::Contains("\"q\""));
  CHECK_THAT(all, Catch::Contains("SELECT DISTINCT a1.c1 AS \"?x\" FROM \"p\" AS a1;\n"));
  CHECK_THAT(all, Catch::Contains("SELECT EXISTS (") && Catch::Contains(") AS holds;\n"));
}

}  // namespace
}  // namespace rpl
