#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/mcp_test.sh [RPL]
#
# `rpl mcp` as hosts meet it, by raw lines on a pipe: both eras of the protocol, questions, runs that
# outlive their server, and what no client should send. The last line is `N passed, N failed`.
set -uo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
rpl=$(realpath "${1:-$here/../build/rpl}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here /usr/bin/python3 "$here/mcp_cases.py" "$rpl" "$folder"
