# SPDX-License-Identifier: Apache-2.0
"""usage: serve_cases.py RPL FOLDER

Workers of `rpl serve` over a private PostgreSQL server (shell/serve_test.sh)."""
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

from mcp_client import case, check, run_cases
from postgres_cluster import Cluster
from serve_client import Worker, until

RPL, FOLDER = sys.argv[1:3]
CLUSTER = Cluster.of_script()

FILES = {
    "trip.md": """# Trip - %trip(?where, ?nights) <- place(?where), nights(?nights)

Book it.

## Where to? - place($where)

The town.

```rpl
nights(3)
```
""",
    "note.md": """# Note - $note(?text)

# Done - %done(?reply) <- ?reply = $note("once")
""",
    "slow.md": """# Slow - $slow(?text)

# Done - %done(?reply) <- ?reply = $slow("once")
""",
    "price.md": """# Cheap - %cheap(?what) <- price(?what, ?n), ?n < 10

```rpl
price("silk", 90)
price(_, _) ^ ~ {:by ?who} -> ?who in #{:program :host}
```
""",
    "endless.md": """# Count - n(?y) <- n(?x), ?y = ?x + 1

# Done - %done <- n(-1)

```rpl
n(0)
```
""",
    "wrong.md": """# Wrong - %wrong(?x) <- item(?x), (
""",
    "rpl.yaml": """version: 1
tools:
  note: {command: [./note.sh], permission: allow}
  slow: {command: [./slow.sh], permission: allow}
""",
    "note.sh": r"""#!/bin/sh
read -r request
echo note >>calls
id=${request#*\"id\":\"}
printf '{"id":"%s","result":"noted"}\n' "${id%%\"*}"
""",
    "slow.sh": r"""#!/bin/sh
read -r request
echo slow >>calls
while [ ! -e go ]; do sleep 0.05; done
id=${request#*\"id\":\"}
printf '{"id":"%s","result":"slow"}\n' "${id%%\"*}"
""",
}


class Place:
    """A folder of protocols, a database and workers over both."""

    made = 0

    def __init__(self):
        Place.made += 1
        self.folder = f"{FOLDER}/p{Place.made}"
        os.mkdir(self.folder)
        for name, text in FILES.items():
            with open(f"{self.folder}/{name}", "w") as file:
                file.write(text)
            if name.endswith(".sh"):
                os.chmod(f"{self.folder}/{name}", 0o755)
        self.store, self.database = CLUSTER.database()
        self.workers = []

    def worker(self, *options):
        worker = Worker(RPL, self.store, [self.folder], "--allow-tool", "note", "--allow-tool",
                        "slow", *options)
        check(worker.port is not None, "a worker does not start:", "".join(worker.log))
        self.workers.append(worker)
        return worker

    def calls(self):
        try:
            with open(f"{self.folder}/calls") as file:
                return file.read().split()
        except FileNotFoundError:
            return []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        open(f"{self.folder}/go", "w").close()
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.kill()


def begin(worker, protocol, wait=30, **body):
    status, run, _ = worker.request("POST", f"/v1/runs?wait={wait}", {"protocol": protocol, **body})
    check(status == 201, "begin", protocol, status, run)
    return run


@case
def a_question_is_answered_and_the_goal_is_reached():
    with Place() as place:
        worker = place.worker()
        run = begin(worker, "trip.md")
        check(run["state"] == "waiting" and not run["working"], run)
        check([q["key"] for q in run["report"]["pending"]] == ["where"], run)
        status, run, _ = worker.request("POST", f"/v1/runs/{run['session']}/inputs?wait=30",
                                        {"answers": {"where": "Lucca"}})
        check(status == 200 and run["state"] == "ended", status, run)
        check(run["report"]["status"] == "satisfied", run)
        check(run["report"]["answers"] == [{"?where": "Lucca", "?nights": 3}], run)
        check(run["inputs"] == {"given": 1, "taken": 1}, run)
        status, again, _ = worker.request("GET", f"/v1/runs/{run['session']}")
        check(status == 200 and again == run, again)
        status, trace, _ = worker.request("GET", f"/v1/runs/{run['session']}/trace")
        check(status == 200 and '"Lucca"' in trace, trace)


