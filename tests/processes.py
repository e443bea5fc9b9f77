"""Processes from outside: which belong to a ladder, by what they were told, and what they do.

Imports inside functions: what programs of tests that look at processes can do without.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from tests.patience import patience_s


def finished(words: Sequence[str | Path], **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and return what it wrote. `more`: its folder and its environment."""
    return subprocess.run(words, capture_output=True, text=True, timeout=patience_s(), check=False, **more)


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
    found = []
    for process in processes_of(home):
        try:
            if "workers.app" in process.cmdline() and "worker" in process.cmdline():
                found.append(process)
        except psutil.Error:
            continue
    return found


@contextmanager
def a_worker(
    log: Path, database_url: str, broker_url: str, processes: int = 1, **environment: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker for the block, beside services that run. It writes into `log`."""
    from workers.commands import ENVIRONMENT, worker_command

    addresses = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": broker_url}
    variables = {**os.environ, **ENVIRONMENT, **addresses, **environment}
    with (
        log.open("wb") as stderr,
        subprocess.Popen(worker_command(processes, "tried"), stderr=stderr, env=variables) as worker,
    ):
        try:
            yield worker
        finally:
            worker.terminate()


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


def runs_of(pid: int) -> int:
    """Return how often a process was given a CPU: the third number of its `schedstat`."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[2])


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def number_of(call: str) -> int:
    """Return the number of a system call on this machine; below 0 where it has none."""
    import pyseccomp

    return int(pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, call))


def require_program(*names: str) -> None:
    """Skip a test where none of some programs is installed that are one as good as the other."""
    import pytest

    if not any(map(shutil.which, names)):
        pytest.skip(f"{names[-1]} is not installed")


@contextmanager
def core_to_keep_busy() -> Iterator[int]:
    """Lend the core on which a test may let busy programs run.

    It is the same one for all tests, and one test has it at a time. So nothing else is beside its programs but what
    runs on any core, and all other tests have the other cores.
    """
    with one_at_a_time("core"):
        yield max(os.sched_getaffinity(0))


@contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Wait, among all processes of the tests, for those that have this name in use."""
    with Path(tempfile.gettempdir(), f"ladder-tests-{os.geteuid()}.{name}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def staying_on(core: int) -> Iterator[None]:
    """Stay on one core for the block, with what is started in it."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def give_way(pid: int) -> None:
    """Let a program run only where nothing else wants to, also where Linux shares the core between sessions first.

    It has a session of its own, or all of ours would give way. Raises BlockingIOError where the kernel wants to be
    asked again, as it lets people change few priorities a second.
    """
    assert os.getsid(pid) != os.getsid(0)
    os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
    with suppress(FileNotFoundError):
        Path(f"/proc/{pid}/autogroup").write_text("19")


def players_of(command: psutil.Process) -> list[psutil.Process]:
    """Return the processes of a command that have begun to play; it opens boxes itself before, to see if they hold.

    A process that is about to become a box has the words of the command, too: so they are read last.
    """
    with suppress(psutil.NoSuchProcess):
        parents = [child for child in command.children() if "bwrap" in [process.name() for process in child.children()]]
        return [parent for parent in parents if parent.cmdline() == command.cmdline()]
    return []
