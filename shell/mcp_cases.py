# SPDX-License-Identifier: Apache-2.0
"""The cases of shell/mcp_test.sh on a pipe: a function each, with a server of its own.

With a private PostgreSQL server ($RPL_CLUSTER, shell/serve_mcp_test.sh) the server is two workers of
`rpl serve` that are asked in turns, and what only a pipe has is left out."""
import glob
import json
import os
import re
import stat
import subprocess
import sys
import time

import jsonschema

from mcp_client import MODERN, Server, case, check, meta, run_cases

RPL, FOLDER = sys.argv[1:3]
WORKERS = "RPL_CLUSTER" in os.environ
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../docs/schemas/mcp-run.json")) as schema:
    RUN = jsonschema.Draft202012Validator(json.load(schema))
folders = 0


def pipe_case(function):
    """A case that two workers on HTTP have in another way, or not at all."""
    return function if WORKERS else case(function)


def write(name, text):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def serve(*options, sessions=None, paths=("protocols",)):
    """A server with a folder of runs of its own, unless it is named."""
    global folders
    folders += 1
    sessions = sessions or f"sessions-{folders}"
    if WORKERS:
        import serve_mcp
        return serve_mcp.Workers(RPL, sessions, paths, *options)
    return Server(RPL, "mcp", *paths, "--sessions", sessions, *options)


def content(result):
    """The structured content of a tool's result, which the text says as well."""
    if result is None or "structuredContent" not in result:
        check(False, "no result with structured content:", result)
        return {}
    texts = [item["text"] for item in result["content"] if item["type"] == "text"]
    structured = result["structuredContent"]
    if "now" in structured:  # a run: prose, with what a model needs to go on
        check(texts[0].startswith(structured["now"]) and structured["session"] in texts[0]
              and all(question["key"] in texts[0] for question in structured.get("pending", [])),
              "the text lacks something:", texts)
        RUN.validate(structured)
    else:
        check(json.loads(texts[0]) == structured, "the text is another JSON", texts)
    return structured


write("protocols/spend.md", """# Spend - %spend(?euros) <- amount(?euros), approved(?euros, ?answer) ^ ~ {:by :person}, ?answer = "yes"

# Amount - amount(?euros)
How many euros?

# Approved - approved(?euros, ?answer)
May __euros__ euros be spent?
""")

write("protocols/trip.md", """# Trip - %trip(?where, ?nights) <- place(?where), stay(?where, ?nights)
Travel to __where__ for __nights__ nights.

# Place - place(?where)
Where do you want to go?

# Stay - stay(?where, ?nights) <- place(?where), ?nights = $ask("For how many nights?"), ?nights > 0
""")
write("protocols/party.md", """# Party - %party(?n, ?what, ?age) <- guests(?list), dish(?what), age(?age), ?age > 3, ?n = |?list|
# Guests - guests([& ?name]) <- guest(?name)
# Guest - guest(?name)
Who comes along?
# Dish - dish(?what) <- $choose("What is there to eat?", ["soup" "cake"]) ^ ~ {:result ?what}
# Age - age(?age)
How old is the youngest?
""")
write("protocols/gate.md", """# Pay - %pay(?who) <- wanted(?who), confirmed(?x) ^ ~ {:by :person}
Pay __who__ now.
# Wanted - wanted(?who)
Who is to be paid?
# Confirmed - confirmed(?x)
Do you confirm the payment?
""")
write("protocols/login.md", """# Login - %login(?name) <- name(?name), word(?word)
# Name - name(?name)
Your name?
# Word - word(?word)
What is your password?
""")
write("protocols/version.md", """# Release - %release(?v) <- version(?v)
# Version - version(?v)
Which version?
""")
write("protocols/stock.md", """# Stock - %stock(?n) <- ?n = $shelf("nuts")
""")
write("protocols/optional.rpl", """%go(?how) <- ?how = $ask("Which music?")
%go(?how) <- quiet(?how), ?ok = $ask("Quietly then?"), ?ok = "yes"
quiet("quietly")
""")
write("protocols/budget.rpl", """price("Lucca", 900)
price("Pisa", 300)
cheap(?t) <- price(?t, ?p), ?p < 500
%best(?t) <- cheap(?t)
price(?t, ?p), ?p > 5000 -> false
price(_, _) ^ ~ {:by ?who} -> ?who in #{:program :model}
""")
write("protocols/many.rpl", "".join(f"n({i})\n" for i in range(300)) + "%all(?n) <- n(?n)\n")
write("protocols/slow.rpl", """n(0)
n(?y) <- n(?x), ?x < 2000, ?y = ?x + 1
%slow(?x) <- n(?x), n(?y), n(?z), ?x + ?y + ?z < 0
""")
write("protocols/broken.md", "# Broken - %broken <- p(?x\n")
write("protocols/note.txt", "no protocol")
write("outside.md", "# Outside - %outside <- p(1)\n\np(1)\n")
os.symlink("../outside.md", os.path.join(FOLDER, "protocols/link.md"))

TOOLS = ["rpl_answer", "rpl_assert", "rpl_check", "rpl_explain", "rpl_protocols", "rpl_query",
         "rpl_retract", "rpl_run", "rpl_status", "rpl_trace"]


# --- Eras ------------------------------------------------------------------------------------------

@case
def handshakes_of_every_revision():
    for asked, given in [("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"),
                         ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"),
                         ("2099-01-01", "2025-11-25"), (MODERN, "2025-11-25"), ("", "2025-11-25")]:
        server = serve()
        answer = server.initialize(asked)["result"]
        check(answer["protocolVersion"] == given, asked, answer)
        check(answer["serverInfo"]["name"] == "rpl", answer)
        check(len(answer["instructions"]) < 600, len(answer["instructions"]))
        tools = server.request("tools/list")["result"]["tools"]
        check([tool["name"] for tool in tools] == TOOLS, tools)
        check(len(json.dumps(tools, separators=(",", ":"))) <= 12_000, "what a model reads is long")
        for tool in tools:
            check(len(tool["description"]) < 400, tool["name"], len(tool["description"]))
            check(("outputSchema" in tool) == (given >= "2025-06-18"), asked, tool)
            check(("annotations" in tool) == (given >= "2025-03-26"), asked, tool)
            check(tool["inputSchema"]["type"] == "object", tool)
        result = server.call("rpl_run", {"protocol": "trip.md"})
        check(("structuredContent" in result) == (given >= "2025-06-18"), asked, result)
        text = result["content"][0]["text"]
        if given >= "2025-06-18": check("status: waiting" in text and "- `where`" in text, text)
        else: check(json.loads(text)["status"] == "waiting", text)
        server.close()


@pipe_case
def requests_before_a_handshake():
    server = serve()
    check(server.request("ping")["result"] == {}, "ping")
    check(len(server.request("tools/list")["result"]["tools"]) == len(TOOLS), "tools/list")
    check(server.request("server/discover")["error"]["code"] == -32602, "discover without _meta")
    result = server.call("rpl_run", {"protocol": "trip.md"})
    check("structuredContent" not in result, result)
    check(server.request("no/such")["error"]["code"] == -32601, "unknown method")
    server.close()


@pipe_case
def modern_requests_stand_for_themselves():
    server = serve()
    found = server.request("server/discover", {"_meta": meta()})["result"]
    check(found["supportedVersions"] == [MODERN], found)
    check(found["resultType"] == "complete" and found["ttlMs"] >= 0, found)
    check(found["cacheScope"] in ("private", "public"), found)
    check(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "rpl", found)
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        result = server.request(method, {"_meta": meta()})["result"]
        check(result["resultType"] == "complete" and "ttlMs" in result and "cacheScope" in result,
              method, result)
    error = server.request("tools/list", {"_meta": meta(version="2099-01-01")})["error"]
    check(error["code"] == -32022 and error["data"]["supported"] == [MODERN] and
          error["data"]["requested"] == "2099-01-01", error)
    lacking = meta()
    del lacking["io.modelcontextprotocol/clientCapabilities"]
    check(server.request("tools/list", {"_meta": lacking})["error"]["code"] == -32602, "capabilities")
    lacking["io.modelcontextprotocol/clientCapabilities"] = 1
    check(server.request("tools/list", {"_meta": lacking})["error"]["code"] == -32602, "capabilities")
    for method in ("ping", "logging/setLevel", "resources/subscribe", "initialize "):
        check(server.request(method, {"_meta": meta()})["error"]["code"] == -32601, method)
    # One process, both eras.
    check(server.initialize()["result"]["protocolVersion"] == "2025-11-25", "initialize")
    check("resultType" not in server.request("tools/list")["result"], "legacy result")
    check("resultType" in server.request("tools/list", {"_meta": meta()})["result"], "modern result")
    check(server.request("ping")["result"] == {}, "ping")
    server.close()


@pipe_case
def ids_are_kept_as_they_are():
    server = serve()
    for id in (0, "", "1", 1, 2**53, -7, "\u00e4\U0001f600", 12345678901234567890123):
        server.send({"jsonrpc": "2.0", "id": id, "method": "ping"})
        check(server.response(id) is not None, "no response to id", id)
    server.send({"jsonrpc": "2.0", "id": None, "method": "ping"})
    server.send({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})
    server.send({"jsonrpc": "2.0", "id": [1], "method": "ping"})
    server.send({"jsonrpc": "2.0", "id": "x", "result": {}})
    server.send({"jsonrpc": "2.0", "id": "rpl-1", "result": {"action": "accept"}})
    server.notify("notifications/whatever")
    check(server.request("ping", id="last")["result"] == {}, "ping")
    refused = [answer["error"]["code"] for answer in map(json.loads, server.lines) if answer["id"] is None]
    check(refused == [-32600] * 3, server.lines)
    server.close()


