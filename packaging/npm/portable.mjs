// SPDX-License-Identifier: Apache-2.0
//
// The commands run, check, query, explain and fmt without the native program. Texts, JSON and exit
// codes are those of the program, as far as it goes: what is missing is refused in a sentence.
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { needsNative, system } from "./program.mjs";
import { documents, language, program } from "./wasm.mjs";

const exits = {
  nothing: 0, satisfied: 0, unsatisfied: 1, failed: 1, rejected: 2, waiting: 3, review: 3,
  "tool-failed": 4, limit: 5, interrupted: 130,
};

const usage = `rpl, an engine for RPL, the Relational Prompt Language
This is the part that works without a native program, of which there is none here (${system}).

Usage
  rpl run FILE... [--goal NAME] [--answer KEY=VALUE] [--answers FILE.json] [--decline KEY]
          [--answers-by person|model] [--now T] [--max-time SECONDS] [--max-rows N] [--prose]
          [--format text|json]
  rpl check PATH... [--together] [--strict] [--fail-level error|warning|info] [--format text|json]
  rpl query GOAL [-f FILE]... [--now T] [--format text|json]
  rpl explain FORM -f FILE... [--answer KEY=VALUE] [--now T] [--format text|json]
  rpl fmt FILE... [-w | --check]
`;

class Refusal extends Error {
  constructor(message, { code = 2, hint = "" } = {}) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

const out = (text) => process.stdout.write(text + "\n");
const err = (text) => process.stderr.write(text + "\n");

// --- the command line ------------------------------------------------------------------------

const ofRuns = {
  "--answer": "list", "--answers": "value", "--decline": "list", "--answers-by": "value",
  "--now": "value", "--max-time": "value", "--max-rows": "value", "--format": "value",
};
const commands = {
  run: { does: run, options: { ...ofRuns, "--goal": "value", "--prose": "flag" } },
  check: {
    does: check,
    options: { "--together": "flag", "--strict": "flag", "--fail-level": "value", "--format": "value" },
  },
  query: { does: query, options: { "-f": "list", "--now": "value", "--format": "value" } },
  explain: { does: explain, options: { ...ofRuns, "-f": "list" } },
  fmt: { does: format, options: { "-w": "flag", "--check": "flag" } },
};
const long = { "--file": "-f", "--write": "-w" };

/** The words without options, and the options by their names. */
function parsed(command, args, options) {
  const words = [];
  const given = {};
  for (let i = 0; i < args.length; ++i) {
    if (args[i] === "--") {
      words.push(...args.slice(i + 1));
      break;
    }
    if (!/^-./.test(args[i])) {
      words.push(args[i]);
      continue;
    }
    const [, written, , attached] = /^(--?[^=]*)(=(.*))?$/s.exec(args[i]);
    const name = long[written] ?? written;
    if (name === "-h" || name === "--help") return null;
    const kind = options[name];
    if (kind === undefined) throw new Refusal(needsNative(`\`rpl ${command} ${written}\``));
    if (kind === "flag") {
      given[name] = true;
      continue;
    }
    const value = attached ?? args[++i];
    if (value === undefined) throw new Refusal(`${written} needs a value`);
    if (kind === "list") (given[name] ??= []).push(value);
    else given[name] = value;
  }
  const formats = ["text", "json"];
  if (given["--format"] !== undefined && !formats.includes(given["--format"]))
    throw new Refusal(needsNative(`\`rpl ${command} --format ${given["--format"]}\``));
  return { words, given, json: given["--format"] === "json" };
}

function read(files) {
  try {
    return documents(files);
  } catch (error) {
    const why = { ENOENT: "No such file or directory", EISDIR: "Is a directory" }[error.code];
    throw new Refusal(`${error.path ?? files.join(", ")}: ${why ?? error.message}`, { code: 6 });
  }
}

// --- findings --------------------------------------------------------------------------------

function showFinding(finding, texts, to) {
  to(
    `${finding.file}:${finding.line}:${finding.column}: ${finding.severity} ${finding.code}: ` +
      finding.message,
  );
  const line = texts.get(finding.file)?.split(/\r?\n/)[finding.line - 1];
  if (line !== undefined) {
    const last = finding.endLine === finding.line ? finding.endColumn : line.length + 1;
    const before = line.slice(0, finding.column - 1).replace(/[^\t]/g, " ");
    to(`${String(finding.line).padStart(5)} | ${line}`);
    to(`      | ${before}${"^".repeat(Math.max(1, last - finding.column))}`);
  }
  if (finding.hint) to(`help: ${finding.hint}`);
}

const textsOf = (docs) => new Map(docs.map(({ name, text }) => [name, text]));
const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Opens a run; throws if the documents have errors, which are shown first. */
function opened(rpl, docs, given, { goalless = false } = {}) {
  const request = { ...program(docs), now: given["--now"] ?? "", goal: given["--goal"] ?? "" };
  if (given["--max-time"] !== undefined) request.seconds = Number(given["--max-time"]);
  if (given["--max-rows"] !== undefined) request.rows = Number(given["--max-rows"]);
  if (request.goal.startsWith("%")) request.goal = request.goal.slice(1);
  let answer = docs.length > 0 ? rpl.open(request) : { refused: "the program has no goal" };
  const findings = (answer.findings ?? []).filter(({ severity }) => severity !== "info");
  const texts = textsOf(docs);
  if (!goalless) for (const finding of findings) showFinding(finding, texts, err);
  // Facts and rules alone can be asked as well.
  if (goalless && answer.refused === "the program has no goal")
    answer = rpl.open({
      ...request,
      documents: [...docs, { name: "no goal.rpl", text: "% <- 1 = 1\n" }],
      check: false,
    });
  if (answer.error !== undefined) throw new Refusal(answer.error);
  if (answer.refused !== undefined) {
    if (goalless) for (const finding of findings) showFinding(finding, texts, err);
    throw new Refusal(findings.length > 0 ? "" : answer.refused);
  }
  return answer.run;
}

// --- a run -----------------------------------------------------------------------------------

/** Lines of standard input, which is opened when the first is wanted. */
class Lines {
  #reader = null;
  #lines = null;

