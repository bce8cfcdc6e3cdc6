// SPDX-License-Identifier: Apache-2.0
//
// Sessions of real runs with one event dropped, doubled, moved, of another kind or with other
// fields, and with recomputed hashes, as an attacker would prepare them. Each is either refused,
// with the number of an event, or passes through every command that opens a session.
#include <sqlite3.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "interp/testing/testing_folder.h"
#include "rpl/rpl.h"
#include "runtime/nobody.h"
#include "runtime/record/event_sequence.h"
#include "runtime/record/session_file.h"
#include "runtime/run/saved_session.h"
#include "shell/commands/command_table.h"
#include "shell/repl/session.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using Events = std::vector<Event>;

constexpr int kKinds = static_cast<int>(Event::Kind::kOutcome) + 1;
constexpr const char* kNow = "2026-01-02T00:00:00Z";

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Captures the output of commands.
class Printed {
 public:
  Printed() : out_(std::cout.rdbuf(text_.rdbuf())), err_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~Printed() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(err_);
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* out_;
  std::streambuf* err_;
};

struct Ended {
  int code;
  std::string text;
};
Ended Ran(const std::function<int()>& command) {
  Printed printed;
  const int code = command();
  return {code, printed.text()};
}

Events EventsOf(const std::string& path) {
  const SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kRead);
  REQUIRE(opened.error == "");
  CHECK(opened.store->damage() == "");
  return opened.store->events();
}

