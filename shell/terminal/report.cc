// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "runtime/postgres/database_url.h"
#include "runtime/record/journal.h"
#include "runtime/run/session.h"
#include "runtime/wire/outcome_json.h"
#include "shell/terminal/colours.h"
#include "shell/terminal/prompt_text.h"
#include "shell/terminal/refusal.h"

namespace rpl {

using nlohmann::ordered_json;

ExitCode ExitCodeOf(Status status) {
  switch (status) {
    case Status::kNothing:
    case Status::kSatisfied: return kExitOk;
    case Status::kUnsatisfied:
    case Status::kFailed: return kExitNo;
    case Status::kWaiting: return kExitWaiting;
    case Status::kToolFailed: return kExitTool;
    case Status::kLimit: return kExitLimit;
    case Status::kRejected: return kExitInvalid;
    case Status::kInterrupted: return kExitInterrupted;
    case Status::kReview: return kExitWaiting;
  }
  return kExitBug;
}

ExitCode ExitCodeOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAccepted: return kExitOk;
    case Verdict::kRejected: return kExitNo;
    case Verdict::kInvalid: return kExitInvalid;
    case Verdict::kReview: return kExitWaiting;
  }
  return kExitBug;
}

void PrintDiagnostics(const std::vector<Diagnostic>& diagnostics, const Sources& sources,
                      std::ostream& err) {
  for (const Diagnostic& d : diagnostics) PrintFinding(d, sources, err);
}

void PrintLines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) std::cout << Printable(line) << '\n';
}

void PrintDocument(std::string_view text) {
  if (isatty(STDOUT_FILENO) == 1) std::cout << Printable(text);
  else std::cout << text;
}

void PrintChat(const std::string& line) { std::cout << Printable(line) << std::endl; }

void PrintLog(const std::string& of, const std::string& line) {
  std::cerr << "[" << PrintableLine(of) << "] " << Printable(line) << '\n';
}

void Complain(std::string_view where, std::string_view message, std::string_view hint) {
  constexpr std::size_t kMostWhere = 1000;  // bytes; a path may be named on the command line
  const std::string place = Shortened(WithoutPassword(std::string(where)), kMostWhere);
  std::cerr << Fitted(fmt::format("rpl: {}: {}\n", PrintableLine(place), Printable(message)),
                      std::cerr);
  if (!hint.empty()) std::cerr << Fitted(fmt::format("help: {}\n", Printable(hint)), std::cerr);
}

void PrintRequests(const std::vector<OpenRequest>& requests, const Pool& pool, std::ostream& err) {
  for (const OpenRequest& open : requests) {
    const Request& request = *open;
    std::string line = "  " + Printable(request.id);
    if (request.doubtful()) line += ": it was started before, and what became of it is unknown";
    else if (!request.prompt.empty() && request.call() == nullptr)
      line += ": " + PromptFor(request);
    err << Fitted(line, err) << '\n';
    for (const Value option : request.choices())
      err << Fitted("    - " + Printable(PlainText(pool, option)), err) << '\n';
  }
  if (requests.empty()) return;
  err << Fitted(fmt::format("help: give an answer with `--answer '{}=VALUE'`\n",
                            PrintableLine(requests.front()->name)),
                err);
  const auto tool = std::find_if(requests.begin(), requests.end(), [](const OpenRequest& request) {
    return request->call() != nullptr && !request->doubtful();
  });
  if (tool != requests.end())
    err << fmt::format(
        "help: a command for the tool `${}` is named in `rpl.yaml`, see docs/tools.md\n",
        PrintableLine((*tool)->tool));
}

void PrintReply(const Outcome& outcome, const Pool& pool, const OutputFormat& format) {
  if (format.IsText()) PrintLines(Session::Reply(outcome));
  else format.write(std::cout, OutcomeJson("rpl.reply/1", outcome, pool));
  std::cout << std::flush;
  PrintCutOff(outcome, std::cerr);
  PrintOverridden(outcome, std::cerr);
}

void PrintCutOff(const Outcome& outcome, std::ostream& err) {
  if (!outcome.cut_off.empty())
    err << "note: there may be more answers: " << PrintableLine(outcome.cut_off) << '\n';
}

