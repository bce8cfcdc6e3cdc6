#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/hook_fault_test.sh [RPL]
#
# `rpl guard hook` where something around it fails: its output, its memory, its files, its two
# processes. Hosts let a call through on any exit code but 0 and 2, so each fault ends with 2 and
# a reason on standard error. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
schema=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../docs/schemas/hook.json")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state

cat >policy.yaml <<'END2'
rules:
  - {priority: 1, enabled: true, name: look, selector: {phase: tool.before, tool: {name: Read}},
     condition: {kind: toolName, op: eq, value: Read}, effect: {type: allow}}
END2
cat >counts.yaml <<'END2'
rules:
  - {priority: 2, enabled: true, name: look, selector: {phase: tool.before, tool: {name: Read}},
     condition: {kind: toolName, op: eq, value: Read}, effect: {type: allow}}
  - {priority: 1, enabled: true, name: often, selector: {phase: tool.before, tool: {name: Read}},
     condition: {kind: maxCalls, selector: {by: toolName, patterns: [Read]}, max: 100}, effect: {type: block}}
END2
printf '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}' >read
printf '{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{}}' >used
cat >validate.py <<'END2'
import json, sys
import jsonschema
text = sys.stdin.read()
if text:
    jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.loads(text))
END2

# denied REASON: what $status, `out` and `err` are of a hook that denies. Standard output is one
# denial, or empty where it could not be written.
denied() {
  if [[ $status != 2 ]]; then fail "expected exit 2"
  elif ! grep -qF -- "$1" err; then fail "expected on stderr: $1"
  elif ! /usr/bin/python3 validate.py "$schema" <out 2>>err; then fail "expected the schema"
  elif [[ -s out ]] && ! grep -qE '"(permissionD|d)ecision":"(deny|block)"|"permission":"deny"' out; then fail "expected a denial"
  else pass
  fi
}

# fault NAME REASON SCRIPT [ARGUMENT…]: the script runs `$0`, and may redirect its output.
fault() {
  name="hook: $1"
  local reason=$2
  shift 2
  timeout 30 bash -c "$1" "$rpl" "${@:2}" 2>&1 >out | cat >err  # a pipe has no size limit
  status=${PIPESTATUS[0]}
  denied "$reason"
}

# allowed NAME SCRIPT: the answer comes all the same.
allowed() {
  name="hook: $1" status=0
  timeout 30 bash -c "$2" "$rpl" >out 2>err || status=$?
  if [[ $status == 0 ]] && grep -q '"permissionDecision":"allow"' out; then pass; else fail "expected allow"; fi
}

hook='"$0" guard hook --root "$PWD" --policy policy.yaml'
allowed "no fault" "$hook <read"
allowed "options before its name" '"$0" guard --policy "$PWD/policy.yaml" hook <read'

# --- Output ----------------------------------------------------------------------------------

fault "a full disk" "the answer cannot be written: No space left on device" "$hook <read >/dev/full"
fault "a reader that left" "the answer cannot be written: Broken pipe" \
  "set -o pipefail; { sleep 0.2; $hook <read; } | true"
fault "an output that is for reading" "the answer cannot be written: Bad file descriptor" "$hook <read 1<policy.yaml"
fault "an output that is closed" "standard output is closed" "$hook <read >&-"
fault "an input that is closed" "the input is not one JSON object" "$hook <&-"
fault "input and output are closed" "standard output is closed" "$hook <&- >&-"
allowed "standard error is closed" "$hook <read 2>&-"
name="hook: all three are closed" status=0
bash -c "$hook <&- >&- 2>&-" "$rpl" || status=$?
same "$name" 2 "$status"
fault "an output that may not grow" "the answer cannot be written: File too large" \
  "ulimit -f 0; $hook <read >>policy.yaml.out"
mkfifo unread
fault "an output that nobody reads" "no decision in time" \
  "exec 5<>unread; head -c 65536 /dev/zero >&5; $hook --timeout-ms 300 <read >&5"
