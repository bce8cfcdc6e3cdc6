// SPDX-License-Identifier: Apache-2.0
//
// What the run recorded, in order.
import { h, fill } from './dom.js';
import { coloured } from './tokens.js';
import { callOf } from './literal.js';

export function showTrace(place, result, why) {
  const entries = result?.trace ?? [];
  if (!entries.length)
    return fill(place, h('p', { class: 'empty' }, 'Nothing is recorded yet. The trace has an entry for each reply, for each goal that is reached, and for each constraint that was kept.'));
  return fill(place,
    h('p', { class: 'dim' }, 'Each entry holds from its place on. A timestep has eight phases: replies come in at phase 1, goals are reached at phase 6.'),
    h('div', { class: 'wide' }, h('table', { class: 'rows trace' },
      h('thead', null, h('tr', null, ['Step', 'Kind', 'Entry'].map(name => h('th', { scope: 'col' }, name)), h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Proof')))),
      h('tbody', null, entries.slice(0, 500).map(entry => {
        const form = callOf(entry.text);
        return h('tr', null, h('td', null, `${entry.timestep}.${entry.phase}`), h('td', null, entry.kind),
          h('td', null, h('code', null, coloured(entry.text))),
          h('td', null, form && entry.kind !== 'reply' && h('button', { type: 'button', 'aria-label': `Why ${form}`, onclick: () => why(form) }, 'Why?')));
      })))),
    entries.length > 500 && h('p', { class: 'dim' }, `The first 500 of ${entries.length}.`));
}
