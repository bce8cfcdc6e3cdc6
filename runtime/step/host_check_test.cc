// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/host_check.h"

#include <catch2/catch.hpp>

#include "interp/testing/testing.h"
#include "runtime/host/host_calls.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

struct Host {
  explicit Host(const std::string& text) {
    SessionOptions options;
    options.now = "2026-01-02T00:00:00Z";
    options.host = &calls;
    session = std::make_unique<Session>(agent, std::move(options));
    for (const Diagnostic& d : session->Load("p.md", text)) UNSCOPED_INFO(d.message);
    session->Run();
  }

  static HostRow Runs(const std::string& program, std::vector<std::string> words,
                      bool open = false) {
    return {"runs", program, std::move(words), open};
  }
  /// Asks about a call. "" or what is found against it, a line each; the call is then open or
  /// denied.
  std::string Ask(const std::vector<HostRow>& rows) {
    const std::int64_t call = log.Begin({.tool = "Bash"}, rows);
    std::string out;
    for (const HostFinding& f : session->CheckHost().found) {
      out += f.violated ? "violated " : "undecided ";
      out += f.words.heading + ": " + f.words.text;
      for (const OpenRequest& q : f.questions) out += " asks " + q->id;
      out += "\n";
    }
    log.Set(call, out.empty() ? HostCallState::kOpen : HostCallState::kDenied);
    last = call;
    return out;
  }
  void End() { log.Set(last, HostCallState::kEnded); }

  testing::Silent agent;
  HostLog log;
  HostCalls calls{log};
  std::unique_ptr<Session> session;
  std::int64_t last = 0;
};

constexpr const char* kShip = R"(# Ship - %ship(?branch) <- branch(?branch), green(), approved(?who)

## Branch - branch(?branch)

Which branch is it?

## Approver - approved(?who)

Who approves the push?

## Green

```rpl
green() <- std#succeeded(?c, "make", ["test"]), not edited-since(?c)
edited-since(?c) <- std#succeeded(?c, "make", ["test"]), std#edits(?e, ~ /^[^\/]/), ?e > ?c, not std#call-state(?e, :denied)
```

# No push before the tests are green - std#decides(?c), std#runs(?c, "git", ["push" & _]) -> green()

Run `make test` after your last edit, then push.

# Tests are not weakened - std#decides(?c), std#edits(?c, ~ /_test\.py$/) -> false

Mend the code, not its tests.
)";

const std::string kRed =
    "violated No push before the tests are green: Run `make test` after your "
    "last edit, then push.\n";

TEST_CASE("a host: what it did is evidence, in the order in which it was done") {
  Host host(kShip);
  CHECK(host.Ask({Host::Runs("git", {"push"})}) == kRed);
  CHECK(host.Ask({Host::Runs("git", {"status"})}) == "");
  CHECK(host.Ask({Host::Runs("make", {"test"}), {"succeeded", "make", {"test"}}}) == "");
  CHECK(host.Ask({Host::Runs("git", {"push", "origin"})}) == kRed);  // the tests have not ended
  host.last = 3;
  host.End();
  CHECK(host.Ask({Host::Runs("git", {"push"})}) == "");
  CHECK(host.Ask({{"edits", std::nullopt, "a.py"}}) == "");
  CHECK(host.Ask({Host::Runs("git", {"push"})}) == kRed);
  CHECK(host.Ask({{"edits", std::nullopt, "a_test.py"}}) ==
        "violated Tests are not weakened: Mend the code, not its tests.\n");
}

TEST_CASE("a host: what is not known is undecided, unless its beginning says otherwise") {
  Host host(kShip);
  CHECK(host.Ask({Host::Runs("git", {"show"}, true)}) == "");
  CHECK(host.Ask({Host::Runs("make", {}, true)}) == "");
  const std::string open =
      "undecided No push before the tests are green: Run `make test` after "
      "your last edit, then push.\n";
  CHECK(host.Ask({Host::Runs("git", {}, true)}) == open);
  // What is known is all that `["push" & _]` asks for.
  CHECK(host.Ask({Host::Runs("git", {"push"}, true)}) == kRed);
  CHECK(host.Ask({{"runs", std::nullopt, nlohmann::ordered_json::array(), true}}) == open);
  CHECK(host.Ask({{"edits", std::nullopt, "", true}}) ==
        "undecided Tests are not weakened: Mend the code, not its tests.\n");
  CHECK(host.Ask({{"reads", std::nullopt, "", true}}) == "");
}