@pipe_case
def batches_of_one_revision():
    server = serve()
    server.initialize("2025-03-26")
    server.send([{"jsonrpc": "2.0", "id": 7, "method": "ping"},
                 {"jsonrpc": "2.0", "method": "notifications/x"},
                 {"jsonrpc": "2.0", "id": 8, "method": "tools/call",
                  "params": {"name": "rpl_protocols", "arguments": {}}}])
    answers = server.get(lambda m: isinstance(m, list))
    check(answers and sorted(a["id"] for a in answers) == [7, 8], answers)
    server.send([{"jsonrpc": "2.0", "id": 9, "method": "ping"}, 1, {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
                 {"jsonrpc": "2.0", "id": "a"}, {"jsonrpc": "2.0", "id": "b", "result": 1}])
    answers = server.get(lambda m: isinstance(m, list))
    check(answers and [(a["id"], a.get("error", {}).get("code")) for a in answers] ==
          [(9, None), (None, -32600), (None, -32600), ("a", -32600)], answers)
    server.send([])
    error = server.get(lambda m: isinstance(m, dict) and m.get("id", 0) is None)
    check(error and error["error"]["code"] == -32600, error)
    server.close()
    server = serve()
    server.initialize("2025-06-18")
    server.send([{"jsonrpc": "2.0", "id": 7, "method": "ping"}])
    check(server.request("ping")["result"] == {}, "ping")
    check(server.response(7, 0.2) is None, "a batch after 2025-03-26")
    check([json.loads(line)["error"]["code"] for line in server.lines if b'"id":null' in line] == [-32600], server.lines)
    server.close()


@pipe_case
def what_is_no_message_ends_nothing():
    server = serve()
    for line in ("", "   ", "{", "[]", "{}", "null", "1", '"x"', "[1,2", "\x00\x01", "\xff" * 10,
                 '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1}',
                 '{"jsonrpc":"2.0","method":1}', '{"jsonrpc":"2.0","id":2,"method":"ping","params":[]}',
                 "[" * 100000, '{"a":' * 100000, '{"jsonrpc":"2.0","id":3,"method":"ping","id":4}'):
        server.raw(line.encode("latin-1") + b"\n")
    server.raw(b"x" * (17 << 20) + b"\n")
    check(server.request("ping", id="alive")["result"] == {}, "ping")
    codes = [message["error"]["code"] for message in map(json.loads, server.lines)
             if message.get("id", 0) is None]
    check(sorted(codes) == [-32700] * 7 + [-32600] * 6, codes)
    check(server.close() is not None, "it did not end")


@pipe_case
def no_json_has_an_error():
    server = serve()
    server.initialize()
    for line, id in (('{"jsonrpc":"2.0","id":1,"method":', 1),
                     ('{"jsonrpc":"2.0","id":2,"method":"ping","params":{"a":1,"a":2}}', 2),
                     ('{"jsonrpc":"2.0","id":"3","method":"ping","params":{"a":' + "[" * 300 + "}}", "3"),
                     ('{"jsonrpc":"2.0"', None)):
        server.raw(line + "\n")
        error = server.get(lambda message: message.get("id", 0) == id, 5)
        check(error and error["error"]["code"] == -32700 and error["jsonrpc"] == "2.0", line[:80], error)
    server.close()


@pipe_case
def half_of_a_character_is_read():
    server = serve()
    server.initialize(forms=True)
    for text in (b"\\ud83d", b"\\ude00", b"\xff"):
        server.raw(b'{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"rpl_run","arguments":'
                   b'{"protocol":"version.md","answers":{"v":"cut ' + text + b'"}}}}\n')
        run = content(server.response("h")["result"])
        check(run["answers"] == [{"?v": "cut \ufffd"}], text, run)
    # An answer to a form that cannot be read: the form is shown again, and nobody waits.
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {"protocol": "version.md"}})
    for broken in ('"result":{"action":"accept","action":"decline"}', '"result":"yes"', '"error":"no"'):
        question = server.question(5)
        check(question, "no form before", broken)
        server.raw('{"jsonrpc":"2.0","id":%s,%s}\n' % (json.dumps(question["id"]), broken))
    run = content(server.response(id, 5)["result"])
    check(run["status"] == "waiting", run)
    server.close()


@case
def a_protocol_by_the_name_of_its_prompt():
    server = serve()
    server.initialize()
    for tool in ("rpl_run", "rpl_check"):
        result = server.call(tool, {"protocol": "trip"})
        check(result["isError"] is True and "did you mean `trip.md`?" in content(result)["error"], result)
    server.close()


# --- Tools -----------------------------------------------------------------------------------------

@case
def a_protocol_from_start_to_end():
    server = serve()
    server.initialize()
    listed = content(server.call("rpl_protocols", {}))["protocols"]
    names = [each["protocol"] for each in listed]
    check("trip.md" in names and "budget.rpl" in names, names)
    check(not {"broken.md", "note.txt", "link.md", "outside.md"} & set(names), names)
    trip = listed[names.index("trip.md")]
    check(trip["goals"] == ["%trip"] and trip["asks"][0]["key"] == "where", trip)
    result = server.call("rpl_run", {"protocol": "trip.md"})
    check(result["isError"] is False, result)
    run = content(result)
    check(run["status"] == "waiting" and run["pending"][0]["key"] == "where", run)
    check("rpl_answer" in run["now"] and run["session"] in run["now"], run["now"])
    session = run["session"]
    run = content(server.call("rpl_answer", {"session": session, "answers": {"where": "Lucca"}}))
    check(run["pending"][0]["prompt"] == "For how many nights?", run)
    run = content(server.call("rpl_answer", {"session": session, "answers": {"ask": 3}}))
    check(run["status"] == "satisfied", run)
    check(run["answers"] == [{"?where": "Lucca", "?nights": 3}], run)
    check("Travel to Lucca for 3 nights." in run["now"], run["now"])
    same = content(server.call("rpl_status", {"session": session}))
    check(same == run, same)
    events = content(server.call("rpl_trace", {"session": session}))["events"]
    check([e["by"] for e in events if e["kind"] == "reply"] == ["model", "model"], events)
    rows = content(server.call("rpl_query", {"session": session, "query": "stay(?to, ?n)"}))
    check(rows["rows"] == [{"?to": "Lucca", "?n": 3}], rows)
    why = content(server.call("rpl_explain", {"session": session, "fact": "stay(?to, ?n)"}))
    check(why["holds"] and "trip.md:7" in why["text"], why)
    server.close()


@case
def a_run_of_one_goal_is_queried_and_goes_on():
    write("goals/two.rpl", """%one(?x) <- ?x = $ask("One?")
%two(?x, ?y) <- ?x = $ask("Two?"), ?y = $ask("And?")
""")
    server = serve(sessions="goals", paths=("goals",))
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "two.rpl", "goal": "two"}))
    check([each["prompt"] for each in run["pending"]] == ["Two?"], run)
    session = run["session"]
    rows = content(server.call("rpl_query", {"session": session, "query": "?x = 1"}))
    check(rows["rows"] == [{"?x": 1}], rows)
    run = content(server.call("rpl_answer", {"session": session, "answers": {"ask": 2}}))
    check([each["prompt"] for each in run["pending"]] == ["And?"], run)
    server.close()
    server = serve(sessions="goals", paths=("goals",))
    server.initialize()
    same = content(server.call("rpl_status", {"session": session}))
    check(same["pending"] == run["pending"], same)
    run = content(server.call("rpl_answer", {"session": session, "answers": {"ask": 3}}))
    check(run["status"] == "satisfied" and run["answers"] == [{"?x": 2, "?y": 3}], run)
    rows = content(server.call("rpl_query", {"session": session, "query": "?x = 1"}))
    check(rows["rows"] == [{"?x": 1}], rows)
    server.close()


@case
def a_goal_has_its_sign_or_not():
    server = serve()
    server.initialize()
    for goal in ("trip", "%trip", "%"):
        run = content(server.call("rpl_run", {"protocol": "trip.md", "goal": goal}))
        check(run["status"] == "waiting" and run["pending"][0]["key"] == "where", goal, run)
    for goal in ("trap", "%trap"):
        run = content(server.call("rpl_run", {"protocol": "trip.md", "goal": goal}))
        check(run["error"] == "no goal of trip.md is named %trap", goal, run)
    server.close()


@case
def places_have_the_name_of_the_protocol():
    write("named/spend.md", """# Spend - %spend(?x) <- item(?x)

```rpl
item(1)
item(?x), ?x > 5 -> false
item(_) ^ ~ {:by ?who} -> ?who in #{:program :model}
```
""")
    server = serve(paths=("named",))
    server.initialize()
    session = content(server.call("rpl_run", {"protocol": "spend.md"}))["session"]
    run = content(server.call("rpl_assert", {"session": session, "facts": ["item(7)"]}))
    events = content(server.call("rpl_trace", {"session": session}))["events"]
    trace = server.request("resources/read", {"uri": f"rpl://session/{session}/trace"})["result"]
    queried = content(server.call("rpl_query", {"session": session, "query": "item(?x)"}))
    why = content(server.call("rpl_explain", {"session": session, "fact": "item(1)"}))
    for text in (run["reason"], " ".join(event["text"] for event in events),
                 trace["contents"][0]["text"], queried["reason"], why["text"]):
        check("spend.md:" in text and "/spend.md" not in text, text)
    server.close()


@case
def answers_given_with_the_run():
    server = serve()
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "trip.md", "answers": {
        "where": "Lucca", "ask": "2", "nonsense": 1}}))
    check(run["status"] != "satisfied" or run["answers"][0]["?where"] == "Lucca", run)
    check({"key": "nonsense", "why": "nothing asked for it"} in run["unused"], run)
    server.close()


@case
def results_and_errors_fit_the_output_schemas():
    write("faults/trip.md", "# Trip - %trip(?where) <- place(?where)\n# Place - place(?where)\nWhere?\n")
    write("faults/wrong.md", "# Wrong - %wrong(?x) <- item(?x), (\n")
    write("faults/facts.rpl", 'price("Pisa", 300)\n%best(?t) <- price(?t, ?p)\n')
    write("faults/configured/a.rpl", "%a(?x) <- b(?x)\nb(1)\n")
    write("faults/configured/rpl.yaml", "version: 1\ntools: {x: 1}\n")
    server = serve(sessions="faults-runs", paths=("faults",))
    server.initialize()
    tools = server.request("tools/list")["result"]["tools"]
    check(all("outputSchema" in tool for tool in tools), tools)
    schemas = {tool["name"]: jsonschema.Draft202012Validator(tool["outputSchema"]) for tool in tools}
    session = content(server.call("rpl_run", {"protocol": "trip.md"}))["session"]
    of_facts = {"protocol": "facts.rpl"}

    def fits(tool, is_error, *calls):
        for arguments in calls:
            result = server.call(tool, arguments)
            check(result.get("isError") is is_error, tool, arguments, result)
            found = [fault.message for fault in schemas[tool].iter_errors(content(result))]
            check(not found, tool, arguments, found, result)
            check(("error" in content(result)) == is_error, tool, arguments, result)

    fits("rpl_query", False, {"query": "price(?t, ?p)", **of_facts}, {"query": 'price("Pisa", 300)', **of_facts},
         {"query": 'price("Rome", 300)', **of_facts}, {"query": "place(?x)", "session": session})
    fits("rpl_explain", False, {"fact": "price(?t, ?p)", **of_facts}, {"fact": "%best", **of_facts},
         {"fact": "place(?x)", "session": session})
    fits("rpl_check", False, of_facts, {"protocol": "wrong.md"}, {"text": "# A - a(?x\n"}, {"text": ""})
    fits("rpl_trace", False, {"session": session}, {"session": session, "after": 1000})
    fits("rpl_protocols", False, {})
    for tool, key, value in (("rpl_query", "query", "a(?x)"), ("rpl_explain", "fact", "a(?x)")):
        asked = {key: value}
        fits(tool, True, asked, {}, of_facts, {key: 1, **of_facts}, {**asked, "nonsense": 1},
             {**asked, "session": "s_none"}, {**asked, "session": 1}, {**asked, "session": ""},
             {**asked, "protocol": "none.md"}, {**asked, "protocol": ""},
             {**asked, "protocol": "wrong.md"}, {**asked, "protocol": "configured/a.rpl"},
             *({key: wrong, **of_facts} for wrong in ("", "a(?x", ")", "a(1) -> true", "\x00", "a(?x)\nb(1)")))
    fits("rpl_query", True, {"query": "a(?x)", "limit": 0, **of_facts},
         {"query": "a(?x)", "limit": 501, **of_facts}, {"query": "a(?x)", "limit": "x", **of_facts},
         {"query": "a(?x)", "cursor": "x", **of_facts})
    fits("rpl_explain", True, {"fact": "a(?x)", "depth": 65, **of_facts})
    fits("rpl_check", True, {}, {"protocol": "none.md"}, {"protocol": 1}, {"text": []},
         {"nonsense": 1}, {"protocol": ""})
    fits("rpl_trace", True, {}, {"session": "s_none"}, {"session": 1}, {"session": session, "after": -1},
         {"session": session, "limit": 0}, {"session": session, "nonsense": 1})
    fits("rpl_protocols", True, {"cursor": "x"}, {"cursor": 1}, {"nonsense": 1})
    if not WORKERS:
        server.close()
        server = serve(sessions="faults-runs", paths=("faults",))
        server.initialize()
        for path in glob.glob(os.path.join(FOLDER, "faults-runs", session + "*")):
            if not path.endswith(".json"):
                with open(path, "r+b") as file:
                    file.write(b"no session")
        fits("rpl_query", True, {"query": "a(?x)", "session": session})
        fits("rpl_explain", True, {"fact": "a(?x)", "session": session})
        fits("rpl_trace", True, {"session": session})
    server.close()


