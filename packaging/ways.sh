#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: packaging/ways.sh RELEASE DEBS [PAGE]
#
# How long it takes from the first command to the first answer of an example, for each way to install
# the packages in RELEASE (packaging/release.sh) and DEBS, on bare roots of Debian 11, 12 and 13: a table
# in Markdown. In PAGE it replaces the table below the line `<!-- ./dev ways -->`. node, npm and Python
# of Debian are installed before the clock starts. To be run as root.
set -euo pipefail
release=$(realpath "$1") debs=$(realpath "$2") page=${3:+$(realpath "$3")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
project=$PWD
. shell/bare_roots.sh
version=$(sed -n 's/^project(rpl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
folder=$(mktemp -d "$project/build/ways.XXXXXX")
trap 'rm -rf --one-file-system "$folder"' EXIT
mkdir -p build

say() { printf 'ways: %s\n' "$*" >&2; }
row() { printf '| %s | %s | %s | %s |\n' "$@"; }
# The question is answered in the command line: nobody types.
answer='run /packing-list.md --answer choose=rain'

# prepared CODENAME WHAT PACKAGE…: a root in $root with these packages of Debian, kept for a month.
prepared() {
  local codename=$1 archive=$project/build/ways-root-$1-$2.tar why
  root=$folder/$1-$2
  kept "$archive" "$root" && return
  why=$(bare_root "$codename" "$root") || { say "no root of $codename: $why"; return 1; }
  if (($# > 2)); then
    say "a root of $codename with ${*:3}, once"
    install_in "$root" "${@:3}" >"$folder/install.log" 2>&1 || { tail -n 5 "$folder/install.log" >&2; return 1; }
    in_root "$root" apt-get clean
    keep "$archive" "$root"
  fi
}

# seconds COMMANDS: how long they take in $root; fails if their last line is not the answer.
seconds() {
  local began ended last
  mkdir -p "$root/release"
  cp "$release"/rpl* "$debs"/rpl-engine_*.deb "$root/release" 2>/dev/null || true
  cp examples/packing-list.md "$root/packing-list.md"
  sync
  began=$(date +%s%N)
  in_root "$root" sh -ec "cd /tmp; $1" >"$folder/out" 2>"$folder/err" || { tail -n 5 "$folder/err" >&2; return 1; }
  ended=$(date +%s%N)
  last=$(tail -n 1 "$folder/out")
  [[ $last == 5 ]] || { say "expected 5, got $last"; return 1; }
  awk -v ns=$((ended - began)) 'BEGIN { printf "%.1f", ns / 1e9 }'
}

# way NAME SYSTEM CODENAME WHAT COMMANDS PACKAGE…
way() {
  local took root
  say "$1, $2"
  if prepared "$3" "$4" "${@:6}" && took=$(seconds "$5"); then row "$1" "$2" "$took" "tested here"
  else row "$1" "$2" "" "failed here"
  fi
  rm -rf --one-file-system "$folder/$3-$4"
}

table() {
  local codename number system
  row way system "seconds to the first answer" ""
  row --- --- ---: ---
  for system in "11 bullseye" "12 bookworm" "13 trixie"; do
    read -r number codename <<<"$system"
    way tarball "Debian $number" "$codename" bare \
      "tar -xzf /release/rpl-$version-linux-x86_64.tar.gz && rpl-$version-linux-x86_64/rpl $answer"
  done
  if [[ -f $release/rpl-$version-linux-aarch64.tar.gz ]]; then
    say "tarball, arm64"
    root=$folder/arm64 && mkdir -p "$root/tmp"
    began=$(date +%s%N)
    tar -xzf "$release/rpl-$version-linux-aarch64.tar.gz" -C "$root"
    last=$(qemu-aarch64-static "$root/rpl-$version-linux-aarch64/rpl" run examples/packing-list.md --answer choose=rain 2>/dev/null | tail -n 1)
    ended=$(date +%s%N)
    [[ $last == 5 ]] && row tarball "Linux on arm64" "$(awk -v ns=$((ended - began)) 'BEGIN { printf "%.1f", ns / 1e9 }')" "tested here, emulated by qemu"
  fi
  row "npm, native" "Debian 11" "" "its Node.js 12 is too old: 18 is needed"
  row "wheel" "Debian 11" "" "its Python 3.9 is too old: 3.10 is needed"
  for system in "12 bookworm" "13 trixie"; do
    read -r number codename <<<"$system"
    way "npm, native" "Debian $number" "$codename" npm "npm install --offline --omit=optional /release/rpl-engine-$version.tgz \
      /release/rpl-engine-linux-x64-$version.tgz && npx rpl $answer" nodejs npm
    way "npm, WebAssembly" "Debian $number" "$codename" npm \
      "npm install --offline --omit=optional /release/rpl-engine-$version.tgz && npx rpl $answer" nodejs npm
    way wheel "Debian $number" "$codename" python "python3 -m venv v && v/bin/pip install --no-index \
      /release/rpl_engine-$version-py3-none-manylinux_2_17_x86_64.whl && v/bin/rpl $answer" python3 python3-venv
  done
  if compgen -G "$debs/rpl-engine_*_amd64.deb" >/dev/null; then
    way "Debian package" "Debian 12" bookworm apt \
      "apt-get install -y --no-install-recommends /release/rpl-engine_${version}_amd64.deb && rpl $answer" ca-certificates
  else
    row "Debian package" "Debian 12" "" "not measured: run ./dev deb before"
  fi
  row "npm, WebAssembly" "macOS, Windows" "" "not tested"
}

table >"$folder/table"
cat "$folder/table"
[[ -z $page ]] || python3 - "$page" "$folder/table" <<'END'
import re, sys
page, table = (open(name, encoding="utf-8").read() for name in sys.argv[1:3])
marked = re.compile(r"(<!-- \./dev ways -->\n\n)(?:\|[^\n]*\n)*")
if not marked.search(page):
    sys.exit(f"{sys.argv[1]} has no line `<!-- ./dev ways -->`")
open(sys.argv[1], "w", encoding="utf-8").write(marked.sub(lambda found: found[1] + table, page))
END
