// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/saved_session.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "interp/lint/checker.h"
#include "interp/testing/testing.h"
#include "interp/testing/testing_folder.h"
#include "runtime/record/session_file.h"
#include "runtime/step/gate.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<GateSetup> NoGate(const nlohmann::ordered_json&) { return nullptr; }

std::string Contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void AppendLine(const std::string& path, const std::string& line) {
  std::ofstream(path, std::ios::app | std::ios::binary) << line << '\n';
}

// Runs SQL on a database file. The number of rows that the last statement changed.
int Execute(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  REQUIRE(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  const int changes = sqlite3_changes(db);
  sqlite3_close(db);
  return changes;
}

// Answers every question with its own prompt, and runs a tool by writing to a file. What
// it was asked goes to a file too, so that it outlives a process.
class WritingAgent : public testing::Silent {
 public:
  WritingAgent(std::string log, bool answers) : log_(std::move(log)), answers_(answers) {}

  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view) override {
    if (!answers_) return {};
    AppendLine(log_, "asked " + request.prompt);
    return {rpl::Answer::Kind::kValue, pool.String(request.prompt)};
  }

  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override {
    std::vector<rpl::Answer> out;
    for (const ToolCall& call : calls) {
      const std::string ran = "ran " + call.id;
      if (!call.in_doubt) {
        if (call.starting && !call.starting()) {
          out.emplace_back();
          continue;
        }
        AppendLine(log_, ran);
      } else if (Contents(log_).find(ran) == std::string::npos) {
        AppendLine(log_, ran);  // a person looked: it had not run
      }
      out.push_back({rpl::Answer::Kind::kValue, pool.String(call.id)});
    }
    return out;
  }

  void Chat(const std::string& line) override { AppendLine(log_, "chat " + line); }

 private:
  std::string log_;
  bool answers_;
};

SessionOptions Options() {
  SessionOptions options;
  options.now = "2026-01-02T00:00:00Z";
  return options;
}

const std::vector<ProgramFile> kProgram = {{"p.rpl",
                                            "ask(?p, ?a) <- ?a = $ask(?p)\n"
                                            "one(?a) <- ask(\"one\", ?a)\n"
                                            "% <- one(?a), ask(\"two\", ?b), ?r = $work(?a), "
                                            "ask(\"three\", ?c), $json(?r)\n"}};

struct Ran {
  std::unique_ptr<SavedSession> saved;
  Outcome outcome;
};

// Begins or goes on, as the shell does.
Ran GoOn(const std::string& path, Ports agent, const std::vector<ProgramFile>& program) {
  SessionFile::Opened opened = SessionFile::Open(
      path, fs::exists(path) ? SessionFile::Mode::kOpen : SessionFile::Mode::kCreate);
  if (opened.store == nullptr) return {};
  std::vector<Event> events = opened.store->events();
  Ran out;
  out.saved =
      std::make_unique<SavedSession>(agent, Options(), std::move(events), std::move(opened.store));
  out.saved->Start(program, [](const std::string&) { return std::nullopt; });
  const auto& last = out.saved->last();
  const bool over = last && (out.saved->finished_turn() || last->status == Status::kSatisfied);
  out.outcome = over ? *last : out.saved->session().Run();
  return out;
}

std::vector<std::string> TraceOf(const std::string& path) {
  const SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kRead);
  REQUIRE(opened.error == "");
  CHECK(opened.store->damage() == "");
  std::vector<std::string> out;
  for (const TraceEntry& e : Entries(opened.store->events()))
    out.push_back(std::to_string(e.timestep) + "." + std::to_string(e.phase) + " " + e.text);
  return out;
}

TEST_CASE("a session goes on where it waited, and asks nothing twice") {
  const testing::Folder folder;
  const std::string path = folder / "s";
  WritingAgent nobody(folder / "log", false);
  CHECK(GoOn(path, nobody, kProgram).outcome.status == Status::kWaiting);
  CHECK(GoOn(path, nobody, kProgram).outcome.status == Status::kWaiting);
  WritingAgent person(folder / "log", true);
  CHECK(GoOn(path, person, kProgram).outcome.status == Status::kSatisfied);
  CHECK(GoOn(path, person, kProgram).outcome.status == Status::kSatisfied);
  CHECK(Contents(folder / "log") ==
        "asked one\nasked two\nran $work(\"one\")\nasked three\nchat \"$work(\\\"one\\\")\"\n");
}

