// SPDX-License-Identifier: Apache-2.0
//
// The features that a host may show its user without a tool: resources, prompts, and completions.
//
//   rpl://protocol/NAME            the document
//   rpl://catalogue/NAME           its goals, relations and tools, as `rpl doc` lists them
//   rpl://session/HANDLE           the state of a run, as JSON
//   rpl://session/HANDLE/trace     what it established, as text
//   rpl://session/HANDLE/answers   all answers of its goal, as JSON
//   rpl://session/HANDLE/page      the whole run as a page of HTML
//
// Each protocol is also a prompt: its arguments are the questions that a run begins with.
#ifndef RPL_SHELL_MCP_MCP_RESOURCES_H_
#define RPL_SHELL_MCP_MCP_RESOURCES_H_

#include <functional>
#include <memory>
#include <string>

#include "shell/mcp/mcp_call.h"

namespace rpl {

class ProtocolList;
struct McpService;

class McpResources {
 public:
  /// Borrows both.
  McpResources(McpService& service, ProtocolList& protocols)
      : service_(service), protocols_(protocols) {}

  using Call = std::shared_ptr<McpCall>;
  void List(const Call& call);
  void Templates(const Call& call);
  void Read(const Call& call);
  void ListPrompts(const Call& call);
  void GetPrompt(const Call& call);
  void Complete(const Call& call);

  /// Whether it is a resource of a run that there is, about whose changes a client may be told.
  bool MayChange(const McpCall& call, const std::string& uri);

 private:
  void ReadProtocol(const Call& call, const std::string& uri, const std::string& name);
  void ReadCatalogue(const Call& call, const std::string& uri, const std::string& name);
  void ReadRun(const Call& call, const std::string& uri, const std::string& handle,
               const std::string& part);
  void Work(const Call& call, std::function<void()> work);

  McpService& service_;
  ProtocolList& protocols_;
};

/// The name of a protocol in a URI; PercentDecoded is the way back.
std::string EscapedName(const std::string& name);

/// The name of the prompt of a protocol: "trip" of "trip.md", "deep-er-c" of "deep/er/c.md".
std::string PromptName(const std::string& protocol);

}  // namespace rpl

#endif  // RPL_SHELL_MCP_MCP_RESOURCES_H_
