// SPDX-License-Identifier: Apache-2.0
//
// usage: node mcp_transcript.mjs RPL EXAMPLES FOLDER
//
// The conversation of docs/agents.md: the official client drives the code review of
// examples/agent. Handles are shown as s_….
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [rpl, examples, folder] = process.argv.slice(2);
const client = new Client({ name: 'transcript', version: '1' }, {
  capabilities: { elicitation: { form: {} } },
  versionNegotiation: { mode: { pin: '2026-07-28' } },
});
const shown = text => text.replace(/s_[A-Za-z0-9_-]{16}/g, 's_…');

client.setRequestHandler('elicitation/create', async request => {
  const content = {};
  for (const [key, about] of Object.entries(request.params.requestedSchema.properties)) {
    content[key] = { branch: 'faster-parser', text: 'Reads numbers without copying them.' }[key] ?? about.enum[0];
    console.log(`? ${request.params.message}${about.enum ? ` [${about.enum.join(' | ')}]` : ''}`);
    console.log(`  ${content[key]}`);
  }
  return { action: 'accept', content };
});

async function call(name, args) {
  console.log(`→ ${name} ${shown(JSON.stringify(args))}`);
  const result = await client.callTool({ name, arguments: args });
  const run = result.structuredContent;
  console.log(shown((run.now ?? run.text).trimEnd()).split('\n').map(line => `← ${line}`).join('\n'));
  return run;
}

await client.connect(new StdioClientTransport({
  command: rpl, args: ['mcp', examples, '--sessions', `${folder}/transcript`], stderr: 'inherit' }));
const run = await call('rpl_run', {
  protocol: 'code-review.md',
  facts: ['finding("parser.cc", 120, "blocking", "the end of the buffer is not checked")'],
});
const session = run.session;
await call('rpl_assert', { session, facts: ['fixed("parser.cc", 120)'], source: 'commit 4f1c' });
await call('rpl_explain', { session, fact: 'approved(?verdict)' });
await client.close();
