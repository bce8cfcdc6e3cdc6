// SPDX-License-Identifier: Apache-2.0
//
// Footers of help pages: exit codes and examples.
#ifndef RPL_SHELL_COMMANDS_HELP_FOOTERS_H_
#define RPL_SHELL_COMMANDS_HELP_FOOTERS_H_

namespace rpl {

inline constexpr const char* kFooter = R"(Exit codes
  0   satisfied, passed, clean
  1   a negative result: unsatisfied, %fail, failed tests, findings
  2   the command line or a program was rejected, nothing ran
  3   waiting for input
  4   a tool failed, and that decided the goal
  5   a limit was reached
  6   a file cannot be read or written
  70  a bug in rpl
  130 interrupted

Examples
  rpl new bike-lending
  rpl run examples/collaborative-editing.md
  printf "user('foo')\n%% <- user('foo')\n" | rpl reply
  rpl query -f graph.rpl 'edge(1, ?x)'
  rpl test spec-tests
  rpl help run
  rpl help RPL2005                         # what a finding means
  rpl help tutorial                        # a page; rpl help topics lists them)";

inline constexpr const char* kNewFooter =
    R"(Writes NAME.md, a protocol with a goal, two questions and a constraint, and its tests,
NAME-test.md. Files that exist are left as they are.

Examples
  rpl new bike-lending
  rpl new protocols/bike-lending           # in a folder that exists)";

inline constexpr const char* kRunFooter = R"(Examples
  rpl run protocol.md
  rpl run protocol.md facts.rpl            # several files form one program
  printf 'doc-42\nclarity\n' | rpl run protocol.md
  rpl run protocol.md --answer draft-id=doc-42 --answer focus=clarity
  rpl run protocol.md --answers answers.json
  rpl run protocol.md --facts stock=stock.csv
  rpl run protocol.md --now 2026-01-02T00:00:00Z
  rpl run protocol.md --session trip.rpls  # saved in a file, to be continued
  rpl run protocol.md --log phases         # reports each phase on standard error
  rpl run protocol.md --allow-tool stock   # allows a tool of rpl.yaml; see docs/tools.md
  rpl run protocol.md --model openai:NAME  # a model answers; see docs/models.md
  rpl run protocol.md --format json
  rpl run protocol.md --watch              # again whenever the file is saved)";

inline constexpr const char* kEvalFooter =
    R"(Each case with MODEL: is run with each model, which replies in the place of the cassette. Printed
are how often it passed, the attempts, the tokens and the seconds. See docs/models.md.

Examples
  rpl eval examples/model --model command:examples/model/stand-in
  rpl eval examples/model/draft-test.md --model openai:NAME --model anthropic:NAME --runs 5)";

inline constexpr const char* kMcpFooter =
    R"(A host of the Model Context Protocol starts this command and talks to it on a pipe: it lists,
runs, queries and explains the protocols in the files and folders. Runs are kept in files, and a
server that is started again goes on with each. See docs/mcp.md.

Examples
  rpl mcp protocols
  rpl mcp trip.md restocking.md --allow-tool stock
  rpl mcp protocols --ask never            # questions come back in results only
  rpl mcp protocols --http 127.0.0.1:7000  # on HTTP, for hosts on this machine
  rpl mcp install --host cursor protocols  # prints the settings of a host)";

inline constexpr const char* kDriveFooter =
    R"(A program in any language opens runs, answers their questions and calls their tools: each request
is a line of JSON on standard input, each result a line on standard output. See docs/drive.md.

Examples
  rpl drive
  rpl drive --policy refund-policy.json --allow-tool stock)";

inline constexpr const char* kServeFooter =
    R"(Runs and their sessions are rows of a database, so that any number of these processes, on any
machines, share the work: each does the next turn of any run. Clients begin runs and give answers
over HTTP; /openapi.json describes the interface. A process may be killed at any time: another
goes on with its runs. See docs/serve.md.

Examples
  rpl serve protocols --store postgresql://rpl@db/rpl
  rpl serve protocols --store postgresql://rpl@db/rpl --max-ready 1000 --spans spans.jsonl
  rpl serve schema)";

inline constexpr const char* kLspFooter =
    R"(An editor starts this command and talks to it on a pipe: findings as you type, with their fixes,
completion, definitions, renaming, proofs and answers. It calls no tool and writes no file. See
docs/editors.md.

