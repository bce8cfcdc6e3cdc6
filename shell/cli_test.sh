#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/cli_test.sh RPL
#
# What the command line promises: exit codes, which stream carries what, and clear errors
# for bad input. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: cli_test.sh RPL}")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1

# --- Bad input ---------------------------------------------------------------------------

: >empty.md
printf 'Only prose.\n' >prose.md
printf 'p(1)\n\xff\n' >latin.md
printf 'p("abc)\n\nq(1)\n' >unclosed.rpl
{ printf 'p('; printf '%0100000d' 0 | tr 0 '['; printf '\nq(\n'; } >deep.rpl
printf '# Fine - ok(?x) <- a(?x)\n\n# Broken - bad(?x <- a(?x)\n\n# Also - worse(?x) <- <- b(?x)\n' >heading.md
printf '%%\n' >percent.rpl
mkdir folder.md

expect "an empty file has no goals" 2 "" "nothing to run: empty.md has no goals" "$rpl" run empty.md
expect "prose alone has no goals" 2 "" "nothing to run: prose.md has no goals" "$rpl" run prose.md
for command in run parse; do
  expect "$command: not UTF-8" 2 "*" "latin.md:2:1: error RPL1002" "$rpl" $command latin.md
  expect "$command: an unclosed string" 2 "*" "unclosed.rpl:1:3: error RPL1003" "$rpl" $command unclosed.rpl
  expect "$command: brackets nested 100,000 deep" 2 "*" "error RPL1005" "$rpl" $command deep.rpl
  expect "$command: a broken signature" 2 "*" "heading.md:3:" "$rpl" $command heading.md
  expect "$command: the rest is checked too" 2 "*" "heading.md:5:" "$rpl" $command heading.md
  expect "$command: a folder" 6 "" "folder.md: Is a directory" "$rpl" $command folder.md
  expect "$command: a missing file" 6 "" "none.md: No such file or directory" "$rpl" $command none.md
done

# --- What is not known is never absent ------------------------------------------------------

# A tool that cannot say whether somebody is sanctioned is no permission to pay.
mkdir -p unknown && cd unknown || exit 1
cat >pay.rpl <<'END2'
hit(?w) <- $sanctioned(?w) ^ ~ {:result true}
%pay(?w) <- ?w = "bob", not hit(?w)
END2
cat >count.rpl <<'END2'
w(1)
w(2)
w(3)
ok(?x) <- w(?x), $sanctioned(?x) ^ ~ {:result true}
%count(?n) <- ?n = |ok(_)|
END2
cat >policy.json <<'END2'
{"rules": [{"priority": 1, "enabled": true, "name": "no-lookups",
  "selector": {"phase": "tool.before", "tool": {"name": "sanctioned"}},
  "condition": {"kind": "toolName", "op": "eq", "value": "sanctioned"},
  "effect": {"type": "block", "reason": "no lookups today"}}]}
END2
tool() {
  printf 'version: 1\ntools: {sanctioned: {command: %s, permission: %s, timeoutMs: 200}}\n' "$1" "$2" >rpl.yaml
}
for program in pay count; do
  tool '["false"]' allow
  expect "$program: the tool ends with 1" 4 "" '$sanctioned(' "$rpl" run $program.rpl --allow-tool sanctioned
  grep -qF 'ended with status 1' err || fail "expected the reason"
  tool '[sleep, "600.125"]' allow
  expect "$program: the tool times out" 4 "" 'ran longer than 200 ms' "$rpl" run $program.rpl --allow-tool sanctioned
  tool '[./none]' allow
  expect "$program: the tool is not there" 4 "" 'cannot be started' "$rpl" run $program.rpl --allow-tool sanctioned
  tool '["false"]' ask
  expect "$program: the tool is not permitted" 4 "" '$sanctioned(' "$rpl" run $program.rpl
  tool '["false"]' deny
  expect "$program: the tool is denied" 4 "" 'the configuration denies this call' \
    "$rpl" run $program.rpl --allow-tool sanctioned
  tool '["false"]' allow
  expect "$program: the policy blocks the call" 4 "" 'was refused: no lookups today' \
    "$rpl" run $program.rpl --allow-tool sanctioned --policy policy.json --store reviews.db
  expect "$program: the same in JSON" 4 '*' "" "$rpl" run $program.rpl --format json
  grep -qF '"status":"tool-failed"' out && grep -qF '$sanctioned(' out || fail "expected the tool's name"
done
cat >sum.rpl <<'END2'
n(17e307)
more(?x) <- n(?x), ?y = ?x * 1.5, ?y > 0
%none(?x) <- n(?x), not more(?x)
END2
expect "a number too large is no absence" 5 '*' 'limit reached: a number too large in 17' \
  "$rpl" run sum.rpl
cd .. || exit 1

# --- Values whose text has no end --------------------------------------------------------

# Each row has the one before twice: it takes little memory, but its text doubles.
printf 'n([0])\nn(?m) <- n(?k), ?m = [?k ?k]\n%%last(?n) <- n(?k), ?n = |n(_)|, ?n > 5000\n' >doubling.rpl
expect "a row in a message is cut" 5 '*' '… (more than 10^18 bytes)' \
  timeout 60 "$rpl" run doubling.rpl --max-memory 2000
(($(wc -c <err) < 2000)) && pass || fail "expected a short message"
expect "answers are printed within the limits" 5 '*' '' \
  timeout 120 "$rpl" query -f doubling.rpl '%all(?k) <- n(?k)' --max-memory 4000
expect "a template stays within the limits" 5 '*' '' \
  timeout 120 "$rpl" query -f doubling.rpl '%text(?t) <- n(?k), ?t = "{?k}", ?t = "none"' --max-memory 4000

