# SPDX-License-Identifier: Apache-2.0
"""The cases of shell/serve_mcp_test.sh beside those of mcp_cases.py: workers that are killed, slow or
cut off, tenants, and the JSON interface beside /mcp."""
import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from mcp_client import MODERN, case, check, meta
from serve_client import until
from serve_mcp import Workers

RPL, FOLDER = sys.argv[1:3]
places = 0

FILES = {
    "trip.md": """# Trip - %trip(?where, ?nights) <- place(?where), stay(?where, ?nights)
# Place - place(?where)
Where do you want to go?
# Stay - stay(?where, ?nights) <- place(?where), ?nights = $ask("For how many nights?")
""",
    "order.md": """# Order - %order(?who, ?reply) <- name(?who), ?reply = $slow(?who)

# Slow - $slow(?who)

# Name - name(?who)
Whose order is it?
""",
    "two.md": """# Two - %two(?reply, ?size) <- reply(?reply), size(?size)

# Reply - reply(?reply) <- name(?who), ?reply = $slow(?who)

# Slow - $slow(?who)

# Name - name(?who)
Whose order is it?

# Size - size(?size)
How large is it?
""",
    "rpl.yaml": """version: 1
tools:
  slow: {command: [./slow.sh], permission: allow}
""",
    "slow.sh": r"""#!/bin/sh
read -r request
echo slow >>calls
while [ ! -e go ]; do sleep 0.05; done
id=${request#*\"id\":\"}
printf '{"id":"%s","result":"sent"}\n' "${id%%\"*}"
""",
}


class Place:
    """A folder of protocols, and two workers over a database."""

    def __init__(self, *options, start=2):
        global places
        places += 1
        self.folder = os.path.join(FOLDER, f"place-{places}")
        os.mkdir(self.folder)
        for name, text in FILES.items():
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text)
            os.chmod(os.path.join(self.folder, name), 0o755)
        self.workers = Workers(RPL, self.folder, [self.folder], "--allow-tool", "slow", "--lease", "1",
                               *options, start=start)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.go()
        self.workers.kill()

    def go(self):
        open(os.path.join(self.folder, "go"), "w").close()

    def calls(self):
        try:
            with open(os.path.join(self.folder, "calls")) as file:
                return file.read().split()
        except FileNotFoundError:
            return []

    def sql(self, text):
        return Workers.cluster.sql(text, self.workers.database)

    def check_sound(self, session):
        ended = subprocess.run([RPL, "trace", "verify", self.workers.name_of(session)],
                               capture_output=True, text=True)
        check(ended.returncode == 0, ended.stdout, ended.stderr)

    def call(self, tool, arguments, worker=None, **more):
        """The structured content of a tool, from one worker if it is named."""
        workers = self.workers.workers
        if worker is not None:
            self.workers.workers = [worker]
        try:
            result = self.workers.call(tool, arguments, meta(), **more)
        finally:
            self.workers.workers = workers
        check(result is not None and "structuredContent" in result, tool, result)
        return (result or {}).get("structuredContent", {})

    def begin_on(self, worker, arguments, **more):
        """Begins a call of rpl_run, and gives its id."""
        self.workers.next_id += 1
        id = self.workers.next_id
        self.workers.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "rpl_run", "arguments": arguments, **(more or {"_meta": meta()})}}, worker)
        return id


@case
def a_run_goes_on_at_another_worker_after_a_kill():
    with Place() as place:
        first, second = place.workers.workers
        run = place.call("rpl_run", {"protocol": "trip.md", "request_id": "1"}, first)
        check(place.sql("SELECT count(*) FROM rpl_input") == "0", "a start without answers has an input")
        run = place.call("rpl_answer", {"session": run["session"], "answers": {"where": "Lucca"}}, first)
        check([q["key"] for q in run["pending"]] == ["ask"], run)
        first.kill()
        again = place.call("rpl_run", {"protocol": "trip.md", "request_id": "1"}, second)
        check(again["session"] == run["session"], again)
        check([q["key"] for q in again["pending"]] == ["ask"], "a question is asked twice", again)
        run = place.call("rpl_answer", {"session": run["session"], "answers": {"ask": 3}}, second)
        check(run["answers"] == [{"?where": "Lucca", "?nights": 3}], run)
        events = place.call("rpl_trace", {"session": run["session"]}, second)["events"]
        check([e["kind"] for e in events] == ["reply", "reply", "goal"] or
              [e["kind"] for e in events][:2] == ["reply", "reply"], events)
        place.check_sound(run["session"])