TEST_CASE("a session keeps the library that it began with") {
  const testing::Folder folder;
  const std::vector<ProgramFile> program = {
      {"p.rpl", "%n(?n) <- std#length([1], ?n), ?a = $ask(\"one\")\n"}};
  WritingAgent nobody(folder / "log", false);
  CHECK(GoOn(folder / "now", nobody, program).outcome.status == Status::kWaiting);
  std::vector<Event> events =
      SessionFile::Open(folder / "now", SessionFile::Mode::kRead).store->events();
  std::string library;
  {
    const SessionFile::Opened old = SessionFile::Open(folder / "old", SessionFile::Mode::kCreate);
    for (Event& event : events) {
      auto body = nlohmann::ordered_json::parse(event.body);
      if (event.kind == Event::Kind::kFile) {
        library = std::exchange(body["text"], "# Length - length(?list, ?n) <- ?n = 7\n");
        event.body = body.dump();
      }
      REQUIRE(old.store->Append(event, true) == "");
    }
  }
  CHECK(library.find("length(?list, ?count) <- ?count = |?list|") != std::string::npos);
  WritingAgent person(folder / "log", true);
  const Ran then = GoOn(folder / "old", person, program);
  CHECK(then.saved->journal().broken() == "");
  CHECK(then.outcome.answers == std::vector<std::string>{"7"});
  CHECK(GoOn(folder / "now", person, program).outcome.answers == std::vector<std::string>{"1"});
}

// Goes on with the session in a process of its own.
pid_t GoOnApart(const std::string& path, const std::string& log,
                const std::vector<ProgramFile>& program) {
  const pid_t child = fork();
  if (child == 0) {
    WritingAgent person(log, true);
    const Ran ran = GoOn(path, person, program);
    _exit(ran.saved != nullptr && ran.outcome.status == Status::kSatisfied ? 0 : 1);
  }
  REQUIRE(child > 0);
  return child;
}

// The microseconds that it takes undisturbed, on this machine and with these sanitizers.
useconds_t Undisturbed(const std::string& path, const std::vector<ProgramFile>& program) {
  const auto start = std::chrono::steady_clock::now();
  int status = 0;
  REQUIRE(waitpid(GoOnApart(path, path + ".log", program), &status, 0) > 0);
  REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  return static_cast<useconds_t>(took.count());
}

// The same, killed at a moment within `most` microseconds. Whether it came to its end before. The
// next moment is within less time then, else within more, so that both happen on a machine of any
// speed.
bool GoOnUntilKilled(const std::string& path, const std::string& log,
                     const std::vector<ProgramFile>& program, std::mt19937& random,
                     useconds_t& most) {
  const pid_t child = GoOnApart(path, log, program);
  usleep(std::uniform_int_distribution<useconds_t>(0, most)(random));
  kill(child, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  const bool killed = WIFSIGNALED(status);
  if (!killed) REQUIRE(WEXITSTATUS(status) == 0);
  most = killed ? most + most / 8 + 1 : most - most / 4;
  return !killed;
}

void CheckNotTwice(const std::string& log, const std::string& line) {
  const std::string happened = Contents(log);
  const std::size_t first = happened.find(line);
  if (first != std::string::npos) CHECK(happened.find(line, first + 1) == std::string::npos);
}

TEST_CASE("a session that is killed at any moment loses nothing and does nothing twice") {
  const testing::Folder folder;
  useconds_t most = 2 * Undisturbed(folder / "undisturbed", kProgram);
  const std::vector<std::string> expected = TraceOf(folder / "undisturbed");
  std::mt19937 random(20260102);
  int kills = 0;
  for (int run = 0; kills < 300; ++run) {
    const std::string path = folder / std::to_string(run);
    const std::string log = path + ".log";
    while (!GoOnUntilKilled(path, log, kProgram, random, most)) ++kills;
    CHECK(TraceOf(path) == expected);
    CheckNotTwice(log, "ran $work");
    CheckNotTwice(log, "chat ");
  }
}

TEST_CASE("a session that is killed and changed at any moment does nothing twice, and replays") {
  const testing::Folder folder;
  std::mt19937 random(20260103);
  useconds_t most = 2 * Undisturbed(folder / "undisturbed", kProgram);
  int kills = 0;
  for (int run = 0; kills < 100; ++run) {
    const std::string path = folder / std::to_string(run);
    const std::string log = path + ".log";
    std::vector<ProgramFile> program = kProgram;
    while (!GoOnUntilKilled(path, log, program, random, most)) {
      ++kills;
      if (kills % 2 == 0) program[0].text += "-- changed\n";
    }
    CheckNotTwice(log, "ran $work");
    const SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kRead);
    REQUIRE(opened.error == "");
    const Trace shown = Entries(opened.store->events());
    const Replayed again = ReplayAll(opened.store->events(), NoGate, nullptr);
    CHECK(again.differs == "");
    REQUIRE(again.entries.size() == shown.size());
    std::multiset<std::string> replies;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      CHECK(again.entries[i].text == shown[i].text);
      CHECK(again.entries[i].timestep == shown[i].timestep);
      if (shown[i].kind == TraceEntry::Kind::kReply && !shown[i].text.starts_with("$json"))
        replies.insert(shown[i].text);
    }
    CHECK(replies.size() == 4);
    CHECK(std::set<std::string>(replies.begin(), replies.end()).size() == 4);
  }
}

