// SPDX-License-Identifier: Apache-2.0
//
// usage: node mcp_hosts.mjs RPL EXAMPLES FOLDER
//
// The official client drives examples to their end, in both eras: with forms, with plain answers,
// with a refusal, and with a server that is killed in between. Run by `./dev mcp`, from the folder
// where the client is installed. The last line is `N passed, N failed`.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [rpl, examples, folder] = process.argv.slice(2);
let passed = 0, failed = 0;

function check(name, holds, about) {
  if (holds) { passed += 1; return; }
  failed += 1;
  console.log(`${name}: ${JSON.stringify(about)?.slice(0, 2000)}`);
}

// A client with its server; `answer` gives the content of a form, or an action, by key.
async function connect(mode, sessions, answer) {
  const client = new Client({ name: 'hosts-test', version: '1' }, {
    capabilities: answer ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: mode === 'modern' ? { pin: '2026-07-28' } : mode, probe: { timeoutMs: 5000 } },
  });
  const asked = [];
  if (answer)
    client.setRequestHandler('elicitation/create', async request => {
      const content = {};
      for (const key of Object.keys(request.params.requestedSchema.properties)) {
        asked.push(key);
        const given = answer(key, request.params);
        if (given === 'decline' || given === 'cancel') {
          await new Promise(done => setTimeout(done, 1100));
          return { action: given };
        }
        content[key] = given;
      }
      return { action: 'accept', content };
    });
  const transport = new StdioClientTransport({
    command: rpl, args: ['mcp', examples, '--sessions', `${folder}/${sessions}`], stderr: 'inherit' });
  await client.connect(transport);
  return { client, transport, asked };
}

async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args }, { timeout: 60000 });
  const { now, session } = result.structuredContent;
  check(`${name}: the text says what to do`, now === undefined
    ? JSON.stringify(JSON.parse(result.content[0].text)) === JSON.stringify(result.structuredContent)
    : result.content[0].text.startsWith(now) && result.content[0].text.includes(session), result);
  return result.structuredContent;
}

const loan = { choose: 'pastel portrait', 'choose-2': 'Harbour Museum', ask: '8' };

async function drive(mode) {
  const revision = mode === 'modern' ? '2026-07-28' : '2025-11-25';
  // Forms.
  {
    const { client, asked } = await connect(mode, `${mode}-forms`, key => loan[key] ?? '8');
    check(`${mode}: revision`, client.getNegotiatedProtocolVersion() === revision, client.getNegotiatedProtocolVersion());
    const { tools } = await client.listTools();
    check(`${mode}: tools`, tools.length === 10 && tools.every(tool => tool.outputSchema), tools.map(tool => tool.name));
    const run = await call(client, 'rpl_run', { protocol: 'museum-loan.md' });
    check(`${mode}: forms to the end`, run.status === 'satisfied' && asked.length === 3, { run, asked });
    const { prompts } = await client.listPrompts();
    check(`${mode}: prompts`, prompts.some(prompt => prompt.name === 'museum-loan'), prompts);
    const { resources } = await client.listResources();
    const read = await client.readResource({ uri: resources[0].uri });
    check(`${mode}: resources`, read.contents[0].text.length > 0, resources);
    const prompt = await client.getPrompt({ name: 'packing-list', arguments: {} });
    check(`${mode}: prompt`, prompt.messages[0].content.text.includes('packing-list.md'), prompt);
    await client.close();
  }
  // Plain answers, and a server that is killed between two of them.
  {
    let { client, transport } = await connect(mode, `${mode}-plain`);
    let run = await call(client, 'rpl_run', { protocol: 'incident-triage.md' });
    check(`${mode}: waiting`, run.status === 'waiting' && run.pending.length === 2, run);
    const session = run.session;
    await call(client, 'rpl_answer', { session, answers: { lead: 'Ines' } });
    process.kill(transport.pid, 'SIGKILL');
    await client.close().catch(() => {});
    ({ client } = await connect(mode, `${mode}-plain`));
    run = await call(client, 'rpl_status', { session });
    check(`${mode}: after the kill`, run.pending?.length === 1 && run.pending[0].key === 'choose', run);
    run = await call(client, 'rpl_answer', { session, answers: { choose: 'status page' } });
    check(`${mode}: plain answers to the end`, run.status === 'satisfied' && run.answers.length > 0, run);
    const why = await call(client, 'rpl_explain', { session, fact: 'severity(?incident, "high")' });
    check(`${mode}: why`, why.holds === true, why);
    await client.close();
  }
  // A refusal, then an answer after all.
  {
    let say = 'decline';
    const { client } = await connect(mode, `${mode}-decline`, () => say);
    let run = await call(client, 'rpl_run', { protocol: 'packing-list.md' });
    check(`${mode}: declined`, run.status === 'waiting' && run.hint.includes('declined'), run);
    say = 'rain';
    run = await call(client, 'rpl_run', { session: run.session });
    check(`${mode}: answered after all`, run.status === 'satisfied', run);
    await client.close();
  }
}

for (const mode of ['legacy', 'modern']) {
  try {
    await drive(mode);
  } catch (error) {
    check(mode, false, String(error?.stack ?? error));
  }
}
{
  const { client } = await connect('auto', 'auto');
  check('auto', client.getNegotiatedProtocolVersion() === '2026-07-28', client.getNegotiatedProtocolVersion());
  await client.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