@case
def a_worker_killed_in_a_turn_loses_nothing_and_runs_no_call_twice():
    with Place() as place:
        first, second = place.workers.workers
        arguments = {"protocol": "order.md", "request_id": "1", "answers": {"who": "Ann"}}
        place.begin_on(first, arguments)
        check(until(lambda: place.calls() == ["slow"]), place.calls())
        first.kill()
        run = place.call("rpl_run", arguments, second)
        check([q["kind"] for q in run["pending"]] == ["tool"], "a question is asked again", run)
        check(run["pending"][0].get("inDoubt") is True, run)
        check(place.calls() == ["slow"], place.calls())
        check(place.sql("SELECT count(*) FROM rpl_run") == "1", "another run")
        run = place.call("rpl_answer", {"session": run["session"], "answers": {"slow": "sent"}}, second)
        check(run["answers"] == [{"?who": "Ann", "?reply": "sent"}], run)
        check(place.calls() == ["slow"], place.calls())
        place.check_sound(run["session"])


@case
def runs_end_once_over_workers_that_are_killed_at_random():
    """Each client makes the same call again, at any worker, until it has an answer."""
    runs, ended, killed = 40, threading.Event(), []
    generator = random.Random(1)
    with Place(start=3) as place:
        place.go()  # the tool ends at once

        def kill_some():
            while not ended.wait(generator.uniform(0.1, 0.5)):
                victim = generator.randrange(3)
                place.workers.workers[victim].kill()
                killed.append(victim)
                place.workers.workers[victim] = place.workers.start()
                place.workers.workers.pop()

        def call(tool, arguments, number):
            for attempt in range(200):
                worker = place.workers.workers[(number + attempt) % 3]
                try:
                    status, answer, _ = worker.request("POST", "/mcp", {
                        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                        "params": {"name": tool, "arguments": arguments, "_meta": meta()}},
                        MCP_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name=tool)
                    run = answer["result"]["structuredContent"]
                    if status == 200 and not run.get("running") and "Nothing was done" not in run["now"]:
                        return run
                except (OSError, http.client.HTTPException, TypeError, KeyError):
                    pass
                time.sleep(0.1)
            return {"status": "no answer"}

        def client(number):
            run = call("rpl_run", {"protocol": "order.md", "request_id": f"r{number}"}, number)
            session = run.get("session")
            for _ in range(20):
                keys = [question["key"] for question in run.get("pending", [])]
                if "who" in keys:
                    answers = {"who": f"n{number}"}
                elif "slow" in keys:  # of which nobody knows whether it ran
                    answers = {"slow": "sent"}
                else:
                    break
                run = call("rpl_answer", {"session": session, "answers": answers}, number)
                if run.get("error", "").endswith("was answered before: " + json.dumps(f"n{number}")):
                    run = call("rpl_status", {"session": session}, number)
            return session, run

        killer = threading.Thread(target=kill_some)
        killer.start()
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(client, range(runs)))
        ended.set()
        killer.join()
        check(len({session for session, _ in results}) == runs, results)
        check(place.sql("SELECT count(*) FROM rpl_run") == str(runs), "other runs than were asked for")
        for number, (session, run) in enumerate(results):
            check(run.get("answers") == [{"?who": f"n{number}", "?reply": "sent"}], run)
            place.check_sound(session)
        check(len(killed) > 1, "nothing was killed")
        check(len(place.calls()) <= runs, "a call ran twice", len(place.calls()))
        started = place.sql("SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM rpl_event "
                            "WHERE kind = 'started' GROUP BY session) times")
        check(started == "1", "a call was started again", started)


@case
def what_came_with_the_call_of_a_dead_worker_is_done_by_another():
    with Place() as place:
        first, second = place.workers.workers
        place.begin_on(first, {"protocol": "order.md", "request_id": "1", "answers": {"who": "Ann"}})
        check(until(lambda: place.calls() == ["slow"]), place.calls())
        first.kill()  # and nobody asks again
        state = lambda: place.sql("SELECT state FROM rpl_run WHERE report <> ''")
        check(until(lambda: state() == "waiting"), state())
        session = place.sql("SELECT session FROM rpl_run")
        _, run, _ = second.request("GET", f"/v1/runs/{session}")
        check(run["report"]["pending"][0].get("inDoubt") is True, run)
        check(run["inputs"] == {"given": 1, "taken": 1}, run)


