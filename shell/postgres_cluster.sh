# SPDX-License-Identifier: Apache-2.0
#
# For scripts that test with PostgreSQL: a private cluster in a temporary folder, on a Unix socket
# there, without fsync. The server refuses to run as root, so root runs it as the user `postgres`.
#
# `start_cluster [SETTING…]` starts it, with settings as in work_mem=1GB, and fails where no server is
# installed; then $cluster is its folder, $postgres_folder that of the programs,
# `url DATABASE[/SESSION]` the URL of a database or session, and `sql DATABASE STATEMENT…` runs
# statements. `stop_server [MODE]`, `start_server`. To be sourced after expect.sh.
# shellcheck shell=bash

cluster=
postgres_folder=

as_server() {
  if ((EUID == 0)); then (cd "$cluster" && exec runuser -u postgres -- "$@"); else (cd "$cluster" && exec "$@"); fi
}

# start_cluster [SETTING…]: false if no server is installed.
start_cluster() {
  postgres_folder=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
  [[ -n $postgres_folder && -x $postgres_folder/initdb ]] || return 1
  cluster=$(mktemp -d -t rpl-cluster-XXXXXX)
  ((EUID != 0)) || chown postgres "$cluster"
  trap 'stop_server immediate; rm -rf "$folder" "$cluster"' EXIT
  as_server "$postgres_folder/initdb" -D "$cluster/data" -U postgres -A trust -E UTF8 --locale=C --no-sync \
    >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log"; return 2; }
  printf 'local all locked scram-sha-256\nlocal all all trust\n' | as_server tee "$cluster/data/pg_hba.conf" >/dev/null
  printf '%s\n' "unix_socket_directories='$cluster'" "listen_addresses=''" fsync=off autovacuum=off "$@" |
    as_server tee -a "$cluster/data/postgresql.conf" >/dev/null
  start_server
}

# cluster_or_end [SETTING…]: the same; ends the script, with a line that says so, where no server is
# installed, and with a failure where it does not start.
cluster_or_end() {
  start_cluster "$@" && return
  if [[ -z $cluster ]]; then echo "skipped: no PostgreSQL server is installed"
  else failure "the PostgreSQL server does not start"; fi
  finish
  exit
}

start_server() {
  as_server "$postgres_folder/pg_ctl" -D "$cluster/data" -w -l "$cluster/log" start >/dev/null
}

# stop_server [MODE]: fast by default; immediate is a crash.
stop_server() {
  as_server "$postgres_folder/pg_ctl" -D "$cluster/data" -m "${1:-fast}" stop >/dev/null 2>&1
}

url() { printf 'postgresql://postgres@/%s?host=%s' "$1" "$cluster"; }

sql() {
  local database=$1
  shift
  local statement
  for statement in "$@"; do
    psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$(url "$database")" -c "$statement" || return
  done
}
