#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of docs/architecture.md: the size and shape of the product's sources.

usage: bench/measure.py [--build | --check]

Product code is every *.h and *.cc of the rooms, without tests and what only tests link. With
--build, the CPU time of a clean build of the program, and of everything, is measured too, in
build-measure/ and without a compiler cache. With --check, nothing is printed but the rows of
docs/architecture.md that are more than a twentieth away from what is measured.
"""
import os
import re
import resource
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = re.compile(r"(_test\.cc|/testing/.*|/testing_(random|programs)\.h|/plain_\w+\.(h|cc)"
                   r"|/tool_under_test\.cc|/faulty_disk\.h|/call_test\.h)$")
TYPE = re.compile(r"^\s*(?:template\s*<.*>\s*)?(?:class|struct|enum class|enum)\s+[A-Za-z_]\w*"
                  r"(?:\s+final)?\s*(?::[^:;].*)?\{")
FUNCTION = re.compile(r"[A-Za-z~].*\(")
STRETCH = 6  # equal lines in a row that count as a duplicate
LABEL = re.compile(r"case [\w:]+:")  # a switch without a default lists all kinds
CLASS = re.compile(r"\b(?:class|struct)\s+(?:\w+::)*(\w+)(?:\s+final)?\s*(?::(?!:).*)?$", re.S)
ACCESS = re.compile(r"\s*(public|protected|private)\s*:(?!:)")
NO_MEMBER = re.compile(r"\s*(using|friend|static_assert|typedef|enum|class|struct|template\s*$)\b")
NO_CODE = re.compile(r'//[^\n]*|#[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'')
RAW = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
MANY_FUNCTIONS = 40
MANY_FILES = 45
OPENS_RUN = re.compile(r"\b(?:Saved)?Session \w+\(|make_unique<(?:Saved)?Session>")
PORTS = {"People", "Tools", "SourceAccess"}  # runtime/ports.h; the fourth is a function
DERIVED = re.compile(r"^\s*(?:class|struct)\s+(\w+)(?:\s+final)?\s*:\s*([^;{}]*)\{", re.M)


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
                if len(line) > 3 and not line.startswith(("//", "#", "namespace", "using"))
                and not LABEL.fullmatch(line)]
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


def without_templates(text):
    """A declaration without what stands in angle brackets."""
    while (shorter := re.sub(r"<[^<>()]*(?:\([^()]*\)[^<>()]*)*>", "", text)) != text:
        text = shorter
    return text


class Shape:
    """The functions and data members that a class declares."""

    def __init__(self):
        self.functions = self.private = self.members = 0


def shapes(lines):
    """By name: the shapes of the classes that are defined in these lines."""
    out = {}
    text = RAW.sub('""', "\n".join(lines))
    text = NO_CODE.sub(lambda m: '""' if m[0][0] in "\"'" else "", text)
    scopes, begin = [], 0  # [name, or None for what is no class; the access in force]

    def declare(declaration):
        """What ends at `;` or begins at `{` within a class."""
        plain = without_templates(declaration).strip()
        name, access = scopes[-1]
        if name is None or not plain or NO_MEMBER.match(plain):
            return
        shape = out.setdefault(name, Shape())
        if "operator" in plain or "(" in plain.split("=")[0]:
            shape.functions += 1
            shape.private += access == "private"
        elif not plain.startswith("static constexpr"):
            shape.members += plain.split("=")[0].count(",") + 1

    for mark in re.finditer(r"[;{}]", text):
        declaration, begin = text[begin:mark.start()], mark.end()
        while scopes and (label := ACCESS.match(declaration)):
            scopes[-1][1], declaration = label[1], declaration[label.end():]
        head = CLASS.search(without_templates(declaration)) if mark[0] == "{" else None
        if mark[0] == "}" and scopes:
            scopes.pop()
        if mark[0] != "}" and scopes and head is None:
            declare(declaration)
        if mark[0] == "{":
            scopes.append([head[1], "private" if "class" in head[0] else "public"] if head
                          else [None, ""])
    return out


def port_classes(texts):
    """The classes that derive from a port, at once or through another class."""
    derived = [(name, set(re.findall(r"\w+", of))) for lines in texts.values()
               for name, of in DERIVED.findall("\n".join(lines))]
    out = set()
    while grown := {name for name, of in derived if of & (PORTS | out)} - out:
        out |= grown
    return out


def figures(texts, product):
    """Rows about parts: which classes are large, who opens a run, what a port costs."""
    found = {}
    for lines in texts.values():
        for name, shape in shapes(lines).items():
            if name not in found or shape.functions > found[name].functions:
                found[name] = shape
    large = sorted(((s.functions, n) for n, s in found.items() if s.functions > MANY_FUNCTIONS),
                   reverse=True)
    runtime = found["Runtime"]
    clause = re.search(r"struct Clause \{\s*std::variant<(.*?)>\s*is;",
                       "\n".join(texts["interp/program/clause.h"]), re.S)[1]
    kinds = set(re.findall(r"\w+", clause)) - {"Boxed"}
    tests = [t for lines in texts.values() for t in re.findall(r"\bAs<(\w+)>", "\n".join(lines))]
    opening = [n for n, lines in texts.items()
               if not n.startswith("runtime/") and OPENS_RUN.search("\n".join(lines))]
    ports = port_classes(texts)
    rooms = Counter(os.path.dirname(name) for name in product)
    return [
        ("`Runtime`: functions, of them private, members",
         f"{runtime.functions}, {runtime.private}, {runtime.members}"),
        (f"classes with more than {MANY_FUNCTIONS} functions",
         f"{len(large)} ({', '.join(f'`{n}` {count}' for count, n in large)})"),
        ("files outside `runtime/` that open a session", str(len(opening))),
        ("classes that implement a port of a run", str(len(ports))),
        (f"rooms of more than {MANY_FILES} files",
         str(sum(count > MANY_FILES for count in rooms.values()))),
        ("tests for a kind with `As<…>`, of them for a kind of clause",
         f"{len(tests)}, {sum(t in kinds for t in tests)}"),
    ]


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


def tables(build):
    """The lines of the tables."""
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
    total = sum(size.values())
    yield from ("| room | files | lines |", "|---|---:|---:|")
    for room in sorted(size):
        yield f"| `{room}/` | {count[room]} | {size[room]:,} |"
    yield from (f"| all | {len(files)} | {total:,} |", "")

    types = sum(bool(TYPE.match(line)) for lines in texts.values() for line in lines)
    outer = [h for h in headers if not h.startswith(("interp/eval/", "interp/plan/"))]
    widest = max(outer, key=lambda h: own_headers(h, includes, known))
    longest = sorted((f for n, lines in texts.items() if n.endswith(".cc")
                      for f in functions(n, lines)), reverse=True)[:3]
    header_lines = sum(len(texts[h]) - 1 for h in headers)
    comments = sum(line.lstrip().startswith("//") or "  // " in line or "  ///<" in line
                   for h in headers for line in texts[h])
    largest = max(files, key=lambda f: len(texts[f]))
    rows = [
        ("types per 1,000 lines", f"{1000 * types / total:.1f}"),
        ("own headers that the widest header outside `interp/eval/` and `interp/plan/` pulls in",
         f"{own_headers(widest, includes, known)} (`{widest}`)"),
        ("longest functions, lines", ", ".join(f"{n} (`{p}`)" for n, p in longest)),
        ("longest file, lines", f"{len(texts[largest]) - 1} (`{largest}`)"),
        ("lines of headers with a comment", f"{100 * comments / header_lines:.0f} %"),
        (f"duplicated stretches of {STRETCH} lines", str(duplicated(texts))),
    ] + figures(texts, files)
    if build:
        program, everything = measure_build()
        rows += [("CPU time of a clean build, the program", f"{program:.0f} s"),
                 ("CPU time of a clean build, with tests", f"{everything:.0f} s")]
    yield from ("| measure | value |", "|---|---|")
    for name, value in rows:
        yield f"| {name} | {value} |"


def numbers(row):
    """The numbers of a row, without what stands in parentheses."""
    return [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*\.?\d*", re.sub(r"\(.*?\)", "", row))]


def check(measured):
    """Whether the page has these rows, and no other rooms."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    page = page[page.index("\n## Measures\n"):].split("\n## ")[1].split("\n")
    said = {line.split("|")[1]: line for line in page if line.startswith("| ")}
    same = True
    for line in measured:
        if not line.startswith("| "):
            continue
        was = said.pop(line.split("|")[1], "| – |")
        now, then = numbers(line.split("|", 2)[2]), numbers(was.split("|", 2)[2])
        if len(now) != len(then) or any(abs(a - b) > max(a / 20, 2) for a, b in zip(now, then)):
            print(f"docs/architecture.md: {was}\nmeasured:             {line}")
            same = False
    for line in said.values():
        print(f"docs/architecture.md: {line}\nmeasured:             nothing")
    return same and not said


def main():
    options = sys.argv[1:]
    if "--check" in options:
        sys.exit(0 if check(tables(False)) else 1)
    print("\n".join(tables("--build" in options)))


if __name__ == "__main__":
    main()
