# SPDX-License-Identifier: Apache-2.0
"""The cases of lsp_test.sh: usage: lsp_cases.py RPL FOLDER [EDITS [SEED]]"""

import json
import pathlib
import random
import subprocess
import sys
import time

from lsp_client import Client

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
edits = int(sys.argv[3]) if len(sys.argv) > 3 else 150
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
counts = {True: 0, False: 0}


def check(name, holds, shown=""):
    counts[bool(holds)] += 1
    if not holds:
        print(f"failed: {name}\n  {json.dumps(shown, ensure_ascii=False)[:2000]}", flush=True)


def same(name, wanted, got):
    check(name, wanted == got, {"expected": wanted, "got": got})


LIB = """# Library of ways 😀

## Ways - way(?from, ?to) <- leg(?from, ?to)

From __from__ to __to__, if there is a leg.

```rpl
leg(1, 2)
leg(2, 3)
```
"""
MAIN = """# Trips

## Far - far(?x) <- lib.md#way(1, ?y), lib.md#leg(?y, ?x)

All that is far: __x__.

## Home - %home(?x) <- far(?x), far(3)

```rpl
big(?n) <- ?n > 10
near(?x) <- lib.md#leg(_, ?x), not far(?x)
listed(?x) <- "é😀" = ?s, near(?x), $stock(?x), $post-note(?x, ?s)
```
"""
CONFIG = """version: 1
tools:
  stock: {command: [no-such-program], permission: allow}
  post-note: {mcp: notes, tool: post_note, args: [text, tag]}
mcp:
  notes: {command: [no-such-server]}
"""


def started(name, *arguments, **options):
    place = folder / name
    place.mkdir()
    client = Client(program, place, arguments)
    client.initialize(**options)
    return client


def texts_of(client, texts, result):
    """The documents after a WorkspaceEdit."""
    out = dict(texts)
    for change in result["documentChanges"]:
        name = change["textDocument"]["uri"].rsplit("/", 1)[1]
        out[name] = client.edited(out[name], change["edits"])
    return out


def pieces(client, text, locations):
    """What stands at some locations of one document."""
    return [text[client.offset(text, l["range"]["start"]):client.offset(text, l["range"]["end"])]
            for l in locations]


# --- The life of a server ----------------------------------------------------------------------


def lifecycle():
    client = Client(program, folder)
    same("a request before initialize", -32002, client.call("textDocument/hover", {})["error"]["code"])
    client.notify("textDocument/didOpen", {"textDocument": {"uri": "file:///x.rpl", "text": "p("}})
    result = client.initialize()
    same("the encoding by default", "utf-16", result["capabilities"]["positionEncoding"])
    same("initialize twice", -32600, client.call("initialize", {})["error"]["code"])
    same("an unknown method", -32601, client.call("textDocument/none", {})["error"]["code"])
    client.notify("$/none", {})
    same("a document that is not open", -32602, client.call(
        "textDocument/documentSymbol", {"textDocument": {"uri": "file:///none.rpl"}})["error"]["code"])
    same("shutdown", None, client.call("shutdown"))
    same("a request after shutdown", -32600, client.call("workspace/symbol", {"query": ""})["error"]["code"])
    client.notify("exit")
    same("the exit code", 0, client.process.wait(timeout=60))
    client = Client(program, folder)
    client.initialize(("utf-32", "utf-8", "utf-16"))
    same("the encoding that was agreed on", "utf-8", client.encoding)
    client.notify("exit")
    same("the exit code without shutdown", 1, client.process.wait(timeout=60))
    client = Client(program, folder, ["--stdio"])
    client.initialize()
    client.process.stdin.close()
    same("the exit code at the end of the input", 1, client.process.wait(timeout=60))
    client = Client(program, folder)
    client.initialize(processId=2 ** 22 + 1)
    same("the exit code when the client's process is gone", 1, client.process.wait(timeout=60))


# --- Features -----------------------------------------------------------------------------------


