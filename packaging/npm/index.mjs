// SPDX-License-Identifier: Apache-2.0
import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { needsNative, nativeProgram, program } from "./program.mjs";
import { documents, InProcess, language, program as request } from "./wasm.mjs";

export { program };

export class RplError extends Error {}

export class CheckError extends RplError {
  constructor(findings) {
    super(
      findings
        .map((f) => `${f.file}:${f.line}:${f.column}: ${f.code}: ${f.message}`)
        .join("\n"),
    );
    this.findings = findings;
  }
}

export class Refused extends RplError {
  constructor(key, why) {
    super(why);
    this.key = key;
  }
}

// One `rpl drive`, which answers requests in order.
class Pipe {
  #command;
  #process = null;
  #ended = null;
  #waiting = new Map();
  #ids = 0;

  constructor(command) {
    this.#command = command;
  }

  request(body) {
    if (this.#process === null) this.#start();
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#hold();
      this.#process.stdin.write(JSON.stringify({ id, ...body }) + "\n");
    });
  }

  #start() {
    const [file, ...args] = this.#command;
    this.#process = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] });
    const fail = (error) => {
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    this.#process.stdin.on("error", () => {});
    this.#process.on("error", (error) => fail(new RplError(error.message)));
    this.#ended = new Promise((resolve) => this.#process.on("close", resolve));
    this.#ended.then(() => fail(new RplError("the program `rpl` has ended")));
    createInterface({ input: this.#process.stdout, crlfDelay: Infinity }).on("line", (line) => {
      const { id, ...answer } = JSON.parse(line);
      this.#waiting.get(id)?.resolve(answer);
      this.#waiting.delete(id);
      this.#hold();
    });
  }

  // Node goes on for the program only while a request waits, so that a run need not be closed.
  #hold(waits = this.#waiting.size > 0) {
    const { stdin, stdout } = this.#process;
    for (const part of [this.#process, stdin, stdout]) waits ? part.ref() : part.unref();
  }

  async close() {
    if (this.#process === null) return;
    this.#hold(true);
    this.#process.stdin.end();
    await this.#ended;
  }
}

const rows = (answers) =>
  answers.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name.replace(/^\?/, ""), value])),
  );

const prose = (parts = []) => parts.map((part) => part.text).join("\n\n");

class Question {
  #run;

  constructor(run, raw) {
    this.#run = run;
    this.id = raw.id;
    this.key = raw.key;
    this.kind = raw.kind;
    this.prompt = raw.prompt;
    this.options = raw.options ?? [];
    this.schema = raw.schema ?? {};
    this.person = raw.person ?? false;
    this.tool = raw.tool ?? "";
    this.args = raw.arguments ?? [];
    this.inDoubt = raw.inDoubt ?? false;
  }

  reply(value, { by = "host" } = {}) {
    return this.#run._turn({ answers: { [this.id]: value }, by }, this.id);
  }
  fail(message) {
    return this.#run._turn({ errors: { [this.id]: message } }, this.id);
  }
  decline({ by = "host" } = {}) {
    return this.#run._turn({ declines: [this.id], by }, this.id);
  }
  retry() {
    this.#run._allowed.add(this.id);
    return this.#run._turn({ retry: [this.id] });
  }
}

class Run {
  #pipe;
  #opening;
  #tools;
  #opened = null;
  #shown = null;
  #passed = new Set(); // questions that were yielded
  _allowed = new Set(); // calls in doubt that may be made again

  // `command` null: in this process, by WebAssembly.
  constructor(command, files, tools, described, { session = "", goal = "", now = "" }) {
    this.#pipe = command === null ? new InProcess() : new Pipe(command);
    this.#tools = tools;
    this.#opening = { do: "open", files, session, goal, now, tools: described };
  }