TEST_CASE("a program that was changed keeps what the session knows") {
  const testing::Folder folder;
  const std::string path = folder / "s";
  WritingAgent person(folder / "log", true);
  REQUIRE(GoOn(path, person, kProgram).outcome.status == Status::kSatisfied);
  std::vector<ProgramFile> changed = kProgram;
  changed[0].text += "more(?a) <- ask(\"four\", ?a)\n%again <- more(_)\n";
  changed[0].text.replace(changed[0].text.find("% <- one(?a)"), 12, "% <- %again, one(?a)");
  CHECK(ProgramChanges(kProgram, changed).size() == 4);
  const Ran ran = GoOn(path, person, changed);
  CHECK(ran.outcome.status == Status::kSatisfied);
  CHECK(Contents(folder / "log").find("asked four\n") != std::string::npos);
  const std::string log = Contents(folder / "log");
  CHECK(log.find("asked one\n") == log.rfind("asked one\n"));
  CHECK(log.find("ran ") == log.rfind("ran "));
}

TEST_CASE("a changed program forbids a call after those that were made before the change") {
  const testing::Folder folder;
  const std::string path = folder / "s";
  WritingAgent person(folder / "log", true);
  const std::string guards =
      "$u(_), $t(_) -> false\n$w(_), not $t(1) -> false\n$w(_), not $t(2) -> false\n";
  const auto program = [&](const std::string& goal) {
    return std::vector<ProgramFile>{{"p.rpl", guards + goal}};
  };
  REQUIRE(GoOn(path, person, program("% <- $t(1) ^ ~ {:result _}\n")).outcome.status ==
          Status::kSatisfied);
  const Outcome after = GoOn(path, person, program("% <- $u(2) ^ ~ {:result _}\n")).outcome;
  CHECK(after.status == Status::kFailed);
  CHECK(after.reason.find("forbidden: $u(_), $t(_) -> false") != std::string::npos);
  const Outcome without = GoOn(path, person, program("% <- $w(3) ^ ~ {:result _}\n")).outcome;
  CHECK(without.status == Status::kFailed);
  CHECK(without.reason.find("not $t(1)") == std::string::npos);
  CHECK(without.reason.find("not $t(2)") != std::string::npos);
  const std::string log = Contents(folder / "log");
  CHECK(log.find("ran ") == log.rfind("ran "));
}

TEST_CASE("what was said in messages holds in a changed program, what its text said does not") {
  const testing::Folder folder;
  const std::string path = folder / "s";
  WritingAgent nobody(folder / "log", false);
  std::vector<ProgramFile> program = {{"p.rpl", "p(1) -> true\np(2) -> true\n%all(?x) <- p(?x)\n"}};
  {
    const Ran ran = GoOn(path, nobody, program);
    CHECK(ran.outcome.answers == std::vector<std::string>{"1", "2"});
    ran.saved->session().Say("m", "p(3)\np(4) ^ ~ {:doc \"d\"}\n");
    ran.saved->session().Say("m", "p(2) -> false\n");
    CHECK(ran.saved->session().Run().answers == std::vector<std::string>{"1", "3", "4"});
  }
  program[0].text = "p(2) -> true\np(5) -> true\n%all(?x) <- p(?x)\n%doc(?d) <- p(_) ^:doc ?d\n";
  {
    const Ran ran = GoOn(path, nobody, program);
    CHECK(ran.outcome.answers == std::vector<std::string>{"5", "3", "4"});
    CHECK(ran.saved->session().Say("q", "%d(?d) <- %doc(?d)\n").answers ==
          std::vector<std::string>{"d"});
    const std::string out = ran.saved->session().Export();
    CHECK(out.find("p(1)") == std::string::npos);
    CHECK(out.find("p(3) -> true\n") != std::string::npos);
  }
  const SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kRead);
  const Replayed again = ReplayAll(opened.store->events(), NoGate, nullptr);
  CHECK(again.differs == "");
  CHECK(again.entries.size() == Entries(opened.store->events()).size());
}

