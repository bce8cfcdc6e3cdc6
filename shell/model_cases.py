#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: model_cases.py RPL FOLDER SCRIPTS [SEED]

Models behind the questions of a run, with a server in place of their providers
(shell/model_server.py): what is taken, what is asked again, budgets, replay, cassettes, and where a
key must not be found. Then SCRIPTS random series of replies, of which each run is killed and goes on
until it ends. The last line is `N passed, N failed`.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

from model_server import KEY, ModelServer

RPL = os.path.realpath(sys.argv[1])
FOLDER = pathlib.Path(sys.argv[2])
SCRIPTS = int(sys.argv[3])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
PASSED = FAILED = 0

TRIAGE = """\
# Tickets

## Triage - %triage(?severity, ?quote)

```rpl
ticket(?ticket), severity(?severity), claim(?ticket, ?quote)
```

## Severity - severity(?severity)

How severe is it? One __level__.

## Claim - claim(?ticket, ?quote)

Quote the sentence of __ticket__ that says what is broken.

## Quotation

A quotation stands in the ticket word by word.

```rpl
claim(?ticket, ?quote) -> std#contains(?ticket, ?quote)
```

```rpl
level("low")
level("high")
ticket("Hello. The export fails since Monday. Thanks.")
```
"""
QUOTE = "The export fails since Monday."


def check(name, holds, *more):
    global PASSED, FAILED
    if holds:
        PASSED += 1
        return
    FAILED += 1
    print(f"{name}: not so", *more, sep="\n")


def settings(server, name, dialect, **more):
    fields = {
        "provider": dialect,
        "url": server.url(name),
        "model": "small",
        "key": "TEST_MODEL_KEY",
        "answers": ["severity", "claim"],
        "permission": "allow",
    }
    fields.update(more)
    return json.dumps({"version": 1, "model": fields})


class Place:
    """A folder with a protocol, its settings and a session."""

    def __init__(self, name, text=TRIAGE, yaml=None):
        self.folder = FOLDER / name
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "p.md").write_text(text)
        if yaml is not None:
            (self.folder / "rpl.yaml").write_text(yaml)

    def environment(self, key=KEY):
        out = dict(os.environ, XDG_STATE_HOME=str(self.folder / "state"))
        out.pop("TEST_MODEL_KEY", None)
        if key is not None:
            out["TEST_MODEL_KEY"] = key
        return out

    def rpl(self, *words, key=KEY, text=None, timeout=60):
        return subprocess.run(
            [RPL, *words], cwd=self.folder, env=self.environment(key), input=text,
            stdin=subprocess.DEVNULL if text is None else None, capture_output=True, text=True,
            timeout=timeout, check=False)

    def run(self, *words, **more):
        return self.rpl("run", "p.md", "--session", "s", "--allow-tool", "model", *words, **more)

    def resume(self, *words, **more):
        return self.rpl("resume", "s", "--allow-tool", "model", *words, **more)

    def attempts(self):
        out = []
        for line in self.rpl("trace", "export", "s", "--format", "ndjson").stdout.splitlines():
            event = json.loads(line)
            if event.get("kind") == "attempt":
                out.append(json.loads(event["body"]))
        return out

    def facts(self):
        return self.rpl("trace", "show", "s").stdout


