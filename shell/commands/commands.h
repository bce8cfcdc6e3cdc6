// SPDX-License-Identifier: Apache-2.0
//
// The commands of `rpl`, each a function from its options to an exit code (shell/terminal/report.h).
//
// Standard output carries results only: chat lines as they come, answers, requested reports. All
// other output, questions included, goes to standard error.
#ifndef RPL_SHELL_COMMANDS_COMMANDS_H_
#define RPL_SHELL_COMMANDS_COMMANDS_H_

#include <optional>
#include <string>
#include <vector>

#include "checks/verify/result.h"
#include "runtime/session_store.h"
#include "shell/commands/command_tree.h"
#include "shell/guard/hook_supervisor.h"
#include "shell/program/options.h"

namespace rpl {

struct ProgramFile;

/// rpl run FILE…: runs the files as one program until its goal is decided or waits.
struct RunOptions {
  std::vector<std::string> files;
  std::string session;  // --session FILE
  EngineOptions engine;
  bool watch = false;  // --watch
};
/// Exit codes: that of the outcome (ExitCodeOf); kExitInvalid for a program with errors or without
/// a goal; kExitFile for an unreadable file.
int CommandRun(const RunOptions& options);

/// rpl profile FILE…: runs the program like `rpl run` and reports the work of its rules.
struct ProfileOptions {
  std::vector<std::string> files;
  std::size_t top = 0;  // --top N: maximal number of rules and of indexes; 0: all
  bool times = true;    // --no-times: counts only, which are reproducible
  EngineOptions engine;
};
/// Exit codes: as CommandRun. The answers are not printed.
int CommandProfile(const ProfileOptions& options);

/// The help about a session that does not go on from an anchor.
inline constexpr const char* kDeparted =
    "events were rewritten or removed since, or this is a copy without its `-wal` file";

/// rpl resume SESSION: continues a run that has a session file.
struct ResumeOptions {
  std::string session;
  std::vector<std::string> retry;  // --retry NAME
  EngineOptions engine;
  std::string anchor = "";  // --anchor
};
/// Exit codes: as CommandRun; kExitFile also for a damaged session.
int CommandResume(const ResumeOptions& options);

/// Continues the session named `path`, or begins it, as `mode` says, with the program `files`,
/// named by their paths; if empty, with the files that the session names, as they are now. Calls of
/// the tools in `retry` that failed or are in doubt are made again. With an `anchor`, the session
/// must go on from it. Returns the exit code.
int GoOn(const std::string& path, std::vector<ProgramFile> files, const EngineOptions& engine,
         const std::vector<std::string>& retry, const std::string& anchor = "",
         SessionStore::Mode mode = SessionStore::Mode::kOpen);

/// rpl trace …: the trace of a session.
struct TraceOptions {
  enum class What { kShow, kQuestions, kQuery, kExport, kVerify, kAnchor, kDiff, kReplay, kHtml };
  What what = What::kShow;
  std::string session;
  std::string other;        // kDiff
  std::string query;        // kQuery
  std::string anchor;       // kVerify: SessionStore::Anchor of an earlier time, or ""
  std::string output;       // kHtml: a file; "" for standard output
  bool json = false;        // kShow, kQuestions, kQuery; kExport: NDJSON with hashes
  bool cassette = false;    // kExport: the replies of models
  std::size_t threads = 1;  // kReplay
};
/// kExitFile for an unreadable or damaged session. kVerify: kExitNo for a damaged one, and for one
/// that does not go on from the anchor. kDiff,
/// kReplay: kExitNo if traces differ. kQuery: the code of the outcome.
int CommandTrace(const TraceOptions& options);

/// rpl session …: sessions as a whole, and their tables in PostgreSQL.
struct SessionCommandOptions {
  enum class What { kCopy, kList, kSchema };
  What what = What::kCopy;
  std::string from;   // kCopy: a session; kList: the URL of a database
  std::string to;     // kCopy: the name of a new session
  bool json = false;  // kList
};
/// kCopy prints the anchor of the copy, after reading it again. kExitFile for a session that cannot
/// be read or written, kExitInvalid for a name that cannot be listed.
int CommandSession(const SessionCommandOptions& options);

/// rpl reply [FILE]: answers one user message by §15.9.
struct ReplyOptions {
  std::string file;  // "" for standard input
  EngineOptions engine;
};
/// Exit codes: that of the outcome; kExitInvalid after errors in the message.
int CommandReply(const ReplyOptions& options);

/// rpl query [-f FILE]… GOAL: answers one query, like `rpl reply`.
enum class QueryFormat { kText, kJson, kCsv, kTable };  // of --format

struct QueryOptions {
  std::vector<std::string> files;
  std::string goal;  // a goal form, or a query of the shell
  std::string on;    // --on: the URL of a database that answers; "": this process does
  QueryFormat format = QueryFormat::kText;  // --format; `engine.json` is that of CommandQuery
  EngineOptions engine;
};
/// Exit codes: that of the outcome; kExitInvalid for an invalid program or query. With a database
/// also kExitInvalid for a part that has no counterpart in SQL, kExitFile for an error of the
/// database, and kExitLimit where a limit of its is the reason.
int CommandQuery(const QueryOptions& options);

/// rpl sql FILE…: prints the program as a script of SQL (interp/sql/sql_script.h).
struct SqlOptions {
  std::vector<std::string> files;
  std::string schema = "rpl";  // --schema NAME
  bool pushed = false;         // --pushed: what the databases of the configuration evaluate
  EngineOptions engine;        // facts
};
/// Exit codes: kExitInvalid for a program with errors, or that has no counterpart in SQL; kExitFile
/// for an unreadable file.
int CommandSql(const SqlOptions& options);

/// rpl repl [FILE…]: the shell, shell/repl/repl.h.
int CommandRepl(const ReplOptions& options);

/// rpl test PATH…: runs the scripts of Markdown files (docs/testing.md).
struct TestOptions {
  std::vector<std::string> paths;  // files, and folders with all their *.md files
  std::string filter;              // only cases in whose name or headings above it occurs
  EngineOptions engine;            // facts: of every script's session
  bool json = false;
  bool watch = false;                  // --watch
  bool update = false;                 // --update
  std::string junit;                   // --junit FILE
  bool coverage = false;               // --coverage
  std::string coverage_html;           // --coverage-html FILE
  std::string coverage_lcov;           // --coverage-lcov FILE
  std::optional<double> min_coverage;  // --min PERCENT
  bool record = false;                 // --record: cassettes anew, from the model of `engine`
};
/// kExitNo if a case fails, or the coverage is less than its minimum, kExitInvalid for malformed
/// scripts and if there is no case.
int CommandTest(const TestOptions& options);

/// rpl eval PATH…: runs test scripts against models in the place of their cassettes, and measures.
struct EvalOptions {
  std::vector<std::string> paths;   // files, and folders with all their *.md files
  std::vector<std::string> models;  // PROVIDER:NAME
  std::string filter;
  std::size_t runs = 1;
  bool json = false;
};
/// kExitNo if a case fails in one of its runs.
int CommandEval(const EvalOptions& options);

/// rpl check PATH…: reports findings about programs, without running them. Each file is a program,
/// of folders those with all their *.md and *.rpl files.
struct CheckCommandOptions {
  enum class Format { kText, kJson, kSarif, kGithub };
  std::vector<std::string> files;  // and folders
  EngineOptions engine;            // config, facts
  bool together = false;           // the files are one program
  Format format = Format::kText;
  bool fix = false;                  // apply mechanical fixes to the files
  bool strict = false;               // warnings count as errors
  bool watch = false;                // --watch
  std::string fail_level = "error";  // the least severity that gives exit code 1
};
/// kExitNo if a finding has `fail_level` or worse, kExitOk otherwise.
int CommandCheck(const CheckCommandOptions& options);

/// rpl new NAME: writes NAME.md, a protocol with a goal, questions and a constraint, and its tests,
/// NAME-test.md; both or none. Says what to do next.
struct NewOptions {
  std::string name;  // with folders in front, and with or without `.md`
  std::string kind;  // --kind: "gate" for one that binds an agent, or "protocol"
};
/// kExitInvalid for a name that no goal can have, kExitFile if a file exists.
int CommandNew(const NewOptions& options);

/// rpl verify CONTENT: checks content against a rulespec and rules (checks/verify/rules.h).
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
  bool exists = false;         // only checks for such a file
  bool review_errors = false;  // --on-error hitl: a person may accept failures
  EngineOptions engine;        // now; config, allow_tools: for the tools of rules; guard.approvals
};
/// The exit code of the verdict (checks/verify/result.h); with `exists`, kExitNo if there is no
/// such file.
int CommandVerify(const VerifyOptions& options);

