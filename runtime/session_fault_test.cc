// SPDX-License-Identifier: Apache-2.0
//
// Sessions on a disk that fails: each write, sync and truncation of a run with three tools fails
// once, or from then on, before or after it was done.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "interp/testing/testing_folder.h"
#include "runtime/faulty_disk.h"
#include "runtime/saved_session.h"
#include "runtime/session_file.h"
#include "runtime/tools/tool_agent.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;
using testing::faults;
using testing::FaultyDisk;

struct NobodyAnswers : Agent {
  rpl::Answer Answer(const Request&, Pool&, std::string_view) override { return {}; }
  void Chat(const std::string& line) override { chat += line + "\n"; }
  void OfferToContinue(const std::string&) override {}
  std::string chat;
};

struct EverythingGoes : Permission {
  Permit Approve(const ToolCommand&) override { return {true, ""}; }
  Permit Ask(const ToolCall&, const std::string&) override { return {true, ""}; }
  Permit AskToWrite(const std::string&, std::size_t) override { return {true, ""}; }
};

/// Three tools that each leave a line in a file of their own. The third is called with what the
/// others replied.
struct ThreeTools {
  explicit ThreeTools(const std::string& home) : folder(home) {
    for (const char* name : {"one", "two", "three"}) {
      ToolCommand command;
      command.name = name;
      command.argv = {"/bin/sh", "-c",
                      "echo ran >> " + home + "/" + name + "; exec " RPL_TOOL_UNDER_TEST " echo"};
      command.folder = command.home = "/";
      command.permission = Permit::kAllow;
      config.tools.push_back(std::move(command));
    }
  }

  /// Begins the session or goes on with it. What became of it; nullopt: it cannot be opened.
  std::optional<Outcome> GoOn() {
    const std::string path = folder + "/session";
    SessionFile::Opened opened = SessionFile::Open(
        path, fs::exists(path) ? SessionFile::Mode::kOpen : SessionFile::Mode::kCreate);
    error = opened.error;
    if (opened.store == nullptr) return std::nullopt;
    damage = opened.store->damage();
    SessionOptions options;
    options.now = "2026-01-02T00:00:00Z";
    std::vector<Event> events = opened.store->events();
    SavedSession saved(agent, options, std::move(events), std::move(opened.store));
    saved.Start({{"p.rpl", "% <- ?a = $one(1), ?b = $two(2), ?c = $three(?a, ?b), $json(?c)\n"}},
                [](const std::string&) { return std::nullopt; });
    const auto& last = saved.last();
    if (last && last->status == Status::kSatisfied) return last;
    return saved.session().Run();
  }

  int Runs(const std::string& tool) const {
    std::ifstream in(folder + "/" + tool);
    int lines = 0;
    for (std::string line; std::getline(in, line);) ++lines;
    return lines;
  }

  std::string folder;
  std::string error;
  std::string damage;
  ToolConfig config;
  EverythingGoes everything;
  NobodyAnswers nobody;
  ToolAgent agent{config, everything, {}, nobody};
};

TEST_CASE("whatever write or sync fails, no call runs twice, and the session opens afterwards") {
  const FaultyDisk disk;
  int most = 0;
  {
    const testing::Folder folder;
    ThreeTools tools(folder.path());
    faults = {};
    REQUIRE(tools.GoOn()->status == Status::kSatisfied);
    most = faults.operations;
    REQUIRE(most > 20);
  }
  for (int at = 1; at <= most; ++at)
    for (const bool lasts : {false, true})
      for (const bool done : {false, true}) {
        CAPTURE(at, lasts, done);
        const testing::Folder folder;
        ThreeTools tools(folder.path());
        faults = {at, lasts, done, at % 2 == 0 ? SQLITE_FULL : SQLITE_IOERR_FSYNC, 0};
        tools.GoOn();
        faults = {};
        std::optional<Outcome> outcome;
        for (int again = 0; again < 3; ++again) {
          outcome = tools.GoOn();
          CHECK(tools.error == "");
          CHECK(tools.damage == "");
        }
        for (const char* tool : {"one", "two", "three"}) CHECK(tools.Runs(tool) <= 1);
        REQUIRE(outcome);
        // It comes to its end, or waits for a person to say what became of a call in doubt.
        if (outcome->status == Status::kSatisfied) {
          CHECK(tools.Runs("three") == 1);
        } else {
          REQUIRE(outcome->status == Status::kWaiting);
          CHECK(std::any_of(outcome->pending.begin(), outcome->pending.end(),
                            [](const Request& request) { return request.in_doubt; }));
        }
      }
}

}  // namespace
}  // namespace rpl
