// SPDX-License-Identifier: Apache-2.0
//
// The program for this system: that of $RPL, of this package, or of the package for the system.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

export function program() {
  if (process.env.RPL) return process.env.RPL;
  const own = fileURLToPath(new URL("./bin/rpl", import.meta.url));
  if (existsSync(own)) return own;
  const system = `${process.platform}-${process.arch}`;
  try {
    return require.resolve(`@rpl-engine/${system}/bin/rpl`);
  } catch {
    throw new Error(`rpl-engine has no program for ${system}: name one in the variable RPL`);
  }
}
