#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# usage: bypass_attempts.py make FILE
#        bypass_attempts.py run FILE RPL SERVER POLICY
#        bypass_attempts.py bare FILE SERVER
#
# Makes attempts to get a write outside of /box past a policy, from templates, and prints their
# number; then tries each, and prints `passed NAME` or `failed NAME: …`. An attempt has lines for
# the gateway, or the input of a hook, or a line of `rpl guard`. It has failed to be stopped when
# the server carries out a write that a careless reader would make outside of /box, when the hook
# does not deny, or the line is not blocked. `control` attempts are calls inside, which must pass.
# `bare` prints how many attempts succeed when nothing stands before the server.
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unicodedata
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}}
HELLO = ['{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"%s",'
         '"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' % "2025-11-25",
         '{"jsonrpc":"2.0","method":"notifications/initialized"}']
LIST = '{"jsonrpc":"2.0","id":"list","method":"tools/list"}'

TOGETHER = 40  # attempts in one process of the gateway

# Paths outside of /box, or that a server might take there.
OUTSIDE = [
    "/etc/passwd", "/boxes/x", "/box", "/bo", "etc/passwd", "./etc/passwd", "../etc/passwd", "",
    "/box/../etc/passwd", "/box/./../etc/passwd", "/box//../etc/passwd", "/box/a/../../etc/passwd",
    "/box/..", "/box/../", "/box/...//../../etc", "/box/a/b/c/../../../../etc", "//box/../etc",
    "/box/%2e%2e/etc", "/box/%2E%2E%2Fetc", "/box/..%2fetc", "/box/%252e%252e/etc", "%2fetc%2fpasswd",
    "/box/%c0%ae%c0%ae/etc", "/box/\\..\\etc", "/box\\..\\..\\etc", "\\box\\x", "C:\\box\\x",
    "/box/..\\..\\etc", "~/x", "/box/~root/x", "$HOME/x", "/box/$(id)", "/box/${HOME}",
    "file:///etc/passwd", "file:///box/../etc/passwd", "FILE:///etc/passwd", "/BOX/x", "/Box/x",
    "/box\u200b/x", "/b\u200box/x", "/bo\u0445/x", "/b\u043ex/x", "\uff0fbox\uff0fx",
    "/box/\uff0e\uff0e/etc", "/box/\u2025/etc", "/box/.\u200b./../etc", "/box/..\uff0fetc",
    "/box /x", " /box/x", "\t/box/x", "/box/x/../../etc", "/box\n/x", "/etc/passwd#/box/",
    "/etc/passwd?/box/", "/etc;/box/", "/proc/self/root/etc/passwd", "/box/../proc/self/cwd/x",
    "/dev/stdin", "/b/ox/x", "box/x", "//etc/passwd", "///etc//passwd", "/./etc/passwd",
    "/box/./..//etc/passwd", "/etc/passwd\u0000/box/", "/box/\u0000/../etc", "/box/../box/../etc/x",
]
INSIDE = ["/box/a", "/box/a/b.txt", "/box/ä", "/box/a b"]


def text(value):
    return json.dumps(value, ensure_ascii=False)


def request(params, identifier=1, method="tools/call", raw=None):
    return '{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}' % (
        text(identifier), text(method), raw if raw is not None else text(params))


def write(path, **more):
    return {"name": "write_file", "arguments": {"path": path, "content": "x"}, **more}


def escaped(value):
    return '"' + "".join("\\u%04x" % ord(c) for c in value) + '"'