// Writes the session at `path` with these events. It need not survive a crash.
void Replace(const std::string& path, const Events& events) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  sqlite3_exec(db, "PRAGMA synchronous = OFF; BEGIN; DELETE FROM events", nullptr, nullptr,
               nullptr);
  std::string hash = FirstHash();
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(db, "INSERT INTO events VALUES(?, ?, ?, ?)", -1, &insert, nullptr);
  for (std::size_t i = 0; i < events.size(); ++i) {
    hash = EventHash(hash, events[i]);
    const std::string kind(EventName(events[i].kind));
    sqlite3_bind_int64(insert, 1, static_cast<std::int64_t>(i) + 1);
    sqlite3_bind_text(insert, 2, kind.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, events[i].body.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 4, hash.data(), static_cast<int>(hash.size()), SQLITE_STATIC);
    REQUIRE(sqlite3_step(insert) == SQLITE_DONE);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  sqlite3_prepare_v2(db, "UPDATE head SET events = ?, hash = ?", -1, &insert, nullptr);
  sqlite3_bind_int64(insert, 1, static_cast<std::int64_t>(events.size()));
  sqlite3_bind_blob(insert, 2, hash.data(), static_cast<int>(hash.size()), SQLITE_STATIC);
  REQUIRE(sqlite3_step(insert) == SQLITE_DONE);
  sqlite3_finalize(insert);
  REQUIRE(sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(db);
}

// --- Sessions of real runs ---------------------------------------------------------------

using Words = std::vector<std::string>;

// The exit code of a command line. The limits of the process are not watched.
int Rpl(Words words) {
  CLI::App app;
  const auto commands =
      DescribeCommands(app, [&](std::string_view name) { return name == words.front(); });
  const Command& command = commands.at(words.front());
  std::reverse(words.begin(), words.end());
  app.parse(words);
  return command.run();
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

int Run(const std::string& program, const std::string& session, const Words& options) {
  return Rpl(Words{"run", program, "--session", session, "--now", kNow} + options);
}

int Resume(const std::string& session, const Words& options) {
  return Rpl(Words{"resume", session, "--now", kNow} + options);
}

// Questions of headings, one of them half answered at the end of the first run, and a file of a
// namespace.
void Asks(const testing::Folder& folder) {
  Write(folder / "p.md",
        "# Trip - %trip(?where, ?nights) <- stay(?where, ?nights), dates.md#open(?where)\n\n"
        "## Stay - stay(?where, ?nights)\n\nWhere, and how long?\n");
  Write(folder / "dates.md", "open(\"Lucca\")\n");
  CHECK(Run(folder / "p.md", folder / "s", {"--answer", "where=Lucca"}) == kExitWaiting);
  CHECK(Resume(folder / "s", {"--answer", "nights=3"}) == kExitOk);
}

// A started tool, chat, a changed program, and a decision of a person.
void Calls(const testing::Folder& folder) {
  Write(folder / "tool.sh",
        "read -r request\nprintf '{\"id\":\"%s\",\"result\":7}' "
        "\"$(printf '%s' \"$request\" | sed 's/.*\"id\":\"\\([^\"]*\\)\".*/\\1/')\"\n");
  Write(folder / "rpl.yaml",
        "version: 1\ntools: {work: {command: [sh, tool.sh], permission: allow}}\n");
  const std::string program =
      "% <- ?a = $ask(\"one\"), ?w = $work(?a), $json(?w), $json(?a), ?b = $ask(\"two\")\n";
  Write(folder / "p.rpl", program);
  CHECK(Run(folder / "p.rpl", folder / "s", {"--answer", "ask=1", "--allow-tool", "work"}) ==
        kExitWaiting);
  Write(folder / "p.rpl", "price(900)\nprice(?p), ?p > 800 -> approved(1)\n" + program);
  CHECK(Resume(folder / "s", {"--answer", "what-now=continue", "--answer", "ask=2", "--allow-tool",
                              "work"}) == kExitOk);
}

// A limit is reached; the failure is the last event.
void Grows(const testing::Folder& folder) {
  Write(folder / "p.rpl", "n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n%go(?x) <- n(?x), ?x < 0\n");
  CHECK(Run(folder / "p.rpl", folder / "s", {"--max-rows", "10"}) == kExitLimit);
}

// Calls that a policy allows, blocks and holds, depending on other runs.
void Guarded(const testing::Folder& folder) {
  const auto rule = [](const char* name, const char* tool, const char* condition,
                       const char* effect) {
    return std::string("{\"priority\":1,\"enabled\":true,\"name\":\"") + name +
           "\",\"selector\":{\"phase\":\"tool.before\",\"tool\":{\"name\":\"" + tool +
           "\"}},\"condition\":" + condition + ",\"effect\":{\"type\":\"" + effect +
           "\",\"reason\":\"why\"}}";
  };
  Write(folder / "policy.json",
        "{\"rules\":[" +
            rule("window", "ask",
                 R"({"kind":"metricWindow","scope":"agent","metric":{"kind":"inbuilt",)"
                 R"("key":"bytes_out"},"aggregate":"sum","windowSeconds":60,"op":"gt","value":9})",
                 "block") +
            "," +
            rule("held", "choose", R"({"kind":"toolName","op":"eq","value":"choose"})", "hitl") +
            "]}");
  Write(folder / "p.rpl",
        "% <- ?a = $ask(\"one\"), ?b = $ask(\"two\"), ?c = $choose(\"three\", [\"x\" \"y\"])\n");
  CHECK(Run(folder / "p.rpl", folder / "s",
            {"--answer", "ask=1", "--answer", "ask=2", "--policy", folder / "policy.json",
             "--store", folder / "guard.db", "--audit", folder / "audit"}) == kExitWaiting);
}

// Messages of a prompt, with a file of a namespace, and one of them taken back.
void Says(const testing::Folder& folder) {
  Write(folder / "p.md", "p(1)\n\n# All - %all(?x) <- p(?x)\n");
  Write(folder / "other.md", "rel(5)\n");
  Nobody nobody;
  SessionOptions options;
  options.now = kNow;
  ReplSession session(nobody, options);
  SessionFile::Opened opened = SessionFile::Open(folder / "s", SessionFile::Mode::kCreate);
  session.Resume(std::move(opened.store),
                 {{folder / "p.md", "p(1)\n\n# All - %all(?x) <- p(?x)\n"}});
  for (const char* text : {"p(2)", "%q(?x) <- other.md#rel(?x)", "p(3)", "p(2) -> false"}) {
    session.Say(ReadEntry(text, session.NextEntry()));
    session.CountEntry();
  }
  session.Run();
  session.TakeBack();
}

// --- Tampering ---------------------------------------------------------------------------

// Calls `each` with the body and one of its fields left out, null, or another value.
void ForEachField(const std::string& body, const std::function<void(std::string)>& each) {
  static const ordered_json kValues[] = {
      "", 7, -1, true, ordered_json::array(), ordered_json::object()};
  const ordered_json whole = ordered_json::parse(body);
  std::vector<ordered_json::json_pointer> fields;
  const ordered_json flat = whole.flatten();
  for (const auto& [path, value] : flat.items())
    for (ordered_json::json_pointer at(path); !at.empty(); at = at.parent_pointer())
      if (std::find(fields.begin(), fields.end(), at) == fields.end()) fields.push_back(at);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ordered_json::json_pointer& at = fields[i];
    const auto with = [&](const ordered_json& value) {
      ordered_json changed = whole;
      changed[at] = value;
      each(changed.dump());
    };
    with(nullptr);
    with(kValues[i % std::size(kValues)]);
    if (whole[at].is_string()) with(whole[at].get<std::string>() + "x");
    ordered_json without = whole;
    ordered_json& parent = without[at.parent_pointer()];
    if (parent.is_object()) parent.erase(at.back());
    else parent.erase(static_cast<std::size_t>(std::stoul(at.back())));
    each(without.dump());
  }
}

// Calls `each` with a description of the change and the changed events.
void ForEachTampering(const Events& events,
                      const std::function<void(const std::string&, const Events&)>& each) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string at =
        std::to_string(i + 1) + " (" + std::string(EventName(events[i].kind)) + ")";
    const auto here = static_cast<std::ptrdiff_t>(i);
    Events changed = events;
    changed.erase(changed.begin() + here);
    each("dropped " + at, changed);
    changed = events;
    changed.insert(changed.begin() + here, events[i]);
    each("doubled " + at, changed);
    if (i + 1 < events.size()) {
      changed = events;
      std::swap(changed[i], changed[i + 1]);
      if (changed != events) each("moved " + at, changed);
    }
    for (int kind = 0; kind < kKinds; ++kind) {
      changed = events;
      changed[i].kind = static_cast<Event::Kind>(kind);
      if (changed != events)
        each("made a " + std::string(EventName(changed[i].kind)) + " of " + at, changed);
    }
    for (const char* body : {"", "{", "null", "[]", "{}"}) {
      changed = events;
      changed[i].body = body;
      if (changed != events) each("body " + std::string(body) + " of " + at, changed);
    }
    ForEachField(events[i].body, [&](std::string body) {
      changed = events;
      changed[i].body = std::move(body);
      each("body " + changed[i].body.substr(0, 200) + " of " + at, changed);
    });
  }
}

