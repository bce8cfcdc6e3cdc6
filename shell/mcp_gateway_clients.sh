#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/mcp_gateway_clients.sh NPM-FOLDER [RPL]
#
# Real clients and servers of the Model Context Protocol around `rpl guard mcp`: with a policy that
# allows everything, and with a protocol that forbids nothing they do, they print the same bytes with
# and without it. NPM-FOLDER has
# @modelcontextprotocol/{inspector,client,server,server-everything,server-filesystem} and node
# installed. The last line is `N passed, N failed`.
set -uo pipefail
npm=$(realpath "${1:?usage: mcp_gateway_clients.sh NPM-FOLDER [RPL]}")
rpl=$(realpath "${2:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1
export PATH="$npm/node_modules/.bin:$PATH" XDG_STATE_HOME=$folder/state
ln -s "$npm/node_modules" node_modules
echo '{"rules":[]}' >all.json
mkdir sandbox
echo hello >sandbox/a.txt
cat >client.mjs <<'END'
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
const [mode, tool, args, decision, command, ...rest] = process.argv.slice(2);
const client = new Client({ name: 'probe', version: '1' },
  { capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: mode === 'pin' ? { pin: '2026-07-28' } : mode, probe: { timeoutMs: 5000 } } });
client.setRequestHandler('elicitation/create', async request => {
  const content = {};
  for (const [key, field] of Object.entries(request.params.requestedSchema.properties))
    content[key] = key === 'decision' ? decision : field.enum?.[0] ?? field.oneOf?.[0].const ?? field.default ??
      (field.type === 'boolean' ? true : field.type === 'string' ? 'Lucca' : 3);
  return { action: 'accept', content };
});
await client.connect(new StdioClientTransport({ command, args: rest, stderr: 'inherit', env: process.env }));
console.log('revision', client.getNegotiatedProtocolVersion());
console.log('tools', (await client.listTools()).tools.map(t => t.name).join(' '));
console.log(JSON.stringify(await client.callTool({ name: tool, arguments: JSON.parse(args) })));
await client.close();
END
cat >modern.mjs <<'END'
import { McpServer, createRequestStateCodec, inputRequired, acceptedContent } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
const codec = createRequestStateCodec({ key: 'k'.repeat(32), ttlSeconds: 600 });
serveStdio(() => {
  const s = new McpServer({ name: 'modern-ref', version: '1' }, { requestState: { verify: codec.verify } });
  s.registerTool('where_to', { description: 'Asks where to go.', inputSchema: z.object({}) }, async (_a, ctx) => {
    const got = acceptedContent(ctx.mcpReq.inputResponses, 'where');
    if (got) return { content: [{ type: 'text', text: 'to ' + got.answer }] };
    return inputRequired({ requestState: await codec.mint({ step: 1 }, ctx), inputRequests: { where: inputRequired.elicit({ message: 'Where?',
      requestedSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] } }) } });
  });
  s.registerTool('add', { description: 'Adds.', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
  return s;
});
END
gate=("$rpl" guard mcp --policy all.json --)

# unchanged NAME WORDS… -- SERVER…: the command prints the same with and without the gateway.
unchanged() {
  local name=$1 words=() bare status proxied
  shift
  while [[ $1 != -- ]]; do words+=("$1"); shift; done
  shift
  bare=$(timeout 60 "${words[@]}" "$@" 2>bare.err); status=$?
  proxied=$(timeout 60 "${words[@]}" "${gate[@]}" "$@" 2>proxied.err)
  same "$name: the exit code" "$status" "$?"
  same "$name" "$bare" "$proxied"
  [[ -n $bare ]] || failure "$name: nothing was printed" "$(tail -n 3 bare.err)"
}
everything=(mcp-server-everything stdio)
files=(mcp-server-filesystem "$PWD/sandbox")
for era in legacy auto; do
  for method in tools/list resources/list prompts/list; do
    unchanged "inspector, $era, $method" mcp-inspector --cli --protocol-era $era --method $method --format json -q -- "${everything[@]}"
  done
  unchanged "inspector, $era, a call" mcp-inspector --cli --protocol-era $era --method tools/call --tool-name get-sum \
    --tool-args-json '{"a":2,"b":3}' --format json -q -- "${everything[@]}"
done
unchanged "inspector, modern" mcp-inspector --cli --protocol-era modern --method tools/list --format json -q -- node modern.mjs
unchanged "inspector, a file" mcp-inspector --cli --method tools/call --tool-name read_text_file \
  --tool-args-json "{\"path\":\"$PWD/sandbox/a.txt\"}" --format json -q -- "${files[@]}"
unchanged "inspector, a file outside" mcp-inspector --cli --method tools/call --tool-name read_text_file \
  --tool-args-json '{"path":"/etc/hostname"}' --format json -q -- "${files[@]}"
for mode in legacy auto; do
  unchanged "client, $mode, a sum" node client.mjs $mode get-sum '{"a":2,"b":3}' approve -- "${everything[@]}"
  unchanged "client, $mode, a form" node client.mjs $mode trigger-elicitation-request '{}' approve -- "${everything[@]}"
