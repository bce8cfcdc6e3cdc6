#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/guard_mcp_test.sh [RPL]
#
# `rpl guard mcp` between a host, which is this script, and the server shell/mcp_server.py: what
# passes, what is refused, reviews, pinned tools, and the ends of either side. The last line is
# `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
server=$(realpath "$(dirname "${BASH_SOURCE[0]}")/mcp_server.py")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state PYTHONDONTWRITEBYTECODE=1

cat >policy.yaml <<'END'
rules:
  - {priority: 1, enabled: true, name: folder, selector: {phase: tool.before, tool: {name: write_file}},
     condition: {kind: not, not: {kind: toolArg, type: string, op: startsWith, path: path, value: /box/}},
     effect: {type: block, reason: only below /box}}
  - {priority: 1, enabled: true, name: sums, selector: {phase: tool.before, tool: {name: add}},
     condition: {kind: toolArg, type: number, op: gt, path: a, value: 100},
     effect: {type: hitl, reason: large sums are looked at}}
  - {priority: 1, enabled: true, name: few, selector: {phase: tool.before, tool: {name: echo}},
     condition: {kind: maxCalls, selector: {by: toolName, patterns: [echo]}, max: 2},
     effect: {type: block, reason: two are enough}}
  - {priority: 1, enabled: true, name: never, selector: {phase: tool.before, tool: {name: edit}},
     condition: {kind: toolName, op: eq, value: edit},
     effect: {type: block}}
  - {priority: 1, enabled: true, name: keep, selector: {phase: tool.after, tool: {name: secret}},
     condition: {kind: toolName, op: eq, value: secret},
     effect: {type: block, reason: secrets stay here}}
  - {priority: 1, enabled: true, name: slow, selector: {phase: tool.after, tool: {name: wait}},
     condition: {kind: executionTime, scope: tool, op: gt, ms: 150},
     effect: {type: block, reason: that was slow}}
END
echo '{"rules":[]}' >all.json

initialize() {
  printf '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%s","capabilities":%s,"clientInfo":{"name":"x","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n' \
    "${2:-2025-11-25}" "$1"
}
# call ID TOOL ARGUMENTS [MORE]
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s%s}}\n' "$1" "$2" "$3" "${4:+,$4}"; }
modern='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}'
# through [OPTION…]: the lines of standard input through the gateway, with a policy of $policy
through() {
  timeout 60 "$rpl" guard mcp --policy "${policy:-policy.yaml}" "$@" \
    -- python3 "$server" --record record ${mode:+--mode "$mode"}
}
# texts: id and text of each answer to a call
texts() {
  python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    result = message.get("result") or {}
    if "content" in result:
        error = "!" if result.get("isError") else ""
        print(message["id"], error + result["content"][0]["text"])'
}
# answers NAME WANTED: the texts of the last answers, in `out`
answers() { same "$1" "$2" "$(texts <out | sort)"; }

# --- What passes -----------------------------------------------------------------------------

{
  initialize '{}'
  printf '%s\n' '{"jsonrpc":"2.0","id":"l","method":"tools/list"}' '{"jsonrpc":"2.0","id":2,"method":"none/such"}' \
    '{"jsonrpc":"2.0","id":3,"method":"ping"}'
  call 4 echo '{"text":"é\u0301 \ud83d\ude00"}'
  call 5 add '{"a":1.50,"b":2}'
} >session
python3 "$server" <session >direct
policy=all.json through <session >proxied 2>err
same "the same bytes with and without the proxy" "$(cat direct)" "$(cat proxied)"
same "and nothing on standard error" "" "$(cat err)"
{
  printf '{"jsonrpc":"2.0","id":"l","method":"tools/list","params":{%s}}\n' "$modern"
  call 4 echo '{"text":"é"}' "$modern"
} >session2
python3 "$server" --mode both <session2 >direct
mode=both policy=all.json through <session2 >proxied 2>err
same "the same bytes in the modern era" "$(cat direct)" "$(cat proxied)"
same "the modern era is spoken" 1 "$(grep -c ttlMs proxied)"

