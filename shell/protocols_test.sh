#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/protocols_test.sh RPL [SCHEDULES [DOCUMENT…]]
#
# The long protocols of examples/ end the same, whatever way their answers come: all at once, one
# per process in shuffled orders, after a decline or a violation that is taken back, and after
# `kill -9` at a prompt. SCHEDULES (20) random schedules of each document in examples/ with answers
# (answers, declines, restarts) end satisfied, with a reason, or with a question; of each DOCUMENT
# as well, with answers that fit no document in particular.
# Everything random has a seed, which a failure names. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:?usage: protocols_test.sh RPL [SCHEDULES [DOCUMENT…]]}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

exec /usr/bin/python3 - "$rpl" "${2:-20}" "${@:3}" <<'END_OF_PYTHON'
import collections, fcntl, glob, json, os, random, re, shutil, subprocess, sys, tempfile, termios
import time

RPL, SCHEDULES = sys.argv[1], int(sys.argv[2])
ANY = ["a few words", "yes", 3, "2026-03-02"]  # answers to questions that nobody recorded
OPTIONS = []  # of rpl, for the present protocol
ORDERS = 6  # shuffled orders, and moments of a kill, of each protocol

# An answer that violates a constraint of the protocol: the call, the value, and the heading that
# speaks then.
WRONG = {
    "street-workshop.md": ("cohort(?cohort)", ["Lime"], "Two to four"),
    "orchard-consultation.md": ("candidate(?expert, ?reason)",
                                [["Mara Lind", "fungi"], ["Nobody", "is free"]],
                                "From the register"),
    "open-letter.md": ("demand(?demand)", ["a", "b", "c", "d"], "One to three demands"),
}

examples = os.path.realpath("examples")
folder = tempfile.mkdtemp()
start = os.getcwd()
os.chdir(folder)
for kind in ("md", "rpl", "csv"):
    for path in glob.glob(f"{examples}/*.{kind}"):
        shutil.copy(path, folder)

passed = failed = sessions = 0

def check(holds, *message):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print(*message, sep="\n  ", flush=True)

def new_session():
    global sessions
    sessions += 1
    return f"{folder}/session-{sessions}"

# --- Runs -------------------------------------------------------------------------------------

class Broken(Exception):
    """A run that printed no result."""

def outcome(words, stdin=""):
    """The result of a run in JSON; what it wrote to the chat is above it."""
    run = subprocess.run([RPL, *words, *OPTIONS, "--format", "json"], input=stdin, text=True,
                         capture_output=True, timeout=60)
    lines = run.stdout.splitlines()
    if not lines or not lines[-1].startswith('{"schema":"rpl.run/') or "internal error" in run.stderr:
        raise Broken(f"{' '.join(words)}: exit {run.returncode}\n{run.stdout}\n{run.stderr}")
    result = json.loads(lines[-1])
    result["said"] = run.stderr
    return result

def value_of(text):
    """A value that RPL wrote, of strings, numbers and lists of them, for JSON."""
    lists = [[]]
    for token in re.findall(r'"(?:\\.|[^"\\])*"|[\[\]]|[^\s,\[\]]+', text):
        if token == "[":
            lists.append([])
        elif token == "]":
            lists[-2].append(lists.pop())
        else:
            token = token.replace(r"\{", "{") if token.startswith('"') else token
            lists[-1].append(json.loads(token))
    return lists[0][0]

def events(session):
    text = subprocess.run([RPL, "trace", "export", "--format", "ndjson", session], text=True,
                          capture_output=True).stdout
    for line in map(json.loads, text.splitlines()):
        if "kind" in line:
            yield line["kind"], json.loads(line["body"])

def unordered(text):
    """The words of a text in no order: a gathered list, also within a prompt, has its elements in
    the order in which the answers came."""
    return " ".join(sorted(re.findall(r'[^\s"\\\[\](){},]+', text)))

def trace(session):
    """The entries of a session without their timesteps, in no order; nor are their words."""
    shown = subprocess.run([RPL, "trace", "show", session], text=True, capture_output=True).stdout
    return sorted(unordered(line.split(None, 1)[1]) for line in shown.splitlines())

def end(result):
    return {key: result.get(key) for key in ("status", "answers", "now")}

Record = collections.namedtuple("Record", "document session result answers")

def record(document):
    """A run with all answers at once, and the answer that each call got in it."""
    session = new_session()
    with open(f"{examples}/{document}.answers") as file:
        result = outcome(["run", document, "--session", session], file.read())
    answers = {unordered(body["call"]): value_of(body["value"]) for kind, body in events(session)
               if kind == "reply" and body.get("kind") == "value"}
    return Record(document, session, result, answers)

