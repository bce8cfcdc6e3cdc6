// SPDX-License-Identifier: Apache-2.0
//
// The engine in its worker. One request at a time; a newer evaluation replaces those that wait, and
// ends one that has been running for a while.

const patience = 300;  // ms that an evaluation may go on after a newer one was asked for
const longest = 15000;  // ms after which the worker is ended, whatever it does

const told = error => {
  if (/call stack|stack overflow/i.test(error))
    return 'The engine ran out of stack: the program recurses or nests too deeply. It has been started anew.';
  if (/memory/i.test(error))
    return 'The engine ran out of memory: the program derives too much. It has been started anew.';
  return `The engine stopped with an error (${error}). It has been started anew.`;
};

async function compiled() {
  const url = new URL('rpl.wasm', import.meta.url);
  const response = await fetch(url, { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`${url.pathname}: ${response.status}`);
  if (/^application\/wasm\b/.test(response.headers.get('Content-Type') ?? ''))
    return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

export class Engine {
  /** `changed` is called with whether it works. */
  constructor(changed) {
    this.changed = changed;
    this.module = compiled();
    this.waiting = [];
    this.start();
  }

  start() {
    this.worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    this.current = null;
    this.ready = false;
    const worker = this.worker;
    worker.onmessage = ({ data }) => {
      if (worker !== this.worker) return;
      if (data.ready) {
        this.ready = true;
        return this.next();
      }
      if (data.crash) return this.restart({ crash: told(data.crash) });
      this.settle(data);
    };
    worker.onerror = event => {
      event.preventDefault();
      if (worker === this.worker) this.restart({ crash: told(event.message ?? 'it does not load') });
    };
    this.module.then(module => worker.postMessage({ module }),
                     error => this.settleAll({ crash: `The engine does not load (${error.message}).` }));
  }

  /** Ends what runs, with this result, and begins with a new worker. */
  restart(result) {
    const failed = this.current;
    this.worker.terminate();
    clearTimeout(this.limit);
    this.start();
    failed?.resolve(result);
    this.changed(false);
  }

  settle(result) {
    const { current } = this;
    this.current = null;
    clearTimeout(this.limit);
    this.changed(false);
    current?.resolve(result);
    this.next();
  }

  settleAll(result) {
    for (const each of [this.current, ...this.waiting.splice(0)]) each?.resolve(result);
    this.current = null;
    this.changed(false);
  }

  stop() {
    for (const each of this.waiting.splice(0)) each.resolve({ superseded: true });
    this.restart({ stopped: 'Stopped. The engine has been started anew; change the document, or run it again.' });
  }

  next() {
    if (!this.ready || this.current || !this.waiting.length) return;
    this.current = this.waiting.shift();
    this.changed(true);
    this.limit = setTimeout(
      () => this.restart({ stopped: 'The engine did not come to an end and was stopped.' }), longest);
    this.worker.postMessage(this.current.request);
  }

  /** The result of a request of worker.js; or {superseded}, {stopped} or {crash}, a sentence. */
  ask(request) {
    return new Promise(resolve => {
      if (request.do === 'evaluate') {
        this.waiting = this.waiting.filter(each => each.request.do !== 'evaluate' || each.resolve({ superseded: true }));
        const { current } = this;
        if (current?.request.do === 'evaluate')
          setTimeout(() => {
            if (this.current === current) this.restart({ superseded: true });
          }, patience);
      }
      this.waiting.push({ request, resolve });
      this.next();
    });
  }
}
