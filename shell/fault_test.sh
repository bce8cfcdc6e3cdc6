#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/fault_test.sh RPL LIBRARY [MOST]
#
# Whole runs in which one call of the system fails: each open, write, sync and request for memory
# in turn, at most MOST of a kind (default 40, spread evenly), of a run with tools, of hooks of a
# guard, and of a session of the shell. Whatever fails: what was acknowledged is there afterwards,
# no tool ran twice, no cap was passed, and every file opens. LIBRARY is shell/fail_once.cc. The
# last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "$1")
library=$(realpath "$2")
most=${3:-40}
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state

# fault KIND AT COMMAND…: the command with this fault; AT 0: without, its calls are counted.
fault() {
  local kind=$1 at=$2
  shift 2
  if ((at == 0)); then
    env LD_PRELOAD="$library" FAIL_KIND="$kind" FAIL_COUNTS="$folder/counts" "$@"
  else
    timeout 20 env LD_PRELOAD="$library" FAIL_KIND="$kind" FAIL_AT="$at" "$@"
  fi
}

# The numbers of the calls that fail, of as many as the file of counts says.
places() {
  local all step
  all=$(sort -n counts | tail -n 1)
  step=$(((all + most - 1) / most))
  seq 1 "$((step > 0 ? step : 1))" "$all"
}

# --- A run with tools, saved -----------------------------------------------------------------------

mkdir run && cd run || exit 1
cat >tools.rpl <<'END'
% <- $one(1) ^ ~ {:result ?a}, $two(?a) ^ ~ {:result ?b}, $three(?b) ^ ~ {:result ?c}, $json(?c)
END
cat >rpl.yaml <<'END'
version: 1
tools:
  one: {command: [sh, tool.sh, one], permission: allow}
  two: {command: [sh, tool.sh, two], permission: allow}
  three: {command: [sh, tool.sh, three], permission: allow}
END
cat >tool.sh <<'END'
id=$(sed 's/.*"id":"\([^"]*\)".*/\1/')
echo ran >>"$1"
echo "{\"id\":\"$id\",\"result\":1}"
END
allow=(--allow-tool one --allow-tool two --allow-tool three)

# once KIND AT: the run with the fault, then resumed until it is satisfied.
once() {
  rm -f one two three ./*.rpls*
  name="a run with tools: $1 $2" status=0
  fault "$1" "$2" "$rpl" run tools.rpl --session s.rpls "${allow[@]}" >out 2>err || status=$?
  if ((status > 70)); then fail "expected no crash"; return; fi
  local retried=no tool try
  for try in 1 2 3 4; do
    if [[ -e s.rpls ]]; then
      # What did not begin is none yet; the next run begins it.
      "$rpl" trace verify s.rpls >out 2>err || grep -q 'not a session of rpl' err ||
        { fail "expected a sound session"; return; }
    fi
    status=0
    "$rpl" run tools.rpl --session s.rpls "${allow[@]}" >out 2>err || status=$?
    ((status != 0)) || break
    # A call that was started and has no reply is in doubt: only its user may have it made again.
    grep -q -- --retry err || { fail "expected that it goes on"; return; }
    retried=yes
    for tool in one two three; do
      "$rpl" resume s.rpls --retry $tool "${allow[@]}" >out 2>err && status=0 && break 2
    done
  done
  local runs most_runs=1
  [[ $retried == no ]] || most_runs=2
  for tool in one two three; do
    runs=$(cat "$tool" 2>/dev/null | wc -l)
    if ((runs < 1 || runs > most_runs)); then fail "the tool $tool ran $runs times"; return; fi
  done
  if ((status == 0)); then pass; else fail "expected that it is satisfied"; fi
}

for kind in open write sync malloc; do
  rm -f ../counts
  once "$kind" 0
  for at in $(cd .. && places); do once "$kind" "$at"; done
done
cd ..

# --- Hooks of a guard --------------------------------------------------------------------------------

mkdir hooks && cd hooks || exit 1
cat >policy.json <<'END'
[{"priority": 1, "enabled": true, "name": "two", "selector": {"phase": "tool.before", "tool": {"name": "Task"}},
  "condition": {"kind": "maxCalls", "selector": {"by": "toolName", "patterns": ["Task"]}, "max": 2},
  "effect": {"type": "block", "reason": "two are enough"}}]
END
call='{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Task","tool_input":{}}'
hook() { "$@" guard hook --root "$PWD" --policy policy.json --store g.db --audit a.jsonl --audit-required <<<"$call"; }

hooks() {
  rm -f g.db* a.jsonl
  name="hooks: $1 $2"
  : >answers
  hook "$rpl" >>answers 2>err
  hook fault "$1" "$2" "$rpl" >>answers 2>err
  for _ in 1 2 3; do hook "$rpl" >>answers 2>err; done
  local passes
  passes=$(grep -cx '{}' answers)
  cp answers out
  # A call that was counted and not answered costs one of the two; it never adds one.
  if ((passes < 1 || passes > 2)); then fail "$passes calls passed"
  elif [[ $(tail -n 1 answers) != *'two are enough'* ]]; then fail "expected that the store counts"
  elif ! "$rpl" guard audit a.jsonl >out 2>err; then fail "expected a sound audit log"
  else pass
  fi
}

for kind in open write sync malloc; do
  rm -f ../counts
  hooks "$kind" 0
  for at in $(cd .. && places); do hooks "$kind" "$at"; done
done
cd ..

# --- A session of the shell ---------------------------------------------------------------------------

mkdir shell && cd shell || exit 1
entries=$(for i in {1..5}; do printf 'p(%s)\np(%s)\n' "$i" "$i"; done)

shell() {
  rm -f ./*.rpls*
  name="a session of the shell: $1 $2" status=0
  fault "$1" "$2" "$rpl" repl --session s.rpls <<<"$entries" >said 2>err || status=$?
  cp said out
  if ((status > 70)); then fail "expected no crash"; return; fi
  local known
  # What it said to hold before it ended.
  known=$(grep -cx true said)
  status=0
  "$rpl" repl --session s.rpls <<<'p(?x)' >out 2>err || status=$?
  if ((status > 2)); then fail "expected that the session opens"; return; fi
  if (($(grep -cE '^ *[0-9]+$' out) >= known)); then pass; else fail "expected $known facts"; fi
}

for kind in open write sync malloc; do
  rm -f ../counts
  shell "$kind" 0
  for at in $(cd .. && places); do shell "$kind" "$at"; done
done
cd ..

finish
