#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/repl_test.sh RPL
#
# The shell at a terminal of 80 by 24, driven through tmux: keys go in, and the screen is
# compared. Each step waits for what it expects to see, so that nothing depends on the speed
# of the machine. Screens compared with `shown` are transcripts of docs/shell.md, and must
# stand there as they are here. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: repl_test.sh RPL}")
page=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../docs/shell.md")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
terminals=0
socket=
export TMUX_TMPDIR=$folder  # its sockets
trap 'close; rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# --- a terminal ----------------------------------------------------------------------------

# open ARGS…: a terminal with `rpl ARGS…` in it.
open() {
  close
  terminals=$((terminals + 1))
  socket=rpl-test-$$-$terminals  # one that ends and one that begins do not meet
  tmux -L "$socket" -f /dev/null new-session -d -s t -x 80 -y 24 \
    env -u NO_COLOR -u XDG_STATE_HOME HOME="$folder" TERM="${term:-xterm}" "$rpl" repl "$@"
  prompted
}

close() { [[ -z $socket ]] || tmux -L "$socket" kill-server 2>/dev/null; }

# The screen, without the empty lines at its end.
screen() {
  tmux -L "$socket" capture-pane -t t -p 2>/dev/null | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}

# until_ COMMAND…: waits up to 20 seconds for it to hold, and gives up for good otherwise.
until_() {
  local i
  for ((i = 0; i < 400; ++i)); do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  failure "waited in vain: $*" "$(screen)"
  finish
  exit 1
}

last_is() { [[ $(screen | tail -n 1) == "$1" ]]; }
# Not `screen | grep -q`: a pipe that is closed early counts as a failure.
sees() { [[ $(screen) == *"$1"* ]]; }
is_over() { ! tmux -L "$socket" has-session -t t 2>/dev/null; }

prompted() { until_ last_is 'rpl>'; }
await() { until_ sees "$1"; }

keys() { tmux -L "$socket" send-keys -t t "$@"; }

# text TEXT: types it, and waits until it is seen at the cursor.
text() {
  keys -l "$1"
  await "${1:(-20)}"
}

# enter TEXT: an entry, up to the next prompt.
enter() {
  text "$1"
  keys Enter
  prompted
}

# A screen with nothing on it but the prompt.
fresh() {
  keys C-l
  until_ one_line
}
has_line() { screen | grep -xF -- "$1" >/dev/null; }
one_line() { [[ $(screen) == 'rpl>' ]]; }

# compare NAME: the screen is what stands on standard input.
compare() {
  local wanted got
  wanted=$(cat)
  got=$(screen)
  if [[ $got == "$wanted" ]]; then pass; else failure "$1: expected" "$wanted" "got" "$got"; fi
}

# shown NAME: the same, and docs/shell.md shows it.
shown() {
  local wanted
  wanted=$(cat)
  compare "$1" <<<"$wanted"
  if [[ $(<"$page") == *$'\n'"$wanted"$'\n'* ]]; then pass
  else failure "$1: docs/shell.md does not show this screen" "$wanted"; fi
}

cat >legs.rpl <<'END'
leg("harbour", "market", 2)
leg("market", "museum", 1)
leg("museum", "island", 7)
reachable(?a, ?b) <- leg(?a, ?b, _)
reachable(?a, ?c) <- reachable(?a, ?b), leg(?b, ?c, _)
END

cat >trip.md <<'END'
# Trip - %trip(?where, ?nights) <- place(?where), stay(?where, ?nights)

## Place - place(?where)

Where do you want to go?

## Stay - stay(?where, ?nights) <- place(?where), ?nights = $ask("For how many nights?")
END

printf 'd(%s)\n' 0 1 2 3 4 5 6 7 8 9 >digits.rpl

# --- entries and answers --------------------------------------------------------------------