@pipe_case
def a_wrong_call_of_rpl_guard_is_a_block():
    write("faults-policy.json", json.dumps({"rules": []}))
    server = serve("--policy", "faults-policy.json", "--store", "guard-faults.db")
    server.initialize()
    schema, = [tool["outputSchema"] for tool in server.request("tools/list")["result"]["tools"]
               if tool["name"] == "rpl_guard"]
    for arguments in ({}, {"tool": 1}, {"tool": "mail", "nonsense": 1}, {"tool": "mail", "history": [1]}):
        decided = content(server.call("rpl_guard", arguments))
        jsonschema.validate(decided, schema)
        check(decided["effect"] == "block" and "error" in decided, decided)
    server.close()


@case
def rows_choices_and_numbers():
    server = serve()
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "party.md"}))
    pending = {each["key"]: each for each in run["pending"]}
    check(pending["name"]["row"] == ["name"], pending)
    check(pending["choose"]["options"] == ["soup", "cake"], pending)
    check(pending["age"]["takes"] == "number", pending)
    session = run["session"]
    run = content(server.call("rpl_answer", {"session": session, "answers": {
        "choose": "bread", "age": "old"}}))
    check(len(run["pending"]) == 3, run)
    check([each["key"] for each in run["unused"]] != [] and "options" in str(run["unused"]) and
          "number" in str(run["unused"]), run)
    run = content(server.call("rpl_answer", {"session": session, "answers": {
        "name": ["Ada", "Grace"], "choose": "cake", "age": "7"}}))
    check(run["status"] == "satisfied" and run["answers"] == [{"?n": 2, "?what": "cake", "?age": 7}], run)
    server.close()


@case
def repeated_calls_do_nothing_new():
    server = serve(sessions="repeated")
    server.initialize()
    first = content(server.call("rpl_run", {"protocol": "trip.md", "request_id": "a"}))
    again = content(server.call("rpl_run", {"protocol": "trip.md", "request_id": "a"}))
    other = content(server.call("rpl_run", {"protocol": "trip.md", "request_id": "b"}))
    check(first["session"] == again["session"] != other["session"], first, again, other)
    # Without an id, a call that was answered is not repeated: an equal one means another run.
    plain = content(server.call("rpl_run", {"protocol": "gate.md"}))
    twice = content(server.call("rpl_run", {"protocol": "gate.md"}))
    check(plain["session"] != twice["session"], plain, twice)
    session = first["session"]
    answered = content(server.call("rpl_answer", {"session": session, "answers": {"where": "Lucca"}}))
    repeated = content(server.call("rpl_answer", {"session": session, "answers": {"where": "Lucca"}}))
    check(answered["seq"] == repeated["seq"] and "error" not in repeated, answered, repeated)
    result = server.call("rpl_answer", {"session": session, "answers": {"where": "Pisa"}})
    check(result["isError"] is True and "Lucca" in content(result)["error"], result)
    server.kill()
    server = serve(sessions="repeated")
    server.initialize()
    again = content(server.call("rpl_run", {"protocol": "trip.md", "request_id": "a"}))
    check(again["session"] == session and again["pending"][0]["key"] == "ask", again)
    server.close()


@case
def a_start_that_has_no_answer_is_repeated():
    server, other = serve(sessions="unanswered"), serve(sessions="unanswered")
    server.initialize(forms=True)
    other.initialize(forms=True)
    start = {"name": "rpl_run", "arguments": {"protocol": "gate.md"}}
    first = server.begin("tools/call", start)
    check(server.question(), "no form")
    # The host gave up waiting: the same call is the same run, of the same client.
    server.notify("notifications/cancelled", {"requestId": first})
    again = server.begin("tools/call", start)
    question = server.question()
    elsewhere = other.begin("tools/call", start)
    strange = other.question()
    server.respond(question, {"action": "cancel"})
    other.respond(strange, {"action": "cancel"})
    again = content(server.response(again)["result"])
    elsewhere = content(other.response(elsewhere)["result"])
    check(again["session"] != elsewhere["session"], again, elsewhere)
    if not WORKERS:
        records = glob.glob(os.path.join(FOLDER, "unanswered", "*.json"))
        check(len(records) == 2, records)
    server.close()
    other.close()


@case
def a_decided_run_is_no_answer_to_another_start():
    def person(server, answers):
        """Starts the protocol, and answers each form."""
        id = server.begin("tools/call", {"name": "rpl_run", "arguments": {"protocol": "spend.md"}})
        while (message := server.get(lambda m: m.get("method") == "elicitation/create" or
                                     m.get("id") == id, 20)) and "method" in message:
            keys = message["params"]["requestedSchema"]["properties"]
            server.respond(message, {"action": "accept", "content": {k: answers[k] for k in keys}})
        return content(message["result"])

    server = serve(sessions="decided")
    server.initialize(forms=True)
    first = person(server, {"euros": "10", "answer": "yes"})
    check(first["answers"] == [{"?euros": 10}], first)
    second = person(server, {"euros": "5000", "answer": "yes"})
    other = serve(sessions="decided")
    other.initialize(forms=True)
    third = person(other, {"euros": "6000", "answer": "yes"})
    check(second["answers"] == [{"?euros": 5000}] and third["answers"] == [{"?euros": 6000}], second, third)
    check(len({run["session"] for run in (first, second, third)}) == 3, first, second, third)
    server.close()
    other.close()


@case
def a_killed_server_loses_nothing():
    server = serve(sessions="killed")
    server.initialize()
    session = content(server.call("rpl_run", {"protocol": "trip.md"}))["session"]
    content(server.call("rpl_answer", {"session": session, "answers": {"where": "Lucca"}}))
    server.kill()
    server = serve(sessions="killed")
    server.initialize()
    run = content(server.call("rpl_status", {"session": session}))
    check(run["status"] == "waiting" and run["pending"][0]["key"] == "ask", run)
    result = server.call("rpl_answer", {"session": session, "answers": {"where": "Pisa"}})
    check(result["isError"] is True and "Lucca" in content(result)["error"], result)
    run = content(server.call("rpl_answer", {"session": session, "answers": {"ask": 3}}))
    check(run["status"] == "satisfied", run)
    server.close()
    if WORKERS:
        return
    about = os.stat(os.path.join(FOLDER, "killed"))
    check(stat.S_IMODE(about.st_mode) == 0o700, oct(about.st_mode))
    for name in os.listdir(os.path.join(FOLDER, "killed")):
        check(stat.S_IMODE(os.stat(os.path.join(FOLDER, "killed", name)).st_mode) & 0o077 == 0, name)


@case
def no_name_leads_elsewhere():
    server = serve()
    server.initialize()
    for name in ("../outside.md", os.path.join(FOLDER, "outside.md"), "link.md", "/etc/passwd", "",
                 "no.md", "protocols/trip.md", "./trip.md", "x\x00.md"):
        result = server.call("rpl_run", {"protocol": name})
        check(result["isError"] is True and content(result)["status"] == "rejected", name, result)
        result = server.call("rpl_query", {"protocol": name, "query": "p(?x)"})
        check(result["isError"] is True, name, result)
    for session in ("../trip", "s_", "s_AAAAAAAAAAAAAAAA", "/etc/passwd", "key", ""):
        for tool, more in (("rpl_status", {}), ("rpl_answer", {"answers": {"a": 1}}),
                           ("rpl_trace", {}), ("rpl_query", {"query": "p(?x)"}),
                           ("rpl_explain", {"fact": "p(?x)"})):
            result = server.call(tool, {"session": session, **more})
            check(result["isError"] is True, tool, session, result)
    server.close()


@case
def arguments_that_do_not_fit():
    server = serve()
    server.initialize()
    for tool, arguments, words in (
            ("rpl_run", {"protocl": "trip.md"}, "did you mean `protocol`"),
            ("rpl_run", {}, "neither"), ("rpl_run", {"protocol": 1}, "expected a string"),
            ("rpl_answer", {"answers": {}}, "session"),
            ("rpl_answer", {"session": "s_x", "answers": []}, "expected an object"),
            ("rpl_query", {"protocol": "trip.md", "query": "p(?x)", "limit": 0}, "1 to 500"),
            ("rpl_query", {"protocol": "budget.rpl", "query": "p(?x"}, "expected a query"),
            ("rpl_query", {"protocol": "budget.rpl", "query": "p(1)\n%x <- p(1)"}, "expected a query"),
            ("rpl_explain", {"protocol": "budget.rpl", "fact": "a(1), b(2)"}, "one"),
            ("rpl_assert", {"session": "s_x", "facts": "p(1)"}, "expected an array")):
        result = server.call(tool, arguments)
        check(result.get("isError") is True and words in content(result)["error"], tool, arguments,
              result)
    check(server.call("no_such_tool", {})["error"]["code"] == -32602, "unknown tool")
    check(server.request("tools/call", {"arguments": {}})["error"]["code"] == -32602, "no name")
    check(server.request("tools/call", {"name": "rpl_run", "arguments": []})["error"]["code"] == -32602,
          "arguments")
    check(server.request("tools/list", {"cursor": "x"})["error"]["code"] == -32602, "cursor")
    server.close()


