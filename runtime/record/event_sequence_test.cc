// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/event_sequence.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace rpl {
namespace {

struct Line {
  const char* kind;
  std::string body;
};

const Line kBegins = {"program", R"({"files":[{"name":"p.rpl","text":""}],"trace":""})"};
const Line kRun = {"turn", "{}"};
const Line kOver = {"outcome", R"({"status":"waiting","goal":"%","answers":[],"reason":""})"};

Line StepOf(int timestep) {
  return {"step", R"({"timestep":)" + std::to_string(timestep) + R"(,"now":"","limits":[1,2]})"};
}

Line EntryIn(int timestep, int phase) {
  return {"entry", R"({"kind":"reply","timestep":)" + std::to_string(timestep) + R"(,"phase":)" +
                       std::to_string(phase) + R"x(,"text":"p() -> true"})x"};
}

Line Called(const char* kind) { return {kind, R"x({"call":"$t(1)"})x"}; }

Line Replied(const std::string& more = R"("kind":"value","value":"1")") {
  return {"reply", R"x({"call":"$t(1)","by":"host",)x" + more + "}"};
}

// "", or the number of the event that cannot follow those before it, and why.
std::string Wrong(const std::vector<Line>& lines) {
  EventSequence sequence;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (const std::string why = sequence.Take({*EventKindOf(lines[i].kind), lines[i].body});
        !why.empty())
      return std::to_string(i + 1) + ": " + why;
  return "";
}

TEST_CASE("events of a session follow one another by a grammar") {
  const Line file = {"file", R"({"name":"a.md","text":null})"};
  const Line other = {"file", R"x({"name":"b.md","text":"p(1)"})x"};
  const Line said = {"turn", R"x({"name":"m","text":"p(1)"})x"};
  const Line chat = {"chat", R"({"line":"1"})"};
  const Line outside = {"outside", R"({"question":{"run":true},"answer":"x"})"};
  const Line decided = {"decision", R"({"effect":"allow","tool":{"name":"t"}})"};
  CHECK(Wrong({}) == "");
  CHECK(Wrong({kBegins,
               file,
               kRun,
               StepOf(1),
               EntryIn(1, 1),
               EntryIn(1, 2),
               outside,
               decided,
               chat,
               EntryIn(1, 8),
               Called("call"),
               Called("started"),
               Called("started"),
               Replied(),
               StepOf(2),
               EntryIn(2, 1),
               kOver,
               said,
               other,
               StepOf(3),
               kOver}) == "");
  // A run that is cut off, and an epoch that begins with what its next timestep would have had.
  CHECK(Wrong({kBegins, kRun, StepOf(1), Called("call"), Replied(), kBegins, EntryIn(2, 1), file,
               kRun, StepOf(2)}) == "");

  CHECK(Wrong({kBegins, file, kRun, file}) == "4: file: the file was read before");
  CHECK(Wrong({kBegins, kBegins}) == "2: program: it is the one before");
  CHECK(Wrong({kRun}) == "1: turn stands before the program");
  CHECK(Wrong({kBegins, StepOf(1)}) == "2: step stands before the first turn");
  CHECK(Wrong({kBegins, file, EntryIn(1, 1)}) ==
        "3: entry stands after a file, before the first turn");
  CHECK(Wrong({kBegins, kRun, kOver}) == "3: outcome stands before the timesteps");
  CHECK(Wrong({kBegins, kRun, StepOf(1), file}) == "4: file stands in a timestep");
  CHECK(Wrong({kBegins, kRun, StepOf(1), kRun}) == "4: turn stands in a timestep");
  CHECK(Wrong({kBegins, kRun, StepOf(1), kOver, kOver}) ==
        "5: outcome stands after the outcome of a turn");
}

TEST_CASE("timesteps are counted, phases ascend, calls go out before they are answered") {
  const std::vector<Line> in_step = {kBegins, kRun, StepOf(1)};
  const auto then = [&](std::vector<Line> more) {
    more.insert(more.begin(), in_step.begin(), in_step.end());
    return Wrong(more);
  };
  CHECK(Wrong({kBegins, kRun, StepOf(2)}) == "3: step: its timestep is 2, expected 1");
  CHECK(then({StepOf(1)}) == "4: step: its timestep is 1, expected 2");
  CHECK(then({EntryIn(2, 1)}) == "4: entry: its timestep is 2, expected 1");
  CHECK(then({EntryIn(1, 9)}) == "4: entry: its phase is 9");
  CHECK(then({EntryIn(1, 6), EntryIn(1, 2)}) == "5: entry: its phase is 2, behind phase 6");
  CHECK(then({Called("call"), EntryIn(1, 6)}) == "5: entry: its phase is 6, behind phase 8");
  CHECK(then({Called("call"), {"chat", R"({"line":"1"})"}}) == "5: chat: it stands behind a call");
  CHECK(then({Called("started")}) == "4: started: no such call is out");
  CHECK(then({Replied()}) == "4: reply: no such call is out");
  CHECK(then({Called("call"), Called("call")}) == "5: call: the call is out already");
  CHECK(then({Called("call"), Replied(), Replied()}) == "6: reply: the call has its reply already");
  CHECK(then({Called("call"), Replied(), StepOf(2), Replied()}) == "7: reply: no such call is out");
  CHECK(then({Called("call"), Replied(), Called("started")}) ==
        "6: started: the call has its reply already");
  CHECK(then({EntryIn(1, 0)}) == "4: entry: its phase is 0");
}

TEST_CASE("entries before the first turn are those of the next timestep") {
  CHECK(Wrong({kBegins, EntryIn(1, 2), EntryIn(1, 1), kRun, StepOf(1)}) == "");
  CHECK(Wrong({kBegins, EntryIn(2, 1)}) == "2: entry: its timestep is 2, expected 1");
  CHECK(Wrong({kBegins, EntryIn(0, 1)}) == "2: entry: its timestep is 0, expected 1");
}

TEST_CASE("the entry of a reply is one of the next timestep, in its first phases") {
  const auto with = [](const std::string& entry) {
    return Wrong({kBegins, kRun, StepOf(1), Called("call"),
                  Replied(R"("kind":"value","value":"1","entry":)" + entry)});
  };
  CHECK(with(EntryIn(2, 1).body) == "");
  CHECK(with(EntryIn(2, 2).body) == "");
  CHECK(with(EntryIn(2, 3).body) == "5: reply: its `entry`: its phase is 3");
  CHECK(with(EntryIn(2, 0).body) == "5: reply: its `entry`: its phase is 0");
  CHECK(with(EntryIn(1, 1).body) == "5: reply: its `entry`: its timestep is 1, expected 2");
  CHECK(with(R"({"kind":"tale","timestep":2,"phase":1,"text":""})") ==
        "5: reply: its `entry`: its `kind` is unknown");
}

TEST_CASE("bodies of events have their fields") {
  CHECK(Wrong({{"program", "{"}}).starts_with("1: program: "));
  CHECK(Wrong({{"program", "[]"}}) == "1: program: its body is no object");
  CHECK(Wrong({{"program", "{}"}}) == "1: program: there is no `files`");
  CHECK(Wrong({{"program", R"({"files":[{"name":"a"}],"trace":""})"}}) ==
        "1: program: its `files` is of another type");
  CHECK(Wrong({{"program", std::string(300, '[') + std::string(300, ']')}}) ==
        "1: program: nested deeper than 216");
  CHECK(Wrong({kBegins, {"turn", R"({"name":"m"})"}}) ==
        "2: turn: `name` and `text` stand together");
  CHECK(Wrong({kBegins, {"turn", R"({"goal":"trip"})"}, StepOf(1)}) == "");
  CHECK(Wrong({kBegins, {"turn", R"({"goal":7})"}}) == "2: turn: its `goal` is of another type");
  CHECK(Wrong({kBegins, {"turn", R"({"goal":""})"}}) == "2: turn: its `goal` is empty");
  CHECK(Wrong({kBegins, {"turn", R"x({"name":"m","text":"p(1)","goal":"trip"})x"}}) ==
        "2: turn: a message has no `goal`");
  CHECK(Wrong({kBegins, kRun, {"step", R"({"timestep":1.0,"now":"","limits":[]})"}}) ==
        "3: step: its `timestep` is of another type");
  const auto in_step = [](const char* kind, const char* body) {
    return Wrong({kBegins, kRun, StepOf(1), {kind, body}});
  };
  CHECK(in_step("step", R"({"timestep":2,"now":"","limits":[1,-2]})") ==
        "4: step: its `limits` is of another type");
  CHECK(in_step("step", R"({"timestep":2,"now":"","limits":7})") ==
        "4: step: its `limits` is of another type");
  CHECK(in_step("entry", R"({"kind":"tale","timestep":1,"phase":1,"text":""})") ==
        "4: entry: its `kind` is unknown");
  CHECK(in_step("entry", R"({"kind":"reply","timestep":1,"phase":1,"text":"","stated":1})") ==
        "4: entry: its `stated` is of another type");
  CHECK(in_step("entry", R"({"kind":"reply","timestep":1,"phase":1,"text":"","answered":{}})") ==
        "4: entry: its `answered` is of another type");
  CHECK(in_step("entry", R"({"kind":"reply","timestep":1,"phase":1,"text":"","by":7})") ==
        "4: entry: its `by` is of another type");
  CHECK(in_step("decision", R"({"effect":"allow","tool":"t"})") ==
        "4: decision: its `tool` is of another type");
  CHECK(in_step("outcome", R"({"status":"waiting","goal":"","answers":[1],"reason":""})") ==
        "4: outcome: its `answers` is of another type");
  CHECK(Wrong({kBegins, {"file", R"({"name":"a.md","text":7})"}}) ==
        "2: file: its `text` is no text");
  CHECK(Wrong({{"program", R"({"files":[{"name":1,"text":""}],"trace":""})"}}) ==
        "1: program: its `files` is of another type");
  const auto reply = [](const std::string& more) {
    return Wrong({kBegins, kRun, StepOf(1), Called("call"), Replied(more)});
  };
  CHECK(reply(R"("kind":"declined")") == "");
  CHECK(reply(R"("kind":"value")") == "5: reply: there is no `value`");
  CHECK(reply(R"("kind":"declined","value":"1")") == "5: reply: it was declined with a value");
  CHECK(reply(R"("kind":"values","value":"1")") == "5: reply: its `kind` is unknown");
  CHECK(reply(R"("kind":"value","value":"1","heading":"h")") ==
        "5: reply: `heading` and `argument` stand together");
  CHECK(reply(R"("kind":"value","value":"1","entry":{})") ==
        "5: reply: its `entry`: there is no `kind`");
  CHECK(Wrong({kBegins,
               kRun,
               StepOf(1),
               Called("call"),
               {"reply", R"x({"call":"$t(1)","kind":"value","value":"1","by":"ann"})x"}}) ==
        "5: reply: its `by` is of another type");
  CHECK(Wrong({kBegins,
               kRun,
               StepOf(1),
               {"outcome", R"({"status":"done","goal":"","answers":[],"reason":""})"}}) ==
        "4: outcome: its `status` is unknown");
}

}  // namespace
}  // namespace rpl