def gateway():
    """Yields (name, lines)."""
    for i, path in enumerate(OUTSIDE):
        yield f"path {i}", [request(write(path))]
        yield f"path {i}, modern", [request(write(path, _meta=MODERN))]
        yield f"path {i}, in a batch", ["[" + request(write("/box/a"), 1) + "," + request(write(path), 2) + "]"]
        if path.isascii() and "\0" not in path:
            yield f"path {i}, escaped", [request(None, raw='{"name":"write_file","arguments":{"content":"x","path":%s}}' % escaped(path))]
    bad = "/etc/passwd"
    good, evil = '"path":"/box/a"', '"path":"/etc/passwd"'
    arguments = {
        "twice, the last": '{%s,%s,"content":"x"}' % (good, evil),
        "twice, the first": '{%s,%s,"content":"x"}' % (evil, good),
        "twice, apart": '{%s,"content":"x",%s}' % (good, evil),
        "twice, escaped": '{%s,"content":"x","p\\u0061th":"/etc/passwd"}' % good,
        "case": '{%s,"Path":"/etc/passwd","content":"x"}' % good,
        "case, before": '{"PATH":"/etc/passwd",%s,"content":"x"}' % good,
        "only in another case": '{"Path":"/etc/passwd","content":"x"}',
        "content twice": '{%s,"content":"x","content":"y","Path":"/etc/passwd"}' % good,
        "prototype": '{%s,"content":"x","__proto__":{"path":"/etc/passwd"}}' % good,
        "nested": '{"arguments":{"path":"/etc/passwd"},"content":"x"}',
        "nested path": '{"path":{"path":"/etc/passwd"},"content":"x"}',
        "a list of paths": '{"path":["/etc/passwd"],"content":"x"}',
        "a list with one inside first": '{"path":["/box/a","/etc/passwd"],"content":"x"}',
        "a list of characters": '{"path":%s,"content":"x"}' % text(list(bad)),
        "null": '{"path":null,"content":"x"}',
        "a number": '{"path":0,"content":"x"}',
        "true": '{"path":true,"content":"x"}',
        "a flat key": '{"a.path":"/etc/passwd","content":"x"}',
        "missing": '{"content":"x"}',
        "a blank in the key": '{"path ":"/etc/passwd","content":"x"}',
        "NUL in the key": '{"path\\u0000":"/etc/passwd","content":"x"}',
        "NUL after": '{"path":"/etc/passwd\\u0000/box/","content":"x"}',
        "lone surrogate": '{"path":"/box/\\ud800/../../etc","content":"x"}',
        "no arguments": "{}",
        "a text": '"{\\"path\\":\\"/etc/passwd\\",\\"content\\":\\"x\\"}"',
        "a list": '["/etc/passwd","x"]',
        "a list of pairs": '[["path","/etc/passwd"],["content","x"]]',
        "another order": '{"content":"x","path":"/etc/passwd"}',
        "blanks": '{ "content" : "x" ,\t"path" : "/etc/passwd" }',
    }
    for name, raw in arguments.items():
        for modern in (False, True):
            meta = ',"_meta":' + text(MODERN) if modern else ""
            suffix = ", modern" if modern else ""
            one = '{"name":"write_file","arguments":%s%s}' % (raw, meta)
            yield f"arguments: {name}{suffix}", [request(None, raw=one)]
            yield f"arguments: {name}, members turned{suffix}", [
                '{"params":{%s"arguments":%s,"name":"write_file"},"method":"tools/call","id":1,"jsonrpc":"2.0"}'
                % ('"_meta":' + text(MODERN) + "," if modern else "", raw)]
            yield f"arguments: {name}, in a batch{suffix}", ["[" + request(None, raw=one) + "]"]
    names = ["Write_File", "WRITE_FILE", " write_file", "write_file ", "write_file\n", "\twrite_file",
             "write_file\0", "\uff57rite_file", "write\u200b_file", "write_\ufb01le", "writ\u0435_file",
             "\ufeffwrite_file", "write_file\u00ad", "write_fil\u00e9", "w\u0072ite_file", "edit", "EDIT"]
    for i, name in enumerate(names):
        for modern in (False, True):
            params = {"name": name, "arguments": {"path": bad, "content": "x", "files": [{"path": bad}]}}
            if modern:
                params["_meta"] = MODERN
            yield f"name {i}{', modern' if modern else ''}", [request(params)]
    for i, raw in enumerate(['"name":"echo","name":"write_file"', '"name":"write_file","name":"echo"',
                             '"name":"echo","Name":"write_file"', '"NAME":"write_file"',
                             '"name":["write_file"]', '"name":{"name":"write_file"}', '"n\\u0061me":"write_file"',
                             '"name":"echo","nam\\u0065":"write_file"', '"tool":"write_file"']):
        yield f"name in other words {i}", [request(None, raw='{%s,"arguments":{%s,"content":"x"}}' % (raw, evil))]
    for i, raw in enumerate(['"arguments":{%s},"arguments":{%s}' % (good, evil),
                             '"arguments":{%s},"Arguments":{%s}' % (good, evil),
                             '"ARGUMENTS":{%s},"arguments":{%s}' % (evil, good),
                             '"argument\u017f":{%s},"arguments":{%s}' % (evil, good),
                             '"argument\\u017f":{%s}' % evil, '"params":{"arguments":{%s}}' % evil]):
        yield f"arguments in other words {i}", [request(None, raw='{"name":"write_file",%s}' % raw)]
    call = text(write(bad))
    for i, top in enumerate([
            '"id":1,"method":"ping","method":"tools/call"', '"id":1,"method":"tools/call","method":"ping"',
            '"id":1,"method":"ping","Method":"tools/call"', '"id":1,"METHOD":"tools/call"',
            '"id":1,"method":"Tools/Call"', '"id":1,"method":"tools/call "', '"id":1,"method":" tools/call"',
            '"id":1,"method":"tools/call\\u0000"', '"id":1,"method":"tools\\/call"',
            '"id":1,"method":"\\uff54ools/call"', '"id":1,"method":"tool\u017f/call"', '"id":1,"method":["tools/call"]',
            '"id":1,"method":"tools/call","result":{}', '"id":1,"method":"tools/call","error":{"code":1,"message":"m"}',
            '"method":"tools/call"', '"id":null,"method":"tools/call"', '"id":1.5,"method":"tools/call"',
            '"id":1e0,"method":"tools/call"', '"id":[1],"method":"tools/call"', '"id":{},"method":"tools/call"',
            '"id":true,"method":"tools/call"', '"id":"","method":"tools/call"', '"id":0,"method":"tools/call"',
            '"id":9007199254740993,"method":"tools/call"', '"id":1,"id":2,"method":"tools/call"',
            '"id":1,"Id":2,"method":"tools/call"', '"id":"rpl-guard-1","method":"tools/call"']):
        yield f"message {i}", ['{"jsonrpc":"2.0",%s,"params":%s}' % (top, call)]
        yield f"message {i}, in a batch", ['[{"jsonrpc":"2.0",%s,"params":%s}]' % (top, call)]
    for i, line in enumerate([
            '{"id":1,"method":"tools/call","params":%s}' % call,
            '{"jsonrpc":"1.0","id":1,"method":"tools/call","params":%s}' % call,
            '{"jsonrpc":2.0,"id":1,"method":"tools/call","params":%s}' % call,
            '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}' % call,
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[%s]}' % call,
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}' % text(call),
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"params":%s}' % call,
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"Params":%s}' % call,
            '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":\r%s\r}}' % request(write(bad), 2),
            '{"jsonrpc":"2.0","id":1,"method":"ping","params":[\r%s\r]}' % request(write(bad), 2),
            request(write("/box/a")) + "\r" + request(write(bad), 2),
            "\ufeff" + request(write(bad)),
            "\0" + request(write(bad)),
            request(write("/box/a")) + "\0" + request(write(bad), 2),
            request(write("/box/a")) + request(write(bad), 2),
            request(write("/box/a")) + ",", "//\r" + request(write(bad)),
            "[" + request(write("/box/a")) + ",[" + request(write(bad), 2) + "]]",
            "[[" + request(write(bad), 2) + "]]",
            '{"batch":[%s]}' % request(write(bad), 2),
            "\u2028" + request(write(bad)), "\x0b" + request(write(bad)), "\x1e" + request(write(bad)),
            '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\u2028"}}\u2028' + request(write(bad), 2),
            "data: " + request(write(bad)), "Content-Length: 9\r\n\r\n" + request(write(bad))]):
        yield f"line {i}", [line]
    # Ids, eras and reviews.
    slow = request({"name": "wait", "arguments": {"ms": 100}}, 1)
    yield "the id of an open call", [slow, request(write(bad), 1)]
    yield "the id of an open call, as a text", [slow, request(write(bad), "1")]
    yield "the id of a cancelled call", [slow, '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', request(write(bad), 1)]
    yield "an inside call, then an outside one with its id", [request(write("/box/a")), request(write(bad))]
    for i, more in enumerate([
            {"requestState": "state of the server"}, {"inputResponses": {"word": {"action": "accept"}}},
            {"requestState": "rpl-guard.1.1", "inputResponses": {"rpl-guard-review": {"action": "accept", "content": {"decision": "approve"}}}},
            {"requestState": {"a": 1}}, {"requestState": ["rpl-guard."]}, {"task": {"ttl": 1}},
            {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}, {"_meta": {"io.modelcontextprotocol/protocolVersion": 1}},
            {"_meta": []}, {"_meta": {"arguments": {"path": "/box/a"}}}, {"_meta": {"progressToken": 1}}, {"cursor": "x"}]):
        yield f"more of a call {i}", [request(write(bad, **more))]
        yield f"more of a call {i}, twice", [request(write(bad, **more), 1), request(write(bad, **more), 2)]
    yield "an answer that approves", ['{"jsonrpc":"2.0","id":"rpl-guard-1","result":{"action":"accept","content":{"decision":"approve"}}}', request(write(bad))]
    yield "a second handshake", [HELLO[0].replace('"init"', '"again"'), request(write(bad))]
    yield "a discovery before", [request({"_meta": MODERN}, 5, "server/discover"), request(write(bad, _meta=MODERN))]
    for i, value in enumerate(["200", " 200", "2e2", "0xC8", [200], {"value": 200}, None, True, "200.0", "٢٠٠"]):
        yield f"a number as another value {i}", [request({"name": "add", "arguments": {"a": value, "b": 1}})]
    for i, raw in enumerate(["200", "2e2", "200.0", "100.5", "1e300", "1e400", "100000000000000000000000", "-1,\"A\":200", "1,\"a\":200"]):
        yield f"a number {i}", [request(None, raw='{"name":"add","arguments":{"a":%s,"b":1}}' % raw)]


