#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# usage: agent_hosts.py MODULES RPL
#
# The hosts of agents that MODULES has (node_modules of npm), with a protocol that binds them and a
# model that is this program: it asks for a push, an edit, the tests and a command that fails. The
# last line is `N passed, N failed`. Nothing leaves this machine.
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

GATE = """# Ship - %ship() <- green()

Push now.

## Green

The tests are green after `make test`.

```rpl
green() <- std#succeeded(_, "make", ["test"])
```

# No push before the tests are green - std#decides(?c), std#runs(?c, "git", ["push" & _]) -> green()

Run `make test`.

# Nothing that the user did not type - std#decides(?c), std#runs(?c, "git", ["push" & _]), std#said(_, ~ /make test/) -> false
"""


class Model(http.server.BaseHTTPRequestHandler):
    """Answers in the forms of four services; the steps of a session in order."""
    steps = []

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.tell({"data": []})

    do_HEAD = do_GET

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if "count" in self.path.lower():
            return self.tell({"input_tokens": 1, "totalTokens": 1})
        for part, form in (("/messages", self.messages), ("enerateContent", self.contents), ("/responses", self.responded),
                           ("/chat/completions", self.completions)):
            if part in self.path:
                return form(body)
        return self.tell({})

    def tell(self, answer):
        text = json.dumps(answer).encode()
        self.begin("application/json")
        self.wfile.write(text)

    def begin(self, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()

    def stream(self, events, named=False):
        self.begin("text/event-stream")
        for event in events:
            self.wfile.write(((f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n").encode())

    def step(self, done, body):
        """The tool and its arguments, or none: the end of the turn."""
        return self.steps[done] if body.get("tools") and done < len(self.steps) else None

    def messages(self, body):
        results = [part for message in body["messages"] if isinstance(message["content"], list)
                   for part in message["content"] if part.get("type") == "tool_result"]
        step = self.step(len(results), body)
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "over"}
        if step:
            block = {"type": "tool_use", "id": f"use_{len(results)}", "name": step[0], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(step[1])}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
                   "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        if not body.get("stream"):
            return self.tell({**message, "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn"})
        return self.stream([{"type": "message_start", "message": message},
                            {"type": "content_block_start", "index": 0, "content_block": block},
                            {"type": "content_block_delta", "index": 0, "delta": delta},
                            {"type": "content_block_stop", "index": 0},
                            {"type": "message_delta", "usage": {"output_tokens": 1},
                             "delta": {"stop_reason": "tool_use" if step else "end_turn", "stop_sequence": None}},
                            {"type": "message_stop"}], True)

    def contents(self, body):
        done = sum("functionResponse" in part for content in body["contents"] for part in content.get("parts", []))
        step = self.step(done, body)
        part = {"functionCall": {"name": step[0], "args": step[1]}} if step else {"text": "over"}
        answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}]}
        return self.stream([answer]) if "stream" in self.path else self.tell(answer)

    def responded(self, body):
        done = sum(item.get("type", "").endswith("_output") for item in body["input"])
        step = self.step(done, body)
        item = {"type": "message", "id": "m", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "over", "annotations": []}]}
        if step:
            item = {"type": "function_call", "id": f"f{done}", "call_id": f"use_{done}", "name": step[0],
                    "arguments": json.dumps(step[1]), "status": "completed"}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        answer = {"id": "r", "object": "response", "status": "completed", "model": "m", "output": [item], "usage": usage}
        return self.stream([{"type": "response.created", "response": {**answer, "output": []}},
                            {"type": "response.output_item.done", "output_index": 0, "item": item},
                            {"type": "response.completed", "response": answer}], True)

    def completions(self, body):
        done = sum(message["role"] == "tool" for message in body["messages"])
        step = self.step(done, body)
        delta = {"role": "assistant", "content": "over"}
        if step:
            delta = {"role": "assistant", "tool_calls": [{"index": 0, "id": f"use_{done}", "type": "function", "function": {
                "name": step[0], "arguments": json.dumps(step[1])}}]}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        self.stream([{**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                     {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if step else "stop"}]}])