@case
def a_model_answers_what_its_scope_names():
    with Place() as place:
        with open(f"{place.folder}/model.sh", "w") as file:
            file.write(FILES["note.sh"].replace("noted", "Lucca"))
        os.chmod(f"{place.folder}/model.sh", 0o755)
        with open(f"{place.folder}/rpl.yaml", "a") as file:
            file.write("model: {provider: command, command: [./model.sh], answers: [where], "
                       "permission: allow}\n")
        run = begin(place.worker("--allow-tool", "model"), "trip.md")
        check(run["state"] == "ended" and run["report"]["status"] == "satisfied", run)
        check(run["report"]["answers"] == [{"?where": "Lucca", "?nights": 3}], run)


@case
def a_goal_has_its_sign_or_not():
    with Place() as place:
        worker = place.worker()
        for goal in ("trip", "%trip", "%"):
            run = begin(worker, "trip.md", goal=goal)
            check(run["state"] == "waiting", goal, run)
        run = begin(worker, "trip.md", goal="%trap")
        check(run["state"] == "refused", run)
        check(run["report"]["error"] == "no goal of trip.md is named %trap", run)


@case
def the_places_of_a_trace_have_the_name_of_the_protocol():
    with Place() as place:
        with open(f"{place.folder}/rule.md", "w") as file:
            file.write("# Rule - %rule(?x) <- item(?x)\n\n```rpl\nitem(7)\nitem(?x), ?x > 5 -> false\n```\n")
        worker = place.worker()
        run = begin(worker, "rule.md")
        _, trace, _ = worker.request("GET", f"/v1/runs/{run['session']}/trace")
        check("at rule.md:5:1" in trace, trace)


@case
def answers_facts_and_retractions_are_taken_in_order():
    with Place() as place:
        worker = place.worker()
        run = begin(worker, "price.md", facts=['price("tea", 12)'])
        check(run["state"] == "ended" and run["report"]["status"] == "unsatisfied", run)
        path = f"/v1/runs/{run['session']}/inputs?wait=30"
        _, run, _ = worker.request("POST", path, {
            "facts": ['price("jam", 4)'], "source": "the shop"})
        check(run["report"]["answers"] == [{"?what": "jam"}], run)
        _, run, _ = worker.request("POST", path, {"retract": {"facts": ['price("jam", 4)']}})
        check(run["report"]["status"] == "unsatisfied", run)
        _, run, _ = worker.request("POST", path, {"facts": ["price(?x, 4)"]})
        check(run["report"]["faults"][0]["input"] == 4, run)
        check("without variables" in run["report"]["faults"][0]["error"], run)


@case
def a_request_with_the_same_key_is_the_same_run_and_the_same_input():
    with Place() as place:
        worker, other = place.worker(), place.worker()
        body = {"protocol": "trip.md"}
        status, run, headers = worker.request("POST", "/v1/runs", body, Idempotency_Key="k1")
        check(status == 201, status)
        check(headers.get("Location") == f"/v1/runs/{run['session']}", headers)
        status, again, _ = other.request("POST", "/v1/runs?wait=30", body, Idempotency_Key="k1")
        check(status == 200 and again["session"] == run["session"], status, again)
        path = f"/v1/runs/{run['session']}/inputs?wait=30"
        for _ in range(2):
            _, run, _ = other.request("POST", path, {"answers": {"where": "Bari"}},
                                      Idempotency_Key="a1")
        check(run["inputs"]["given"] == 1 and run["state"] == "ended", run)


