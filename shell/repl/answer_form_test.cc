// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/answer_form.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

TEST_CASE("the names of the forms") {
  CHECK(AnswerFormOf("table") == AnswerForm::kTable);
  CHECK(AnswerFormOf("json") == AnswerForm::kJson);
  CHECK(AnswerFormOf("line") == AnswerForm::kLine);
  for (const char* const name : {"", "tab", "table|text", "lines", "|"}) CHECK(!AnswerFormOf(name));
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

}  // namespace
}  // namespace rpl
