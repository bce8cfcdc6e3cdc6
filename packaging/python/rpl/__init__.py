# SPDX-License-Identifier: Apache-2.0
"""Protocols written in RPL, run from Python.

A protocol is a Markdown document whose rules decide what holds and what comes next. This module
starts the program ``rpl`` and drives runs of protocols on a pipe (``rpl drive``)::

    desk = rpl.Protocol("refund.md")

    @desk.tool("issue-refund")
    async def issue_refund(order: str, euros: int) -> str: ...

    async with desk.run(session="A-17.rpls") as run:
        async for question in run:
            await question.reply(await ask(question.prompt, question.options), by="person")
        match run.outcome:
            case rpl.Satisfied(answers=answers): ...
            case rpl.Violated(heading=heading, text=text): ...
            case rpl.Waiting(questions=questions): ...
"""
from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, AsyncIterator, Awaitable, Callable, Literal, Mapping, Sequence, Union

__all__ = [
    "CheckError", "Failed", "Finding", "Nothing", "Outcome", "Proof", "Protocol", "Question",
    "Refused", "Run", "RplError", "Satisfied", "Unsatisfied", "Violated", "Waiting", "program",
]

By = Literal["person", "model", "host"]
Tool = Callable[..., Union[Any, Awaitable[Any]]]


class RplError(Exception):
    """The program ``rpl`` cannot be started, or refused a request."""


class Refused(RplError):
    """An answer was not taken: ``key`` names the question, the message says why."""

    def __init__(self, key: str, why: str):
        super().__init__(why)
        self.key = key


@dataclass(frozen=True)
class Finding:
    """A finding of ``rpl check``."""

    code: str
    severity: str
    file: str
    line: int
    column: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f"\n  help: {self.hint}" if self.hint else ""
        return f"{self.file}:{self.line}:{self.column}: {self.code}: {self.message}{hint}"


class CheckError(RplError):
    """The protocol has errors: ``findings``."""

    def __init__(self, findings: Sequence[Finding]):
        super().__init__("\n".join(map(str, findings)))
        self.findings = list(findings)


# --- Outcomes --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What a turn came to. ``raw`` is the JSON of docs/schemas/outcome.json."""

    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def status(self) -> str:
        return self.raw["status"]


@dataclass(frozen=True)
class Satisfied(Outcome):
    """The goal holds: a row for each answer, by the names of its variables, and what the prose of
    the protocol says to do now."""

    answers: list[dict[str, Any]]
    now: str


@dataclass(frozen=True)
class Violated(Outcome):
    """A constraint is violated: its heading and its prose, in the author's words."""

    heading: str
    text: str
    values: list[str]


@dataclass(frozen=True)
class Waiting(Outcome):
    """Questions are open."""

    questions: list["Question"]


@dataclass(frozen=True)
class Unsatisfied(Outcome):
    """The goal does not hold."""

    reason: str


@dataclass(frozen=True)
class Failed(Outcome):
    """The run failed, a tool failed, a limit was reached, or a person has to approve a call."""

    reason: str


@dataclass(frozen=True)
class Nothing(Outcome):
    """The protocol has no goal."""


@dataclass(frozen=True)
class Proof:
    """Why a fact holds, or why it does not: ``text`` for people, ``trees`` as in
    docs/schemas/explain.json."""

    holds: bool
    text: str
    trees: list[dict[str, Any]]

    def __str__(self) -> str:
        return self.text


def _answers(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name.lstrip("?"): value for name, value in row.items()} for row in rows]


def _prose(parts: Sequence[Mapping[str, str]]) -> str:
    return "\n\n".join(part["text"] for part in parts)


class Question:
    """An open question of a run."""

    def __init__(self, run: "Run", raw: Mapping[str, Any]):
        self._run = run
        self.raw = raw
        self.id: str = raw["id"]
        self.key: str = raw["key"]
        self.kind: str = raw["kind"]
        self.prompt: str = raw["prompt"]
        self.options: list[str] = list(raw.get("options", []))
        self.schema: dict[str, Any] = dict(raw.get("schema", {}))
        #: Only a person's own answer counts.
        self.person: bool = bool(raw.get("person"))
        #: Of a tool: its name and arguments, and whether it may have been carried out already.
        self.tool: str = raw.get("tool", "")
        self.arguments: list[Any] = list(raw.get("arguments", []))
        self.in_doubt: bool = bool(raw.get("inDoubt"))

    def __repr__(self) -> str:
        return f"Question({self.key!r}, {self.prompt!r})"

    async def reply(self, value: Any, by: By = "host") -> Outcome:
        """Answers the question, and goes on. Raises Refused if the answer is not taken."""
        return await self._run._turn({"answers": {self.id: value}, "by": by}, self.id)

    async def fail(self, message: str) -> Outcome:
        """Of a tool: it failed."""
        return await self._run._turn({"errors": {self.id: message}}, self.id)

    async def decline(self, by: By = "host") -> Outcome:
        """Declines the question: the run goes on where it can without an answer."""
        return await self._run._turn({"declines": [self.id], "by": by}, self.id)

    async def retry(self) -> Outcome:
        """Of a call in doubt: lets it be made again."""
        self._run._allowed.add(self.id)
        return await self._run._turn({"retry": [self.id]})


