#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/session_test.sh RPL [RUNS]
#
# Sessions over several processes: changed programs, exports, kills, limits, replays and
# damaged or unwritable files. RUNS is how often one session is replayed, each time with
# another hash seed. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: session_test.sh RPL [RUNS]}")
runs=${2:-50}
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state

# has NAME TEXT FILE; lacks NAME TEXT FILE
has() {
  name=$1 status=0
  if grep -qF -- "$2" "$3"; then pass; else cp "$3" out && fail "expected: $2"; fi
}
lacks() {
  name=$1 status=0
  if grep -qF -- "$2" "$3"; then cp "$3" out && fail "unexpected: $2"; else pass; fi
}
# replays SESSION: going through it again prints what it is.
replays() {
  "$rpl" trace show "$1" >shown
  expect "$1 replays" 0 "$(cat shown)" "" "$rpl" trace replay "$1"
}
# count NAME NUMBER TEXT FILE
count() {
  name=$1 status=0
  if [[ $(grep -cF -- "$3" "$4") == "$2" ]]; then pass; else cp "$4" out && fail "expected $2 of: $3"; fi
}

# --- Recorded truths and the program as it is ------------------------------------------------

cat >trip.md <<'END2'
# Trip - %trip(?where, ?nights) <- place(?where), stay(?where, ?nights)

# Place - place(?where)
Where to?

# Stay - stay(?where, ?nights) <- place(?where), ?nights = $ask("How long?")
END2
expect "a trip" 0 '{"?where":"Lucca","?nights":3}' "" \
  "$rpl" run trip.md --session trip.rpls --answer where=Lucca --answer ask=3
"$rpl" trace export trip.rpls >trip.rpl
sed 's/%trip(?where, ?nights) <-/%trip(?where, ?nights, ?days) <- ?days = 4,/' trip.md >days.md
expect "an export beside an edited program: its rules decide" 0 \
  '{"?where":"Lucca","?nights":3,"?days":4}' "" "$rpl" run days.md trip.rpl
sed 's/<- place(?where), stay(/<- place(?where), ?where != "Lucca", stay(/' trip.md >other.md
expect "an export beside a program that it does not satisfy" 1 "" "unsatisfied" \
  "$rpl" run other.md trip.rpl
expect "an export beside its program asks nothing" 0 '{"?where":"Lucca","?nights":3}' "" \
  "$rpl" run trip.md trip.rpl
cp days.md trip.md
expect "an edited program goes on: its rules decide" 0 \
  '{"?where":"Lucca","?nights":3,"?days":4}' "2 sentences" "$rpl" resume trip.rpls
"$rpl" trace show trip.rpls >shown
count "replies are shown once" 1 'place(?where) ^^ {?where "Lucca"} -> true' shown
count "derivations are shown once" 1 ' derivation ' shown
has "timesteps are counted on" '4.6 goal       %trip ^^ {?where "Lucca", ?nights 3, ?days 4} -> true' shown
replays trip.rpls
expect "the new export asks nothing" 0 '{"?where":"Lucca","?nights":3,"?days":4}' "" \
  "$rpl" run trip.md <("$rpl" trace export trip.rpls | tee again.rpl >/dev/null; sleep 0.1; cat again.rpl)
lacks "an export has no truth of an older program" '%trip ^^ {?where "Lucca", ?nights 3} -> true' again.rpl

printf '%%t(?t, ?day) <- std#sum([1 2], ?n), ?m = $ask("How much?"), ?t = ?n + ?m, std#weekday("2026-03-01", ?day)\n' >library.rpl
expect "a program that reads the library waits" 3 "" "" \
  "$rpl" run library.rpl --session library.rpls
expect "and goes on" 0 '{"?t":7,"?day":"sunday"}' "" "$rpl" resume library.rpls --answer ask=4
replays library.rpls

printf 'seen(?g) <- %%done ^^ ?b, ?b ~ {g ?g}\n%%what(?g) <- seen(?g)\n' >later.rpl
printf '%%done ^^ {?g 7} -> true\n' >earlier.rpl
expect "a later protocol reads truths of goals that it has no rules for" 0 "7" "" \
  "$rpl" run later.rpl earlier.rpl --session later.rpls
echo '-- changed' >>later.rpl
expect "and so it does after a change" 0 "7" "" "$rpl" resume later.rpls
replays later.rpls

cat >closed.rpl <<'END2'
p(1)
%once(?x) <- p(?x)
% <- %once(?x), $ask("Sure?") ^ ~ {:result "yes"} ; @when(!%)
END2
expect "a goal that closes itself" 0 "" "satisfied" \
  "$rpl" run closed.rpl --session closed.rpls --answer ask=yes
