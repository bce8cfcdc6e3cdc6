// SPDX-License-Identifier: Apache-2.0
//
// usage: node site/build.mjs WASM-FOLDER OUT-FOLDER
//
// Makes the static files of the playground in OUT-FOLDER, which is emptied first. WASM-FOLDER has
// rpl.mjs and rpl.wasm. The npm modules are in build/site/node_modules, or in node_modules of the
// folder that the variable SITE_MODULES names.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { readExample } from './example.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, out] = process.argv.slice(2).map(folder => resolve(folder));
if (!out) {
  console.error('usage: node site/build.mjs WASM-FOLDER OUT-FOLDER');
  process.exit(2);
}
const modules = join(resolve(process.env.SITE_MODULES ?? join(here, '..', 'build', 'site')), 'node_modules');
const { build } = createRequire(join(modules, 'none.js'))('esbuild');

const examples = readdirSync(join(here, 'examples')).filter(name => name.endsWith('.md'))
  .map(name => readExample(join(here, 'examples', name)))
  .sort((a, b) => a.order - b.order)
  .map(({ name, title, text, answers, now, query }) => ({ name, title, text, answers, now, query }));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ['src/main.js', 'src/editor.js', 'src/worker.js'],
  splitting: true,
  chunkNames: 'shared',
  outdir: out,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
  logOverride: { 'empty-import-meta': 'silent' },
  external: ['module'],
  alias: { 'rpl-module': join(wasm, 'rpl.mjs') },
  nodePaths: [modules],
  metafile: true,
  plugins: [{
    name: 'examples',
    setup(plugin) {
      plugin.onResolve({ filter: /^rpl-examples$/ }, () => ({ path: 'examples', namespace: 'rpl' }));
      plugin.onLoad({ filter: /.*/, namespace: 'rpl' }, () => ({ contents: JSON.stringify(examples), loader: 'json' }));
    },
  }],
});

// The style of the pages that the program makes, then what only this page has.
const pages = join(here, '..', 'shell', 'pages');
const css = [join(pages, 'colours.css'), join(pages, 'page.css'), join(here, 'src', 'style.css')]
  .map(file => readFileSync(file, 'utf8')).join('\n');
writeFileSync(join(out, 'style.css'), css);
for (const file of ['index.html', 'icon.svg']) copyFileSync(join(here, 'src', file), join(out, file));
copyFileSync(join(wasm, 'rpl.wasm'), join(out, 'rpl.wasm'));

const bundled = new Set(Object.keys(metafile.inputs)
  .map(input => /^(?:.*node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean));
const licences = [...bundled].sort().map(name => {
  const folder = join(modules, name);
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`no licence in ${folder}`);
  return `== ${name}\n\n${readFileSync(join(folder, file), 'utf8')}`;
});
writeFileSync(join(out, 'LICENCES.txt'), licences.join('\n'));

// What is kept for when the network is away, under a name that changes with it.
const kept = readdirSync(out).sort();
const hash = createHash('sha256');
for (const file of kept) hash.update(file).update(readFileSync(join(out, file)));
await build({
  absWorkingDir: here,
  entryPoints: ['src/offline.js'],
  outdir: out,
  minify: true,
  logLevel: 'warning',
  define: {
    BUILD: JSON.stringify(hash.digest('hex').slice(0, 16)),
    FILES: JSON.stringify(['./', ...kept.filter(file => file !== 'index.html')]),
  },
});

let total = 0;
for (const file of readdirSync(out).sort()) {
  const size = gzipSync(readFileSync(join(out, file)), { level: 9 }).length;
  total += size;
  console.log(`${file.padEnd(14)} ${String(size).padStart(9)} bytes gzip`);
}
console.log(`${'total'.padEnd(14)} ${String(total).padStart(9)} bytes gzip`);
