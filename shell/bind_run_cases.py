# SPDX-License-Identifier: Apache-2.0
"""The run of a protocol that binds an agent: what `rpl mcp` and persons do with it, and how it ends. A
function each, with a project of its own. A part of shell/bind_test.sh."""
import json
import os
import subprocess
import sys

from bind_gateway import Gateway
from mcp_client import Server, case, check, run_cases

RPL, FOLDER = map(os.path.realpath, sys.argv[1:3])
projects = 0

SHIP = """# Ship - %ship(?who) <- approved(?who), green()

Push now; __who__ approved it.

## Approver - approved(?who)

Who approves the push?

approved(_) ^ ~ {:by ?by} -> ?by = :person

## Green

```rpl
green() <- std#succeeded(?run, "make", ["test"])
```

# No push before the tests are green - std#decides(?c), std#runs(?c, "git", ["push" & _]) -> green()

Run `make test`.

# A person approves the push - std#decides(?c), std#runs(?c, "git", ["push" & _]) -> approved(_)
"""


class Project:
    def __init__(self, runs=None):
        global projects
        projects += 1
        self.folder = os.path.join(FOLDER, f"p{projects}")
        os.makedirs(self.folder + "/.git")
        self.protocol = self.folder + "/ship.md"
        self.write(SHIP)
        self.runs = runs or self.folder + "-runs"
        self.options = ["--project", self.folder, "--sessions", self.runs]
        self.more = []  # options of the hook
        self.calls = 0

    def write(self, text):
        with open(self.protocol, "w") as file:
            file.write(text)

    def serve(self, forms=False):
        server = Server(RPL, "mcp", self.protocol, *self.options)
        server.initialize(forms=forms)
        return server

    def answer(self, event, **more):
        event = {"session_id": "s", "cwd": self.folder, "hook_event_name": event, **more}
        got = subprocess.run([RPL, "guard", "hook", "--protocol", self.protocol, *self.options, *self.more],
                             input=json.dumps(event), capture_output=True, text=True)
        return json.loads(got.stdout)

    def hook(self, event, **more):
        """The reason for a denial, or \"\"."""
        answer = self.answer(event, **more)
        return answer.get("hookSpecificOutput", {}).get("permissionDecisionReason", "")

    def runs_command(self, command):
        self.calls += 1
        about = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": str(self.calls)}
        denied = self.hook("PreToolUse", **about)
        if not denied:
            self.hook("PostToolUse", tool_response={"stdout": "ok", "stderr": "", "interrupted": False}, **about)
        return denied

    def guard(self, *words, typed=""):
        command = " ".join([RPL, "guard", *words, *self.options])
        if typed:
            return subprocess.run(["script", "-qec", command, "/dev/null"], input=typed + "\n",
                                  capture_output=True, text=True)
        return subprocess.run(command, shell=True, capture_output=True, text=True)


def started(server):
    return server.call("rpl_run", {"protocol": "ship.md"})["structuredContent"]


@case
def a_form_answers_what_the_hook_waits_for():
    work = Project()
    server = work.serve(forms=True)
    run = started(server)
    check(run["status"] == "unsatisfied", run)
    check("before the tests are green" in work.runs_command("git push"), "no test ran, and it passes")
    check(work.runs_command("make test") == "", "make test is held up")
    check(work.runs_command("git push").startswith("A person approves"), "only the approval is missing")
    id = server.begin("tools/call", {"name": "rpl_run", "arguments": {"protocol": "ship.md"}})
    asked = server.question()
    key = next(iter(asked["params"]["requestedSchema"]["properties"]))
    check(work.runs_command("ls") == "", "a question that is open holds up the hook")
    server.respond(asked, {"action": "accept", "content": {key: "Ada"}})
    run = server.response(id)["result"]["structuredContent"]
    check(run["status"] == "satisfied" and "Ada approved it" in run["now"], run)
    check(work.runs_command("git push") == "", "a push that all agree to is denied")
    status = work.guard("status", work.protocol).stdout
    check("Ada approved it" in status and "make test" in status, status)
    check(server.call("rpl_query", {"session": run["session"], "query": "std#succeeded(?c, \"make\", ?w)"})
          ["structuredContent"]["rows"] == [{"?c": 2, "?w": ["test"]}], "the calls are not queried")
    server.close()