"$rpl" trace export closed.rpls >closed-trace.rpl
expect "its export satisfies it without asking" 0 "" "satisfied" "$rpl" run closed.rpl closed-trace.rpl

cat >fails.rpl <<'END2'
price("Lucca", 900)
price(?where, ?euros), ?euros > 800 -> approved(?where)
%buy(?where) <- price(?where, _)
END2
expect "a run that fails" 1 "" "constraint violated" "$rpl" run fails.rpl --session fails.rpls </dev/null
"$rpl" trace export fails.rpls >fails-trace.rpl
has "truths of a failed timestep are no sentences" '-- %buy ^^ {?where "Lucca"} -> true' fails-trace.rpl

# --- Decisions -------------------------------------------------------------------------------

expect "to stop" 1 "" "constraint violated" "$rpl" resume fails.rpls --answer what-now=stop
expect "to stop stands" 1 "" "constraint violated" "$rpl" resume fails.rpls </dev/null
"$rpl" trace show fails.rpls >shown
count "a failure that is the same is recorded once" 1 ' failure ' shown
expect "to go on" 0 "Lucca" "" "$rpl" resume fails.rpls --answer what-now=continue
expect "a decision stands" 0 "Lucca" "" "$rpl" resume fails.rpls </dev/null
echo '-- changed' >>fails.rpl
expect "a decision stands in a changed program" 0 "Lucca" "" "$rpl" resume fails.rpls </dev/null
printf 'due("a", "2026-02-01T00:00:00Z")\nlate(?x) <- due(?x, ?t), ?t before now\n%%go(?a) <- late(_), $ask("Late?") ^ ~ {:result ?a}\n%%wait(?a) <- $ask("Early?") ^ ~ {:result ?a}\n%% <- %%go(?a) | %%wait(?a)\n' >clock.rpl
expect "a run before a time" 3 "*" "Early?" "$rpl" run clock.rpl --session clock.rpls --now 2026-01-15T00:00:00Z </dev/null
expect "goes on after it" 3 "*" "Late?" "$rpl" resume clock.rpls --now 2026-02-15T00:00:00Z </dev/null
"$rpl" trace export fails.rpls >fails-trace.rpl
expect "a decision stands where the export is loaded" 0 "Lucca" "" \
  "$rpl" run fails.rpl fails-trace.rpl </dev/null
replays fails.rpls

cp fails.rpl retracts.rpl
expect "to retract" 1 "" "no fact matches" "$rpl" run retracts.rpl --session retracts.rpls \
  --answer 'what-now=retract price("Lucca", 900)'
"$rpl" trace export retracts.rpls >retracts-trace.rpl
expect "the export of a retraction checks clean" 0 "" "clean: 1 file" "$rpl" check --strict retracts-trace.rpl
expect "and retracts where it is loaded" 1 "" "no fact matches" "$rpl" run retracts.rpl retracts-trace.rpl </dev/null

# --- What is to be answered again ------------------------------------------------------------

cat >rota.md <<'END2'
# Rota - %rota(?day, ?role, ?place) <- day(?day), role(?role), place(?place)

## Day - day(?day)
Which day?

## Role - role(?role)
Which role?

## Place - place(?place)
Which place?
END2
expect "three questions, two answers" 3 "" "" \
  "$rpl" run rota.md --session rota.rpls --answer day=sunday --answer role=cook
printf '\n## No Sunday - day(?d) -> ?d != "sunday"\n' >>rota.md
expect "a violation names the answer that it rests on" 1 "" \
  'saved: answer again with `rpl resume rota.rpls --take-back day`' "$rpl" resume rota.rpls
expect "another answer that is taken back is gone" 1 "" '--take-back day`' \
  "$rpl" resume rota.rpls --take-back role --answer role=boss
has "it is not said to be there" 'note: nothing asked for the answer `role`' err
lacks "it is not said to be there" 'answered before' err
expect "what it names goes on" 3 "" 'place(?place)' \
  "$rpl" resume rota.rpls --take-back day --answer day=monday --answer role=boss
replays rota.rpls

cat >shift.md <<'END2'
# Shift - %shift(?d, ?r) <- day(?d), role(?r), $ask("Sure?") ^ ~ {:result ?sure}
## Day - day(?d)
Which day?
## Role - role(?r)
Which role?
late(?d) <- day(?d), ?d in ["saturday" "sunday"]
late(?d), role(?r) -> ?r != "cook"
END2
expect "a violation of what rules derive from two answers" 1 "" \
  'saved: answer again with `rpl resume shift.rpls --take-back KEY`, where KEY is one of `r`, `d`' \
  "$rpl" run shift.md --session shift.rpls --answer d=sunday --answer r=cook
expect "either goes on" 0 '{"?d":"sunday","?r":"boss"}' "" \
  "$rpl" resume shift.rpls --take-back r --answer r=boss --answer ask=yes

