#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/sql_test.sh [FOLDER [PROGRAMS [SEED]]]
#
# Programs as SQL on a private PostgreSQL server: scripts of `rpl sql` by psql, and random programs
# next to the engine (compare_sql and compare_pushed of FOLDER, build by default): 500 of each by
# default. The last line is `N passed, N failed`.
set -uo pipefail
build=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build}")
programs=${2:-500} seed=${3:-1}
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
. "$(dirname "${BASH_SOURCE[0]}")/postgres_cluster.sh"

if ! start_cluster jit=off; then
  failure "no PostgreSQL server is installed, or it does not start"
  finish
  exit
fi
export PGHOST=$cluster PGUSER=postgres PGDATABASE=postgres
cd "$folder" || exit 1
rpl=$build/rpl

# --- Scripts by psql -------------------------------------------------------------------------

# answers FILE: what psql prints for the goals of the program.
answers() {
  local script
  script=$("$rpl" sql "$1" --schema "${2:-one}") || return
  psql -X -q -A -t -f - <<<"$script"
}

cat >graph.rpl <<'END'
edge(1, 2)
edge(2, 3)
edge(3, 1)
edge(3, 4)
reach(?x, ?y) <- edge(?x, ?y)
reach(?x, ?z) <- reach(?x, ?y), reach(?y, ?z)
%loop(?x) <- reach(?x, ?x), ?x < 3
%end(?n) <- edge(_, ?x), not edge(?x, _), ?n = |reach(_, ?x)|
% <- reach(1, 4)
END
expect "a script" 0 $'1\n2\n3\nt' "" answers graph.rpl
expect "its schema remains" 0 12 "" psql -X -A -t -c 'SELECT count(*) FROM one.reach'
expect "an existing schema is not touched" 3 "" "already exists" answers graph.rpl
printf 'p("a")\np("B")\np("\303\251")\np(1)\np(nil)\n%% <- p(nil)\n%%x(?x) <- p(?x), ?x < "b", ?x != "a"\n' >kinds.rpl
expect "values of several kinds" 0 $'t\n"=B"' "" answers kinds.rpl kinds
expect "a goal that cannot hold" 0 f "" answers /dev/stdin never <<<$'p(1)\n% <- p(a)'
printf '%% <- $send("x")\n' >tool.rpl
expect "a tool is refused" 2 "" 'tool.rpl:1:6: error RPL9001: $send/1 is a tool' "$rpl" sql tool.rpl
printf 'edge(1, 2' >bad.rpl
expect "a program with an error" 2 "" "RPL1004" "$rpl" sql bad.rpl
expect "no file" 6 "" "missing.rpl" "$rpl" sql missing.rpl
printf 'from,to\n5,6\n' >edges.csv
expect "facts of a file" 0 "*" "" "$rpl" sql graph.rpl --facts edge=edges.csv
check "are rows" grep -qF "(5, 6)" out

# --- Queries on a database -------------------------------------------------------------------

url="postgresql://postgres@/postgres?host=$PGHOST"
cat >mixed.rpl <<'END'
edge(1, 2)
edge(2, 3)
edge(3, 1)
edge(3, 4)
item("nut", 0.5)
item("bolt", 3)
item(screw, 12345678901234567890)
item("Ã©", nil)
item([1 "a"], true)
reach(?x, ?y) <- edge(?x, ?y)
reach(?x, ?z) <- reach(?x, ?y), reach(?y, ?z)
even(?x) <- edge(?x, _), ?x = 2
even(?y) <- odd(?x), edge(?x, ?y)
odd(?y) <- even(?x), edge(?x, ?y)
END
sed -i 's/\\303\\251/é/' mixed.rpl

