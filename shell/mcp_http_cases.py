# SPDX-License-Identifier: Apache-2.0
"""The cases of shell/mcp_test.sh on HTTP. They use the protocols of mcp_cases.py."""
import base64
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

from mcp_client import MODERN, case, check, meta

RPL, FOLDER = sys.argv[1:3]
ACCEPT = "application/json, text/event-stream"
started = 0


class Web:
    """A server on HTTP, at a free port."""

    def __init__(self, *options, address="127.0.0.1:0", sessions=None):
        global started
        started += 1
        self.process = subprocess.Popen(
            [RPL, "mcp", "protocols", "--sessions", sessions or f"web-{started}", "--http", address, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stderr.readline().decode()
        found = re.search(r"http://(.*):(\d+)/mcp", line)
        check(found, line)
        self.port = int(found[2]) if found else 0
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def send(self, method="POST", body=None, headers=None, path="/mcp", timeout=20):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        headers = {"Content-Type": "application/json", "Accept": ACCEPT, **(headers or {})}
        headers = {key: value for key, value in headers.items() if value is not None}
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response, text

    def post(self, body, headers=None):
        """The status and the JSON, or the text, of the answer."""
        response, text = self.send(body=body, headers=headers)
        try:
            return response.status, json.loads(text)
        except ValueError:
            return response.status, text

    def modern(self, method, params=None, headers=None, forms=False, id=1):
        params = {**(params or {}), "_meta": meta(forms=forms)}
        body = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        name = params.get("name") or params.get("uri")
        given = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, **({"Mcp-Name": name} if name else {})}
        return self.post(body, {**given, **(headers or {})})

    def initialize(self, forms=False, revision="2025-11-25"):
        response, text = self.send(body={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {"elicitation": {}} if forms else {},
            "clientInfo": {"name": "test", "version": "1"}}})
        check(response.status == 200, response.status, text)
        return {"Mcp-Session-Id": response.getheader("Mcp-Session-Id"), "MCP-Protocol-Version": revision}

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            check(False, "it did not end by SIGTERM")
        check(self.process.stdout.read() == b"", "something on standard output")


def request(method, params=None, id=1):
    return {"jsonrpc": "2.0", "id": id, "method": method, **({"params": params} if params is not None else {})}


class Events:
    """A request whose answer is a stream of events."""

    def __init__(self, web, body, headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=20)
        self.connection.request("POST", "/mcp", json.dumps(body),
                                {"Content-Type": "application/json", "Accept": ACCEPT, **headers})
        self.response = self.connection.getresponse()

    def next(self):
        data = None
        while True:
            line = self.response.readline().decode()
            if not line:
                return None
            line = line.rstrip("\n")
            if line.startswith("data: "):
                data = json.loads(line[6:])
            elif not line and data is not None:
                return data


@case
def http_sessions_of_the_era_with_a_handshake():
    web = Web()
    session = web.initialize()
    check(session["Mcp-Session-Id"].isascii() and len(session["Mcp-Session-Id"]) > 16, session)
    status, text = web.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
    check((status, text) == (202, b""), status, text)
    status, answer = web.post(request("tools/list"), session)
    check(status == 200 and len(answer["result"]["tools"]) == 10, status, answer)
    status, answer = web.post(request("no/such"), session)
    check(status == 200 and answer["error"]["code"] == -32601, status, answer)
    check(web.post(request("tools/list"), {"MCP-Protocol-Version": "2025-11-25"})[0] == 400, "no session")
    check(web.post(request("tools/list"), {**session, "Mcp-Session-Id": "m1-x"})[0] == 404, "unknown session")
    check(web.post(request("tools/list"), {**session, "MCP-Protocol-Version": "1999-01-01"})[0] == 400,
          "unknown version")
    check(web.send("DELETE", headers=session)[0].status in (200, 204), "DELETE")
    check(web.post(request("tools/list"), session)[0] == 404, "after DELETE")
    check(web.send("DELETE", headers=session)[0].status == 404, "a second DELETE")
    web.close()


@case
def http_answers_are_stored_before_they_are_acknowledged():
    arguments = {"protocol": "trip.md", "request_id": "r"}
    for number, signal in enumerate(("kill", "terminate")):
        web = Web(sessions=f"stored-{number}")
        session = web.initialize(forms=True)
        call = Events(web, request("tools/call", {"name": "rpl_run", "arguments": arguments}, 5), session)
        question = call.next()
        connection = socket.create_connection(("127.0.0.1", web.port))
        body = json.dumps({"jsonrpc": "2.0", "id": question["id"],
                           "result": {"action": "accept", "content": {"where": "Lucca"}}})
        lines = ["POST /mcp HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", f"Accept: {ACCEPT}",
                 f"Content-Length: {len(body)}", *(f"{key}: {value}" for key, value in session.items()), "", body]
        connection.sendall("\r\n".join(lines).encode())
        check(connection.recv(12) == b"HTTP/1.1 202", "the answer")
        getattr(web.process, signal)()
        web.process.wait()
        web = Web(sessions=f"stored-{number}")
        session = web.initialize()
        _, answer = web.post(request("tools/call", {"name": "rpl_run", "arguments": arguments}, 5), session)
        run = answer["result"]["structuredContent"]
        check([q["key"] for q in run["pending"]] == ["ask"], signal, run)
        web.close()


