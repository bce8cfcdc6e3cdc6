# SPDX-License-Identifier: Apache-2.0
#
# A private PostgreSQL server in a folder of its own, for tests: sourced by scripts.
#
# start_cluster [SETTING…] starts it, without a port, and sets PGHOST, PGUSER and PGDATABASE for
# clients. It ends, and its folder goes, when the script does. Nothing is written to disk for good:
# fsync is off unless a setting says `fsync=on`. As root, the server runs as the user postgres.

cluster=
# The newest installed version.
cluster_programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)

as_server() {
  if ((EUID == 0)); then runuser -u postgres -- "$@"
  else "$@"
  fi
}

start_cluster() {
  local setting settings=(fsync=off synchronous_commit=off full_page_writes=off jit=off)
  cluster=$(mktemp -d /tmp/rpl-cluster-XXXXXX)
  ((EUID != 0)) || chown postgres "$cluster"
  chmod 755 "$cluster"
  trap stop_cluster EXIT
  as_server "$cluster_programs/initdb" -D "$cluster/data" -U postgres -A trust -E UTF8 --locale=C \
    --no-sync >"$cluster/log" 2>&1 || { cat "$cluster/log"; return 1; }
  {
    echo "listen_addresses = ''"
    echo "unix_socket_directories = '$cluster'"
    for setting in "${settings[@]}" "$@"; do echo "${setting%%=*} = '${setting#*=}'"; done
  } | as_server tee -a "$cluster/data/postgresql.conf" >/dev/null
  as_server "$cluster_programs/pg_ctl" -D "$cluster/data" -l "$cluster/server.log" -w -t 60 start \
    </dev/null >/dev/null || { cat "$cluster/server.log"; return 1; }
  export PGHOST=$cluster PGUSER=postgres PGDATABASE=postgres
}

stop_cluster() {
  [[ -n $cluster ]] || return 0
  as_server "$cluster_programs/pg_ctl" -D "$cluster/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$cluster"
  cluster=
}