def answer_to(record, request):
    """The answer that this call got in the recorded run, or None; no answer is null."""
    return record.answers.get(unordered(request["id"]))

def answering(request, value):
    """The options that give this call, the first with its key and prompt, this answer."""
    entry = {"match": {"key": request["key"], "prompt": request["prompt"]}, "value": value}
    with open(f"{folder}/answers.json", "w") as file:
        json.dump([entry], file)
    return ["--answers", f"{folder}/answers.json"]

def answerable(result):
    """The pending calls that an answer by key and prompt reaches: of equal ones, the first."""
    first = {}
    for request in result["pending"]:
        first.setdefault((request["key"], request["prompt"]), request)
    return list(first.values())

def go_on(record, session, result, rng):
    """Answers one pending call per process, in a random order, to the end."""
    for _ in range(3 * len(record.answers) + 5):
        if result["status"] != "waiting":
            break
        known = [r for r in answerable(result) if answer_to(record, r) is not None]
        if not known:
            break
        request = rng.choice(known)
        result = outcome(["resume", session, *answering(request, answer_to(record, request))])
    return result

def same_end(name, record, session, result, traces=True):
    check(end(result) == end(record.result), f"{name}: expected", end(record.result), "got",
          end(result), result["reason"], f"pending: {[r['id'] for r in result['pending']]}")
    if traces:
        ours, theirs = trace(session), trace(record.session)
        check(ours == theirs, f"{name}: the trace differs",
              *("< " + line for line in theirs if line not in ours),
              *("> " + line for line in ours if line not in theirs))

# --- Ways to the end of a protocol ------------------------------------------------------------

def one_by_one(record, seed):
    session = new_session()
    result = outcome(["run", record.document, "--session", session])
    result = go_on(record, session, result, random.Random(seed))
    same_end(f"{record.document}: one answer per process, seed {seed}", record, session, result)

def declined_and_taken_back(record, seed):
    rng = random.Random(seed)
    name = f"{record.document}: a decline, seed {seed}"
    session = new_session()
    result = outcome(["run", record.document, "--session", session])
    for _ in range(rng.randrange(len(record.answers))):
        known = [r for r in answerable(result) if answer_to(record, r) is not None]
        if not known:
            break
        request = rng.choice(known)
        result = outcome(["resume", session, *answering(request, answer_to(record, request))])
    check(result["status"] == "waiting", f"{name}: expected it to wait", json.dumps(result))
    by_key = {}
    for request in result["pending"]:
        by_key.setdefault(request["key"], request)
    declined = rng.choice(list(by_key.values()))
    result = outcome(["resume", session, "--decline", declined["key"]])
    taken_back = [body["call"] for kind, body in events(session)
                  if kind == "reply" and body.get("kind") == "declined"]
    check(taken_back == [declined["id"]], f"{name}: expected that {declined['id']} is declined",
          "got", *taken_back)
    check(declined["id"] not in [r["id"] for r in result["pending"]],
          f"{name}: {declined['id']} is declined, and pending")
    result = outcome(["resume", session])
    check(declined["id"] not in [r["id"] for r in result["pending"]],
          f"{name}: {declined['id']} is declined, and pending in the next process")
    result = outcome(["resume", session, "--take-back", declined["key"]])
    check(declined["id"] in [r["id"] for r in result["pending"]],
          f"{name}: {declined['id']} is taken back, and not pending", result["reason"])
    result = go_on(record, session, result, rng)
    same_end(name, record, session, result, traces=False)

def violated_and_corrected(record):
    call, wrong, heading = WRONG[record.document]
    session = new_session()
    result = outcome(["run", record.document, "--session", session])
    name = f"{record.document}: a violation"
    while result["status"] == "waiting":
        known = [r for r in answerable(result) if answer_to(record, r) is not None]
        request = next((r for r in known if r["id"] == call), known[0])
        if request["id"] == call:
            result = outcome(["resume", session, *answering(request, wrong)])
            break
        result = outcome(["resume", session, *answering(request, answer_to(record, request))])
    check(result["status"] == "failed" and result.get("violated", {}).get("heading") == heading,
          f"{name}: expected that `{heading}` is violated", json.dumps(result))
    result = outcome(["resume", session, "--take-back", request["key"]])
    check(call in [r["id"] for r in result["pending"]],
          f"{name}: {call} is taken back, and not pending", json.dumps(result))
    result = go_on(record, session, result, random.Random(1))
    same_end(name, record, session, result, traces=False)