Examples
  rpl lsp)";

inline constexpr const char* kProfileFooter =
    R"(Runs the program as `rpl run` does and reports the time and work of each rule, the use of each
index, and clauses that should be moved. Answers are not printed. Exit codes are those of
`rpl run`.

Examples
  rpl profile protocol.md
  rpl profile rules.rpl --facts edge=edges.csv --top 10
  rpl profile rules.rpl --no-times         # counts only, which are reproducible
  rpl profile rules.rpl --format json)";

inline constexpr const char* kResumeFooter =
    R"(Reads the program again, with any changes. Questions that were answered are not asked again,
and calls that were answered are not repeated.

Examples
  rpl run protocol.md --session trip.rpls    # exits with 3: waiting for an answer
  rpl resume trip.rpls --answer focus=clarity)";

inline constexpr const char* kTraceFooter = R"(Examples
  rpl trace show trip.rpls
  rpl trace query trip.rpls '%where(?d, ?focus) <- edit-brief(?d, ?focus)'
  rpl trace export trip.rpls > trace.rpl     # then: rpl run protocol.md trace.rpl
  rpl trace verify trip.rpls
  rpl trace diff monday.rpls tuesday.rpls
  rpl trace replay trip.rpls
  rpl trace html trip.rpls -o report.html)";

inline constexpr const char* kSessionFooter = R"(Examples
  rpl session copy trip.rpls backup.rpls
  rpl session schema > tables.sql
  rpl session list postgresql:///rpl)";

inline constexpr const char* kReplyFooter =
    R"(If the last line of the message starts with `%`, it is the query.

Examples
  printf "user('foo')\n%% <- user(?u), \$json(?u)\n" | rpl reply
  rpl reply message.md
  rpl reply message.md --answer focus=clarity
  rpl reply message.md --format json)";

inline constexpr const char* kQueryFooter =
    R"(GOAL is a goal form, or one or more calls; then their variables are asked for.

Examples
  rpl query -f graph.rpl 'reachable(1, ?x)'
  rpl query -f graph.rpl '%far(?x) <- reachable(1, ?x), not edge(1, ?x)'
  rpl query -f graph.rpl 'edge(1, 2)'
  rpl query '?x = 6 * 7')";

inline constexpr const char* kSqlFooter =
    R"(The script is for psql and PostgreSQL 15 or later: tables with the facts, the statements of each
stratum, and a selection for each goal. What has no counterpart in SQL is an error with its place.
docs/sql.md describes what becomes of what.

Examples
  rpl sql graph.rpl > graph.sql
  rpl sql graph.rpl --facts edge=edges.csv --schema graph   # for `psql -X -f -`)";

inline constexpr const char* kReplFooter =
    R"(docs/shell.md describes the shell; `.help` lists its commands. `rpl` alone is `rpl repl`.

Examples
  rpl repl protocol.md
  rpl repl graph.rpl --session graph.rpls   # saved in a file, to be continued
  rpl repl graph.rpl <entries.txt           # reads entries from a file)";

inline constexpr const char* kTestFooter =
    R"(docs/testing.md describes the format of the scripts.

Examples
  rpl test spec-tests
  rpl test spec-tests/07-sets --filter R7.01
  rpl test spec-tests --format json
  rpl test trip-test.md --watch            # again whenever a file is saved
  rpl test trip-test.md --coverage --min 80
  rpl test trip-test.md --coverage-html coverage.html
  rpl test trip-test.md --update           # takes what came out, to be read in the diff
  rpl test tests --junit results.xml)";

inline constexpr const char* kCheckFooter =
    R"(Findings go to standard output, their number to standard error. docs/errors.md has a section
for each code. `<!-- rpl-ignore RPL6001: reason -->` on the line of a finding or above it, or
`-- rpl-ignore RPL6001: reason` in RPL, suppresses it.

Examples
  rpl check protocol.md
  rpl check protocols                      # each file of a folder is a program
  rpl check --together protocol.md facts.rpl   # they form one program
  rpl check protocol.md --fix              # fixes names, arrows, headings on two lines
  rpl check protocol.md --strict --fail-level warning
  rpl check protocol.md --format sarif > findings.sarif
  rpl check protocol.md --watch            # again whenever the file is saved)";

inline constexpr const char* kVerifyFooter =
    R"(For a rulespec, CONTENT is an action envelope in YAML or JSON; for rules alone it is any file,