TEST_CASE("a host: an answer that a person has not given") {
  Host host(std::string(kShip) + R"(
# A person approves - std#decides(?c), std#runs(?c, "git", ["tag" & _]) -> approved(_)
)");
  CHECK(host.Ask({Host::Runs("git", {"tag", "v1"})}) ==
        "undecided A person approves:  asks approved(?who)\n");
  host.session->Say("m", "approved(\"Ada\")\n", By::kPerson);
  CHECK(host.Ask({Host::Runs("git", {"tag", "v1"})}) == "");
}

TEST_CASE("a host: the end of a turn") {
  Host host(std::string(kShip) + R"(
# The work is not done - std#turn-ends(_) -> green()

Run the tests.
)");
  CHECK(host.Ask({Host::Runs("make", {"test"}), {"succeeded", "make", {"test"}}}) == "");
  host.log.BeginTurnEnd();
  CHECK(host.session->CheckHost().found.size() == 1);
  host.End();
  host.log.BeginTurnEnd();
  CHECK(host.session->CheckHost().found.empty());
}

TEST_CASE("a host: a constraint without std#decides counts what the call adds") {
  Host host("std#edits(?c, \"secret\") -> false\n");
  CHECK(host.Ask({{"edits", std::nullopt, "secret"}}) != "");
  CHECK(host.Ask({{"edits", std::nullopt, "other"}}) == "");
  CHECK(host.Ask({{"edits", std::nullopt, "secret"}}) != "");
}

TEST_CASE("a host: a misspelt relation of the library is not one without rows") {
  for (const char* text :
       {"std#decides(?c), std#run(?c, \"git\", _) -> false\n",
        "pushes(?c) <- std#runs(?c, \"git\")\nstd#decides(?c), pushes(?c) -> false\n",
        "std#succeeded(1, \"make\", [])\nstd#decides(?c) -> std#succeeded(_, _, _)\n"}) {
    Host host(text);
    host.log.Begin({.tool = "Bash"}, {});
    CHECK(host.session->CheckHost().stop != "");
  }
  Host host(
      "late(?c) <- std#call(?c, _, _), std#length([1 2], 2)\nstd#decides(?c), late(?c) -> true\n");
  host.log.Begin({.tool = "Bash"}, {});
  CHECK(host.session->CheckHost().stop == "");
}

TEST_CASE("a host: the log as it was") {
  HostLog log;
  const std::int64_t one = log.Begin({.tool = "Bash", .id = "a", .session = "s"}, {});
  log.Set(one, HostCallState::kOpen);
  const std::int64_t entry = log.last();
  log.Set(one, HostCallState::kEnded, {{"stdout", "ok"}});
  CHECK_FALSE(log.FindOpen({.tool = "Bash", .id = "a", .session = "s"}));
  std::string states;
  const auto add = [&](const HostLog::Call& call) {
    states += std::string(NameOf(call.state)) + call.result + " ";
  };
  log.ForEachCall(std::nullopt, true, add);
  log.ReadAt(entry);
  log.ForEachCall(std::nullopt, true, add);
  log.ReadAt(0);
  log.ForEachCall(std::nullopt, true, add);
  CHECK(states == R"(ended{"stdout":"ok"} open )");
  log.ReadAt(std::nullopt);
  const std::int64_t two = log.Begin({.tool = "Bash", .session = "s"}, {});
  log.Set(two, HostCallState::kOpen);
  CHECK(log.FindOpen({.tool = "Bash", .session = "s"}) == two);
  CHECK_FALSE(log.FindOpen({.tool = "Bash", .arguments = {{"command", "x"}}, .session = "s"}));
  CHECK_FALSE(log.FindOpen({.tool = "Bash", .id = "a", .session = "s"}));
  log.EndSession("s");
  CHECK_FALSE(log.FindOpen({.tool = "Bash", .session = "s"}));
}

}  // namespace
}  // namespace rpl
