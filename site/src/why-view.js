// SPDX-License-Identifier: Apache-2.0
//
// Why a fact holds, or why not: its proof as a tree, beside the lines of the document.
import { h, fill } from './dom.js';
import { coloured, sentence } from './tokens.js';

const by = {
  asserted: ['stated', ''], derived: ['by a rule', 'rule'], gathered: ['gathered', 'rule'], test: ['holds', 'ok'],
  absent: ['absent', 'ok'], count: ['counted', 'ok'], reply: ['answered', 'ask'], truncated: ['and more', ''],
  missing: ['does not hold', 'no'], unknown: ['not known', 'no'], attempt: ['rule tried', 'rule'], failed: ['fails here', 'no'],
  nearest: ['nearest', ''],
};

/** All places of a tree. */
export function placesOf(tree) {
  const out = [];
  const walk = node => {
    if (node.span) out.push(node.span);
    node.premises?.forEach(walk);
  };
  walk(tree);
  return out;
}

export class WhyView {
  /** `on`: explain(form), point(span), go(span). */
  constructor(place, on) {
    this.on = on;
    this.form = h('input', {
      id: 'form', type: 'text', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', list: 'known',
      placeholder: 'price("A-17", ?euros)', 'aria-describedby': 'form-help',
    });
    this.known = h('datalist', { id: 'known' });
    this.result = h('div', { id: 'proof', 'aria-live': 'polite' });
    place.append(
      h('form', { class: 'line-form', onsubmit: event => (event.preventDefault(), on.explain(this.form.value.trim())) },
        h('label', { for: 'form' }, 'A fact or a goal'),
        h('div', { class: 'together' }, this.form, this.known, h('button', { type: 'submit', class: 'primary' }, 'Explain')),
        h('p', { id: 'form-help', class: 'dim' }, 'It may have variables. If it holds, its proof follows; if not, the rules that could have given it.')),
      this.result);
  }

  offer(forms) {
    fill(this.known, [...new Set(forms)].slice(0, 50).map(form => h('option', { value: form })));
  }

  show(form, result) {
    if (document.activeElement !== this.form) this.form.value = form;
    if (!result) {
      this.places = [];
      return fill(this.result, h('p', { class: 'empty' }, 'Click “Why?” beside an answer, or name a fact above. The lines of the document that it rests on light up.'));
    }
    const told = result.crash ?? result.stopped ?? result.error;
    if (told) {
      this.places = [];
      return fill(this.result, h('p', { class: 'reason' }, told));
    }
    const explanations = result.explanations ?? [];
    this.places = explanations.flatMap(e => placesOf(e.tree));
    fill(this.result,
      (result.findings ?? []).map(f => h('p', { class: 'reason no' }, sentence(f.message), f.hint && h('span', { class: 'dim' }, ' ', sentence(f.hint)))),
      explanations.length > 0 && h('p', { class: 'head' },
        h('b', { class: `badge ${result.holds ? 'good' : result.doubt ? 'open' : 'bad'}` },
          result.holds ? 'It holds' : result.doubt ? 'Not known' : 'It does not hold'),
        result.holds && explanations.length > 1 ? ` ${explanations.length} facts` : ''),
      result.doubt && h('p', { class: 'dim' }, result.doubt),
      explanations.map(e => h('div', { class: 'proof' }, this.node(e.tree, new Set()))));
  }

  /** `told` has the rules that stand above it already. */
  node(tree, told) {
    const [text, kind] = by[tree.kind] ?? [tree.kind, ''];
    const rule = tree.rule && !told.has(tree.rule) && tree.rule;
    told.add(tree.rule);
    const line = tree.span && h('button', {
      type: 'button', class: 'place', 'aria-label': `Line ${tree.span.line} of ${tree.span.file}`,
      onclick: () => this.on.go(tree.span),
      onfocus: () => this.on.point(tree.span),
      onmouseenter: () => this.on.point(tree.span),
    }, `line ${tree.span.line}`);
    const content = [
      h('span', { class: 'fact' }, h('code', null, coloured(tree.text)), tree.note && tree.note !== text && h('span', { class: 'note' }, ` ${tree.note}`)),
      h('span', { class: `by ${kind}` }, tree.above ? 'see above' : text),
    ];
    return h('div', { class: 'proven' },
      tree.premises?.length
        ? h('details', { open: true }, h('summary', { class: 'node' }, content),
            rule && h('p', { class: 'rule' }, h('code', null, coloured(rule))),
            h('ul', null, tree.premises.map(p => h('li', null, this.node(p, told)))))
        : h('div', { class: 'node' }, content),
      line);
  }
}
