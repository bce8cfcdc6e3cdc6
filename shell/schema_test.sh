#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/schema_test.sh [RPL]
#
# JSON that rpl prints is what docs/schemas says. Each check is a command whose lines on
# standard output are objects of one schema. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
schemas=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../docs/schemas")
examples=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../examples")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1

# Reads lines; says which is not of the schema, or that there is none, or none with a `type`,
# `kind`, `status` or `schema` among the further arguments.
cat >validate.py <<'END'
import json, sys
import jsonschema

with open(sys.argv[1]) as file:
    validator = jsonschema.Draft202012Validator(json.load(file))
seen = set()
for number, line in enumerate(sys.stdin, 1):
    value = json.loads(line)
    seen.add("")
    seen.update(value[key] for key in ("type", "kind", "status", "schema", "effect") if key in value)
    for error in validator.iter_errors(value):
        sys.exit(f"line {number}: {error.message}\n  {line}")
missing = set(sys.argv[2:]) - seen
if not seen or missing:
    sys.exit(f"expected lines of {missing or 'any kind'}, got {seen}")
END

# valid SCHEMA KINDS COMMAND…: the lines are of the schema, each of KINDS among them.
valid() {
  local schema=$1 kinds=$2 got
  shift 2
  "$@" >out 2>err
  # shellcheck disable=SC2086
  if got=$(/usr/bin/python3 validate.py "$schemas/$schema.json" $kinds <out 2>&1); then pass
  else failure "$schema: $*" "$(tail -n 2 <<<"$got")" "$(head -c 1000 err)"; fi
}

cat >all.rpl <<'END'
near(?x) <- far(?x)
far(1)
% <- near(?x), ?a = $ask("Q"), $stock("nuts") ^ ~ {:status ?s}, $json(?s)
END
printf '[{"match":{"tool":"ask"},"value":{"k":[1,null]}},
 {"match":{"tool":"stock"},"metadata":{"status":"ok"}}]' >answers.json
cat >violated.rpl <<'END'
a(1)
a(?x) -> b(?x)
% <- a(1)
END
types="timestep phase derived question answer tool-call result trace chat goal done"
valid event "$types" "$rpl" run all.rpl --events ndjson --answers answers.json
valid event "fail done" "$rpl" run violated.rpl --events ndjson </dev/null
valid event "question done" "$rpl" run all.rpl --events ndjson </dev/null
valid event "question answer trace goal done" "$rpl" run "$examples/packing-list.md" \
  --events ndjson <"$examples/packing-list.md.answers"
valid event "question goal done" "$rpl" query -f all.rpl '%' --events ndjson </dev/null
valid event "answer chat goal done" "$rpl" query -f all.rpl '%' --events ndjson --answers answers.json
valid event "chat goal done" "$rpl" reply --events ndjson < <(printf 'a(1)\n%% <- a(?x), $json(?x)\n')

# --- One object for each command --------------------------------------------------------

cat >ask.md <<'END'
# Ask - %draft(?d) <- draft(?d)

## Draft - draft(?draft-id)

Which __draft-name__?

```rpl
draft-name(
```
END
sed '/```/,$d' ask.md >whole.md
cat >many.rpl <<'END'
n(0)
n(?y) <- n(?x), ?y = ?x + 1
% <- n(-1)
END
printf '%% <- ?r = $nobody("x") ^ ~ {:result ?r}\n' >tool.rpl
printf 'version: 1\ntools: {broken: {command: ["false"], permission: allow}}\n' >tools.yaml
printf '%% <- _ = $broken(1)\n' >broken.rpl
cat >graph.rpl <<'END'
edge(1, 2)
edge(2, 3)
to(?a, ?b) <- edge(?a, ?b)
to(?a, ?c) <- to(?a, ?b), edge(?b, ?c), not edge(?a, ?c), ?c > 1
END
printf '%% <- to(1, 3)\n' >ends.rpl
{
  for i in {1..200}; do echo "n($i)"; done
  printf 'twice(?x, ?y) <- ?y = ?x + ?x\npair(?x, ?y) <- n(?x), n(?y)\n%% <- pair(?x, 7), twice(?x, 4)\n'
} >pairs.rpl
cat >cases.md <<'END'
## Right

```rpl-test
USER:
p(1)
% <- p(1)
AGENT:
true
```

## Wrong

```rpl-test
USER:
p(1)
% <- p(2)
AGENT:
true
```
END

