// SPDX-License-Identifier: Apache-2.0
//
// The page: its state, and what happens when something of it changes.
import examples from 'rpl-examples';
import { byId, fill, h } from './dom.js';
import { Engine } from './engine.js';
import { checked, decoded, encoded } from './link.js';
import { edited } from './offsets.js';
import { RunView, badge } from './run-view.js';
import { answersFile, command, save, testScript } from './share.js';
import { sentence } from './tokens.js';
import { showTrace } from './trace-view.js';
import { WhyView } from './why-view.js';

const pause = 200;  // ms after the last key
const slow = 200;  // ms after which work is told
const narrow = matchMedia('(max-width: 56rem)');
const tabs = ['document', 'run', 'why', 'trace'];

let state;
let current = 0;  // the document in the editor
let result;
let hash = '';  // what this page wrote into its address

let working;
const engine = new Engine(busy => {
  if (document.readyState === 'loading') return;
  clearTimeout(working);
  if (busy) working = setTimeout(() => {
    byId('stop').hidden = false;
    byId('state').textContent = 'Working …';
    byId('state').className = 'busy';
  }, slow);
  else {
    byId('stop').hidden = true;
    if (byId('state').className === 'busy') byId('state').className = '';
  }
});

const tell = text => {
  byId('told').textContent = text;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => { byId('told').textContent = ''; }, 4000);
};

// The state and the address

const stateOf = example => checked({
  documents: [{ name: `${example.name}.md`, text: example.text }], answers: example.answers, now: example.now ?? '',
  query: example.query ?? '',
});

/** A protocol to begin with. */
const fresh = {
  name: 'new',
  title: 'A new document',
  text: `# Title - %title(?what) <- what(?what)

This says what to do once the goal is reached, with __what__ filled in.

## What - what(?what)

This is the question.
`,
};
const known = name => [...examples, fresh].find(e => e.name === name);

async function fromAddress() {
  const text = location.hash.slice(1);
  const named = /^example=([\w-]+)$/.exec(text);
  if (named || !text) return stateOf(known(named?.[1]) ?? examples[0]);
  try {
    return await decoded(text);
  } catch {
    setTimeout(() => tell('The link is not complete: it holds no document. This is the first example.'));
    return stateOf(examples[0]);
  }
}

async function toAddress() {
  const text = await encoded(state);
  if (text === hash) return;
  hash = text;
  history.replaceState(null, '', `#${text}`);
}

const later = (work, ms) => {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
};
const addressSoon = later(toAddress, 100);

// Evaluation

async function evaluate() {
  const { documents, answers, now } = state;
  const texts = documents.map(d => d.text);
  const got = await engine.ask({ do: 'evaluate', documents, answers, now });
  if (got.superseded) return;
  result = { ...got, findings: got.findings ?? result?.findings ?? [] };
  show(texts);
  addressSoon();
  if (state.why && state.tab === 'why') explain(state.why);
  if (state.query) ask(state.query);
}
const evaluateSoon = later(evaluate, pause);

/** A request about the last run, which is run again if the engine had to start anew. */
async function ofRun(request) {
  const got = await engine.ask(request);
  if (!got.lost) return got;
  const { documents, answers, now } = state;
  const again = await engine.ask({ do: 'evaluate', documents, answers, now });
  return again.crash || again.stopped || again.superseded ? again : engine.ask(request);
}

async function explain(form) {
  state.why = form;
  addressSoon();
  if (!form) return why?.show('', undefined);
  const got = await ofRun({ do: 'explain', form });
  if (state.why !== form || got.superseded) return;
  why.show(form, got);
  if (state.tab === 'why') light();
}

/** A query may be written without its head. */
function queryOf(text) {
  if (/^%/.test(text)) return text;
  const names = [...new Set(text.replace(/"(?:[^"\\]|\\.)*"/g, s => (s.match(/\{\?[a-z][\w-]*\}/g) ?? []).join(' ')).match(/\?[a-z][\w-]*/g) ?? [])];
  return names.length ? `%answers(${names.join(', ')}) <- ${text}` : `% <- ${text}`;
}

async function ask(text) {
  state.query = text;
  addressSoon();
  if (!text) return run?.showReply(undefined);
  const got = await ofRun({ do: 'ask', query: queryOf(text) });
  if (state.query === text && !got.superseded) run.showReply(got);
}

// Views

let editor;
let run;
let why;

const placesHere = () => (why?.places ?? []).filter(p => p.file === state.documents[current].name);
function light(at, scroll = false) {
  if (!editor) return;
  const file = state.documents[current].name;
  if (state.tab !== 'why' && !narrow.matches) return editor.light([], undefined);
  editor.light(placesHere(), at?.file === file ? at : undefined, scroll || (!at && !narrow.matches));
}

function show(texts) {
  if (!run || !result) return;
  run.show(result, state);
  if (why) why.offer((result.trace ?? []).flatMap(e => (/^[a-z%][^^]*\) -> true$/.test(e.text) ? [e.text.slice(0, -8)] : [])));
  showTrace(byId('trace'), result, form => toWhy(form));
  document.title = `${title()} – rpl playground`;
  const [text, kind] = badge(result);
  byId('state').textContent = text;
  byId('state').className = kind;
  showFindings(texts ?? state.documents.map(d => d.text));
}

