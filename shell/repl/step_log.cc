// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/step_log.h"

#include <fmt/format.h>

#include <iostream>

#include "formats/character.h"
#include "formats/terminal_text.h"
#include "shell/terminal/report.h"

namespace rpl {

// While stepping, a phase is a paragraph, and a person says when the next one may begin.
void StepLog::Print(const LogLine& line, LineReader& reader) {
  if (stepping_ == Stepping::kNo) {
    std::cerr << PrintableLine(LogText(line)) << '\n';
    return;
  }
  const std::pair phase(line.timestep, line.phase);
  if (phase == phase_) {
    std::cout << "    " << PrintableLine(SaidText(line)) << '\n';
    return;
  }
  if (phase_ && stepping_ == Stepping::kPauses && console_.interactive()) {
    const LineReader::Line answer = reader.Answer(
        fmt::format("-- Enter for {}.{}, g for the rest: ", line.timestep, line.phase));
    if (answer.end != LineReader::End::kText || Trimmed(answer.text) == "g")
      stepping_ = Stepping::kRunsThrough;
  }
  phase_ = phase;
  std::cout << (console_.colours().out ? "\033[1m" : "") << PrintableLine(LogText(line))
            << (console_.colours().out ? "\033[0m" : "") << std::endl;
}

}  // namespace rpl
