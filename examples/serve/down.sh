#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: examples/serve/down.sh FOLDER
#
# Ends what up.sh started: the workers, when their turns are done, then the server. The runs stay.
set -euo pipefail
folder=$(realpath "$1")
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
as_server() { if ((EUID == 0)); then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }

for pid in "$folder"/worker-*.pid; do
  number=$(<"$pid")
  kill "$number" 2>/dev/null || true
  while kill -0 "$number" 2>/dev/null; do sleep 0.1; done
  rm "$pid"
done
as_server "$programs/pg_ctl" -D "$folder/data" -m fast -w stop >>"$folder/log"
