// SPDX-License-Identifier: Apache-2.0
//
// The commands of `rpl`, each a function from its options to an exit code (shell/host/report.h).
//
// Standard output carries results only: chat lines as they come, answers, reports that
// were asked for. Everything else, questions included, goes to standard error.
#ifndef RPL_SHELL_COMMANDS_COMMANDS_H_
#define RPL_SHELL_COMMANDS_COMMANDS_H_

#include <optional>
#include <string>
#include <vector>

#include "checks/verify/result.h"
#include "shell/commands/command_tree.h"
#include "shell/host/hook_supervisor.h"
#include "shell/host/options.h"

namespace rpl {

/// rpl run FILE…: the files are one program, which runs until its goal is decided.
struct RunOptions {
  std::vector<std::string> files;
  std::string session;  // --session FILE
  EngineOptions engine;
};
int CommandRun(const RunOptions& options);

/// rpl profile FILE…: runs the program as `rpl run` does, and says what its rules did.
struct ProfileOptions {
  std::vector<std::string> files;
  std::size_t top = 0;  // --top N: rules and indexes that are shown; 0: all
  bool times = true;    // --no-times: counts alone, the same each time
  EngineOptions engine;
};
int CommandProfile(const ProfileOptions& options);

/// rpl resume SESSION: goes on with a run that has a file.
struct ResumeOptions {
  std::string session;
  std::vector<std::string> retry;  // --retry NAME
  EngineOptions engine;
};
int CommandResume(const ResumeOptions& options);

/// rpl trace …: what a session has established.
struct TraceOptions {
  enum class What { kShow, kQuery, kExport, kVerify, kDiff, kReplay, kHtml };
  What what = What::kShow;
  std::string session;
  std::string other;        // kDiff
  std::string query;        // kQuery
  std::string output;       // kHtml: a file; empty: standard output
  bool json = false;        // kShow, kQuery; kExport: NDJSON with hashes
  std::size_t threads = 1;  // kReplay
};
int CommandTrace(const TraceOptions& options);

/// rpl reply [FILE]: one user message, answered by §15.9.
struct ReplyOptions {
  std::string file;  // empty: standard input
  EngineOptions engine;
};
int CommandReply(const ReplyOptions& options);

/// rpl query [-f FILE]… GOAL: one query, answered as `rpl reply` does.
struct QueryOptions {
  std::vector<std::string> files;
  std::string goal;  // a goal form, or what the shell takes as a query
  EngineOptions engine;
};
int CommandQuery(const QueryOptions& options);

/// rpl repl [FILE…]: the shell, shell/repl/repl.h.
int CommandRepl(const ReplOptions& options);

/// rpl test PATH…: the scripts of Markdown files (docs/testing.md).
struct TestOptions {
  std::vector<std::string> paths;  // files, and folders with all their *.md files
  std::string filter;              // only cases with this text in their name
  bool json = false;
};
int CommandTest(const TestOptions& options);

/// rpl check FILE…: what is wrong with a program, without running it. The files are one
/// program.
struct CheckCommandOptions {
  enum class Format { kText, kJson, kSarif, kGithub };
  std::vector<std::string> files;
  std::string config;  // --config FILE
  Format format = Format::kText;
  bool fix = false;                  // mend what is mechanical, in the files
  bool strict = false;               // warnings become errors
  std::string fail_level = "error";  // the least severity that makes the exit code 1
};
int CommandCheck(const CheckCommandOptions& options);

/// rpl verify CONTENT: whether content satisfies a rulespec and rules (checks/verify/rules.h).
struct VerifyOptions {
  enum class Format { kText, kJson, kSarif };
  std::string content;             // a file
  std::string rulespec;            // --rulespec FILE; "": analysis/rulespec.yaml, if there is one
  std::vector<std::string> rules;  // --rules FILE
  std::string rule;                // --rule NAME
  bool list = false;
  std::string out;  // --out FOLDER; "": that of the content
  Format format = Format::kText;
  Severity fail_on = Severity::kError;
  std::optional<std::size_t> explain;  // --explain ID
  bool require_rulespec = false;
  bool exists = false;         // only asks whether there is such a file
  bool review_errors = false;  // --on-error hitl: a person may accept what fails
  EngineOptions engine;        // now; config, allow_tools: for the tools of rules; guard.approvals
};
int CommandVerify(const VerifyOptions& options);

/// rpl explain -f FILE… FORM: why the facts that match hold, or why none does.
enum class ExplainFormat { kText, kJson, kDot };
struct ExplainOptions {
  std::vector<std::string> files;
  std::string form;  // one call, with or without variables
  bool absent = false;
  std::optional<std::size_t> depth;
  ExplainFormat format = ExplainFormat::kText;
  EngineOptions engine;  // `json` is not used
};
int CommandExplain(const ExplainOptions& options);

/// rpl guard …: decisions about tool calls, for runs of other engines.
struct GuardCommandOptions {
  enum class What { kDecide, kCheck, kExplain, kPending, kApprove, kDeny, kHook };
  What what = What::kDecide;
  GuardOptions guard;
  std::string config;               // --config FILE
  std::string now;                  // --now T
  std::string history;              // --history FILE: an audit log
  std::string file;                 // kCheck
  std::string rule;                 // kExplain
  bool json = false;                // kPending: --format json
  std::string id;                   // kApprove, kDeny
  std::string reason;               // --reason T
  std::string unmatched;            // --default deny, ask or allow; "" for no answer
  int timeout_ms = kHookTimeoutMs;  // kHook
};
int CommandGuard(const GuardCommandOptions& options);

/// rpl doc FILE…: what a program consists of, and how its parts use each other. The files
/// are one program.
enum class DocFormat { kMarkdown, kDot, kMermaid, kJson };
struct DocOptions {
  std::vector<std::string> files;
  DocFormat format = DocFormat::kMarkdown;
};
int CommandDoc(const DocOptions& options);

/// rpl parse FILE: what the parser understood.
struct ParseOptions {
  std::string file;
  bool json = false;
};
int CommandParse(const ParseOptions& options);

/// rpl fmt [-w | --check | --diff] FILE…: lays out the RPL of each file, see
/// grammar/formatter.h. `-` is standard input. Errors of a file go to standard error; what
/// has none is formatted all the same, but such a file is not written.
enum class FmtMode {
  kPrint,  // the text, on standard output
  kWrite,  // to the file, if it changes; its name on standard error
  kCheck,  // the names of files that would change, on standard output; kExitNo
  kDiff,   // unified differences, on standard output; kExitNo
};
struct FmtOptions {
  std::vector<std::string> files;
  FmtMode mode = FmtMode::kPrint;
};
int CommandFmt(const FmtOptions& options);

/// rpl completion SHELL: a script that completes `rpl` in bash, zsh or fish.
struct CompletionOptions {
  std::string shell;
};
int CommandCompletion(const CompletionOptions& options, const CommandNode& root);

/// rpl reference WHAT: docs/commands.md, a page for man(1), or the names of the commands.
/// Hidden: packages are made with it.
struct ReferenceOptions {
  std::string what;     // markdown, man or commands
  std::string command;  // of the page; empty: rpl itself
};
int CommandReference(const ReferenceOptions& options, const CommandNode& root);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMANDS_H_
