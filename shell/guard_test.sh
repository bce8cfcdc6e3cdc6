#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/guard_test.sh [RPL]
#
# `rpl guard hook` as a host uses it: each event, each input that is none, each wrong file; and 30
# mistakes planted in a policy, a rulespec and envelopes, each told once. The last line is
# `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
schema=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../docs/schemas/hook.json")
shell_policy=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../examples/guard/shell-policy.json")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state

cat >policy.yaml <<'END2'
rules:
  - {priority: 1, enabled: true, name: no-force, selector: {phase: tool.before, tool: {name: Bash}},
     condition: {kind: toolArg, type: string, op: contains, path: command, value: --force},
     effect: {type: block, reason: nothing is forced here}}
  - {priority: 1, enabled: true, name: review, selector: {phase: tool.before, tool: {name: Bash}},
     condition: {kind: toolArg, type: string, op: contains, path: command, value: deploy},
     effect: {type: hitl, reason: somebody looks first}}
  - {priority: 1, enabled: true, name: no-keys, selector: {phase: tool.after, tool: {name: Bash}},
     condition: {kind: toolArg, type: string, op: contains, path: command, value: keys},
     effect: {type: block, reason: keys stay here}}
  - {priority: 1, enabled: true, name: slow, selector: {phase: tool.before, tool: {name: Slow}},
     condition: {kind: signal, key: slow, args: {}, op: eq, value: "1"},
     effect: {type: block}}
  - {priority: 1, enabled: true, name: look, selector: {phase: tool.before, tool: {name: Read}},
     condition: {kind: toolName, op: eq, value: Read},
     effect: {type: allow}}
  - {priority: 1, enabled: true, name: unknown, selector: {phase: tool.before, tool: {name: Fetch}},
     condition: {kind: signal, key: none, args: {}, op: eq, value: "1"},
     effect: {type: block}, onMissing: allow}
END2
cat >counts.yaml <<'END2'
rules:
  - {priority: 1, enabled: true, name: twice, selector: {phase: tool.before, tool: {name: Edit}},
     condition: {kind: maxCalls, selector: {by: toolName, patterns: [Edit]}, max: 2},
     effect: {type: block, reason: two edits are enough}}
  - {priority: 1, enabled: true, name: three, selector: {phase: tool.before, tool: {name: Task}},
     condition: {kind: and, all: [{kind: signal, key: think, args: {}, op: eq, value: "1"},
                 {kind: maxCalls, selector: {by: toolName, patterns: [Task]}, max: 3}]},
     effect: {type: block, reason: three tasks are enough}}
  - {priority: 1, enabled: true, name: budget, selector: {phase: tool.before, tool: {name: Build}},
     condition: {kind: executionTime, scope: total, op: gt, ms: 1500},
     effect: {type: block, reason: the time is used up}}
  - {priority: 1, enabled: true, name: slow, selector: {phase: tool.after, tool: {name: Build}},
     condition: {kind: executionTime, scope: tool, op: gte, ms: 3000},
     effect: {type: block, reason: that was slow}}
  - {priority: 1, enabled: true, name: often, selector: {phase: tool.before, tool: {name: Mail}},
     condition: {kind: metricWindow, scope: agent, metric: {kind: inbuilt, key: bytes_in},
                 aggregate: count, windowSeconds: 60, op: gte, value: 2, filter: {toolName: Mail}},
     effect: {type: block, reason: two mails a minute}}
END2
cat >rpl.yaml <<'END2'
version: 1
tools: {}
guard: {signals: {slow: {command: [sleep, "60.125"], timeoutMs: 60000}}}
END2
cat >think.yaml <<'END2'
version: 1
tools: {}
guard: {signals: {think: {command: [sh, -c, "sleep 0.05; echo 1"], timeoutMs: 60000}}}
END2
cat >validate.py <<'END2'
import json, sys
import jsonschema
valid = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
for line in sys.stdin:
    valid.validate(json.loads(line))
END2

# event NAME TOOL INPUT: what a host writes.
event() { printf '{"session_id":"s","cwd":"/w","hook_event_name":"%s","tool_name":"%s","tool_input":%s}' "$1" "$2" "$3"; }

