# SPDX-License-Identifier: Apache-2.0
"""A client of the Language Server Protocol, for tests: it starts a server and talks to it."""

import json
import os
import pathlib
import queue
import subprocess
import threading
import time

PATIENCE = 60  # seconds; a test that waits longer has failed


class Client:
    def __init__(self, program, folder, arguments=()):
        self.folder = pathlib.Path(folder).resolve()
        self.process = subprocess.Popen(
            [program, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=self.folder)
        self.inbox = queue.Queue()
        self.kept = []  # messages that were read while another was waited for
        self.last = 0
        self.encoding = "utf-16"
        threading.Thread(target=self._read, daemon=True).start()

    # --- The wire ---

    def _read(self):
        stream = self.process.stdout
        while True:
            length = None
            while True:
                line = stream.readline()
                if not line:
                    self.inbox.put(None)
                    return
                line = line.strip()
                if not line:
                    break
                name, value = line.split(b":", 1)
                if name.lower() == b"content-length":
                    length = int(value)
            self.inbox.put(json.loads(stream.read(length)))

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def wait_for(self, wanted, patience=PATIENCE):
        """The next message that `wanted` accepts; None at the end of the stream or in time."""
        for i, message in enumerate(self.kept):
            if wanted(message):
                return self.kept.pop(i)
        end = time.monotonic() + patience
        while True:
            try:
                message = self.inbox.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                return None
            if message is None or wanted(message):
                return message
            self.kept.append(message)

    # --- Messages ---

    def request(self, method, params=None):
        """Sends a request; its id."""
        self.last += 1
        message = {"id": self.last, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self.last

    def response(self, number):
        return self.wait_for(lambda m: "method" not in m and m.get("id") == number)

    def call(self, method, params=None):
        """The result of a request, or {"error": …}."""
        answer = self.response(self.request(method, params))
        if answer is None:
            return {"error": "no answer"}
        return answer["result"] if "result" in answer else {"error": answer["error"]}

    def notify(self, method, params=None):
        self.send({"method": method, **({} if params is None else {"params": params})})

    def initialize(self, encodings=("utf-16",), options=None, **more):
        capabilities = {
            "general": {"positionEncodings": list(encodings)},
            "workspace": {"workspaceEdit": {"documentChanges": True}},
            "textDocument": {
                "completion": {"completionItem": {"snippetSupport": True}},
                "publishDiagnostics": {"relatedInformation": True},
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
            },
        }
        result = self.call("initialize", {
            "processId": os.getpid(), "rootUri": self.folder.as_uri(), "capabilities": capabilities,
            "initializationOptions": options or {}, **more})
        self.encoding = result["capabilities"]["positionEncoding"]
        self.notify("initialized", {})
        return result

    # --- Documents ---

    def uri(self, name):
        return (self.folder / name).as_uri()

    def open(self, name, text, version=1):
        (self.folder / name).write_text(text, newline="")
        self.open_only(name, text, version)

    def open_only(self, name, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri(name), "languageId": "rpl", "version": version, "text": text}})

    def change(self, name, version, *changes):
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri(name), "version": version},
            "contentChanges": list(changes)})

    def diagnostics(self, name, version=None):
        """The next findings of a document, of this version or a later one."""
        def wanted(message):
            if message.get("method") != "textDocument/publishDiagnostics":
                return False
            params = message["params"]
            return params["uri"] == self.uri(name) and (
                version is None or params.get("version", -1) >= version)
        message = self.wait_for(wanted)
        return None if message is None else message["params"]["diagnostics"]

    def at(self, name, text, piece, skip=0):
        """The parameters for the place of a piece of a text, or `skip` characters behind it."""
        offset = text.index(piece) + skip
        return {"textDocument": {"uri": self.uri(name)}, "position": self.position(text, offset)}

    def position(self, text, offset):
        before = text[:offset]
        line = before[before.rfind("\n") + 1:]
        return {"line": before.count("\n"), "character": self.units(line)}

    def units(self, text):
        return len(text.encode()) if self.encoding == "utf-8" else len(text.encode("utf-16-le")) // 2

    def offset(self, text, position):
        """The index into `text` of a position."""
        lines = text.split("\n")
        at = sum(len(line) + 1 for line in lines[:position["line"]])
        units = 0
        for c in lines[position["line"]]:
            if units >= position["character"]:
                break
            units += self.units(c)
            at += 1
        return at

    def edited(self, text, edits):
        """A text after edits of the protocol."""
        for edit in sorted(edits, key=lambda e: (e["range"]["start"]["line"],
                                                 e["range"]["start"]["character"]), reverse=True):
            begin = self.offset(text, edit["range"]["start"])
            end = self.offset(text, edit["range"]["end"])
            text = text[:begin] + edit["newText"] + text[end:]
        return text

    def shutdown(self):
        """Ends the server as the protocol has it; its exit code."""
        self.call("shutdown")
        self.notify("exit")
        return self.process.wait(timeout=PATIENCE)
