#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the table of docs/architecture.md: the size and shape of the product's sources.

usage: bench/measure.py [--build]

Product code is every *.h and *.cc of the rooms, without tests and what only tests link. With
--build, the CPU time of a clean build of the program, and of everything, is measured too, in
build-measure/ and without a compiler cache.
"""
import os
import re
import resource
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = re.compile(r"(_test\.cc|/testing/.*|/testing_random\.h|/plain_\w+\.(h|cc)"
                   r"|/tool_under_test\.cc|/faulty_disk\.h)$")
TYPE = re.compile(r"^\s*(?:template\s*<.*>\s*)?(?:class|struct|enum class|enum)\s+[A-Za-z_]\w*"
                  r"(?:\s+final)?\s*(?::[^:;].*)?\{")
FUNCTION = re.compile(r"[A-Za-z~].*\(")
STRETCH = 6  # equal lines in a row that count as a duplicate


def product_files():
    listed = subprocess.run(["git", "ls-files", "*.h", "*.cc"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split()
    skipped = ("bench/", "fuzz/", "examples/")
    return [f for f in listed if not f.startswith(skipped) and not TESTS.search(f)]


def own_headers(name, includes, known):
    """The product's headers that a header pulls in, itself not counted."""
    seen, todo = set(), [name]
    while todo:
        for other in includes[todo.pop()]:
            if other in known and other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen - {name})


def functions(name, lines):
    """(length, place) of each function that is defined at the outermost level of a file."""
    begin = None
    for number, line in enumerate(lines, 1):
        if begin is None and FUNCTION.match(line) and not line.startswith(("namespace", "using")):
            begin = number
        if begin is not None and line.rstrip().endswith(";") and number == begin:
            begin = None
        if line == "}" and begin is not None:
            yield number - begin + 1, f"{name}:{begin}"
            begin = None
        elif line.startswith(("};", "}  // namespace", "namespace")):
            begin = None


def duplicated(texts):
    """Stretches of STRETCH or more equal lines that stand at two places."""
    places = defaultdict(list)
    for name, lines in texts.items():
        kept = [(n, " ".join(line.split())) for n, line in enumerate(lines, 1)]
        kept = [(n, line) for n, line in kept
                if len(line) > 3 and not line.startswith(("//", "#", "namespace", "using"))]
        for i in range(len(kept) - STRETCH + 1):
            window = tuple(line for _, line in kept[i:i + STRETCH])
            places[window].append((name, i))
    pairs = set()
    for at in places.values():
        for a in at:
            for b in at:
                if a < b:
                    pairs.add((a[0], b[0], b[1] - a[1] if a[0] == b[0] else a[1] - b[1]))
    return len(pairs)


def cpu_seconds(*targets):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["cmake", "--build", "build-measure", *targets], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_build():
    subprocess.run(["rm", "-rf", "build-measure"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--preset", "release", "-B", "build-measure",
                    "-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_DISABLE=1"],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    program = cpu_seconds("--target", "rpl")
    return program, program + cpu_seconds()


def main():
    files = product_files()
    texts = {f: (ROOT / f).read_text(encoding="utf-8").split("\n") for f in files}
    includes = {f: re.findall(r'^#include "([^"]+)"', "\n".join(lines), re.M)
                for f, lines in texts.items()}
    headers = [f for f in files if f.endswith(".h")]
    known = set(headers)

    count, size = Counter(), Counter()
    for name, lines in texts.items():
        room = os.path.dirname(name)
        count[room] += 1
        size[room] += len(lines) - 1
    print("| room | files | lines |\n|---|---:|---:|")
    for room in sorted(size):
        print(f"| `{room}/` | {count[room]} | {size[room]:,} |")
    total = sum(size.values())
    print(f"| all | {len(files)} | {total:,} |\n")

    types = sum(bool(TYPE.match(line)) for lines in texts.values() for line in lines)
    widest = max(headers, key=lambda h: own_headers(h, includes, known))
    longest = sorted((f for n, lines in texts.items() if n.endswith(".cc")
                      for f in functions(n, lines)), reverse=True)[:3]
    header_lines = sum(len(texts[h]) - 1 for h in headers)
    comments = sum(line.lstrip().startswith("//") or "  // " in line or "  ///<" in line
                   for h in headers for line in texts[h])
    largest = max(files, key=lambda f: len(texts[f]))
    rows = [
        ("types per 1,000 lines", f"{1000 * types / total:.1f}"),
        ("own headers that the widest header pulls in",
         f"{own_headers(widest, includes, known)} (`{widest}`)"),
        ("longest functions, lines", ", ".join(f"{n} (`{p}`)" for n, p in longest)),
        ("longest file, lines", f"{len(texts[largest]) - 1} (`{largest}`)"),
        ("lines of headers with a comment", f"{100 * comments / header_lines:.0f} %"),
        (f"duplicated stretches of {STRETCH} lines", str(duplicated(texts))),
    ]
    if "--build" in sys.argv[1:]:
        program, everything = measure_build()
        rows += [("CPU time of a clean build, the program", f"{program:.0f} s"),
                 ("CPU time of a clean build, with tests", f"{everything:.0f} s")]
    print("| measure | value |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
