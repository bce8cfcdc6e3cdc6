#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/site_test.sh WASM-FOLDER [RPL]
#
# The playground in site/, built with the engine of WASM-FOLDER (rpl.mjs, rpl.wasm) and driven in
# Chromium: $CHROMIUM, or `chromium`. The npm modules are in build/site/node_modules, or in
# node_modules of $SITE_MODULES. With the program RPL, the examples are checked, and what the page saves of each, its
# command line, its answers and its test, has to give what the page shows. Without a browser or the
# modules nothing is tested. The last line is `N passed, N failed`.
set -uo pipefail
wasm=$(realpath "${1:?usage: site_test.sh WASM-FOLDER [RPL]}")
rpl=${2:+$(realpath "$2")}
site=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../site")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
modules=$(realpath -m "${SITE_MODULES:-$site/../build/site}")
export SITE_MODULES=$modules
largest_page=$((1500 * 1000)) largest_script=$((200 * 1000))

skip() {
  echo "skipped: $1"
  finish
  exit
}
chromium=$(command -v "${CHROMIUM:-chromium}") || skip "there is no chromium"
command -v node >/dev/null || skip "there is no node"
for module in esbuild puppeteer-core @codemirror/view; do
  [[ -d $modules/node_modules/$module ]] || skip "the npm module $module is missing, see site/README.md"
done

# What a registry answered has no place in the repository.
if grep -q '"resolved"' "$site/package-lock.json"; then failure "package-lock.json names a registry"; else pass; fi

page=$folder/page saved=$folder/saved
if node "$site/build.mjs" "$wasm" "$page" >"$folder/sizes"; then pass; else failure "it is not built"; fi
size() { awk -v name="$1" '$1 ~ name {sum += $2} END {print sum + 0}' "$folder/sizes"; }
echo "scripts $(size '[.]js$') bytes gzip, all $(size '^total$') bytes gzip"
if (($(size '[.]js$') <= largest_script)); then pass; else failure "the scripts are too large" "$(cat "$folder/sizes")"; fi
if (($(size '^total$') <= largest_page)); then pass; else failure "the page is too large" "$(cat "$folder/sizes")"; fi

mkdir "$saved"
node "$site/test/page.mjs" "$modules" "$chromium" "$page" "$site/examples" "$saved" >"$folder/page.log" 2>&1
head -n -1 "$folder/page.log"
read -r last < <(tail -n 1 "$folder/page.log")
if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
  passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
else
  failure "the page: the test ended early" "$last"
fi

# example NAME: what the page saved of it means the same to the program.
example() {
  local name=$1 shown exit_code got
  cd "$saved/$name" || return
  shown=$(cat status)
  same "$name: rpl check" "clean: 1 file" "$("$rpl" check "$name.md" 2>&1)"
  same "$name: rpl fmt" "" "$("$rpl" fmt --check "$name.md" 2>&1)"
  same "$name: rpl test" "1 passed, 0 failed" "$("$rpl" test "$name-test.md" 2>&1)"
  case $shown in
    Satisfied) exit_code=0 ;;
    "Waiting for an answer") exit_code=3 ;;
    *) exit_code=1 ;;
  esac
  PATH=$(dirname "$rpl"):$PATH bash command >run.out 2>&1 </dev/null
  got=$?
  same "$name: $(cat command)" "$exit_code" "$got"
  local now=()
  read -ra now < <(grep -o -- '--now [^ ]*' command)
  "$rpl" run "$name.md" --answers "$name-answers.json" "${now[@]}" >answers.out 2>&1 </dev/null
  got=$?
  same "$name: rpl run --answers" "$exit_code $(cat run.out)" "$got $(cat answers.out)"
}
if [[ -n $rpl ]]; then
  for file in "$site"/examples/*.md; do example "$(basename "$file" .md)"; done
fi
finish
