// SPDX-License-Identifier: Apache-2.0
//
// RPL in VS Code: a client of `rpl lsp`, commands that show what the server evaluates, the test explorer
// (tests.js) and the pages of sessions (session_page.js).
'use strict';

const fs = require('node:fs/promises');
const path = require('node:path');
const vscode = require('vscode');
const { LanguageClient, RequestType } = require('vscode-languageclient/node');
const { mayRun, programPath, runProgram } = require('./program');
const { Results } = require('./results');
const { registerSessionPage, showSession } = require('./session_page');
const { Tests } = require('./tests');

const LANGUAGES = ['markdown', 'rpl'];
const LENSES = new RequestType('textDocument/codeLens');
const EXECUTE = new RequestType('workspace/executeCommand');

let client;
let storage;  // the folder for sessions of runSession
let results;
let tests;

// --- The language server ---

// The commands of lenses come here; what they return is shown. Cases of tests run in the explorer.
async function executed(command, args, next) {
  if (command === 'rpl.tests') {
    if (!mayRun()) return undefined;
    await vscode.commands.executeCommand('workbench.view.testing.focus');
    return tests.runCase(vscode.Uri.parse(args[0]), args[1]);
  }
  const text = await next(command, args);
  if (typeof text !== 'string') return text;
  if (command === 'rpl.hint') vscode.window.showInformationMessage(text);
  else await results.show(`${command.slice('rpl.'.length)} ${args[1]}`, text);
  return text;
}

async function startServer() {
  client = new LanguageClient('rpl', 'RPL', { command: programPath(), args: ['lsp'] }, {
    documentSelector: [
      ...LANGUAGES.flatMap((language) => ['file', 'untitled'].map((scheme) => ({ scheme, language }))),
      { scheme: 'file', pattern: '**/rpl.yaml' },
    ],
    initializationOptions: { showsResults: true },
    middleware: { executeCommand: executed },
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `RPL: \`${programPath()} lsp\` does not start. Is the setting rpl.path right? (${error.message})`);
  }
}

async function stopServer() {
  const stopped = client;
  client = undefined;
  try {
    await stopped?.stop();
  } catch {
    // It never ran.
  }
}

async function lensesOf(document) {
  if (!client?.isRunning()) return [];
  const answer = await client.sendRequest(LENSES, { textDocument: { uri: uriOf(document) } });
  return (answer ?? []).map((lens) => ({
    range: client.protocol2CodeConverter.asRange(lens.range),
    command: lens.command,
  }));
}

function uriOf(document) {
  return client.code2ProtocolConverter.asUri(document.uri);
}

// --- Commands ---

function activeEditor() {
  const editor = vscode.window.activeTextEditor;
  if (editor && LANGUAGES.includes(editor.document.languageId)) return editor;
  vscode.window.showInformationMessage('RPL: open a Markdown or RPL document first.');
  return undefined;
}

// Has the server evaluate a text of the document of the editor.
async function evaluate(editor, command, text) {
  if (!client?.isRunning()) {
    vscode.window.showErrorMessage('RPL: the language server does not run.');
    return;
  }
  const location = { location: vscode.ProgressLocation.Window, title: `RPL: ${text}` };
  const answer = await vscode.window.withProgress(location, () =>
    client.sendRequest(EXECUTE, { command, arguments: [uriOf(editor.document), text] }));
  await results.show(`${command.slice('rpl.'.length)} ${text}`, String(answer));
}

async function runGoal() {
  const editor = activeEditor();
  if (!editor) return;
  const goals = (await lensesOf(editor.document))
    .filter((lens) => lens.command?.command === 'rpl.run').map((lens) => lens.command.arguments[1]);
  if (goals.length === 0) {
    vscode.window.showInformationMessage('RPL: this document has no goal.');
    return;
  }
  const goal = goals.length === 1
    ? goals[0] : await vscode.window.showQuickPick(goals, { placeHolder: 'The goal to run' });
  if (goal) await evaluate(editor, 'rpl.run', goal);
}

// What is selected, or else the call at the cursor: a name with its arguments in parentheses.
function callAt(editor) {
  const { document, selection } = editor;
  if (!selection.isEmpty) return document.getText(selection);
  const call = document.getWordRangeAtPosition(selection.active, /[%$]?[\w#./-]+\([^()]*\)/u);
  return call ? document.getText(call) : '';
}

async function evaluateInput(command, prompt) {
  const editor = activeEditor();
  if (!editor) return;
  const text = await vscode.window.showInputBox({
    prompt, value: callAt(editor), placeHolder: 'relation(1, ?x)' });
  if (text) await evaluate(editor, command, text);
}

async function checkDocument() {
  const editor = activeEditor();
  if (!editor || !(await editor.document.save())) return;
  const file = editor.document.uri.fsPath;
  const { stdout, stderr } = await runProgram(
    ['check', '--', path.basename(file)], path.dirname(file));
  await results.show(`check ${path.basename(file)}`, stdout + stderr);
}

// Runs the document without anybody to ask, and shows what happened.
async function runSession() {
  const editor = activeEditor();
  if (!editor || !mayRun() || !(await editor.document.save())) return;
  const file = editor.document.uri.fsPath;
  await vscode.workspace.fs.createDirectory(storage);
  const session = vscode.Uri.joinPath(storage, `${path.basename(file)}.rpls`);
  await fs.rm(session.fsPath, { force: true });  // or the run would go on with the old one
  const location = {
    location: vscode.ProgressLocation.Notification, title: `RPL: running ${path.basename(file)}`, cancellable: true };
  const { code, stdout, stderr } = await vscode.window.withProgress(location, (_, token) =>
    runProgram(['run', '--session', session.fsPath, '--', path.basename(file)], path.dirname(file), token));
  await results.show(`run ${path.basename(file)}`, stdout + stderr + (code === null ? 'interrupted\n' : ''));
  const began = await fs.access(session.fsPath).then(() => true, () => false);
  if (began) await showSession(session);
}

async function pickSession(uri) {
  const chosen = uri instanceof vscode.Uri ? uri : (await vscode.window.showOpenDialog({
    title: 'A session, as saved by rpl run --session', canSelectMany: false }))?.[0];
  if (chosen) await showSession(chosen);
}

function registerCommands(context) {
  const commands = {
    'rpl.runGoal': runGoal,
    'rpl.ask': () => evaluateInput('rpl.answers', 'The query'),
    'rpl.explain': () => evaluateInput('rpl.why', 'The call to explain'),
    'rpl.check': checkDocument,
    'rpl.runSession': runSession,
    'rpl.showSession': pickSession,
    'rpl.restart': async () => {
      await stopServer();
      await startServer();
    },
  };
  for (const [name, act] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, async (...args) => {
      try {
        await act(...args);
      } catch (error) {
        vscode.window.showErrorMessage(`RPL: ${error.message}`);
      }
    }));
  }
}

async function activate(context) {
  results = new Results();
  storage = context.storageUri ?? context.globalStorageUri;
  context.subscriptions.push(results);
  registerCommands(context);
  registerSessionPage(context);
  await startServer();
  tests = new Tests(lensesOf);
  context.subscriptions.push(tests, vscode.workspace.onDidChangeConfiguration(async (event) => {
    if (!event.affectsConfiguration('rpl.path')) return;
    await stopServer();
    await startServer();
  }));
}

module.exports = { activate, deactivate: stopServer };