@case
def a_request_with_an_id_is_one_run_at_many_workers():
    with Place() as place:
        def begin(i):
            arguments = {"protocol": "trip.md", "answers": {"where": "Lucca"}}
            if i % 2:
                arguments["request_id"] = "same"
            id = f"c{i}"
            place.workers.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
                "name": "rpl_run", "arguments": arguments, "_meta": meta()}},
                place.workers.workers[i // 2 % 2])
            answer = place.workers.response(id, 60)
            return i % 2, answer["result"]["structuredContent"]
        with ThreadPoolExecutor(1) as pool:
            runs = list(pool.map(begin, range(12)))
        for named, wanted in ((0, 6), (1, 1)):
            sessions = {run["session"] for kind, run in runs if kind == named}
            check(len(sessions) == wanted, named, sessions)
        check(all([q["key"] for q in run["pending"]] == ["ask"] for _, run in runs), runs)
        check(place.sql("SELECT count(*) FROM rpl_run") == "7", place.sql("SELECT * FROM rpl_run"))


@case
def a_session_repeats_a_start_that_has_no_answer():
    with Place() as place:
        place.workers.initialize(forms=True)
        first, second = place.workers.workers
        start = {"name": "rpl_run", "arguments": {"protocol": "trip.md"}}

        def begin(id, worker):
            place.workers.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": start}, worker)
            return place.workers.question()

        question = begin("a", first)
        check(question and begin("b", second), question)
        check(place.sql("SELECT count(*) FROM rpl_run") == "1", place.sql("SELECT * FROM rpl_run"))
        place.workers.respond(question, {"action": "accept", "content": {"where": "Lucca"}})
        question = place.workers.question()
        place.workers.respond(question, {"action": "accept", "content": {"ask": "3"}})
        check(until(lambda: place.sql("SELECT state FROM rpl_run") == "ended"))
        check(begin("c", second), "the run that is decided was given again")
        check(place.sql("SELECT count(*) FROM rpl_run") == "2", place.sql("SELECT * FROM rpl_run"))


@case
def a_run_that_another_worker_has_is_told_in_words():
    with Place("--reply-within", "1") as place:
        first, second = place.workers.workers
        id = place.begin_on(first, {"protocol": "order.md", "answers": {"who": "Ann"}})
        check(until(lambda: place.calls() == ["slow"]), place.calls())
        session = place.workers.response(id)["result"]["structuredContent"]["session"]
        run = place.call("rpl_status", {"session": session}, second)
        check(run.get("running") is True and "rpl_status" in run["now"], run)
        run = place.call("rpl_answer", {"session": session, "answers": {"who": "Bob"}}, second)
        check("another worker" in run["error"] and "Nothing was done" in run["now"], run)
        place.go()
        check(until(lambda: place.call("rpl_status", {"session": session}, second)["status"] == "satisfied"),
              "it does not end")
        check(place.calls() == ["slow"], place.calls())


@case
def an_answer_given_while_a_turn_runs_outlives_the_worker():
    with Place("--reply-within", "1") as place:
        first, second = place.workers.workers
        session = place.call("rpl_run", {"protocol": "two.md"}, first)["session"]
        for key, value in (("who", "Ann"), ("size", 3)):
            run = place.call("rpl_answer", {"session": session, "answers": {key: value}}, first)
            check(run.get("running") is True and "not stored" not in run["now"], run)
        first.kill()

        def waits():
            run = place.call("rpl_status", {"session": session}, second)
            return [q["key"] for q in run["pending"]] == ["slow"] and run
        check(until(waits), place.call("rpl_status", {"session": session}, second))
        run = place.call("rpl_answer", {"session": session, "answers": {"slow": "sent"}}, second)
        check(run["answers"] == [{"?reply": "sent", "?size": 3}], run)
        check(place.calls() == ["slow"], place.calls())
        place.check_sound(session)


@case
def an_answer_in_a_form_outlives_the_worker_that_took_it():
    for asks in (True, False):  # the worker that asked takes it, or the other one
        with Place("--ask-timeout", "5") as place:
            place.workers.initialize(forms=True)
            first, second = place.workers.workers
            place.begin_on(first, {"protocol": "trip.md"}, _meta={})
            question = place.workers.question()
            takes, other = (first, second) if asks else (second, first)
            place.workers.send({"jsonrpc": "2.0", "id": question["id"],
                                "result": {"action": "accept", "content": {"where": "Lucca"}}}, takes)
            takes.kill()
            session = place.sql("SELECT session FROM rpl_run")

            def waits():
                run = place.call("rpl_status", {"session": session}, other)
                return [q["key"] for q in run["pending"]] == ["ask"] and run
            check(until(waits), asks, place.call("rpl_status", {"session": session}, other))


@case
def a_turn_that_takes_long_is_done_once():
    with Place("--reply-within", "1") as place:
        first, second = place.workers.workers
        session = place.call("rpl_run", {"protocol": "two.md"}, first)["session"]
        for key, value in (("who", "Ann"), ("size", 3)):
            place.call("rpl_answer", {"session": session, "answers": {key: value}}, first)
        place.go()
        check(until(lambda: place.call("rpl_status", {"session": session}, second)["status"] == "satisfied"),
              "it does not end")
        inputs = "SELECT given, taken FROM rpl_run"
        check(until(lambda: place.sql(inputs).split("|")[0] == place.sql(inputs).split("|")[1]),
              place.sql(inputs))
        check(place.calls() == ["slow"], place.calls())
        place.check_sound(session)


@case
def a_call_waits_for_the_turn_of_another_worker():
    with Place() as place:
        first, second = place.workers.workers
        place.begin_on(first, {"protocol": "order.md", "answers": {"who": "Ann"}})
        check(until(lambda: place.calls() == ["slow"]), place.calls())
        session = place.sql("SELECT session FROM rpl_run")
        place.workers.next_id += 1
        id = place.workers.next_id
        place.workers.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "rpl_assert", "arguments": {"session": session, "facts": ["seen(1)"]},
            "_meta": meta()}}, second)
        time.sleep(1.5)  # longer than the lease, which is renewed
        place.go()
        run = place.workers.response(id, 30)["result"]["structuredContent"]
        check(run["status"] == "satisfied", run)
        check(place.calls() == ["slow"], place.calls())
        place.check_sound(session)


