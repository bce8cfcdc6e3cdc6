// SPDX-License-Identifier: Apache-2.0
//
// The decisions of `rpl guard mcp` by a protocol, and by a policy beside it: the stricter one
// holds.
//
// A call of a tool of the server is a call of the run, under the name `mcp__SERVER__TOOL`. The run
// is open only while it decides, so that hooks of the same host, and people, reach it.
#ifndef RPL_SHELL_GUARD_PROTOCOL_DECIDER_H_
#define RPL_SHELL_GUARD_PROTOCOL_DECIDER_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "shell/gateway/mcp_decider.h"
#include "shell/guard/protocol_guard.h"

namespace rpl {

class ProtocolDecider : public McpDecider {
 public:
  struct Setup {
    BoundPlace place;
    EngineOptions engine;
    std::string server;   // its name
    std::string session;  // the name of this run of the gateway
    bool protects = true;
    bool shadow = false;
    bool closed = false;  // a call is refused that no constraint applies to
    std::function<std::string(const std::string& tool)> reads_as = nullptr;  // Deciding
    std::function<bool()> interrupted = nullptr;
  };
  /// Borrows the policy's decider.
  ProtocolDecider(Setup setup, McpDecider& policy) : setup_(std::move(setup)), policy_(policy) {}

  Ruling Before(const GatewayCall& call, std::optional<std::size_t> again) override;
  Ruling After(const GatewayCall& call, CallEnd& end,
               const nlohmann::ordered_json& result) override;
  std::string Answer(const std::string& review, bool approved) override {
    return policy_.Answer(review, approved);
  }
  bool Hides(const std::string& tool) override { return policy_.Hides(tool); }
  std::vector<std::string> Pin(const std::vector<McpToolDefinition>& tools) override {
    return policy_.Pin(tools);
  }
  void ListedAll() override { policy_.ListedAll(); }
  std::set<std::string> ArgumentKeys(const std::string& tool) override {
    return policy_.ArgumentKeys(tool);
  }
  bool MayWithhold(const std::string& tool) override { return policy_.MayWithhold(tool); }
  void Note(const std::string& event) override { policy_.Note(event); }
  /// The gateway ends: calls without a report are cut off.
  void End();

 private:
  ReportedCall CallOf(const GatewayCall& call) const;

  const Setup setup_;
  McpDecider& policy_;
};

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_PROTOCOL_DECIDER_H_