// Violations that somebody accepted stay visible (decision 95).
void PrintOverridden(const Outcome& outcome, std::ostream& err) {
  for (const Overridden& each : outcome.overridden) {
    err << "overridden: "
        << (each.words ? Printable(each.words->heading) + ": " + Printable(each.words->text)
                       : PrintableLine(each.constraint));
    for (std::size_t i = 0; i < each.with.size(); ++i)
      err << (i == 0 ? ", with " : ", ") << PrintableLine(each.with[i]);
    err << fmt::format("; accepted by {} in timestep {}\n",
                       each.by == By::kHost ? "an option" : "a person", each.timestep);
  }
}

void PrintEnd(const Outcome& outcome, const Pool& pool, std::ostream& err,
              std::string_view store_option) {
  // The word that says how it ended. A refusal may become a text of JSON
  // (shell/terminal/refusal.h).
  const auto word = [on = &err == &std::cerr && ColoursFor("auto").err](std::string_view text,
                                                                        std::string_view mark) {
    return Marked(text, mark, on);
  };
  // Its first words so marked, the whole as the stream shows it.
  const auto shaped = [&](const std::string& first, std::string_view mark,
                          const std::string& rest) {
    const std::string text = Fitted(first + rest, err);
    const std::size_t end = std::min(first.size(), text.size());
    return (end == 0 ? "" : word(text.substr(0, end), mark)) + text.substr(end);
  };
  switch (outcome.status) {
    case Status::kNothing: err << "nothing to do: there is no goal\n"; break;
    case Status::kSatisfied:
      err << word("satisfied:", kGreen) << ' ' << Printable(outcome.goal);
      if (!outcome.rule.empty()) err << " (" << PrintableLine(outcome.rule) << ")";
      for (std::size_t i = 0; i < outcome.with.size(); ++i)
        err << (i == 0 ? ", with " : ", ") << PrintableLine(outcome.with[i]);
      err << '\n';
      PrintCutOff(outcome, err);
      PrintOverridden(outcome, err);
      break;
    case Status::kUnsatisfied:
    case Status::kToolFailed:
      err << shaped("unsatisfied:", kRed, ' ' + Printable(outcome.reason)) << '\n';
      break;
    case Status::kWaiting:
      err << word(outcome.pending.size() == 1
                      ? "waiting for an answer:"
                      : fmt::format("waiting for {} answers:", outcome.pending.size()),
                  kBold)
          << '\n';
      PrintRequests(outcome.pending, pool, err);
      break;
    case Status::kReview:
      err << Printable(outcome.reason)
          << fmt::format(
                 "\nhelp: `rpl guard pending{0}` lists what is held, `rpl guard approve ID{0}` "
                 "lets it "
                 "pass\n",
                 store_option);
      break;
    case Status::kFailed:
      if (outcome.violated) {
        err << shaped(Printable(outcome.violated->heading) + ":", kRed,
                      ' ' + Printable(outcome.violated->text))
            << '\n';
        for (const std::string& value : outcome.violated_with)
          err << "  " << PrintableLine(value) << '\n';
      }
      err << (outcome.violated ? shaped("", "", Printable(outcome.reason))
                               : shaped(Printable(outcome.reason), kRed, ""))
          << '\n';
      break;
    case Status::kLimit: err << word(Printable(outcome.reason), kRed) << '\n'; break;
    case Status::kRejected:
      err << "rejected: " << (outcome.reason.empty() ? "nothing ran" : Printable(outcome.reason))
          << '\n';
      break;
    case Status::kInterrupted: err << "interrupted\n"; break;
  }
}

void PrintNow(const Outcome& outcome) {
  for (const ToDo& to_do : outcome.now)
    std::cout << '\n'
              << Fitted(Printable(to_do.heading), std::cout) << '\n'
              << Fitted(Printable(to_do.text), std::cout) << '\n';
}

std::string TraceLine(const TraceEntry& entry) {
  return fmt::format("{}.{} {:<10} {}", entry.timestep, entry.phase, EntryName(entry.kind),
                     Printable(entry.text));
}

std::string Counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::ostream& Nowhere() {
  static std::ostream nowhere(nullptr);
  return nowhere;
}

std::string Dump(const ordered_json& object) { return PrintableLine(DumpJson(object)); }

}  // namespace rpl
