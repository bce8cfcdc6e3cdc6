#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/sql_test.sh [FOLDER [PROGRAMS [SEED]]]
#
# Programs as SQL on a private PostgreSQL server: scripts of `rpl sql` by psql, and random programs
# next to the engine (compare_sql of FOLDER, build by default): 500 by default. The last line is
# `N passed, N failed`.
set -uo pipefail
build=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build}")
programs=${2:-500} seed=${3:-1}
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
. "$(dirname "${BASH_SOURCE[0]}")/private_cluster.sh"

if [[ -z $cluster_programs ]] || ! start_cluster; then
  failure "no PostgreSQL server is installed, or it does not start"
  finish
  exit
fi
trap 'rm -rf "$folder"; stop_cluster' EXIT
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

# --- Random programs -------------------------------------------------------------------------

compared=$("$build/compare_sql" "$programs" --seed "$seed")
printf '%s\n' "$compared"
if [[ $(tail -n 1 <<<"$compared") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
else failure "compare_sql did not end"
fi
finish
