#!/usr/bin/env python3
"""`zsh.py SCRIPT LINE EXPECTED` types LINE and Tab in a new zsh that has sourced SCRIPT, and expects EXPECTED in its output."""

import os
import pty
import select
import sys
import time

script, line, expected = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "dumb"
    os.execvp("zsh", ["zsh", "-f", "-i"])
seen = b""


def until(words: str) -> None:
    global seen
    end = time.monotonic() + 60
    while words.encode() not in seen:
        if time.monotonic() > end:
            sys.exit(f"zsh didn't print {words!r} within 60 s, only {seen!r}")
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 1 << 16)


os.write(terminal, f"autoload -U compinit; compinit -u -D; source {script}; echo re''ady\n".encode())
until("ready\r\n")
os.write(terminal, f"{line}\t".encode())
until(expected)
