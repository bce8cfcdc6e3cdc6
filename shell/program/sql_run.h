// SPDX-License-Identifier: Apache-2.0
//
// A query answered by a database: the script of a program (interp/sql/sql_script.h) run over a
// connection, in one transaction with a schema of its own that is dropped at its end. Nothing
// remains, also if the process or the server ends in between.
//
// A transaction that another one disturbed is run again, whole. An error of a statement names the
// rules that it evaluates.
#ifndef RPL_SHELL_PROGRAM_SQL_RUN_H_
#define RPL_SHELL_PROGRAM_SQL_RUN_H_

#include <optional>
#include <string>

#include "runtime/outcome.h"
#include "shell/program/options.h"
#include "shell/terminal/exit_code.h"

namespace rpl {

class Pool;
struct SqlScript;

/// An outcome, or the exit code after a message on standard error.
struct SqlRun {
  std::optional<Outcome> outcome;
  ExitCode code = kExitOk;
};

/// Runs the script, which has one question, at the database. The answers are those of `rpl query`,
/// in the order of their values. `max_seconds` of the options limits each statement.
SqlRun RunSql(const std::string& url, const SqlScript& script, const Sources& sources, Pool& pool,
              const EngineOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_SQL_RUN_H_