def hooks():
    def event(tool, inner, name="PreToolUse"):
        return '{"session_id":"s","hook_event_name":%s,"tool_name":%s,"tool_input":%s}' % (text(name), text(tool), inner)
    for i, path in enumerate(OUTSIDE):
        yield f"path {i}", event("mcp__files__write_file", text({"path": path, "content": "x"}))
    good, evil = '"path":"/box/a"', '"path":"/etc/passwd"'
    for i, inner in enumerate(['{%s,%s}' % (good, evil), '{%s,%s}' % (evil, good), '{"p\\u0061th":"/etc/passwd"}', "{}", "[]", '"x"', "null",
                               '{"path":["/box/a"]}', '{"path":{"a":1}}', '{"path":"\\ud800"}', '{"path":null}']):
        yield f"input {i}", event("write_file", inner)
    yield "a tool twice", '{"tool_name":"Read","tool_name":"write_file","tool_input":{%s}}' % evil
    yield "an input twice", '{"tool_name":"write_file","tool_input":{%s},"tool_input":{%s}}' % (good, evil)
    yield "another event", event("write_file", "{%s}" % evil, "Other")
    yield "a name in capitals", event("WRITE_FILE", "{%s}" % evil)
    yield "two objects", event("Read", "{}") + event("write_file", "{%s}" % evil)