@case
def checks_queries_and_explanations_of_protocols():
    server = serve()
    server.initialize()
    checked = content(server.call("rpl_check", {"protocol": "broken.md"}))
    check(checked["ok"] is False and checked["findings"][0]["rule"] == "RPL1004", checked)
    check(content(server.call("rpl_check", {"text": "p(1)\n% <- p(1)\n", "name": "a.rpl"}))["ok"],
          "a sound text")
    rows = content(server.call("rpl_query", {"protocol": "budget.rpl", "query": "cheap(?t)"}))
    check(rows == {"rows": [{"?t": "Pisa"}], "holds": True, "more": False}, rows)
    none = content(server.call("rpl_query", {"protocol": "budget.rpl", "query": "chaep(?t)"}))
    check(none["holds"] is False and "cheap" in none["reason"], none)
    why = content(server.call("rpl_explain", {"protocol": "budget.rpl", "fact": 'cheap("Lucca")'}))
    check(why["holds"] is False and "900 < 500" in why["text"], why)
    seen, cursor = [], None
    for _ in range(20):
        page = content(server.call("rpl_query", {
            "protocol": "many.rpl", "query": "n(?n)", "limit": 70,
            **({"cursor": cursor} if cursor else {})}))
        seen += [row["?n"] for row in page["rows"]]
        cursor = page.get("next")
        if not page["more"]:
            break
    check(seen == list(range(300)), len(seen))
    run = content(server.call("rpl_run", {"protocol": "many.rpl"}))
    seen = [row["?n"] for row in run["answers"]]
    while "next" in run:
        run = content(server.call("rpl_status", {"session": run["session"], "cursor": run["next"]}))
        seen += [row["?n"] for row in run["answers"]]
    check(seen == list(range(300)), len(seen))
    result = server.call("rpl_query", {"protocol": "many.rpl", "query": "n(?m)", "cursor": cursor or "x"})
    check(result["isError"] is True, result)
    server.close()


@case
def facts_reported_and_taken_back():
    server = serve()
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "budget.rpl", "facts": ['price("Siena", 100)'],
                                          "source": "the site"}))
    check({"?t": "Siena"} in run["answers"], run)
    session = run["session"]
    rows = content(server.call("rpl_query", {
        "session": session, "query": '%s(?s, ?by) <- price("Siena", _) ^ ~ {:source ?s, :by ?by}'}))
    check(rows["rows"] == [{"?s": "the site", "?by": ":model"}], rows)
    run = content(server.call("rpl_retract", {"session": session, "facts": ['price("Siena", 100)']}))
    check({"?t": "Siena"} not in run["answers"] and run["status"] == "satisfied", run)
    for bad in ("price(?x, 1)", "a <- b", "p(1)\nq(2)", "%best(1)", "", "p(1) -> true"):
        result = server.call("rpl_assert", {"session": session, "facts": [bad]})
        check(result["isError"] is True, bad, result)
    result = server.call("rpl_assert", {"session": session, "facts": ['price("Rome", 9000)']})
    check(content(result)["status"] == "failed" and "is violated" in content(result)["now"], result)
    run = content(server.call("rpl_retract", {"session": session, "facts": ['price("Rome", 9000)']}))
    check(run["status"] == "satisfied", run)
    server.close()


@case
def an_answer_taken_back():
    server = serve()
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "trip.md", "answers": {"where": "Lucca"}}))
    session = run["session"]
    run = content(server.call("rpl_retract", {"session": session, "answers": ["where"]}))
    check("where" in [each["key"] for each in run["pending"]], run)
    run = content(server.call("rpl_answer", {"session": session, "answers": {"where": "Pisa", "ask": 2}}))
    check(run.get("answers") == [{"?where": "Pisa", "?nights": 2}], run)
    server.close()


@case
def declined_questions():
    server = serve()
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "trip.md"}))
    run = content(server.call("rpl_answer", {"session": run["session"], "declines": ["where"]}))
    check(run["status"] == "failed" and "declined" in run["now"], run)
    run = content(server.call("rpl_answer", {"session": run["session"], "answers": {"where": "Lucca"}}))
    check(run["status"] == "waiting" and run["pending"][0]["key"] == "ask", run)
    server.close()


@case
def tools_of_the_host():
    server = serve()
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "stock.md"}))
    question = run["pending"][0]
    check(question["kind"] == "tool" and question["arguments"] == ["nuts"], run)
    failed = content(server.call("rpl_answer", {"session": run["session"], "errors": {"shelf": "locked"}}))
    check(failed["status"] in ("tool-failed", "unsatisfied"), failed)
    run = content(server.call("rpl_run", {"protocol": "stock.md", "request_id": "2"}))
    run = content(server.call("rpl_answer", {"session": run["session"], "answers": {"shelf": 12}}))
    check(run["answers"] == [{"?n": 12}], run)
    server.close()


@case
def a_failed_tool_is_called_again():
    write("crm/tool.sh", """#!/bin/sh
read -r line
id=$(echo "$line" | sed 's/.*"id":"//; s/".*//')
if [ -e ./mended ]; then echo "{\\"id\\":\\"$id\\",\\"result\\":7}"
else echo "{\\"id\\":\\"$id\\",\\"error\\":{\\"code\\":\\"down\\",\\"message\\":\\"no route\\"}}"; fi
""")
    os.chmod(os.path.join(FOLDER, "crm/tool.sh"), 0o755)
    write("crm/rpl.yaml", "version: 1\ntools: {crm: {command: [./tool.sh], permission: allow}}\n")
    write("crm/one.md", '# One - %one(?n) <- ?n = $crm("Ann")\n')
    write("crm/two.md", '# Two - %two(?x, ?n) <- who(?x), ?n = $crm(?x)\n\nwho("Ann")\n\nwho("Bob")\n')
    for protocol, keys, answers in [
            ("one.md", ["crm"], [{"?n": 7}]),
            ("two.md", ['$crm("Ann")', '$crm("Bob")'], [{"?x": "Ann", "?n": 7}, {"?x": "Bob", "?n": 7}])]:
        mended = os.path.join(FOLDER, "crm/mended")
        if os.path.exists(mended):
            os.remove(mended)
        server = serve("--allow-tool", "crm", paths=("crm",))
        server.initialize()
        run = content(server.call("rpl_run", {"protocol": protocol}))
        session = run["session"]
        check(run["status"] == "tool-failed", run)
        wanted = f'call rpl_retract with session "{session}" and answers {json.dumps(keys, separators=(",", ":"))}'
        check(wanted in run["now"], wanted, run["now"])
        open(mended, "w").close()
        run = content(server.call("rpl_retract", {"session": session, "answers": keys}))
        check(run["status"] == "satisfied" and run["answers"] == answers, run)
        server.close()
    server = serve(paths=("crm",))  # not permitted: it did not run
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "one.md"}))
    check(run["status"] == "tool-failed" and f'call rpl_run with session "{run["session"]}".' in run["now"],
          run)
    server.close()


# --- Questions to people -----------------------------------------------------------------------------

@case
def a_model_passes_no_gate_for_persons():
    server = serve(sessions="gate")
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "gate.md", "answers": {"who": "Ann", "x": "yes"}}))
    check(run["status"] == "waiting" and len(run["pending"]) == 1, run)
    check(run["pending"][0]["person"] is True, run)
    check("your turn ends here" in run["now"] and "rpl resume" in run["now"], run["now"])
    session = run["session"]
    again = content(server.call("rpl_answer", {"session": session, "answers": {"x": "yes"}}))
    check(again["pending"] == run["pending"] and "person" in again["unused"][0]["why"], again)
    result = server.call("rpl_assert", {"session": session, "facts": ['confirmed("yes")']})
    check(result["isError"] is True and "only a person" in content(result)["error"], result)
    check(content(result)["pending"] == run["pending"], result)
    # A person at a terminal can: nobody else holds the file.
    path = server.name_of(session) if WORKERS else os.path.join(FOLDER, "gate", session)
    status = os.system(f"{RPL} resume '{path}' --answer x=yes --answers-by person >out 2>err")
    check(os.waitstatus_to_exitcode(status) == 0, open("err").read())
    run = content(server.call("rpl_status", {"session": session}))
    check(run["status"] == "satisfied" and "Pay Ann now." in run["now"], run)
    server.close()


@case
def forms_for_clients_with_a_handshake():
    server = serve()
    server.initialize(forms=True)
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {"protocol": "trip.md",
                                                                      "request_id": "form"}})
    question = server.question()
    params = question["params"]
    check(params["mode"] == "form" and "trip.md asks: Where do you want to go?" in params["message"],
          params)
    schema = params["requestedSchema"]
    check(schema["properties"]["where"]["type"] == "string" and schema["required"] == ["where"], schema)
    check(server.request("ping")["result"] == {}, "a ping during a question")
    server.respond(question, {"action": "accept", "content": {"where": "Lucca", "more": 1}})
    question = server.question()
    server.respond(question, {"action": "accept", "content": {"ask": "3"}})
    run = content(server.response(id)["result"])
    check(run["status"] == "satisfied" and run["answers"] == [{"?where": "Lucca", "?nights": 3}], run)
    events = content(server.call("rpl_trace", {"session": run["session"]}))["events"]
    check([e["by"] for e in events if e["kind"] == "reply"] == ["person", "person"], events)
    server.respond(question, {"action": "accept", "content": {"ask": "4"}})  # a second time
    later = content(server.call("rpl_status", {"session": run["session"]}))
    while later.get("running"):  # another worker reads the response
        later = content(server.call("rpl_status", {"session": run["session"]}))
    check(later == run, "a late response", later)
    server.close()


@case
def forms_have_the_types_of_their_questions():
    for revision in ("2025-06-18", "2025-11-25"):
        server = serve()
        server.initialize(revision, forms=True)
        id = server.begin("tools/call", {"name": "rpl_run", "arguments": {
            "protocol": "party.md", "request_id": "types" + revision}})
        params = server.question()["params"]
        check(("mode" in params) == (revision >= "2025-11-25"), params)
        properties = params["requestedSchema"]["properties"]
        check(properties["name"]["type"] == "string", properties)
        check(properties["choose"]["enum"] == ["soup", "cake"], properties)
        check(properties["age"]["type"] == "number", properties)
        check(sorted(params["requestedSchema"]["required"]) == ["age", "choose", "name"], params)
        server.close()
    server = serve()
    server.initialize(forms=True)
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {
        "protocol": "party.md", "request_id": "wrong types"}})
    question = server.question()
    server.respond(question, {"action": "accept", "content": {
        "name": "Ada\nGrace\n", "choose": "bread", "age": "seven"}})
    question = server.question()
    check(set(question["params"]["requestedSchema"]["properties"]) == {"choose", "age"}, question)
    # A worker that asks again did not see the answer.
    check(WORKERS or "expected a number" in question["params"]["message"] or
          "options" in question["params"]["message"], question)
    server.respond(question, {"action": "accept", "content": {"choose": "soup", "age": 7}})
    run = content(server.response(id)["result"])
    check(run["answers"] == [{"?n": 2, "?what": "soup", "?age": 7}], run)
    server.close()


@case
def typed_codes_stay_as_they_were_typed():
    server = serve()
    server.initialize(forms=True)
    for typed, value in [("2.10", "2.10"), ("007", "007"), ("1.0", "1.0"), ("2.1", 2.1), ("80331", 80331)]:
        id = server.begin("tools/call", {"name": "rpl_run", "arguments": {
            "protocol": "version.md", "request_id": typed}})
        question = server.question()
        check(question["params"]["requestedSchema"]["properties"]["v"]["type"] == "string", question)
        server.respond(question, {"action": "accept", "content": {"v": typed}})
        run = content(server.response(id)["result"])
        check(run["answers"] == [{"?v": value}], typed, run)
    server.close()
    server = serve()
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "version.md", "answers": {"v": "2.10"}}))
    check(run["answers"] == [{"?v": "2.10"}], run)
    again = content(server.call("rpl_answer", {"session": run["session"], "answers": {"v": "2.10"}}))
    check("error" not in again, again)
    server.close()