@case
def http_offers_no_notifications_where_there_is_no_stream():
    web = Web()
    response, text = web.send(body=request("initialize", {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}))
    check("subscribe" not in json.loads(text)["result"]["capabilities"]["resources"], text)
    session = {"Mcp-Session-Id": response.getheader("Mcp-Session-Id"), "MCP-Protocol-Version": "2025-11-25"}
    _, answer = web.post(request("resources/subscribe", {"uri": "rpl://session/s_AAAAAAAAAAAAAAAA"}), session)
    check(answer["error"]["code"] == -32601, answer)
    web.close()


@case
def http_questions_on_the_stream_of_their_call():
    web = Web()
    session = web.initialize(forms=True)
    call = Events(web, request("tools/call", {"name": "rpl_run", "arguments": {"protocol": "trip.md"}}, 5), session)
    check(call.response.getheader("Content-Type") == "text/event-stream", call.response.getheaders())
    for content in ({"where": "Lucca"}, {"ask": "3"}):
        question = call.next()
        check(question["method"] == "elicitation/create", question)
        status, _ = web.post({"jsonrpc": "2.0", "id": question["id"],
                              "result": {"action": "accept", "content": content}}, session)
        check(status == 202, status)
    answer = call.next()
    check(answer["id"] == 5 and answer["result"]["structuredContent"]["status"] == "satisfied", answer)
    check(call.next() is None, "the stream goes on")
    web.close()