@case
def tenants_have_their_own_runs_and_sessions():
    tokens = os.path.join(FOLDER, "tokens")
    with open(tokens, "w") as file:
        file.write("a" * 20 + " ada\n" + "b" * 20 + " bob\n")
    with Place("--token-file", tokens) as place:
        first, second = place.workers.workers

        def post(worker, message, token, **headers):
            return worker.request("POST", "/mcp", message, token=token,
                                  Accept="application/json, text/event-stream", **headers)

        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
        check(post(first, hello, None)[0] == 401)
        status, _, headers = post(first, hello, "a" * 20)
        session = headers["Mcp-Session-Id"]
        check(status == 200, status)

        def call(worker, tool, arguments, token, session=session):
            return post(worker, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
                "name": tool, "arguments": arguments}}, token, Mcp_Session_Id=session)

        status, answer, _ = call(second, "rpl_run", {"protocol": "trip.md"}, "a" * 20)
        check(status == 200, status, answer)
        run = answer["result"]["structuredContent"]
        check(place.sql("SELECT tenant FROM rpl_run") == "ada")
        # Bob has neither the session of Ada nor, in his own, her run.
        for worker in (first, second):
            check(call(worker, "rpl_status", {"session": run["session"]}, "b" * 20)[0] == 404)
        _, _, headers = post(second, hello, "b" * 20)
        for tool in ("rpl_status", "rpl_trace"):
            _, answer, _ = call(first, tool, {"session": run["session"]}, "b" * 20,
                                headers["Mcp-Session-Id"])
            check("no s" in answer["result"]["structuredContent"]["error"], answer)
        _, answer, _ = call(first, "rpl_run", {"protocol": "trip.md"}, "b" * 20, headers["Mcp-Session-Id"])
        check(answer["result"]["structuredContent"]["session"] != run["session"], answer)
        _, answer, _ = call(first, "rpl_status", {"session": run["session"]}, "a" * 20)
        check(answer["result"]["structuredContent"]["session"] == run["session"], answer)
        broken = session[:-1] + ("A" if session[-1] != "A" else "B")
        check(call(second, "rpl_status", {"session": run["session"]}, "a" * 20, broken)[0] == 404)


