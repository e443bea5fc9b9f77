"""Finding and ending processes that a killed supervisor may have left, by what the kernel says of them.

A pid in a file proves nothing: it may be another program's by now. So a server is known by its name, its user and a
label in its command line, which are for everybody to see; its working folder would not be, not even for root in a
container. Anything else is known by a mark in its environment.

How this works. Each child leads a session of its own: Ctrl-C reaches only the supervisor, and what the child started
can be ended with it. Between fork and exec the child asks for a signal at the death of its parent (PR_SET_PDEATHSIG).
That does not survive a change of uid, so it comes after that; and since the parent may have died a moment before, the
child then looks whether it still has the same one.
"""

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any, TypeAlias

from engine.errors import ArenaError, MachineBusy, MissingTool, Refused, Unavailable, UsageFault, plain_words
from engine.immutable import immutable
from workers.embedded.folders import SystemAccount
from workers.embedded.home import LadderHome

MARK = "LADDER_SUPERVISED_HOME"
"""The environment variable that every child of a supervisor carries: the home that it works for."""

Plan: TypeAlias = tuple[tuple[signal.Signals, float], ...]
"""Signals to try in turn, each with the seconds to wait for its effect. SIGKILL comes after the last by itself."""

KILL_WAIT_S = 5.0


def serving(program: str, label: str, uid: int) -> list[int]:
    """Return the pids of that user's processes with `label` in their command line or title."""
    name = f"{program}\n".encode()
    return [
        pid
        for pid in all_pids()
        if read(pid, "comm") == name and label.encode() in read(pid, "cmdline") and owner(pid) == uid
    ]


def pids_with_mark(home: Path) -> list[int]:
    mark = f"{MARK}={home}".encode()
    return [pid for pid in all_pids() if mark in read(pid, "environ").split(b"\0")]


def children_of(parent: int) -> list[int]:
    """Those that ended and wait to be reaped are left out."""
    states = {pid: status_fields(pid)[:2] for pid in all_pids()}
    return [pid for pid, fields in states.items() if fields[1:] == [str(parent)] and fields[0] != "Z"]


def is_alive(pid: int) -> bool:
    """It exists and does not only wait to be reaped."""
    return status_fields(pid)[:1] not in ([], ["Z"])


def holds(pid: int, path: Path) -> bool:
    """Say whether a process has that file open; of another user's process only whether it runs."""
    try:
        return any(leads_to(entry, path) for entry in Path(f"/proc/{pid}/fd").iterdir())
    except PermissionError:
        return is_alive(pid)
    except OSError:
        return False


def leads_to(entry: Path, path: Path) -> bool:
    with suppress(FileNotFoundError):  # it was closed while we looked
        return entry.readlink() == path
    return False


def end(find: Callable[[], list[int]], plan: Plan) -> bool:
    """Signal as planned, then SIGKILL, all that `find` finds, until it finds none. Return whether it found any."""
    if not find():
        return False
    for number, wait_s in (*plan, (signal.SIGKILL, KILL_WAIT_S)):
        send(find(), number)
        if wait_until_gone(find, wait_s):
            break
    return True