@case
def a_person_passes_the_gate():
    server = serve()
    server.initialize(forms=True)
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {
        "protocol": "gate.md", "answers": {"who": "Ann", "x": "yes"}, "request_id": "person"}})
    question = server.question()
    check(list(question["params"]["requestedSchema"]["properties"]) == ["x"], question)
    server.respond(question, {"action": "accept", "content": {"x": "yes"}})
    run = content(server.response(id)["result"])
    check(run["status"] == "satisfied", run)
    server.close()


@case
def forms_that_are_not_answered():
    server = serve("--ask-timeout", "1")
    server.initialize(forms=True)
    arguments = {"protocol": "trip.md", "request_id": "unanswered"}
    # Cancelled: waiting, and asked again by the next call.
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": arguments})
    server.respond(server.question(), {"action": "cancel"})
    result = server.response(id)["result"]
    check(result["isError"] is False and content(result)["status"] == "waiting", result)
    # No answer in time: the question is withdrawn, an answer that comes late is kept.
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": arguments})
    question = server.question()
    run = content(server.response(id, 5)["result"])
    check(run["status"] == "waiting", run)
    cancelled = server.get(lambda m: m.get("method") == "notifications/cancelled", 2)
    check(cancelled and cancelled["params"]["requestId"] == question["id"], cancelled)
    server.respond(question, {"action": "accept", "content": {"where": "Lucca"}})
    time.sleep(0.5)
    run = content(server.call("rpl_status", {"session": run["session"]}))
    check(run["pending"][0]["key"] == "ask", run)
    server.close()


@case
def an_answer_to_a_form_of_a_cancelled_call_is_kept():
    server = serve()
    server.initialize(forms=True)
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {"protocol": "trip.md"}})
    server.respond(server.question(), {"action": "cancel"})
    session = content(server.response(id)["result"])["session"]
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {"session": session}})
    question = server.question()
    server.notify("notifications/cancelled", {"requestId": id})
    server.respond(question, {"action": "accept", "content": {"where": "Lucca"}})
    end = time.monotonic() + 10
    keys = []
    while keys != ["ask"] and time.monotonic() < end:
        run = content(server.call("rpl_status", {"session": session}))
        keys = [each["key"] for each in run["pending"]]
        time.sleep(0.1)
    check(keys == ["ask"], run)
    server.close()


@case
def an_empty_form_is_shown_three_times():
    for nothing in ({"action": "accept", "content": {}}, {"action": "accept", "content": {"where": " "}}):
        server = serve()
        server.initialize(forms=True)
        id = server.begin("tools/call", {"name": "rpl_run", "arguments": {"protocol": "trip.md"}})
        for _ in range(3):
            server.respond(server.question(), nothing)
        message = server.get(lambda m: m.get("method") == "elicitation/create" or m.get("id") == id, 20)
        run = content(message["result"])
        check(run["status"] == "waiting" and run["pending"][0]["key"] == "where", run)
        server.close()


@case
def a_person_who_declines():
    server = serve()
    server.initialize(forms=True)
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {
        "protocol": "trip.md", "request_id": "declined"}})
    question = server.question()
    time.sleep(1.1)  # at once would be a host without anybody
    server.respond(question, {"action": "decline"})
    run = content(server.response(id)["result"])
    check(run["status"] == "waiting" and "declined" in run["hint"], run)
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {
        "protocol": "optional.rpl", "request_id": "declined"}})
    question = server.question()
    time.sleep(1.1)
    server.respond(question, {"action": "decline"})
    question = server.question()
    check("Quietly then?" in question["params"]["message"], question)
    server.respond(question, {"action": "accept", "content": {"ask": "yes"}})
    run = content(server.response(id)["result"])
    check(run["status"] == "satisfied" and run["answers"] == [{"?how": "quietly"}], run)
    server.close()


@case
def hosts_that_say_no_by_themselves():
    for answer in ({"result": {"action": "decline"}},
                   {"error": {"code": -32601, "message": "Method not found"}}):
        server = serve(*(["--ask-timeout", "1"] if WORKERS else []))
        server.initialize(forms=True)
        id = server.begin("tools/call", {"name": "rpl_run", "arguments": {
            "protocol": "trip.md", "request_id": "auto" + str(answer)}})
        question = server.question()
        server.send({"jsonrpc": "2.0", "id": question["id"], **answer})
        run = content(server.response(id)["result"])
        check(run["status"] == "waiting" and len(run["pending"]) == 1, run)
        run = content(server.call("rpl_answer", {"session": run["session"], "answers": {"where": "Lucca"}}))
        check(run["pending"][0]["key"] == "ask", run)
        # The other worker does not know yet.
        check(WORKERS or server.question(0.1) is None, "asked once more")
        server.close()


@case
def servers_told_to_ask_never():
    server = serve("--ask", "never")
    server.initialize(forms=True)
    run = content(server.call("rpl_run", {"protocol": "trip.md", "request_id": "never"}))
    check(run["status"] == "waiting", run)
    result = server.call("rpl_run", {"protocol": "trip.md", "request_id": "never"}, meta(forms=True))
    check(result["resultType"] == "complete", result)
    server.close()


@case
def a_form_is_held_to_what_it_asks_for():
    server = serve()
    server.initialize(forms=True)
    start = {"name": "rpl_run", "arguments": {"protocol": "trip.md", "request_id": "held"}}
    for value, why in (("", "the answer is empty. "), (" \n\t", "the answer is empty. "),
                       (5, "expected a text, got 5. "), (True, "expected a text, got true. "),
                       (["a"], 'expected a text, got ["a"]. ')):
        id = server.begin("tools/call", start)
        question = server.question()
        check(question and question["params"]["requestedSchema"]["properties"]["where"]["minLength"] == 1, question)
        server.respond(question, {"action": "accept", "content": {"where": value}})
        question = server.question()
        # Of two workers, the one that asks may not be the one that took the answer.
        told = why if not WORKERS else "trip.md asks: Where"
        check(question and told in question["params"]["message"], value, question)
        server.respond(question, {"action": "cancel"})
        server.response(id)
    id = server.begin("tools/call", start)
    question = server.question()
    server.respond(question, {"action": "accept", "content": {"where": "Lucca"}})
    question = server.question()
    check(question and "nights" in question["params"]["message"], question)
    server.respond(question, {"action": "accept", "content": {"ask": "3"}})
    run = content(server.response(id)["result"])
    check(run["status"] == "satisfied" and run["answers"] == [{"?nights": 3, "?where": "Lucca"}], run)
    server.close()


@case
def no_form_asks_for_a_secret():
    server = serve()
    server.initialize(forms=True)
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {
        "protocol": "login.md", "request_id": "secret"}})
    question = server.question()
    check(list(question["params"]["requestedSchema"]["properties"]) == ["name"], question)
    server.respond(question, {"action": "accept", "content": {"name": "Ada"}})
    run = content(server.response(id)["result"])
    check(run["pending"][0]["secret"] is True and "rpl resume" in run["now"], run)
    check("in a form" not in run["now"] and "who answers at a terminal" in run["now"], run["now"])
    for given in ({"answers": {"word": "tr0ub4dor"}}, {"declines": ["word"]}):
        refused = content(server.call("rpl_answer", {"session": run["session"], **given}))
        check(refused["status"] == "waiting" and refused["unused"][0]["key"].startswith("word") and
              "a secret" in refused["unused"][0]["why"], refused)
    server.close()
    # A question for a person that is no secret has forms.
    server = serve()
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "gate.md", "answers": {"who": "Bob"}}))
    check("in a form of this host or at a terminal" in run["now"], run["now"])
    run = content(server.call("rpl_run", {"protocol": "login.md", "answers": {"word": "x", "name": "Ada"}}))
    check(run["status"] == "waiting" and "x" not in json.dumps(run["answers"]), run)
    server.close()


# --- Modern questions --------------------------------------------------------------------------------

def modern_run(server, protocol, request, **more):
    arguments = {"protocol": protocol, "request_id": request}
    return arguments, server.call("rpl_run", arguments, meta(forms=True), **more)


@case
def questions_of_modern_clients():
    server = serve(sessions="modern")
    arguments, asked = modern_run(server, "trip.md", "m1")
    check(asked["resultType"] == "input_required" and "ttlMs" not in asked, asked)
    request = asked["inputRequests"]["where"]
    check(request["method"] == "elicitation/create" and "id" not in request, request)
    asked = server.call("rpl_run", arguments, meta(forms=True), requestState=asked["requestState"],
                        inputResponses={"where": {"action": "accept", "content": {"where": "Lucca"}},
                                        "other": {"action": "cancel"}})
    check(list(asked["inputRequests"]) == ["ask"], asked)
    server.kill()  # the next one goes on
    server = serve(sessions="modern")
    done = server.call("rpl_run", arguments, meta(forms=True), requestState=asked["requestState"],
                       inputResponses={"ask": {"action": "accept", "content": {"ask": "3"}}})
    check(done["resultType"] == "complete", done)
    run = content(done)
    check(run["status"] == "satisfied" and run["answers"] == [{"?where": "Lucca", "?nights": 3}], run)
    # The same answer once more changes nothing.
    again = server.call("rpl_run", arguments, meta(forms=True), requestState=asked["requestState"],
                        inputResponses={"ask": {"action": "accept", "content": {"ask": "4"}}})
    check(content(again)["seq"] == run["seq"] and content(again)["answers"] == run["answers"], again)
    server.close()


@case
def facts_are_reported_once_when_a_question_follows():
    server = serve()
    run = content(server.call("rpl_run", {"protocol": "trip.md"}, meta()))
    arguments = {"session": run["session"], "facts": ["seen(1)"]}
    asked = server.call("rpl_assert", arguments, meta(forms=True))
    check(asked["resultType"] == "input_required", asked)
    asked = server.call("rpl_assert", arguments, meta(forms=True), requestState=asked["requestState"],
                        inputResponses={"where": {"action": "accept", "content": {"where": "Lucca"}}})
    check(list(asked.get("inputRequests", {})) == ["ask"], asked)
    events = content(server.call("rpl_trace", {"session": run["session"]}, meta()))["events"]
    check([e["kind"] for e in events] == ["fact", "reply"], events)
    server.close()


@case
def modern_clients_without_forms():
    server = serve()
    result = server.call("rpl_run", {"protocol": "trip.md", "request_id": "plain"}, meta())
    check(result["resultType"] == "complete" and content(result)["status"] == "waiting", result)
    server.close()


@case
def modern_clients_that_bring_nothing_are_asked_three_times():
    for nothing in ({}, {"where": {"action": "accept", "content": {}}},
                    {"where": {"action": "accept", "content": {"where": " "}}}):
        server = serve()
        arguments, asked = modern_run(server, "trip.md", "nothing")
        for _ in range(2):
            asked = server.call("rpl_run", arguments, meta(forms=True), requestState=asked["requestState"],
                                inputResponses=nothing)
            check(asked["resultType"] == "input_required", nothing, asked)
        # An answer begins the count anew.
        asked = server.call("rpl_run", arguments, meta(forms=True), requestState=asked["requestState"],
                            inputResponses={"where": {"action": "accept", "content": {"where": "Lucca"}}})
        for rounds in range(3):
            check(list(asked.get("inputRequests", {})) == ["ask"], rounds, asked)
            asked = server.call("rpl_run", arguments, meta(forms=True), requestState=asked["requestState"],
                                inputResponses={})
        run = content(asked)
        check(asked["resultType"] == "complete" and not asked["isError"] and run["status"] == "waiting" and
              [each["key"] for each in run["pending"]] == ["ask"], asked)
        server.close()


