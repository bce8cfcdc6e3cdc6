// SPDX-License-Identifier: Apache-2.0
//
// A server of a folder, and a browser for tests.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { extname, join, normalize, resolve } from 'node:path';

const types = {
  '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm',
};

/** Serves the files of a folder: {url, close}. `asked` gets the path of each request. */
export function served(folder, asked = () => {}) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://h').pathname));
    asked(path);
    try {
      const name = path.endsWith('/') ? join(path, 'index.html') : path;
      const body = readFileSync(join(folder, name));
      response.writeHead(200, { 'Content-Type': types[extname(name)] ?? 'text/plain' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise(done => server.listen(0, '127.0.0.1', () => done({
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise(closed => { server.closeAllConnections(); server.close(closed); }),
  })));
}

export const launched = (modules, executablePath) =>
  createRequire(resolve(modules, 'node_modules/none.js'))('puppeteer-core').launch({
    executablePath, headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking'],
  });
