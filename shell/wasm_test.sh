#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/wasm_test.sh RPL WASM
#
# The module of WebAssembly in the folder WASM (./dev wasm), in node: every spec test that needs no
# command and no calls of a host, and random programs beside the native program. The last line is
# `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "$1")
wasm=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/expect.sh

# What nests deeply needs more stack than node has by itself.
ulimit -s 1000000
# shellcheck disable=SC2046
node --stack-size=900000 "$wasm/rpl_scripts.js" $(find spec-tests -name "*.md" | sort) >"$folder/scripts" || true
cat "$folder/scripts"
read -r ran _ lost _ <<<"$(tail -n 1 "$folder/scripts")"
passed=$((passed + ran)) failed=$((failed + lost))
python3 shell/wasm_cases.py "$rpl" "$wasm" >"$folder/random" || true
cat "$folder/random"
read -r ran _ lost _ <<<"$(tail -n 1 "$folder/random")"
passed=$((passed + ran)) failed=$((failed + lost))
finish
