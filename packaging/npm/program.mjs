// SPDX-License-Identifier: Apache-2.0
//
// The program for this system: that of $RPL, or of the package @rpl-engine/SYSTEM.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Systems with a native program, each in a package of its own. */
const systems = ["linux-x64", "linux-arm64"];
export const system = `${process.platform}-${process.arch}`;

/** The path of the native program, or null. */
export function nativeProgram() {
  if (process.env.RPL) return process.env.RPL;
  try {
    return require.resolve(`@rpl-engine/${system}/bin/rpl`);
  } catch {
    return null;
  }
}

/** The sentence for a feature that WebAssembly does not carry. */
export function needsNative(what) {
  return systems.includes(system)
    ? `${what} needs the native program, which is not installed: npm install @rpl-engine/${system}`
    : `${what} needs the native program, of which there is none for ${system}: name one in the ` +
        "environment variable RPL, or use Linux";
}

export function program() {
  const found = nativeProgram();
  if (found === null) throw new Error(needsNative("this"));
  return found;
}
