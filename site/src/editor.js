// SPDX-License-Identifier: Apache-2.0
//
// The editor. It stands in a shadow root, where the policy of the page admits its style sheets.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { languageOf, own } from './language.js';
import { unitsOf } from './offsets.js';

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--paper)', color: 'var(--ink)', fontSize: '.875rem' },
  '&.cm-focused': { outline: '2px solid var(--link)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '.75rem 0', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-line': { padding: '0 .9rem 0 .5rem' },
  '.cm-gutters': { backgroundColor: 'var(--paper)', color: 'var(--soft)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '2.4rem', padding: '0 .35rem 0 .5rem' },
  '.cm-activeLine': { backgroundColor: 'var(--active)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'var(--selected)' },
  '.lit': { backgroundColor: 'var(--rule-ground)', boxShadow: 'inset 3px 0 0 var(--rule)' },
  '.lit-at': { backgroundColor: 'var(--lit)', borderRadius: '2px' },
  '.cm-lintRange': { paddingBottom: '0' },
  '.cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-info': {
    backgroundImage: 'none', textDecoration: 'underline wavy var(--no) 1.5px',
    textDecorationSkipInk: 'none', textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--tool)' },
  '.cm-lintRange-info': { textDecorationColor: 'var(--soft)', textDecorationStyle: 'dotted' },
  '.cm-lintPoint::after': { display: 'none' },
  '.cm-tooltip': {
    backgroundColor: 'var(--paper)', color: 'var(--ink)', border: '1px solid var(--line)', borderRadius: '6px',
    maxWidth: 'min(32rem, 90vw)', boxShadow: '0 4px 16px rgb(0 0 0 / .15)', overflow: 'hidden',
  },
  '.cm-diagnostic': { padding: '.4rem .7rem', whiteSpace: 'pre-line', font: '.875rem/1.45 var(--sans)' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--no)' },
  '.cm-diagnostic-warning': { borderLeft: '4px solid var(--tool)' },
  '.cm-diagnostic-info': { borderLeft: '4px solid var(--line)' },
  '.cm-diagnosticAction': {
    font: '500 .8125rem var(--sans)', color: 'var(--ground)', backgroundColor: 'var(--link)', borderRadius: '4px',
    border: '0', padding: '.15rem .6rem', cursor: 'pointer',
  },
});

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '700', color: 'var(--ink)' },
  { tag: tags.meta, color: 'var(--soft)' },
  { tag: tags.variableName, color: 'var(--rule)', whiteSpace: 'nowrap' },
  { tag: own.tool, color: 'var(--ask)' },
  { tag: own.goal, color: 'var(--link)', fontWeight: '700' },
  { tag: own.span, color: 'var(--rule)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.number, color: 'var(--tool)' },
  { tag: tags.atom, color: 'var(--no)' },
  { tag: tags.operator, color: 'var(--soft)' },
  { tag: tags.punctuation, color: 'var(--soft)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.monospace, color: 'var(--soft)' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.link, color: 'var(--link)' },
]);

const setLit = StateEffect.define();
const lit = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    let out = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setLit)) out = effect.value;
    return out;
  },
  provide: field => EditorView.decorations.from(field),
});

export class Editor {
  /** `changed` is called after each change that a person makes, not after `load`. */
  constructor(place, changed) {
    const root = place.attachShadow({ mode: 'open' });
    const inner = root.appendChild(document.createElement('div'));
    this.name = '';
    this.loading = false;
    this.language = new Compartment();
    this.extensions = [
      lineNumbers(), history(), drawSelection(), highlightActiveLine(), EditorView.lineWrapping, theme,
      syntaxHighlighting(colours), lit, this.language.of([]),
      keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
      EditorView.contentAttributes.of({ 'aria-label': 'Document', tabindex: '0', spellcheck: 'false', autocapitalize: 'off' }),
      EditorView.updateListener.of(update => {
        if (update.docChanged && !this.loading) changed(update.state.doc.toString());
      }),
    ];
    this.view = new EditorView({ state: this.stateOf('', ''), parent: inner, root });
    inner.style.height = '100%';
  }

  stateOf(name, text) {
    this.name = name;
    return EditorState.create({
      doc: text,
      extensions: [...this.extensions, languageOf(name)],
    });
  }

  get text() { return this.view.state.doc.toString(); }

  /** Another document, without the history of the one before. */
  load(name, text) {
    this.loading = true;
    this.view.setState(this.stateOf(name, text));
    this.loading = false;
  }

  /** A change of the same document, which can be undone: only what differs is replaced. */
  replace(text) {
    const old = this.text;
    let from = 0;
    while (from < old.length && from < text.length && old[from] === text[from]) ++from;
    let end = 0;
    while (end < old.length - from && end < text.length - from && old[old.length - 1 - end] === text[text.length - 1 - end]) ++end;
    this.view.dispatch({ changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) } });
  }

  /** Findings of this document, made of `text`; they are dropped if it has changed since. */
  mark(text, findings, fix) {
    if (text !== this.text) return;
    const unit = unitsOf(text);
    this.view.dispatch(setDiagnostics(this.view.state, findings.map(finding => ({
      from: unit(finding.begin),
      to: Math.max(unit(finding.end), unit(finding.begin)),
      severity: finding.severity,
      message: finding.hint ? `${finding.message}\n${finding.hint}` : finding.message,
      source: finding.code,
      actions: finding.edits?.length ? [{ name: 'Fix', apply: () => fix(finding) }] : [],
    }))));
  }

  /** Lights up the lines of these places {begin, end} in bytes; `at` is one of them, and shown. */
  light(places, at, scroll) {
    const { doc } = this.view.state;
    const unit = unitsOf(doc.toString());
    const inside = byte => Math.min(unit(byte), doc.length);
    const lines = new Set();
    for (const { begin, end } of places) {
      const last = doc.lineAt(Math.max(inside(begin), inside(end) - 1)).number;
      const first = doc.lineAt(inside(begin)).number;
      // A rule of a heading reaches to the end of its section: its first line says it.
      if (last - first > 12) lines.add(first);
      else for (let n = first; n <= last; ++n) if (doc.line(n).text.trim()) lines.add(n);
    }
    const ranges = [...lines].sort((a, b) => a - b)
      .map(n => Decoration.line({ class: 'lit' }).range(doc.line(n).from));
    if (at) {
      const from = inside(at.begin);
      const to = Math.min(inside(at.end), doc.lineAt(from).to);
      if (to > from) ranges.push(Decoration.mark({ class: 'lit-at' }).range(from, to));
    }
    const effects = [setLit.of(Decoration.set(ranges, true))];
    const show = at ?? places[0];
    if (scroll && show) effects.push(EditorView.scrollIntoView(inside(show.begin), { y: 'center' }));
    this.view.dispatch({ effects });
  }

  /** Puts the cursor at a place in bytes. */
  go(begin) {
    const at = Math.min(unitsOf(this.text)(begin), this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    this.view.focus();
  }
}