TEST_CASE("a program that has errors leaves the session as it was") {
  const testing::Folder folder;
  const std::string path = folder / "s";
  WritingAgent person(folder / "log", false);
  GoOn(path, person, kProgram);
  const std::vector<std::string> before = TraceOf(path);
  const SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kRead);
  const std::vector<Event> events = opened.store->events();
  SavedSession saved(person, Options(), events, nullptr);
  const auto findings = saved.Start({{"p.rpl", "% <- (\n"}}, nullptr);
  CHECK(!findings.empty());
}

// Answers so many calls, each in the same way whoever asks, and then no more.
class LimitedAgent : public testing::Silent {
 public:
  explicit LimitedAgent(std::size_t answers) : left_(answers) {}

  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view) override {
    if (left_ == 0) return {};
    --left_;
    const std::size_t pick = std::hash<std::string>{}(request.id) % 6;
    const char* const values[] = {R"("a {b} \"c\" \{?d}")",    "7",   ":k",
                                  R"("x ^^ \{?y 1} -> true")", "[1]", "true"};
    return {rpl::Answer::Kind::kValue, testing::Read(pool, values[pick])};
  }

 private:
  std::size_t left_;
};

// Headings of one to four arguments, of which some are avars; a goal that asks for them,
// also with arguments that are given, and for tools; facts, to be retracted.
std::string RandomProtocol(std::mt19937& random) {
  const auto up_to = [&](int most) { return std::uniform_int_distribution(0, most)(random); };
  std::string headings, tail = "p(?p)";
  int variable = 0;
  for (int h = 0, count = 1 + up_to(3); h < count; ++h) {
    const int arguments = 1 + up_to(3);
    std::string list;
    for (int a = 0; a < arguments; ++a)
      list += (a > 0 ? ", " : "") + std::string(up_to(3) == 0 ? "$" : "?") + "a" +
              std::to_string(h) + "-" + std::to_string(a);
    const std::string name = "h" + std::to_string(h);
    headings += "# Heading " + name + " - " + name + "(" + list + ")\nWhat?\n\n";
    for (int call = up_to(2); call >= 0; --call) {
      tail += ", " + name + "(";
      for (int a = 0; a < arguments; ++a)
        tail += (a > 0 ? ", " : "") + (list.find('$') == std::string::npos && up_to(3) == 0
                                           ? std::to_string(up_to(2))
                                           : "?v" + std::to_string(++variable));
      tail += ")";
    }
    if (up_to(2) == 0) tail += ", ?v" + std::to_string(++variable) + " = $work(" + name[1] + ")";
  }
  return "# Go - %go <- " + tail + "\n\n" + headings + "```rpl\np(1)\np(2) -> true\np(3)\n```\n";
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  std::ranges::sort(out);
  return out;
}

// What waits, and what is answered.
std::string StateOf(const Outcome& outcome) {
  std::string out = std::string(StatusName(outcome.status)) + " " + outcome.reason;
  for (const OpenRequest& request : outcome.pending) out += "\n" + request->id;
  for (const std::string& answer : outcome.answers) out += "\n" + answer;
  return out;
}

std::vector<std::string> CheckedAlone(const std::string& program) {
  Sources sources;
  std::vector<std::string> out;
  for (const Finding& f : CheckFiles(sources, {sources.Add("trace.rpl", program)}, {}))
    out.push_back(f.diagnostic.message);
  return out;
}

TEST_CASE("an export restores what is answered and what is not, and checks clean") {
  std::mt19937 random(20260104);
  int waiting = 0;
  int halves = 0;
  for (int run = 0; run < 400; ++run) {
    const testing::Folder folder;
    const std::string path = folder / "s";
    const std::string text = RandomProtocol(random);
    LimitedAgent person(std::uniform_int_distribution<std::size_t>(0, 9)(random));
    std::string exported, state;
    {
      const Ran ran = GoOn(path, person, {{"p.md", text}});
      Outcome outcome = ran.outcome;
      if (run % 3 == 0) {
        ran.saved->session().Say("m", "p(3) -> false\np(4)\n");
        outcome = ran.saved->session().Run();
      }
      state = StateOf(outcome);
      waiting += outcome.status == Status::kWaiting ? 1 : 0;
      exported = ran.saved->session().Export();
    }
    const SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kRead);
    Trace trace = TraceSoFar(opened.store->events());
    const Trace half = HalfAnswers(opened.store->events());
    halves += half.empty() ? 0 : 1;
    trace.insert(trace.end(), half.begin(), half.end());
    INFO(text << "\n" << exported << "\n" << state);
    CHECK(LinesOf(TraceProgram(trace)) == LinesOf(exported));
    CHECK(CheckedAlone(exported) == std::vector<std::string>{});

    LimitedAgent nobody(0);
    Session restored(nobody, Options());
    if (run % 2 == 0) CHECK(restored.Load("trace.rpl", exported).empty());
    restored.Load("p.md", text);
    if (run % 2 != 0) CHECK(restored.Load("trace.rpl", exported).empty());
    CHECK(StateOf(restored.Run()) == state);
    CHECK(CheckedAlone(restored.Export()) == std::vector<std::string>{});
  }
  CHECK(waiting > 100);
  CHECK(halves > 50);
}