def killed(record, seed):
    """Ends a run with kill -9 while it waits for a line, and goes on in other processes."""
    rng = random.Random(seed)
    with open(f"{examples}/{record.document}.answers") as file:
        lines = file.readlines()
    count = rng.randrange(1, len(lines))
    session = new_session()
    fifo = session + "-fifo"
    os.mkfifo(fifo)
    end_of_pipe = os.open(fifo, os.O_RDWR)
    with open(fifo) as stdin:
        run = subprocess.Popen([RPL, "run", record.document, *OPTIONS, "--session", session],
                               stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.write(end_of_pipe, "".join(lines[:count]).encode())
    asleep = 0
    replied = lambda: any(kind == "reply" for kind, _ in events(session))
    late = time.monotonic() + 20
    # At a prompt: nothing left to read, asleep for a while, and some line was an answer.
    while (asleep < 5 or not replied()) and time.monotonic() < late:
        time.sleep(0.01)
        with open(f"/proc/{run.pid}/stat") as file:
            state = file.read().rsplit(")", 1)[1].split()[0]
        left = fcntl.ioctl(end_of_pipe, termios.FIONREAD, b"\0\0\0\0")
        asleep = asleep + 1 if not any(left) and state == "S" else 0
        if state == "Z":
            break
    run.kill()
    run.wait()
    os.close(end_of_pipe)
    name = f"{record.document}: killed after {count} lines, seed {seed}"
    check(replied(), f"{name}: no answer is recorded")
    result = outcome(["resume", session])
    check(result["status"] == "waiting", f"{name}: expected it to wait", json.dumps(result))
    same_end(name, record, session, go_on(record, session, result, rng))

# --- Random schedules ---------------------------------------------------------------------------

def schedule(record, seed):
    rng = random.Random(seed)
    session = new_session()
    steps = []
    result = outcome(["run", record.document, "--session", session])
    for _ in range(2 * len(record.answers) + 4):
        if not result["pending"]:
            break
        request, dice = rng.choice(answerable(result)), rng.random()
        if dice < 0.1:
            words = []
        elif dice < 0.2:
            words = ["--decline", request["key"]]
        elif answer_to(record, request) is not None:
            words = answering(request, answer_to(record, request))
        else:
            words = answering(request, rng.choice(request["options"] or ANY))
        steps.append((request["id"], words[:2]))
        result = outcome(["resume", session, *words])
    well = result["status"] == "satisfied" or (
        result["pending"] if result["status"] == "waiting" else
        result["status"] in ("unsatisfied", "failed", "tool-failed") and result["reason"])
    check(well, f"{record.document}: schedule {seed} ends badly", json.dumps(result),
          *map(str, steps))
    again = outcome(["resume", session])
    check(end(again) == end(result) and again["pending"] == result["pending"],
          f"{record.document}: schedule {seed}: a process later it is", json.dumps(again), "after",
          json.dumps(result), *map(str, steps))

def attempt(what, record, *seed):
    try:
        what(record, *seed)
    except Exception as error:
        check(False, f"{record.document}: {what.__name__} {seed}: {type(error).__name__} {error}")

try:
    for path in sorted(glob.glob(examples + "/*.answers")):
        document = os.path.basename(path)[:-len(".answers")]
        OPTIONS = []
        if os.path.exists(f"{examples}/{document}.options"):
            with open(f"{examples}/{document}.options") as file:
                OPTIONS = file.read().split()
        all_at_once = record(document)
        check(all_at_once.result["status"] == "satisfied", f"{document}: expected it satisfied",
              json.dumps(all_at_once.result))
        if document in WRONG:
            for seed in range(ORDERS):
                attempt(one_by_one, all_at_once, seed)
                attempt(declined_and_taken_back, all_at_once, seed)
                attempt(killed, all_at_once, seed)
            attempt(violated_and_corrected, all_at_once)
        for seed in range(SCHEDULES):
            attempt(schedule, all_at_once, seed)
    OPTIONS = []
    os.chdir(start)
    for path in sys.argv[3:]:
        try:
            outcome(["run", path])
        except Broken:
            continue  # it has no goal, or errors
        document = Record(os.path.abspath(path), None, None, dict.fromkeys(range(4)))
        for seed in range(SCHEDULES):
            attempt(schedule, document, seed)
finally:
    shutil.rmtree(folder)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
END_OF_PYTHON