mkdir gated
cat >gated/send.rpl <<'END2'
%send(?x) <- ?a = $ask("Send it?"), ?a = "yes", ?x = $mail("Ann"), ?b = $ask("File it?"), ?b = "yes"
END2
printf 'version: 1\ntools: {mail: {command: [./mail.sh]}}\n' >gated/rpl.yaml
printf '#!/bin/sh\nread -r r\necho "{\\"id\\":\\"$(echo "$r" | sed "s/.*id\\":\\"//; s/\\".*//")\\",\\"result\\":1}"\n' >gated/mail.sh
chmod +x gated/mail.sh
"$rpl" run gated/send.rpl --session gated.rpls --answer ask=yes >/dev/null 2>&1 </dev/null
expect "an answer for a question that is not reached" 4 "" 'note: nothing asked for the answer `ask`' \
  "$rpl" resume gated.rpls --answer ask=yes
has "the earlier question is named as a whole" \
  'help: `$ask("Send it?")` was answered before; `rpl resume --take-back '"'"'$ask("Send it?")'"'"'` takes that back' err
expect "a whole call is taken back" 3 "" 'Send it?' \
  "$rpl" resume gated.rpls --take-back '$ask("Send it?")'
expect "a call that was never answered" 2 "" 'nothing was answered for `$ask("File it?")`' \
  "$rpl" resume gated.rpls --take-back '$ask("File it?")'

printf '# Ask - q(?k, ?v)\n\nWhich?\n\n# Rest\n\n%%g(?a, ?b) <- q(1, ?a), q(2, ?b)\n' >pair.md
"$rpl" run pair.md --session pair.rpls --answer 'q(1, ?v)=5' --answer 'q(2, ?v)=6' >/dev/null 2>&1
cp pair.rpls names.rpls && cp pair.rpls both.rpls
expect "a question is taken back by its id" 3 "" 'q(1, ?v): Which?' \
  "$rpl" resume pair.rpls --take-back 'q(1, ?v)'
"$rpl" trace show pair.rpls >shown
has "the answer to it" 'retraction q(?k, ?v) ^^ {?k 1, ?v 5} -> false' shown
expect "a name takes back the last answer" 3 "" 'q(2, ?v): Which?' \
  "$rpl" resume names.rpls --take-back q
expect "the same name then takes back the one before" 3 "" 'q(1, ?v): Which?' \
  "$rpl" resume names.rpls --take-back q
expect "and then nothing" 2 "" 'what was answered for `q` is taken back already' \
  "$rpl" resume names.rpls --take-back q
"$rpl" trace show names.rpls >shown
count "each answer is taken back once" 2 'retraction' shown
expect "a name twice takes back two answers" 3 "" 'q(1, ?v): Which?' \
  "$rpl" resume both.rpls --take-back q --take-back q
"$rpl" trace show both.rpls >shown
count "both" 2 'retraction' shown
replays both.rpls

cat >reply.md <<'END2'
# Work - %work(?d) <- day(?d), ?x = $ask("Sure?"), ?y = $focus
## Day - day(?d)
Which day?
END2
"$rpl" run reply.md --session reply.rpls --answer d=monday --answer ask=yes --answer focus=1 >/dev/null 2>&1
printf '\n-- changed\n' >>reply.md
"$rpl" resume reply.rpls >/dev/null 2>&1
"$rpl" repl --session reply.rpls >shown 2>&1 <<<'.why %work'
count "what was answered before a change is answered" 3 '(answered)' shown
lacks "it has no place in a file that is not there" 'trace.rpl' shown
expect "a page of it" 0 "*" "" "$rpl" trace html reply.rpls -o reply.html
lacks "a reply on the page has no place" 'title="trace.rpl' reply.html

# --- What the shell undoes ------------------------------------------------------------------

printf 'p(1)\n' >undo.rpl
# undone NAME SHOWN FACTS LINE…: a recorded shell with these lines ends with this trace, and its
# export restores these facts of p.
undone() {
  local what=$1 wanted=$2 facts=$3
  shift 3
  rm -f undo.rpls
  printf '%s\n' "$@" | "$rpl" repl undo.rpl --session undo.rpls >/dev/null 2>&1
  expect "$what: the trace" 0 "$wanted" "" "$rpl" trace show undo.rpls
  "$rpl" trace export undo.rpls >export.rpl
  expect "$what: the export" 0 "$facts" "" "$rpl" query -f undo.rpl -f export.rpl 'p(?x)'
  expect "$what: the session" 0 "$facts" "" "$rpl" trace query undo.rpls '%q(?x) <- p(?x)'
  expect "$what: it is sound" 0 "" "sound" "$rpl" trace verify undo.rpls
  replays undo.rpls
}
undone "a fact is undone" "" 1 'p(2)' .undo
undone "a retraction is undone" "" 1 'p(1) -> false' .undo
undone "several are undone" "" 1 'p(1) -> false' 'p(2)' .undo 'p(3)' .undo .undo
undone "an entry is made again" $'2.2 fact       p(2) -> true\n7.2 fact       p(3) -> true' $'1\n2\n3' \
  'p(2)' 'p(3)' .undo 'p(4)' .undo 'p(3)'
