#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: bench/session_costs.py RPL [SESSIONS]

What a session costs, for docs/scale.md: of runs with 1, 10 and 100 steps, each a question that is
answered by a request of its own, and of runs with 10 calls of a tool,

  in files      by `rpl mcp`: sessions a second, CPU time, bytes of file, memory of an open run; and by
                `rpl run`, one process for each
  in a database by `rpl serve` with one process, two workers, and one client: sessions a second, CPU
                time of the worker and of the server, rows, bytes and write-ahead log, statements

A private PostgreSQL server with fsync, on a Unix socket, is started in a temporary folder. SESSIONS
(default 200) are run of 1 step, and fewer of the longer ones. Then the same is multiplied: a table for
10,000, 100,000 and 1,000,000 sessions of 10 steps a day."""
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "shell"))
sys.dont_write_bytecode = True
from mcp_client import Server  # noqa: E402
from postgres_cluster import Cluster  # noqa: E402
from serve_client import Worker  # noqa: E402

RPL = os.path.realpath(sys.argv[1])
SESSIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
TICK = 1000 / os.sysconf("SC_CLK_TCK")  # milliseconds
STEPS = (1, 10, 100)
PEAK = 5  # times the mean, in the table
DAYS = 30


def steps(count):
    """A protocol that asks so many questions, one after the other."""
    lines = [f"%steps(?x) <- step({count}, ?x)", "step(0, nil)",
             "step(?n, ?x) <- step(?m, ?y), ?n = ?m + 1, question(?n, ?text), ?x = $ask(?text)"]
    lines += [f'question({i}, "Question {i}?")' for i in range(1, count + 1)]
    return "\n".join(lines) + "\n"


CALLS = """%calls(?x) <- call(10, ?x)
call(0, nil)
call(?n, ?x) <- call(?m, ?y), ?m < 10, ?n = ?m + 1, ?x = $note(?n)
"""
NOTE = r"""#!/bin/sh
read -r request
id=${request#*\"id\":\"}
printf '{"id":"%s","result":"noted"}\n' "${id%%\"*}"
"""
CONFIG = "version: 1\ntools:\n  note: {command: [./note.sh], permission: allow}\n"


def cpu_of(pid):
    """Milliseconds of a process and of its children that have ended."""
    with open(f"/proc/{pid}/stat") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return sum(map(int, words[11:15])) * TICK


def cpu_of_server(cluster):
    with open(cluster.folder + "/data/postmaster.pid") as file:
        first = int(file.readline())
    total = cpu_of(first)
    for pid in subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True).stdout.split():
        try:
            total += cpu_of(pid)
        except OSError:
            pass
    return total


def memory_of(pid):
    """Bytes of memory that the process alone has."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_")) * 1024


def bytes_in(folder):
    """Of its sessions, as they are when they are closed."""
    for name in os.listdir(folder):
        if name.endswith("-wal"):
            base = sqlite3.connect(os.path.join(folder, name[:-4]))
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            base.close()
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))


