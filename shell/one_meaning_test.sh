#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/one_meaning_test.sh RPL
#
# A relation, a goal and a set mean the same to whoever asks: small programs, asked through `rpl
# reply`, `query`, `repl`, `run` and `explain`, with the clauses of their rules in every order, and
# with their rules in every order. Answers are compared as sets. The last line is `N passed, N
# failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: one_meaning_test.sh RPL}")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/expect.sh"
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state

# orders clauses|rules PROGRAM: leaves its orders in the array `programs`.
orders() {
  rm -rf "${2%.rpl}" && mkdir "${2%.rpl}"
  PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/permutations.py" "$1" "$2" "${2%.rpl}"
  programs=("${2%.rpl}"/*.rpl)
}

# answered DOOR PROGRAM QUESTION: what the question `(?x) <- p(?x)` gives, sorted.
answered() {
  local goal="%answer$3"
  case $1 in
    reply) { cat "$2"; printf '%s\n' "$goal"; } | "$rpl" reply ;;
    query) "$rpl" query -f "$2" "$goal" ;;
    repl) printf '.mode text\n%s\n' "$goal" | "$rpl" repl "$2" ;;
    run) { printf '%s\n' "$goal"; cat "$2"; } >run.rpl && "$rpl" run run.rpl ;;
  esac </dev/null 2>err | sort
}

# explained PROGRAM FORM: the facts of the form, sorted.
explained() { "$rpl" explain -f "$1" "$2" 2>err | sed -e '/^ /d' -e 's/  .*//' | sort; }

# asked PROGRAM QUESTION ANSWERS FORM FACTS: in every order of clauses, through every door.
asked() {
  local program door
  orders clauses "$1"
  for program in "${programs[@]}"; do
    for door in reply query repl run; do
      same "$door of $2 in"$'\n'"$(cat "$program")" "$3" "$(answered "$door" "$program" "$2")"
    done
    same "explain of $4 in"$'\n'"$(cat "$program")" "$5" "$(explained "$program" "$4")"
  done
}

# in_any_order PROGRAM QUESTION ANSWERS: its rules in every order.
in_any_order() {
  local program
  orders rules "$1"
  for program in "${programs[@]}"; do
    same "$2 in"$'\n'"$(cat "$program")" "$3" "$(answered reply "$program" "$2")"
  done
}

# denied PROGRAM QUESTION FORM: does not hold, in every order of clauses, through every door.
denied() {
  local program goal="%answer $2" reason
  orders clauses "$1"
  for program in "${programs[@]}"; do
    { cat "$program"; printf '%s\n' "$goal"; } >message.rpl
    { printf '%% %s\n' "$2"; cat "$program"; } >run.rpl
    expect "reply: not $2" 1 '*' "" "$rpl" reply message.rpl
    reason=$(cat out)
    if [[ -z $reason ]]; then fail "expected a reason"; fi
    expect "query: not $2" 1 "$reason" "" "$rpl" query -f "$program" "$goal"
    expect "run: not $2" 1 "" "unsatisfied: $reason" "$rpl" run run.rpl </dev/null
    expect "repl: not $2" 0 "no: $reason" "" "$rpl" repl "$program" <<<"$goal"
    expect "explain: not $3" 1 "" "no fact matches" "$rpl" explain -f "$program" "$3"
  done
}

# --- A rule that is derived beside one that needs its caller -------------------------------------

cat >mixed.rpl <<'END'
l(7)
cheap(?a) <- l(?a)
cheap(?a) <- ?a < 12
v("ann", 2)
v("bo", 40)
pays(?n) <- v(?n, ?a), not cheap(?a)
k(?n, ?c) <- v(?n, ?a), ?c = |cheap(?a)|
%pays(?n) <- pays(?n)
END
asked mixed.rpl '(?c) <- k("ann", ?c)' 1 'k("ann", ?c)' 'k("ann", 1)'
asked mixed.rpl '(?n) <- pays(?n)' bo 'pays(?n)' 'pays("bo")'
denied mixed.rpl '<- pays("ann")' 'pays("ann")'
grep -v '^%' mixed.rpl >relations.rpl
in_any_order relations.rpl '(?n, ?c) <- k(?n, ?c), not pays("ann")' $'{"?n":"ann","?c":1}\n{"?n":"bo","?c":0}'

# --- Whichever argument is known -----------------------------------------------------------------

cat >either.rpl <<'END'
same(?x, ?y) <- ?x = ?y
p(1)
a(?x, ?y) <- same(?x, ?y), p(?x)
app(?a, ?l, ?r) <- ?a = [], ?r = ?l
app(?a, ?l, ?r) <- ?a = ~ [?h & ?t], app(?t, ?l, ?s), ?r = ~ [?h & ?s]
%both(?x, ?y) <- a(?x, ?y)
%list(?r) <- app([1 2], [3], ?r)
END
asked either.rpl '(?x, ?y) <- %both(?x, ?y)' '{"?x":1,"?y":1}' '%both(?x, ?y)' '%both(1, 1)'
asked either.rpl '(?r) <- %list(?r)' '[1,2,3]' '%list(?r)' '%list([1 2 3])'
grep -v '^%' either.rpl >relations.rpl
in_any_order relations.rpl '(?x, ?y, ?r) <- a(?x, ?y), app([1 2], [3], ?r)' '{"?x":1,"?y":1,"?r":[1,2,3]}'

# --- A goal among alternatives -------------------------------------------------------------------

cat >goals.rpl <<'END'
a(1)
b(2)
%y(?v) <- b(?v)
%q(?v) <- a(?v) | %y(?v)
END
asked goals.rpl '(?v) <- %q(?v)' $'1\n2' '%q(?v)' $'%q(1)\n%q(2)'
asked goals.rpl '(?v) <- a(?v) | %y(?v)' $'1\n2' 'a(?v)' 'a(1)'
asked goals.rpl '(?v) <- %y(?v) | a(?v)' $'1\n2' '%y(?v)' '%y(2)'
in_any_order goals.rpl '(?v) <- %q(?v)' $'1\n2'

# --- The truth of a goal goes with its facts -----------------------------------------------------

cat >truth.rpl <<'END'
e(1)
e(2)
%g(?x) <- e(?x)
r(?x) <- %g(?x)
n(?c) <- ?c = |r(_)|
few(?x) <- e(?x), n(?c), ?c < 2
END
cp truth.rpl fallen.rpl
printf 'e(1) -> false\n' >>fallen.rpl
asked truth.rpl '(?x) <- r(?x)' $'1\n2' 'r(?x)' $'r(1)\nr(2)'
denied truth.rpl '<- few(_)' 'few(?x)'
asked fallen.rpl '(?x) <- r(?x)' 2 'r(?x)' 'r(2)'
asked fallen.rpl '(?c) <- n(?c)' 1 'n(?c)' 'n(1)'
asked fallen.rpl '(?x) <- few(?x)' 2 'few(?x)' 'few(2)'
denied fallen.rpl '<- r(1)' 'r(1)'
in_any_order fallen.rpl '(?x, ?c) <- r(?x), n(?c), few(_)' '{"?x":2,"?c":1}'

# In a turn of its own, and in a session whose program changes.
orders clauses truth.rpl
for program in "${programs[@]}"; do
  expect "repl: the truths of goals, then those that are left" 0 $'1\n2\n2\n1' "" "$rpl" repl "$program" <<'END'
.mode text
%x(?x) <- %g(?x)
e(1) -> false
%x(?x) <- r(?x)
%x(?c) <- n(?c), few(_)
END
done
{ printf '%%x(?x, ?c) <- r(?x), n(?c)\n'; cat truth.rpl; } >turn.rpl
expect "a session: the truths of goals" 0 $'{"?x":1,"?c":2}\n{"?x":2,"?c":2}' "" \
  "$rpl" run turn.rpl --session turn.rpls
printf 'e(1) -> false\n' >>turn.rpl
expect "a session: those that are left" 0 '{"?x":2,"?c":1}' "" "$rpl" resume turn.rpls
expect "a session: the same to a query" 0 2 "" "$rpl" trace query turn.rpls '%x(?x) <- r(?x)'

# --- A set has the instances that stand ----------------------------------------------------------

cat >set.rpl <<'END'
p(#{1 2})
s(?s) <- p(#{& ?s})
two(?x) <- s(?s), ?x ~ ?s, ?x > 1
END
cp set.rpl smaller.rpl
printf 'p(2) -> false\n' >>smaller.rpl
asked set.rpl '(?s) <- p(#{& ?s})' '[1,2]' 'p(?x)' $'p(1)\np(2)'
asked set.rpl '(?x) <- two(?x)' 2 'two(?x)' 'two(2)'
asked smaller.rpl '(?s) <- p(#{& ?s})' '[1]' 'p(?x)' 'p(1)'
asked smaller.rpl '(?x) <- s(?x)' 1 's(?x)' 's(1)'
denied smaller.rpl '<- two(_)' 'two(?x)'
in_any_order smaller.rpl '(?s) <- p(#{& ?s}), not two(_)' '[1]'
orders clauses set.rpl
for program in "${programs[@]}"; do
  expect "repl: a set, then what stands of it" 0 $'[1,2]\n[1]' "" "$rpl" repl "$program" <<'END'
.mode text
%x(?s) <- p(#{& ?s})
p(2) -> false
%x(?s) <- p(#{& ?s})
END
done

# --- Integers of any size ------------------------------------------------------------------------

# 30!, derived from below and asked from above.
cat >below.rpl <<'END'
f(0, 1)
f(?n, ?x) <- f(?m, ?y), ?m < 30, ?n = ?m + 1, ?x = ?y * ?n
END
cat >above.rpl <<'END'
f(?n, ?x) <- ?n = 0, ?x = 1
f(?n, ?x) <- ?n > 0, ?m = ?n - 1, f(?m, ?y), ?x = ?y * ?n
END
factorial=265252859812191058636308480000000
asked below.rpl '(?x) <- f(30, ?x)' $factorial 'f(30, ?x)' "f(30, $factorial)"
asked above.rpl '(?x) <- f(30, ?x)' $factorial 'f(30, ?x)' "f(30, $factorial)"
denied below.rpl "<- f(30, $((0x7fffffffffffffff)))" "f(30, $((0x7fffffffffffffff)))"
in_any_order above.rpl '(?x) <- f(30, ?x)' $factorial

# --- What grows without end is stopped -----------------------------------------------------------

cat >pairs.rpl <<'END'
r(1)
r([?a ?a]) <- r(?a)
%x(?n) <- ?n = |r(_)|
END
growing='`r([?a ?a]) <- r(?a)` was still growing'
{ cat pairs.rpl; printf '%%x <- r(2)\n'; } >message.rpl
# stops NAME COMMAND…: the limit, and the rule that grew.
stops() {
  local name=$1
  shift
  expect "$name" 5 '*' "" "$@"
  if ! cat out err | grep -qF -- "$growing"; then fail "expected: $growing"; fi
}
stops "reply: pairs of pairs" "$rpl" reply message.rpl --max-time 1
stops "query: pairs of pairs" "$rpl" query -f pairs.rpl '%x <- r(2)' --max-time 1
stops "run: pairs of pairs" "$rpl" run pairs.rpl --max-time 1
stops "repl: pairs of pairs" "$rpl" repl pairs.rpl --max-time 1 <<<'%x <- r(2)'
stops "explain: pairs of pairs" "$rpl" explain -f pairs.rpl 'r(2)'

# --- Recursive goals -----------------------------------------------------------------------------

cat >circle.rpl <<'END'
d(1)
%a(?x) <- d(?x), %b(?x)
%b(?x) <- d(?x), %a(?x)
END
cat >reach.rpl <<'END'
edge(2, 3)
%reach(?x, ?y) <- edge(?x, ?y)
%reach(?x, ?z) <- %reach(?x, ?y), edge(?y, ?z)
END
denied reach.rpl '<- %reach(1, 3)' '%reach(1, 3)'
asked reach.rpl '(?x, ?y) <- %reach(?x, ?y)' '{"?x":2,"?y":3}' '%reach(?x, ?y)' '%reach(2, 3)'
orders clauses circle.rpl
circle='circular dependency: %a → %b → %a'
for program in "${programs[@]}"; do
  { cat "$program"; printf '%%x <- %%a(1)\n'; } >message.rpl
  { printf '%% <- %%a(1)\n'; cat "$program"; } >run.rpl
  expect "reply: goals in a circle" 1 '*' "" "$rpl" reply message.rpl
  if ! grep -qF "$circle" out; then fail "expected: $circle"; fi
  reason=$(cat out)
  expect "query: goals in a circle" 1 "$reason" "" "$rpl" query -f "$program" '%x <- %a(1)'
  expect "run: goals in a circle" 1 "" "$circle" "$rpl" run run.rpl --answer what-now=stop
  expect "repl: goals in a circle" 0 "$reason" "" "$rpl" repl "$program" <<<'%x <- %a(1)'
  expect "explain: goals in a circle" 1 "" "no fact matches" "$rpl" explain -f "$program" '%a(1)'
done

finish
