#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/loop_test.sh RPL
#
# Writing a protocol: `rpl new`, and `--watch` of run, check and test with every way in which a
# file changes. Each step waits for what it expects, so nothing depends on the speed of the
# machine. The last line is `N passed, N failed`.
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

finish
