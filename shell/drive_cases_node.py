# SPDX-License-Identifier: Apache-2.0
"""usage: drive_cases.py RPL FOLDER [KILLS]

Drives runs by lines of JSON (docs/drive.md), and by the module of packaging/python; kills
examples/drive/refund.py, and, where node is, refund.mjs, KILLS times each (default 20) in all, and
counts the payments. The last line is `N passed, N failed`.
"""
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

RPL, FOLDER = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packaging" / "python"))
os.environ["RPL"] = RPL
import rpl  # noqa: E402

passed = failed = 0


def check(name, got, wanted):
    global passed, failed
    if got == wanted:
        passed += 1
        return
    failed += 1
    print(f"{name}:\n  expected {wanted!r}\n  got      {got!r}")


def holds(name, what):
    check(name, bool(what), True)


# --- Lines ------------------------------------------------------------------------------------


def drive(*lines, options=()):
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    done = subprocess.run([RPL, "drive", *options], input=text, capture_output=True, text=True,
                          timeout=60, check=False)
    check("drive ends well", done.returncode, 0)
    return [json.loads(line) for line in done.stdout.splitlines()]


def document(text, name="a.md", **more):
    return {"do": "open", "run": "a", "documents": [{"name": name, "text": text}], **more}


TRIP = "# Place - place(?where)\n\nWhere?\n\n# Trip - %trip(?where) <- place(?where)\n\nGo to __where__.\n"


def lines():
    got = drive("", "{", "[]", {"id": 7}, {"id": "x", "do": "run", "run": "none"}, {"do": "open"})
    check("what is no request is told", ["error" in one for one in got], [True] * 6)
    check("ids come back", [one.get("id") for one in got[3:5]], [7, "x"])
    got = drive(document("a(1", "a.rpl"), {"do": "run", "run": "a"})
    check("errors keep a run shut", [got[0]["findings"][0]["severity"], "error" in got[1]],
          ["error", True])
    got = drive(document(TRIP), document(TRIP), {"do": "run", "run": "a"},
                {"do": "close", "run": "a"}, {"do": "run", "run": "a"})
    check("a run is opened once", ["error" in one for one in got],
          [False, True, False, False, True])
    got = drive(document(TRIP), {"do": "run", "run": "a", "answers": {"where": "Ulm"}},
                {"do": "explain", "run": "a", "form": 'place("Bonn")'},
                {"do": "trace", "run": "a"}, {"do": "export", "run": "a"})
    check("it is satisfied", [got[1]["status"], got[1]["answers"]],
          ["satisfied", [{"?where": "Ulm"}]])
    check("an absent fact does not hold", got[2]["holds"], False)
    holds("the trace has entries", got[3]["entries"])
    holds("the export is a program", "Ulm" in got[4]["text"])
    person = "# OK - ok(?v) <- $choose(\"OK?\", [\"yes\" \"no\"]) ^ ~ {:result ?v, :by :person}\n" \
             "# All - %all <- ok(\"yes\")\n"
    got = drive(document(person), {"do": "run", "run": "a", "answers": {"choose": "yes"}, "by": "model"},
                {"do": "run", "run": "a", "answers": {"choose": "yes"}, "by": "person"})
    check("a model is no person", [got[1]["status"], got[1]["questions"][0]["person"],
                                   "person" in got[1]["unused"][0]["why"]],
          ["waiting", True, True])
    check("a person is one", got[2]["status"], "satisfied")
    asked = "# OK - ok(?v)\n\n# A person - ok(?v) -> ok(?v) ^ ~ {:by :person}\n\n# All - %all <- ok(1)\n"
    got = drive(document(asked), {"do": "ask", "run": "a", "query": "ok(1)\n%(?v) <- ok(?v)"},
                {"do": "ask", "run": "a", "query": "ok(?v) <- ok(?w)\n% <- ok(?v)", "by": "model"},
                {"do": "run", "run": "a"})
    check("a query states nothing in the program's name",
          ["error" in got[1], "error" in got[2], got[3]["status"]], [True, True, "waiting"])
    loop = "n(0)\nn(?x) <- n(?y), ?x = ?y + 1\n%all <- n(-1)\n"
    got = drive(document(loop, "a.rpl", seconds=0.3), {"do": "run", "run": "a"})
    check("a limit names itself", got[1]["status"], "limit")
    check("a misspelt action is told first", drive({"do": "opne", "run": "a"})[0]["error"],
          "expected `open`, `run`, `ask`, `explain`, `trace`, `export`, `close`, `check` or "
          "`cancel` as `do`, not `opne`")
    policy = {"policy": {"name": "p", "mode": "enforce", "combine": "most_severe_wins"}, "rules": [
        {"priority": 1, "enabled": True, "name": "no-large",
         "selector": {"phase": "tool.before", "tool": {"tagsAny": ["finance"]}},
         "condition": {"kind": "toolArg", "type": "number", "op": "gt", "path": "euros", "value": 5},
         "effect": {"type": "block", "reason": "too much"}}]}
    pay = "# Pay - $pay(?euros)\n\n# Paid - %all <- $pay(9)\n"
    (FOLDER / "policy.json").write_text(json.dumps(policy), encoding="utf-8")
    for tools, status in ((["pay"], "waiting"),
                          ([{"name": "pay", "tags": ["finance"], "params": ["euros"]}], "failed")):
        got = drive(document(pay, tools=tools), {"do": "run", "run": "a"},
                    options=("--policy", str(FOLDER / "policy.json"), "--store", str(FOLDER / "store.db")))
        check(f"a policy sees tags: {tools}", got[1]["status"], status)
    check("files that are not there", "error" in drive(
        {"do": "open", "run": "a", "files": ["/no/such.md"]})[0], True)