// The number of the first invalid event, or 0.
std::size_t FirstWrong(const Events& events) {
  EventSequence sequence;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (!sequence.Take(events[i]).empty()) return i + 1;
  return 0;
}

struct Opener {
  const char* name;
  std::function<int(const std::string& session)> open;
};

// Like `rpl repl --session`, without a prompt.
int Prompt(const std::string& session) {
  Nobody nobody;
  SessionOptions options;
  options.now = kNow;
  ReplSession repl(nobody, options);
  SessionFile::Opened opened = SessionFile::Open(session, SessionFile::Mode::kOpen);
  std::cout << opened.store->damage();
  if (!opened.store->damage().empty()) return kExitFile;
  repl.Resume(std::move(opened.store), {});
  return repl.Broken().empty() ? kExitOk : kExitFile;
}

// A program that embeds the engine with the documents of the session.
int Embedded(const std::string& session) {
  ProgramEvent program;
  {
    const SessionFile::Opened opened = SessionFile::Open(session, SessionFile::Mode::kRead);
    program = LastProgram(opened.store->events()).value_or(program);
  }
  Engine::Options options;
  options.now = kNow;
  options.session_file = session;
  Engine engine(std::move(options));
  for (const ProgramFile& file : program.files) engine.Load(file.name, file.text);
  engine.Explain("p(?x)");
  const Engine::Outcome outcome = engine.Run();
  engine.Explain("p(?x)");
  std::cout << outcome.reason;
  return outcome.status == Engine::Status::kBroken ? kExitFile : kExitOk;
}

