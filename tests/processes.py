"""Processes from outside: which belong to a ladder, by what they were told, and what they do."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import psutil


def processes_of(home: Path) -> list[psutil.Process]:
    """Return the processes that were told of that home: supervisor's children, workers and their processes."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("LADDER_HOME") == str(home):
                found.append(process)
        except psutil.Error:
            continue
    return found


def workers_of(home: Path) -> list[psutil.Process]:
    """Return the Celery worker processes of a home, the main one and those that play."""
    found = []
    for process in processes_of(home):
        try:
            if "workers.app" in process.cmdline() and "worker" in process.cmdline():
                found.append(process)
        except psutil.Error:
            continue
    return found


def state_of(pid: int) -> str:
    """Return the letter for what a process does: R it runs, S it sleeps, T it is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


def runs_of(pid: int) -> int:
    """Return how often a process was given a CPU: the third number of its `schedstat`."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[2])


def give_way(pid: int) -> None:
    """Let a program run only where nothing else wants to, also where Linux shares the core between sessions first."""
    os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):  # where Linux does not share so, or the program's session is that of the system
        Path(f"/proc/{pid}/autogroup").write_text("19")