@case
def requests_that_cannot_be_taken_say_why():
    with Place() as place:
        worker = place.worker()
        run = begin(worker, "trip.md")
        path = f"/v1/runs/{run['session']}/inputs"
        for method, where, body, expected, words in [
                ("POST", "/v1/runs", {"protocol": "none.md"}, 400, "no protocol `none.md`"),
                ("POST", "/v1/runs", {}, 400, "`protocol` is missing"),
                ("POST", "/v1/runs", {"protocol": "trip.md", "x": 1}, 400, "no member `x`"),
                ("POST", "/v1/runs", {"protocol": 7}, 400, "`protocol` is a text"),
                ("POST", "/v1/runs", {"protocol": "trip.md", "every": -1}, 400, "whole number"),
                ("POST", "/v1/runs", '{"protocol":"a","protocol":"b"}', 400, "protocol"),
                ("POST", "/v1/runs", "{", 400, ""),
                ("POST", "/v1/runs", "[]", 400, "the body is an object"),
                ("POST", "/v1/runs?wait=x", {"protocol": "trip.md"}, 400, "`wait`"),
                ("POST", "/v1/runs?wait=-1", {"protocol": "trip.md"}, 400, "`wait`"),
                ("POST", "/v1/runs?wiat=1", {"protocol": "trip.md"}, 400,
                 "no parameter `wiat`; there are `wait`"),
                ("POST", "/v1/runs?wait=1&wait=2", {"protocol": "trip.md"}, 400, "`wait` is given twice"),
                ("POST", "/v1/runs", {"protocol": "note.md", "retry": ["nte"]}, 400,
                 "no tool `nte`; there are `note`, `slow`, `index`, `write`"),
                ("POST", "/v1/runs", {"protocol": "trip.md", "gaol": "trip"}, 400,
                 "no member `gaol`; there are `protocol`, `goal`, `after`, `every`, `answers`,"),
                ("POST", path, {"retry": ["nte"]}, 400, "no tool `nte`; there are `note`,"),
                ("POST", path, {"retract": {"fact": []}}, 400,
                 "no member `retract.fact`; there are `retract.facts`, `retract.answers`"),
                ("POST", path, {"retract": {"facts": [1]}}, 400, "`retract.facts` is a list of texts"),
                ("POST", path + "?x=1", {}, 400, "no parameter `x`; there are `wait`"),
                ("GET", f"/v1/runs/{run['session']}?state=ended", None, 400, "no parameter `state`"),
                ("GET", f"/v1/runs/{run['session']}/trace?wait=1", None, 400, "no parameter `wait`"),
                ("GET", "/v1/protocols?limit=1", None, 400, "no parameter `limit`"),
                ("GET", "/v1/runs?state=foo", None, 400,
                 "no state `foo`; there are `ready`, `waiting`, `ended`, `refused`"),
                ("GET", "/v1/runs?stat=ended", None, 400,
                 "no parameter `stat`; there are `state`, `after`, `limit`"),
                ("GET", "/v1/runs?limit=abc", None, 400, "`limit` is a whole number from 1 to 1000"),
                ("GET", "/v1/runs?limit=1.5", None, 400, "`limit`"),
                ("GET", "/v1/runs?limit=1001", None, 400, "`limit`"),
                ("GET", "/v1/runs?limit=", None, 400, "`limit`"),
                ("POST", path, {"answers": []}, 400, "`answers` is an object"),
                ("POST", path, {"errors": {"a": 1}}, 400, "`errors`"),
                ("POST", path, {"facts": [1]}, 400, "`facts` is a list"),
                ("POST", path, {"by": "nobody"}, 400, "`by`"),
                ("POST", path, {"retract": {"rows": []}}, 400, "no member `retract.rows`"),
                ("POST", path, {"answer": {}}, 400, "no member `answer`"),
                ("POST", "/v1/runs/s_x/inputs", {}, 404, "no such run"),
                ("GET", "/v1/runs/s_x", None, 404, "no such run"),
                ("GET", "/v1/runs/s_x/trace", None, 404, "no such run"),
                ("GET", "/v1/runs?limit=0", None, 400, "`limit`"),
                ("DELETE", "/v1/runs", None, 405, "GET and POST"),
                ("GET", path, None, 405, "another method"),
                ("GET", "/nothing", None, 404, "nothing here")]:
            status, answer, _ = worker.request(method, where, body)
            check(status == expected and words in answer["error"], method, where, body, status,
                  answer)
        status, _, _ = worker.request("POST", "/v1/runs", "protocol=trip", Content_Type="text/plain")
        check(status == 415, status)
        status, _, _ = worker.request("GET", "/healthz", Host="evil.example")
        check(status == 403, status)


@case
def what_is_known_is_taken_and_probes_may_add_to_the_query():
    with Place() as place:
        worker = place.worker()
        run = begin(worker, "note.md", retry=["note", "write"])
        path = f"/v1/runs/{run['session']}"
        check(worker.request("POST", path + "/inputs?wait=30", {"retry": ["slow"]})[0] == 200)
        for where in ("/v1/runs?state=ended&limit=1000&after=", "/v1/runs?", "/v1/runs?%73tate=ended&",
                      path + "?wait=0", "/healthz?probe=1", "/readyz?_=2", "/metrics?a"):
            check(worker.request("GET", where)[0] == 200, where)