# alike GOAL [OPTION…]: the database answers as this process does, but for the order.
alike() {
  local goal=$1 here there here_code=0 there_code=0
  shift
  here=$("$rpl" query -f mixed.rpl "$goal" "$@" 2>here.err) || here_code=$?
  there=$("$rpl" query -f mixed.rpl "$goal" --on "$url" "$@" 2>there.err) || there_code=$?
  [[ -s there.err ]] && cat there.err
  same "$goal $*" "$here_code $(sort <<<"$here")" "$there_code $(sort <<<"$there")"
}
for goal in 'reach(1, ?x)' 'item(?x, ?y)' 'item(?x, ?y), ?y > 1' '%q(?x, ?n) <- edge(?x, _), ?n = |reach(?x, _)|' \
  'edge(1, 2)' 'even(?x)' '?x = 6 * 7' '%q(?x) <- (edge(?x, 4) | item(?x, true))' \
  '%q(?x, ?y) <- item(?x, ?n), edge(?y, _), ?n = ?y' '%q(?z) <- item(_, ?n), ?z = ?n / 7' \
  'item([?n ?s], ?b)' '%q(?t) <- edge(?x, ?y), ?t = "{?x}-{?y}"'; do
  alike "$goal"
done
printf 'a,b\n7,9\n' >more.csv
alike 'edge(?x, 9)' --facts edge=more.csv
expect "no answer" 1 '%answers has no answer in the database' "" "$rpl" query -f mixed.rpl 'edge(?x, 9)' --on "$url"
expect "answers have an order" 0 $'1\n2\n3' "" "$rpl" query -f mixed.rpl 'reach(?x, 1)' --on "$url"
expect "nothing remains" 0 0 "" psql -X -A -t -c "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'rpl query%'"
expect "not a database" 2 "" "expected postgresql://" "$rpl" query '?x = 1' --on sqlite:x
expect "no server" 6 "" "rpl: " "$rpl" query '?x = 1' --on 'postgresql://u:secret@/d?host=/nowhere'
if grep -qF secret err; then failure "a password is shown"; else pass; fi
expect "a part that is refused" 2 "" "RPL9001" "$rpl" query '$now(?x)' --on "$url"
printf 'p(1e308)\nq(?y) <- p(?x), ?y = ?x * 2.5\n' >float.rpl
expect "an error of the server names the rule" 5 "" "float.rpl:2:1: the database refuses (22003)" \
  "$rpl" query -f float.rpl 'q(?x)' --on "$url"
head -c 100000 /dev/urandom | base64 -w 0 | sed 's/.*/p("&")/' >long.rpl
expect "a text that is too long for a key" 5 "" "(54000)" "$rpl" query -f long.rpl 'p(?x)' --on "$url"
printf 'n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n' >endless.rpl
expect "a query without end" 5 "" "endless.rpl:2:1: the database refuses (57014)" "$rpl" query -f endless.rpl 'n(?x)' --on "$url" --max-time 1
expect "its schema is gone" 0 0 "" psql -X -A -t -c "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'rpl query%'"

# --- Facts of a database ---------------------------------------------------------------------

mkdir shop && cd shop || exit 1
export XDG_STATE_HOME=$folder/state

# approve RELATION…: a person at a terminal approves that rpl.yaml opens the database for them.
approve() {
  printf '$index("%s")\n' "$@" >approve.rpl
  echo '%ok <- true' >>approve.rpl
  while echo y; do sleep 0.1; done 2>/dev/null | timeout 60 "$terminal" "$rpl" run approve.rpl >/dev/null 2>&1
}
psql -X -q -c "CREATE SCHEMA shop; CREATE TABLE shop.orders (id int, customer text, total numeric, paid bool);
  INSERT INTO shop.orders VALUES (1, 'ann', 250, true), (2, E'b\"o\nb', 12.50, false), (3, NULL, 1e20, NULL)"
cat >rpl.yaml <<'END'
version: 1
relations:
  order: {from: "${ORDERS}", table: shop.orders}
  large: {from: "${ORDERS}", query: "SELECT id FROM shop.orders WHERE total > 100"}
