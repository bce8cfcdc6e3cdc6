// SPDX-License-Identifier: Apache-2.0
//
// The program `rpl`, run as a process.
'use strict';

const { execFile } = require('node:child_process');
const vscode = require('vscode');

// As the setting `rpl.path` names it.
function programPath() {
  return vscode.workspace.getConfiguration('rpl').get('path') || 'rpl';
}

// Runs `rpl` with these arguments and without input, until it ends or the token is cancelled.
// Resolves to {code, stdout, stderr}; code is null if it was cancelled. Rejects if there is no such program.
function runProgram(args, folder, token) {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, maxBuffer: 256 * 1024 * 1024 };
    const child = execFile(programPath(), args, options, (error, stdout, stderr) => {
      stopListening?.dispose();
      if (error && typeof error.code === 'string') {
        reject(new Error(`cannot run \`${programPath()}\` (the setting rpl.path): ${error.message}`));
      } else {
        resolve({ code: error ? error.code ?? null : 0, stdout, stderr });
      }
    });
    child.stdin?.end();
    const stopListening = token?.onCancellationRequested(() => child.kill());
  });
}

// Whether programs that documents name may run: tools and the commands of test scripts. Says so if not.
function mayRun() {
  if (!vscode.workspace.isTrusted) {
    vscode.window.showWarningMessage('RPL: this may start other programs, which needs a trusted workspace.');
  }
  return vscode.workspace.isTrusted;
}

module.exports = { mayRun, programPath, runProgram };