const severities = { error: 'Error', warning: 'Warning', info: 'Note' };

function showFindings(texts) {
  const { name } = state.documents[current];
  const findings = result.findings ?? [];
  editor?.mark(texts[current], findings.filter(f => f.file === name), fix);
  const count = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) ++count[severity];
  const words = Object.entries(count).filter(([, n]) => n)
    .map(([severity, n]) => `${n} ${severities[severity].toLowerCase()}${n === 1 ? '' : 's'}`);
  byId('tab-document').textContent = count.error ? `Document (${words[0]})` : 'Document';
  const fixable = findings.filter(f => f.edits?.length);
  fill(byId('findings'),
    h('p', { class: 'count', 'aria-live': 'polite' }, words.length ? words.join(', ') : 'No findings',
      fixable.length > 1 && h('button', { type: 'button', 'data-key': 'fix-all', onclick: () => fixable.reduceRight((_, f) => fix(f, true), null) }, `Fix all ${fixable.length}`)),
    findings.length > 0 && h('ul', null, findings.map(f => h('li', { class: f.severity },
      h('p', null, h('b', null, severities[f.severity]), ' ',
        h('button', { type: 'button', class: 'place', 'aria-label': `Go to line ${f.line}`, onclick: () => goTo(f, true) },
          state.documents.length > 1 ? `${f.file}:${f.line}` : `line ${f.line}`), ' ', sentence(f.message), ' ',
        h('span', { class: 'code' }, f.code)),
      f.hint && h('p', { class: 'dim' }, sentence(f.hint)),
      f.edits?.length > 0 && h('button', { type: 'button', 'data-key': `fix-${f.code}-${f.begin}`, onclick: () => fix(f) }, 'Fix')))));
}

function fix(finding, several = false) {
  const at = state.documents.findIndex(d => d.name === finding.file);
  if (at < 0) return;
  if (at !== current) open(at);
  editor.replace(edited(state.documents[at].text, finding.edits));
  if (!several) tell('Fixed.');
}

function showFiles() {
  const { documents } = state;
  byId('example').value = documents.length === 1 ? known(documents[0].name.replace(/\.md$/, ''))?.name ?? '' : '';
  const rename = h('input', {
    id: 'file-name', type: 'text', value: documents[current].name, 'aria-label': 'Name of the document', spellcheck: 'false', autocapitalize: 'off',
    size: String(Math.max(8, documents[current].name.length)),
    onchange: () => {
      let name = rename.value.trim().replace(/[/\\\0]/g, '-') || documents[current].name;
      if (!/\.(?:md|rpl)$/.test(name)) name += '.md';
      if (documents.some((d, i) => i !== current && d.name === name)) return tell(`There is a document ${name} already.`);
      documents[current].name = name;
      editor.load(name, documents[current].text);
      showFiles();
      evaluate();
    },
  });
  fill(byId('files'), documents.map((d, i) => (i === current ? rename : h('button', { type: 'button', onclick: () => open(i) }, d.name))),
    h('button', {
      type: 'button', title: 'Another document, which this one may read as a namespace',
      onclick: () => {
        let n = 2;
        while (documents.some(d => d.name === `document-${n}.md`)) ++n;
        documents.push({ name: `document-${n}.md`, text: `# Document ${n}\n` });
        open(documents.length - 1);
        evaluate();
      },
    }, 'Add a document'),
    documents.length > 1 && h('button', {
      type: 'button', 'aria-label': `Remove ${documents[current].name}`,
      onclick: () => {
        documents.splice(current, 1);
        open(0);
        evaluate();
      },
    }, 'Remove'));
}

function open(index) {
  current = Math.min(index, state.documents.length - 1);
  const { name, text } = state.documents[current];
  editor.load(name, text);
  showFiles();
  if (result) showFindings(state.documents.map(d => d.text));
}

function goTo(place, focus) {
  const at = state.documents.findIndex(d => d.name === place.file);
  if (at < 0) return;
  if (at !== current) open(at);
  if (narrow.matches) select('document');
  if (focus) editor.go(place.begin);
  else light(place, true);
}

function select(tab, focus = false) {
  state.tab = tab;
  const shown = tab === 'document' && !narrow.matches ? 'run' : tab;
  for (const name of tabs) {
    const button = byId(`tab-${name}`);
    button.setAttribute('aria-selected', String(name === shown));
    button.tabIndex = name === shown ? 0 : -1;
    byId(name).hidden = name !== shown && !(name === 'document' && !narrow.matches);
  }
  byId('document').setAttribute('role', narrow.matches ? 'tabpanel' : 'region');
  byId('results').hidden = narrow.matches && shown === 'document';
  if (focus) byId(`tab-${shown}`).focus();
  if (shown === 'why' && state.why) explain(state.why);
  else light();
  addressSoon();
}

function toWhy(form) {
  state.why = form;
  why.form.value = form;
  select('why');
  byId('why').focus({ preventScroll: true });
  if (narrow.matches) scrollTo(0, 0);
}

