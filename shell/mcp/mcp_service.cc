// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/mcp_service.h"

#include <algorithm>

#include "formats/data/json_rpc.h"

namespace rpl {

using nlohmann::ordered_json;

ordered_json RunFaultJson(const std::string& session, const std::string& error,
                          const std::string& hint, std::string_view status) {
  ordered_json out = {{"now", error + (hint.empty() ? "." : ": " + hint + ".")},
                      {"schema", "rpl.mcp.run/1"},
                      {"session", session},
                      {"seq", 0},
                      {"status", status},
                      {"error", error}};
  if (!hint.empty()) out["hint"] = hint;
  return out;
}

void McpService::Watch(const std::shared_ptr<McpPeer>& peer) {
  const std::lock_guard lock(mutex);
  std::erase_if(watching, [&](const std::weak_ptr<McpPeer>& other) {
    const auto held = other.lock();
    return held == nullptr || held == peer;
  });
  watching.push_back(peer);
}

void McpService::Changed(const std::string& handle) {
  std::vector<std::shared_ptr<McpPeer>> peers;
  {
    const std::lock_guard lock(mutex);
    for (const std::weak_ptr<McpPeer>& peer : watching)
      if (auto held = peer.lock()) peers.push_back(std::move(held));
  }
  const std::string uri = "rpl://session/" + handle;
  const auto concerns = [&](const std::string& other) {
    return other == uri || other.starts_with(uri + "/");
  };
  for (const std::shared_ptr<McpPeer>& peer : peers) {
    std::vector<std::pair<McpSink, ordered_json>> messages;
    {
      const std::lock_guard lock(peer->mutex);
      for (const std::string& subscribed : peer->subscribed)
        if (concerns(subscribed) && peer->send)
          messages.emplace_back(peer->send, ordered_json{{"uri", subscribed}});
      for (const auto& [id, call] : peer->listening) {
        const ordered_json& wanted = call->params["notifications"];
        const auto uris = wanted.find("resourceSubscriptions");
        if (uris == wanted.end()) continue;
        for (const ordered_json& subscribed : *uris)
          if (concerns(subscribed.get<std::string>()))
            messages.emplace_back(
                call->send,
                ordered_json{{"_meta", {{kMetaSubscription, call->id}}}, {"uri", subscribed}});
      }
    }
    for (auto& [send, params] : messages)
      send(RpcNotification("notifications/resources/updated", std::move(params)));
  }
}

}  // namespace rpl
