#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command at a terminal of its own, and ends with its status.

usage: shell/terminal.py COMMAND [ARGUMENT…]

Standard input is typed at once. When it has ended, and the command has read all of it, Ctrl-D is
typed, and again each second that the command goes on without more to read. What the terminal shows
goes to standard output.
"""
import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time

END_OF_INPUT = b"\x04"


def ready(reads, writes, seconds):
    return select.select(reads, writes, [], seconds)


def main():
    inputs, typed = [sys.stdin], b""
    master, slave = pty.openpty()
    command = subprocess.Popen(sys.argv[1:], stdin=slave, stdout=slave, stderr=slave,
                               start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    end_at = 0
    while True:
        ended = command.poll() is not None
        readable, may_type, _ = ready([master] + inputs, [master] if typed else [], 0 if ended else 0.02)
        if inputs and sys.stdin in readable:
            read = os.read(0, 65536)
            typed += read
            inputs = inputs if read else []
        if master in readable:
            sys.stdout.buffer.write(os.read(master, 65536))
            sys.stdout.buffer.flush()
        elif ended:
            break
        if may_type:
            typed = typed[os.write(master, typed[:256]):]
        elif not typed and not inputs and time.monotonic() >= end_at and not ready([slave], [], 0)[0]:
            os.write(master, END_OF_INPUT)
            end_at = time.monotonic() + 1
    sys.exit(command.returncode if command.returncode >= 0 else 128 - command.returncode)


if __name__ == "__main__":
    main()
