#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/mcp_hosts_test.sh RPL MODULES
#
# `rpl mcp` with real clients, which `./dev mcp` installs in MODULES: the official client, the command
# line of the inspector, and the suite of conformance, in both eras. The last line is `N passed, N failed`.
set -uo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
rpl=$(realpath "$1")
modules=$(realpath "$2")
examples=$(realpath "$here/../examples")
. "$here/expect.sh"
export PATH=$modules/node_modules/.bin:$PATH

# The modules are found beside the file.
cp "$here/mcp_hosts.mjs" "$modules/"
node "$modules/mcp_hosts.mjs" "$rpl" "$examples" "$folder" >client 2>&1
last=$(tail -n 1 client)
if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
  head -n -1 client
else
  failure "the official client" "$(tail -n 20 client)"
fi
rm -f client

# The conversation of docs/agents.md.
cp "$here/mcp_transcript.mjs" "$modules/"
node "$modules/mcp_transcript.mjs" "$rpl" "$examples/agent" "$folder" >transcript 2>&1
same "docs/agents.md, the conversation" "$(cat transcript)" "$(awk '
  /^<!-- transcript/ { here = 1; next }
  here && /^```$/ { exit }
  here && !/^```text/' "$here/../docs/agents.md")"
rm -f transcript

# inspect NAME WANTED STATUS ARGUMENT…: the inspector prints a text that contains WANTED.
inspect() {
  local name=$1 wanted=$2 status=$3 got
  shift 3
  got=$(mcp-inspector --cli "$@" --format json -q -- "$rpl" mcp "$examples" \
    --sessions "$folder/inspector" 2>"$folder/err")
  if (($? == status)) && [[ $got == *"$wanted"* ]]; then pass
  else failure "inspector: $name" "${got:0:600}" "$(tail -n 5 "$folder/err")"; fi
}

for era in legacy modern; do
  era_is=(--protocol-era "$era")
  inspect "$era tools" rpl_run 0 "${era_is[@]}" --method tools/list
  inspect "$era schemas" rpl_run 0 "${era_is[@]}" --method tools/list --strict
  inspect "$era run" waiting 0 "${era_is[@]}" --method tools/call --tool-name rpl_run \
    --tool-args-json "{\"protocol\":\"packing-list.md\",\"request_id\":\"$era\"}"
  inspect "$era answers" umbrella 0 "${era_is[@]}" --method tools/call --tool-name rpl_run \
    --tool-args-json "{\"protocol\":\"packing-list.md\",\"request_id\":\"$era 2\",\"answers\":{\"choose\":\"rain\"}}"
  inspect "$era query" bronze 0 "${era_is[@]}" --method tools/call --tool-name rpl_query \
    --tool-args-json '{"protocol":"museum-loan.md","query":"object(?what, ?of, ?worth)"}'
  inspect "$era fault" "there is no session" 5 "${era_is[@]}" --method tools/call \
    --tool-name rpl_status --tool-arg session=s_x
  inspect "$era resources" rpl://protocol/ 0 "${era_is[@]}" --method resources/list
  inspect "$era templates" 'rpl://session/{session}' 0 "${era_is[@]}" --method resources/templates/list
  inspect "$era read" "Lending an exhibit" 0 "${era_is[@]}" --method resources/read \
    --uri rpl://protocol/museum-loan.md
  inspect "$era prompts" museum-loan 0 "${era_is[@]}" --method prompts/list
  inspect "$era prompt" rpl_run 0 "${era_is[@]}" --method prompts/get --prompt-name packing-list
done
# The suite of conformance speaks HTTP.
"$rpl" mcp "$examples" --sessions "$folder/conformance" --http 127.0.0.1:0 2>"$folder/log" &
server=$!
for _ in $(seq 50); do grep -q listening "$folder/log" && break; sleep 0.1; done
url=$(sed -n 's/^listening on //p' "$folder/log")
for revision in 2025-11-25 2026-07-28; do
  if conformance server --url "$url" --requirements "$revision" -o "$folder/out" \
    --expected-failures "$here/mcp_conformance/$revision.yml" >"$folder/suite" 2>&1; then pass
  else failure "conformance $revision" "$(tail -n 30 "$folder/suite")"; fi
done
kill "$server"
wait "$server" 2>/dev/null
finish
