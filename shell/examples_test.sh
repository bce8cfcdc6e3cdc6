#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/examples_test.sh RPL
#
# Each X below examples/ with an X.expected is run with X.answers on standard input, must be
# satisfied, and must print X.expected. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: examples_test.sh RPL}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

passed=0
failed=0
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

for expected in examples/*.expected examples/*/*.expected; do
  example=${expected%.expected}
  answers=$example.answers
  [[ -f $answers ]] || answers=/dev/null
  got=$("$rpl" run "$example" <"$answers" 2>"$errors"; printf 'exit %s' "$?")
  wanted=$(cat "$expected"; printf 'exit 0')
  if [[ $got == "$wanted" ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s\nexpected\n%s\ngot\n%s\nstandard error\n' "$example" "$wanted" "$got"
    cat "$errors"
  fi
done

printf '%s passed, %s failed\n' "$passed" "$failed"
((failed == 0))