valid outcome satisfied "$rpl" run whole.md --format json --answer draft-id=x --session kept </dev/null
valid outcome satisfied "$rpl" resume kept --format json
valid outcome waiting "$rpl" run whole.md --format json </dev/null
valid outcome failed "$rpl" run violated.rpl --format json </dev/null
valid outcome limit "$rpl" run many.rpl --format json --max-rows 100
valid outcome tool-failed "$rpl" run broken.rpl --format json --config tools.yaml --allow-tool broken
valid outcome "satisfied rpl.reply/1" "$rpl" reply --format json < <(printf 'p(1)\n%% <- p(?x)\n')
valid outcome "unsatisfied" "$rpl" reply --format json < <(printf 'p(1)\n%% <- p(2)\n')
valid outcome "rejected" "$rpl" reply --format json < <(printf '%% <- p(\n')
valid outcome "nothing" "$rpl" reply --format json < <(printf 'p(1)\n')
printf "n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n%%count(?x) <- n(?x)\n" >counts.rpl
valid outcome satisfied "$rpl" run counts.rpl --format json --max-rows 5
valid event "goal done" "$rpl" run counts.rpl --events ndjson --max-rows 5
valid outcome "satisfied rpl.query/1" "$rpl" trace query kept '%w(?d) <- draft(?d)' --format json
valid request "rpl.request/1" "$rpl" run whole.md --answers - </dev/null
printf '%% <- p(?x), $json(?x)\np("a")\n' >chat.rpl
valid request "rpl.chat/1" "$rpl" run chat.rpl --answers - </dev/null
valid check "" "$rpl" check ask.md many.rpl --format json
valid check "" "$rpl" check graph.rpl --format json
valid test "" "$rpl" test cases.md --format json
model=$examples/model
valid eval "" "$rpl" eval "$model/draft-test.md" --model "command:$model/stand-in" --format json
valid eval "" "$rpl" eval "$model/draft-test.md" --model "command:$model/stand-in stubborn" --format json
"$rpl" run "$model/draft.md" --model "command:$model/stand-in" --session modelled >/dev/null 2>&1
valid questions "rpl.questions/1" "$rpl" trace questions modelled --format json
valid explain "" "$rpl" explain -f graph.rpl 'to(?a, ?b)' --format json
valid explain "" "$rpl" explain -f graph.rpl 'to(1, 3)' --depth 1 --format json
valid explain "" "$rpl" explain -f graph.rpl --not 'to(3, 1)' --format json
valid trace "" "$rpl" trace show kept --format json
valid trace "" "$rpl" trace replay kept --format json
valid questions "rpl.questions/1" "$rpl" trace questions kept --format json
valid export "program turn step entry reply outcome" "$rpl" trace export kept --format ndjson
valid profile "satisfied" "$rpl" profile graph.rpl ends.rpl --format json
valid profile "limit" "$rpl" profile many.rpl --format json --max-rows 100
valid profile "failed" "$rpl" profile violated.rpl --format json --no-times </dev/null
valid profile "satisfied" "$rpl" profile pairs.rpl --format json
valid doc "rpl.doc/1" "$rpl" doc all.rpl violated.rpl --format json
for example in "$examples"/*.md; do valid doc "rpl.doc/1" "$rpl" doc "$example" --format json; done
valid parse "" "$rpl" parse ask.md --format json
for example in "$examples"/*.md; do valid parse "" "$rpl" parse "$example" --format json; done

# --- What is refused -------------------------------------------------------------------

printf 'p(1)\n%% <- p(?x) and ?x\n' >bad.rpl
printf 'q(\n' >bad-message.md
printf 'p(?x) <- q(?x)\n' >no-goals.rpl
refused=(valid refused "rpl.refused/1" "$rpl")
"${refused[@]}" run bad.rpl --format json
"${refused[@]}" run missing.rpl --format json
"${refused[@]}" run no-goals.rpl --format json
"${refused[@]}" run ask.md --format json --facts p=missing.csv
"${refused[@]}" run ask.md --format json --no-such-option
"${refused[@]}" query -f bad.rpl 'p(?x)' --format json
"${refused[@]}" query 'p(?x' --format json
"${refused[@]}" profile bad.rpl --format json
"${refused[@]}" explain -f bad.rpl 'p(1)' --format json
"${refused[@]}" resume missing.rpls --format json
"${refused[@]}" trace show missing.rpls --format json
"${refused[@]}" check missing.rpl --format json
"${refused[@]}" test missing.md --format json
"${refused[@]}" doc missing.rpl --format json
"${refused[@]}" parse missing.rpl --format json
"${refused[@]}" reply missing.md --format json
"${refused[@]}" verify missing.yaml --rules rules.md --format json

# --- Guards ----------------------------------------------------------------------------

guarded() { "$rpl" run "$@" >/dev/null 2>>err; cat audit.jsonl; }
calls() { "$rpl" guard --policy "$examples/guard/support-policy.json" --store reviews.db <"$1"; }
sed 's/tz: [^}]*/tz: Mars/' "$examples/guard/rpl.yaml" >guard.yaml
sed 's/"toolArg".*}/"timeGate","timezone":{"source":"enduserTag","tag":"tz"},"windows":[{"days":["mon"],"start":"00:00","end":"23:59"}]}/' \
  "$examples/guard/refund-policy.json" >zone.json
