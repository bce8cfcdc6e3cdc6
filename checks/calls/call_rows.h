// SPDX-License-Identifier: Apache-2.0
//
// The rows that describe a host's tool call: the programs it runs, the files and addresses it
// reaches.
//
// Each kind of row has two lists. A closed row is known as a whole. An open row stands for any
// number of unknown rows that agree with the part of it that is known: a pattern that contradicts
// that part matches none of them, about any other nothing can be said. Rows describe what a call
// may do, so a closed row does not say that its command is reached.
//
// Paths are relative to the project, with links and `..` resolved; outside of the project they are
// absolute. The project folder itself is ".".
#ifndef RPL_CHECKS_CALLS_CALL_ROWS_H_
#define RPL_CHECKS_CALLS_CALL_ROWS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rpl {

/// A program by its name without folders, and all of its arguments.
struct ProgramCall {
  std::string program;
  std::vector<std::string> arguments;
  auto operator<=>(const ProgramCall&) const = default;
};

/// A program that is only known in part.
struct OpenRun {
  std::optional<std::string> program;  // none if any program may run
  std::vector<std::string> words;      // the arguments before the first unknown one
  auto operator<=>(const OpenRun&) const = default;
};

/// An address that is fetched from or sent to.
struct AddressFetch {
  std::string host;
  std::string url;
  auto operator<=>(const AddressFetch&) const = default;
};

/// A tool of an MCP server.
struct ServedTool {
  std::string server;
  std::string tool;
  auto operator<=>(const ServedTool&) const = default;
};

/// A tool of an MCP server that is only known in part.
struct OpenServe {
  std::optional<std::string> server;  // none if it may be any
  std::string tool;                   // the literal start of the tool's name, or all of it
  auto operator<=>(const OpenServe&) const = default;
};

/// A path that a command writes or removes, as far as it is known before variables, substitutions
/// and patterns of the command line have their values. Absolute; links are not resolved.
struct ComputedEdit {
  std::string start;      // the whole path, or its literal start; "" if nothing is known
  bool whole = false;     // `start` is all of it
  std::string end;        // the literal end, where nothing else is known
  std::string name = {};  // below `start`: a pattern that a name on the way to it matches
  auto operator<=>(const ComputedEdit&) const = default;
};

/// What a call does. Lists are in the order of the call's text, each row once.
struct CallViews {
  std::vector<ProgramCall> runs;
  std::vector<OpenRun> open_runs;
  /// Of programs with subcommands: the options before the subcommand, which `runs` leaves out.
  std::vector<ProgramCall> options;
  std::vector<OpenRun> open_options;
  std::vector<std::string> edits;
  std::vector<std::string> open_edits;  // literal starts of paths
  /// Of such open edits: what the text says of them. No rows: a variable may have another value.
  std::vector<ComputedEdit> computed_edits;
  std::vector<std::string> reads;
  std::vector<std::string> open_reads;  // literal starts of paths
  std::vector<AddressFetch> fetches;
  std::vector<std::string> open_fetches;  // literal starts of addresses
  std::vector<ServedTool> serves;
  /// The ways to read the name of a tool that may be one of an MCP server, where the host's name
  /// for it does not tell the server from the tool.
  std::vector<OpenServe> open_serves;
  /// Files that words of the call name, other than those that are only read: of commands whose
  /// program is in no table, or does more with its words than read them, and of tools that are in
  /// no table. A word names what it resolves to from the folder of its command, if that is there or
  /// the word has a `/` or `.`; so does what stands behind `=`, `:`, `@` or `,` in it. No rows: a
  /// program may do nothing to such a file, and reach others.
  std::vector<std::string> named;
  /// The commands that ended well if the call does. The program is as it was written, with its
  /// folder if it has one, and the arguments are all of its words.
  std::vector<ProgramCall> succeeded;
  /// Of each relation with open rows: what is not known of the first one, as in "what `$x` stands
  /// for".
  std::map<std::string, std::string> unread;
  /// Why the call as a whole is undecided, for people; "" if it is not.
  std::string why;
};

/// A call of which nothing is known: one open row of each kind that has them, and the reason.
CallViews UndecidedViews(std::string why);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_CALL_ROWS_H_