read as YAML or JSON by its extension, otherwise as text. Rules that did not pass go to standard
output, followed by a summary line. Evaluating a rulespec writes rulespec.compiled.dl and
datalog_evaluation.txt.

Exit codes: 0 accepted, 1 rejected, 2 an input is invalid, 3 a review is pending

Examples
  rpl verify envelope.yaml                     # with analysis/rulespec.yaml
  rpl verify envelope.yaml --rulespec spec.yaml --out reports
  rpl verify envelope.yaml --explain 0         # why predicate 0 passes or fails
  rpl verify answer.md --rules house-rules.md
  rpl verify --list --rules house-rules.md
  rpl verify envelope.yaml --on-error hitl     # then: rpl guard pending, rpl guard approve ID
  rpl verify envelope.yaml --format sarif > results.sarif)";

inline constexpr const char* kExplainFooter = R"(Examples
  rpl explain -f graph.rpl 'reachable(1, 4)'
  rpl explain -f graph.rpl 'reachable(1, ?x)'       # the first ten matching facts
  rpl explain -f graph.rpl --not 'reachable(4, 1)'  # why it does not hold
  rpl explain -f protocol.md '%trip(?to)' --answer start=home
  rpl explain -f graph.rpl 'reachable(1, 4)' --format dot | dot -Tsvg >why.svg)";

inline constexpr const char* kGuardHookFooter =
    R"(Examples
  rpl guard install /home/me/shop/ship.md --write       # the settings that call it; see docs/bind.md
  rpl guard hook --protocol /home/me/shop/ship.md < event.json
  rpl guard hook --protocol /home/me/shop/ship.md --shadow
  rpl guard hook --protocol /home/me/shop/ship.md --reads-as mcp__shell__run=Bash
  rpl guard hook --root /home/me --policy policy.json   # see docs/guard.md)";

inline constexpr const char* kGuardMcpFooter =
    R"(Examples
  rpl guard mcp --policy policy.json -- notes-server --stdio
  rpl guard mcp --protocol /home/me/shop/ship.md --name shop -- shop-server
  rpl guard mcp --protocol /home/me/shop/ship.md --name shell --reads-as run=Bash -- shell-server)";

inline constexpr const char* kGuardRunFooter =
    R"(Examples
  rpl guard install ship.md --write
  rpl guard doctor ship.md
  rpl guard status ship.md --denied
  rpl guard why ship.md
  rpl guard answer ship.md approved=Ada
  rpl guard accept ship.md --secret-file secret
  rpl guard end ship.md)";

inline constexpr const char* kGuardFooter =
    R"(Without a subcommand, reads calls in JSON from standard input, one per line, and writes a line
with the decision for each. Exit codes: 0 allow, 1 block, 3 hitl, 2 invalid input.

Examples
  echo '{"tool":"send_email","args":{"to":"a@b.c"}}' | rpl guard --policy policy.json
  rpl guard check policy.json
  rpl guard explain refund-limit --policy policy.json
  rpl guard pending
  rpl guard approve 1f2e3d4c5b6a7988
  rpl guard hook --root /home/me --policy policy.json    # see docs/guard.md
  rpl guard mcp --policy policy.json -- notes-server --stdio)";

inline constexpr const char* kDocFooter = R"(Examples
  rpl doc protocol.md > program.md
  rpl doc protocol.md facts.rpl            # several files form one program
  rpl doc protocol.md --format dot | dot -Tsvg >program.svg
  rpl doc protocol.md --format json)";

inline constexpr const char* kParseFooter = R"(Examples
  rpl parse protocol.md
  rpl parse program.rpl --format json)";

inline constexpr const char* kFmtFooter =
    R"(Formats only RPL; the surrounding Markdown stays as it is.

Examples
  rpl fmt protocol.md                      # prints the formatted text
  rpl fmt -w protocols/*.md                # rewrites files that are not formatted
  rpl fmt --check protocols/*.md           # exits with 1 if a file would change
  rpl fmt --diff protocol.md
  rpl fmt - <protocol.md)";

inline constexpr const char* kCompletionFooter = R"(Examples
  source <(rpl completion bash)
  rpl completion zsh > ~/.zfunc/_rpl       # if ~/.zfunc is in fpath
  rpl completion fish > ~/.config/fish/completions/rpl.fish)";

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_HELP_FOOTERS_H_
