#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/postgres_test.sh RPL [KILLS [SEED]]
#
# Sessions in PostgreSQL (docs/postgres.md), in a private cluster: the same events and bytes as in a
# file, copies, runs that are killed KILLS times at a random moment (default 10), a server that is
# restarted under a run, a writer that was replaced. Skipped, with a line that says so, where no
# server is installed. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: postgres_test.sh RPL [KILLS [SEED]]}")
kills=${2:-10}
RANDOM=${3:-1}
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
. "$here/expect.sh"
. "$here/postgres_cluster.sh"
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state
cluster_or_end
sql postgres 'CREATE DATABASE rpl' "CREATE ROLE locked LOGIN PASSWORD 's3cret'"
# session NAME: its URL, with a short lease.
session() { printf '%s&lease=2' "$(url "rpl/$1")"; }

# --- The same run in a file and in a database ------------------------------------------------

cat >trip.md <<'END2'
# Trip - %trip(?where, ?nights) <- place(?where), stay(?where, ?nights)

# Place - place(?where)
Where to? "Quotes", \back\slashes, {braces}, é and 🙂.

# Stay - stay(?where, ?nights) <- place(?where), ?nights = $ask("How long?")
END2
cat >tools.rpl <<'END2'
% <- step(6, ?r), name(?who), ?both = [?r ?who], $json(?both)
step(0, 0)
step(?m, ?r) <- step(?n, ?s), ?n < 6, ?m = ?n + 1, $next(?n, ?s) ^ ~ {:result ?r}
name(?who) <- $ask("Who are you?") ^ ~ {:result ?who}
END2
cat >rpl.yaml <<'END2'
version: 1
tools:
  next: {command: [sh, tool.sh], permission: allow}
