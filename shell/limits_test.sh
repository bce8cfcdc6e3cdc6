#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/limits_test.sh [RPL]
#
# Time, memory and Ctrl-C end every command, with a sentence, also where no evaluation asks for
# them: in reading, checking, printing, formatting, verifying and explaining. The last line is
# `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1

/usr/bin/python3 - <<'END'
with open("large.md", "w") as f:
    for i in range(150000):
        f.write(f"# Part {i} - part-{i}(?x)\n\nText {i} with `?x` and *emphasis*.\n\n"
                f"- a(?x) <- b(?x, {i})\n\n```\nr{i % 100}({i}, \"text {i}\")\n```\n\n")
    f.write("# Main - %main(?x) <- r1(1, ?x)\n")
with open("facts.yaml", "w") as f:
    f.write("facts:\n  list:\n" + "".join(f"    - text {i}\n" for i in range(400000)))
with open("rulespec.yaml", "w") as f:
    f.write("claims: [{name: c, selector: list}]\n"
            "predicates: [{claim: c, rule: matches, value: 'text [0-9]+', source: memory}]\n")
with open("alternatives.rpl", "w") as f:
    parts = ", ".join(f"(a(?x) | a({i}))" for i in range(2, 19))
    f.write(f"a(1)\np(?x) <- a(?x), {parts}\n% <- p(?x)\n")
with open("clauses.rpl", "w") as f:
    f.write("p(1)\n% <- " + ", ".join(["p(1)"] * 33000) + "\n")
with open("marks.rpl", "w") as f:
    f.write("% <- " + "#" * 1000000 + "?x\n")
END
printf 'n(0)\nn(?y) <- n(?x), ?x < 300, ?y = ?x + 1\nd(?x) <- n(?x)\n%% <- d(300)\n' >counts.rpl

# Each command on input that takes it more than a second.
commands=(
  "check large.md" "fmt --check large.md" "doc large.md" "parse large.md" "run large.md"
  "explain -f large.md r1(1,?x)" "verify facts.yaml --rulespec rulespec.yaml"
)

for command in "${commands[@]}"; do
  expect "a limit of time: $command" 5 "*" "limit reached: 0.1 seconds" "$rpl" $command --max-time 0.1
  expect "a limit of memory: $command" 5 "*" "limit reached: 50 MB of memory" \
    "$rpl" $command --max-memory 50
  "$rpl" $command >out 2>err &
  name="Ctrl-C: $command" status=0
  pid=$!
  for _ in {1..2000}; do  # until it catches the signal
    caught=$(awk '/^SigCgt/ { print $2 }' /proc/$pid/status 2>err2)
    ((0x${caught:-0} & 2)) && break
  done
  sleep 0.05
  kill -INT $pid
  wait $pid || status=$?
  if [[ $status == 130 ]]; then pass; else fail "expected exit 130"; fi
  # What the loader and the libraries need is more than the least of these.
  for megabytes in 30 50 80 120 200; do
    name="$megabytes MB of addresses: $command" status=0
    (ulimit -v $((megabytes * 1024)) && exec "$rpl" $command) >out 2>err || status=$?
    if [[ $status == 127 ]] && grep -q 'shared libraries' err; then pass
    elif [[ $status == 5 ]] && grep -q 'limit reached: ' err; then pass
    elif ((status <= 2)); then pass
    else fail "expected a limit"
    fi
  done
done

# Few descriptors: what was to be opened is named.
printf 'p(1)\n%%g(?x) <- p(?x)\n' >few.rpl
for descriptors in 5 6 7 8 9; do
  name="$descriptors descriptors" status=0
  rm -f few.rpls
  (ulimit -n "$descriptors" && exec "$rpl" run few.rpl --session few.rpls) >out 2>err || status=$?
  if ((status == 0)); then pass
  elif ((status == 6)) && grep -qE 'open files|unable to open|cannot be opened' err; then pass
  else fail "expected an answer or what cannot be opened"; fi
done

# Nested calls need a stack, which a limit on addresses makes smaller.
printf 'down(0, 1)\ndown(?n, ?m) <- ?n > 0, ?k = ?n - 1, down(?k, ?m)\n%%g(?m) <- down(1000000, ?m)\n' >down.rpl
for megabytes in 60 200 500; do
  for depth in 20000 100000; do
    expect "$depth nested calls in $megabytes MB of addresses" 5 "" "limit reached: " \
      bash -c 'ulimit -v $(($1 * 1024)); exec "$0" run down.rpl --max-depth "$2"' "$rpl" "$megabytes" "$depth"
  done
done
expect "a rule with many alternatives" 0 "" 'satisfied: %, with ?x = 1' "$rpl" run alternatives.rpl
expect "a rule with too many clauses" 5 "" \
  'limit reached: too many clauses and alternatives in one rule' "$rpl" run clauses.rpl
expect "a rule with a million marks of an expansion" 2 "" "expected an lvar right after" \
  "$rpl" run marks.rpl
for limit in time memory rows rounds depth timesteps; do
  expect "0 is no limit: $limit" 0 "" "satisfied" "$rpl" run counts.rpl --max-$limit 0
done
expect "all of them" 0 "" "satisfied" "$rpl" run counts.rpl --max-time 0 --max-memory 0 \
  --max-rows 0 --max-rounds 0 --max-depth 0 --max-timesteps 0

finish
