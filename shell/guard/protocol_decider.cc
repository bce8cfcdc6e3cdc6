// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/protocol_decider.h"

#include <exception>
#include <utility>

namespace rpl {
namespace {

using Means = McpDecider::Ruling::Kind;

McpDecider::Ruling Refusal(const std::string& why) { return {Means::kRefuse, why, "", 0}; }

std::string Failed(const std::string& why) { return "Refused, because the guard failed: " + why; }

}  // namespace

ReportedCall ProtocolDecider::CallOf(const GatewayCall& call) const {
  return {"mcp__" + setup_.server + "__" + call.tool, call.args, call.id, setup_.session, ""};
}

McpDecider::Ruling ProtocolDecider::Before(const GatewayCall& call,
                                           std::optional<std::size_t> again) {
  try {
    if (again) return policy_.Before(call, again);
    const ProtocolGuard::Opened opened =
        ProtocolGuard::Open(setup_.place, setup_.engine, setup_.interrupted);
    if (opened.guard == nullptr) return Refusal(Failed(opened.error));
    const ProtocolGuard::Decision decision =
        opened.guard->Decide(CallOf(call), {.folder = setup_.place.project,
                                            .only_records = setup_.shadow,
                                            .protects = setup_.protects,
                                            .closed = setup_.closed,
                                            .served = ServedTool{setup_.server, call.tool},
                                            .reads_as = setup_.reads_as(call.tool)});
    if (!decision.failure.empty()) return Refusal(Failed(decision.failure));
    if (decision.denies && !setup_.shadow)
      return Refusal("Denied by the protocol: " + decision.reason);
    Ruling ruling = policy_.Before(call, again);
    if (ruling.kind != Means::kPass) {
      if (const std::string why = opened.guard->Deny(decision.call, ruling.reason); !why.empty())
        return Refusal(Failed(why));
    }
    return ruling;
  } catch (const std::exception& e) {
    return Refusal(Failed(e.what()));
  }
}

McpDecider::Ruling ProtocolDecider::After(const GatewayCall& call, CallEnd& end,
                                          const nlohmann::ordered_json& result) {
  const bool is_new = !end.recorded;
  const Ruling ruling = policy_.After(call, end, result);
  if (!is_new) return ruling;
  try {
    const ProtocolGuard::Opened opened =
        ProtocolGuard::Open(setup_.place, setup_.engine, setup_.interrupted);
    // Without a report the call stays open: it was made, and is no evidence.
    if (opened.guard != nullptr && !result.is_null())
      opened.guard->Report(CallOf(call),
                           end.failed ? HostCallState::kFailed : HostCallState::kEnded, result);
  } catch (const std::exception&) {
    return ruling;
  }
  return ruling;
}

void ProtocolDecider::End() {
  try {
    const ProtocolGuard::Opened opened = ProtocolGuard::Open(setup_.place, setup_.engine, nullptr);
    if (opened.guard != nullptr) opened.guard->EndSession(setup_.session);
  } catch (const std::exception&) {
    return;  // they stay open
  }
}

}  // namespace rpl
