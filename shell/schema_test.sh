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
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

passed=0
failed=0

# Reads lines; says which is not of the schema, or that there is none, or none of a type
# among the further arguments.
cat >validate.py <<'END'
import json, sys
import jsonschema

with open(sys.argv[1]) as file:
    validator = jsonschema.Draft202012Validator(json.load(file))
seen = set()
for number, line in enumerate(sys.stdin, 1):
    value = json.loads(line)
    seen.add(value.get("type") or value.get("kind") or value.get("effect"))
    for error in validator.iter_errors(value):
        sys.exit(f"line {number}: {error.message}\n  {line}")
missing = set(sys.argv[2:]) - seen
if not seen or missing:
    sys.exit(f"expected lines of {missing or 'any type'}, got {seen}")
END

# valid SCHEMA TYPES COMMAND…: the lines are of the schema, each of TYPES among them.
valid() {
  local schema=$1 types=$2 got
  shift 2
  "$@" >out 2>err
  # shellcheck disable=SC2086
  if got=$(/usr/bin/python3 validate.py "$schemas/$schema.json" $types <out 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: %s\n%s\n%s\n' "$schema" "$*" "$(tail -n 2 <<<"$got")" "$(head -c 1000 err)"
  fi
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

guarded() { "$rpl" run "$@" >/dev/null 2>>err; cat audit.jsonl; }
calls() { "$rpl" guard --policy "$examples/guard/support-policy.json" --approvals reviews <"$1"; }
sed 's/tz: [^}]*/tz: Mars/' "$examples/guard/rpl.yaml" >guard.yaml
sed 's/"toolArg".*}/"timeGate","timezone":{"source":"enduserTag","tag":"tz"},"windows":[{"days":["mon"],"start":"00:00","end":"23:59"}]}/' \
  "$examples/guard/refund-policy.json" >zone.json
valid audit "run.started tool.decision tool.result run.ended" guarded \
  "$examples/guard/refund-desk.md" --policy "$examples/guard/refund-policy.json" \
  --approvals reviews --answers "$examples/guard/refund-answers.json" --audit audit.jsonl
valid audit "error" guarded "$examples/guard/refund-desk.md" --policy zone.json \
  --config guard.yaml --answers "$examples/guard/refund-answers.json" --audit audit.jsonl
valid decision "allow hitl block" calls "$examples/guard/support-calls.jsonl"
printf 'nonsense\n{"tool":""}\n' >wrong.jsonl
valid decision "block" calls wrong.jsonl

printf '%s passed, %s failed\n' "$passed" "$failed"
((failed == 0))