def shell_steps(tool, key, *edits):
    return [(tool, {key: "git push origin main", "description": "x"}), *edits, (tool, {key: "make test", "description": "x"}),
            (tool, {key: "false", "description": "x"})]


def claude(home, url, project):
    del home
    return (shell_steps("Bash", "command", ("Write", {"file_path": project + "/b.py", "content": "x"})),
            ["claude", "-p", "push it", "--allowedTools", "Bash Write", "--model", "claude-sonnet-4-5"],
            {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
             "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}, ["denied", "ended", "ended", "failed"])


def gemini(home, url, project):
    write(home + "/.gemini/settings.json",
          json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}}))
    return (shell_steps("run_shell_command", "command", ("write_file", {"file_path": project + "/b.py", "content": "x"})),
            ["gemini", "-p", "push it", "--yolo", "-m", "gemini-2.5-flash"],
            {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
            ["denied", "ended", "cut-off", "cut-off"])  # it does not tell how a command ended


def opencode(home, url, project):
    del home
    models = {"npm": "@ai-sdk/openai-compatible", "name": "F", "options": {"baseURL": url + "/v1", "apiKey": "none"},
              "models": {"m": {"name": "m"}}}
    write(project + "/opencode.json", json.dumps({"provider": {"fake": models}, "model": "fake/m", "small_model": "fake/m",
                                                  "autoupdate": False, "share": "disabled"}))
    return (shell_steps("bash", "command", ("write", {"filePath": project + "/b.py", "content": "x"})),
            ["opencode", "run", "push it", "-m", "fake/m"], {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
            ["denied", "ended", "ended", "failed"])


def codex(home, url, project):
    write(home + "/.codex/config.toml", f"""model = "m"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
[projects."{project}"]
trust_level = "trusted"
[features]
hooks = true
""")
    return (shell_steps("exec_command", "cmd"),
            ["codex", "exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "push it"],
            {"FAKE_KEY": "none"}, ["denied", "open", "open"])  # the same, and no end of the session


HOSTS = {"claude-code": claude, "gemini-cli": gemini, "opencode": opencode, "codex": codex}


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def fault_of(name, setup, modules, rpl):
    """What is wrong with a session of the host; "" for nothing, None without the host."""
    folder = os.path.realpath(tempfile.mkdtemp())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        home, project = folder + "/home", folder + "/project"
        os.makedirs(home)
        write(project + "/gate.md", GATE)
        write(project + "/Makefile", "test:\n\ttrue\n")
        subprocess.run(["git", "init", "-q", project], check=True)
        Model.steps, command, more, wanted = setup(home, f"http://127.0.0.1:{server.server_port}", project)
        program = os.path.join(modules, ".bin", command[0])
        if not os.path.exists(program):
            return None
        environment = {"PATH": os.environ["PATH"], "HOME": home, "XDG_STATE_HOME": folder + "/state", **more}

        def run(*words):
            return subprocess.run(words, cwd=project, env=environment, capture_output=True, text=True, timeout=120,
                                  stdin=subprocess.DEVNULL, check=False)
        if run(rpl, "guard", "install", "gate.md", "--host", name, "--write").returncode != 0:
            return "its hooks are not installed"
        got = run(program, *command[1:])
        status = run(rpl, "guard", "status", "gate.md").stdout
        states = [line.split()[1] for line in status.splitlines() if line[:5].strip().isdigit()]
        if states != wanted:
            return f"expected {wanted}, got {status}\n{got.stdout[-500:]}{got.stderr[-500:]}"
        return ""
    finally:
        server.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    modules, rpl = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    if not modules.endswith("node_modules"):
        modules += "/node_modules"
    passed = failed = 0
    for name, setup in HOSTS.items():
        fault = fault_of(name, setup, modules, rpl)
        if fault is None:
            print(f"{name} is not there")
            continue
        passed += fault == ""
        failed += fault != ""
        if fault:
            print(f"{name}: {fault}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
