// SPDX-License-Identifier: Apache-2.0
//
// Reads an example: a document whose front matter has `key: value` lines. `title` and `order` say
// where it stands in the menu; `answers`, JSON, `now` and `query` are what is filled in; and the lines
// `shows` are texts that the page shows then, each with the view: `run`, or `why FORM`.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

export function readExample(file) {
  const source = readFileSync(file, 'utf8');
  const parts = /^---\n([\s\S]*?)\n---\n+([\s\S]*)$/.exec(source);
  if (!parts) throw new Error(`${file}: no front matter`);
  const example = { name: basename(file, '.md'), order: 0, answers: {}, shows: [], text: parts[2] };
  for (const line of parts[1].split('\n')) {
    const [, key, value] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (key === 'shows') example.shows.push(value);
    else if (key === 'answers') example.answers = JSON.parse(value);
    else if (key === 'order') example.order = Number(value);
    else if (['title', 'now', 'query'].includes(key)) example[key] = value;
    else throw new Error(`${file}: what is "${line}"?`);
  }
  return example;
}
