#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: bench/turns.py [--scale X] [--only ROW]…

What agents and authors do, in seconds of CPU time on one thread: clauses in any order, a question that
needs little of a program, one thing taken back, n and 2n entries and answers, many rows from a file.
Prints the table of docs/performance.md. All orders of a rule must give the same count, else the exit
code is 1. RPL names another program than build/rpl. --scale X: facts of another number.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

RPL = os.path.realpath(os.environ.get("RPL", "build/rpl"))
ORDERS = 25
MOST = 6  # seconds of one run
failed = False


def run(words, given=""):
    """The CPU seconds, the output and the peak memory in MB of one run of rpl; without an output if it
    takes longer than MOST."""
    with tempfile.TemporaryFile("w+") as text, tempfile.TemporaryFile("w+") as out:
        text.write(given)
        text.seek(0)
        process = subprocess.Popen([RPL, *words, "--max-time", str(MOST)], stdin=text, stdout=out,
                                   stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        if process.returncode == 5:
            return MOST, None, 0
        return used.ru_utime + used.ru_stime, out.read(), used.ru_maxrss / 1024


def write(name, facts, rules):
    with open(name, "w", encoding="utf-8") as file:
        for relation, rows in facts.items():
            file.writelines(f"{relation}({', '.join(map(str, row))})\n" for row in rows)
        file.write(rules)


def rows(chance, count, *columns):
    return sorted({tuple(chance.randrange(c) for c in columns) for _ in range(count)})


def row(what, *cells):
    print("| " + " | ".join([what, *cells]) + " |", flush=True)


# --- Orders of clauses ------------------------------------------------------------------------------


def equal_arguments(c, n):
    facts = {"a": rows(c, n, n * 2 // 3, n // 3), "c": rows(c, n, n // 3, 6), "d": rows(c, 3 * n, n * 2 // 3, n // 6)}
    return facts, ["a(?x, ?b)", "c(?b2, ?k)", "d(?x, ?y)", "?b2 = ?b", "?k = 3", "?x != ?y"]


def sums(c, n):
    facts = {"a": rows(c, n, n, n // 2), "c": rows(c, n, n // 2, n // 2), "d": rows(c, 2 * n, n // 2, n // 4)}
    return facts, ["a(?x, ?b)", "c(?b2, ?l)", "d(?k, ?y)", "?b2 = ?b", "?k = ?l + 1", "?x != ?y"]


def star(atoms):
    def make(c, n):
        sizes = [200 + 150 * i for i in range(atoms - 1)]
        facts = {"f": rows(c, n, *sizes)}
        clauses = ["f(" + ", ".join(f"?d{i}" for i in range(atoms - 1)) + ")"]
        for i, size in enumerate(sizes):
            facts[f"t{i}"] = rows(c, size, size, 20)
            clauses.append(f"t{i}(?d{i}, ?v{i})")
        return facts, clauses + ["?v0 < 3", "?v1 = 4", "?v2 < ?v3"]
    return make


def chain(atoms):
    def make(c, n):
        facts = {f"e{i}": rows(c, int(n * c.uniform(0.7, 1.3)), n, n) for i in range(atoms)}
        clauses = [f"e{i}(?x{i}, ?x{i + 1})" for i in range(atoms)]
        return facts, clauses + [f"?x0 < {n // 50}", f"?x{atoms // 2} < ?x{atoms // 2 + 1}"]
    return make


def orders(what, make, n):
    """The best and the worst of random orders of the clauses of one rule."""
    global failed
    chance = random.Random(7)
    facts, clauses = make(chance, n)
    first = next(c for c in clauses if "(" in c)
    head = "q(" + first.split("(", 1)[1].split(",")[0].rstrip(")") + ")"
    write("facts.rpl", facts, "")
    base, _, _ = run(["query", "-f", "facts.rpl", "?x = 1"])
    times, counts = [], set()
    for _ in range(ORDERS):
        with open("rule.rpl", "w", encoding="utf-8") as file:
            file.write(f"{head} <- {', '.join(clauses)}\n")
        took, out, _ = run(["query", "-f", "facts.rpl", "-f", "rule.rpl", "%n(?n) <- ?n = |q(_)|"])
        times.append(took)
        if out is not None:
            counts.add(out)
        chance.shuffle(clauses)
    failed = failed or len(counts) > 1
    worst = max(times)
    row(what, f"{ORDERS} orders, facts {base:.2f}", f"{min(times):.2f}",
        f"{'over ' if worst == MOST else ''}{worst:.2f}", f"{worst / min(times):.1f}")


# --- A question that needs little --------------------------------------------------------------------


def little(n):
    chance = random.Random(3)
    nodes = n // 60
    facts = {"e": rows(chance, nodes * 2, nodes, nodes), "colour": [(i, i % 7) for i in range(n)]}
    write("closure.rpl", facts, "t(?x, ?y) <- e(?x, ?y)\nt(?x, ?z) <- t(?x, ?y), e(?y, ?z)\n")
    write("only.rpl", facts, "")
    base, _, _ = run(["query", "-f", "only.rpl", "colour(17, ?c)"])
    for what, query in (("a question that reads no rule, beside a closure", "colour(17, ?c)"),
                        ("`t(17, ?y)` over a left-linear closure", "t(17, ?y)"),
                        ("the whole closure", "%n(?n) <- ?n = |t(_, _)|")):
        took, _, _ = run(["query", "-f", "closure.rpl", query])
        row(what, f"facts {base:.2f}", f"{took:.2f}", "", f"{took / base:.1f}")


def counts(n):
    """A count beside each row of what it counts, and once for each value that it counts by."""
    global failed
    chance = random.Random(5)
    write("people.rpl", {"works": [(i, chance.randrange(n // 400)) for i in range(n)]}, "")
    write("once.rpl", {}, "unit(?d) <- works(_, ?d)\nsize(?d, ?n) <- unit(?d), ?n = |works(_, ?d)|\n"
          "busy(?x, ?n) <- size(?d, ?n), works(?x, ?d)\n")
    write("each.rpl", {}, "busy(?x, ?n) <- works(?x, ?d), ?n = |works(_, ?d)|\n")
    base, _, _ = run(["query", "-f", "people.rpl", "?x = 1"])
    (once, some, _), (each, others, _) = (
        run(["query", "-f", "people.rpl", "-f", name, "%n(?n) <- ?n = |busy(_, _)|"])
        for name in ("once.rpl", "each.rpl"))
    failed = failed or some is None or some != others
    row("a count beside a row that is not its key", f"facts {base:.2f}, once a group {once:.2f}",
        f"{each:.2f}", "", f"{each / once:.1f}")


# --- One thing taken back ----------------------------------------------------------------------------


def taken_back(n):
    """Chains of 40 nodes and their closure, in a shell, where edges are taken back one after another: what
    the first of them costs, and each of ten more, in per cent of deriving all."""
    global failed
    chains, length = n // 30, 40
    edges = [(c * (length + 1) + i, c * (length + 1) + i + 1) for c in range(chains) for i in range(length)]
    write("edges.rpl", {"e": edges}, "")
    write("chains.rpl", {"e": edges}, "t(?x, ?y) <- e(?x, ?y)\nt(?x, ?z) <- t(?x, ?y), e(?y, ?z)\n")
    left = chains * length * (length + 1) // 2

    def seconds(name, taken):
        entries = "%n(?n) <- ?n = |t(_, _)|\n"
        for i in range(taken):
            x = i * 37 % chains * (length + 1) + length // 2 - i
            entries += f"e({x}, {x + 1}) -> false\n"
        entries += "%m(?n) <- ?n = |t(_, _)|\n" if taken > 0 else ""
        took, out, _ = min((run(["repl", name], entries) for _ in range(5)), key=lambda one: one[0])
        gone = sum((length // 2 - i + 1) * (length // 2 + i) for i in range(taken))
        return took, out is not None and str(left - gone) in out

    base, _ = seconds("edges.rpl", 0)
    (all_rows, one), (first, two), (more, three) = (seconds("chains.rpl", taken) for taken in (0, 1, 11))
    failed = failed or not (one and two and three)
    derived = all_rows - base
    row("one edge of chains taken back, in a closure of 40 nodes each", f"{left:,} rows in {derived:.2f}",
        f"first {(first - all_rows) / derived:.1%}", f"each more {(more - first) / 10 / derived:.1%}", "")


# --- n and 2n ---------------------------------------------------------------------------------------


def doubled(what, n, once):
    small, large = once(n), once(2 * n)
    row(what, f"n = {n}", f"{small:.2f}", f"{large:.2f}", f"{large / max(small, 0.005):.1f}")


def entries(line):
    def once(n):
        return run(["repl"], "p(1)\n" + "".join(line.format(i) + "\n" for i in range(n)) + "%q(?x) <- p(?x), ?x < 2\n")[0]
    return once


def answers(n):
    write("asked.rpl", {"item": [(i,) for i in range(n)]},
          'all([& ?a]) <- item(?i), $ask("Q{?i}?") ^ ~ {:result ?a}\n%done(?n) <- all(?l), std#length(?l, ?n)\n')
    return run(["run", "asked.rpl"], "".join(f"a{i}\n" for i in range(n)))[0]


def headings(n):
    with open("headings.md", "w", encoding="utf-8") as file:
        file.write("# Go - %go <- " + ", ".join(f"h{i}(?a{i})" for i in range(n)) + "\n\n")
        file.writelines(f"# H{i} - h{i}(?a)\n\nQuestion {i}?\n\n" for i in range(n))
    return run(["run", "headings.md"], "".join(f"a{i}\n" for i in range(n)))[0]


def circle(n):
    rules = "r0(1)\n" + "".join(f"r{i + 1}(?x) <- r{i}(?x)\n" for i in range(n)) + f"r0(?x) <- r{n}(?x)\n"
    write("circle.rpl", {}, rules + f"%q(?x) <- r{n}(?x)\n")
    return run(["run", "circle.rpl"])[0]


def file_of_rows(n):
    with open("rows.csv", "w", encoding="utf-8") as file:
        file.write("a,b,c\n")
        file.writelines(f"{i},{i * 7919 % 100003},name{i % 50000}\n" for i in range(n))
    took, _, peak = run(["query", "--facts", "rows=rows.csv", "%n(?n) <- ?n = |rows(_, _, _)|"])
    row("rows of three columns from CSV", f"{n:,} rows", f"{took:.2f}", "", f"{peak:.0f} MB")


ROWS = {
    "equal": lambda n: orders("six clauses with `?b2 = ?b` and `?k = 3`", equal_arguments, n),
    "sum": lambda n: orders("six clauses with `?b2 = ?b` and `?k = ?l + 1`", sums, n * 2 // 3),
    "star6": lambda n: orders("a star of 6 atoms with comparisons", star(6), n),
    "star12": lambda n: orders("a star of 12 atoms with comparisons", star(12), n),
    "chain6": lambda n: orders("a chain of 6 atoms with comparisons", chain(6), n * 2 // 3),
    "chain12": lambda n: orders("a chain of 12 atoms with comparisons", chain(12), n * 2 // 3),
    "little": lambda n: little(n),
    "counts": lambda n: counts(4 * n),
    "facts": lambda n: doubled("facts entered in the shell", n // 30, entries("f({0})")),
    "rules": lambda n: doubled("rules entered in the shell", n // 200, entries("r{0}(?x) <- p(?x)")),
    "questions": lambda n: doubled("questions in the shell", n // 100, entries("%q(?x) <- p(?x), ?x < {0}")),
    "answers": lambda n: doubled("answers to `$ask` in one run", n // 300, answers),
    "headings": lambda n: doubled("answers to headings in one run", n // 500, headings),
    "back": lambda n: taken_back(n),
    "circle": lambda n: doubled("relations in one recursion", n // 30, circle),
    "csv": lambda n: file_of_rows(n * 160),
}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--only", action="append", choices=list(ROWS), default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        row("what", "", "best, or n", "worst, or 2n", "ratio")
        row("---", "---", "---:", "---:", "---:")
        for name, measure in ROWS.items():
            if not options.only or name in options.only:
                measure(int(60_000 * options.scale))
    return failed


if __name__ == "__main__":
    sys.exit(main())
