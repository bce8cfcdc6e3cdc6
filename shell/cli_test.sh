#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/cli_test.sh RPL
#
# What the command line promises: exit codes, which stream carries what, and clear errors
# for bad input. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: cli_test.sh RPL}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1

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

# --- Sessions ------------------------------------------------------------------------------

cat >trip.md <<'END'
# Trip - %trip(?where, ?nights) <- place(?where), stay(?where, ?nights)

# Place - place(?where)
Where to?

# Stay - stay(?where, ?nights) <- place(?where), ?nights = $ask("How long?")
END
expect "a session waits" 3 "" "saved: go on with \`rpl resume s.rpls\`" \
  "$rpl" run trip.md --session s.rpls
expect "a session goes on" 3 "" "How long?" "$rpl" resume s.rpls --answer where=Lucca
expect "run goes on with a session that is there" 0 '{"?where":"Lucca","?nights":3}' "" \
  "$rpl" run trip.md --session s.rpls --answer ask=3
expect "a session that is over says so again" 0 '{"?where":"Lucca","?nights":3}' "satisfied" \
  "$rpl" resume s.rpls
expect "trace: verify" 0 "" "sound: " "$rpl" trace verify s.rpls
expect "trace: show" 0 '*' "" "$rpl" trace show s.rpls
grep -q '^3.1 reply      place(?where) ^^ {?where "Lucca"} -> true$' out || fail "expected the reply"
cp out shown
expect "trace: replay gives the same" 0 "$(cat shown)" "" "$rpl" trace replay s.rpls
expect "trace: show as JSON" 0 '*' "" "$rpl" trace show s.rpls --format json
grep -q '^{"schema":"rpl.trace/1"' out || fail "expected rpl.trace/1"
expect "trace: query" 0 "Lucca" "" "$rpl" trace query s.rpls '%w(?w) <- place(?w)'
expect "trace: a query without answer" 1 '*' "" "$rpl" trace query s.rpls '% <- place("Rome")'
expect "trace: what is no query" 2 '*' "expected a goal form" "$rpl" trace query s.rpls 'place(?w)'
expect "trace: export" 0 '*' "" "$rpl" trace export s.rpls
cp out trace.rpl
expect "a trace restores what stood" 0 '{"?where":"Lucca","?nights":3}' "" "$rpl" run trip.md trace.rpl
expect "trace: export with hashes" 0 '*' "" "$rpl" trace export s.rpls --format ndjson
grep -q '^{"event":1,"kind":"program","body":' out || fail "expected the first event"
cp out lines.ndjson
expect "trace: verify an export" 0 "" "sound: " "$rpl" trace verify lines.ndjson
sed '3{h;d};4{G}' lines.ndjson >swapped.ndjson
expect "trace: verify finds swapped lines" 1 "" "line 3 is not what was written" \
  "$rpl" trace verify swapped.ndjson
sed '5d' lines.ndjson >missing.ndjson
expect "trace: verify finds a missing line" 1 "" "line 5 is not what was written" \
  "$rpl" trace verify missing.ndjson
sed '$d' lines.ndjson >short.ndjson
expect "trace: verify finds a missing end" 1 "" "is missing" "$rpl" trace verify short.ndjson
sed 's/Lucca/Pisas/' lines.ndjson >changed.ndjson
expect "trace: verify finds a changed letter" 1 "" "is not what was written" \
  "$rpl" trace verify changed.ndjson
cp s.rpls other.rpls
expect "trace: diff of the same" 0 "" "in common" "$rpl" trace diff s.rpls other.rpls
"$rpl" run trip.md --session third.rpls --answer where=Rome </dev/null >/dev/null 2>&1
expect "trace: diff" 1 '*' "0 entries in common" "$rpl" trace diff s.rpls third.rpls
grep -q '^+ 2.1 reply      place(?where) ^^ {?where "Rome"} -> true$' out || fail "expected the other reply"
# Bits of the file: each is found, or changes nothing that is read.
size=$(stat -c %s s.rpls)
for ((at = 137; at < size; at += 419)); do
  cp s.rpls flipped.rpls
  byte=$(dd if=s.rpls bs=1 skip="$at" count=1 2>/dev/null | od -An -tu1)
  # shellcheck disable=SC2059
  printf "$(printf '\\%03o' $((byte ^ 4)))" | dd of=flipped.rpls bs=1 seek="$at" conv=notrunc 2>/dev/null
  if "$rpl" trace verify flipped.rpls >/dev/null 2>&1 &&
    ! "$rpl" trace show flipped.rpls 2>/dev/null | cmp -s - shown; then
    name="a flipped bit at $at"
    fail "it was not found"
  fi
done
expect "trace: a file that is no session" 6 "" "not a session of rpl" "$rpl" trace show trip.md
expect "trace: a missing file" 6 "" "none.rpls: no such file" "$rpl" trace show none.rpls
expect "resume: a missing file" 6 "" "none.rpls: no such file" "$rpl" resume none.rpls
expect "run: a program with errors leaves no session" 2 '*' "RPL1003" \
  "$rpl" run unclosed.rpl --session new.rpls
