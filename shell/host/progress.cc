// SPDX-License-Identifier: Apache-2.0
#include "shell/host/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "interp/eval/profile_hints.h"
#include "shell/host/report.h"
#include "shell/host/text_width.h"

namespace rpl {
namespace {

constexpr double kFirst = 0.5;  // seconds
constexpr double kBetween = 0.1;
constexpr std::size_t kRoom = 4;  // columns left free: `^C` must not begin another line

struct ShownProgress {
  bool visible = false;
  bool begun = false;
  double last = 0;  // time of the last update, in seconds of the timestep
  double from = 0;  // time at which `rows` was read
  std::size_t rows = 0;

  void Tell(const Progress* progress);
};

void ShownProgress::Tell(const Progress* progress) {
  if (progress == nullptr) {
    if (visible) std::cerr << "\r\033[K" << std::flush;
    *this = {};
    return;
  }
  if (!begun) {
    begun = true;
    from = progress->seconds;
    rows = progress->rows;
  }
  if (progress->seconds < kFirst || progress->seconds < last + kBetween) return;
  last = progress->seconds;
  visible = true;
  const double rate = static_cast<double>(progress->rows - rows) / (last - from + 1e-9);
  std::cerr << "\r\033[K" << ProgressText(*progress, rate, TerminalWidth() - kRoom) << std::flush;
}

}  // namespace

std::string ProgressText(const Progress& progress, double rate, std::size_t width) {
  std::string text = fmt::format("{:.1f} s", progress.seconds);
  if (progress.rows > 0)
    text += fmt::format("  {} round{}  {} rows  {} rows/s", Grouped(progress.rounds),
                        progress.rounds == 1 ? "" : "s", Grouped(progress.rows),
                        Grouped(static_cast<std::size_t>(rate)));
  std::string rule = Printable(progress.rule.substr(0, 4 * width));
  for (char& c : rule)
    if (c == '\n' || c == '\t') c = ' ';
  return CutToWidth(text + "  " + rule, width);
}

bool ShowsProgress() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

std::function<void(const Progress*)> ProgressLine() {
  if (!ShowsProgress()) return nullptr;
  return [shown = ShownProgress()](const Progress* progress) mutable { shown.Tell(progress); };
}

}  // namespace rpl