def opened(name, encodings=("utf-16",)):
    client = started(name, encodings=encodings)
    (client.folder / "rpl.yaml").write_text(CONFIG)
    client.open("lib.md", LIB)
    client.open("main.md", MAIN)
    return client


def findings(client):
    got = client.diagnostics("main.md", 1)
    same("the findings", ["RPL6013", "RPL6013"], [d["code"] for d in got])
    broken = MAIN.replace("far(3)", "far(3, 4)").replace("?n > 10", "?n > 10, done")
    client.change("main.md", 2, {"text": broken})
    got = client.diagnostics("main.md", 2)
    arity = next((d for d in got if d["code"] == "RPL2007"), {})
    related = arity.get("relatedInformation", [])
    same("a wrong arity shows the definition", ["far"],
         pieces(client, broken, [r["location"] for r in related])[:1])
    actions = client.call("textDocument/codeAction", {
        "textDocument": {"uri": client.uri("main.md")}, "context": {"diagnostics": []},
        "range": {"start": client.position(broken, broken.index("big")),
                  "end": client.position(broken, broken.index("done") + 4)}})
    fixes = [a for a in actions if a.get("isPreferred")]
    mended = broken.replace("done", "done()")
    same("a fix", mended, texts_of(client, {"main.md": broken}, fixes[0]["edit"])["main.md"]
         if fixes else actions)
    everything = [a for a in actions if a["kind"] == "source.fixAll.rpl"]
    fixed = texts_of(client, {"main.md": broken}, everything[0]["edit"])["main.md"] if everything else ""
    same("all fixes at once", mended, fixed)
    hints = client.call("textDocument/codeAction", {
        "textDocument": {"uri": client.uri("main.md")}, "context": {"only": ["quickfix"], "diagnostics": []},
        "range": arity["range"]})
    check("a hint is an action", any(a.get("command", {}).get("command") == "rpl.hint" for a in hints)
          or any(a.get("edit") for a in hints), hints)
    suppress = [a for a in client.call("textDocument/codeAction", {
        "textDocument": {"uri": client.uri("main.md")}, "context": {"diagnostics": []},
        "range": {"start": {"line": 9, "character": 0}, "end": {"line": 9, "character": 3}}})
        if a["title"].startswith("suppress RPL6013")]
    quiet = texts_of(client, {"main.md": broken}, suppress[0]["edit"])["main.md"] if suppress else ""
    client.change("main.md", 3, {"text": quiet})
    got = client.diagnostics("main.md", 3)
    check("a suppression suppresses", all("big" not in d["message"] for d in got if d["code"] == "RPL6013")
          and not any(d["code"] == "RPL6014" for d in got), got)
    client.change("main.md", 4, {"text": MAIN})
    client.diagnostics("main.md", 4)
    # A change of a file that a document names.
    client.change("lib.md", 2, {"text": LIB.replace("leg(1, 2)\nleg(2, 3)\n", "")
                                .replace("leg(?from, ?to)\n\nFrom", "step(?from, ?to)\n\nFrom")})
    got = client.diagnostics("main.md")
    check("findings follow a file that is named", any("leg" in d["message"] for d in got), got)
    client.change("lib.md", 3, {"text": LIB})
    same("and the way back", 2, len(client.diagnostics("main.md")))
    client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri("lib.md")}})
    same("a closed document has no findings", [], client.diagnostics("lib.md"))
    client.open("lib.md", LIB)
    client.open("rpl.yaml", CONFIG.replace("version: 1", "version: 2"))
    check("a configuration has findings", client.diagnostics("rpl.yaml"))
    client.change("rpl.yaml", 2, {"text": CONFIG})
    same("a good configuration has none", [], client.diagnostics("rpl.yaml", 2))


