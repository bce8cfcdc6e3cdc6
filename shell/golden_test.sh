#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/golden_test.sh RPL
#
# Golden sessions (docs/versions.md): sessions of this and every earlier version, in
# shell/golden/VERSION, are opened, replayed and gone on with, and give the same bytes. The last
# line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: golden_test.sh RPL}")
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
. "$here/expect.sh"
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state

# A session file of the recorded events and hashes, in the format of its version: an SQLite
# database as runtime/record/session_file.h describes it.
cat >restore.py <<'END2'
import json, sqlite3, sys
session = sqlite3.connect("session")
form = json.load(open(sys.argv[1]))
session.executescript(form["schema"])
session.execute("PRAGMA application_id = %d" % form["application_id"])
session.execute("PRAGMA user_version = %d" % form["user_version"])
for line in open("events.ndjson", encoding="utf-8"):
    event = json.loads(line)
    if "events" in event:
        session.execute("UPDATE head SET events = ?, hash = ?", (event["events"], bytes.fromhex(event["hash"])))
    else:
        session.execute("INSERT INTO events VALUES(?, ?, ?, ?)",
                        (event["event"], event["kind"], event["body"], bytes.fromhex(event["hash"])))
session.commit()
END2

# follows NAME: the events recorded in the session begin with those of the golden one.
follows() {
  name=$1 status=0
  "$rpl" trace export session --format ndjson >after
  if cmp -s <(sed '$d' events.ndjson) <(head -n "$(($(wc -l <events.ndjson) - 1))" after); then pass
  else cp after out && fail "expected the recorded events, and others behind them"
  fi
}

for golden in "$here"/golden/*/*/; do
  version=$(basename "$(dirname "$golden")")
  session=$(basename "$golden")
  mkdir -p "$version" && cp -r "$golden" "$version/" && cd "$version/$session" || exit 1
  check "$version/$session is restored" /usr/bin/python3 "$folder/restore.py" "$here/golden/$version/format.json"
  expect "$version/$session is sound" 0 "" "" "$rpl" trace verify session
  expect "$version/$session shows what it is" 0 "$(cat shown)" "" "$rpl" trace show session
  expect "$version/$session replays" 0 "$(cat shown)" "" "$rpl" trace replay session
  expect "$version/$session replays on two threads" 0 "$(cat shown)" "" \
    "$rpl" trace replay session --threads 2
  expect "$version/$session exports the same events" 0 "$(cat events.ndjson)" "" \
    "$rpl" trace export session --format ndjson
  mapfile -t arguments <resume
  [[ ${#arguments[@]} == 1 && -z ${arguments[0]} ]] && arguments=()
  expect "$version/$session goes on" "$(sed -n '1s/exit //p' resumed)" "$(tail -n +2 resumed)" "" \
    "$rpl" resume session --now 2026-01-09T09:00:00Z "${arguments[@]}" </dev/null
  expect "$version/$session shows what became of it" 0 "$(cat shown-after)" "" "$rpl" trace show session
  expect "$version/$session replays with it" 0 "$(cat shown-after)" "" "$rpl" trace replay session
  follows "$version/$session keeps its events"
  cd "$folder" || exit 1
done
finish
