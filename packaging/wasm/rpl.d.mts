// SPDX-License-Identifier: Apache-2.0
//
// The language as a module of WebAssembly: requests and results are JSON, see
// runtime/run/json_run.h and embed/wasm.cc.
export interface RplModule {
  ccall(name: "rpl_open", result: "string", types: ["string"], values: [request: string]): string;
  ccall(
    name: "rpl_turn",
    result: "string",
    types: ["number", "string"],
    values: [run: number, request: string],
  ): string;
  ccall(name: "rpl_close", result: null, types: ["number"], values: [run: number]): void;
}

/** Settings: the bytes of rpl.wasm, or where it lies. */
export interface RplSettings {
  wasmBinary?: ArrayBuffer | Uint8Array;
  locateFile?(name: string, folder: string): string;
}

export default function createRpl(settings?: RplSettings): Promise<RplModule>;
