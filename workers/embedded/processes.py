"""Finding and ending processes that a killed supervisor may have left, by what the kernel says of them.

A pid in a file proves nothing: it may be dead, or belong to another program by now. So a server is known by its name
and the folder it works in, and anything else by a mark in its environment.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

MARK = "LADDER_SUPERVISED_HOME"
"""The environment variable that every child of a supervisor carries: the home that it works for."""

Plan: TypeAlias = tuple[tuple[signal.Signals, float], ...]
"""Signals to try in turn, each with the seconds to wait for its effect. SIGKILL comes after the last by itself."""

KILL_WAIT_S = 5.0


def serving(program: str, folder: Path) -> list[int]:
    """Return the pids of that program's processes that have `folder` (without links) as their working folder."""
    return [pid for pid in all_pids() if working_folder(pid) == str(folder) and command_name(pid) == program]


def marked(home: Path) -> list[int]:
    """Return the pids of all processes that were started for that home, children of children included."""
    mark = f"{MARK}={home}".encode()
    return [pid for pid in all_pids() if mark in environment(pid)]


def children_of(parent: int) -> list[int]:
    """Return the pids of the direct children of a process, without those that ended and wait to be reaped."""
    return [pid for pid in all_pids() if status_fields(pid)[:2] not in ([], ["Z", str(parent)]) and parent_of(pid) == parent]


def end(find: Callable[[], list[int]], plan: Plan) -> bool:
    """Send the plan's signals, then SIGKILL, to whatever `find` finds, until it finds nothing. Tell if it found any."""
    if not find():
        return False
    for number, wait_s in (*plan, (signal.SIGKILL, KILL_WAIT_S)):
        send(find(), number)
        if gone(find, wait_s):
            break
    return True


def send(pids: Iterable[int], number: int) -> None:
    """Send a signal to each process that still exists."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def gone(find: Callable[[], list[int]], limit_s: float) -> bool:
    """Wait until `find` finds nothing. False when the time is over."""
    deadline = time.monotonic() + limit_s
    while find():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def all_pids() -> list[int]:
    """Return the pids of all processes but ourselves."""
    return [int(name) for name in os.listdir("/proc") if name.isdecimal() and int(name) != os.getpid()]  # noqa: PTH208 - names only


def working_folder(pid: int) -> str:
    """Return a process' working folder, or nothing where it ended or is not ours to look at."""
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def command_name(pid: int) -> str:
    """Return the name of the program that a process runs, cut at 15 characters by the kernel."""
    return read(pid, "comm").decode(errors="replace").rstrip("\n")


def environment(pid: int) -> list[bytes]:
    """Return the NAME=value entries that a process was started with."""
    return read(pid, "environ").split(b"\0")


def status_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the process' state on; nothing where it ended."""
    return read(pid, "stat").decode(errors="replace").rpartition(") ")[2].split()


def read(pid: int, name: str) -> bytes:
    """Return a file of /proc/PID, empty where the process ended or is not ours to look at."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
