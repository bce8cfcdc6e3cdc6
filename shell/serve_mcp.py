# SPDX-License-Identifier: Apache-2.0
"""A client of /mcp of two workers of `rpl serve` over one database, which it asks in turns.

It has the functions of mcp_client.Server, so that the cases of mcp_cases.py run on it."""
import http.client
import json
import queue
import threading

from mcp_client import Server, check
from postgres_cluster import Cluster
from serve_client import Worker

ACCEPT = "application/json, text/event-stream"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Workers(Server):
    """Two workers. Each message goes to the one that did not get the one before, an answer to the one
    that did not ask, a cancellation to the one that was asked."""

    cluster = None
    databases = {}

    def __init__(self, rpl, sessions, protocols, *options, start=2):
        if Workers.cluster is None:
            Workers.cluster = Cluster.of_script()
        if sessions not in Workers.databases:
            Workers.databases[sessions] = Workers.cluster.database()
        self.store, self.database = Workers.databases[sessions]
        self.rpl = rpl
        self.protocols = protocols
        self.options = options
        self.workers = []
        for _ in range(start):
            self.start()
        self.turn = 0
        self.session = None
        self.revision = None
        self.lines = []
        self.inbox = queue.Queue()
        self.kept = []
        self.next_id = 0
        self.where = {}  # the worker of a call or a question, by id

    def start(self):
        worker = Worker(self.rpl, self.store, self.protocols, *self.options)
        check(worker.port is not None, "a worker does not start:", "".join(worker.log))
        self.workers.append(worker)
        return worker

    def name_of(self, session):
        return self.store.replace("?", f"/{session}?")

    def headers(self, message):
        params = message.get("params") or {}
        version = (params.get("_meta") or {}).get("io.modelcontextprotocol/protocolVersion")
        headers = {"Content-Type": "application/json", "Accept": ACCEPT}
        if version is not None:
            headers["MCP-Protocol-Version"] = version
            headers["Mcp-Method"] = message["method"]
            if message["method"] in NAMED:
                headers["Mcp-Name"] = str(params.get(NAMED[message["method"]]))
        elif self.session and message.get("method") != "initialize":
            headers["Mcp-Session-Id"] = self.session
            headers["MCP-Protocol-Version"] = self.revision
        return headers

    def send(self, message, worker=None):
        """Posts the message; what comes back is read by a thread of its own."""
        if worker is None and "method" not in message:
            asked = self.where.get(json.dumps(message["id"]))
            worker = next((each for each in self.workers if each != asked), asked)
        if worker is None:
            self.turn += 1
            worker = self.workers[self.turn % len(self.workers)]
        if "id" in message and "method" in message:
            self.where[json.dumps(message["id"])] = worker
        connection = http.client.HTTPConnection("127.0.0.1", worker.port, timeout=90)
        connection.request("POST", "/mcp", json.dumps(message), self.headers(message))
        if "id" in message and "method" in message:
            threading.Thread(target=self.receive, args=(connection, worker, message),
                             daemon=True).start()
            return
        answer = connection.getresponse()
        check(answer.status == 202, message, answer.status, answer.read())
        connection.close()

    def receive(self, connection, worker, request):
        try:
            answer = connection.getresponse()
            if request["method"] == "initialize":
                self.session = answer.getheader("Mcp-Session-Id")
                text = answer.read().decode()
                self.revision = json.loads(text)["result"]["protocolVersion"]
                self.inbox.put(json.loads(text))
                return
            if answer.getheader("Content-Type") != "text/event-stream":
                text = answer.read().decode()
                try:
                    self.inbox.put(json.loads(text))
                except ValueError:
                    self.inbox.put({"id": request["id"], "error": {"code": answer.status, "message": text}})
                return
            for line in answer:
                if line.startswith(b"data: "):
                    message = json.loads(line[6:])
                    if "method" in message and "id" in message:
                        self.where[json.dumps(message["id"])] = worker
                    self.inbox.put(message)
        except (OSError, http.client.HTTPException) as error:  # the worker was killed
            self.inbox.put({"id": request["id"], "error": {"code": 0, "message": str(error)}})
        finally:
            connection.close()

    def notify(self, method, params=None):
        params = params or {}
        worker = self.where.get(json.dumps(params.get("requestId")))
        self.send({"jsonrpc": "2.0", "method": method, "params": params}, worker)

    def kill(self):
        for worker in self.workers:
            worker.kill()

    def close(self, timeout=5):
        for worker in self.workers:
            if worker.process.poll() is None:
                check(worker.end() == 0, "a worker ends with", worker.process.returncode)
        return 0.0