def both_dialects(server):
    for dialect in ("openai", "anthropic"):
        name = f"{dialect}-good"
        place = Place(name, yaml=settings(server, name, dialect))
        server.actions[name] = [
            {"status": 429, "after": 0},
            {"text": "It is severe."},
            {"value": "urgent"},
            {"value": "high"},
            {"value": "The import fails."},
            {"value": QUOTE},
        ]
        done = place.run()
        check(f"{dialect}: it is satisfied", done.returncode == 0, done.stdout, done.stderr)
        check(f"{dialect}: the answers", done.stdout.strip() ==
              json.dumps({"?severity": "high", "?quote": QUOTE}, separators=(",", ":")), done.stdout)
        gates = [a["gate"] for a in place.attempts()]
        check(f"{dialect}: the attempts",
              gates == ["schema", "question", "taken", "taken", "constraints", "taken"], gates)
        tried = place.rpl("trace", "questions", "s").stdout
        check(f"{dialect}: the questions tell the attempts",
              'tried: "urgent", question: "urgent" is not one of the options' in tried and
              "(model: small)" in tried and "Quotation: A quotation stands" in tried, tried)
        check(f"{dialect}: the calls", sum(a.get("requests", 0) for a in place.attempts()) == 6)
        check(f"{dialect}: the tokens",
              sum(a.get("tokens", 0) for a in place.attempts()) == 125, place.attempts())
        before = len(server.requests[name])
        again = place.rpl("trace", "replay", "s", key=None)
        check(f"{dialect}: it is replayed without a network", again.returncode == 0 and
              len(server.requests[name]) == before, again.stderr)
        export = place.rpl("trace", "export", "s", "--cassette").stdout
        (place.folder / "m.cassette").write_text(export)
        os.remove(place.folder / "rpl.yaml")
        taped = place.rpl("run", "p.md", "--model", "cassette:m.cassette", key=None)
        check(f"{dialect}: a cassette gives the same", taped.stdout == done.stdout,
              taped.stdout, taped.stderr)
        (place.folder / "p.md").write_text(TRIAGE.replace("How severe", "How bad"))
        missed = place.rpl("run", "p.md", "--model", "cassette:m.cassette", key=None)
        check(f"{dialect}: a miss names the difference", missed.returncode == 3 and
              "the nearest is for `severity(?severity)`" in missed.stderr and
              "How bad" in missed.stderr, missed.stderr)
        page = place.rpl("trace", "html", "s").stdout
        check(f"{dialect}: the page tells the attempts", "not taken" in page and
              "by the model small" in page)


def failures(server):
    for name, actions, code, said in (
            ("down", [{"status": 500, "after": 0}] * 6, 3, "no reply: status 500"),
            ("wrong-key", [{"status": 401}], 3, "its server says status 401; is TEST_MODEL_KEY its"),
            ("bad", [{"status": 400}], 3, "its server says status 400: as told, with …"),
            ("refuses", [{"refusal": "I must not."}], 3, "the model refuses"),
            ("drops", [{"drop": True}] * 6, 3, "no reply:"),
    ):
        place = Place(name, yaml=settings(server, name, "openai"))
        server.actions[name] = list(actions)
        done = place.run()
        check(f"{name}: the question stays open", done.returncode == code, done.stdout, done.stderr)
        check(f"{name}: the reason is told", said in done.stderr, done.stderr)
        check(f"{name}: no fact", '"high"' not in place.facts() and "severity(" not in
              "".join(l for l in place.facts().splitlines() if "reply" in l))
    place = Place("no-key", yaml=settings(server, "no-key", "openai"))
    done = place.run(key=None)
    check("no key: it is open, and the variable is named", done.returncode == 3 and
          "the variable TEST_MODEL_KEY is not set" in done.stderr, done.stderr)
    place = Place("not-approved", yaml=settings(server, "not-approved", "openai"))
    done = place.rpl("run", "p.md")
    check("not approved: nobody is asked", done.returncode == 3 and
          "not-approved" not in server.requests and "not approved" in done.stderr, done.stderr)
    place = Place("budget", yaml=settings(server, "budget", "openai", attempts=9,
                                          budget={"calls": 3}))
    server.otherwise = lambda name, text: {"value": "urgent"}
    done = place.run()
    check("a budget: status limit", done.returncode == 5 and "3 calls of the model" in done.stderr,
          done.returncode, done.stderr)
    done = place.resume()
    check("a budget holds when it goes on", done.returncode == 5 and
          len(server.requests["budget"]) == 3, done.stderr)
    done = place.resume("--answer", "severity=low", "--answer", "quote=" + QUOTE)
    check("a person answers what is left", done.returncode == 0, done.stdout, done.stderr)
    place = Place("huge", yaml=settings(server, "huge", "openai", maxOutputBytes=2000, attempts=1,
                                        answers=["severity"]))
    server.actions["huge"] = [{"bytes": 100_000}]
    done = place.run()
    check("a huge reply is no answer", done.returncode == 3 and
          [a["gate"] for a in place.attempts()] == ["schema"], done.stderr, place.attempts())


