// SPDX-License-Identifier: Apache-2.0
//
// The language as a module of WebAssembly, in this process.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { needsNative } from "./program.mjs";

const file = (name) => new URL(`./wasm/${name}`, import.meta.url);

/** Opens runs of documents, and does the requests of docs/drive.md to them. */
export async function language() {
  if (!existsSync(file("rpl.wasm"))) throw new Error(needsNative("this"));
  const { default: createRpl } = await import(file("rpl.mjs").href);
  const module = await createRpl({ wasmBinary: readFileSync(file("rpl.wasm")) });
  return {
    open: (request) =>
      JSON.parse(module.ccall("rpl_open", "string", ["string"], [JSON.stringify(request)])),
    turn: (run, request) =>
      JSON.parse(
        module.ccall("rpl_turn", "string", ["number", "string"], [run, JSON.stringify(request)]),
      ),
    close: (run) => module.ccall("rpl_close", null, ["number"], [run]),
  };
}

export const documents = (files) =>
  files.map((name) => ({ name, text: readFileSync(name === "-" ? 0 : name, "utf8") }));

/** The members of a request that opens documents: they, and the files that they name. */
export function program(docs) {
  const beside = new Map();
  const left = docs.map(({ name, text }) => ({ folder: dirname(name), text }));
  while (left.length > 0) {
    const { folder, text } = left.pop();
    for (const [, name] of text.matchAll(/([\p{L}\p{N}_.\/-]+\.(?:md|rpl))#/gu)) {
      const path = join(folder, name);
      if (beside.has(path) || !existsSync(path)) continue;
      const found = readFileSync(path, "utf8");
      for (const as of new Set([path, name])) beside.set(as, found);
      left.push({ folder: dirname(path), text: found });
    }
  }
  return { documents: docs, beside: [...beside].map(([name, text]) => ({ name, text })) };
}

/** One run in this process: the requests that `rpl drive` does, but those that need files. */
export class InProcess {
  #language = null;
  #run = 0;

  async request({ run, ...body }) {
    this.#language ??= await language();
    if (body.do !== "open") return this.#language.turn(this.#run, body);
    if (body.session) return { error: needsNative("a session in a file") };
    const { files, ...opening } = body;
    const opened = this.#language.open({ ...opening, ...program(documents(files)) });
    this.#run = opened.run;
    const refused = opened.error ?? opened.refused;
    return refused === undefined ? { findings: opened.findings } : { ...opened, error: refused };
  }

  async close() {
    if (this.#run !== 0) this.#language.close(this.#run);
    this.#run = 0;
  }
}
