#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/golden/make.sh RPL FOLDER
#
# Makes the golden sessions of this version (docs/versions.md) in FOLDER, which must not exist: for
# each a folder with its program, its events, and what shell/golden_test.sh expects of it. RPL is
# the version whose sessions they are.
set -euo pipefail
rpl=$(realpath "$1") terminal=$(realpath "${BASH_SOURCE[0]%/*}/../terminal.py")
mkdir -p "$(dirname "$2")"
mkdir "$2"
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state LC_ALL=C.UTF-8

# at TIME COMMAND…: a run of this session at that time. Its exit code and output do not matter.
at() {
  local time=$1
  shift
  "$@" --now "2026-01-0${time}T09:00:00Z" >/dev/null 2>&1 || true
}
# begin NAME: the program of the session goes here.
begin() {
  mkdir "$1"
  cd "$1"
}
# finish ARGUMENT…: with these `rpl resume` goes on with it.
finish() {
  "$rpl" trace export session --format ndjson >events.ndjson
  [[ -e ../format.json ]] || /usr/bin/python3 - >../format.json <<'E'
import json, sqlite3
session = sqlite3.connect("session")
tables = [sql for (sql,) in session.execute("SELECT sql FROM sqlite_schema ORDER BY rowid")]
form = {name: session.execute("PRAGMA " + name).fetchone()[0] for name in ("application_id", "user_version")}
form["schema"] = "; ".join(tables) + "; INSERT INTO head VALUES(1, 0, zeroblob(32));"
print(json.dumps(form, indent=2))
E
  "$rpl" trace show session >shown
  printf '%s\n' "$@" >resume
  cp -r . "$work/again"
  (
    cd "$work/again"
    code=0
    "$rpl" resume session --now 2026-01-09T09:00:00Z "$@" </dev/null >"$work/out" 2>/dev/null || code=$?
    { echo "exit $code"; cat "$work/out"; } >"$work/resumed"
    "$rpl" trace show session >"$work/shown-after"
  )
  mv "$work/resumed" "$work/shown-after" .
  rm -rf "$work/again" session session-wal session-shm
  cd ..
}

# tool NAME FIELD: a tool that replies with that member of JSON.
tool() {
  printf '#!/bin/sh\nread -r call\nid=${call#*\\"id\\":\\"}\necho "{\\"id\\":\\"${id%%%%\\"*}\\",%s}"\n' "${2//\"/\\\"}" >"$1.sh"
  chmod +x "$1.sh"
  [[ -e rpl.yaml ]] || printf 'version: 1\ntools:\n' >rpl.yaml
  printf '  %s: {command: [./%s.sh], permission: allow}\n' "$1" "$1" >>rpl.yaml
}

begin questions
cat >trip.md <<'E'
# Trip - %trip(?where, ?nights, ?how) <- place(?where), stay(?where, ?nights), ?how = $choose("How?", ["train" "car"])

# Place - place(?where)

Where to?

# Stay - stay(?where, ?nights)

How many nights in {?where}?

# Guest - guest(?name)

Who comes along?

# Seat - seat(?row, ?number)

Which seat?

# Main - % <- %trip(_, _, _), ?n = |guest(_)|, ?n > 1, seat(_, _)
E
at 1 "$rpl" run trip.md --session session --answer where=Lucca </dev/null
at 2 "$rpl" resume session --decline nights </dev/null
at 3 "$rpl" resume session --take-back nights --answer nights=3 --answer choose=train </dev/null
printf 'Ada\nGrace\n\n' | at 4 "$rpl" resume session
at 5 "$rpl" resume session --answer row=7 </dev/null
finish --answer number=3

begin tools
tool ok '"result":[1,"two",null,{"a":0.5}]'
tool bad '"error":{"code":"down","message":"no line"}'
cat >tools.rpl <<'E'
got(?r) <- $ok(1) ^ ~ {:result ?r}
failed(?why) <- $bad(?x) ^ ~ {:status :error, :message ?why}, ?x = 2
more(?r) <- failed(_), $ok("again") ^ ~ {:result ?r}
shown() <- got(?r), $json(?r)
% <- more(?r), got(?r), $json(?r), $bad(3) ^ ~ {:result ?never}
E
at 1 "$rpl" run tools.rpl --session session --allow-tool ok --allow-tool bad </dev/null
at 2 "$rpl" resume session --allow-tool ok --allow-tool bad </dev/null
finish --allow-tool bad --retry bad

begin loop
tool work '"result":1'
cat >loop.rpl <<'E'
step(0)
limit(80)
step(?m) <- step(?n), limit(?l), ?n < ?l, $work(?n) ^ ~ {:result ?r}, ?m = ?n + ?r
seen(?n, ?r) <- step(?n), $work(?n) ^ ~ {:result ?r}
even(?n) <- step(?n), seen(?n, _), ?n in [0 2 40 78]
step(?n), limit(?l), ?n > ?l -> false
% <- step(80), even(78), ?k = |step(_)|, ?yes = $ask("Enough after {?k}?"), ?yes = "yes"
E
at 1 "$rpl" run loop.rpl --session session --allow-tool work </dev/null
finish --answer ask=yes

