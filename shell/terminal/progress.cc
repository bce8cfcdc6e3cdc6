// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include "interp/eval/profile_hints.h"
#include "shell/terminal/report.h"
#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

constexpr double kBetween = 0.1;  // seconds
constexpr std::size_t kRoom = 4;  // columns left free: `^C` must not begin another line

struct ShownProgress {
  ChangingLine line;
  bool begun = false;
  double last = 0;  // time of the last update, in seconds of the timestep
  double from = 0;  // time at which `rows` was read
  std::size_t rows = 0;

  void Tell(const Progress* progress);
};

void ShownProgress::Tell(const Progress* progress) {
  if (progress == nullptr) {
    line.Erase();
    *this = {};
    return;
  }
  if (!begun) {
    begun = true;
    from = progress->seconds;
    rows = progress->rows;
  }
  if (progress->seconds < ChangingLine::kAfterSeconds || progress->seconds < last + kBetween)
    return;
  last = progress->seconds;
  const double rate = static_cast<double>(progress->rows - rows) / (last - from + 1e-9);
  line.Show(ProgressText(*progress, rate, ChangingLine::Width()));
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

bool ChangingLine::IsPossible() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

std::size_t ChangingLine::Width() { return TerminalWidth() - kRoom; }

void ChangingLine::Show(std::string_view text) {
  std::cerr << "\r\033[K" << CutToWidth(text, Width()) << std::flush;
  visible_ = true;
}

void ChangingLine::Erase() {
  if (std::exchange(visible_, false)) std::cerr << "\r\033[K" << std::flush;
}

std::function<void(const Progress*)> ProgressLine() {
  if (!ChangingLine::IsPossible()) return nullptr;
  return [shown = ShownProgress()](const Progress* progress) mutable { shown.Tell(progress); };
}

}  // namespace rpl
