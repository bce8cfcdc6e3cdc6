// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/running_tools.h"

#include <fmt/format.h>

#include "formats/terminal_text.h"

namespace rpl {
namespace {

constexpr std::string_view kTurning = "|/-\\";

}  // namespace

std::function<void(const std::vector<std::string>&)> RunningTools::Observer() {
  if (!ChangingLine::IsPossible()) return nullptr;
  return [this](const std::vector<std::string>& running) {
    if (running_.empty()) begin_ = std::chrono::steady_clock::now();
    running_ = running;
    if (running_.empty()) line_.Erase();
  };
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