# hook NAME EXIT DECISION REASON-PART INPUT [OPTION…]: the answer is one line of the schema,
# with this decision (`none` for `{}`, of PostToolUse also `block`); with exit 2 the reason is logged, too.
hook() {
  name="hook: $1"
  local code=$2 decision=$3 reason=$4 input=$5 got
  shift 5
  status=0
  "$rpl" guard hook --root "$PWD" --policy "${policy:-policy.yaml}" "$@" <"$input" >out 2>err || status=$?
  got=$(/usr/bin/python3 -c '
import json, sys
answer = json.load(sys.stdin)
before = answer.get("hookSpecificOutput", {})
print(before.get("permissionDecision") or answer.get("decision") or "none")
print(before.get("permissionDecisionReason") or answer.get("reason") or "")' <out 2>&1)
  cat out >>answers
  if [[ $status != "$code" ]]; then fail "expected exit $code"
  elif [[ $(head -n 1 <<<"$got") != "$decision" ]]; then fail "expected $decision"
  elif [[ $got != *"$reason"* ]]; then fail "expected the reason $reason"
  elif [[ $code == 2 ]] && ! grep -qF -- "$reason" err; then fail "expected it in the log"
  elif [[ $code == 0 && -s err ]]; then fail "expected no log"
  else pass
  fi
}

# --- What a policy decides -------------------------------------------------------------------

event PreToolUse Bash '{"command":"ls"}' >ls
event PreToolUse Bash '{"command":"git push --force"}' >force
event PreToolUse Bash '{"command":"deploy"}' >deploy
event PostToolUse Bash '{"command":"deploy"}' >deployed
event PostToolUse Bash '{"command":"deploy","force":true}' >deployed-otherwise
event PreToolUse Read '{}' >read
event PreToolUse Fetch '{}' >fetch
event PostToolUse Bash '{"command":"ls"}' >after
hook "allow" 0 allow "" read
hook "no rule matches" 0 none "" ls
hook "a rule allows for want of an answer" 0 none "" fetch
printf '{"rules":[]}' >no-rules.json
policy=no-rules.json hook "no rules" 0 none "" ls
sed '1i policy: {mode: shadow}' policy.yaml >shadow.yaml
sed '1i policy: {agentSelector: {anyOfSlugs: [other]}}' policy.yaml >others.yaml
policy=others.yaml hook "a policy for another agent" 0 none "" read
for decision in deny ask allow; do
  if [[ $decision == allow ]]; then reason=; else reason='no rule of the policy allows `Bash`'; fi
  hook "--default $decision, no rule matches" 0 $decision "$reason" ls --default $decision
  hook "--default $decision, effect allow" 0 allow "" read --default $decision
  hook "--default $decision, effect block" 0 deny "nothing is forced here" force --default $decision
  hook "--default $decision, after a tool" 0 none "" after --default $decision
  for input in read force ls; do
    policy=shadow.yaml hook "--default $decision in shadow mode: $input" 0 none "" $input --default $decision
  done
done
policy=others.yaml hook "--default, a policy for another agent" 0 deny "" read --default deny
hook "--default deny is in the audit log" 0 deny "" ls --default deny --audit default.jsonl
grep -qF '"verdict":"BLOCK","control":"CONTINUE","cause":{"kind":"NO_RULE"}' default.jsonl ||
  fail "expected a block in the audit log"
expect "--default that is no answer" 2 '*' "maybe" "$rpl" guard hook --root "$PWD" --policy policy.yaml --default maybe
hook "block" 0 deny "nothing is forced here" force
hook "hitl" 0 ask "somebody looks first (review " deploy
review=$(grep -o '(review [0-9a-f]*' out | cut -d ' ' -f 2)
grep -q approve out && fail "expected no command that answers the review"
expect "the review is pending" 0 '*' "" "$rpl" guard pending --format json
grep -qF "\"id\":\"$review\"" out || fail "expected the review $review"
expect "what waits, for a person" 0 '*' "help: \`rpl guard approve ID\` lets a call pass" \
  "$rpl" guard pending
same "what waits" "$review
    Bash {\"command\":\"deploy\"}" "$(head -n 2 out)"
grep -q '^    held by `.*` since 20.*Z: somebody looks first$' out || fail "expected rule and reason"
expect "nothing waits" 0 "" "nothing waits for a review" "$rpl" guard pending --store none.db
hook "hitl, in a store of its own" 0 ask "(review $review)" deploy --store own.db
expect "its help names the store" 0 '*' 'help: `rpl guard approve ID --store own.db` lets a call pass' \
  "$rpl" guard pending --store own.db
expect "a time zone that is none" 2 '*' 'no time zone is named `Europe/Berln`' \
  "$rpl" guard hook --root "$PWD" --policy policy.yaml --org-timezone Europe/Berln
printf 'version: 1\ntools: {}\nguard: {organisationTimezone: Europe/Berln}\n' >zone.yaml
expect "a time zone that is none, in the configuration" 2 "" 'zone.yaml:3:31: error RPL7007: `guard.organisationTimezone`: no time zone is named `Europe/Berln`' \
  "$rpl" guard --policy policy.yaml --config zone.yaml
hook "another call is made" 0 none "" deployed-otherwise
expect "the review is pending still" 0 '*' "help: " "$rpl" guard pending
hook "the call under review is made" 0 none "" deployed
expect "nothing is pending once it was made" 0 "" "nothing waits for a review" "$rpl" guard pending
hook "the next such call is reviewed" 0 ask "somebody looks first (review $review" deploy
hook "and waits" 0 ask "" deploy
expect "it is pending, once" 0 "$review" "" bash -c '"$0" guard pending | grep -v "^ "' "$rpl"
reviews approve "$review" --calls 2 >/dev/null
hook "hitl, approved" 0 allow "" deploy
hook "hitl, approved, for want of another rule" 0 allow "" deploy --default deny
hook "an approved call is made" 0 none "" deployed
hook "an approval is spent" 0 ask "somebody looks first (review $review" deploy
reviews deny "$review" --reason "not on a Friday" >/dev/null
hook "hitl, denied" 0 deny "not on a Friday" deploy

# --- Where nobody is asked -------------------------------------------------------------------

sed 's/^{/{"permission_mode":"bypassPermissions",/' deploy >unasked
hook "hitl in a mode that asks nobody" 0 deny "somebody looks first (review $review" unasked --store unasked.db
hook "hitl for a host that asks nobody" 0 deny "(review $review)" deploy --ask deny --store unasked.db
hook "hitl in a mode that asks" 0 ask "(review $review)" deploy --store unasked.db
reviews approve "$review" --store unasked.db >/dev/null
hook "it passes once it was approved" 0 allow "" unasked --store unasked.db
reviews approve "$review" --store unasked.db --now 2999-01-01T00:00:00Z >/dev/null
hook "an approval of later than now is none" 0 ask "(review $review)" deploy --store unasked.db

event PreToolUse Bash '{"command":"cd /tmp; rpl guard approve 12 --store x </dev/null"}' >approves
hook "a command that answers a review" 0 deny "reviews are answered by people" approves
event PreToolUse Bash '{"command":["rpl","guard","deny","12"]}' >denies
hook "a list of words that answers a review" 0 deny "reviews are answered by people" denies
event PreToolUse Bash '{"command":"rpl guard pending; echo approve"}' >looks
hook "a command that looks at reviews" 0 none "" looks

# --- Who answers -----------------------------------------------------------------------------

hook "a call waits" 0 ask "" deploy --store who.db --audit who.jsonl
id=$("$rpl" guard pending --store who.db 2>/dev/null | head -n 1)
expect "nobody at a terminal" 2 "" "a person does this, and there is no terminal" \
  setsid -w "$rpl" guard approve "$id" --store who.db
expect "a secret of a store that has none" 2 "" "the store has no secret" \
  setsid -w "$rpl" guard approve "$id" --store who.db --secret-file policy.yaml
expect "a secret for a store that is in use" 2 "" "there is such a store, and there is no terminal" \
  setsid -w "$rpl" guard secret --store who.db --secret-file policy.yaml
same "a person who does not confirm" "1 1" \
  "$(echo no | "$terminal" "$rpl" guard approve "$id" --store who.db | grep -c 'nothing was confirmed') $("$rpl" guard pending --store who.db 2>/dev/null | grep -c "$id")"
reviews deny "$id" --store who.db --reason late >shown
check "a person who confirms is shown the call" grep -q 'Bash {"command":"deploy' shown
same "the log says who and when" 1 \
  "$(grep -c '"kind":"review.answered","data":{"review":"'"$id"'","rule":"review","tool":{"name":"Bash"},"approved":false,"by":"[^"]*, at /dev/[^"]*","reason":"late"}' who.jsonl)"
echo sesame >secret
expect "a secret for a name that is too long" 6 "" "File name too long" \
  setsid -w "$rpl" guard secret --store "$(printf 'a%.0s' {1..300})" --secret-file secret
expect "a secret for a new store" 0 "" "the secret is set" setsid -w "$rpl" guard secret --store new.db --secret-file secret
hook "a call waits in it" 0 ask "" deploy --store new.db
expect "the secret of somebody else" 2 "" "policy.yaml: this is not the secret of the store" \
  setsid -w "$rpl" guard approve "$id" --store new.db --secret-file policy.yaml
expect "the secret" 0 "" "approved: $id" setsid -w "$rpl" guard approve "$id" --store new.db --secret-file secret
hook "and it passes" 0 allow "" deploy --store new.db

cat >prefix.yaml <<'END2'
rules:
  - {priority: 1, enabled: true, name: cat, selector: {phase: tool.before, tool: {name: Bash}},
     condition: {kind: toolArg, type: string, op: startsWith, path: command, value: "cat "}, effect: {type: allow}}
END2
expect "a rule that allows by the beginning of a command" 0 "" \
  'warning: prefix.yaml: the rule `cat` allows a shell command by a part of its text' "$rpl" guard check prefix.yaml
sed -i 's/startsWith/eq/' prefix.yaml
expect "a rule that allows a whole command" 0 "" 'prefix.yaml: 1 rule' "$rpl" guard check prefix.yaml
grep -q warning err && fail "expected no warning"
expect "a rule that excludes other commands" 0 "" '1 rule' "$rpl" guard check "$shell_policy"
grep -q warning err && fail "expected no warning"
for mark in ';' '&' '|' '`' '(' '<' '>' '$' '~' '/' '\n'; do  # as JSON writes them
  grep -vF "\"value\": \"$mark\"" "$shell_policy" >prefix.json
  expect "one that excludes all but $mark" 0 "" \
    'warning: prefix.json: the rule `read-notes` allows' "$rpl" guard check prefix.json
done

sed 's/"kind": "and", "all"/"kind": "or", "any"/' "$shell_policy" >prefix.json
expect "one that excludes them elsewhere" 0 "" 'the rule `read-notes` allows' "$rpl" guard check prefix.json

# --- Names of files --------------------------------------------------------------------------

mkdir own && printf '[]' >own/policy.yaml
for option in --policy --config --store --audit; do
  others=(--policy "$folder/policy.yaml")
  [[ $option == --policy ]] && others=()
  expect "a relative name of $option" 2 '*' "$option is \`policy.yaml\`, which depends on the folder" \
    "$rpl" guard hook "${others[@]}" "$option" policy.yaml <force
done
(cd own && "$rpl" guard hook --root "$folder" --policy policy.yaml <../force) >out 2>err
name="the names lie below --root, wherever the agent is"
if grep -qF "nothing is forced here" out; then pass; else fail "expected deny"; fi
expect "a relative --root" 2 '*' '--root is `own`' "$rpl" guard hook --root own --policy policy.yaml <force

# --- Earlier calls that are open, failed, or cannot be read ------------------------------------

cat >after.yaml <<'END2'
rules:
  - {priority: 1, enabled: true, name: quiet, selector: {phase: tool.before, tool: {name: Mail}},
     condition: {kind: sequence, mustNotHaveCalled: [Export]}, effect: {type: block, reason: no mail now}}
  - {priority: 1, enabled: true, name: once, selector: {phase: tool.before, tool: {name: Again}},
     condition: {kind: not, not: {kind: sequence, mustHaveCalled: [Export]}}, effect: {type: block, reason: not again}}
  - {priority: 1, enabled: true, name: first, selector: {phase: tool.before, tool: {name: Send}},
     condition: {kind: sequence, mustHaveCalled: [Export]}, effect: {type: block, reason: not yet}}
  - {priority: 1, enabled: true, name: window, selector: {phase: tool.before, tool: {name: Export}},
     condition: {kind: metricWindow, scope: agent, metric: {kind: inbuilt, key: bytes_out},
                 filter: {toolName: [Export]}, aggregate: count, windowSeconds: 60, op: gte, value: 1}, effect: {type: block, reason: one a minute}}
END2
call() { printf '{"session_id":"%s","hook_event_name":"%s","tool_name":"%s","tool_input":{},"tool_use_id":"%s"%s}' "$@"; }
call s PreToolUse Export 1 '' >export
call s PreToolUse Mail 2 '' >mail
call s PreToolUse Again 3 '' >again
call s PreToolUse Send 4 '' >send
call s PostToolUseFailure Export 1 ',"error":"timeout"' >failed
policy=after.yaml
hook "nothing was called" 0 none "" mail --store after.db
hook "a call is let pass" 0 none "" export --store after.db
hook "mustNotHaveCalled counts it while it is open" 0 deny "no mail now" mail --store after.db
hook "not mustHaveCalled counts it, too" 0 deny "not again" again --store after.db
hook "mustHaveCalled does not" 0 deny "not yet" send --store after.db
hook "a window counts it" 0 deny "one a minute" export --store after.db
hook "a call that failed has ended" 0 none "" failed --store after.db
hook "mustNotHaveCalled counts it once it failed" 0 deny "no mail now" mail --store after.db
hook "and so does mustHaveCalled" 0 none "" send --store after.db
hook "a window counts it after the clock was set back" 0 deny "one a minute" export --store after.db --now 2020-01-01T00:00:00Z
sed 's/reason: one a minute}}/reason: one a minute}}\n  - {priority: 2, enabled: true, name: look, selector: {phase: tool.before, tool: {name: Export}}, condition: {kind: toolName, op: eq, value: Export}, effect: {type: hitl, reason: look}}/' after.yaml >asks.yaml
policy=asks.yaml
hook "the host's user is asked about a call" 0 ask "look" export --store asks.db
hook "mustNotHaveCalled counts it until it ends, for the user may have allowed it" 0 deny "no mail now" mail --store asks.db
hook "mustHaveCalled does not" 0 deny "not yet" send --store asks.db
hook "a call that nobody is asked about" 0 deny "look" export --store unasks.db --ask deny
hook "does not count" 0 none "" mail --store unasks.db
policy=after.yaml
end=0
for response in '{"text":"cut\ud83d"}' '"\udc00"' $'"\xff\xfe"' '{"a":1,"a":2}' '"cut'; do
  end=$((end + 1))
  call $end PreToolUse Export call-$end '' >export
  call $end PostToolUse Export call-$end ",\"tool_response\":$response" >odd
  call $end PreToolUse Send 9 '' >send
  at=(--store odd.db --now 20$((20 + end))-01-01T00:00:00Z)
  hook "a call whose result is odd: $end" 0 none "" export "${at[@]}"
  if ((end < 4)); then hook "its result: $end" 0 none "" odd "${at[@]}"
  elif ((end == 4)); then hook "its result: $end" 2 block "(the call \`call-$end\`)" odd "${at[@]}"
  else hook "its result: $end" 2 deny "the input is not one JSON object" odd "${at[@]}"
  fi
  if ((end < 5)); then hook "it has ended: $end" 0 none "" send "${at[@]}"; fi
done
unset policy
call s PreToolUse Bash twice ',"tool_input":{"command":"x --force"}' >twice
hook "a key twice" 2 deny "(the call \`twice\`)" twice

# A line is answered before the next one is written.
coproc "$rpl" guard --policy policy.yaml
answering=$COPROC_PID  # which is gone when it ends
echo '{"tool":"Bash","args":{"command":"ls"}}' >&"${COPROC[1]}"
line=
read -r -t 20 line <&"${COPROC[0]}"
same "a line is answered as it comes" '{"schema":"rpl.decision/1","effect":"allow"' "${line:0:43}"
eval "exec ${COPROC[1]}>&-"
wait "$answering"

# --- Other hosts -------------------------------------------------------------------------------

# host NAME EXIT ANSWER EVENT [OPTION…]: the answer, as the host reads it.
host() {
  status=0
  "$rpl" guard hook --root "$PWD" --policy any.yaml --store hosts.db "${@:5}" <<<"$4" >out 2>err || status=$?
  name="host: $1"
  if [[ $status != "$2" ]]; then fail "expected exit $2"
  elif [[ $(<out) != "$3" ]]; then fail "expected $3"
  else pass
  fi
}
cat >any.yaml <<'END2'
rules:
  - {priority: 1, enabled: true, name: no-rm, selector: {phase: tool.before, tool: {}},
     condition: {kind: toolArg, type: string, op: contains, path: command, value: rm -rf}, effect: {type: block, reason: "no"}}
END2
for command in ls 'rm -rf x'; do
  if [[ $command == ls ]]; then code=0; answer() { echo '{}'; }
  else code=2; answer() { echo "$1"; }
  fi
  host "BeforeTool: $command" 0 "$(answer '{"decision":"deny","reason":"no"}')" \
    '{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/w","tool_name":"run_shell_command","tool_input":{"command":"'"$command"'"}}'
  host "beforeShellExecution: $command" 0 "$(answer '{"permission":"deny","user_message":"no","agent_message":"no"}')" \
    '{"hook_event_name":"beforeShellExecution","conversation_id":"s","command":"'"$command"'","cwd":"/w"}'
  host "preToolUse: $command" 0 "$(answer '{"permission":"deny","user_message":"no","agent_message":"no"}')" \
    '{"hook_event_name":"preToolUse","conversation_id":"s","tool_name":"Shell","tool_input":{"command":"'"$command"'"}}'
  host "toolName: $command" 0 "$(answer '{"permissionDecision":"deny","permissionDecisionReason":"no"}')" \
    '{"sessionId":"s","toolName":"bash","toolArgs":"{\"command\":\"'"$command"'\"}"}'
  host "agent_action_name: $command" $code '{}' \
    '{"agent_action_name":"pre_run_command","trajectory_id":"s","tool_info":{"command_line":"'"$command"'"}}'
done
named='{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"rm -rf x"}}'
why='rpl guard: `PreToolUse` is no event before or after the use of a tool that is known'
host "--host cursor, whose events have other names" 2 \
  '{"permission":"deny","user_message":"'"$why"'","agent_message":"'"$why"'"}' "$named" --host cursor
host "--host gemini-cli, whose events have other names" 2 '{"decision":"deny","reason":"'"$why"'"}' "$named" --host gemini-cli
host "--host copilot, whose event has the name" 0 \
  '{"permissionDecision":"deny","permissionDecisionReason":"no","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}' \
  "$named" --host copilot

printf '{"tool_name":"Bash","tool_input":{"command":"ls"}}' >short
hook "an event of PreToolUse need not say so" 0 none "" short
printf '{"tool_name":"Bash"}' >bare
hook "a tool without input" 0 none "" bare
event PreToolUse 'B\u0061sh' '{"command":"x --force"}' >escaped
hook "a name that is escaped" 0 deny "nothing is forced here" escaped

# --- After a tool was used -------------------------------------------------------------------

event PostToolUse Bash '{"command":"print keys"}' >leak
hook "PostToolUse" 0 none "" after
hook "PostToolUse, block" 0 block "keys stay here" leak

# --- What depends on earlier calls -----------------------------------------------------------

event PreToolUse Edit '{}' >edit
event PostToolUse Edit '{}' >edited
policy=counts.yaml
for turn in 1 2; do
  hook "the store counts: edit $turn" 0 none "" edit
  hook "the store counts: after edit $turn" 0 none "" edited
done
hook "the store counts: edit 3" 0 deny "two edits are enough" edit
sed 's/"session_id":"s"/"session_id":"t"/' edit >other
hook "another session has its own count" 0 none "" other
hook "another agent has a store of its own" 0 none "" edit --agent desk
same "the stores of agents" "% desk" "$(cd state/rpl/guard && echo *.db | sed 's/\.db//g')"
same "a store is its owner's" "600" "$(stat -c %a state/rpl/guard/desk.db)"

homeless() { HOME='' XDG_STATE_HOME='' hook "$@"; }
homeless "a cap without a store" 2 deny "its policy or configuration cannot be used" edit
grep -qF 'counts.yaml:3:17: error RPL7202: `rules[0].condition`: it depends on earlier calls' err ||
  fail "expected the error"
same "a cap without a store: each rule" 5 "$(grep -c RPL7202 err)"
homeless "a cap without a store, of no use for this call" 2 deny "its policy or configuration" ls
sed 's/enabled: true/enabled: false/' counts.yaml >off.yaml
policy=off.yaml homeless "a cap that is switched off needs no store" 0 none "" edit
homeless "a store that is named" 0 none "" edit --store named.db
expect "calls that bring their history need no store" 1 '*' "" \
  "$rpl" guard --policy counts.yaml < <(echo '{"tool":"Edit","history":["Edit","Edit"]}')
expect "a history that is not there" 6 "" "none.jsonl: there is no such file" \
  "$rpl" guard --policy counts.yaml --history none.jsonl < <(echo '{"tool":"Edit"}')
expect "an integer of more than 64 bits, in a line" 2 \
  '{"schema":"rpl.decision/1","effect":"block","enforced":true,"error":"an integer has more than 64 bits"}' "" \
  "$rpl" guard --policy counts.yaml < <(echo '{"tool":"Edit","args":{"n":100000000000000000001}}')

cat >spent.json <<'END2'
{"priority": 1, "enabled": true, "name": "spent", "selector": {"phase": "tool.before", "tool": {"name": "last"}},
 "condition": {"kind": "metricWindow", "scope": "agent", "metric": {"kind": "custom", "key": "cost"},
   "aggregate": "sum", "windowSeconds": 60, "op": "gte", "value": 4}, "effect": {"type": "block"}}
END2
cat >spent.rpl <<'END2'
metric("t", "cost", 4)
% <- $t(1) ^ ~ {:result ?a}, $last(?a) ^ ~ {:result ?b}, $json(?b)
END2
expect "a run without a store reads the metrics that its program gives" 1 "" 'is blocked by the rule `spent`' \
  env HOME= XDG_STATE_HOME= "$rpl" run spent.rpl --policy spent.json --answer t=1 --answer last=2

# Hooks side by side: a cap is one for all of them. They wait for their input together, and take
# a while to decide.
event PreToolUse Task '{}' >task
for i in {1..16}; do mkfifo "task.$i"; done
for round in 1 2 3; do
  ends=()
  for i in {1..16}; do
    "$rpl" guard hook --root "$PWD" --policy counts.yaml --config think.yaml --timeout-ms 120000 \
      --store "cap$round.db" --audit "cap$round.jsonl" <"task.$i" >"out.$i" 2>"err.$i" &
  done
  for i in {1..16}; do exec {end}>"task.$i" && ends+=("$end"); done
  sleep 0.5
  for end in "${ends[@]}"; do printf %s "$(<task)" >&"$end" && exec {end}>&-; done
  wait
  same "16 hooks at once, round $round: pass" 3 "$(cat out.* | grep -cx '{}')"
  same "16 hooks at once, round $round: do not" 13 "$(cat out.* | grep -c 'three tasks are enough')"
  same "16 hooks at once, round $round: steps" "$(seq 0 15)" \
    "$(grep -o '"stepIndex":[0-9]*' "cap$round.jsonl" | cut -d : -f 2 | sort -n)"
done
policy=capped.json
cat >capped.json <<'END2'
{"priority": 1, "enabled": true, "name": "five", "selector": {"phase": "tool.before", "tool": {"name": "Task"}},
 "condition": {"kind": "maxCalls", "selector": {"by": "toolName", "patterns": ["Task"]}, "max": 5}, "effect": {"type": "block"}}
END2
rm out.* err.*
for i in {1..100}; do
  "$rpl" guard hook --root "$PWD" --policy capped.json --timeout-ms 120000 --store hundred.db <task >"out.$i" 2>"err.$i" &
done
wait
same "100 hooks at once: pass" 5 "$(cat out.* | grep -cx '{}')"
same "100 hooks at once: do not" 95 "$(cat out.* | grep -c '"deny"')"
# A large policy is kept as it was read: the next process decides the same, and not by another text.
{
  printf '['
  for i in {1..60}; do
    printf '{"priority": 1, "enabled": true, "name": "r%s", "selector": {"phase": "tool.before", "tool": {"name": "T%s"}},
      "condition": {"kind": "toolName", "op": "eq", "value": "T%s"}, "effect": {"type": "block", "reason": "no %s"}},\n' \
      "$i" "$i" "$i" "$i"
  done
  printf '{"priority": 1, "enabled": true, "name": "last", "selector": {"phase": "tool.before", "tool": {"name": "Task"}},
    "condition": {"kind": "toolName", "op": "eq", "value": "Task"}, "effect": {"type": "block", "reason": "first text"}}]\n'
} >large.json
policy=large.json
for turn in 1 2 3; do hook "a large policy, turn $turn" 0 deny "first text" task --store large.db; done
same "it is kept once" "1" "$(/usr/bin/python3 -c '
import sqlite3
print(sqlite3.connect("large.db").execute("SELECT count(*) FROM policies").fetchone()[0])')"
sed -i 's/first text/second text/' large.json
hook "a large policy that changed" 0 deny "second text" task --store large.db
policy=counts.yaml
cat >hold.py <<'END2'
import sqlite3, sys, time
store = sqlite3.connect(sys.argv[1])
store.execute("BEGIN IMMEDIATE")
open("is-held", "w").close()
time.sleep(60.127)
END2
/usr/bin/python3 hold.py cap1.db &
holder=$!
until [[ -e is-held ]]; do sleep 0.01; done
hook "a store that another process holds" 2 deny 'cap1.db`: other processes hold it' \
  task --config think.yaml --store cap1.db
