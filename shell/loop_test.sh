#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/loop_test.sh RPL
#
# Writing a protocol: `rpl new`; filters, coverage, JUnit and `--update` of `rpl test`; and
# `--watch` of run, check and test with every way in which a file changes. Each step of a watch
# waits for what it expects, so nothing depends on the speed of the machine. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: loop_test.sh RPL}")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
watcher=
trap 'stop 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# --- A new protocol --------------------------------------------------------------------------

expect "new" 0 $'wrote bike-lending.md and its tests, bike-lending-test.md\n\nnext:
  rpl run bike-lending.md\n  rpl test bike-lending-test.md\n  rpl check --watch bike-lending.md' "" \
  "$rpl" new bike-lending
expect "new: it is clean" 0 "" "" "$rpl" check --strict --fail-level info bike-lending.md bike-lending-test.md
expect "new: it is laid out" 0 "" "" "$rpl" fmt --check bike-lending.md bike-lending-test.md
expect "new: it passes" 0 "2 passed, 0 failed" "" "$rpl" test bike-lending-test.md
expect "new: it asks" 3 "" "How many do you need?" "$rpl" run bike-lending.md
expect "new: it is satisfied" 0 $'{"?size":"small","?count":3}' "satisfied: %bike-lending" \
  "$rpl" run bike-lending.md --answer size=small --answer count=3
expect "new: its constraint" 1 '*' "There are only 10, and 11 are asked for." \
  "$rpl" run bike-lending.md --answer size=small --answer count=11 </dev/null
same "new: the title" '# Bike lending - %bike-lending(?size, ?count) <- size(?size), count(?count)' \
  "$(head -n 1 bike-lending.md)"
echo mine >bike-lending.md
expect "new: nothing is overwritten" 6 "" "bike-lending.md: exists already" "$rpl" new bike-lending
same "new: it is as it was" mine "$(cat bike-lending.md)"
rm bike-lending.md
echo mine >bike-lending-test.md
expect "new: nor a test" 6 "" "bike-lending-test.md: exists already" "$rpl" new bike-lending.md
check "new: then no protocol is written" test ! -e bike-lending.md
for name in '' a/ Trip 2x a--b -a a- fail 'a b' 'a_b' .md ..; do
  expect "new: the name '$name'" 2 "" "expected a name such as" "$rpl" new -- "$name"
done
expect "new: a folder that is missing" 6 "" "none/trip.md: No such file or directory" "$rpl" new none/trip
mkdir 'my plans'
expect "new: in a folder" 0 '*' "" "$rpl" new 'my plans/trip'
same "new: the folder is quoted" "  rpl run 'my plans/trip.md'" "$(grep run out)"

expect "new: a gate" 0 $'wrote push-gate.md and its tests, push-gate-test.md\n\nnext:
  rpl guard install push-gate.md\n  rpl test push-gate-test.md\n  rpl check --watch push-gate.md' "" \
  "$rpl" new --kind gate push-gate
expect "new: a gate is clean" 0 "" "" "$rpl" check --strict --fail-level info push-gate.md push-gate-test.md
expect "new: a gate is laid out" 0 "" "" "$rpl" fmt --check push-gate.md push-gate-test.md
expect "new: a gate passes" 0 "2 passed, 0 failed" "" "$rpl" test push-gate-test.md

# --- Filters and reports ---------------------------------------------------------------------

mkdir reports && cd reports || exit 1
cat >ship.md <<'END'
# Ship - %ship(?how) <- weight(?w), way(?w, ?how)

## Weight - weight(?w)

How heavy is it?

## Way - way(?w, ?how) <- weight(?w), (?w < 5, ?how = "bag" | ?w >= 5, ?how = "box" | ?w > 99, ?how = "van")

## No more - weight(?w) -> ?w < 50

## Never - %never(?x) <- weight(?x), ?x > 1000
END
cat >ship-test.md <<'END'
# Ship

## Light

```rpl-test
LOAD: ship.md
REPLY: w => 1
RUN:
AGENT:
bag
```

# Other

## Heavy

