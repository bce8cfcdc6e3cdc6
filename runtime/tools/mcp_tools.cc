// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/mcp_tools.h"

#include <fmt/format.h>

#include "formats/data/json_fields.h"
#include "formats/data/json_schema.h"
#include "formats/data/json_text.h"
#include "runtime/tools/mcp_client.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

ToolResult Failed(std::string code, std::string message) {
  return {false, nullptr, std::move(code), std::move(message), "", 0};
}

// The arguments as the server reads them, or why there are none.
ordered_json ArgumentsOf(const CommandCall& call, std::string& why) {
  const McpUse& use = *call.command->mcp;
  ordered_json out = ordered_json::object();
  if (use.has_args) {
    if (call.args.size() > use.args.size())
      why = fmt::format("it takes at most {} arguments", use.args.size());
    else
      for (std::size_t i = 0; i < call.args.size(); ++i) out[use.args[i]] = call.args[i];
    return out;
  }
  if (call.args.empty()) return out;
  if (call.args.size() > 1 || !call.args[0].is_object()) {
    why = "it takes one map of its arguments, or names in `args` of the configuration";
    return out;
  }
  for (const auto& [key, value] : call.args[0].items())
    out[key.starts_with(':') ? key.substr(1) : key] = value;
  return out;
}

ToolResult ResultOf(const McpReply& reply, const McpUse& use) {
  if (!reply.code.empty()) {
    ToolResult failed = Failed(reply.code, reply.message);
    failed.tool_code = reply.number;
    return failed;
  }
  const ordered_json& result = reply.result;
  const std::string type = TextAt(result, "resultType");
  if (type == "input_required")
    return Failed("bad-reply", "the server asks a question, which rpl does not pass on");
  if (!type.empty() && type != "complete")
    return Failed("bad-reply", "the result is of the unknown kind `" + CleanUtf8(type) + "`");
  const ordered_json& content = FieldAt(result, "content");
  const bool one_text = content.is_array() && content.size() == 1 &&
                        TextAt(content[0], "type") == "text" &&
                        FieldAt(content[0], "text").is_string();
  if (FlagAt(result, "isError")) {
    std::string text;
    if (content.is_array())
      for (const ordered_json& item : content)
        text += (text.empty() ? "" : "\n") + TextAt(item, "text");
    return Failed("tool", text.empty() ? "the server says that it failed" : CleanUtf8(text));
  }
  ToolResult out;
  out.ok = true;
  if (result.contains("structuredContent")) {
    out.result = result["structuredContent"];
  } else if (one_text && use.json) {
    JsonText text = ParseExactJson(TextAt(content[0], "text"));
    if (!text.error.empty()) return Failed("bad-reply", "the text of the result is not JSON");
    out.result = std::move(text.json);
  } else if (one_text) {
    out.result = content[0]["text"];
  } else if (content.is_array()) {
    out.result = content;
  } else {
    return Failed("bad-reply", "the result has no `content`");
  }
  return out;
}

}  // namespace

McpTools::McpTools(Permission& permission) : permission_(permission) {}
McpTools::~McpTools() = default;

std::vector<ToolResult> McpTools::Call(const std::vector<CommandCall>& calls, const ToolRun& run) {
  std::vector<ToolResult> results(calls.size());
  const BatchLock lock(run.interrupted);
  if (!lock.is_held()) {
    std::ranges::fill(results, Failed("interrupted", ""));
    return results;
  }
  std::map<std::string, std::vector<std::size_t>> by_server;
  for (std::size_t i = 0; i < calls.size(); ++i)
    by_server[calls[i].command->mcp->server->name].push_back(i);
  for (const auto& [name, places] : by_server) {
    std::unique_ptr<McpClient>& client = clients_[name];
    if (client == nullptr)
      client = std::make_unique<McpClient>(calls[places[0]].command->mcp->server);
    const McpClient::Listed listed = client->Connect(run);
    std::vector<McpRequest> requests;
    std::vector<std::size_t> sent;
    for (const std::size_t i : places) {
      const CommandCall& call = calls[i];
      const McpUse& use = *call.command->mcp;
      if (!listed.why.empty()) {
        results[i] = Failed(listed.interrupted ? "interrupted" : "not-started", listed.why);
        continue;
      }
      const McpToolDefinition* const tool = client->Find(use.tool);
      if (tool == nullptr) {
        results[i] =
            Failed("not-started", fmt::format("the server `{}` has no tool `{}`", name, use.tool));
        continue;
      }
      const Permission::Permit pinned =
          permission_.Pin(*call.command, tool->hash, DumpJson(tool->parts));
      std::string why;
      const ordered_json arguments = ArgumentsOf(call, why);
      if (why.empty()) {
        const SchemaFit fit = FitsSchema(FieldAt(tool->parts, "inputSchema"), arguments);
        if (fit.kind == SchemaFit::Kind::kNo)
          why = fmt::format("the arguments do not fit the schema of the tool{}: {}",
                            fit.where.empty() ? "" : " at " + fit.where, fit.why);
      }
      if (!pinned.yes) {
        results[i] = Failed("denied", pinned.reason);
      } else if (!why.empty()) {
        results[i] = Failed("bad-request", why);
      } else {
        McpRequest request{use.tool, arguments, &call, nullptr};
        request.ended = [&results, &call, i](const McpReply& reply) {
          results[i] = ResultOf(reply, *call.command->mcp);
          results[i].took_ms = reply.took_ms;
          const bool open = reply.code == "interrupted" || reply.code == "not-recorded";
          if (call.finished && !open) call.finished(results[i]);
        };
        requests.push_back(std::move(request));
      }
    }
    client->Call(requests, run);
  }
  return results;
}

}  // namespace rpl