def send(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def wait_until_gone(find: Callable[[], list[int]], limit_s: float) -> bool:
    deadline = time.monotonic() + limit_s
    while find():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def all_pids() -> list[int]:
    pids = [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdecimal()]
    return [pid for pid in pids if pid != os.getpid()]


def owner(pid: int) -> int | None:
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return None


def status_fields(pid: int) -> list[str]:
    return read(pid, "stat").decode(errors="replace").rpartition(") ")[2].split()


def read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
LIBC = ctypes.CDLL(None, use_errno=True)

LOG_LIMIT_BYTES = 10 * 1024 * 1024
LOG_FILES = 10
END_BYTES = 4096
OUR_WORDS = "ladder: "
"""How a line begins that one of our programs writes for people."""
WORDS = re.compile(r' words=("(?:[^"\\]|\\.)*"|\S+)')
BARE_ENVIRONMENT = {"PATH": os.defpath, "LANG": "C.UTF-8"}
"""What a child under another account gets instead of root's environment."""


@immutable
class Child:
    """A program to keep running, as data. `name`: of its log file and its entry in the state. `environment`: added to
    the supervisor's own and to LADDER_HOME, LADDER_DATABASE_URL and LADDER_BROKER_URL. `stop_signal`: what ends it in
    good order, within `grace_s`, before SIGKILL; `at_death`: what it gets when the supervisor is killed. `account`: who
    runs it; None: the supervisor's own. `before`: what to do before each start.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    restart: bool = True
    stop_signal: int = signal.SIGTERM
    grace_s: float = 10.0
    at_death: int = signal.SIGKILL
    account: SystemAccount | None = None
    before: Callable[[], object] = bool


def start(child: Child, home: LadderHome, shared: Mapping[str, str]) -> subprocess.Popen[bytes]:
    child.before()
    stranger = child.account is not None and not child.account.is_ours
    inherited = BARE_ENVIRONMENT if stranger else os.environ
    try:
        with home.log(child.name).open("ab") as log:
            return subprocess.Popen[bytes](
                child.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**inherited, **shared, **child.environment, MARK: str(home.folder)},
                cwd="/" if stranger else home.folder,
                **process_options(child.at_death, child.account),
            )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"cannot start {child.name}: {plain_words(error)}") from error


def process_options(at_death: int, account: SystemAccount | None) -> dict[str, Any]:
    ties = {"start_new_session": True, "preexec_fn": last_will(at_death)}
    if account is None or account.is_ours:
        return ties
    return {**ties, "user": account.uid, "group": account.gid, "extra_groups": []}


def last_will(number: int) -> Callable[[], None]:
    parent = os.getpid()

    def bind() -> None:
        LIBC.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])

    return bind


def adopt_orphans() -> None:
    """What our children leave behind can then be found and ended."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def put_aside(log: Path) -> bool:
    """Copy a log to NAME.log.1, up to LOG_FILES of them, and empty it: who appends goes on. Say whether it was long."""
    if size_of(log) <= LOG_LIMIT_BYTES:
        return False
    files = [log, *(log.with_suffix(f".log.{number}") for number in range(1, LOG_FILES))]
    with suppress(OSError):  # on a full disk the oldest is lost; what is written now counts more
        for older, newer in zip(files[:1:-1], files[-2:0:-1], strict=True):
            if newer.exists():
                newer.replace(older)
        shutil.copyfile(log, files[1])
    os.truncate(log, 0)
    return True


ERRORS = {kind.exit_status: kind for kind in (ArenaError, UsageFault, Refused, Unavailable, MissingTool, MachineBusy)}


@immutable
class ChildEnding:
    """How a child ended: its error's status, or 1, and why."""

    status: int
    words: str

    def error(self, what: str) -> ArenaError:
        """`what`: what to say of it, before its words."""
        return ERRORS.get(self.status, ArenaError)(f"{what}: {self.words}")


def ending_of(exit_code: int, log: Path, since: int) -> ChildEnding:
    """`since`: the byte at which the child's part of the log begins."""
    if exit_code < 0:
        return ChildEnding(1, f"signal {-exit_code} ended it")
    lines = lines_from(log, since)
    ours = [line.removeprefix(OUR_WORDS) for line in lines if line.startswith(OUR_WORDS)]
    return ChildEnding(exit_code, ours[-1] if ours else words_of(lines[-1]) if lines else "it said nothing")


def words_of(line: str) -> str:
    """Return what a line of a log says: the words of an event, as text or as JSON; else all of it."""
    with suppress(ValueError, LookupError, TypeError):
        return str(json.loads(line)["words"])
    event = WORDS.search(line)
    return line if event is None else json.loads(event[1]) if event[1].startswith('"') else event[1]


def lines_from(log: Path, since: int) -> list[str]:
    try:
        with log.open("rb") as file:
            size = log.stat().st_size
            file.seek(max(since if since <= size else 0, size - END_BYTES))  # a smaller one has been put aside
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if line.strip()]


def size_of(log: Path) -> int:
    try:
        return log.stat().st_size
    except OSError:
        return 0


def last_lines(log: Path) -> str:
    return "\n".join(lines_from(log, 0)[-5:])