begin epochs
cat >plan.md <<'E'
# Plan - %plan(?a, ?b) <- first(?a), second(?a, ?b)

# First - first(?a)

Which one?

# Second - second(?a, ?b)

What comes with {?a}?
E
at 1 "$rpl" run plan.md --session session --answer a=tea </dev/null
printf '\n# Third - third(?c)\n\nAnd then?\n\n# All - %% <- %%plan(_, _), third(?c)\n' >>plan.md
at 2 "$rpl" resume session --answer b=milk </dev/null
sed -i 's/And then/What else/' plan.md
at 3 "$rpl" resume session </dev/null
finish --answer c=sugar

begin decided
cat >buy.rpl <<'E'
price("Lucca", 900)
price("Bari", 300)
approved("Pisa")
price(?where, ?euros), ?euros > 800 -> approved(?where)
%buy(?where) <- price(?where, ?euros), $confirm(?where, ?euros) ^ ~ {:result ?r}, ?r = "true"
E
at 1 "$rpl" run buy.rpl --session session --answer confirm=true </dev/null
at 2 "$rpl" resume session --answer 'what-now=retract price("Lucca", 900)' </dev/null
finish --answer confirm=true

begin guarded
tool look '"result":"here"'
tool send '"result":"sent"'
cat >policy.json <<'E'
{"policy": {"name": "post", "mode": "enforce", "combine": "most_severe_wins"},
 "rules": [{"priority": 1, "enabled": true, "name": "no-posting",
  "selector": {"phase": "tool.before", "tool": {"name": "send"}},
  "condition": {"kind": "toolName", "op": "eq", "value": "send"},
  "effect": {"type": "block", "reason": "nothing is sent today"}}]}
E
cat >post.rpl <<'E'
found(?x) <- $look(?x) ^ ~ {:result "here"}, ?x = "letter"
% <- found("letter"), $send("letter") ^ ~ {:result "sent"}
% <- found("letter"), guard-decision("send", _, :block, ?rule), ?yes = $ask("Blocked by {?rule}. Go on?"), ?yes = "yes"
E
at 1 "$rpl" run post.rpl --session session --policy policy.json --store store.db --allow-tool look --allow-tool send </dev/null
rm -f store.db*
finish --answer ask=yes

# A result that a review held, and another decision about its call once it was approved: later
# versions take the result without one.
begin reviewed
tool pay '"result":"paid"'
cat >policy.json <<'E'
{"policy": {"name": "till", "mode": "enforce", "combine": "most_severe_wins"},
 "rules": [{"priority": 1, "enabled": true, "name": "receipts",
  "selector": {"phase": "tool.after", "tool": {"name": "pay"}},
  "condition": {"kind": "toolName", "op": "eq", "value": "pay"},
  "effect": {"type": "hitl", "reason": "receipts are looked at"}}]}
E
cat >till.rpl <<'E'
% <- $pay(5) ^ ~ {:result ?r}, ?yes = $ask("It is {?r}. Well?"), ?yes = "yes"
E
guarded=(--policy policy.json --store store.db --allow-tool pay)
at 1 "$rpl" run till.rpl --session session "${guarded[@]}" </dev/null
echo approve | "$terminal" "$rpl" guard approve "$("$rpl" guard pending --store store.db | head -n 1)" --store store.db >/dev/null
at 2 "$rpl" resume session "${guarded[@]}" </dev/null
rm -f store.db*
finish --answer ask=yes

begin sources
printf 'item,price\nnut,3\nbolt,5\n' >cost.csv
cat >stock.rpl <<'E'
$index("cost.csv")
dear(?i) <- cost(?i, ?p), ?p > ?limit, limit(?limit)
%list(?all) <- all(?all), ?yes = $ask("Is that all?"), ?yes = "yes"
all([& ?i]) <- cost(?i, _)
limit(4)
E
at 1 "$rpl" run stock.rpl --session session </dev/null
printf 'item,price\nnut,3\nbolt,5\nscrew,7\n' >cost.csv
at 2 "$rpl" resume session </dev/null
finish --answer ask=yes

begin messages
cat >talk.rpl <<'E'
%reply(?k, ?t) <- said(?k, ?t), not withdrawn(?k)
long(?k) <- said(?k, ?t), ?t != "no"
E
printf 'said(1, "yes")\n%% <- %%reply(?k, ?t)\nsaid(2, "no")\nlong(?k)\nsaid(1, "yes") -> false\n%%(?n) <- ?n = |long(_)|\n?x = $ask("Still there?")\nhere\nwithdrawn(2)\n' |
  "$rpl" repl talk.rpl --session session --now 2026-01-01T09:00:00Z >/dev/null 2>&1 || true
finish
