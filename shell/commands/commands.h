// SPDX-License-Identifier: Apache-2.0
//
// The commands of `rpl`. A command's file has its options, its help and what it does; the table of
// them is in command_table.cc.
//
// Standard output carries results only: chat lines as they come, answers, requested reports. All
// other output, questions included, goes to standard error.
#ifndef RPL_SHELL_COMMANDS_COMMANDS_H_
#define RPL_SHELL_COMMANDS_COMMANDS_H_

#include <cstddef>
#include <functional>
#include <string_view>

#include "runtime/session_options.h"

namespace CLI {
class App;
}

namespace rpl {

/// A command whose options are described. What points here is part of its options, which `run` owns
/// and parsing sets.
struct Command {
  std::function<int()> run;               // returns the exit code (shell/terminal/report.h)
  const SessionLimits* limits = nullptr;  // that end the process where nothing polls; null: none
  const std::size_t* threads = nullptr;   // of its evaluation; null: one
  const bool* watch = nullptr;            // --watch: to be run again whenever its files change
};

/// Which commands and subcommands are described; the others are left out, because options take long
/// to construct.
using Wanted = std::function<bool(std::string_view)>;

/// Each adds the options and the help of a command to the parser, which refuses invalid values: a
/// command can rely on its options.
Command DescribeNew(CLI::App& command, const Wanted& wanted);
Command DescribeRun(CLI::App& command, const Wanted& wanted);
Command DescribeProfile(CLI::App& command, const Wanted& wanted);
Command DescribeResume(CLI::App& command, const Wanted& wanted);
Command DescribeTrace(CLI::App& command, const Wanted& wanted);
Command DescribeSession(CLI::App& command, const Wanted& wanted);
Command DescribeReply(CLI::App& command, const Wanted& wanted);
Command DescribeQuery(CLI::App& command, const Wanted& wanted);
Command DescribeSql(CLI::App& command, const Wanted& wanted);
Command DescribeRepl(CLI::App& command, const Wanted& wanted);
Command DescribeTest(CLI::App& command, const Wanted& wanted);
Command DescribeEval(CLI::App& command, const Wanted& wanted);
Command DescribeCheck(CLI::App& command, const Wanted& wanted);
Command DescribeVerify(CLI::App& command, const Wanted& wanted);
Command DescribeExplain(CLI::App& command, const Wanted& wanted);
Command DescribeGuard(CLI::App& command, const Wanted& wanted);
Command DescribeMcp(CLI::App& command, const Wanted& wanted);
Command DescribeDrive(CLI::App& command, const Wanted& wanted);
Command DescribeServe(CLI::App& command, const Wanted& wanted);
Command DescribeLsp(CLI::App& command, const Wanted& wanted);
Command DescribeDoc(CLI::App& command, const Wanted& wanted);
Command DescribeParse(CLI::App& command, const Wanted& wanted);
Command DescribeFmt(CLI::App& command, const Wanted& wanted);
Command DescribeCompletion(CLI::App& command, const Wanted& wanted);
Command DescribeReference(CLI::App& command, const Wanted& wanted);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMANDS_H_