# Limits measure work: a program that does much between two rows, and would take minutes, ends.
# slow NAME RULE < PROGRAM: it is stopped in time, while RULE grew. How soon: ./dev stop-in-time.
slow() {
  cat >slow.rpl
  expect "$1 is stopped in time" 5 '*' "while \`$2" timeout 60 "$rpl" run slow.rpl --max-time 1
}
slow "a pattern with many ways" 'q(?a) <- all(?s)' <<'END2'
%x(?n) <- ?n = |q(_)|
n(0)
n(?y) <- n(?x), ?x < 60, ?y = ?x + 1
all([& ?x]) <- n(?x)
q(?a) <- all(?s), ?t = ?s union #{-1}, ?t = ~ #{?a ?b ?c ?d ?e ?f 777}
END2
slow "a union of large sets" 'q(?x) <- all(#{& ?s})' <<'END2'
%x(?n) <- ?n = |q(_)|
n(0)
n(?y) <- n(?x), ?x < 30000, ?y = ?x + 1
all(#{& ?x}) <- n(?x)
q(?x) <- all(#{& ?s}), n(?x), ?t = ?s union #{?x}, |?t| = 0
END2
slow "a search in a long list" 'q(?x) <- all(?s)' <<'END2'
%x(?n) <- ?n = |q(_)|
n(0)
n(?y) <- n(?x), ?x < 99000, ?y = ?x + 1
all([& ?x]) <- n(?x)
q(?x) <- all(?s), n(?x), ?y = 0 - ?x - 1, ?y in ?s
END2
slow "a fact with very many instances" 's(#' <<'END2'
%x(?n) <- ?n = |s(_, _, _, _, _, _, _)|
s(#{0 1 2 3 4 5 6 7 8 9}, #{0 1 2 3 4 5 6 7 8 9}, #{0 1 2 3 4 5 6 7 8 9}, #{0 1 2 3 4 5 6 7 8 9}, #{0 1 2 3 4 5 6 7 8 9}, #{0 1 2 3 4 5 6 7 8 9}, #{0 1 2 3 4 5 6 7 8 9})
END2

# --- Facts from files --------------------------------------------------------------------

printf 'part,quantity\nnut,12\nbolt\nwasher,3\n' >stock.csv
printf '# Parts - %%parts(?many) <- ?many = |stock(_, _)|\n' >parts.md
expect "facts: a bad row is left out" 0 '2' "stock.csv:3:1: warning RPL8001" \
  "$rpl" run parts.md --facts stock=stock.csv
expect "facts: or refuses the file" 2 "" "stock.csv:3:1: error RPL8001" \
  "$rpl" run parts.md --facts stock=stock.csv --strict-facts
expect "facts: the name of the relation is wanted" 2 "" "expected RELATION=FILE" \
  "$rpl" run parts.md --facts stock.csv
for name in P not a_b ''; do
  expect "facts: a name that no relation has: '$name'" 2 "" "\`$name\` cannot name a relation" \
    "$rpl" run parts.md --facts "$name=stock.csv"
done
printf '$index("stock.csv", item(_, _))\n%%all(?n) <- ?n = |item(_, _)|\n' >hint.rpl
expect "facts: a hint that is no string" 0 "*" 'name the relation by a string, `"item"`' "$rpl" run hint.rpl
expect "facts: they are no document" 2 "" '`--facts RELATION=stock.csv`' "$rpl" run parts.md stock.csv
expect "facts: a missing file" 6 "" "none.csv: No such file" "$rpl" run parts.md --facts stock=none.csv
{ echo part,count,at,by; for i in $(seq 20000); do echo "p$i,$i,\"a
b\",c"; done; echo bad; } >big-stock.csv
printf '%%few(?n) <- ?n = |stock(_, _)|\n' >few.rpl
printf '%%all(?n) <- ?n = |stock(_, _, _, _)|\n' >all.rpl
expect "facts: a large file does not keep its program from being checked" 2 "" "few.rpl:1:19: error RPL2007" \
  "$rpl" run few.rpl --facts stock=big-stock.csv
expect "facts: its relation is misspelt" 0 "0" "all.rpl:1:19: warning RPL2005" \
  "$rpl" run all.rpl --facts stok=big-stock.csv
expect "facts: a bad row far behind is told of once" 0 "20000" "big-stock.csv:40002:1: warning RPL8001" \
  "$rpl" run all.rpl --facts stock=big-stock.csv
expect "facts: a session keeps them" 0 '2' "" \
  "$rpl" run parts.md --facts stock=stock.csv --session facts.rpls
printf 'screw,7\n' >>stock.csv
expect "facts: and takes in what has changed" 0 '3' "+ stock=stock.csv: screw,7" \
  "$rpl" resume facts.rpls
printf 'part;quantity\nnut;12\n"a;b";3,5\n' >semicolons.csv
gzip -k semicolons.csv
expect "facts: a separator" 0 '{"?a":"nut","?n":12}
{"?a":"a;b","?n":"3,5"}' "" \
  "$rpl" query 'stock(?a, ?n)' --facts stock=semicolons.csv --separator ';'
expect "facts: compressed by gzip" 0 '12' "" \
  "$rpl" query 'stock("nut", ?n)' --facts stock=semicolons.csv.gz --separator ';'
printf 'nonsense' >damaged.csv.gz
expect "facts: that are not" 6 "" "damaged.csv.gz: not compressed by gzip" \
  "$rpl" query 'stock(?a, ?n)' --facts stock=damaged.csv.gz
head -c 20 semicolons.csv.gz >cut.csv.gz
expect "facts: or are cut off" 6 "" "cut.csv.gz: not compressed by gzip, or cut off" \
  "$rpl" query 'stock(?a, ?n)' --facts stock=cut.csv.gz
cat semicolons.csv.gz semicolons.csv.gz >twice.csv.gz
expect "facts: of two members" 0 "4" "" \
  "$rpl" query '%n(?n) <- ?n = |stock(_, _)| + 1' --facts stock=twice.csv.gz --separator ';'
expect "facts: no separator" 2 "" "expected one of" \
  "$rpl" query 'stock(?a, ?n)' --facts stock=semicolons.csv --separator x
piped() { "$rpl" "$@" <stock.csv; }
expect "facts: from standard input" 0 '7' "-:3:1: warning RPL8001" \
  piped query 'stock("screw", ?n)' --facts stock=-
expect "facts: once" 2 "" "standard input has the rows of one relation" \
  piped query 'stock("screw", ?n)' --facts stock=- --facts other=-
expect "facts: a session keeps what came from standard input" 0 '3' "" \
  piped run parts.md --facts stock=- --session piped.rpls
expect "facts: and goes on with it" 0 '3' "" "$rpl" resume piped.rpls
expect "query: as CSV" 0 'a,n
nut,12
a;b,"3,5"' "" \
  "$rpl" query 'stock(?a, ?n)' --facts stock=semicolons.csv --separator ';' --format csv
expect "query: as a table" 0 ' ?n
----
 12' "" "$rpl" query 'stock("nut", ?n)' --facts stock=semicolons.csv --separator ';' --format table
expect "query: no answers are no table" 1 "*" "" \
  "$rpl" query 'stock("no", ?n)' --facts stock=semicolons.csv --separator ';' --format csv
expect "query: files follow -f" 2 "" "help: files follow \`-f\`; see" "$rpl" query parts.md 'stock(?a, _)'
expect "parse: what is right is printed" 2 "    3  (q 1)" "RPL1003" "$rpl" parse unclosed.rpl
expect "run: a lone percent sign" 2 "" "percent.rpl" "$rpl" run percent.rpl
expect "reply: a lone percent sign" 2 "*" "error RPL1021" "$rpl" reply percent.rpl
expect "reply: an error in the context" 2 "*" "error RPL1003" "$rpl" reply \
  < <(printf '```rpl\np("a)\n```\n%% <- p(1)\n')
expect "reply: a message as a file" 6 "" "help: the message is read from this file" "$rpl" reply 'p(1)'
expect "reply: a folder" 6 "" "folder.md: Is a directory" "$rpl" reply folder.md
expect "test: a folder without cases" 2 "*" "folder.md: no case" "$rpl" test folder.md
mkdir -p loads/tests
printf 'p(1)\n' >loads/facts.rpl
printf '# It loads\n\n```rpl-test\nLOAD: ../facts.rpl\nUSER:\n%% <- p(1)\nAGENT:\ntrue\n```\n' >loads/tests/t.md
expect "test: a file is loaded from beside the test" 0 "1 passed, 0 failed" "" "$rpl" test loads/tests
rm loads/facts.rpl
expect "test: a file that is not there" 1 "*" "" "$rpl" test loads/tests
grep -qF 'loads/facts.rpl: No such file or directory' out || fail "expected the file's name"
printf '# G - %%g(?x) <- p(?x)\n\n```rpl\np(1\n```\n' >bad.md
printf '# One\n\n```rpl-test\nLOAD: bad.md\nRUN:\nUNSAT:\n```\n' >bad-test.md
expect "test: a program with errors" 1 '*' "" "$rpl" test bad-test.md
grep -q 'RPL1004' out || fail "expected the error"
cp bad-test.md bad-before.md
expect "test: --update of a program with errors" 1 '*' "" "$rpl" test --update bad-test.md
cmp -s bad-test.md bad-before.md || fail "expected the test as it was"
printf '# One\n\n```rpl-test\nLOAD: bad.md\nREJECT:\nRPL1004\n```\n' >bad-test.md
expect "test: an error that is expected" 0 "1 passed, 0 failed" "" "$rpl" test bad-test.md
expect "test: a missing file" 6 "*" "none.md: No such file or directory" "$rpl" test none.md

# --- Verification ------------------------------------------------------------------------

printf 'claims: [{name: c, selector: v}]\npredicates: [{claim: c, rule: exists, source: memory}]\n' >spec.yaml
printf 'facts: {v: 1}\n' >envelope.yaml
printf 'content(_, ?v) -> ?v > 1\n' >rules.rpl
printf 'facts: {v: 1, v: 2}\n' >twice.yaml
expect "verify: without content" 2 "" "expected a file to verify" "$rpl" verify
expect "verify: a missing file" 6 "" "none.yaml: No such file or directory" "$rpl" verify none.yaml
expect "verify: a missing rulespec" 6 "" "none.yaml: No such" "$rpl" verify envelope.yaml --rulespec none.yaml
expect "verify: missing rules" 6 "" "none.md: No such" "$rpl" verify envelope.yaml --rules none.md
expect "verify: a folder as content" 6 "" "folder.md: Is a directory" "$rpl" verify folder.md
expect "verify: an unwritable folder" 6 "" "the report cannot be written" \
  "$rpl" verify envelope.yaml --rulespec spec.yaml --out envelope.yaml/o
expect "verify: all passes" 0 "Verification: 1/1 passed" "" "$rpl" verify envelope.yaml --rulespec spec.yaml
expect "verify: a rule fails" 1 "*" "" "$rpl" verify envelope.yaml --rules rules.rpl
expect "verify: an invalid envelope" 2 "Verification: an input is invalid, nothing was verified" \
  "twice.yaml:1:15: error RPL7005" "$rpl" verify twice.yaml --rulespec spec.yaml
expect "verify: rules with an error" 2 "*" "unclosed.rpl:1:3: error RPL1003" "$rpl" verify envelope.yaml --rules unclosed.rpl
expect "verify: an unknown option" 2 "" "did you mean \`--rulespec\`?" "$rpl" verify envelope.yaml --rulespek x
expect "verify: an unknown format" 2 "" "--format" "$rpl" verify envelope.yaml --format xml
expect "verify: not UTF-8" 2 "*" "the file is not UTF-8" "$rpl" verify latin.md --rulespec spec.yaml
expect "verify: not UTF-8, with rules alone" 2 "*" "latin.md:2:1: error RPL7001: the file is not UTF-8" \
  "$rpl" verify latin.md --rules rules.rpl
expect "verify: an empty rulespec" 2 "*" "empty.md:1:1: error RPL7006: the rulespec is empty" \
  "$rpl" verify envelope.yaml --rulespec empty.md
expect "verify: an empty envelope" 2 "*" 'empty.md:1:1: error RPL7106: the envelope has no `facts:`' \
  "$rpl" verify empty.md --rulespec spec.yaml
expect "verify: no predicate of this number" 2 "" "predicates count from 0" \
  "$rpl" verify envelope.yaml --rulespec spec.yaml --explain 7
expect "verify: a predicate that is no number" 2 "" "--explain: expected the number of a predicate, got \`c\`" \
  "$rpl" verify envelope.yaml --rulespec spec.yaml --explain c

# --- The command line --------------------------------------------------------------------

expect "version" 0 "rpl 0.1.0" "" "$rpl" --version
expect "help" 0 "$("$rpl" --help)" "" "$rpl" help
expect "help for a command" 0 "$("$rpl" run --help)" "" "$rpl" help run
cat >choices.md <<'END2'
# Trip - %trip(?size) <- size(?size)

Take __size__.

## Size - size(?size)

Which one? Choose one __known-size__.

known-size("small")
known-size("large")
END2
expect "a question with choices" 3 '' 'size(?size): Which one? Choose one known size.' "$rpl" run choices.md </dev/null
expect "the same for programs" 3 '*' '' "$rpl" run choices.md --format json </dev/null
if grep -qF '"prompt":"Which one? Choose one known-size."' out; then pass; else fail "expected the name itself"; fi
# --- Colour ------------------------------------------------------------------------------

# at_terminal COMMAND…: what a person sees at a terminal, with each mark as `<1;31>`.
at_terminal() {
  "$terminal" "$@" </dev/null | sed -E 's/\x1b\[([0-9;]+)m/<\1>/g' | tr -d '\r'
}
printf 'p("a\n' >coloured.rpl
printf 'edge(1, 2)\n%% <- edge(1, ?x)\n' >ends.rpl
printf '# See - %%see(?x) <- view(?x)\n\n## View - view(?x)\n\nWhat do you see from the window, and from which one?\n' >wide.md
export TERM=xterm
same "check in colour" "coloured.rpl:1:3: <1;31>error RPL1003<0>: a string is opened here and never closed" \
  "$(at_terminal "$rpl" check coloured.rpl | head -n 1)"
same "run in colour" "<32>satisfied:<0> %" "$(at_terminal "$rpl" run ends.rpl | tail -n 1 | sed 's/ (.*//; s/, with.*//')"
same "a question in colour" "<1>waiting for an answer:<0>" \
  "$(at_terminal "$rpl" run choices.md | grep waiting)"
same "no word of a question is broken" "What do you see from the window, and|from which one?" \
  "$(at_terminal bash -c 'stty cols 40; exec "$0" run wide.md' "$rpl" | head -n 2 | paste -s -d '|')"
same "explain in colour" "<1>edge(1, 2)  ends.rpl:1<0>" "$(at_terminal "$rpl" explain -f ends.rpl 'edge(1, 2)')"
for plain in NO_COLOR=1 TERM=dumb; do
  for command in 'check coloured.rpl' 'run ends.rpl' 'run choices.md' 'explain -f ends.rpl edge(1,2)'; do
    read -ra words <<<"$command"
    same "$plain: $command" "" "$(at_terminal env "$plain" "$rpl" "${words[@]}" | grep -E '<[0-9;]+>')"
  done
done
expect "no colour in a file" 1 '*' '' "$rpl" check coloured.rpl
plain

expect "no command" 2 "" 'rpl: expected a command' "$rpl"
expect "text and no command" 2 "" 'help: `rpl run FILE` runs a program, `rpl repl` reads entries from standard input, `rpl reply` one message; see `rpl help`' \
  "$rpl" <<<'edge(1, 2)'
expect "a terminal and no command" 0 '*' "" "$terminal" "$rpl" <<<'.quit'
if grep -qF 'rpl 0.1.0, .help for commands' out; then pass; else fail "expected the shell"; fi
expect "a document is no command" 2 "" "help: \`rpl run x.md\` runs it, \`rpl repl x.md\` opens it" \
  "$rpl" x.md
expect "an unknown command" 2 "" "unknown command \`rnu\`, did you mean \`run\`?" "$rpl" rnu x
expect "an unknown option" 2 "" "did you mean \`--answer\`?" "$rpl" run empty.md --anser a=b
expect "an unknown format" 2 "" "--format" "$rpl" run empty.md --format xml
expect "a bad time" 2 "" "--now: expected a time" "$rpl" run empty.md --now yesterday
expect "a bad answer" 2 "" "expected KEY=VALUE" "$rpl" run prose.md --answer focus
expect "help shows an example" 0 "*" "" "$rpl" run --help
grep -q 'rpl run protocol.md --answers' out || fail "expected examples in the help"

# --- Replies -----------------------------------------------------------------------------

expect "reply: true" 0 "true" "" "$rpl" reply < <(printf 'p(1)\n%% <- p(1)\n')
printf '\xef\xbb\xbf%%q(?x) <- ?x = 1\n' >marked.md
expect "reply: a byte order mark in a file" 0 "1" "" "$rpl" reply marked.md
printf '\xef\xbb\xbf---\r\nplace("x")\r\n\r\n# a - place("z")\r\n---\r\n\r\nplace("y")\r\n' >front.md
expect "check: front matter behind a byte order mark" 0 "*" "" "$rpl" check front.md
expect "query: front matter behind a byte order mark" 0 "y" "" "$rpl" query -f front.md 'place(?x)'
expect "reply: captures" 0 $'1\n2' "" "$rpl" reply < <(printf 'p(1)\np(2)\n%%all(?x) <- p(?x)\n')
expect "reply: chat" 0 $'{"?u":"foo"}\n{"?u":"bar"}' "" "$rpl" reply \
  < <(printf "user('foo')\nuser('bar')\n%% <- user(?u) ^^ ?b, \$json(?b)\n")
expect "reply: a reason" 1 "*" "" "$rpl" reply < <(printf 'p(1)\n%% <- p(2)\n')
expect "reply: a misspelt relation" 1 "*" "note: nothing defines prise/1, did you mean price/1?" \
  "$rpl" reply < <(printf 'price(1)\n%% <- prise(?x)\n')
expect "reply: a misspelt goal" 1 \
  '%fail("no rule for %totl", "nothing defines %totl, did you mean %total?")' "" \
  "$rpl" reply < <(printf 'price(1)\n%%total(?x) <- price(?x)\n%% <- %%totl\n')
expect "reply: no query" 0 "" "note: no query" "$rpl" reply < <(printf 'p(1)\n')
expect "reply: waits" 3 "*" "" "$rpl" reply < <(printf '%% <- ?x = $ask("Q")\n')
expect "reply: an answer given" 0 '"A"' "" "$rpl" reply --answer ask=A \
  < <(printf '%% <- ?x = $ask("Q"), $json(?x)\n')

# --- Runs --------------------------------------------------------------------------------

cat >ask.md <<'END'
# Ask

%draft(?d) <- draft(?d)

## Draft - draft(?draft-id)

Which draft?
END
printf 'p(1)\n' >facts.rpl
printf '%% <- p(1)\n' >goal.rpl
printf '%% <- p(2)\n' >no.rpl
printf '{"draft-id": "doc-42"}' >answers.json
printf '# Trip - %%trip(?where, ?nights) <- where(?where), nights(?nights)\n\n# Where - where(?where)\n\nWhere?\n\n# Nights - nights(?nights)\n\nHow many?\n' >back.md
expect "run: back" 0 '{"?where":"Oslo","?nights":3}' "there is no answer to take back" \
  "$rpl" run back.md < <(printf '.back\nRome\n.back\nOslo\n3\n')
expect "run: back, in a session" 0 '{"?where":"Oslo","?nights":4}' "Where?" \
  "$rpl" run back.md --session back.rpls < <(printf 'Rome\n.back\nOslo\n4\n')
expect "run: back, in the trace" 0 '*' "" "$rpl" trace export back.rpls
check "run: back, in the trace" grep -q -- '-> false' out
printf '# Place - place(?where)\n\nWhere?\n\n# Go - %%go(?where) <- place(?where)\n\n# Not there\n\nNobody goes there.\n\n```rpl\nplace(?where) -> ?where != "Rome"\n```\n' >there.md
"$terminal" "$rpl" run there.md < <(printf 'Rome\n.open\n3\n') >out
same "run: .open at a decision lists that decision" 2 "$(grep -c 'What now' out)"
cat >narrow.md <<'END'
# Go - %go(?x) <- p(?x)

A sentence about __x__ that is a good deal longer than forty columns are.

p("a place with a long name")

# Never - p(?x), q(?x) -> false

Another sentence that is a good deal longer than forty columns are.
END
printf 'q("a place with a long name")\n' >q.rpl
printf 'q("elsewhere")\n' >other.rpl
cat >wide-choice.md <<'END'
# Go - %go(?x) <- p(?x)

# P - p(?x)

Which __place-known__ is meant by those who travel?

place-known("a place with a name of more than forty letters")
place-known("another")
END
printf 'a(?x) <- b(?y)\n%%go <- a(1)\n' >warned.rpl
for more in 'run narrow.md other.rpl' 'run narrow.md q.rpl' 'run wide-choice.md' 'check warned.rpl' 'chek' 'check none.rpl'; do
  "$terminal" bash -c 'stty cols 40; exec "$0" $1' "$rpl" "$more" < <(printf '7\n.open\n.back\n2\n') >out
  check "$more: nothing is wider than 40 columns" test -z "$(sed -E 's/\x1b\[[0-9;]*m//g; s/\r$//; s/^(> )+//' out | grep -E '.{41}' | grep -vE '^[{"]')"
done
mkdir running
printf 'version: 1\ntools:\n  slow: {command: ["sh", "slow.sh"]}\n' >running/rpl.yaml
printf 'read -r line\nsleep 1\necho "$line" | jq -c "{id, result: 1}"\n' >running/slow.sh
printf '%%a <- $slow(1)\n' >running/a.rpl
TERM=xterm "$terminal" "$rpl" run running/a.rpl --allow-tool slow </dev/null >out
check "run: a tool that runs is named" grep -q 'slow  0\.[5-9] s' out
check "run: and no more when it has ended" grep -q $'\r\033\\[K[^|/]*satisfied' out
printf '[{"match": {"var": "draft-id"}, "decline": true}]' >decline.json

expect "run: a line answers a question" 0 "doc-42" "Which draft?" "$rpl" run ask.md < <(echo doc-42)
expect "run: the end goes to stderr" 0 "doc-42" "satisfied: %draft" "$rpl" run ask.md < <(echo doc-42)
expect "run: --answer" 0 "doc-42" "" "$rpl" run --answer draft-id=doc-42 ask.md </dev/null
expect "run: --answers" 0 "doc-42" "" "$rpl" run ask.md --answers answers.json </dev/null
expect "run: an answer too many" 0 "doc-42" "nothing asked for the answer \`x\`" \
  "$rpl" run ask.md --answer draft=doc-42 --answer x=1 </dev/null
expect "run: declined" 1 "" "%fail(" "$rpl" run ask.md --answers decline.json </dev/null
expect "run: waits at the end of input" 3 "" "draft-id" "$rpl" run ask.md </dev/null
expect "run: JSON" 0 '*' "" "$rpl" run ask.md --format json --answer draft-id=x </dev/null
grep -q '^{"schema":"rpl.run/1","status":"satisfied"' out || fail "expected rpl.run/1 on stdout"
expect "run: several files are one program" 0 "" "satisfied: %" "$rpl" run facts.rpl goal.rpl </dev/null
expect "run: unsatisfied" 1 "" "unsatisfied: " "$rpl" run facts.rpl no.rpl </dev/null
printf '%% <- brief(?x)\n\n## Brief - breif(?x)\n\nWhat?\n' >typo.md
expect "run: a name that nothing defines" 1 "" "did you mean \`breif\`?" "$rpl" run typo.md </dev/null
printf '%% <- brief(?x), drafd(?x)\n\n## Brief - brief(?x)\n\nWhat?\n' >waits.md
expect "run: one that waits, and a name that nothing defines" 3 "" \
  "\`drafd\` is used here and defined nowhere" "$rpl" run waits.md </dev/null
expect "run: the log" 0 "" "1.3 quiesce relations" "$rpl" run facts.rpl goal.rpl --log phases </dev/null

# --- Formatting ---------------------------------------------------------------------------

printf '# A - p( ?x )\n\nProse  stays.\n\n```rpl\np( 1 )\n```\n' >untidy.md
printf '# A - p(?x)\n\nProse  stays.\n\n```rpl\np(1)\n```\n' >tidy.md
printf 'p( 1 )\nq(\n' >wrong.rpl
ln -s untidy.md link.md
chmod 640 untidy.md

expect "fmt: to stdout" 0 "$(cat tidy.md)" "" "$rpl" fmt untidy.md
expect "fmt: standard input" 0 "q(?x)" "" "$rpl" fmt - < <(printf 'q( ?x )')
expect "fmt: nothing is added" 0 "" "" "$rpl" fmt empty.md
expect "fmt: --check, tidy" 0 "" "" "$rpl" fmt --check tidy.md
expect "fmt: --check, untidy" 1 "untidy.md" "" "$rpl" fmt --check tidy.md untidy.md
expect "fmt: --diff, tidy" 0 "" "" "$rpl" fmt --diff tidy.md
expect "fmt: --diff, untidy" 1 "$(diff -u --label untidy.md --label untidy.md untidy.md tidy.md)" "" \
  "$rpl" fmt --diff untidy.md
expect "fmt: --diff without a final newline" 1 '*' "" "$rpl" fmt --diff - < <(printf 'q( ?x )')
grep -qxF '\ No newline at end of file' out || fail "expected a word on the missing newline"
odd=$'a "b"\n\e[31m\\.rpl'
printf 'p( 1 )\n' >"$odd"
expect "fmt: --diff quotes a name as git does" 1 \
  "$(printf '%s\n' '--- "a \"b\"\n\033[31m\\.rpl"' '+++ "a \"b\"\n\033[31m\\.rpl"' '@@ -1 +1 @@' '-p( 1 )' '+p(1)')" \
  "" "$rpl" fmt --diff "$odd"
mv "$odd" 'grün und rot.rpl'
expect "fmt: --diff ends a name with a blank by a tab" 1 \
  "$(printf '%s\n' $'--- grün und rot.rpl\t' $'+++ grün und rot.rpl\t' '@@ -1 +1 @@' '-p( 1 )' '+p(1)')" \
  "" "$rpl" fmt --diff 'grün und rot.rpl'
rm 'grün und rot.rpl'
expect "fmt: errors, where possible" 2 "$(printf 'p(1)\nq(')" "wrong.rpl:2:2: error" "$rpl" fmt wrong.rpl
expect "fmt: -w leaves files with errors" 2 "" "wrong.rpl:2:2: error" "$rpl" fmt -w wrong.rpl
grep -qxF 'p( 1 )' wrong.rpl || fail "expected wrong.rpl as it was"
expect "fmt: not UTF-8" 2 '*' "latin.md:2:1: error RPL1002" "$rpl" fmt latin.md
cmp -s out latin.md || fail "expected the bytes of latin.md"
expect "fmt: -w through a link" 0 "" "link.md" "$rpl" fmt -w link.md
[[ -L link.md && $(stat -c %a untidy.md) == 640 ]] || fail "expected link and mode kept"
cmp -s untidy.md tidy.md || fail "expected untidy.md formatted"
expect "fmt: -w again" 0 "" "" "$rpl" fmt -w untidy.md
[[ ! -s err ]] || fail "expected nothing on stderr"
expect "fmt: a missing file, and another" 6 "$(cat tidy.md)" "none.md: No such file" \
  "$rpl" fmt none.md tidy.md
expect "fmt: a folder" 6 "" "folder.md: Is a directory" "$rpl" fmt folder.md
expect "fmt: -w to standard input" 2 "" "cannot write to standard input" "$rpl" fmt -w -
mkfifo pipe.rpl
printf 'p( 1 )\n' >pipe.rpl &
expect "fmt: -w of a pipe" 6 "" "pipe.rpl: not a regular file" "$rpl" fmt -w pipe.rpl
wait
[[ -p pipe.rpl ]] || fail "expected a pipe"
sleep 9 >pipe.rpl &
expect "fmt: Ctrl-C while it reads" 130 "" "interrupted" \
  timeout --foreground --preserve-status -s INT 0.3 "$rpl" fmt - <pipe.rpl
kill %%
rm pipe.rpl
expect "fmt: two modes" 2 "" "excludes" "$rpl" fmt -w --check tidy.md

# --- Explanations ------------------------------------------------------------------------

printf 'edge(1, 2)\nedge(2, 3)\nto(?a, ?b) <- edge(?a, ?b)\nto(?a, ?c) <- to(?a, ?b), edge(?b, ?c)\n%%g(?x) <- to(1, ?x)\n' >graph.rpl
printf 'r(?x) <- ?x = $ask("Q")\n%% <- r(?x)\n' >asks.rpl

expect "explain: a proof" 0 $'to(1, 3)  graph.rpl:4: to(?a, ?c) <- to(?a, ?b), edge(?b, ?c)
  to(1, 2)  graph.rpl:3: to(?a, ?b) <- edge(?a, ?b)
    edge(1, 2)  graph.rpl:1
  edge(2, 3)  graph.rpl:2' "" "$rpl" explain -f graph.rpl 'to(1, 3)'
expect "explain: a depth" 0 '*' 'help: `--depth` shows more levels' "$rpl" explain -f graph.rpl 'to(1, 3)' --depth 0
grep -qF '… deeper than 0' out || fail "expected a note where the tree is cut"
expect "explain: a form" 0 $'edge(1, 2)  graph.rpl:1\nedge(2, 3)  graph.rpl:2' "" \
  "$rpl" explain -f graph.rpl 'edge(?a, ?b)'
expect "explain: more than ten" 0 '*' "note: 2 more match" "$rpl" explain \
  -f <(seq -f 'p(%g)' 12) -f facts.rpl 'p(?x)'
expect "explain: a goal" 0 '*' "" "$rpl" explain -f graph.rpl '%g(3)'
grep -q '^%g(3)  graph.rpl:5' out || fail "expected the goal's rule"
expect "explain: no such fact" 1 "" "see why with \`--not\`" "$rpl" explain -f graph.rpl 'to(3, 1)'
expect "explain --not" 0 '*' "" "$rpl" explain -f graph.rpl --not 'to(3, 1)'
grep -qF 'edge(3, 1)  (no fact matches, with ?a = 3' out || fail "expected the clause that fails"
expect "explain --not: it holds" 1 "" "it holds: to(1, 3), derived at graph.rpl:4:1" \
  "$rpl" explain -f graph.rpl --not 'to(1, 3)'
expect "explain --not: a name" 0 "no egde(1, 2)  (nothing defines egde/2, did you mean edge/2?)" "" \
  "$rpl" explain -f graph.rpl --not 'egde(1, 2)'
expect "explain: JSON" 0 '*' "" "$rpl" explain -f graph.rpl 'to(1, 3)' --format json
grep -q '^{"schema":"rpl.explain/1","fact":"to(1, 3)","tree":{"kind":"derived"' out ||
  fail "expected rpl.explain/1 on stdout"
expect "explain --not: JSON" 0 '*' "" "$rpl" explain -f graph.rpl --not 'to(3, 1)' --format json
grep -q '"kind":"failed","text":"edge(3, 1)"' out || fail "expected the clause that fails"
expect "explain: dot" 0 '*' "" "$rpl" explain -f graph.rpl 'to(1, 3)' --format dot
grep -q '^digraph explanation {' out || fail "expected a graph"
expect "explain: an answer given" 0 $'r("A")  asks.rpl:1: r(?x) <- ?x = $ask("Q")
  $ask("Q") = "A"  (answered)' "" "$rpl" explain -f asks.rpl 'r(?x)' --answer ask=A
expect "explain: an open question" 3 "" \
  'it is not known whether a fact matches `r(?x)`: waiting for $ask("Q")' "$rpl" explain -f asks.rpl 'r(?x)'
printf 'n(0)\nn(?y) <- n(?x), ?y = ?x + 1\nsmall(?x) <- n(?x), ?x < 5\n%%one <- n(1)\n' >grows.rpl
for not in "" --not; do
  expect "explain $not: a limit" 5 "*" "limit reached: 50 rows" "$rpl" explain -f grows.rpl $not 'small(3)' --max-rows 50
  expect "explain $not: rounds" 5 "*" "limit reached: 9 rounds" "$rpl" explain -f grows.rpl $not 'small(3)' --max-rounds 9
done
expect "explain: a proof within a limit" 0 "*" "" "$rpl" explain -f grows.rpl 'n(1)' --max-rows 50
expect "explain: and perhaps more" 0 "*" "there may be more: limit reached: 50 rows" \
  "$rpl" explain -f grows.rpl 'n(?x)' --max-rows 50
printf '$index("nowhere.csv")\nneed("nut")\nbuy(?x) <- need(?x), not missing(?x)\n' >unread.rpl
expect "explain: a source that was not read" 4 "" '$index("nowhere.csv") failed' \
  "$rpl" explain -f unread.rpl 'buy("nut")'
expect "explain --not: a source that was not read" 4 "*" '$index("nowhere.csv") failed' \
  "$rpl" explain -f unread.rpl --not 'missing(1)'
expect "explain: a broken form" 2 "" "error RPL1004" "$rpl" explain -f graph.rpl 'to(1'
expect "explain: not a fact" 2 "" "expected one call to explain" "$rpl" explain -f graph.rpl 'not p(1)'
expect "explain: a broken program" 2 "" "unclosed.rpl:1:3: error RPL1003" \
  "$rpl" explain -f unclosed.rpl 'q(1)'
expect "explain: no file" 2 "" "--file is required" "$rpl" explain 'q(1)'
expect "explain: a missing file" 6 "" "none.md: No such file" "$rpl" explain -f none.md 'q(1)'
expect "explain: a bad depth" 2 "" "--depth" "$rpl" explain -f graph.rpl 'q(1)' --depth -1

# --- Checking ------------------------------------------------------------------------------

printf 'ready <- a()\na()\n%% <- ready\n' >bare.rpl
printf 'ready() <- a()\na()\n%% <- ready()\n' >bare.expected
expect "check: a warning passes" 0 '*' "0 errors, 2 warnings" "$rpl" check bare.rpl
grep -q '^bare.rpl:1:1: warning RPL6002: ' out || fail "expected the place and the code"
expect "check --strict" 1 '*' "2 errors" "$rpl" check --strict bare.rpl
expect "check --fail-level" 1 '*' "2 warnings" "$rpl" check --fail-level warning bare.rpl
expect "check: JSON" 0 '*' "" "$rpl" check --format json bare.rpl
grep -q '^{"schema":"rpl.check/1","findings":\[{"code":"RPL6002"' out || fail "expected rpl.check/1"
expect "check: SARIF" 0 '*' "" "$rpl" check --format sarif bare.rpl
grep -q '"version":"2.1.0"' out || fail "expected SARIF 2.1.0"
expect "check: GitHub" 0 '*' "" "$rpl" check --format github bare.rpl
grep -q '^::warning file=bare.rpl,line=1,' out || fail "expected a workflow command"
expect "check --fix" 0 "" "mended: 2 findings" "$rpl" check --fix bare.rpl
cmp -s bare.rpl bare.expected || fail "expected the parentheses to be added"
expect "check: clean" 0 "" "clean: 1 file" "$rpl" check --strict bare.rpl
printf 'backEdge(1)\n%% <- backEdge(_)\n' >other.md
printf '# Go - %%go <- other.md#backEdge(_)\n\nSee __backEdge__ and `other.md`.\n' >uses.md
expect "check --fix: files that name each other" 0 '*' "mended" \
  "$rpl" check --fix --together uses.md other.md
grep -q 'other.md#back-edge(_)' uses.md || fail "expected the name changed where it is used"
expect "check: the two after mending" 0 "" "clean: 2 files" \
  "$rpl" check --strict --together uses.md other.md
expect "check: a broken file" 1 '*' "1 error" "$rpl" check unclosed.rpl
expect "check: a missing file" 6 '*' "none.md: No such file" "$rpl" check none.md
mkdir links
printf 'p(1)\n' >links/p.rpl
ln -s ada@desk.4711:1790000000 links/.#p.rpl  # as Emacs locks a file
ln -s nowhere links/note.txt
expect "check: a folder with links to nothing that are no programs" 0 '' "clean: 1 file" "$rpl" check links
ln -s nowhere.md links/lost.md
expect "check: a link to nothing in a folder" 0 '' "note: links/lost.md is left out" "$rpl" check links
ln -sf loop.rpl links/loop.rpl
rm links/lost.md
expect "check: a link to itself in a folder" 0 '' "note: links/loop.rpl is left out" "$rpl" check links
rm -r links
mkdir -p many/build many/docs many/node_modules/x many/.git
printf 'build/\ndraft-*\n' >many/.gitignore
printf '!draft-2.rpl\n' >many/docs/.gitignore
for file in many/build/a.rpl many/docs/draft-1.rpl many/node_modules/x/b.rpl; do printf 'p(' >$file; done
for file in many/docs/draft-2.rpl many/docs/c.rpl many/d.rpl; do printf 'p(1)\n' >$file; done
expect "check: a folder without what git ignores, and node_modules" 0 '' "clean: 3 files" "$rpl" check many
expect "check: such a folder, named" 1 '*' "1 error" "$rpl" check many/build
expect "check: below another one" 0 '' "clean: 2 files" "$rpl" check many/docs/
rm -r many

# --- Test scripts ------------------------------------------------------------------------------

# Scripts around a run with a violated constraint, or with a question.
violated='DOCUMENT: p.rpl
p(3)
p(?x) -> ?x < 3
% <- p(?x), $json(?x)
RUN:'
asks='DOCUMENT: p.md
# Name - name(?name)

Which name?

# Go - %go(?n) <- name(?n)
RUN:'
script() { printf '## A\n\n```rpl-test\n%s\n```\n' "$1" >script.md; }

script "$violated"$'\nWAITING:'
expect "test: a failure is no wait" 1 '*' "" "$rpl" test script.md
grep -q 'got the status failed$' out || fail "expected the status"
grep -q '  | %fail("constraint violated: p(?x) -> ?x < 3"' out || fail "expected the reason"
script "$violated"$'\nSTATUS: satisfied'
expect "test: another status" 1 '*' "" "$rpl" test script.md
grep -q 'expected the status satisfied, got failed' out || fail "expected the status"
grep -q '  | %fail("constraint violated' out || fail "expected the reason"
script "$asks"$'\nAGENT:\n"Ann"'
expect "test: other lines" 1 '*' "" "$rpl" test script.md
grep -q 'with the status waiting' out || fail "expected the status"
script $'REPLY: nmae => "Ann"\n'"$asks"$'\nSTATUS: waiting'
expect "test: a reply that is misspelt" 1 '*' "" "$rpl" test script.md
grep -q 'line 4, REPLY: no call took the reply for `nmae`, did you mean `name`?' out ||
  fail "expected the name that is meant"
script $'REPLY: $ask("Nam?") => "Ann"\nUSER:\n% <- ?x = $ask("Name?")\nSTATUS: waiting'
expect "test: a reply to another call" 1 '*' "" "$rpl" test script.md
grep -qF 'no call took the reply for `ask`, `$ask("Name?")` is open' out || fail "expected the open call"
script $'REPLY: name => "Ann"\n'"$asks"$'\nSTATUS: satisfied'
expect "test: a reply that is taken" 0 "1 passed, 0 failed" "" "$rpl" test script.md
script $'USER:\na(1)\n%q(?x) <- a(?x)\nUNSAT:'
expect "test: an answer is no reason" 1 '*' "" "$rpl" test script.md
script $'USER:\n%go(?part) <- stock(?part, _)\nAGENT:\nnut'
printf 'part,quantity\nnut,12\n' >stock.csv
printf 'part,quantity\nnut\n' >bad-stock.csv
expect "test: facts from a file" 0 "1 passed, 0 failed" "" "$rpl" test script.md --facts stock=stock.csv
expect "test: without them" 1 '*' "" "$rpl" test script.md
expect "test: bad facts" 2 "" "bad-stock.csv:2:1: error RPL8001" \
  "$rpl" test script.md --facts stock=bad-stock.csv --strict-facts

# --- Sessions ------------------------------------------------------------------------------

cat >trip.md <<'END'
# Trip - %trip(?where, ?nights) <- place(?where), stay(?where, ?nights)

# Place - place(?where)
Where to?

# Stay - stay(?where, ?nights) <- place(?where), ?nights = $ask("How long?")
END
expect "a session waits" 3 "" "saved: go on with \`rpl resume s.rpls\`" \
  "$rpl" run trip.md --session s.rpls
expect "a session goes on" 3 "" "How long?" "$rpl" resume s.rpls --answer where=Lucca
expect "run goes on with a session that is there" 0 '{"?where":"Lucca","?nights":3}' "" \
  "$rpl" run trip.md --session s.rpls --answer ask=3
expect "a session that is over says so again" 0 '{"?where":"Lucca","?nights":3}' "satisfied" \
  "$rpl" resume s.rpls
expect "trace: verify" 0 "" "sound: " "$rpl" trace verify s.rpls
expect "trace: show" 0 '*' "" "$rpl" trace show s.rpls
grep -q '^3.1 reply      place(?where) ^^ {?where "Lucca"} -> true$' out || fail "expected the reply"
cp out shown
expect "trace: replay gives the same" 0 "$(cat shown)" "" "$rpl" trace replay s.rpls
expect "trace: show as JSON" 0 '*' "" "$rpl" trace show s.rpls --format json
grep -q '^{"schema":"rpl.trace/1"' out || fail "expected rpl.trace/1"
expect "trace: query" 0 "Lucca" "" "$rpl" trace query s.rpls '%w(?w) <- place(?w)'
expect "trace: a query without answer" 1 '*' "" "$rpl" trace query s.rpls '% <- place("Rome")'
expect "trace: what is no query" 2 '*' "expected a goal form" "$rpl" trace query s.rpls 'place(?w)'
grep -qF 'help: write `%found(?w) <- place(?w)`' err || fail "expected the query to write"
expect "trace: a goal is no query" 2 '' "help: write \`% <- %trip\`" "$rpl" trace query s.rpls %trip
expect "trace: a fact is no query" 2 '' "help: write \`% <- place(\"Rome\")\`" \
  "$rpl" trace query s.rpls 'place("Rome")'
expect "trace: what is nothing at all" 2 '' "expected a goal form, got \`\`" "$rpl" trace query s.rpls ''
expect "trace: a page" 0 '*' "" "$rpl" trace html s.rpls
cp out page.html
expect "trace: a page in a file" 0 "" "" "$rpl" trace html s.rpls -o other.html
cmp -s page.html other.html || fail "expected the same page"
expect "trace: a page in no folder" 6 "" "none/page.html: cannot be written" \
  "$rpl" trace html s.rpls -o none/page.html
expect "trace: a page in place of its session" 2 "" "this is the session itself" \
  "$rpl" trace html s.rpls -o ./s.rpls
expect "trace: the session is as it was" 0 "" "sound: " "$rpl" trace verify s.rpls
expect "trace: a page of no session" 6 "" "none.rpls" "$rpl" trace html none.rpls
expect "trace: a page of what is no session" 6 "" "trip.md" "$rpl" trace html trip.md
expect "trace: export" 0 '*' "" "$rpl" trace export s.rpls
cp out trace.rpl
expect "a trace restores what stood" 0 '{"?where":"Lucca","?nights":3}' "" "$rpl" run trip.md trace.rpl
printf '# Pack - pack(?what)\nWhat?\n' >packs.md
printf '%%go(?x) <- packs.md#pack(?x)\n' >uses-packs.rpl
"$rpl" run uses-packs.rpl --session packs.rpls --answer what=tent >/dev/null 2>&1
"$rpl" trace export packs.rpls >elsewhere-trace.rpl
mkdir -p alone && mv elsewhere-trace.rpl alone/trace.rpl
expect "an export is clean" 0 "" "clean: 1 file" "$rpl" check --strict alone/trace.rpl
expect "an export with a file's names restores what stood" 0 "tent" "" \
  "$rpl" run uses-packs.rpl alone/trace.rpl
expect "trace: export with hashes" 0 '*' "" "$rpl" trace export s.rpls --format ndjson
grep -q '^{"event":1,"kind":"program","body":' out || fail "expected the first event"
cp out lines.ndjson
expect "trace: verify an export" 0 "" "sound: " "$rpl" trace verify lines.ndjson
sed '3{h;d};4{G}' lines.ndjson >swapped.ndjson
expect "trace: verify finds swapped lines" 1 "" "line 3 is not what was written" \
  "$rpl" trace verify swapped.ndjson
sed '5d' lines.ndjson >missing.ndjson
expect "trace: verify finds a missing line" 1 "" "line 5 is not what was written" \
  "$rpl" trace verify missing.ndjson
sed '$d' lines.ndjson >short.ndjson
expect "trace: verify finds a missing end" 1 "" "is missing" "$rpl" trace verify short.ndjson
sed 's/Lucca/Pisas/' lines.ndjson >changed.ndjson
expect "trace: verify finds a changed letter" 1 "" "is not what was written" \
  "$rpl" trace verify changed.ndjson
cp s.rpls other.rpls
expect "trace: diff of the same" 0 "" "in common" "$rpl" trace diff s.rpls other.rpls
"$rpl" run trip.md --session third.rpls --answer where=Rome </dev/null >/dev/null 2>&1
expect "trace: diff" 1 '*' "0 entries in common" "$rpl" trace diff s.rpls third.rpls
grep -q '^+ 2.1 reply      place(?where) ^^ {?where "Rome"} -> true$' out || fail "expected the other reply"
# Bits of the file: each is found, or changes nothing that is read.
size=$(stat -c %s s.rpls)
for ((at = 137; at < size; at += 419)); do
  cp s.rpls flipped.rpls
  byte=$(dd if=s.rpls bs=1 skip="$at" count=1 2>/dev/null | od -An -tu1)
  # shellcheck disable=SC2059
  printf "$(printf '\\%03o' $((byte ^ 4)))" | dd of=flipped.rpls bs=1 seek="$at" conv=notrunc 2>/dev/null
  if "$rpl" trace verify flipped.rpls >/dev/null 2>&1 &&
    ! "$rpl" trace show flipped.rpls 2>/dev/null | cmp -s - shown; then
    name="a flipped bit at $at"
    fail "it was not found"
  fi
done
expect "trace: a file that is no session" 6 "" "not a session of rpl" "$rpl" trace show trip.md
expect "trace: a missing file" 6 "" "none.rpls: no such file" "$rpl" trace show none.rpls
expect "resume: a missing file" 6 "" "none.rpls: no such file" "$rpl" resume none.rpls
expect "run: a program with errors leaves no session" 2 '*' "RPL1003" \
  "$rpl" run unclosed.rpl --session new.rpls
[[ ! -e new.rpls ]] || fail "expected no file"
sed -i 's/How long?/How many nights?/' trip.md
expect "resume: a changed program is told and taken in" 3 '*' "the program has changed: 2 sentences" \
  "$rpl" resume third.rpls
grep -qF 'How many nights?' err || fail "expected the new question"
printf '# Broken - %%trip(?x <- a(?x)\n' >>trip.md
expect "resume: a program with errors is refused" 2 '*' "trip.md:7:" "$rpl" resume third.rpls
mv trip.md gone.md
expect "resume: a program that is gone" 3 '*' "going on with its text in the session" "$rpl" resume third.rpls
mv gone.md trip.md
mkfifo lines
"$rpl" run ask.md --session held.rpls <lines >/dev/null 2>&1 &
exec 9>lines
while ! [[ -s held.rpls-wal || -s held.rpls ]]; do sleep 0.05; done
sleep 0.2
expect "a session has one process at a time" 6 "" "another process has this session open" \
  "$rpl" resume held.rpls
exec 9>&-
wait

# From elsewhere: the program and its tools are found, and names do not depend on the folder.
mkdir -p away/protocols "away/my sessions" elsewhere
cat >away/protocols/stock.md <<'END'
# Order - %order(?what, ?left) <- what(?what), ?left = $left(?what)

# What - what(?what)
What is ordered?

# Left - $left(?what)
Looks into the stock.
END
cat >away/protocols/left.sh <<'END'
#!/usr/bin/env bash
IFS= read -r request
id=${request#*'"id":"'}
printf '{"id":"%s","result":7}\n' "${id%%'"'*}"
END
chmod +x away/protocols/left.sh
printf 'version: 1\ntools: {left: {command: [./left.sh], permission: allow}}\n' >away/protocols/rpl.yaml
kept="away/my sessions/one.rpls"
expect "away: it waits, and says how to go on" 3 "" "saved: go on with \`rpl resume 'my sessions/one.rpls'\`" \
  env -C away "$rpl" run protocols/stock.md --session "my sessions/one.rpls"
sed -i 's/What is ordered?/What do you order?/' away/protocols/stock.md
expect "away: a change is found from above" 3 "" "What do you order?" "$rpl" resume "$kept"
sed -i 's/What do you order?/What shall it be?/' away/protocols/stock.md
expect "away: a change outside both folders is told, and not read" 3 "" "What do you order?" \
  env -C elsewhere "$rpl" resume "../$kept"
grep -q 'stock.md changed, and is neither below' err || fail "expected a note of the change"
sed -i 's/What shall it be?/What do you order?/' away/protocols/stock.md
expect "away: its tools are found, too" 0 '{"?what":"nuts","?left":7}' "satisfied" \
  env -C elsewhere "$rpl" resume "../$kept" --answer what=nuts --allow-tool left
expect "away: run from elsewhere is the same program" 0 '{"?what":"nuts","?left":7}' "satisfied" \
  env -C away/protocols "$rpl" run ./stock.md --session "../my sessions/one.rpls"
expect "away: no path of this machine is kept" 0 "*" "" "$rpl" trace export "$kept" --format ndjson
grep -qF "$folder" out && fail "expected no $folder"
mv away moved
expect "away: the folder may move" 0 '{"?what":"nuts","?left":7}' "satisfied" \
  "$rpl" resume "moved/my sessions/one.rpls"
grep -q 'note:' err && fail "expected no note"
expect "another program is refused" 2 "" "this is a session of \`trip.md\`, not of \`ask.md\`" \
  "$rpl" run ask.md --session s.rpls
grep -qF 'help: `rpl resume s.rpls` goes on with it' err || fail "expected what to do"
sed -i '$d' trip.md
mv trip.md voyage.md
expect "a program that was renamed is not another one" 0 "*" "satisfied" \
  "$rpl" run voyage.md --session other.rpls --answer ask=3
mv voyage.md trip.md
printf 'price("Lucca", 900)\nprice(?p, ?e), ?e > 800 -> false\n%%buy(?p) <- price(?p, _)\n' >budget.rpl
expect "a decision that nobody took is told" 1 "" "--answer 'what-now=VALUE'" \
  "$rpl" run budget.rpl --session budget.rpls
grep -qF 'saved: go on with `rpl resume budget.rpls`' err || fail "expected how to go on"
grep -qF -- '- retract price("Lucca", 900)' err || fail "expected what can be decided"
expect "a decision is taken later" 0 "Lucca" "" \
  "$rpl" resume budget.rpls --answer what-now=continue
grep -q 'saved:' err && fail "expected nothing to go on with"
expect "Ctrl-C in a session" 130 "" "saved: go on with \`rpl resume stopped.rpls\`" \
  timeout --foreground --preserve-status -s INT 1 "$rpl" run ask.md --session stopped.rpls < <(sleep 3)
expect "a session without name" 2 "" "--session: expected the name of a file" \
  "$rpl" run ask.md --session ""
expect "answers without name" 2 "" "--answers: expected the name of a file" \
  "$rpl" run ask.md --answers ""
expect "a configuration without name" 2 "" "--config: expected the name of a file" \
  "$rpl" run ask.md --config ""

# --- A host program ------------------------------------------------------------------------

expect "--answers -: a request and its reply" 0 '*' "satisfied" \
  "$rpl" run ask.md --answers - < <(echo '{"id":"draft(?draft-id)","value":"doc-42"}')
grep -q '^{"schema":"rpl.request/1","id":"draft(?draft-id)","kind":"ask","key":"draft-id",' out ||
  fail "expected a request"
expect "--answers -: a line that is no reply" 0 '*' 'expected a reply to draft(?draft-id)' \
  "$rpl" run ask.md --answers - < <(echo '{"id":"x"}'; echo '{"id":"draft(?draft-id)","value":"d"}')
grep -q '"again":true}$' out || fail "expected the request again"
expect "--answers -: declined" 1 '*' '%fail("declined: draft(?draft-id)"' \
  "$rpl" run ask.md --answers - < <(echo '{"id":"draft(?draft-id)","decline":true}')
expect "--answers -: cancelled" 3 '*' 'waiting for an answer' \
  "$rpl" run ask.md --answers - < <(echo '{"id":"draft(?draft-id)","cancel":true}')
printf -- '- match: {key: draft-id}\n  value: doc-7\n' >answers.yaml
expect "--answers: YAML" 0 "doc-7" "satisfied" "$rpl" run ask.md --answers answers.yaml
expect "--answers -: a blank line, and two answers in one" 0 '*' '"value" and "decline" stand together' \
  "$rpl" run ask.md --answers - \
  < <(printf '\n \n{"id":"draft(?draft-id)","value":"d","decline":true}\n{"id":"draft(?draft-id)","value":"d"}\n')
grep -q 'expected a JSON object' err && fail "expected no word on a blank line"
# refused NAME ERROR TEXT: a file of answers is refused, before anything runs.
refused() {
  printf '%s\n' "$3" >"refused.${4:-json}"
  expect "--answers: $1" 2 "" "refused.${4:-json}$2" "$rpl" run ask.md --answers "refused.${4:-json}"
  grep -qE 'json\.exception|Which draft' err && fail "expected our own words, and no question"
}
refused "not JSON" ':1:17: error RPL7001: `nul` is not JSON' '{"draft-id": nul}'
refused "nothing" ':2:1: error RPL7001: the text is empty' ''
refused "an unknown key" ': entry 1: unknown key "valu"' '[{"match":{"key":"draft-id"},"valu":1}]'
grep -qF 'help: did you mean "value"?' err || fail "expected a hint"
refused "two answers in one" ': entry 1: "value" and "cancel" stand together' \
  '[{"match":{"key":"draft-id"},"value":1,"cancel":true}]'
refused "a key that occurs twice" ': the key "draft-id" occurs twice' '{"draft-id":1,"draft-id":2}'
refused "a match that is no object" ': entry 1: expected an object for "match", got a string' \
  '[{"match":"draft-id","value":1}]'
refused "an integer with too many digits" ': an integer has more than 100000 digits' \
  "{\"draft-id\":1$(printf '%0100000d' 0)}"
refused "YAML: an integer with too many digits" ':1:11: error RPL7007: an integer has more than 100000 digits' \
  "draft-id: 1$(printf '%0100000d' 0)" yaml
refused "YAML: a key that occurs twice" ':2:1: error RPL7005' $'draft-id: 1\ndraft-id: 2' yaml
refused "YAML: an unknown key" ': entry 1: unknown key "valu"' $'- match: {key: draft-id}\n  valu: 1' yaml
printf '[{"match":{"key":"draft-id"},"metadata":{"a":1}}]' >refused.json
expect "--answers: metadata for a question of a heading" 2 "" \
  '"metadata" is of a tool'"'"'s result, and draft(?draft-id) is asked for by a heading' \
  "$rpl" run ask.md --answers refused.json
printf -- 'draft: [1\n' >broken.yaml
expect "--answers: broken YAML" 2 "" "broken.yaml:" "$rpl" run ask.md --answers broken.yaml

# --- What an answer becomes -----------------------------------------------------------------------

cat >release.md <<'END2'
# Release - %release(?version) <- version(?version), confirmed(?version)

## Version - version(?version)

Which version?

## Confirmed - confirmed(?v) <- version(?v), $ask("Release {?v}?") ^ ~ {:result "yes", :by :person}
END2
for version in 2.10 0042 007 1.0 1e3 2.1 -5 12345678901234567890123; do
  expect "--answer keeps $version" 0 "$version" "" \
    "$rpl" run release.md --answer version=$version --answer ask=yes --answers-by person
  expect "a line of input keeps $version" 0 "$version" "Release $version?" \
    "$rpl" run release.md --answers-by person < <(printf '%s\nyes\n' "$version")
done
printf '%%codes(?a, ?b) <- ?a = $x, ?b = $y\n' >codes.rpl
expect "a code is a text, a number is none" 0 '{"?a":"007","?b":7}' "" \
  "$rpl" run codes.rpl --answer x=007 --answer y=7

# --- Hints -------------------------------------------------------------------------------------

printf '# Shop - %%buy(?item, ?n) <- want(?item), $stock(?item) ^ ~ {:result ?n}, ?n > 0\n\n## Want - want(?item)\n\nWhat?\n\n## Stock - $stock(?item)\n\nCounts.\n' >shop.md
expect "a tool without a command" 3 "" 'help: a command for the tool `$stock` is named in `rpl.yaml`, see docs/tools.md' \
  "$rpl" run shop.md --answer want=nuts
expect "a misspelled key" 3 "" 'note: nothing asked for the answer `stokc`, did you mean `stock`?' \
  "$rpl" run shop.md --answer want=nuts --answer stokc=3
expect "an answer of the wrong kind" 1 "" '`>` orders two numbers or two strings, got a string and a number: "three" and 0' \
  "$rpl" run shop.md --answer want=nuts --answer stock=three
expect "standard input as a file" 6 "" '-: no such file; standard input is the file `/dev/stdin`' "$rpl" check -
expect "standard input as a file: it can be read" 0 "*" 'clean: 1 file' "$rpl" check /dev/stdin <shop.md
"$rpl" run shop.md --session shop.rpls --answer want=nuts --answer stock=3 >/dev/null 2>&1
expect "an answer that stands" 0 '{"?item":"nuts","?n":3}' \
  'help: it was answered before; `rpl resume --take-back want` takes that back' \
  "$rpl" resume shop.rpls --answer want=bolts
expect "a result that stands" 0 '{"?item":"nuts","?n":3}' \
  'help: `$stock("nuts")` was answered before; `rpl resume --take-back '"'"'$stock("nuts")'"'"'` takes that back' \
  "$rpl" resume shop.rpls --answer stock=4
echo '$stock("nuts") ^ ~ {:result 3} -> false' | "$rpl" repl --session shop.rpls >/dev/null 2>&1
expect "a result that is taken back" 0 '{"?item":"nuts","?n":4}' "" "$rpl" resume shop.rpls --answer stock=4
expect "a page in place of a document" 2 "" "this is a document of the session" \
  "$rpl" trace html shop.rpls -o ./shop.md
expect "a session in place of a program" 2 "" 'help: `rpl resume shop.rpls` goes on with it' "$rpl" run shop.rpls
expect "a heading without a blank" 0 "*" "" "$rpl" check <(printf '#Trip - %%trip(?to) <- to(?to)\n')
grep -qF 'this line reads like a heading' out || fail "expected a warning"
expect "a query of what is nowhere" 1 'no fact matches `wnat(_)`' \
  'note: nothing defines wnat/1, did you mean want/1?' "$rpl" query -f shop.md 'wnat(_)'
expect "a warning about a query" 1 "*" "RPL6006" "$rpl" query 'dish(X, 1)'
[[ $(grep -c RPL6006 err) == 1 ]] || fail "expected it once"
expect "why not, before anybody has answered" 3 "*" \
  "note: nobody has answered want(?item), which \`--answer 'item=VALUE'\` does" \
  "$rpl" explain -f shop.md --not '%buy("nuts", 3)'
expect "why not, answered" 0 "*" "" "$rpl" explain -f shop.md --not '%buy("nuts", 3)' --answer want=x --answer stock=1
name="why not, answered: nothing is said"
if [[ ! -s err ]]; then passed=$((passed + 1)); else fail "expected nothing"; fi
printf '{"rules": [{"priority": 1, "enabled": true, "name": "look", "selector": {"phase": "tool.before", "tool": {"name": "stock"}}, "condition": {"kind": "toolName", "op": "eq", "value": "stock"}, "effect": {"type": "hitl", "reason": "look"}}]}' >look.json
expect "a call that is held" 3 "" \
  'help: `rpl guard pending --store held.db` lists what is held, `rpl guard approve ID --store held.db` lets it pass' \
  "$rpl" run shop.md --answer want=nuts --policy look.json --store held.db
expect "a call that is held, in the store of the agent" 3 "" \
  'help: `rpl guard pending` lists what is held, `rpl guard approve ID` lets it pass' \
  env XDG_STATE_HOME="$PWD/held" "$rpl" run shop.md --answer want=nuts --policy look.json
expect "no command of trace" 2 "" 'rpl: trace: expected one of show, ' "$rpl" trace
expect "version is no command" 2 "" 'help: `rpl --version` says it' "$rpl" version
expect "the root goal shows nothing" 0 "*" "" "$rpl" check --together shop.md <(printf '%% <- %%buy(?item, _)\n')
grep -qF 'as in `%name(?item) <- …`' out || fail "expected how to see it"

# --- Limits --------------------------------------------------------------------------------

printf 'n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n%% <- n(-1)\n' >grows.rpl
{ for i in {1..300}; do echo "n($i)"; done; } >many.rpl
cp many.rpl cross.rpl
printf 'n(?x), n(?y), n(?z), n(?w), ?x + ?y + ?z + ?w = -1 -> false\n%% <- n(1)\n' >>cross.rpl
cp many.rpl wide.rpl
printf 'p(?x, ?y, ?z, ?w) <- n(?x), n(?y), n(?z), n(?w)\n%% <- p(-1, _, _, _)\n' >>wide.rpl
printf 'again(?n, ?a) <- ?a = $ask("q{?n}")\nloop(?n) <- again(?n, ?a), loop(?a)\n%% <- loop(1)\n' >loop.rpl
printf 'n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n%%count(?x) <- n(?x), ?x < 2\n' >counts.rpl
for command in run "query n(?x),?x<2 --file"; do
  # shellcheck disable=SC2086
  expect "answers that a limit cut off: $command" 0 $'0\n1' \
    'note: there may be more answers: limit reached: 5 rows, evaluation stopped while `n(?y) <- n(?x), ?y = ?x + 1` was still growing' \
    "$rpl" $command counts.rpl --max-rows 5
done
expect "answers that a limit cut off: reply" 0 $'0\n1' 'note: there may be more answers: limit reached: 5 rows' \
  "$rpl" reply --max-rows 5 <counts.rpl
expect "answers that a limit cut off, in JSON" 0 "*" "" "$rpl" run counts.rpl --max-rows 5 --format json
name="answers that a limit cut off, in JSON: it says so"
if grep -q '"cutOff":"limit reached: 5 rows' out; then passed=$((passed + 1)); else fail "expected cutOff"; fi
expect "what holds whatever else is found is not cut off" 0 "true" "" \
  "$rpl" query 'n(1)' --file counts.rpl --max-rows 5
name="what holds whatever else is found is not cut off: nothing is said"
if [[ ! -s err ]]; then passed=$((passed + 1)); else fail "expected nothing"; fi
expect "a limit of rows" 5 "" 'limit reached: 1000 rows", "evaluation stopped while `n(?y) <- n(?x), ?y = ?x + 1` was still growing; its newest row is n(' \
  "$rpl" run grows.rpl --max-rows 1000
expect "a limit of rounds" 5 "" 'limit reached: 50 rounds' "$rpl" run grows.rpl --max-rounds 50
expect "a limit of time, deriving" 5 "" 'limit reached: 0.2 seconds' "$rpl" run wide.rpl --max-time 0.2
expect "a limit of time, checking constraints" 5 "" 'limit reached: 0.2 seconds' "$rpl" run cross.rpl --max-time 0.2
expect "a limit of memory" 5 "" 'limit reached: 100 MB of memory' "$rpl" run wide.rpl --max-memory 100
expect "a limit of timesteps" 5 "" 'limit reached: 3 timesteps", "% was still waiting for $ask(' \
  "$rpl" run loop.rpl --max-timesteps 3 < <(seq 2 9)
# A million answers: what the limit allows of them is told.
{ for i in {1..1000}; do echo "n($i)"; done; echo '%pair(?x, ?y) <- n(?x), n(?y)'; } >pairs.rpl
expect "a limit of time, collecting answers" 5 "" 'limit reached: 0.7 seconds", "evaluation stopped while `%pair(' \
  "$rpl" run pairs.rpl --max-time 0.7
sed 's/^% <- .*/% <- n(7)/' wide.rpl >decided.rpl
expect "a goal that what was derived in time satisfies" 0 "" "satisfied" \
  "$rpl" run decided.rpl --max-time 0.2
for value in soon -1 nan 1e10; do
  expect "a limit of time: $value" 2 "" "--max-time: expected a number from 0 to 1000000000, got \`$value\`" \
    "$rpl" run grows.rpl --max-time "$value"
done
for value in -1 1.5 100001 99999999999999999999999; do
  expect "a limit of depth: $value" 2 "" "--max-depth: expected a whole number from 0 to 100000, got \`$value\`" \
    "$rpl" run grows.rpl --max-depth "$value"
done
printf 'down(0, 1)\ndown(?n, ?m) <- ?n > 0, ?k = ?n - 1, down(?k, ?m)\n%%g(?m) <- down(1000000, ?m)\n' >down.rpl
expect "the largest depth is a limit, too" 5 "" "limit reached: 100000 nested calls" \
  "$rpl" run down.rpl --max-depth 100000
expect "the help of a limit has its range" 0 "*" "" "$rpl" run --help
grep -qF 'Nested calls, 0 for the maximum; 0 to 100000 (default: 20000)' out || fail "expected a range and a default"
expect "a run that was cut off goes on from its file" 5 "" 'limit reached: 0.2 seconds' \
  "$rpl" run wide.rpl --max-time 0.2 --session cut.rpls
expect "nothing of what was cut off is kept" 0 "" "sound: 1 events" "$rpl" trace verify cut.rpls

# --- Profiles ------------------------------------------------------------------------------

for i in {0..199}; do
  printf 'city("c%s")\nroad("c%s", "c%s")\n' "$i" "$i" $((i * 7 % 200))
done >roads.rpl
printf 'near(?x, ?z) <- city(?x), road(?y, ?z), road(?x, ?y)\n%% <- near("c1", _)\n' >near.rpl
printf 'near(?x, ?z) <- city(?x), road(?x, ?y), road(?y, ?z)\n%% <- near("c1", _)\n' >good.rpl
expect "profile: counts without times, and what to change" 0 "$(
  cat <<'END'
 rows | duplicates | runs | kind    | rule
------+------------+------+---------+--------------------------------------------------------------------
  200 |          0 |    1 | derived | near.rpl:1:1: near(?x, ?z) <- city(?x), road(?y, ?z), road(?x, ?y)
    1 |          0 |    1 | proof   | near.rpl:1:1: near(?x, ?z) <- city(?x), road(?y, ?z), road(?x, ?y)
    1 |          0 |    1 | goal    | near.rpl:2:1: % <- near("c1", _)

 index  | columns | rows | keys | KB | probes
--------+---------+------+------+----+--------
 near/2 | 1       |  200 |  200 |  7 |      1
 road/2 | 2       |  200 |  200 |  7 |      1

near.rpl:1:27: ?y is bound only later: `road(?y, ?z)` is read whole for each row of `city(?x)`: 200 x 200 rows
help: write `road(?x, ?y)` before `road(?y, ?z)`
END
)" "satisfied: %" "$rpl" profile near.rpl roads.rpl --no-times
"$rpl" profile near.rpl roads.rpl --no-times --format json >counted
expect "profile: the same counts by three threads" 0 "$(cat counted)" "" \
  "$rpl" profile near.rpl roads.rpl --no-times --format json --threads 3
expect "profile: a good plan" 0 "*" "satisfied: %" "$rpl" profile good.rpl roads.rpl
grep -q 'read whole' out && fail "expected no hint"
grep -qE '^[0-9.]+ ms in all: reading [0-9.]+, deriving [0-9.]+, goals' out || fail "expected times"
expect "profile: the first rule and index" 0 "*" "" "$rpl" profile near.rpl roads.rpl --top 1
[[ $(grep -cE '(derived|goal) +\|| (road|near)/2 ' out) == 2 ]] || fail "expected one of each"
expect "profile: none of them" 2 "" "--top: " "$rpl" profile near.rpl --top 0

# --- Tools ---------------------------------------------------------------------------------

export XDG_STATE_HOME=$folder/state
mkdir -p tools
printf '%% <- ?r = $hang()\n' >tools/hang.rpl
printf 'version: 1\ntools: {hang: {command: [sleep, "600.25"], permission: allow}}\n' >tools/rpl.yaml
printf 'version: 1\ntool: {}\n' >tools/bad.yaml
expect "check: a tool of the configuration is declared" 0 "*" "0 errors" \
  "$rpl" check --strict tools/hang.rpl
cp tools/hang.rpl tools/rpl.yaml elsewhere
mv elsewhere/rpl.yaml elsewhere/tools.yaml
expect "check: a tool of nobody" 1 "*" "1 error" "$rpl" check --strict elsewhere/hang.rpl
grep -qF 'RPL5001' out || fail "expected RPL5001"
expect "check: --config" 0 "*" "0 errors" \
  "$rpl" check --strict elsewhere/hang.rpl --config elsewhere/tools.yaml
expect "check: a bad configuration" 2 "" "bad.yaml:2:1: error RPL7004" \
  "$rpl" check tools/hang.rpl --config tools/bad.yaml
expect "check: no such configuration" 6 "" "none.yaml: No such file" \
  "$rpl" check tools/hang.rpl --config none.yaml
expect "run: a bad configuration" 2 "" "bad.yaml:2:1: error RPL7004: unknown key \`tool\`" \
  "$rpl" run tools/hang.rpl --config tools/bad.yaml
expect "run: no such configuration" 6 "" "none.yaml: No such file" \
  "$rpl" run tools/hang.rpl --config none.yaml
expect "run: no such tool to allow" 2 "" "has no tool \`hnag\`" \
  "$rpl" run tools/hang.rpl --allow-tool hnag
expect "run: a command that nobody approved" 4 "" "its command is not approved" \
  "$rpl" run tools/hang.rpl
expect "run: an answer comes before the command" 0 "*" "satisfied" \
  "$rpl" run tools/hang.rpl --answer hang=1
expect "Ctrl-C while a tool runs" 130 "" "interrupted" \
  timeout --foreground --preserve-status -s INT 1 "$rpl" run tools/hang.rpl --allow-tool hang
grep -qs '^sleep.600\.25' /proc/[0-9]*/cmdline && fail "expected the tool to be ended"

# A run that two questions and a slow tool make long: begun, killed while the tool runs,
# gone on with from other processes. Each question is asked once, the tool runs once.
cat >tools/slow.sh <<'END'
#!/usr/bin/env bash
IFS= read -r request
echo ran >>"$(dirname "$0")/ran"
while [[ ! -e $(dirname "$0")/go ]]; do sleep 0.05; done
id=${request#*'"id":"'}
printf '{"id":"%s","result":"done"}\n' "${id%%'"'*}"
END
chmod +x tools/slow.sh
cat >tools/long.md <<'END'
# Long - %long(?a, ?r, ?b) <- first(?a), ?r = $slow(?a), second(?b)

# First - first(?a)
First question?

# Second - second(?b)
Second question?

# Slow - $slow(?a)
It takes its time.
END
printf 'version: 1\ntools: {slow: {command: [./slow.sh], permission: allow}}\n' >tools/rpl.yaml
expect "long: it waits for the first answer" 3 "" "First question?" \
  "$rpl" run tools/long.md --session long.rpls
"$rpl" resume long.rpls --answer a=1 --allow-tool slow </dev/null >/dev/null 2>&1 &
while [[ ! -s tools/ran ]]; do sleep 0.05; done
kill -9 $!
wait $! 2>/dev/null
touch tools/go
expect "long: a call that was cut off is in doubt" 3 "" 'waiting for' \
  "$rpl" resume long.rpls --allow-tool slow
grep -qF '`rpl resume long.rpls --retry slow` calls it again' err || fail "expected how to retry"
grep -qF '$slow("1")' err || grep -qF '$slow(1)' err || fail "expected the call"
expect "long: its result is given from elsewhere" 3 "" "Second question?" \
  "$rpl" resume long.rpls --answer slow=done --allow-tool slow
expect "long: it finishes" 0 '{"?a":1,"?r":"done","?b":2}' "satisfied" \
  "$rpl" resume long.rpls --answer b=2 --allow-tool slow
[[ $(cat tools/ran) == ran ]] || fail "expected the tool to run once"
"$rpl" trace export long.rpls >long.rpl
expect "long: its trace finishes without asking" 0 '{"?a":1,"?r":"done","?b":2}' "satisfied" \
  "$rpl" run tools/long.md long.rpl
"$rpl" trace replay long.rpls >replayed
for ((i = 0; i < 1000; i++)); do
  env -i A="$(printf '%*s' $((i * 7 % 4096)) '')" "$rpl" trace replay long.rpls | cmp -s - replayed || break
done
name="1,000 replays print the same bytes"
((i == 1000)) && pass || fail "replay $i differs"
printf 'version: 1\ntools: {slow: {command: ["false"], permission: allow}}\n' >tools/rpl.yaml
expect "a tool that failed decides" 4 "" '$slow(1) failed: ' \
  "$rpl" run tools/long.md --session retry.rpls --answer a=1 --allow-tool slow
printf 'version: 1\ntools: {slow: {command: [./slow.sh], permission: allow}}\n' >tools/rpl.yaml
expect "a failure stands, and can be retried" 4 "" 'saved: call again with `rpl resume retry.rpls --retry slow`' "$rpl" resume retry.rpls --allow-tool slow
expect "resume --retry: another tool" 2 "" "--retry: no call of \`fast\` failed or is in doubt" \
  "$rpl" resume retry.rpls --allow-tool slow --retry fast
grep -qF 'help: these can be made again: $slow(1)' err || fail "expected what can be retried"
expect "resume --retry" 3 "" "Second question?" \
  "$rpl" resume retry.rpls --allow-tool slow --retry slow
: >tools/ran
expect "resume --retry of what went well" 2 "" 'no call of `slow` failed or is in doubt' \
  "$rpl" resume retry.rpls --allow-tool slow --retry slow
[[ ! -s tools/ran ]] || fail "expected no call"

# --- Text that drives a terminal ---------------------------------------------------------

esc=$'\e[31m'
shown='\u001b[31m\u202e\u009b'
hostile=$esc$'\u202e\u009b'
printf '%%w(?x) <- ?x = $ask("Q\\u001b[2J\\u202e")\n' >hostile.rpl
expect "hostile: an answer of run" 0 "a${shown}b" "" \
  "$rpl" run hostile.rpl --session hostile.rpls < <(printf 'a%sb\n' "$hostile")
plain
grep -qF 'Q\u001b[2J\u202e' err || fail "expected the question escaped"
expect "hostile: resume" 0 "a${shown}b" "" "$rpl" resume hostile.rpls
plain
expect "hostile: trace query" 0 "a${shown}b" "" \
  "$rpl" trace query hostile.rpls '%w(?x) <- ?x = $ask("Q\u001b[2J\u202e")'
plain
expect "hostile: trace show" 0 "*" "" "$rpl" trace show hostile.rpls
plain
expect "hostile: what it waits for" 3 "" 'Q\u001b[2J\u202e' "$rpl" run hostile.rpl
plain
printf 'p("%s")\n%%w(?x) <- p(?x)\n' "$hostile" >hostile.md
expect "hostile: reply" 0 "$shown" "" "$rpl" reply hostile.md
plain
expect "hostile: chat" 0 "\"$shown\"" "" "$rpl" reply <<<'%w <- ?x = $ask("Q"), $json(?x)' \
  --answer "ask=$hostile"
plain
printf 'p("%s")\n%%fail(?x, ?x) <- p(?x)\n%% <- p(1)\n' "$hostile" >hostile.md
expect "hostile: %fail" 1 "*" "" "$rpl" reply hostile.md
plain
cp hostile.md "$hostile.rpl"
expect "hostile: parse" 0 "*" "" "$rpl" parse "$hostile.rpl"
plain
expect "hostile: %fail of run, the log" 1 "" "%fail(" "$rpl" run "$hostile.rpl" --log phases
plain
for command in run parse check fmt test reply resume doc profile verify "trace show" "trace html" \
  "explain p -f" "query p(1) -f" "guard --policy" "repl --session /none/"; do
  # shellcheck disable=SC2086
  expect "hostile: $command of a file's name" 6 "*" "$shown" "$rpl" $command "none$hostile"
  plain
done
expect "hostile: a word of the command line" 2 "" "$shown" "$rpl" run "$hostile.rpl" "--$hostile"
plain
expect "hostile: an answer that nothing asked for" 1 "" "$shown" \
  "$rpl" run "$hostile.rpl" --answer "$hostile=1"
plain
expect "hostile: an answer that is none" 2 "" "$shown" "$rpl" run "$hostile.rpl" --answer "$hostile"
plain

# --- Every command, every end --------------------------------------------------------------

# ends CODE COMMAND…: it ends so, and what it prints is plain text; nobody answers.
ends() {
  expect "${*:2} ends with $1" "$1" "*" "" "$rpl" "${@:2}" </dev/null
  plain
}
# stopped SIGNAL CODE SECONDS COMMAND…: the signal ends it after some time, without input.
stopped() {
  expect "${*:4} is stopped by $1" "$2" "*" "" \
    timeout --preserve-status -s "$1" "$3" "$rpl" "${@:4}" < <(sleep $(($3 + 2)))
  plain
}

mkdir -p ends && cd ends || exit 1
printf 'p(1)\n%%go(?x) <- p(?x)\n' >yes.rpl
printf 'p(1)\n%%go(?x) <- p(?x), ?x > 1\n' >no.rpl
printf 'p(1\n' >bad.rpl
printf '# Go - %%go(?x) <- p(?x)\n\n# P - p(?x)\n\nWhich?\n' >asks.md
printf '%%go(?x) <- ?x = $stub(1)\n' >calls.rpl
printf 'version: 1\ntools: {stub: {command: ["false"], permission: allow}}\n' >rpl.yaml
printf 'n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n%%go(?x) <- n(?x), ?x < 0\n' >grows.rpl
printf 'p( 1 )\n' >untidy.rpl
printf 'p(1)\n' >tidy.rpl
printf '## A\n\n```rpl-test\nUSER:\n%% <- 1 = 1\nAGENT:\ntrue\n```\n' >passes.md
printf '## A\n\n```rpl-test\nUSER:\n%% <- 1 = 2\nAGENT:\ntrue\n```\n' >fails.md
printf '## A\n\n```rpl-test\nUSR:\n```\n' >malformed.md
{ printf '## A\n\n```rpl-test\nUSER:\n'; cat ../cross.rpl; printf 'AGENT:\ntrue\n```\n'; } >endless.md

ends 0 --help
ends 0 --version
for command in run resume reply test check explain parse fmt trace; do
  ends 0 help $command
  ends 0 $command --help
  ends 2 $command --no-such-option
done
for part in show query export verify diff replay; do
  ends 0 trace $part --help
  ends 2 trace $part
  more=()
  [[ $part != query ]] || more=('% <- p(1)')
  [[ $part != diff ]] || more=(none.rpls)
  ends 6 trace $part none.rpls "${more[@]}"
done

ends 0 run yes.rpl
ends 1 run no.rpl
ends 2 run bad.rpl
ends 3 run asks.md
ends 4 run calls.rpl --allow-tool stub
ends 5 run grows.rpl --max-rows 100
ends 6 run none.rpl
ends 6 run yes.rpl --session none/s.rpls
stopped INT 130 1 run asks.md
stopped TERM 143 1 run asks.md

ends 0 profile yes.rpl
ends 1 profile no.rpl
ends 2 profile bad.rpl
ends 3 profile asks.md
ends 4 profile calls.rpl --config rpl.yaml --allow-tool stub
ends 5 profile grows.rpl --max-rows 100
ends 6 profile none.rpl
stopped INT 130 1 profile asks.md
stopped TERM 143 1 profile asks.md

ends 0 run yes.rpl --session yes.rpls
ends 1 run no.rpl --session no.rpls
ends 3 run asks.md --session asks.rpls
ends 4 run calls.rpl --session calls.rpls --allow-tool stub
ends 5 run grows.rpl --session grows.rpls --max-rows 100
ends 0 resume yes.rpls
ends 1 resume no.rpls
ends 2 resume asks.rpls --retry stub
ends 3 resume asks.rpls
ends 4 resume calls.rpls --allow-tool stub
ends 5 resume grows.rpls --max-rows 100
ends 6 resume none.rpls
stopped INT 130 1 resume asks.rpls
stopped TERM 143 1 resume asks.rpls
ends 0 resume asks.rpls --answer x=1
ends 0 trace verify asks.rpls

ends 0 reply yes.rpl
ends 1 reply no.rpl
ends 2 reply bad.rpl
printf '%%go(?x) <- ?x = $ask("Which?")\n' >question.rpl
ends 3 reply question.rpl
ends 4 reply calls.rpl --config rpl.yaml --allow-tool stub
ends 5 reply grows.rpl --max-rows 100
ends 6 reply none.rpl
stopped INT 130 1 reply
stopped TERM 143 1 reply

ends 0 test passes.md
ends 1 test passes.md fails.md
ends 2 test malformed.md
ends 6 test none.md
stopped INT 130 1 test endless.md

ends 0 check yes.rpl
ends 1 check bad.rpl
ends 2 check yes.rpl --config yes.rpl
ends 6 check none.rpl

ends 0 explain -f yes.rpl 'p(1)'
ends 1 explain -f yes.rpl 'p(2)'
ends 2 explain -f bad.rpl 'p(1)'
ends 6 explain -f none.rpl 'p(1)'
stopped INT 130 1 explain -f ../cross.rpl 'n(-1)'

ends 0 parse yes.rpl
ends 2 parse bad.rpl
ends 6 parse none.rpl

ends 0 fmt tidy.rpl
ends 1 fmt --check untidy.rpl
ends 1 fmt --diff untidy.rpl
ends 2 fmt bad.rpl
ends 6 fmt none.rpl

ends 0 trace show yes.rpls
ends 0 trace export yes.rpls
ends 0 trace verify yes.rpls
ends 0 trace replay yes.rpls
ends 0 trace diff yes.rpls yes.rpls
ends 1 trace diff yes.rpls asks.rpls
ends 0 trace query yes.rpls '% <- p(1)'
ends 1 trace query yes.rpls '% <- p(2)'
ends 2 trace query yes.rpls 'p(1)'
ends 3 trace query yes.rpls '% <- ?x = $ask("Which?")'
cp yes.rpls damaged.rpls
sed -i 's/p(1)/p(7)/' damaged.rpls
ends 1 trace verify damaged.rpls
for part in show export replay; do ends 6 trace $part damaged.rpls; done
ends 6 trace query damaged.rpls '% <- p(1)'
ends 6 trace diff yes.rpls damaged.rpls
ends 6 resume damaged.rpls
cd ..

# --- Streams and signals -----------------------------------------------------------------

# A reader that leaves ends the program without a word.
expect "a closed pipe" 0 "*" "" bash -c '"$1" help 2>&1 | head -n 1' - "$rpl"
expect "a full disk" 6 "*" "cannot write to standard output" bash -c '"$1" help >/dev/full' - "$rpl"
# timeout puts the program into its own process group, where SIGINT is not ignored.
expect "Ctrl-C while waiting for a line" 130 "" "Which draft?" \
  timeout --foreground --preserve-status -s INT 1 "$rpl" run ask.md < <(sleep 3)

# --- What a program consists of ----------------------------------------------------------

# has TEXT: the last command printed it.
has() {
  if grep -qF -- "$1" out; then pass; else fail "expected $1"; fi
}

cat >shop.md <<'END'
# Order - %order(?what) <- wanted(?what), stocked(?what), not %closed

Orders one thing. Once.

## Wanted - wanted(?what)

What is wanted, of the __known things__?

## Stocked - stocked(?what) <- shelf.md#on-shelf(?what, ?many), ?many > 0, $count(?what) ^ ~ {:result ?n}

```rpl
known-things("nut")
known-things("bolt")
known-things("a | b")
%closed <- holiday(now) | (holiday(?d), |known-things(_)| = 0)
holiday(?d) -> announced(?d)
```
END
printf '# On shelf - on-shelf(?what, ?many)\nHow many | are there?\n' >shelf.md
expect "doc: a catalogue" 0 '*' "" "$rpl" doc shop.md
has '| `%order/1` | goal | Orders one thing. | `shop.md:1` |  |  | `%closed/0`, `wanted/1`, `stocked/1` |  |'
has '| `known-things/1` | relation |  | `shop.md:12` | 3 | nobody |  | `%closed/0`, `wanted/1` |'
has '| `stocked/1` | relation |  | `shop.md:9` |  | nobody | `$count/1`, `shelf.md#on-shelf/2` | `%order/1` |'
has '## `shelf.md`'
has '| `shelf.md#on-shelf/2` | relation | How many \| are there? | `shelf.md:1` |  | everybody |  | `stocked/1` |'
has '- `holiday(?d) -> announced(?d)`, `shop.md:16`, reads `holiday/1`, `announced/1`'
cp out catalogue.md
expect "doc: the same bytes again" 0 "$(cat catalogue.md)" "" "$rpl" doc shop.md
expect "doc: a graph of Graphviz" 0 '*' "" "$rpl" doc shop.md --format dot
has 'n0 [shape=oval, label="%order/1"];'
has 'n0 -> n1;'
has 'subgraph cluster_0 {'
expect "doc: a flow chart of Mermaid" 0 '*' "" "$rpl" doc shop.md --format mermaid
has 'n0(["#37;order/1"])'
has 'subgraph s0["shelf.md"]'
has 'n0 --> n1'
for n in {1..300}; do printf 'r%d(?x) <- s%d(?x)\n' "$n" "$n"; done >wide.rpl
printf '%% <- r300(?x)\n' >>wide.rpl
expect "doc: a graph that is cut says so" 0 '*' "note: the graph is cut: 150 of 601 nodes" \
  "$rpl" doc wide.rpl --format mermaid
has 'cut["cut#58; 150 of 601 nodes'
has '"r300/1"'
expect "doc: a cut graph in a catalogue, too" 0 '*' "note: the graph is cut" "$rpl" doc wide.rpl
has 'The graph is cut: 150 of 601 nodes and '
expect "doc: Graphviz draws more" 0 '*' "" "$rpl" doc wide.rpl --format dot
expect "doc: a program with an error" 2 "" "unclosed.rpl:1:3: error RPL1003" "$rpl" doc unclosed.rpl
printf 'p(?x) <- none.md#p(?x)\n' >astray.rpl
expect "doc: a namespace without its file" 0 "*" 'no file `none.md`' "$rpl" doc astray.rpl
expect "doc: a missing file" 6 "" "none.md: No such file or directory" "$rpl" doc none.md
expect "doc: another format" 2 "" "--format" "$rpl" doc shop.md --format svg
mkdir -p lent
cat >lent/sizes.md <<'END'
# Size - size(?size)

Choose one __known-size__.

known-size("small")
known-size("large")
END
printf '# Trip - %%trip(?s) <- sizes.md#size(?s)\n\nPack for __s__.\n' >lent/trip.md
expect "a document that is read by its name offers its choices" 3 "*" "    - large" \
  "$rpl" run lent/trip.md </dev/null
expect "and takes one of them" 0 large "" "$rpl" run lent/trip.md --answer size=large
expect "doc: prose alone" 0 '*' "" "$rpl" doc prose.md

# Namespaces and `$index` follow no link out of the folder.
mkdir -p "$folder/links/home" "$folder/links/sent"
printf '# N - note(?x)\n\n```rpl\nnote("SECRET")\n```\n' >"$folder/links/home/diary.md"
ln -s ../home/diary.md "$folder/links/sent/diary.md"
printf '%%a(?x) <- diary.md#note(?x)\n' >"$folder/links/sent/p.rpl"
printf '$index("diary.md")\n%%a(?x) <- note(?x)\n' >"$folder/links/sent/q.rpl"
expect "a namespace that is a link" 1 "" 'sent/diary.md` is a link' "$rpl" run "$folder/links/sent/p.rpl"
expect "a source that is a link" 4 "" 'sent/diary.md` is a link' "$rpl" run "$folder/links/sent/q.rpl"

finish
