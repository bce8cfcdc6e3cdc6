// SPDX-License-Identifier: Apache-2.0
#include "checks/calls/served_tools.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rpl {
namespace {

constexpr std::string_view kDouble = "mcp__";
constexpr std::string_view kSingle = "mcp_";
constexpr std::size_t kMostWays = 32;

template <typename Row>
void AddOnce(Row row, std::vector<Row>& to) {
  if (std::find(to.begin(), to.end(), row) == to.end()) to.push_back(std::move(row));
}

// The ways to part a name into a server and a tool.
std::vector<ServedTool> WaysToPart(std::string_view name, std::string_view separators) {
  std::vector<ServedTool> out;
  for (std::size_t at = name.find_first_of(separators); at != name.npos;
       at = name.find_first_of(separators, at + 1)) {
    const std::string_view server = name.substr(0, at);
    for (const std::size_t width : {std::size_t{1}, std::size_t{2}}) {
      if (width == 2 && (at + 1 >= name.size() || name[at + 1] != name[at])) break;
      const std::string_view tool = name.substr(at + width);
      if (!server.empty() && !tool.empty()) out.push_back({std::string(server), std::string(tool)});
    }
  }
  return out;
}

// `mcp__SERVER__TOOL`: as the host parts it, and the other ways.
void AddDouble(std::string_view name, CallViews& views) {
  name.remove_prefix(kDouble.size());
  bool is_first = true;
  for (std::size_t at = name.find("__"); at != name.npos; at = name.find("__", at + 1)) {
    ServedTool way{std::string(name.substr(0, at)), std::string(name.substr(at + 2))};
    if (way.server.empty() || way.tool.empty()) continue;
    if (views.open_serves.size() >= kMostWays) return AddOnce(OpenServe{}, views.open_serves);
    if (is_first) views.serves.push_back(std::move(way));
    else AddOnce(OpenServe{std::move(way.server), std::move(way.tool)}, views.open_serves);
    is_first = false;
  }
  if (is_first) AddOnce(OpenServe{}, views.open_serves);
}

void AddAnyWay(std::string_view name, std::string_view separators, CallViews& views) {
  AddOnce(OpenServe{std::nullopt, std::string(name)}, views.open_serves);
  const std::vector<ServedTool> ways = WaysToPart(name, separators);
  if (ways.size() > kMostWays) return AddOnce(OpenServe{}, views.open_serves);
  for (const ServedTool& way : ways) AddOnce(OpenServe{way.server, way.tool}, views.open_serves);
}

}  // namespace

bool IsServedName(std::string_view name) {
  return name.starts_with(kSingle) || name.starts_with("MCP:");
}

void AddServes(const HostCall& call, CallViews& views) {
  const std::string_view name = call.tool;
  constexpr std::string_view kCursor = "MCP:";
  if (call.server) {
    if (call.server->empty()) AddOnce(OpenServe{std::nullopt, call.tool}, views.open_serves);
    else views.serves.push_back({*call.server, call.tool});
    return;
  }
  if (name.starts_with(kDouble)) return AddDouble(name, views);
  if (name.starts_with(kCursor)) return AddAnyWay(name.substr(kCursor.size()), ":", views);
  if (name.starts_with(kSingle)) {
    const std::vector<ServedTool> ways = WaysToPart(name.substr(kSingle.size()), "_");
    if (ways.size() == 1) views.serves.push_back(ways[0]);
    for (const ServedTool& way : ways) AddOnce(OpenServe{way.server, way.tool}, views.open_serves);
  }
  AddAnyWay(name, "_-.:/", views);
}

}  // namespace rpl