# --- The program -----------------------------------------------------------------------------


def program() -> str:
    """The program ``rpl``: ``$RPL``, that of this package, or the one on the path."""
    own = Path(__file__).parent / "bin" / "rpl"
    found = os.environ.get("RPL") or (str(own) if own.exists() else shutil.which("rpl"))
    if not found:
        raise RplError("the program `rpl` is not found: install it, or name it in $RPL")
    return found


class _Pipe:
    """One ``rpl drive``, which answers requests in order."""

    def __init__(self, command: Sequence[str]):
        self._command = list(command)
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._ids = itertools.count(1)
        self._reader: asyncio.Task[None] | None = None

    async def request(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                limit=1 << 30)
            self._reader = asyncio.create_task(self._read(self._process))
        number = next(self._ids)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"id": number, **body}).encode() + b"\n")
            await self._process.stdin.drain()
            return await future
        except asyncio.CancelledError:
            if self._process.returncode is None:
                line = json.dumps({"do": "cancel", "request": number})
                self._process.stdin.write(line.encode() + b"\n")
            raise
        except (BrokenPipeError, ConnectionResetError) as error:
            raise RplError("the program `rpl` has ended") from error
        finally:
            self._waiting.pop(number, None)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            answer = json.loads(line)
            future = self._waiting.get(answer.pop("id", None))
            if future is not None and not future.done():
                future.set_result(answer)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(RplError("the program `rpl` has ended"))

    async def close(self) -> None:
        if self._process is None or self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()
        if self._reader is not None:
            await self._reader


class Protocol:
    """A protocol in one or more files. It is checked at once: CheckError has the findings."""

    def __init__(self, *files: str | os.PathLike[str], policy: str | None = None,
                 config: str | None = None, allow_tools: Sequence[str] = (),
                 rpl: str | None = None):
        if not files:
            raise TypeError("expected at least one file")
        self.files = [os.fspath(file) for file in files]
        self.tools: dict[str, Tool] = {}
        self._described: list[dict[str, Any]] = []
        self._program = rpl or program()
        self._options: list[str] = []
        if policy is not None:
            self._options += ["--policy", policy]
        if config is not None:
            self._options += ["--config", config]
        for name in allow_tools:
            self._options += ["--allow-tool", name]
        self.findings = self._check()
        errors = [finding for finding in self.findings if finding.severity == "error"]
        if errors:
            raise CheckError(errors)

    def _check(self) -> list[Finding]:
        found = subprocess.run(
            [self._program, "check", "--together", "--format", "json", *self.files],
            capture_output=True, text=True, check=False)
        try:
            findings = json.loads(found.stdout)["findings"]
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise RplError(found.stderr.strip() or "rpl check failed") from error
        names = Finding.__dataclass_fields__
        return [Finding(**{k: v for k, v in one.items() if k in names}) for one in findings]

    def tool(self, name: str = "", *, tags: Sequence[str] = (),
             params: Sequence[str] = ()) -> Callable[[Tool], Tool]:
        """Carries out the tool ``$name`` with the function below, which gets its arguments in
        order and may be async. What it raises is a failed call. Without a name the tool has that
        of the function, with hyphens. Policies see the tags, and the arguments by the names of
        ``params``, which are those of the function if there are none."""

        def take(function: Tool) -> Tool:
            label = name.lstrip("$") or function.__name__.replace("_", "-")
            self.tools[label] = function
            named = list(params) or [one.name for one in inspect.signature(function).parameters.values()
                                     if one.kind is one.POSITIONAL_OR_KEYWORD]
            self._described.append({"name": label, "tags": list(tags), "params": named})
            return function

        return take

    def run(self, session: str | os.PathLike[str] | None = None, goal: str = "",
            now: str = "") -> "Run":
        """A run, or, with the file of a session that is there, the same run again."""
        return Run(self, os.fspath(session) if session is not None else "", goal, now)