def hovers(client):
    def hover(piece, skip=0):
        got = client.call("textDocument/hover", client.at("main.md", MAIN, piece, skip))
        return got["contents"]["value"] if got and "contents" in got else got
    text = hover("far(?x) <-")
    for part in ["far(?x)", "All that is far: __x__.", "1 heading", "stratum 2 of 4"]:
        check(f"hover has `{part}`", part in text, text)
    text = hover("lib.md#leg", 8)
    check("hover counts facts", "2 facts" in text and "used" in text, text)
    text = hover("far(3)")
    check("hover proves a ground fact",
          "far(3)  main.md" in text.replace(str(client.folder) + "/", "") and "leg(2, 3)" in text, text)
    text = hover("big(?n)")
    check("hover says what a caller must bind", "needs ?n" in text, text)
    check("hover knows tools", "asks before" not in hover("$stock") and "rpl.yaml" in hover("$stock"))
    check("hover knows tools of servers", "MCP server `notes`" in hover("$post-note"), hover("$post-note"))
    check("hover of a variable", "variable" in hover("?y"))
    same("hover of nothing", None, hover("# Trips", 3))


def places(client):
    def at(method, piece, skip=0, **more):
        return client.call("textDocument/" + method, {**client.at("main.md", MAIN, piece, skip), **more})
    got = at("definition", "lib.md#way", 8)
    same("a definition in another file", [(client.uri("lib.md"), "way")],
         [(l["uri"], pieces(client, LIB, [l])[0]) for l in got])
    got = at("definition", "lib.md#leg", 8)
    same("a fact is a definition", [client.uri("lib.md")], [l["uri"] for l in got])
    got = at("references", "far(?x)", context={"includeDeclaration": True})
    same("references", ["far"] * 4, pieces(client, MAIN, got))
    got = at("references", "lib.md#leg", 8, context={"includeDeclaration": False})
    same("references in both files", [client.uri("lib.md"), client.uri("main.md"), client.uri("main.md")],
         sorted(l["uri"] for l in got))
    got = at("documentHighlight", "?y", 1)
    same("highlights", ["y", "y"], pieces(client, MAIN, got))
    item = at("prepareCallHierarchy", "far(?x)")[0]
    got = client.call("callHierarchy/incomingCalls", {"item": item})
    same("incoming calls", ["%home", "near/1"], sorted(c["from"]["name"] for c in got))
    got = client.call("callHierarchy/outgoingCalls", {"item": item})
    same("outgoing calls", ["leg/2", "way/2"], sorted(c["to"]["name"] for c in got))
    got = client.call("callHierarchy/outgoingCalls", {"item": got[0]["to"]})
    same("outgoing calls of those", ["leg/2"], [c["to"]["name"] for c in got])


def renames(client):
    texts = {"lib.md": LIB, "main.md": MAIN}

    def rename(name, piece, skip, to):
        return client.call("textDocument/rename", {**client.at(name, texts[name], piece, skip), "newName": to})
    got = texts_of(client, texts, rename("main.md", "lib.md#leg", 8, "stage"))
    same("a relation is renamed in both files",
         {k: t.replace("leg(", "stage(") for k, t in texts.items()}, got)
    got = texts_of(client, texts, rename("lib.md", "?to)", 1, "place-to-go"))
    same("a variable is renamed in the prose as well", LIB.replace("?to", "?place-to-go").replace(
        "__to__", "__place to go__"), got["lib.md"])
    same("a placeholder", "leg", client.call("textDocument/prepareRename", client.at(
        "main.md", MAIN, "lib.md#leg", 8))["placeholder"])
    check("a tool of rpl.yaml is not renamed", "outside" in rename("main.md", "$stock", 2, "a")["error"]["message"])
    check("a name that is taken", "exists" in rename("main.md", "far(", 0, "near")["error"]["message"])


