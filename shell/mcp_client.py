# SPDX-License-Identifier: Apache-2.0
"""A client of the Model Context Protocol for tests: raw lines on a pipe.

It sends and reads single messages and knows nothing of the protocol but ids, so that a test can
also send what no client would."""
import json
import os
import queue
import subprocess
import sys
import threading
import time
import traceback

from serve_client import Worker

MODERN = "2026-07-28"

CASES = []
faults = []


def case(function):
    """A test: a function that reports by `check`."""
    CASES.append(function)
    return function


def check(holds, *about):
    if not holds:
        faults.append(" ".join(str(part)[:1500] for part in about) or "a check does not hold")


def run_cases():
    """Runs them all, or those whose names contain $ONLY. Prints the totals, and ends."""
    passed = failed = 0
    for function in CASES:
        if os.environ.get("ONLY", "") not in function.__name__:
            continue
        faults.clear()
        try:
            function()
        except Exception as error:  # a missing answer
            faults.append("".join(traceback.format_exception(error)[-2:]))
        if faults:
            failed += 1
            # It may have left servers that compute, for which later cases would have to wait.
            for process in Server.processes + Worker.processes:
                process.kill()
            print(f"FAILED: {function.__name__}")
            for fault in faults[:5]:
                print("  " + fault.replace("\n", "\n  "))
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def meta(forms=False, **more):
    capabilities = {"elicitation": {"form": {}}} if forms else {}
    capabilities.update(more.pop("capabilities", {}))
    return {
        "io.modelcontextprotocol/protocolVersion": more.pop("version", MODERN),
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        **more,
    }


class Server:
    """A server on a pipe. `sent` counts; `lines` has every line of its standard output."""

    processes = []  # that were started

    def __init__(self, *arguments, env=None):
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})})
        Server.processes.append(self.process)
        self.lines = []
        self.inbox = queue.Queue()
        self.kept = []
        self.next_id = 0
        self.errors = b""
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._log, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            try:
                self.inbox.put(json.loads(line))
            except ValueError:
                self.inbox.put({"unreadable": line.decode("utf-8", "replace")})
        self.inbox.put(None)

    def _log(self):
        for line in self.process.stderr:
            self.errors += line

    def raw(self, data):
        self.process.stdin.write(data if isinstance(data, bytes) else data.encode())
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message) + "\n")

    def get(self, fits, timeout=20):
        """The next message for which `fits` holds; others are kept for later."""
        for i, message in enumerate(self.kept):
            if fits(message):
                return self.kept.pop(i)
        end = time.monotonic() + timeout
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return None
            try:
                message = self.inbox.get(timeout=left)
            except queue.Empty:
                return None
            if message is None:
                return None
            if fits(message):
                return message
            self.kept.append(message)

    def response(self, id, timeout=20):
        def fits(message):
            return isinstance(message, dict) and "method" not in message and \
                type(message.get("id")) is type(id) and message.get("id") == id
        return self.get(fits, timeout)

    def request(self, method, params=None, timeout=20, id=None):
        """Sends a request and gives its response."""
        id = self.begin(method, params, id)
        return self.response(id, timeout)

    def begin(self, method, params=None, id=None):
        if id is None:
            self.next_id += 1
            id = self.next_id
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return id

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def question(self, timeout=20):
        return self.get(lambda m: m.get("method") == "elicitation/create", timeout)

    def respond(self, question, result):
        self.send({"jsonrpc": "2.0", "id": question["id"], "result": result})

    def initialize(self, revision="2025-11-25", forms=False):
        capabilities = {"elicitation": {"form": {}} if revision >= "2025-11-25" else {}} if forms else {}
        answer = self.request("initialize", {
            "protocolVersion": revision, "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"}})
        self.notify("notifications/initialized")
        return answer

    def call(self, tool, arguments, modern=None, timeout=60, **more):
        """The result of a tool; with `modern`, the `_meta` of the request."""
        params = {"name": tool, "arguments": arguments, **more}
        if modern is not None:
            params["_meta"] = modern
        answer = self.request("tools/call", params, timeout)
        return answer.get("result", answer) if answer else None

    def close(self, timeout=5):
        """Closes the pipe; the seconds that the process took to end, None if it did not."""
        begin = time.monotonic()
        self.process.stdin.close()
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None
        return time.monotonic() - begin

    def kill(self):
        self.process.kill()
        self.process.wait()