open legs.rpl
enter 'leg("island", "lighthouse", 3)'
enter 'leg("market", ?to, ?km)'
enter 'leg(?from, ?to, ?km), ?km > 2'
enter '%near(?to) <- reachable("harbour", ?to), not leg(_, ?to, 7)'
shown "facts and queries" <<'END'
rpl 0.1.0, .help for commands, Ctrl-D to leave
legs.rpl: 3 facts, 2 rules
rpl> leg("island", "lighthouse", 3)
1 fact
rpl> leg("market", ?to, ?km)
 ?to      | ?km
----------+-----
 "museum" |   1
1 answer
rpl> leg(?from, ?to, ?km), ?km > 2
 ?from    | ?to          | ?km
----------+--------------+-----
 "museum" | "island"     |   7
 "island" | "lighthouse" |   3
2 answers
rpl> %near(?to) <- reachable("harbour", ?to), not leg(_, ?to, 7)
 ?to
--------------
 "market"
 "museum"
 "lighthouse"
3 answers
rpl>
END

fresh
enter '.why reachable("harbour", "museum")'
enter '.whynot leg("harbour", "island", _)'
enter '.fact'
shown "explanations, and a command misspelt" <<'END'
rpl> .why reachable("harbour", "museum")
reachable("harbour", "museum")  legs.rpl:5: reachable(?a, ?c) <- reachable(?a, ?
b), leg(?b, ?c, _)
  reachable("harbour", "market")  legs.rpl:4: reachable(?a, ?b) <- leg(?a, ?b, _
)
    leg("harbour", "market", 2)  legs.rpl:1
  leg("market", "museum", 1)  legs.rpl:2
rpl> .whynot leg("harbour", "island", _)
no leg("harbour", "island", _)
  nearest: leg("harbour", "market", 2)  legs.rpl:1
  nearest: leg("museum", "island", 7)  legs.rpl:3
rpl> .fact
unknown command `.fact`, did you mean `.facts`?
rpl>
END

# --- editing --------------------------------------------------------------------------------

open legs.rpl
fresh
text 'rea'
keys Tab
await 'reachable('
text '"market", ?x),'
keys Enter
text '  not leg("market", ?'
keys Tab
await ', ?x'
text ', _)'
keys Enter
prompted
compare "completion of a relation and a variable, over two lines" <<'END'
rpl> reachable("market", ?x),
  not leg("market", ?x, _)
 ?x
----------
 "island"
1 answer
rpl>
END

fresh
keys Up
await 'not leg'
keys Up C-a Right Right Right C-k
until_ has_line 'rpl> rea'
text 'chable("harbour", ?x),'
keys Enter
prompted
compare "the first line of an entry can be edited" <<'END'
rpl> reachable("harbour", ?x),
  not leg("market", ?x, _)
 ?x
----------
 "market"
 "island"
2 answers
rpl>
END

fresh
text '.l'
keys Tab
await '.limits'
compare "candidates are listed" <<'END'
rpl> .l
.limits  .load
rpl> .l
END
keys C-c
prompted
fresh
text '.mode m'
keys Tab
until_ has_line 'rpl> .mode markdown'
keys C-c
prompted
text '.schema '
keys Tab
await 'reachable'
keys -l 're'
keys Tab
until_ last_is 'rpl> .schema reachable'
keys Enter
prompted
enter '.tables'
fresh
enter '.schema reachable'
enter '.tables'
enter '.maxrows 1'
enter '.facts leg'
shown "relations, and fewer rows" <<'END'
rpl> .schema reachable
reachable/2              6 rows, 2 rules
  reachable(?a, ?b) <- leg(?a, ?b, _)
  reachable(?a, ?c) <- reachable(?a, ?b), leg(?b, ?c, _)