@case
def http_modern_requests():
    web = Web()
    status, answer = web.modern("server/discover")
    check(status == 200 and answer["result"]["supportedVersions"] == [MODERN], status, answer)
    status, answer = web.modern("tools/call", {"name": "rpl_run", "arguments": {"protocol": "trip.md"}}, forms=True)
    check(status == 200 and answer["result"]["resultType"] == "input_required", answer)
    status, answer = web.modern("tools/call", {
        "name": "rpl_run", "arguments": {"protocol": "trip.md"}, "requestState": answer["result"]["requestState"],
        "inputResponses": {"where": {"action": "accept", "content": {"where": "Lucca"}}}}, forms=True)
    check(status == 200 and list(answer["result"]["inputRequests"]) == ["ask"], answer)
    status, answer = web.modern("no/such")
    check(status == 404 and answer["error"]["code"] == -32601, status, answer)
    status, answer = web.modern("ping")
    check(status == 404, status, answer)
    named = "=?base64?" + base64.b64encode("rpl_query".encode()).decode() + "?="
    status, answer = web.modern("tools/call", {"name": "rpl_query", "arguments": {"protocol": "budget.rpl", "query": "cheap(?t)"}},
                                {"Mcp-Name": named})
    check(status == 200 and answer["result"]["structuredContent"]["holds"], status, answer)
    for headers in ({"Mcp-Method": "tools/list"}, {"Mcp-Method": None}, {"Mcp-Name": "rpl_run"}, {"Mcp-Name": None},
                    {"MCP-Protocol-Version": None}, {"MCP-Protocol-Version": "2025-11-25"},
                    {"Mcp-Name": "=?base64?%%%?="}):
        status, answer = web.modern("tools/call", {"name": "rpl_query", "arguments": {}}, headers)
        check(status == 400 and answer["error"]["code"] == -32020, headers, status, answer)
    for headers, wanted in (({}, 202), ({"Mcp-Method": "notifications/cancelled"}, 202),
                            ({"Mcp-Method": "notifications/initialized"}, 400)):
        status, answer = web.post({"jsonrpc": "2.0", "method": "notifications/cancelled",
                                   "params": {"requestId": 1, "_meta": meta()}},
                                  {"MCP-Protocol-Version": MODERN, **headers})
        check(status == wanted, headers, status, answer)
    body = request("tools/list", {"_meta": meta(version="2099-01-01")})
    status, answer = web.post(body, {"MCP-Protocol-Version": "2099-01-01", "Mcp-Method": "tools/list"})
    check(status == 400 and answer["error"]["code"] == -32022, status, answer)
    status, answer = web.post(request("tools/list", {}), {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"})
    check(status == 400 and answer["error"]["code"] == -32602, status, answer)
    broken = meta()
    del broken["io.modelcontextprotocol/clientCapabilities"]
    status, answer = web.post(request("tools/list", {"_meta": broken}),
                              {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"})
    check(status == 400 and answer["error"]["code"] == -32602, status, answer)
    check(web.send("DELETE", headers={"MCP-Protocol-Version": MODERN})[0].status == 405, "DELETE")
    web.close()


@case
def a_session_outlives_its_server():
    web = Web(sessions="web-restart")
    session = web.initialize()
    _, answer = web.post(request("tools/call", {"name": "rpl_run", "arguments": {"protocol": "version.md"}}), session)
    run = answer["result"]["structuredContent"]["session"]
    ended = web.initialize()
    web.close()
    web = Web(sessions="web-restart")
    _, answer = web.post(request("tools/call", {"name": "rpl_status", "arguments": {"session": run}}), session)
    check(answer["result"]["structuredContent"]["status"] == "waiting", answer)
    check(web.send("DELETE", headers=ended)[0].status == 204, "DELETE")
    check(web.post(request("tools/list"), ended)[0] == 404, "after DELETE")
    check(web.post(request("tools/list"), {**session, "Mcp-Session-Id": session["Mcp-Session-Id"] + "x"})[0] == 404)
    web.close()
    # The key of another folder seals other sessions.
    web = Web()
    check(web.post(request("tools/list"), session)[0] == 404, "of another folder")
    web.close()


@case
def what_cannot_be_read_has_its_id_in_the_error():
    web = Web()
    session = web.initialize()
    status, answer = web.post(b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1,"a":2}}', session)
    check(status == 400 and answer["id"] == 7 and answer["error"]["code"] == -32700, status, answer)
    status, answer = web.post(b'{"jsonrpc":"2.0","id":"a\\ud83d","method":"ping"}', session)
    check(status == 200 and answer["id"] == "a\ufffd", status, answer)
    web.close()


@case
def http_refuses_what_is_not_for_it():
    web = Web()
    ping = request("ping")
    for headers, wanted in (({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403),
                            ({"Origin": "http://127.0.0.1.evil.example"}, 403),
                            ({"Origin": "http://localhost:3000"}, 400), ({"Host": "evil.example"}, 403),
                            ({"Host": "localhost.evil.example:80"}, 403), ({"Host": f"localhost:{web.port}"}, 400),
                            ({"Origin": f"http://127.0.0.1:{web.port}.evil"}, 403),
                            ({"Host": f"127.0.0.1:{web.port}@evil.example"}, 400), ({"Host": "127.0.0.1:99999"}, 400),
                            ({"Content-Type": "text/plain"}, 415)):
        status, _ = web.post(ping, headers)
        check(status == wanted, headers, status)
    for method in ("GET", "PUT", "OPTIONS", "HEAD"):
        check(web.send(method)[0].status == 405, method)
    check(web.send(body=ping, path="/")[0].status == 404, "another path")
    for body in ("", "{", "[]", "{}", "null", "[" * 100000, '{"jsonrpc":"2.0","id":1}', b"\xff\xfe"):
        status, answer = web.post(body)
        check(status == 400 and answer["error"]["code"] in (-32700, -32600) and answer.get("id", 1) is not None,
              str(body)[:50], status, answer)
    # A body that is too large is refused by its length, before it is sent.
    with socket.create_connection(("127.0.0.1", web.port), timeout=10) as raw:
        raw.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    b"Content-Length: 99999999999\r\n\r\n")
        check(raw.recv(100).startswith(b"HTTP/1.1 413"), "no 413")
    # Or after it has been sent, for a client that does not read before.
    for body in (b"x" * (17 << 20), iter([b"x" * 1000, b"x" * (17 << 20)])):
        response, text = web.send(body=body)
        check(response.status == 413 and b"more than 16 MiB" in text, response.status, text)
    with socket.create_connection(("127.0.0.1", web.port), timeout=10) as raw:
        raw.sendall(b"POST /mcp HTTP/1.1\r\nX: " + b"x" * 100000 + b"\r\n\r\n")
        check(raw.recv(100)[9:12] in (b"431", b"400"), "a header too large")
    with socket.create_connection(("127.0.0.1", web.port), timeout=10) as raw:
        raw.sendall(b"\x16\x03\x01\x02\x00nonsense\r\n\r\n")
        raw.recv(100)
    check(web.modern("tools/list")[0] == 200, "it has ended")
    web.close()


@case
def http_with_a_token():
    with open("token", "w") as file:
        file.write("correct-horse-battery-staple\n")
    web = Web("--token-file", "token")
    for headers, wanted in (({}, 401), ({"Authorization": "Bearer wrong"}, 401),
                            ({"Authorization": "Bearer correct-horse-battery-staplf"}, 401),
                            ({"Authorization": "Basic correct-horse-battery-staple"}, 401),
                            ({"Authorization": "bearer correct-horse-battery-staple"}, 200),
                            ({"Authorization": "Bearer correct-horse-battery-staple"}, 200)):
        check(web.modern("tools/list", headers=headers)[0] == wanted, headers)
    web.close()
    for arguments in (["--http", "0.0.0.0:0"], ["--http", "nonsense"], ["--http", "127.0.0.1:99999"],
                      ["--http", "127.0.0.1:0", "--token-file", "none"]):
        done = subprocess.run([RPL, "mcp", "protocols", "--sessions", "x", *arguments], capture_output=True, timeout=10)
        check(done.returncode in (2, 6) and b"rpl: " in done.stderr, arguments, done)
    web = Web("--token-file", "token", address="0.0.0.0:0")
    check(web.modern("tools/list", headers={"Authorization": "Bearer correct-horse-battery-staple",
                                            "Host": "desk.example:80"})[0] == 200, "with a token")
    web.close()


@case
def http_streams_and_clients_that_leave():
    web = Web()
    session = web.initialize(forms=True)
    calls = [Events(web, request("tools/call", {"name": "rpl_run", "arguments": {
        "protocol": "trip.md", "request_id": str(i)}}, i), session) for i in range(64)]
    questions = [call.next() for call in calls]
    check(len({question["id"] for question in questions}) == 64, "64 questions")
    check(web.post(request("ping", id=1000), session)[1]["result"] == {}, "ping")
    # A modern client that leaves has cancelled; one with a session has not.
    body = json.dumps(request("tools/call", {"name": "rpl_run", "arguments": {"protocol": "slow.rpl"}, "_meta": meta()}))
    with socket.create_connection(("127.0.0.1", web.port)) as raw:
        raw.sendall((f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: rpl_run\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
        time.sleep(0.5)
    time.sleep(0.4)

    def ticks():
        with open(f"/proc/{web.process.pid}/stat") as file:
            return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))

    before = ticks()
    time.sleep(0.5)
    check(ticks() - before < 20, "it goes on for a client that left")
    # A second request that comes before the response to the first one waits.
    body = json.dumps(request("tools/call", {"name": "rpl_protocols", "arguments": {}}, 3000))
    one = (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
           f"Mcp-Session-Id: {session['Mcp-Session-Id']}\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()
    with socket.create_connection(("127.0.0.1", web.port), timeout=5) as raw:
        raw.sendall(one)
        raw.sendall(one)
        got = b""
        while got.count(b'"id":3000') < 2:
            part = raw.recv(100000)
            if not part:
                break
            got += part
        check(got.count(b'"id":3000') == 2, got[-300:])
    # A cancelled call has no response: its stream ends without an event.
    slow = socket.create_connection(("127.0.0.1", web.port), timeout=5)
    body = json.dumps(request("tools/call", {"name": "rpl_run", "arguments": {"protocol": "slow.rpl"}}, 2000))
    slow.sendall((f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  f"Mcp-Session-Id: {session['Mcp-Session-Id']}\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
    slow.settimeout(0.5)
    ended = None
    for _ in range(60):  # the first may come before the call
        web.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2000}}, session)
        try:
            ended = slow.recv(100)
            break
        except TimeoutError:
            pass
    head, _, rest = (ended or b"").partition(b"\r\n\r\n")
    check(head.startswith(b"HTTP/1.1 200 ") and b"text/event-stream" in head and
          b"Content-Length: 0" in head and rest == b"", "a response to a cancelled call", ended)
    # The connection goes on, and a stream that has begun ends with its last chunk.
    slow.settimeout(5)
    body = json.dumps(request("tools/call", {"name": "rpl_run", "arguments": {
        "protocol": "trip.md", "request_id": "cancelled"}}, 2001))
    slow.sendall((f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  f"Mcp-Session-Id: {session['Mcp-Session-Id']}\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
    got, until = b"", time.monotonic() + 10
    while b"elicitation/create" not in got and time.monotonic() < until:
        got += slow.recv(65536)
    web.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2001}}, session)
    while not got.endswith(b"\r\n0\r\n\r\n") and time.monotonic() < until:
        part = slow.recv(65536)
        if not part:
            break
        got += part
    check(got.endswith(b"\r\n0\r\n\r\n") and b'"id":2001' not in got, got[-300:])
    body = json.dumps(request("ping", id=2002))
    slow.sendall((f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  f"Mcp-Session-Id: {session['Mcp-Session-Id']}\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
    check(b'"id":2002' in slow.recv(65536), "the connection goes on")
    slow.close()
    for call in calls[:10]:
        call.connection.close()
    status, _ = web.post({"jsonrpc": "2.0", "id": questions[0]["id"],
                          "result": {"action": "accept", "content": {"where": "Lucca"}}}, session)
    check(status == 202, status)
    web.close()
