#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/references_test.sh
#
# Sources, tests and pages cite the language by section (`§12.2`, `§5.1-§5.4`) and decisions by
# number (`decision 42`, `decisions 8, 25 and 33`, `decisions 63 to 66`). Each section is a
# heading of docs/language.md with its number, or an item of a numbered list below that heading
# (`§18.4.5`); each decision is a heading `### 42. …` of docs/language-decisions.md. On these
# pages, numbers are unique and in order, decisions have no gap, and each section leads to its
# folder of spec-tests.
# The last line is `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/expect.sh

# Prints a line for each check: `ok`, or a message.
references() {
  find . \( -path './build*' -o -path './.?*' \) -prune -o \
    \( -name '*.h' -o -name '*.cc' -o -name '*.md' \) -print0 | sort -z |
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=shell xargs -0 /usr/bin/python3 "$folder/references.py"
}

cat >"$folder/references.py" <<'END_OF_PYTHON'
import glob, os, re, sys

from markdown_page import lines_of

LANGUAGE = "docs/language.md"
DECISIONS = "docs/language-decisions.md"
GAP = r"[\s/]+"  # a reference may go on in the next line of a comment
NUMBER = r"\d+(?:\.\d+)*"
SECTION = re.compile(rf"§ ?({NUMBER})(?:[-–]({NUMBER}))?")
# After `decision` stands one number or a range, after `decisions` a list of them.
TO = rf"(?:{GAP}to{GAP}|[-–])"
RANGE = rf"\d+(?:{TO}\d+)?"
AND = rf"(?:,{GAP}(?:and{GAP})?|{GAP}and{GAP})"
DECISION = re.compile(rf"\b[Dd]ecision(?:{GAP}({RANGE})\b|s{GAP}({RANGE}(?:{AND}{RANGE})*)\b)")

def sections_of(page):
    """The numbers of a page's headings, and of list items below them, in order."""
    headings, items, last = [], set(), None
    for line in lines_of(page):
        if line.startswith("#"):
            heading = re.match(rf"#+ ({NUMBER})\.? ", line)
            last = heading[1] if heading else None
            if heading:
                headings.append(last)
        item = re.match(r"(\d+)\. ", line)
        if last and item:
            items.add(f"{last}.{item[1]}")
    return headings, items

def decisions_of(page):
    return [int(n) for line in lines_of(page) for n in re.findall(r"^### (\d+)\. ", line)]

headings, items = sections_of(LANGUAGE)
sections = items.union(headings)
numbers = decisions_of(DECISIONS)
decisions = set(numbers)

def references_in(text):
    """Pairs of an offset and a reference, `§12.2` or `decision 42`."""
    for match in SECTION.finditer(text):
        for group in match.groups():
            if group:
                yield match.start(), f"§{group}"
    for match in DECISION.finditer(text):
        for part in re.findall(RANGE, match[1] or match[2]):
            ends = [int(n) for n in re.findall(r"\d+", part)]
            for number in range(ends[0], ends[-1] + 1):
                yield match.start(), f"decision {number}"
            if ends[0] > ends[-1]:
                yield match.start(), f"decision {part}"

def resolves(reference):
    kind, _, number = reference.partition(" ")
    if kind == "decision":
        return number.isdigit() and int(number) in decisions
    return reference[1:] in sections

def check(holds, message):
    print("ok" if holds else message)

# The reading of references itself.
sample = "// See decisions 1,\n/// 2 to 4 and 999, decision 42, 7 rows, Decisions 5-6; §3-§4, §5.1–5.3, §99.9\n"
wanted = [1, 2, 3, 4, 999, 42, 5, 6]
found = [reference for _, reference in references_in(sample)]
check(found == ["§3", "§4", "§5.1", "§5.3", "§99.9"] + [f"decision {n}" for n in wanted],
      f"references are read wrongly: {found}")
check([r for r in found if not resolves(r)] == ["§99.9", "decision 999"],
      f"references are resolved wrongly: {found}")

# The two pages.
def key(number):
    return [int(part) for part in number.split(".")]

check(all(key(a) < key(b) for a, b in zip(headings, headings[1:])),
      f"{LANGUAGE}: expected each number once, and in order")
check(numbers == list(range(1, len(numbers) + 1)),
      f"{DECISIONS}: expected decisions 1, 2, 3 and so on, each once")
with open(LANGUAGE) as file:
    parts = re.split(r"^## (?:(\d+)\. |(A)ppendix)", file.read(), flags=re.M)
text_of = {(parts[i] or "appendix"): parts[i + 2] for i in range(1, len(parts), 3)}
for folder in sorted(glob.glob("spec-tests/[0-9][0-9]-*") + ["spec-tests/appendix"]):
    number = os.path.basename(folder).split("-")[0].lstrip("0")
    check(f"](../{folder})" in text_of.get(number, ""), f"{LANGUAGE}: {number} does not link {folder}")

# The citations.
for path in sys.argv[1:]:
    with open(path) as file:
        text = file.read()
    for offset, reference in references_in(text):
        line = text.count("\n", 0, offset) + 1
        page = DECISIONS if reference.startswith("decision") else LANGUAGE
        check(resolves(reference), f"{path.removeprefix('./')}:{line}: {reference} is not in {page}")
END_OF_PYTHON

while IFS= read -r line; do
  if [[ $line == ok ]]; then pass; else failure "$line"; fi
done < <(references)
if ((passed < 300)); then failure "expected at least 300 references, got $passed"; fi

finish