def outlines(client):
    got = client.call("textDocument/documentSymbol", {"textDocument": {"uri": client.uri("main.md")}})
    same("the outline", ["Trips"], [s["name"] for s in got])
    same("below the heading", ["Far", "Home"], [s["name"] for s in got[0]["children"]])
    same("rules in a section", ["big/1", "near/1", "listed/1"],
         [s["name"] for s in got[0]["children"][1]["children"]])
    got = client.call("workspace/symbol", {"query": "wy"})
    same("symbols of the workspace", ["way/2"], [s["name"] for s in got])
    got = client.call("textDocument/foldingRange", {"textDocument": {"uri": client.uri("main.md")}})
    check("folding", {"startLine": 8, "endLine": 12, "kind": "region"} in got, got)
    broken = MAIN.replace("big(?n) <- ?n > 10", "big(?n <- ?n > 10\n\nzoo(")
    client.change("main.md", 10, {"text": broken})
    got = json.dumps(client.call("textDocument/documentSymbol", {"textDocument": {"uri": client.uri("main.md")}}))
    check("an outline of what parses", "Far" in got and "near/1" in got, got)
    got = client.call("textDocument/hover", client.at("main.md", broken, "far(?x) <-"))
    check("a hover in what parses", "All that is" in json.dumps(got), got)
    client.change("main.md", 11, {"text": MAIN})


def completions(client):
    def labels(text, piece, skip=0):
        client.version = getattr(client, "version", 100) + 1
        client.change("main.md", client.version, {"text": text})
        got = client.call("textDocument/completion", client.at("main.md", text, piece, skip))
        return {i["label"]: i for i in got["items"]}
    typing = MAIN.replace("big(?n) <- ?n > 10", "big(?amount, ?name) <- fa, ?a")
    got = labels(typing, "<- fa", 5)
    check("relations with their arity", "far/1" in got.get("far", {}).get("detail", ""), list(got))
    check("arguments to fill in", got["far"]["textEdit"]["newText"] == "far(${1:?x})", got["far"])
    check("words and namespaces", {"not", "std#", "lib.md#"} <= set(got), list(got))
    got = labels(typing, "fa, ?a", 6)
    same("variables of the rule", {"?amount", "?name", "?x"}, set(got))
    got = labels(typing.replace("?a\n", "$\n"), "fa, $", 5)
    check("tools", {"$stock", "$post-note", "$ask"} <= set(got), list(got))
    got = labels(typing.replace("?a\n", "%\n"), "fa, %", 5)
    check("goals", "%home" in got, list(got))
    got = labels(typing.replace("?a\n", "lib.md#\n"), "fa, lib.md#", 11)
    same("relations of a file", {"lib.md#leg", "lib.md#way"}, set(got))
    got = labels(typing.replace("?a\n", "std#\n"), "fa, std#", 8)
    check("relations of the library", "std#sum" in got, list(got))
    got = labels(typing.replace("?a\n", "@\n"), "fa, @", 5)
    check("activation clauses", "@when" in got, list(got))
    got = labels(MAIN.replace("All that is far: __x__", "All that __"), "that __", 7)
    same("variables of the heading in prose", {"x", "y"}, set(got))
    same("nothing in a comment", {}, labels(typing.replace("?a\n", "-- fa\n"), "-- fa", 5))
    same("nothing in a string", {}, labels(typing.replace("?a\n", '"fa"\n'), '"fa', 3))
    got = labels(typing.replace("?a\n", '"{?}"\n'), '"{?', 3)
    check("variables in a hole of a string", "?amount" in got, list(got))
    same("nothing in prose", {}, labels(MAIN, "All that", 3))
    client.change("main.md", 999, {"text": MAIN})