END
cat >shop.rpl <<'END'
$index("order")
$index("large")
%all(?i, ?c, ?t, ?p) <- order(?i, ?c, ?t, ?p), large(?i)
END
export ORDERS=$url
expect "a database that nobody approved" 4 "" \
  'of the database in ORDERS, which is not approved' "$rpl" run shop.rpl
approve order large
expect "facts of a database" 0 \
  $'{"?i":1,"?c":"ann","?t":250,"?p":true}\n{"?i":3,"?c":null,"?t":100000000000000000000,"?p":null}' "" \
  "$rpl" run shop.rpl --session shop.rpls
psql -X -q -c "DROP SCHEMA shop CASCADE" 2>notices
unset ORDERS
expect "a replay does not need the database" 0 "*" "" "$rpl" trace replay shop.rpls
expect "a variable that is not set" 4 "" "the variable ORDERS is not set" "$rpl" run shop.rpl
export ORDERS=$url

# Parts of relations: bound columns are parameters of the statement.
psql -X -q -c "CREATE SCHEMA shop; CREATE TABLE shop.orders (id int PRIMARY KEY, customer text, total numeric, paid bool);
  INSERT INTO shop.orders VALUES (1, 'ann', 250, true), (2, E'b\"o\nb', 12.50, false), (3, NULL, 1e20, NULL)"
cat >part.rpl <<'END'
wanted("b\"o\nb")
wanted(nil)
%found(?id, ?t) <- wanted(?c), $index("order", {:customer ?c}), order(?id, ?c, ?t, _)
%all(?n) <- %found(_, _), ?n = |order(_, _, _, _)|
END
expect "a part of a relation" 0 $'{"?id":2,"?t":12.5}\n{"?id":3,"?t":100000000000000000000}' "" "$rpl" run part.rpl --goal found
expect "is all that is read" 0 2 "" "$rpl" run part.rpl --goal all
printf '%%x(?c) <- $index("order", {:costumer "ann"}), order(_, ?c, _, _)\n' >column.rpl
expect "a column that is not there" 4 "" 'it has no column `costumer`; its columns are `id`, `customer`, `total`, `paid`' "$rpl" run column.rpl
printf '%%x(?c) <- $index("part.csv", {:customer "ann"}), part(_, ?c, _, _)\n' >file.rpl
expect "columns of a file" 4 "" "columns are bound by a map" "$rpl" run file.rpl

# A timestep sees one snapshot: `again` is read before the writer writes, which goes out with it, and
# `order` is read again after that.
cat >writer.sh <<'END'
#!/usr/bin/env bash
read -r call
psql -X -q -c "UPDATE shop.orders SET total = total + 1 WHERE id = 1" &&
  sed 's/.*"id": *"\([^"]*\)".*/{"id": "\1", "result": true}/' <<<"$call"
END
chmod +x writer.sh
cat >>rpl.yaml <<'END'
  again: {from: "${ORDERS}", table: shop.orders}
tools:
  writer: {command: [./writer.sh], environment: [PATH, PGHOST, PGUSER, PGDATABASE], permission: allow}
END
approve again
cat >snapshot.rpl <<'END'
$index("order")
%same(?t, ?u) <- $index("again"), $writer(), order(1, _, ?t, _), again(1, _, ?u, _)
END
expect "a timestep sees one snapshot" 0 '{"?t":251,"?u":251}' "" "$rpl" run snapshot.rpl --session snapshot.rpls --allow-tool writer
expect "which is replayed" 0 "*" "" "$rpl" trace replay snapshot.rpls

# Sessions that record the query.
cat >rpl.yaml <<'END'
version: 1
relations:
  order: {from: "${ORDERS}", table: shop.orders, record: query}
