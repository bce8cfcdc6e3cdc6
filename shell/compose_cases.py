# SPDX-License-Identifier: Apache-2.0
"""The cases of shell/serve_test.sh about examples/serve/compose.yaml, which no test can start: that what
it names is there, and that a worker starts with its command."""
import os
import pathlib
import re
import subprocess
import sys
from urllib.parse import urlsplit

from mcp_client import case, check
from postgres_cluster import Cluster
from serve_client import Worker

RPL = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "serve"


def compose():
    import yaml
    with open(EXAMPLE / "compose.yaml") as file:
        return yaml.safe_load(file)


def workers(file):
    return {name: service for name, service in file["services"].items() if "build" in service}


def options_in(words):
    return {word for word in words if word.startswith("--")}


@case
def what_the_compose_file_names_is_there():
    file = compose()
    check(len(workers(file)) == 2 and "db" in file["services"], file["services"].keys())
    ports = set()
    for name, worker in workers(file).items():
        context = (EXAMPLE / worker["build"]).resolve()
        check(context == ROOT, name, context)
        for of, condition in worker["depends_on"].items():
            check("healthcheck" in file["services"][of], of, condition)
        mounts = {}
        for volume in worker["volumes"]:
            source, target, mode = volume.split(":")
            check((EXAMPLE / source).exists() and mode == "ro", name, volume)
            mounts[target] = source
        paths = {word for word in worker["command"] if word.startswith("/")}
        check(paths == set(mounts), name, paths, mounts)
        for port in worker["ports"]:
            host, outside, inside = port.split(":")
            check(f"0.0.0.0:{inside}" in worker["command"] and host == "127.0.0.1", name, port)
            ports.add(outside)
    check(ports == set(re.findall(r"\b70\d\d\b", (EXAMPLE / "up.sh").read_text())), ports)
    docker = (ROOT / "Dockerfile").read_text()
    check('ENTRYPOINT ["rpl"]' in docker and "libpq5" in docker, docker)
    database = file["services"]["db"]
    check(database["image"].split(":")[0] == "postgres", database["image"])
    for volume in database["volumes"]:
        check(volume.split(":")[0] in file["volumes"], volume)
    program = database["healthcheck"]["test"][1]
    check(os.access(os.path.join(Cluster.of_script().programs, program), os.X_OK), program)


@case
def the_workers_of_the_compose_file_have_the_options_of_up_sh():
    file = compose()
    up = (EXAMPLE / "up.sh").read_text()
    up = up[up.index('"$rpl" serve'):].split("</dev/null")[0]
    given = options_in(up.replace('"', " ").split())
    about = subprocess.run([RPL, "serve", "--help"], capture_output=True, text=True).stdout
    environment = file["services"]["db"]["environment"]
    for name, worker in workers(file).items():
        command = worker["command"]
        # Others than this machine reach a container, so it needs tokens.
        check(options_in(command) == given | {"--token-file"}, name, command, given)
        check(all(option in about for option in options_in(command)), name, command)
        store = urlsplit(command[command.index("--store") + 1])
        check((store.hostname, store.username, store.path) ==
              ("db", environment["POSTGRES_USER"], "/" + environment["POSTGRES_DB"]), name, store)
        drain = re.search(r"--drain.*?default:\s+(\d+)", about, re.S)
        grace = re.fullmatch(r"(\d+)s", worker["stop_grace_period"])
        check(drain and grace and int(grace[1]) > int(drain[1]), name, worker["stop_grace_period"])


@case
def a_worker_starts_with_the_command_of_the_compose_file():
    file = compose()
    store, _ = Cluster.of_script().database()
    sources = {volume.split(":")[1]: str(EXAMPLE / volume.split(":")[0])
               for worker in workers(file).values() for volume in worker["volumes"]}
    for name, worker in workers(file).items():
        words = [sources.get(word, word) for word in worker["command"]]
        check(words[0] == "serve", name, words)
        for option in ("--store", "--http"):  # Worker gives its own
            at = words.index(option)
            del words[at:at + 2]
        process = Worker(RPL, store, words[1:])
        check(process.port is not None, name, "".join(process.log))
        try:
            check(process.request("GET", "/v1/protocols")[0] == 401, name)
            with open(sources["/tokens"]) as tokens:
                token = next(line.split()[0] for line in tokens if not line.startswith("#"))
            status, run, _ = process.request("POST", "/v1/runs?wait=30", {"protocol": "trip.md"}, token)
            check(status == 201 and run["state"] == "waiting", name, status, run)
        finally:
            process.end()
