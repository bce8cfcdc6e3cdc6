#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/cli_test.sh RPL
#
# What the command line promises: exit codes, which stream carries what, and clear errors
# for bad input. Each check is one call of `expect`. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: cli_test.sh RPL}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

passed=0
failed=0

fail() {
  failed=$((failed + 1))
  printf '%s: %s\n  exit %s\n  stdout: %s\n  stderr: %s\n' "$name" "$1" "$status" \
    "$(head -c 2000 out)" "$(head -c 2000 err)"
}

# expect NAME EXIT STDOUT STDERR-PART COMMAND…: runs the command on the standard input of
# the call. STDOUT is exact, without the last newline; `*` accepts any.
expect() {
  name=$1
  local code=$2 out=$3 err=$4
  shift 4
  status=0
  "$@" >out 2>err || status=$?
  if [[ $status != "$code" ]]; then fail "expected exit $code"
  elif [[ $out != '*' && $(cat out) != "$out" ]]; then fail "expected on stdout: $out"
  elif [[ -n $err ]] && ! grep -qF -- "$err" err; then fail "expected on stderr: $err"
  elif grep -qE 'internal error|Sanitizer|terminate called' err; then fail "a bug shows"
  else passed=$((passed + 1))
  fi
}

# --- Bad input ---------------------------------------------------------------------------

: >empty.md
printf 'Only prose.\n' >prose.md
printf 'p(1)\n\xff\n' >latin.md
printf 'p("abc)\n\nq(1)\n' >unclosed.rpl
{ printf 'p('; printf '%0100000d' 0 | tr 0 '['; printf '\nq(\n'; } >deep.rpl
printf '# Fine - ok(?x) <- a(?x)\n\n# Broken - bad(?x <- a(?x)\n\n# Also - worse(?x) <- <- b(?x)\n' >heading.md
printf '%%\n' >percent.rpl
mkdir folder.md

expect "an empty file has no goals" 2 "" "nothing to run: empty.md has no goals" "$rpl" run empty.md
expect "prose alone has no goals" 2 "" "nothing to run: prose.md has no goals" "$rpl" run prose.md
for command in run parse; do
  expect "$command: not UTF-8" 2 "*" "latin.md:2:1: error RPL1002" "$rpl" $command latin.md
  expect "$command: an unclosed string" 2 "*" "unclosed.rpl:1:3: error RPL1003" "$rpl" $command unclosed.rpl
  expect "$command: brackets nested 100,000 deep" 2 "*" "error RPL1005" "$rpl" $command deep.rpl
  expect "$command: a broken signature" 2 "*" "heading.md:3:" "$rpl" $command heading.md
  expect "$command: the rest is checked too" 2 "*" "heading.md:5:" "$rpl" $command heading.md
  expect "$command: a folder" 6 "" "folder.md: Is a directory" "$rpl" $command folder.md
  expect "$command: a missing file" 6 "" "none.md: No such file or directory" "$rpl" $command none.md
done
expect "parse: what is right is printed" 2 "    3  (q 1)" "RPL1003" "$rpl" parse unclosed.rpl
expect "run: a lone percent sign" 2 "" "percent.rpl" "$rpl" run percent.rpl
expect "reply: a lone percent sign" 2 "*" "error RPL1021" "$rpl" reply percent.rpl
expect "reply: an error in the context" 2 "*" "error RPL1003" "$rpl" reply \
  < <(printf '```rpl\np("a)\n```\n%% <- p(1)\n')
expect "reply: a folder" 6 "" "folder.md: Is a directory" "$rpl" reply folder.md
expect "test: a folder without cases" 2 "*" "folder.md: no case" "$rpl" test folder.md
expect "test: a missing file" 6 "*" "none.md: No such file or directory" "$rpl" test none.md

# --- The command line --------------------------------------------------------------------

expect "version" 0 "rpl 0.1.0" "" "$rpl" --version
expect "help" 0 "$("$rpl" --help)" "" "$rpl" help
expect "help for a command" 0 "$("$rpl" run --help)" "" "$rpl" help run
expect "no command" 2 "" "Usage: rpl" "$rpl"
expect "an unknown command" 2 "" "unknown command \`rnu\`, did you mean \`run\`?" "$rpl" rnu x
expect "an unknown option" 2 "" "did you mean \`--answer\`?" "$rpl" run empty.md --anser a=b
expect "an unknown format" 2 "" "--format" "$rpl" run empty.md --format xml
expect "a bad time" 2 "" "--now: expected a time" "$rpl" run empty.md --now yesterday
expect "a bad answer" 2 "" "expected KEY=VALUE" "$rpl" run prose.md --answer focus
expect "help shows an example" 0 "*" "" "$rpl" run --help
grep -q 'rpl run protocol.md --answers' out || fail "expected examples in the help"

