"""The ladder that has to stand it: services, two workers as if on two machines, a scheduler, pages; and eyes on it.

How this works. Each worker has a wall clock and a disk of its own; cores they share, as on one machine they must. What
the ladder starts bears its home in the environment, but for the watchdogs and the bots. A watchdog bears a mark that
its worker's boxes and control groups bear too, so the marks are collected while their workers live.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import psutil
import psycopg

from engine.sandbox.watchdog import WATCHDOG
from engine.workspace import CACHE_VARIABLE
from ladder.fleet import room
from ladder.ids import MatchId
from tests.chaos.machine import Clock, Disk
from tests.processes import processes_of
from workers.commands import ENVIRONMENT, cores, scheduler_command, web_child, worker_command
from workers.embedded import control, folders, state_file
from workers.embedded.home import LadderHome
from workers.embedded.processes import Child, is_alive
from workers.embedded.redis import LOG_OF_WRITES
from workers.embedded.state_file import Running

LADDER = Path(sys.executable).with_name("ladder")
PREPARE = "ladder.actions.installation:bring_up_to_date"
WORKERS = ("worker", "second")
BACK_LIMIT_S = 60.0
LOOK_EVERY_S = 0.3
LOCK_LIMIT_S = 3
ROOM_MB = 600
"""That the database may take: a run needs a tenth of it."""
REFEREE = "foragers.py"
"""The file of the referee program, by which its processes are known."""

Rows = list[tuple[Any, ...]]


class Stuck(Exception):
    """Something that had to happen did not, within the time that it may take."""


@dataclass(frozen=True, slots=True)
class Playing:
    """A match that is being played: by which attempt, in which process."""

    match_id: MatchId
    attempt: int
    pid: int

    def __str__(self) -> str:
        return f"match {self.match_id}, attempt {self.attempt}, process {self.pid}"


class Victim:
    """One ladder in a folder of its own. `marks`: of all watchdogs that were seen."""

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o755)
        self.folder = folder
        self.home = LadderHome.at(folder / "home")
        self.clocks = {name: Clock(folder, name) for name in (*WORKERS, "scheduler")}
        (folder / "worker").mkdir(mode=0o755)
        self.disk = Disk(folder / "disk")
        (folder / "worker" / "cores").mkdir(mode=0o700)
        (self.disk.folder / "cores").symlink_to(folder / "worker" / "cores")
        self.marks: set[str] = set()
        self.processes = max(1, cores() // 2)
        self.database_url = self.broker_url = ""
        self._asked: psycopg.Connection[Any] | None = None
        self._one_asks = threading.Lock()

    def children(self) -> list[Child]:
        """Return what the supervisor is to run."""
        caches = {"worker": self.folder / "worker", "second": self.disk.folder}
        workers = [
            Child(
                name,
                worker_command(self.processes, name),
                {
                    **ENVIRONMENT,
                    CACHE_VARIABLE: str(caches[name]),
                    room.DATABASE_MB: str(ROOM_MB),
                    **self.clocks[name].environment,
                },
            )
            for name in WORKERS
        ]
        scheduler = Child("scheduler", scheduler_command(), self.clocks["scheduler"].environment)
        return [*workers, scheduler, web_child()]

    def up(self) -> None:
        running = control.up(self.home, self.children(), prepare=PREPARE)
        self.database_url, self.broker_url = running.database_url, running.broker_url

    def make_small(self, battles: int) -> None:
        """Let each version have this many battles, and let only the first boss be built: for a short run."""
        self.ask("UPDATE leagues SET battles = %s", battles)
        self.ask(
            """
            UPDATE versions SET state = 'rejected', message = 'not in this run'
            WHERE state = 'building' AND bot_id NOT IN (
                SELECT bots.id FROM bots JOIN leagues ON leagues.id = boss_of
                 WHERE leagues.game = 'ocean-of-code' AND position = 1)
            """
        )

    def running(self) -> Running:
        """Return what its supervisor tells. Raises Stuck where none runs."""
        found = state_file.running(self.home)
        if found is None:
            raise Stuck("the supervisor is gone")
        return found

    def pid_of(self, child: str) -> int:
        """Return the pid of a child once it runs. Raises Stuck."""
        return int(wait_for(lambda: self.running().children.get(child), f"{child} to run"))

    def ask(self, query: LiteralString, *parameters: Any) -> Rows:
        """Run one statement and return its rows, once the database answers. Raises Stuck."""

        def try_to() -> tuple[Rows] | None:
            with self._one_asks:
                try:
                    if self._asked is None:
                        self._asked = self._open()
                    done = self._asked.execute(query, parameters or None)
                    return (done.fetchall() if done.description else [],)
                except psycopg.errors.LockNotAvailable as error:
                    raise Stuck("somebody holds what was to be changed") from error
                except psycopg.OperationalError:
                    self._forget()
                    return None

        rows: Rows = wait_for(try_to, "the database to answer")[0]
        return rows

    @contextmanager
    def connect(self) -> Iterator[psycopg.Connection[Any]]:
        with self._open() as connection:
            yield connection

    def _forget(self) -> None:
        if self._asked is not None:
            self._asked.close()
        self._asked = None

    def _open(self) -> psycopg.Connection[Any]:
        options = f"-c lock_timeout={1000 * LOCK_LIMIT_S}"
        return psycopg.connect(self.database_url, autocommit=True, connect_timeout=5, options=options)

    def playing(self) -> list[Playing]:
        """Return the matches that are being played by processes that live."""
        rows = self.ask(
            """
            SELECT matches.id, attempt, workers.pid FROM matches JOIN workers ON workers.id = matches.worker_id
                JOIN live_workers ON live_workers.id = workers.id
            WHERE state = 'running' AND lease_until > now() ORDER BY matches.id
            """
        )
        return [found for found in (Playing(*row) for row in rows) if self.is_ours(found.pid)]

    def led(self) -> list[tuple[Playing, int]]:
        found = [(match, self.referee_of(match)) for match in self.playing()]
        return [(match, pid) for match, pid in found if pid is not None]

    def referee_of(self, match: Playing) -> int | None:
        """Return the pid of the referee program of a match, without the box around it; None where it has none."""
        with suppress(psutil.Error):
            for process in psutil.Process(match.pid).children(recursive=True):
                with suppress(psutil.Error):
                    if process.cmdline()[-1:] == [REFEREE] and process.name() != "bwrap":
                        return process.pid
        return None

    def first_process_of(self, match: Playing) -> int:
        """Return the pid of its worker's first process, which records what the others play. Raises Stuck."""
        try:
            return psutil.Process(match.pid).ppid()
        except psutil.Error as error:
            raise Stuck(f"{match} was over a moment too early") from error

    def is_ours(self, pid: int) -> bool:
        """Say whether that process is one of this ladder's, and lives."""
        try:
            return is_alive(pid) and psutil.Process(pid).environ().get("LADDER_HOME") == str(self.home.folder)
        except psutil.Error:
            return False

    def pids_of_second(self) -> list[int]:
        """Return the pids of the worker that has the small disk."""
        with suppress(psutil.Error):
            main = psutil.Process(self.pid_of("second"))
            return [main.pid, *(child.pid for child in main.children())]
        return []

    def kill(self, pid: int) -> None:
        """Kill a process of this ladder with SIGKILL, its watchdog's mark kept. Raises Stuck where it is gone."""
        self.remember_marks()
        if not self.is_ours(pid):
            raise Stuck(f"process {pid} was gone a moment too early")
        os.kill(pid, signal.SIGKILL)

    def run(self, *words: str, player: str = "", folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command of `ladder`. `player`: who types it; `folder`: where, if that matters."""
        variables = {"LADDER_HOME": str(self.home.folder)} | ({"LADDER_PLAYER": player} if player else {})
        return subprocess.run(
            [LADDER, *words], capture_output=True, text=True, cwd=folder, env={**os.environ, **variables}, check=False
        )

    def forget_messages(self) -> int:
        """Kill Redis and delete what it has written. Returns its pid."""
        found = folders.find(self.home)
        pid = self.pid_of("redis")
        os.kill(pid, signal.SIGKILL)
        if found is not None:
            (found.redis / LOG_OF_WRITES).unlink(missing_ok=True)
        wait_for(lambda: self.running().children.get("redis") not in {None, pid}, "Redis to come back")
        return pid

    def stop_database(self, number: signal.Signals) -> int:
        """Send the database's main process a signal, and wait until it serves again. Returns its pid."""
        pid = self.pid_of("postgres")
        os.kill(pid, number)
        wait_for(lambda: self.running().children.get("postgres") not in {None, pid}, "PostgreSQL to come back")
        self.ask("SELECT")
        return pid

    def remember_marks(self) -> None:
        """Note the marks of the watchdogs that are there now."""
        for pid in psutil.pids():
            with suppress(OSError, psutil.Error):
                words = Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")[:-1]
                if str(WATCHDOG) in words and self.is_ours(psutil.Process(pid).ppid()):
                    self.marks.add(words[-1])

    def bearing_marks(self) -> list[str]:
        """Return what bears one of our marks, but the watchdogs of processes that live: processes, control groups."""
        if not self.marks:
            return []
        mark = re.compile("|".join(map(re.escape, sorted(self.marks))).encode())
        found = [f"process {pid} ({name})" for pid, name in marked_processes(mark) if not self._watches_the_living(pid)]
        groups = (name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names)
        return found + [f"control group {name}" for name in groups if mark.search(name.encode())]

    def _watches_the_living(self, pid: int) -> bool:
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            return str(WATCHDOG) in process.cmdline() and self.is_ours(process.ppid())
        return False

    def processes_left(self) -> list[str]:
        return [f"process {process.pid}" for process in processes_of(self.home.folder)]

    def scratch(self) -> list[Path]:
        return [path for root in (self.folder / "worker", self.disk.folder) for path in root.glob("scratch/*")]

    def remove(self) -> None:
        """Take everything away, whatever state it is in."""
        self._forget()
        for process in processes_of(self.home.folder):
            with suppress(psutil.Error):
                process.send_signal(signal.SIGCONT)
        control.destroy(self.home)
        self.disk.remove()
        shutil.rmtree(self.folder, ignore_errors=True)


def marked_processes(mark: re.Pattern[bytes]) -> Iterator[tuple[int, str]]:
    """Give pid and name of the processes that have such a mark in their command line or among their mounts."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                if any(mark.search((entry / name).read_bytes()) for name in ("cmdline", "mountinfo")):
                    yield int(entry.name), (entry / "comm").read_text().strip()


def wait_for(look: Callable[[], Any], what: str, limit_s: float = BACK_LIMIT_S) -> Any:
    """Return what `look` gives as soon as that is something. Raises Stuck."""
    deadline = time.monotonic() + limit_s
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise Stuck(f"waited {limit_s:.0f} s for {what}")
        time.sleep(0.02)


@contextmanager
def victim() -> Iterator[Victim]:
    """Put up a ladder that watches over its marks, and take it away afterwards."""
    made = Victim(Path(tempfile.mkdtemp(prefix="ladder-chaos-", dir="/tmp")))
    over = threading.Event()

    def watch() -> None:
        while not over.wait(LOOK_EVERY_S):
            made.remember_marks()

    watcher = threading.Thread(target=watch, daemon=True)
    try:
        made.up()
        watcher.start()
        yield made
    finally:
        over.set()
        if watcher.is_alive():
            watcher.join()
        made.remove()
