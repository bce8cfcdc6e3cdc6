// SPDX-License-Identifier: Apache-2.0
//
// The commands of `rpl`, each a function from its options to an exit code (shell/report.h).
//
// Standard output carries results only: chat lines as they come, answers, reports that
// were asked for. Everything else, questions included, goes to standard error.
#ifndef RPL_SHELL_COMMANDS_H_
#define RPL_SHELL_COMMANDS_H_

#include <string>
#include <vector>

namespace rpl {

/// What `rpl run` and `rpl reply` share.
struct EngineOptions {
  std::string answers_file;          // --answers FILE
  std::vector<std::string> answers;  // --answer KEY=VALUE
  std::string now;                   // --now T
  bool log_phases = false;           // --log phases
  bool json = false;                 // --format json
};

/// rpl run FILE…: the files are one program, which runs until its goal is decided.
struct RunOptions {
  std::vector<std::string> files;
  EngineOptions engine;
};
int CommandRun(const RunOptions& options);

/// rpl reply [FILE]: one user message, answered by §15.9.
struct ReplyOptions {
  std::string file;  // empty: standard input
  EngineOptions engine;
};
int CommandReply(const ReplyOptions& options);

/// rpl test PATH…: the scripts of Markdown files (docs/testing.md).
struct TestOptions {
  std::vector<std::string> paths;  // files, and folders with all their *.md files
  std::string filter;              // only cases with this text in their name
  bool json = false;
};
int CommandTest(const TestOptions& options);

/// rpl parse FILE: what the parser understood.
struct ParseOptions {
  std::string file;
  bool json = false;
};
int CommandParse(const ParseOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_H_
