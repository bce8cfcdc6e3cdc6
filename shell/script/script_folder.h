// SPDX-License-Identifier: Apache-2.0
//
// The temporary folder of a test script, with the commands of rpl that run in it and the
// expectations about them.
//
// A command runs in a process of its own, with the folder as its working and home folder. It sees
// the files written before it and those that earlier commands left. The folder is removed with its
// ScriptFolder.
#ifndef RPL_SHELL_SCRIPT_SCRIPT_FOLDER_H_
#define RPL_SHELL_SCRIPT_SCRIPT_FOLDER_H_

#include <optional>
#include <string>
#include <vector>

#include "shell/script/test_script.h"

namespace rpl {

/// A function that runs a command line of rpl and returns its exit code.
using CommandLine = int (*)(int argc, char** argv);

/// The words of a command line in shell syntax: separated by blanks, '…' literal, "…" with \" and
/// \\, \x outside quotes for x itself. nullopt if a quote is not closed.
std::optional<std::vector<std::string>> CommandWords(std::string_view line);

/// True if a script may name this file: relative, and inside the folder.
bool IsInnerPath(const std::string& path);

/// The folder, and the result of its last command.
class ScriptFolder {
 public:
  /// Creates the folder. Throws std::runtime_error if that fails, as Write and Run do.
  explicit ScriptFolder(CommandLine run);
  ScriptFolder(const ScriptFolder&) = delete;
  ScriptFolder& operator=(const ScriptFolder&) = delete;
  ~ScriptFolder();

  /// Writes a file and creates the folders of its path. REQUIRES: IsInnerPath(name).
  void Write(const std::string& name, const std::string& text);

  /// Runs `rpl WORDS…` with `input` as its standard input; after `seconds` it is killed.
  void Run(const std::vector<std::string>& words, const std::string& input, int seconds);

  /// Compares the last command, or files, with an expectation: nullopt if it holds, else a
  /// description of the difference.
  std::optional<std::string> Check(const ScriptStep& step) const;

  /// What the step would have to expect, as the lines of its body; nullopt for what has no body or
  /// cannot be read.
  std::optional<std::vector<std::string>> Actual(const ScriptStep& step) const;

 private:
  std::optional<std::string> CheckExit(const ScriptStep& step) const;
  std::optional<std::string> CheckParts(const ScriptStep& step, const std::string& text) const;
  std::optional<std::string> CheckNoParts(const ScriptStep& step, const std::string& text) const;
  std::optional<std::string> CheckNames(const ScriptStep& step) const;
  std::optional<std::vector<std::string>> NamesIn(const std::string& folder) const;
  std::string Inner(const std::string& name) const { return folder_ + "/" + name; }

  CommandLine run_;
  std::string folder_;
  std::string ended_;  // "0", "2", or "by Alarm clock"; "" before the first command
  std::string out_;
  std::string err_;
};

/// Lines as a failure shows them, each after a bar.
std::string Listing(const std::vector<std::string>& lines);
/// The description of a difference between two lists of lines.
std::string Mismatch(std::string_view expected, const std::vector<std::string>& wanted,
                     const std::vector<std::string>& got);
/// The lines of a text, without their ends.
std::vector<std::string> LinesOf(const std::string& text);
/// All lines, each with a line end.
std::string Joined(const std::vector<std::string>& lines);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_SCRIPT_FOLDER_H_