kill "$holder"
wait "$holder" 2>/dev/null
hook "the lock goes with the process" 0 deny "three tasks are enough" task --config think.yaml --store cap1.db
: >held.jsonl
flock held.jsonl sleep 60.127 &
holder=$!
until ! flock -n held.jsonl true; do sleep 0.01; done
hook "a log that another process holds" 2 deny "the audit log cannot be written" \
  edit --store held.db --audit held.jsonl --audit-required
kill "$holder" $(pgrep -P "$holder") 2>/dev/null
wait "$holder" 2>/dev/null
for turn in 1 2; do
  hook "what was not written was not done, turn $turn" 0 none "" edit --store held.db --audit held.jsonl
done
hook "a third edit" 0 deny "two edits are enough" edit --store held.db --audit held.jsonl

# at SECOND NAME EXIT DECISION REASON EVENT LOG: the hook at a time of its own.
at() { hook "$2" "$3" "$4" "$5" "$6" --store "$7.db" --audit "$7" --now "2026-01-05T09:00:$1Z"; }
event PreToolUse Build '{}' >build
event PostToolUse Build '{}' >built
at 00 "time: a call" 0 none "" build time.jsonl
at 01 "time: it took a second" 0 none "" built time.jsonl
at 10 "time: there is some left" 0 none "" build time.jsonl
at 11 "time: two seconds in all" 0 none "" built time.jsonl
at 20 "time: it is used up" 0 deny "the time is used up" build time.jsonl
same "time: as the log has it" '"durationMs":1000 "durationMs":1000' \
  "$(grep -o '"durationMs":[0-9.]*' time.jsonl | paste -s -d ' ')"
