// SPDX-License-Identifier: Apache-2.0
#include "shell/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/journal.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

std::string_view KindName(Request::Kind kind) {
  switch (kind) {
    case Request::Kind::kAsk: return "ask";
    case Request::Kind::kChoose: return "choose";
    case Request::Kind::kTool: return "tool";
  }
  return "";
}

// A JSON text of the engine as a value; a number too large for us stays a string.
ordered_json Parsed(const std::string& text) {
  ordered_json value = ordered_json::parse(text, nullptr, false);
  return value.is_discarded() ? ordered_json(text) : value;
}

void PrintPending(const Outcome& outcome, const Pool& pool, std::ostream& err) {
  err << fmt::format("waiting for {}:\n", outcome.pending.size() == 1
                                              ? std::string("an answer")
                                              : fmt::format("{} answers", outcome.pending.size()));
  for (const Request& request : outcome.pending) {
    err << "  " << Printable(request.id) << (request.prompt.empty() ? "" : ": ")
        << Printable(request.prompt) << '\n';
    for (Value option : request.options) {
      err << "    - " << Printable(PlainText(pool, option)) << '\n';
    }
  }
  if (!outcome.pending.empty()) {
    err << fmt::format("help: give an answer with `--answer '{}=VALUE'`\n",
                       outcome.pending.front().name);
  }
}

}  // namespace

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
  }
  return kExitBug;
}

void PrintDiagnostics(const std::vector<Diagnostic>& diagnostics, const Sources& sources,
                      std::ostream& err) {
  for (const Diagnostic& d : diagnostics) err << Render(d, sources);
}

bool HasErrors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

void PrintEnd(const Outcome& outcome, const Pool& pool, std::ostream& err) {
  switch (outcome.status) {
    case Status::kNothing: err << "nothing to do: there is no goal\n"; break;
    case Status::kSatisfied: err << "satisfied: " << outcome.goal << '\n'; break;
    case Status::kUnsatisfied:
    case Status::kToolFailed: err << "unsatisfied: " << outcome.reason << '\n'; break;
    case Status::kWaiting: PrintPending(outcome, pool, err); break;
    case Status::kFailed:
    case Status::kLimit: err << outcome.reason << '\n'; break;
    case Status::kRejected: err << "rejected: nothing ran\n"; break;
    case Status::kInterrupted: err << "interrupted\n"; break;
  }
}

std::string TraceLine(const TraceEntry& entry) {
  return fmt::format("{}.{} {:<10} {}", entry.timestep, entry.phase, EntryName(entry.kind),
                     Printable(entry.text));
}

ordered_json RequestJson(const Request& request, const Pool& pool) {
  ordered_json options = ordered_json::array();
  for (Value option : request.options) {
    options.push_back(Parsed(Json(pool, option).value_or(Text(pool, option))));
  }
  return {{"id", request.id},         {"kind", KindName(request.kind)}, {"key", request.name},
          {"prompt", request.prompt}, {"options", std::move(options)},  {"place", request.place}};
}

ordered_json OutcomeJson(std::string_view schema, const Outcome& outcome, const Pool& pool) {
  ordered_json answers = ordered_json::array();
  for (const std::string& answer : outcome.json_answers) answers.push_back(Parsed(answer));
  ordered_json pending = ordered_json::array();
  for (const Request& request : outcome.pending) pending.push_back(RequestJson(request, pool));
  return {{"schema", schema},         {"status", StatusName(outcome.status)},
          {"goal", outcome.goal},     {"answers", std::move(answers)},
          {"reason", outcome.reason}, {"pending", std::move(pending)}};
}

ordered_json DiagnosticJson(const Diagnostic& d, const Sources& sources) {
  const Sources::Place place = sources.PlaceOf(d.span.file, d.span.begin);
  return {{"code", CodeText(d.code)},
          {"severity", SeverityName(d.severity)},
          {"file", sources.at(d.span.file).name},
          {"line", place.line},
          {"column", place.column},
          {"begin", d.span.begin},
          {"end", d.span.end},
          {"message", d.message},
          {"hint", d.hint}};
}

std::string Printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // U+0080 to U+009F
      shown += fmt::format("\\x{:02x}", next);
      ++i;
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += text[i];
    }
  }
  return shown;
}

std::string Dump(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace rpl
