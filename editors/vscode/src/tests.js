// SPDX-License-Identifier: Apache-2.0
//
// The cases of `rpl-test` scripts in the test explorer: an item per file, below it one per case. Which
// cases a file has, the language server says (its lenses "tests"); how they end, `rpl test`.
'use strict';

const path = require('node:path');
const vscode = require('vscode');
const { mayRun, runProgram } = require('./program');

const SCRIPT = /^\s*(`{3,}|~{3,})\s*rpl-test\b/m;
const EXCLUDED = '**/{node_modules,.git,build}/**';
const MAX_FILES = 5000;

// Case items are named by line and name: cases of one file may share a name.
function idOf(line, name) {
  return `${line}:${name}`;
}

// The failures of a case, each at its line if the message of `rpl test` begins with one.
function messagesOf(text, uri, fallback) {
  const parts = text.trimEnd().split(/\n(?=line \d+, )/);
  return parts.map((part) => {
    const message = new vscode.TestMessage(part);
    const at = /^line (\d+), /.exec(part);
    const line = at ? Number(at[1]) - 1 : fallback;
    message.location = new vscode.Location(uri, new vscode.Position(line, 0));
    return message;
  });
}

class Tests {
  // `lenses` gives the code lenses of a document.
  constructor(lenses) {
    this.lenses = lenses;
    this.controller = vscode.tests.createTestController('rpl', 'RPL');
    this.controller.resolveHandler = (item) => (item ? this.findCases(item) : this.findFiles());
    this.controller.refreshHandler = () => this.findFiles();
    this.profile = this.controller.createRunProfile(
      'Run', vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token), true);
    this.timers = new Map();
    this.disposables = [
      this.controller,
      vscode.workspace.onDidOpenTextDocument((document) => this.follow(document)),
      vscode.workspace.onDidChangeTextDocument((event) => this.follow(event.document)),
      vscode.workspace.onDidDeleteFiles((event) =>
        event.files.forEach((uri) => this.controller.items.delete(uri.toString()))),
    ];
    vscode.workspace.textDocuments.forEach((document) => this.follow(document));
  }

  dispose() {
    this.timers.forEach((timer) => clearTimeout(timer));
    this.disposables.forEach((one) => one.dispose());
  }

  // --- Which tests there are ---

  async findFiles() {
    for (const uri of await vscode.workspace.findFiles('**/*.md', EXCLUDED, MAX_FILES)) {
      const bytes = await vscode.workspace.fs.readFile(uri);
      if (SCRIPT.test(Buffer.from(bytes).toString('utf8'))) this.fileItem(uri);
    }
  }

  fileItem(uri) {
    let item = this.controller.items.get(uri.toString());
    if (!item) {
      item = this.controller.createTestItem(
        uri.toString(), vscode.workspace.asRelativePath(uri), uri);
      item.canResolveChildren = true;
      this.controller.items.add(item);
    }
    return item;
  }

  caseItem(file, name, line) {
    const item = this.controller.createTestItem(idOf(line, name), name, file.uri);
    item.range = new vscode.Range(line, 0, line, 0);
    item.sortText = String(line).padStart(8, '0');
    return item;
  }

  async findCases(file) {
    if (!file.canResolveChildren) return;
    const document = await vscode.workspace.openTextDocument(file.uri);
    const found = (await this.lenses(document)).filter((lens) => lens.command?.command === 'rpl.tests');
    file.children.replace(found.map((lens) => {
      const line = lens.range.start.line;
      const name = lens.command.arguments[1];
      return file.children.get(idOf(line, name)) ?? this.caseItem(file, name, line);
    }));
  }

  // A document that is open has its cases at once, and keeps them while it changes.
  follow(document) {
    if (document.languageId !== 'markdown' || document.uri.scheme !== 'file') return;
    const key = document.uri.toString();
    const has = SCRIPT.test(document.getText());
    if (!has) {
      this.controller.items.delete(key);
      return;
    }
    clearTimeout(this.timers.get(key));
    this.timers.set(key, setTimeout(() => {
      this.timers.delete(key);
      this.findCases(this.fileItem(document.uri)).catch(() => {});
    }, 500));
  }

  // --- How they end ---

  async run(request, token) {
    if (!mayRun()) return;
    const run = this.controller.createTestRun(request);
    try {
      if (!request.include) await this.findFiles();
      const files = new Map();  // the item of a file -> its cases, all of them if undefined
      for (const item of request.include ?? [...this.controller.items].map(([, file]) => file)) {
        const file = item.parent ?? item;
        if (item === file) files.set(file, undefined);
        else if (!files.has(file)) files.set(file, [item]);
        else files.get(file)?.push(item);
      }
      for (const [file, cases] of files) {
        if (token.isCancellationRequested) break;
        await this.runFile(run, file, cases, new Set(request.exclude ?? []), token);
      }
    } finally {
      run.end();
    }
  }

  async runFile(run, file, wanted, excluded, token) {
    const open = vscode.workspace.textDocuments.find(
      (document) => document.uri.toString() === file.uri.toString());
    if (open?.isDirty) await open.save();
    await this.findCases(file);
    if (excluded.has(file)) return;
    const ids = wanted?.map((item) => item.id);
    const cases = [...file.children].map(([, item]) => item)
      .filter((item) => !excluded.has(item) && (!ids || ids.includes(item.id)));
    if (cases.length === 0) return;
    cases.forEach((item) => run.started(item));
    // Other cases whose names contain this one run as well; they are not reported.
    const args = ['test', '--format', 'json'];
    if (cases.length === 1) args.push(`--filter=${cases[0].label}`);
    const begin = Date.now();
    let ended;
    try {
      ended = await runProgram([...args, '--', file.uri.fsPath], path.dirname(file.uri.fsPath), token);
    } catch (error) {
      cases.forEach((item) => run.errored(item, new vscode.TestMessage(error.message)));
      return;
    }
    if (ended.code === null) {
      cases.forEach((item) => run.skipped(item));
      return;
    }
    this.report(run, file, cases, ended, Date.now() - begin);
  }

  report(run, file, cases, ended, milliseconds) {
    let results;
    try {
      results = JSON.parse(ended.stdout).cases;
    } catch {
      const said = ended.stderr || ended.stdout || `rpl test ended with ${ended.code}`;
      run.appendOutput(said.replace(/\r?\n/g, '\r\n'));
      cases.forEach((item) => run.errored(item, new vscode.TestMessage(said)));
      return;
    }
    for (const item of cases) {
      const line = item.range.start.line;
      const result = results.find((one) => one.line - 1 === line && one.name === item.label);
      const time = cases.length === 1 ? milliseconds : undefined;
      if (!result) {
        run.errored(item, new vscode.TestMessage(ended.stderr || 'rpl test did not run this case'));
      } else if (result.status === 'passed') {
        run.passed(item, time);
      } else {
        run.failed(item, messagesOf(result.message, file.uri, line), time);
        const said = `${result.name}\n${result.message}`;
        run.appendOutput(said.replace(/\r?\n/g, '\r\n'), undefined, item);
      }
    }
  }

  // Runs the case of a lens.
  async runCase(uri, name) {
    const file = this.fileItem(uri);
    await this.findCases(file);
    const cases = [...file.children].map(([, item]) => item).filter((item) => item.label === name);
    const request = new vscode.TestRunRequest(cases.length > 0 ? cases : [file], [], this.profile);
    const none = new vscode.CancellationTokenSource();
    await this.run(request, none.token);
    none.dispose();
  }
}

module.exports = { Tests };
