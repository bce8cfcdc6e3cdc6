// SPDX-License-Identifier: Apache-2.0
//
// The outputs of the shell: results on standard output, or in the file of `.output`; notes, errors
// and findings on standard error, in colour if that is a terminal.
//
// While a file is open, it is the buffer of std::cout, so whoever prints results needs no console.
// Errors are counted: without a person, one of them is the exit code of the shell.
#ifndef RPL_SHELL_REPL_CONSOLE_H_
#define RPL_SHELL_REPL_CONSOLE_H_

#include <cstddef>
#include <fstream>
#include <streambuf>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "shell/terminal/colours.h"

namespace rpl {

class ReplConsole {
 public:
  /// `interactive`: a person is present. REQUIRES: one at a time in a process.
  ReplConsole(const Colours& colours, bool interactive)
      : colours_(colours), interactive_(interactive) {}
  ReplConsole(const ReplConsole&) = delete;
  ~ReplConsole() { CloseOutput(); }

  const Colours& colours() const { return colours_; }
  bool interactive() const { return interactive_; }

  /// An error in what was entered.
  void Error(const std::string& text);
  /// The same as a message alone.
  void Alarm(const std::string& text) const;
  void Note(const std::string& text) const;
  void Findings(const std::vector<Diagnostic>& findings, const Sources& sources) const;
  /// Findings as Render formats them, with their severity in colour.
  void Coloured(const std::string& findings) const;
  /// Says on standard output how many lines were not shown, if any.
  void PrintRest(std::size_t left, const char* what) const;

  /// What was entered has an error, which has been said.
  void Fail() { failed_ = true; }
  bool failed() const { return failed_; }

  /// Results go to this file from now on. Errors are said.
  void OpenOutput(const std::string& name);
  /// Standard output is the terminal again, if it was not.
  void CloseOutput();
  bool writes_file() const { return output_.is_open(); }

 private:
  Colours colours_;
  bool interactive_;
  bool failed_ = false;   // an entry was invalid
  std::ofstream output_;  // of `.output`
  std::string output_name_;
  std::streambuf* terminal_ = nullptr;  // the buffer of std::cout before `.output`
};

}  // namespace rpl

#endif  // RPL_SHELL_REPL_CONSOLE_H_