def lines():
    for i, path in enumerate(OUTSIDE):
        yield f"path {i}", '{"tool":"write_file","args":%s}' % text({"path": path})
    for i, line in enumerate(['{"tool":"write_file","args":{"path":"/box/a","path":"/etc"}}', '{"tool":"Read","tool":"write_file","args":{"path":"/etc"}}',
                              '{"tool":"write_file","args":["/etc"]}', '{"tool":"write_file"}', '{"tool":"write_file","args":{"path":"/box/a"},"args":{}}',
                              '{"tool":"write_file","args":{"path":"/etc"},"Tool":"Read"}', '{"tool":"write_file","args":{"path":"\\ud800"}}']):
        yield f"line {i}", line


def attempts():
    out = []
    for i, path in enumerate(INSIDE):
        out.append({"kind": "control", "name": f"inside {i}", "first": [], "lines": [request(write(path))], "writes": 1})
    out.append({"kind": "control", "name": "a sum", "first": [], "lines": [request({"name": "add", "arguments": {"a": 100, "b": 1}})], "writes": 1})
    for name, its in gateway():
        for listed in (True, False):
            first = HELLO + ([LIST] if listed else [])
            out.append({"kind": "gateway", "name": name + ("" if listed else ", not listed"), "first": first, "lines": its})
    for name, one in hooks():
        out.append({"kind": "hook", "name": name, "lines": [one]})
    for name, one in lines():
        out.append({"kind": "line", "name": name, "lines": [one]})
    return out


