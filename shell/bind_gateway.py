#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A host of the Model Context Protocol with `rpl guard mcp` between it and a server, for
# bind_cases.py. Both ends are in this process, so that a script sees what reached the server, and
# says how it answers. As a program, `bind_gateway.py SOCKET` is that server: it carries lines
# between its standard input and output and the socket.
import json
import os
import socket
import subprocess
import sys
import threading

WAIT = 120  # seconds; more than a loaded machine takes
VERSION = "2025-11-25"


class Gateway:
    """One gateway, its host and its server."""

    def __init__(self, command, tools, folder, environment):
        self.tools = [{"name": name, "inputSchema": {"type": "object"}} for name in tools]
        path = os.path.join(folder, f"socket-{id(self)}")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(1)
        self.changed = threading.Condition()
        self.reached = set()  # ids of the calls that the server has
        self.told = {}        # answers to the host, by id
        self.over = False
        self.process = subprocess.Popen([*command, "--", sys.executable, "-S", os.path.realpath(__file__), path],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=environment, cwd=folder)
        listener.settimeout(WAIT)
        self.server = listener.accept()[0]
        listener.close()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.serve, self.listen)]
        for thread in self.threads:
            thread.start()
        self.say({"id": "begin", "method": "initialize", "params": {
            "protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}})
        self.answer_to("begin")
        self.say({"method": "notifications/initialized"})

    def say(self, message):
        """The host sends a message."""
        with self.lock:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()

    def reply(self, identifier, result):
        """The server answers a call."""
        self.server.sendall(json.dumps({"jsonrpc": "2.0", "id": identifier, "result": result}).encode() + b"\n")

    def serve(self):
        for line in self.server.makefile("rb"):
            message = json.loads(line)
            method = message.get("method")
            if method == "tools/call":
                self.note(lambda: self.reached.add(message["id"]))
            elif method == "tools/list":
                self.reply(message["id"], {"tools": self.tools})
            elif method == "initialize":
                self.reply(message["id"], {"protocolVersion": VERSION, "capabilities": {"tools": {}},
                                           "serverInfo": {"name": "y", "version": "1"}})
            elif method == "ping":
                self.reply(message["id"], {})

    def listen(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" not in message:
                self.note(lambda: self.told.__setitem__(message.get("id"), message))
        self.note(lambda: setattr(self, "over", True))

    def note(self, change):
        with self.changed:
            change()
            self.changed.notify_all()

    def wait(self, holds):
        with self.changed:
            if not self.changed.wait_for(lambda: self.over or holds(), WAIT):
                raise TimeoutError("the gateway says nothing")

    def answer_to(self, identifier):
        self.wait(lambda: identifier in self.told)
        return self.told.get(identifier)

    def asks(self, identifier, tool, arguments):
        """Whether the call reaches the server, and what the host is told if not."""
        self.say({"id": identifier, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        self.wait(lambda: identifier in self.reached or identifier in self.told)
        if identifier in self.reached:
            return True, ""
        told = self.told.get(identifier) or {}
        content = told.get("result", {}).get("content") or [{}]
        return False, content[0].get("text", json.dumps(told))

    def ends(self, identifier, failed):
        self.reply(identifier, {"content": [{"type": "text", "text": "ok"}], **({"isError": True} if failed else {})})
        # What the server says next comes after it.
        after = f"after {identifier} {len(self.told)}"
        self.say({"id": after, "method": "ping"})
        self.answer_to(after)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.server.close()


def relay(path):
    with socket.socket(socket.AF_UNIX) as to:
        to.connect(path)

        def back():
            while data := to.recv(1 << 16):
                os.write(1, data)
        threading.Thread(target=back, daemon=True).start()
        while data := os.read(0, 1 << 16):
            to.sendall(data)


if __name__ == "__main__":
    relay(sys.argv[1])