@case
def a_state_follows_the_calls():
    work = Project()
    work.guard("answer", work.protocol, "approved=Ada", typed="answer")
    server = work.serve()
    run = started(server)
    check(run["status"] == "unsatisfied", run)
    again = server.call("rpl_status", {"session": run["session"]})["structuredContent"]
    check(again["status"] == "unsatisfied" and again["seq"] == run["seq"], again)
    work.runs_command("make test")
    again = server.call("rpl_status", {"session": run["session"]})["structuredContent"]
    check(again["status"] == "satisfied", again)
    server.close()


@case
def a_model_approves_nothing():
    work = Project()
    work.runs_command("make test")
    server = work.serve()
    run = started(server)
    check(run["status"] == "waiting" and "rpl guard answer" in run["now"], run)
    for tool, more in (("rpl_answer", {"answers": {"who": "me"}}),
                       ("rpl_assert", {"facts": ['approved("me")']}),
                       ("rpl_assert", {"facts": ['std#succeeded(1, "make", ["test"])']})):
        server.call(tool, {"session": run["session"], **more})
        check("A person approves" in work.runs_command("git push"), tool, more, "lets the push through")
    check(work.guard("answer", work.protocol, "approved=Ada", typed="answer").returncode == 0, "no answer")
    check(work.runs_command("git push") == "", "the answer of a person does not count")
    server.close()


@case
def a_run_outlives_its_server_and_ends_by_a_person():
    work = Project()
    work.runs_command("make test")
    server = work.serve()
    first = started(server)["session"]
    server.close()
    server = work.serve()
    check(started(server)["session"] == first, "another handle for the same run")
    work.guard("end", work.protocol, typed="end")
    ended = server.call("rpl_status", {"session": first})["structuredContent"]
    check("a person has ended this run" in ended["error"], ended)
    second = started(server)
    check(second["session"] != first and second["status"] == "unsatisfied", second)
    check("before the tests are green" in work.runs_command("git push"), "evidence of the run before")
    server.close()


@case
def two_projects_in_one_folder_of_runs():
    one = Project()
    two = Project(one.runs)
    servers = [one.serve(), two.serve()]
    check(len({started(server)["session"] for server in servers}) == 2, "one run for two projects")
    one.runs_command("make test")
    two.guard("answer", two.protocol, "approved=Ada", typed="answer")
    one.guard("answer", one.protocol, "approved=Ada", typed="answer")
    check(one.runs_command("git push") == "" and two.runs_command("git push") != "", "evidence of another project")
    for server in servers:
        server.close()


@case
def a_changed_file_does_not_change_the_run():
    work = Project()
    server = work.serve()
    run = started(server)
    work.write(SHIP.replace("^ ~ {:by ?by} -> ?by = :person", "-> true"))
    server.call("rpl_answer", {"session": run["session"], "answers": {"who": "me"}})
    work.runs_command("make test")
    check("A person approves" in work.runs_command("git push"), "the new text counts")
    server.close()


@case
def the_trace_replays_with_the_calls():
    work = Project()
    server = work.serve()
    run = started(server)
    work.runs_command("make test")
    server.call("rpl_status", {"session": run["session"]})
    server.close()
    path = os.path.join(work.runs, next(n for n in os.listdir(work.runs) if n.startswith("ship-")), "1.rpls")
    for words in (("trace", "replay", path), ("trace", "verify", path), ("trace", "html", path)):
        got = subprocess.run([RPL, *words], capture_output=True, text=True)
        check(got.returncode == 0 and "differs" not in got.stderr, words, got.stderr)
    got = subprocess.run([RPL, "trace", "query", path, "%q(?c) <- std#runs(?c, \"make\", _)"],
                         capture_output=True, text=True)
    check("1" in got.stdout, got)


@case
def a_run_that_ends_with_its_goal():
    work = Project()
    work.more = ["--until", "satisfied"]
    work.guard("answer", work.protocol, "approved=Ada", typed="answer")
    work.hook("Stop")
    check(work.runs_command("make test") == "" and work.runs_command("git push") == "", "held up")
    check("ended" not in str(work.answer("SessionStart")), "an unsatisfied turn ended the run")
    work.hook("Stop")
    told = str(work.answer("SessionStart"))
    check("The run before this one has ended" in told, told)
    check("before the tests are green" in work.runs_command("git push"), "evidence of the run before")
    check("has ended" not in str(work.answer("SessionStart")), "it is said after the first event, too")


