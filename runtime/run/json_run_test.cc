// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/json_run.h"
#include "interp/lint/checker.h"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>

#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr const char* kTrip = R"(# Place - place(?where)

Where do you go?

# Days - days(?n)

How many days?

# Long trips - trip(?where) -> !%

`rpl
trip(?where) <- place(?where), days(?n), ?n > 3
%plan(?where) <- place(?where), days(?n), ?n > 0
`
)";

ordered_json Documents(const std::string& name, std::string text) {
  for (std::size_t at = text.find("`rpl"); at != text.npos; at = text.find("`rpl", at + 4)) {
    text.replace(at, 1, "```");
    at = text.find("\n`\n", at);
    text.replace(at + 1, 1, "```");
  }
  ordered_json documents = ordered_json::array();
  documents.push_back({{"name", name}, {"text", text}});
  return {{"documents", documents}, {"now", "2026-01-02T00:00:00Z"}};
}

JsonRun Trip() { return JsonRun(RunSpecOf(Documents("trip.md", kTrip))); }

std::string Key(const ordered_json& shown, std::size_t i) { return shown["questions"][i]["key"]; }

}  // namespace

TEST_CASE("a run driven by JSON asks, takes answers by key, and tells what became of them") {
  JsonRun run = Trip();
  REQUIRE(run.refused() == "");
  ordered_json shown = run.Do({{"do", "run"}});
  REQUIRE(shown["status"] == "waiting");
  REQUIRE(shown["questions"].size() == 2);
  CHECK(Key(shown, 0) == "where");
  CHECK(Key(shown, 1) == "n");
  CHECK(shown["questions"][1]["schema"]["type"] == "number");

  shown = run.Do(
      {{"do", "run"}, {"answers", {{"where", "Rome"}, {"colour", "red"}}}, {"by", "person"}});
  CHECK(shown["status"] == "waiting");
  REQUIRE(shown["unused"].size() == 1);
  CHECK(shown["unused"][0]["key"] == "colour");

  shown = run.Do({{"do", "run"}, {"answers", {{"n", "two"}}}});
  REQUIRE(shown["unused"].size() == 1);
  CHECK(shown["unused"][0]["why"].get<std::string>().find("number") != std::string::npos);

  shown = run.Do({{"do", "run"}, {"answers", {{"n", 2}}}});
  CHECK(shown["status"] == "satisfied");
  CHECK(shown["answers"][0]["?where"] == "Rome");
  CHECK(run.Do({{"do", "trace"}})["entries"].size() > 2);
  CHECK(run.Do({{"do", "export"}})["text"].get<std::string>().find("Rome") != std::string::npos);
}

TEST_CASE("a run driven by JSON takes replies back, and asks again what was declined") {
  JsonRun run = Trip();
  ordered_json shown = run.Do({{"do", "run"}, {"answers", {{"where", "Rome"}, {"n", 2}}}});
  REQUIRE(shown["status"] == "satisfied");
  shown = run.Do({{"do", "run"}, {"takeBack", {"n"}}});
  REQUIRE(shown["status"] == "waiting");
  CHECK(run.Do({{"do", "run"}, {"takeBack", {"n"}}})["error"] ==
        "what was answered for `n` is taken back already");
  shown = run.Do({{"do", "run"}, {"declines", {"n"}}});
  CHECK(shown["status"] == "failed");
  shown = run.Do({{"do", "run"}, {"answers", {{"n", 3}}}});
  CHECK(shown["status"] == "satisfied");
}

TEST_CASE("a run driven by JSON answers queries and explains") {
  JsonRun run(RunSpecOf(Documents("e.rpl",
                                  "edge(1, 2)\nedge(2, 3)\npath(?a, ?b) <- edge(?a, ?b)\n"
                                  "path(?a, ?c) <- path(?a, ?b), edge(?b, ?c)\n")));
  const ordered_json asked = run.Do({{"do", "ask"}, {"query", "%(?x) <- path(1, ?x)"}});
  CHECK(asked["answers"].size() == 2);
  const ordered_json why = run.Do({{"do", "explain"}, {"form", "path(1, 3)"}});
  CHECK(why["holds"] == true);
  CHECK(why["explanations"][0]["fact"] == "path(1, 3)");
  const ordered_json not_so = run.Do({{"do", "explain"}, {"form", "path(3, 1)"}});
  CHECK(not_so["holds"] == false);
  CHECK(not_so["explanations"].size() == 1);
  CHECK(run.Do({{"do", "explain"}, {"form", "path(1,"}})["findings"].size() > 0);
}

TEST_CASE("a run in JSON reads the files beside its documents") {
  ordered_json request = Documents("a.md", "# A - %a(?x) <- b.md#p(?x)\n");
  CHECK_FALSE(JsonRun(RunSpecOf(request)).Do({{"do", "run"}})["status"] == "satisfied");
  request["beside"] = {{{"name", "b.md"}, {"text", "# B\n\n```rpl\np(1)\n```\n"}}};
  CHECK(JsonRun(RunSpecOf(request)).Do({{"do", "run"}})["answers"] ==
        ordered_json::array({{{"?x", 1}}}));
  request["beside"] = 1;
  CHECK_THROWS_AS(RunSpecOf(request), std::invalid_argument);
}

TEST_CASE("what is no request is told, and nothing is done") {
  JsonRun run = Trip();
  CHECK(run.Do({{"do", "dance"}}).contains("error"));
  CHECK(run.Do(ordered_json::array()).contains("error"));
  CHECK(run.Do({{"do", "run"}, {"by", "nobody"}}).contains("error"));
  CHECK(run.Do({{"do", "run"}, {"answers", "Rome"}}).contains("error"));
  CHECK(run.Do({{"do", "run"}, {"say", "place(?x"}}).contains("error"));
  CHECK(run.Do({{"do", "run"}})["status"] == "waiting");
  CHECK_THROWS_AS(RunSpecOf(ordered_json::object()), std::invalid_argument);
  CHECK_THROWS_AS(RunSpecOf({{"documents", {{{"text", 1}}}}}), std::invalid_argument);
}

TEST_CASE("a program with errors opens no run, and is checked with its fixes") {
  JsonRun run(RunSpecOf(Documents("bad.rpl", "p(1")));
  CHECK(run.refused() != "");
  CHECK(run.findings().size() == 1);
  CHECK(run.Do({{"do", "run"}}).contains("error"));
  const ordered_json checked =
      CheckedJson({{"a.rpl", "some_name(1)\nq(?x) <- some_name(?x)\n"}}, {});
  bool fixable = false;
  for (const ordered_json& finding : checked["findings"]) fixable |= finding["edits"].size() > 0;
  CHECK(fixable);
}

}  // namespace rpl
