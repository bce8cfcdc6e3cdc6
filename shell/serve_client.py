# SPDX-License-Identifier: Apache-2.0
"""Workers of `rpl serve` and requests to them, for tests and benches."""
import http.client
import json
import re
import signal
import subprocess
import threading
import time


class Worker:
    """A process of `rpl serve` on a port that is free."""

    processes = []  # that were started

    def __init__(self, rpl, store, protocols, *options, log=None):
        self.log = log if log is not None else []
        self.process = subprocess.Popen(
            [rpl, "serve", *protocols, "--store", store, "--http", "127.0.0.1:0", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        Worker.processes.append(self.process)
        self.port = None
        for line in self.process.stderr:
            self.log.append(line)
            found = re.match(r"listening on http://[^:]+:(\d+)", line)
            if found:
                self.port = int(found[1])
                break
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.log.append(line)

    def request(self, method, path, body=None, token=None, **headers):
        """The status, the body (from JSON where it is JSON) and the headers of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
        headers = {key.replace("_", "-"): value for key, value in headers.items()}
        if token is not None:
            headers["Authorization"] = "Bearer " + token
        data = None
        if body is not None:
            data = body if isinstance(body, (str, bytes)) else json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            kind = answer.getheader("Content-Type") or ""
            shown = json.loads(text) if kind.startswith("application/json") and text else text
            return answer.status, shown, dict(answer.getheaders())
        finally:
            connection.close()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        """In order; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def until(holds, seconds=60):
    """Waits until it holds; the last value."""
    end = time.monotonic() + seconds
    while True:
        value = holds()
        if value or time.monotonic() >= end:
            return value
        time.sleep(0.05)