at 00 "time: a call that is slow" 0 none "" build slow.jsonl
at 03 "time: it was" 0 block "that was slow" built slow.jsonl
at 09 "time: a result without a call" 0 none "" built slow.jsonl

# side TEXT LOG: two calls begin at 0 s and 1 s and end at 5 s and 6 s, the first one first.
side() {
  at 00 "side by side, $1: first" 0 none "" build-1 "$2"
  at 01 "side by side, $1: second" 0 none "" build-2 "$2"
  at 05 "side by side, $1: first ends" 0 block "that was slow" built-1 "$2"
  at 06 "side by side, $1: second ends" 0 block "that was slow" built-2 "$2"
  same "side by side, $1: durations" "$3" "$(grep -o '"durationMs":[0-9.]*' "$2" | cut -d : -f 2 | paste -s -d ' ')"
}
for i in 1 2; do cp build build-$i; cp built built-$i; done
side "without ids" sides.jsonl "4000 6000"
for i in 1 2; do
  for file in build built; do sed "s/^{/{\"tool_use_id\":\"toolu_$i\",/" $file >$file-$i; done
done
side "with ids" ids.jsonl "5000 5000"

event PreToolUse Mail '{}' >mail
event PostToolUse Mail '{}' >mailed
for session in a b; do
  for file in mail mailed; do sed "s/\"session_id\":\"s\"/\"session_id\":\"$session\"/" $file >$file-$session; done
  hook "sessions of an agent: $session" 0 none "" mail-$session --agent desk
  hook "sessions of an agent: after $session" 0 none "" mailed-$session --agent desk
