#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/serve_test.sh [RPL]
#
# `rpl serve` as its clients meet it: HTTP to one or more processes over a private PostgreSQL server,
# which are killed, drained and cut off from the database. The last line is `N passed, N failed`.
set -uo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
rpl=$(realpath "${1:-$here/../build/rpl}")
. "$here/expect.sh"
. "$here/postgres_cluster.sh"
cluster_or_end
cd "$folder" || exit 1
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here RPL_CLUSTER=$cluster RPL_PROGRAMS=$postgres_folder \
  /usr/bin/python3 "$here/serve_cases.py" "$rpl" "$folder"
