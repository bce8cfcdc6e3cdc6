// SPDX-License-Identifier: Apache-2.0
//
// The temporary folder of a test script, the commands of rpl that run in it, and what is
// expected of them.
//
// A command runs in a process of its own, with the folder as its working folder and home. It
// sees the files written before it and what earlier commands left. The folder is removed
// with its ScriptFolder.
#ifndef RPL_SHELL_SCRIPT_SCRIPT_FOLDER_H_
#define RPL_SHELL_SCRIPT_SCRIPT_FOLDER_H_

#include <optional>
#include <string>
#include <vector>

#include "shell/script/test_script.h"

namespace rpl {

/// Runs a command line of rpl: its exit code.
using CommandLine = int (*)(int argc, char** argv);

/// The words of a command line as a shell would see them: parted by blanks, '…' as it is,
/// "…" with \" and \\, \x outside for x itself. nullopt when a quote is not closed.
std::optional<std::vector<std::string>> CommandWords(std::string_view line);

/// Whether a script may name this file: relative, and inside the folder.
bool IsInnerPath(const std::string& path);

class ScriptFolder {
 public:
  /// Commands are run by `run`, in a process of their own.
  explicit ScriptFolder(CommandLine run);
  ScriptFolder(const ScriptFolder&) = delete;
  ScriptFolder& operator=(const ScriptFolder&) = delete;
  ~ScriptFolder();

  /// REQUIRES: IsInnerPath(name). Makes the folders on the way.
  void Write(const std::string& name, const std::string& text);

  /// Runs `rpl WORDS…` with `input` on its standard input, for `seconds` at most.
  void Run(const std::vector<std::string>& words, const std::string& input, int seconds);

  /// What an expectation about the last command or about files did not find; nullopt when it
  /// holds.
  std::optional<std::string> Check(const ScriptStep& step) const;

 private:
  std::optional<std::string> CheckExit(const ScriptStep& step) const;
  std::optional<std::string> CheckParts(const ScriptStep& step, const std::string& text) const;
  std::optional<std::string> CheckNoParts(const ScriptStep& step, const std::string& text) const;
  std::optional<std::string> CheckNames(const ScriptStep& step) const;
  std::string Inner(const std::string& name) const { return folder_ + "/" + name; }

  CommandLine run_;
  std::string folder_;
  std::string ended_;  // "0", "2", or "by Alarm clock"; "" before any command
  std::string out_;
  std::string err_;
};

/// Lines as they stand in a failure, each behind a bar.
std::string Listing(const std::vector<std::string>& lines);
std::string Mismatch(std::string_view expected, const std::vector<std::string>& wanted,
                     const std::vector<std::string>& got);
/// Each line with its end.
std::string Joined(const std::vector<std::string>& lines);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_SCRIPT_FOLDER_H_
