# SPDX-License-Identifier: Apache-2.0
"""The private PostgreSQL server of postgres_cluster.sh, for tests and benches in Python."""
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


class Cluster:
    """A server in a folder, which a script started that sourced postgres_cluster.sh."""

    made = 0  # databases, of all objects

    def __init__(self, folder, programs):
        self.folder = folder
        self.programs = programs
        self.url = f"postgresql://postgres@/postgres?host={folder}"

    @staticmethod
    def of_script():
        """That of the script that started this process, as its variables say."""
        return Cluster(os.environ["RPL_CLUSTER"], os.environ["RPL_PROGRAMS"])

    @staticmethod
    def private(*settings):
        """A new one, with settings as in work_mem=1GB. It ends with this process, or at `end`."""
        script = (". ./expect.sh && . ./postgres_cluster.sh && start_cluster \"$@\" && "
                  "echo \"$cluster $postgres_folder\" && cat")
        shell = subprocess.Popen(["bash", "-c", script, "bash", *settings], cwd=HERE,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        words = shell.stdout.readline().split()
        if len(words) != 2:
            sys.exit("the PostgreSQL server does not start")
        cluster = Cluster(*words)
        cluster.shell = shell
        return cluster

    def end(self):
        self.shell.stdin.close()
        self.shell.wait()

    def server(self, *command):
        words = [self.programs + "/pg_ctl", "-D", self.folder + "/data", "-l", self.folder + "/log",
                 "-w", "-t", "60", *command]
        if os.geteuid() == 0:
            words = ["runuser", "-u", "postgres", "--", *words]
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True,
                       cwd=self.folder)

    def stop(self, how="fast"):
        """Also of what still serves connections: stopped at once, they may outlive the server."""
        server = pathlib.Path(self.folder, "data/postmaster.pid").read_text().split()[0]
        served = subprocess.run(["pgrep", "-P", server], capture_output=True, text=True).stdout
        self.server("-m", how, "stop")
        while any(os.path.exists(f"/proc/{pid}") for pid in served.split()):
            time.sleep(0.01)

    def start(self):
        self.server("start")

    def sql(self, text, database="postgres"):
        return subprocess.run(
            [self.programs + "/psql", "-h", self.folder, "-U", "postgres", "-d", database, "-XqAt",
             "-v", "ON_ERROR_STOP=1", "-c", text],
            check=True, capture_output=True, text=True).stdout.strip()

    def database(self):
        """The URL of a new database, and its name."""
        Cluster.made += 1
        name = f"serve{Cluster.made}"
        self.sql(f"CREATE DATABASE {name} TEMPLATE template0")  # which nobody else uses
        return f"postgresql://postgres@/{name}?host={self.folder}", name