END
cat >query.rpl <<'END'
$index("order")
%due(?i, ?why) <- order(?i, _, _, false), ?why = $ask("Why?")
END
expect "a session that records a query" 3 "" "Why?" "$rpl" run query.rpl --session query.rpls
"$rpl" trace export query.rpls --format ndjson >query.ndjson
expect "has no rows" 1 "" "" grep -q "[^:0-9]12[.]5" query.ndjson  # which no time has
expect "but a digest" 0 "*" "" grep -q digest query.ndjson
expect "is sound" 0 "" "sound: " "$rpl" trace verify query.rpls
expect "so is its export" 0 "" "sound: " "$rpl" trace verify query.ndjson
expect "is replayed with the database" 0 "*" "" "$rpl" trace replay query.rpls
cp query.rpls resumed.rpls
expect "is resumed with the database" 0 '{"?i":2,"?why":"late"}' "" "$rpl" resume resumed.rpls --answer ask=late
unset ORDERS
expect "cannot be checked without" 0 "" '`order` is not read: the variable ORDERS is not set' "$rpl" trace verify query.rpls
expect "nor replayed" 1 "*" "cannot be had as it was" "$rpl" trace replay query.rpls
expect "nor resumed" 6 "" "begin another session" "$rpl" resume query.rpls --answer ask=late
export ORDERS=$url
psql -X -q -c "UPDATE shop.orders SET total = 13 WHERE id = 2"
expect "other rows are seen" 1 "" 'differs: event' "$rpl" trace verify query.rpls
expect "by a replay" 1 "*" "its rows are others now" "$rpl" trace replay query.rpls
expect "and by resume" 6 "" '$index("order") cannot be had as it was: its rows are others now' "$rpl" resume query.rpls --answer ask=late
psql -X -q -c "UPDATE shop.orders SET total = 12.50 WHERE id = 2"
expect "the rows back, it goes on" 0 '{"?i":2,"?why":"late"}' "" "$rpl" resume query.rpls --answer ask=late
psql -X -q -c "TRUNCATE shop.orders"
printf '$index("order")\n%%none() <- not order(_, _, _, _)\n' >empty.rpl
expect "an empty relation" 0 "" "satisfied: %none" "$rpl" run empty.rpl
psql -X -q -c "DROP SCHEMA shop CASCADE" 2>notices

# --- Rules that a database evaluates ---------------------------------------------------------

psql -X -q -c "CREATE SCHEMA shop; CREATE TABLE shop.orders (id int PRIMARY KEY, customer text, total numeric, paid bool NOT NULL);
  INSERT INTO shop.orders VALUES (1, 'ann', 250, true), (2, E'b\"o\nb', 12.50, false), (3, NULL, 1e20, false), (4, 'ann', 0.10, true);
  CREATE TABLE shop.customers (name text PRIMARY KEY, city text NOT NULL);
  INSERT INTO shop.customers VALUES ('zoe', 'Bonn'), ('ann', 'Rome')"
