#!/usr/bin/env bash
# The tool $stock(?item): how many of an item there are. Reads one request of `rpl`, a line
# of JSON, and writes one reply.
set -u
declare -A stock=([bolts]=120 [nuts]=3 [washers]=40)

IFS= read -r request
[[ $request =~ \"id\":\"([^\"]*)\" ]] && id=${BASH_REMATCH[1]}
[[ $request =~ \"args\":\[\"([a-z-]+)\"\] ]] && item=${BASH_REMATCH[1]}
echo "looked for ${item:-nothing}" >&2  # standard error is the log

if [[ -n ${item:-} && -n ${stock[$item]:-} ]]; then
  printf '{"id":"%s","result":%s}\n' "$id" "${stock[$item]}"
else
  printf '{"id":"%s","error":{"code":"unknown-item","message":"no such item"}}\n' "$id"
fi
