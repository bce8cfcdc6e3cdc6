// SPDX-License-Identifier: Apache-2.0
//
// What commands show: a document beside the others that cannot be edited, with the newest text on top.
'use strict';

const vscode = require('vscode');

const SCHEME = 'rpl-results';
const MAX_RESULTS = 50;

class Results {
  constructor() {
    this.uri = vscode.Uri.parse(`${SCHEME}:RPL results`);
    this.texts = [];
    this.changed = new vscode.EventEmitter();
    this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: this.changed.event,
      provideTextDocumentContent: () => this.texts.join('\n'),
    });
  }

  dispose() {
    this.registration.dispose();
    this.changed.dispose();
  }

  // Puts a text below a line with its title, and leaves the focus where it is.
  async show(title, text) {
    this.texts.unshift(`-- ${title}\n${text.trimEnd()}\n`);
    this.texts.length = Math.min(this.texts.length, MAX_RESULTS);
    this.changed.fire(this.uri);
    const document = await vscode.workspace.openTextDocument(this.uri);
    await vscode.languages.setTextDocumentLanguage(document, 'rpl');
    const shown = vscode.window.visibleTextEditors.find(
      (editor) => editor.document.uri.toString() === this.uri.toString());
    const viewColumn = shown?.viewColumn ?? vscode.ViewColumn.Beside;
    const editor = await vscode.window.showTextDocument(
      document, { viewColumn, preserveFocus: true, preview: false });
    editor.revealRange(new vscode.Range(0, 0, 0, 0));
  }
}

module.exports = { Results };