@case
def a_body_that_is_too_large_has_an_answer():
    with Place() as place:
        worker = place.worker()
        large = b'{"protocol":"' + b"x" * (17 << 20) + b'"}'
        for body in (large, iter([large[:1000], large[1000:]])):
            connection = http.client.HTTPConnection("127.0.0.1", worker.port, timeout=60)
            connection.request("POST", "/v1/runs", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
            check(answer.status == 413 and "more than 16 MiB" in text, answer.status, text)
            connection.close()
        # So has one that is refused for another reason before its body is read.
        status, text, _ = worker.request("POST", "/v1/runs", large[:15 << 20],
                                         Content_Type="text/plain")
        check(status == 415, status, text)
        check(worker.request("GET", "/v1/runs")[0] == 200)


@case
def a_protocol_with_errors_is_refused_with_its_findings():
    with Place() as place:
        run = begin(place.worker(), "wrong.md")
        check(run["state"] == "refused" and run["report"]["findings"], run)


@case
def a_turn_that_is_always_cut_off_is_refused_in_the_end():
    with Place() as place:
        worker = place.worker("--max-time", "1", "--max-rounds", "0", "--max-rows", "0")
        run = begin(worker, "endless.md", wait=0)
        path = f"/v1/runs/{run['session']}"
        check(until(lambda: 'rpl_turns_total{status="postponed"}' in
                    worker.request("GET", "/metrics")[1]))
        check(worker.request("GET", path)[1]["state"] == "ready")
        CLUSTER.sql("UPDATE rpl_run SET attempts = 20, due = now()", place.database)
        _, run, _ = worker.request("GET", path + "?wait=30")
        check(run["state"] == "refused" and "cut off" in run["report"]["error"], run)


@case
def tokens_keep_tenants_apart():
    with Place() as place:
        with open(f"{place.folder}/tokens", "w") as file:
            file.write("# two tenants\n" + "a" * 20 + " ada\n" + "b" * 20 + " bob\n")
        worker = place.worker("--token-file", f"{place.folder}/tokens", "--max-ready", "1")
        check(worker.request("GET", "/v1/runs")[0] == 401)
        check(worker.request("GET", "/v1/runs", token="c" * 20)[0] == 401)
        for open_path in ("/healthz", "/readyz", "/openapi.json"):
            check(worker.request("GET", open_path)[0] == 200, open_path)
        status, run, _ = worker.request("POST", "/v1/runs?wait=30", {"protocol": "trip.md"},
                                        token="a" * 20)
        check(status == 201, status, run)
        path = f"/v1/runs/{run['session']}"
        for scheme, wanted in (("bearer ", 200), ("BEARER ", 200), ("Basic ", 401), ("", 401), ("Bearer", 401)):
            check(worker.request("GET", path, Authorization=scheme + "a" * 20)[0] == wanted, scheme)
        check(worker.request("GET", path, token="a" * 20)[0] == 200)
        check(worker.request("GET", path, token="b" * 20)[0] == 404)
        check(worker.request("POST", path + "/inputs", {}, token="b" * 20)[0] == 404)
        check(worker.request("GET", path + "/trace", token="b" * 20)[0] == 404)
        check(worker.request("GET", "/v1/runs", token="b" * 20)[1] == {"runs": []})
        status, text, _ = worker.request("GET", "/metrics")
        check(status == 401 and "ada" not in text, status, text)
        text = worker.request("GET", "/metrics", token="a" * 20)[1]
        check('rpl_runs{tenant="ada",state="waiting"} 1' in text, text)
        check('rpl_turns_total{status="waiting"} 1' in text, text)
        text = worker.request("GET", "/metrics", token="b" * 20)[1]
        check("rpl_turn_seconds_count 0" in text and "ada" not in text, text)
        # One may wait, no more; the other tenant is not concerned.
        later = {"protocol": "trip.md", "after": 3600}
        check(worker.request("POST", "/v1/runs", later, token="a" * 20)[0] == 201)
        status, answer, headers = worker.request("POST", "/v1/runs", later, token="a" * 20)
        check(status == 429 and "Retry-After" in headers, status, answer)
        check(worker.request("POST", "/v1/runs", later, token="b" * 20)[0] == 201)


@case
def any_worker_takes_any_run():
    with Place() as place:
        first = place.worker()
        runs = [begin(first, "trip.md") for _ in range(5)]
        first.kill()
        second = place.worker()
        for run in runs:
            _, run, _ = second.request("POST", f"/v1/runs/{run['session']}/inputs?wait=30",
                                       {"answers": {"where": "Lucca"}})
            check(run["state"] == "ended", run)
        status, listed, _ = second.request("GET", "/v1/runs?state=ended&limit=3")
        check(len(listed["runs"]) == 3, listed)
        rest = second.request("GET", f"/v1/runs?state=ended&after={listed['next']}")[1]
        check({r["session"] for r in listed["runs"] + rest["runs"]} ==
              {r["session"] for r in runs}, listed, rest)


@case
def a_call_is_made_once_though_its_worker_is_killed():
    with Place() as place:
        first = place.worker("--lease", "1")
        run = begin(first, "slow.md", wait=0)
        check(until(lambda: place.calls() == ["slow"]), place.calls())
        first.kill()
        second = place.worker("--lease", "1")
        path = f"/v1/runs/{run['session']}"
        until(lambda: second.request("GET", path)[1]["state"] == "waiting")
        _, run, _ = second.request("GET", path)
        check(run["state"] == "waiting", run)
        check(run["report"]["pending"][0].get("inDoubt") is True, run)
        check(place.calls() == ["slow"], place.calls())
        open(f"{place.folder}/go", "w").close()
        _, run, _ = second.request("POST", path + "/inputs?wait=30", {"retry": ["slow"]})
        check(run["state"] == "ended" and run["report"]["status"] == "satisfied", run)
        check(place.calls() == ["slow", "slow"], place.calls())


@case
def a_worker_that_is_told_to_end_ends_its_turns_first():
    with Place() as place:
        worker = place.worker()
        run = begin(worker, "slow.md", wait=0)
        check(until(lambda: place.calls() == ["slow"]), place.calls())
        worker.process.terminate()
        check(until(lambda: worker.request("GET", "/readyz")[0] == 503))
        check(worker.request("POST", "/v1/runs", {"protocol": "trip.md"})[0] == 503)
        open(f"{place.folder}/go", "w").close()
        check(worker.process.wait(60) == 0, worker.process.returncode, "".join(worker.log))
        other = place.worker()
        _, run, _ = other.request("GET", f"/v1/runs/{run['session']}")
        check(run["state"] == "ended", run)
        check(place.calls() == ["slow"], place.calls())


@case
def the_database_may_restart():
    with Place() as place:
        worker = place.worker()
        run = begin(worker, "trip.md")
        CLUSTER.stop("immediate")
        check(worker.request("GET", "/healthz")[0] == 200)
        check(worker.request("GET", "/readyz")[0] == 503)
        CLUSTER.start()
        check(until(lambda: worker.request("GET", "/readyz")[0] == 200))
        _, run, _ = worker.request("POST", f"/v1/runs/{run['session']}/inputs?wait=30",
                                   {"answers": {"where": "Lucca"}})
        check(run["state"] == "ended", run, worker.log)


@case
def while_the_database_is_away_everybody_is_told_at_once():
    with Place() as place:
        worker = place.worker()
        begin(worker, "trip.md")

        def all_at_once():
            answers = []

            def ask(method, path, body=None):
                began = time.monotonic()
                status, answer, _ = worker.request(method, path, body)
                answers.append((status, time.monotonic() - began, answer, path))

            threads = [threading.Thread(target=ask, args=("POST", "/v1/runs", {"protocol": "trip.md"}))
                       for _ in range(6)]
            threads += [threading.Thread(target=ask, args=("GET", path))
                        for path in ("/v1/runs", "/metrics", "/readyz")]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return answers

        def told(answers):
            check(len(answers) == 9, len(answers))
            for status, took, answer, path in answers:
                check(status == 503 and took < 15, path, status, took)
                check(CLUSTER.folder not in str(answer) and "socket" not in str(answer), answer)

        CLUSTER.stop("immediate")
        told(all_at_once())
        told(all_at_once())
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "rpl_run", "arguments": {"protocol": "trip.md"},
                           "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                                     "io.modelcontextprotocol/clientCapabilities": {}}}}
        began = time.monotonic()
        _, answer, _ = worker.request("POST", "/mcp", call, MCP_Protocol_Version="2026-07-28",
                                      Mcp_Method="tools/call", Mcp_Name="rpl_run")
        check(answer["result"]["isError"] and time.monotonic() - began < 2, answer)
        check(CLUSTER.folder not in json.dumps(answer), answer)
        check(worker.request("GET", "/healthz")[0] == 200)
        CLUSTER.start()
        check(until(lambda: worker.request("GET", "/readyz")[0] == 200, 5))
        answers = all_at_once()
        check(len(answers) == 9 and all(status in (200, 201) for status, *_ in answers), answers)
        # A server that hangs is away as well: its processes stop, and connections stay open.
        with open(CLUSTER.folder + "/data/postmaster.pid") as file:
            running = [file.readline().strip()]
        running += subprocess.run(["pgrep", "-P", running[0]], capture_output=True, text=True).stdout.split()
        for pid in running:
            signal_to(pid, signal.SIGSTOP)
        try:
            told(all_at_once())
        finally:
            for pid in running:
                signal_to(pid, signal.SIGCONT)
        check(until(lambda: worker.request("GET", "/readyz")[0] == 200, 10))


def signal_to(pid, number):
    try:
        os.kill(int(pid), number)
    except ProcessLookupError:
        pass


@case
def what_a_client_did_wrong_is_400():
    with Place() as place:
        worker = place.worker()

        def raw(text, wait=5):
            """The status line of what a server answers to these bytes."""
            with socket.create_connection(("127.0.0.1", worker.port), timeout=wait) as connection:
                connection.sendall(text)
                return connection.recv(1000).split(b"\r\n")[0].decode()

        for query in ("after=%ff", "after=%00", "%ff=1", "after=a%c3"):
            status, answer, _ = worker.request("GET", "/v1/runs?" + query)
            check(status == 400 and "UTF-8" in answer["error"], query, status, answer)
        check("`after`" in worker.request("GET", "/v1/runs?after=%ff")[1]["error"])
        for path in ("/v1/runs/%ff", "/v1/runs/s_x/trace", "/v1/runs/" + "x" * 3000):
            check(worker.request("GET", path)[0] == 404, path)
        here = b"Host: 127.0.0.1\r\n"
        body = b"Content-Type: application/json\r\nContent-Length: 2\r\n"
        for headers, wanted in (
                (here + body + b"Idempotency-Key: \xff\r\n", "400"), (here + body + b"traceparent: \xff\r\n", "400"),
                (here + body + b"Idempotency-Key: a\r\nIdempotency-Key: b\r\n", "400"),
                (here + here + body, "400"), (b"Host: 127.0.0.1:99999\r\n" + body, "400"),
                (b"Host: 127.0.0.1:x\r\n" + body, "400"), (b"Host: 127.0.0.1@evil.example\r\n" + body, "400"),
                (b"Host: evil.example\r\n" + body, "403"), (body, "403"),
                (here + body + b"Origin: http://127.0.0.1:7.evil\r\n", "403"),
                (here + body + b"Origin: http://127.0.0.1/x\r\n", "403"),
                (here + body + b"Origin: 127.0.0.1\r\n", "403"),
                (here + body + b"Origin: https://localhost:3000\r\n", "400")):  # no protocol
            line = raw(b"POST /v1/runs HTTP/1.1\r\n" + headers + b"\r\n{}")
            check(line.split()[1] == wanted, headers, line)
        line = raw(b"GET http://evil.example/v1/runs HTTP/1.1\r\n" + here + b"\r\n")
        check(line.split()[1] == "400", line)
        chunked = b"POST /v1/runs HTTP/1.1\r\n" + here + \
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        for chunks in (b"zz\r\n{}\r\n", b"2\r\n{}xx0\r\n\r\n", b"-1\r\n", b"ffffffffffffffffff\r\n"):
            line = raw(chunked + chunks)
            check(line.startswith("HTTP/1.1 4"), chunks, line)


@case
def idle_connections_shut_nobody_out():
    with Place() as place:
        worker = place.worker()
        idle = [socket.create_connection(("127.0.0.1", worker.port), timeout=10) for _ in range(600)]
        for connection in idle[::2]:
            try:
                connection.sendall(b"GET /healthz HTT")
            except OSError:
                pass
        began = time.monotonic()
        check(all(worker.request("GET", "/readyz")[0] == 200 for _ in range(3)))
        check(time.monotonic() - began < 5)
        for connection in idle:
            connection.close()


@case
def a_worker_that_waits_for_the_database_says_so():
    with Place() as place:
        CLUSTER.stop()
        log = []
        process = subprocess.Popen(
            [RPL, "serve", place.folder, "--store", place.store, "--http", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        log.append(process.stderr.readline())
        CLUSTER.start()
        log.append(process.stderr.readline())
        process.terminate()
        log += process.stderr.readlines()
        check(process.wait(60) == 0, process.returncode)
        check(log[0].startswith("rpl serve: waiting for the database: "), log)
        check(log[1].startswith("listening") and len(log) == 2, log)
        # A worker that need not wait says nothing of it.
        check(not any("waiting" in line for line in place.worker().log))


@case
def a_protocol_that_waits_for_a_fact_outside_is_looked_at_again():
    with Place() as place:
        worker = place.worker()
        run = begin(worker, "price.md", wait=0, every=1, facts=['price("tea", 12)'])
        path = f"/v1/runs/{run['session']}"
        turns = lambda: worker.request("GET", "/metrics")[1]
        check(until(lambda: 'rpl_turns_total{status="unsatisfied"} 3' in turns()), turns())
        _, run, _ = worker.request("POST", path + "/inputs?wait=30", {"facts": ['price("jam", 4)']})
        check(run["state"] == "ended", run)


@case
def metrics_and_spans_count_what_was_done():
    with Place() as place:
        worker = place.worker("--spans", f"{place.folder}/spans")
        status, run, _ = worker.request(
            "POST", "/v1/runs?wait=30", {"protocol": "note.md", "facts": ["seen(1)"]},
            traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        check(run["state"] == "ended" and place.calls() == ["note"], run)
        metrics = worker.request("GET", "/metrics")[1]
        for line in ('rpl_runs{tenant="",state="ended"} 1', 'rpl_turns_total{status="satisfied"} 1',
                     "rpl_tool_calls_total 1", "rpl_turn_seconds_count 1"):
            check(line in metrics, line, metrics)
        with open(f"{place.folder}/spans") as file:
            spans = [json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]
                     for line in file]
        names = [span["name"] for span in spans[0]]
        check(names[0] == "turn" and "timestep" in names and "tool note" in names, names)
        check({span["traceId"] for span in spans[0]} == {"0af7651916cd43dd8448eb211c80319c"}, spans)


@case
def every_path_of_the_description_is_served():
    with Place() as place:
        worker = place.worker()
        run = begin(worker, "trip.md")
        status, about, _ = worker.request("GET", "/openapi.json")
        check(status == 200 and about["openapi"].startswith("3.1"), status)
        paths = 0
        for path, methods in about["paths"].items():
            for method, operation in methods.items():
                body = {"protocol": "trip.md"} if path == "/v1/runs" else {}
                status, _, _ = worker.request(method.upper(),
                                              path.replace("{session}", run["session"]),
                                              body if method == "post" else None)
                check(str(status) in operation["responses"], method, path, status)
                paths += 1
        check(paths == 10, paths)


@case
def what_a_worker_records_other_commands_read():
    with Place() as place:
        worker = place.worker()
        run = begin(worker, "note.md")
        url = place.store.replace("?", f"/{run['session']}?")
        verified = subprocess.run([RPL, "trace", "verify", url], capture_output=True, text=True)
        check(verified.returncode == 0, verified.stdout, verified.stderr)


@case
def options_that_cannot_be_used_are_refused():
    with Place() as place:
        for options, code, words in [
                (["--store", "here"], 2, "no URL"),
                ([], 2, "expected the URL"),
                (["--store", place.store, "--http", "0.0.0.0:0"], 2, "token"),
                (["--store", "postgresql://nobody@/none?host=" + CLUSTER.folder], 6, "nobody")]:
            ended = subprocess.run([RPL, "serve", place.folder, *options], capture_output=True,
                                   text=True, timeout=60)
            check(ended.returncode == code and words in ended.stderr, options, ended)


import compose_cases  # noqa: E402,F401
run_cases()
