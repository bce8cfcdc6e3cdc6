// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/answer_printer.h"

#include <fmt/format.h>

#include <cstdint>
#include <iostream>
#include <string>

#include "formats/terminal_text.h"
#include "interp/store/store.h"
#include "runtime/wire/outcome_json.h"
#include "shell/terminal/report.h"
#include "shell/terminal/text_width.h"

namespace rpl {

void AnswerPrinter::Finish(const Outcome& outcome, const Session& session) const {
  if (!mode_.format->IsText()) {
    mode_.format->write(std::cout, OutcomeJson("rpl.reply/1", outcome, session.store().pool()));
    std::cout << std::flush;
    return;
  }
  switch (outcome.status) {
    case Status::kSatisfied: PrintAnswers(outcome, session); break;
    case Status::kInterrupted: console_.Note("cancelled"); break;
    case Status::kUnsatisfied:
    case Status::kToolFailed:
      std::cout << (mode_.columns == AnswerForm::kTable ? "no: " : "") << Printable(outcome.reason)
                << std::endl;
      break;
    case Status::kWaiting:
      std::cout << Printable(outcome.reason) << std::endl;
      if (console_.interactive()) console_.Note(".answer KEY=VALUE answers it, see .pending");
      break;
    default: PrintLines(Session::Reply(outcome)); std::cout << std::flush;
  }
}

void AnswerPrinter::PrintAnswers(const Outcome& outcome, const Session& session) const {
  if (mode_.columns && !outcome.columns.empty()) PrintColumns(outcome, session);
  else PrintLines(Session::Reply(outcome));
  std::cout << std::flush;
  PrintCutOff(outcome, std::cerr);
}

void AnswerPrinter::PrintColumns(const Outcome& outcome, const Session& session) const {
  const std::size_t answers = outcome.cells.size() / outcome.columns.size();
  // A file has room for wide tables.
  const AnswerLayout layout = {most_rows_, console_.writes_file() ? SIZE_MAX / 2 : TerminalWidth(),
                               console_.colours().out && !console_.writes_file()};
  const std::string text =
      AnswersAs(*mode_.columns, session.store().pool(), outcome.columns, outcome.cells, layout);
  const bool csv = mode_.columns == AnswerForm::kCsv;
  if (!csv || console_.writes_file()) std::cout << text;
  else PrintDocument(text);
  const bool cut = !csv && most_rows_ > 0 && answers > most_rows_;
  const std::string count =
      cut ? fmt::format("{} more, {} in all", answers - most_rows_, Counted(answers, "answer"))
          : Counted(answers, "answer");
  // Below a table it is a part of it; elsewhere a program may read the output.
  if (mode_.columns == AnswerForm::kTable) std::cout << count << '\n';
  else if (cut || console_.interactive()) console_.Note(count);
  std::cout << std::flush;
  if (cut && console_.interactive()) console_.Note(".maxrows 0 shows all");
}

}  // namespace rpl