[[ ! -e new.rpls ]] || fail "expected no file"
sed -i 's/How long?/How many nights?/' trip.md
expect "resume: a changed program is told and taken in" 3 '*' "the program has changed: 2 sentences" \
  "$rpl" resume third.rpls
grep -qF 'How many nights?' err || fail "expected the new question"
printf '# Broken - %%trip(?x <- a(?x)\n' >>trip.md
expect "resume: a program with errors is refused" 2 '*' "trip.md:7:" "$rpl" resume third.rpls
mv trip.md gone.md
expect "resume: a program that is gone" 3 '*' "going on with its text in the session" "$rpl" resume third.rpls
mv gone.md trip.md
mkfifo lines
"$rpl" run ask.md --session held.rpls <lines >/dev/null 2>&1 &
exec 9>lines
while ! [[ -s held.rpls-wal || -s held.rpls ]]; do sleep 0.05; done
sleep 0.2
expect "a session has one process at a time" 6 "" "another process has this session open" \
  "$rpl" resume held.rpls
exec 9>&-
wait

# --- A host program ------------------------------------------------------------------------

expect "--answers -: a request and its reply" 0 '*' "satisfied" \
  "$rpl" run ask.md --answers - < <(echo '{"id":"draft(?draft-id)","value":"doc-42"}')
grep -q '^{"schema":"rpl.request/1","id":"draft(?draft-id)","kind":"ask","key":"draft-id",' out ||
  fail "expected a request"
expect "--answers -: a line that is no reply" 0 '*' 'expected a reply to draft(?draft-id)' \
  "$rpl" run ask.md --answers - < <(echo '{"id":"x"}'; echo '{"id":"draft(?draft-id)","value":"d"}')
grep -q '"again":true}$' out || fail "expected the request again"
expect "--answers -: declined" 1 '*' '%fail("declined: draft(?draft-id)"' \
  "$rpl" run ask.md --answers - < <(echo '{"id":"draft(?draft-id)","decline":true}')
expect "--answers -: cancelled" 3 '*' 'waiting for an answer' \
  "$rpl" run ask.md --answers - < <(echo '{"id":"draft(?draft-id)","cancel":true}')
printf -- '- match: {key: draft-id}\n  value: doc-7\n' >answers.yaml
expect "--answers: YAML" 0 "doc-7" "satisfied" "$rpl" run ask.md --answers answers.yaml
printf -- 'draft: [1\n' >broken.yaml
expect "--answers: broken YAML" 2 "" "broken.yaml:" "$rpl" run ask.md --answers broken.yaml

# --- Limits --------------------------------------------------------------------------------

printf 'n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n%% <- n(-1)\n' >grows.rpl
{ for i in {1..300}; do echo "n($i)"; done; } >many.rpl
cp many.rpl cross.rpl
printf 'n(?x), n(?y), n(?z), n(?w), ?x + ?y + ?z + ?w = -1 -> false\n%% <- n(1)\n' >>cross.rpl
cp many.rpl wide.rpl
printf 'p(?x, ?y, ?z, ?w) <- n(?x), n(?y), n(?z), n(?w)\n%% <- p(-1, _, _, _)\n' >>wide.rpl
printf 'again(?n, ?a) <- ?a = $ask("q{?n}")\nloop(?n) <- again(?n, ?a), loop(?a)\n%% <- loop(1)\n' >loop.rpl
expect "a limit of rows" 5 "" 'limit reached: 1000 rows", "evaluation stopped while `n(?y) <- n(?x), ?y = ?x + 1` was still growing; its newest row is n(' \
  "$rpl" run grows.rpl --max-rows 1000
expect "a limit of rounds" 5 "" 'limit reached: 50 rounds' "$rpl" run grows.rpl --max-rounds 50
expect "a limit of time, deriving" 5 "" 'limit reached: 0.2 seconds' "$rpl" run wide.rpl --max-time 0.2
expect "a limit of time, checking constraints" 5 "" 'limit reached: 0.2 seconds' "$rpl" run cross.rpl --max-time 0.2
expect "a limit of memory" 5 "" 'limit reached: 100 MB of memory' "$rpl" run wide.rpl --max-memory 100
expect "a limit of timesteps" 5 "" 'limit reached: 3 timesteps", "% was still waiting for $ask(' \
  "$rpl" run loop.rpl --max-timesteps 3 < <(seq 2 9)
expect "a limit that is no number" 2 "" "--max-time" "$rpl" run grows.rpl --max-time soon
expect "a run that was cut off goes on from its file" 5 "" 'limit reached: 0.2 seconds' \
  "$rpl" run wide.rpl --max-time 0.2 --session cut.rpls
expect "nothing of what was cut off is kept" 0 "" "sound: 1 events" "$rpl" trace verify cut.rpls

# --- Tools ---------------------------------------------------------------------------------

export XDG_STATE_HOME=$folder/state
mkdir -p tools
printf '%% <- ?r = $hang()\n' >tools/hang.rpl
printf 'version: 1\ntools: {hang: {command: [sleep, "600.25"], permission: allow}}\n' >tools/rpl.yaml
printf 'version: 1\ntool: {}\n' >tools/bad.yaml
expect "run: a bad configuration" 2 "" "bad.yaml:2:1: error RPL7004: unknown key \`tool\`" \
  "$rpl" run tools/hang.rpl --config tools/bad.yaml