# --- Replies -----------------------------------------------------------------------------

expect "reply: true" 0 "true" "" "$rpl" reply < <(printf 'p(1)\n%% <- p(1)\n')
expect "reply: captures" 0 $'1\n2' "" "$rpl" reply < <(printf 'p(1)\np(2)\n%%all(?x) <- p(?x)\n')
expect "reply: chat" 0 $'{"?u":"foo"}\n{"?u":"bar"}' "" "$rpl" reply \
  < <(printf "user('foo')\nuser('bar')\n%% <- user(?u) ^^ ?b, \$json(?b)\n")
expect "reply: a reason" 1 "*" "" "$rpl" reply < <(printf 'p(1)\n%% <- p(2)\n')
expect "reply: no query" 0 "" "note: no query" "$rpl" reply < <(printf 'p(1)\n')
expect "reply: waits" 3 "*" "" "$rpl" reply < <(printf '%% <- ?x = $ask("Q")\n')
expect "reply: an answer given" 0 '"A"' "" "$rpl" reply --answer ask=A \
  < <(printf '%% <- ?x = $ask("Q"), $json(?x)\n')

# --- Runs --------------------------------------------------------------------------------

cat >ask.md <<'END'
# Ask

%draft(?d) <- draft(?d)

## Draft - draft(?draft-id)

Which draft?
END
printf 'p(1)\n' >facts.rpl
printf '%% <- p(1)\n' >goal.rpl
printf '%% <- p(2)\n' >no.rpl
printf '{"draft-id": "doc-42"}' >answers.json
printf '[{"match": {"var": "draft-id"}, "decline": true}]' >decline.json

expect "run: a line answers a question" 0 "doc-42" "Which draft?" "$rpl" run ask.md < <(echo doc-42)
expect "run: the end goes to stderr" 0 "doc-42" "satisfied: %draft" "$rpl" run ask.md < <(echo doc-42)
expect "run: --answer" 0 "doc-42" "" "$rpl" run --answer draft-id=doc-42 ask.md </dev/null
expect "run: --answers" 0 "doc-42" "" "$rpl" run ask.md --answers answers.json </dev/null
expect "run: an answer too many" 0 "doc-42" "nothing asked for the answer \`x\`" \
  "$rpl" run ask.md --answer draft=doc-42 --answer x=1 </dev/null
expect "run: declined" 1 "" "%fail(" "$rpl" run ask.md --answers decline.json </dev/null
expect "run: waits at the end of input" 3 "" "draft-id" "$rpl" run ask.md </dev/null
expect "run: JSON" 0 '*' "" "$rpl" run ask.md --format json --answer draft-id=x </dev/null
grep -q '^{"schema":"rpl.run/1","status":"satisfied"' out || fail "expected rpl.run/1 on stdout"
expect "run: several files are one program" 0 "" "satisfied: %" "$rpl" run facts.rpl goal.rpl </dev/null
expect "run: unsatisfied" 1 "" "unsatisfied: " "$rpl" run facts.rpl no.rpl </dev/null
expect "run: the log" 0 "" "1.3 quiesce relations" "$rpl" run facts.rpl goal.rpl --log phases </dev/null

# --- Formatting ---------------------------------------------------------------------------

printf '# A - p( ?x )\n\nProse  stays.\n\n```rpl\np( 1 )\n```\n' >untidy.md
printf '# A - p(?x)\n\nProse  stays.\n\n```rpl\np(1)\n```\n' >tidy.md
printf 'p( 1 )\nq(\n' >wrong.rpl
ln -s untidy.md link.md
chmod 640 untidy.md

expect "fmt: to stdout" 0 "$(cat tidy.md)" "" "$rpl" fmt untidy.md
expect "fmt: standard input" 0 "p(1)" "" "$rpl" fmt - < <(printf 'p( 1 )')
expect "fmt: nothing is added" 0 "" "" "$rpl" fmt empty.md
expect "fmt: --check, tidy" 0 "" "" "$rpl" fmt --check tidy.md
expect "fmt: --check, untidy" 1 "untidy.md" "" "$rpl" fmt --check tidy.md untidy.md
expect "fmt: --diff, tidy" 0 "" "" "$rpl" fmt --diff tidy.md
expect "fmt: --diff, untidy" 1 "$(diff -u --label untidy.md --label untidy.md untidy.md tidy.md)" "" \
  "$rpl" fmt --diff untidy.md
