// SPDX-License-Identifier: Apache-2.0
//
// An extension that asks VS Code what the providers of `rpl lsp` say, through the commands that VS Code
// has for that, and checks the answers. It runs by itself in the window that vscode.mjs opens, and
// writes the checks, [{name, holds, shown}], to the file $RPL_PROBE.
'use strict';

const fs = require('node:fs');
const vscode = require('vscode');

const checks = [];
let folder;

function check(name, holds, shown) {
  checks.push({ name, holds: Boolean(holds), shown: holds ? undefined : shown });
}

function same(name, wanted, got) {
  check(name, JSON.stringify(wanted) === JSON.stringify(got), { expected: wanted, got });
}

async function wait(holds) {
  for (let i = 0; i < 200; ++i) {
    const got = await holds();
    if (got) return got;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}

function uriOf(name) {
  return vscode.Uri.joinPath(folder, name);
}

// The place `skip` characters behind the start of a piece of the text.
function place(document, piece, skip = 0) {
  return document.positionAt(document.getText().indexOf(piece) + skip);
}

function fileOf(uri) {
  return uri.path.split('/').pop();
}

function provided(command, ...args) {
  return vscode.commands.executeCommand(command, ...args);
}

function codes(document) {
  return vscode.languages.getDiagnostics(document.uri).map((finding) => finding.code).sort();
}

async function replace(document, piece, text) {
  const edit = new vscode.WorkspaceEdit();
  const begin = document.getText().indexOf(piece);
  if (begin < 0) throw new Error(`no ${piece}`);
  const end = document.positionAt(begin + piece.length);
  edit.replace(document.uri, new vscode.Range(document.positionAt(begin), end), text);
  await vscode.workspace.applyEdit(edit);
}

async function findings(document) {
  same('findings', true, await wait(() => codes(document).length === 3));
  same('their codes', ['RPL6013', 'RPL6013', 'RPL6013'], codes(document));
  await replace(document, 'plenty(?n) <- ?n > 10', 'plenty(?n, "🍐") <- ?n > 10, short(1, 2)');
  same('a finding after an edit', true, await wait(() => codes(document).includes('RPL2007')));
  const arity = vscode.languages.getDiagnostics(document.uri).find((one) => one.code === 'RPL2007');
  same('its place, behind a character of two units', 'short(1, 2)', arity && document.getText(arity.range));
  same('its related place', 'orders.md', arity?.relatedInformation && fileOf(arity.relatedInformation[0].location.uri));
  await replace(document, 'plenty(?n, "🍐") <- ?n > 10, short(1, 2)', 'plenty(?n) <- ?n > 10');
  same('and none without it', true, await wait(() => codes(document).length === 3));
}

// Other files that the server reads: plain RPL, and the configuration.
async function otherFiles() {
  for (const [name, text, language] of [
    ['plain.rpl', 'edge(1, 2)\nedge(1, 2\n', 'rpl'], ['rpl.yaml', 'version: 2\n', 'yaml']]) {
    await vscode.workspace.fs.writeFile(uriOf(name), Buffer.from(text));
    const file = await vscode.workspace.openTextDocument(uriOf(name));
    same(`the language of ${name}`, language, file.languageId);
    check(`findings in ${name}`, await wait(() => codes(file).some((code) => /^RPL/.test(code))), codes(file));
    await vscode.workspace.fs.delete(uriOf(name));
  }
}

async function hover(document) {
  const shown = async (piece) => {
    const got = await provided('vscode.executeHoverProvider', document.uri, place(document, piece, 1));
    return got.flatMap((one) => one.contents.map((content) => content.value)).join('\n');
  };
  const text = await shown('short(?item) <-');
  check('hover', text.includes('What is missing'), text);
  const proof = await shown('short("pear")');
  check('hover with a proof', proof.includes('crate("pear", 0)'), proof);
}

async function places(document) {
  const at = place(document, '?sign, short', 8);
  const definition = await provided('vscode.executeDefinitionProvider', document.uri, place(document, '#shelf', 1));
  // In a heading, VS Code itself adds the heading.
  const places = definition.map((one) =>
    `${fileOf(one.uri ?? one.targetUri)}:${(one.range ?? one.targetRange).start.line + 1}`);
  check('definition in another file', places.includes('stock.md:3'), places);
  const [here, ...others] = await provided('vscode.executeDefinitionProvider', document.uri, at);
  same('definition behind characters of two units', ['short', 0],
    [document.getText(here.targetSelectionRange ?? here.range), others.length]);
  const references = await provided('vscode.executeReferenceProvider', document.uri, at);
  same('references', [2, 6, 11, 12, 12], references.map((one) => one.range.start.line).sort((a, b) => a - b));
  const highlights = await provided('vscode.executeDocumentHighlights', document.uri, at);
  same('highlights', Array(5).fill('short'), highlights.map((one) => document.getText(one.range)));
  const symbols = await provided('vscode.executeDocumentSymbolProvider', document.uri);
  const names = (list) => list.flatMap((one) => [one.name, ...names(one.children ?? [])]);
  check('outline', names(symbols).includes('plenty/1'), names(symbols));
  const found = await provided('vscode.executeWorkspaceSymbolProvider', 'shelf');
  check('symbols of the workspace', found.some((one) => one.name === 'shelf/2'), found.map((one) => one.name));
  const folds = await provided('vscode.executeFoldingRangeProvider', document.uri);
  check('folding', folds.length >= 3, folds);
  const [item] = await provided('vscode.prepareCallHierarchy', document.uri, place(document, 'short(?item) <-'));
  const incoming = await provided('vscode.provideIncomingCalls', item);
  same('incoming calls', ['%refill', 'checked/1', 'label/2'], incoming.map((call) => call.from.name).sort());
  const outgoing = await provided('vscode.provideOutgoingCalls', item);
  same('outgoing calls', ['shelf/2'], outgoing.map((call) => call.to.name));
}

async function colours(document) {
  const legend = await provided('vscode.provideDocumentSemanticTokensLegend', document.uri);
  const tokens = await provided('vscode.provideDocumentSemanticTokens', document.uri);
  const shown = new Set();
  let line = 0;
  let character = 0;
  for (let i = 0; i < tokens.data.length; i += 5) {
    const [lines, characters, length, type] = tokens.data.slice(i, i + 4);
    line += lines;
    character = characters + (lines === 0 ? character : 0);
    const text = document.getText(new vscode.Range(line, character, line, character + length));
    shown.add(`${legend.tokenTypes[type]} ${text}`);
  }
  for (const token of ['function short', 'string "é🍐"', 'variable ?item', 'keyword not', 'event %refill']) {
    check(`a colour: ${token}`, shown.has(token), [...shown]);
  }
  const all = new vscode.Range(0, 0, document.lineCount, 0);
  const hints = await provided('vscode.executeInlayHintProvider', document.uri, all);
  const labels = hints.map((hint) => (typeof hint.label === 'string' ? hint.label : hint.label[0].value));
  check('inlay hints', labels.some((label) => label.includes('needs ?n')), labels);
}

async function completion(document) {
  await replace(document, 'plenty(?n) <- ?n > 10', 'plenty(?n, "🍐") <- sho');
  const got = await provided('vscode.executeCompletionItemProvider', document.uri, place(document, '<- sho', 6));
  const item = got.items.find((one) => (one.label.label ?? one.label) === 'short');
  check('completion', item, got.items.map((one) => one.label));
  same('the arguments of a completion', true, /short\(\$\{1:/.test(item?.insertText?.value ?? item?.insertText ?? ''));
  await replace(document, 'plenty(?n, "🍐") <- sho', 'plenty(?n) <- ?n > 10');
  await wait(() => codes(document).length === 3);
}

async function changes(document) {
  const rename = await provided(
    'vscode.executeDocumentRenameProvider', document.uri, place(document, '#shelf', 1), 'rack');
  same('rename in both files', ['orders.md', 'stock.md'], rename.entries().map(([uri]) => fileOf(uri)).sort());
  await vscode.workspace.applyEdit(rename);
  check('rename in this file', document.getText().includes('stock.md#rack('), document.getText());
  const stock = await vscode.workspace.openTextDocument(uriOf('stock.md'));
  check('rename in another file', stock.getText().includes('rack(?item, ?count) <-'), stock.getText());
  await document.save();
  await stock.save();
  const edits = await provided(
    'vscode.executeFormatDocumentProvider', document.uri, { tabSize: 2, insertSpaces: true });
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, edits);
  await vscode.workspace.applyEdit(edit);
  check('format', document.getText().includes('short("pear"), short(?item)'), document.getText());
  await document.save();
}

async function actions(document) {
  await replace(document, '?n > 10', '?n > 10, done');
  await wait(() => codes(document).length > 3);
  const line = place(document, 'plenty').line;
  const offered = await provided('vscode.executeCodeActionProvider', document.uri, document.lineAt(line).range);
  const fix = offered.find((one) => one.title.includes('done()'));
  check('code actions', fix?.edit, offered.map((one) => one.title));
  if (fix?.edit) await vscode.workspace.applyEdit(fix.edit);
  check('an action that is taken', document.getText().includes('done()'), document.getText());
  await replace(document, ', done()', '');
  await document.save();
  same('no finding is left of it', true, await wait(() => codes(document).length === 3));
  const lenses = await provided('vscode.executeCodeLensProvider', document.uri, 100);
  const titles = lenses.map((lens) => lens.command.title);
  for (const title of ['run', 'why', 'answers', '1 fact, answers']) {
    check(`a lens: ${title}`, titles.includes(title), titles);
  }
}

async function run() {
  folder = vscode.workspace.workspaceFolders[0].uri;
  const document = await vscode.workspace.openTextDocument(uriOf('orders.md'));
  await vscode.window.showTextDocument(document);
  same('the extension is active', true, await wait(() => vscode.extensions.getExtension('rpl.rpl')?.isActive));
  for (const part of [findings, otherFiles, hover, places, colours, completion, changes, actions]) {
    try {
      await part(document);
    } catch (error) {
      check(`${part.name} without an error`, false, error.stack);
    }
  }
}

exports.activate = () => {
  run().catch((error) => check('the probe', false, error.stack)).then(() => {
    fs.writeFileSync(`${process.env.RPL_PROBE}.part`, JSON.stringify(checks));
    fs.renameSync(`${process.env.RPL_PROBE}.part`, process.env.RPL_PROBE);
  });
};
