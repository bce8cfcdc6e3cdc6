# SPDX-License-Identifier: Apache-2.0
"""Reading of Markdown pages, for the tests of links, references and commands."""
import re
import typing


class Fence(typing.NamedTuple):
    """A fence at the left margin: its line, its info string, its text, and the line after it."""

    line: int
    info: str
    text: str
    after: int


def fences_of(page):
    """The fences of a page. The last one may lack its end."""
    with open(page) as file:
        lines = file.read().split("\n")
    at = 0
    while at < len(lines):
        mark = re.match(r"(```+)\s*([^`]*)$", lines[at])
        at += 1
        if not mark:
            continue
        begin = at
        while at < len(lines) and not re.fullmatch(mark[1] + r"`*\s*", lines[at]):
            at += 1
        text = "".join(line + "\n" for line in lines[begin:at])
        at += 1
        yield Fence(begin, mark[2].strip(), text, at + 1)


def lines_of(page):
    """The lines of a page outside of fences."""
    fence = None
    with open(page) as file:
        for line in file:
            mark = re.match(r"(```+)", line)
            if fence is None and mark:
                fence = mark[1]
            elif fence is not None:
                if line.rstrip() == fence:
                    fence = None
            else:
                yield line


class Commands(typing.NamedTuple):
    """A block of commands: its line, its text, and what it prints."""

    line: int
    text: str
    output: str


def commands_of(page):
    """The fences of `sh` of a page, each with the text of the fence `output` right below it."""
    found = []
    with open(page) as file:
        lines = file.read().split("\n")
    below = None  # a fence of `sh` that an output may follow
    for fence in fences_of(page):
        if fence.info == "output" and below and not "".join(lines[below.after - 1 : fence.line - 1]).strip():
            found[-1] = found[-1]._replace(output=fence.text)
        below = None
        if fence.info == "sh":
            found.append(Commands(fence.line, fence.text, ""))
            below = fence
    return found
