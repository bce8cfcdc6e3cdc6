#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/docs_test.sh [RPL]
#
# Runs the transcripts of README.md, docs/*.md and std/std.md: fences of `sh` with lines that start
# with `$ `. Such a line is a command, lines that start with `>` right below it continue
# it, and the lines up to the next command are exactly what it prints on standard output.
# Commands run at the root of the repository, after ./dev build, without input.
#
# The programs on these pages are clean under `rpl check --strict`: those that a transcript
# hands over behind `<<'END'`, unless it adds to a file, and fences of `rpl`. docs/errors.md
# is left out, its programs are meant to provoke, and std/std.md is one program. RPL checks them, build/rpl by default. The
# last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/expect.sh

place=
command=
wanted=
program_name=program.rpl
program=  # where the open `rpl` fence begins; empty outside

# Runs the command that was read, if there is one, and compares.
run_command() {
  [[ -n $command ]] || return 0
  local got
  if [[ $command == *"<<'END'"$'\n'*$'\nEND' && $command != *'>>'*"<<'END'"* ]]; then
    got=${command#*$'\n'}
    [[ ${command%%$'\n'*} =~ \.md ]] && program_name=program.md || program_name=program.rpl
    check_program "$place" "${got%END}"
  fi
  got=$(bash -c "$command" </dev/null 2>/dev/null; printf .)
  same "$place: $command" "$wanted." "$got"
  command=
  wanted=
}

# check_program PLACE TEXT: a program of a page is clean. Its last line may be a query.
check_program() {
  [[ $1 != docs/errors.md:* && $1 != std/std.md:* ]] || return 0
  printf '%s' "$2" >"$folder/$program_name"
  check "$1: a program that is not clean" "$rpl" check --strict "$folder/$program_name"
}

for page in README.md docs/*.md std/std.md; do
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
        [[ ${BASH_REMATCH[2]} == rpl ]] && program=$page:$number || program=
        text=
      fi
    elif [[ $line == "$fence" ]]; then
      run_command
      [[ -z $program ]] || check_program "$program" "$text"
      fence=
    elif [[ -n $program ]]; then
      text+=$line$'\n'
    elif [[ $transcript == no ]]; then
      continue
    elif [[ $line == '$ '* ]]; then
      run_command
      command=${line#'$ '}
      place=$page:$number
    elif [[ -n $command && -z $wanted && ($line == '> '* || $line == '>') ]]; then
      line=${line#'>'}
      command+=$'\n'${line#' '}
    elif [[ -n $command ]]; then
      wanted+=$line$'\n'
    fi
  done <"$page"
  run_command
done
check 'std/std.md: the library is not clean' "$rpl" check --strict std/std.md

finish
