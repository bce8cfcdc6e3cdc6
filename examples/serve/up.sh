#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: examples/serve/up.sh FOLDER [RPL]
#
# Starts a PostgreSQL server of its own in FOLDER, without a port, and two workers over it, on
# 127.0.0.1:7071 and 7072. down.sh ends them. FOLDER may exist from before: its runs go on.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
mkdir -p "$1"
folder=$(realpath "$1")
rpl=$(realpath "${2:-$here/../../build/rpl}")
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

# The server does not run as root.
as_server() { if ((EUID == 0)); then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }

if [[ ! -d $folder/data ]]; then
  ((EUID != 0)) || chown postgres "$folder"
  as_server "$programs/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 >"$folder/log"
fi
as_server "$programs/pg_ctl" -D "$folder/data" -l "$folder/server.log" -w start \
  -o "-k $folder -c listen_addresses=" >>"$folder/log"

for port in 7071 7072; do
  "$rpl" serve "$here/protocols" --store "postgresql://postgres@/postgres?host=$folder" \
    --http "127.0.0.1:$port" </dev/null >"$folder/worker-$port.log" 2>&1 &
  echo $! >"$folder/worker-$port.pid"
  until grep -q '^listening' "$folder/worker-$port.log"; do
    kill -0 "$!" || { cat "$folder/worker-$port.log" >&2; exit 1; }
    sleep 0.1
  done
done
echo "workers on 127.0.0.1:7071 and 7072"