done
hook "sessions of an agent: a third" 0 deny "two mails a minute" mail --agent desk
hook "sessions of another agent" 0 none "" mail --agent shop
for log in *.jsonl; do
  name="the schema of $log" status=0
  head -n 4 "$log" | /usr/bin/python3 validate.py "${schema%/*}/audit.json" 2>err || status=1
  if ((status == 0)); then pass; else fail "expected audit events"; fi
done
policy=policy.yaml

# --- Input that is none: it fails closed -------------------------------------------------------

: >empty
printf '\n \n' >blank
printf '{"tool_name":"Bash"' >open
printf '[{"tool_name":"Bash"}]' >list
printf '{"tool_name":"Bash"} {"tool_name":"Bash"}' >two
printf '{"tool_name":"Ba\xffsh"}' >latin
printf '{"tool_input":{"command":"ls"}}' >nameless
printf '{"tool_name":7}' >number
printf '{"tool_name":"Bash","tool_input":"ls"}' >text
event SessionStart Bash '{}' >unknown
printf '{"hook_event_name":7,"tool_name":"Bash"}' >oddly
event PostToolUse "" '{}' >after-nameless
{ printf '{"tool_name":"Bash","tool_input":'; printf '[%.0s' {1..100000}; } >deep
for input in empty blank open two latin deep; do
  hook "$input" 2 deny "the input is not one JSON object" $input
done
hook "a list" 2 deny "the input is no object" list
hook "no tool" 2 deny 'the input has no `tool_name`' nameless
hook "a tool that is no text" 2 deny 'the input has no `tool_name`' number
echo '{"tool_name":"look","tool_name":"pay","tool_input":{}}' >twice
hook "a key that occurs twice" 2 deny 'occurs twice' twice
echo '{"tool_name":"pay","tool_input":{"n":[100000000000000000001]}}' >wide
hook "an integer of more than 64 bits" 2 deny '`tool_input`: an integer has more than 64 bits' wide
echo '{"tool_name":"pay","tool_input":{"n":-9223372036854775809}}' >wide
hook "the next integer below 64 bits" 2 deny '`tool_input`: an integer has more than 64 bits' wide
echo '{"tool_name":"pay","tool_input":{"n":1e400}}' >huge
hook "a number that is too large" 2 deny 'not one JSON object: a number is too large' huge
hook "an input that is a text" 2 deny '`tool_input` is not the text of an object' text
hook "an unknown event" 2 deny 'is no event before or after the use of a tool that is known' unknown
hook "an event that is no text" 2 deny 'is no event before or after the use of a tool that is known' oddly
hook "PostToolUse without tool" 2 block 'the input has no `tool_name`' after-nameless
head -c 10000000 /dev/zero | tr '\0' x >long
{ printf '{"tool_name":"Bash","tool_input":{"command":"'; cat long; printf ' --force"}}'; } >large
hook "10 MB" 0 deny "nothing is forced here" large
hook "10 MB that are no JSON" 2 deny "the input is not one JSON object" long

