// SPDX-License-Identifier: Apache-2.0
//
// usage: wasm_drive.mjs FOLDER <REQUESTS
//
// The requests of `rpl drive`, line by line, to the module of WebAssembly in the folder.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const { default: createRpl } = await import(pathToFileURL(`${folder}/rpl.mjs`));
const rpl = await createRpl({ wasmBinary: readFileSync(`${folder}/rpl.wasm`) });
const runs = new Map();
const out = [];
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const request = JSON.parse(line);
  if (request.do === "open") {
    const text = rpl.ccall("rpl_open", "string", ["string"], [line]);
    const { run, ...opened } = JSON.parse(text);
    runs.set(request.run, run);
    out.push(JSON.stringify(opened));
  } else if (request.do === "close") {
    rpl.ccall("rpl_close", null, ["number"], [runs.get(request.run)]);
  } else {
    out.push(rpl.ccall("rpl_turn", "string", ["number", "string"], [runs.get(request.run), line]));
  }
}
process.stdout.write(out.join("\n") + "\n");
