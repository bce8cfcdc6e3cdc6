#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A server of the Model Context Protocol with two tools over a few notes, for docs/guard.md and
# docs/tools.md. It speaks the revisions before 2026-07-28, on standard input and output.
import json
import sys

notes = {"milk": "two bottles", "diary": "nobody reads this"}
TEXT = {"type": "string"}
tools = [
    {"name": "read_note", "description": "Gives the text of a note.",
     "inputSchema": {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}},
    {"name": "write_note", "description": "Replaces the text of a note.",
     "inputSchema": {"type": "object", "properties": {"name": TEXT, "text": TEXT},
                     "required": ["name", "text"]}},
]


def call(name, arguments):
    if name == "write_note":
        notes[arguments["name"]] = arguments["text"]
    if arguments["name"] not in notes:
        return {"content": [{"type": "text", "text": "there is no such note"}], "isError": True}
    return {"content": [{"type": "text", "text": notes[arguments["name"]]}]}


for line in sys.stdin:
    request = json.loads(line)
    method, params = request["method"], request.get("params", {})
    if "id" not in request:
        continue
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    if method == "initialize":
        answer["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                            "serverInfo": {"name": "notes", "version": "1"}}
    elif method == "tools/list":
        answer["result"] = {"tools": tools}
    elif method == "tools/call" and params["name"] in ("read_note", "write_note"):
        answer["result"] = call(params["name"], params["arguments"])
    else:
        answer["error"] = {"code": -32601, "message": "not found"}
    print(json.dumps(answer), flush=True)
