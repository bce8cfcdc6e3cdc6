#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs of published families, run by rpl and by the engines that are on the PATH.

usage: bench/random_programs.py [N] [--seed FIRST] [--family NAME]... [--orders K] [--scale X]
                               [--keep FOLDER]

Each program is one of FAMILIES with names, order of rules, order of atoms, sizes and skew from its
seed. rpl and another engine run in turns; a ratio is rpl's user time divided by the other's. Their
counts of answers must agree, else the last line says so and the exit code is 1. The distribution of
the ratios is printed, and the ten worst with their seeds. --orders K: rpl also runs K orders of
the atoms of each program, three times each, and the largest ratio of two of its times is a figure,
too. --scale X: programs of another size. RPL names another program than build/rpl.

The last line is `N passed, N failed`, of comparisons of counts.
"""

import argparse
import os
import random
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

SECONDS = 60  # of user time, for one run
RPL = os.environ.get("RPL", "build/rpl")


# --- Families -------------------------------------------------------------------------------------
#
# A rule is (head, [atom, ...]), an atom a tuple of a relation and variables; `!r` is negated. A
# family gives its rules, its facts, and the relation whose rows are counted.

class Data:
    """Rows with a skew: the share of a number in the rows falls with it."""

    def __init__(self, chance, scale):
        self.chance = chance
        self.scale = scale
        self.skew = chance.choice([1.0, 1.0, 1.5, 2.5])

    def below(self, most):
        return int(most * self.chance.random() ** self.skew)

    def size(self, least, most):
        return max(4, int(self.scale * least * (most / least) ** self.chance.random()))

    def edges(self, nodes, count, reach=None):
        """Edges to larger numbers, at most `reach` away; to any without it."""
        out = set()
        for _ in range(count):
            a = self.below(nodes) if reach is None else self.chance.randrange(nodes)
            b = self.chance.randrange(nodes) if reach is None else min(nodes - 1, a + 1 + self.below(reach))
            out.add((a, b))
        return sorted(out)


def closure(d):
    nodes = d.size(300, 3000)
    step = d.chance.choice([
        ("t(x,z)", ["t(x,y)", "e(y,z)"]), ("t(x,z)", ["e(x,y)", "t(y,z)"]),
        ("t(x,z)", ["t(x,y)", "t(y,z)"])])
    return [("t(x,y)", ["e(x,y)"]), step], {"e": d.edges(nodes, int(nodes * 1.5), d.size(5, 60))}, "t"


def same_generation(d):
    nodes = d.size(500, 3000)
    up = sorted({(n, n - 1 - d.chance.randrange(min(n, 40 + n // 4))) for n in range(1, nodes)})
    return [("s(x,y)", ["u(x,p)", "u(y,p)"]), ("s(x,y)", ["u(x,a)", "s(a,b)", "u(y,b)"])], {"u": up}, "s"


def points_to(d):
    variables = d.size(2000, 20000)
    assign = int(variables * d.chance.uniform(0.6, 1.1))

    def near(v):
        return max(0, v - 1 - d.below(60))
    facts = {
        "new": sorted({(d.chance.randrange(variables), n) for n in range(variables // 4)}),
        "move": sorted({(v, near(v)) for v in (d.chance.randrange(variables) for _ in range(assign))}),
        "load": sorted({(v, near(v), d.below(100)) for v in
                        (d.chance.randrange(variables) for _ in range(variables // 8))}),
        "store": sorted({(v, d.below(100), near(v)) for v in
                         (d.chance.randrange(variables) for _ in range(variables // 8))})}
    return [("v(x,h)", ["new(x,h)"]), ("v(x,h)", ["move(x,y)", "v(y,h)"]),
            ("h(b,f,g)", ["store(x,f,y)", "v(x,b)", "v(y,g)"]),
            ("v(x,g)", ["load(x,y,f)", "v(y,b)", "h(b,f,g)"])], facts, "v"


def andersen(d):
    variables = d.size(300, 2500)

    def pairs(share):
        return d.edges(variables, int(variables * share), d.size(20, 200))
    return [("p(x,y)", ["addr(x,y)"]), ("p(x,y)", ["copy(x,z)", "p(z,y)"]),
            ("p(x,w)", ["load(x,y)", "p(y,z)", "p(z,w)"]),
            ("p(z,w)", ["store(x,y)", "p(x,z)", "p(y,w)"])], \
        {"addr": pairs(0.6), "copy": pairs(0.5), "load": pairs(0.15), "store": pairs(0.15)}, "p"


def alias(d):
    nodes = d.size(200, 900)
    return [("f(y,x)", ["a(y,x)"]), ("f(x,y)", ["a(x,z)", "m(z,y)"]), ("f(x,y)", ["f(x,z)", "f(z,y)"]),
            ("m(x,w)", ["d(y,x)", "w(y,z)", "d(z,w)"]), ("w(x,y)", ["f(z,x)", "f(z,y)"]),
            ("w(x,y)", ["f(z,x)", "m(z,w)", "f(w,y)"])], \
        {"a": d.edges(nodes, nodes, 12), "d": d.edges(nodes, nodes, 20)}, "w"


def data_flow(d):
    nodes = d.size(2000, 12000)
    flow = d.edges(nodes, int(nodes * 1.3), 30)
    names = nodes // 10
    return [("i(n,v)", ["g(n,v)"]), ("i(n,v)", ["n(m,n)", "i(m,v)", "!k(n,v)"])], \
        {"n": flow, "g": sorted({(d.below(nodes), d.chance.randrange(names)) for _ in range(nodes // 3)}),
         "k": sorted({(d.chance.randrange(nodes), d.below(names)) for _ in range(nodes * 2)})}, "i"


def borrows(d):
    points, loans = d.size(1500, 6000), d.size(50, 200)
    return [("q(r,l,p)", ["issued(r,l,p)"]), ("q(s,l,p)", ["q(r,l,p)", "sub(r,s,p)"]),
            ("q(r,l,o)", ["q(r,l,p)", "next(p,o)", "!killed(l,p)", "live(r,o)"]),
            ("bad(l,p)", ["q(r,l,p)", "live(r,p)", "invalid(l,p)"])], \
        {"next": [(p, p + 1) for p in range(points)] + d.edges(points, points // 10, 20),
         "issued": sorted({(d.below(loans), n, d.chance.randrange(points)) for n in range(loans)}),
         "sub": sorted({(d.below(loans), d.below(loans), d.chance.randrange(points)) for _ in range(points)}),
         "killed": sorted({(d.below(loans), d.chance.randrange(points)) for _ in range(points)}),
         "live": sorted({(d.below(loans), p) for p in range(points) for _ in range(loans // 10)}),
         "invalid": sorted({(d.below(loans), d.chance.randrange(points)) for _ in range(points)})}, "q"


def ontology(d):
    classes, things = d.size(200, 1500), d.size(2000, 10000)
    return [("sub(x,y)", ["isa(x,y)"]), ("sub(x,z)", ["isa(x,y)", "sub(y,z)"]),
            ("type(t,c)", ["inst(t,c)"]), ("type(t,c)", ["inst(t,b)", "sub(b,c)"]),
            ("type(t,c)", ["role(t,r,u)", "dom(r,c)"]), ("type(u,c)", ["role(t,r,u)", "rng(r,c)"]),
            ("odd(t)", ["type(t,a)", "type(t,b)", "dis(a,b)"])], \
        {"isa": d.edges(classes, int(classes * 1.4), 50),
         "inst": sorted({(t, d.below(classes)) for t in range(things)}),
         "role": sorted({(d.below(things), d.below(40), d.below(things)) for _ in range(things)}),
         "dom": [(r, d.chance.randrange(classes)) for r in range(40)],
         "rng": [(r, d.chance.randrange(classes)) for r in range(40)],
         "dis": d.edges(classes, classes)}, "type"


def access(d):
    users, groups, files = d.size(500, 3000), d.size(50, 400), d.size(500, 4000)

    def user(n):
        return f"user-{n}@example"

    def group(n):
        return f"group/{n}"
    return [("m(u,g)", ["in(u,g)"]), ("m(u,g)", ["m(u,k)", "part(k,g)"]),
            ("c(u,f)", ["m(u,g)", "grant(g,f)", "!deny(u,f)"])], \
        {"in": sorted({(user(u), group(d.below(groups))) for u in range(users) for _ in range(2)}),
         "part": sorted({(group(a), group(b)) for a, b in d.edges(groups, groups, 12)}),
         "grant": sorted({(group(d.below(groups)), f"/srv/{f}.md") for f in range(files)}),
         "deny": sorted({(user(d.below(users)), f"/srv/{d.below(files)}.md") for _ in range(files)})}, "c"


def parts(d):
    count = d.size(1000, 5000)
    return [("n(a,b)", ["of(a,b)"]), ("n(a,c)", ["n(a,b)", "of(b,c)"]),
            ("late(a,s)", ["n(a,b)", "from(b,s)", "slow(s)"]),
            ("fine(a)", ["made(a)", "!some(a)"]), ("some(a)", ["late(a,s)"])], \
        {"of": d.edges(count, int(count * 1.5), 40), "made": [(n,) for n in range(count)],
         "from": sorted({(n, d.below(300)) for n in range(count)}), "slow": [(n,) for n in range(0, 300, 7)]}, "n"


def graph(d):
    nodes = d.size(500, 4000)
    return [("tri(x,y,z)", ["e(x,y)", "e(y,z)", "e(x,z)"]), ("sq(x,w)", ["e(x,y)", "e(y,z)", "e(z,w)", "e(x,w)"]),
            ("far(x,z)", ["e(x,y)", "e(y,z)", "!e(x,z)"])], \
        {"e": [(a, b) for a, b in d.edges(nodes, nodes * d.chance.randrange(4, 12)) if a != b]}, "tri"


def strata(d):
    """200 strata of unary and binary relations over a few dozens of constants, each of which rests on the
    absence of rows of the one before."""
    count = int(40 * d.scale)

    def base(kind):
        return f"{kind}{d.chance.randrange(4)}"
    arities, rules = {0: 1}, [("p0(x)", ["u0(x)"])]
    for level in range(1, 201):
        arity = arities[level] = d.chance.choice([1, 2])
        head, column = ("x", "x") if arity == 1 else ("x,y", d.chance.choice("xy"))
        above, below = f"p{level}", f"p{level - 1}"
        absent = f"!{below}({column})" if arities[level - 1] == 1 else \
            f"!{below}(x,y)" if arity == 2 else f"!{below}(x,x)"
        rules.append((f"{above}({head})", [f"{base('e')}({head})" if arity == 2 else f"{base('u')}(x)", absent]))
        for _ in range(d.chance.choice([0, 1, 1, 2, 3])):
            other = max(0, level - d.chance.randrange(1, 12))
            atom = f"p{other}(x)" if arities[other] == 1 else f"p{other}(x,y)"
            last = "y" if arities[other] == 2 else "x"
            rules.append((f"{above}({head})", d.chance.choice([
                [atom, f"{base('e')}({last},z)", f"{base('u')}(z)"] +
                ([f"{base('e')}(z,y)"] if arity == 2 and last == "x" else []),
                [atom, f"{base('e')}({'x,y' if arity == 2 else 'x,z'})", f"!{base('u')}({last})"],
                [f"{above}({'x,z' if arity == 2 else 'z'})",
                 f"{base('e')}({'z,y' if arity == 2 else 'z,x'})", absent]])))
    facts = {f"u{i}": sorted({(d.below(count),) for _ in range(count // 2)}) for i in range(4)}
    facts |= {f"e{i}": sorted({(d.below(count), d.chance.randrange(count)) for _ in range(count)}) for i in range(4)}
    return rules, facts, "p200"


FAMILIES = {"closure": closure, "same-generation": same_generation, "points-to": points_to,
            "andersen": andersen, "alias": alias, "data-flow": data_flow, "borrows": borrows,
            "ontology": ontology, "access": access, "parts": parts, "graph": graph, "strata": strata}


# --- Programs -------------------------------------------------------------------------------------

def atom_of(text):
    negated, name, arguments = re.fullmatch(r"(!?)(\w+)\((.*)\)", text).groups()
    return bool(negated), name, arguments.split(",")


class Program:
    def __init__(self, seed, family, scale):
        chance = random.Random(f"{family} {seed}")
        rules, facts, self.counted = FAMILIES[family](Data(chance, scale))
        self.seed, self.family = seed, family
        self.rules = [(atom_of(head), [atom_of(a) for a in body]) for head, body in rules]
        # Names tell an engine nothing, and no order is the one that somebody tuned. None is a keyword.
        relations = sorted({a[1] for head, body in self.rules for a in [head, *body]} | set(facts))
        words = chance.sample([a + b + c + "1" for a in "bdfgklmprst" for b in "aeiou" for c in "lmnrst"],
                              len(relations))
        self.names = dict(zip(relations, words))
        self.facts = {self.names[name]: rows for name, rows in facts.items() if rows}
        self.counted = self.names[self.counted]
        chance.shuffle(self.rules)
        self.shuffle(chance)

    def shuffle(self, chance):
        """Another order of the atoms; those that are negated stay last."""
        for _, body in self.rules:
            chance.shuffle(body)
            body.sort(key=lambda atom: atom[0])

    def arity(self, name):
        return next(len(atom[2]) for head, body in self.rules for atom in [head, *body]
                    if self.names[atom[1]] == name)

    def text(self, variable, negation, arrow, end):
        def atom(a):
            return (negation if a[0] else "") + self.names[a[1]] + "(" + ", ".join(map(variable, a[2])) + ")"
        return "".join(f"{atom(head)} {arrow} {', '.join(map(atom, body))}{end}\n" for head, body in self.rules)

    def derived(self):
        return sorted({self.names[head[1]] for head, _ in self.rules})


def quoted(cell, quote='"'):
    return str(cell) if isinstance(cell, int) else quote + cell + quote


def write_rpl(p, folder):
    blank = ", ".join("_" * p.arity(p.counted))
    with open(f"{folder}/p.rpl", "w") as file:
        file.write(p.text(lambda v: "?" + v, "not ", "<-", ""))
        file.write(f"%answer(?n) <- ?n = |{p.counted}({blank})|\n")
    for name, rows in p.facts.items():
        with open(f"{folder}/{name}.csv", "w") as file:
            file.write(",".join(f"c{i}" for i in range(len(rows[0]))) + "\n")
            file.writelines(",".join(map(str, row)) + "\n" for row in rows)
    return [RPL, "run", f"{folder}/p.rpl", "--format", "json", "--max-rows", "0"] + \
        [word for name in p.facts for word in ("--facts", f"{name}={folder}/{name}.csv")]


def write_gringo(p, folder):
    with open(f"{folder}/p.lp", "w") as file:
        for name, rows in p.facts.items():
            file.writelines(f"{name}({','.join(map(quoted, row))}).\n" for row in rows)
        file.write(p.text(str.upper, "not ", ":-", "."))
        columns = ",".join(f"X{i}" for i in range(p.arity(p.counted)))
        file.write(f"answer(N) :- N = #count {{ {columns} : {p.counted}({columns}) }}.\n#show answer/1.\n")
    return ["gringo", f"{folder}/p.lp"]


def write_swipl(p, folder):
    with open(f"{folder}/p.pl", "w") as file:
        file.write(":- set_prolog_flag(double_quotes, atom).\n:- style_check(-discontiguous).\n")
        tables = ", ".join(f"{name}/{p.arity(name)}" for name in p.derived())
        file.write(f":- table {tables}.\n")
        file.write(p.text(str.upper, "tnot ", ":-", ".").replace("tnot ", "\\+ "))
        for name, rows in p.facts.items():
            file.writelines(f"{name}({','.join(quoted(c, chr(39)) for c in row)}).\n" for row in rows)
        blank = ",".join("_" * p.arity(p.counted))
        file.write(f"main :- aggregate_all(count, {p.counted}({blank}), N), writeln(answer(N)).\n")
    return ["swipl", "-f", "none", "--table-space=8g", "--stack-limit=8g", "-g", "main", "-t", "halt",
            f"{folder}/p.pl"]


def write_souffle(p, folder):
    texts = {name for name, rows in p.facts.items() if isinstance(rows[0][0], str)}
    kind = "symbol" if texts else "number"
    with open(f"{folder}/p.dl", "w") as file:
        for name in [*p.facts, *p.derived()]:
            columns = ", ".join(f"c{i}: {kind}" for i in range(p.arity(name)))
            file.write(f".decl {name}({columns})\n" + (f".input {name}\n" if name in p.facts else ""))
        # What nothing prints it does not derive, as rpl and gringo do.
        file.write("".join(f".printsize {name}\n" for name in p.derived()) + p.text(str, "!", ":-", "."))
    for name, rows in p.facts.items():
        with open(f"{folder}/{name}.facts", "w") as file:
            file.writelines("\t".join(map(str, row)) + "\n" for row in rows)
    return ["souffle", "-j1", "-F", folder, f"{folder}/p.dl"]


ENGINES = {"gringo": write_gringo, "swipl": write_swipl, "souffle": write_souffle}


def run(command, counted):
    """The user time of a command and the number of rows counted; None: too long."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        out.seek(0)
        text = out.read()
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return None, None
    numbers = re.findall(rf"(?:answer\(|\"\?n\":|{counted}\t)\s*(\d+)", text)
    return usage.ru_utime, int(numbers[-1]) if numbers else f"no count from {command[0]}"