allowed "a standard error that nobody reads" "exec 5<>unread; $hook <read 2>&5"

# --- Memory, files and processes ---------------------------------------------------------------

for mb in 22 24 28 32 36 40 48 64; do
  name="hook: $mb MB of memory" status=0
  bash -c "ulimit -v $((mb * 1024)); exec $hook <read" "$rpl" >out 2>err || status=$?
  if [[ $status == 0 ]] && grep -q '"permissionDecision":"allow"' out; then pass; else denied "rpl guard: "; fi
done
fault "too little memory to be loaded, with \`|| exit 2\`" "" "ulimit -v 6000; $hook <read || exit 2"
fault "no files to be opened" "no pipe for the hook: Too many open files" "exec 3>&-; exec prlimit --nofile=4 $hook <read"
if ((EUID == 0)); then as="setpriv --reuid=65534 --regid=65534 --clear-groups "; else as=; fi
chmod 755 .
fault "no process to be started" "no process for the hook: Resource temporarily unavailable" \
  "exec ${as}prlimit --nproc=0 $hook <read"
for policy in policy.yaml counts.yaml; do
  rm -f grown.jsonl
  fault "an audit log that may not grow, $policy" "killed by SIGXFSZ" \
    'ulimit -f 0; exec "$0" guard hook --root "$PWD" --policy "$1" --audit grown.jsonl <read' "$policy"
  "$rpl" guard hook --root "$PWD" --policy "$policy" --audit grown.jsonl <read >/dev/null
  for _ in {1..4}; do cat grown.jsonl; done >more && head -c 1000 more >grown.jsonl
  fault "an audit log that may not grow by a line, $policy" "killed by SIGXFSZ" \
    'ulimit -f 1; exec "$0" guard hook --root "$PWD" --policy "$1" --audit grown.jsonl <read' "$policy"
done
fault "a wrong command line" "unknown option" "$hook --nope <read"
allowed "a host that ignores SIGCHLD" "exec env --ignore-signal=CHLD $hook <read"

# --- Signals -----------------------------------------------------------------------------------

mkfifo waits
# begin OPTION…: starts a hook that waits for the end of its input; its processes are $parent
# and $child. Bash has it ignore some signals, which `defaults` undoes.
defaults=(env --default-signal)
begin() {
  status=0
  "${defaults[@]}" "$rpl" guard hook --root "$PWD" --policy policy.yaml "$@" <waits >out 2>err &
  parent=$!
  exec 8>waits
  until child=$(pgrep -P "$parent") && [[ $(readlink "/proc/$child/fd/1") == pipe:* ]]; do sleep 0.01; done
}
# Whether the child is gone, soon; one that nobody has waited for counts.
is_gone() {
  for _ in {1..200}; do
    grep -qs '^State:[[:space:]]*[^Z]' "/proc/$child/status" || return 0
    sleep 0.01
  done
  return 1
}
# end REASON: the hook has denied, and its child is gone.
end() {
  wait "$parent" || status=$?
  exec 8>&-
  denied "$1"
  is_gone || fail "expected that the child ends, too"
}
for signal in HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ VTALRM; do
  name="hook: SIG$signal"
  begin
  kill -"$signal" "$parent"
  end "interrupted by SIG$signal"
done
for signal in HUP QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ VTALRM KILL; do
  name="hook: SIG$signal to the process that decides"
  begin
  sleep 0.05
  kill -"$signal" "$child"
  end "killed by SIG$signal"
done
name="hook: SIGINT to the process that decides"
begin
sleep 0.05
kill -INT "$child"
end "standard input: interrupted"
name="hook: the process that decides is stopped"
begin --timeout-ms 300
kill -STOP "$child"
end "no decision in time"
for signal in CONT WINCH URG HUP; do
  name="hook: SIG$signal changes nothing"
  if [[ $signal == HUP ]]; then defaults=(env --ignore-signal=HUP); fi  # as nohup does
  begin
  kill -"$signal" "$parent"
  cat read >&8
  exec 8>&-
  wait "$parent" || status=$?
  if [[ $status == 0 ]] && grep -q '"permissionDecision":"allow"' out; then pass; else fail "expected allow"; fi