const std::vector<Opener> kReaders = {
    {"show",
     [](const std::string& s) {
       return Rpl({"trace", "show", s});
     }},
    {"show, JSON",
     [](const std::string& s) {
       return Rpl({"trace", "show", s, "--format", "json"});
     }},
    {"export",
     [](const std::string& s) {
       return Rpl({"trace", "export", s});
     }},
    {"export, NDJSON",
     [](const std::string& s) {
       return Rpl({"trace", "export", s, "--format", "ndjson"});
     }},
    {"verify",
     [](const std::string& s) {
       return Rpl({"trace", "verify", s});
     }},
    {"diff",
     [](const std::string& s) {
       return Rpl({"trace", "diff", s, s});
     }},
    {"query",
     [](const std::string& s) {
       return Rpl({"trace", "query", s, "%found(?x) <- p(?x)"});
     }},
    {"replay",
     [](const std::string& s) {
       return Rpl({"trace", "replay", s});
     }},
    {"html",
     [](const std::string& s) {
       return Rpl({"trace", "html", s});
     }},
};
const std::vector<Opener> kWriters = {
    {"resume", [](const std::string& s) { return Resume(s, {}); }},
    {"repl", Prompt},
    {"embedded", Embedded},
};

// Opens a session of these events with every command that reads one and with one command that
// continues it, because those that write are slow.
void OpenAll(const std::string& session, const Events& events, const Opener& writer,
             const std::string& refusal) {
  const auto open = [&](const Opener& opener) {
    INFO(opener.name);
    const Ended ended = Ran([&] { return opener.open(session); });
    CHECK(ended.code != kExitBug);
    if (refusal.empty()) return;
    CHECK(ended.code != kExitOk);
    CHECK(ended.text.find(refusal) != std::string::npos);
  };
  Replace(session, events);
  for (const Opener& opener : kReaders) open(opener);
  open(writer);
}

// True for changes that leave a session that a run may have written: one that was killed before its
// outcome, or whose command was started once more, or never.
bool IsSession(const std::string& what) {
  return what.find("(started)") != what.npos ||
         (what.starts_with("dropped") && what.find("(outcome)") != what.npos);
}

void TamperWith(void (*make)(const testing::Folder&)) {
  const testing::Folder folder;
  Ran([&] {
    make(folder);
    return 0;
  });
  const std::string session = folder / "s";
  const Events events = EventsOf(session);
  REQUIRE(FirstWrong(events) == 0);
  Replace(session, events);
  CHECK(Ran([&] { return Rpl({"trace", "replay", session}); }).code == kExitOk);
  std::size_t all = 0;
  std::size_t opened = 0;
  ForEachTampering(events, [&](const std::string& what, const Events& tampered) {
    INFO(what);
    const std::size_t wrong = FirstWrong(tampered);
    if (wrong == 0 && !what.starts_with("body") && !IsSession(what)) {
      Replace(session, tampered);
      const Ended again = Ran([&] { return Rpl({"trace", "replay", session}); });
      CHECK(again.code == kExitNo);
      CHECK(again.text.find("differs: event ") != std::string::npos);
    }
    // Refused sessions behave alike, so only one in many is opened by all commands.
    if (++all; wrong != 0 && all % 50 != 0) return;
    ++opened;
    OpenAll(session, tampered, kWriters[opened % kWriters.size()],
            wrong == 0 ? "" : "event " + std::to_string(wrong) + " cannot be right: ");
  });
}

TEST_CASE("tampered events of a run that asks end no command badly") { TamperWith(Asks); }
TEST_CASE("tampered events of a run that calls end no command badly") { TamperWith(Calls); }
TEST_CASE("tampered events of a run that grows end no command badly") { TamperWith(Grows); }
TEST_CASE("tampered events of a guarded run end no command badly") { TamperWith(Guarded); }
TEST_CASE("tampered events of a prompt end no command badly") { TamperWith(Says); }

}  // namespace
}  // namespace rpl