# --- What is refused -------------------------------------------------------------------------

rm -f record
{
  initialize '{}'
  call 1 write_file '{"path":"/etc/x","content":""}'
  call 2 write_file '{"path":"/box/x","content":""}'
  for i in 3 4 5; do call $i echo '{"text":"t"}'; done
  call 6 secret '{}'
  call 7 add '{"a":"200","b":1}'
} >session
through --audit audit.jsonl <session >out 2>err
answers "calls are decided about" '1 !Blocked by the rule `folder` of a policy: only below /box. Do not try it in another form; tell the user.
2 {"path": "/box/x", "content": ""}
3 {"text": "t"}
4 {"text": "t"}
5 !Blocked by the rule `few` of a policy: two are enough. Do not try it in another form; tell the user.
6 !The result is withheld by the rule `keep` of a policy: secrets stay here. Do not try it in another form; tell the user.
7 !Refused: the arguments do not fit the schema of the tool at /a: expected the type number.'
same "only these are carried out" 'write_file echo echo secret' \
  "$(python3 -c 'import json; print(*[json.loads(l)["tool"] for l in open("record")])')"
expect "the audit log" 0 '*' "events, unchanged" "$rpl" guard audit audit.jsonl
same "its events" "      1 error
      1 run.ended
      1 run.started
     10 tool.decision
      4 tool.result" "$(grep -o '"kind":"[a-z]*\(\.[a-z]*\)\?"' audit.jsonl | grep -v ALLOW | sed 's/.*:"//; s/"//' | grep -E '^(error|run|tool)' | sort | uniq -c)"
