#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/help_test.sh [RPL]
#
# The help of each command ends with examples, and each of them runs: in a folder with the files that
# they name, in the order of the help. None is refused (exit codes 2, 6 and 70); one that serves or
# watches is ended after a second. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# --- The files -------------------------------------------------------------------------------

mkdir -p "$folder"/bin "$folder"/files && cd "$folder/files" || exit 1
ln -s "$rpl" ../bin/rpl
printf '#!/bin/sh\ncat >/dev/null\n' | tee ../bin/dot >../bin/notes-server
chmod +x ../bin/dot ../bin/notes-server
cp -r "$root/examples" .
mkdir -p spec-tests .zfunc .config/fish/completions protocols tests
cp -r "$root"/spec-tests/07-sets spec-tests
cp examples/collaborative-editing.md protocol.md
cp examples/collaborative-editing.md protocols
printf 'version: 1\ntools: {stock: {command: ["true"], permission: allow}}\n' >rpl.yaml
echo '{"draft-id": "doc-42", "focus": "clarity"}' >answers.json
echo 'note("spring")' >facts.rpl
printf 'what,n\npen,3\n' >stock.csv
printf 'edge(1, 2)\nedge(2, 4)\nreachable(?x, ?y) <- edge(?x, ?y)\nreachable(?x, ?z) <- reachable(?x, ?y), edge(?y, ?z)\n' >graph.rpl
printf 'path(?x, ?y) <- edge(?x, ?y)\n%%far(?y) <- path(1, ?y)\nedge(1, 2)\n' >rules.rpl
printf 'from,to\n1,2\n2,3\n' >edges.csv
printf 'edge(2, 3)\nedge(?x, ?y)\n' >entries.txt
cp graph.rpl program.rpl
printf "user('foo')\n%% <- user(?u), \$json(?u)\n" >message.md
cp examples/rulespec/envelope.yaml examples/rulespec/house-rules.md .
cp -r examples/rulespec/analysis .
cp analysis/rulespec.yaml spec.yaml
echo 'An answer.' >answer.md
sed 's/"no-large-refunds"/"refund-limit"/' examples/guard/refund-policy.json >policy.json
"$rpl" new trip >/dev/null
cp trip-test.md tests
cp trip.md tests
cp examples/tools/restocking.md .
for day in monday tuesday; do
  "$rpl" run protocol.md --session $day.rpls --answer draft-id=$day >/dev/null 2>&1
done

# --- The examples ----------------------------------------------------------------------------

# The examples of a command's help, without what stands behind `#`.
examples_of() { "$rpl" "$@" --help | sed -n '/^Examples$/,$p' | sed -n 's/^  //p' | sed -E 's/  +# .*//'; }

export PATH=$folder/bin:$PATH HOME=$folder/files XDG_STATE_HOME=$folder/state
for command in $("$rpl" reference commands); do
  rm -f bike-lending*.md  # an example writes them once more
  mapfile -t examples < <(examples_of "$command")
  if ((${#examples[@]})); then pass; else failure "the help of $command has no examples"; fi
  same "the help of $command ends with them" "${examples[-1]:-}" \
    "$("$rpl" "$command" --help | sed 's/^  //' | sed -E 's/  +# .*//' | tail -n 1)"
  for example in "${examples[@]}"; do
    case $example in
      # An id of this machine's store; the call that it held is another's.
      'rpl guard approve 1f2e3d4c5b6a7988') wanted='0 1 2' ;;
      # A database that this machine may not have.
      'rpl session list '*) wanted='0 6' ;;
      'rpl serve '*postgresql*) wanted=124 ;;  # it waits for the database
      # Without a call on standard input it denies.
      'rpl guard hook '*) wanted=2 ;;
      *--watch* | *'--http '*) wanted=124 ;;
      *) wanted='0 1 3' ;;
    esac
    status=0
    [[ $wanted == 124 ]] && seconds=1 || seconds=60
    timeout "$seconds" bash -c "$example" </dev/null >out 2>err || status=$?
    if [[ " $wanted " == *" $status "* ]]; then pass
    else failure "$command: $example: exit $status" "$(head -c 1000 out err)"; fi
  done
done

# --- Codes and pages -------------------------------------------------------------------------

for page in $("$rpl" help topics | sed -n '/^$/q;s/^  \([a-z]*\) .*/\1/p'); do
  file=docs/$page.md
  [[ $page != std ]] || file=std/std.md
  same "the page $page" "$(cat "$root/$file")" "$("$rpl" help "docs/$page.md")"
  [[ $("$rpl" help "$page") == *"$(head -n 1 "$root/$file")"* || $("$rpl" reference commands) == *"$page"* ]] ||
    failure "\`rpl help $page\` is neither the page nor a command"
done

# Each code has its section: the heading, and what stands below it on the page.
codes=$(grep -hoE '^#+ RPL[0-9]{4}' "$root"/docs/*.md | sed 's/.* //')
if (($(wc -l <<<"$codes") > 100)); then pass; else failure "expected more than 100 codes" "$codes"; fi
for code in $codes; do
  heading=$(grep -hE "^#+ $code " "$root"/docs/*.md)
  same "the heading of $code" "$heading" "$("$rpl" help "$code" | head -n 1)"
  same "$code has one heading" 1 "$("$rpl" help "$code" | grep -cE '^#+ RPL[0-9]')"
done
same "every code that a page names has a section" "" \
  "$(grep -hoE '\bRPL[0-9]{4}\b' "$root"/docs/*.md | sort -u | grep -vxF "$codes")"
same "a section is as on the page, with headings in its fences" \
  "$(sed -n '/^## RPL4001 /,/^## RPL4002 /p' "$root/docs/errors.md" | sed '$d' | sed '$d')" "$("$rpl" help rpl4001)"
expect "no such topic" 2 "" 'rpl: no command, code or page `RPL9999`' "$rpl" help RPL9999
expect "nearly a topic" 2 "" 'rpl: no command, code or page `tutoral`, did you mean `tutorial`?' "$rpl" help tutoral
expect "hardly a topic" 2 "" 'help: `rpl help topics` lists the pages' "$rpl" help ''
expect "a topic with controls" 2 "" '`\u001b[1m`' "$rpl" help $'\e[1m'
expect "a command comes first" 0 "$("$rpl" guard --help)" "" "$rpl" help guard

finish
