#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// `rpl`: the native program where there is one, else the language in this process.
import { spawn } from "node:child_process";
import { nativeProgram } from "../program.mjs";

const args = process.argv.slice(2);
const native = nativeProgram();
if (native === null) {
  const { main } = await import("../portable.mjs");
  process.exitCode = await main(args);
} else {
  const child = spawn(native, args, { stdio: "inherit" });
  // A terminal sends these to both; the program decides what they mean.
  for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`rpl: ${native} cannot be started: ${error.message}`);
    process.exitCode = 70;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
