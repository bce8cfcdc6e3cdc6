#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/docs_test.sh [RPL [PAGE…]]
#
# The pages paste: the fences of `sh` of README.md, docs/*.md and std/std.md are commands, and those
# of a page run in one shell, from top to bottom, at the root of the repository, without input, after
# ./dev build. A fence `output` right below one has exactly what its commands print on standard
# output; without one they print nothing. A fence of `sh` has no prompts, and an `output` stands below
# commands.
#
# The programs on these pages are clean under `rpl check --strict`: those that commands hand over
# behind `<<'END'`, unless they are added to a file, and fences of `rpl`. docs/errors.md is left out,
# its programs are meant to provoke, and std/std.md is one program. RPL checks them, build/rpl by
# default. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
shift
pages=("$@")
((${#pages[@]})) || pages=(README.md docs/*.md std/std.md)
. shell/expect.sh

# Files of a page: N.line, N.sh and N.output of each block of commands, P.place and P.program.md or
# .rpl of each program, and `wrong` with what cannot be run.
read_page() {
  PYTHONPATH=shell python3 - "$1" "$2" <<'END'
import re
import sys

from markdown_page import commands_of, fences_of

page, folder = sys.argv[1:]


def write(name, text):
    with open(f"{folder}/{name}", "w") as file:
        file.write(text)


wrong = []
outputs = sum(fence.info == "output" for fence in fences_of(page))
blocks = commands_of(page)
if outputs != sum(block.output != "" for block in blocks):
    wrong.append(f"{page}: an `output` that does not stand below commands, or is empty")
programs = []
for number, block in enumerate(blocks):
    write(f"{number}.line", str(block.line))
    write(f"{number}.sh", block.text)
    write(f"{number}.output", block.output)
    if re.match(r"\$ ", block.text):
        wrong.append(f"{page}:{block.line}: a prompt: commands stand in `sh`, what they print in "
                     "`output` below")
    for command, program in re.findall(r"^(.*<<'END')\n((?:.*\n)*?)END$", block.text, re.M):
        if ">>" not in command:
            programs.append((block.line, ".md" if ".md" in command else ".rpl", program))
for fence in fences_of(page):
    if fence.info == "rpl":
        programs.append((fence.line, ".rpl", fence.text))
if page not in ("docs/errors.md", "std/std.md"):
    for number, (line, kind, text) in enumerate(programs):
        write(f"{number}.place", f"{page}:{line}")
        write(f"{number}.program{kind}", text)
write("wrong", "".join(line + "\n" for line in wrong))
END
}

for page in "${pages[@]}"; do
  read=$folder/page
  mkdir "$read"
  check "$page: it can be read" read_page "$page" "$read"
  same "$page: commands and output" "" "$(cat "$read/wrong")"
  blocks=("$read"/*.sh)
  [[ -e ${blocks[0]} ]] || blocks=()
  # One shell; the output of each block goes to a file.
  for ((i = 0; i < ${#blocks[@]}; ++i)); do
    printf 'exec >%q\n' "$read/$i.got"
    cat "$read/$i.sh"
  done >"$read/all"
  bash "$read/all" </dev/null >/dev/null 2>"$read/err"
  for ((i = 0; i < ${#blocks[@]}; ++i)); do
    same "$page:$(cat "$read/$i.line"): $(cat "$read/$i.sh")" "$(cat "$read/$i.output")." \
      "$(cat "$read/$i.got" 2>&1)."
  done
  for place in "$read"/*.place; do
    [[ -e $place ]] || continue
    check "$(cat "$place"): a program that is not clean" \
      "$rpl" check --strict "${place%.place}".program.*
  done
  rm -r "$read"
done
check 'std/std.md: the library is not clean' "$rpl" check --strict std/std.md

finish
