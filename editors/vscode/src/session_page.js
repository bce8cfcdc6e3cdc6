// SPDX-License-Identifier: Apache-2.0
//
// The page of a session (`rpl trace html`) as the editor of *.rpls files. It follows the file: a run
// that goes on changes the page.
'use strict';

const path = require('node:path');
const vscode = require('vscode');
const { runProgram } = require('./program');

const VIEW = 'rpl.session';

function escaped(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}

// What stands in place of a page that there is not.
function errorPage(message) {
  return `<!DOCTYPE html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<pre>${escaped(message)}</pre>`;
}

async function pageOf(uri) {
  try {
    const { code, stdout, stderr } = await runProgram(
      ['trace', 'html', uri.fsPath], path.dirname(uri.fsPath));
    return code === 0 ? stdout : errorPage(stderr || `rpl trace html ended with ${code}`);
  } catch (error) {
    return errorPage(error.message);
  }
}

class SessionPage {
  openCustomDocument(uri) {
    return { uri, dispose() {} };
  }

  async resolveCustomEditor(document, panel) {
    // The page allows its own script alone, by its hash.
    panel.webview.options = { enableScripts: true, localResourceRoots: [] };
    const folder = vscode.Uri.joinPath(document.uri, '..');
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(folder, path.basename(document.uri.fsPath)));
    let shown = '';
    let timer;
    const refresh = async () => {
      const page = await pageOf(document.uri);
      if (page === shown) return;
      shown = page;
      panel.webview.html = page;
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => refresh().catch(() => {}), 300);
    };
    watcher.onDidChange(later);
    watcher.onDidCreate(later);
    panel.onDidDispose(() => {
      clearTimeout(timer);
      watcher.dispose();
    });
    await refresh();
  }
}

function showSession(uri) {
  return vscode.commands.executeCommand('vscode.openWith', uri, VIEW);
}

function registerSessionPage(context) {
  context.subscriptions.push(
    vscode.window.registerCustomEditorProvider(VIEW, new SessionPage(), {
      webviewOptions: { enableFindWidget: true, retainContextWhenHidden: true },
    }));
}

module.exports = { registerSessionPage, showSession };