@case
def responses_to_questions_that_nobody_asked_change_nothing():
    with Place() as place:
        workers = place.workers
        workers.initialize(forms=True)
        id = workers.begin("tools/call", {"name": "rpl_run", "arguments": {"protocol": "trip.md"}})
        question = workers.question()
        asked = workers.call("rpl_run", {"protocol": "trip.md", "request_id": "other"}, meta(forms=True))
        accept = {"action": "accept", "content": {"where": "Pisa", "place": "Pisa"}}
        own = question["id"]
        for forged in (own[:-1] + ("A" if own[-1] != "A" else "B"), own.split("/")[0], "rpl-7/",
                       "rpl-7/" + asked["requestState"], "rpl-7/r1.e30.AAAA", "rpl-1", "x", 7):
            for worker in workers.workers:
                # The one that asked knows its own numbers.
                if not str(forged).startswith(own.split("/")[0]) or worker != workers.where[json.dumps(own)]:
                    workers.send({"jsonrpc": "2.0", "id": forged, "result": accept}, worker)
        check(place.sql("SELECT count(*) FROM rpl_event WHERE kind = 'reply'") == "0", "one was taken")
        for result in ({"action": "accept", "content": {}}, {"action": "accept", "content": 7}):
            workers.respond(question, result)
        check(place.sql("SELECT count(*) FROM rpl_event WHERE kind = 'reply'") == "0", "one was taken")
        question = workers.question()
        workers.respond(question, {"action": "accept", "content": {"where": "Lucca"}})
        question = workers.question()
        workers.respond(question, {"action": "accept", "content": {"ask": "3"}})
        run = workers.response(id)["result"]["structuredContent"]
        check(run["answers"] == [{"?where": "Lucca", "?nights": "3"}] or
              run["answers"] == [{"?where": "Lucca", "?nights": 3}], run)
        place.check_sound(run["session"])


@case
def the_json_interface_and_mcp_have_the_same_runs():
    with Place() as place:
        first, second = place.workers.workers
        run = place.call("rpl_run", {"protocol": "trip.md"}, first)
        path = f"/v1/runs/{run['session']}"
        status, shown, _ = second.request("GET", path)
        check(status == 200 and shown["state"] == "waiting", status, shown)
        check(shown["report"]["pending"] == run["pending"], shown)
        _, shown, _ = second.request("POST", path + "/inputs?wait=30", {"answers": {"where": "Lucca"}})
        check([q["key"] for q in shown["report"]["pending"]] == ["ask"], shown)
        run = place.call("rpl_status", {"session": run["session"]}, first)
        check([q["key"] for q in run["pending"]] == ["ask"], run)
        run = place.call("rpl_answer", {"session": run["session"], "answers": {"ask": 2}}, second)
        check(run["status"] == "satisfied", run)
        check(second.request("GET", path)[1]["state"] == "ended")
        _, begun, _ = first.request("POST", "/v1/runs?wait=30", {"protocol": "trip.md"})
        run = place.call("rpl_answer", {"session": begun["session"], "answers": {"where": "Bari"}})
        check([q["key"] for q in run["pending"]] == ["ask"], run)
        metrics = second.request("GET", "/metrics")[1]
        check('rpl_turns_total{status="satisfied"} 1' in metrics, metrics)


@case
def a_protocol_with_errors_begins_no_run():
    with Place() as place:
        path = os.path.join(place.folder, "wrong.md")
        with open(path, "w") as file:
            file.write("# Wrong - %wrong(?x) <- item(?x), (\n")
        run = place.call("rpl_run", {"protocol": "wrong.md", "request_id": "1"})
        check(run["status"] == "rejected" and run["findings"], run)
        check(place.sql("SELECT state FROM rpl_run") == "refused")
        with open(path, "w") as file:
            file.write('# Right - %right(?x) <- item(?x)\n\n```rpl\nitem(1)\n```\n')
        run = place.call("rpl_run", {"protocol": "wrong.md", "request_id": "1"})
        check(run["status"] == "satisfied", run)


@case
def a_worker_that_is_told_to_end_ends_the_turns_of_its_calls():
    with Place() as place:
        first, second = place.workers.workers
        id = place.begin_on(first, {"protocol": "order.md", "answers": {"who": "Ann"}})
        check(until(lambda: place.calls() == ["slow"]), place.calls())
        first.process.terminate()
        check(until(lambda: first.request("GET", "/readyz")[0] == 503))
        status, _, headers = first.request("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"})
        check(status == 503 and "Retry-After" in headers, status, headers)
        place.go()
        answer = place.workers.response(id)
        check(answer["result"]["structuredContent"]["status"] == "satisfied", answer)
        check(first.process.wait(60) == 0, first.process.returncode)
        check(place.sql("SELECT state FROM rpl_run") == "ended")


@case
def the_database_may_restart_between_calls():
    with Place() as place:
        run = place.call("rpl_run", {"protocol": "trip.md"})
        Workers.cluster.stop("immediate")
        first = place.workers.workers[0]
        check(first.request("GET", "/healthz")[0] == 200)
        Workers.cluster.start()
        run = place.call("rpl_answer", {"session": run["session"], "answers": {"where": "Lucca", "ask": 1}})
        run = place.call("rpl_answer", {"session": run["session"], "answers": {"ask": 1}})
        check(run["status"] == "satisfied", run)
        place.check_sound(run["session"])
