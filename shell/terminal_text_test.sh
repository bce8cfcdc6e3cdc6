#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/terminal_text_test.sh RPL
#
# No text reaches a terminal raw: one hostile text stands wherever a program, a file of facts, a
# tool, a policy, a rule or a session may have it, and every command that prints any of these
# shows it with escapes. JSON stays equal in value, documents keep their bytes in a file. The
# last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: terminal_text_test.sh RPL}")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1

hostile=$'\e[31m\u202e\u009b'
shown='\u001b[31m\u202e\u009b'

# --- where it stands -----------------------------------------------------------------------

printf 'who,note\nann,%s\n' "$hostile" >notes.csv
printf '%%w(?who, ?x) <- note(?who, ?x)\n' >notes.rpl
printf 'note("ann", "%s")\n\n%%w(?who, ?x) <- note(?who, ?x)\n' "$hostile" >message.md
cat >trip.md <<END
# Trip $hostile - %trip(?x) <- place(?x), ?y = \$echo(?x)

Prose $hostile.

## Place - place(?x) <- ?x = \$choose("Which, $hostile?", ["a$hostile" "b"]), \$json(?x)

p("$hostile")  -- note $hostile

p("x$hostile") -> false
END
cat >echo.sh <<'END'
#!/bin/sh
read -r request; printf '%b\n' 'tool \033[31m\0342\0200\0256\0302\0233' >&2
printf '{"id": "%s", "result": "\\u001b[31m\\u202e\\u009b"}\n' \
  "$(printf '%s' "$request" | sed 's/.*"id":"\([^"]*\)".*/\1/')"
END
chmod +x echo.sh
printf 'version: 1\ntools: {echo: {command: [./echo.sh], permission: allow}}\n' >rpl.yaml
printf 'p(1) %s\nq("%s"\n' "$hostile" "$hostile" >bad.rpl
printf 'p( "%s" )\n' "$hostile" >untidy.rpl
printf '## Case %s\n\n```rpl-test\nUSER:\n%% <- 1 = 2\nAGENT:\n%s\n```\n' "$hostile" "$hostile" >fails.md
printf '# Named\n\nProse %s.\n\ncontent(_, ?text), ?text = "%s" -> false\n' "$hostile" "$hostile" >rules.md
printf 'note: "\\e[31m\\u202e\\x9b"\n' >content.yaml
cat >policy.json <<END
{"rules": [{"priority": 1, "enabled": true, "name": "held",
  "selector": {"phase": "tool.before", "tool": {"name": "*"}},
  "condition": {"kind": "toolName", "op": "neq", "value": "$shown"},
  "effect": {"type": "hitl", "reason": "why $shown"}}]}
END
printf '{"rules": "%s", "%s": 1}\n' "$shown" "$shown" >badpolicy.json

# --- how it is shown -----------------------------------------------------------------------

# shows CODE STREAM COMMAND…: the text stands in `out` or `err`, escaped.
shows() {
  local code=$1 stream=$2
  shift 2
  expect "$*" "$code" "*" "" "$rpl" "$@" </dev/null
  plain
  grep -qF "$shown" "$stream" || fail "expected the text with escapes in $stream"
}

# shows_json CODE COMMAND…: the same, and each line is JSON that has the text as it was.
shows_json() {
  shows "$1" out "${@:2}"
  python3 - "$hostile" out <<'END' || fail "expected JSON with the text"
import json, re, sys

def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value if isinstance(value, list) else [*value.keys(), *value.values()]:
            yield from texts(part)

lines = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
# Text of RPL, and JSON within JSON, has the escape of a string for the first of them.
sys.exit(not any(sys.argv[1] in re.sub(r"\\+u001b", "\x1b", text)
                 for line in lines for text in texts(line)))
END
}

shows 0 out query '%w(?x) <- note(_, ?x)' --facts note=notes.csv
shows 0 out query '%w(?who, ?x) <- note(?who, ?x)' --facts note=notes.csv
shows_json 0 query 'note(?who, ?x)' --facts note=notes.csv --format json
shows 0 out run notes.rpl --facts note=notes.csv
shows_json 0 run notes.rpl --facts note=notes.csv --format json
shows_json 0 run notes.rpl --facts note=notes.csv --events ndjson
shows_json 3 run trip.md --answers -
shows 0 err run trip.md --answer choose=1 --allow-tool echo --log phases --session trip.rpls
shows 0 out run trip.md --answer choose=1 --allow-tool echo
shows 3 err run trip.md
shows 0 out reply message.md

shows 3 err run trip.md --answer choose=1 --policy policy.json --store reviews.db
shows 0 out guard pending --store reviews.db
shows_json 0 guard pending --store reviews.db --format json
shows 0 out guard explain --policy policy.json held
shows 2 err guard check badpolicy.json

shows 0 out trace show trip.rpls
shows_json 0 trace show trip.rpls --format json
shows 0 out trace replay trip.rpls
shows 0 out trace query trip.rpls '%w(?x) <- place(?x)'
shows 0 out trace html trip.rpls
printf 'p(1)\n%%go <- p(1)\n' >other.rpl
"$rpl" run other.rpl --session other.rpls >/dev/null 2>&1
shows 1 out trace diff trip.rpls other.rpls
shows_json 0 trace export trip.rpls --format ndjson
cp out events
expect "exported events are sound" 0 "" "sound: " "$rpl" trace verify events
python3 -c 'import json, sys
for line in sys.stdin: print(json.dumps(json.loads(line), ensure_ascii=False))' <events >raw
expect "with other escapes, too" 0 "" "sound: " "$rpl" trace verify raw

shows 0 out explain 'p(?x)' -f trip.md
shows_json 0 explain 'p(?x)' -f trip.md --format json
expect "explain --format dot" 0 "*" "" "$rpl" explain 'p(?x)' -f trip.md --format dot
plain
shows 1 err explain 'p("none\u001b[31m\u202e\u009b")' -f trip.md
shows 0 out explain 'p("none\u001b[31m\u202e\u009b")' -f trip.md --not
shows 0 out doc trip.md
shows_json 0 doc trip.md --format json
shows 0 out parse trip.md
shows_json 0 parse trip.md --format json
shows 0 out profile trip.md --answer choose=1 --allow-tool echo
shows 1 out check bad.rpl
for format in github json sarif; do
  expect "check --format $format" 1 "*" "" "$rpl" check bad.rpl --format $format
  plain
done
shows 2 err run bad.rpl
shows 2 err fmt --check bad.rpl
shows 1 out test fails.md
shows_json 1 test fails.md --format json
shows 1 out verify content.yaml --rules rules.md
shows_json 1 verify content.yaml --rules rules.md --format json
shows_json 1 verify content.yaml --rules rules.md --format sarif
shows 0 out verify --list --rules rules.md
for mode in table text json; do
  {
    printf '.mode %s\nnote(?who, ?x)\n.facts note\n.phases on\n' $mode
    printf '%%w(?x) <- note(_, ?x), $json(?x)\n.trace\n.why note(?who, ?x)\n.whynot note("%s", 1)\n' "$hostile"
    printf '.rules %s\n.facts %s\n.answer %s\n.undo %s\n.load %s\n.%s\n' \
      "$hostile" "$hostile" "$hostile" "$hostile" "$hostile" "$hostile"
  } >entries
  expect "repl, $mode" 2 "*" "" "$rpl" repl --facts note=notes.csv <entries
  plain
  if ! grep -qF "$shown" out || ! grep -qF "$shown" err; then fail "expected the text with escapes"; fi
done

# What was changed in a program, on the way on.
sed -i 's/Prose/More/; s/^p("x.*/p("y'"$hostile"'") -> false/' trip.md
shows 0 err resume trip.rpls --allow-tool echo

# --- documents -----------------------------------------------------------------------------

# on_terminal CODE COMMAND…: the same on a terminal, whose line ends are CR LF.
on_terminal() {
  expect "$* on a terminal" "$1" "*" "" \
    "$terminal" "$rpl" "${@:2}" </dev/null
  tr -d '\r' <out >seen && mv seen out
  plain
  grep -qF "$shown" out || fail "expected the text with escapes"
}

expect "fmt keeps bytes in a file" 0 "p(\"$hostile\")" "" "$rpl" fmt untidy.rpl
expect "and so does its diff" 1 "$(printf -- '--- untidy.rpl\n+++ untidy.rpl\n@@ -1 +1 @@\n-p( "%s" )\n+p("%s")' "$hostile" "$hostile")" "" "$rpl" fmt --diff untidy.rpl
on_terminal 0 fmt untidy.rpl
on_terminal 1 fmt --diff untidy.rpl
on_terminal 0 trace export trip.rpls
on_terminal 0 query 'note(?who, ?x)' --facts note=notes.csv
expect "an exported trace" 0 "*" "" "$rpl" trace export trip.rpls
cp out trace.rpl
expect "is loaded again" 0 "*" "" "$rpl" run trip.md trace.rpl --allow-tool echo
plain

finish