function restart(next) {
  state = next;
  current = 0;
  run.drafts.clear();
  editor.load(state.documents[0].name, state.documents[0].text);
  run.showReply(undefined);
  why.show(state.why, undefined);
  why.form.value = state.why;
  run.query.value = state.query;
  showFiles();
  select(state.tab);
  evaluate();
}

const title = () => /^#+\s+(.*?)(?:\s+-\s.*)?$/m.exec(state.documents[0].text)?.[1] ?? state.documents[0].name;
const stem = () => state.documents[0].name.replace(/\.(?:md|rpl)$/, '');

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    tell(`${what} copied.`);
  } catch {
    // Without a clipboard, the text can be copied by hand.
    prompt(what, text);
  }
}

function wire() {
  byId('example').append(...examples.map(e => h('option', { value: e.name }, e.title)), h('option', { value: fresh.name }, fresh.title));
  byId('example').addEventListener('change', async event => {
    const example = known(event.target.value);
    if (!example) return;
    await toAddress();
    history.pushState(null, '', `#example=${example.name}`);
    hash = '';
    restart(stateOf(example));
  });
  byId('format').addEventListener('click', async () => {
    const { name, text } = state.documents[current];
    const got = await engine.ask({ do: 'format', name, text });
    if (got.text === undefined) return tell(got.crash ?? got.error ?? 'It cannot be formatted.');
    if (got.text === text) return tell('It is formatted already.');
    if (editor.text === text) editor.replace(got.text);
    tell('Formatted.');
  });
  byId('copy-link').addEventListener('click', async () => {
    await toAddress();
    copy(location.href, 'Link');
  });
  byId('copy-command').addEventListener('click', () => copy(command(result ?? {}, state), 'Command'));
  byId('save-document').addEventListener('click', () => { for (const d of state.documents) save(d.name, d.text); });
  byId('save-answers').addEventListener('click', () => save(`${stem()}-answers.json`, answersFile(result ?? {}, state)));
  byId('save-test').addEventListener('click', () => save(`${stem()}-test.md`, testScript(result ?? {}, state, title())));
  for (const menu of document.querySelectorAll('.menu')) {
    menu.addEventListener('click', event => { if (event.target.tagName === 'BUTTON') menu.open = false; });
    document.addEventListener('click', event => { if (!menu.contains(event.target)) menu.open = false; });
    menu.addEventListener('keydown', event => {
      if (event.key !== 'Escape') return;
      menu.open = false;
      menu.querySelector('summary').focus();
    });
  }
  byId('stop').addEventListener('click', () => engine.stop());
  for (const name of tabs) byId(`tab-${name}`).addEventListener('click', () => select(name));
  byId('tabs').addEventListener('keydown', event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || event.target.getAttribute('role') !== 'tab') return;
    const there = tabs.filter(name => name !== 'document' || narrow.matches);
    const at = there.findIndex(name => byId(`tab-${name}`) === event.target);
    select(there[(at + step + there.length) % there.length], true);
    event.preventDefault();
  });
  narrow.addEventListener('change', () => select(state.tab));
  addEventListener('hashchange', async () => {
    if (location.hash.slice(1) === hash) return;
    hash = location.hash.slice(1);
    restart(await fromAddress());
  });
}

async function begin() {
  state = await fromAddress();
  const first = evaluate();  // the engine works while the page is made
  if (document.readyState === 'loading') await new Promise(done => document.addEventListener('DOMContentLoaded', done));
  run = new RunView(byId('run'), {
    answer(values) {
      Object.assign(state.answers, values);
      for (const id of Object.keys(values)) run.drafts.delete(id);
      evaluate();
    },
    takeBack(key) {
      delete state.answers[key];
      evaluate();
    },
    why: toWhy,
    ask,
    go(file, line) {
      const text = state.documents.find(d => d.name === file)?.text ?? '';
      const lines = text.split('\n').slice(0, line - 1);
      goTo({ file, begin: new TextEncoder().encode(lines.map(l => `${l}\n`).join('')).length }, true);
    },
    set(field, value) {
      state[field] = value;
      evaluate();
    },
    again: evaluate,
  });
  why = new WhyView(byId('why'), { explain: form => explain(form).then(() => light()), point: span => light(span), go: span => goTo(span, false) });
  why.show(state.why, undefined);
  byId('editor').append(h('pre', { class: 'early' }, state.documents[0].text));
  byId('loading').remove();
  byId('main').hidden = false;
  select(state.tab);
  // The answer comes first, then the editor, which is most of the code of the page.
  await Promise.race([first, new Promise(done => setTimeout(done, 1000))]);
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const { Editor } = await import('./editor.js');
  byId('editor').replaceChildren();
  editor = new Editor(byId('editor'), text => {
    state.documents[current].text = text;
    evaluateSoon();
  });
  editor.load(state.documents[0].name, state.documents[0].text);
  wire();
  showFiles();
  if (result) show();
  light();
  document.documentElement.dataset.ready = 'true';
  // Where the browser refuses, the page works as well, with a network.
  navigator.serviceWorker?.register(new URL('offline.js', import.meta.url)).catch(() => {});
}

begin();
