// SPDX-License-Identifier: Apache-2.0
//
// The engine, one program at a time. Requests have "do":
//
//   evaluate  documents, answers, now: findings, and if they have no error, the outcome of a
//             run with those answers, the questions that were asked, and the trace
//   explain   form; ask: query, both of the run of the last evaluation; {lost} if there is none yet
//   format    name, text
//
// An error of the engine, as opposed to one of the program, is {crash}: it is not to be used again.
import createRpl from 'rpl-module';

const seconds = 2;
const goalless = 'the program has no goal';
let engine;
let run = 0;
let evaluated = false;

const opened = request => JSON.parse(engine.ccall('rpl_open', 'string', ['string'], [JSON.stringify(request)]));
const turn = (number, request) =>
  JSON.parse(engine.ccall('rpl_turn', 'string', ['number', 'string'], [number, JSON.stringify(request)]));
const close = number => engine.ccall('rpl_close', null, ['number'], [number]);

/** What an answer to a question may be filed under: its id, its key, its relation, avar or tool. */
const keysOf = ({ id, key }) => [id, key, id.replace(/\(.*/s, ''), id.replace(/^\$|\(.*/gs, '')];

/** Gives every open question its answer, until none of them has one. */
function pursued(given) {
  const left = new Map(Object.entries(given));
  const asked = new Map();
  const refused = [];
  const end = performance.now() + seconds * 1000;
  let outcome = turn(run, { do: 'run', answers: {} });
  while (!outcome.error && performance.now() < end) {
    const answers = {};
    for (const question of outcome.questions) {
      if (!asked.has(question.id)) asked.set(question.id, { ...question });
      const key = keysOf(question).find(k => left.has(k));
      if (key === undefined) continue;
      answers[question.id] = left.get(key);
      asked.get(question.id).given = key;
      left.delete(key);
    }
    if (!Object.keys(answers).length) break;
    outcome = turn(run, { do: 'run', by: 'person', answers });
    for (const { key, why } of outcome.unused ?? []) if (asked.has(key)) refused.push({ key, why });
  }
  return { outcome, asked: [...asked.values()], refused, unused: [...left.keys()] };
}

function evaluate({ documents, answers, now }) {
  const began = performance.now();
  evaluated = true;
  if (run) close(run);
  run = 0;
  const settings = { now, goal: '', seconds };
  let open = opened({ documents, ...settings });
  const { findings = [] } = open;
  let { refused, error } = open;
  if (refused === goalless) {
    // Facts and rules alone can be asked as well.
    open = opened({ documents: [...documents, { name: 'no goal.rpl', text: '% <- 1 = 1\n' }], ...settings, check: false });
    error = open.error;
  }
  if (error || !open.run) return { findings, refused: error ?? open.refused, took: performance.now() - began };
  run = open.run;
  const result = pursued(answers);
  return {
    findings,
    goalless: refused === goalless,
    ...result,
    trace: turn(run, { do: 'trace' }).entries ?? [],
    took: performance.now() - began,
  };
}

const ofRun = request =>
  run ? turn(run, request) : evaluated ? { error: 'The document has errors.' } : { lost: true };

const work = {
  evaluate,
  explain: ({ form }) => ofRun({ do: 'explain', form }),
  ask: ({ query }) => ofRun({ do: 'ask', query }),
  format: ({ name, text }) => turn(0, { do: 'format', name, text }),
};

/** The module is compiled once, by the page: here nothing is fetched or compiled again. */
async function load(module) {
  globalThis.fetch = async () => new Response();
  WebAssembly.instantiateStreaming = async (_, imports) => ({ module, instance: await WebAssembly.instantiate(module, imports) });
  engine = await createRpl({ print() {}, printErr() {} });
  postMessage({ ready: true });
}

onmessage = ({ data }) => {
  if (data.module) return load(data.module).catch(error => postMessage({ crash: String(error?.message ?? error) }));
  try {
    postMessage(work[data.do](data));
  } catch (error) {
    postMessage({ crash: String(error?.message ?? error) });
  }
};