```rpl-test
LOAD: ship.md
REPLY: w => 7
RUN:
AGENT:
box
```
END
expect "filter: by name" 0 '1 passed, 0 failed' "" "$rpl" test ship-test.md --filter Heavy
expect "filter: by a heading above" 0 '1 passed, 0 failed' "" "$rpl" test ship-test.md --filter Ship
expect "coverage" 0 'ship.md: rules 2/3, headings 3/4, branches 2/3, constraints 0/1, 63.6 %
  ship.md:7: branch without a result: ?w > 99, ?how = "van"
  ship.md:9: constraint never violated: weight(?w) -> ?w < 50
  ship.md:11: rule without a result: %never(?x) <- weight(?x), ?x > 1000
  ship.md:11: heading never active: %never(?x) <- weight(?x), ?x > 1000
coverage 63.6 %
2 passed, 0 failed' "" "$rpl" test ship-test.md --coverage
expect "coverage: of the cases that ran" 0 '*' "" "$rpl" test ship-test.md --coverage --filter Heavy
same "coverage: of the cases that ran" 'coverage 54.5 %' "$(grep '^coverage' out)"
expect "coverage: too little" 1 '*' "the coverage is 63.6 %, less than 80 %" "$rpl" test ship-test.md --min 80
expect "coverage: enough" 0 '*' "" "$rpl" test ship-test.md --min 60
expect "coverage: no percentage" 2 "" "--min" "$rpl" test ship-test.md --min 101
expect "coverage: a file that cannot be written" 6 '*' "none/c.html: cannot be written" \
  "$rpl" test ship-test.md --coverage-html none/c.html
expect "coverage: as JSON" 0 '*' "" "$rpl" test ship-test.md --coverage --format json
same "coverage: as JSON" '63.6 1 rule,heading,heading,rule,heading,branch,branch,branch,constraint,rule,heading' \
  "$(jq -r '"\(.coverage.percent) \(.coverage.files | length) \([.coverage.files[0].parts[].kind] | join(","))"' out)"
expect "coverage: reports" 0 '2 passed, 0 failed' "" "$rpl" test ship-test.md --coverage-html c.html \
  --coverage-lcov c.info --junit r.xml
same "coverage: lcov" 'TN:
SF:ship.md
BRDA:7,0,0,1
BRDA:7,0,1,1
BRDA:7,0,2,0
BRF:3
BRH:2' "$(sed -E '/^BRDA/s/,[1-9][0-9]*$/,1/' c.info | head -n 7)"
same "coverage: lcov's lines" 'DA:9,0 DA:11,0 LF:5 LH:3 end_of_record' "$(grep -E '^(DA:.*,0|L|end)' c.info | paste -sd ' ')"
check "coverage: the page marks its lines" grep -Eq '<span class="line bad" id="[^"]*" title="constraint never violated: weight[(][?]w[)] -&gt; [?]w &lt; 50' c.html
same "coverage: the page has every line" 11 "$(grep -o '<span class="line' c.html | wc -l)"
check "coverage: the page loads nothing" grep -q "default-src 'none'" c.html
check "coverage: the page says what its colours mean" grep -q '<li class="bad">not covered</li>' c.html
cat >guarded.md <<'END'
# Refund - $refund(?order)

# Closed
$refund(?order), closed(?order, ?why) -> false

# Sold
$refund(?order), sold(?order) -> false
END
cat >guarded-test.md <<'END'
# Closed

```rpl-test
LOAD: guarded.md
USER:
closed("o1", "late")
closed("o1", "paid")
% <- $refund("o1") ^ ~ {:result _}
FAIL:
is blocked by the rule `closed`
```
END
expect "coverage: a guard that forbade a call" 0 'guarded.md: constraints 1/2, 50.0 %
  guarded.md:7: constraint never violated: $refund(?order), sold(?order) -> false
coverage 50.0 %
1 passed, 0 failed' "" "$rpl" test guarded-test.md --coverage
expect "coverage: how often it did" 0 '*' "" "$rpl" test guarded-test.md --coverage --format json
same "coverage: how often it did" '[2,0]' "$(jq -c '[.coverage.files[0].parts[] | select(.kind == "constraint") | .count]' out)"
cat >in-text.md <<'END'
# In the text

```rpl-test
USER:
p(1)
% <- p(1)
AGENT:
true
```
END
expect "coverage: of no file" 0 $'no script loads a protocol with LOAD\n1 passed, 0 failed' "" \
  "$rpl" test in-text.md --coverage

