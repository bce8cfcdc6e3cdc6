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

# --- Streams and signals -----------------------------------------------------------------

# A reader that leaves ends the program without a word.
expect "a closed pipe" 0 "*" "" bash -c '"$1" help 2>&1 | head -n 1' - "$rpl"
expect "a full disk" 6 "*" "cannot write to standard output" bash -c '"$1" help >/dev/full' - "$rpl"
# timeout puts the program into its own process group, where SIGINT is not ignored.
expect "Ctrl-C while waiting for a line" 130 "" "Which draft?" \
  timeout --preserve-status -s INT 1 "$rpl" run ask.md < <(sleep 3)

printf '%s passed, %s failed\n' "$passed" "$failed"
((failed == 0))
