# SPDX-License-Identifier: Apache-2.0
"""usage: wasm_cases.py RPL WASM [PROGRAMS [SEED]]

Random programs (500) beside the native program: the module of WebAssembly in the folder WASM gives
the same bytes for findings, answers, explanations and traces. The last line is
`N passed, N failed`.
"""
import json
import random
import subprocess
import sys
from pathlib import Path

RPL, WASM = sys.argv[1:3]
PROGRAMS = int(sys.argv[3]) if len(sys.argv) > 3 else 500
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
HERE = Path(__file__).resolve().parent


def value(r):
    return r.choice([
        lambda: str(r.randint(-3, 9)), lambda: str(r.randint(-10**30, 10**30)),
        lambda: repr(r.uniform(-5, 5)), lambda: f"{r.randint(1, 9)}e{r.randint(-30, 30)}",
        lambda: json.dumps(r.choice(["", "a", "ä", "x y", "\u00e9\u0301", "7", "2026-01-02"])),
        lambda: r.choice([":k", "true", "nil", "word"]),
        lambda: "[" + " ".join(str(r.randint(0, 3)) for _ in range(r.randint(0, 3))) + "]",
        lambda: "#{" + " ".join(str(r.randint(0, 3)) for _ in range(r.randint(1, 3))) + "}"])()


def program(r):
    """Facts of mixed values, joins, recursion, negation, aggregates, arithmetic and texts."""
    lines = [f"p({value(r)}, {value(r)})" for _ in range(r.randint(2, 8))]
    lines += [f"e({r.randint(0, 6)}, {r.randint(0, 6)})" for _ in range(r.randint(2, 12))]
    lines += ["t(?x, ?y) <- e(?x, ?y)", "t(?x, ?z) <- t(?x, ?y), e(?y, ?z)"]
    lines += r.sample([
        "q(?x) <- p(?x, _), not e(?x, _)", "q(?y) <- p(_, ?y), ?y = ?y",
        "q(?s) <- e(?x, ?y), ?s = ?x * 1000000007 + ?y / 3",
        "q(?s) <- e(?x, ?y), ?y > 0, ?s = ?x / ?y", "c(?x, ?n) <- e(?x, _), ?n = |e(?x, _)|",
        "c(?x, [& ?y]) <- t(?x, ?y)", "w(?t) <- p(?x, _), ?t = \"<{?x}>\"",
        "w(?t) <- p(_, ~ \"{?t} y\")", "big(?x) <- e(?x, _), not t(?x, ?x)",
        "e(?x, ?x) -> ?x < 5", "q([?a ?b]) <- p(?a, ?b)"], r.randint(3, 8))
    return "\n".join(lines) + "\n"


def requests():
    for number in range(PROGRAMS):
        r = random.Random(SEED * 1_000_003 + number)
        run = {"run": str(number)}
        yield {"do": "open", **run, "now": "2026-01-02T00:00:00Z",
               "documents": [{"name": "a.rpl", "text": program(r)}]}
        for query in ("%(?x) <- q(?x)", "%(?x ?y) <- c(?x, ?y)", "%(?x) <- w(?x)",
                      "%(?x) <- big(?x)", "%(?x ?y) <- p(?x, ?y)", "%(?y) <- t(1, ?y)"):
            yield {"do": "ask", **run, "query": query}
        yield {"do": "explain", **run, "form": "t(1, ?y)"}
        yield {"do": "explain", **run, "form": "t(7, 8)"}
        yield {"do": "trace", **run}
        yield {"do": "close", **run}


def results(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


# What both say: a refused run has its findings, and no more.
def same(request, one, other):
    if request["do"] == "open":
        return one["findings"] == other["findings"] and ("error" in one) == ("refused" in other)
    if "error" in one and "error" in other:
        return True
    one.pop("id", None)
    return json.dumps(one) == json.dumps(other)


def main():
    asked = list(requests())
    text = "".join(json.dumps(request) + "\n" for request in asked)
    native = results([RPL, "drive"], text)
    native = [one for request, one in zip(asked, native) if request["do"] != "close"]
    module = results(["node", str(HERE / "wasm_drive.mjs"), WASM], text)
    told = [request for request in asked if request["do"] != "close"]
    failed = abs(len(native) - len(module))
    for request, one, other in zip(told, native, module):
        if not same(request, one, other):
            failed += 1
            if failed <= 3:
                print(json.dumps(request), json.dumps(one), json.dumps(other), sep="\n  ")
    refused = sum("error" in one for request, one in zip(told, native) if request["do"] == "open")
    print(f"{PROGRAMS} programs, {refused} of them refused, {len(json.dumps(native))} bytes")
    print(f"{len(native) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
