// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/turn_spans.h"

#include <catch2/catch.hpp>
#include <set>

namespace rpl {
namespace {

using nlohmann::ordered_json;

ordered_json SpansIn(const std::string& line) {
  const ordered_json request = ordered_json::parse(line);
  return request["resourceSpans"][0]["scopeSpans"][0]["spans"];
}

TEST_CASE("timesteps are below their turn, and calls below their timestep") {
  const std::string trace = "0af7651916cd43dd8448eb211c80319c";
  TurnSpans spans("s_1", "trip.md", "00-" + trace + "-b7ad6b7169203331-01");
  spans.Take({{"type", "timestep"}, {"timestep", 1}});
  spans.Take({{"type", "tool-call"}, {"id", "$stock(\"a\")"}, {"tool", "stock"}});
  spans.Take({{"type", "timestep"}, {"timestep", 2}});
  spans.Take({{"type", "result"}, {"id", "$stock(\"a\")"}, {"metadata", {{":status", ":error"}}}});
  const ordered_json shown = SpansIn(spans.End("tool-failed", true));
  REQUIRE(shown.size() == 4);
  CHECK(spans.timesteps() == 2);
  CHECK(spans.calls() == 1);
  std::set<std::string> ids;
  for (const ordered_json& span : shown) {
    CHECK(span["traceId"] == trace);
    CHECK(span["spanId"].get<std::string>().size() == 16);
    ids.insert(span["spanId"].get<std::string>());
    CHECK(std::stoll(span["endTimeUnixNano"].get<std::string>()) >=
          std::stoll(span["startTimeUnixNano"].get<std::string>()));
  }
  CHECK(ids.size() == 4);
  CHECK(shown[0]["parentSpanId"] == "b7ad6b7169203331");
  CHECK(shown[1]["parentSpanId"] == shown[0]["spanId"]);
  CHECK(shown[2]["name"] == "tool stock");
  CHECK(shown[2]["parentSpanId"] == shown[1]["spanId"]);
  CHECK(shown[2]["status"]["code"] == 2);
  CHECK(shown[3]["parentSpanId"] == shown[0]["spanId"]);
}

TEST_CASE("a parent that is none begins a trace") {
  for (const char* parent :
       {"", "00-xyz", "00-00000000000000000000000000000000-b7ad6b7169203331-01"}) {
    CAPTURE(parent);
    TurnSpans spans("s_1", "trip.md", parent);
    const ordered_json shown = SpansIn(spans.End("satisfied", false));
    REQUIRE(shown.size() == 1);
    CHECK(!shown[0].contains("parentSpanId"));
    CHECK(shown[0]["traceId"].get<std::string>().size() == 32);
    CHECK(!shown[0].contains("status"));
  }
}

}  // namespace
}  // namespace rpl