TEST_CASE("a changed program keeps the half of a heading that is answered, of avars, too") {
  const testing::Folder folder;
  const std::string path = folder / "s";
  std::vector<ProgramFile> program = {
      {"p.md", "# Go - %go(?a, ?b) <- h(?a, ?b)\n\n# H - h($a, $b)\nWhat?\n"}};
  {
    LimitedAgent person(1);
    CHECK(GoOn(path, person, program).outcome.status == Status::kWaiting);
  }
  program[0].text += "\nMore?\n";
  LimitedAgent nobody(0);
  const Outcome outcome = GoOn(path, nobody, program).outcome;
  REQUIRE(outcome.pending.size() == 1);
  CHECK(outcome.pending[0]->id == "h($a, $b) for $b");
}

TEST_CASE("a session has one writer at a time") {
  const testing::Folder folder;
  const std::string path = folder / "s";
  {
    const SessionFile::Opened first = SessionFile::Open(path, SessionFile::Mode::kCreate);
    REQUIRE(first.error == "");
    for (int attempt = 0; attempt < 2; ++attempt) {
      const SessionFile::Opened second = SessionFile::Open(path, SessionFile::Mode::kOpen);
      CHECK(second.store == nullptr);
      CHECK(second.error == "another process has this session open");
    }
    const pid_t child = fork();
    if (child == 0)
      _exit(SessionFile::Open(path, SessionFile::Mode::kOpen).error ==
                    "another process has this session open"
                ? 0
                : 1);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(SessionFile::Open(path, SessionFile::Mode::kOpen).error == "");
}

TEST_CASE("readers of a session stand beside its writer, and see what is settled") {
  const testing::Folder folder;
  const std::string path = folder / "s";
  SessionFile::Opened writer = SessionFile::Open(path, SessionFile::Mode::kCreate);
  REQUIRE(writer.error == "");
  const Event program = Journal::Program({});
  auto append = [&, count = 0](bool settled) mutable {
    const Event file{Event::Kind::kFile,
                     R"({"name":")" + std::to_string(count) + R"(","text":null})"};
    return writer.store->Append(count++ == 0 ? program : file, settled);
  };
  std::vector<SessionFile::Opened> readers;
  for (std::size_t settled = 0; settled < 5; ++settled) {
    CHECK(append(false) == "");  // seen by nobody yet
    readers.push_back(SessionFile::Open(path, SessionFile::Mode::kRead));
    REQUIRE(readers.back().error == "");
    CHECK(readers.back().store->damage() == "");
    CHECK(readers.back().store->events().size() == 2 * settled);
    CHECK(append(true) == "");
  }
  readers.clear();
  CHECK(append(true) == "");
  writer.store.reset();
  CHECK(SessionFile::Open(path, SessionFile::Mode::kRead).store->events().size() == 11);
  CHECK(!fs::exists(path + "-wal"));
}

TEST_CASE("a file that is no session of this format is refused by name") {
  const testing::Folder folder;
  std::ofstream(folder / "text") << std::string(5000, 'x');
  CHECK(SessionFile::Open(folder / "text", SessionFile::Mode::kOpen).error ==
        "not a session of rpl");
  CHECK(SessionFile::Open(folder / "none", SessionFile::Mode::kOpen).error == "no such file");
  { REQUIRE(SessionFile::Open(folder / "s", SessionFile::Mode::kCreate).error == ""); }
  Execute(folder / "s", "PRAGMA user_version = 7");
  CHECK(SessionFile::Open(folder / "s", SessionFile::Mode::kOpen).error ==
        "a session of format 7, which a newer rpl wrote; this one reads format 5");
  Execute(folder / "s", "PRAGMA user_version = 3");
  CHECK(SessionFile::Open(folder / "s", SessionFile::Mode::kRead).error ==
        "a session of format 3, which an older rpl wrote; this one reads format 5");
  Execute(folder / "other", "CREATE TABLE t(x)");
  for (const auto mode : {SessionFile::Mode::kRead, SessionFile::Mode::kOpen})
    CHECK(SessionFile::Open(folder / "other", mode).error == "not a session of rpl");
}

TEST_CASE("a session is made where there is none, and opened where there is one") {
  using Mode = SessionFile::Mode;
  const testing::Folder folder;
  CHECK(SessionFile::Open(folder.path(), Mode::kOpen).error == "not a file");
  CHECK(SessionFile::Open(folder / "none/s", Mode::kCreate).error ==
        "unable to open database file: No such file or directory");
  // As a process leaves it that ends before its first write.
  std::ofstream(folder / "s").flush();
  const SessionFile::Opened begun = SessionFile::Open(folder / "s", Mode::kRead);
  REQUIRE(begun.error == "");
  CHECK(begun.store->events().empty());
  CHECK(SessionFile::Open(folder / "s", Mode::kCreate).error ==
        "there is a file of that name already");
  {
    const SessionFile::Opened opened = SessionFile::Open(folder / "s", Mode::kContinue);
    REQUIRE(opened.error == "");
    CHECK(opened.store->Append(Journal::Program({}), true) == "");
  }
  CHECK(SessionFile::Open(folder / "s", Mode::kContinue).store->events().size() == 1);
  CHECK(SessionFile::Open(folder / "new", Mode::kContinue).store->events().empty());
}

TEST_CASE("a session that another program holds for itself is busy") {
  const testing::Folder folder;
  { REQUIRE(SessionFile::Open(folder / "s", SessionFile::Mode::kCreate).error == ""); }
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open((folder / "s").c_str(), &db) == SQLITE_OK);
  REQUIRE(sqlite3_exec(db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE", nullptr, nullptr,
                       nullptr) == SQLITE_OK);
  const SessionFile::Opened opened = SessionFile::Open(folder / "s", SessionFile::Mode::kRead);
  CHECK(opened.store == nullptr);
  CHECK(opened.error == "another process has this session open");
  sqlite3_close(db);
  CHECK(SessionFile::Open(folder / "s", SessionFile::Mode::kRead).error == "");
}