@case
def modern_answers_that_are_none():
    server = serve()
    arguments, asked = modern_run(server, "trip.md", "m2")
    state = asked["requestState"]

    def retry(responses):
        return server.call("rpl_run", arguments, meta(forms=True), requestState=state,
                           inputResponses=responses)

    check(retry({})["resultType"] == "input_required", "nothing")
    check(retry({"where": {"action": "accept", "content": {}}})["resultType"] == "input_required",
          "a missing key")
    run = content(retry({"where": {"action": "decline"}}))
    check(run["status"] == "waiting" and "declined" in run["hint"], run)
    run = content(retry({"where": {"action": "cancel"}}))
    check(run["status"] == "waiting", run)
    for malformed in ([], {"where": 1}, {"where": {}}, {"where": {"action": "accept", "content": 1}}):
        check(retry(malformed)["error"]["code"] == -32602, malformed)
    server.close()


@case
def states_that_are_not_ours():
    server = serve(sessions="seals")
    arguments, asked = modern_run(server, "trip.md", "m3")
    other_arguments, other = modern_run(server, "trip.md", "m4")
    state = asked["requestState"]
    answer = {"where": {"action": "accept", "content": {"where": "Lucca"}}}
    flipped = [state[:i] + chr(ord(state[i]) ^ 1) + state[i + 1:] for i in (0, 3, 10, 40, len(state) - 1)]
    for bad in [*flipped, state[:-1], state + "A", "", "r1..", "x" * 100000, other["requestState"], 5, None]:
        error = server.call("rpl_run", arguments, meta(forms=True), requestState=bad,
                            inputResponses=answer).get("error", {})
        check(error.get("code") == -32602 and error["data"] == {"reason": "invalid_request_state"},
              str(bad)[:60], error)
    error = server.call("rpl_answer", {"session": "s_AAAAAAAAAAAAAAAA"}, meta(forms=True),
                        requestState=state, inputResponses=answer).get("error", {})
    check(error.get("code") == -32602, "another tool", error)
    error = server.call("rpl_run", arguments, meta(forms=True), inputResponses=answer).get("error", {})
    check(error.get("code") == -32602, "no state", error)
    server.close()
    server = serve(sessions="other-seals")
    error = server.call("rpl_run", arguments, meta(forms=True), requestState=state,
                        inputResponses=answer).get("error", {})
    check(error.get("code") == -32602, "another server", error)
    server.close()


@case
def long_work_becomes_a_task():
    server = serve("--reply-within", "1", *(["--drain", "0"] if WORKERS else []))
    tasks = {"capabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}
    found = server.request("server/discover", {"_meta": meta()})["result"]
    check("io.modelcontextprotocol/tasks" in found["capabilities"]["extensions"], found)
    run = content(server.call("rpl_run", {"protocol": "slow.rpl", "request_id": "1"}, meta()))
    check(run["running"] is True and "rpl_status" in run["now"], run)
    task = server.call("rpl_run", {"protocol": "slow.rpl", "request_id": "2"}, meta(**tasks))
    check(task["resultType"] == "task" and task["status"] == "working", task)
    id = task["taskId"]

    def ask(method, **more):
        answer = server.request(method, {"taskId": id, "_meta": meta(forms=True, **tasks), **more})
        return answer.get("result") or answer.get("error")

    check(ask("tasks/get")["status"] == "working", "get")
    if not WORKERS:
        check(ask("tasks/cancel")["resultType"] == "complete", "cancel")
        time.sleep(0.5)
        check(ask("tasks/get")["status"] == "cancelled", ask("tasks/get"))
    id = content(server.call("rpl_run", {"protocol": "trip.md"}, meta()))["session"]
    task = ask("tasks/get")
    check(task["status"] == "input_required", task)
    key = next(iter(task["inputRequests"]))
    ask("tasks/update", inputResponses={key: {"action": "accept", "content": {"where": "Lucca"}}})
    ask("tasks/update", inputResponses={key: {"action": "accept", "content": {"where": "Pisa"}}})  # late
    task = ask("tasks/get")
    key = next(iter(task["inputRequests"]))
    ask("tasks/update", inputResponses={key: {"action": "accept", "content": {"ask": "3"}}})
    task = ask("tasks/get")
    check(task["status"] == "completed" and
          task["result"]["structuredContent"]["answers"] == [{"?where": "Lucca", "?nights": 3}], task)
    check(ask("tasks/update", inputResponses=[])["code"] == -32602, "malformed")
    id = "s_AAAAAAAAAAAAAAAA"
    check(ask("tasks/get")["code"] == -32602, "unknown")
    check(server.request("tasks/get", {"taskId": id, "_meta": meta()})["error"]["code"] == -32021, "undeclared")
    check(server.request("tasks/result", {"taskId": id, "_meta": meta()})["error"]["code"] == -32601, "removed")
    server.close()


# --- What was acknowledged -------------------------------------------------------------------------

def slow_tool(*options, sessions, forms=False):
    """A server with a tool that takes three seconds, which replies within one."""
    write("tools/rpl.yaml", "version: 1\ntools:\n  wait: {command: [./wait.sh], permission: allow}\n")
    write("tools/wait.sh", "#!/bin/sh\nread -r line\necho . >>ran\nsleep 3\n"
          "id=${line#*'\"id\":\"'}\necho \"{\\\"id\\\":\\\"${id%%'\"'*}\\\",\\\"result\\\":7}\"\n")
    os.chmod(os.path.join(FOLDER, "tools/wait.sh"), 0o755)
    write("tools/wait.md", "# Go - %go(?r, ?x) <- ?r = $wait(1), q(?x)\n# Q - q(?x)\nWhat?\n")
    write("tools/two.md", "# Go - %go(?r, ?b) <- got(?r), b(?b)\n# Got - got(?r) <- a(?a), ?r = $wait(?a)\n"
          "# A - a(?a)\nA?\n# B - b(?b)\nB?\n")
    write("tools/first.md", "# Go - %go(?r, ?x) <- q(?x), ?r = $wait(?x)\n# Q - q(?x)\nWhat?\n")
    server = serve("--reply-within", "1", "--allow-tool", "wait", *options, sessions=sessions,
                   paths=("tools",))
    server.initialize(forms=forms)
    return server


def settled(server, session):
    """The state of a run that works no more."""
    for _ in range(100):
        run = content(server.call("rpl_status", {"session": session}))
        if not run.get("running"):
            return run
        time.sleep(0.1)
    check(False, "it does not end", run)
    return run


@pipe_case
def an_answer_given_while_a_turn_runs_outlives_the_server():
    for early in (True, False):
        sessions = f"acknowledged-{early}"
        server = slow_tool(sessions=sessions)
        given = {"answers": {"x": "early"}} if early else {}
        run = content(server.call("rpl_run", {"protocol": "wait.md", "request_id": "r", **given}))
        check(run["running"] is True and "not stored" not in run["now"], run)
        session = run["session"]
        if not early:
            run = content(server.call("rpl_answer", {"session": session, "answers": {"x": "early"}}))
            check(run["running"] is True, run)
            run = content(server.call("rpl_assert", {"session": session, "facts": ["noted(1)"]}))
            check(run["running"] is True, run)
        server.process.kill()
        server.process.wait()
        server = slow_tool(sessions=sessions)
        run = settled(server, session)
        check(run["status"] == "waiting" and run["pending"][0]["inDoubt"] is True, run)
        check("Nobody knows whether the tool `wait` ran" in run["now"] and
              "--retry wait" in run["now"], run["now"])
        # It was given before its question, which comes after the call in doubt.
        check("nothing asks yet for what was given before: x" in run["hint"], run)
        run = content(server.call("rpl_answer", {"session": session,
                                                 "answers": {"wait": 9, "x": "early"}}))
        check(run["status"] == "satisfied" and run["answers"] == [{"?r": 9, "?x": "early"}], run)
        if not early:
            rows = content(server.call("rpl_query", {"session": session, "query": "noted(?x)"}))
            check(rows["rows"] == [{"?x": 1}], rows)
        with open(os.path.join(FOLDER, sessions, session + ".json")) as file:
            check("inputs" not in json.load(file), "inputs that were taken are kept")
        server.close()
    # An answer to an open question, behind a turn that works on another.
    server = slow_tool(sessions="acknowledged-two")
    session = content(server.call("rpl_run", {"protocol": "two.md"}))["session"]
    for key in "ab":
        run = content(server.call("rpl_answer", {"session": session, "answers": {key: 1}}))
        check(run["running"] is True, run)
    server.process.kill()
    server.process.wait()
    server = slow_tool(sessions="acknowledged-two")
    run = settled(server, session)
    check([q["key"] for q in run["pending"]] == ["wait"] and "hint" not in run, run)
    run = content(server.call("rpl_answer", {"session": session, "answers": {"wait": 9}}))
    check(run["answers"] == [{"?r": 9, "?b": 1}], run)
    server.close()


@pipe_case
def an_answer_in_a_form_outlives_the_server():
    server = slow_tool(sessions="acknowledged-form", forms=True)
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {"protocol": "first.md"}})
    server.respond(server.question(), {"action": "accept", "content": {"x": "2"}})
    run = content(server.response(id, 10)["result"])
    check(run["running"] is True, run)
    session = run["session"]
    server.process.kill()
    server.process.wait()
    server = slow_tool(sessions="acknowledged-form")
    run = settled(server, session)
    check(run["pending"][0]["id"] == "$wait(2)", run)
    server.close()


@pipe_case
def a_start_that_was_cancelled_is_repeated_with_its_answers():
    server = slow_tool(sessions="cancelled-start")
    start = {"protocol": "wait.md", "request_id": "r", "answers": {"x": 2}, "facts": ["noted(1)"]}
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": start})
    time.sleep(0.5)
    server.notify("notifications/cancelled", {"requestId": id})
    run = content(server.call("rpl_run", start))
    check([q["id"] for q in run["pending"]] == ["$wait(1)"], run)
    check("nothing asks yet for what was given before: x" in run["hint"], run)
    run = content(server.call("rpl_answer", {"session": run["session"], "answers": {"wait": 9, "x": 2}}))
    check(run["answers"] == [{"?r": 9, "?x": 2}], run)
    rows = content(server.call("rpl_query", {"session": run["session"], "query": "noted(?x)"}))
    check(rows["rows"] == [{"?x": 1}], rows)
    # What is repeated after that does nothing new.
    server.call("rpl_retract", {"session": run["session"], "answers": ["x"]})
    run = content(server.call("rpl_run", start))
    check([q["key"] for q in run["pending"]] == ["x"] and "hint" not in run, run)
    server.close()


