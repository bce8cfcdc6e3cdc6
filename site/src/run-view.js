// SPDX-License-Identifier: Apache-2.0
//
// What a run gives: questions, what to do now, answers, and a query.
import { h, fill } from './dom.js';
import { coloured, sentence } from './tokens.js';
import { callOf, rplOf, shown } from './literal.js';

const names = {
  satisfied: ['Satisfied', 'good'],
  unsatisfied: ['Not satisfied', 'bad'],
  waiting: ['Waiting for an answer', 'open'],
  failed: ['Stopped by a constraint', 'bad'],
  limit: ['Limit reached', 'bad'],
  rejected: ['Rejected', 'bad'],
  nothing: ['Nothing to do', 'open'],
  'tool-failed': ['A tool failed', 'bad'],
};
const manyChoices = 7;

/** The text and the class of the badge of a result. */
export function badge(result) {
  if (!result) return ['Loading', 'open'];
  if (result.crash) return ['The engine stopped', 'bad'];
  if (result.stopped) return ['Stopped', 'bad'];
  if (result.refused && !result.outcome) return ['Errors in the document', 'bad'];
  if (result.goalless) return ['No goal', 'open'];
  const { outcome } = result;
  if (outcome.error) return ['Error', 'bad'];
  if (outcome.status === 'failed' && !outcome.violated) return ['Failed', 'bad'];
  return names[outcome.status] ?? [outcome.status, 'open'];
}

