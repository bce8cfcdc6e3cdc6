// SPDX-License-Identifier: Apache-2.0
//
// usage: node editors/test/vscode.mjs RPL MODULES VSIX PICTURES
//
// The extension in VS Code: code-server, from the npm folder MODULES, in a headless Chromium, with the
// extension VSIX, in the workspace that is the current folder. First an extension of ours asks VS Code for
// what its providers say (probe/probe.js); then hands and eyes: the problems, a hover, a lens, the test
// explorer and the page of a session, of which pictures are left in PICTURES. The last line is `N passed,
// N failed`.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';

const [program, modules, vsix, pictures] = process.argv.slice(2).map((name) => path.resolve(name));
const { chromium } = createRequire(path.join(modules, 'x.js'))('playwright-core');
const here = import.meta.dirname;
const workspace = process.cwd();
const home = fs.mkdtempSync(path.join(workspace, '..', 'vscode-'));
const probeFile = path.join(home, 'probe.json');
const PATIENCE = 20_000;

let passed = 0;
let failed = 0;
function check(name, holds, shown) {
  if (holds) {
    passed += 1;
  } else {
    failed += 1;
    console.log(`failed: ${name}\n  ${typeof shown === 'string' ? shown : JSON.stringify(shown)}`);
  }
}

async function wait(holds, patience = PATIENCE) {
  const end = Date.now() + patience;
  for (;;) {
    const got = await holds();
    if (got || Date.now() > end) return got;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// --- The server ---

const entry = path.join(modules, 'code-server', 'out', 'node', 'entry.js');
const folders = ['--user-data-dir', path.join(home, 'user'), '--extensions-dir', path.join(home, 'extensions')];

function probeVsix() {
  const file = path.join(home, 'probe.vsix');
  spawnSync(process.execPath, [path.join(modules, '@vscode', 'vsce', 'vsce'), 'package', '--no-dependencies',
    '--allow-missing-repository', '--skip-license', '-o', file], { cwd: path.join(here, 'probe'), encoding: 'utf8' });
  return file;
}

function install(file) {
  const got = spawnSync(process.execPath, [entry, ...folders, '--install-extension', file], { encoding: 'utf8' });
  check(`${path.basename(file)} can be installed`, /successfully installed/.test(got.stdout), got.stdout + got.stderr);
}

// In a window that is not trusted nothing asks for trust.
async function startServer(trusted) {
  const settings = {
    User: {
      'files.autoSave': 'off',
      'security.workspace.trust.banner': 'never',
      'security.workspace.trust.startupPrompt': 'never',
      'workbench.startupEditor': 'none',
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
    },
    Machine: { 'rpl.path': program },
  };
  for (const [level, values] of Object.entries(settings)) {
    fs.mkdirSync(path.join(home, 'user', level), { recursive: true });
    fs.writeFileSync(path.join(home, 'user', level, 'settings.json'), JSON.stringify(values));
  }
  const port = await freePort();
  const log = fs.openSync(path.join(home, 'log'), 'w');
  const server = spawn(process.execPath, [entry, ...folders, '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none',
    '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override',
    ...(trusted ? ['--disable-workspace-trust'] : []), workspace],
  { env: { ...process.env, RPL_PROBE: probeFile }, stdio: ['ignore', log, log] });
  const address = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`;
  check('the server is there', await wait(() => fetch(address).then((got) => got.ok, () => false)));
  return { server, address };
}

// --- Hands and eyes ---

async function picture(page, name) {
  fs.mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

// Types into the list that a key opens, and takes the entry with this text when it is the first. The list
// may have been made before the entry was there, so it is opened again now and then.
async function pick(page, key, text) {
  const first = page.locator('.quick-input-list .monaco-list-row.focused')
    .filter({ hasText: text.split(': ').pop() }).first();
  for (let i = 0; i < 4; ++i) {
    await page.keyboard.press(key);
    await page.waitForSelector('.quick-input-widget input', { state: 'visible' });
    await page.keyboard.type(text);
    if (await first.waitFor({ state: 'visible', timeout: PATIENCE / 4 }).then(() => true, () => false)) {
      await page.keyboard.press('Enter');
      return;
    }
    await page.keyboard.press('Escape');
  }
  throw new Error(`no ${text}`);
}

// Runs a command as one does with F1.
async function command(page, title) {
  await pick(page, 'F1', title);
}

// The box into which a command asks for a text.
async function inputBox(page) {
  const box = page.locator('.quick-input-widget input[placeholder="relation(1, ?x)"]');
  await box.waitFor({ state: 'visible' });
  return box;
}

// Whether an element with this text becomes visible.
async function appears(page, selector, text) {
  return page.locator(selector).filter({ hasText: text }).first()
    .waitFor({ state: 'visible', timeout: PATIENCE }).then(() => true, () => false);
}

async function open(page, file) {
  await pick(page, 'Control+p', file);
  check(`${file} opens`, await appears(page, '.tab.active', file));
}

async function problems(page) {
  await open(page, 'orders.md');
  await command(page, 'View: Focus Problems');
  check('problems', await appears(page, '.markers-panel', 'no goal or constraint needs'));
  await picture(page, 'problems');
}

// The name `short` in the rule of `checked`.
function shortInChecked(page) {
  return page.locator('.view-line').filter({ hasText: 'checked' })
    .locator('span').filter({ hasText: /^short$/ }).first();
}

async function hover(page) {
  await open(page, 'orders.md');
  await shortInChecked(page).hover();
  check('hover', await appears(page, '.monaco-hover', 'What is missing'));
  await picture(page, 'hover');
  await page.mouse.move(5, 5);
}

// Keys that change the document, and those that take it back.
async function typing(page) {
  await open(page, 'orders.md');
  await page.locator('.view-line').filter({ hasText: 'plenty' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type(', sho');
  await page.keyboard.press('Control+Space');
  check('completion', await appears(page, '.suggest-widget .monaco-list-row', 'short'));
  await picture(page, 'completion');
  await page.keyboard.press('Enter');
  check('which is inserted', await appears(page, '.view-line', '?n > 10, short(?item)'));
  await page.keyboard.press('Escape');
  await command(page, 'File: Revert File');
  await shortInChecked(page).click();
  await page.keyboard.press('F2');
  const box = page.locator('.rename-input');
  await box.waitFor({ state: 'visible' });
  await box.fill('missing');
  await picture(page, 'rename');
  await page.keyboard.press('Enter');
  check('rename', await appears(page, '.view-line', 'missing("pear"), missing(?item)'));
  await page.keyboard.press('Control+z');
  check('and back', await appears(page, '.view-line', 'short("pear"), short(?item)'));
  await shortInChecked(page).click();
  await page.keyboard.press('F12');
  check('definition', await appears(page, '.right-items, .statusbar', 'Ln 3, '));
  await command(page, 'File: Revert File');
}

async function lens(page) {
  await page.locator('.codelens-decoration a').filter({ hasText: /^run$/ }).first().click();
  check('the result of a lens', await appears(page, '.view-line', 'satisfied: %refill'));
  await picture(page, 'lens');
}

// Commands, by F1.
async function commands(page) {
  const result = async (name, text) => {
    check(`the result of ${name}`, await appears(page, '.view-line', text));
  };
  await open(page, 'orders.md');
  await command(page, 'RPL: Run a Goal of This Document');
  await result('running the one goal', 'satisfied: %refill');
  await shortInChecked(page).click();
  await command(page, 'RPL: Why Does This Hold, or Not?');
  const call = await (await inputBox(page)).inputValue();
  check('the call at the cursor', call === 'short("pear")', call);
  await page.keyboard.press('Enter');
  await result('why', 'crate("pear", 0)');
  await command(page, 'RPL: Show the Answers to a Query');
  await (await inputBox(page)).fill('short(?what)');
  await page.keyboard.press('Enter');
  await result('a query', 'answers short(?what)');
  await open(page, 'orders.md');
  await command(page, 'RPL: Check This Document');
  await result('checking', 'found: 0 errors, 0 warnings, 3 infos');
  await command(page, 'RPL: Restart the Language Server');
  await command(page, 'RPL: Run a Goal of This Document');
  await result('running it by another server', '-- run refill');
  await picture(page, 'commands');
}

async function explorer(page) {
  await open(page, 'cases.md');
  await page.locator('.codelens-decoration a').filter({ hasText: /^tests$/ }).first().click();
  const marks = (mark) => page.locator(`.testing-run-glyph.codicon-testing-${mark}-icon`);
  check('a lens runs its case', await wait(async () => await marks('passed').count() === 1));
  check('and no other', await marks('failed').count() === 0);
  await command(page, 'Testing: Focus on Test Explorer View');
  check('a file in the test explorer', await appears(page, '.test-explorer', 'cases.md'));
  await command(page, 'Test: Run All Tests');
  check('a failure in its place', await appears(page, '.test-error-content-widget', 'line 19, AGENT: expected'));
  for (const mark of ['passed', 'failed']) {
    check(`a case that ${mark}`, await wait(async () => await marks(mark).count() === 1));
  }
  await picture(page, 'tests');
}

// The frame with the page of a session for which `holds`.
function sessionFrame(page, holds) {
  return wait(async () => {
    for (const frame of page.frames()) {
      const there = await frame.locator('#report').count().catch(() => 0);
      if (there && await holds(frame).catch(() => false)) return frame;
    }
    return undefined;
  });
}

// Whether a page is that of a run of orders.md.
async function isOfOrders(frame) {
  return (await frame.innerText('h1')).includes('Orders');
}

async function session(page) {
  await command(page, 'View: Close All Editors');
  await open(page, 'orders.md');
  await command(page, 'RPL: Run This Document and Show Its Session');
  const frame = await sessionFrame(page, isOfOrders);
  check('a run and its page', frame);
  if (frame) {
    const folded = () => frame.locator('details:not([open])').count();
    const all = await frame.locator('details').count();
    await frame.getByRole('button', { name: 'Close all' }).click();
    check('the script of the page', all > 0 && await wait(async () => await folded() === all), all);
    await frame.getByRole('button', { name: 'Open all' }).click();
  }
  await picture(page, 'session');
  await command(page, 'View: Close All Editors');
  fs.writeFileSync(path.join(workspace, 'none.rpls'), 'not a session\n');
  await open(page, 'none.rpls');
  const errors = await wait(async () => {
    const texts = await Promise.all(
      page.frames().map((one) => one.innerText('pre', { timeout: 100 }).catch(() => '')));
    return texts.find((text) => text.includes('none.rpls'));
  });
  check('what is no session says so', errors);
  spawnSync(program, ['run', 'orders.md', '--session', 'other.rpls'], { cwd: workspace });
  fs.copyFileSync(path.join(workspace, 'other.rpls'), path.join(workspace, 'none.rpls'));
  check("the page follows the file",
    await sessionFrame(page, isOfOrders));
}

async function wrongPath(page) {
  const file = path.join(home, 'user', 'Machine', 'settings.json');
  const before = fs.readFileSync(file);
  fs.writeFileSync(file, JSON.stringify({ 'rpl.path': '/no/such/rpl' }));
  check('a wrong rpl.path is said', await appears(page, '.notification-toast', 'Is the setting rpl.path right?'));
  fs.writeFileSync(file, before);
}

// What runs other programs does not, and the program is not the one that the workspace names.
async function restricted(page) {
  await open(page, 'orders.md');
  check('findings without trust', await appears(page, '.codelens-decoration', 'run'));
  await open(page, 'cases.md');
  for (const act of [
    () => page.locator('.codelens-decoration a').filter({ hasText: /^tests$/ }).first().click(),
    () => command(page, 'RPL: Run This Document and Show Its Session'),
  ]) {
    await act();
    check(`without trust: ${act}`, await appears(page, '.notification-toast', 'needs a trusted workspace'));
    await command(page, 'Notifications: Clear All Notifications');
    await wait(async () => await page.locator('.notification-toast').count() === 0);
  }
  await command(page, 'Test: Run All Tests');
  const cancel = page.locator('.monaco-dialog-box .monaco-button').filter({ hasText: 'Cancel' });
  check('VS Code asks for trust', await cancel.waitFor().then(() => true, () => false));
  await picture(page, 'restricted');
  await cancel.click();
  check('no test has run', await page.locator('.testing-run-glyph.codicon-testing-passed-icon').count() === 0);
}

async function inWindow(browser, trusted, parts) {
  const { server, address } = await startServer(trusted);
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  page.setDefaultTimeout(PATIENCE);
  try {
    await page.goto(address);
    check('VS Code shows itself', await page.waitForSelector('.monaco-workbench').then(() => true, () => false));
    for (const part of parts) {
      try {
        await part(page);
      } catch (error) {
        check(`${part.name} without an error`, false, error.stack);
        await picture(page, `${part.name}-failed`);
        await page.keyboard.press('Escape');
      }
    }
  } finally {
    await page.close();
    server.kill();
  }
}

async function probe() {
  check('the probe ends', await wait(() => fs.existsSync(probeFile), 6 * PATIENCE));
  const checks = JSON.parse(fs.readFileSync(probeFile, 'utf8'));
  for (const { name, holds, shown } of checks) check(name, holds, shown);
}

async function main() {
  for (const file of [vsix, probeVsix()]) install(file);
  const browser = await chromium.launch(
    { executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  try {
    await inWindow(browser, true,
      [probe, problems, hover, typing, lens, commands, explorer, session, wrongPath]);
    fs.mkdirSync(path.join(workspace, '.vscode'));
    fs.writeFileSync(path.join(workspace, '.vscode', 'settings.json'), '{"rpl.path": "/no/such/rpl"}');
    await inWindow(browser, false, [restricted]);
  } finally {
    await browser.close();
  }
}

await main().catch((error) => check('the run', false, error.stack));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
