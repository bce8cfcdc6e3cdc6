// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run.h"

#include <catch2/catch.hpp>

#include "interp/testing/testing.h"
#include "interp/testing/testing_folder.h"
#include "runtime/record/session_file.h"

namespace rpl {
namespace {

// Answers every question with a text, or nothing.
class OneAnswer : public testing::Silent {
 public:
  explicit OneAnswer(std::string text) : text_(std::move(text)) {}
  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view) override {
    ++asked;
    if (text_.empty() || request.tool == "index") return {};
    return {rpl::Answer::Kind::kValue, pool.String(text_)};
  }

  int asked = 0;

 private:
  std::string text_;
};

RunSpec Spec(const std::string& text, std::optional<std::string> goal = "") {
  RunSpec out;
  out.files = {{"p.rpl", text}};
  out.options.now = "2026-01-02T00:00:00Z";
  out.goal = std::move(goal);
  return out;
}

// Over a session file, which is begun if there is none.
Run::Opened OverFile(const std::string& path, Ports agent, RunSpec spec) {
  SessionStore::Opened opened = SessionFile::Open(path, SessionStore::Mode::kContinue);
  REQUIRE(opened.store != nullptr);
  std::vector<Event> events = opened.store->events();
  spec.record = Recording{std::move(events), std::move(opened.store)};
  return Run::Open(agent, std::move(spec));
}

constexpr const char* kAsks = "ask(?p, ?a) <- ?a = $ask(?p)\n% <- ask(\"Who?\", ?who)\n";

TEST_CASE("a run: why it cannot go on") {
  OneAnswer agent("");
  CHECK(Run::Open(agent, Spec("p(1)\n% <- p(?x)\n")).why == Unopened::kNot);
  CHECK(Run::Open(agent, Spec("p(1)\n")).why == Unopened::kNoGoals);
  CHECK(Run::Open(agent, Spec("p(1)\n", std::nullopt)).why == Unopened::kNot);
  CHECK(Run::Open(agent, Spec("p(1)\n%a <- p(1)\n", "b")).why == Unopened::kNoSuchGoal);
  const Run::Opened rejected = Run::Open(agent, Spec("p(1\n"));
  CHECK(rejected.why == Unopened::kRejected);
  CHECK_FALSE(rejected.findings.empty());
}

TEST_CASE("a run: turns and messages") {
  OneAnswer agent("Ada");
  const Run::Opened opened = Run::Open(agent, Spec(kAsks));
  REQUIRE(opened);
  Run& run = *opened.run;
  CHECK(run.last() == nullptr);
  CHECK_FALSE(run.IsOver());
  CHECK(run.Turn().status == Status::kSatisfied);
  CHECK(run.IsOver());
  CHECK(run.Say("m", "seen(1)\n").status == Status::kNothing);
  CHECK_FALSE(run.IsOver());  // the last turn did not pursue the goal
  CHECK(run.Turn().status == Status::kSatisfied);
  CHECK(agent.asked == 1);
}

TEST_CASE("a run: a record goes on where it stopped") {
  const testing::Folder folder;
  const std::string path = folder / "s.rpls";
  OneAnswer nobody("");
  {
    const Run::Opened opened = OverFile(path, nobody, Spec(kAsks));
    REQUIRE(opened);
    CHECK(opened.run->Turn().status == Status::kWaiting);
    CHECK(opened.run->Standing() != nullptr);
    CHECK_FALSE(opened.run->IsOver());
  }
  OneAnswer ada("Ada");
  {
    const Run::Opened opened = OverFile(path, ada, Spec(kAsks));
    REQUIRE(opened.run->Standing() != nullptr);
    CHECK(opened.run->Standing()->status == Status::kWaiting);
    CHECK(opened.run->Turn().status == Status::kSatisfied);
  }
  const Run::Opened opened = OverFile(path, nobody, Spec(kAsks));
  CHECK(opened.run->IsOver());
  CHECK(ada.asked == 1);

  SECTION("what is read is kept nowhere") {
    const Run::Opened other =
        Run::Read(nobody, SessionFile::Open(path, SessionStore::Mode::kRead).store->events(), {});
    CHECK(other.run->IsOver());
    CHECK(other.run->Turn().status == Status::kSatisfied);  // kept nowhere
  }
}

TEST_CASE("a run: one that read a source may have another end") {
  OneAnswer agent("");
  RunSpec spec = Spec("rows($x) <- $index(\"f.csv\", $x)\np(1)\n% <- p(?x)\n");
  const Run::Opened opened = Run::Open(agent, std::move(spec));
  REQUIRE(opened);
  CHECK(opened.run->Turn().status == Status::kSatisfied);
  CHECK(opened.run->IsOver());  // nothing was read
}

TEST_CASE("a run: files of messages") {
  OneAnswer agent("");
  std::vector<std::string> named;
  for (const bool messages : {true, false}) {
    RunSpec spec = Spec("% <- a.rpl#p(?x)\n");
    spec.reader = [&](const std::string& name) -> std::optional<std::string> {
      named.push_back(name);
      return "p(1)\n";
    };
    spec.messages_read = messages;
    const Run::Opened opened = Run::Open(agent, std::move(spec));
    REQUIRE(opened);
    CHECK(opened.run->Turn().status == Status::kSatisfied);
    opened.run->Say("m", "q(?x) <- b.rpl#p(?x)\n");
  }
  CHECK(named == std::vector<std::string>{"a.rpl", "b.rpl", "a.rpl"});
}

}  // namespace
}  // namespace rpl
