// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/recorder.h"

#include <catch2/catch.hpp>

#include "interp/eval/engine.h"
#include "interp/program/program.h"
#include "runtime/facts/derivation.h"
#include "runtime/ports.h"

namespace rpl {
namespace {

using Verb = LogLine::Verb;

// A recorder whose lines and events are kept as text.
struct ListenedRun {
  ListenedRun() {
    options.log = [this](const LogLine& line) { lines += LogText(line) + "\n"; };
    options.event = [this](const nlohmann::ordered_json& event) { events += event.dump() + "\n"; };
  }
  std::string lines, events;
  SessionOptions options;
};

TEST_CASE("lines, entries and events carry the position") {
  ListenedRun to;
  Recorder recorder(to.options);
  recorder.BeginTimestep();
  recorder.BeginTimestep();
  recorder.SetPhase(5);
  recorder.Log(Verb::kSatisfied, "%g");
  recorder.Entry({.kind = TraceEntry::Kind::kFact, .text = "p(1)"});
  recorder.Event("phase", []() -> nlohmann::ordered_json { return {{"name", "update plans"}}; });
  CHECK(to.lines == "2.5 satisfied %g\n2.5 trace p(1)\n");
  CHECK(
      to.events ==
      R"x({"schema":"rpl.event/1","type":"trace","timestep":2,"phase":5,"kind":"fact","text":"p(1)"})x"
      "\n"
      R"x({"schema":"rpl.event/1","type":"phase","timestep":2,"phase":5,"name":"update plans"})x"
      "\n");
  REQUIRE(recorder.trace().size() == 1);
  CHECK(recorder.trace().front().timestep == 2);
  recorder.Add({.kind = TraceEntry::Kind::kFact, .timestep = 1, .phase = 2, .text = "p(2)"});
  CHECK(recorder.trace().back().timestep == 1);
}

TEST_CASE("an entry that confirms another is no news") {
  ListenedRun to;
  Recorder recorder(to.options);
  recorder.Add({.kind = TraceEntry::Kind::kFact, .text = "p(1)", .again = true});
  CHECK(to.lines.empty());
  CHECK(to.events.empty());
  CHECK(recorder.trace().size() == 1);
}

TEST_CASE("a failure that repeats is recorded once") {
  const SessionOptions options;
  Recorder recorder(options);
  const std::string text = recorder.Failure("no\nway", "it is \"closed\"");
  CHECK(text == R"(%fail("no way", "it is \"closed\""))");
  CHECK(recorder.Failure("no\nway", "it is \"closed\"") == text);
  CHECK(recorder.trace().size() == 1);
  recorder.Entry({.kind = TraceEntry::Kind::kFact, .text = "p(1)"});
  recorder.Failure("no\nway", "it is \"closed\"");
  CHECK(recorder.trace().size() == 3);
}

TEST_CASE("nobody reads the log, and then somebody does") {
  const SessionOptions options;
  Recorder recorder(options);
  CHECK_FALSE(recorder.Logs());
  CHECK_FALSE(recorder.Tells());
  recorder.Log(Verb::kPhase, "nothing");
  recorder.Event("phase", []() -> nlohmann::ordered_json {
    FAIL("nobody receives it");
    return {};
  });
  int lines = 0;
  recorder.SetLog([&](const LogLine&) { ++lines; });
  recorder.Log(Verb::kPhase, "something");
  CHECK(lines == 1);
}

TEST_CASE("an answer is an event with its value, and a declined one says so") {
  ListenedRun to;
  Recorder recorder(to.options);
  Pool pool;
  Answer answer;
  answer.kind = Answer::Kind::kValue;
  answer.value = pool.String("blue");
  recorder.Reply("answer", "colour(?c)", answer, pool);
  CHECK(to.events.ends_with(R"x("id":"colour(?c)","value":"blue"})x"
                            "\n"));
  answer.kind = Answer::Kind::kDecline;
  recorder.Reply("answer", "colour(?c)", answer, pool);
  CHECK(to.events.ends_with(R"x("id":"colour(?c)","declined":true})x"
                            "\n"));
}

}  // namespace
}  // namespace rpl
