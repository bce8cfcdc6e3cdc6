// SPDX-License-Identifier: Apache-2.0
//
// The results of commands: exit codes, and outcomes and findings as text or JSON.
//
// Text from a program, a tool, a file, a user or a path is untrusted and is printed with the
// escapes of formats/terminal_text.h, JSON included: they are the escapes of its strings, so its
// meaning is unchanged. Output is the same for a terminal and for another program, except for whole
// documents (PrintDocument) and colour (shell/terminal/colours.h).
#ifndef RPL_SHELL_TERMINAL_REPORT_H_
#define RPL_SHELL_TERMINAL_REPORT_H_

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "checks/verify/result.h"
#include "formats/diagnostic.h"
#include "formats/terminal_text.h"
#include "runtime/outcome.h"
#include "runtime/trace.h"
#include "shell/terminal/exit_code.h"
#include "shell/terminal/output_format.h"

namespace rpl {

/// The exit code of a run, and of a run of checks.
ExitCode ExitCodeOf(Status status);
ExitCode ExitCodeOf(Verdict verdict);

/// Prints all findings as Render formats them.
void PrintDiagnostics(const std::vector<Diagnostic>& diagnostics, const Sources& sources,
                      std::ostream& err);
/// Prints answers or replies on standard output, one per line.
void PrintLines(const std::vector<std::string>& lines);

/// Prints a document on standard output: the bytes themselves for a file or another program, the
/// Printable form for a terminal, where text outside strings needs no faithful escapes.
void PrintDocument(std::string_view text);

/// Prints a line of chat on standard output, at once.
void PrintChat(const std::string& line);

/// Prints a line of the log of a command on standard error.
void PrintLog(const std::string& of, const std::string& line);

/// Prints `rpl: WHERE: MESSAGE` on standard error, and `help: HINT` below it. The URL of a database
/// is printed without its password.
void Complain(std::string_view where, std::string_view message, std::string_view hint = "");

/// Prints the reply to a message (§15.9) on standard output, and whether it was cut off on standard
/// error.
void PrintReply(const Outcome& outcome, const Pool& pool, const OutputFormat& format);

/// If a limit cut off the answers, prints a note with the limit.
void PrintCutOff(const Outcome& outcome, std::ostream& err);

/// Prints the violations that somebody accepted, a line for each.
void PrintOverridden(const Outcome& outcome, std::ostream& err);

/// Prints what to do now, a paragraph for each heading, on standard output.
void PrintNow(const Outcome& outcome);

/// Prints the end of a run for people: `satisfied: %`, the reason, or the open calls.
/// `store_option`: what the commands for reviews need (StoreOption).
void PrintEnd(const Outcome& outcome, const Pool& pool, std::ostream& err,
              std::string_view store_option = "");

/// Prints open calls with their options, and how to answer the first one.
void PrintRequests(const std::vector<OpenRequest>& requests, const Pool& pool, std::ostream& err);

/// An entry of the trace on one line: "3.1 reply      place(?where) …".
std::string TraceLine(const TraceEntry& entry);

/// A number with its noun: "1 file", "3 files".
std::string Counted(std::size_t number, std::string_view noun);

/// A stream that discards its output.
std::ostream& Nowhere();

/// One line of JSON that is safe for terminals. Bytes that are not UTF-8 become U+FFFD.
std::string Dump(const nlohmann::ordered_json& object);

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_REPORT_H_
