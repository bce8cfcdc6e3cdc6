// SPDX-License-Identifier: Apache-2.0
//
// The agent that answers tool calls by running commands. Whatever is no call of a
// configured tool goes to another agent.
//
// A call runs only with permission: no rule of the configuration denies it, its command is
// approved, and where the configuration says `ask`, somebody said yes. What is refused or
// fails is a reply, too: {:status :error, :code "denied", :message "…"}, with the codes of
// runtime/tools/tool.h, and for "tool" the tool's own code under :tool-code. Two more codes:
//
//   denied       it was not permitted
//   bad-request  its arguments have no JSON: two keys of a map are the same text
//
// A call that was denied or not started did not run: its reply is Answer::Kind::kNotRun.
//
// Not answered, and so pending: calls in doubt (Request::in_doubt), and those that an
// interrupt ended.
#ifndef RPL_RUNTIME_TOOLS_TOOL_AGENT_H_
#define RPL_RUNTIME_TOOLS_TOOL_AGENT_H_

#include <string>
#include <vector>

#include "runtime/agent.h"
#include "runtime/tools/tool.h"
#include "runtime/tools/tool_config.h"

namespace rpl {

/// Who decides what may run. A seam: the terminal and tests implement it.
class Permission {
 public:
  struct Verdict {
    bool yes = false;
    std::string reason;  // of a no: "nobody is there to ask"
  };

  virtual ~Permission() = default;

  /// Whether the command may run at all; before every call.
  virtual Verdict Approve(const ToolCommand& command) = 0;

  /// Whether this call may run, where the configuration says `ask`. `request` is the call
  /// as RPL text.
  virtual Verdict Ask(const ToolCall& call, const std::string& request) = 0;
};

class ToolAgent : public Agent {
 public:
  /// Borrows all but `run`, whose concurrency is that of the configuration at each call.
  ToolAgent(const ToolConfig& config, Permission& permission, ToolRun run, Agent& otherwise);

  rpl::Answer Answer(const Request& request, Pool& pool, bool again) override;
  std::vector<rpl::Answer> Call(const std::vector<Request>& requests, Pool& pool) override;
  void Chat(const std::string& line) override { otherwise_.Chat(line); }
  void OfferToContinue(const std::string& goal) override { otherwise_.OfferToContinue(goal); }

 private:
  Permission::Verdict Permitted(const ToolCall& call, const Request& request);

  const ToolConfig& config_;
  Permission& permission_;
  ToolRun run_;
  Agent& otherwise_;
};

/// The `id` of a call: 32 hexadecimal digits that the call as RPL text decides.
std::string CallHash(const std::string& call);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_TOOL_AGENT_H_