expect "run: no such configuration" 6 "" "none.yaml: No such file" \
  "$rpl" run tools/hang.rpl --config none.yaml
expect "run: no such tool to allow" 2 "" "has no tool \`hnag\`" \
  "$rpl" run tools/hang.rpl --allow-tool hnag
expect "run: a command that nobody approved" 4 "" "its command is not approved" \
  "$rpl" run tools/hang.rpl
expect "run: an answer comes before the command" 0 "*" "satisfied" \
  "$rpl" run tools/hang.rpl --answer hang=1
expect "Ctrl-C while a tool runs" 130 "" "interrupted" \
  timeout --preserve-status -s INT 1 "$rpl" run tools/hang.rpl --allow-tool hang
grep -qs '^sleep.600\.25' /proc/[0-9]*/cmdline && fail "expected the tool to be ended"

# A run that two questions and a slow tool make long: begun, killed while the tool runs,
# gone on with from other processes. Each question is asked once, the tool runs once.
cat >tools/slow.sh <<'END'
#!/usr/bin/env bash
IFS= read -r request
echo ran >>"$(dirname "$0")/ran"
while [[ ! -e $(dirname "$0")/go ]]; do sleep 0.05; done
id=${request#*'"id":"'}
printf '{"id":"%s","result":"done"}\n' "${id%%'"'*}"
END
chmod +x tools/slow.sh
cat >tools/long.md <<'END'
# Long - %long(?a, ?r, ?b) <- first(?a), ?r = $slow(?a), second(?b)

# First - first(?a)
First question?

# Second - second(?b)
Second question?

# Slow - $slow(?a)
It takes its time.
END
printf 'version: 1\ntools: {slow: {command: [./slow.sh], permission: allow}}\n' >tools/rpl.yaml
expect "long: it waits for the first answer" 3 "" "First question?" \
  "$rpl" run tools/long.md --session long.rpls
"$rpl" resume long.rpls --answer a=1 --allow-tool slow </dev/null >/dev/null 2>&1 &
while [[ ! -s tools/ran ]]; do sleep 0.05; done
kill -9 $!
wait $! 2>/dev/null
touch tools/go
expect "long: a call that was cut off is in doubt" 3 "" 'waiting for' \
  "$rpl" resume long.rpls --allow-tool slow
grep -qF '$slow("1")' err || grep -qF '$slow(1)' err || fail "expected the call"
expect "long: its result is given from elsewhere" 3 "" "Second question?" \
  "$rpl" resume long.rpls --answer slow=done --allow-tool slow
expect "long: it finishes" 0 '{"?a":1,"?r":"done","?b":2}' "satisfied" \
  "$rpl" resume long.rpls --answer b=2 --allow-tool slow
[[ $(cat tools/ran) == ran ]] || fail "expected the tool to run once"
"$rpl" trace export long.rpls >long.rpl
expect "long: its trace finishes without asking" 0 '{"?a":1,"?r":"done","?b":2}' "satisfied" \
  "$rpl" run tools/long.md long.rpl
"$rpl" trace replay long.rpls >replayed
for ((i = 0; i < 1000; i++)); do
  env -i A="$(printf '%*s' $((i * 7 % 4096)) '')" "$rpl" trace replay long.rpls | cmp -s - replayed || break
done
name="1,000 replays print the same bytes"
((i == 1000)) && passed=$((passed + 1)) || fail "replay $i differs"
printf 'version: 1\ntools: {slow: {command: ["false"], permission: allow}}\n' >tools/rpl.yaml
expect "a tool that failed decides" 4 "" '$slow(1) failed: ' \
  "$rpl" run tools/long.md --session retry.rpls --answer a=1 --allow-tool slow
printf 'version: 1\ntools: {slow: {command: [./slow.sh], permission: allow}}\n' >tools/rpl.yaml
expect "a failure stands" 4 "" '$slow(1) failed: ' "$rpl" resume retry.rpls --allow-tool slow
expect "resume --retry" 3 "" "Second question?" \
  "$rpl" resume retry.rpls --allow-tool slow --retry slow
: >tools/ran
expect "resume --retry of what went well" 3 "" "Second question?" \
  "$rpl" resume retry.rpls --allow-tool slow --retry slow
[[ ! -s tools/ran ]] || fail "expected no call"

# --- Streams and signals -----------------------------------------------------------------

# A reader that leaves ends the program without a word.
expect "a closed pipe" 0 "*" "" bash -c '"$1" help 2>&1 | head -n 1' - "$rpl"
expect "a full disk" 6 "*" "cannot write to standard output" bash -c '"$1" help >/dev/full' - "$rpl"
# timeout puts the program into its own process group, where SIGINT is not ignored.
expect "Ctrl-C while waiting for a line" 130 "" "Which draft?" \
  timeout --preserve-status -s INT 1 "$rpl" run ask.md < <(sleep 3)

printf '%s passed, %s failed\n' "$passed" "$failed"
((failed == 0))
