// SPDX-License-Identifier: Apache-2.0
//
// `rpl guard mcp … -- SERVER…`: the guard in front of a server of the Model Context Protocol
// (docs/guard.md). The messages are the gateway's business (shell/gateway/mcp_gateway.h), bytes and
// processes the relay's (shell/gateway/mcp_relay.h); here are the decisions: policy, store, audit
// log.
//
// A process is a run: its calls are the history that rules read. Each decision, with the history
// that it reads and the call that it adds, is one transaction of the store. Pins belong to the
// agent and the name of the server.
//
// It fails closed. With a policy that cannot be used the server runs, and every call is refused
// with that reason; so are single calls whose decision cannot be made, kept or, with
// --audit-required, written to the log.
#ifndef RPL_SHELL_COMMANDS_GUARD_GUARD_MCP_H_
#define RPL_SHELL_COMMANDS_GUARD_GUARD_MCP_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checks/guard/audit.h"
#include "checks/guard/policy_outlook.h"
#include "shell/commands/guard/guard_hook.h"
#include "shell/gateway/mcp_decider.h"

namespace rpl {

/// Decides for a gateway by a policy.
class PolicyDecider : public McpDecider {
 public:
  /// `guard` null: no policy can be used, and every call is refused. `server` is its name for pins.
  PolicyDecider(const GuardCommandOptions& options, StandaloneGuard* guard, std::string server);

  Ruling Before(const GatewayCall& call, std::optional<std::size_t> again) override;
  Ruling After(const GatewayCall& call, CallEnd& end,
               const nlohmann::ordered_json& result) override;
  std::string Answer(const std::string& review, bool approved) override;
  bool Hides(const std::string& tool) override { return OutlookOf(tool).hidden; }
  std::vector<std::string> Pin(const std::vector<McpToolDefinition>& tools) override;
  void ListedAll() override;
  std::set<std::string> ArgumentKeys(const std::string& tool) override {
    return OutlookOf(tool).keys;
  }
  bool MayWithhold(const std::string& tool) override { return OutlookOf(tool).withholds; }
  void Note(const std::string& event) override;

  /// Writes the end of the run to the audit log.
  void End(bool well);

 private:
  /// What the policy says about a tool before there is a call.
  struct Outlook {
    bool hidden = false;
    bool withholds = false;
    std::set<std::string> keys;
  };
  const Outlook& OutlookOf(const std::string& tool);
  std::string Decide(GuardLine& line, const GatewayCall& call, std::optional<std::size_t> again,
                     Decision& decision, std::size_t& step);
  std::string DecideAfter(GuardLine& line, const CallEnd& end, const nlohmann::ordered_json& result,
                          Decision& decision);
  std::string Write(std::vector<nlohmann::ordered_json> events, Moment now);
  std::string PinOf(const std::string& tool, std::string& why);
  std::string SetPin(const std::string& tool, const std::string& hash);
  std::string PinOne(const McpToolDefinition& tool);
  Ruling RulingOf(const std::string& failure, const Decision& decision, std::size_t step) const;
  Ruling RulingAfter(const std::string& failure, const Decision& decision) const;

  const GuardCommandOptions& options_;
  StandaloneGuard* guard_;
  std::string server_;
  std::string run_;
  AuditRun audit_;
  bool started_ = false;                     // run.started is in the log
  std::size_t steps_ = 0;                    // without a store
  std::map<std::string, Outlook> outlooks_;  // by tool
  std::map<std::string, std::string> pins_;  // without a store
};

/// Runs the command. Returns the exit code of the server, kExitInvalid for a wrong command line.
int GuardMcp(const GuardCommandOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_GUARD_GUARD_MCP_H_
