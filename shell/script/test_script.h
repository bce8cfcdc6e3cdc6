// SPDX-License-Identifier: Apache-2.0
//
// The scripts of `rpl test`: programs in Markdown with their expectations (docs/testing.md
// describes the format for authors).
//
// A case is a heading with at least one fence whose info string is `rpl-test` before the next
// heading; each such fence is one script. A script is a list of steps: a line that starts with
// capitals and a colon (`USER:`, `NO LOG:`) opens one, and the lines up to the next such line are
// its body. All other text of the file is ignored.
#ifndef RPL_SHELL_SCRIPT_TEST_SCRIPT_H_
#define RPL_SHELL_SCRIPT_TEST_SCRIPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"
#include "runtime/ports.h"

namespace rpl {

/// The kinds of steps: actions, and expectations about earlier ones.
enum class TestStepKind {
  // what happens
  kNow,
  kReply,
  kBy,
  kFile,
  kDocument,
  kLoad,
  kModel,
  kUser,
  kRun,
  kCommand,
  kCall,
  kResult,
  kEnds,
  // what is expected of the host's event just before
  kDeny,
  kPass,
  // what is expected of the turn just before
  kAgent,
  kUnsat,
  kFail,
  kWaiting,
  kReject,
  kAccept,
  kLint,
  kClean,
  kStatus,
  // what is expected of the session so far
  kLog,
  kNoLog,
  kDefines,
  kRules,
  kTree,
  // a table of cases, each with its outcome
  kVerifyTable,
  // what a guard decides
  kGuard,
  // what is expected of the command just before, and of files
  kExit,
  kStdout,
  kNoStdout,
  kPrints,
  kStderr,
  kNoStderr,
  kWrites,
  kNoFile,
  kFolder,
  kSame,
};

/// A step.
struct ScriptStep {
  TestStepKind kind = TestStepKind::kRun;
  std::string name;        // as written: "NO LOG"
  std::uint32_t line = 0;  // in the file, from 1
  std::string argument;    // the text after the colon
  std::vector<std::string> body;

  // COMMAND, WRITES, SAME: the words of the argument
  std::vector<std::string> words;

  // REPLY: the call, and what it is answered with
  std::optional<Node> call;
  Answer::Kind reply = Answer::Kind::kValue;
  std::optional<Node> value;  // kValue and kMeta
};

/// The steps of a fence, in order.
struct Script {
  std::uint32_t line;  // of its fence
  std::vector<ScriptStep> steps;
};

/// A case with its scripts, which must not run if there are errors.
struct TestCase {
  std::string name;  // text of the heading; the file name before the first heading
  std::uint32_t line;
  std::vector<Script> scripts;
  std::vector<std::string> errors;  // syntax errors, each with its line
  std::vector<std::string> above;   // texts of the headings above that of the case
};

/// The cases of a file, in order. Headings without scripts are no cases.
std::vector<TestCase> ReadTestCases(Sources& sources, std::uint32_t file);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_TEST_SCRIPT_H_