undone "what rests on it goes too" '2.2 fact       ok(1) -> true
3.7 constraint (p(?x), ok(?x)) ^^ {?x 1} -> true' 1 \
  'ok(1)' 'p(?x) -> ok(?x)' 'p(2), ok(2)' .undo
undone "an answer stays" '3.1 reply      $ask("N?") ^ ~ {:result 9} -> true' 1 \
  '?x = $ask("N?")' 9 '$ask("N?") ^ ~ {:result 9} -> false' .undo
undone "a new answer stays too" '3.1 reply      $ask("N?") ^ ~ {:result 9} -> true
4.2 retraction $ask("N?") ^ ~ {:result 9} -> false
6.1 reply      $ask("N?") ^ ~ {:result 8} -> true' 1 \
  '?x = $ask("N?")' 9 '$ask("N?") ^ ~ {:result 9} -> false' '?x = $ask("N?")' 8 .undo
undone "what a limit stopped is undone" '2.2 fact       n(0) -> true' 1 \
  'n(0)' '.limits rows 60' 'm(?y) <- n(?x), ?y = ?x + 1' 'm(?y) <- m(?x), ?y = ?x + 1, ?y < 50' \
  'n(-100)'
undone "before the shell is left" '2.2 fact       p(2) -> true' $'1\n2' 'p(2)' 'p(3)' .undo
printf '.undo\np(3)\n' | "$rpl" repl --session undo.rpls >/dev/null 2>&1
expect "and by the next one" 0 '6.2 fact       p(3) -> true' "" "$rpl" trace show undo.rpls
printf 'p(4)\n%% <- p(3)\n' >>undo.rpl
expect "a changed program does not know it" 0 "" 'satisfied: %' "$rpl" resume undo.rpls
expect "nor what it goes on with" 0 $'1\n4\n3' "" \
  "$rpl" trace query undo.rpls '%q(?x) <- p(?x)'
replays undo.rpls

# --- Replies that no timestep has taken --------------------------------------------------------

