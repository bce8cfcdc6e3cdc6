#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/kill_test.sh RPL [KILLS [SEED]]
#
# Runs with tools and a question that are killed at a random moment, KILLS times in all (default
# 10), and resumed until each is satisfied: every session opens, no tool runs twice unless its user
# has it made again, and the answer is that of a run that was left alone. Then hooks that reach a cap
# at the same time, some of which are killed. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "$1")
kills=${2:-10}
RANDOM=${3:-1}
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state

# --- Runs -----------------------------------------------------------------------------------------

cat >tools.rpl <<'END'
% <- step(6, ?r), name(?who), ?both = [?r ?who], $json(?both)
step(0, 0)
step(?m, ?r) <- step(?n, ?s), ?n < 6, ?m = ?n + 1, $next(?n, ?s) ^ ~ {:result ?r}
name(?who) <- $ask("Who are you?") ^ ~ {:result ?who}
END
cat >rpl.yaml <<'END'
version: 1
tools:
  next: {command: [sh, tool.sh], permission: allow}
END
cat >tool.sh <<'END'
request=$(cat)
[ -n "$request" ] || exit 1  # rpl was killed before it sent one
id=${request#*\"id\":\"}; id=${id%%\"*}
args=${request#*\"args\":[}; n=${args%%,*}
echo "$n" >>ran
sleep 0.02
echo "{\"id\":\"$id\",\"result\":$((n + 10))}"
END
go=("$rpl" run tools.rpl --session s.rpls --allow-tool next --answer ask=Ada)
expect "a run that is left alone" 0 '[15,"Ada"]' '' "${go[@]}"

killed=0
# once: one run, killed until it is satisfied or 60 tries are over.
once() {
  rm -f ran s.rpls*
  name="a run that is killed ($killed before)" status=1
  local again=0 try run twice
  for ((try = 0; try < 60 && status != 0; try++)); do
    if ((killed < kills && RANDOM % 4 != 0)); then
      "${go[@]}" >out 2>err &
      run=$!
      sleep "0.$(printf '%03d' $((RANDOM % 200)))"
      kill -9 $run 2>/dev/null && killed=$((killed + 1))
      wait $run 2>/dev/null && status=0
    else
      status=0
      "${go[@]}" >out 2>err || status=$?
      if ((status != 0)); then
        # A call that was started and has no reply: only its user may have it made again.
        if ! grep -q -- --retry err; then fail "expected that it goes on"; return; fi
        again=$((again + 1)) status=0
        "$rpl" resume s.rpls --retry next --allow-tool next --answer ask=Ada >out 2>err || status=$?
      fi
    fi
    # What did not begin is no session yet.
    if [[ -e s.rpls ]] && ! "$rpl" trace verify s.rpls >verified 2>&1 &&
      ! grep -q 'not a session of rpl' verified; then cp verified err; fail "expected a sound session"; return; fi
  done
  twice=$(($(wc -l <ran) - $(sort -u ran | wc -l)))
  if ((status != 0)); then fail "expected that it is satisfied"
  elif ((twice > again)); then fail "$twice calls ran again, $again were made again by their user"
  elif [[ $(sort -u ran | tr '\n' ' ') != '0 1 2 3 4 5 ' ]]; then fail "calls: $(tr '\n' ' ' <ran)"
  elif ! "$rpl" trace replay s.rpls >out 2>err || [[ $(grep -c 'result 15}\|"Ada"} -> true$\|goal       % -> true$' out) != 4 ]]; then
    fail "expected the same answer"
  else pass
  fi
}
while ((killed < kills)); do once; done

# --- Hooks ----------------------------------------------------------------------------------------

cat >policy.json <<'END'
[{"priority": 1, "enabled": true, "name": "five", "selector": {"phase": "tool.before", "tool": {"name": "Task"}},
  "condition": {"kind": "maxCalls", "selector": {"by": "toolName", "patterns": ["Task"]}, "max": 5},
  "effect": {"type": "block"}}]
END
for ((round = 0; round <= kills / 10; round++)); do
  rm -f g.db* answer.*
  # In a shell of its own, which does not tell of processes that are killed.
  (for i in {1..40}; do
    printf '{"session_id":"s","hook_event_name":"PreToolUse","tool_use_id":"%s","tool_name":"Task","tool_input":{}}' "$i" |
      "$rpl" guard hook --root "$PWD" --policy policy.json --store g.db --timeout-ms 60000 >"answer.$i" 2>/dev/null &
    # Those that are killed may cost a place, and never make one.
    hook=$!
    if ((round % 2 == 1 && i % 4 == 0)); then (sleep 0.02; kill -9 $hook 2>/dev/null) & fi
  done
  wait) 2>/dev/null
  through=$(cat answer.* | grep -cx '{}')
  if ((round % 2 == 0)); then same "40 hooks at once: pass" 5 "$through"
  elif ((through <= 5)); then pass
  else failure "40 hooks at once, some of them killed: $through pass"
  fi
done

finish