TEST_CASE("every event that is changed, missing or moved is found") {
  const testing::Folder folder;
  const std::string path = folder / "s";
  WritingAgent person(folder / "log", true);
  GoOn(path, person, kProgram);
  std::size_t count = 0;
  {
    const SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kRead);
    count = opened.store->events().size();
  }
  REQUIRE(count > 20);
  const auto damage_after = [&](const std::string& sql) {
    fs::copy_file(path, folder / "copy", fs::copy_options::overwrite_existing);
    REQUIRE(Execute(folder / "copy", sql) > 0);
    return SessionFile::Open(folder / "copy", SessionFile::Mode::kRead).store->damage();
  };
  for (std::size_t i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i);
    CHECK(damage_after("UPDATE events SET body = body || ' ' WHERE seq = " + n) ==
          "event " + n + " is not what was written");
    CHECK(damage_after("DELETE FROM events WHERE seq = " + n) == "event " + n + " is missing");
  }
  CHECK(
      damage_after("UPDATE events SET seq = -seq; UPDATE events SET seq = CASE -seq WHEN 3 THEN 5 "
                   "WHEN 5 THEN 3 ELSE -seq END") == "event 3 is not what was written");
  CHECK(damage_after("UPDATE events SET body = '' WHERE seq = 3") ==
        "event 3 is not what was written");
  CHECK(damage_after("UPDATE events SET hash = zeroblob(0) WHERE seq = 3") ==
        "event 3 is not what was written");
  CHECK(damage_after("UPDATE events SET kind = 'tale' WHERE seq = 3") ==
        "event 3 is of an unknown kind");
  CHECK(damage_after("UPDATE head SET events = events + 1") ==
        "event " + std::to_string(count + 1) + " is missing");
  CHECK(damage_after("UPDATE head SET events = events - 1") ==
        "the last hash is not what was written");
  CHECK(damage_after("UPDATE head SET hash = zeroblob(32)") ==
        "the last hash is not what was written");
  CHECK(damage_after("DELETE FROM head").starts_with("the last hash cannot be read: "));
}

TEST_CASE("a call whose command was cut off is in doubt, in the epochs after too") {
  const Event started{Event::Kind::kStarted, R"x({"call":"$work(1)","tool":"work"})x"};
  const Event reply{Event::Kind::kReply, R"x({"call":"$work(1)","kind":"value","value":"1"})x"};
  CHECK(CallsInDoubt(std::vector{started}) == CallsOfTools{{"$work(1)", "work"}});
  CHECK(CallsInDoubt(std::vector{started, reply}).empty());
}

