#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/docs_test.sh
#
# Runs the transcripts of README.md and docs/*.md: fences of `sh` with lines that start
# with `$ `. Such a line is a command, lines that start with `> ` right below it continue
# it, and the lines up to the next command are exactly what it prints on standard output.
# Commands run at the root of the repository, after ./dev build, without input. The last
# line is `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

passed=0
failed=0
place=
command=
wanted=

# Runs the command that was read, if there is one, and compares.
check() {
  [[ -n $command ]] || return 0
  local got
  got=$(bash -c "$command" </dev/null 2>/dev/null; printf .)
  if [[ $got == "$wanted." ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: %s\nexpected\n%s\ngot\n%s\n' "$place" "$command" "$wanted" "${got%.}"
  fi
  command=
  wanted=
}

for page in README.md docs/*.md; do
  [[ -f $page ]] || continue
  fence=  # the marks that close the open fence; empty outside
  transcript=no
  number=0
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    if [[ -z $fence ]]; then
      if [[ $line =~ ^(\`\`\`+)[[:space:]]*([^\`]*)$ ]]; then
        fence=${BASH_REMATCH[1]}
        [[ ${BASH_REMATCH[2]} == sh ]] && transcript=yes || transcript=no
      fi
    elif [[ $line == "$fence" ]]; then
      check
      fence=
    elif [[ $transcript == no ]]; then
      continue
    elif [[ $line == '$ '* ]]; then
      check
      command=${line#'$ '}
      place=$page:$number
    elif [[ -n $command && -z $wanted && $line == '> '* ]]; then
      command+=$'\n'${line#'> '}
    elif [[ -n $command ]]; then
      wanted+=$line$'\n'
    fi
  done <"$page"
  check
done

printf '%s passed, %s failed\n' "$passed" "$failed"
((failed == 0))