def persons(server):
    text = TRIAGE.replace(
        "severity(?severity), claim", "severity(?severity) ^ ~ {:by :person}, claim")
    place = Place("persons", text, settings(server, "persons", "openai"))
    server.actions["persons"] = [{"value": QUOTE}]
    done = place.run("--answer", "x=1")
    check("a person's question is a person's", done.returncode == 3 and
          not any("How severe" in asked for asked in server.requests.get("persons", [])),
          done.stdout, done.stderr, server.requests.get("persons"))


def digests(server):
    place = Place("digests", yaml=settings(server, "digests", "openai", record="digest"))
    server.actions["digests"] = [{"value": "high"}, {"value": QUOTE}]
    done = place.run()
    check("digests: satisfied", done.returncode == 0, done.stderr)
    check("digests: no prompt is kept",
          all("prompt" not in a and "reply" not in a and a["digest"] for a in place.attempts()))
    out = place.rpl("trace", "export", "s", "--cassette")
    check("digests: no cassette", out.stdout == "" and "digests alone" in out.stderr, out.stderr)


def commands():
    place = Place("command", yaml=json.dumps({"version": 1, "model": {
        "provider": "command", "command": ["./ask"], "answers": ["severity", "claim"],
        "permission": "allow"}}))
    ask = place.folder / "ask"
    ask.write_text(f"""#!/usr/bin/env python3
import json, os, sys
request = json.loads(sys.stdin.readline())
assert "TEST_MODEL_KEY" not in os.environ
value = "high" if request["question"] == "severity" else {QUOTE!r}
if request["attempt"] == 1:
    value = "urgent"
print(json.dumps({{"id": request["id"], "result": value}}))
""")
    ask.chmod(0o755)
    done = place.run()
    check("a command answers", done.returncode == 0, done.stdout, done.stderr)
    done = place.rpl("drive", "--allow-tool", "model",
                     text='{"do": "open", "id": 1, "run": "a", "files": ["p.md"]}\n'
                          '{"do": "run", "id": 2, "run": "a"}\n')
    check("drive: the same scope", '"satisfied"' in done.stdout, done.stdout, done.stderr)


    messages = [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call",
         "params": {"name": "rpl_run", "arguments": {"protocol": "p.md"}}},
    ]
    host = subprocess.Popen(
        [RPL, "mcp", "p.md", "--allow-tool", "model", "--sessions", "runs"], cwd=place.folder,
        env=place.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)
    for message in messages:
        host.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    host.stdin.flush()
    line = ""
    while '"id":2' not in line:
        line = host.stdout.readline()
        if not line:
            break
    host.stdin.close()
    host.wait()
    check("mcp: the same scope", '"status":"satisfied"' in line, line[:600])


def scope(server):
    place = Place("scope", yaml=settings(server, "scope", "openai", answers=["claim", "index", "clam"]))
    said = place.rpl("check", "p.md").stderr
    check("a key that no question has is named, and `index` is one", "`clam`" in said
          and "`index`" not in said and "names `claim`" not in said, said)