/// rpl explain -f FILE… FORM: explains the facts that match, or why none does.
enum class ExplainFormat { kText, kJson, kDot };
/// The options of rpl explain.
struct ExplainOptions {
  std::vector<std::string> files;
  std::string form;  // one call, with or without variables
  bool absent = false;
  std::optional<std::size_t> depth;
  ExplainFormat format = ExplainFormat::kText;
  EngineOptions engine;  // `json` is not used
};
/// kExitNo if no fact matches; with `absent`, if one does.
int CommandExplain(const ExplainOptions& options);

/// rpl guard …: decides about tool calls of other runtimes.
struct GuardCommandOptions {
  enum class What {
    kDecide,
    kCheck,
    kExplain,
    kPending,
    kApprove,
    kDeny,
    kSecret,
    kHook,
    kMcp,
    kAudit,
    kStatus,
    kWhy,
    kAnswer,
    kAccept,
    kEnd,
    kInstall,
    kDoctor
  };
  What what = What::kDecide;
  GuardOptions guard;
  std::string config;       // --config FILE
  std::string now;          // --now T
  std::string history;      // --history FILE: an audit log
  std::string file;         // kCheck, kAudit; kExplain: --call FILE
  std::string tools;        // kCheck: --tools FILE, "" for none
  std::string rule;         // kExplain
  bool json = false;        // kPending: --format json
  std::string id;           // kApprove, kDeny
  std::string reason;       // --reason T
  std::string secret_file;  // kApprove, kDeny, kSecret, kAnswer, kAccept, kEnd: --secret-file FILE
  std::int64_t calls = 1;   // --calls N
  std::int64_t hours = 24;  // --hours N
  std::string unmatched;    // --default deny, ask or allow; "" if not given
  std::string ask;          // kHook: --ask deny or ask; "" if not given
  std::string root;         // kHook: the folder of relative names, or ""
  int timeout_ms = kHookTimeoutMs;    // kHook, kMcp
  std::vector<std::string> server;    // kMcp: its command line
  std::string server_name;            // kMcp: --name, "" for the command line
  int ask_timeout = 45;               // kMcp: seconds for a person to answer
  std::string protocol;               // kHook: --protocol FILE; kStatus to kEnd: the protocol
  std::string project;                // the same: --project DIR, "" for that of the event, or here
  std::string sessions;               // the same: --sessions DIR, the folder of runs
  std::string host;                   // kHook: --host NAME
  std::string until;                  // kHook: --until satisfied, or ""
  std::string undecided;              // kHook: --undecided ask or deny, or ""
  std::string answer;                 // kAnswer: KEY=VALUE
  bool unprotected = false;           // kHook: --unprotected
  std::vector<std::string> reads_as;  // kHook, kMcp: --reads-as TOOL=NAME
  bool shadow = false;                // kHook: --shadow
  bool denied = false;                // kStatus: --denied
  bool write = false;                 // kInstall: --write
  int stop_limit = 3;                 // kHook: --stop-limit N
};
/// kDecide: 0 allow, 1 block, 3 hitl, 2 invalid input; of several calls the most severe. kHook: see
/// shell/commands/guard_hook.h. kMcp: see shell/commands/guard_mcp.h.
int CommandGuard(const GuardCommandOptions& options);

