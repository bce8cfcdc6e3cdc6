// SPDX-License-Identifier: Apache-2.0
#include "shell/script/script_host.h"

#include <algorithm>

#include "checks/calls/call_views.h"
#include "checks/calls/shfmt_reader.h"
#include "formats/data/json_text.h"
#include "runtime/run/session.h"
#include "shell/guard/denial_text.h"
#include "shell/guard/hook_table.h"

namespace rpl {
namespace {

constexpr const char* kProject = "/project";

}  // namespace

std::string ScriptHost::Call(const std::string& text, Session& session) {
  const std::size_t space = text.find(' ');
  ReportedCall call;
  call.tool = text.substr(0, space);
  if (space != std::string::npos) {
    const JsonText arguments = ParseExactJson(text.substr(space + 1));
    if (!arguments.error.empty()) return "the arguments are not JSON: " + arguments.error;
    if (!arguments.json.is_object()) return "expected an object as arguments";
    call.arguments = arguments.json;
  }
  ShfmtReader shell;
  const CallViews views =
      ViewsOf({call.tool, call.arguments, std::nullopt, IsOwnTool(nullptr, call.tool)},
              {kProject, kProject, "/home/user"}, shell);
  const std::int64_t number = log_.Begin(call, RowsOf(views));
  Decide(session, views);
  const bool passes = denied_->empty();
  if (!passes && !views.why.empty()) *denied_ += "\n(" + views.why + ")";
  log_.Set(number, passes ? HostCallState::kOpen : HostCallState::kDenied, nullptr, *denied_);
  call_ = passes ? number : 0;
  return "";
}

std::string ScriptHost::Result(const std::string& text) {
  if (call_ == 0) return "no call that passed is open";
  const bool failed = text == "failed" || text.starts_with("failed ");
  const std::string json = failed ? text.substr(std::min<std::size_t>(7, text.size())) : text;
  const JsonText result = json.empty() ? JsonText() : ParseExactJson(json);
  if (!result.error.empty()) return "the result is not JSON: " + result.error;
  log_.Set(call_, failed ? HostCallState::kFailed : HostCallState::kEnded, result.json);
  call_ = 0;
  return "";
}

void ScriptHost::End(Session& session) {
  log_.BeginTurnEnd();
  Decide(session, {});
}

void ScriptHost::Decide(Session& session, const CallViews& views) {
  denied_ = ReasonOf(session.CheckHost(), "PROTOCOL", [&](const std::vector<std::string>& reads) {
    return UnreadOf(reads, views, log_);
  });
}

}  // namespace rpl