def layouts(client):
    client.change("main.md", 1000, {"text": MAIN.replace("near(?x),", "near(?x)  ,")})
    got = client.call("textDocument/formatting", {
        "textDocument": {"uri": client.uri("main.md")}, "options": {"tabSize": 2, "insertSpaces": True}})
    same("formatting", MAIN, client.edited(MAIN.replace("near(?x),", "near(?x)  ,"), got))
    client.change("main.md", 1001, {"text": MAIN})
    got = client.call("textDocument/semanticTokens/full", {"textDocument": {"uri": client.uri("main.md")}})
    line = character = 0
    shown = []
    for d_line, d_character, length, kind, modifiers in zip(*[iter(got["data"])] * 5):
        line, character = line + d_line, d_character + (character if d_line == 0 else 0)
        begin = client.offset(MAIN, {"line": line, "character": character})
        end = client.offset(MAIN, {"line": line, "character": character + length})
        shown.append((MAIN[begin:end], kind, modifiers))
    check("tokens", {("far", 9, 1), ("lib.md#way", 9, 0), ("?x", 5, 0), ("%home", 8, 1), ("not", 10, 0),
                     ('"é😀"', 1, 0), ("$stock", 7, 0)} <= set(shown), shown)
    got = client.call("textDocument/inlayHint", {
        "textDocument": {"uri": client.uri("main.md")},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}})
    check("hints", {"needs ?n", "stratum 2"} <= {h["label"] for h in got}, got)


def commands(client):
    lenses = client.call("textDocument/codeLens", {"textDocument": {"uri": client.uri("main.md")}})
    titles = [l["command"]["title"] for l in lenses]
    check("lenses", {"run", "why", "answers"} <= set(titles), titles)

    def execute(command, *arguments):
        return client.call("workspace/executeCommand", {"command": command, "arguments": list(arguments)})
    uri = client.uri("main.md")
    same("answers", "3\n", execute("rpl.answers", uri, "far(?x)"))
    message = client.wait_for(lambda m: m.get("method") == "window/showMessage")
    same("which are shown", "3\n", message["params"]["message"])
    check("why", "leg(2, 3)" in execute("rpl.why", uri, "far(3)"))
    same("run", "3\nsatisfied: %home\n", execute("rpl.run", uri, "home"))
    same("run by the goal as it is written", "3\nsatisfied: %home\n",
         execute("rpl.run", uri, "%home"))
    same("an unknown command", -32602, execute("rpl.none", uri)["error"]["code"])
    check("a tool is not called", "waiting" in execute("rpl.answers", uri, "listed(?x)"),
          execute("rpl.answers", uri, "listed(?x)"))
    script = "# Case of a sum\n\n```rpl-test\nUSER:\n% <- 1 = 1\nAGENT:\ntrue\n```\n"
    client.open("tests.md", script)
    lenses = client.call("textDocument/codeLens", {"textDocument": {"uri": client.uri("tests.md")}})
    same("a lens of tests", ["rpl.tests"], [l["command"]["command"] for l in lenses])
    got = execute("rpl.tests", *lenses[0]["command"]["arguments"])
    check("tests", "1 passed, 0 failed" in str(got), got)
    client.change("tests.md", 2, {"text": script + " "})
    check("tests of a changed document", "save" in execute("rpl.tests", client.uri("tests.md"), ""))
    # What never ends.
    endless = "n(0)\nn(?y) <- n(?x), ?y = ?x + 1\nm(?x, ?y) <- n(?x), n(?y), ?x + ?y = -1\n"
    client.open("endless.rpl", endless)
    begin = time.monotonic()
    got = execute("rpl.answers", client.uri("endless.rpl"), "m(?x, ?y)")
    check("a limit is said", "not known" in str(got), got)
    numbers = [client.request("workspace/executeCommand", {
        "command": "rpl.answers", "arguments": [client.uri("endless.rpl"), "m(?x, ?y)"]}) for _ in range(20)]
    for number in numbers:
        client.notify("$/cancelRequest", {"id": number})
    codes = [client.response(number).get("error", {}).get("code") for number in numbers]
    same("cancelled", [-32800] * 20, codes)
    check("cancelling takes no time", time.monotonic() - begin < 30)


# --- Input that no client should send -----------------------------------------------------------


