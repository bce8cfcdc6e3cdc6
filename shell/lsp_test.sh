#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/lsp_test.sh [RPL [EDITS [SEED]]]
#
# `rpl lsp` as editors meet it, by messages on a pipe: each feature in both encodings, what no client
# should send, and so many random edits, after each of which the findings are those of `rpl check`.
# The last line is `N passed, N failed`.
set -uo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
rpl=$(realpath "${1:-$here/../build/rpl}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here
/usr/bin/python3 "$here/lsp_cases.py" "$rpl" "$folder" "${@:2}"
