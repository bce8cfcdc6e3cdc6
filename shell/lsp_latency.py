# SPDX-License-Identifier: Apache-2.0
"""How long findings take after a keystroke: usage: lsp_latency.py RPL FOLDER"""

import os
import pathlib
import statistics
import sys
import time

from lsp_client import Client

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
KEYS = 60


def document(lines):
    """A document of sections with headings, prose, facts, rules and goals."""
    out = ["# Links", ""]
    part = 0
    while len(out) < lines:
        part += 1
        out += [f"## Links of part {part} - linked-{part}(?a, ?b)", "",
                f"The __a__ is linked to __b__ in part {part}.", "", "```rpl"]
        out += [f"edge-{part}({k}, {k + 1})" for k in range(5)]
        out += [f"linked-{part}(?a, ?b) <- edge-{part}(?a, ?b)",
                f"linked-{part}(?a, ?c) <- linked-{part}(?a, ?b), edge-{part}(?b, ?c), ?a != ?c",
                f"%far-{part}(?b) <- linked-{part}(1, ?b), not edge-{part}(1, ?b)", "```", ""]
    return "\n".join(out[:lines]) + "\n"


def cpu_of(process):
    """The CPU time of a process in milliseconds."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


for size in [1000, 5000]:
    text = document(size)
    place = folder / str(size)
    place.mkdir()
    client = Client(program, place)
    client.initialize()
    client.open("a.md", text)
    client.diagnostics("a.md", 1)
    line = next(i for i, l in enumerate(text.split("\n")) if i > size / 2 and "linked" in l and "<-" in l)
    times = []
    cpu = cpu_of(client.process.pid)
    for key in range(KEYS):
        change = {"range": {"start": {"line": line, "character": key}, "end": {"line": line, "character": key}},
                  "text": "x"}
        begin = time.monotonic()
        client.change("a.md", key + 2, change)
        client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": client.uri("a.md")}})
        client.diagnostics("a.md", key + 2)
        times.append((time.monotonic() - begin) * 1000)
        time.sleep(0.05)
    cpu = (cpu_of(client.process.pid) - cpu) / KEYS
    times.sort()
    print(f"{size} lines: findings {statistics.median(times):.0f} ms after a keystroke (median of {KEYS}), "
          f"at most {times[-1]:.0f} ms; with colours {cpu:.0f} ms of CPU time", flush=True)
    client.shutdown()