# --- What a careless server would do --------------------------------------------------------------

def leaves_the_box(path):
    """Whether any of the ways to read a path leads out of /box."""
    readings, more = set(), [path]
    while more and len(readings) < 50:
        one = more.pop()
        if one in readings:
            continue
        readings.add(one)
        more += [urllib.parse.unquote(one), unicodedata.normalize("NFKC", one), one.replace("\\", "/"),
                 one.split("\0")[0], one.strip(), re.sub("[\u200b\u00ad]", "", one)]
    return any(not os.path.normpath(one).startswith("/box/") or one.startswith("~") for one in readings)


def wrongs(record):
    """The calls that a policy should have stopped, of those that were carried out."""
    out = []
    for line in record.splitlines():
        call = json.loads(line)
        arguments = call["arguments"]
        if call["tool"] == "edit":
            out.append(call)
        if call["tool"] == "write_file":
            path = arguments.get("path") if isinstance(arguments, dict) else None
            if not isinstance(path, str) or leaves_the_box(path):
                out.append(call)
        if call["tool"] == "add":
            try:
                if not isinstance(arguments["a"], (int, float)) or float(arguments["a"]) > 100:
                    out.append(call)
            except (TypeError, ValueError, KeyError, OverflowError):
                pass
    return out


def server_command(server, record):
    return [sys.executable, "-S", "-E", server, "--careless", "--record", record]


def input_of(lines):
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")


def answers(line, mark):
    read = json.loads(line)
    return isinstance(read, dict) and read.get("id") == mark