@case
def what_waits_for_a_person_is_put_to_the_user():
    work = Project()
    work.more = ["--undecided", "ask"]
    push = {"tool_name": "Bash", "tool_input": {"command": "git push"}, "permission_mode": "default"}

    def pushes(identifier, **more):
        return work.answer("PreToolUse", tool_use_id=identifier, **{**push, **more})["hookSpecificOutput"]

    check(pushes("a")["permissionDecision"] == "deny", "what is violated is no question")
    work.runs_command("make test")
    asked = pushes("b")
    check(asked["permissionDecision"] == "ask" and "Who approves the push?" in
          asked["permissionDecisionReason"], asked)
    check(pushes("c", permission_mode="bypassPermissions")["permissionDecision"] == "deny",
          "nobody is asked in this mode")
    lines = [line.split()[:2] for line in work.guard("status", work.protocol).stdout.splitlines()]
    check(["3", "open"] in lines and ["1", "denied"] in lines, lines)
    check("Who approves the push?" in work.guard("status", work.protocol, "--denied").stdout,
          "what was put to the user is not told")


@case
def the_stricter_of_a_question_and_a_policy_wins():
    work = Project()
    work.runs_command("make test")
    policy = work.folder + "-policy.json"
    for effect, decision in (("block", "deny"), ("allow", "ask")):
        with open(policy, "w") as file:
            json.dump([{"priority": 1, "enabled": True, "name": "push",
                        "selector": {"phase": "tool.before", "tool": {"name": "Bash"}},
                        "condition": {"kind": "toolName", "op": "eq", "value": "Bash"},
                        "effect": {"type": effect, "reason": "no Bash"}}], file)
        work.more = ["--undecided", "ask", "--policy", policy, "--store", work.folder + "-store.db"]
        got = work.answer("PreToolUse", tool_name="Bash", tool_input={"command": "git push"},
                          tool_use_id=effect, permission_mode="default")["hookSpecificOutput"]
        check(got["permissionDecision"] == decision, effect, got)


@case
def a_closed_world():
    work = Project()
    work.write(SHIP + """
# Known programs - std#decides(?c), std#runs(?c, ?program, _) -> ?program = "make"
""")
    work.more = ["--default", "deny"]
    check(work.runs_command("make test") == "", "a constraint that holds lets its calls through")
    check("Known programs" in work.runs_command("ls"), "ls")
    edit = work.hook("PreToolUse", tool_name="Write", tool_use_id="w",
                     tool_input={"file_path": "a.py", "content": ""})
    check("No constraint of ship.md" in edit, edit)


@case
def a_closed_world_of_a_server():
    work = Project()
    work.write(SHIP + """
# Few tools - std#decides(?c), std#serves(?c, "work", "look") -> true
""")
    gateway = Gateway([RPL, "guard", "mcp", "--protocol", work.protocol, *work.options, "--name", "work", "--default", "deny"],
                      ("look", "write"), work.folder, dict(os.environ))
    check(gateway.asks("a", "look", {}) == (True, ""), "a constraint that holds lets its calls through")
    made, reason = gateway.asks("b", "write", {})
    check(not made and "No constraint of ship.md" in reason, reason)
    gateway.close()


@case
def a_secret_in_place_of_a_terminal():
    work = Project()
    work.runs_command("make test")
    for name, text in (("right", "correct horse"), ("wrong", "battery staple")):
        with open(f"{work.folder}-{name}", "w") as file:
            file.write(text + "\n")
    answer = ("answer", work.protocol, "approved=Ada")
    none = work.guard(*answer, "--secret-file", work.folder + "-right")
    check(none.returncode == 2 and "the store has no secret" in none.stderr, none)
    given = work.guard("secret", "--protocol", work.protocol, "--secret-file", work.folder + "-right")
    check(given.returncode == 0, given)
    check(work.guard(*answer, "--secret-file", work.folder + "-wrong").returncode == 2, "a wrong secret")
    check(work.guard(*answer, typed="answer").returncode == 2, "a word in place of the secret")
    check("A person approves" in work.runs_command("git push"), "an answer without the secret counts")
    check(work.guard(*answer, "--secret-file", work.folder + "-right").returncode == 0, "the secret")
    check(work.runs_command("git push") == "", "the answer does not count")
    again = work.guard("secret", "--protocol", work.protocol, "--secret-file", work.folder + "-wrong")
    check(again.returncode == 2, "anybody replaces the secret")


