"""Finding and ending processes that a killed supervisor may have left, by what the kernel says of them.

A pid in a file proves nothing: it may be dead, or belong to another program by now. So a server is known by its name,
its user and a label in its command line, which are for everybody to see; its working folder would not be, not even for
root in a container. Anything else is known by a mark in its environment.
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


def serving(program: str, label: str, uid: int) -> list[int]:
    """Return the pids of that program's processes of that user that have `label` in their command line or title."""
    return [
        pid
        for pid in all_pids()
        if command_name(pid) == program and label.encode() in read(pid, "cmdline") and owner(pid) == uid
    ]


def marked(home: Path) -> list[int]:
    """Return the pids of all processes that were started for that home, children of children included."""
    mark = f"{MARK}={home}".encode()
    return [pid for pid in all_pids() if mark in environment(pid)]


def children_of(parent: int) -> list[int]:
    """Return the pids of the direct children of a process, without those that ended and wait to be reaped."""
    states = {pid: status_fields(pid)[:2] for pid in all_pids()}
    return [pid for pid, fields in states.items() if fields[1:] == [str(parent)] and fields[0] != "Z"]


def is_alive(pid: int) -> bool:
    """Say whether a process runs: it exists and does not only wait to be reaped."""
    return status_fields(pid)[:1] not in ([], ["Z"])


def holds(pid: int, path: Path) -> bool:
    """Say whether a process has that file open; of another user's process only whether it runs."""
    try:
        return any(entry.readlink() == path for entry in Path(f"/proc/{pid}/fd").iterdir())
    except PermissionError:
        return is_alive(pid)
    except OSError:
        return False


def end(find: Callable[[], list[int]], plan: Plan) -> bool:
    """Signal as planned, then SIGKILL, all that `find` finds, until it finds none. Return whether it found any."""
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
    pids = [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdecimal()]
    return [pid for pid in pids if pid != os.getpid()]


def owner(pid: int) -> int | None:
    """Return the uid that a process runs as, or None where it ended."""
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return None


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
