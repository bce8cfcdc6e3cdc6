// SPDX-License-Identifier: Apache-2.0
//
// The report of a command that was to print data and refused its input: one object on standard
// output, in place of the one that it would have printed (docs/schemas/refused.json). What people
// read stays on standard error.
#ifndef RPL_SHELL_TERMINAL_REFUSAL_H_
#define RPL_SHELL_TERMINAL_REFUSAL_H_

#include <ostream>
#include <string>

#include "formats/diagnostic.h"

namespace rpl {

/// A finding as Render formats it, in as many lines as the stream wants, which may be a terminal.
std::string ShownFinding(const Diagnostic& d, const Sources& sources, const std::ostream& stream,
                         bool colours);
/// Prints it. On standard error, it is noted for the report as well.
void PrintFinding(const Diagnostic& d, const Sources& sources, std::ostream& err);

/// A command line from its start to its end. Notes what the command prints on standard error, if
/// a format of data is among the arguments (DataFormatOf).
class RefusalReport {
 public:
  RefusalReport(int argc, char** argv);
  ~RefusalReport();
  RefusalReport(const RefusalReport&) = delete;

  /// Prints the report if the command ended with this exit code, not 0, and printed nothing on
  /// standard output.
  void End(int exit_code);

  class Watched;
  struct State;

 private:
  State* state_ = nullptr;
};

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_REFUSAL_H_
