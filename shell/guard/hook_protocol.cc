// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/hook_protocol.h"

#include <fmt/format.h>

#include <utility>

#include "formats/shorten.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostIdBytes = 100;

}  // namespace

Sourced<HookCall> ReadHookCall(const std::string& text, const HookHost* host,
                               const GuardConfig& config, Moment now,
                               const std::function<void(HookForm, bool after)>& told) {
  HookSetting setting;
  setting.host = host;
  setting.only_tools = true;
  Sourced<HookEvent> read = ReadHookEvent(
      text, setting,
      [&told](HookForm form, HookEventKind kind) { told(form, kind != HookEventKind::kBefore); });
  if (!read.value) return {std::nullopt, std::move(read.why)};
  HookEvent& event = *read.value;
  ordered_json json = {{"tool", std::move(event.tool)}, {"args", std::move(event.arguments)}};
  if (event.kind != HookEventKind::kBefore) json["phase"] = "tool.after";
  Sourced<GuardLine> line = ReadGuardLine(json, config, now);
  if (!line.value) {
    if (!event.id.empty())
      line.why += fmt::format(" (the call `{}`)", Shortened(event.id, kMostIdBytes));
    return {std::nullopt, std::move(line.why)};
  }
  HookCall call;
  call.session = std::move(event.session);
  call.line = std::move(*line.value);
  call.line.call.id = std::move(event.id);
  call.response = std::move(event.response);
  call.failed = event.ended_well == false;
  call.asks = event.asks;
  call.form = event.form;
  call.unreadable = std::move(event.unreadable);
  return {std::move(call), ""};
}

}  // namespace rpl