both() { printf 'version: 1\nrelations:\n  order: {from: "${ORDERS}", table: shop.orders%s}\n  customer: {from: "${ORDERS}", table: shop.customers%s}\n' "$1" "$1"; }
both '' >rpl.yaml
approve order customer
cat >push.rpl <<'END'
$index("order")
$index("customer")
big(?i, ?c, ?t) <- order(?i, ?c, ?t, _), ?t > 100
sold(?i, ?city) <- order(?i, ?c, _, _), customer(?c, ?city)
count(?n) <- ?n = |order(_, _, _, _)|
per(?c, ?n) <- customer(?c, _), ?n = |order(_, ?c, _, _)|
lonely(?c) <- customer(?c, _), not order(_, ?c, _, _)
%big(?i, ?c, ?t) <- big(?i, ?c, ?t)
%sold(?i, ?city) <- sold(?i, ?city)
%count(?n) <- count(?n)
%per(?c, ?n) <- per(?c, ?n)
%lonely(?c) <- lonely(?c)
END
answers_of() { for goal in big sold count per lonely; do "$rpl" run "$1" --goal "$goal" 2>&1; done; }
pushed=$(answers_of push.rpl)
expect "rules are pushed down" 0 $'{"?i":1,"?c":"ann","?t":250}\n{"?i":3,"?c":null,"?t":100000000000000000000}' "" "$rpl" run push.rpl --session push.rpls
expect "a session has the rows of the queries" 0 "*" "" "$rpl" trace show push.rpls
check "and no others" grep -qF '$index("per", :query)' out
expect "nor the sources" 1 "" "" grep -qF '$index("order")' out
expect "it is replayed without the database" 0 "*" "" env -u ORDERS "$rpl" trace replay push.rpls
both ', push: false' >rpl.yaml
same "push: false gives the same" "$(answers_of push.rpl)" "$pushed"
expect "and reads the sources" 0 "*" "" "$rpl" run push.rpl --session read.rpls
expect "as the session says" 0 "*" "" "$rpl" trace show read.rpls
check "each of them" grep -qF '$index("order") ^ ~' out
both '' >rpl.yaml
expect "a query of what is below reads it" 0 $'{"?i":1,"?c":"ann"}\n{"?i":4,"?c":"ann"}' "" \
  "$rpl" query -f push.rpl '%q(?i, ?c) <- order(?i, ?c, _, true)'
expect "explain names the query" 0 "*" 'note: the rows of big come from the database of ORDERS, by this query:' "$rpl" explain -f push.rpl 'big(1, ?c, ?t)'
check "and prints it" grep -qF 'a1.p3 > 100' err
expect "what is below is read to explain it" 0 "*" "" "$rpl" explain -f push.rpl 'order(2, ?c, ?t, ?p)'
check "with its row" grep -qF 'order(2, "b\"o\nb", 12.5, false)' out
expect "an absent row" 0 "*" "the rows of lonely come from the database" "$rpl" explain -f push.rpl 'lonely("ann")' --not
expect "the queries of a program" 0 "*" "" "$rpl" sql push.rpl --pushed
check "of each relation" grep -qxF -- '-- per, in place of order, customer, in the database of ORDERS' out
grep -v '^--' out >queries.sql
expect "run as they stand" 0 "*" "" psql -X -q -A -t -v ON_ERROR_STOP=1 -f queries.sql
cat >kept.rpl <<'END'
$index("order")
$index("customer")
a(?i) <- order(?i, _, ?t, _), ?t / 2 > 10
b(?i) <- order(?i, ?c, _, _), known(?c)
known("ann")
c([& ?i]) <- customer(?i, _)
d(?i) <- customer(?i, _)
%a(?i) <- a(?i)
%b(?i) <- b(?i)
%c(?i) <- c(?i)
%d(?i, ?by) <- d(?i) ^ ~ {:by ?by}
END
expect "what is evaluated here" 0 $'-- evaluated here: a: it needs functions of a script, as for values of several kinds
-- evaluated here: b: it reads known, which is not in the database of ORDERS
-- evaluated here: c: a gathered list has the order of the answers, which a table has not: `c([& ?i]) <- customer(?i, _)`
-- evaluated here: d: its metadata is read' "" "$rpl" sql kept.rpl --pushed
# A customer of nil is neither before nor after "b": nothing rests on that row.
printf '$index("order")\nlate(?i) <- order(?i, ?c, _, _), ?c > "b"\n%%late(?i) <- late(?i)\n' >late.rpl
for push in '' ', push: false'; do
  both "$push" >rpl.yaml
  expect "a row that is undefined$push" 0 2 "" "$rpl" run late.rpl
  for query in 'not late(3)' '%q(?n) <- ?n = |late(_)|'; do
    expect "is not absent for $query$push" 1 "*" "" "$rpl" query -f late.rpl "$query"
    check "but undecided" grep -q '^undecided: `?c > "b"` is undefined for ?c = nil' out
  done
  expect "others are$push" 0 "*" "" "$rpl" query -f late.rpl 'not late(1)'
