// SPDX-License-Identifier: Apache-2.0
//
// The ends of help pages: exit codes and examples.
#ifndef RPL_SHELL_COMMANDS_HELP_FOOTERS_H_
#define RPL_SHELL_COMMANDS_HELP_FOOTERS_H_

namespace rpl {

inline constexpr const char* kFooter = R"(Exit codes
  0   satisfied, passed, clean
  1   a valid no: unsatisfied, %fail, failed tests, findings
  2   the command line or a program was rejected, nothing ran
  3   waiting for input
  4   a tool failed, and that decided the goal
  5   a limit was reached
  6   a file cannot be read or written
  70  an error of rpl itself
  130 interrupted

Examples
  rpl run examples/collaborative-editing.md
  printf "user('foo')\n%% <- user('foo')\n" | rpl reply
  rpl query -f graph.rpl 'edge(1, ?x)'
  rpl test spec-tests
  rpl COMMAND --help)";

inline constexpr const char* kRunFooter = R"(Examples
  rpl run protocol.md
  rpl run protocol.md facts.rpl            several files are one program
  printf 'doc-42\nclarity\n' | rpl run protocol.md
  rpl run protocol.md --answer draft-id=doc-42 --answer focus=clarity
  rpl run protocol.md --answers answers.json
  rpl run protocol.md --facts stock=stock.csv
  rpl run protocol.md --now 2026-01-02T00:00:00Z
  rpl run protocol.md --session trip.rpls  kept in a file, to go on with later
  rpl run protocol.md --log phases         what each phase does, on standard error
  rpl run protocol.md --allow-tool stock   a tool of rpl.yaml may run, see docs/tools.md
  rpl run protocol.md --format json)";

inline constexpr const char* kProfileFooter =
    R"(Runs the program as `rpl run` does, and says for each rule how long it took and what it did,
for each index what it is for, and which clause to write elsewhere. The answers are not
printed. Exit codes are those of `rpl run`.

Examples
  rpl profile protocol.md
  rpl profile rules.rpl --facts edge=edges.csv --top 10
  rpl profile rules.rpl --no-times         counts alone, which are the same each time
  rpl profile rules.rpl --format json)";

inline constexpr const char* kResumeFooter =
    R"(The program is read again: what was changed in it is taken in. What the session knows
already is not asked again, and no tool is called twice for it.

Examples
  rpl run protocol.md --session trip.rpls    waits for an answer, and ends with 3
  rpl resume trip.rpls --answer focus=clarity)";

inline constexpr const char* kTraceFooter = R"(Examples
  rpl trace show trip.rpls
  rpl trace query trip.rpls '%where(?d, ?focus) <- edit-brief(?d, ?focus)'
  rpl trace export trip.rpls > trace.rpl     then: rpl run protocol.md trace.rpl
  rpl trace verify trip.rpls
  rpl trace diff monday.rpls tuesday.rpls
  rpl trace replay trip.rpls
  rpl trace html trip.rpls -o report.html)";

inline constexpr const char* kReplyFooter =
    R"(The last line of the message is the query when it starts with `%`.

Examples
  printf "user('foo')\n%% <- user(?u), \$json(?u)\n" | rpl reply
  rpl reply message.md
  rpl reply message.md --answer focus=clarity
  rpl reply message.md --format json)";

inline constexpr const char* kQueryFooter =
    R"(GOAL is a goal form, or one or several calls: then their variables are what is asked for.

Examples
  rpl query -f graph.rpl 'reachable(1, ?x)'
  rpl query -f graph.rpl '%far(?x) <- reachable(1, ?x), not edge(1, ?x)'
  rpl query -f graph.rpl 'edge(1, 2)'
  rpl query '?x = 6 * 7')";

inline constexpr const char* kReplFooter =
    R"(docs/shell.md describes it; `.help` lists its commands. `rpl` alone is `rpl repl`.

Examples
  rpl repl protocol.md
  rpl repl graph.rpl --session graph.rpls   kept in a file, to go on with later
  rpl repl graph.rpl <entries.txt           entries, without a person)";