# --- Policies, files and faults ------------------------------------------------------------------

sed 's/type: block/type: deny/' policy.yaml >wrong.yaml
policy=none.yaml hook "no policy" 2 deny "its policy or configuration cannot be used" ls
policy=. hook "a folder as policy" 2 deny "its policy or configuration cannot be used" ls
policy=wrong.yaml hook "a policy with errors" 2 deny "its policy or configuration cannot be used" ls
grep -qF 'wrong.yaml:4:21: error RPL7007: `rules[0].effect.type`' err || fail "expected the error"
if ((EUID == 0)); then as=(setpriv --reuid=65534 --regid=65534 --clear-groups); else as=(); fi
cp policy.yaml secret.yaml && chmod 000 secret.yaml && chmod 755 .
"${as[@]}" "$rpl" guard hook --root "$PWD" --policy secret.yaml <ls >secret.out 2>secret.err
expect "a policy that may not be read" 0 '*' "" grep -F '"permissionDecision":"deny"' secret.out
hook "no configuration" 2 deny "its policy or configuration cannot be used" ls --config none.yaml
name="hook: no --policy" status=0
"$rpl" guard hook <ls >out 2>err || status=$?
[[ $status == 2 ]] && grep -qF '"permissionDecision":"deny"' out && pass || fail "expected deny"
mkdir -p logs
hook "an audit log that is a folder" 2 deny "the audit log cannot be written" ls --audit logs --audit-required
"$rpl" guard hook --root "$PWD" --policy policy.yaml --audit logs <ls >out 2>err
same "an audit log that is not required" 'warning: the audit log `'"$PWD"'/logs` cannot be written: Is a directory' "$(<err)"
hook "a store that is a folder" 2 deny 'logs`: Is a directory' deploy --store logs
printf 'no database, but as long as the head of one: %0100d' 0 >letter
hook "a store that is another file" 2 deny 'letter`: ' deploy --store letter
event PreToolUse Slow '{}' >slow
hook "a signal that hangs" 2 deny "no decision in time" slow --config rpl.yaml --timeout-ms 300
mkfifo never
sleep 60.126 >never &
sleeper=$!
hook "input that never ends" 2 deny "no decision in time" never --timeout-ms 300
kill "$sleeper"
wait "$sleeper" 2>/dev/null

# --- What an audit log says ------------------------------------------------------------------------

mkdir audit && cd audit || exit 1
cat >zone.yaml <<'END2'
rules:
  - {priority: 2, enabled: true, name: a, selector: {phase: tool.before, tool: {}}, effect: {type: block},
     condition: {kind: timeGate, timezone: {source: enduserTag, tag: tz}, windows: [{days: [mon], start: "00:00", end: "23:59"}]}}
  - {priority: 1, enabled: true, name: b, selector: {phase: tool.before, tool: {}}, effect: {type: block},
     condition: {kind: timeGate, timezone: {source: enduserTag, tag: tz}, windows: [{days: [mon], start: "00:00", end: "23:59"}]}}
END2
printf 'version: 1\nguard: {user: {metadata: {tz: Mars/Phobos}}}\n' >rpl.yaml
printf '%% <- $t(1), $t(2), $u(3)\n' >calls.rpl
expect "K3.65: calls under a zone that is not known" 0 "" "satisfied" "$rpl" run calls.rpl \
  --policy zone.yaml --audit zone.jsonl --answer t=1 --answer t=2 --answer u=3
expect "K3.65: one event says so, whatever the calls and rules" 0 1 "" \
  grep -c '"kind":"error".*"scope":"governance","message":"there is no time zone `Mars/Phobos`"' zone.jsonl
expect "K3.65: three decisions, none a block" 0 3 "" grep -c '"kind":"tool.decision".*"verdict":"ALLOW"' zone.jsonl

# The guards of a program have no policy, and the same log.
cat >native.md <<'END2'
# T - $t(?n)
Does n.
# At most one - $t(?n), ?n > 1 -> false
# Main - % <- $t(1) ^ ~ {:result ?a}, $t(2) ^ ~ {:result ?b}, ?both = [?a ?b], $json(?both)
END2
rm rpl.yaml
expect "a native guard" 1 "" "forbidden" "$rpl" run native.md --answer t=1 --session native.rpls \
  --audit native.jsonl --audit-required
expect "its decisions are in the audit log" 0 $'ALLOW\nBLOCK' "" \
  sed -n 's/.*"kind":"tool.decision".*"verdict":"\([A-Z]*\)".*/\1/p' native.jsonl
cp native.jsonl audit-before
expect "a replay of it" 0 "" "" sh -c '"$1" trace replay native.rpls >replayed' sh "$rpl"
expect "writes no log" 0 "" "" diff audit-before native.jsonl
expect "the session goes on" 1 "" "forbidden" "$rpl" resume native.rpls
expect "with its log" 0 $'ALLOW\nBLOCK\nBLOCK' "" \
  sed -n 's/.*"kind":"tool.decision".*"verdict":"\([A-Z]*\)".*/\1/p' native.jsonl
expect "or with another one" 1 "" "forbidden" "$rpl" resume native.rpls --audit other.jsonl
expect "in which is what it decides" 0 1 "" grep -c '"verdict":"BLOCK"' other.jsonl
expect "a log that cannot be written" 2 "" "the audit log \`.\` cannot be written" \
  "$rpl" run native.md --answer t=1 --audit . --audit-required
expect "the same where nothing decides" 2 "" "the audit log \`.\` cannot be written" \
  "$rpl" run calls.rpl --answer t=1 --answer t=2 --answer u=3 --audit . --audit-required
expect "a required log has a name" 2 "" "--audit-required requires --audit" \
  "$rpl" run native.md --audit-required

