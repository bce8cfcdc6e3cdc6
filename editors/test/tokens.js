// SPDX-License-Identifier: Apache-2.0
//
// usage: node editors/test/tokens.js MODULES
//
// The grammars colour RPL as VS Code would, with its own tokeniser, which is installed in the
// folder MODULES (./dev editors). Two things are checked: words of sample programs have the
// scopes that are written beside them, and in the RPL of this repository no word is without a
// scope. The last line is `N passed, N failed`.
const fs = require('fs');
const path = require('path');

const modules = path.resolve(process.argv[2]);
const textmate = require(path.join(modules, 'vscode-textmate'));
const oniguruma = require(path.join(modules, 'vscode-oniguruma'));
const root = path.resolve(__dirname, '..', '..');

// As much of a grammar of Markdown as what we inject into stands in.
const MARKDOWN = {
  scopeName: 'text.html.markdown',
  patterns: [{ name: 'meta.paragraph.markdown', match: '^[^#`\\s-].*$' }],
};
const FILES = {
  'source.rpl': 'rpl.tmLanguage.json',
  'markdown.rpl.codeblock': 'rpl-markdown.tmLanguage.json',
};

let passed = 0;
let failed = 0;
function check(holds, message) {
  if (holds) {
    passed += 1;
  } else {
    failed += 1;
    console.log(message);
  }
}

// [line] -> [{text, scopes}], the scopes from the outermost to the innermost.
function tokens(grammar, text) {
  let state = textmate.INITIAL;
  return text.split('\n').map((line) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    return result.tokens.map((token) => ({
      text: line.slice(token.startIndex, token.endIndex),
      scopes: token.scopes,
    }));
  });
}

// The words must occur in this order, each as one token whose innermost scope begins so.
function expectScopes(grammar, name, text, words) {
  const all = tokens(grammar, text).flat();
  let next = 0;
  for (const [word, scope] of words) {
    const found = all.findIndex((token, i) => i >= next && token.text.trim() === word);
    const got = found < 0 ? 'no such token' : all[found].scopes[all[found].scopes.length - 1];
    check(got === scope, `${name}: \`${word}\`: expected ${scope}, got ${got}`);
    if (found >= 0) next = found + 1;
  }
}

function expectCovered(grammar, name, text) {
  tokens(grammar, text).forEach((line, number) => {
    const bare = line.filter((token) => token.scopes.length < 2 && token.text.trim() !== '');
    check(
      bare.length === 0,
      `${name}: line ${number + 1}: without a scope: ${bare.map((t) => `\`${t.text}\``)}`,
    );
  });
}

function filesBelow(folder, extension) {
  return fs
    .readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name.toString()))
    .filter((name) => name.endsWith(extension))
    .sort();
}

// The fences of a page with this info string.
function fences(text, info) {
  const found = [];
  let mark = null;
  let lines = null;
  for (const line of text.split('\n')) {
    const match = /^(```+)\s*(.*)$/.exec(line);
    if (mark === null && match) {
      mark = match[1];
      lines = match[2].trim() === info ? [] : null;
    } else if (mark !== null && line.trimEnd() === mark) {
      if (lines) found.push(lines.join('\n'));
      mark = null;
    } else if (lines) {
      lines.push(line);
    }
  }
  return found;
}

const PROGRAM = `-- who may borrow
member("ada", 2.5)
busy(?who) <- on-loan(?who, _), not away(:until nil) -> ?most >= |on-loan(?who, _)|
x(?a) <- $ask("For {?who}?") ^ ~ {:result ?a}, $focus != 'a\\n' ; @when(loans.md#free(?a))
%lend(?a) <- (busy(?a), ?b = ~ /^(?P<year>\\d+)-/) ^^ ?c, |#?t| > 1
s(#{1 red}, [?f . ?s & ?rest]) <- ?f in ?s union #{true}
not-a-word(in-time) <- !%other | $stock#count(?n)
`;
const WORDS = [
  ['-- who may borrow', 'comment.line.double-dash.rpl'],
  ['member', 'entity.name.function.relation.rpl'],
  ['ada', 'string.quoted.double.rpl'],
  ['2.5', 'constant.numeric.rpl'],
  ['busy', 'entity.name.function.relation.rpl'],
  ['?who', 'variable.other.lvar.rpl'],
  ['<-', 'keyword.operator.implication.rpl'],
  ['on-loan', 'entity.name.function.relation.rpl'],
  ['_', 'variable.language.anonymous.rpl'],
  ['not', 'keyword.operator.word.rpl'],
  [':until', 'constant.other.keyword.rpl'],
  ['nil', 'constant.language.rpl'],
  ['->', 'keyword.operator.constraint.rpl'],
  ['>=', 'keyword.operator.comparison.rpl'],
  ['|', 'keyword.operator.logical.rpl'],
  ['$ask', 'support.function.tool.rpl'],
  ['?who', 'variable.other.lvar.rpl'],
  ['^', 'keyword.operator.metadata.rpl'],
  ['~', 'keyword.operator.match.rpl'],
  [':result', 'constant.other.keyword.rpl'],
  ['$focus', 'variable.other.avar.rpl'],
  ['!=', 'keyword.operator.comparison.rpl'],
  ['a', 'string.quoted.single.rpl'],
  ['\\n', 'constant.character.escape.rpl'],
  [';', 'keyword.operator.logical.rpl'],
  ['@when', 'keyword.control.abductive.rpl'],
  ['loans.md#free', 'entity.name.function.relation.rpl'],
  ['%lend', 'entity.name.function.goal.rpl'],
  ['~', 'keyword.operator.match.rpl'],
  ['/', 'punctuation.definition.string.begin.rpl'],
  ['year', 'variable.other.lvar.rpl'],
  ['\\d', 'constant.character.escape.rpl'],
  ['/', 'punctuation.definition.string.end.rpl'],
  ['^^', 'keyword.operator.metadata.rpl'],
  ['#', 'keyword.operator.expansion.rpl'],
  ['?t', 'variable.other.lvar.rpl'],
  ['#{', 'punctuation.section.set.begin.rpl'],
  ['1', 'constant.numeric.rpl'],
  ['red', 'constant.other.symbol.rpl'],
  ['&', 'keyword.operator.logical.rpl'],
  ['in', 'keyword.operator.word.rpl'],
  ['union', 'keyword.operator.word.rpl'],
  ['true', 'constant.language.rpl'],
  ['not-a-word', 'entity.name.function.relation.rpl'],
  ['in-time', 'constant.other.symbol.rpl'],
  ['!', 'keyword.operator.negation.rpl'],
  ['%other', 'entity.name.function.goal.rpl'],
  ['$stock#count', 'support.function.tool.rpl'],
];