@case
def evidence_that_does_not_count_is_named():
    work = Project()
    for command, told in (("make test | cat", "does not tell whether `make test` ended well"),
                          ("make -n test", "Call 3, `make -n test`, does not tell"),
                          ("make lint", "Call 3, `make -n test`, does not tell")):
        work.runs_command(command)
        reason = work.runs_command("git push")
        check(told in reason, command, reason)
    about = {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "f"}
    work.hook("PreToolUse", **about)
    check("How call 7, `make test`, ended was not reported" in work.runs_command("git push"), "open")
    work.hook("PostToolUseFailure", error="exit 2", **about)
    check("Call 7, `make test`, failed." in work.runs_command("git push"), "failed")
    work.runs_command("make test")
    reason = work.runs_command("git push")
    check("A person approves" in reason and "Call " not in reason, reason)


@case
def who_answered_accepted_and_ended_is_recorded():
    work = Project()
    with open(work.folder + "-right", "w") as file:
        file.write("correct horse\n")
    account = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
    work.runs_command("make test")
    server = work.serve()
    check(started(server)["status"] == "waiting", "the question is not asked")
    server.close()
    work.runs_command("ls")
    status = work.guard("status", work.protocol).stdout
    check("answered" not in status, "an act of nobody", status)
    work.guard("answer", work.protocol, "approved=Ada", typed="answer")
    work.guard("secret", "--protocol", work.protocol, "--secret-file", work.folder + "-right")
    work.guard("answer", work.protocol, "approved=Bob", "--secret-file", work.folder + "-right")
    work.write(SHIP.replace("Run `make test`.", "Run it."))
    work.guard("accept", work.protocol, "--secret-file", work.folder + "-right")
    status = work.guard("status", work.protocol).stdout
    for told in (f'=> "Ada", by {account}, at /dev/', f'approved("Bob"), by {account}, by the secret of the store, 20',
                 f"accepted the changed protocol, by {account}, by the secret of the store, 20"):
        check(told in status, told, status)
    check("answered" not in work.guard("status", work.protocol, "--denied").stdout, "acts among denials")
    path = os.path.join(work.runs, next(n for n in os.listdir(work.runs) if n.startswith("ship-")), "1.rpls")
    asked = subprocess.run([RPL, "trace", "questions", path], capture_output=True, text=True).stdout
    check(f'answered: "Ada" (person: {account}, at /dev/' in asked, asked)
    asked = subprocess.run([RPL, "trace", "questions", path, "--format", "json"], capture_output=True, text=True).stdout
    check(f'"person":"{account}, at /dev/' in asked, asked)
    replayed = subprocess.run([RPL, "trace", "replay", path], capture_output=True, text=True)
    check(replayed.returncode == 0, replayed)
    work.guard("end", work.protocol, "--secret-file", work.folder + "-right")
    told = f"ended by {account}, by the secret of the store"
    check(told in work.guard("status", work.protocol).stderr, "the end, before another run")
    work.runs_command("ls")
    check(told in work.guard("status", work.protocol).stdout, "the end of the run before")