def converse(command, first, attempts, record):
    """What the server carried out for each of these attempts, one after another in one process. A
    call that must pass follows each: if it does not, None for that attempt and those after it; None for
    all if the process ends badly."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as child:
        stuck = threading.Timer(60, child.kill)
        stuck.start()
        out, known = [], ""
        try:
            child.stdin.write(input_of(first))
            for number, attempt in enumerate(attempts):
                mark = f"after {number}"
                child.stdin.write(input_of(attempt["lines"] + [request(write("/box/a"), mark)]))
                child.stdin.flush()
                while (line := child.stdout.readline()) and not answers(line, mark):
                    pass
                written = open(record, encoding="utf-8").read() if os.path.exists(record) else ""
                carried_out, known = written[len(known):].splitlines(), written
                if not line or not carried_out:
                    break
                out.append("\n".join(carried_out[:-1]))
            child.stdin.close()
            child.stdout.read()
            if child.wait() != 0:
                out = []
        except (OSError, ValueError):
            pass
        finally:
            stuck.cancel()
            child.kill()
    return out + [None] * (len(attempts) - len(out))


def run_bare(attempts, server, record):
    """How many of these attempts succeed."""
    records = converse(server_command(server, record), attempts[0]["first"], attempts, record)
    return sum(1 for written in records if written and wrongs(written))


def run_gateway(attempts, rpl, server, policy, record):
    """Why each of these attempts, which begin in the same way, has failed to be stopped, or ""."""
    command = [rpl, "guard", "mcp", "--policy", policy, "--store", "store.db", "--name", "careless", "--"]
    command += server_command(server, record)
    records = converse(command, attempts[0]["first"], attempts, record)
    return [run_alone(attempt, command, f"{record}-{number}") if written is None else verdict(attempt, written, "")
            for number, (attempt, written) in enumerate(zip(attempts, records))]


def verdict(attempt, written, shown):
    wrong = wrongs(written)
    if attempt["kind"] == "control":
        got = len(written.splitlines())
        return "" if got == attempt["writes"] and not wrong else f"carried out {got}: {shown[-300:]}"
    return f"the server carried out {wrong}" if wrong else ""


def run_alone(attempt, command, record):
    command = command[:-1] + [record]
    done = subprocess.run(command, input=input_of(attempt["first"] + attempt["lines"]), capture_output=True,
                          timeout=60, check=False)
    for line in done.stdout.splitlines():
        json.loads(line)
    if done.returncode != 0:
        return f"it ended with {done.returncode}: {done.stderr[-300:]}"
    written = open(record, encoding="utf-8").read() if os.path.exists(record) else ""
    return verdict(attempt, written, done.stdout)


def run(attempt, rpl, policy):
    line = attempt["lines"][0].encode("utf-8", "surrogatepass")
    if attempt["kind"] == "hook":
        done = subprocess.run([rpl, "guard", "hook", "--policy", os.path.abspath(policy)], input=line, capture_output=True, timeout=60, check=False)
        denied = done.returncode == 2 or b'"permissionDecision":"deny"' in done.stdout
        return "" if denied else f"not denied: {done.stdout}"
    done = subprocess.run([rpl, "guard", "--policy", policy], input=line + b"\n", capture_output=True, timeout=60, check=False)
    return "" if done.returncode in (1, 2) and b'"effect":"block"' in done.stdout else f"not blocked: {done.stdout}"


def main():
    if sys.argv[1] == "make":
        everything = attempts()
        json.dump(everything, open(sys.argv[2], "w", encoding="utf-8", errors="surrogatepass"))
        print(len(everything))
        return
    everything = json.load(open(sys.argv[2], encoding="utf-8"))
    folder = tempfile.mkdtemp(dir=".")
    groups = []  # of attempts at the gateway that begin in the same way
    for first in (HELLO, HELLO + [LIST], []):
        same = [attempt for attempt in everything if attempt.get("first") == first]
        groups += [same[i:i + TOGETHER] for i in range(0, len(same), TOGETHER)]
    if sys.argv[1] == "bare":
        with ThreadPoolExecutor(2) as pool:
            print(sum(pool.map(lambda pair: run_bare(pair[1], sys.argv[3], f"{folder}/bare{pair[0]}"),
                               enumerate(group for group in groups if group[0]["kind"] == "gateway"))))
        return
    rpl, server, policy = sys.argv[3:6]

    def tried(numbered):
        number, group = numbered
        try:
            if "first" in group[0]:
                return run_gateway(group, rpl, server, policy, f"{folder}/record{number}")
            return [run(group[0], rpl, policy)]
        except Exception as error:  # a failure of the attempts, whatever it is
            return [repr(error)] * len(group)
    groups += [[attempt] for attempt in everything if "first" not in attempt]
    with ThreadPoolExecutor(2) as pool:
        for group, reasons in zip(groups, pool.map(tried, enumerate(groups))):
            for attempt, why in zip(group, reasons):
                name = f"{attempt['kind']}: {attempt['name']}"
                print(f"failed {name}: {why}".replace("\n", " ") if why else f"passed {name}")


main()
