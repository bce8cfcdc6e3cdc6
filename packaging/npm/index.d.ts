// SPDX-License-Identifier: Apache-2.0
//
// Protocols written in RPL, run from TypeScript and JavaScript: `rpl drive` on a pipe; without a
// native program in this process, by WebAssembly, without sessions in files, policies and rpl.yaml.

/** A value as JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Whose answer it is. A question with `person` takes a person's alone. */
export type By = "person" | "model" | "host";

/** A finding of `rpl check`. */
export interface Finding {
  code: string;
  severity: "error" | "warning" | "info";
  file: string;
  line: number;
  column: number;
  message: string;
  hint: string;
}

/** The program cannot be started, or refused a request. */
export class RplError extends Error {}

/** The protocol has errors. */
export class CheckError extends RplError {
  readonly findings: Finding[];
}

/** An answer was not taken: the message says why. */
export class Refused extends RplError {
  readonly key: string;
}

/** A row of answers, by the names of the variables. */
export type Row = { [name: string]: Json };

/** What a turn came to. `raw` is the JSON of docs/schemas/outcome.json. */
export type Outcome = { raw: { [key: string]: Json } } & (
  | { status: "satisfied"; answers: Row[]; now: string }
  | { status: "violated"; heading: string; text: string; values: string[] }
  | { status: "waiting"; questions: Question[] }
  | { status: "unsatisfied"; reason: string }
  | { status: "failed"; reason: string }
  | { status: "nothing" }
);

export interface Question {
  readonly id: string;
  readonly key: string;
  readonly kind: "ask" | "choose" | "tool";
  readonly prompt: string;
  readonly options: string[];
  /** The JSON Schema of an answer. */
  readonly schema: { [key: string]: Json };
  /** Only a person's own answer counts. */
  readonly person: boolean;
  /** Of a tool: its name and arguments, and whether it may have been carried out already. */
  readonly tool: string;
  readonly args: Json[];
  readonly inDoubt: boolean;
  /** Answers the question, and goes on. Throws Refused if the answer is not taken. */
  reply(value: Json, options?: { by?: By }): Promise<Outcome>;
  /** Of a tool: it failed. */
  fail(message: string): Promise<Outcome>;
  /** Declines the question: the run goes on where it can without an answer. */
  decline(options?: { by?: By }): Promise<Outcome>;
  /** Of a call in doubt: lets it be made again. */
  retry(): Promise<Outcome>;
}

/** Why a fact holds, or why it does not. */
export interface Proof {
  holds: boolean;
  /** For people. */
  text: string;
  /** As in docs/schemas/explain.json. */
  trees: Json[];
}

export interface TraceEntry {
  kind: string;
  timestep: number;
  phase: number;
  text: string;
}

export type Tool = (args: Json[]) => Json | Promise<Json>;

export interface Protocol {
  readonly findings: Finding[];
  /** Carries out the tool `$name`. What the function throws is a failed call. */
  tool(name: string, carryOut: Tool): void;
  /** Policies see the tags, and the arguments by the names of `params`. */
  tool(name: string, seen: { tags?: string[]; params?: string[] }, carryOut: Tool): void;
  /** A run, or, with the file of a session that is there, the same run again. */
  run(options?: { session?: string; goal?: string; now?: string }): Run;
}

/** A run: iterate over its questions; afterwards `outcome` says how it ended. */
export interface Run extends AsyncIterable<Question> {
  readonly questions: Question[];
  readonly outcome: Outcome;
  /** What the prose of the protocol says to do now. */
  readonly now: string;
  /** Pursues the goal until it is decided or waits. */
  turn(): Promise<Outcome>;
  /** States facts, or takes them back, in RPL. */
  say(sentences: string, options?: { by?: By }): Promise<Outcome>;
  /** The answers to a query; of one without captures that holds, one empty row. */
  ask(query: string): Promise<Row[]>;
  why(form: string): Promise<Proof>;
  trace(): Promise<TraceEntry[]>;
  /** Ends the program behind the run. A session can be opened again. */
  close(): Promise<void>;
}

export interface ProtocolOptions {
  policy?: string;
  config?: string;
  allowTools?: string[];
  /** The program, in place of that of this package. */
  rpl?: string;
}

/** Reads and checks a protocol. Throws CheckError if it has errors. */
export function protocol(files: string | string[], options?: ProtocolOptions): Promise<Protocol>;

/** The path of the native program. Throws if there is none. */
export function program(): string;