def sessions_for(kind):
    return max(5, SESSIONS // kind) if isinstance(kind, int) else max(5, SESSIONS // 5)


# --- Files -------------------------------------------------------------------------------------------

def in_files(folder, kind):
    """By `rpl mcp` on a pipe, with one client."""
    count = sessions_for(kind)
    protocol = f"steps{kind}.rpl"
    runs = os.path.join(folder, f"runs-{kind}")
    server = Server(RPL, "mcp", folder + "/protocols", "--sessions", runs)
    server.initialize("2025-06-18")

    def one(i):
        result = server.call("rpl_run", {"protocol": protocol, "request_id": str(i)})
        session = result["structuredContent"]["session"]
        for step in range(kind):
            result = server.call("rpl_answer", {"session": session, "answers": {"ask": step}})
        assert result["structuredContent"]["status"] == "satisfied", result

    one("first")
    memory, cpu, began = memory_of(server.process.pid), cpu_of(server.process.pid), time.monotonic()
    for i in range(count):
        one(i)
    seconds = time.monotonic() - began
    cpu = cpu_of(server.process.pid) - cpu
    opened = min(count, 63)  # the others were closed again
    memory = (memory_of(server.process.pid) - memory) / opened
    server.close()
    return (f"| `rpl mcp`, {kind} step{'s' * (kind > 1)} | {count / seconds:.0f} | {cpu / count:.1f} ms | "
            f"{bytes_in(runs) / (count + 1) / 1000:.0f} kB | {memory / 1000:.0f} kB |")


def by_processes(folder):
    count = SESSIONS // 2
    before, began = os.times(), time.monotonic()
    for i in range(count):
        subprocess.run([RPL, "run", folder + "/protocols/steps1.rpl", "--session", f"{folder}/own-{i}",
                        "--answer", f"ask={i}"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds, after = time.monotonic() - began, os.times()
    cpu = 1000 * (after.children_user + after.children_system - before.children_user -
                  before.children_system)
    size = sum(os.path.getsize(f"{folder}/own-{i}") for i in range(count)) / count
    return f"| `rpl run`, 1 step | {count / seconds:.0f} | {cpu / count:.1f} ms | {size / 1000:.0f} kB | – |"


# --- The database ------------------------------------------------------------------------------------

TABLES = ("rpl_run", "rpl_input", "rpl_request", "rpl_session", "rpl_event")


def statements(cluster):
    with open(cluster.folder + "/log") as file:
        return sum("execute <unnamed>" in line or "statement:" in line for line in file)


def in_database(cluster, folder, kind):
    """With one client; a dictionary of what one session took."""
    count = sessions_for(kind)
    cluster.sql("TRUNCATE " + ", ".join(TABLES))
    start = lambda: Worker(RPL, cluster.url, [folder + "/protocols"], "--allow-tool", "note")

    def one(i):
        protocol = f"steps{kind}.rpl" if isinstance(kind, int) else "calls.rpl"
        status, run, _ = worker.request("POST", "/v1/runs?wait=60", {"protocol": protocol},
                                        Idempotency_Key=f"k{i}")
        assert status == 201, run
        for step in range(kind if isinstance(kind, int) else 0):
            _, run, _ = worker.request("POST", f"/v1/runs/{run['session']}/inputs?wait=60",
                                       {"answers": {"ask": step}}, Idempotency_Key=str(step))
        assert run["report"]["status"] == "satisfied", run

    # Statements are counted by themselves: a server that logs them all has more to do.
    cluster.sql("ALTER DATABASE postgres SET log_statement = 'all'")
    worker = start()
    one("first")
    sent = statements(cluster)
    one("second")
    sent = statements(cluster) - sent
    worker.end()
    cluster.sql("ALTER DATABASE postgres RESET log_statement")
    worker = start()
    one("third")
    cluster.sql("CHECKPOINT")
    cluster.sql("VACUUM ANALYZE")
    log = cluster.sql("SELECT pg_current_wal_insert_lsn()")
    cpu, server = cpu_of(worker.process.pid), cpu_of_server(cluster)
    began = time.monotonic()
    for i in range(count):
        one(i)
    seconds = time.monotonic() - began
    out = {"sessions a second": count / seconds,
           "worker": (cpu_of(worker.process.pid) - cpu) / count,
           "server": (cpu_of_server(cluster) - server) / count,
           "statements": sent,
           "log": float(cluster.sql(f"SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '{log}')")) / count}
    worker.end()
    cluster.sql("VACUUM FULL")
    rows = "+".join(f"(SELECT count(*) FROM {table})" for table in TABLES)
    size = "+".join(f"pg_total_relation_size('{table}')" for table in TABLES)
    out["rows"] = float(cluster.sql(f"SELECT {rows}")) / (count + 3)
    out["bytes"] = float(cluster.sql(f"SELECT {size}")) / (count + 3)
    return out


def main():
    with tempfile.TemporaryDirectory(prefix="rpl-costs-") as folder:
        os.chmod(folder, 0o755)
        os.mkdir(folder + "/protocols")
        files = {f"steps{kind}.rpl": steps(kind) for kind in STEPS}
        files.update({"calls.rpl": CALLS, "note.sh": NOTE, "rpl.yaml": CONFIG})
        for name, text in files.items():
            with open(f"{folder}/protocols/{name}", "w") as file:
                file.write(text)
            os.chmod(f"{folder}/protocols/{name}", 0o755)
        print("| in files | sessions a second | CPU | file | memory of an open run |\n"
              "|---|---:|---:|---:|---:|")
        print(by_processes(folder))
        for kind in STEPS:
            print(in_files(folder, kind))
            sys.stdout.flush()
        cluster = Cluster.private("fsync=on", "max_connections=100")
        try:
            Worker(RPL, cluster.url, [folder + "/protocols"]).end()  # which makes the tables
            print("\n| in a database | sessions a second | CPU of workers | CPU of the server | statements "
                  "| rows | on disk | write-ahead log |\n|---|---:|---:|---:|---:|---:|---:|---:|")
            costs = {}
            for kind in (*STEPS, "calls"):
                cost = costs[kind] = in_database(cluster, folder, kind)
                name = f"{kind} step{'s' * (kind != 1)}" if isinstance(kind, int) else "10 tool calls"
                print(f"| {name} | {cost['sessions a second']:.1f} | {cost['worker']:.1f} ms | "
                      f"{cost['server']:.1f} ms | {cost['statements']:.0f} | {cost['rows']:.0f} | "
                      f"{cost['bytes'] / 1000:.1f} kB | {cost['log'] / 1000:.1f} kB |")
                sys.stdout.flush()
            print(f"\n| sessions of 10 steps a day | a second, at {PEAK} times the mean | vCPU of workers | "
                  f"vCPU of the server | statements a second | log a day | on disk after {DAYS} days |\n"
                  "|---:|---:|---:|---:|---:|---:|---:|")
            cost = costs[10]
            for day in (10_000, 100_000, 1_000_000):
                rate = PEAK * day / 86_400
                print(f"| {day:,} | {rate:.1f} | {rate * cost['worker'] / 1000:.2f} | "
                      f"{rate * cost['server'] / 1000:.2f} | {rate * cost['statements']:,.0f} | "
                      f"{day * cost['log'] / 1e9:.1f} GB | {DAYS * day * cost['bytes'] / 1e9:,.0f} GB |")
        finally:
            cluster.end()


main()
