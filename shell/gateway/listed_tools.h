// SPDX-License-Identifier: Apache-2.0
//
// The tools that a server lists, as a gateway knows them: their definitions, and for each the
// reason why it must not be used, if there is one.
//
// Definitions are pinned by the decider, page by page. A tool whose definition changed, or that is
// new since the server listed all of them for the first time, must not be used until that is
// approved; nor may one that is listed twice, with different definitions. Where rules read the
// arguments of a tool, these must fit the input schema that the server listed for it.
//
// A server without a list knows no tools; its calls are decided by the policy alone.
#ifndef RPL_SHELL_GATEWAY_LISTED_TOOLS_H_
#define RPL_SHELL_GATEWAY_LISTED_TOOLS_H_

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "runtime/tools/mcp_definition.h"
#include "shell/gateway/mcp_decider.h"

namespace rpl {

class ListedTools {
 public:
  using Json = nlohmann::ordered_json;

  /// Borrows the decider. `log` takes lines for people, and is not empty.
  ListedTools(McpDecider& decider, std::function<void(const std::string&)> log)
      : decider_(decider), log_(std::move(log)) {}

  /// Learns the tools of a page; what is no array is none.
  void Learn(const Json& tools);
  /// The pages learned are all.
  void ListedAll();
  /// Learns the tools of a result of `tools/list`, and leaves out those that cannot be used; all of
  /// them if two readers may read it in two ways. True if it is another result then. `from_start`:
  /// it is the first page.
  bool Filter(Json& result, bool from_start);
  /// The server changed its list: nothing is known, but definitions stay pinned.
  void Forget();

  /// True if a call need not wait for the list. Set if the server was asked for it, and whether it
  /// answered.
  bool known() const { return listed_; }
  void SetKnown(bool known) { listed_ = known; }
  /// True if the server lists its tools, and none of this name.
  bool Lacks(const std::string& name) const { return lists_ && !tools_.contains(name); }
  /// Why the tool must not be used, or "". A fault may have been approved since: asks again.
  std::string FaultNow(const std::string& name);
  /// Why the arguments of a call are not decided about, or "": they may be read in two ways, or do
  /// not fit.
  std::string ArgumentFault(const GatewayCall& call);

 private:
  struct Tool {
    McpToolDefinition definition;
    std::string fault;  // why it must not be used
  };

  McpDecider& decider_;
  std::function<void(const std::string&)> log_;
  std::map<std::string, Tool> tools_;
  bool listed_ = false;  // tools_ are all of them, if it lists any
  bool lists_ = false;   // it does
};

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_LISTED_TOOLS_H_
