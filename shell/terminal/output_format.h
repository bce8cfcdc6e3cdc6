// SPDX-License-Identifier: Apache-2.0
//
// The formats that `--format` names for commands that report outcomes: text for people, which each
// command words itself, and formats of data, in which an outcome, a refusal and whatever else a
// command reports is an object of docs/schemas.
//
// A format is a row of kOutputFormats. Options, help, completion, `.mode` of the shell and the
// reports of refusals are read off the table; a command asks the row whether and how it writes
// data.
#ifndef RPL_SHELL_TERMINAL_OUTPUT_FORMAT_H_
#define RPL_SHELL_TERMINAL_OUTPUT_FORMAT_H_

#include <nlohmann/json_fwd.hpp>
#include <ostream>

#include "runtime/session_options.h"

namespace rpl {

struct OutputFormat {
  const char* name;  // as of --format
  /// Writes an object as one text, with its line end, that is safe for terminals; null for text.
  void (*write)(std::ostream& out, const nlohmann::ordered_json& object);

  bool IsText() const { return write == nullptr; }
  /// The texts of answers that a session makes for it: as data, the JSON of which objects are made.
  AnswerForms answers() const { return {IsText(), !IsText()}; }
};

/// One line.
void WriteJson(std::ostream& out, const nlohmann::ordered_json& object);

/// The first is the default.
inline constexpr OutputFormat kOutputFormats[] = {{"text", nullptr}, {"json", WriteJson}};

/// The format of data that `--format` on a command line names, whether or not the command has it:
/// a refusal is then data as well. Null if there is none.
const OutputFormat* DataFormatOf(int argc, const char* const* argv);

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_OUTPUT_FORMAT_H_