mkdir tools
cat >tools/tool.sh <<'END2'
#!/usr/bin/env bash
IFS= read -r request
cd "$(dirname "$0")" || exit 1
echo "$1" >>ran
if [[ $1 == hangs ]]; then sleep 600.5; fi
id=${request#*'"id":"'}
printf '{"id":"%s","result":"%s"}\n' "${id%%'"'*}" "$1"
END2
chmod +x tools/tool.sh
cat >tools/rpl.yaml <<'END2'
version: 1
tools:
  quick: {command: [./tool.sh, quick], permission: allow}
  hangs: {command: [./tool.sh, hangs], permission: allow}
END2
printf '%%both(?a, ?b) <- ?a = $quick(), ?b = $hangs()\n' >tools/both.rpl
"$rpl" run tools/both.rpl --session kept.rpls --allow-tool quick --allow-tool hangs </dev/null >/dev/null 2>&1 &
until grep -qs hangs tools/ran && "$rpl" --version >/dev/null && [[ $(wc -l <tools/ran) == 2 ]]; do sleep 0.05; done
sleep 0.5
kill -9 $!
wait $! 2>/dev/null
cp kept.rpls copy.rpls
cp kept.rpls-wal copy.rpls-wal 2>/dev/null
cp kept.rpls killed.rpls
check "a killed run leaves a log beside its session" cp kept.rpls-wal killed.rpls-wal
expect "a call in doubt is told as such" 3 "" \
  '$hangs(): it was started before, and what became of it is unknown' \
  "$rpl" resume kept.rpls --allow-tool quick --allow-tool hangs
has "and what can be done" '`rpl resume kept.rpls --retry hangs` calls it again' err
expect "as JSON, too" 3 '*' "" "$rpl" resume kept.rpls --format json
has "a call in doubt, as JSON" '"inDoubt":true' out
"$rpl" trace export copy.rpls >kept.rpl
has "an export has what was not taken yet" '$quick() ^ ~ {:result "quick"} -> true' kept.rpl
replays copy.rpls
echo '-- changed' >>tools/both.rpl
expect "a changed program keeps what was not taken yet" 0 '{"?a":"quick","?b":1}' "" \
  "$rpl" resume copy.rpls --allow-tool quick --allow-tool hangs --answer hangs=1
count "the quick tool ran once" 1 quick tools/ran
"$rpl" trace show copy.rpls >shown
has "the reply is an entry" '$quick() ^ ~ {:result "quick"} -> true' shown
replays copy.rpls
expect "the export finishes" 0 '{"?a":"quick","?b":1}' "" \
  "$rpl" run tools/both.rpl <("$rpl" trace export copy.rpls)

cat >stay.md <<'END2'
# Stay - %stay(?from, ?to) <- stay(?from, ?to)

# Dates - stay(?from, ?to)
When?
END2
expect "half of a heading is answered" 3 "" 'stay(?from, ?to) for ?to' \
  "$rpl" run stay.md --session half.rpls --answer from=1 </dev/null
"$rpl" trace export half.rpls >half.rpl
expect "an export has that half" 0 'stay(?from, ?to) ^^ {?from 1} -> true' "" cat half.rpl
expect "where it is loaded the other half is asked for" 3 "" 'stay(?from, ?to) for ?to' \
  "$rpl" run stay.md half.rpl </dev/null
expect "and is enough" 0 '{"?from":1,"?to":2}' "" "$rpl" run half.rpl stay.md --answer to=2 --answer from=9
sed -i 's/When?/When, please?/' stay.md
expect "a changed program keeps that half" 0 '{"?from":1,"?to":2}' "" \
  "$rpl" resume half.rpls --answer to=2 --answer from=9
replays half.rpls

cat >focus.md <<'END2'
# Focus - focus($focus)
What focus?

# Go - %go(?f, ?g) <- focus(?f), $focus ^ ~ {:result ?g}
END2
expect "an avar that a heading collects" 0 '{"?f":"tone","?g":"tone"}' "" \
  "$rpl" run focus.md --session focus.rpls --answer focus=tone
"$rpl" trace export focus.rpls >focus.rpl
expect "its export asks nothing" 0 '{"?f":"tone","?g":"tone"}' "" \
  "$rpl" run focus.md focus.rpl </dev/null
echo 'Changed.' >>focus.md
expect "a changed program keeps it" 0 '{"?f":"tone","?g":"tone"}' "" \
  "$rpl" resume focus.rpls </dev/null

# --- One name for a call ---------------------------------------------------------------------

"$rpl" run stay.md --events ndjson </dev/null >events 2>/dev/null
"$rpl" run stay.md --format json </dev/null >json 2>/dev/null
"$rpl" run stay.md --answers - </dev/null >request 2>/dev/null
for file in events json request; do
  has "the id in $file" '"id":"stay(?from, ?to) for ?from"' $file
done
for file in events json request; do
  case $file in
    events) option=(--events ndjson) ;;
    json) option=(--format json) ;;
    request) option=(--answers -) ;;
  esac
  printf 'a(1)\na(?x) -> b(?x)\n%% <- a(1)\n' >violated.rpl
  "$rpl" run violated.rpl "${option[@]}" </dev/null >$file 2>/dev/null
  [[ $file == json ]] || has "what-now in $file" '"id":"$what-now(\"constraint violated: ' $file
done

# --- Permission --------------------------------------------------------------------------------

printf '%%quick(?a) <- ?a = $quick()\n' >tools/quick.rpl
: >tools/ran
expect "a tool that nobody approved" 4 "" "not approved" \
  "$rpl" run tools/quick.rpl --session denied.rpls </dev/null
"$rpl" trace show denied.rpls >shown
lacks "a call that did not run is no reply" 'reply' shown
expect "following the hint helps" 0 "quick" "" \
  "$rpl" resume denied.rpls --allow-tool quick </dev/null
replays denied.rpls
sed -i 's/.\/tool.sh, quick/.\/gone.sh/' tools/rpl.yaml
expect "a tool that cannot be started" 4 "" "gone.sh" \
  "$rpl" run tools/quick.rpl --session gone.rpls --allow-tool quick </dev/null
sed -i 's/.\/gone.sh/.\/tool.sh, quick/' tools/rpl.yaml
expect "it is started when it can be" 0 "quick" "" \
  "$rpl" resume gone.rpls --allow-tool quick </dev/null
replays gone.rpls

# --- Limits --------------------------------------------------------------------------------------

printf 'n(0)\nn(?y) <- n(?x), ?y = ?x + 1, ?y < 5000\n%% <- n(4000), ?a = $ask("Go on?")\n' >grows.rpl
expect "a limit on one run" 5 "" "1000 rows" \
  "$rpl" run grows.rpl --max-rows 1000 --session grows.rpls </dev/null
