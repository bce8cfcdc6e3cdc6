// SPDX-License-Identifier: Apache-2.0
//
// Colours for a document: Markdown line by line, and RPL in fences, signatures and bare sentences.
import { StreamLanguage } from '@codemirror/language';
import { Tag, tags } from '@lezer/highlight';
import { label, rplToken } from './tokens.js';

export const own = { goal: Tag.define(), tool: Tag.define(), span: Tag.define(), fence: Tag.define() };

const signature = new RegExp(`^ - (?=!?[%$]?${label}\\s*\\(|%|\\$|\\(|\\||not |\\?)`);
const wholeLine = new RegExp(`^\\s{0,3}(?:[%$]?${label}\\(.*(?:\\)|,|<-|->|\\||\\})|[%$]?${label}\\(.*(?:<-|->).*|%\\s*<-.*|\\|.*->.*)\\s*$`);
const goesOn = /(?:,|<-|->|\|)\s*$/;

function proseToken(stream) {
  if (stream.match(/^__[^_].*?__/)) return 'span';
  if (stream.match(/^`[^`]*`/)) return 'code';
  if (stream.match(/^\*\*[^*].*?\*\*/)) return 'strong';
  if (stream.match(/^\*[^*\s][^*]*\*/)) return 'emphasis';
  if (stream.match(/^\[[^\]]*\]\([^)]*\)/)) return 'link';
  stream.next();
  stream.eatWhile(/[^_`*[]/);
  return null;
}

function documentToken(stream, state) {
  if (stream.sol()) {
    const { string } = stream;
    if (state.fence) {
      if (string.trim() === '' ) state.line = state.rpl ? 'rpl' : 'fence';
      else if (new RegExp(`^\\s{0,3}${state.fence[0]}{${state.fence.length},}\\s*$`).test(string)) {
        state.fence = '';
        stream.skipToEnd();
        return 'mark';
      } else state.line = state.rpl ? 'rpl' : 'fence';
    } else {
      const fence = /^\s{0,3}(`{3,}|~{3,})\s*\{?\.?([\w-]*)/.exec(string);
      if (fence) {
        state.fence = fence[1];
        state.rpl = fence[2] === 'rpl';
        state.goesOn = false;
        stream.skipToEnd();
        return 'mark';
      }
      const heading = stream.match(/^\s{0,3}#{1,6}(?=\s)/);
      if (heading) {
        state.line = 'heading';
        return 'mark';
      }
      state.line = state.goesOn || wholeLine.test(string) ? 'rpl' : 'prose';
      state.goesOn = state.line === 'rpl' && goesOn.test(string);
      if (state.line === 'prose' && stream.match(/^\s*(?:[-*+]|\d+[.)]|>)\s/)) return 'mark';
    }
  }
  if (state.line === 'fence') {
    stream.skipToEnd();
    return 'code';
  }
  if (state.line === 'heading') {
    if (stream.match(signature)) {
      state.line = 'rpl';
      return 'operator';
    }
    stream.next();
    stream.eatWhile(/[^ ]/);
    return 'heading';
  }
  return state.line === 'rpl' ? rplToken(stream) : proseToken(stream);
}

const tokenTable = {
  variable: tags.variableName, tool: own.tool, goal: own.goal, string: tags.string, number: tags.number,
  keyword: tags.atom, operator: tags.operator, comment: tags.comment, relation: tags.name,
  punctuation: tags.punctuation, span: own.span, code: tags.monospace, strong: tags.strong,
  emphasis: tags.emphasis, link: tags.link, mark: tags.meta, heading: tags.heading,
};

const of = token => StreamLanguage.define({
  name: 'rpl', token, tokenTable,
  startState: () => ({ fence: '', rpl: false, line: 'prose', goesOn: false }),
  languageData: { commentTokens: { line: '--' } },
});
const markdown = of(documentToken);
const plain = of(rplToken);
export const languageOf = name => (name.endsWith('.rpl') ? plain : markdown);