@case
def what_cannot_be_read_is_named():
    work = Project()
    work.write(SHIP + """
# Tests are not weakened - std#decides(?c), std#edits(?c, "tests/{?file}") -> false

# No upload - std#decides(?c), std#runs(?c, "twine", ["upload" & _]) -> false

Somebody else uploads.
""")
    for command, told in (("echo x > $file", "what `$file` stands for, so it is not known whether this holds: Tests are"),
                          ("t=git; $t push", "what `$t` stands for, so"), ("git show \"$X\"", "what `\"$X\"` stands for, so"),
                          ("git checkout main", "what `git checkout main` does, so"),
                          ("twine upload dist/*", "No upload. Somebody else uploads."),
                          ("twine upload \"$X\"; true", "No upload. Somebody else uploads.")):
        reason = work.runs_command(command)
        check(told in reason, command, reason)
    check("cannot be read" not in work.runs_command("twine upload dist/*"), "what decides is undecided")
    check("cannot be read" in work.runs_command("twine \"$X\""), "what does not decide is decided")
    work.write("# A - std#decides(?c), std#runs(?c, \"git\", [\"push\" & _]) -> clean()\n\n```rpl\nclean() <- "
               "not touched(\"a.py\")\ntouched(?f) <- std#edits(?c, ?f), not std#call-state(?c, :denied)\n```\n")
    work.guard("end", work.protocol, typed="end")
    check(work.runs_command("git checkout main") == "", "held up")
    check("It cannot be read what call 1, `git checkout main`, did" in work.runs_command("git push"), "an earlier call")


@case
def an_agent_reads_the_authors_words():
    work = Project()
    work.write(SHIP.replace("## Green", "## Green\n\nThe tests are green after `make test`."))
    told = str(work.answer("SessionStart"))
    check("Not yet: Green: The tests are green after `make test`." in told and "std#" not in told, told)
    work.runs_command("git push")
    why = work.guard("why", work.protocol).stdout
    check("The goal: no fact matches `std#succeeded" in why, why)


@case
def a_database_keeps_no_calls():
    work = Project()
    for words in (("status", work.protocol), ("mcp", "--protocol", work.protocol)):
        got = subprocess.run([RPL, "guard", *words, "--sessions", "postgresql:///x", *(["--", "true"] if words[0] == "mcp" else [])],
                             capture_output=True, text=True)
        check(got.returncode == 2 and "kept in files, not in a database" in got.stderr, got)
    work.options = ["--sessions", "postgresql:///x"]
    reason = work.runs_command("ls")
    check("--sessions names a database: what a hook keeps is in files" in reason, reason)


HOSTS = {"claude-code": ["denied", "ended", "ended", "failed"], "opencode": ["denied", "ended", "ended", "failed"],
         "gemini-cli": ["denied", "ended", "cut-off", "cut-off"], "codex": ["denied", "open", "open"]}


@case
def events_as_hosts_sent_them():
    for host, wanted in HOSTS.items():
        work = Project()
        work.more = ["--host", host]
        answers = []
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded_events", host + ".jsonl")) as file:
            for line in file:
                event = json.loads(line.replace("/project", work.folder))
                name = event.pop("hook_event_name")
                answers.append((name, work.answer(name, **event)))
        lines = [line.split() for line in work.guard("status", work.protocol).stdout.splitlines()]
        states = [line[1] for line in lines if line and line[0].isdigit()]
        check(states == wanted, host, states, answers)
        run = next(os.path.join(path, "1.rpls") for path in (os.path.join(work.runs, name) for name in os.listdir(work.runs))
                   if os.path.exists(os.path.join(path, "1.rpls")))
        got = subprocess.run([RPL, "trace", "query", run, "%q(?text) <- std#said(_, ?text)"], capture_output=True, text=True)
        check(got.stdout.count("push it") == 1 and "hook_context" not in got.stdout, host, got)


@case
def what_a_host_repeats_is_not_said():
    work = Project()
    work.write(SHIP + """
# Not before it is green - std#turn-ends(_) -> green()

Run the tests.
""")
    work.more = ["--host", "gemini-cli"]
    more = {"timestamp": "t", "transcript_path": "t"}
    reason = work.answer("AfterAgent", prompt="x", **more)["reason"]
    check("Run the tests." in reason, reason)
    work.answer("BeforeAgent", prompt=reason, **more)
    work.answer("BeforeAgent", prompt="<hook_context>x</hook_context>\n\ngo on", **more)
    work.answer("BeforeAgent", prompt=reason, **more)
    path = os.path.join(work.runs, next(n for n in os.listdir(work.runs) if n.startswith("ship-")), "1.rpls")
    got = subprocess.run([RPL, "trace", "query", path, "%q(?text) <- std#said(_, ?text)"], capture_output=True, text=True)
    check(got.stdout.splitlines()[0] == "go on" and len(got.stdout.splitlines()) == 2, got)


run_cases()