expect "without it on the next" 3 "" "Go on?" "$rpl" resume grows.rpls </dev/null
expect "and lower again" 3 "" "Go on?" "$rpl" resume grows.rpls --max-rows 2000 </dev/null
expect "and none again" 0 "" "satisfied" "$rpl" resume grows.rpls --answer ask=yes
replays grows.rpls
printf 'again(?n, ?a) <- ?a = $ask("q{?n}")\nloop(?n) <- again(?n, ?a), loop(?a)\n%% <- loop(1)\n' >loop.rpl
expect "a limit of timesteps" 5 "" "3 timesteps" \
  "$rpl" run loop.rpl --max-timesteps 3 --session loop.rpls < <(seq 2 9)
replays loop.rpls

cat >chat.rpl <<'END2'
n(0)
n(?y) <- n(?x), ?y = ?x + 1, ?y < 3000
p(?x, ?y, ?z) <- n(?x), n(?y), n(?z)
% <- n(5), $json(?h), ?h = "hello"
END2
for run in first second; do
  expect "satisfied within a limit of time, the $run time" 0 '"hello"' "its end is not in the session" \
    "$rpl" run chat.rpl --session chat.rpls --max-time 0.3
done
expect "what was cut off is not kept" 0 "" "sound: 1 events" "$rpl" trace verify chat.rpls

# --- A turn that was cut off -----------------------------------------------------------------------

expect "the turn before" 3 "" "Where" "$rpl" run trip.md --session cut.rpls </dev/null
mkfifo lines
"$rpl" resume cut.rpls <lines >/dev/null 2>&1 &
exec 9>lines
echo Rome >&9
while "$rpl" trace show copy.rpls >/dev/null && [[ $(stat -c %s cut.rpls-wal 2>/dev/null || echo 0) == 0 ]]; do sleep 0.05; done
sleep 0.5
kill -9 $!
wait $! 2>/dev/null
exec 9>&-
replays cut.rpls
expect "it goes on" 0 '{"?where":"Rome","?nights":2,"?days":4}' "" "$rpl" resume cut.rpls --answer ask=2

# --- Derivations -------------------------------------------------------------------------------------

{
  for i in {1..79}; do echo "edge($i, $((i + 1)))"; done
  printf 'path(?a, ?b) <- edge(?a, ?b)\npath(?a, ?c) <- path(?a, ?b), edge(?b, ?c)\n'
} >chain.rpl
cp chain.rpl one.rpl
echo '%all(?a, ?b) <- path(?a, ?b)' >>chain.rpl
echo '%one <- path(1, 80)' >>one.rpl
expect "closure over a chain of 80" 0 '*' "" timeout 5 "$rpl" run chain.rpl --session chain.rpls
(($(stat -c %s chain.rpls) < 3000000)) || fail "the session has $(stat -c %s chain.rpls) bytes"
expect "one row of it" 0 "" "" "$rpl" run one.rpl --session one.rpls
"$rpl" trace show one.rpls >shown
(($(wc -c <shown) < 20000)) || fail "expected a short derivation"

# --- Files -------------------------------------------------------------------------------------------

expect "trace query: a reason is no result" 1 "" 'no fact' "$rpl" trace query trip.rpls '% <- place("Rome")'
expect "trace diff of one file" 0 "" "in common" "$rpl" trace diff trip.rpls trip.rpls
cp trip.rpls damaged.rpls
size=$(stat -c %s damaged.rpls)
dd if=/dev/zero of=damaged.rpls bs=1 seek=$((size / 2)) count=$((size / 4)) conv=notrunc 2>/dev/null
expect "resume of a damaged session" 6 "" "prints what is sound of it" "$rpl" resume damaged.rpls
cp chain.rpls torn.rpls
dd if=/dev/zero of=torn.rpls bs=4096 seek=150 count=20 conv=notrunc 2>/dev/null
for what in show export; do
  expect "trace $what of a damaged session" 6 '*' "the session is damaged: event " "$rpl" trace $what torn.rpls
  (($(wc -l <out) > 100)) || fail "expected what is sound"
done
expect "trace verify of a damaged session" 1 "" "the session is damaged: event " "$rpl" trace verify torn.rpls
expect "a full disk" 6 '*' "disk I/O error" bash -c \
  'trap "" XFSZ; ulimit -f 40; "$1" run chain.rpl --session full.rpls' - "$rpl"
lacks "a full disk is no other rpl" "another rpl" err

# Readers beside a writer, which waits for the second answer.
mkfifo held
"$rpl" run trip.md --session held.rpls <held >/dev/null 2>&1 &
exec 9>held
echo Rome >&9
for _ in {1..200}; do
  if "$rpl" trace export held.rpls 2>/dev/null | grep -qF 'place(?where) ^^ {?where "Rome"}'; then break; fi
  sleep 0.05