def hostile():
    client = started("hostile")
    client.send_bytes(b"nonsense\r\n\r\n")
    check("a header without length", client.wait_for(lambda m: m.get("error", {}).get("code") == -32700))
    client.send_bytes(b"Content-Length: 7\r\n\r\n{\"a\": 1")
    check("JSON that does not end", client.wait_for(lambda m: m.get("error", {}).get("code") == -32700))
    client.send_bytes(b"Content-Length: 2\r\n\r\n\xff\xfe")
    check("no UTF-8", client.wait_for(lambda m: m.get("error", {}).get("code") == -32700))
    client.send_bytes(b"Content-Length: 2\r\n\r\n[]")
    check("no object", client.wait_for(lambda m: m.get("error", {}).get("code") == -32600))
    client.send_bytes(b"Content-Length: 104857600\r\n\r\n" + b"x" * 104857600)
    check("100 MB", client.wait_for(lambda m: m.get("error", {}).get("code") == -32700))
    deep = b"[" * 100000
    client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(deep), deep))
    check("deep nesting", client.wait_for(lambda m: m.get("error", {}).get("code") == -32700))
    client.send({"id": 5, "method": "textDocument/hover", "params": [1]})
    same("parameters in a list", -32602, client.response(5)["error"]["code"])
    client.send({"id": 77, "result": None})
    client.send({"id": None, "method": "x"})
    client.open("a.rpl", "p(1)\n")
    client.diagnostics("a.rpl", 1)
    bad = [{"textDocument": 7}, {"textDocument": {"uri": client.uri("a.rpl")}, "position": {"line": -1, "character": "x"}},
           {"textDocument": {"uri": client.uri("a.rpl")}, "position": {"line": 2 ** 31, "character": 2 ** 40}},
           {"textDocument": {"uri": "file:///%00"}}, {"item": {"data": {"kind": 99}}}, {"arguments": [1, 2]}, {}]
    methods = ["hover", "definition", "references", "documentHighlight", "prepareRename", "rename",
               "documentSymbol", "foldingRange", "completion", "codeAction", "codeLens", "inlayHint",
               "semanticTokens/full", "semanticTokens/range", "formatting", "rangeFormatting",
               "prepareCallHierarchy"]
    answered = 0
    for params in bad:
        for method in ["textDocument/" + m for m in methods] + [
                "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls", "workspace/executeCommand",
                "workspace/symbol"]:
            answered += client.response(client.request(method, params)) is not None
    same("bad parameters are answered", len(bad) * (len(methods) + 4), answered)
    for params in [{}, {"textDocument": {"uri": client.uri("a.rpl")}, "contentChanges": [{"text": 1}]},
                   {"textDocument": {"uri": client.uri("none.rpl"), "version": 2}, "contentChanges": []}]:
        for method in ["didOpen", "didChange", "didClose"]:
            if method != "didClose" or not params:
                client.notify("textDocument/" + method, params)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": 1}, 2]})
    client.change("a.rpl", 3, {"text": "p(" * 100000})
    check("a deep document has a finding", client.diagnostics("a.rpl", 3))
    client.change("a.rpl", 4, {"text": "p(1), " * 50000})
    check("a long sentence has findings", client.diagnostics("a.rpl", 4) is not None)
    client.change("a.rpl", 5, {"text": "p(1)\u0000\n"})
    same("a NUL", ["RPL4007"], [d["code"] for d in client.diagnostics("a.rpl", 5)])
    (client.folder / "bad.md").write_bytes(b"# A\n\n```rpl\np(\xff)\n```\n")
    client.change("a.rpl", 6, {"text": "q(?x) <- bad.md#p(?x)\n"})
    check("a file that is no text", client.diagnostics("a.rpl", 6) is not None)
    same("symbols with it", ["q/1"], [s["name"] for s in client.call("workspace/symbol", {"query": "q"})])
    client.notify("textDocument/didOpen", {"textDocument": {
        "uri": "untitled:Untitled-1", "languageId": "markdown", "version": 1, "text": "# A\n\n```rpl\np(\n```\n"}})
    got = client.wait_for(lambda m: m.get("params", {}).get("uri") == "untitled:Untitled-1"
                          if isinstance(m.get("params"), dict) else False)
    check("a document that is no file", got and got["params"]["diagnostics"])
    client.notify("textDocument/didOpen", {"textDocument": {
        "uri": "untitled:Untitled-2", "languageId": "rpl", "version": 1, "text": "p(\n"}})
    got = client.wait_for(lambda m: m.get("params", {}).get("uri") == "untitled:Untitled-2"
                          if isinstance(m.get("params"), dict) else False)
    same("one of plain RPL", ["RPL1004"], [d["code"] for d in got["params"]["diagnostics"]])
    same("the exit code after all that", 0, client.shutdown())