END2
cat >tool.sh <<'END2'
request=$(cat)
[ -n "$request" ] || exit 1  # rpl was killed before it sent one
id=${request#*\"id\":\"}; id=${id%%\"*}
args=${request#*\"args\":[}; n=${args%%,*}
echo "$n" >>ran
sleep "$(cat pause)"
echo "{\"id\":\"$id\",\"result\":$((n + 10))}"
END2
echo 0.02 >pause  # how long a call takes

# with SESSION COMMAND…: runs the command, with the session for each argument @.
with() {
  local session=$1 word words=()
  shift
  for word in "$@"; do
    if [[ $word == @ ]]; then words+=("$session"); else words+=("$word"); fi
  done
  "${words[@]}"
}

# both NAME EXIT COMMAND…: runs the command with @ for the session, in a file and in the database, and
# compares exit codes and output. NAME names the session.
both() {
  local session=$1 wanted=$2 status=0 other=0
  shift 2
  with "$session.rpls" "$@" >out.file 2>err.file </dev/null || status=$?
  with "$(session "$session")" "$@" >out 2>err </dev/null || other=$?
  same "$session: the exit code of ${*:2:2}" "$wanted $wanted" "$status $other"
  same "$session: the output of ${*:2:2}" "$(cat out.file)" "$(cat out)"
  same "$session: the messages of ${*:2:2}" "$(sed "s|$session.rpls|SESSION|g" err.file)" \
    "$(sed "s|'\?$(session "$session")'\?|SESSION|g" err)"
}

# ms of tools differ from run to run.
without_times() { sed -E 's/\\"ms\\":[0-9]+/MS/g; s/,"hash":"[0-9a-f]+"//; s/[0-9.]+ m?s\b/TIME/g' "$1"; }

# read_alike NAME: what reads a session gives the same bytes of both.
read_alike() {
  local session=$1 part
  for part in show questions export verify anchor replay html; do
    [[ $2 == exact || $part != anchor && $part != html ]] || continue
    both "$session" 0 "$rpl" trace "$part" @
  done
  both "$session" 0 "$rpl" trace query @ '%p(?x) <- ?x = 1'
  "$rpl" trace export "$session.rpls" --format ndjson >events.file
  "$rpl" trace export "$(session "$session")" --format ndjson >events
  if [[ $2 == exact ]]; then same "$session: the events" "$(cat events.file)" "$(cat events)"
  else same "$session: the events" "$(without_times events.file)" "$(without_times events)"
  fi
  expect "$session: no difference" 0 "" "in common" "$rpl" trace diff "$session.rpls" "$(session "$session")"
}

now=(--now 2026-01-02T03:04:05Z)
both trip 3 "$rpl" run trip.md "${now[@]}" --session @
both trip 3 "$rpl" resume @ "${now[@]}" --answer where='Lucca "old town" \ {é}'
both trip 1 "$rpl" resume @ "${now[@]}" --decline ask
both trip 0 "$rpl" resume @ "${now[@]}" --answer ask=3
sed -i 's/How long/For how many nights/' trip.md
both trip 3 "$rpl" run trip.md "${now[@]}" --session @
both trip 0 "$rpl" resume @ "${now[@]}" --answer ask=4
both trip 0 "$rpl" resume @ "${now[@]}"
read_alike trip exact
both rows 3 "$rpl" run "$here/../examples/packing-list.md" "${now[@]}" --session @ --answer season=summer \
  --answer nights=3 --answer activity=swimming
both tools 0 "$rpl" run tools.rpl "${now[@]}" --session @ --allow-tool next --answer ask=Ada
read_alike tools times
both entries 0 "$rpl" repl trip.md "${now[@]}" --session @
printf 'visited("Pisa")\n%%v(?x) <- visited(?x)\n' >lines
"$rpl" repl --session entries.rpls "${now[@]}" <lines >out.file 2>/dev/null
"$rpl" repl --session "$(session entries)" "${now[@]}" <lines >out 2>/dev/null
same "the shell keeps its entries in the database" "$(cat out.file)" "$(cat out)"
both entries 0 "$rpl" trace show @
echo 'broken(' >broken.rpl
both broken 2 "$rpl" run broken.rpl --session @
expect "a refused program leaves no session" 6 "" "no such session" "$rpl" resume "$(session broken)"
expect "another program" 2 "" "this is a session of" "$rpl" run tools.rpl --session "$(session trip)"

# --- Copies, lists, tables -------------------------------------------------------------------

anchor=$("$rpl" trace anchor trip.rpls)
expect "a copy into the database" 0 "$anchor" "copied: " "$rpl" session copy trip.rpls "$(url rpl/copied)"
expect "a copy out of it" 0 "$anchor" "copied: " "$rpl" session copy "$(url rpl/copied)" back.rpls
expect "it is the same" 0 "" "in common" "$rpl" trace diff trip.rpls back.rpls
expect "it goes on" 0 '*' "" "$rpl" resume back.rpls "${now[@]}"
expect "its anchor holds" 0 "" "sound" "$rpl" trace verify "$(url rpl/copied)" --anchor "$anchor"
expect "an anchor of another" 1 "" "events" "$rpl" trace verify "$(url rpl/copied)" --anchor "1${anchor}"
expect "no copy over a session" 6 "" "there is a session of that name already" \
  "$rpl" session copy trip.rpls "$(url rpl/copied)"
expect "no copy over a file" 6 "" "there is a file of that name already" \
  "$rpl" session copy "$(url rpl/copied)" trip.rpls
expect "no copy of nothing" 6 "" "no such session" "$rpl" session copy "$(url rpl/nothing)" new.rpls
check "which leaves no file" test ! -e new.rpls
expect "the sessions of the database" 0 '*' "" "$rpl" session list "$(url rpl)"
same "each with its number of events" "copied  $("$rpl" trace export trip.rpls --format ndjson | sed '$d' | wc -l) events" \
  "$(grep -oE '^copied  [0-9]+ events' out)"
same "in their order" "copied entries rows tools trip" "$(cut -d ' ' -f 1 out | paste -s -d ' ')"
expect "as JSON" 0 '*' "" "$rpl" session list "$(url rpl)" --format json
check "which has its schema" /usr/bin/python3 -c '
import json, jsonschema, sys
jsonschema.validate(json.load(open("out")), json.load(open(sys.argv[1])))' "$here/../docs/schemas/sessions.json"
expect "a session is no database" 6 "" "expected the URL of a database" "$rpl" session list "$(url rpl/trip)"
expect "a file is none" 2 "" "expected the URL of a database" "$rpl" session list trip.rpls
sql postgres 'CREATE DATABASE fresh'
"$rpl" session schema >tables.sql
check "the script of tables and roles runs" psql -X -q -v ON_ERROR_STOP=1 -d "$(url fresh)" -f tables.sql
expect "and rpl uses its tables" 0 "$anchor" "" "$rpl" session copy trip.rpls "$(url fresh/trip)"

# --- What cannot be opened -------------------------------------------------------------------

expect "a wrong password" 6 "" "password authentication failed" \
  "$rpl" trace show "postgresql://locked:wr0ng@/rpl/trip?host=$cluster"
if grep -q wr0ng out err; then fail "the password shows"; else pass; fi
expect "a password that libpq would cut" 6 "" "rpl: postgresql://***: the URL has" \
  "$rpl" trace show "postgresql://locked:wr/0ng@/rpl/trip?host=$cluster"
if grep -q 0ng out err; then fail "the password shows"; else pass; fi
sql rpl "GRANT SELECT, INSERT, UPDATE ON rpl_session TO locked" "GRANT SELECT, INSERT ON rpl_event TO locked"
expect "a right one, with words on how to go on" 3 "" "resume 'postgresql://locked:***@/rpl/secret" \
  "$rpl" run trip.md --session "postgresql://locked:s3cret@/rpl/secret?host=$cluster"
if grep -q s3cret out err; then fail "the password shows"; else pass; fi
expect "an unknown database" 6 "" 'database "nowhere" does not exist' "$rpl" trace show "$(url nowhere/s)"
expect "an unknown session" 6 "" "no such session" "$rpl" trace show "$(url rpl/nothing)"
expect "no session in the URL" 6 "" "names no session" "$rpl" run trip.md --session "$(url rpl)"
"$rpl" trace show "postgresql:///rpl/s?host=$folder" >out 2>err &
waiting=$!
sleep 1
kill -INT $waiting
status=0
wait $waiting || status=$?
name="Ctrl-C while a server is not there"
if ((status == 130)); then pass; else fail "expected exit 130"; fi
library=$(ldconfig -p | sed -n 's/.*libpq\.so\.5 .*=> //p' | head -n 1)
if ((EUID == 0)) && unshare -m true 2>/dev/null && [[ -n $library ]]; then
  expect "without libpq" 6 "" "libpq5" unshare -m bash -c 'mount --bind /dev/null "$0" && exec "$@"' \
    "$(realpath "$library")" "$rpl" trace show "$(url rpl/trip)"
fi

# --- Two writers -----------------------------------------------------------------------------

echo 3 >pause
rm -f ran
"$rpl" run tools.rpl --session "$(session two)" --allow-tool next --answer ask=Ada >first.out 2>first.err </dev/null &
first=$!
while [[ ! -e ran ]]; do sleep 0.05; done
expect "a second writer" 6 "" "another process has this session open" \
  "$rpl" resume "$(session two)" --answer ask=Ada
expect "while a call is longer than the lease" 0 '*' "" sleep 2.5
expect "as well" 6 "" "process $first on" "$rpl" resume "$(session two)" --answer ask=Ada
# Between two calls none would be in doubt: it is stopped as soon as one has begun.
begun=$(wc -l <ran)
while [[ $(wc -l <ran) == "$begun" ]] && kill -0 $first; do sleep 0.05; done
kill -STOP $first
sleep 2.5
echo 0.02 >pause
expect "a writer whose process is stopped is replaced; its call is in doubt" 3 '*' "--retry next" \
  "$rpl" resume "$(session two)" --allow-tool next --answer ask=Ada
kill -CONT $first
status=0
wait $first || status=$?
cp first.out out; cp first.err err
name="the writer that was replaced"
if ((status != 6)) || ! grep -q 'taken over this session' err; then fail "expected exit 6 and the reason"
elif [[ $(sort -u ran | wc -l) != "$(wc -l <ran)" ]]; then fail "a call ran twice"
else pass
fi
echo 0.02 >pause
expect "the other one goes on" 0 '[15,"Ada"]' "" \
  "$rpl" resume "$(session two)" --retry next --allow-tool next --answer ask=Ada
expect "and its session is sound" 0 "" "sound" "$rpl" trace verify "$(session two)"

# --- A server that is restarted --------------------------------------------------------------

for mode in fast immediate; do
  rm -f ran
  echo 0.2 >pause
  "$rpl" run tools.rpl --session "$(session "restart-$mode")" --allow-tool next --answer ask=Ada \
    >out 2>err </dev/null &
  run=$!
  while [[ ! -e ran ]]; do sleep 0.05; done
  stop_server $mode
  sleep 0.7
  start_server
  status=0
  wait $run || status=$?
  name="a run over a server that is stopped ($mode) and started"
  if ((status != 0)) || [[ $(cat out) != '[15,"Ada"]' ]]; then fail "expected its answer"
  elif [[ $(tr '\n' ' ' <ran) != '0 1 2 3 4 5 ' ]]; then fail "calls: $(tr '\n' ' ' <ran)"
  else pass
  fi
  expect "its session is sound" 0 "" "sound" "$rpl" trace verify "$(session "restart-$mode")"
  expect "and replays" 0 "$("$rpl" trace show "$(session "restart-$mode")")" "" \
    "$rpl" trace replay "$(session "restart-$mode")"
done

# A server that hangs: its processes are stopped, and connections stay open.
rm -f ran
echo 0.1 >pause
"$rpl" run tools.rpl --session "$(session hangs)" --allow-tool next --answer ask=Ada >out 2>err </dev/null &
run=$!
while [[ ! -e ran ]]; do sleep 0.05; done
server=$(head -n 1 "$cluster/data/postmaster.pid")
# shellcheck disable=SC2207
hanging=("$server" $(ps -o pid= --ppid "$server"))
kill -STOP "${hanging[@]}"
sleep 0.5
kill -INT $run
status=0
wait $run || status=$?
kill -CONT "${hanging[@]}"
name="Ctrl-C while a server hangs under a run"
if ((status == 130)); then pass; else fail "expected exit 130"; fi
sleep 2  # the lease

# --- Kills -----------------------------------------------------------------------------------

killed=0
# once NAME: one run, killed until it is satisfied.
once() {
  local session
  session=$(url "rpl/$1")'&lease=1'
  rm -f ran
  name="a run that is killed ($killed before)" status=1
  local again=0 try run twice
  for ((try = 0; try < 200 && status != 0; try++)); do
    if ((killed < kills && RANDOM % 4 != 0)); then
      "$rpl" run tools.rpl --session "$session" --allow-tool next --answer ask=Ada >out 2>err </dev/null &
      run=$!
      sleep "0.$(printf '%03d' $((RANDOM % 250)))"
      kill -9 $run 2>/dev/null && killed=$((killed + 1))
      wait $run 2>/dev/null && status=0
      ((status == 0)) || sleep 1  # until the lease is over
    else
      status=0
      "$rpl" run tools.rpl --session "$session" --allow-tool next --answer ask=Ada >out 2>err </dev/null || status=$?
      if ((status == 3)) && grep -q -- --retry err; then
        again=$((again + 1)) status=0
        "$rpl" resume "$session" --retry next --allow-tool next --answer ask=Ada >out 2>err </dev/null || status=$?
      elif ((status == 6)) && grep -q 'has this session open' err; then
        sleep 0.2
      elif ((status != 0)); then
        fail "expected that it goes on"
        return
      fi
    fi
  done
  twice=$(($(wc -l <ran) - $(sort -u ran | wc -l)))
  if ((status != 0)); then fail "expected that it is satisfied"
  elif ((twice > again)); then fail "$twice calls ran again, $again were made again by their user"
  elif [[ $(sort -u ran | tr '\n' ' ') != '0 1 2 3 4 5 ' ]]; then fail "calls: $(tr '\n' ' ' <ran)"
  elif ! "$rpl" trace verify "$session" >out 2>err; then fail "expected a sound session"
  elif ! "$rpl" trace replay "$session" >out 2>err || ! grep -q '"Ada"} -> true$' out; then
    fail "expected the same answer"
  else pass
  fi
}
echo 0.02 >pause
number=0
while ((killed < kills)); do once "killed$((++number))"; done

# --- The commands of the page ----------------------------------------------------------------

# Its fences of `bash` run in one shell, in order; a fence `text` right below one is what it prints.
sql postgres 'DROP DATABASE rpl' 'DROP DATABASE fresh' 'DROP ROLE rpl_worker' 'DROP ROLE rpl_reader'
mkdir -p page/build && ln -s "$rpl" page/build/rpl
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 - "$here/../docs/postgres.md" >page/commands <<'END2'
import shlex, sys
from markdown_page import fences_of

fences = list(fences_of(sys.argv[1]))
for fence, below in zip(fences, fences[1:] + [None]):
    if fence.info == "bash":
        follows = below is not None and below.info == "text" and below.line - fence.after <= 2
        print(f"exec >got\n{fence.text}exec >&3\n"
              f"same 'line {fence.line} of docs/postgres.md' {shlex.quote((below.text if follows else '') + 'x')} "
              '"$(cat got; echo x)"')
END2
export PGHOST=$cluster PGUSER=postgres
cd page || exit 1
. ./commands 3>&1 2>messages
cd ..
((failed == 0)) || cat page/messages

finish