@pipe_case
def what_a_turn_did_not_take_is_told_by_the_status():
    server = slow_tool(sessions="told")
    run = content(server.call("rpl_run", {"protocol": "wait.md", "answers": {"nothing": 1}}))
    check(run["running"] is True, run)
    run = settled(server, run["session"])
    check(run["unused"] == [{"key": "nothing", "why": "nothing asked for it"}], run)
    # A fault is told once.
    run = content(server.call("rpl_retract", {"session": run["session"], "answers": ["none"]}))
    check("error" in run, run)
    time.sleep(1.5)
    run = content(server.call("rpl_status", {"session": run["session"]}))
    check("error" not in run and "hint" not in run and run["status"] == "waiting", run)
    server.close()


@pipe_case
def a_server_with_nothing_to_do_lets_go_of_a_run():
    server, other = serve(sessions="let-go"), serve(sessions="let-go")
    server.initialize()
    other.initialize()
    session = content(server.call("rpl_run", {"protocol": "trip.md"}))["session"]
    run = content(other.call("rpl_answer", {"session": session, "answers": {"where": "Lucca"}}))
    check(run["status"] == "waiting" and "error" not in run, run)
    run = content(server.call("rpl_status", {"session": session}))
    check([q["key"] for q in run["pending"]] == ["ask"], run)
    time.sleep(1.5)
    path = os.path.join(FOLDER, "let-go", session)
    status = os.system(f"{RPL} resume '{path}' --answer ask=3 >out 2>err")
    check(status == 0, "resume at a terminal", open("out").read(), open("err").read())
    run = content(other.call("rpl_status", {"session": session}))
    check(run["answers"] == [{"?where": "Lucca", "?nights": 3}], run)
    run = content(server.call("rpl_status", {"session": session}))
    check(run["answers"] == [{"?where": "Lucca", "?nights": 3}], run)
    server.close()
    other.close()


# --- While it works ------------------------------------------------------------------------------------

@pipe_case
def a_server_that_works_still_answers():
    server = serve(sessions="busy")
    server.initialize()
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {"protocol": "slow.rpl"}})
    time.sleep(0.3)
    begin = time.monotonic()
    check(server.request("ping")["result"] == {}, "ping")
    check(time.monotonic() - begin < 3, "a ping took", time.monotonic() - begin)
    run = content(server.call("rpl_run", {"protocol": "trip.md"}))
    check(run["status"] == "waiting", run)
    server.notify("notifications/cancelled", {"requestId": id, "reason": "enough"})
    time.sleep(0.3)
    with open(f"/proc/{server.process.pid}/stat") as file:
        before = sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
    time.sleep(0.5)
    with open(f"/proc/{server.process.pid}/stat") as file:
        after = sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
    check(after - before < 20, "it goes on after a cancellation: ticks", after - before)
    check(server.response(id, 0.2) is None, "a response after a cancellation")
    server.notify("notifications/cancelled", {"requestId": id})
    server.notify("notifications/cancelled", {"requestId": "none"})
    server.notify("notifications/cancelled", {})
    server.begin("tools/call", {"name": "rpl_run", "arguments": {"protocol": "slow.rpl"}})
    time.sleep(0.2)
    took = server.close()
    check(took is not None and took < 5, "the end of the input took", took)


@pipe_case
def a_signal_ends_the_server():
    import signal
    for number in (signal.SIGINT, signal.SIGTERM):
        server = serve()
        server.initialize()
        begin = time.monotonic()
        server.process.send_signal(number)
        try:
            server.process.wait(3)
        except Exception:
            check(False, "it goes on after", number)
        check(time.monotonic() - begin < 5, "it took", time.monotonic() - begin)


@case
def limits_end_calls_and_not_the_server():
    server = serve("--max-time", "0.3", sessions="limits")
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "slow.rpl"}))
    check(run["status"] == "limit" and "0.3" in run["reason"], run)
    rows = server.call("rpl_query", {"protocol": "slow.rpl", "query": "n(?x)"})
    check(rows is not None, "a query at its limit")
    run = content(server.call("rpl_run", {"protocol": "trip.md"}))
    check(run["status"] == "waiting", run)
    server.close()


@pipe_case
def a_stray_line_does_not_reach_the_protocol():
    write("protocols/chat.md", "# Chat - %chat <- l(?l), $json(?l)\n\nl([1 2])\n")
    server = serve()
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "chat.md"}))
    check(run["status"] == "satisfied" and run["chat"] == ["[1,2]"], run)
    check(all(line.startswith(b'{"jsonrpc":"2.0"') for line in server.lines), server.lines)
    server.close()
    os.remove(os.path.join(FOLDER, "protocols/chat.md"))


@pipe_case
def tools_need_permission():
    write("tools/p.md", '# P - %p(?x) <- ?x = $hello("you")\n')
    write("tools/rpl.yaml", "version: 1\ntools:\n  hello:\n    command: [./hello.sh]\n    permission: allow\n")
    write("tools/hello.sh", '#!/bin/sh\nread line\nid=$(echo "$line" | sed \'s/.*"id":"\\([^"]*\\)".*/\\1/\')\n'
                            'echo "{\\"id\\":\\"$id\\",\\"result\\":\\"hello\\"}"\n')
    os.chmod(os.path.join(FOLDER, "tools/hello.sh"), 0o755)
    env = {"XDG_STATE_HOME": os.path.join(FOLDER, "state")}
    server = Server(RPL, "mcp", "tools", "protocols", "--sessions", "denied", env=env)
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "tools/p.md"}))
    check(run["status"] == "tool-failed", run)
    server.close()
    server = Server(RPL, "mcp", "tools", "protocols", "--sessions", "allowed", "--allow-tool", "hello",
                    env=env)
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "tools/p.md"}))
    check(run["status"] == "satisfied" and run["answers"] == [{"?x": "hello"}], run)
    run = content(server.call("rpl_run", {"protocol": "protocols/trip.md"}))
    check(run["status"] == "waiting", run)
    server.close()


@case
def files_beside_a_protocol_are_not_a_clients():
    server = serve(paths=("protocols/budget.rpl",))
    server.initialize()
    result = server.call("rpl_query", {"protocol": "budget.rpl", "query": "trip.md#place(?x)"})
    check(result["isError"] is True or content(result)["holds"] is False, result)
    check("trip.md:" not in str(result), result)
    run = content(server.call("rpl_run", {"protocol": "budget.rpl"}))
    result = server.call("rpl_assert", {"session": run["session"], "facts": ["trip.md#place(1)"]})
    check("Where do you want" not in str(result), result)
    check(server.call("rpl_run", {"protocol": "trip.md"})["isError"] is True, "a file that was not named")
    server.close()


@pipe_case
def a_model_does_not_state_what_guards_read():
    write("open-policy.json", json.dumps({"rules": [
        {"priority": 1, "enabled": True, "name": "none",
         "selector": {"phase": "tool.before", "tool": {"name": "mail"}},
         "condition": {"kind": "maxCalls", "selector": {"by": "toolName", "patterns": ["mail"]}, "max": 0},
         "effect": {"type": "block", "reason": "none"}}]}))
    server = serve("--policy", "open-policy.json", "--store", "guard2.db")
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "trip.md"}))
    for fact in ('end-user("root")', 'signal("risk", [], 0)', 'tool-name("mail", "search")', 'severity("none", :info)',
                 'guard-decision("a", [], :allow, "r")'):
        result = server.call("rpl_assert", {"session": run["session"], "facts": [fact]})
        check(result["isError"] is True and "a model may not state" in content(result)["error"], fact, result)
    server.close()
    write("guarded.rpl", '$mail(_), not std#end-user-tag("plan", "pro") -> false\n% <- $ask("To whom?") ^ ~ {:result ?x}, $mail(?x)\n')
    server = serve()
    server.initialize()
    for protocol, taken in (("guarded.rpl", False), ("trip.md", True)):
        run = content(server.call("rpl_run", {"protocol": protocol}))
        result = server.call("rpl_assert", {"session": run["session"], "facts": ['end-user-tag("plan", "pro")']})
        check((result["isError"] is not True) == taken, protocol, result)
    server.close()


@pipe_case
def a_review_is_answered_by_the_command_that_a_run_names():
    write("held/mail.md", "# Mail - %mail(?x) <- ?x = $mail(1)\n")
    write("held/rpl.yaml", "version: 1\ntools:\n  mail: {command: [./mail.sh], permission: allow}\n")
    write("held/mail.sh", r"""#!/bin/sh
read -r request
id=${request#*\"id\":\"}
printf '{"id":"%s","result":"sent"}\n' "${id%%\"*}"
""")
    os.chmod(os.path.join(FOLDER, "held/mail.sh"), 0o755)
    write("held.json", json.dumps({"rules": [
        {"priority": 1, "enabled": True, "name": "look",
         "selector": {"phase": "tool.before", "tool": {"name": "mail"}},
         "condition": {"kind": "toolName", "op": "eq", "value": "mail"},
         "effect": {"type": "hitl", "reason": "look"}}]}))
    server = serve("--allow-tool", "mail", "--policy", "held.json", "--store", "held 1.db", paths=("held",))
    server.initialize()
    run = content(server.call("rpl_run", {"protocol": "mail.md"}))
    check(run["status"] == "review", run)
    option = re.search("`rpl guard pending( --store '[^']*')`", run["now"])
    review = re.search("review ([0-9a-f]+)", run["now"])
    check(option and review, run["now"])
    subprocess.run(["script", "-qec", f"{RPL} guard approve {review[1]}{option[1]}", "/dev/null"],
                   input=b"approve\n", check=True, cwd="/", stdout=subprocess.DEVNULL)
    run = content(server.call("rpl_run", {"session": run["session"]}))
    check(run["status"] == "satisfied", run)
    server.close()


@pipe_case
def decisions_of_a_policy():
    write("policy.json", json.dumps({"rules": [
        {"priority": 1, "enabled": True, "name": "no-mail",
         "selector": {"phase": "tool.before", "tool": {"name": "mail"}},
         "condition": {"kind": "maxCalls", "selector": {"by": "toolName", "patterns": ["mail"]}, "max": 0},
         "effect": {"type": "block", "reason": "nothing is mailed from here"}}]}))
    server = serve("--policy", "policy.json", "--store", "guard.db")
    server.initialize()
    tools = [tool["name"] for tool in server.request("tools/list")["result"]["tools"]]
    check("rpl_guard" in tools and tools == sorted(tools), tools)
    decided = content(server.call("rpl_guard", {"tool": "mail", "args": {"to": "x"}}))
    check(decided["effect"] == "block" and "nothing is mailed" in decided["reason"], decided)
    decided = content(server.call("rpl_guard", {"tool": "search"}))
    check(decided["effect"] == "allow", decided)
    server.close()
    server = serve()
    check(server.call("rpl_guard", {"tool": "mail"})["error"]["code"] == -32602, "without a policy")
    server.close()


