#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/examples_test.sh RPL
#
# Each X below examples/ with an X.expected is run with X.answers on standard input and the
# options of X.options (one word a line), must be satisfied, and must print X.expected. With an
# X.approved it is first held for the reviews named there (one a line), which are then approved.
# `rpl check --fix` makes X.fixed.md of an examples/old-spelling/X.md, and has nothing to do
# in X.fixed.md. Every example that is not spelled the old way is clean under
# `rpl check --strict`. examples/rulespec is verified, as it is and with a change that breaks.
# The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: examples_test.sh RPL}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/expect.sh

errors=$folder/errors
export XDG_STATE_HOME=$folder/state

# tally NAME STATUS: counts a check; a failed one shows its name and standard error.
tally() {
  if (($2 == 0)); then
    pass
  else
    failure "$1" "$(cat "$errors")"
  fi
}

for expected in examples/*.expected examples/*/*.expected; do
  example=${expected%.expected}
  answers=$example.answers
  [[ -f $answers ]] || answers=/dev/null
  options=()
  [[ ! -f $example.options ]] || mapfile -t options <"$example.options"
  if [[ -f $example.approved ]]; then
    "$rpl" run "$example" "${options[@]}" <"$answers" >/dev/null 2>&1
    tally "$example: expected it to be held" "$(($? != 3))"
    while read -r review; do
      reviews approve "$review" >"$errors" 2>&1
      tally "$example: expected it to ask for the review $review" $?
    done <"$example.approved"
  fi
  got=$("$rpl" run "$example" "${options[@]}" <"$answers" 2>"$errors"; printf 'exit %s' "$?")
  wanted=$(cat "$expected"; printf 'exit 0')
  if [[ $got == "$wanted" ]]; then
    pass
  else
    failure "$example" "expected" "$wanted" "got" "$got" "standard error" "$(cat "$errors")"
  fi
done

(cd examples/rulespec && "$rpl" verify envelope.yaml --rules house-rules.md --require-rulespec \
  --out "$folder") >"$errors" 2>&1
tally "examples/rulespec: expected the envelope to be accepted" $?
(cd examples/rulespec && sed 's/breaking: false/breaking: true/' envelope.yaml >"$folder/e.yaml" &&
  "$rpl" verify "$folder/e.yaml" --out "$folder") >"$errors" 2>&1
tally "examples/rulespec: expected predicate 7 alone to fail once the change breaks" \
  "$(grep -q '^Verification: 7/8 passed, 1 failed$' "$errors" &&
    grep -q 'error caps contains #7' "$errors"; echo $?)"

for fixed in examples/old-spelling/*.fixed.md; do
  old=${fixed%.fixed.md}.md
  copy=$folder/$(basename "$old")
  cp "$old" "$copy"
  "$rpl" check --fix "$copy" >"$errors" 2>&1
  diff -u "$fixed" "$copy" >>"$errors"
  tally "$old: expected --fix to make $fixed" $?
  "$rpl" check --fix "$copy" >"$errors" 2>&1
  diff -u "$fixed" "$copy" >>"$errors"
  tally "$fixed: expected --fix to change nothing" $?
done

for example in examples/*.md examples/*.rpl examples/guard/*.md examples/bind/*.md examples/*/*.fixed.md; do
  "$rpl" check --strict "$example" >"$errors" 2>&1
  tally "$example: expected it clean under check --strict" $?
done

finish
