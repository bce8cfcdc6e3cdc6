#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: bench/lsp.py [--lines N] [--keys N]

What an editor waits for in a long document: milliseconds of CPU time of `rpl lsp`, and by the clock
(median), for each of N keystrokes. Prints rows of docs/performance.md. RPL names another program than
build/rpl.

keystroke    a change and a request that needs nothing of the text, until it is answered
completion   a change and a completion behind it, until it is answered
colours      a change and all colours of the document, until they came
findings     a change, until its findings came
"""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shell"))
from lsp_client import Client  # noqa: E402

RPL = os.path.realpath(os.environ.get("RPL", "build/rpl"))
QUIET = 2  # seconds at most until a server has nothing to do


def document(lines):
    """A protocol of steps, each a heading with prose, facts, rules and a goal."""
    out = ["# Protocol", ""]
    step = 0
    while len(out) < lines:
        step += 1
        out += [f"## Step {step} - step-{step}(?sample, ?result)", "",
                f"Take the __sample__ of step {step}, and note the __result__.", "", "```rpl"]
        out += [f"reagent-{step}({k}, \"r{k}\")" for k in range(5)]
        out += [f"ready-{step}(?s) <- reagent-{step}(?n, ?s), ?n > 2",
                f"ready-{step}(?s) <- ready-{step}(?t), reagent-{step}(?n, ?s), ?s != ?t",
                f"%done-{step}(?r) <- step-{step}(?s, ?r), ready-{step}(?s)", "```", ""]
    return out[:lines]


class Editor:
    def __init__(self, folder, lines):
        text = document(lines)
        self.line = next(i for i, l in enumerate(text) if i > lines / 2 and l.startswith("%done"))
        self.character = len(text[self.line])
        self.version = 1
        self.client = Client(RPL, folder)
        self.client.initialize()
        self.client.open("a.md", "\n".join(text) + "\n")
        self.told = 0  # the last version with findings

    def cpu(self):
        """The CPU time of the server in milliseconds, its threads that have ended included."""
        return time.clock_gettime((~self.client.process.pid << 3) | 2) * 1000

    def rest(self):
        """Waits until the server has nothing to do: it has told the findings, and takes no more time."""
        if self.told < self.version:
            findings(self)
        end = time.monotonic() + QUIET
        before = -1
        while self.cpu() != before and time.monotonic() < end:
            before = self.cpu()
            time.sleep(0.05)

    def place(self):
        return {"line": self.line, "character": self.character}

    def type(self, text):
        self.version += 1
        self.client.change("a.md", self.version,
                           {"range": {"start": self.place(), "end": self.place()}, "text": text})
        self.character += len(text)

    def ask(self, method, **more):
        return self.client.call(method, {"textDocument": {"uri": self.client.uri("a.md")}, **more})


def keystroke(editor):
    editor.ask("rpl/nothing")


def completion(editor):
    found = editor.ask("textDocument/completion", position=editor.place())
    assert found["items"], "no completion"


def colours(editor):
    assert editor.ask("textDocument/semanticTokens/full")["data"], "no colours"


def findings(editor):
    assert editor.client.diagnostics("a.md", editor.version) is not None, "no findings"
    editor.told = editor.version


ROWS = {"keystroke": keystroke, "completion": completion, "colours": colours, "findings": findings}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--keys", type=int, default=20)
    options = parser.parse_args()
    print(f"| {options.lines:,} lines | CPU ms | ms |\n| --- | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        editor = Editor(folder, options.lines)
        for name, wait in ROWS.items():
            editor.type(", re")
            cpus, times = [], []
            for key in range(options.keys):
                editor.rest()
                cpu, begin = editor.cpu(), time.monotonic()
                editor.type("agent"[key % 5])
                wait(editor)
                times.append((time.monotonic() - begin) * 1000)
                cpus.append(editor.cpu() - cpu)
            print(f"| {name} | {statistics.median(cpus):.1f} | {statistics.median(times):.1f} |", flush=True)
        editor.client.shutdown()


if __name__ == "__main__":
    sys.exit(main())
