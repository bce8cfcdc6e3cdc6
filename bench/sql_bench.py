#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs as SQL on a private PostgreSQL server, next to rpl: the table of docs/scale.md.

usage: bench/sql_bench.py [RPL] [FOLDER] [--runs N]

RPL is build/rpl and FOLDER, of bench_generate, build/bench-data by default. The programs are `tc`,
a transitive closure, and `pt`, whose two relations need each other; of `tc` the one recursive rule
is a WITH RECURSIVE, and with a rule beside it that derives nothing a loop. Times are wall times of
a whole process: for PostgreSQL psql with the script, which loads the facts and counts the rows, for
rpl reading the program and the facts and counting. The least of the runs (3). The server has the
settings of tests: no fsync, 128 MB of buffers and, as said in the table, 1 GB of work_mem.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "shell"))
sys.dont_write_bytecode = True
from postgres_cluster import Cluster  # noqa: E402


def start_server():
    cluster = Cluster.private("synchronous_commit=off", "full_page_writes=off", "jit=off",
                              "work_mem=1GB")
    os.environ.update(PGHOST=cluster.folder, PGUSER="postgres", PGDATABASE="postgres")
    return cluster


def run(command, runs, before=lambda: None):
    """The least wall time of the command, and what it prints."""
    least, out = float("inf"), ""
    for _ in range(runs):
        before()
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        least = min(least, time.monotonic() - begin)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr[-2000:]}")
        out = done.stdout.strip()
    return least, out


def drop_schema():
    subprocess.run(["psql", "-X", "-q", "-c", "DROP SCHEMA IF EXISTS bench CASCADE"],
                   capture_output=True, check=True)


def by_server(rpl, program, runs, folder):
    script = subprocess.run([rpl, "sql", program, "--schema", "bench"], capture_output=True, text=True)
    if script.returncode != 0:
        sys.exit(script.stderr)
    file = folder / "script.sql"
    file.write_text(script.stdout)
    seconds, out = run(["psql", "-X", "-q", "-A", "-t", "-f", file], runs, drop_schema)
    drop_schema()
    return seconds, out


def rows_of(text):
    return sum(map(int, re.findall(r"\d+", text.splitlines()[-1])))


def main():
    arguments = sys.argv[1:]
    runs = 3
    if "--runs" in arguments:
        at = arguments.index("--runs")
        runs = int(arguments[at + 1])
        del arguments[at:at + 2]
    rpl = str(pathlib.Path(arguments[0] if arguments else ROOT / "build/rpl").resolve())
    data = pathlib.Path(arguments[1] if len(arguments) > 1 else ROOT / "build/bench-data")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rpl-sql-bench-"))
    server = start_server()
    try:
        facts = {name: (data / f"{name}.rpl").read_text() for name in ("tc", "pt")}
        closure = ("reach(?x, ?y) <- edge(?x, ?y)\n"
                   "reach(?x, ?z) <- reach(?x, ?y), edge(?y, ?z)\n")
        beside = "reach(?x, ?z) <- reach(?x, ?y), reach(?y, ?z), nothing(?x)\nnothing(-1)\n"
        count = "%n(?n) <- ?n = |reach(_, _)|\n"
        programs = {"tc": facts["tc"] + closure + count,
                    "tc as a loop": facts["tc"] + closure + beside + count,
                    "pt": facts["pt"] + (ROOT / "bench/programs/pt.rpl").read_text()}
        print("| program | rows | rpl | PostgreSQL | statement | ratio |\n|---|---:|---:|---:|---|---:|")
        for name, text in programs.items():
            program = folder / "program.rpl"
            program.write_text(text)
            here, answers = run([rpl, "run", program], runs)
            there, rows = by_server(rpl, program, runs, folder)
            if rows_of(answers) != rows_of(rows):
                sys.exit(f"{name}: rpl says {answers}, PostgreSQL {rows}")
            script = (folder / "script.sql").read_text()
            how = "`DO` loop" if "LOOP" in script else "`WITH RECURSIVE`"
            print(f"| {name} | {rows_of(rows):,} | {here:.2f} s | {there:.2f} s | {how} |"
                  f" {there / here:.0f} |", flush=True)
    finally:
        server.end()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
