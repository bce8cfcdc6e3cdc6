// SPDX-License-Identifier: Apache-2.0
//
// The tokens of RPL.

/** The class of each kind of token, as the other pages of rpl name them. */
const classes = {
  variable: 'v', tool: 'a', goal: 'g', string: 's', number: 'n', keyword: 'k', operator: 'o', comment: 'c',
};

export const label = '[a-z][\\w-]*(?:[.#/][a-z][\\w-]*)*';
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

/** The kind of the token that the stream passes, for CodeMirror. */
export function rplToken(stream) {
  if (stream.eatSpace()) return null;
  for (const [pattern, kind] of rules) if (stream.match(pattern)) return kind;
  stream.next();
  return null;
}

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

/** A sentence, in which RPL stands between backticks. */
export const sentence = text => text.split(/`([^`]+)`/).flatMap((part, i) => {
  if (i % 2 === 0) return part ? [part] : [];
  const code = document.createElement('code');
  code.append(...coloured(part));
  return [code];
});
