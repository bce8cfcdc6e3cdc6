# SPDX-License-Identifier: Apache-2.0
"""usage: permutations.py clauses|rules PROGRAM FOLDER

Writes into FOLDER a program 0.rpl, 1.rpl, … for each order of the clauses of the rules, or of the
rules among themselves. The first is the program as written. A sentence is a line; facts and
comments stay where they are.
"""
import itertools
import pathlib
import sys


def parts(text, mark):
    """The parts of a text between marks that are outside brackets and strings."""
    out, depth, quote, begin = [], 0, False, 0
    for at, c in enumerate(text):
        quote ^= c == '"'
        if not quote:
            depth += (c in "([{") - (c in ")]}")
        if depth == 0 and not quote and text.startswith(mark, at):
            out.append(text[begin:at])
            begin = at + len(mark)
    return [*out, text[begin:]]


def is_rule(line):
    return " <- " in line and not line.startswith("--")


def orders(line):
    """A rule with its clauses, and those of each alternative, in every order."""
    head, body = line.split(" <- ", 1)
    found = [
        [", ".join(order) for order in itertools.permutations(parts(alternative, ", "))]
        for alternative in parts(body, " | ")
    ]
    for choice in itertools.product(*found):
        for order in itertools.permutations(choice):
            yield head + " <- " + " | ".join(order)


def programs(kind, lines):
    if kind == "clauses":
        yield from itertools.product(*([*orders(line)] if is_rule(line) else [line] for line in lines))
        return
    for order in itertools.permutations(filter(is_rule, lines)):
        rules = iter(order)
        yield [next(rules) if is_rule(line) else line for line in lines]


kind, program, folder = sys.argv[1:]
lines = pathlib.Path(program).read_text().splitlines()
for number, variant in enumerate(programs(kind, lines)):
    pathlib.Path(folder, f"{number}.rpl").write_text("\n".join(variant) + "\n")
