// SPDX-License-Identifier: Apache-2.0
//
// How a command ends: exit codes, and outcomes and findings as text or JSON.
//
// Text that comes from a program, a tool, a file, a user or a path is printed as
// formats/terminal_text.h shows it, JSON too: the escapes are those of its strings, so it means
// what it meant. Whether a terminal or another program reads it makes no difference, except
// for whole documents (PrintDocument).
#ifndef RPL_SHELL_HOST_REPORT_H_
#define RPL_SHELL_HOST_REPORT_H_

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "checks/verify/result.h"
#include "formats/diagnostic.h"
#include "formats/terminal_text.h"
#include "runtime/session.h"

namespace rpl {

/// The exit codes of every command (printed by `rpl help`).
enum ExitCode : int {
  kExitOk = 0,             // satisfied, passed, clean
  kExitNo = 1,             // a valid no: unsatisfied, %fail, failed tests
  kExitInvalid = 2,        // the command line or a program was rejected; nothing ran
  kExitWaiting = 3,        // input is needed
  kExitTool = 4,           // a tool failed, and that decided the goal
  kExitLimit = 5,          // a limit was reached
  kExitFile = 6,           // a file cannot be read or written
  kExitBug = 70,           // our own mistake
  kExitInterrupted = 130,  // Ctrl-C
};

ExitCode ExitCodeOf(Status status);
ExitCode ExitCodeOf(Verdict verdict);

/// All findings, each as Render gives it.
void PrintDiagnostics(const std::vector<Diagnostic>& diagnostics, const Sources& sources,
                      std::ostream& err);
bool HasErrors(const std::vector<Diagnostic>& diagnostics);

/// Answers and replies, each a line on standard output.
void PrintLines(const std::vector<std::string>& lines);

/// A document on standard output. A file or another program gets its bytes; a terminal shows
/// it as Printable does, because what stands outside strings has no escapes to be read back.
void PrintDocument(std::string_view text);

/// `rpl: WHERE: MESSAGE` on standard error, and `help: HINT` below it.
void Complain(std::string_view where, std::string_view message, std::string_view hint = "");

/// When a limit cut off the answers, that there may be more, and why; else nothing.
void PrintCutOff(const Outcome& outcome, std::ostream& err);

/// How a run ended, for people: `satisfied: %`, the reason, or what it waits for.
void PrintEnd(const Outcome& outcome, const Pool& pool, std::ostream& err);

/// Calls that wait for an answer, with the choices of each, and how to give the first one.
void PrintRequests(const std::vector<Request>& requests, const Pool& pool, std::ostream& err);

/// {"schema", "status", "goal", "answers", "reason", "pending"}: `answers` are binding maps; and
/// "cutOff", where there is something to say.
nlohmann::ordered_json OutcomeJson(std::string_view schema, const Outcome& outcome,
                                   const Pool& pool);

/// "3.1 reply      place(?where) …"
std::string TraceLine(const TraceEntry& entry);

/// {"id", "kind", "key", "prompt", "options", "place"}
nlohmann::ordered_json RequestJson(const Request& request, const Pool& pool);

/// "1 file", "3 files".
std::string Counted(std::size_t number, std::string_view noun);

/// A stream that nobody reads.
std::ostream& Nowhere();

/// {"file", "line", "column"} of where it begins.
nlohmann::ordered_json PlaceJson(Span span, const Sources& sources);

/// One line of JSON, in which PrintableLine finds nothing to escape; bytes that are not UTF-8
/// become U+FFFD.
std::string Dump(const nlohmann::ordered_json& object);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_REPORT_H_