check "the log is as its schema says" /usr/bin/python3 -c '
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
for line in open("audit.jsonl"): jsonschema.Draft202012Validator(schema).validate(json.loads(line))' \
  "$(dirname "$server")/../docs/schemas/audit.json"
{ initialize '{}'; call 1 echo '{"text":"t"}'; } | through 2>/dev/null >out
answers "each process is a run" '1 {"text": "t"}'
{ initialize '{}'; echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'; } | through 2>/dev/null >out
same "a tool that is never allowed is not listed" "echo write_file add wait ask long odd die secret" \
  "$(grep -o '{"name":"[a-z_]*"' out | cut -d '"' -f 4 | xargs)"
{ initialize '{}'; call 1 wait '{"ms":200}'; call 2 wait '{"ms":1}'; } | through 2>/dev/null >out
answers "results are decided by their time" '1 !The result is withheld by the rule `slow` of a policy: that was slow. Do not try it in another form; tell the user.
2 waited'
{ initialize '{}'; call 1 die '{"status":1}'; } | through --default deny 2>/dev/null >out
answers "--default deny" '1 !Blocked by a policy: no rule of the policy allows `die`. Do not try it in another form; tell the user.'

# --- Reviews ---------------------------------------------------------------------------------

rm -f record
{ initialize '{}'; call 1 add '{"a":200,"b":1}'; } >session
through <session >out 2>err
review=$(grep -o 'review ([0-9a-f]*\|(review [0-9a-f]*' out | cut -c 9-)
answers "a held call, without elicitation" "1 !Held for a person's review ($review): large sums are looked at. Once a person has approved it, the same call passes. Do not try it in another form; tell the user."
expect "it is pending" 0 "$review" "" bash -c '"$0" guard pending | grep -v "^ "' "$rpl"
check "it is approved" reviews approve "$review"
{ cat session; call 2 add '{"a":200,"b":1}'; } | through >out 2>err
same "and passes once" "1 201
2 !Held" "$(texts <out | sort | cut -c 1-7)"
through --store "the store's.db" <session >out 2>err
approve=$(grep -o 'rpl guard approve [^`]*' err)
same "a store has its name in the command" "rpl guard approve $review --store '$PWD/the store'\\''s.db'" \
  "$(printf '%b' "$approve")"
check "which works from another folder" bash -c 'cd / && echo approve | "$terminal" bash -c "$1 ${2#rpl}"' \
  bash "$rpl" "$(printf '%b' "$approve")"
reviews deny "$review" --reason "not today" >/dev/null
through <session >out 2>err
answers "or is denied" '1 !Blocked by the rule `sums` of a policy: denied: not today. Do not try it in another form; tell the user.'

rm -f record
{ initialize '{}'; call 1 add '{"a":1,"b":1}'; call 2 add '{"a":1,"b":1}'; } >session
through --default ask <session >out 2>err
review=$(grep -o 'review ([0-9a-f]*' out | head -n 1 | cut -c 9-)
held="!Held for a person's review ($review): no rule of the policy allows \`add\`. Once a person has approved it, the same call passes. Do not try it in another form; tell the user."
answers "--default ask holds a call for a review" "1 $held
2 $held"
expect "which is pending" 0 "$review
    add {\"a\":1,\"b\":1}
    held by \`--default\` since TIME: no rule of the policy allows \`add\`" "" \
  bash -c '"$0" guard pending | sed "s/since [^ ]*:/since TIME:/"' "$rpl"
check "and approved like any other" reviews approve "$review"
through --default ask <session >out 2>err
answers "it passes once then" "1 2
2 $held"
reviews deny "$review" --reason "not today" >/dev/null
through --default ask <session >out 2>err
answers "or is denied" '1 !Blocked by a policy: denied: not today. Do not try it in another form; tell the user.
2 !Blocked by a policy: denied: not today. Do not try it in another form; tell the user.'
same "only what was approved is carried out" 1 "$(wc -l <record)"

# host ANSWER: a host with a person, who answers every question.
host() {
  python3 -c '
import json, subprocess, sys, time
answer, wait, lines = json.loads(sys.argv[1]), float(sys.argv[2]), open("session").read()
child = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
child.stdin.write(lines); child.stdin.flush()
calls = {json.loads(l)["id"]: json.loads(l) for l in lines.splitlines() if "tools/call" in l}
left = len(calls)
while left:
    message = json.loads(child.stdout.readline())
    if message.get("method") == "elicitation/create":
        time.sleep(wait)
        child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}) + "\n")
    elif message.get("result", {}).get("resultType") == "input_required":
        time.sleep(wait)
        call = calls[message["id"]]
        call["id"] = str(call["id"]) + "again"
        calls[call["id"]] = call
        call["params"]["inputResponses"] = {key: answer for key in message["result"]["inputRequests"]}
        if "requestState" in message["result"]:
            call["params"]["requestState"] = message["result"]["requestState"]
        child.stdin.write(json.dumps(call) + "\n")
    elif message.get("id") in calls:
        left -= 1
        print(json.dumps(message))
    child.stdin.flush()
child.stdin.close()
child.wait()' "$1" "$2" timeout 60 "$rpl" guard mcp --policy policy.yaml --store reviews.db "${@:3}" \
    -- python3 "$server" --mode "${mode:-both}"
}
yes='{"action":"accept","content":{"decision":"approve"}}'
{ initialize '{"elicitation":{}}'; call 1 add '{"a":300,"b":1}'; call 2 add '{"a":1,"b":1}'; } >session
host "$yes" 0 >out 2>err
answers "a person approves, legacy" '1 301
2 2'
host "$yes" 0 >out 2>err
answers "each call is approved" '1 301
2 2'
host '{"action":"decline"}' 1.2 >out 2>err
answers "a person declines" '1 !The user refused this call, which a policy had held: large sums are looked at. Do not repeat it.
2 2'
host '{"action":"decline"}' 0 >out 2>err
answers "also at once" '1 !The user refused this call, which a policy had held: large sums are looked at. Do not repeat it.
2 2'
same "the log names the review" 1 "$(grep -c 'the user refused a call: `rpl guard approve [0-9a-f]* --store' err)"
host "$yes" 2 --ask-timeout 1 >out 2>err
same "nobody answers in time" "1 !Held for" "$(texts <out | sort | head -n 1 | cut -c 1-11)"
host "$yes" 0 >out 2>err
answers "the answer that came late let the next call pass" '1 301
2 2'
{ call 1 add '{"a":300,"b":2}' "$modern"; call 2 ask '{}' "$modern"; } >session
sed -i 's/"ask"/"add"/; s/"arguments":{}/"arguments":{"a":1,"b":2}/' session
host "$yes" 0 >out 2>err
answers "a person approves, modern" '1again 302
2 3'
call 1 ask '{}' "$modern" >session
host '{"action":"accept","content":{"word":"w"}}' 0 >out 2>err
answers "questions of the server pass, modern" '1again the word is w'
{ initialize '{"elicitation":{}}'; call 1 ask '{}'; } >session
host '{"action":"accept","content":{"word":"w"}}' 0 >out 2>err
answers "questions of the server pass, legacy" '1 answer: {"action": "accept", "content": {"word": "w"}}'
mode=poison host '{"action":"accept","content":{"word":"w"}}' 0 >out 2>err
answers "but not for a password" '1 answer: {"action": "decline"}'

# --- Results that are withheld for now -------------------------------------------------------

cat >after.yaml <<'END'
rules:
  - {priority: 1, enabled: true, name: look, selector: {phase: tool.after, tool: {name: secret}},
     condition: {kind: toolName, op: eq, value: secret},
     effect: {type: hitl, reason: secrets are looked at}}
END
# talk [OPTION…]: a host that sends the lines of standard input, each after the answer to the one
# before, and runs those that begin with `$` as commands.
talk() {
  python3 -c '
import json, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin.read().splitlines():
    if line.startswith("$"):
        subprocess.run(["bash", "-c", line[1:]], stderr=subprocess.DEVNULL)
        continue
    child.stdin.write(line + "\n"); child.stdin.flush()
    wanted = json.loads(line).get("id")
    while wanted is not None:
        answer = child.stdout.readline()
        print(answer, end="")
        if json.loads(answer).get("id") == wanted:
            break
child.stdin.close()
child.wait()' timeout 60 "$rpl" guard mcp --policy after.yaml --store after.db "$@" \
    -- python3 "$server" --record record
}
export rpl
answer='echo VERB | "$terminal" "$rpl" guard VERB $("$rpl" guard pending --store after.db | head -n 1) --store after.db'
rm -f record
{
  initialize '{}'
  call 1 secret '{}'
  call 2 secret '{}'
  echo "$ ${answer//VERB/approve} >/dev/null"
  for i in 3 4; do call $i secret '{}'; done
  echo "$ ${answer//VERB/deny} --reason 'not today' >/dev/null"
  for i in 5 6; do call $i secret '{}'; done
} | talk --audit after.jsonl >out 2>err
review=$(grep -o 'review ([0-9a-f]*' out | head -n 1 | cut -c 9-)
held="!The call was made, and its result is withheld for a person's review ($review): secrets are looked at. Once a person has approved it, the same call gets that result and is not made again, as long as this gateway runs. Do not try it in another form; tell the user."
denied='!This call was made before, and was not made again now. The result is withheld by the rule `look` of a policy: denied: not today. Do not try it in another form; tell the user.'
answers "a result is held, approved, and held again" "1 $held
2 $held
3 the secret is 42
4 $held
5 $denied
6 $denied"
same "each approval and each denial is about a call that was made" 2 "$(wc -l <record)"
same "and ended once" 2 "$(grep -c tool.result after.jsonl)"

# The database is locked while the result comes.
lock='import sqlite3, time; c = sqlite3.connect("after.db"); c.execute("BEGIN EXCLUSIVE"); time.sleep(2)'
rm -f record
{
  initialize '{}'
  call 0 echo '{"text":"t"}'
  call 1 wait '{"ms":1000}'
  echo '$ sleep 2'
  call 2 wait '{"ms":1000}'
} >session
(sleep 0.7; python3 -c "$lock") &
talk --timeout-ms 600 <session >out 2>err
wait $!
answers "a result that comes while the store is locked" '0 {"text": "t"}
1 !The call was made, and its result is withheld, because the guard failed: `after.db`: other processes hold it. The result is kept as long as this gateway runs: the same call is not made again, but decides about that result again. Tell the user.
2 waited'
same "the call is made once" 1 "$(grep -c wait record)"

# --- Pinned tools ----------------------------------------------------------------------------

{ initialize '{}'; echo '{"jsonrpc":"2.0","id":"l","method":"tools/list"}'; call 1 echo '{"text":"t"}'; } >session
policy=all.json through --name s --store pins.db <session >out 2>err
answers "tools are pinned" '1 {"text": "t"}'
mode=changed policy=all.json through --name s --store pins.db <session >out 2>err
review=$(grep -o 'review ([0-9a-f]*\|(review [0-9a-f]*' out | cut -c 9-)
same "a changed tool is not listed" "" "$(grep -o id_rsa out)"
answers "nor called" "1 !Refused: the server changed the definition of the tool since it was pinned. A person compares it, and approves it (review $review)"
mode=changed policy=all.json through --name other --store pins.db <session >out 2>err
answers "another server has its own pins" '1 {"text": "t"}'
mode=changed policy=all.json through --name s --store pins.db < <(grep -v tools/list session) >out 2>err
same "also if the host does not list" "1 !Refused" "$(texts <out | cut -c 1-10)"
reviews approve "$review" --store pins.db >/dev/null
for i in 1 2; do
  mode=changed policy=all.json through --name s --store pins.db <session >out 2>err
  answers "an approved definition, $i" '1 {"text": "t"}'
done
policy=all.json through --name s --store pins.db <session >out 2>err
same "the first one is a change then" "1 !Refused" "$(texts <out | cut -c 1-10)"
{ initialize '{}'; echo '{"jsonrpc":"2.0","id":"l","method":"tools/list"}'; call 1 upload '{"path":"/x"}'; } >session3
policy=all.json through --name u --store pins.db <session >out 2>err
mode=more policy=all.json through --name u --store pins.db <session3 >out 2>err
review=$(grep -o 'review ([0-9a-f]*\|(review [0-9a-f]*' out | cut -c 9-)
answers "a tool that appears later is not called" "1 !Refused: the server has a tool that is new since its tools were pinned. A person compares it, and approves it (review $review)"
same "nor listed" "" "$(grep -o 'Sends a file' out)"
reviews approve "$review" --store pins.db >/dev/null
mode=more policy=all.json through --name u --store pins.db <session3 >out 2>err
check "until it is approved" grep -q 'Sends a file' out
check "a tool that the server does not list is not called" grep -qF 'Refused: the server lists no tool of this name.' \
  <({ initialize '{}'; call 1 upload '{"path":"/x"}'; } | policy=all.json through 2>/dev/null)
mode=twice policy=all.json through --name t --store pins.db <session >out 2>err
same "a tool that is listed twice" "1 !Refused" "$(texts <out | cut -c 1-10)"

# --- Failures --------------------------------------------------------------------------------

echo '{"rules":[{}]}' >wrong.json
{ initialize '{}'; echo '{"jsonrpc":"2.0","id":"l","method":"tools/list"}'; call 1 echo '{"text":"t"}'; } >session
rm -f record
policy=wrong.json through <session >out 2>err
answers "a wrong policy" '1 !Refused, because the guard failed: its policy or configuration cannot be used'
same "the list passes" 1 "$(grep -c '"id": "l"' out)"
same "nothing is carried out" "" "$(cat record 2>/dev/null)"
grep -qF 'no call of a tool is passed on' err || failure "a wrong policy: expected a message" "$(cat err)"
policy=all.json through --audit /dev/full --audit-required <session >out 2>err
answers "an audit log that is full" '1 !Refused, because the guard failed: the audit log cannot be written'
mkdir -p folder.db
policy=all.json through --store folder.db <session >out 2>err
same "a store that is none" "1 !Refused" "$(texts <out | cut -c 1-10)"
expect "without a policy" 2 "" "expected a protocol or a policy" "$rpl" guard mcp -- true
expect "without a server" 2 "" "SERVER" "$rpl" guard mcp --policy all.json
expect "a server that does not exist" 6 "" "" "$rpl" guard mcp --policy all.json -- ./none
{ initialize '{}'; call 1 die '{"status":7}'; call 2 echo '{"text":"t"}'; sleep 5; } |
  policy=all.json through >out 2>err
same "the server's status is the end" 7 "${PIPESTATUS[1]}"
same "the end of a server is told" "1 !The call failed: the server ended with status 7." \
  "$(texts <out | sort | head -n 1)"
python3 - >long <<'END'
for identifier in '"id":3,', '', '"id":1.5,':
    print('{"jsonrpc":"2.0",%s"method":"tools/call","params":{"name":"echo","arguments":{"text":"%s"}}}'
          % (identifier, "x" * (17 << 20)))
END
{ initialize '{}'; call 1 long '{}'; call 2 echo '{"text":"t"}'; cat long; } | policy=all.json through >out 2>err
answers "a result that is too long" "1 !The call failed: the server's answer has more than 16 MiB, the most that the gateway passes.
2 {\"text\": \"t\"}"
same "a request that is too long" '"id":3,"error":{"code":-32600
"id":null,"error":{"code":-32600' "$(grep -o '"id":[^ ]*"error":{"code":-[0-9]*' out)"
mode=noisy policy=all.json through <session >out 2>err
answers "noise is dropped" '1 {"text": "t"}'
same "and every line is a message" "$(wc -l <out)" "$(grep -c '^{.*"jsonrpc": *"2.0"' out)"
grep -qF 'that is no message: Server started!' err || failure "noise: expected a warning" "$(cat err)"
mode=silent policy=all.json through < <(initialize '{}'; echo '{"jsonrpc":"2.0","id":9,"method":"ping"}') >out 2>err
same "a server without a list serves" 1 "$(grep -c '"id": 9' out)"
{ initialize '{}'; call 1 echo '{"text":"t"}'; call 2 echo '{"text":"t"}'; } >session
mode=silent policy=all.json through --timeout-ms 300 <session >out 2>err
answers "the time limit holds for the list of the tools" '1 !Refused: the server did not list its tools in time.
2 !Refused: the server did not list its tools in time.'

# --- Processes -------------------------------------------------------------------------------

left() { pgrep -fc "^sleep 8$$.125" || true; }
none_left() {
  local i
  for ((i = 0; i < 300; i++)); do
    [[ $(left) != 0 ]] || { pass; return; }
    sleep 0.02
  done
  failure "$1" "processes left: $(pgrep -fa "^sleep 8$$.125")"
  pgrep -f "^sleep 8$$.125" | xargs -r kill -KILL
}
for how in KILL TERM INT HUP; do
  mkfifo "in.$how"
  # A shell without a terminal may ignore HUP, and hand that on.
  env --default-signal=HUP "$rpl" guard mcp --policy all.json -- \
    sh -c "setsid sleep 8$$.125 & exec sleep 8$$.125" <"in.$how" >out 2>err &
  proxy=$!
  exec 5>"in.$how"
  until [[ $(left) == 2 ]]; do sleep 0.01; done
  kill -"$how" $proxy
  wait $proxy 2>/dev/null
  exec 5>&-
  none_left "the server does not survive the proxy, ended by $how"
done
"$rpl" guard mcp --policy all.json -- sh -c "sleep 8$$.125" </dev/null >out 2>err &
wait $!
same "a server that does not end is ended" 143 $?
none_left "and leaves nothing"
finish