def distribution(values):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return f"median {statistics.median(values):.2f}, 95 % {at(0.95):.2f}, worst {values[-1]:.2f}"


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("programs", type=int, nargs="?", default=22)
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--family", action="append", choices=FAMILIES)
    parse.add_argument("--orders", type=int, default=0)
    parse.add_argument("--scale", type=float, default=1)
    parse.add_argument("--keep")
    options = parse.parse_args()
    families = options.family or list(FAMILIES)
    engines = [name for name in ENGINES if shutil.which(name)]
    ratios = {name: [] for name in engines}
    spread, passed, failed, late = [], 0, 0, {name: 0 for name in engines}
    for number in range(options.programs):
        seed, family = options.seed + number // len(families), families[number % len(families)]
        program = Program(seed, family, options.scale)
        folder = options.keep and f"{options.keep}/{family}-{seed}" or tempfile.mkdtemp()
        os.makedirs(folder, exist_ok=True)
        own, count = run(write_rpl(program, folder), program.counted)
        if own is None:
            print(f"{family} {seed}: rpl took more than {SECONDS} s")
            failed += 1
            continue
        line = f"{family:16}{seed:4}{count:12,} answers{own:8.2f} s"
        for name in engines:
            again, _ = run(write_rpl(program, folder), program.counted)
            other, theirs = run(ENGINES[name](program, folder), program.counted)
            if other is None:
                late[name] += 1
                line += f"  {name} > {SECONDS} s"
                continue
            if theirs != count:
                failed += 1
                line += f"  {name} counts {theirs}"
                continue
            passed += 1
            ratios[name].append((max(own, again) / max(other, 0.001), family, seed))
            line += f"  {name}{ratios[name][-1][0]:7.3f}"
        times = []
        chance = random.Random(seed)
        for order in range(options.orders + 1 if options.orders else 0):
            if order:
                program.shuffle(chance)
            command = write_rpl(program, folder)
            took, same = min((run(command, program.counted) for _ in range(3)),
                             key=lambda result: result[0] or SECONDS)
            times.append(took or SECONDS)
            if same == count:
                passed += 1
            else:
                failed += 1
                line += f"  in another order: {same}"
        if options.orders:
            if max(times) >= 0.1:  # what takes less says little
                spread.append((max(times) / max(min(times), 0.001), family, seed))
            line += f"  orders {min(times):.2f} to {max(times):.2f} s"
        print(line, flush=True)
        if not options.keep:
            shutil.rmtree(folder)
    for what, values in [*ratios.items(), ("orders", spread)]:
        if not values:
            continue
        print(f"\n{'largest time by smallest, of the orders' if what == 'orders' else 'rpl / ' + what}, "
              f"{len(values)} programs: {distribution([v[0] for v in values])}"
              + (f"; {what} took more than {SECONDS} s for {late[what]} others" if late.get(what) else ""))
        for value, family, seed in sorted(values, reverse=True)[:10]:
            print(f"  {value:8.3f}  {family} {seed}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
