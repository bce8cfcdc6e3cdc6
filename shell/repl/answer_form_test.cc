// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/answer_form.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

TEST_CASE("each format and each form of columns has a mode") {
  std::string names;
  for (const NamedMode& named : AnswerModes()) {
    names += named.name + " ";
    CHECK((!named.mode.columns || named.mode.format->IsText()));
    if (!named.mode.columns) CHECK(named.name == named.mode.format->name);
  }
  CHECK(names.starts_with("table text json "));
  CHECK(names.ends_with(" csv markdown line "));
}

TEST_CASE("answers in each form") {
  Pool pool;
  const std::vector<std::string> columns = {"?to", "?km"};
  const std::vector<Value> cells = {pool.String("a \"b\", c"), pool.Int(7),
                                    pool.String("d|e\nf"),     kAbsent,
                                    pool.String("g\x1b[1m"),   pool.Int(10)};
  const auto as = [&](AnswerForm form, std::size_t most = 0) {
    return AnswersAs(form, pool, columns, cells, {most, 80, false});
  };
  CHECK(as(AnswerForm::kCsv) == "to,km\n\"a \"\"b\"\", c\",7\n\"d|e\nf\",\ng\x1b[1m,10\n");
  CHECK(as(AnswerForm::kCsv, 1) == as(AnswerForm::kCsv));
  CHECK(as(AnswerForm::kMarkdown, 2) ==
        "| ?to | ?km |\n| --- | --- |\n| \"a \\\"b\\\", c\" | 7 |\n| \"d\\|e\\nf\" |  |\n");
  CHECK(as(AnswerForm::kLine, 2) ==
        "?to = \"a \\\"b\\\", c\"\n?km = 7\n\n?to = \"d|e\\nf\"\n?km = \n");
  CHECK(as(AnswerForm::kTable, 1) ==
        " ?to          | ?km\n--------------+-----\n"
        " \"a \\\"b\\\", c\" |   7\n");
}

TEST_CASE("facts read from the CSV of answers are the same values") {
  Pool pool;
  const auto column = [&](const std::vector<Value>& cells) {
    std::vector<Value> rows;
    for (const Value cell : cells) rows.insert(rows.end(), {pool.Int(1), cell});
    return AnswersAs(AnswerForm::kCsv, pool, {"?n", "?x"}, rows, {});
  };
  const auto text = [&](const char* of) { return pool.String(of); };
  CHECK(column({text("12"), text(""), kNil, text("nil"), text("true"), kTrue, text("1e3"),
                pool.Int(12), pool.Float(0.5), text("007"), text("a b"), text("a,b")}) ==
        "n,x\n1,\"12\"\n1,\"\"\n1,\n1,nil\n1,\"true\"\n1,true\n1,\"1e3\"\n1,12\n1,0.5\n1,007\n"
        "1,a b\n1,\"a,b\"\n");
  CHECK(column({pool.Keyword("red"), pool.Keyword("dark-red")}) ==
        "n,x:keyword\n1,red\n1,dark-red\n");
  CHECK(column({pool.Symbol("ada")}) == "n,x:symbol\n1,ada\n");
  CHECK(column({pool.Keyword("red"), pool.Symbol("red")}) == "n,x\n1,:red\n1,red\n");
  CHECK(column({pool.Keyword("red"), kNil}) == "n,x\n1,:red\n1,\n");
  CHECK(column({pool.List(std::vector{pool.Int(1), pool.Int(2)})}) == "n,x\n1,[1 2]\n");
}

}  // namespace
}  // namespace rpl