done
expect "trace show beside a run" 0 "$("$rpl" trace show held.rpls)" "" "$rpl" trace show held.rpls
expect "trace query beside a run" 0 "Rome" "" "$rpl" trace query held.rpls '%w(?w) <- place(?w)'
expect "trace verify beside a run" 0 "" "sound: " "$rpl" trace verify held.rpls
expect "trace replay beside a run" 0 '*' "" "$rpl" trace replay held.rpls
expect "a second writer beside a run" 6 "" "another process has this session open" \
  "$rpl" resume held.rpls --answer ask=2
echo 2 >&9
exec 9>&-
wait $!
expect "the run was not disturbed" 0 '{"?where":"Rome","?nights":2,"?days":4}' "" "$rpl" resume held.rpls
readers=()
for i in {1..40}; do
  for what in show query export verify; do
    form=()
    [[ $what != query ]] || form=('%w(?w) <- place(?w)')
    "$rpl" trace "$what" held.rpls "${form[@]}" >/dev/null 2>"reader-$i-$what" || echo "$what" >>refused &
    readers+=($!)
  done
done
wait "${readers[@]}"
name="160 readers of one session at once" status=0
if [[ ! -e refused ]]; then pass; else cat reader-* >err && fail "$(sort refused | uniq -c)"; fi

mkdir fixed
cp trip.rpls fixed/
cp copy.rpls fixed/left.rpls
cp trip.rpls 'fixed/a trip?#50%.rpls'
for name in killed closed; do cp killed.rpls fixed/$name.rpls && cp killed.rpls-wal fixed/$name.rpls-wal; done
cp trip.rpls fixed/secret.rpls
chmod -R a-w,a+rX fixed
chmod 000 fixed/closed.rpls-wal fixed/secret.rpls
chmod a+rx "$folder"
as_nobody=()
if ((EUID == 0)); then as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
for what in show verify export replay; do
  "$rpl" trace $what trip.rpls >wanted 2>/dev/null
  expect "trace $what in a folder that is not writable" 0 "$(cat wanted)" "" \
    "${as_nobody[@]}" "$rpl" trace $what fixed/trip.rpls
done
expect "trace query in a folder that is not writable" 0 "Lucca" "" \
  "${as_nobody[@]}" "$rpl" trace query fixed/trip.rpls '%w(?w) <- place(?w)'
expect "a name that a URI cannot have, in a folder that is not writable" 0 "$("$rpl" trace show trip.rpls)" "" \
  "${as_nobody[@]}" "$rpl" trace show 'fixed/a trip?#50%.rpls'
# What a killed run left beside its session is part of it.
"$rpl" trace show killed.rpls >wanted
expect "a killed run, in a folder that is not writable" 0 "$(cat wanted)" "" \
  "${as_nobody[@]}" "$rpl" trace show fixed/killed.rpls
expect "and no folder for temporary files" 6 "" "no copy of it be made: no temporary folder" \
  env TMPDIR=/none "${as_nobody[@]}" "$rpl" trace show fixed/killed.rpls
expect "a killed run, of which a part may not be read" 6 "" "Permission denied" \
  "${as_nobody[@]}" "$rpl" trace show fixed/closed.rpls
expect "a session that may not be read" 6 "" "unable to open database file" \
  "${as_nobody[@]}" "$rpl" trace show fixed/secret.rpls
same "no copy is left" "" "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'rpl-session-*' -newer fixed/secret.rpls 2>/dev/null)"
expect "trace diff in a folder that is not writable" 1 '*' "in common" \
  "${as_nobody[@]}" "$rpl" trace diff fixed/trip.rpls fixed/left.rpls
expect "resume in a folder that is not writable" 6 "" "" "${as_nobody[@]}" "$rpl" resume fixed/trip.rpls

# --- Anchors, and files outside the tree ------------------------------------------------------------------

mkdir anchors && cd anchors || exit 1
printf '%% <- ?a = $ask("one"), ?b = $ask("two"), $json(?a), $json(?b)\n' >two.rpl
expect "a session to anchor" 3 "" "" "$rpl" run two.rpl --session s.rpls --answer ask=1
same "a session is its owner's" "600" "$(stat -c %a s.rpls)"
anchor=$("$rpl" trace anchor s.rpls)
[[ $anchor =~ ^[0-9]+:[0-9a-f]{64}$ ]] && pass || failure "an anchor" "$anchor"
cp s.rpls early.rpls
expect "an anchor of now" 0 "" "sound: " "$rpl" trace verify s.rpls --anchor "$anchor"
expect "it goes on from its anchor" 0 $'1\n2' "" "$rpl" resume s.rpls --anchor "$anchor" --answer ask=2
expect "an anchor of before" 0 "" "sound: " "$rpl" trace verify s.rpls --anchor "$anchor"
later=$("$rpl" trace anchor s.rpls)
expect "a session that was rolled back" 1 "" "when the anchor was taken" \
  "$rpl" trace verify early.rpls --anchor "$later"