inline constexpr const char* kTestFooter =
    R"(The format of the scripts is described in docs/testing.md.

Examples
  rpl test spec-tests
  rpl test spec-tests/07-sets --filter R7.01
  rpl test spec-tests --format json)";

inline constexpr const char* kCheckFooter =
    R"(Findings go to standard output, their number to standard error. Each code has a section
in docs/errors.md. `<!-- rpl-ignore RPL6001: reason -->` on the line of a finding or above it,
or `-- rpl-ignore RPL6001: reason` in RPL, takes it out.

Examples
  rpl check protocol.md
  rpl check protocol.md facts.rpl          several files are one program
  rpl check protocol.md --fix              mend names, arrows, headings on two lines
  rpl check protocol.md --strict --fail-level warning
  rpl check protocol.md --format sarif > findings.sarif)";

inline constexpr const char* kVerifyFooter =
    R"(CONTENT is an action envelope in YAML or JSON for a rulespec; for rules alone, any file:
YAML and JSON by their extensions, anything else is text. What did not pass goes to standard
output, then one line that sums up. Evaluating a rulespec writes rulespec.compiled.dl and
datalog_evaluation.txt.

Exit codes: 0 accepted, 1 rejected, 2 an input is invalid, 3 a review is pending

Examples
  rpl verify envelope.yaml                     with analysis/rulespec.yaml
  rpl verify envelope.yaml --rulespec spec.yaml --out reports
  rpl verify envelope.yaml --explain 0         why predicate 0 passes, or does not
  rpl verify answer.md --rules house-rules.md
  rpl verify --list --rules house-rules.md
  rpl verify envelope.yaml --on-error hitl     then: rpl guard pending, rpl guard approve ID
  rpl verify envelope.yaml --format sarif > results.sarif)";

inline constexpr const char* kExplainFooter = R"(Examples
  rpl explain -f graph.rpl 'reachable(1, 4)'
  rpl explain -f graph.rpl 'reachable(1, ?x)'       the first ten that match
  rpl explain -f graph.rpl --not 'reachable(4, 1)'  why it does not hold
  rpl explain -f protocol.md '%trip(?to)' --answer start=home
  rpl explain -f graph.rpl 'reachable(1, 4)' --format dot | dot -Tsvg >why.svg)";

inline constexpr const char* kGuardFooter =
    R"(Without a subcommand, each line of standard input is a call in JSON, and each line of
standard output its decision. Exit codes: 0 allow, 1 block, 3 hitl, 2 wrong input.

Examples
  echo '{"tool":"send_email","args":{"to":"a@b.c"}}' | rpl guard --policy policy.json
  rpl guard check policy.json
  rpl guard explain refund-limit --policy policy.json
  rpl guard pending
  rpl guard approve 1f2e3d4c5b6a7988
  rpl guard hook --policy policy.json --audit audit.jsonl    see docs/guard.md)";

inline constexpr const char* kDocFooter = R"(Examples
  rpl doc protocol.md > program.md
  rpl doc protocol.md facts.rpl            several files are one program
  rpl doc protocol.md --format dot | dot -Tsvg >program.svg
  rpl doc protocol.md --format json)";

inline constexpr const char* kParseFooter = R"(Examples
  rpl parse protocol.md
  rpl parse program.rpl --format json)";

inline constexpr const char* kFmtFooter =
    R"(Only RPL is laid out; the Markdown around it stays as it is.

Examples
  rpl fmt protocol.md                      the formatted text, on standard output
  rpl fmt -w protocols/*.md                writes the files that change
  rpl fmt --check protocols/*.md           exit 1 if one would change
  rpl fmt --diff protocol.md
  rpl fmt - <protocol.md)";

inline constexpr const char* kCompletionFooter = R"(Examples
  source <(rpl completion bash)
  rpl completion zsh > ~/.zfunc/_rpl       where ~/.zfunc is in fpath
  rpl completion fish > ~/.config/fish/completions/rpl.fish)";

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_HELP_FOOTERS_H_
