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
#include "shell/commands/command_options.h"

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
Command DescribeNew(CommandOptions command, const Wanted& wanted);
Command DescribeRun(CommandOptions command, const Wanted& wanted);
Command DescribeProfile(CommandOptions command, const Wanted& wanted);
Command DescribeResume(CommandOptions command, const Wanted& wanted);
Command DescribeTrace(CommandOptions command, const Wanted& wanted);
Command DescribeSession(CommandOptions command, const Wanted& wanted);
Command DescribeReply(CommandOptions command, const Wanted& wanted);
Command DescribeQuery(CommandOptions command, const Wanted& wanted);
Command DescribeSql(CommandOptions command, const Wanted& wanted);
Command DescribeRepl(CommandOptions command, const Wanted& wanted);
Command DescribeTest(CommandOptions command, const Wanted& wanted);
Command DescribeEval(CommandOptions command, const Wanted& wanted);
Command DescribeCheck(CommandOptions command, const Wanted& wanted);
Command DescribeVerify(CommandOptions command, const Wanted& wanted);
Command DescribeExplain(CommandOptions command, const Wanted& wanted);
Command DescribeGuard(CommandOptions command, const Wanted& wanted);
Command DescribeMcp(CommandOptions command, const Wanted& wanted);
Command DescribeDrive(CommandOptions command, const Wanted& wanted);
Command DescribeServe(CommandOptions command, const Wanted& wanted);
Command DescribeLsp(CommandOptions command, const Wanted& wanted);
Command DescribeDoc(CommandOptions command, const Wanted& wanted);
Command DescribeParse(CommandOptions command, const Wanted& wanted);
Command DescribeFmt(CommandOptions command, const Wanted& wanted);
Command DescribeCompletion(CommandOptions command, const Wanted& wanted);
Command DescribeReference(CommandOptions command, const Wanted& wanted);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMANDS_H_
