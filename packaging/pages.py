#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: packaging/pages.py FOLDER

In FOLDER, which may have files already: the pages of docs/ for users, std/, the examples and the
changelog. A link to a file that the folder does not have becomes its text, so that all links lead
somewhere, and commands call an installed `rpl`. What is for those who change the engine stays out.
"""
import re
import shutil
import sys
from pathlib import Path

LEFT_OUT = ("architecture.md", "decisions")
LINK = re.compile(r"(?<!!)\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)")


def main(target: Path) -> None:
    shutil.copytree("docs", target / "docs", ignore=lambda folder, _: LEFT_OUT if folder == "docs" else ())
    shutil.copytree("std", target / "std")
    shutil.copytree("examples", target / "examples", ignore=shutil.ignore_patterns("embed", "__pycache__"))
    shutil.copy("CHANGELOG.md", target)
    for page in [*target.rglob("*.md")]:
        if "examples" in page.relative_to(target).parts:
            continue
        text = without_dead_links(page.read_text(), page.parent)
        page.write_text(text if page.name == "install.md" else text.replace("build/rpl ", "rpl "))


def without_dead_links(text: str, folder: Path) -> str:
    def kept(link: re.Match[str]) -> str:
        name = link[2].partition("#")[0]
        leads = not name or re.match("[a-z]+:", name) or (folder / name).exists()
        return link[0] if leads else link[1]

    # Fences stay as they are.
    parts = re.split(r"(^(?:```|~~~).*?^(?:```|~~~)[^\n]*$)", text, flags=re.M | re.S)
    return "".join(part if i % 2 else LINK.sub(kept, part) for i, part in enumerate(parts))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