expect "fmt: --diff without a final newline" 1 '*' "" "$rpl" fmt --diff - < <(printf 'p( 1 )')
grep -qxF '\ No newline at end of file' out || fail "expected a word on the missing newline"
expect "fmt: errors, where possible" 2 "$(printf 'p(1)\nq(')" "wrong.rpl:2:2: error" "$rpl" fmt wrong.rpl
expect "fmt: -w leaves files with errors" 2 "" "wrong.rpl:2:2: error" "$rpl" fmt -w wrong.rpl
grep -qxF 'p( 1 )' wrong.rpl || fail "expected wrong.rpl as it was"
expect "fmt: not UTF-8" 2 '*' "latin.md:2:1: error RPL1002" "$rpl" fmt latin.md
cmp -s out latin.md || fail "expected the bytes of latin.md"
expect "fmt: -w through a link" 0 "" "link.md" "$rpl" fmt -w link.md
[[ -L link.md && $(stat -c %a untidy.md) == 640 ]] || fail "expected link and mode kept"
cmp -s untidy.md tidy.md || fail "expected untidy.md formatted"
expect "fmt: -w again" 0 "" "" "$rpl" fmt -w untidy.md
[[ ! -s err ]] || fail "expected nothing on stderr"
expect "fmt: a missing file, and another" 6 "$(cat tidy.md)" "none.md: No such file" \
  "$rpl" fmt none.md tidy.md
expect "fmt: a folder" 6 "" "folder.md: Is a directory" "$rpl" fmt folder.md
expect "fmt: -w to standard input" 2 "" "cannot write to standard input" "$rpl" fmt -w -
expect "fmt: two modes" 2 "" "excludes" "$rpl" fmt -w --check tidy.md

# --- Explanations ------------------------------------------------------------------------

printf 'edge(1, 2)\nedge(2, 3)\nto(?a, ?b) <- edge(?a, ?b)\nto(?a, ?c) <- to(?a, ?b), edge(?b, ?c)\n%%g(?x) <- to(1, ?x)\n' >graph.rpl
printf 'r(?x) <- ?x = $ask("Q")\n%% <- r(?x)\n' >asks.rpl

expect "explain: a proof" 0 $'to(1, 3)  graph.rpl:4: to(?a, ?c) <- to(?a, ?b), edge(?b, ?c)
  to(1, 2)  graph.rpl:3: to(?a, ?b) <- edge(?a, ?b)
    edge(1, 2)  graph.rpl:1
  edge(2, 3)  graph.rpl:2' "" "$rpl" explain -f graph.rpl 'to(1, 3)'
expect "explain: a depth" 0 '*' "" "$rpl" explain -f graph.rpl 'to(1, 3)' --depth 0
grep -qF '… deeper than 0, see --depth' out || fail "expected a note where the tree is cut"
expect "explain: a form" 0 $'edge(1, 2)  graph.rpl:1\nedge(2, 3)  graph.rpl:2' "" \
  "$rpl" explain -f graph.rpl 'edge(?a, ?b)'
expect "explain: more than ten" 0 '*' "note: 2 more match" "$rpl" explain \
  -f <(seq -f 'p(%g)' 12) -f facts.rpl 'p(?x)'
expect "explain: a goal" 0 '*' "" "$rpl" explain -f graph.rpl '%g(3)'
grep -q '^%g(3)  graph.rpl:5' out || fail "expected the goal's rule"
expect "explain: no such fact" 1 "" "see why with \`--not\`" "$rpl" explain -f graph.rpl 'to(3, 1)'
expect "explain --not" 0 '*' "" "$rpl" explain -f graph.rpl --not 'to(3, 1)'
grep -qF 'edge(3, 1)  (no fact matches, with ?a = 3' out || fail "expected the clause that fails"
expect "explain --not: it holds" 1 "" "it holds: to(1, 3), derived at graph.rpl:4:1" \
  "$rpl" explain -f graph.rpl --not 'to(1, 3)'
expect "explain --not: a name" 0 "no egde(1, 2)  (nothing defines egde/2, did you mean edge/2?)" "" \
  "$rpl" explain -f graph.rpl --not 'egde(1, 2)'
expect "explain: JSON" 0 '*' "" "$rpl" explain -f graph.rpl 'to(1, 3)' --format json
grep -q '^{"schema":"rpl.explain/1","fact":"to(1, 3)","tree":{"kind":"derived"' out ||
  fail "expected rpl.explain/1 on stdout"
