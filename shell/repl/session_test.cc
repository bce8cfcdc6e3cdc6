// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/session.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "interp/testing/testing.h"
#include "interp/testing/testing_folder.h"
#include "runtime/explained.h"
#include "runtime/record/session_file.h"

namespace rpl {
namespace {

// Answers every question with its number.
struct Counting : testing::Silent {
  rpl::Answer AnswerTo(const Request&, Pool& pool, std::string_view) override {
    return {rpl::Answer::Kind::kValue, pool.Int(++asked)};
  }
  int asked = 0;
};

struct Shell {
  explicit Shell(SessionOptions options = Options()) : session(agent, std::move(options)) {}

  static SessionOptions Options() {
    SessionOptions options;
    options.now = "2026-01-02T00:00:00Z";
    options.limits.max_rounds = 50;
    return options;
  }

  // Status, whether it was taken in, answers.
  std::string Say(const std::string& text) {
    const ReplSession::Change change = session.Say(ReadEntry(text, session.NextEntry()));
    session.CountEntry();
    std::string out(StatusName(change.outcome.status));
    if (!change.taken) out += ", taken back";
    for (const std::string& answer : change.outcome.answers) out += " " + answer;
    return out;
  }

  Counting agent;
  ReplSession session;
};

TEST_CASE("an answer that was taken back stays so when the session begins anew") {
  Shell shell;
  shell.session.Begin(
      {{"t.md", "# Trip - %trip(?to) <- place(?to)\n\n## Place - place(?to)\n\nWhere?\n"}});
  const auto run = [&] {
    const Outcome outcome = shell.session.Run();
    return outcome.answers.empty() ? std::string(StatusName(outcome.status))
                                   : outcome.answers.front();
  };
  CHECK(run() == "1");
  CHECK(shell.Say("note(1)") == "nothing");
  REQUIRE(shell.session.TakeBack());  // begins anew
  CHECK(run() == "1");
  CHECK(shell.Say("place(1) -> false") == "nothing");
  CHECK(run() == "2");
  CHECK(shell.Say("note(1)") == "nothing");
  REQUIRE(shell.session.TakeBack());
  CHECK(shell.Say("place(?x)") == "satisfied 2");
  CHECK(shell.Say("place(?to) ^^ {?to 2} -> false") == "nothing");
  REQUIRE(shell.session.Reload().taken);
  CHECK(run() == "3");
  CHECK(shell.agent.asked == 3);
}

TEST_CASE("entries add up, and a loop is taken back") {
  Shell shell;
  shell.session.Begin({{"g.rpl", "edge(1, 2)\nedge(2, 3)"}});
  CHECK(shell.Say("edge(3, 4)") == "nothing");
  CHECK(shell.Say("edge(?x, 3)") == "satisfied 2");
  CHECK(shell.Say("n(0)\nn(?y) <- n(?x), ?y = ?x + 1") == "limit, taken back");
  CHECK(shell.Say("n(?x)") == "unsatisfied");
  CHECK(shell.Say("edge(?x, 4)") == "satisfied 3");
  CHECK(shell.session.session().Rules().empty());
  CHECK(shell.session.parts().size() == 2);

  REQUIRE(shell.session.TakeBack());
  CHECK(shell.Say("edge(?x, 4)") == "unsatisfied");
  CHECK_FALSE(shell.session.TakeBack());
}

TEST_CASE("what was answered is not asked again when entries are taken back") {
  Shell shell;
  shell.session.Begin({});
  CHECK(shell.Say("?x = $ask(\"One?\")") == "satisfied 1");
  CHECK(shell.Say("p(1)") == "nothing");
  REQUIRE(shell.session.TakeBack());
  CHECK(shell.Say("?x = $ask(\"One?\")") == "satisfied 1");
  CHECK(shell.Say("?x = $ask(\"Two?\")") == "satisfied 2");
  CHECK(shell.agent.asked == 2);
}

TEST_CASE("a retraction and a later assertion keep their order") {
  Shell shell;
  shell.session.Begin({});
  shell.Say("p(1)");
  shell.Say("p(1) -> false");
  CHECK(shell.Say("p(?x)") == "unsatisfied");
  shell.Say("p(1)");
  shell.Say("q(1)");
  REQUIRE(shell.session.TakeBack());
  CHECK(shell.Say("p(?x)") == "satisfied 1");
}

TEST_CASE("documents are read again, those with errors leave all as it was") {
  const testing::Folder folder;
  const std::string file = folder / "g.rpl";
  const auto write = [&](const char* text) { std::ofstream(file) << text; };
  Shell shell;
  shell.session.Begin({});
  write("edge(1, 2)");
  CHECK(shell.session.Load(file).taken);
  CHECK(shell.Say("edge(?x, ?y)") == "satisfied {\"?x\":1,\"?y\":2}");
  write("edge(5, 6)");
  CHECK(shell.session.Reload().taken);
  CHECK(shell.Say("edge(?x, 6)") == "satisfied 5");
  write("edge(5, 6");
  CHECK_FALSE(shell.session.Reload().taken);
  CHECK(shell.Say("edge(?x, ?y)") == "satisfied {\"?x\":5,\"?y\":6}");
  CHECK_FALSE(shell.session.Load(folder / "none.rpl").taken);
}

TEST_CASE("a session with a file goes on, also after an entry was taken back") {
  const testing::Folder folder;
  const std::string path = folder / "s";
  {
    Shell shell;
    shell.session.KeepIn(SessionFile::Open(path, SessionFile::Mode::kCreate).store);
    shell.session.Begin({});
    shell.Say("?x = $ask(\"One?\")");
    shell.Say("p(1)");
    shell.Say("n(0)\nn(?y) <- n(?x), ?y = ?x + 1");
    shell.Say("p(2)");
  }
  Shell shell;
  CHECK(shell.session.Resume(SessionFile::Open(path, SessionFile::Mode::kOpen).store, {}).taken);
  CHECK(shell.session.Broken().empty());
  CHECK(shell.session.NextEntry() == 5);
  CHECK(shell.Say("p(?x)") == "satisfied 1 2");
  CHECK(shell.Say("n(?x)") == "unsatisfied");
  CHECK(shell.Say("?x = $ask(\"One?\")") == "satisfied 1");
  CHECK(shell.agent.asked == 0);
}

TEST_CASE("answers as values, a log that is switched, progress") {
  SessionOptions options = Shell::Options();
  std::size_t told = 0, ended = 0;
  std::string rule;
  options.limits.max_rounds = 100'000;
  options.progress = [&](const Progress* progress) {
    if (progress == nullptr) {
      ++ended;
      return;
    }
    ++told;
    rule = progress->rule;
  };
  Shell shell(std::move(options));
  shell.session.Begin({});
  std::string text;
  for (int i = 0; i < 20; ++i) text += "d(" + std::to_string(i) + ")\n";
  shell.Say(text + "e(?a, ?b, ?c, ?d) <- d(?a), d(?b), d(?c), d(?d)");
  CHECK(told > 10);
  CHECK(ended >= 8);
  CHECK(rule == "e(?a, ?b, ?c, ?d) <- d(?a), d(?b), d(?c), d(?d)");

  std::vector<std::string> log;
  shell.session.SetLog([&](const LogLine& line) { log.push_back(LogText(line)); });
  const Entry entry = ReadEntry("d(?x), ?x > 18\n", 9);
  const Outcome outcome = shell.session.Say(entry).outcome;
  CHECK(outcome.columns == std::vector<std::string>{"?x"});
  REQUIRE(outcome.cells.size() == 1);
  CHECK(Text(shell.session.session().pool(), outcome.cells.front()) == "19");
  CHECK(log.size() > 8);
  for (const std::string& line : log) CHECK(line.find("derived") == line.npos);  // it was before
  shell.session.SetLog(nullptr);
  log.clear();
  shell.Say("d(1)");
  CHECK(log.empty());
}

TEST_CASE("an explanation has its own time, however long the last turn is ago") {
  SessionOptions options = Shell::Options();
  options.limits.max_seconds = 1;
  Shell shell(std::move(options));
  shell.session.Begin({});
  std::string text;
  for (int i = 0; i < 25; ++i) text += "d(" + std::to_string(i) + ")\n";
  shell.Say(text + "far(?a) <- d(?a), d(?b), d(?c), d(?e), ?a + ?b + ?c + ?e > 95");
  const auto why = [&] {
    const Explained explained = shell.session.session().Explain("far(24)", {}, 2);
    return explained.why.proofs.empty() ? 0 : explained.why.proofs.front().nodes.size();
  };
  const std::size_t nodes = why();
  CHECK(nodes > 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  CHECK(why() == nodes);
}

}  // namespace
}  // namespace rpl
