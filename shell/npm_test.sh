#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/npm_test.sh FOLDER [TYPESCRIPT]
#
# The packages of npm in FOLDER (packaging/release.sh), installed in empty folders: with the native
# program; without it, by WebAssembly, beside the native program; as a module of both, with its types
# if TYPESCRIPT, the folder of that module, is named. The last line is `N passed, N failed`.
set -uo pipefail
release=$(realpath "${1:?usage: npm_test.sh FOLDER [TYPESCRIPT]}")
typescript=${2:+$(realpath "$2")}
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/expect.sh
project=$PWD
version=$(sed -n 's/^project(rpl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
unset RPL
export npm_config_audit=false npm_config_fund=false npm_config_loglevel=error npm_config_update_notifier=false
launcher=$release/rpl-engine-$version.tgz
system=$release/rpl-engine-linux-x64-$version.tgz
mkdir "$folder/native" "$folder/wasm" "$folder/npx" && cd "$folder" || exit 1
native=$folder/native/node_modules/.bin/rpl
wasm=$folder/wasm/node_modules/.bin/rpl

for file in "$release"/*.tgz; do
  if (($(stat -c %s "$file") < 12000000)); then pass; else failure "$file has 12 MB or more"; fi
  same "${file##*/}: npm runs nothing at install" null \
    "$(tar -xzOf "$file" package/package.json | python3 -c 'import json, sys
print(json.dumps(json.load(sys.stdin).get("scripts")))')"
done
check "npm installs both" bash -c "cd native && npm init -y >/dev/null && npm install '$launcher' '$system'"
check "npm installs the launcher alone" \
  bash -c "cd wasm && npm init -y >/dev/null && npm install --omit=optional '$launcher'"

# --- With the native program ------------------------------------------------------------------

expect "the version" 0 "rpl $version" '' "$native" --version
expect "an exit code goes through" 3 '' 'waiting for an answer' \
  "$native" run "$project/examples/packing-list.md" </dev/null
expect "the pages are inside" 0 '*' '' "$native" help tutorial
expect "a finding is inside" 0 '*' '' "$native" help RPL2005
check "shfmt lies beside it" test -x native/node_modules/@rpl-engine/linux-x64/bin/shfmt
expect "npx runs it from a file" 0 "rpl $version" '' \
  bash -c "cd npx && cp '$launcher' . && npx --yes './${launcher##*/}' --version"
ended() {
  "$native" mcp "$project/examples/mcp" < <(sleep 20) >/dev/null 2>&1 &
  local pid=$!
  sleep 1
  kill -TERM "$pid"
  wait "$pid"
  [[ -z $(pgrep -f "$folder/native/.*/rpl mcp") ]]
}
check "a signal ends the program with its launcher" ended

# --- By WebAssembly, beside it ------------------------------------------------------------------

# alike NAME ARGUMENT…: both print the same, end with the same code, and say the same until the end.
alike() {
  local name=$1 program
  shift
  cat >input
  for program in native wasm; do
    (cd "$project" && "${!program}" "$@") <input >"$program.out" 2>"$program.err"
    printf 'exit %s\n' "$?" >>"$program.out"
    # How a goal was satisfied is told by the native program alone.
    sed -i 's/^satisfied: .*/satisfied/' "$program.err"
  done
  same "$name: standard output" "$(cat native.out)" "$(cat wasm.out)"
  same "$name: standard error" "$(cat native.err)" "$(cat wasm.err)"
}
cat >bad.md <<'END'
# Trip - place(?to) -> %trip(?to)

```rpl
b(X) <- a(X,Y)
b(?x) <- a(?x)
a(1)
c("café", ?y) <- d(?y)
```
END
cat >code.md <<'END'
# Code - %code(?code, ?n) <- code(?code), n(?n), ?n > 1

Use __code__.

# The code - code(?code)

Which code?

# The number - n(?n)

How many?
END
for example in collaborative-editing incident-triage greenhouse-irrigation packing-list street-workshop museum-loan; do
  alike "$example" run "examples/$example.md" <"$project/examples/$example.md.answers"
  alike "$example, without answers" run "examples/$example.md" </dev/null
  alike "$example, checked" check "examples/$example.md" --format json </dev/null
  alike "$example, formatted" fmt "examples/$example.md" </dev/null
done
alike "rules alone" run examples/reachability.rpl </dev/null
alike "answers on the command line" run "$folder/code.md" --answer code=007 --answer n=7 </dev/null
alike "numbers and codes" run "$folder/code.md" --prose <<<$'007\n7'
alike "JSON" run "$folder/code.md" --answer code=007 --answer n=7 --format json </dev/null
alike "an answer that does not fit" run examples/packing-list.md --answer choose=hail </dev/null
alike "findings" check "$folder/bad.md" </dev/null
alike "findings as JSON" check "$folder/bad.md" --format json --strict </dev/null
alike "what can be mended" check examples/old-spelling/old-style-aid-stations.md </dev/null
alike "errors stop a run" run "$folder/bad.md" </dev/null
alike "no such file" check none.md </dev/null
alike "a folder" check examples/bind </dev/null
alike "a query" query -f examples/packing-list.md 'extra("sun", ?what, ?number)' </dev/null
alike "one without variables" query -f examples/packing-list.md 'extra("sun", "hat", 1)' </dev/null
alike "one without answers" query -f examples/packing-list.md 'extra("fog", ?what, _)' </dev/null
alike "a goal form as JSON" query '%(?x, ?y) <- ?x = 6 * 7, ?y = "a"' --format json </dev/null
alike "a proof" explain -f examples/packing-list.md 'extra("sun", ?what, 1)' </dev/null
alike "a proof of a run" explain -f "$folder/code.md" '%code(?c, ?n)' --answer code=a --answer n=2 </dev/null
alike "layout" fmt --check "$folder/bad.md" </dev/null
expect "the version without it" 0 "rpl $version" '' "$wasm" --version
expect "another command" 2 '' \
  'rpl: `rpl mcp` needs the native program, which is not installed: npm install @rpl-engine/linux-x64' "$wasm" mcp .
expect "a page" 2 '' '`rpl help` needs the native program' "$wasm" help RPL2005
expect "another option" 2 '' '`rpl run --session` needs the native program' "$wasm" run code.md --session a.rpls
expect "another system" 2 '' 'there is none for sunos-x64' node --input-type=module -e "
Object.defineProperty(process, 'platform', {value: 'sunos'});
const { main } = await import('$folder/wasm/node_modules/rpl-engine/portable.mjs');
process.exitCode = await main(['test', 'a.md']);"

# --- As a module --------------------------------------------------------------------------------

cat >module.mjs <<END
import { protocol, CheckError, Refused } from "rpl-engine";
const desk = await protocol("$project/examples/drive/refund.md");
let paid = 0;
desk.tool("pay", ([order]) => { paid += 1; return "P" + paid; });
const run = desk.run({ now: "2026-01-02T00:00:00Z" });
for await (const question of run) {
  const by = { by: "person" };
  if (question.key === "order") await question.reply("A-17", by);
  else if (question.key === "euros") {
    try { await question.reply("many", by); } catch (error) { console.log(error instanceof Refused); }
    await question.reply(120, by);
  } else await question.reply("yes", by);
}
console.log(paid, run.outcome.status, JSON.stringify(run.outcome.answers), run.outcome.now);
console.log((await run.why("%refund(?order, ?euros, ?number)")).holds, (await run.trace()).length > 0);
await run.close();
try { await protocol("$folder/bad.md"); } catch (error) { console.log(error instanceof CheckError, error.findings.length); }
END
for way in native wasm; do
  cp module.mjs "$way"
  (cd "$way" && node module.mjs) >"$way.out" 2>&1
done
same "a module over both" "$(cat native.out)" "$(cat wasm.out)"
same "its last line" "true 2" "$(tail -n 1 wasm.out)"
expect "no session without it" 1 '' 'a session in a file needs the native program' bash -c "cd wasm && node --input-type=module -e '
import { protocol } from \"rpl-engine\";
const run = (await protocol(\"$folder/code.md\")).run({ session: \"a.rpls\" });
await run.turn();'"
if [[ -n $typescript ]]; then
  cat >native/types.mts <<'END'
import { protocol, type Outcome, type Question } from "rpl-engine";

const desk = await protocol("code.md", { policy: "policy.json" });
desk.tool("pay", async ([order]) => `P${String(order)}`);
const run = desk.run({ session: "a.rpls" });
for await (const question of run) await answer(question);
const outcome: Outcome = run.outcome;
if (outcome.status === "satisfied") outcome.answers satisfies { [name: string]: unknown }[];
else if (outcome.status === "violated") outcome.text satisfies string;
// @ts-expect-error: there is no such status
else if (outcome.status === "decided") outcome.raw;

async function answer(question: Question): Promise<void> {
  if (question.person) await question.reply("yes", { by: "person" });
  else await question.decline();
}
END
  check "the types" bash -c "cd native && node '$typescript/bin/tsc' --strict --noEmit --target es2022 \
    --module nodenext --moduleResolution nodenext types.mts"
fi
finish
