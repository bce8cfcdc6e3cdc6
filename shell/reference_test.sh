#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/reference_test.sh [RPL]
#
# What is written from the command line itself: docs/commands.md is what the program prints,
# every command has a man page, and bash completes words at every kind of place. Man pages,
# zsh and fish themselves are tested by shell/package_test.sh. The last line is
# `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
page=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../docs/commands.md")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1

if "$rpl" reference markdown | diff -u "$page" - >difference; then pass
else failure 'docs/commands.md is not what `rpl reference markdown` prints' "$(cat difference)"; fi

# --- Man pages ---------------------------------------------------------------------------

commands=$("$rpl" reference commands)
same "commands" "$("$rpl" help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\).*/\1/p')" "$commands"
for command in $commands; do
  same "the man page of $command" "rpl\\-$command" \
    "$("$rpl" reference man "$command" | sed -n '/^\.SH NAME/{n;s/ .*//p}')"
  [[ $command != help ]] || continue  # `rpl help --help` is the help of rpl
  # Every option of the help is in the page, as roff writes it.
  missing=
  manual=$("$rpl" reference man "$command")
  for option in $("$rpl" "$command" --help | sed -n '/^Options:/,/^$/p' | grep -oE '^  [^ ]*--[a-z-]+'); do
    option=${option##*,}
    [[ $manual == *"${option//-/\\-}"* ]] || missing+=" $option"
  done
  same "the options of $command" "" "$missing"
done
same "no line is a request by accident" "" "$({
  "$rpl" reference man
  for command in $commands; do "$rpl" reference man "$command"; done
} | grep -E "^['.]" | grep -vE '^\.(TH|SH|SS|TP|PP|nf|fi)( |$)')"
same "a page of no command" 'rpl: unknown command `nope`' "$("$rpl" reference man nope 2>&1)"

same "completions of an unknown shell" 'rpl: SHELL: tcsh not in {bash,zsh,fish}' \
  "$("$rpl" completion tcsh 2>&1 | head -n 1)"

# --- bash --------------------------------------------------------------------------------

"$rpl" completion bash >rpl.bash
mkdir notes
touch plan.md 'two words.md' graph.rpl rpl.yaml stock.csv trip.rpls picture.png

# complete WANTED LINE: what bash offers at the end of the line, sorted, in one line. Bash
# breaks words at `=` too, as it does on a terminal.
complete_bash() {
  local wanted=$1 line=$2
  same "bash: $line" "$wanted" "$(bash -c '
    source ./rpl.bash
    COMP_WORDS=()
    for word in $1; do
      while [[ $word == *=* ]]; do
        [[ ${word%%=*} == "" ]] || COMP_WORDS+=("${word%%=*}")
        COMP_WORDS+=("=")
        word=${word#*=}
      done
      [[ -z $word ]] || COMP_WORDS+=("$word")
    done
    [[ $1 != *" " ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _rpl
    ((${#COMPREPLY[@]})) || exit 0
    printf "%s\n" "${COMPREPLY[@]}" | LC_ALL=C sort | paste -s -d "|"' _ "$line" 2>&1)"
}

complete_bash "explain" "rpl ex"
complete_bash "--help|--version|-h" "rpl -"
complete_bash "anchor|diff|export|html|query|questions|replay|show|verify" "rpl trace "
complete_bash "--format" "rpl trace query --f"
complete_bash "" "rpl trace nope --f"
formats=$("$rpl" trace query --help | sed -nE 's/.*--format FORMAT:\{([^}]*)\}.*/\1/p' | tr , '\n' | LC_ALL=C sort)
complete_bash "$(paste -s -d '|' <<<"$formats")" "rpl trace query --format "
same "completions: JSON is a format" json "$(grep -x json <<<"$formats")"
complete_bash "json" "rpl run plan.md --format=j"
complete_bash "ndjson|rpl" "rpl trace export trip.rpls --format "
complete_bash "notes|trip.rpls" "rpl trace show "
complete_bash "graph.rpl|notes|plan.md|two words.md" "rpl run "
complete_bash "graph.rpl" "rpl run plan.md g"
complete_bash "picture.png" "rpl run pi"
complete_bash "notes|rpl.yaml" "rpl run --config "
complete_bash "notes|stock.csv" "rpl run --facts stock="
complete_bash "" "rpl run --facts st"
complete_bash "" "rpl run --answer "
complete_bash "notes|trip.rpls" "rpl run plan.md --session "
complete_bash "" "rpl explain -f plan.md "
complete_bash "graph.rpl|notes|plan.md|two words.md" "rpl explain -f "
complete_bash "bash|fish|zsh" "rpl completion "
complete_bash "explain" "rpl help ex"

finish