expect "explain --not: JSON" 0 '*' "" "$rpl" explain -f graph.rpl --not 'to(3, 1)' --format json
grep -q '"kind":"failed","text":"edge(3, 1)"' out || fail "expected the clause that fails"
expect "explain: dot" 0 '*' "" "$rpl" explain -f graph.rpl 'to(1, 3)' --format dot
grep -q '^digraph explanation {' out || fail "expected a graph"
expect "explain: an answer given" 0 $'r("A")  asks.rpl:1: r(?x) <- ?x = $ask("Q")
  $ask("Q") = "A"  (answered)' "" "$rpl" explain -f asks.rpl 'r(?x)' --answer ask=A
expect "explain: an open question" 1 "" "no fact matches" "$rpl" explain -f asks.rpl 'r(?x)'
expect "explain: a broken form" 2 "" "error RPL1004" "$rpl" explain -f graph.rpl 'to(1'
expect "explain: not a fact" 2 "" "expected one call to explain" "$rpl" explain -f graph.rpl 'not p(1)'
expect "explain: a broken program" 2 "" "unclosed.rpl:1:3: error RPL1003" \
  "$rpl" explain -f unclosed.rpl 'q(1)'
expect "explain: no file" 2 "" "--file is required" "$rpl" explain 'q(1)'
expect "explain: a missing file" 6 "" "none.md: No such file" "$rpl" explain -f none.md 'q(1)'
expect "explain: a bad depth" 2 "" "--depth" "$rpl" explain -f graph.rpl 'q(1)' --depth -1

# --- Checking ------------------------------------------------------------------------------

printf 'ready <- a()\na()\n%% <- ready\n' >bare.rpl
printf 'ready() <- a()\na()\n%% <- ready()\n' >bare.expected
expect "check: a warning passes" 0 '*' "0 errors, 2 warnings" "$rpl" check bare.rpl
grep -q '^bare.rpl:1:1: warning RPL6002: ' out || fail "expected the place and the code"
expect "check --strict" 1 '*' "2 errors" "$rpl" check --strict bare.rpl
expect "check --fail-level" 1 '*' "2 warnings" "$rpl" check --fail-level warning bare.rpl
expect "check: JSON" 0 '*' "" "$rpl" check --format json bare.rpl
grep -q '^{"schema":"rpl.check/1","findings":\[{"code":"RPL6002"' out || fail "expected rpl.check/1"
expect "check: SARIF" 0 '*' "" "$rpl" check --format sarif bare.rpl
grep -q '"version":"2.1.0"' out || fail "expected SARIF 2.1.0"
expect "check: GitHub" 0 '*' "" "$rpl" check --format github bare.rpl
grep -q '^::warning file=bare.rpl,line=1,' out || fail "expected a workflow command"
expect "check --fix" 0 "" "mended: 2 findings" "$rpl" check --fix bare.rpl
cmp -s bare.rpl bare.expected || fail "expected the parentheses to be added"
expect "check: clean" 0 "" "clean: 1 file" "$rpl" check --strict bare.rpl
printf 'backEdge(1)\n%% <- backEdge(_)\n' >other.md
printf '# Go - %%go <- other.md#backEdge(_)\n\nSee __backEdge__ and `other.md`.\n' >uses.md
expect "check --fix: files that name each other" 0 '*' "mended" "$rpl" check --fix uses.md other.md
grep -q 'other.md#back-edge(_)' uses.md || fail "expected the name changed where it is used"
expect "check: the two after mending" 0 "" "clean: 2 files" "$rpl" check --strict uses.md other.md
expect "check: a broken file" 1 '*' "1 error" "$rpl" check unclosed.rpl
expect "check: a missing file" 6 '*' "none.md: No such file" "$rpl" check none.md

# --- Streams and signals -----------------------------------------------------------------

# A reader that leaves ends the program without a word.
expect "a closed pipe" 0 "*" "" bash -c '"$1" help 2>&1 | head -n 1' - "$rpl"
expect "a full disk" 6 "*" "cannot write to standard output" bash -c '"$1" help >/dev/full' - "$rpl"
# timeout puts the program into its own process group, where SIGINT is not ignored.
expect "Ctrl-C while waiting for a line" 130 "" "Which draft?" \
  timeout --preserve-status -s INT 1 "$rpl" run ask.md < <(sleep 3)

printf '%s passed, %s failed\n' "$passed" "$failed"
((failed == 0))
