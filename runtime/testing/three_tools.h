// SPDX-License-Identifier: Apache-2.0
//
// For tests: a session with three tools that each leave a line in a file of their own, so that a
// test sees how often each was called, whatever became of the session.
#ifndef RPL_RUNTIME_TESTING_THREE_TOOLS_H_
#define RPL_RUNTIME_TESTING_THREE_TOOLS_H_

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/nobody.h"
#include "runtime/run/saved_session.h"
#include "runtime/tools/tool_agent.h"

namespace rpl::testing {

struct EverythingGoes : Permission {
  Permit Approve(const ToolCommand&) override { return {true, ""}; }
  Permit Ask(const CommandCall&, const std::string&) override { return {true, ""}; }
  Permit Reach(const std::string&, const std::string&) override { return {true, ""}; }
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
  std::optional<Outcome> GoOn(SessionStore::Opened opened) {
    error = opened.error;
    if (opened.store == nullptr) return std::nullopt;
    damage = opened.store->damage();
    SessionOptions options;
    options.now = "2026-01-02T00:00:00Z";
    std::vector<Event> events = opened.store->events();
    SavedSession saved(
        {nobody, agent, agent, [this](const std::string& line) { chat += line + "\n"; }}, options,
        std::move(events), std::move(opened.store));
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
  Nobody nobody;
  std::string chat;
  ToolAgent agent{config, everything, {}};
};

/// What must hold when the session was gone on with after whatever failed: no tool ran twice, and
/// it came to its end or waits for a person to say what became of a call in doubt.
inline void CheckEnd(const ThreeTools& tools, const std::optional<Outcome>& outcome) {
  for (const char* tool : {"one", "two", "three"}) CHECK(tools.Runs(tool) <= 1);
  REQUIRE(outcome);
  if (outcome->status == Status::kSatisfied) {
    CHECK(tools.Runs("three") == 1);
    return;
  }
  REQUIRE(outcome->status == Status::kWaiting);
  CHECK(std::any_of(outcome->pending.begin(), outcome->pending.end(),
                    [](const OpenRequest& request) { return request->doubtful(); }));
}

}  // namespace rpl::testing

#endif  // RPL_RUNTIME_TESTING_THREE_TOOLS_H_
