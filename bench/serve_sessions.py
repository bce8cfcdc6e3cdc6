#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: bench/serve_sessions.py RPL [SESSIONS [SEED]]

Many sessions over workers that are killed, and how many sessions a second workers end.

A private PostgreSQL server with fsync, on a Unix socket, is started in a temporary folder (as the
user postgres, where this one is root). Then

 1. SESSIONS runs (default 10,000) of a protocol with one call of a tool are begun. Four processes of
    `rpl serve` do their turns. Every second or so one is killed by SIGKILL and started again, and
    the server crashes and is started again twice. Of a call that a kill left in doubt, this program
    finds out from the tool's own list whether it ran, and answers or retries, as an operator would.
    Then: each run has ended, no call ran twice, none is missing, and `rpl trace verify` finds every
    session sound.
 2. With one, two and four processes: sessions ended per second, of runs without a tool, with one
    question that is answered when they are begun.
 3. With two processes: the time from a request to its answer with the report, of the same runs one
    after the other; with both idle, and with the one that is asked busy, so that the other does the
    turn.

With 0 SESSIONS the first part is left out.

The last line is `N passed, N failed`."""
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "shell"))
sys.dont_write_bytecode = True
from postgres_cluster import Cluster  # noqa: E402
from serve_client import Worker  # noqa: E402

RPL = os.path.realpath(sys.argv[1])
SESSIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
RANDOM = random.Random(SEED)
KILLS_EVERY = 1.0  # seconds
passed = failed = 0

FILES = {
    "job.md": """# Job - %done(?job, ?reply) <- job(?job), ?reply = $work(?job)

# Work - $work(?job)
""",
    "ask.md": """# Ask - %asked(?name) <- name(?name)

## Name - name($name)

Whose job is it?
""",
    "rpl.yaml": """version: 1
tools:
  work: {command: [./work.sh], permission: allow}
  hold: {command: [./hold.sh], permission: allow}
""",
    "hold.md": """# Hold - %held(?reply) <- ?reply = $hold("all")

# Hold - $hold(?what)
""",
    "hold.sh": r"""#!/bin/sh
