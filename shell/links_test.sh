#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/links_test.sh
#
# Links of the pages below to files of the repository lead to a file, and those to a heading of
# a page to a heading. So do pictures. docs/README.md and docs/decisions/README.md lead to each
# page beside them. The entries of docs/glossary.md are in alphabetical order.
# The last line is `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=shell
exec /usr/bin/python3 - README.md CONTRIBUTING.md CHANGELOG.md editors/README.md docs/*.md \
  docs/decisions/*.md <<'END_OF_PYTHON'
import os, re, sys

from markdown_page import lines_of

def text_of(page):
    return "".join(lines_of(page))

def anchors_of(page):
    """As GitHub names headings: lower case, hyphens for blanks, no other punctuation."""
    anchors = set()
    for title in re.findall(r"^#+ +(.*?) *$", text_of(page), re.M):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        anchor = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        number = 0
        while (anchor if number == 0 else f"{anchor}-{number}") in anchors:
            number += 1
        anchors.add(anchor if number == 0 else f"{anchor}-{number}")
    return anchors

passed = failed = 0

def check(holds, message):
    global passed, failed
    passed, failed = passed + holds, failed + (not holds)
    if not holds:
        print(message)

for page in sys.argv[1:]:
    text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)(?!\])", "", text_of(page), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text):
        target = target[0] or target[1]
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
        check(os.path.exists(path), f"{page}: a link to {path}, which is not there")
        if anchor and path.endswith(".md") and os.path.exists(path):
            check(anchor in anchors_of(path), f"{page}: a link to #{anchor}, no heading of {path}")

def index_of(folder):
    return set(re.findall(r"\]\((\w[\w-]*\.md)\)", text_of(folder + "/README.md")))

indexes = {folder: index_of(folder) for folder in ("docs", "docs/decisions")}
for page in sys.argv[1:]:
    folder, name = os.path.split(page)
    if folder in indexes and name != "README.md":
        check(name in indexes[folder], f"{folder}/README.md: no link to {name}")
entries = re.findall(r"^- \*\*`?%?(.*?)`?\*\*:", text_of("docs/glossary.md"), re.M)
check(len(entries) > 40, "docs/glossary.md: expected entries `- **term**: …`")
check(entries == sorted(entries), "docs/glossary.md: expected the entries in order")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
END_OF_PYTHON