/// How calls of the Model Context Protocol are answered.
struct AskOptions {
  std::string ask = "auto";  // --ask WHEN: auto, never, always
  int ask_timeout = 45;      // --ask-timeout SECONDS
  int reply_within = 45;     // --reply-within SECONDS
};

/// rpl mcp [FILE|FOLDER…]: serves protocols to hosts of the Model Context Protocol.
struct McpOptions {
  std::vector<std::string> paths;
  std::string sessions;  // --sessions FOLDER; "": below the state folder
  std::string project;   // --project DIR, of protocols that bind an agent; "": the host's, or here
  std::string http;      // --http ADDRESS; "": standard input and output
  std::string token_file;  // --token-file FILE
  AskOptions answers;
  EngineOptions engine;      // config, allow_tools, guard, limits, threads
  bool install = false;      // rpl mcp install
  std::string host;          // --host NAME, of install
  std::string name = "rpl";  // --name NAME, of install
  bool write = false;        // --write, of install
};
/// Does not return before the client has left. kExitFile for a path or a folder that cannot be
/// used.
int CommandMcp(const McpOptions& options);

/// rpl drive: runs that another program drives, by lines of JSON on standard input and output.
struct DriveOptions {
  EngineOptions engine;  // config, allow_tools, guard, limits, threads
};
/// Returns at the end of the input.
int CommandDrive(const DriveOptions& options);