  async next() {
    this.#reader ??= createInterface({ input: process.stdin, crlfDelay: Infinity });
    this.#lines ??= this.#reader[Symbol.asyncIterator]();
    const { value, done } = await this.#lines.next();
    return done ? null : value.trim();
  }
  close() {
    this.#reader?.close();
  }
}

const choiceWords = ["allowed", "available", "free", "known", "open", "possible", "valid"];

/** The prompt as a person reads it: `valid-focus` is "focus" in a question about `focus`. */
function promptOf({ prompt, key, options = [] }) {
  if (options.length === 0) return prompt;
  return prompt.replace(/(\?)?([-\w#$%"`\/\u0080-\uffff]+)/g, (whole, variable, word) => {
    const front = word.endsWith(`-${key}`) ? word.slice(0, -key.length - 1) : "";
    if (variable || !choiceWords.includes(front)) return whole;
    return (front === "valid" ? key : word).replaceAll("-", " ");
  });
}

/** What a line means: codes such as 007 stay texts, as for the program. */
function typed(line, takes) {
  const number = /^-?\d/.test(line) ? Number(line) : NaN;
  if (takes === "number" || String(number) === line) return Number.isNaN(number) ? line : number;
  return /^(".*"|'.*')$/s.test(line) && line.length > 1 ? line.slice(1, -1) : line;
}

/** The answer that a person types: a value, "decline", or null at the end of input. */
async function asked(question, lines) {
  err(promptOf(question));
  (question.options ?? []).forEach((option, i) => err(`  ${i + 1}  ${option}`));
  const row = question.row ?? [];
  const isChoice = (question.options ?? []).length > 0;
  if (row.length === 0) {
    let line = await lines.next();
    if (line === "") {
      err("this line is empty; another empty line answers with the empty text");
      line = await lines.next();
    }
    return line === ".decline" ? { decline: true } : line === null ? null : { value: isChoice ? line : typed(line, question.takes) };
  }
  const shape = row.length > 1 ? `, as ${row.join(", ")}` : "";
  err(`  one per line${shape}, then an empty line; an empty line at once is none`);
  const rows = [];
  let line = await lines.next();
  for (; line !== null && line !== ""; line = await lines.next()) {
    if (line === ".decline") return { decline: true };
    const cells = row.length > 1 ? line.split(",").map((cell) => cell.trim()) : [line];
    if (cells.length !== row.length) err(`expected ${row.join(", ")}`);
    else if (row.length > 1) rows.push(cells.map((cell) => typed(cell)));
    else rows.push(isChoice ? line : typed(line, question.takes));
  }
  return line === null && rows.length === 0 ? null : { value: rows };
}

/** Answers of the command line by their keys. */
function givenAnswers(given) {
  let answers = {};
  if (given["--answers"] !== undefined) {
    if (!given["--answers"].endsWith(".json")) throw new Refusal(needsNative("`--answers` but of a .json file"));
    answers = JSON.parse(read([given["--answers"]])[0].text);
  }
  for (const answer of given["--answer"] ?? []) {
    const at = answer.indexOf("=");
    if (at < 1) throw new Refusal(`--answer: expected KEY=VALUE, got \`${answer}\``);
    answers[answer.slice(0, at)] = answer.slice(at + 1);
  }
  return answers;
}

/** Pursues the goal; `lines` answers what the command line does not, or null. */
async function pursued(rpl, number, given, lines, chat) {
  const by = given["--answers-by"];
  const whose = by === undefined ? {} : { by };
  const named = new Map(); // ids by the keys of the command line
  const did = (request) => {
    const outcome = rpl.turn(number, { do: "run", ...request });
    if (outcome.error !== undefined) throw new Refusal(outcome.error, { hint: outcome.hint });
    for (const { key, why } of outcome.unused ?? [])
      err(named.has(key) ? `note: the answer for \`${named.get(key)}\` is refused: ${why}` : why);
    for (const line of outcome.chat ?? []) chat(line);
    return outcome;
  };
  const left = givenAnswers(given);
  const declines = new Set(given["--decline"] ?? []);
  const keys = ({ id, key }) => [id, key, id.replace(/\(.*/s, ""), id.replace(/^\$|\(.*/gs, "")];
  let outcome = did({});
  // Prepared answers first, as often as they open further questions.
  for (;;) {
    const request = { answers: {}, declines: [], ...whose };
    for (const question of outcome.questions ?? []) {
      const key = keys(question).find((key) => Object.hasOwn(left, key));
      if (key !== undefined) {
        const answer = left[key];
        named.set(question.id, key);
        const isText = typeof answer === "string" && (question.options ?? []).length === 0;
        request.answers[question.id] = isText ? typed(answer, question.takes) : answer;
        delete left[key];
        continue;
      }
      const declined = keys(question).find((key) => declines.delete(key));
      if (declined !== undefined) request.declines.push(question.id);
    }
    const some = Object.keys(request.answers).length + request.declines.length > 0;
    if (some) outcome = did(request);
    else if (lines === null) break;
    else {
      const question = (outcome.questions ?? []).find(({ kind }) => kind !== "tool");
      if (question === undefined) break;
      const answer = await asked(question, lines);
      if (answer === null) break;
      outcome = answer.decline
        ? did({ declines: [question.id], by: by ?? "person" })
        : did({ answers: { [question.id]: answer.value }, by: by ?? "person" });
    }
  }
  for (const key of Object.keys(left)) err(`note: no question was open for the answer \`${key}\``);
  return outcome;
}

function showEnd(outcome, goal) {
  switch (outcome.status) {
    case "nothing":
      return err("nothing to do: there is no goal");
    case "satisfied":
      return err(`satisfied: ${goal}`);
    case "unsatisfied":
    case "tool-failed":
      return err(`unsatisfied: ${outcome.reason}`);
    case "waiting": {
      const { pending } = outcome;
      err(pending.length === 1 ? "waiting for an answer:" : `waiting for ${pending.length} answers:`);
      for (const question of pending) {
        const { id, kind, prompt, options = [] } = question;
        err(`  ${id}${prompt && kind !== "tool" ? `: ${promptOf(question)}` : ""}`);
        for (const option of options) err(`    - ${option}`);
      }
      if (pending.length > 0) err(`help: give an answer with \`--answer '${pending[0].key}=VALUE'\``);
      if (pending.some(({ kind }) => kind === "tool")) err(`note: ${needsNative("a tool of `rpl.yaml`")}`);
      return;
    }
    default:
      if (outcome.violated) {
        err(`${outcome.violated.heading}: ${outcome.violated.text}`);
        for (const value of outcome.violated.with ?? []) err(`  ${value}`);
      }
      if (outcome.reason) err(outcome.reason);
  }
}

/** A line for each answer, as the program prints it. */
const linesOf = (answers) =>
  answers
    .filter((row) => Object.keys(row).length > 0)
    .map((row) => JSON.stringify(Object.keys(row).length === 1 ? Object.values(row)[0] : row));

async function run(rpl, { words, given, json }) {
  if (words.length === 0) throw new Refusal("run: expected a file");
  const number = opened(rpl, read(words), given);
  const lines = new Lines();
  const outcome = await pursued(rpl, number, given, lines, json ? () => {} : out);
  lines.close();
  const { questions, chat, unused, ...shown } = outcome;
  if (json) out(JSON.stringify(shown));
  else {
    linesOf(outcome.answers).forEach(out);
    if (given["--prose"] || process.stdout.isTTY)
      for (const { heading, text } of outcome.now ?? []) out(`\n${heading}\n${text}`);
  }
  showEnd(outcome, outcome.goal);
  return exits[outcome.status] ?? 1;
}

// --- the other commands ----------------------------------------------------------------------

/** The protocols among the paths, and in folders among them. */
function protocolsIn(paths) {
  const found = [];
  for (const path of paths) {
    let isFolder = false;
    try {
      isFolder = statSync(path).isDirectory();
    } catch {
      throw new Refusal(`${path}: No such file or directory`, { code: 6 });
    }
    if (!isFolder) {
      found.push(path);
      continue;
    }
    const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const inside = join(path, entry.name);
      if (entry.isDirectory()) found.push(...protocolsIn([inside]));
      else if (/\.(md|rpl)$/.test(entry.name)) found.push(inside);
    }
  }
  return found;
}

/** The findings of programs, each a list of documents. */
function findingsOf(rpl, programs) {
  return programs.flatMap((documents) => {
    const answer = rpl.open(program(documents));
    if (answer.error !== undefined) throw new Refusal(answer.error);
    if (answer.run) rpl.close(answer.run);
    return answer.findings;
  });
}

function check(rpl, { words, given, json }) {
  if (words.length === 0) throw new Refusal("check: expected a file");
  const docs = read(protocolsIn(words));
  const programs = given["--together"] ? [docs] : docs.map((document) => [document]);
  const findings = findingsOf(rpl, programs);
  const texts = textsOf(docs);
  if (given["--strict"])
    for (const finding of findings) if (finding.severity === "warning") finding.severity = "error";
  const numberOf = (severity) => findings.filter((finding) => finding.severity === severity).length;
  const fixable = findings.filter((finding) => finding.fixable).length;
  const parts = [count(numberOf("error"), "error"), count(numberOf("warning"), "warning")];
  parts.push(count(numberOf("info"), "info"));
  if (json) {
    const shown = findings.map(({ begin, end, edits, ...finding }) => finding);
    const summary = {
      files: docs.length,
      errors: numberOf("error"),
      warnings: numberOf("warning"),
      infos: numberOf("info"),
      fixable,
    };
    out(JSON.stringify({ schema: "rpl.check/1", findings: shown, summary }));
  } else findings.forEach((finding) => showFinding(finding, texts, out));
  err(
    findings.length === 0
      ? `clean: ${count(docs.length, "file")}`
      : `found: ${parts.join(", ")} in ${count(docs.length, "file")}`,
  );
  if (fixable > 0) err(`help: \`rpl check --fix\` mends ${fixable} of them`);
  const levels = ["error", "warning", "info"];
  const least = levels.indexOf(given["--fail-level"] ?? "error");
  if (least < 0) throw new Refusal("--fail-level: expected error, warning or info");
  return levels.slice(0, least + 1).some((level) => numberOf(level) > 0) ? 1 : 0;
}

/** Calls as a query that asks for their variables. */
function asQuery(text) {
  if (text.trimStart().startsWith("%")) return text;
  const plain = text.replace(/"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/gs, "");
  const variables = new Set(plain.match(/\?[\p{L}_][\p{L}\p{N}_-]*/gu) ?? []);
  return `%answers${variables.size ? `(${[...variables].join(", ")})` : ""} <- ${text}`;
}

function query(rpl, { words, given, json }) {
  if (words.length !== 1) throw new Refusal("query: expected one goal form, or calls");
  const number = opened(rpl, read(given["-f"] ?? []), given, { goalless: true });
  const answer = rpl.turn(number, { do: "ask", query: asQuery(words[0]) });
  if (answer.error !== undefined) throw new Refusal(answer.error, { hint: answer.hint });
  const texts = new Map();
  for (const finding of answer.findings ?? []) showFinding(finding, texts, err);
  const { lines = [], questions, chat, unused, findings, ...shown } = answer;
  if (json) out(JSON.stringify(shown));
  else lines.forEach((line) => out(line));
  if (!json && lines.length === 0 && answer.reason) err(answer.reason);
  return exits[answer.status] ?? 1;
}

async function explain(rpl, { words, given, json }) {
  if (words.length !== 1 || given["-f"] === undefined)
    throw new Refusal("explain: expected one form, and -f FILE");
  const number = opened(rpl, read(given["-f"]), given, { goalless: true });
  await pursued(rpl, number, given, null, () => {});
  const found = rpl.turn(number, { do: "explain", form: words[0] });
  if (found.error !== undefined) throw new Refusal(found.error, { hint: found.hint });
  for (const finding of found.findings ?? []) showFinding(finding, new Map(), err);
  if (json) for (const explanation of found.explanations ?? []) out(JSON.stringify(explanation));
  else process.stdout.write(found.text ?? "");
  return found.text === undefined ? 2 : found.holds ? 0 : 1;
}

function format(rpl, { words, given }) {
  if (words.length === 0) throw new Refusal("fmt: expected a file");
  let differ = 0;
  for (const { name, text } of read(words)) {
    const formatted = rpl.turn(0, { do: "format", name, text }).text;
    if (given["-w"] && name !== "-") {
      if (formatted !== text) writeFileSync(name, formatted);
    } else if (given["--check"]) {
      if (formatted === text) continue;
      out(name);
      differ = 1;
    } else process.stdout.write(formatted);
  }
  return differ;
}

/** Does a command line; the exit code. */
export async function main([command, ...args]) {
  if (command === undefined || ["-h", "--help"].includes(command) || (command === "help" && args.length === 0)) {
    process.stdout.write(usage);
    return 0;
  }
  if (command === "--version") {
    const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));
    out(`rpl ${version}`);
    return 0;
  }
  try {
    if (!Object.hasOwn(commands, command)) throw new Refusal(needsNative(`\`rpl ${command}\``));
    const { does, options } = commands[command];
    const line = parsed(command, args, options);
    if (line === null) {
      process.stdout.write(usage);
      return 0;
    }
    return await does(await language(), line);
  } catch (error) {
    if (error.message) err(`rpl: ${error.message}`);
    if (error.hint) err(`help: ${error.hint}`);
    return error.code ?? 70;
  }
}
