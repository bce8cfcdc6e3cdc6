// SPDX-License-Identifier: Apache-2.0
//
// Colours for a document: Markdown line by line, and RPL in fences, signatures and bare sentences.
import { StreamLanguage } from '@codemirror/language';
import { Tag, tags } from '@lezer/highlight';

export const own = { goal: Tag.define(), tool: Tag.define(), span: Tag.define(), fence: Tag.define() };

/** The class of each kind of token, as the other pages of rpl name them. */
const classes = {
  variable: 'v', tool: 'a', goal: 'g', string: 's', number: 'n', keyword: 'k', operator: 'o', comment: 'c',
};

const label = '[a-z][\\w-]*(?:[.#/][a-z][\\w-]*)*';
const rules = [
  [/^--(?![\w-]).*/, 'comment'],
  [/^~\s*\/(?:[^/\\]|\\.)*\/?/, 'string'],
  [/^"(?:[^"\\]|\\.)*"?/, 'string'],
  [/^'(?:[^'\\]|\\.)*'?/, 'string'],
  [/^#?\?[a-z][\w-]*/i, 'variable'],
  [/^_(?![\w-])/, 'variable'],
  [new RegExp(`^\\$${label}`), 'tool'],
  [new RegExp(`^!?%(?:${label})?`), 'goal'],
  [/^@[a-z]+/, 'operator'],
  [/^:[a-z][\w-]*/, 'keyword'],
  [/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?/, 'number'],
  [/^(?:not|in|before|after|within|between|of|now|union|intersect|difference)(?![\w(#-])/, 'operator'],
  [/^(?:true|false|nil)(?![\w(-])/, 'number'],
  [new RegExp(`^${label}`), 'relation'],
  [/^(?:<-|->|<=|>=|!=|\^\^|[-=<>+*/|&~^;!#.])/, 'operator'],
  [/^[()[\]{},]/, 'punctuation'],
];

function rplToken(stream) {
  if (stream.eatSpace()) return null;
  for (const [pattern, kind] of rules) if (stream.match(pattern)) return kind;
  stream.next();
  return null;
}

const signature = new RegExp(`^ - (?=!?[%$]?${label}\\s*\\(|%|\\$|\\(|\\||not |\\?)`);
const sentence = new RegExp(`^\\s{0,3}(?:[%$]?${label}\\(.*(?:\\)|,|<-|->|\\||\\})|[%$]?${label}\\(.*(?:<-|->).*|%\\s*<-.*|\\|.*->.*)\\s*$`);
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
      state.line = state.goesOn || sentence.test(string) ? 'rpl' : 'prose';
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

/** RPL as elements. */
export function coloured(text) {
  const out = [];
  let rest = text;
  while (rest) {
    const space = /^\s+/.exec(rest);
    let token = space?.[0];
    let kind;
    if (!token)
      for (const [pattern, name] of rules) {
        const match = pattern.exec(rest);
        if (match) {
          [token] = match;
          kind = name;
          break;
        }
      }
    token ||= rest[0];
    rest = rest.slice(token.length);
    if (classes[kind]) {
      const span = document.createElement('span');
      span.className = classes[kind];
      span.textContent = token;
      out.push(span);
    } else out.push(token);
  }
  return out;
}