done
both '' >rpl.yaml
printf 'p(1)\np("a")\n%%none(?x) <- p(?x), not (?x < "b")\n' >mixed.rpl
expect "what rests on such a row is no script" 2 "" "RPL9002: a value may have no meaning in it" \
  "$rpl" sql mixed.rpl
# A type that the database changes between two runs of a session ends it; so does a value that is
# no number.
printf '$index("order")\nbig(?i) <- order(?i, _, ?t, _), ?t > 100\n%%go(?i, ?y) <- big(?i), ?y = $ask("Yes?")\n' >change.rpl
expect "a session with a query" 3 "" "" "$rpl" run change.rpl --session change.rpls
psql -X -q -c "ALTER TABLE shop.orders ALTER id TYPE text; UPDATE shop.orders SET total = 'NaN' WHERE id = '2'"
expect "goes on with the rows" 0 $'{"?i":"1","?y":"y"}\n{"?i":"3","?y":"y"}' "" "$rpl" resume change.rpls --answer ask=y
expect "and is replayed" 0 "*" "" "$rpl" trace replay change.rpls
psql -X -q -c "DROP SCHEMA shop CASCADE" 2>notices

# A relation is a label and a number of arguments.
psql -X -q -c "CREATE SCHEMA shop; CREATE TABLE shop.pair (a int NOT NULL, b text NOT NULL);
  INSERT INTO shop.pair VALUES (1, 'x'), (2, 'y')"
pair() { printf 'version: 1\nrelations:\n  pair: {from: "${ORDERS}", table: shop.pair%s}\n' "$1" >rpl.yaml; }
cat >label.rpl <<'END'
$index("pair")
r(?a) <- pair(?a, "x")
r(?a, ?b) <- pair(?a, ?b)
%all(?n, ?m) <- ?n = |r(_)|, ?m = |r(_, _)|
END
pair ', push: false'
approve pair
expect "relations of one label that are read" 0 '{"?n":1,"?m":2}' "" "$rpl" run label.rpl
pair ''
expect "relations of one label that are pushed down" 0 '{"?n":1,"?m":2}' "" "$rpl" run label.rpl --session label.rpls
expect "are replayed" 0 "*" "" env -u ORDERS "$rpl" trace replay label.rpls
check "from a call of each" grep -qF '$index("r", :query, 2)' out
expect "are told apart" 0 "*" "note: the rows of r/2 come from the database of ORDERS" "$rpl" explain -f label.rpl 'r(1, ?b)'
expect "by the queries" 0 "*" "" "$rpl" sql label.rpl --pushed
check "as well" grep -qxF -- '-- r/2, in place of pair, in the database of ORDERS' out
printf '$index("pair")\npair(?a) <- pair(?a, _)\n%%go(?a) <- pair(?a)\n' >own.rpl
expect "a relation with the label of its source" 0 $'1\n2' "" "$rpl" run own.rpl

# The metadata of one clause keeps no other relation here; `record: query` keeps all, with a reason.
printf '$index("pair")\nr(?a) <- pair(?a, _)\n%%go(?a, ?b) <- r(?a), ?b = $ask("ok?")\n' >ask.rpl
pair ''
expect "a question beside a pushed relation" 0 "*" "" "$rpl" sql ask.rpl --pushed
check "leaves it there" grep -qxF -- '-- r, in place of pair, in the database of ORDERS' out
pair ', record: query'
expect "a source that is recorded as a query" 0 '-- evaluated here: r: it reads pair, which has `record: query`' "" "$rpl" sql ask.rpl --pushed
pair ', push: false'
expect "one that is not to be pushed" 0 '-- evaluated here: r: it reads pair, which has `push: false`' "" "$rpl" sql ask.rpl --pushed
pair ''
expect "one without a database" 0 '-- evaluated here: r: it reads pair, which the database of ORDERS does not describe' "" env -u ORDERS "$rpl" sql ask.rpl --pushed

