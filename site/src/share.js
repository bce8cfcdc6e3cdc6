// SPDX-License-Identifier: Apache-2.0
//
// The program and its answers outside the page: a command line, files, a test.
import { rplOf, shell, shown } from './literal.js';

const isCall = id => id.startsWith('$');
const relation = id => id.replace(/^[$%]/, '').replace(/\(.*/s, '');
const readsParty = documents => documents.some(({ text }) => text.includes(':by'));

/** The answers that the run took, as {question, key, value}; `key` is one that only it has. */
function taken({ asked = [] }, { answers }) {
  const name = q => (isCall(q.id) ? relation(q.id) : q.key.replace(/-\d+$/, ''));
  const alone = question => asked.every(q => q === question || name(q) !== name(question));
  return asked.filter(q => q.given !== undefined && q.given in answers).map(question => ({
    question,
    value: answers[question.given],
    name: name(question),
    key: !alone(question) ? question.id : isCall(question.id) ? relation(question.id) : question.key,
  }));
}

/** As an option: a text that would be read as something else stands in quotes. */
function option(value) {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^(?:-?\d+(?:\.\d+)?|true|false|null|nil|none)$|^["[{]/.test(value) ? JSON.stringify(value) : shown(value);
}

export function command(result, state) {
  const words = ['rpl', 'run', shell(state.documents[0].name)];
  for (const { name } of state.documents.slice(1)) if (!namespaced(state.documents, name)) words.push(shell(name));
  for (const { key, value } of taken(result, state)) words.push('--answer', shell(`${key.includes('=') ? relation(key) : key}=${option(value)}`));
  if (state.now) words.push('--now', shell(state.now));
  if (readsParty(state.documents)) words.push('--answers-by', 'person');
  return words.join(' ');
}

/** Whether another document reads this one as a namespace. */
const namespaced = (documents, name) => documents.some(d => d.name !== name && d.text.includes(`${name}#`));

/** A file for `--answers`. */
export function answersFile(result, state) {
  const entries = taken(result, state);
  return `${JSON.stringify(Object.fromEntries(entries.map(({ question, key, value }) => [isCall(question.id) ? question.id : key, value])), null, 2)}\n`;
}

/** A script for `rpl test`, which expects what the page shows. */
export function testScript(result, state, title) {
  const [first, ...others] = state.documents;
  const lines = [];
  if (state.now) lines.push(`NOW: ${state.now}`);
  for (const { name, text } of others)
    if (namespaced(state.documents, name)) lines.push(`FILE: ${name}`, text.trimEnd());
  lines.push(`LOAD: ${first.name}`);
  for (const { name } of others) if (!namespaced(state.documents, name)) lines.push(`LOAD: ${name}`);
  if (readsParty(state.documents)) lines.push('BY: person');
  const facts = [];
  for (const { question, name, key, value } of taken(result, state)) {
    const fact = stated(question, value);
    if (key === question.id && fact) facts.push(fact);
    else lines.push(`REPLY: ${isCall(question.id) ? question.id : name} => ${rplOf(value)}`);
  }
  if (facts.length) lines.push('USER:', ...facts);
  lines.push('RUN:', ...expected(result.outcome));
  const fence = '`'.repeat(Math.max(3, 1 + Math.max(0, ...lines.flatMap(l => [...l.matchAll(/`{3,}/g)].map(m => m[0].length)))));
  return `# ${title}\n\n## As in the playground\n\n${fence}rpl-test\n${lines.join('\n')}\n${fence}\n`;
}

/** An answer as a fact, where the name of its argument would not say which question it is for; or "". */
function stated({ id, row }, value) {
  const parts = id.split(/\?[a-z][\w-]*/);
  return !isCall(id) && !row && !Array.isArray(value) && parts.length === 2 ? parts.join(rplOf(value)) : '';
}

function expected(outcome) {
  if (!outcome || outcome.error) return [];
  const { status, answers = [], chat = [] } = outcome;
  if (status === 'satisfied') {
    const rows = [...new Set(answers.map(row => {
      const values = Object.values(row);
      return values.length === 1 ? shown(values[0]) : JSON.stringify(row);
    }))];
    const visible = chat.length ? chat : rows;
    return visible.length ? ['AGENT:', ...visible] : ['STATUS: satisfied'];
  }
  if (status === 'failed' && outcome.violated)
    return ['FAIL:', 'constraint violated', ...(outcome.violated.with ?? []).map(w => w.replace(' = ', ' ').replace(/["\\]/g, '\\$&'))];
  if (status === 'waiting') return ['WAITING:', outcome.pending[0]?.id ?? ''];
  return [`STATUS: ${status}`];
}

export function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