done
for mode in legacy auto pin; do
  unchanged "client, $mode, a question of the server" node client.mjs $mode where_to '{}' approve -- node modern.mjs
done

# --- A policy --------------------------------------------------------------------------------

cat >policy.yaml <<'END'
rules:
  - {priority: 1, enabled: true, name: look, selector: {phase: tool.before, tool: {name: [add, get-sum]}},
     condition: {kind: toolArg, type: number, op: gt, path: a, value: 100}, effect: {type: hitl, reason: large sums}}
  - {priority: 1, enabled: true, name: reading, selector: {phase: tool.before, tool: {name: "write_*"}},
     condition: {kind: toolArg, type: string, op: contains, path: path, value: "b.txt"}, effect: {type: block, reason: only reading}}
  - {priority: 1, enabled: true, name: moving, selector: {phase: tool.before, tool: {name: "move_*"}},
     condition: {kind: toolName, op: glob, value: "*"}, effect: {type: block, reason: nothing is moved}}
END
gate=("$rpl" guard mcp --policy policy.yaml --)
for mode in legacy pin; do
  for decision in approve refuse; do
    got=$(timeout 60 node client.mjs $mode add '{"a":200,"b":1}' $decision "${gate[@]}" node modern.mjs 2>err | tail -n 1)
    [[ $decision == approve ]] && wanted='"text":"201"' || wanted='The user refused this call'
    check "client, $mode: a held call, $decision: $got" grep -qF "$wanted" <<<"$got"
  done
done
got=$(timeout 60 mcp-inspector --cli --method tools/call --tool-name write_file \
  --tool-args-json "{\"path\":\"$PWD/sandbox/b.txt\",\"content\":\"x\"}" --format json -q -- "${gate[@]}" "${files[@]}" 2>&1)
check "a refused call is seen: $got" grep -qF 'only reading' <<<"$got"
check "and is not carried out" test ! -e sandbox/b.txt
got=$(timeout 60 mcp-inspector --cli --method tools/list --format json -q -- "${gate[@]}" "${files[@]}" 2>/dev/null)
same "a tool that is never allowed is not listed" "" "$(grep -o '"move_file"' <<<"$got")"
same "another one is" '"write_file"' "$(grep -o '"write_file"' <<<"$got")"

# --- A protocol ------------------------------------------------------------------------------

mkdir -p work/.git
cat >work/gate.md <<'END'
# Work - %work(?who) <- approved(?who)

Go on; __who__ approved it.

## Approved - approved(?who)

Who approves files to be written?

approved(_) ^ ~ {:by ?by} -> ?by = :person

# A person approves what is written - std#decides(?c), std#serves(?c, "disk", "write_file") -> approved(_)

# Sums come after a reading - std#decides(?c), std#serves(?c, "sums", "get-sum") -> read()

Read a file first.

read() <- std#serves(?c, "disk", "read_text_file"), std#call-state(?c, :ended)
END
bind() {  # the server's name, by which its tools are pinned
  gate=("$rpl" guard mcp --protocol "$PWD/work/gate.md" --project "$PWD/work" --sessions "$PWD/runs" --name "$1" --)
}
bind disk
call_write=(timeout 60 mcp-inspector --cli --method tools/call --tool-name write_file
  --tool-args-json "{\"path\":\"$PWD/sandbox/c.txt\",\"content\":\"x\"}" --format json -q)
got=$("${call_write[@]}" -- "${gate[@]}" "${files[@]}" 2>&1)
check "protocol: a write waits for a person: $got" grep -qF 'Who approves files to be written?' <<<"$got"
check "protocol: it is not carried out" test ! -e sandbox/c.txt
bind sums
got=$(timeout 60 node client.mjs auto get-sum '{"a":2,"b":3}' approve "${gate[@]}" "${everything[@]}" 2>err | tail -n 1)
check "protocol: what was not done is missed: $got" grep -qF 'Read a file first' <<<"$got"
bind disk
unchanged "protocol: inspector, a file" mcp-inspector --cli --method tools/call --tool-name read_text_file \
  --tool-args-json "{\"path\":\"$PWD/sandbox/a.txt\"}" --format json -q -- "${files[@]}"
bind sums
for mode in legacy auto; do
  unchanged "protocol: client, $mode, a sum" node client.mjs $mode get-sum '{"a":2,"b":3}' approve -- "${everything[@]}"
  unchanged "protocol: client, $mode, a form" node client.mjs $mode trigger-elicitation-request '{}' approve -- "${everything[@]}"
done
bind modern
for mode in legacy auto pin; do
  unchanged "protocol: client, $mode, a question of the server" node client.mjs $mode where_to '{}' approve -- node modern.mjs
done
echo answer | "$terminal" "$rpl" guard answer work/gate.md approved=Ada --project work --sessions "$PWD/runs" >/dev/null
bind disk
got=$("${call_write[@]}" -- "${gate[@]}" "${files[@]}" 2>&1)
check "protocol: an approved write: $got" test "$(cat sandbox/c.txt)" = x
finish