def cancel():
    loop = "".join(f"n({i})\n" for i in range(400)) + \
        "%all <- n(?a), n(?b), n(?c), n(?d), ?a + ?b + ?c + ?d < 0\n"
    process = subprocess.Popen([RPL, "drive"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)
    def send(body):
        process.stdin.write(json.dumps(body) + "\n")
        process.stdin.flush()
    send({"id": 1, **document(loop, "a.rpl")})
    process.stdout.readline()
    send({"id": 2, "do": "run", "run": "a"})
    send({"id": 3, "do": "trace", "run": "a"})
    send({"do": "cancel", "request": 3})
    time.sleep(0.3)
    send({"do": "cancel", "request": 2})
    check("a request is cancelled", json.loads(process.stdout.readline())["status"], "interrupted")
    holds("one that waits, too", "error" in json.loads(process.stdout.readline()))
    process.stdin.close()
    check("and the end of the input is the end", process.wait(20), 0)


# --- The module of Python -----------------------------------------------------------------------


async def module():
    trip = FOLDER / "trip.md"
    trip.write_text(TRIP)
    wrong = FOLDER / "wrong.rpl"
    wrong.write_text("p(1\n")
    try:
        rpl.Protocol(wrong)
        holds("a document with errors is refused", False)
    except rpl.CheckError as error:
        check("it is refused with its findings", error.findings[0].line, 1)
    async with rpl.Protocol(trip).run() as run:
        async for question in run:
            check("the question", question.prompt, "Where?")
            await question.reply("Ulm")
        match run.outcome:
            case rpl.Satisfied(answers=[{"where": "Ulm"}], now="Go to Ulm."):
                check("the outcome matches", True, True)
            case other:
                check("the outcome", other, None)
        check("a query", await run.ask("%(?x) <- place(?x)"), [{"x": "Ulm"}])
        holds("why", "place" in str(await run.why('place("Ulm")')))
        holds("why not", not (await run.why('place("Bonn")')).holds)
    counted = FOLDER / "count.md"
    counted.write_text("# Number - number(?n)\n\nHow many?\n\n# Big - %big(?n) <- number(?n), ?n > 3\n\n"
                       "# Sent - %sent <- $send(1, \"a\")\n")
    protocol = rpl.Protocol(counted)
    calls = []

    @protocol.tool("send")
    async def send(number, text):
        calls.append((number, text))
        if len(calls) == 1:
            raise ValueError("no line")

    async with protocol.run(goal="big") as run:
        async for question in run:
            try:
                await question.reply("many")
                holds("a text is no number", False)
            except rpl.Refused as error:
                check("an answer is refused", error.key, question.id)
            await question.reply(5)
        check("big", run.outcome.status, "satisfied")
    async with protocol.run(goal="sent") as run:
        async for _ in run:
            pass
        check("the tool was called", calls, [(1, "a")])
        check("and failed", run.outcome.status, "tool-failed")


# --- Kills --------------------------------------------------------------------------------------


def kills(name, command, environment):
    paid = rounds = killed = 0
    random.seed(7)
    while killed < KILLS:
        session = FOLDER / f"{name}-{rounds}.rpls"
        rounds += 1
        for words in ([], ["yes"]):
            while True:
                process = subprocess.Popen([*command, str(session), *words], env=environment,
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           start_new_session=True)
                try:
                    process.wait(random.uniform(0.05, 0.6) if killed < KILLS else 60)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    killed += 1
                    continue
                code = process.returncode
                break
            wanted = 0 if words else 3
            if code not in (wanted, 0):
                check(f"{name} {rounds}: {process.stderr.read().decode()}", code, wanted)
                return
        payments = Path(str(session) + ".paid").read_text().splitlines()
        paid += len(payments)
        if payments != ["A-17"]:
            check(f"{name} {rounds}: the payments", payments, ["A-17"])
    check(f"{name}: every refund is paid once", paid, rounds)
    print(f"{name}: {killed} kills, {rounds} refunds, {paid} payments")


def main():
    lines()
    cancel()
    asyncio.run(module())
    python = dict(os.environ, PYTHONPATH=str(ROOT / "packaging" / "python"))
    pass
    if shutil.which("node"):
        modules = FOLDER / "node_modules" / "rpl-engine"
        shutil.copytree(ROOT / "packaging" / "npm", modules)
        package = modules / "package.json"
        package.write_text(package.read_text().replace("@VERSION@", "0.0.0"))
        for file in ("refund.mjs", "refund.md"):
            shutil.copy(ROOT / "examples/drive" / file, FOLDER)
        kills("node", ["node", str(FOLDER / "refund.mjs")], dict(os.environ))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
