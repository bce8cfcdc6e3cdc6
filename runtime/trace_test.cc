// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

using Kind = TraceEntry::Kind;

TraceEntry Entry(Kind kind, int timestep, const std::string& text) {
  return {kind, timestep, 6, text, false, false, false};
}

TEST_CASE("truths of goals are exported where they stand") {
  const TraceEntry reply = Entry(Kind::kReply, 1, "$ask(\"Q\") ^ ~ {:result 1} -> true");
  const TraceEntry truth = Entry(Kind::kGoal, 2, "%g -> true");
  CHECK(TraceProgram(Trace{reply, truth}) == reply.text + "\n%g -> true\n");
  SECTION("not those of a timestep that failed") {
    CHECK(TraceProgram(Trace{truth, Entry(Kind::kFailure, 2, "%fail(\"a\", \"b\")")}) ==
          "-- %g -> true\n-- %fail(\"a\", \"b\")\n");
    CHECK(TraceProgram(Trace{Entry(Kind::kFailure, 1, "%fail(\"a\", \"b\")"), truth}) ==
          "-- %fail(\"a\", \"b\")\n%g -> true\n");
  }
  SECTION("not those before a retraction, unless they were established again") {
    const TraceEntry retraction = Entry(Kind::kRetraction, 3, "p(1) -> false");
    CHECK(TraceProgram(Trace{truth, retraction}) == "-- %g -> true\np(1) -> true\np(1) -> false\n");
    CHECK(TraceProgram(Trace{truth, retraction, truth}) ==
          "-- %g -> true\np(1) -> true\np(1) -> false\n%g -> true\n");
  }
  SECTION("not those of an older program") {
    TraceEntry past = truth;
    past.past = true;
    CHECK(TraceProgram(Trace{past, reply}) == reply.text + "\n");
  }
}

TEST_CASE("a changed program starts from what did not stand in the old one") {
  TraceEntry stated = Entry(Kind::kFact, 1, "p(1) -> true");
  stated.stated = true;
  const TraceEntry said = Entry(Kind::kFact, 2, "p(2) -> true");
  const TraceEntry derived = Entry(Kind::kDerivation, 2, "q(2) -> true");
  TraceEntry shown = Entry(Kind::kReply, 2, "$json(?x) ^ ~ {:tool :json} -> true");
  shown.answered = {.call = "$json(?x)", .tool = "json", .shown = true};
  const Trace trace = {stated, said, derived, shown};
  CHECK(Carried(trace).text == "p(2) -> true\n");
  CHECK(TraceProgram(trace) ==
        "p(1) -> true\np(2) -> true\n-- q(2) -> true\n-- $json(?x) ^ ~ {:tool :json} -> true\n");
}

}  // namespace
}  // namespace rpl