read -r request
while [ ! -e go ]; do sleep 0.1; done
id=${request#*\"id\":\"}
printf '{"id":"%s","result":"held"}\n' "${id%%\"*}"
""",
    # The job is the only argument. The line is one write, so lines do not mix.
    "work.sh": r"""#!/bin/sh
read -r request
id=${request#*\"id\":\"}
job=${request#*\"args\":\[}
echo "${job%%]*}" >>calls
printf '{"id":"%s","result":"done"}\n' "${id%%\"*}"
""",
}


def check(name, holds, about=""):
    global passed, failed
    if holds:
        passed += 1
        print(f"ok: {name}")
    else:
        failed += 1
        print(f"FAILED: {name}: {about}")
    sys.stdout.flush()


def states(cluster):
    rows = cluster.sql("SELECT state, count(*) FROM rpl_run GROUP BY state")
    return dict((line.split("|")[0], int(line.split("|")[1])) for line in rows.splitlines())


def begin(ask, bodies):
    """Begins runs over eight connections; their sessions in order."""
    def one(numbered):
        number, body = numbered
        while True:
            try:
                status, run, _ = ask().request("POST", "/v1/runs", body,
                                               Idempotency_Key=f"{SEED}-{body['protocol']}-{number}")
                if status in (200, 201):
                    return run["session"]
            except OSError:
                pass
            time.sleep(0.05)
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(one, enumerate(bodies)))


class Killed:
    """Four workers, of which one after the other is killed and started again."""

    def __init__(self, cluster, folder):
        self.start = lambda: Worker(RPL, cluster.url, [folder], "--allow-tool", "work", "--lease",
                                    "2", "--workers", "2", "--max-ready", "0")
        self.workers = [self.start() for _ in range(4)]
        self.kills = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.kill_some)
        self.thread.start()

    def any(self):
        return self.workers[RANDOM.randrange(4)]

    def kill_some(self):
        while not self.over.wait(RANDOM.uniform(0, 2 * KILLS_EVERY)):
            victim = RANDOM.randrange(4)
            self.workers[victim].kill()
            self.kills += 1
            worker = self.start()
            while worker.port is None:  # the database is away
                worker = self.start()
            self.workers[victim] = worker

    def end(self):
        self.over.set()
        self.thread.join()
        for worker in self.workers:
            worker.end()


def settle_doubts(workers, cluster, folder):
    """Answers for calls in doubt that ran, and retries those that did not; how many."""
    rows = cluster.sql("SELECT session FROM rpl_run WHERE state = 'waiting'").split()
    with open(folder + "/calls") as file:
        ran = set(re.findall(r'"([^"]*)"', file.read()))
    for session in rows:
        try:
            _, run, _ = workers.any().request("GET", f"/v1/runs/{session}")
            pending = run["report"]["pending"][0]
            job = pending["arguments"][0]
            body = {"answers": {pending["key"]: "done"}} if job in ran else {"retry": ["work"]}
            workers.any().request("POST", f"/v1/runs/{session}/inputs", body,
                                  Idempotency_Key=f"doubt-{run['inputs']['given']}")
        except (OSError, KeyError, IndexError, TypeError):
            continue
    return len(rows)


def survive(cluster, folder):
    workers = Killed(cluster, folder)
    began = time.monotonic()
    beginning = threading.Thread(target=begin, args=(
        workers.any, [{"protocol": "job.md", "facts": [f'job("j{i}")']} for i in range(SESSIONS)]))
    beginning.start()
    restarts = doubts = 0
    shown = 0
    while True:
        time.sleep(1)
        try:
            now = states(cluster)
        except subprocess.CalledProcessError:
            continue
        ended = now.get("ended", 0)
        if ended * 10 // SESSIONS > shown:
            shown = ended * 10 // SESSIONS
            print(f"  {ended} of {SESSIONS} have ended after {time.monotonic() - began:.0f} s, "
                  f"{workers.kills} kills, {doubts} calls in doubt")
            sys.stdout.flush()
        if restarts < 2 and ended > SESSIONS * (restarts + 1) / 3:
            restarts += 1
            cluster.stop("immediate")
            time.sleep(1)
            cluster.start()
        if not beginning.is_alive() and ended == SESSIONS:
            break
        if now.get("refused", 0):
            break
        if now.get("waiting", 0):
            doubts += settle_doubts(workers, cluster, folder)
        if time.monotonic() - began > 600 + SESSIONS / 5:
            break
    seconds = time.monotonic() - began
    workers.end()
    now = states(cluster)
    check(f"each of {SESSIONS} runs has ended", now == {"ended": SESSIONS}, now)
    satisfied = cluster.sql("SELECT count(*) FROM rpl_run WHERE report LIKE '%\"satisfied\"%'")
    check("each is satisfied", int(satisfied) == SESSIONS, satisfied)
    with open(folder + "/calls") as file:
        calls = file.read().split()
    check("no call ran twice", len(calls) == len(set(calls)), len(calls) - len(set(calls)))
    check("no call is missing", len(set(calls)) == SESSIONS, len(set(calls)))
    sessions = cluster.sql("SELECT session FROM rpl_run ORDER BY session").split()
    twice = cluster.sql("SELECT count(*) FROM (SELECT session FROM rpl_event WHERE kind = 'started' "
                        "GROUP BY session, body HAVING count(*) > 1) twice")
    unsound = verify(cluster, sessions)
    check("`rpl trace verify` finds each session sound", not unsound, unsound[:3])
    print(f"{SESSIONS} sessions in {seconds:.0f} s with 4 processes, {workers.kills} kills, "
          f"{restarts} restarts of the server, {doubts} looks at calls in doubt, "
          f"{twice} calls made again after a word about them")


def verify(cluster, sessions):
    def one(session):
        url = cluster.url.replace("?", f"/{session}?")
        ended = subprocess.run([RPL, "trace", "verify", url], capture_output=True, text=True)
        return None if ended.returncode == 0 else (session, ended.stdout + ended.stderr)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [wrong for wrong in pool.map(one, sessions) if wrong]


def speed(cluster, folder, processes, count):
    cluster.sql("TRUNCATE rpl_run, rpl_input, rpl_request, rpl_session, rpl_event")
    front = Worker(RPL, cluster.url, [folder], "--workers", "1", "--max-ready", "0")
    bodies = [{"protocol": "ask.md", "answers": {"name": f"n{i}"}, "after": 3} for i in range(count)]
    begin(lambda: front, bodies)
    front.end()
    cluster.sql("UPDATE rpl_run SET due = now() + interval '1 day'; ANALYZE")
    workers = [Worker(RPL, cluster.url, [folder], "--workers", "2") for _ in range(processes)]
    cluster.sql("UPDATE rpl_run SET due = now()")
    began = time.monotonic()
    while states(cluster).get("ended", 0) < count and time.monotonic() - began < 600:
        time.sleep(0.1)
    seconds = time.monotonic() - began
    for worker in workers:
        worker.end()
    check(f"{processes} processes end all", states(cluster) == {"ended": count}, states(cluster))
    return count / seconds


def delays(cluster, folder, busy, count):
    """Milliseconds from the request to its answer, in order of size."""
    cluster.sql("TRUNCATE rpl_run, rpl_input, rpl_request, rpl_session, rpl_event")
    start = lambda: Worker(RPL, cluster.url, [folder], "--allow-tool", "hold", "--workers", "1")
    asked = start()
    if busy:
        asked.request("POST", "/v1/runs", {"protocol": "hold.md"})
        while cluster.sql("SELECT count(*) FROM rpl_run WHERE owner IS NOT NULL") != "1":
            time.sleep(0.05)
    other = start()
    times = []
    for i in range(count):
        time.sleep(RANDOM.uniform(0, 0.05))  # not in step with the other worker
        began = time.monotonic()
        status, run, _ = asked.request("POST", "/v1/runs?wait=30",
                                       {"protocol": "ask.md", "answers": {"name": f"n{i}"}})
        times.append((time.monotonic() - began) * 1000)
        if status != 201 or run["state"] != "ended":
            check("a run ends while its request waits", False, run)
    open(folder + "/go", "w").close()
    asked.end()
    other.end()
    os.remove(folder + "/go")
    return sorted(times)


def main():
    with tempfile.TemporaryDirectory(prefix="rpl-serve-") as place:
        os.chmod(place, 0o755)
        folder = place + "/protocols"
        os.mkdir(folder)
        for name, text in FILES.items():
            with open(f"{folder}/{name}", "w") as file:
                file.write(text)
        os.chmod(folder + "/work.sh", 0o755)
        os.chmod(folder + "/hold.sh", 0o755)
        open(folder + "/calls", "w").close()
        cluster = Cluster.private("fsync=on", "max_connections=200")
        try:
            if SESSIONS > 0:
                survive(cluster, folder)
            else:
                Worker(RPL, cluster.url, [folder]).end()  # which makes the tables
            count = max(200, min(2_000, SESSIONS // 5))
            print(f"| processes | sessions a second, of {count} |\n|---|---|")
            for processes in (1, 2, 4):
                print(f"| {processes} | {speed(cluster, folder, processes, count):.0f} |")
            print("| delay in ms | p50 | p99 |\n|---|---|---|")
            for busy in (False, True):
                times = delays(cluster, folder, busy, 300)
                print(f"| {'the asked one is busy' if busy else 'both idle'} "
                      f"| {times[len(times) // 2]:.0f} | {times[len(times) * 99 // 100]:.0f} |")
        finally:
            cluster.end()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
