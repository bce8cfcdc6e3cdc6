// SPDX-License-Identifier: Apache-2.0
//
// usage: node page.mjs MODULES-FOLDER CHROMIUM PAGE-FOLDER EXAMPLES-FOLDER SAVED-FOLDER
//
// Drives the page in a browser. What it downloads is left in SAVED-FOLDER, with a folder for each
// example. The last line is `N passed, N failed`.
import { mkdirSync, readFileSync, readdirSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readExample } from '../example.mjs';
import { encoded } from '../src/link.js';
import { launched, served } from './browser.mjs';

const [modules, chromium, folder, examplesFolder, saved] = process.argv.slice(2);
const requests = [];
const server = await served(folder, path => requests.push(path));
const browser = await launched(modules, chromium);
let passed = 0;
let failed = 0;
const troubles = [];

const check = (name, holds, got) => {
  if (holds) return ++passed;
  ++failed;
  console.log(`${name}${got === undefined ? '' : `: got ${typeof got === 'string' ? got : JSON.stringify(got)}`}`);
};

const paused = ms => new Promise(done => setTimeout(done, ms));

/** The value of `read` once `wanted` accepts it, or after some seconds its last one. */
async function until(read, wanted, seconds = 12) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    let value;
    try { value = await read(); } catch (error) { value = String(error); }
    if (wanted(value) || Date.now() > end) return value;
    await paused(50);
  }
}