# --- Random edits -------------------------------------------------------------------------------

PIECES = ["\n", "\n\n", "# A - p(?x) <- q(?x)\n\n", "```rpl\n", "```\n", "q(1)\n", "é", "😀", "p(?x", ", not q(?y)",
          "%g(?x) <- p(?x)\n", "(", ")", '"', "__x__ ", "-- a\n", "p(2) -> false\n", "-", "?", "lib.md#leg(1, ?x)",
          "| q(?x)", "^ ~ {:a 1}", "{?x}", "std#sum([1], ?s)", "\t"]


def findings_of_check(name):
    """What `rpl check` says about a file: code, line, column in code points."""
    got = subprocess.run([program, "check", "--format", "json", name], capture_output=True)
    return [(f["code"], f["line"], f["column"], f["message"]) for f in json.loads(got.stdout)["findings"]]


def random_edits():
    random.seed(seed)
    for encoding in ["utf-16", "utf-8"]:
        client = opened(f"random-{encoding}", (encoding,))
        text, version, wrong = MAIN, 1, 0
        client.diagnostics("main.md", 1)
        for i in range(edits // 2):
            changes = []
            for _ in range(random.choice([1, 1, 1, 3])):
                if len(text) > 3000:
                    text = MAIN
                    changes.append({"text": text})
                begin = random.randrange(len(text) + 1)
                end = min(len(text), begin + random.choice([0, 0, 0, 1, 2, 5, 30]))
                piece = random.choice(PIECES)
                changes.append({"range": {"start": client.position(text, begin), "end": client.position(text, end)},
                                "text": piece})
                text = text[:begin] + piece + text[end:]
            version += 1
            client.change("main.md", version, *changes)
            if random.random() < 0.3:
                client.request("textDocument/" + random.choice(
                    ["semanticTokens/full", "documentSymbol", "completion", "codeLens", "hover"]),
                    client.at("main.md", text, "", random.randrange(len(text) + 1)))
            got = client.diagnostics("main.md", version)
            (client.folder / "main.md").write_text(text, newline="")
            lines = text.split("\n")
            shown = []
            for d in got:
                at = d["range"]["start"]
                begin = client.offset(text, at) - client.offset(text, {"line": at["line"], "character": 0})
                shown.append((d["code"], at["line"] + 1, begin + 1, d["message"].split("\nhelp: ")[0]))
            wanted = findings_of_check(client.folder / "main.md")
            if sorted(shown) != sorted(wanted) and lines:
                wrong += 1
                if wrong == 1:
                    check(f"edit {i} with seed {seed}", False, {"text": text, "got": shown, "expected": wanted})
        same(f"findings after each of {edits // 2} edits in {encoding}", 0, wrong)
        same("the exit code after edits", 0, client.shutdown())


lifecycle()
for some_encoding in ["utf-16", "utf-8"]:
    a_client = opened(some_encoding, (some_encoding,))
    for part in [findings, hovers, places, renames, outlines, completions, layouts, commands]:
        try:
            part(a_client)
        except Exception as error:  # the other parts may still tell something
            check(f"{part.__name__} in {some_encoding}", False, repr(error))
    same("the exit code", 0, a_client.shutdown())
hostile()
random_edits()
print(f"{counts[True]} passed, {counts[False]} failed")
sys.exit(counts[False] > 0)
