// SPDX-License-Identifier: Apache-2.0
//
// Values of JSON as RPL, and RPL of the trace as calls.

const quoted = text =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/\{(?=\?)/g, '\\{').replace(/\n/g, '\\n').replace(/\t/g, '\\t').replace(/\r/g, '\\r')}"`;

export function rplOf(value) {
  if (value === null || value === undefined) return 'nil';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(rplOf).join(' ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value).map(([key, v]) => `${key.startsWith(':') ? key : quoted(key)} ${rplOf(v)}`).join(', ')}}`;
  return String(value);
}

/** What stands in a cell: a text without its quotes. */
export const shown = value => (typeof value === 'string' ? value : Array.isArray(value) || (value && typeof value === 'object') ? JSON.stringify(value) : String(value));

/** The forms between blanks and commas of `text`, which is balanced. */
function forms(text) {
  const out = [];
  let depth = 0;
  let form = '';
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (c === '"' || c === "'") {
      const from = i++;
      while (i < text.length && text[i] !== c) i += text[i] === '\\' ? 2 : 1;
      form += text.slice(from, i + 1);
      continue;
    }
    if ('([{'.includes(c)) ++depth;
    if (')]}'.includes(c)) --depth;
    if (!depth && /[\s,]/.test(c)) {
      if (form) out.push(form);
      form = '';
    } else form += c;
  }
  if (form) out.push(form);
  return out;
}

/** What an entry of the trace says holds, as a call, where that can be read off it; or "":
 * `%g ^^ {?a 1, ?b "x"} -> true` is `%g(1, "x")`, `(p(?a) <- q(?a)) ^^ {?a 1} -> true` is `p(1)`. */
export function callOf(entry) {
  const [, ground] = /^([\s\S]*) -> true$/.exec(entry) ?? [];
  if (!ground) return '';
  const [, form, map] = /^(%\S*|\([a-z][\s\S]*\)) \^\^ \{([\s\S]*)\}$/.exec(ground) ?? [];
  if (!form) return /\^/.test(ground.replace(/"(?:[^"\\]|\\.)*"/g, '')) ? '' : ground;
  const all = forms(map);
  const values = all.filter((_, i) => i % 2);
  if (form.startsWith('%')) return form === '%' || !values.length ? form : `${form}(${values.join(', ')})`;
  const [, name, variables] = /^\(([^\s()]+)\(((?:\?[\w-]+(?:, )?)*)\) <- /.exec(form) ?? [];
  const given = variables?.split(', ').map(v => values[all.indexOf(v) / 2]);
  return given?.every(Boolean) ? `${name}(${given.join(', ')})` : '';
}

/** Text of the line of a shell. */
export const shell = text => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`);