class Page {
  static async open(hash = '', { width = 1280, height = 800, scheme = 'light' } = {}) {
    const page = new Page();
    page.context = await browser.createBrowserContext();
    await page.context.overridePermissions(server.url, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']);
    page.tab = await page.context.newPage();
    page.tab.on('console', message => {
      if (['error', 'warn', 'warning'].includes(message.type())) troubles.push(`${message.text()} ${message.location().url}:${message.location().lineNumber} at ${page.doing}`);
    });
    page.tab.on('pageerror', error => troubles.push(error.message));
    await page.tab.setViewport({ width, height });
    await page.tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.tab.goto(`${server.url}${hash ? `#${hash}` : ''}`);
    await page.tab.waitForSelector('html[data-ready]', { timeout: 30000 });
    return page;
  }
  static async of(text, options) {
    const page = await Page.open(await encoded({ documents: [{ name: 'test.md', text: '' }] }), options);
    await page.write(text);
    return page;
  }
  close() { return this.context.close(); }
  text(selector) { return this.tab.evaluate(s => document.querySelector(s)?.innerText ?? '', selector); }
  document() {
    return this.tab.evaluate(() => [...document.querySelector('#editor').shadowRoot.querySelectorAll('.cm-line')].map(l => l.textContent).join('\n'));
  }
  /** Pastes the text in place of the document. */
  async write(text) {
    await this.tab.evaluate(() => document.querySelector('#editor').shadowRoot.querySelector('.cm-content').focus());
    await this.tab.keyboard.down('Control');
    await this.tab.keyboard.press('a');
    await this.tab.keyboard.up('Control');
    await this.tab.evaluate(t => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', t);
      document.querySelector('#editor').shadowRoot.querySelector('.cm-content')
        .dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  }
  badge(wanted, seconds) { return until(() => this.text('#badge'), text => text === wanted, seconds); }
  click(selector) {
    this.doing = selector;
    return this.tab.evaluate(s => document.querySelector(s).click(), selector); }
  async put(selector, text) {
    await this.tab.focus(selector);
    await this.tab.evaluate(s => { document.querySelector(s).value = ''; }, selector);
    await this.tab.type(selector, text);
  }
  async explain(form) {
    await this.click('#tab-why');
    await this.put('#form', form);
    await this.tab.keyboard.press('Enter');
  }
  lit() {
    return this.tab.evaluate(() => [...document.querySelector('#editor').shadowRoot.querySelectorAll('.lit')].map(l => l.textContent));
  }
  clipboard() { return this.tab.evaluate(() => navigator.clipboard.readText()); }
  hash() { return this.tab.evaluate(() => location.hash.slice(1)); }
  async download(button, into) {
    const session = await this.tab.createCDPSession();
    await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: into, browserContextId: this.context.id });
    await this.click(button);
  }
}

const refund = `# Refund - %refund(?order, ?euros) <- order(?order), price(?order, ?euros)

Send __euros__ euros back the way they came.

## Order - order(?order)

Which order is it about?

## Prices

price("A-17", 40)
price("B-02", 310)

approved("A-09")

## Large refunds need approval - order(?order), price(?order, ?euros), ?euros > 100 -> approved(?order)

Above a hundred euros, someone from the shop decides.
`;

const tests = {
  async 'typing, answering, a violated constraint'() {
    const page = await Page.of(refund);
    check('a question waits', await page.badge('Waiting for an answer') === 'Waiting for an answer', await page.text('#run'));
    check('the question is labelled', (await page.text('label[for="question-0"]')).includes('Which order is it about?'));
    await page.tab.focus('#question-0');
    await page.tab.keyboard.type('A-17');
    await page.tab.keyboard.press('Enter');
    check('an answer satisfies', await page.badge('Satisfied') === 'Satisfied');
    check('what to do now', (await page.text('#do-now')).includes('Send 40 euros back the way they came.'), await page.text('#do-now'));
    check('the answers as a table', /A-17\s+40/.test(await page.text('#answers')), await page.text('#answers'));
    await page.click('.given button');
    await page.badge('Waiting for an answer');
    check('a changed answer is offered', await page.tab.$eval('#question-0', e => e.value) === 'A-17');
    await page.put('#question-0', 'B-02');
    await page.tab.keyboard.press('Enter');
    check('a violated constraint', await page.badge('Stopped by a constraint') === 'Stopped by a constraint');
    await page.tab.evaluate(() => document.querySelector('#editor').shadowRoot.querySelector('.cm-content').focus());
    await page.tab.keyboard.press('PageDown');
    await paused(600);  // what is typed at once is undone at once
    await page.tab.keyboard.type('approved("B-02")');
    await page.badge('Satisfied');
    check('a key is enough', (await page.text('#do-now')).includes('Send 310 euros'), await page.document());
    await page.tab.keyboard.down('Control');
    await page.tab.keyboard.press('z');
    await page.tab.keyboard.up('Control');
    check('and is taken back', await page.badge('Stopped by a constraint') === 'Stopped by a constraint', await page.document());
    await page.click('#violated button');
    check('the line of the constraint', await page.tab.evaluate(() => document.activeElement === document.querySelector('#editor')) && /line 16/.test(await page.text('#violated')));
    check('its prose', (await page.text('#violated')).includes('Above a hundred euros, someone from the shop decides.'));
    await page.close();
  },

  async 'why, why not, lines, trace'() {
    const page = await Page.open('example=refund-limit');
    await page.badge('Satisfied');
    await page.click('#answers tbody tr');
    const proof = await until(() => page.text('#proof'), text => text.includes('price("A-17", 40)'));
    check('a click on a row explains it', proof.includes('It holds') && proof.includes('%refund("A-17", 40)') && proof.includes('order("A-17")'), proof);
    const lines = await until(() => page.lit(), lit => lit.length > 1);
    check('the lines light up', lines.some(l => l.startsWith('# Refund')) && lines.some(l => l === 'price("A-17", 40)'), lines);
    check('the proof is indented', await page.tab.$eval('#proof', e => Boolean(e.querySelector('details ul li'))));
    await page.explain('%refund("B-02", 310)');
    const not = await until(() => page.text('#proof'), text => text.includes('It does not hold'));
    check('why not', not.includes('order("B-02")') && not.includes('fails here'), not);
    await page.explain('price("A-17"');
    check('a form with an error', /never closed/.test(await until(() => page.text('#proof'), text => /closed/.test(text))));
    await page.click('#tab-trace');
    check('the trace', /\d\.6\s+goal\s+%refund/.test(await page.text('#trace')), await page.text('#trace'));
    check('no lines are lit beside the trace', (await page.lit()).length === 0);
    await page.close();
  },

  async 'a query'() {
    const page = await Page.open('example=refund-limit');
    await page.put('#query', '%big(?what) <- price(?what, ?p), ?p > 100');
    await page.tab.keyboard.press('Enter');
    check('a query has answers', /B-02\s+C-33/.test(await until(() => page.text('#replied'), text => text.includes('C-33'))));
    await page.put('#query', 'price(?what, 40)');
    await page.tab.keyboard.press('Enter');
    check('a condition is a query', /\?what\s+A-17/.test(await until(() => page.text('#replied'), text => text.includes('A-17'))));
    await page.put('#query', '% <- price("none", _)');
    await page.tab.keyboard.press('Enter');
    check('a query without an answer says why', (await until(() => page.text('#replied'), text => text.includes('no fact'))).includes('no fact matches'));
    await page.write('price("tea", 2)\nprice("cake", 5)\n');
    check('a document without a goal', await page.badge('No goal') === 'No goal');
    await page.put('#query', 'price(?what, ?p), ?p > 3');
    await page.tab.keyboard.press('Enter');
    check('its facts can be asked', /cake\s+5/.test(await until(() => page.text('#replied'), text => text.includes('cake'))));
    await page.close();
  },

  async 'links'() {
    const page = await Page.of(refund);
    await page.badge('Waiting for an answer');
    await page.tab.type('#question-0', 'A-17');
    await page.tab.keyboard.press('Enter');
    await page.badge('Satisfied');
    await page.click('#answers tbody button');
    await until(() => page.text('#proof'), text => text.includes('It holds'));
    await page.click('#copy-link');
    const link = await until(() => page.clipboard(), text => text.includes('#'));
    check('a link has the state after #', link.startsWith(`${server.url}#`) && /^[\w-]+$/.test(link.split('#')[1]), link);
    await paused(300);
    await page.tab.reload();
    await page.tab.waitForSelector('html[data-ready]');
    check('a reload keeps the document', (await page.document()).trim() === refund.trim(), await page.document());
    check('and the view', (await until(() => page.text('#proof'), text => text.includes('It holds'))).includes('%refund("A-17", 40)'));
    const other = await Page.open(link.split('#')[1]);
    await until(() => other.text('#proof'), text => text.includes('It holds'));
    await other.click('#tab-run');
    check('another browser shows the same', await other.text('#answers') === '1 answer\n?order\t?euros\tProof\nA-17\t40\tWhy?' || /A-17\s+40/.test(await other.text('#answers')), await other.text('#answers'));
    check('nothing is kept', await other.tab.evaluate(() => document.cookie === '' && localStorage.length === 0));
    await other.tab.evaluate(() => { location.hash = 'broken'; });
    check('a broken link is told', /link is not complete/.test(await until(() => other.text('#told'), text => text !== '')));
    await other.close();
    await page.close();
  },

  async 'kinds of questions'() {
    const page = await Page.of(`# Name the boat - %boat(?name, ?n, ?price, ?colour) <- confirmed(?name), n(?n), flag(_), cost(?price), colour(?colour)

## Candidates - candidate(?name, ?why)

Propose two names, each with a reason.

## N - n(?n)

How many letters?

## More than two - n(?n) -> ?n > 2

## Flag - flag(?b) <- ?b = $choose("Really?", [true false])

## Colour - colour(?colour) <- ?colour = $choose("Which colour?", ["a" "b" "c" "d" "e" "f" "g" "h" "i"])

## Cost - cost(?price) <- n(?n), ?price = $paint-price(?n)

## Confirmed - confirmed(?name)

Which one? Choose one __candidate-name__.

## A choice - |candidate(_, _)| = ?n -> ?n >= 2

One name is no choice.

\`\`\`rpl
candidate-name(?name) <- candidate(?name, _)
\`\`\`
`);
    await page.badge('Waiting for an answer');
    await page.tab.waitForSelector('table.entry');
    const labels = await page.tab.$$eval('#questions', ([form]) => [...form.querySelectorAll('input, select, textarea')].map(e => Boolean(e.labels?.length || e.getAttribute('aria-label'))));
    check('each control has a label', labels.length === 5 && labels.every(Boolean), labels);
    const numbers = await page.tab.$$eval('input[type="number"]', all => all.length);
    check('a number has its own control', numbers === 1, numbers);
    check('few choices are radio buttons', await page.tab.$$eval('input[type="radio"]', all => all.length) === 2);
    await page.tab.type('[aria-label="name, row 1"]', 'Heron');
    await page.tab.type('[aria-label="why, row 1"]', 'it is grey');
    await page.tab.evaluate(() => [...document.querySelectorAll('#questions button')].find(b => b.innerText === 'Another row').click());
    await page.tab.type('[aria-label="name, row 2"]', 'Otter');
    await page.tab.type('[aria-label="why, row 2"]', 'it swims');
    await page.tab.type('input[type="number"]', '5');
    await page.tab.click('input[type="radio"]');
    await page.click('#questions .primary');
    await page.tab.waitForSelector('#questions select');
    check('many choices are a list', await page.tab.$$eval('#questions select option', all => all.length) === 10);
    await page.tab.select('#questions select', '3');
    await page.tab.evaluate(() => [...document.querySelectorAll('#questions label')].find(l => l.innerText.trim() === 'Otter').click());
    await page.click('#questions .primary');
    await page.tab.waitForSelector('#questions textarea');
    check('a call of a tool asks for its result', (await page.text('#questions')).includes('$paint-price(5)'));
    await page.tab.type('#questions textarea', '120');
    await page.click('#questions .primary');
    check('the form is answered', await page.badge('Satisfied') === 'Satisfied', await page.text('#run'));
    check('with values of their kinds', /Otter\s+5\s+120\s+d/.test(await page.text('#answers')), await page.text('#answers'));
    await page.click('#copy-command');
    check('a command with rows', (await until(() => page.clipboard(), text => text.startsWith('rpl'))).includes(`--answer 'candidate=[["Heron","it is grey"],["Otter","it swims"]]'`), await page.clipboard());
    await page.close();
  },

  async 'findings, fixes, format'() {
    const page = await Page.of(`# Café – Suits 🚲 - %suits(?b) <- suits(?b)\n\n## Suits - suits(?bike)\n<- carries(?bike)\n\ncarries( "Elsa" )\n`);
    const findings = await until(() => page.text('#findings'), text => text.includes('RPL4002'));
    check('findings are listed', findings.includes('goes on in the paragraph below') && findings.includes('write it in one line'), findings);
    check('and underlined', await until(() => page.tab.evaluate(() => document.querySelector('#editor').shadowRoot.querySelector('.cm-lintRange-warning')?.textContent), Boolean) === '<- carries(?bike)');
    await page.tab.evaluate(() => [...document.querySelectorAll('#findings button')].find(b => b.innerText === 'Fix').click());
    check('a fix is made after letters of several bytes', (await until(() => page.document(), text => text.includes('suits(?bike) <- carries(?bike)'))).includes('## Suits - suits(?bike) <- carries(?bike)\n'), await page.document());
    await page.click('#format');
    check('format', (await until(() => page.document(), text => text.includes('carries("Elsa")'))).includes('carries("Elsa")'), await page.document());
    check('and it runs', await page.badge('Satisfied') === 'Satisfied');
    await page.write('# Two - %two(?a) <- one(?a), two(?a)\n\n## One - one(?a)\n<- p(?a)\n\n## Two - two(?a)\n<- p(?a)\n\np(1)\n');
    await until(() => page.text('#findings'), text => text.includes('Fix all 2'));
    await page.tab.evaluate(() => [...document.querySelectorAll('#findings button')].find(b => b.innerText === 'Fix all 2').click());
    check('all fixes at once', await page.badge('Satisfied') === 'Satisfied', await page.document());
    await page.write('# Wrong - %wrong(?x) <- p(?x\n\np(1)\n');
    check('errors are told', await page.badge('Errors in the document') === 'Errors in the document');
    check('with their hint', (await page.text('#findings')).includes('close it with )'), await page.text('#findings'));
    await page.close();
  },

  async 'programs that run away'() {
    const endless = '# R - %r(?o) <- n(?o)\n\nn(0)\n\n```rpl\nn(?y) <- n(?x), ?y = ?x + 1\n```\n';
    const page = await Page.of(endless);
    check('there is a limit', await page.badge('Limit reached') === 'Limit reached', await page.text('#run'));
    await page.write(`${endless}\n${Array.from({ length: 90 }, (_, i) => `m${i}(?a, ?b, ?c, ?d) <- n(?a), n(?b), n(?c), n(?d)`).map(l => l).join('\n\n')}\n`);
    await page.tab.waitForSelector('#stop:not([hidden])', { timeout: 8000 }).catch(() => {});
    check('the stop button', await page.tab.$eval('#stop', e => !e.hidden && e.offsetWidth > 0));
    await page.click('#stop');
    check('stops', await page.badge('Stopped') === 'Stopped', await page.text('#run'));
    await page.write(refund);
    check('and the engine goes on', await page.badge('Waiting for an answer') === 'Waiting for an answer');
    await page.write('# Deep - %deep(?a) <- len(?a)\n\n```rpl\nc(?n, ?l) <- ?n > 0, ?m = ?n - 1, c(?m, ?k), ?l = [1 & ?k]\nc(0, [])\nlen(?b) <- c(100000, ?b)\n```\n');
    const told = await until(() => page.text('#run'), text => /started anew/.test(text) || /imit/.test(text));
    await page.explain('len(?x)');
    const deep = await until(() => page.text('#proof'), text => /started anew/.test(text) || /limit/.test(text));
    check('so is a proof that does', /started anew|limit/.test(deep), deep);
    await page.click('#tab-run');
    check('a program that recurses too deeply is told', /ran out of stack|Limit reached|imit/.test(told), told);
    await page.write(refund);
    check('and the engine goes on after it', await page.badge('Waiting for an answer') === 'Waiting for an answer');
    await page.close();
  },

  async 'several documents'() {
    const page = await Page.of('# The trip - % <- place(?where), document-2.md#budget(?euros)\n\nBook __where__ for __euros__ euros.\n\n## Place - place(?where)\n\nWhere do we go?\n');
    await page.tab.evaluate(() => [...document.querySelectorAll('#files button')].find(b => b.innerText === 'Add a document').click());
    await page.write('# Budget - budget(?euros) <- people(?n), ?euros = ?n * 150\n\n## People - people(?n)\n\nHow many are we?\n');
    await until(() => page.text('#questions'), text => text.includes('How many are we?'));
    await page.tab.type('#question-0', 'Lucca');
    const second = await page.tab.$('#question-1');
    if (second) await second.type('4');
    await page.tab.keyboard.press('Enter');
    check('one reads the other', /Book Lucca for 600 euros/.test(await until(() => page.text('#run'), text => text.includes('600'))), await page.text('#run'));
    await paused(300);
    await page.tab.reload();
    await page.tab.waitForSelector('html[data-ready]');
    check('and both are in the link', /600/.test(await until(() => page.text('#run'), text => text.includes('600'))));
    await page.close();
  },

  async 'a phone'() {
    for (const scheme of ['light', 'dark'])
      for (const name of ['refund-limit', 'who-may-see', 'parcel']) {
        const page = await Page.open(`example=${name}`, { width: 360, height: 740, scheme });
        const wide = () => page.tab.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        for (const tab of ['document', 'run', 'trace', 'why']) {
          await page.click(`#tab-${tab}`);
          check(`${name}, ${tab}: no horizontal scroll at 360 px`, !(await wide()));
          check(`${name}, ${tab}: one column`, await page.tab.evaluate(t => ['document', 'run', 'why', 'trace'].every(other =>
            (document.getElementById(other).offsetHeight > 0 && document.getElementById(other).getClientRects().length > 0) === (other === t)), tab));
        }
        await page.explain(name === 'who-may-see' ? 'may-see("dana", "salaries")' : '%refund(?a, ?b)');
        await until(() => page.text('#proof'), text => text !== '');
        check(`${name}, a proof: no horizontal scroll`, !(await wide()));
        await page.close();
      }
  },

  async 'dark'() {
    const ground = async scheme => {
      const page = await Page.open('', { scheme });
      const colours = await page.tab.evaluate(() => [getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('#editor').shadowRoot.querySelector('.cm-editor')).backgroundColor]);
      await page.close();
      return colours.map(c => c.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0));
    };
    check('light is light', (await ground('light')).every(sum => sum > 600));
    check('dark is dark', (await ground('dark')).every(sum => sum < 150));
  },

  async 'the keyboard'() {
    const page = await Page.open('example=refund-limit');
    const seen = [];
    for (let i = 0; i < 40; ++i) {
      await page.tab.keyboard.press('Tab');
      const at = await page.tab.evaluate(() => {
        let e = document.activeElement;
        if (e.shadowRoot) e = e.shadowRoot.activeElement ?? e;
        return e === document.body ? '' : e.id || e.getAttribute('aria-label') || e.innerText;
      });
      // The editor keeps Tab-less keys to itself; Escape then Tab leaves it as everywhere.
      seen.push(at);
      if (at === 'query') break;
    }
    check('Tab reaches everything up to the query', ['example', 'format', 'copy-link', 'copy-command', 'tab-run', 'query'].every(id => seen.includes(id)) && seen.some(s => /^Why /.test(s)), seen);
    await page.tab.focus('#tab-run');
    await page.tab.keyboard.press('ArrowRight');
    check('arrows change the view', await page.tab.$eval('#tab-why', e => e.getAttribute('aria-selected') === 'true' && e === document.activeElement));
    const nameless = await page.tab.evaluate(() => [...document.querySelectorAll('input, select, textarea, button, summary')]
      .filter(e => !(e.labels?.length || e.getAttribute('aria-label') || e.innerText?.trim() || e.textContent.trim())).map(e => e.outerHTML));
    check('every control has a name', nameless.length === 0, nameless);
    await page.close();
  },

  async 'opened as a file'() {
    const tab = await browser.newPage();
    await tab.goto(`file://${join(folder, 'index.html')}`);
    const shown = await tab.evaluate(() => document.body.innerText);
    check('it says what is missing', shown.includes('from a web server') && shown.includes('python3 -m http.server'), shown);
    await tab.close();
  },

  async 'a link with markup'() {
    const markup = '<img src=x onerror="document.title=1"><b id="injected">b</b>';
    const page = await Page.open(await encoded({
      documents: [{ name: `${markup}.md`, text: `# ${markup} - %go(?x) <- x(?x)\n\n${markup} __x__\n\n## X - x(?x)\n\n${markup}\n` }],
      answers: { x: markup, other: markup }, why: markup, query: markup, tab: 'run', now: '',
    }));
    await page.badge('Satisfied');
    check('it is shown as text', (await page.text('#answers')).includes(markup), await page.text('#run'));
    for (const tab of ['why', 'trace', 'document']) await page.click(`#tab-${tab}`);
    await paused(300);
    check('and makes no elements', await page.tab.evaluate(() => !document.querySelector('#injected, img') && document.title !== '1'));
    await page.close();
    const wrong = await Page.open(await encoded({ documents: 'none', answers: [1] }));
    check('what is no state is told', /link is not complete/.test(await until(() => wrong.text('#told'), text => text !== '')));
    await wrong.close();
  },

  async 'without a network'() {
    const times = new Map();
    const own = await served(folder, path => times.set(path, 1 + (times.get(path) ?? 0)));
    const context = await browser.createBrowserContext();
    const tab = await context.newPage();
    await tab.goto(own.url);
    await tab.waitForSelector('html[data-ready]');
    await until(() => tab.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistration())?.active)), Boolean);
    check('the engine is loaded once for the page, once to be kept', times.get('/rpl.wasm') <= 2, Object.fromEntries(times));
    await own.close();
    await tab.reload();
    const shown = await until(() => tab.evaluate(() => document.querySelector('#do-now')?.innerText ?? ''), text => text !== '');
    check('it opens without a network', shown.includes('Send 40 euros'), shown);
    await context.close();
  },

  async 'examples'() {
    const examples = readdirSync(examplesFolder).filter(f => f.endsWith('.md')).map(f => readExample(join(examplesFolder, f)));
    check('there are twelve', examples.length === 12, examples.length);
    for (const example of examples) {
      const page = await Page.open(`example=${example.name}`);
      await until(() => page.text('#run'), text => example.shows.filter(s => s.startsWith('run ')).every(s => shows(text, s.slice(4))), 5);
      for (const line of example.shows) {
        const [, view, rest] = /^(run|why) (.*)$/.exec(line) ?? [];
        if (view === 'run') check(`${example.name} shows ${rest}`, shows(await page.text('#run'), rest), await page.text('#run'));
        else {
          const [, form, wanted] = /^(\S+?\(.*?\)) (.*)$/.exec(rest);
          await page.explain(form);
          const proof = await until(() => page.text('#proof'), text => text.includes(wanted), 5);
          check(`${example.name}, ${form} shows ${wanted}`, proof.includes(wanted), proof);
        }
      }
      await page.click('#tab-run');
      check(`${example.name} has no findings`, await page.text('#findings') === 'No findings', await page.text('#findings'));
      const into = join(saved, example.name);
      mkdirSync(into, { recursive: true });
      for (const button of ['#save-document', '#save-answers', '#save-test']) await page.download(button, into);
      const there = await until(() => readdirSync(into).filter(f => !f.endsWith('.crdownload')).length, n => n >= 3, 5);
      check(`${example.name} is saved`, there === 3, readdirSync(into));
      check(`${example.name}: its document is saved as it is`, existsSync(join(into, `${example.name}.md`)) && readFileSync(join(into, `${example.name}.md`), 'utf8') === example.text);
      await page.click('#copy-command');
      writeFileSync(join(into, 'command'), await until(() => page.clipboard(), text => text.startsWith('rpl run')));
      writeFileSync(join(into, 'status'), `${await page.text('#badge')}\n`);
      await page.close();
    }
    const page = await Page.open();
    await page.tab.select('#example', 'recipe');
    check('the menu opens an example', /oat milk/.test(await until(() => page.text('#run'), text => text.includes('oat milk'))));
    await page.tab.goBack();
    check('and back is back', /Send 40 euros/.test(await until(() => page.text('#run'), text => text.includes('40 euros'))));
    await page.close();
  },

  async 'first answer'() {
    const times = [];
    // Other work of the machine makes some of them slower.
    while (times.length < 3 || (times.length < 8 && Math.min(...times) > 1500)) {
      const context = await browser.createBrowserContext();
      const tab = await context.newPage();
      const session = await tab.createCDPSession();
      await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await tab.evaluateOnNewDocument(() => {
        new MutationObserver((_, observer) => {
          if (!document.querySelector('#do-now')) return;
          observer.disconnect();
          requestAnimationFrame(() => requestAnimationFrame(() => { globalThis.first = performance.now(); }));
        }).observe(document, { childList: true, subtree: true });
      });
      await tab.goto(server.url);
      await tab.waitForFunction(() => globalThis.first, { timeout: 30000 });
      times.push(Math.round(await tab.evaluate(() => globalThis.first)));
      await context.close();
    }
    console.log(`first answer at a quarter of the speed: ${times.join(', ')} ms`);
    check('the first answer within 1.5 s', Math.min(...times) <= 1500, times);
  },
};

/** A text, or the cells of a row as JSON. */
function shows(text, wanted) {
  if (!wanted.startsWith('[')) return text.includes(wanted.replace(/^"(.*)"$/, '$1'));
  const cells = JSON.parse(wanted).map(String);
  return text.split('\n').some(line => {
    const there = line.split('\t').map(cell => cell.trim());
    return cells.every((cell, i) => there[i] === cell);
  });
}

const only = process.env.ONLY;
for (const [name, test] of Object.entries(tests)) {
  if (only && !name.includes(only)) continue;
  const before = failed;
  try {
    await test();
  } catch (error) {
    check(name, false, error.stack);
  }
  if (failed > before) console.log(`  in: ${name}`);
}
check('no errors on the console', troubles.length === 0, troubles);
const own = new Set(readdirSync(folder).map(f => `/${f}`).concat('/'));
check('only its own files are asked for', requests.every(path => own.has(path)), requests.filter(path => !own.has(path)));
await browser.close();
await server.close();
console.log(`${passed} passed, ${failed} failed`);