# What a CI system reads: a suite for each file, a case for each heading.
printf '# A "<case>"\n\n```rpl-test\nUSER:\np(1)\n%% <- p(2)\nAGENT:\ntrue\n```\n\n# B\n\n```rpl-test\nWRONG:\n```\n' >bad-test.md
expect "junit: failures" 2 '*' "" "$rpl" test ship-test.md bad-test.md --junit r.xml
same "junit" '4 1 1
ship-test.md 2 0 0
  ship-test.md ship-test.md Light 3 None
  ship-test.md ship-test.md Heavy 15 None
bad-test.md 2 1 1
  bad-test.md bad-test.md A "<case>" 1 failure line 7, AGENT: expected these lines
  bad-test.md bad-test.md B 11 error line 14: unknown directive `WRONG:`' "$(python3 -c '
import sys, xml.etree.ElementTree as tree
root = tree.parse("r.xml").getroot()
print(root.get("tests"), root.get("failures"), root.get("errors"))
for suite in root:
    print(suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors"))
    for case in suite:
        float(case.get("time"))
        bad = case[0].tag + " " + case[0].get("message") if len(case) else None
        print(" ", case.get("classname"), case.get("file"), case.get("name"), case.get("line"), bad)')"
expect "junit: a file that cannot be written" 6 '*' "none/r.xml: cannot be written" \
  "$rpl" test ship-test.md --junit none/r.xml

# --- New expectations ------------------------------------------------------------------------

cp ship-test.md before.md
sed -i 's/"bag"/"bundle"/; s/?w > 99/?w < 9/' ship.md
expect "update" 0 'ship-test.md:3: Light: updated
ship-test.md:16: Heavy: updated
2 cases updated
2 passed, 0 failed' "" "$rpl" test ship-test.md --update
same "update: nothing else changes" '10c10,11
< bag
---
> bundle
> van
22a24
> van' "$(diff before.md ship-test.md)"
expect "update: what holds stays" 0 $'0 cases updated\n2 passed, 0 failed' "" "$rpl" test ship-test.md --update
same "update: what holds stays" '' "$(find . -name '*.rpl-*')"
cp ship-test.md before.md
sed -i 's/?w < 50/?w < 7/' ship.md
expect "update: not for an error" 1 '*' "" "$rpl" test ship-test.md --update
same 'update: the error is told' 1 "$(grep -c 'with the status failed' out)"
same "update: it is not for an error" "" "$(diff before.md ship-test.md)"
cat >many-test.md <<'END'
# Many

```rpl-test
NOW: 2026-01-02T00:00:00Z
DOCUMENT: a.rpl
p(1)
DEFINES:
nothing
USER:
% <- p(2)
STATUS: satisfied
UNSAT:
something else
USER:
% <- p(?x), $json(?x)
AGENT:
2
FILE: b.rpl
q( 1 )
COMMAND: fmt b.rpl
EXIT: 0
PRINTS:
q( 1 )
STDOUT:
q(2)
FOLDER: .
c.rpl
```

# Fails

```rpl-test
USER:
% <- p(1
AGENT:
p
```

# Waits

```rpl-test
USER:
% <- ?x = $ask("Who?"), $json(?x)
AGENT:
"me"
```

# Exits

```rpl-test
FILE: b.rpl
q(
COMMAND: check b.rpl
EXIT: 0
PRINTS:
fine
```

# A directive comes out

```rpl-test
COMMAND: query '?x = "AGENT:"'
PRINTS:
none
```
END
expect "update: kinds" 1 '*' "" "$rpl" test many-test.md --update
same "update: cases" 'many-test.md:1: Many: updated
many-test.md:29: Fails
many-test.md:38: Waits
many-test.md:47: Exits
many-test.md:58: A directive comes out
1 case updated
1 passed, 4 failed' "$(grep -E '^many-test|updated$|passed' out)"
same "update: kinds" 'DEFINES:
USER:
% <- p(2)
STATUS: unsatisfied
UNSAT:
no fact matches `p(2)`
USER:
% <- p(?x), $json(?x)
AGENT:
1
FILE: b.rpl
q( 1 )
COMMAND: fmt b.rpl
EXIT: 0
PRINTS:
q(1)
STDOUT:
q(1)
FOLDER: .
b.rpl' "$(sed -n '/^DEFINES/,/^```/p' many-test.md | sed '$d')"
cd ..

# --- Watching --------------------------------------------------------------------------------

# watch ARGS…: starts it; what it writes goes to the file `log`.
watch() {
  : >log
  "$rpl" "$@" >>log 2>&1 <&"${input:-0}" &
  watcher=$!
}

# stop: ends it as Ctrl-C does, and leaves its exit code in $status.
stop() {
  [[ -n $watcher ]] || return 0
  kill -INT "$watcher"
  wait "$watcher"
  status=$?
  watcher=
}

# await N TEXT: waits until the log has N lines with the text.
await() {
  local i
  for ((i = 0; i < 200; ++i)); do
    (($(grep -cF -- "$2" log) < $1)) || { pass; return 0; }
    sleep 0.05
  done
  failure "waited in vain for $1 of: $2" "$(cat log)"
}

# quiet TEXT…: half a second later, the log has as many lines as before.
quiet() {
  local before
  before=$(wc -l <log)
  "${@:2}"
  sleep 1.5
  same "$1" "$before" "$(wc -l <log)"
}

exec {none}</dev/null
input=$none
set -m  # a process in the background takes Ctrl-C

printf 'p(1)\nq(?x) <- p(?x)\n' >a.rpl
watch check --watch a.rpl
await 1 "-- exit code 0; watching"
printf 'p(1)\nq(?x) <- p(?y\n' >a.rpl
await 1 "-- a.rpl changed"
await 1 "-- exit code 1; watching 1 file,"
printf 'p(1)\nq(?x) <- p(?x)\n' >new
mv new a.rpl
await 2 "-- exit code 0; watching"
rm a.rpl
await 1 "a.rpl: No such file or directory"
await 1 "-- exit code 6; watching"
printf 'p(1)\nq(?x) <- p(?x)\n' >a.rpl
await 3 "-- exit code 0; watching"
quiet "a file that was not read" bash -c 'echo x >other.rpl; echo y >b.md'
before=$(grep -c changed log)
for ((i = 0; i < 20; ++i)); do printf 'p(%s)\nq(?x) <- p(?x)\n' "$i" >a.rpl; done
await 4 "-- exit code 0; watching"
sleep 1
check "changes in quick succession are few runs" test $(($(grep -c changed log) - before)) -le 3
stop
same "Ctrl-C ends it" 130 "$status"
same "no screen is cleared but a terminal's" 0 "$(grep -c $'\033' log)"

# The folder, its new files, and a test's protocol.
mkdir tests
"$rpl" new trip >/dev/null
mv trip-test.md tests && sed -i 's|LOAD: |LOAD: ../|' tests/trip-test.md
watch test --watch tests
await 1 "2 passed, 0 failed"
sed -i 's/in-stock(10)/in-stock(20)/' trip.md
await 1 "-- trip.md changed"
await 1 "1 passed, 1 failed"
sed -i 's/in-stock(20)/in-stock(10)/' trip.md
await 2 "2 passed, 0 failed"
printf '# C\n\n```rpl-test\nUSER:\np(1)\n%% <- p(1)\nAGENT:\ntrue\n```\n' >tests/c.md
await 1 "-- tests changed"
await 1 "3 passed, 0 failed"
stop
same "Ctrl-C ends the tests" 130 "$status"
printf '# C\n\n```rpl-test\nFILE: a.rpl\np(1)\nCOMMAND: check a.rpl\nEXIT: 0\n```\n' >tests/c.md
watch test --watch tests/c.md
await 1 "1 passed, 0 failed"
quiet "files of a script do not count" true
stop

# A run that waits for input begins anew; what it reads beside the program counts.
mkfifo keys
exec {input}<>keys
printf '# Go - %%go(?x, ?y) <- x(?x), limit(?y)\n\n## X - x(?x)\n\nWhich x?\n' >go.md
printf 'n\n1\n' >limit.csv
watch run --watch go.md --facts limit=limit.csv
await 1 "Which x?"
printf 'n\n5\n' >limit.csv
await 1 "-- limit.csv changed"
await 2 "Which x?"
sed -i 's/Which x/What x/' go.md
await 1 "What x?"
echo 7 >keys
await 1 '{"?x":7,"?y":5}'
await 1 "-- exit code 0; watching 2 files"
stop
same "Ctrl-C ends a run that is over" 130 "$status"
sed -i 's/, limit(?y)/, ?y = 1/' go.md
watch run --watch go.md
await 1 "What x?"
stop
same "Ctrl-C ends a run that waits" 130 "$status"
sleep 0.2
same "no process is left" "" "$(pgrep -f "$folder/none|go.md --watch|run --watch go.md")"
exec {input}<&-
input=$none

# What only some programs read.
printf 'version: 1\ntools: {t: {command: ["true"], permission: allow}}\n' >rpl.yaml
printf '%% <- ?x = 1, $json(?x)\n' >json.rpl
watch run --watch json.rpl
await 1 "-- exit code 0; watching"
printf 'version: 1\ntools: {t: {command: ["false"], permission: allow}}\n' >rpl.yaml
await 1 "-- rpl.yaml changed"
await 2 "-- exit code 0; watching"
stop
rm rpl.yaml

# A namespace, and a source of facts.
printf 'limit(5)\n' >rules.rpl
printf 'n\n1\n' >rows.csv
printf '$index("rows.csv")\n%%go(?x, ?n) <- rules.rpl#limit(?x), rows(?n)\n' >uses.rpl
watch run --watch uses.rpl
await 1 "-- exit code"
printf 'limit(6)\n' >rules.rpl
await 1 "-- rules.rpl changed"
await 2 "-- exit code"
printf 'n\n2\n' >rows.csv
await 1 "-- rows.csv changed"
await 1 '{"?x":6,"?n":2}'
stop

# A session keeps what was answered before the change.
exec {input}<>keys
printf '# Go - %%go(?x, ?y) <- x(?x), y(?y)\n\n## X - x(?x)\n\nWhich x?\n\n## Y - y(?y)\n\nWhich y?\n' >two.md
watch run --watch two.md --session two.rpls
await 1 "Which x?"
echo 7 >keys
await 1 "Which y?"
sed -i 's/Which y/What y/' two.md
await 1 "What y?"
echo 8 >keys
await 1 '{"?x":7,"?y":8}'
same "what was answered is not asked again" 1 "$(grep -c 'Which x?' log)"
stop
exec {input}<&-
input=$none

mkdir gone && cp json.rpl gone
watch run --watch gone/json.rpl
await 1 "-- exit code 0; watching"
rm -r gone
await 1 "-- exit code 6; watching"
mkdir gone && cp json.rpl gone
await 2 "-- exit code 0; watching"
stop
same "Ctrl-C after a folder came back" 130 "$status"

watch run --watch json.rpl --max-time 5
await 1 "-- exit code 0; watching"
kill -TERM "$watcher"
wait "$watcher" 2>/dev/null
watcher=
sleep 0.2
same "no process is left after an end by force" "" "$(pgrep -f "run --watch json.rpl")"

# --- At a terminal ---------------------------------------------------------------------------

printf '# Go - %%go(?x) <- x(?x)\n\n## X - x(?x)\n\nWhich x?\n' >go.md
export TMUX_TMPDIR=$folder
socket=rpl-loop-$$
trap 'stop 2>/dev/null; tmux -L "$socket" kill-server 2>/dev/null; rm -rf "$folder"' EXIT
tmux -L "$socket" -f /dev/null new-session -d -s t -x 80 -y 24 \
  bash -c "env TERM=xterm '$rpl' run --watch go.md; echo \"ended with \$?\"; cat"
screen() { tmux -L "$socket" capture-pane -t t -p | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }
keys() { tmux -L "$socket" send-keys -t t "$@"; }
# shown TEXT: waits until the screen is this.
shown() {
  local i
  for ((i = 0; i < 200; ++i)); do
    [[ $(screen) != "$1" ]] || { pass; return 0; }
    sleep 0.05
  done
  failure "a screen: expected" "$1" "got" "$(screen)"
}
shown $'Which x?\n>'
keys -l 'half an ans'
shown $'Which x?\n> half an ans'
sed -i 's/Which/What/' go.md
shown $'-- go.md changed\nWhat x?\n>'
keys -l '7'
keys Enter
shown $'-- go.md changed\nWhat x?\n> 7\n7\nsatisfied: %go\n-- exit code 0; watching 1 file, Ctrl-C ends'
sed -i 's/What/Whose/' go.md
shown $'-- go.md changed\nWhose x?\n>'
keys C-c
for ((i = 0; i < 200; ++i)); do [[ $(screen) != *'ended with 130'* ]] || break; sleep 0.05; done
same "Ctrl-C at a terminal" 1 "$(screen | grep -c 'ended with 130')"

finish