TEST_CASE("a reply that no timestep took is an entry to come, until an epoch begins with it") {
  const Event step{Event::Kind::kStep, R"x({"timestep":1,"now":"","limits":[]})x"};
  const std::string entry = R"x({"kind":"reply","timestep":2,"phase":1,"text":"$t() -> true"})x";
  const Event reply{Event::Kind::kReply,
                    R"x({"call":"$t()","kind":"value","value":"1","entry":)x" + entry + "}"};
  const Event program = Journal::Program({{{"p.rpl", "% <- $t()\n"}}, ""});
  const Event entered{Event::Kind::kEntry, entry};
  CHECK(EntriesToCome(std::vector{step, reply}).size() == 1);
  CHECK(EntriesToCome(std::vector{step, reply, step}).empty());
  CHECK(EntriesToCome(std::vector{step, reply, program}).size() == 1);
  CHECK(EntriesToCome(std::vector{step, reply, program, entered}).empty());
  CHECK(TraceSoFar(std::vector{step, reply, program, entered}).size() == 1);
}

TEST_CASE("events of any form are read") {
  for (const char* body :
       {"", "1", "[]", "{}", R"x({"kind":1,"timestep":"a","text":[]})x",
        R"x({"call":7,"kind":"value","value":"1","entry":[1]})x",
        R"x({"timestep":null,"now":1,"limits":{"a":1}})x",
        R"x({"by":7,"files":{},"limits":["a",-1]})x", R"x({"by":[7,"x"],"files":[1]})x"}) {
    const Event events[] = {{Event::Kind::kProgram, body},
                            {Event::Kind::kReply, body},
                            {Event::Kind::kEntry, body},
                            {Event::Kind::kStep, body}};
    CHECK(TraceSoFar(events).size() == 1);
    const Journal journal({}, events, nullptr);
    CHECK(journal.last_timestep() == 0);
    Journal again({events[3]}, {}, nullptr);
    again.Step(1, [] { return std::string(); }, {});
    CHECK(again.differs());
    CHECK(ReplayAll({std::begin(events), std::end(events)}, NoGate, nullptr).differs != "");
  }
}

TEST_CASE("an epoch whose guard cannot be restored is not replayed") {
  const auto guarded = [](const std::string& text) {
    return Journal::Program({{{"p.rpl", text}}, {}, {{"policy", "of another version"}}});
  };
  const Event turn{Event::Kind::kTurn, "{}"};
  for (const char* text : {"% <- $ask(\"one\")\n", "% <- (\n"}) {
    const Replayed again = ReplayAll({guarded(text), turn}, NoGate, nullptr);
    CHECK(again.differs == "event 1: its guard cannot be restored");
    CHECK(again.entries.empty());
  }
  const Event before = Journal::Program({{{"p.rpl", "p(1)\n"}}, {}});
  CHECK(ReplayAll({before, guarded("p(2)\n")}, NoGate, nullptr).differs ==
        "event 2: its guard cannot be restored");
}

TEST_CASE("a journal that is told something else breaks and asks nobody") {
  Journal first({}, {}, nullptr);
  std::vector<Event> events;
  Journal writing({}, {}, [&](const Event& event, bool) {
    events.push_back(event);
    return "";
  });
  writing.Call("$ask(\"a\")", "");
  Journal reading(events, {}, nullptr);
  CHECK(!reading.live());
  reading.Call("$ask(\"b\")", "");
  CHECK(reading.broken().find("event 1 was call") == 0);
  CHECK(!reading.live());
}

TEST_CASE("a recorded reply whose metadata is no map breaks the journal") {
  Pool pool;
  Journal journal({{Event::Kind::kReply, R"x({"call":"$t(1)","kind":"metadata","value":"[1]"})x"}},
                  {}, nullptr);
  CHECK(!journal.NextReply({"$t(1)"}, pool));
  CHECK(journal.broken() == "event 1: the reply [1] cannot be read");
}

TEST_CASE("a recorded reply waits until its call is out") {
  Pool pool;
  Journal journal({{Event::Kind::kReply, R"x({"call":"$t(1)","kind":"value","value":"7"})x"}}, {},
                  nullptr);
  CHECK_FALSE(journal.NextReply({"$t(2)"}, pool));
  CHECK(journal.broken() == "");
  const auto reply = journal.NextReply({"$t(2)", "$t(1)"}, pool);
  REQUIRE(reply);
  CHECK(reply->call == 1);
  CHECK(reply->answer.value == pool.Int(7));
  CHECK(journal.live());
}