/** Text with line ends that Markdown gave it. */
const flowing = text => text.replace(/([^\n])\n(?![\n\s>|#*+\-\d])/g, '$1 ');

/** `%fail("a", "b")` as its two texts; other reasons as they are. */
function reasons(reason) {
  const fail = /^%fail\(("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\)$/s.exec(reason);
  if (!fail) return [reason];
  return fail.slice(1).map(text => text.slice(1, -1).replace(/\\(.)/gs, (_, c) => ({ n: '\n', t: '\t' })[c] ?? c));
}

/** A number where the text is how it would be printed, as of `rpl run --answer`. */
const valueOf = text => {
  const plain = text.trim();
  return /^-?\d+(?:\.\d+)?$/.test(plain) && String(Number(plain)) === plain ? Number(plain) : text.trimEnd();
};

const toolResult = text => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

export class RunView {
  /** `on`: answer(values), takeBack(key, id), why(form), ask(query), go(file, line), set(field, value), again(). */
  constructor(place, on) {
    this.on = on;
    this.drafts = new Map();
    this.status = h('div');
    this.form = h('div');
    this.below = h('div');
    this.query = h('input', {
      id: 'query', type: 'text', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off',
      placeholder: '%big(?what) <- price(?what, ?p), ?p > 100', 'aria-describedby': 'query-help',
    });
    this.replied = h('div', { id: 'replied', 'aria-live': 'polite' });
    this.now = h('input', {
      id: 'now', type: 'text', placeholder: '2026-01-31T12:00:00Z', spellcheck: 'false', autocomplete: 'off',
      'aria-describedby': 'now-help', onchange: () => on.set('now', this.now.value.trim()),
    });
    place.append(
      this.status, this.form, this.below,
      h('form', { class: 'line-form query', onsubmit: event => (event.preventDefault(), on.ask(this.query.value.trim())) },
        h('label', { for: 'query' }, 'Query'),
        h('div', { class: 'together' }, this.query, h('button', { type: 'submit' }, 'Ask')),
        h('p', { id: 'query-help', class: 'dim' }, 'A condition, such as ', h('code', null, 'price(?what, 40)'),
          ', or a goal with ', h('code', null, '<-'), '. It changes nothing.')),
      this.replied,
      h('details', { class: 'settings' }, h('summary', null, 'The time of the run'),
        h('label', { for: 'now' }, 'now'), this.now,
        h('p', { id: 'now-help', class: 'dim' }, 'A date or a time in ISO 8601. Empty: the clock of this computer.')));
  }

  show(result, state) {
    if (document.activeElement !== this.query) this.query.value = state.query;
    if (document.activeElement !== this.now) this.now.value = state.now;
    const { outcome } = result;
    fill(this.status, this.head(result));
    fill(this.form, outcome?.questions?.length ? this.questions(result) : []);
    fill(this.below, outcome && !outcome.error ? [this.doNow(result), this.answers(result), this.chat(outcome)] : [],
         this.given(result, state));
  }

  head(result) {
    const [text, kind] = badge(result);
    const goal = result.outcome && !result.goalless && result.outcome.goal;
    const out = [h('p', { class: 'head' }, h('b', { class: `badge ${kind}`, id: 'badge' }, text), ' ',
      goal && h('code', { class: 'goal' }, coloured(goal)),
      result.took !== undefined && h('span', { class: 'took' }, `${Math.max(1, Math.round(result.took))} ms`))];
    const told = result.crash ?? result.stopped;
    if (told)
      return [...out, h('p', { class: 'reason' }, told),
        h('p', null, h('button', { type: 'button', onclick: () => this.on.again() }, 'Run again'))];
    if (result.goalless)
      return [...out, h('p', { class: 'reason' }, 'The document has no goal, so there is nothing to pursue. A heading such as ',
        h('code', null, coloured('# Refund - %refund(?order) <- order(?order)')),
        ' makes one. Its facts and rules can be asked below.')];
    if (!result.outcome)
      return [...out, h('p', { class: 'reason' },
        result.findings?.some(f => f.severity === 'error')
          ? 'Nothing runs before they are corrected; they stand below the document.'
          : `${result.refused[0].toUpperCase()}${result.refused.slice(1)}.`)];
    const { outcome } = result;
    if (outcome.error) return [...out, h('p', { class: 'reason' }, sentence(outcome.error)), outcome.hint && h('p', { class: 'dim' }, sentence(outcome.hint))];
    if (outcome.violated) {
      const { heading, text: prose, with: values = [] } = outcome.violated;
      out.push(h('blockquote', { class: 'stop', id: 'violated' }, h('h2', null, heading, this.place(outcome.reason)),
        prose && h('p', null, flowing(prose)),
        values.length > 0 && h('footer', null, values.map(v => h('code', { class: 'with' }, coloured(v))))));
    } else if (outcome.reason && outcome.status !== 'waiting') {
      const [short, long] = reasons(outcome.reason);
      out.push(h('p', { class: 'reason', id: 'reason' }, sentence(short)), long && h('p', { class: 'dim' }, sentence(long)));
    }
    if (outcome.status === 'unsatisfied' && outcome.goal)
      out.push(h('p', null, h('button', { type: 'button', 'data-key': 'why-not', onclick: () => this.on.why(outcome.goal) }, 'Why not?')));
    if (outcome.cutOff) out.push(h('p', { class: 'dim' }, outcome.cutOff));
    for (const o of outcome.overridden ?? []) out.push(h('p', { class: 'dim' }, `Overridden: ${o.heading ?? o.constraint}`));
    return out;
  }

  /** A button for the line of the constraint that the reason names. */
  place(reason) {
    const [, file, line] = / at ([^\n]+?):(\d+):\d+ with /.exec(reasons(reason)[1] ?? '') ?? [];
    return line && [' ', h('button', {
      type: 'button', class: 'place', 'data-key': 'constraint', 'aria-label': `Line ${line} of ${file}, the constraint`,
      onclick: () => this.on.go(file, Number(line)),
    }, `line ${line}`)];
  }

  doNow({ outcome }) {
    const [first, ...others] = outcome.now ?? [];
    return [
      first && h('blockquote', { class: 'now', id: 'do-now' }, h('h2', null, first.heading), h('p', null, flowing(first.text))),
      others.map(({ heading, text }) => h('blockquote', { class: 'way' }, h('h3', null, heading), h('p', null, flowing(text)))),
    ];
  }

  answers({ outcome, trace, goalless }) {
    if (goalless || outcome.status !== 'satisfied') return [];
    const forms = trace.filter(e => e.kind === 'goal').map(e => callOf(e.text))
      .filter(f => f === outcome.goal || f.startsWith(`${outcome.goal}(`));
    const rows = outcome.answers;
    if (!rows.length)
      return h('p', null, h('button', { type: 'button', 'data-key': 'why', onclick: () => this.on.why(outcome.goal) }, 'Why?'));
    const columns = [...new Set(rows.flatMap(row => Object.keys(row)))];
    const form = i => (forms.length === rows.length ? forms[i] : `${outcome.goal}(${columns.map(c => rplOf(rows[i][c])).join(', ')})`);
    return h('div', { class: 'wide' }, h('table', { class: 'rows', id: 'answers' },
      h('caption', null, rows.length === 1 ? '1 answer' : `${rows.length} answers`),
      h('thead', null, h('tr', null, columns.map(c => h('th', { scope: 'col' }, h('var', null, c))), h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Proof')))),
      h('tbody', null, rows.slice(0, 500).map((row, i) =>
        h('tr', { onclick: () => this.on.why(form(i)) },
          columns.map(c => h('td', null, shown(row[c]))),
          h('td', null, h('button', { type: 'button', 'data-key': `why-${i}`, 'aria-label': `Why ${form(i)}` }, 'Why?'))))),
      ), rows.length > 500 && h('p', { class: 'dim' }, `The first 500 of ${rows.length}.`));
  }

  chat(outcome) {
    return outcome.chat?.length ? [h('h2', null, 'Output'), h('pre', { class: 'chat', id: 'chat' }, outcome.chat.join('\n'))] : [];
  }

  given({ asked = [], unused = [] }, state) {
    const rows = asked.filter(q => q.given !== undefined && q.given in state.answers);
    const rest = unused.filter(key => key in state.answers);
    return [
      rows.length > 0 && h('section', { class: 'given', 'aria-label': 'Answers so far' }, h('h2', null, 'Your answers'),
        h('ul', null, rows.map(q => h('li', null,
          h('span', null, flowing(q.prompt || q.id)), h('b', null, q.row ? this.rowsText(state.answers[q.given]) : shown(state.answers[q.given])),
          h('button', {
            type: 'button', 'data-key': `change-${q.id}`, 'aria-label': `Change the answer to: ${q.prompt || q.id}`,
            onclick: () => {
              this.drafts.set(q.id, state.answers[q.given]);
              this.on.takeBack(q.given);
            },
          }, 'Change'))))),
      rest.length > 0 && h('section', { class: 'given' }, h('h2', null, 'Not asked for'),
        h('ul', null, rest.map(key => h('li', null, h('code', null, key), h('b', null, shown(state.answers[key])),
          h('button', { type: 'button', 'aria-label': `Remove the answer ${key}`, onclick: () => this.on.takeBack(key) }, 'Remove'))))),
    ];
  }

  rowsText(rows) {
    if (!Array.isArray(rows)) return shown(rows);
    return rows.length ? rows.map(row => (Array.isArray(row) ? row.map(shown).join(', ') : shown(row))).join('; ') : 'none';
  }

  questions({ outcome, refused }) {
    const read = new Map();
    const why = new Map(refused.map(r => [r.key, r.why]));
    const fields = outcome.questions.map((q, i) => this.field(q, i, read, why.get(q.id)));
    return h('form', {
      class: 'questions', id: 'questions',
      onsubmit: event => {
        event.preventDefault();
        const values = {};
        for (const [id, take] of read) {
          const value = take();
          if (value !== undefined) values[id] = value;
        }
        if (Object.keys(values).length) this.on.answer(values);
      },
    }, fields, h('button', { type: 'submit', class: 'primary', 'data-key': 'answer' }, 'Answer'));
  }

  field(q, i, read, refusal) {
    const id = `question-${i}`;
    const prompt = flowing(q.prompt || q.id);
    const trouble = refusal && h('p', { class: 'trouble', id: `${id}-refused` }, sentence(refusal));
    const described = refusal ? `${id}-refused` : undefined;
    const draft = this.drafts.get(q.id);
    const keep = value => this.drafts.set(q.id, value);
    const options = q.options ?? [];
    if (q.row) return this.rowsField(q, id, prompt, trouble, read, keep, draft);
    if (options.length && options.length <= manyChoices) {
      read.set(q.id, () => {
        const chosen = document.querySelector(`input[name="${id}"]:checked`);
        return chosen ? options[Number(chosen.value)] : undefined;
      });
      return h('fieldset', { 'aria-describedby': described }, h('legend', null, prompt),
        h('div', { class: 'choices' }, options.map((option, n) => h('label', null,
          h('input', { type: 'radio', name: id, value: String(n), checked: draft === option, onchange: () => keep(option), 'data-key': `${q.id}-${n}` }),
          ' ', shown(option)))), trouble);
    }
    if (options.length) {
      const select = h('select', { id, 'data-key': q.id, 'aria-describedby': described, onchange: () => keep(options[Number(select.value)]) },
        h('option', { value: '' }, 'Choose one …'), options.map((option, n) => h('option', { value: String(n) }, shown(option))));
      const at = options.findIndex(o => o === draft);
      if (at >= 0) select.value = String(at);
      read.set(q.id, () => (select.value === '' ? undefined : options[Number(select.value)]));
      return h('div', { class: 'field' }, h('label', { for: id }, prompt), select, trouble);
    }
    const number = q.takes === 'number' || q.schema?.type === 'number' || q.schema?.type === 'integer';
    const time = q.takes === 'time';
    const control = number || time
      ? h('input', {
          id, type: number ? 'number' : 'text', step: 'any', inputmode: number ? 'decimal' : undefined, autocomplete: 'off',
          placeholder: time ? '2026-01-31 or 2026-01-31T12:00:00Z' : undefined, 'data-key': q.id, 'aria-describedby': described,
        })
      : h('textarea', { id, rows: q.kind === 'tool' ? 3 : 1, 'data-key': q.id, 'aria-describedby': described, autocapitalize: 'off', spellcheck: 'false' });
    if (draft !== undefined) control.value = q.kind === 'tool' && typeof draft !== 'string' ? JSON.stringify(draft) : shown(draft);
    control.addEventListener('input', () => keep(control.value));
    if (control.tagName === 'TEXTAREA' && q.kind !== 'tool')
      control.addEventListener('keydown', event => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        control.form.requestSubmit();
      });
    read.set(q.id, () => {
      if (control.value.trim() === '') return undefined;
      if (number) return Number(control.value);
      return q.kind === 'tool' ? toolResult(control.value) : time ? control.value.trim() : valueOf(control.value);
    });
    return h('div', { class: 'field' }, h('label', { for: id }, q.kind === 'tool' ? h('code', null, coloured(q.id)) : prompt),
      control, q.kind === 'tool' && h('p', { class: 'dim' }, 'A tool. Give its result, as text or JSON.'), trouble);
  }

  rowsField(q, id, prompt, trouble, read, keep, draft) {
    const width = q.row.length;
    const rows = Array.isArray(draft) ? draft.map(row => (Array.isArray(row) ? row.map(shown) : [shown(row)])) : [];
    if (!rows.length) rows.push(Array(width).fill(''));
    let none = false;
    const body = h('tbody');
    const taken = () => rows.filter(row => row.some(cell => cell.trim() !== ''))
      .map(row => (width === 1 ? valueOf(row[0]) : row.map(valueOf)));
    const line = row => h('tr', null, row.map((cell, c) => h('td', null, h('input', {
      type: 'text', value: cell, autocomplete: 'off', autocapitalize: 'off', 'aria-label': `${q.row[c]}, row ${rows.indexOf(row) + 1}`,
      'data-key': `${q.id}-${rows.indexOf(row)}-${c}`,
      oninput: event => {
        row[c] = event.target.value;
        keep(taken());
      },
    }))));
    const add = () => {
      rows.push(Array(width).fill(''));
      body.append(line(rows.at(-1)));
      body.lastChild.querySelector('input').focus();
    };
    body.append(...rows.map(line));
    read.set(q.id, () => {
      const values = taken();
      return values.length || none ? values : undefined;
    });
    return h('fieldset', null, h('legend', null, prompt),
      h('table', { class: 'entry' }, h('thead', null, h('tr', null, q.row.map(name => h('th', { scope: 'col' }, name)))), body),
      h('p', { class: 'buttons' }, h('button', { type: 'button', onclick: add }, 'Another row'), ' ',
        h('button', { type: 'submit', onclick: () => { none = true; } }, 'None')),
      trouble);
  }

  /** The result of the query, which is a message whose last line is a goal. */
  showReply(reply) {
    if (!reply) return fill(this.replied);
    if (reply.crash || reply.stopped || reply.error)
      return fill(this.replied, h('p', { class: 'reason' }, reply.crash ?? reply.stopped ?? reply.error));
    const columns = [...new Set((reply.answers ?? []).flatMap(row => Object.keys(row)))];
    if (reply.status === 'satisfied' && columns.length)
      return fill(this.replied, h('div', { class: 'wide' }, h('table', { class: 'rows' },
        h('caption', null, reply.answers.length === 1 ? '1 answer' : `${reply.answers.length} answers`),
        h('thead', null, h('tr', null, columns.map(c => h('th', { scope: 'col' }, h('var', null, c))))),
        h('tbody', null, reply.answers.slice(0, 500).map(row => h('tr', null, columns.map(c => h('td', null, shown(row[c])))))))));
    const lines = reply.violated ? [`${reply.violated.heading}: ${flowing(reply.violated.text)}`] : reply.lines ?? [];
    return fill(this.replied, lines.map(line => h('p', { class: reply.status === 'satisfied' ? 'reason' : 'reason no' }, line === 'true' ? 'Yes, it holds.' : sentence(line))));
  }
}
