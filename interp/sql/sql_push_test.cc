// SPDX-License-Identifier: Apache-2.0
#include "interp/sql/sql_push.h"

#include <catch2/catch.hpp>

#include "interp/testing/testing.h"

namespace rpl {
namespace {

const std::vector<SqlSource> kSources = {
    {"order",
     "ORDERS",
     "\"order\"",
     "SELECT * FROM \"order\"",
     {{"id", sql_type::kInt4, -1, false},
      {"customer", sql_type::kText, -1, true},
      {"notes", 3802, -1, true}}},
    {"customer",
     "ORDERS",
     "\"customer\"",
     "SELECT * FROM \"customer\"",
     {{"name", sql_type::kText, -1, false}}},
    {"rate", "RATES", "\"rate\"", "SELECT * FROM \"rate\"", {{"r", sql_type::kInt4, -1, false}}},
};

SqlPush PushOf(const std::string& text) {
  testing::Engine engine;
  engine.Take(text);
  CHECK(engine.Findings() == "");
  return FindPush(engine.program, engine.analysis, kSources, nullptr);
}

// The names of the relations that are read, and why others are not.
std::string Shown(const std::string& text) {
  const SqlPush push = PushOf(text);
  std::string out;
  for (const SqlPush::Query& query : push.queries)
    out += (out.empty() ? "" : " ") + query.pushed.relation + "@" + query.pushed.database;
  for (const std::string& why : push.kept) out += "\n" + why;
  return out;
}

TEST_CASE("a query reads the rows of a relation in place of those below it") {
  const SqlPush push =
      PushOf("a(?c) <- order(?i, ?c, _), ?i > 3, not customer(?c)\n%go(?c) <- a(?c)\n");
  REQUIRE(push.queries.size() == 1);
  CHECK(push.replaced.size() == 2);
  CHECK(push.rules.size() == 1);
  const SqlPushed& pushed = push.queries[0].pushed;
  CHECK(pushed.types == std::vector<SqlType>{SqlType::kTagged});
  CHECK(pushed.sources.size() == 2);
  const std::string& select = pushed.select;
  INFO(select);
  CHECK(select.find("FROM \"order/3\" AS a1 WHERE a1.c1 > 3 AND NOT EXISTS (SELECT 1 FROM "
                    "\"customer/1\" AS a2 WHERE a2.c1 = a1.p2)") != std::string::npos);
  CHECK(select.ends_with("SELECT c1 FROM \"a/1\" ORDER BY k"));
}

TEST_CASE("which relations are pushed down") {
  const std::string go = "%go(?x) <- a(?x)\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a(?x) <- order(?x, _, _)\n", "a@ORDERS"},
      {"a(?x) <- b(?x), b(?x)\nb(?x) <- order(?x, _, _)\n", "a@ORDERS"},
      {"a(?x) <- b(?x), rate(?x)\nb(?x) <- order(?x, _, _)\n",
       "b@ORDERS\na: it reads rate, which is not in the database of ORDERS\na: it reads b, which "
       "is not "
       "in the database of RATES"},
      {"a(?x) <- rate(?x)\nb(?x) <- order(?x, _, _)\n%b(?x) <- b(?x)\n", "b@ORDERS a@RATES"},
      {"a(?n) <- ?n = |b(_, _)|\nb(?x, ?y) <- order(?x, ?y, _), customer(?y)\n", "a@ORDERS"},
      {"a(#{?x 7}) <- order(?x, _, _)\n",
       "\na: the order of its rows is not that of the rows it reads"},
      {"a(?n) <- ?n = |b(_)|\nb(#{?x 7}) <- order(?x, _, _)\n", "a@ORDERS"},
      {"a(?x) <- order(?x, _, _)\n%more(?x) <- order(?x, _, _)\n",
       "\na: others read order as well"},
      {"a(?x) <- order(?x, _, _)\norder(?x, _, _), ?x < 0 -> false\n",
       "\na: others read order as well"},
      {"a(?x) <- order(?x, _, _)\na(5)\n", "\na: the program has facts of it"},
      {"a(?x) <- order(?x, _, _)\norder(1, nil, nil)\n", ""},
      {"a(?x) <- order(?x, _, _)\n%by(?b) <- a(_) ^ ~ {:by ?b}\n", "\na: its metadata is read"},
      {"a(?x) <- order(?x, _, _)\n%n(?m) <- (a(_), b(_)) ^ ?m\nb(1)\n",
       "\na: its metadata is read"},
      {"a(?x) <- order(?x, _, _)\n%n(?m) <- not a(5), b(_) ^ ~ {:by ?m}\nb(1)\n", "a@ORDERS"},
      {"a(?x) <- order(?x, _, _)\n%n(?x, ?y) <- a(?x), ?y = $ask(\"ok?\")\n", "a@ORDERS"},
      {"a(?x) <- order(?x, _, _), known(?x)\nknown(1)\n",
       "\na: it reads known, which is not in the database of ORDERS"},
      {"a(?x) <- order(?x, _, _)\na(?y) <- a(?x), order(?y, ?x, _)\n",
       "\na: it reads a, which is not in the database of ORDERS"},
      {"a(?x) <- order(_, _, ?x)\n",
       "\na: a column has a type that is not translated: `order(_, _, ?x)`"},
      {"a(?n) <- ?n = |order(_, _, _)|\n",
       "\na: a column has a type that is not translated: `|order(_, _, _)|`"},
      {"a(?y) <- order(?x, _, _), ?y = ?x / 2\n",
       "\na: it needs functions of a script, as for values of several kinds"},
      {"a(?x) <- order(?x, _, _)\nform(\"f\")\n%any(?f) <- form(?f), #?f\n",
       "\na clause may read any relation"},
      {"a(?x) <- order(?x, _, _)\n%any(?x) <- ?f = order(?x, _, _), #?f\n",
       "\na: others read order as well"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(Shown(text + go) == expected);
  }
}

TEST_CASE("nothing rests on the absence of rows that a database leaves undefined") {
  const std::string late = "k(1)\na(?x) <- order(?x, ?c, _), ?c > \"b\"\n";
  CHECK(Shown(late + "%go(?x) <- a(?x)\n") == "a@ORDERS");
  CHECK(Shown("a(?x) <- order(?x, ?c, _), not (?c > \"b\")\n%go(?x) <- a(?x)\n") ==
        "\na: a value may have no meaning in it, and something rests on its absence");
  for (const char* reader :
       {"%go(?x) <- k(?x), not a(?x)\n", "%go(?n) <- ?n = |a(_)|\n",
        "%go(?x) <- k(?x)\nk(?x) -> not a(?x)\n", "%go(?x) <- k(?x)\na(?x) -> ?x < 5\n",
        "%go(?x) <- k(?x), !%other\n%other() <- a(5)\n",
        "%go(?x) <- k(?x), not b(?x)\nb(?x) <- a(?x), k(?x)\n",
        "%go(?x) <- k(?x), not %other(?x)\n%other(?x) <- a(?x), k(?x)\n"}) {
    INFO(reader);
    CHECK(Shown(late + reader) ==
          "\na: a value may have no meaning in it, and something rests on its absence");
  }
}

TEST_CASE("rules over sources are evaluated as written, unless they are recursive") {
  testing::Engine engine;
  engine.Take(
      "a(?x) <- order(?x, _, _)\nb(?x) <- a(?x), not customer(?x)\nc(?x) <- c(?x)\n"
      "c(?x) <- order(?x, _, _)\nd(?x) <- a(?x), known(?x)\nknown(1)\n");
  CHECK(AsWritten(engine.program, {"order", "customer"}) == std::set<int>{0, 1});
  CHECK(AsWritten(engine.program, {"order"}) == std::set<int>{0});
  CHECK(AsWritten(engine.program, {}).empty());
}

}  // namespace
}  // namespace rpl