  async #request(body) {
    const answer = await this.#pipe.request({ run: "1", ...body });
    if (answer.error === undefined) return answer;
    const errors = (answer.findings ?? []).filter((f) => f.severity === "error");
    if (errors.length > 0) throw new CheckError(errors);
    throw new RplError(answer.error + (answer.hint ? ` (${answer.hint})` : ""));
  }

  #open() {
    return (this.#opened ??= this.#request(this.#opening));
  }

  // One turn, and the tools that it calls, until a question is open or the run has ended.
  async _turn(body = {}, answered = "") {
    await this.#open();
    this.#shown = await this.#request({ do: "run", ...body });
    for (const { key, why } of this.#shown.unused ?? [])
      if (key === answered) {
        this.#passed.delete(answered);
        throw new Refused(key, why);
      }
    for (let calls; (calls = this.#calls()).length > 0; ) {
      const starts = calls.map((call) => call.id);
      await this.#request({ do: "run", starts });
      const answers = {};
      const errors = {};
      await Promise.all(
        calls.map(async (call) => {
          try {
            answers[call.id] = (await this.#tools.get(call.tool)(call.arguments)) ?? null;
          } catch (error) {
            errors[call.id] = String(error?.message ?? error);
          }
        }),
      );
      for (const id of starts) this._allowed.delete(id);
      this.#shown = await this.#request({ do: "run", answers, errors });
    }
    const open = new Set(this.#shown.questions.map((question) => question.id));
    for (const id of this.#passed) if (!open.has(id)) this.#passed.delete(id);
    return this.outcome;
  }

  // Open calls of tools that functions carry out.
  #calls() {
    return this.#shown.questions.filter(
      (call) =>
        call.kind === "tool" &&
        this.#tools.has(call.tool) &&
        (!call.inDoubt || this._allowed.has(call.id)),
    );
  }

  async *[Symbol.asyncIterator]() {
    if (this.#shown === null) await this._turn();
    for (let next; (next = this.questions.find((question) => !this.#passed.has(question.id))); ) {
      this.#passed.add(next.id);
      yield next;
    }
  }

  get questions() {
    return (this.#shown?.questions ?? []).map((raw) => new Question(this, raw));
  }

  get outcome() {
    const raw = this.#shown;
    if (raw === null) throw new RplError("the run has had no turn: iterate over it, or call turn()");
    const { status, reason, violated } = raw;
    if (status === "satisfied")
      return { status, raw, answers: rows(raw.answers), now: prose(raw.now) };
    if (status === "waiting") return { status, raw, questions: this.questions };
    if (status === "unsatisfied") return { status, raw, reason };
    if (status === "nothing") return { status, raw };
    if (violated)
      return {
        status: "violated",
        raw,
        heading: violated.heading,
        text: violated.text,
        values: violated.with,
      };
    return { status: "failed", raw, reason };
  }

  get now() {
    return prose(this.#shown?.now);
  }

  turn() {
    return this._turn();
  }
  say(sentences, { by = "host" } = {}) {
    return this._turn({ say: sentences, by });
  }

  async ask(query) {
    await this.#open();
    const shown = await this.#request({ do: "ask", query });
    if (shown.status === "rejected") throw new RplError(shown.reason || "the query has errors");
    const answers = rows(shown.answers);
    return answers.length === 0 && shown.status === "satisfied" ? [{}] : answers;
  }

  async why(form) {
    await this.#open();
    const found = await this.#request({ do: "explain", form });
    if (found.text === undefined) throw new RplError(found.findings[0].message);
    return { holds: found.holds, text: found.text, trees: found.explanations ?? [] };
  }

  async trace() {
    await this.#open();
    return (await this.#request({ do: "trace" })).entries;
  }

  close() {
    return this.#pipe.close();
  }
}

function check(file, files) {
  return new Promise((resolve, reject) => {
    const args = ["check", "--together", "--format", "json", ...files];
    execFile(file, args, { maxBuffer: 1 << 30 }, (error, out, err) => {
      try {
        resolve(JSON.parse(out).findings);
      } catch {
        reject(new RplError(err.trim() || error?.message || "rpl check failed"));
      }
    });
  });
}

async function checkInProcess(files) {
  const { open, close } = await language();
  const { run, findings, error } = open(request(documents(files)));
  if (error !== undefined) throw new RplError(error);
  if (run !== 0) close(run);
  return findings.map(({ begin, end, edits, ...finding }) => finding);
}

export async function protocol(files, { policy, config, allowTools = [], rpl } = {}) {
  const paths = [files].flat();
  const file = rpl ?? nativeProgram();
  if (file === null && (policy !== undefined || config !== undefined || allowTools.length > 0))
    throw new RplError(needsNative("a policy, a configuration or a tool of one"));
  const findings = await (file === null ? checkInProcess(paths) : check(file, paths));
  const errors = findings.filter((finding) => finding.severity === "error");
  if (errors.length > 0) throw new CheckError(errors);
  const options = allowTools.flatMap((name) => ["--allow-tool", name]);
  if (policy !== undefined) options.push("--policy", policy);
  if (config !== undefined) options.push("--config", config);
  const tools = new Map();
  const described = [];
  return {
    findings,
    tool(label, ...rest) {
      const name = label.replace(/^\$/, "");
      const carryOut = rest.pop();
      tools.set(name, carryOut);
      described.push({ name, ...rest[0] });
    },
    run(settings = {}) {
      const command = file === null ? null : [file, "drive", ...options];
      return new Run(command, paths, tools, described, settings);
    },
  };
}