rpl> .tables
leg/3                    3 rows
reachable/2              6 rows, 2 rules
rpl> .maxrows 1
rpl> .facts leg
leg("harbour", "market", 2)
-- 2 facts more
.maxrows 0 shows all
rpl>
END
fresh
text '.load dig'
keys Tab
await 'digits.rpl'
keys Enter
prompted
text 'leg("harbour",,'
keys Enter Enter
prompted
enter 'near(?to) <- leg("harbour", ?to)), true'
shown "a document, and errors" <<'END'
rpl> .load digits.rpl
digits.rpl: 10 facts
rpl> leg("harbour",,

<entry 3>:1:4: error RPL1004: `(` is opened here and never closed
    1 | leg("harbour",,
      |    ^
help: close it with `)`
rpl> near(?to) <- leg("harbour", ?to)), true
<entry 4>:1:33: error RPL1004: `)` closes nothing
    1 | near(?to) <- leg("harbour", ?to)), true
      |                                 ^
help: remove it, or open its bracket
rpl>
END
keys Up
await '?to)), true'
keys Up
until_ last_is 'rpl> leg("harbour",,'
keys C-c
prompted
pass

fresh
text 'leg(1'
keys C-c
prompted
text 'leg("a", "été", 漢)'
keys C-w C-w
text 'ö", 1)'
keys Enter
prompted
enter 'leg("a", ?x, _)'
compare "cancelled entries, and text beyond ASCII" <<'END'
rpl> leg(1
rpl> leg("a", "ö", 1)
1 fact
rpl> leg("a", ?x, _)
 ?x
-----
 "ö"
1 answer
rpl>
END
keys C-d
until_ is_over
pass

open
fresh
text 'l(1), l(2'
keys Home
keys End
text ', 3)'
keys Enter
prompted
keys Up
await 'l(2, 3)'
keys C-c
prompted
compare "the ends of a line" <<'END'
rpl> l(1), l(2, 3)
2 facts
rpl> l(1), l(2, 3)
cancelled; Ctrl-D leaves
rpl>
END
keys Up Up Up
await '"ö"'
keys C-c
prompted
keys C-r
text 'harbour",,'
await 'leg("harbour",,'
pass
close

# --- pasted and typed Markdown, questions ------------------------------------------------------

open
fresh
tmux -L "$socket" load-buffer trip.md
tmux -L "$socket" paste-buffer -p -t t
await '## Stay - stay'
keys Enter
prompted
fresh
keys -l '.run'
keys Enter
await 'Where do you want to go?'
until_ last_is '?'
text 'Lucca'
keys Enter
await 'For how many nights?'
until_ last_is '?'
keys C-d
prompted
enter '.pending'
enter '.answer ask=3'
enter '.goals'
shown "a goal that asks" <<'END'
rpl> .run
Where do you want to go?
? Lucca
For how many nights?
? ^D
waiting for $ask("For how many nights?"): For how many nights?
.answer KEY=VALUE answers it, see .pending
rpl> .pending
ask  For how many nights?
rpl> .answer ask=3
 ?where  | ?nights
---------+---------
 "Lucca" |       3
1 answer
rpl> .goals
%trip(?where, ?nights) <- place(?where), stay(?where, ?nights)
%trip ^^ {?where "Lucca", ?nights 3} -> true
rpl>
END

fresh
enter '.answer where=Pisa'
enter 'place("Lucca") -> false'
enter '.run'
shown "an answer is taken back" <<'END'
rpl> .answer where=Pisa
nothing waits for it now; it is kept
help: `place(?where) ^^ {?where "Lucca"} -> false` takes the answer before back
rpl> place("Lucca") -> false
1 retraction
rpl> .run
 ?where | ?nights
--------+---------
 "Pisa" |       3
1 answer
rpl>
END

fresh
enter 'oops(1)'
enter '.undo'
compare "what is taken back is said" <<'END'
rpl> oops(1)
1 fact
rpl> .undo
taken back: oops(1)
rpl>
END

fresh
keys -l '# Far - %far(?x) <- place(?x), not near(?x)'
keys Enter
keys Enter
keys -l 'What is far away.'
keys Enter
keys Enter
prompted
enter '%far(?x)'
compare "Markdown that is typed ends with an empty line" <<'END'
rpl> # Far - %far(?x) <- place(?x), not near(?x)

What is far away.

1 goal rule
rpl> %far(?x)
 ?x
--------
 "Pisa"
1 answer
rpl>
END

# --- phase by phase --------------------------------------------------------------------------------

open legs.rpl
fresh
keys -l '.step leg("island", "lighthouse", 3)'
keys Enter
await 'Enter for'
keys Enter
await '2.2'
keys Enter
text 'g'
keys Enter
prompted
shown "a timestep, phase by phase" <<'END'
rpl> .step leg("island", "lighthouse", 3)
2.1 assert new avars
-- Enter for 2.2, g for the rest:
2.2 assert input novelty
    asserted leg("island", "lighthouse", 3)
    trace leg("island", "lighthouse", 3) -> true
-- Enter for 2.3, g for the rest:
2.3 quiesce relations
    derived reachable("island", "lighthouse")
    derived reachable("museum", "lighthouse")
    derived reachable("market", "lighthouse")
    derived reachable("harbour", "lighthouse")
-- Enter for 2.4, g for the rest: g
2.4 activate goals
2.5 update plans
2.6 progress plan
2.7 quiesce relations
2.8 dispatch asyncs
1 fact
rpl>
END

# --- Ctrl-C --------------------------------------------------------------------------------------

open digits.rpl
fresh
keys -l '% <- d(?a), d(?b), d(?c), d(?e), d(?f), d(?g), d(?h), d(?i), d(?j), ?a + ?b + ?c + ?e + ?f + ?g + ?h + ?i + ?j > 100'
keys Enter
await ' s  '
pass
keys C-c C-c C-c
prompted
fresh
keys -l 'e(?a, ?b, ?c, ?f, ?g, ?h, ?i) <- d(?a), d(?b), d(?c), d(?f), d(?g), d(?h), d(?i)'
keys Enter
await ' rows/s'
keys C-c
prompted
enter '.rules'
enter 'd(?x), ?x > 8'
compare "a loop is cancelled, and the shell goes on" <<'END'
rpl> e(?a, ?b, ?c, ?f, ?g, ?h, ?i) <- d(?a), d(?b), d(?c), d(?f), d(?g), d(?h),
d(?i)
cancelled
the entry was taken back
rpl> .rules
no rules
rpl> d(?x), ?x > 8
 ?x
----
  9
1 answer
rpl>
END

# --- other terminals ---------------------------------------------------------------------------

term=dumb open legs.rpl
enter 'leg("market", ?to, _)'
compare "TERM=dumb" <<'END'
rpl 0.1.0, .help for commands, Ctrl-D to leave
legs.rpl: 3 facts, 2 rules
rpl> leg("market", ?to, _)
 ?to
----------
 "museum"
1 answer
rpl>
END
keys C-d
until_ is_over
pass

open legs.rpl --session kept.rpls
enter 'leg("island", "lighthouse", 3)'
keys C-d
until_ is_over
open --session kept.rpls
enter 'leg("island", ?to, _)'
compare "a session goes on" <<'END'
rpl 0.1.0, .help for commands, Ctrl-D to leave
legs.rpl: 3 facts, 2 rules
1 entry before
rpl> leg("island", ?to, _)
 ?to
--------------
 "lighthouse"
1 answer
rpl>
END
close

# --- without a terminal ------------------------------------------------------------------------

table=$' ?to\n-----\n "b"\n1 answer'
expect "rpl alone says what there is" 2 "" "" "$rpl" </dev/null
expect "entries from a file" 0 "$table" "" "$rpl" repl < <(printf 'l("a", "b")\nl("a", ?to)\n')
expect "a last entry that is cut off" 2 "" "" "$rpl" repl < <(printf 'l("a",\n  "b"')
expect "an entry that is wrong" 2 "true" "" "$rpl" repl < <(printf 'l(1))\nl(1)\n%% <- l(1)\n')
expect "nothing of it is taken in" 2 'no: no fact matches `l(_)`' "" \
  "$rpl" repl < <(printf 'l(1)\nl((2)\n\n.undo\nl(_)\n')
printf 'l(1)\n' >kept.rpl
expect "a document is not overwritten" 2 "" './kept.rpl: this is a document of the session' \
  "$rpl" repl kept.rpl < <(printf 'l(2)\n.save ./kept.rpl\n')
same "nor touched" 'l(1)' "$(cat kept.rpl)"
expect "a relation that is nowhere" 0 'no: no fact matches `l(_)`' \
  'nothing defines l/1, did you mean ll/1?' "$rpl" repl < <(printf 'll(1)\nl(_)\n')
expect "a relation that is like no other" 0 'no: no fact matches `p(?x)`' "" \
  "$rpl" repl < <(printf 'n(1)\np(?x)\n')
same "no guess" 'nothing defines p/1' "$(cat err)"
expect "a goal over two lines" 0 $' ?x\n----\n  1\n1 answer' "" \
  "$rpl" repl < <(printf 'l(1)\n%%g(?x) <- l(?x),\n  ?x < 2 -- small\n')
expect "a question reads the next line" 0 $' ?a\n-----\n "x"\n1 answer' "" \
  "$rpl" repl < <(printf '?a = $ask("Who?")\nx\n')
expect "what-now does not" 0 'true' "" \
  "$rpl" repl < <(printf 'l(1) -> m(1)\nl(1)\nm(1)\n%% <- l(1)\n')
expect "colours when asked for" 0 $'\033[1m ?x\033[0m\n----\n  1\n1 answer' "" \
  env NO_COLOR=1 "$rpl" repl --color always < <(printf 'l(1)\nl(?x)\n')
expect "a limit is set and holds" 0 $' ?x\n----\n  0\n  1\n2 answers' "" "$rpl" repl \
  < <(printf 'n(0)\n.limits rows 2\nm(?y) <- n(?x), ?y = ?x + 1\nm(?y) <- m(?x), ?y = ?x + 1\n.limits rows 9\nn(1)\nn(?x)\n')
grep -qF 'limit reached: 2 rows' err || failure "a limit is set and holds" "limit reached: 2 rows" "$(cat err)"
expect "limits are shown as they are set" 0 "time                1.5 SECONDS  Evaluation time of one timestep, 0 for no limit
memory                0 MB       Memory of the process, 0 for no limit
rows               1000 N        Rows derived, 0 for no limit
rounds           100000 N        Rounds of one stratum, 0 for no limit
depth             20000 N        Nested calls, 0 for the maximum
timesteps        100000 N        Timesteps of one run, 0 for no limit" "" "$rpl" repl --max-rows 1000 \
  < <(printf '.limits time 1.5\n.limits memory 0\n.limits\n')
while IFS='>' read -r entry message; do
  expect "no limit: $entry" 2 "" "" "$rpl" repl < <(echo ".limits $entry")
  [[ $(cat err) == "$message" ]] || failure "no limit: $entry" "$message" "$(cat err)"
done <<'END'
rows>expected .limits rows N
rows many>.limits rows: expected a whole number from 0 to 4000000000, got `many`
depth 100001>.limits depth: expected a whole number from 0 to 100000, got `100001`
row 5>no limit `row`; there are time, memory, rows, rounds, depth, timesteps
END
printf 'what,n\n"pen, red",3\nink,4\n' >stock.csv
expect "rows are imported" 0 $'stock.csv: 2 new rows of stock, 2 in all\nstock.csv: 0 new rows of stock, 2 in all
stock/2                  2 rows' "" "$rpl" repl \
  < <(printf '.import stock.csv stock\n.load stock=stock.csv\n.tables\n')
expect "what is no import" 2 "" "expected .import FILE RELATION" "$rpl" repl < <(echo '.import stock.csv')
expect "a document is no import" 2 "" ".load takes a document in" "$rpl" repl < <(echo '.import legs.rpl leg')
expect "a missing file is no import" 2 "" "none.csv: No such file" "$rpl" repl < <(echo '.import none.csv leg')
expect "answers in other forms" 0 $'what,n\n"pen, red",3\nink,4\n| ?what | ?n |\n| --- | --- |
| "pen, red" | 3 |\n| "ink" | 4 |\n?what = "pen, red"\n?n = 3\n\n?what = "ink"\n?n = 4\ntrue' "" \
  "$rpl" repl --facts stock=stock.csv < <(printf '.mode %s\nstock(?what, ?n)\n' csv markdown line; echo 'stock("ink", 4), true')
modes=$("$rpl" repl < <(echo .help mode) | sed -n 's/^\.mode //p')
expect "no form" 2 "" "expected .mode $modes, got \`xml\`" \
  "$rpl" repl < <(echo '.mode xml')
expect "output to a file, and back" 0 'true' "" "$rpl" repl --facts stock=stock.csv \
  < <(printf '.output out.csv\n.mode csv\nstock(?what, ?n)\n.output\nstock("ink", 4), true\n')
same "the file has it" $'what,n\n"pen, red",3\nink,4' "$(cat out.csv)"
printf '%s\n' 'p(1, "12")' 'p(2, "")' 'p(3, nil)' 'p(4, 12)' 'p(8, "true")' 'p(9, true)' 'p(15, "1e3")' \
  'p(16, "nil")' 'p(17, "007")' 'p(18, "a\rb")' >values.rpl
printf '%s\n' 'k(:red, ada)' 'k(:dark-red, eve)' >>values.rpl
expect "values of all kinds, as CSV" 0 "" "" "$rpl" repl values.rpl \
  < <(printf '.output p.csv\n.mode csv\np(?n, ?x)\n.output k.csv\nk(?color, ?who)\n')
same "texts that look like other values are quoted" \
  $'n,x\n1,"12"\n2,""\n3,\n4,12\n8,"true"\n9,true\n15,"1e3"\n16,nil\n17,007\n18,"a\rb"' "$(cat p.csv)"
same "columns of names have a type" $'color:keyword,who:symbol\nred,ada\ndark-red,eve' "$(cat k.csv)"
expect "what was written is read again" 0 "$(cat values.rpl)" "" "$rpl" repl --facts p=p.csv --facts k=k.csv \
  < <(printf '.facts p\n.facts k\n')
expect "output to a file, to the end" 0 '' "" "$rpl" repl --facts stock=stock.csv \
  < <(printf '.output out.txt\nstock(?what, ?n)\n')
same "a file has wide tables" $' ?what      | ?n\n------------+----\n "pen, red" |  3\n "ink"      |  4\n2 answers' "$(cat out.txt)"
expect "output nowhere" 2 'true' "none/out: cannot be written" "$rpl" repl < <(printf '.output none/out\np(1)\np(1), true\n')
expect "output over a document" 2 '' "legs.rpl: this is a document of the session" \
  "$rpl" repl legs.rpl < <(echo '.output legs.rpl')
expect "output that does not fit" 2 '' "/dev/full: cannot be written" "$rpl" repl < <(printf '.output /dev/full\np(1)\np(1), true\n')
printf '# Trip - %%trip(?where, ?nights) <- where(?where), nights(?nights)\n\n# Where - where(?where)\n\nWhere?\n\n# Nights - nights(?nights)\n\nHow many?\n' >back.md
oslo=$' ?where | ?nights\n--------+---------\n "Oslo" |       3\n1 answer'
expect "an answer is taken back" 0 "$oslo" "there is no answer to take back" \
  "$rpl" repl back.md < <(printf '.run\n.back\nRome\n.back\nOslo\n3\n')
expect "an answer to a query is taken back" 0 "$oslo" "" \
  "$rpl" repl back.md < <(printf '%%trip(?where, ?nights)\nRome\n.back\nBern\n.back\nOslo\n3\n')
expect "an answer before a question that was left open is taken back" 0 \
  $'waiting for nights(?nights): How many?\n'"$oslo" "" \
  "$rpl" repl back.md < <(printf '.run\nRome\n.later\n.run\n.back\nOslo\n3\n')
expect "the open questions" 0 "$oslo" $'Where?\n  Where?\n  How many?\nHow many?' \
  "$rpl" repl back.md < <(printf '.run\n.open\nOslo\n3\n')
expect "all rows, or a few" 0 $'d(0)\nd(1)\n-- 8 facts more\n10' "" "$rpl" repl digits.rpl \
  < <(printf '.maxrows 2\n.facts d\n.maxrows 0\n.output o\n.facts d\n.output\n.mode text\n?n = |d(_)|\n')
same "all rows, or a few: all" 10 "$(wc -l <o)"
expect "no number of rows" 2 "" "expected .maxrows N, a number, or 0 for all; got \`-1\`" "$rpl" repl < <(echo '.maxrows -1')
expect "no relation" 0 "" "no relation nope; .tables lists them" "$rpl" repl < <(echo '.schema nope')
expect "no relations" 0 "" "no relations; .load FILE takes a document in" "$rpl" repl < <(echo '.tables')
expect "help on a command" 0 $'.import FILE RELATION\ntake rows of CSV, TSV or NDJSON in\n  .import stock.csv stock
The columns are the arguments, in their order; docs/facts.md describes the files.' "" "$rpl" repl < <(echo '.help import')
expect "help on no topic" 2 "" "no help on \`impotr\`, did you mean \`import\`?" "$rpl" repl < <(echo '.help impotr')
# Each command is in the help, and each has help of its own.
for command in $("$rpl" repl < <(echo .help) | grep -oE '^\.[a-z]+ ' | grep -v '^.help T'); do
  expect "help on $command" 0 '*' "" "$rpl" repl < <(echo ".help $command")
  [[ $(head -n 1 out) == "$command"* ]] || fail "expected the help on $command"
done
expect "a schema has what is asked, and constraints" 0 'place/1                  0 rows, asked
stay/2                   1 rule
  stay(?where, ?nights) <- place(?where), ?nights = $ask("For how many nights?")' "" \
  "$rpl" repl trip.md < <(printf '.schema place\n.schema stay\n')

expect "a profile of nothing" 0 "" "" "$rpl" repl < <(echo .profile)
got=$("$rpl" repl 2>&1 < <(
  printf '.limits rows 3\nn(0)\nm(?y) <- n(?y)\nm(?y) <- m(?x), ?y = ?x + 1\n.profile\n.load none.rpl\nn(?x)\n.profile\n'
) | grep -oE '[0-9]+ \| +[0-9]+ \| (derived|goal) .*')
[[ $got == *'derived | <entry 3>:1:1: m(?y) <- m(?x), ?y…'*'goal | <entry 4>:1:1: %answers(?x) <- n(?x)' ]] ||
  failure "the profile of the last entry, taken back or not" "$got"
expect "a missing document" 6 "" "" "$rpl" repl none.rpl </dev/null
expect "query: values" 0 $'market' "" "$rpl" query -f legs.rpl 'leg("harbour", ?to, _)' </dev/null
expect "query: true" 0 'true' "" "$rpl" query -f legs.rpl 'leg("harbour", "market", 2)' </dev/null
expect "query: a reason" 1 'no fact matches `leg("x", _, _)`' "" \
  "$rpl" query -f legs.rpl 'leg("x", _, _)' </dev/null
expect "query: waiting" 3 'waiting for $ask("Who?"): Who?' "" "$rpl" query '?x = $ask("Who?")' </dev/null
expect "query: an answer" 0 'me' "" "$rpl" query '?x = $ask("Who?")' --answer ask=me </dev/null
expect "query: what is no question" 2 '' "" "$rpl" query 'a(1) -> false' </dev/null
expect "query: an error" 2 '' "" "$rpl" query 'a(1' </dev/null
expect "query: a missing file" 6 '' "" "$rpl" query -f none.rpl 'a(1)' </dev/null

finish