# Columns of a SELECT may have one name.
for select in "1 AS a, 2 AS a=a" "1, 2=?column?"; do
  printf 'version: 1\nrelations:\n  gen: {from: "${ORDERS}", query: "SELECT %s"}\n' "${select%=*}" >rpl.yaml
  approve gen
  printf '$index("gen")\n%%all(?x, ?y) <- gen(?x, ?y)\n' >twice.rpl
  expect "columns of one name" 4 "" "two of its columns have the name \`${select#*=}\`" "$rpl" run twice.rpl
done

# Rows that are too large or too many are derived here, from the sources.
printf 'version: 1\nrelations:\n  gen: {from: "${ORDERS}", query: "SELECT g, g::text || repeat(md5(g::text), 1500) FROM generate_series(1, 40) AS g"}\n' >rpl.yaml
approve gen
cat >large.rpl <<'END'
$index("gen")
large(?x, ?y, ?t) <- gen(?x, ?t), gen(?y, _)
%n(?n) <- ?n = |large(_, _, _)|
END
expect "rows of more than 64 MiB" 0 1600 "" "$rpl" run large.rpl --session large.rpls
expect "are replayed" 0 "*" "" env -u ORDERS "$rpl" trace replay large.rpls
check "from the sources" grep -qF '$index("gen") ^ ~' out
sed -i 's/1500/1/' rpl.yaml
approve gen
expect "many rows" 0 1600 "" "$rpl" run large.rpl
expect "more rows than may be derived" 5 '*' 'limit reached: 1000 rows' "$rpl" run large.rpl --max-rows 1000

# A query that takes longer than the limit, or until Ctrl-C, is cancelled.
printf 'version: 1\nrelations:\n  slow: {from: "${ORDERS}", query: "SELECT pg_sleep(40)::text AS t, 1 AS n"}\n' >rpl.yaml
printf '$index("slow")\n%%all(?n) <- slow(_, ?n)\n' >slow.rpl
printf '$index("slow")\nb(?n) <- slow(_, ?n)\n%%all(?n) <- b(?n)\n' >slow-below.rpl
slow_queries() {
  psql -X -q -A -t -c "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(40)%' AND state = 'active' AND pid <> pg_backend_pid()"
}
# The server may take a moment.
is_cancelled() {
  local i
  for ((i = 0; i < 200; i++)); do
    [[ $(slow_queries) != 0 ]] || break
    sleep 0.05
  done
  same "is cancelled" 0 "$(slow_queries)"
}
for options in "slow.rpl" "slow.rpl --session slow.rpls" "slow-below.rpl"; do
  # shellcheck disable=SC2086
  expect "a query longer than the limit: $options" 5 "*" "limit reached: 1 seconds" \
    timeout 30 "$rpl" run $options --max-time 1 --allow-tool index
  is_cancelled
done
expect "its session is sound" 0 "*" "sound: " "$rpl" trace verify slow.rpls
expect "a query until Ctrl-C" 130 "*" "" \
  timeout --foreground --preserve-status -s INT 2 "$rpl" run slow.rpl --allow-tool index
is_cancelled
psql -X -q -c "DROP SCHEMA shop CASCADE" 2>notices
cd "$folder" || exit 1

# --- Random programs -------------------------------------------------------------------------

compared=$("$build/compare_sql" "$programs" --seed "$seed")
printf '%s\n' "$compared"
if [[ $(tail -n 1 <<<"$compared") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
else failure "compare_sql did not end"
fi
compared=$("$build/compare_pushed" "$url" "$programs" --seed "$seed")
printf '%s\n' "$compared"
if [[ $(tail -n 1 <<<"$compared") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
else failure "compare_pushed did not end"
fi
finish
