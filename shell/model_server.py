# SPDX-License-Identifier: Apache-2.0
"""A server that stands in for the models of two providers, for tests.

It validates every request: the address, the headers, the body by a JSON Schema, and that the schema
within the body is in the strict subset that both providers take. What is wrong with a request is
kept in `faults`, and the request fails with the status 400.

A test prepares replies per path: a server at http://127.0.0.1:PORT/NAME/v1 takes those of NAME, each
an action:

  {"value": V}        a reply whose text is the JSON {"value": V}
  {"text": T}         a reply with this text
  {"refusal": T}      the model does not answer
  {"cut": T}          a reply that was cut off at the most tokens
  {"status": N}       another status, with `after` as Retry-After
  {"drop": true}      the connection is closed without a reply
  {"bytes": N}        a text of so many bytes
  {"html": true}      no JSON at all
  {"slow": S}         the last value, after so many seconds

With `"usage": false` a reply does not tell its tokens. When none is left, `otherwise` is asked.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jsonschema

KEY = "sk-test-4bd1c9a7e2f04c5d8a6b"

MESSAGE = {
    "type": "object",
    "properties": {"role": {"enum": ["system", "user"]}, "content": {"type": "string", "minLength": 1}},
    "required": ["role", "content"],
    "additionalProperties": False,
}
OPENAI = {
    "type": "object",
    "properties": {
        "model": {"const": "small"},
        "messages": {"type": "array", "items": MESSAGE, "minItems": 2, "maxItems": 2},
        "response_format": {
            "type": "object",
            "properties": {
                "type": {"const": "json_schema"},
                "json_schema": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"},
                        "strict": {"const": True},
                        "schema": {"type": "object"},
                    },
                    "required": ["name", "strict", "schema"],
                    "additionalProperties": False,
                },
            },
            "required": ["type", "json_schema"],
            "additionalProperties": False,
        },
    },
    "required": ["model", "messages", "response_format"],
    "additionalProperties": False,
}
ANTHROPIC = {
    "type": "object",
    "properties": {
        "model": {"const": "small"},
        "max_tokens": {"type": "integer", "minimum": 1},
        "system": {"type": "string", "minLength": 1},
        "messages": {"type": "array", "items": MESSAGE, "minItems": 1, "maxItems": 1},
        "output_config": {
            "type": "object",
            "properties": {
                "format": {
                    "type": "object",
                    "properties": {"type": {"const": "json_schema"}, "schema": {"type": "object"}},
                    "required": ["type", "schema"],
                    "additionalProperties": False,
                }
            },
            "required": ["format"],
            "additionalProperties": False,
        },
    },
    "required": ["model", "max_tokens", "system", "messages", "output_config"],
    "additionalProperties": False,
}
TAKEN = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"}


def strict_fault(schema):
    """Why a schema is not in the strict subset, or ""."""
    if not isinstance(schema, dict):
        return "a schema is no object"
    if more := set(schema) - TAKEN:
        return f"the keywords {sorted(more)}"
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            return "further properties"
        if sorted(schema.get("required", [])) != sorted(schema.get("properties", {})):
            return "a property that is not required"
    parts = list(schema.get("properties", {}).values()) + schema.get("anyOf", [])
    if "items" in schema:
        parts.append(schema["items"])
    return next((fault for part in parts if (fault := strict_fault(part))), "")


class ModelServer:
    """Serves until `close`. `faults` are requests that a provider would refuse."""

    def __init__(self):
        self.faults = []
        self.requests = {}  # by name: the texts of the users' messages
        self.actions = {}
        self.otherwise = lambda name, text: {"status": 500}
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_POST(self):
                length = int(self.headers.get("Content-Length", 0))
                server.answer(self, self.rfile.read(length))

        class Server(ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                pass  # a client that was killed

        self.http = Server(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}/v1"

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def fault_of(self, handler, dialect, body):
        if handler.headers.get("Content-Type") != "application/json":
            return "the Content-Type"
        if dialect == "openai" and handler.headers.get("Authorization") != "Bearer " + KEY:
            return "the header Authorization"
        if dialect == "anthropic" and handler.headers.get("x-api-key") != KEY:
            return "the header x-api-key"
        if dialect == "anthropic" and handler.headers.get("anthropic-version") != "2023-06-01":
            return "the header anthropic-version"
        try:
            jsonschema.validate(body, OPENAI if dialect == "openai" else ANTHROPIC)
        except jsonschema.ValidationError as error:
            return error.message
        if dialect == "openai":
            if [m["role"] for m in body["messages"]] != ["system", "user"]:
                return "the roles"
            return strict_fault(body["response_format"]["json_schema"]["schema"])
        if body["messages"][0]["role"] != "user":
            return "the roles"
        return strict_fault(body["output_config"]["format"]["schema"])

    def answer(self, handler, data):
        path = handler.path.split("/")
        dialect = {"chat/completions": "openai", "messages": "anthropic"}.get("/".join(path[3:]))
        name = path[1]
        try:
            body = json.loads(data)
        except ValueError:
            body = None
        fault = "the address" if dialect is None else self.fault_of(handler, dialect, body)
        if fault:
            self.faults.append(f"{handler.path}: {fault}")
            return self.send(handler, 400, {"error": {"message": fault}})
        text = body["messages"][-1]["content"]
        with self.lock:
            self.requests.setdefault(name, []).append(text)
            left = self.actions.get(name, [])
            action = left.pop(0) if left else self.otherwise(name, text)
        if "slow" in action:
            time.sleep(action["slow"])
        if action.get("drop"):
            handler.close_connection = True
            return handler.connection.close()
        if "status" in action:
            headers = {"Retry-After": str(action["after"])} if "after" in action else {}
            message = action.get("message", f"as told, with {KEY}")
            return self.send(handler, action["status"], {"error": {"message": message}}, headers)
        if action.get("html"):
            return self.send(handler, 200, None, {}, b"<html>hello</html>")
        content = action.get("text", action.get("cut", json.dumps({"value": action.get("value")})))
        if "bytes" in action:
            content = "x" * action["bytes"]
        refusal = action.get("refusal")
        usage = action.get("usage", True)
        if dialect == "openai":
            reply = {
                "choices": [
                    {
                        "message": {"role": "assistant", "content": None if refusal else content},
                        "finish_reason": "length" if "cut" in action else "stop",
                    }
                ]
            }
            if refusal:
                reply["choices"][0]["message"]["refusal"] = refusal
            if usage:
                reply["usage"] = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
        else:
            reply = {
                "type": "message",
                "content": [{"type": "text", "text": refusal or content}],
                "stop_reason": "refusal" if refusal else "max_tokens" if "cut" in action else "end_turn",
            }
            if usage:
                reply["usage"] = {"input_tokens": 20, "output_tokens": 5}
        return self.send(handler, 200, reply)

    @staticmethod
    def send(handler, status, reply, headers=None, data=None):
        data = json.dumps(reply).encode() if data is None else data
        try:
            handler.send_response(status)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(data)))
            for name, value in (headers or {}).items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:
            pass  # the client was killed