@pipe_case
def settings_of_hosts():
    import subprocess

    def install(*arguments):
        return subprocess.run([RPL, "mcp", "install", *arguments], capture_output=True, text=True, timeout=20,
                              env={**os.environ, "HOME": os.path.join(FOLDER, "home")})

    for host, key in (("claude-code", "mcpServers"), ("claude-desktop", "mcpServers"),
                      ("cursor", "mcpServers"), ("vscode", "servers")):
        done = install("--host", host, "protocols")
        entry = json.loads(done.stdout)[key]["rpl"]
        check(entry["args"] == ["mcp", os.path.realpath("protocols")], entry)
        check(os.path.samefile(entry["command"], RPL), entry)
        check(("type" in entry) == (host == "vscode"), entry)
    write(".mcp.json", '{"other": 1, "mcpServers": {"x": {"command": "y"}}}')
    check(install("--host", "claude-code", "protocols", "--write").returncode == 0, "write")
    settings = json.load(open(".mcp.json"))
    check(settings["other"] == 1 and set(settings["mcpServers"]) == {"x", "rpl"}, settings)
    check(install("--host", "claude-code", "protocols", "--write").returncode == 0, "again")
    check(install("--host", "claude-code", "tools", "--write").returncode == 2, "another one")
    check(install("--host", "claude-code", "tools", "--write", "--name", "tools").returncode == 0, "--name")
    check(install("--host", "claude-desktop", "protocols", "--write").returncode == 0, "a new file")
    check(os.path.exists("home/.config/Claude/claude_desktop_config.json"), "no new file")
    write(".cursor/mcp.json", "// a comment\n{}")
    check(install("--host", "cursor", "protocols", "--write").returncode == 6, "a file of another form")
    check(open(".cursor/mcp.json").read() == "// a comment\n{}", "it was written")
    check(install("--host", "cursor", "none").returncode == 6, "no folder")
    check(install("--host", "emacs", "protocols").returncode == 2, "unknown host")


# --- What hosts should not send ------------------------------------------------------------------------

@pipe_case
def many_lines_of_every_kind():
    """Random, broken and hostile lines: only JSON-RPC comes out, the memory is bounded."""
    import random
    chance = random.Random(7)
    server = serve(sessions="hostile")
    sound = [json.dumps(message) for message in (
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": meta()}},
        {"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {"jsonrpc": "2.0", "id": "4", "method": "tools/call", "params": {
            "name": "rpl_status", "arguments": {"session": "s_AAAAAAAAAAAAAAAA"}}},
        {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {
            "name": "rpl_query", "arguments": {"protocol": "budget.rpl", "query": "cheap(?t)"}, "_meta": meta()}},
        {"jsonrpc": "2.0", "id": 6, "method": "resources/read", "params": {"uri": "rpl://protocol/trip.md"}},
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
            "name": "rpl_run", "arguments": {"protocol": "trip.md"}, "requestState": "r1.x.y",
            "inputResponses": {}, "_meta": meta()}},
        {"jsonrpc": "2.0", "id": 8, "method": "completion/complete", "params": {
            "ref": {"type": "ref/prompt", "name": "trip"}, "argument": {"name": "where", "value": ""}}},
        {"jsonrpc": "2.0", "id": "rpl-1", "result": {"action": "accept", "content": {}}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}},
        {"jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": {
            "_meta": meta(), "notifications": {"resourceSubscriptions": ["rpl://session/x"]}}})]
    alphabet = '{}[]":,\\0123456789abcdefnulrtse \t\u00e4\u20ac\x01'

    def line():
        kind = chance.random()
        text = chance.choice(sound)
        if kind < 0.3:
            return text
        if kind < 0.6:  # one character is another one, or missing
            at = chance.randrange(len(text))
            return text[:at] + chance.choice(alphabet) * chance.randrange(3) + text[at + 1:]
        if kind < 0.7:
            return text[:chance.randrange(len(text))]
        if kind < 0.75:
            return chance.choice(["[", "{\"a\":", "[{", "[[]"]) * chance.randrange(1, 400)
        if kind < 0.8:
            return "[" + ",".join(chance.choice(sound) for _ in range(chance.randrange(5))) + "]"
        return "".join(chance.choice(alphabet) for _ in range(chance.randrange(80)))

    def resident():
        with open(f"/proc/{server.process.pid}/status") as file:
            return next(int(row.split()[1]) for row in file if row.startswith("VmRSS"))

    lines = int(os.environ.get("MCP_LINES", "10000"))
    sent = 0
    for _ in range(10):
        server.raw("".join(line().replace("\n", " ") + "\n" for _ in range(lines // 10)))
        sent += lines // 10
        if sent == lines // 5:
            check(server.request("ping", id="early", timeout=60) is not None, "ping")
            early = resident()
    check(server.request("ping", id="alive", timeout=120) is not None, "it is gone", server.errors[-500:])
    late = resident()
    check(late < early + 50_000, "kB of memory grew from", early, "to", late)
    for text in server.lines:
        messages = json.loads(text)
        for message in messages if isinstance(messages, list) else [messages]:
            check(message.get("jsonrpc") == "2.0" and ("method" in message or ("result" in message) !=
                  ("error" in message)), message)
    check(len(server.lines) > lines / 10, len(server.lines))
    check(server.close() is not None, "it did not end")


@pipe_case
def many_runs_at_once():
    """A server with many open runs: a call costs little beside its evaluation."""
    runs = int(os.environ.get("MCP_RUNS", "100"))
    server = serve(sessions="many")
    server.initialize()
    sessions = []
    for i in range(runs):
        sessions.append(content(server.call("rpl_run", {"protocol": "trip.md", "request_id": str(i)}))["session"])
    times = []
    for session in sessions:
        begin = time.monotonic()
        server.call("rpl_status", {"session": session})
        times.append(time.monotonic() - begin)
    times.sort()
    print(f"rpl_status of {runs} runs: median {times[runs // 2] * 1000:.1f} ms, "
          f"99 % {times[runs * 99 // 100] * 1000:.1f} ms")
    check(times[runs // 2] < 0.02, times[runs // 2])
    begin = time.monotonic()
    for session in sessions[:50]:
        run = content(server.call("rpl_answer", {"session": session, "answers": {"where": "Lucca"}}))
        check(run["pending"][0]["key"] == "ask", run)
    print(f"rpl_answer of the oldest 50: {(time.monotonic() - begin) * 20:.1f} ms each")
    server.close()


# --- Resources, prompts, completion ------------------------------------------------------------------

@pipe_case
def resources_and_their_templates():
    server = serve(sessions="resources")
    server.initialize()
    listed = server.request("resources/list")["result"]["resources"]
    check("rpl://protocol/trip.md" in [each["uri"] for each in listed], listed)
    text = server.request("resources/read", {"uri": "rpl://protocol/trip.md"})["result"]["contents"][0]
    check(text["text"].startswith("# Trip") and text["mimeType"] == "text/markdown", text)
    catalogue = server.request("resources/read", {"uri": "rpl://catalogue/trip.md"})["result"]
    check("%trip/2" in [e["id"] for e in json.loads(catalogue["contents"][0]["text"])["entries"]], catalogue)
    templates = server.request("resources/templates/list")["result"]["resourceTemplates"]
    check("rpl://session/{session}" in [each["uriTemplate"] for each in templates], templates)
    run = content(server.call("rpl_run", {"protocol": "trip.md", "answers": {"where": "Lucca"}}))
    uri = "rpl://session/" + run["session"]

    def read(part):
        return server.request("resources/read", {"uri": uri + part})["result"]["contents"][0]

    check(json.loads(read("")["text"])["status"] == "waiting", read(""))
    check("Lucca" in read("/trace")["text"], read("/trace"))
    check(json.loads(read("/answers")["text"])["answers"] == [], read("/answers"))
    check(read("/page")["mimeType"] == "text/html" and "<html" in read("/page")["text"], "page")
    for bad in ("rpl://protocol/no.md", "rpl://protocol/../outside.md", "rpl://protocol/%2e%2e/outside.md",
                "rpl://session/s_AAAAAAAAAAAAAAAA", uri + "/x", uri + "/", "file:///etc/passwd", "x"):
        check(server.request("resources/read", {"uri": bad})["error"]["code"] == -32002, bad)
        modern = server.request("resources/read", {"uri": bad, "_meta": meta()})
        check(modern["error"]["code"] == -32602, bad, modern)
    done = server.request("completion/complete", {
        "ref": {"type": "ref/resource", "uri": "rpl://session/{session}"},
        "argument": {"name": "session", "value": run["session"][:5]}})["result"]["completion"]
    check(done["values"] == [run["session"]], done)
    # Changes are told, once it was subscribed to.
    server.request("resources/subscribe", {"uri": uri})
    server.call("rpl_answer", {"session": run["session"], "answers": {"ask": 2}})
    told = server.get(lambda m: m.get("method") == "notifications/resources/updated", 5)
    check(told and told["params"]["uri"] == uri, told)
    server.request("resources/unsubscribe", {"uri": uri})
    check(server.request("resources/subscribe", {"uri": "rpl://session/s_"})["error"]["code"] == -32002,
          "subscribe")
    server.close()


@pipe_case
def modern_subscriptions():
    server = serve(sessions="listen")
    run = content(server.call("rpl_run", {"protocol": "trip.md"}, meta()))
    uri = "rpl://session/" + run["session"]
    server.begin("subscriptions/listen", {"_meta": meta(), "notifications": {
        "toolsListChanged": True, "resourceSubscriptions": [uri, "rpl://session/s_"]}}, "listen")
    told = server.get(lambda m: m.get("method") == "notifications/subscriptions/acknowledged", 5)
    check(told["params"]["notifications"] == {"resourceSubscriptions": [uri]}, told)
    check(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "listen", told)
    server.call("rpl_answer", {"session": run["session"], "answers": {"where": "Lucca"}}, meta())
    told = server.get(lambda m: m.get("method") == "notifications/resources/updated", 5)
    check(told["params"]["uri"] == uri and
          told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "listen", told)
    server.notify("notifications/cancelled", {"requestId": "listen"})
    server.call("rpl_answer", {"session": run["session"], "answers": {"ask": 2}}, meta())
    check(server.get(lambda m: m.get("method") == "notifications/resources/updated", 0.3) is None, "late")
    server.close()


@case
def prompts_and_their_arguments():
    server = serve()
    server.initialize()
    prompts = {each["name"]: each for each in server.request("prompts/list")["result"]["prompts"]}
    check(prompts["trip"]["arguments"][0]["name"] == "where", prompts)
    check("arguments" not in prompts["budget"], prompts["budget"])
    got = server.request("prompts/get", {"name": "trip", "arguments": {"where": "Lucca"}})["result"]
    text = got["messages"][0]["content"]["text"]
    check("rpl_run" in text and "trip.md" in text and '"where":"Lucca"' in text, text)
    check(server.request("prompts/get", {"name": "none"})["error"]["code"] == -32602, "unknown prompt")
    check(server.request("prompts/get", {"name": "trip", "arguments": {"where": 1}})["error"]["code"] ==
          -32602, "an argument that is no string")
    done = server.request("completion/complete", {
        "ref": {"type": "ref/prompt", "name": "party"}, "argument": {"name": "choose", "value": "C"}})
    check(done["result"]["completion"]["values"] == ["cake"], done)
    check(server.request("completion/complete", {"ref": {"type": "ref/prompt", "name": "none"},
                                                 "argument": {"name": "x", "value": ""}})["error"]["code"]
          == -32602, "unknown")
    server.close()


if WORKERS:
    import serve_mcp_cases  # noqa: E402,F401
else:
    import mcp_http_cases  # noqa: E402,F401
run_cases()