expect "it is not resumed" 6 "" "when the anchor was taken" \
  "$rpl" resume early.rpls --anchor "$later" --answer ask=2
# Another history: as long, with hashes that fit each other.
expect "another history" 3 "" "" "$rpl" run two.rpl --session other.rpls --answer ask=7
expect "another history is sound" 0 "" "sound: " "$rpl" trace verify other.rpls
expect "and is not that of the anchor" 1 "" "events are not those of the anchor" \
  "$rpl" trace verify other.rpls --anchor "$anchor"
for wrong in 5 5: x:00 0:00 "${anchor%?}" "5 :${anchor#*:}"; do
  expect "an anchor that is none: $wrong" 1 "" "expected an anchor like" \
    "$rpl" trace verify s.rpls --anchor "$wrong"
done
mkdir -p in/project outside && cp two.rpl outside/
printf '%% <- ?a = $ask("one"), $json(?a)\n' >outside/p.rpl
cd in/project || exit 1
expect "a program outside its session's folder" 3 "" "" "$rpl" run ../../outside/p.rpl --session s.rpls
printf '%% <- ?a = $ask("secret"), $json(?a)\n' >../../outside/p.rpl
expect "its text changed: it is not read" 3 "" "is neither below the session's folder nor below this one" \
  "$rpl" resume s.rpls
grep -q 'secret' out err && failure "its text changed: nothing of it shows" "$(cat out err)" || pass
expect "unless it is named" 3 "" "secret" "$rpl" run ../../outside/p.rpl --session s.rpls
printf '[]\n' >policy.json
expect "an audit log outside" 3 "" "" \
  "$rpl" run ../../two.rpl --session g.rpls --policy policy.json --audit ../../outside/a.jsonl --answer ask=1
expect "it is not written by itself" 2 "" "its guard uses \`../../outside/a.jsonl\`" \
  "$rpl" resume g.rpls --answer ask=2
expect "but when it is named" 0 $'1\n2' "" "$rpl" resume g.rpls --answer ask=2 --policy policy.json \
  --audit ../../outside/a.jsonl
cd ../../..

# --- What was typed in the shell ----------------------------------------------------------------------

mkdir typed && cd typed || exit 1
program() { printf 'q(?x) <- p(?x)\n%% <- q(1)\nz(%s)\n' "$1" >p.rpl; }
program 1
printf 'p(1)\nr(?x) <- p(?x)\n' | "$rpl" repl p.rpl --session typed.rpls >out
cp typed.rpls named.rpls
program 2
expect "a program that changed goes on with what was typed" 0 "" "satisfied" "$rpl" resume typed.rpls
program 3
printf '%%a(?x) <- r(?x)\n.reload\n%%b(?x) <- p(?x)\n.undo\n%%c(?x) <- p(?x)\n.undo\n%%d(?x) <- p(?x)\n' >entries
"$rpl" repl --session typed.rpls <entries >shown 2>err
same "which the shell has, reloads and takes back" 3 "$(grep -c '^ *1$' shown)"
same "until nothing is left" 1 "$(grep -c '^no: no fact matches `p(?x)`' shown)"
program 4
expect "also where the program is named" 0 "" "satisfied" "$rpl" run p.rpl --session named.rpls
program 5
expect "time and again" 0 "" "satisfied" "$rpl" run p.rpl --session named.rpls
cd ..

# --- The same bytes ------------------------------------------------------------------------------------

"$rpl" trace replay copy.rpls >wanted
for ((i = 0; i < runs; i++)); do
  RPL_HASH_SEED=$((i * 7919 + 1)) "$rpl" trace replay copy.rpls | cmp -s - wanted || break
done
name="$runs replays with other hash seeds print the same bytes" status=0
((i == runs)) && pass || fail "replay $i differs"

# Rows enough for several threads to share, and a trace that shows their order.
cat >wide.rpl <<'END2'
n(0)
n(?y) <- n(?x), ?x < 199, ?y = ?x + 1
e(?x, ?y) <- n(?x), ?y = ?x + 1, n(?y)
far(?x, ?y) <- e(?x, ?y)
far(?x, ?z) <- far(?x, ?y), e(?y, ?z)
%last(?x, ?way) <- ?way = $ask("Which way?"), far(?x, 199)
END2
expect "a run over many rows" 0 '*' "" "$rpl" run wide.rpl --session wide.rpls --answer ask=north
"$rpl" trace replay wide.rpls >wanted
for ((i = 0; i < runs; i++)); do
  RPL_HASH_SEED=$((i * 104729 + 1)) "$rpl" trace replay wide.rpls --threads $((i % 4 + 1)) |
    cmp -s - wanted || break
done
name="$runs replays with other numbers of threads print the same bytes" status=0
((i == runs)) && pass || fail "replay $i differs"

finish