done
name="hook: SIGKILL, with \`|| exit 2\`" status=0
bash -c "$hook <waits || exit 2" "$rpl" >out 2>err &
shell=$!
exec 8>waits
until parent=$(pgrep -P "$shell") && child=$(pgrep -P "$parent"); do sleep 0.01; done
kill -KILL "$parent"
wait "$shell" || status=$?
exec 8>&-
same "$name" 2 "$status"
check "$name: nothing goes on deciding" is_gone

# --- Answers -----------------------------------------------------------------------------------

cat >slow.yaml <<'END2'
rules:
  - {priority: 1, enabled: true, name: slow, selector: {phase: tool.after, tool: {}},
     condition: {kind: signal, key: slow, args: {}, op: eq, value: "1"}, effect: {type: block}}
  - {priority: 1, enabled: true, name: slow too, selector: {phase: tool.before, tool: {}},
     condition: {kind: signal, key: slow, args: {}, op: eq, value: "1"}, effect: {type: block}}
END2
printf 'version: 1\ntools: {}\nguard: {signals: {slow: {command: [sleep, "5.128"], timeoutMs: 60000}}}\n' >rpl.yaml
fault "no time after a tool was used" "no decision in time" \
  '"$0" guard hook --root "$PWD" --policy slow.yaml --config rpl.yaml --timeout-ms 500 <used'
same "that is a block" '{"decision":"block","reason":"rpl guard: no decision in time"}' "$(cat out)"
why='"rpl guard: no decision in time"'
nested='"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":'$why'}'
while IFS='|' read -r form answer event; do
  printf '%s' "$event" >event
  fault "no time, in the form of $form" "no decision in time" \
    '"$0" guard hook --root "$PWD" --policy slow.yaml --config rpl.yaml --timeout-ms 500 <event'
  same "that is the form of $form" "$answer" "$(cat out)"
done <<END2
PreToolUse|{$nested}|$(cat read)
Gemini CLI|{"decision":"deny","reason":$why}|{"hook_event_name":"BeforeTool","tool_name":"read_file","tool_input":{}}
Cursor|{"permission":"deny","user_message":$why,"agent_message":$why}|{"hook_event_name":"preToolUse","conversation_id":"s","tool_name":"Read","tool_input":{}}
Copilot CLI|{"permissionDecision":"deny","permissionDecisionReason":$why}|{"sessionId":"s","toolName":"view","toolArgs":"{}"}
two hosts|{"permissionDecision":"deny","permissionDecisionReason":$why,$nested}|{"hook_event_name":"PreToolUse","timestamp":"t","tool_name":"Read","tool_input":{}}
END2
name="hook: no time, in the form of Windsurf" status=0
echo '{"agent_action_name":"pre_read_code","tool_info":{"file_path":"x"}}' |
  "$rpl" guard hook --root "$PWD" --policy slow.yaml --config rpl.yaml --timeout-ms 500 >out 2>err || status=$?
same "$name" "2 {}" "$status $(cat out)"
printf '{"rules":[{"priority":1,"enabled":true,"name":"n","selector":{"phase":"tool.before","tool":{}},"condition":{"kind":"toolName","op":"eq","value":"Read"},"effect":{"type":"block","reason":"%s"}}]}' \
  "$(printf '\\u0001%.0s' {1..50000})" >long.json
name="hook: a reason that is long" status=0
"$rpl" guard hook --root "$PWD" --policy long.json <read >out 2>err || status=$?
if [[ $status == 0 ]] && grep -q '"permissionDecision":"deny"' out && /usr/bin/python3 validate.py "$schema" <out 2>>err; then pass
else fail "expected deny"; fi

finish