valid audit "run.started tool.decision tool.result run.ended" guarded \
  "$examples/guard/refund-desk.md" --policy "$examples/guard/refund-policy.json" \
  --store reviews.db --answers "$examples/guard/refund-answers.json" --audit audit.jsonl
"$rpl" run "$examples/guard/refund-desk.md" --policy "$examples/guard/refund-policy.json" \
  --store reviews.db --answers "$examples/guard/refund-answers.json" --session held \
  >/dev/null 2>>err
valid export "outside decision" "$rpl" trace export held --format ndjson
valid audit "error" guarded "$examples/guard/refund-desk.md" --policy zone.json \
  --config guard.yaml --answers "$examples/guard/refund-answers.json" --audit audit.jsonl
valid decision "allow hitl block" calls "$examples/guard/support-calls.jsonl"
valid review "rpl.review/1" "$rpl" guard pending --store reviews.db --format json
printf 'nonsense\n{"tool":""}\n' >wrong.jsonl
valid decision "block" calls wrong.jsonl

cat >rulespec.yaml <<'END'
claims: [{name: c, selector: v}, {name: w, selector: w}]
predicates:
  - {claim: c, rule: exists, source: memory, note: x}
  - {claim: c, rule: equals, value: {a: [1]}, source: memory, notes: n}
  - {claim: c, rule: matches, value: "[", source: memory}
  - {claim: c, rule: exists, source: memory, when: {claim: w, rule: exists}}
END
printf 'facts: {v: 1}\n' >envelope.yaml
printf 'claims: [\n' >broken.yaml
cat >rules.md <<'END'
severity("warned", :warning)

# Warned

content(_, ?v) -> ?v > 100

# Needs a tool

content(_, ?v), $lint(?v) ^ ~ {:result ?r} -> ?r = 1
END
all=(--rulespec rulespec.yaml --rules rules.md)
valid checks "" "$rpl" verify envelope.yaml "${all[@]}" --format json
valid checks "" "$rpl" verify envelope.yaml "${all[@]}" --format json --on-error hitl --store r.db
valid checks "" "$rpl" verify envelope.yaml --rulespec broken.yaml --format json
valid checks "" "$rpl" verify envelope.yaml --format json

# What SARIF 2.1.0 requires of the parts that we write.
cat >sarif.py <<'END'
import json, sys

log = json.load(sys.stdin)
assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
(run,) = log["runs"]
assert run["tool"]["driver"]["name"] == "rpl"
rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
assert len(set(rules)) == len(rules)
seen = set()
for result in run["results"]:
    kind, level = result["kind"], result["level"]
    assert rules[result["ruleIndex"]] == result["ruleId"] and result["message"]["text"]
    assert (level == "none") == (kind != "fail"), (kind, level)
    assert level in ("none", "note", "warning", "error")
    for location in result.get("locations", []):
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"] and place["region"]["startLine"] >= 1
    seen.add(kind)
(invocation,) = run["invocations"]
for notification in invocation["toolExecutionNotifications"]:
    assert notification["level"] in ("note", "warning", "error") and notification["message"]["text"]
seen.add("successful" if invocation["executionSuccessful"] else "unsuccessful")
missing = set(sys.argv[1:]) - seen
assert not missing, f"expected {missing} among {seen}"
END

# sarif KINDS COMMAND…: prints SARIF with results of these kinds.
sarif() {
  local kinds=$1 got
  shift
  "$@" >out 2>err
  # shellcheck disable=SC2086
  if got=$(/usr/bin/python3 sarif.py $kinds <out 2>&1); then pass
  else failure "sarif: $*" "$(tail -n 2 <<<"$got")"; fi
}

sarif "pass fail notApplicable successful" "$rpl" verify envelope.yaml "${all[@]}" --format sarif
sarif "review" "$rpl" verify envelope.yaml "${all[@]}" --format sarif --on-error hitl --store r.db
sarif "unsuccessful" "$rpl" verify envelope.yaml --rulespec broken.yaml --format sarif

finish
