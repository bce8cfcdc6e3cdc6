// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/running_tools.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/terminal_text.h"

namespace rpl {
namespace {

constexpr std::string_view kTurning = "|/-\\";

}  // namespace

RunningTools::RunningTools(Tools& tools) : tools_(tools), shows_(ChangingLine::IsPossible()) {}

std::vector<rpl::Answer> RunningTools::Call(const std::vector<ToolCall>& calls, Pool& pool) {
  if (!shows_) return tools_.Call(calls, pool);
  std::vector<ToolCall> told = calls;
  begin_ = std::chrono::steady_clock::now();
  for (ToolCall& call : told) {
    call.starting = [this, name = call.tool, starting = call.starting] {
      if (starting && !starting()) return false;
      running_.push_back(name);
      return true;
    };
    call.finished = [this, name = call.tool, finished = call.finished](const rpl::Answer& answer) {
      if (const auto at = std::ranges::find(running_, name); at != running_.end())
        running_.erase(at);
      if (finished) finished(answer);
    };
  }
  std::vector<rpl::Answer> out = tools_.Call(told, pool);
  line_.Erase();
  running_.clear();
  return out;
}

void RunningTools::Poll() {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  if (running_.empty() || spent.count() < ChangingLine::kAfterSeconds) return;
  const char turn = kTurning[static_cast<std::size_t>(spent.count() * 4) % kTurning.size()];
  line_.Show(fmt::format("{} {}  {:.1f} s", turn,
                         PrintableLine(fmt::format("{}", fmt::join(running_, ", "))),
                         spent.count()));
}

}  // namespace rpl