/// rpl serve [FILE|FOLDER…]: does turns of runs in a database, and serves them on HTTP.
struct ServeOptions {
  std::vector<std::string> paths;
  std::string store;                    // --store URL
  std::string http = "127.0.0.1:7070";  // --http ADDRESS
  std::string token_file;               // --token-file FILE
  std::size_t workers = 2;              // --workers N
  int lease = 15;                       // --lease SECONDS
  int drain = 30;                       // --drain SECONDS
  std::int64_t most_ready = 10'000;     // --max-ready N, of a tenant
  std::int64_t most_working = 0;        // --max-working N, likewise
  std::string spans;                    // --spans FILE
  AskOptions answers;                   // of /mcp
  EngineOptions engine;                 // config, allow_tools, guard, limits, threads
  bool schema = false;                  // rpl serve schema
};
/// Does not return before a signal. kExitFile for a database, a path or an address that cannot be
/// used.
int CommandServe(const ServeOptions& options);

/// rpl mcp install: prints the settings by which a host starts the server, or adds them to its
/// file. kExitInvalid if another server has the name; kExitFile for a file that cannot be used.
int InstallMcp(const McpOptions& options);

/// rpl lsp: serves editors, on a pipe (shell/lsp/lsp_stdio.h).
struct LspOptions {
  bool stdio = false;  // --stdio, which changes nothing
  int client = 0;      // --clientProcessId PID; 0: not known
};
/// Does not return before the client has left.
int CommandLsp(const LspOptions& options);

/// rpl doc FILE…: documents the parts of a program and their uses of each other. The files are one
/// program.
enum class DocFormat { kMarkdown, kHtml, kDot, kMermaid, kJson };
/// The options of rpl doc.
struct DocOptions {
  std::vector<std::string> files;
  DocFormat format = DocFormat::kMarkdown;
  EngineOptions engine;  // facts
};
/// kExitInvalid for a program with errors, of which nothing is printed.
int CommandDoc(const DocOptions& options);

/// rpl parse FILE: prints the result of the parser.
struct ParseOptions {
  std::string file;
  bool json = false;
};
/// kExitInvalid after errors; the valid part is printed nevertheless.
int CommandParse(const ParseOptions& options);

/// rpl fmt [-w | --check | --diff] FILE…: lays out the RPL of each file, see grammar/formatter.h.
/// `-` is standard input. Errors of a file go to standard error; its valid parts are formatted
/// nevertheless, but such a file is not written.
enum class FmtMode {
  kPrint,  // the text, to standard output
  kWrite,  // to the file, if it changes; its name to standard error
  kCheck,  // names of files that would change, to standard output; kExitNo
  kDiff,   // unified diffs, to standard output; kExitNo
};
/// The options of rpl fmt.
struct FmtOptions {
  std::vector<std::string> files;
  FmtMode mode = FmtMode::kPrint;
};
/// The greatest exit code of the files.
int CommandFmt(const FmtOptions& options);

/// rpl completion SHELL: prints a completion script for bash, zsh or fish.
struct CompletionOptions {
  std::string shell;
};
/// `root` is the tree of the whole command line.
int CommandCompletion(const CompletionOptions& options, const CommandNode& root);

/// rpl reference WHAT: prints docs/commands.md, a page for man(1), or the names of the commands.
/// Hidden: packages are built with it.
struct ReferenceOptions {
  std::string what;     // markdown, man or commands
  std::string command;  // of the page; "" for rpl itself
};
/// kExitInvalid for an unknown command.
int CommandReference(const ReferenceOptions& options, const CommandNode& root);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMANDS_H_