const PAGE = `# Lending - the prose - lend(?who) <- member(?who)

Prose with ?who in it.

\`\`\`rpl
member(?who) <- not away(?who)
\`\`\`

free(?not-rpl)

\`\`\`rpl-test
NO LOG:
%lend(?a) <- member(?a)
\`\`\`

--
\`\`\`sh
member(?who)
\`\`\`
## A heading without signature - really (yes)
`;
const PAGE_WORDS = [
  ['#', 'punctuation.definition.heading.markdown'],
  ['Lending - the prose', 'entity.name.section.markdown'],
  ['-', 'punctuation.separator.signature.rpl'],
  ['lend', 'entity.name.function.relation.rpl'],
  ['<-', 'keyword.operator.implication.rpl'],
  ['Prose with ?who in it.', 'meta.paragraph.markdown'],
  ['rpl', 'fenced_code.block.language.markdown'],
  ['member', 'entity.name.function.relation.rpl'],
  ['not', 'keyword.operator.word.rpl'],
  ['free(?not-rpl)', 'meta.paragraph.markdown'],
  ['rpl-test', 'fenced_code.block.language.markdown'],
  ['NO LOG:', 'keyword.control.directive.rpl'],
  ['%lend', 'entity.name.function.goal.rpl'],
  ['--', 'keyword.control.return.rpl'],
  ['member(?who)', 'meta.paragraph.markdown'],
  ['## A heading without signature - really (yes)', 'text.html.markdown'],
];

async function main() {
  const wasm = fs.readFileSync(path.join(modules, 'vscode-oniguruma', 'release', 'onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      if (scope === MARKDOWN.scopeName) return MARKDOWN;
      const file = path.join(root, 'editors', 'vscode', 'syntaxes', FILES[scope]);
      return textmate.parseRawGrammar(fs.readFileSync(file, 'utf8'), file);
    },
    getInjections: (scope) => (scope === MARKDOWN.scopeName ? ['markdown.rpl.codeblock'] : []),
  });
  const rpl = await registry.loadGrammar('source.rpl');
  expectScopes(rpl, 'a program', PROGRAM, WORDS);
  expectCovered(rpl, 'a program', PROGRAM);
  expectScopes(await registry.loadGrammar(MARKDOWN.scopeName), 'a page', PAGE, PAGE_WORDS);

  const examples = path.join(root, 'examples');
  for (const file of filesBelow(examples, '.rpl')) {
    expectCovered(rpl, file, fs.readFileSync(file, 'utf8'));
  }
  for (const folder of [examples, path.join(root, 'docs')]) {
    for (const file of filesBelow(folder, '.md')) {
      if (/old-spelling/.test(file) && !file.endsWith('.fixed.md')) continue;  // names are wrong
      fences(fs.readFileSync(file, 'utf8'), 'rpl').forEach((text) => expectCovered(rpl, file, text));
    }
  }

  // What the manifest of the extension names is there.
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'editors', 'vscode', 'package.json'), 'utf8'));
  const version = /^project\(rpl VERSION (\S+)/m.exec(fs.readFileSync(path.join(root, 'CMakeLists.txt'), 'utf8'));
  check(version && version[1] === manifest.version, `editors/vscode/package.json: version ${manifest.version}`);
  for (const entry of [...manifest.contributes.languages, ...manifest.contributes.grammars]) {
    const file = path.join(root, 'editors', 'vscode', entry.path || entry.configuration);
    check(fs.existsSync(file), `editors/vscode/package.json: no ${file}`);
    if (!entry.scopeName) continue;
    const scope = JSON.parse(fs.readFileSync(file, 'utf8')).scopeName;
    check(scope === entry.scopeName, `${file}: expected ${entry.scopeName}, got ${scope}`);
  }
}

main()
  .catch((error) => check(false, error.stack))
  .finally(() => {
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed > 0 ? 1 : 0;
  });