TEST_CASE("the half of a heading that an earlier program asked for answers this one, in order") {
  Pool pool;
  const auto part = [](const std::string& argument) {
    return Event{Event::Kind::kReply,
                 R"x({"call":"h(?a, ?b, ?c) for )x" + argument +
                     R"x(","kind":"value","value":"\")x" + argument +
                     R"x(\"","by":"host","heading":"h(?a, ?b, ?c)","argument":")x" + argument +
                     "\"}"};
  };
  const std::vector<Event> earlier = {part("?b"), part("?a")};
  Journal journal({}, earlier, nullptr);
  CHECK_FALSE(journal.NextReply({"h(?a, ?b, ?c) for ?c"}, pool));
  const std::vector<std::string> calls = {"h(?a, ?b, ?c) for ?a", "h(?a, ?b, ?c) for ?b"};
  const auto first = journal.NextReply(calls, pool);
  REQUIRE(first);
  CHECK(first->call == 1);
  CHECK(first->answer.value == pool.String("?b"));
  const auto second = journal.NextReply(calls, pool);
  REQUIRE(second);
  CHECK(second->call == 0);
  CHECK_FALSE(journal.NextReply(calls, pool));
}

TEST_CASE("a journal answers a question of the outside only if it is the next one recorded") {
  const Event asked{Event::Kind::kOutside, R"x({"question":{"run":true},"answer":"r"})x"};
  Journal journal({asked, {Event::Kind::kChat, R"x({"line":"1"})x"}}, {}, nullptr);
  CHECK(journal.Answers({{"run", true}}));
  CHECK_FALSE(journal.Answers({{"run", false}}));
  CHECK(journal.Outside({{"run", true}}, nullptr) == "r");
  CHECK_FALSE(journal.Answers({{"run", true}}));
}

TEST_CASE("a reply that was read by a query is told with it, whatever its fields are") {
  const auto read = [](const std::string& source) {
    return Event{Event::Kind::kReply,
                 R"x({"call":"$index(\"a\")","kind":"value","value":"1","by":"tool","source":)x" +
                     source + "}"};
  };
  const std::vector<Event> events = {
      read(R"x({"name":"a","text":"x"})x"), read(R"x(["query"])x"),
      read(R"x({"name":"a","database":"D","query":"q","parameters":["1",2],"digest":"d"})x"),
      read(R"x({"query":7,"parameters":"none"})x")};
  const std::vector<RecordedQuery> queries = QueriesOf(events);
  REQUIRE(queries.size() == 2);
  CHECK(queries[0].event == 3);
  CHECK(queries[0].query.database == "D");
  CHECK(queries[0].query.parameters == std::vector<std::string>{"1", ""});
  CHECK(queries[1].query.sql == "");
  CHECK(queries[1].query.parameters.empty());
}

TEST_CASE("a replay that is interrupted ends before the recording does") {
  const testing::Folder folder;
  WritingAgent person(folder / "log", true);
  GoOn(folder / "s", person, kProgram);
  const std::vector<Event> events =
      SessionFile::Open(folder / "s", SessionFile::Mode::kRead).store->events();
  const Replayed whole = ReplayAll(events, NoGate, [] { return false; });
  CHECK(whole.entries.size() == Entries(events).size());
  const Replayed cut = ReplayAll(events, NoGate, [] { return true; });
  CHECK(cut.entries.size() < whole.entries.size());
}

TEST_CASE("changes of a program are told by sentence, heading and row") {
  const std::vector<ProgramFile> before = {{"p.md", "# Near - near(?x)\n```rpl\np(1)\np(1)\n```\n"},
                                           {"edge=e.csv", "a,b\n1,2\n"}};
  const std::vector<ProgramFile> after = {{"p.md", "# Near - near(?x, ?y)\n```rpl\np(1)\n```\n"},
                                          {"edge=e.csv", "a,b\n1,3\n"}};
  CHECK(ProgramChanges(before, after) ==
        std::vector<std::string>{"- # Near - near(?x)", "- p(1)", "- edge=e.csv: 1,2",
                                 "+ # Near - near(?x, ?y)", "+ edge=e.csv: 1,3"});
  CHECK(ProgramChanges(before, before).empty());
}

TEST_CASE("a session file that cannot be written breaks the journal") {
  Journal journal({}, {}, [](const Event&, bool) { return "disk full"; });
  journal.Call("$ask(\"a\")", "");
  CHECK(journal.broken() == "disk full");
}

}  // namespace
}  // namespace rpl
