#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/supervision_test.sh [RPL]
#
# No process of a tool survives rpl, however either of them ends: the processes that are left are
# counted. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state

# Each way of a process to get away, as a script that starts `sleep SECONDS` by it. The numbers are
# the marks by which the processes are counted.
cat >child.sh <<'END'
sleep "$1" &
END
cat >session.sh <<'END'
setsid sleep "$1" &
END
cat >daemon.sh <<'END'
(setsid env -i /bin/sh -c 'sleep "$0" & sleep "$0" & wait' "$1" </dev/null >/dev/null 2>&1 &)
END
cat >again.sh <<'END'
(setsid env -i /bin/sh -c 'trap "" TERM HUP INT; (setsid sleep "$0" &) ; while :; do sleep "$0"; done' "$1" </dev/null >/dev/null 2>&1 &)
END
number=1000
# mark: a number of seconds that no other process sleeps.
mark() { number=$((number + 1)); seconds=9$BASHPID.$number; }
left() { pgrep -fc "sleep $seconds" || true; }
# The system may take a moment.
none_left() {
  local i
  for ((i = 0; i < 200; i++)); do
    [[ $(left) != 0 ]] || { pass; return; }
    sleep 0.02
  done
  failure "$1" "processes left: $(pgrep -fa "sleep $seconds")"
  pkill -KILL -f "sleep $seconds"
}
started() { until [[ $(left) != 0 ]]; do sleep 0.02; done; }

# tool WAY REST: rpl.yaml and a program for a tool that starts processes by this way, then the rest.
tool() {
  mark
  printf 'read -r request\nid=$(echo "$request" | sed "s/.*\\"id\\":\\"\\([^\\"]*\\)\\".*/\\1/")\n. ../%s.sh "$1"\n%s\n' \
    "$1" "$2" >tool.sh
  printf 'version: 1\ntools: {t: {command: [sh, tool.sh, "%s"], permission: allow, timeoutMs: %s}}\n' \
    "$seconds" "${3:-60000}" >rpl.yaml
  printf '%% <- $t(1) ^ ~ {:result ?r}, $json(?r)\n' >p.rpl
}
reply='echo "{\"id\":\"$id\",\"result\":1}"'

# Below a keeper, too, a tool is looked up in PATH and has its environment.
mkdir bin
printf '#!/bin/sh\nread -r request\nid=$(echo "$request" | sed "s/.*\\"id\\":\\"\\([^\\"]*\\)\\".*/\\1/")\necho "{\\"id\\":\\"$id\\",\\"result\\":\\"$WORD$OTHER\\"}"\n' >bin/in-path
chmod +x bin/in-path
echo 'version: 1
tools: {t: {command: [in-path], permission: allow, environment: [PATH, WORD]}}' >rpl.yaml
echo '%a(?x) <- $t(1) ^ ~ {:result ?x}' >p.rpl
same "the environment of a tool" word \
  "$(PATH=$PWD/bin:$PATH WORD=word OTHER=other "$rpl" run p.rpl --goal a --allow-tool t 2>err)"

# ends WAY: however a tool, a hook or rpl ends, nothing is left.
ends() {
  local way=$1 signal run hook
  export XDG_STATE_HOME=$PWD/state
  tool $way "$reply"
  "$rpl" run p.rpl --allow-tool t >out 2>err
  none_left "$way: the tool ended"

  tool $way 'sleep "$1"' 300
  "$rpl" run p.rpl --allow-tool t >out 2>err
  none_left "$way: the tool ran out of time"

  for signal in KILL SEGV TERM INT HUP; do
    tool $way 'sleep "$1"'
    "$rpl" run p.rpl --allow-tool t >out 2>err &
    run=$!
    started
    kill -$signal $run
    wait $run 2>/dev/null
    none_left "$way: rpl ended by $signal"
  done

  tool $way 'sleep "$1"'
  "$rpl" run p.rpl --allow-tool t >out 2>err &
  run=$!
  started
  kill -KILL "$(pgrep -f "^rpl-keeper $run ")"
  wait $run 2>/dev/null
  none_left "$way: its keeper was killed"

  # Time that passed while rpl was stopped is none in which it killed.
  tool $way 'sleep "$1"'
  "$rpl" run p.rpl --allow-tool t >out 2>err &
  run=$!
  started
  kill -KILL "$(pgrep -f "^rpl-keeper $run ")"
  sleep 0.2
  kill -STOP $run
  sleep 6
  kill -CONT $run
  wait $run 2>/dev/null
  none_left "$way: its keeper was killed, and rpl stopped for a while"

  # A signal command of a hook that runs out of time, or is killed.
  mark
  printf '. ../%s.sh "$1"\nsleep "$1"\n' $way >signal.sh
  printf 'version: 1\nguard: {signals: {risk: {command: [sh, signal.sh, "%s"], timeoutMs: 60000}}}\n' \
    "$seconds" >guard.yaml
  cat >policy.json <<'END'
[{"priority": 1, "enabled": true, "name": "r", "selector": {"phase": "tool.before", "tool": {}},
  "condition": {"kind": "signal", "key": "risk", "args": {}, "op": "eq", "value": "1"}, "effect": {"type": "block"}}]
END
  echo '{"tool_name":"Bash","tool_input":{}}' >input
  "$rpl" guard hook --root "$PWD" --policy policy.json --config guard.yaml --timeout-ms 500 <input >out 2>err
  none_left "$way: a hook that ran out of time"
  "$rpl" guard hook --root "$PWD" --policy policy.json --config guard.yaml <input >out 2>err &
  hook=$!
  started
  kill -KILL $hook
  wait $hook 2>/dev/null
  none_left "$way: a hook that was killed"

  [[ $way != again ]] || return 0
  # A tool that stops its keeper.
  tool $way 'kill -STOP "$PPID"; sleep "$1"' 300
  "$rpl" run p.rpl --allow-tool t >out 2>err
  none_left "$way: a tool that stopped its keeper ran out of time"

  tool $way 'kill -STOP "$PPID"; sleep "$1"'
  "$rpl" run p.rpl --allow-tool t >out 2>err &
  run=$!
  started
  kill -KILL $run
  wait $run 2>/dev/null
  none_left "$way: rpl was killed, whose keeper was stopped"
}
side_by_side ends child session daemon again

# Many calls leave nothing open: with few descriptors and processes they still run.
cat >tool.sh <<'END'
read -r request
id=${request#*\"id\":\"}
echo "{\"id\":\"${id%%\"*}\",\"result\":1}"
END
printf 'version: 1\ntools: {t: {command: [sh, tool.sh], permission: allow}}\n' >rpl.yaml
{
  for i in {1..400}; do echo "n($i)"; done
  echo '%main(?x) <- n(?x), $t(?x) ^ ~ {:result ?r}'
} >many.rpl
expect "400 calls with 60 descriptors" 0 '*' "" bash -c 'ulimit -n 60; exec "$@"' - "$rpl" run many.rpl --allow-tool t
same "each of them has its answer" 400 "$(wc -l <out)"

finish
