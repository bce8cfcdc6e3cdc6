// SPDX-License-Identifier: Apache-2.0
//
// A refund that waits for a person, goes on the next day, and is paid once.
//
// usage: refund.mjs SESSION [yes|no]
//
// The same as refund.py: either call may be killed at any moment and made again.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { protocol } from "rpl-engine";

const [session, approval] = process.argv.slice(2);
const ledger = session + ".paid";

function numberOf(order) {
  const paid = existsSync(ledger) ? readFileSync(ledger, "utf8").split("\n") : [];
  return paid.includes(order) ? `P${paid.indexOf(order) + 1}` : null;
}

const desk = await protocol(fileURLToPath(new URL("refund.md", import.meta.url)));
desk.tool("pay", ([order]) => {
  const file = openSync(ledger, "a");
  writeSync(file, order + "\n");
  fsyncSync(file);
  closeSync(file);
  return numberOf(order);
});

const run = desk.run({ session });
for await (const question of run) {
  const by = { by: "person" };
  if (question.inDoubt) {
    // It was begun in a process that was killed.
    const number = numberOf(question.args[0]);
    await (number === null ? question.retry() : question.reply(number));
  } else if (question.key === "order") await question.reply("A-17", by);
  else if (question.key === "euros") await question.reply(120, by);
  else if (question.person && approval !== undefined) await question.reply(approval, by);
}
const { outcome } = run;
await run.close();
switch (outcome.status) {
  case "satisfied":
    console.log(`paid ${outcome.answers[0].euros} euros: ${outcome.answers[0].number}`);
    console.log(outcome.now);
    break;
  case "waiting":
    console.log("waiting:", outcome.questions.map((question) => question.prompt).join("; "));
    process.exitCode = 3;
    break;
  default:
    console.log(outcome.text ?? outcome.status);
    process.exitCode = 1;
}
