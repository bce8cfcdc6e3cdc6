#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/serve_mcp_test.sh [RPL]
#
# /mcp of `rpl serve` as agent hosts meet it: the cases of shell/mcp_test.sh on two workers over a
# private PostgreSQL server, which are asked in turns, and workers that are killed. The last line is
# `N passed, N failed`.
set -uo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
rpl=$(realpath "${1:-$here/../build/rpl}")
. "$here/expect.sh"
. "$here/postgres_cluster.sh"
cluster_or_end
cd "$folder" || exit 1
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here RPL_CLUSTER=$cluster RPL_PROGRAMS=$postgres_folder \
  /usr/bin/python3 "$here/mcp_cases.py" "$rpl" "$folder"