class Run:
    """A run of a protocol. Iterate over its questions; afterwards ``outcome`` says how it ended."""

    _names = itertools.count(1)

    def __init__(self, protocol: Protocol, session: str, goal: str, now: str):
        self._protocol = protocol
        self._pipe = _Pipe([protocol._program, "drive", *protocol._options])
        self._name = str(next(Run._names))
        self._opening = {"do": "open", "files": protocol.files, "session": session, "goal": goal,
                         "now": now, "tools": protocol._described}
        self._is_open = False
        self._shown: dict[str, Any] | None = None
        self._passed: set[str] = set()  # questions that were yielded
        self._allowed: set[str] = set()  # calls in doubt that may be made again

    async def __aenter__(self) -> "Run":
        await self._open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the program behind the run. A session can be opened again."""
        await self._pipe.close()

    async def _request(self, body: Mapping[str, Any]) -> dict[str, Any]:
        answer = await self._pipe.request({"run": self._name, **body})
        if "error" in answer:
            if errors := [f for f in answer.get("findings", []) if f["severity"] == "error"]:
                names = Finding.__dataclass_fields__
                raise CheckError([Finding(**{k: v for k, v in f.items() if k in names})
                                  for f in errors])
            hint = answer.get("hint")
            raise RplError(answer["error"] + (f" ({hint})" if hint else ""))
        return answer

    async def _open(self) -> None:
        if not self._is_open:
            await self._request(self._opening)
            self._is_open = True

    async def _turn(self, body: Mapping[str, Any] = {}, answered: str = "") -> Outcome:
        """One turn, and the tools that it calls, until a question is open or the run has ended."""
        await self._open()
        self._shown = await self._request({"do": "run", **body})
        for unused in self._shown.get("unused", []):
            if unused["key"] == answered:
                self._passed.discard(answered)
                raise Refused(answered, unused["why"])
        while calls := self._calls():
            starts = [call["id"] for call in calls]
            await self._request({"do": "run", "starts": starts})
            results = await asyncio.gather(*map(self._call, calls))
            answers = {key: value for key, value, error in results if error is None}
            errors = {key: error for key, _, error in results if error is not None}
            self._allowed.difference_update(starts)
            self._shown = await self._request(
                {"do": "run", "answers": answers, "errors": errors})
        self._passed &= {question["id"] for question in self._shown["questions"]}
        return self.outcome

    def _calls(self) -> list[dict[str, Any]]:
        """Open calls of tools that functions carry out."""
        if self._shown is None:
            return []
        return [call for call in self._shown["questions"]
                if call["kind"] == "tool" and call["tool"] in self._protocol.tools
                and (not call.get("inDoubt") or call["id"] in self._allowed)]

    async def _call(self, call: Mapping[str, Any]) -> tuple[str, Any, str | None]:
        try:
            value = self._protocol.tools[call["tool"]](*call["arguments"])
            if asyncio.iscoroutine(value) or isinstance(value, asyncio.Future):
                value = await value
            json.dumps(value)
            return call["id"], value, None
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 – the failure of a tool is data
            return call["id"], None, str(error) or type(error).__name__

    def __aiter__(self) -> AsyncIterator[Question]:
        return self._questions()

    async def _questions(self) -> AsyncIterator[Question]:
        if self._shown is None:
            await self._turn()
        while question := next((q for q in self.questions if q.id not in self._passed), None):
            self._passed.add(question.id)
            yield question

    @property
    def questions(self) -> list[Question]:
        """The questions that are open now."""
        return [Question(self, q) for q in (self._shown or {}).get("questions", [])]

    @property
    def outcome(self) -> Outcome:
        """What the last turn came to."""
        shown = self._shown
        if shown is None:
            raise RplError("the run has had no turn: iterate over it, or call turn()")
        status = shown["status"]
        if status == "satisfied":
            return Satisfied(shown, _answers(shown["answers"]), _prose(shown.get("now", [])))
        if status == "waiting":
            return Waiting(shown, self.questions)
        if status == "unsatisfied":
            return Unsatisfied(shown, shown["reason"])
        if status == "nothing":
            return Nothing(shown)
        if violated := shown.get("violated"):
            return Violated(shown, violated["heading"], violated["text"], violated["with"])
        return Failed(shown, shown["reason"])

    @property
    def now(self) -> str:
        """What the prose of the protocol says to do now."""
        return _prose((self._shown or {}).get("now", []))

    async def turn(self) -> Outcome:
        """Pursues the goal until it is decided or waits."""
        return await self._turn()

    async def say(self, sentences: str, by: By = "host") -> Outcome:
        """States facts, or takes them back, in RPL."""
        return await self._turn({"say": sentences, "by": by})

    async def ask(self, query: str) -> list[dict[str, Any]]:
        """The answers to a query such as ``%(?x) <- reachable(1, ?x)``. Of a query without
        captures that holds, one empty answer."""
        await self._open()
        shown = await self._request({"do": "ask", "query": query})
        if shown["status"] == "rejected":
            raise RplError(shown["reason"] or "the query has errors")
        rows = _answers(shown["answers"])
        return rows or ([{}] if shown["status"] == "satisfied" else [])

    async def why(self, form: str) -> Proof:
        """Why the facts that match ``form`` hold, or why there are none."""
        await self._open()
        found = await self._request({"do": "explain", "form": form})
        if "text" not in found:
            raise RplError(found["findings"][0]["message"])
        return Proof(found["holds"], found["text"], found.get("explanations", []))

    async def trace(self) -> list[dict[str, Any]]:
        """The entries of the trace."""
        await self._open()
        return (await self._request({"do": "trace"}))["entries"]