# A call that was started and has no reply counts: nobody knows that it did not run.
cat >cut.sh <<'END2'
request=$(cat)
id=${request#*\"id\":\"}; id=${id%%\"*}
echo "$id" >>starts
[ -e calm ] || sleep 5
echo "{\"id\":\"$id\",\"result\":7}"
END2
printf 'version: 1\ntools:\n  t: {command: [sh, cut.sh], permission: allow}\n' >rpl.yaml
printf '# T - $t(?n)\nDoes n.\n# Main - %% <- $t(1) ^ ~ {:result ?a}, $json(?a)\n' >cut.md
printf '# T - $t(?n)\nDoes n.\n# Main - %% <- $t(2) ^ ~ {:result ?a}, $json(?a)\n' >cut2.md
{ cat cut.md; printf '# Cap - $t(_), std#call-count("t", ?n), ?n >= 1 -> false\n'; } >capped.md
for most in 1 2; do
  cat >cap$most.yaml <<END2
rules:
  - {priority: 1, enabled: true, name: cap, selector: {phase: tool.before, tool: {name: t}}, effect: {type: block},
     condition: {kind: maxCalls, selector: {by: toolName, patterns: [t]}, max: $most}}
END2
done
# cut_off ARGUMENT…: rpl with these, which is killed when it has started the tool.
cut_off() {
  local before _
  touch starts
  before=$(wc -l <starts)
  "$rpl" "$@" --allow-tool t </dev/null >out 2>err &
  for _ in {1..400}; do
    (($(wc -l <starts) > before)) && break
    sleep 0.05
  done
  kill -9 $!
  wait $! 2>/dev/null
}
for kind in answered changed; do
  cut_off run cut.md --session $kind.rpls --policy cap1.yaml --store $kind.db
done
rm starts
cut_off run cut.md --session cut1.rpls --policy cap1.yaml --store cut1.db
expect "a call that was cut off counts when it is made again" 1 "" "blocked by the rule \`cap\`" \
  "$rpl" resume cut1.rpls --retry t --allow-tool t
expect "so a cap of one is one start" 0 1 "" grep -c . starts
expect "its replay" 0 "" "" sh -c '"$1" trace replay cut1.rpls >replayed' sh "$rpl"
expect "it does not count against an answer for it" 0 7 "" "$rpl" resume answered.rpls --answer t=7
cp cut.md before.md && cp cut2.md cut.md
expect "it counts when the program has changed" 1 "" "blocked by the rule \`cap\`" \
  "$rpl" resume changed.rpls --allow-tool t
expect "the replay of that" 0 "" "" sh -c '"$1" trace replay changed.rpls >replayed' sh "$rpl"
cp before.md cut.md
rm starts
cut_off run cut.md --session cut2.rpls --policy cap2.yaml --store cut2.db
expect "without --retry it waits" 3 "" "--retry" "$rpl" resume cut2.rpls --allow-tool t
cut_off resume cut2.rpls --retry t
expect "a cap of two" 1 "" "blocked by the rule \`cap\`" "$rpl" resume cut2.rpls --retry t --allow-tool t
expect "is two starts" 0 2 "" grep -c . starts
rm starts
cut_off run capped.md --session capped.rpls
expect "a native guard counts it, too" 1 "" "blocked by the rule \`cap\`" \
  "$rpl" resume capped.rpls --retry t --allow-tool t
expect "and lets nothing start" 0 1 "" grep -c . starts

cat >risk.yaml <<'END2'
rules:
  - {priority: 1, enabled: true, name: risk, selector: {phase: tool.before, tool: {name: t}}, effect: {type: block, reason: risky},
     condition: {kind: signal, key: risk, args: {user: {from: enduserId}}, op: gt, value: "0.5"}}
  - {priority: 1, enabled: true, name: once, selector: {phase: tool.before, tool: {name: u}}, effect: {type: block},
     condition: {kind: maxCalls, selector: {by: toolName, patterns: [u]}, max: 1}}
END2
printf 'version: 1\nguard: {user: {externalId: u1}, signals: {risk: {command: [sh, risk.sh]}}}\n' >rpl.yaml
printf 'echo asked >>asked; echo 0.9\n' >risk.sh
printf '%% <- $t(1) | $u(1) ^ ~ {:result ?r}, $u(?r) | $ask("Q") ^ ~ {:result ?x}, $json(?x)\n' >risky.rpl
cat >decisions.py <<'END2'
import json, sys
for line in open(sys.argv[1]):
    event = json.loads(line)
    if event["kind"] == "tool.decision":
        for key in ("ts", "runId", "durationMs", "latencyMs"):
            event.pop(key, None)
        data = event["data"]
        for key in [k for k in data if "atency" in k or "uration" in k]:
            del data[key]
        print(json.dumps(data, sort_keys=True))
END2
for run in 1 2; do
  expect "K3.98: run $run" 3 "" "" "$rpl" run risky.rpl --policy risk.yaml --session s$run \
    --audit risk$run.jsonl --now 2026-01-05T09:00:00Z --answer u=2 --allow-tool risk
  /usr/bin/python3 decisions.py risk$run.jsonl >decisions$run
done
expect "K3.98: four decisions are told" 0 4 "" grep -c . decisions1
expect "K3.98: the same run, the same decisions" 0 "" "" diff decisions1 decisions2
cp asked before-replay
cp risk1.jsonl audit-before
printf 'echo again >>asked; echo 0.1\n' >risk.sh
expect "K3.98: a replay gives the same bytes" 0 '*' "" "$rpl" trace replay s1
expect "K3.98: and asks no signal again" 0 "" "" diff before-replay asked
expect "K3.98: nor does it write the log" 0 "" "" diff audit-before risk1.jsonl
"$rpl" trace export --format ndjson s1 | grep '"kind":"decision"' | sed 's/"event":[0-9]*,//; s/,"hash".*//' >kept
expect "K3.98: the session keeps each decision" 0 4 "" grep -c . kept
cat >window.yaml <<'END2'
rules:
  - {priority: 1, enabled: true, name: window, selector: {phase: tool.before, tool: {name: ask}}, effect: {type: block},
     condition: {kind: metricWindow, scope: agent, metric: {kind: inbuilt, key: bytes_out}, aggregate: sum, windowSeconds: 60, op: gt, value: 9}}
END2
printf '%% <- ?x = $ask("Q"), $json(?x)\n' >window.rpl
expect "K3.98: a run that looks at other runs" 0 1 "" "$rpl" run window.rpl --policy window.yaml \
  --session windowed --audit window.jsonl --now 2026-01-05T09:00:00Z --answer ask=1
cp window.jsonl audit-before
expect "K3.98: its replay looks at those it saw" 0 '*' "" "$rpl" trace replay windowed
expect "K3.98: and writes no log" 0 "" "" diff audit-before window.jsonl
cd ..

# --- A result that is held ---------------------------------------------------------------------------

mkdir held && cd held || exit 1
cat >till.yaml <<'END2'
rules:
  - {priority: 1, enabled: true, name: receipts, selector: {phase: tool.after, tool: {name: pay}}, condition: {kind: toolName, op: eq, value: pay},
     effect: {type: hitl, reason: receipts are looked at}}
  - {priority: 1, enabled: true, name: once, selector: {phase: tool.before, tool: {name: pay}}, effect: {type: block, reason: one payment},
     condition: {kind: maxCalls, selector: {by: toolName, patterns: [pay]}, max: 1}}
  - {priority: 1, enabled: true, name: two-tips, selector: {phase: tool.before, tool: {name: tip}}, effect: {type: block, reason: no tip},
     condition: {kind: maxCalls, selector: {by: toolName, patterns: [pay, tip]}, max: 2}}
END2
printf '%% <- $pay(5) ^ ~ {:result ?r}, $tip(?r), $json(?r)\n' >till.rpl
expect "a result that a review holds" 3 "" '"$pay(5) is held by the rule `receipts`, review ' \
  "$rpl" run till.rpl --policy till.yaml --store till.db --session till --answer pay=paid
reviews approve "$("$rpl" guard pending --store till.db | head -n 1)" --store till.db >out
expect "its call, once approved, does not count against itself, and counts once" 0 '"paid"' "satisfied" \
  "$rpl" resume till --policy till.yaml --store till.db --answer tip=done
expect "its replay" 0 "*" "" "$rpl" trace replay till
cd ..

# --- 30 planted mistakes ---------------------------------------------------------------------------

# mistakes NAME COMMAND… <LIST: each line of the list begins an error that stands once on
# standard error, with a hint; there are no others, the exit code is 2, and no file is written.
mistakes() {
  name="mistakes: $1" status=0
  shift
  ls -R >before
  "$@" >out 2>err || status=$?
  local errors=0 line
  while IFS= read -r line; do
    errors=$((errors + 1))
    if [[ $(cut -c "1-${#line}" err | grep -cxF -- "$line") == 1 ]] &&
      grep -F -A 4 -- "$line" err | awk 'NR > 1 && / error RPL/ { exit } /^help: ./ { found = 1 } END { exit !found }'
    then pass
    else fail "expected once, with a hint: $line"
    fi
  done
  rm -f out.list
  if [[ $status != 2 ]]; then fail "expected exit 2"
  elif [[ $(grep -c ': error RPL' err) != "$errors" ]]; then fail "expected $errors errors"
  elif grep -qE '[✅❌]|passed,' out; then fail "expected that nothing is evaluated"
  elif [[ $(ls -R) != "$(cat before)" ]]; then fail "expected no file"
  else pass
  fi
}
: >out; : >err; : >before

cat >planted.json <<'END2'
{
  "policy": {"name": "desk", "mode": "enforced", "combin": "most_severe_wins"},
  "rules": [
    {"priority": "high", "enabled": true, "name": "a",
     "selector": {"phase": "tool.befor", "tool": {"name": "send_*"}},
     "condition": {"kind": "maxCalls", "selector": {"by": "toolName", "patterns": ["x"]}, "max": -1},
     "effect": {"type": "deny"}},
    {"priority": 2, "enabled": "yes", "name": "b",
     "selector": {"phase": "tool.before", "tool": {}},
     "condition": {"kind": "sequnce", "mustHaveCalled": ["auth"]},
     "effect": {"type": "block"}},
    {"priority": 3, "enabled": true,
     "selector": {"phase": "tool.before", "tool": {}},
     "condition": {"kind": "not", "not": {"kind": "enduserTag", "op": "hasValue", "tag": "tier"}},
     "effect": {"type": "block"}}
  ]
}
END2
cat >policy.list <<'END2'
planted.json:2:38: error RPL7007: `policy.mode`: expected `enforce`, `shadow` or `monitor`, got `enforced`
planted.json:2:50: error RPL7004: `policy.combin`: unknown key
planted.json:4:18: error RPL7007: `rules[0].priority`: expected a number, got a string
planted.json:5:28: error RPL7007: `rules[0].selector.phase`: expected `tool.before` or `tool.after`
planted.json:6:98: error RPL7007: `rules[0].condition.max`: expected a whole number from 0
planted.json:7:25: error RPL7007: `rules[0].effect.type`: expected `allow`, `hitl` or `block`, got `deny`
planted.json:8:32: error RPL7007: `rules[1].enabled`: expected `true` or `false`, got a string
planted.json:10:28: error RPL7007: `rules[1].condition.kind`: expected `enduserTag`,
planted.json:12:5: error RPL7006: `rules[2].name`: this is required
planted.json:14:42: error RPL7006: `rules[2].condition.not.value`: this is required
END2
mistakes "10 in a policy" "$rpl" guard check planted.json <policy.list
mistakes "the same before calls are decided" "$rpl" guard --policy planted.json <policy.list
printf '%% <- $ask("Q")\n' >asks.rpl
mistakes "the same before a program runs" "$rpl" run asks.rpl --answer ask=1 --policy planted.json <policy.list

cat >planted.yaml <<'END2'
claims:
  - {name: caps, selector: feature.capabilities}
  - {name: file, selector: 'feature[x].file'}
  - {name: caps, selector: feature.caps}
  - {selector: feature.tests}
predicates:
  - {claim: capz, rule: exists, source: memory}
  - {claim: caps, rule: contain, value: a, source: memory}
  - {claim: caps, rule: min_length, value: "2", source: task_prompt}
  - {claim: caps, rule: any_of, value: json, source: memory}
  - {claim: caps, rule: exists, source: prompt}
  - {claim: caps, rule: equals, source: memory}
  - {claim: caps, rule: exists, source: memory, when: {claim: fil, rule: exists}}
END2
printf 'facts: {feature: {capabilities: [a]}}\n' >sound.yaml
mistakes "10 in a rulespec" "$rpl" verify sound.yaml --rulespec planted.yaml <<'END2'
planted.yaml:3:28: error RPL7105: `claims[1].selector`: invalid selector `feature[x].file`
planted.yaml:4:12: error RPL7103: `claims[2].name`: duplicate claim `caps`, the first is `claims[0].name`
planted.yaml:5:5: error RPL7006: `claims[3].name`: this is required
planted.yaml:7:13: error RPL7104: `predicates[0].claim`: unknown claim `capz`
planted.yaml:8:25: error RPL7007: `predicates[1].rule`: expected `exists`,
planted.yaml:9:44: error RPL7007: `predicates[2].value`: expected a whole number from 0, got a string
planted.yaml:10:40: error RPL7007: `predicates[3].value`: expected an array, got a string
planted.yaml:11:41: error RPL7007: `predicates[4].source`: expected `task_prompt` or `memory`, got `prompt`
planted.yaml:12:5: error RPL7006: `predicates[5].value`: this is required
planted.yaml:13:63: error RPL7104: `predicates[6].when.claim`: unknown claim `fil`
END2

# Of envelopes some mistakes hide the rest of the file.
printf 'claims: [{name: c, selector: v}]\npredicates: [{claim: c, rule: exists, source: memory}]\n' >spec.yaml
printf 'facts:\n  v: 1\n  v: 2\n  rate: .nan\n  a: &x 1\n  deep: [{b: *x}]\n  c: !!str 5\n' >many.yaml
mistakes "5 in an envelope" "$rpl" verify many.yaml --rulespec spec.yaml <<'END2'
many.yaml:3:3: error RPL7005: `facts.v` stands here for the second time
many.yaml:4:9: error RPL7002: `facts.rate`: `.nan` is no number of JSON
many.yaml:5:6: error RPL7002: `facts.a`: an anchor is not read here
many.yaml:6:14: error RPL7002: `facts.deep[0].b`: an alias is not read here
many.yaml:7:6: error RPL7002: `facts.c`: a tag is not read here
END2
printf 'feature: {file: src/a.rs}\n' >top.yaml
mistakes "an envelope without facts" "$rpl" verify top.yaml --rulespec spec.yaml \
  <<<'top.yaml:1:1: error RPL7106: the envelope has no `facts:`'
: >nothing.yaml
mistakes "an empty envelope" "$rpl" verify nothing.yaml --rulespec spec.yaml \
  <<<'nothing.yaml:1:1: error RPL7106: the envelope has no `facts:`'
printf 'facts: [a]\n' >list.yaml
mistakes "facts that are a list" "$rpl" verify list.yaml --rulespec spec.yaml \
  <<<'list.yaml:1:8: error RPL7007: `facts`: expected a map, got a list'
printf 'facts:\n  v: 1\n---\nfacts: {}\n' >two.yaml
mistakes "two envelopes in one file" "$rpl" verify two.yaml --rulespec spec.yaml \
  <<<'two.yaml:4:1: error RPL7002: a second document starts here'
printf 'facts:\n\tv: 1\n' >tab.yaml
mistakes "an envelope with a tab" "$rpl" verify tab.yaml --rulespec spec.yaml \
  <<<'tab.yaml:2:3: error RPL7001: this is not YAML: '

check "the answers are of the schema" /usr/bin/python3 validate.py "$schema" <answers

finish
