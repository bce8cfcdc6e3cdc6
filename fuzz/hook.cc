// SPDX-License-Identifier: Apache-2.0
//
// Feeds the input of a hook to its reader, and decides about the call.
//
// What is no call has a reason of one line. A call is one of its event, the decision does not fail,
// is the same again, and prints as JSON.
#include <cstddef>
#include <cstdint>
#include <string>

#include "checks/guard/guard.h"
#include "formats/terminal_text.h"
#include "fuzz/require.h"
#include "shell/guard/hook_protocol.h"

namespace rpl::fuzz {
namespace {

constexpr const char* kPolicy = R"([
  {"priority": 1, "enabled": true, "name": "a", "selector": {"phase": "tool.before", "tool": {}},
   "condition": {"kind": "toolArg", "type": "string", "op": "contains", "path": "command", "value": "rm"},
   "effect": {"type": "hitl"}},
  {"priority": 2, "enabled": true, "name": "b", "selector": {"phase": "tool.after", "tool": {"name": "B*"}},
   "condition": {"kind": "maxCalls", "selector": {"by": "toolName", "patterns": ["b*"]}, "max": 1},
   "effect": {"type": "block"}},
  {"priority": 0, "enabled": true, "name": "c", "selector": {"phase": "tool.before", "tool": {}},
   "condition": {"kind": "or", "any": [
     {"kind": "toolArg", "type": "number", "op": "gt", "path": "a.0.b", "value": 5},
     {"kind": "requireSubject", "subjectType": "customer"}]},
   "effect": {"type": "block"}}])";

const Guard& TheGuard() {
  static const Guard guard = [] {
    Sources sources;
    Diagnostics found;
    auto policy = ReadPolicy(sources, sources.Add("policy.json", kPolicy), found);
    Require(policy.has_value(), "the policy is one");
    return Guard(std::move(*policy), {});
  }();
  return guard;
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rpl;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const GuardConfig config;
  constexpr Moment kNow = 1'700'000'000 * kSecond;
  std::optional<bool> after;
  const Sourced<HookCall> read =
      ReadHookCall(text, nullptr, config, kNow, [&](HookForm, bool is_after) { after = is_after; });
  fuzz::Require(read.value.has_value() == read.why.empty(), "what is no call has a reason");
  fuzz::Require(PrintableLine(read.why).find('\n') == std::string::npos, "a reason is a line");
  if (!read.value) return 0;
  const GuardCall& call = read.value->line.call;
  fuzz::Require(after == (call.phase == CallPhase::kAfter), "a call is one of its event");
  GuardStore store;  // which keeps nothing
  const auto decide = [&] {
    History history;
    if (*after) history.Add(EndedCall(call, &read.value->response, kNow), true);
    LineSources sources(read.value->line, config, store, nullptr, "s", call.id, kNow);
    const Decision decision = fuzz::TheGuard().Decide(call, history, sources, kNow);
    fuzz::Require(decision.cause != Decision::Cause::kFailure, "a decision does not fail", text);
    return DecisionJson(decision, call)
        .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  };
  fuzz::Require(decide() == decide(), "a decision is the same again", text);
  return 0;
}