def secrets(server):
    """No file below the folder of this test has the key."""
    found = [str(path) for path in FOLDER.rglob("*")
             if path.is_file() and KEY.encode() in path.read_bytes()]
    check("no file has the key", not found, *found)
    place = Place("slow", yaml=settings(server, "slow", "openai"))
    server.actions["slow"] = [{"slow": 5, "value": "high"}]
    process = subprocess.Popen(
        ["sh", "-c", f'ulimit -c unlimited; exec "{RPL}" run p.md --allow-tool model'],
        cwd=place.folder, env=place.environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(100):
        if "slow" in server.requests:
            break
        time.sleep(0.05)
    process.send_signal(6)
    _, status = os.waitpid(process.pid, 0)
    check("a process with a key makes no core file", not os.WCOREDUMP(status), status)
    output = process.stdout.read() + process.stderr.read()
    check("its output has no key", KEY.encode() not in output)
    cores = [p for p in place.folder.iterdir() if p.name.startswith("core")]
    check("there is no core file", not cores, *cores)


BAD = [
    {"text": "The answer is high."},           # prose
    {"value": "urgent"},                        # no option
    {"value": 7},                               # another type
    {"text": '{"answer": "high"}'},             # another object
    {"cut": '{"value": "hi'},                   # cut off
    {"value": "The import fails.", "usage": False},  # an invented quotation
    {"refusal": "I must not."},
    {"html": True},
]


def random_scripts(server):
    """Series of replies, with a run that is killed at random times and goes on until it ends."""
    chance = random.Random(SEED)

    def good(name, text):
        return {"value": QUOTE if "Quote the sentence" in text else "high"}

    server.otherwise = good
    bad = {"facts": 0, "budget": 0, "lost": 0, "end": 0}
    kills = 0
    for number in range(SCRIPTS):
        name = f"random-{number}"
        dialect = chance.choice(["openai", "anthropic"])
        attempts, calls = chance.randint(1, 4), chance.randint(2, 10)
        place = Place(name, yaml=settings(server, name, dialect, attempts=attempts,
                                          budget={"calls": calls},
                                          record=chance.choice(["full", "digest"])))
        script = [chance.choice(BAD) for _ in range(chance.randint(0, 6))]
        for _ in range(chance.randint(0, 2)):
            script.insert(chance.randint(0, len(script)),
                          chance.choice([{"status": 429, "after": 0}, {"status": 503, "after": 0},
                                         {"drop": True}]))
        server.actions[name] = list(script)
        seen = 0
        code = None
        for turn in range(4):
            process = subprocess.Popen([RPL, "run", "p.md", "--session", "s", "--allow-tool",
                                        "model"], cwd=place.folder,
                                       env=place.environment(), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if turn < 3 and chance.random() < 0.5:
                try:
                    process.wait(chance.random() * 0.25)
                except subprocess.TimeoutExpired:
                    process.kill()
                    kills += 1
            process.communicate()
            code = process.returncode
            attempted = place.attempts() if (place.folder / "s").exists() else []
            if len(attempted) < seen:
                bad["lost"] += 1
                print(f"{name}: attempts are lost", script)
            seen = len(attempted)
            if code in (0, 1, 3, 5):
                break
        if code not in (0, 1, 3, 5):
            bad["end"] += 1
            print(f"{name}: ended with {code}", script)
        recorded = place.attempts()
        spent = sum(a.get("requests", 0) for a in recorded)
        if spent > calls:
            bad["budget"] += 1
            print(f"{name}: {spent} of {calls} calls", script)
        for call in {a["call"] for a in recorded}:
            counted = [a for a in recorded if a["call"] == call and
                       a["gate"] in ("taken", "schema", "question", "refusal")]
            if len(counted) > attempts:
                bad["budget"] += 1
                print(f"{name}: {len(counted)} of {attempts} attempts of {call}", script)
        facts = place.facts()
        allowed = {a["value"] for a in recorded if a["gate"] == "taken"}
        replies = re.findall(r"^\S+ reply .*?\^\^ \{.*?(\"(?:[^\"\\]|\\.)*\")\}", facts, re.M)
        if code == 0 and len(replies) < 2:
            bad["facts"] += 1
            print(f"{name}: satisfied with {len(replies)} replies")
        for value in replies:
            if value not in allowed:
                bad["facts"] += 1
                print(f"{name}: the fact {value} is of no attempt that was taken", script)
        if code == 0 and ("The import fails." in facts.splitlines()[-1]):
            bad["facts"] += 1
        for path in place.folder.rglob("*"):
            if path.is_file() and KEY.encode() in path.read_bytes():
                bad["facts"] += 1
                print(f"{name}: {path} has the key")
    for what, count in bad.items():
        check(f"random scripts: {what}", count == 0, count)
    print(f"{SCRIPTS} random scripts, {kills} kills", file=sys.stderr)


def main():
    server = ModelServer()
    both_dialects(server)
    failures(server)
    persons(server)
    digests(server)
    commands()
    scope(server)
    secrets(server)
    random_scripts(server)
    check("each request is one that a provider takes", not server.faults, *server.faults[:5])
    server.close()
    print(f"{PASSED} passed, {FAILED} failed")
    return FAILED != 0


if __name__ == "__main__":
    sys.exit(main())
