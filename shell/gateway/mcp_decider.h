// SPDX-License-Identifier: Apache-2.0
//
// The decider about calls that pass a gateway (shell/gateway/mcp_gateway.h): the policy, with
// its store and its audit log, behind an interface that knows no messages.
//
// The gateway asks about each call before it goes out, and about each result before it comes in,
// and reports what it refused by itself. It owns no decider.
#ifndef RPL_SHELL_GATEWAY_MCP_DECIDER_H_
#define RPL_SHELL_GATEWAY_MCP_DECIDER_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/tools/mcp_definition.h"
#include "shell/gateway/withheld_results.h"

namespace rpl {

/// A call as it is decided about.
struct GatewayCall {
  std::string tool;
  nlohmann::ordered_json args;  // an object
  std::string id;               // of its message, as JSON
  std::string digest;           // of the tool and its arguments: equal calls have equal ones
};

/// What the gateway asks. Answers may take a while; none throws.
class McpDecider {
 public:
  struct Ruling {
    enum class Kind {
      kPass,
      kRefuse,
      kReview,
      kUndecided,  // after a call: the guard failed, and may decide about the result later
    };
    Kind kind = Kind::kRefuse;
    std::string reason;    // for the model and for people; "" for kPass
    std::string review;    // kReview: its id
    std::size_t step = 0;  // kPass, before a call: the number of the call
  };
  virtual ~McpDecider() = default;

  /// Decides whether the call goes out. `again`: it is another round of the call with this number,
  /// which the server asked for, and counts once.
  virtual Ruling Before(const GatewayCall& call, std::optional<std::size_t> again) = 0;
  /// Records the end of a call unless it is recorded, notes in `end` that it is, and decides
  /// whether the result comes in. `result` is null if there is none. After kReview or kUndecided it
  /// may be asked again, with an equal call.
  virtual Ruling After(const GatewayCall& call, CallEnd& end,
                       const nlohmann::ordered_json& result) = 0;
  /// Records whether a person approved of a review. The reason why it could not be, or "".
  virtual std::string Answer(const std::string& review, bool approved) = 0;
  /// True if no call of the tool can ever pass.
  virtual bool Hides(const std::string& tool) = 0;
  /// For each definition the reason why the tool must not be used, or "". New ones are pinned until
  /// the server has listed all its tools, and wait for a review after that.
  virtual std::vector<std::string> Pin(const std::vector<McpToolDefinition>& tools) = 0;
  virtual void ListedAll() = 0;
  /// The keys of arguments that rules about the tool read.
  virtual std::set<std::string> ArgumentKeys(const std::string& tool) = 0;
  /// True if a rule may withhold results of the tool.
  virtual bool MayWithhold(const std::string& tool) = 0;
  /// Records what was refused without a decision of the policy.
  virtual void Note(const std::string& event) = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_MCP_DECIDER_H_
